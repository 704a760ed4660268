"""How the tests of a problem are shown."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from codejury.cli.show import problem_view, set_view
from codejury.formats import read_problems
from codejury.model import (
    Checker,
    LimitOverrides,
    Problem,
    ProblemSet,
    Pytest,
    StdinCase,
    StdinStdout,
    Tests,
    Unittest,
)

DATA = Path(__file__).parents[1] / "formats" / "data"
FILES = sorted(path.stem for path in DATA.glob("*.jsonl"))


def _lines(view: RenderableType) -> list[str]:
    console = Console(width=200, file=io.StringIO(), record=True)
    console.print(view)
    return [line.rstrip() for line in console.export_text().splitlines()]


def _shown(tests: Tests) -> list[str]:
    return _lines(problem_view(Problem(id="t/1", prompt="Add.", entry_point="", tests=tests)))


def _set(name: str) -> ProblemSet:
    return ProblemSet(name=name, version="1-0", problems=tuple(read_problems(DATA / f"{name}.jsonl")))


def test_runs_of_a_program() -> None:
    """Inputs and outputs line by line, the first few of them, and how they are compared."""
    cases = tuple(StdinCase(stdin=f"{n}\n{n}", stdout=f"{2 * n}") for n in range(7))
    lines = _shown(StdinStdout(cases=cases, checker=Checker(kind="decimal", abs_tol=0.5)))
    start = lines.index("tests") + 1
    assert [
        "# 7 runs with an input each",
        '# compared: {"kind": "decimal", "abs_tol": 0.5}',
        *("# input 1", "#   0", "#   0", "# output 1", "#   0"),
    ] == lines[start : start + 7]
    assert "# and 2 more" == lines[-1]


def test_a_long_input_is_cut() -> None:
    """A page of numbers helps nobody."""
    lines = _shown(StdinStdout(cases=(StdinCase(stdin="9" * 1000, stdout="1"),)))
    assert not any("9" * 401 in line for line in "".join(lines).split("#"))


def test_a_custom_checker_is_shown() -> None:
    """Its code, after the runs."""
    checker = Checker(kind="custom", code="def check(stdin, expected, output):\n    return True\n")
    lines = _shown(StdinStdout(cases=(StdinCase(stdin="", stdout="1"),), checker=checker))
    assert '# compared: {"kind": "custom"}' in lines
    assert ["def check(stdin, expected, output):", "    return True"] == lines[-2:]


def test_modules_of_tests_are_shown() -> None:
    """As their source stands."""
    code = "def test():\n    assert f(1) == 2\n"
    for tests in (Unittest(code=code), Pytest(code=code)):
        assert ["tests", *code.splitlines()] == _shown(tests)[-3:]


@pytest.mark.parametrize("name", FILES)
def test_every_family_is_shown(name: str) -> None:
    """Every line of what is asked, and of the tests, is there; the set lists all problems."""
    problem_set = _set(name)
    for problem in problem_set.problems:
        lines = _lines(problem_view(problem))
        asked = f"{problem.prompt}\n{problem.suffix}\n{problem.instruction}\n{getattr(problem.tests, 'code', '')}"
        assert {line.replace("\t", "    ").rstrip() for line in asked.splitlines()} <= {"", *lines}
    listed = "\n".join(_lines(set_view(problem_set)))
    assert all(problem.id in listed for problem in problem_set.problems)


def test_a_completion_within_a_repository() -> None:
    """What is missing, pieces of other files, and why it is not judged."""
    lines = _lines(problem_view(_set("crosscodeeval").problems[0]))
    assert "project_cc_python/9000: python, of us-sample-0000000" == lines[0]
    assert "cannot be judged: it has no tests: answers can be compared with its reference, not judged" == lines[1]
    missing = lines.index("missing between them")
    assert "one() + 1" == lines[missing + 1]
    context = lines.index("context")
    assert ["# 1 pieces of other files", "# pkg/numbers.py"] == lines[context + 1 : context + 3]


def test_what_runs_before_the_tests_is_shown() -> None:
    """Where it is not the prompt, which is there already."""
    lines = _lines(problem_view(_set("bigcodebench").problems[0]))
    before = lines.index("before the tests")
    assert ["import json as js", "LETTERS = list('abc')"] == lines[before + 1 : before + 3]
    assert "before the tests" not in _lines(problem_view(_set("humaneval_x").problems[0]))


def test_limits_and_dates_are_shown() -> None:
    """With what else describes a problem."""
    problem = Problem(
        id="t/1",
        prompt="x",
        entry_point="f",
        tests=Unittest(code="y"),
        created="2024-01-02",
        limits=LimitOverrides(cpu_s=0.5, processes=3),
    )
    assert "t/1: python, 2024-01-02, entry point f, cpu_s 0.5, processes 3" == _lines(problem_view(problem))[0]


def test_what_a_set_is_like() -> None:
    """Languages, days, and how many problems cannot be judged."""
    lines = _lines(set_view(_set("multipl_e")))
    assert "written in javascript 1, go 1, python 1" in lines
    assert (
        "2 of 3 cannot be judged, the first since its answers are written in javascript:"
        " programs in Python alone can be judged"
    ) in lines
    lines = _lines(set_view(_set("livecodebench")))
    assert "made from 2023-02-04 to 2024-08-21" in lines
    assert not any(line.startswith(("written in", "2 of")) for line in lines)
