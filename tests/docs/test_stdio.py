"""The page on tests that run a whole program: its example, its lists and its figures."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import get_args, get_type_hints

from codejury.formats import read_problems
from codejury.model import Checker, Limits, Outcome, StdinStdout
from codejury.model.limits import MIB

PAGE = (Path(__file__).parents[2] / "docs" / "tests-stdio.md").read_text(encoding="utf-8")


def test_example(tmp_path: Path) -> None:
    """It is a problem of this kind."""
    (tmp_path / "p.jsonl").write_text(PAGE.split("```json\n")[1].split("```")[0], encoding="utf-8")
    (problem,) = read_problems(tmp_path / "p.jsonl")
    assert isinstance(problem.tests, StdinStdout)
    assert 2 == len(problem.tests.cases)


def test_checkers_and_outcomes() -> None:
    """All kinds of checkers, and outcomes that there are."""
    tables = [table.split("\n\n")[0].splitlines() for table in PAGE.split("\n| --- | --- |\n")[1:]]
    assert list(get_args(get_type_hints(Checker)["kind"])) == [line.split("`")[1] for line in tables[0]]
    outcomes = {name for line in tables[1] for name in re.findall(r"`(\w+)`", line)}
    assert outcomes <= {outcome.value for outcome in Outcome}
    assert len(outcomes) == 9


def test_figures() -> None:
    """The limits that the page tells."""
    assert (MIB, "the limit, 1 MiB" in PAGE) == (Limits().output_bytes, True)
    assert f"{importlib.import_module('checkers').MOST_DIGITS:,} characters" in PAGE
    assert f"last {importlib.import_module('script').MOST_ERRORS:,}" in PAGE
