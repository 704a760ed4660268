"""Problems whose tests are runs of a whole program, in codejury's own format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.formats import read_problems, write_problems
from codejury.model import Checker, InputError, Problem, StdinCase, StdinStdout

if TYPE_CHECKING:
    from pathlib import Path

CASE = {"stdin": "1 2\n", "stdout": "3\n"}
ROW: dict[str, Any] = {
    "id": "t/1",
    "prompt": "Add.",
    "entry_point": "",
    "tests": {"type": "stdio", "cases": [CASE]},
}

REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "no cases": ({"cases": []}, "tests.cases", "has no cases"),
    "no output expected": (
        {"cases": [{"stdin": "1", "stdout": " \n"}, {"stdin": "2", "stdout": ""}]},
        "tests.cases",
        "a program that does nothing would pass",
    ),
    "misspelt field of a case": ({"cases": [{**CASE, "stdou": ""}]}, "tests.cases[0].stdou", "unknown field"),
    "output missing": ({"cases": [CASE, {"stdin": ""}]}, "tests.cases[1].stdout", "is missing"),
    "input no text": ({"cases": [{**CASE, "stdin": 1}]}, "tests.cases[0].stdin", "Expected `str`, got `int`"),
    "half a character": ({"cases": [{**CASE, "stdin": "\ud800"}]}, "tests", "surrogate"),
    "unknown checker": ({"cases": [CASE], "checker": {"kind": "lines"}}, "tests.checker.kind", "lines"),
    "unknown field of a checker": ({"cases": [CASE], "checker": {"tol": 1}}, "tests.checker.tol", "unknown field"),
    "negative tolerance": (
        {"cases": [CASE], "checker": {"kind": "decimal", "abs_tol": -1}},
        "tests.checker",
        "abs_tol must be a number of at least 0",
    ),
    "tolerance that nobody uses": (
        {"cases": [CASE], "checker": {"kind": "tokens", "rel_tol": 0.1}},
        "tests.checker",
        "rel_tol is for the kind 'decimal' alone",
    ),
    "code that nobody uses": (
        {"cases": [CASE], "checker": {"kind": "exact", "code": "def check(*a): return True"}},
        "tests.checker",
        "code is for the kind 'custom', which needs it",
    ),
    "custom without code": (
        {"cases": [CASE], "checker": {"kind": "custom", "code": " "}},
        "tests.checker",
        "code is",
    ),
    "misspelt field of the tests": ({"cases": [CASE], "case": []}, "tests.case", "unknown field"),
}


def _file(folder: Path, **changes: Any) -> Path:
    path = folder / "p.jsonl"
    path.write_text(json.dumps({**ROW, **changes}) + "\n")
    return path


@pytest.mark.parametrize("name", REFUSED)
def test_refused(tmp_path: Path, name: str) -> None:
    """Each names its field and what is wrong."""
    tests, field, part = REFUSED[name]
    with pytest.raises(InputError) as caught:
        list(read_problems(_file(tmp_path, tests={"type": "stdio", **tests})))
    assert (1, field) == (caught.value.line, caught.value.field)
    assert part in caught.value.message


def test_entry_point_may_be_empty_for_whole_programs_alone(tmp_path: Path) -> None:
    """One that is given is still a name; other tests need one."""
    assert "" == next(iter(read_problems(_file(tmp_path)))).entry_point
    assert "main" == next(iter(read_problems(_file(tmp_path, entry_point="main")))).entry_point
    calls = {"type": "assertions", "code": ["assert f() == 1"]}
    for changes in ({"entry_point": "no name"}, {"tests": calls}):
        with pytest.raises(InputError, match="cannot be the name of a python function"):
            list(read_problems(_file(tmp_path, **changes)))


@pytest.mark.parametrize(
    "checker",
    [
        Checker(),
        Checker(kind="exact"),
        Checker(kind="decimal", rel_tol=1e-6, abs_tol=1e-9),
        Checker(kind="unordered_lines"),
        Checker(kind="custom", code="def check(stdin, expected, output):\n    return output == expected\n"),
    ],
    ids=lambda checker: checker.kind,
)
def test_survives(tmp_path: Path, checker: Checker) -> None:
    """What is written is read back the same."""
    cases = (StdinCase(stdin="", stdout="é\x85\r\n"), StdinCase(stdin="1\n2", stdout=""))
    tests = StdinStdout(cases=cases, checker=checker)
    problem = Problem(id="t/1", prompt="Do.", entry_point="", tests=tests)
    write_problems(tmp_path / "p.jsonl", [problem])
    assert [problem] == list(read_problems(tmp_path / "p.jsonl"))


def test_a_custom_checker_may_expect_nothing(tmp_path: Path) -> None:
    """What is right may be for the checker alone to say."""
    tests = {"cases": [{"stdin": "", "stdout": ""}], "checker": {"kind": "custom", "code": "def check(*a): ..."}}
    assert 1 == len(list(read_problems(_file(tmp_path, tests={"type": "stdio", **tests}))))
