"""Parquet files, as the public hub keeps data sets."""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from codejury.formats import read_problems
from codejury.formats.parquet import read_parquet_rows
from codejury.model import InputError, UsageError

pa = pytest.importorskip("pyarrow", reason="the extra [hub] is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

DATA = Path(__file__).parent / "data"
HUMANEVAL = {
    "task_id": "HumanEval/9000",
    "prompt": "def f(x):\n",
    "canonical_solution": "    return x\n",
    "entry_point": "f",
    "test": "def check(candidate):\n    assert candidate(1) == 1\n",
}
MBPP = {
    "task_id": 9001,
    "text": "Add one.",
    "code": "def add_one(x):\n    return x + 1",
    "test_list": ["assert add_one(1) == 2"],
    "test_setup_code": "",
    "challenge_test_list": [],
}
MBPP_PLUS = {
    "task_id": 9002,
    "code": MBPP["code"],
    "prompt": "Add one.",
    "source_file": "x",
    "test_imports": [],
    "test_list": MBPP["test_list"],
    "test": "assert add_one(2) == 3\n",
}


def write(path: Path, rows: list[dict[str, Any]], **settings: Any) -> Path:
    """A Parquet file of rows."""
    parquet.write_table(pa.Table.from_pylist(rows), path, **settings)
    return path


@pytest.mark.parametrize("row", [HUMANEVAL, MBPP, MBPP_PLUS])
def test_variants_of_the_hub(tmp_path: Path, row: dict[str, Any]) -> None:
    """The same problem as from lines of JSON."""
    (tmp_path / "p.jsonl").write_text(json.dumps(row))
    expected = list(read_problems(tmp_path / "p.jsonl"))
    assert expected == list(read_problems(write(tmp_path / "p.parquet", [row])))


@pytest.mark.parametrize("name", ["bigcodebench", "livecodebench", "code_contests", "repobench", "infilling"])
def test_families(tmp_path: Path, name: str) -> None:
    """Nested columns are read as nested objects."""
    path = DATA / f"{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert list(read_problems(path)) == list(read_problems(write(tmp_path / "p.parquet", rows)))


def test_times_are_texts(tmp_path: Path) -> None:
    """At any depth, in ISO 8601."""
    day = dt.datetime(2023, 10, 13, 6, 47, tzinfo=dt.UTC)
    path = write(tmp_path / "p.parquet", [{"day": day, "in": [{"date": day.date()}]}])
    [row] = read_parquet_rows(path)
    assert {"day": "2023-10-13T06:47:00+00:00", "in": [{"date": "2023-10-13"}]} == row.fields


def test_rows_are_numbered_across_groups(tmp_path: Path) -> None:
    """The line in an error is the row's number."""
    rows = [HUMANEVAL | {"task_id": f"T/{number}"} for number in range(200)]
    rows[170]["entry_point"] = "a b"
    path = write(tmp_path / "p.parquet", rows, row_group_size=16)
    with pytest.raises(InputError) as caught:
        list(read_problems(path))
    assert (171, "entry_point") == (caught.value.line, caught.value.field)


def test_groups_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    """A damaged end does not keep the beginning from being read."""
    rows = [HUMANEVAL | {"task_id": f"T/{number}", "prompt": f"# {number}\n" * 999} for number in range(400)]
    path = write(tmp_path / "p.parquet", rows, row_group_size=64, compression="none", use_dictionary=False)
    data = bytearray(path.read_bytes())
    middle = data.index(b"# 300\n")
    data[middle - 40 : middle - 4] = b"\xff" * 36
    path.write_bytes(data)
    stream = read_parquet_rows(path)
    assert "T/0" == next(stream).fields["task_id"]
    stream.close()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no sound Parquet file"),
        (b"PAR1 and nothing else", "is no sound Parquet file"),
        (b'{"task_id": "x"}\n', "is no sound Parquet file"),
    ],
)
def test_what_is_no_parquet(tmp_path: Path, content: bytes, message: str) -> None:
    """One line that names the file."""
    path = tmp_path / "p.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        list(read_problems(path))
    assert 1 == len(str(caught.value).splitlines())
    assert str(path) == caught.value.path


def test_files_without_rows_and_no_files(tmp_path: Path) -> None:
    """As with files of JSON."""
    with pytest.raises(InputError, match="holds no row"):
        list(read_problems(_empty(tmp_path)))
    with pytest.raises(InputError, match="no such file; check the path"):
        list(read_parquet_rows(tmp_path / "none.parquet"))


def _empty(folder: Path) -> Path:
    path = folder / "empty.parquet"
    parquet.write_table(pa.table({"task_id": pa.array([], pa.string())}), path)
    return path


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what to install."""
    path = write(tmp_path / "p.parquet", [HUMANEVAL])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"needs pyarrow, which is not installed: pip install 'codejury\[hub\]'"):
        list(read_problems(path))
