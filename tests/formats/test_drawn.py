"""What rows say of how samples were drawn, where nothing is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.formats import read_samples

if TYPE_CHECKING:
    from pathlib import Path

DOUBT = ["n equals tests_total for every problem: are the samples independent answers, or tests of one?"]


def _read(path: Path, rows: list[dict[str, Any]]) -> tuple[int, list[str]]:
    path.write_text("".join(json.dumps({"completion": "x"} | row) + "\n" for row in rows), encoding="utf-8")
    notes: list[str] = []
    return len(list(read_samples(path, notes=notes))), notes


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"task_id": "a", "tests_total": 2}] * 2 + [{"task_id": "b", "tests_total": 3}] * 3, DOUBT),
        ([{"task_id": "a", "tests_total": 2}] * 2 + [{"task_id": "b", "tests_total": 4}] * 3, []),
        ([{"task_id": "a", "tests_total": 2}] * 2 + [{"task_id": "b"}] * 2, []),
        ([{"task_id": "a", "tests_total": 1}], []),
        ([{"task_id": "a"}] * 2, []),
    ],
)
def test_as_many_samples_as_tests(tmp_path: Path, rows: list[dict[str, Any]], expected: list[str]) -> None:
    """Every row is kept; n that merely equals the number of tests is doubted, where it does for every problem."""
    assert (len(rows), expected) == _read(tmp_path / "s.jsonl", rows)


def test_one_setting(tmp_path: Path) -> None:
    """The same settings in each row, or in some, are those of one run."""
    made = {"task_id": "a", "model": "m", "temperature": 0.8, "top_p": None}
    rows = [made, made | {"temperature": 0.80}, {"task_id": "a", "other": 1}]
    assert (3, []) == _read(tmp_path / "s.jsonl", rows)
