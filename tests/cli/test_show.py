"""How the tests of a problem are shown."""

from __future__ import annotations

import io

from rich.console import Console

from codejury.cli.show import problem_view
from codejury.model import Checker, Problem, Pytest, StdinCase, StdinStdout, Tests, Unittest


def _shown(tests: Tests) -> list[str]:
    console = Console(width=120, file=io.StringIO(), record=True)
    console.print(problem_view(Problem(id="t/1", prompt="Add.", entry_point="", tests=tests)))
    return [line.rstrip() for line in console.export_text().splitlines()]


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
