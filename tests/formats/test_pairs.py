"""Files of pairs: what is read, and how what is wrong is told."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.formats import PairRow, count_pairs, read_pairs
from codejury.model import InputError

if TYPE_CHECKING:
    from pathlib import Path

ROW: dict[str, Any] = {"reference": "a", "prediction": "b", "language": "python"}


def _file(folder: Path, *rows: dict[str, object], name: str = "p.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_all_fields_are_read(tmp_path: Path) -> None:
    """A row with everything; other fields are no concern of ours; lone surrogates survive."""
    given: dict[str, Any] = {
        **ROW,
        "prefix": "x\ud800",
        "suffix": "y",
        "id": "one",
        "problem": "P",
        "tags": ["t"],
        "original": "o",
        "final": "f",
        "passed": False,
    }
    path = _file(tmp_path, {**given, "model": "m"})
    assert [PairRow(**{**given, "tags": ("t",)})] == list(read_pairs(path))


def test_what_is_missing_has_a_default(tmp_path: Path) -> None:
    """The id is the row's place; the language may be the file's."""
    path = _file(tmp_path, ROW, {"reference": "", "prediction": ""})
    first, second = read_pairs(path, language="go")
    assert ("row 1", "python", None) == (first.id, first.language, first.passed)
    assert ("row 2", "go", ()) == (second.id, second.language, second.tags)
    assert 2 == count_pairs(path)


def test_lists_and_gzip(tmp_path: Path) -> None:
    """The other kinds of files."""
    (tmp_path / "p.json").write_text(json.dumps([ROW, ROW]), encoding="utf-8")
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(json.dumps(ROW).encode()))
    found = [[pair.id for pair in read_pairs(tmp_path / name)] for name in ("p.json", "p.jsonl.gz")]
    assert [["row 1", "row 2"], ["row 1"]] == found


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [{"prediction": "a", "language": "go"}],
            r"p.jsonl:1: field 'reference': is missing; the row has prediction",
        ),
        ([{**ROW, "prediction": 1}], r":1: field 'prediction': Expected `str`, got `int`"),
        ([{**ROW, "refrence": "a"}], r":1: field 'refrence': is not known; is 'reference' meant\?"),
        ([{"reference": "a", "prediction": "a"}], r":1: field 'language': is missing; name .* --language"),
        (
            [{**ROW, "id": "a"}, ROW, {**ROW, "id": "a"}],
            r":3: field 'id': pair 'a' is on line 1 already; .*'problem'",
        ),
        ([{**ROW, "id": ""}], r":1: field 'id': the id is empty"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, rows: list[dict[str, object]], message: str) -> None:
    """File, line, field, and what to do."""
    with pytest.raises(InputError, match=message):
        list(read_pairs(_file(tmp_path, *rows)))
