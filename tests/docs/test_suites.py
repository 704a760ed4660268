"""The page on modules of unittest and pytest: its example, its fields and its packages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from codejury.formats import read_problems
from codejury.model import ProblemSet, Pytest, Unittest
from codejury.pipeline import check
from codejury.pipeline.packages import PYTEST, PYTEST_BESIDE

PAGE = (Path(__file__).parents[2] / "docs" / "tests-suites.md").read_text(encoding="utf-8")


def test_fields() -> None:
    """Those of both kinds, which are the same."""
    table = PAGE.split("| --- | --- | --- |\n")[1].split("\n\n")[0]
    fields = re.findall(r"^\| `(\w+)`", table, re.MULTILINE)
    assert ["type", *Unittest.__struct_fields__] == fields
    assert Unittest.__struct_fields__ == Pytest.__struct_fields__


def test_packages() -> None:
    """What is shown with pytest is what the page names."""
    named = re.findall(r"`(\w+)`", PAGE.split("what it imports (")[1].split(")")[0])
    assert set(named) <= {*PYTEST, *PYTEST_BESIDE}


@pytest.mark.sandbox
async def test_example(tmp_path: Path) -> None:
    """It is a sound problem of pytest's, which no probe passes."""
    (tmp_path / "p.jsonl").write_text(PAGE.split("```json\n")[1].split("```")[0], encoding="utf-8")
    problems = tuple(read_problems(tmp_path / "p.jsonl"))
    assert [Pytest] == [type(problem.tests) for problem in problems]
    document = await check(ProblemSet(name="p", version="1-0", problems=problems), slots=1)
    assert document.ok, document.failures
