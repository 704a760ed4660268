"""Which packages programs see, and sets whose tests are written for unittest and pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from codejury.model import CheckFunction, InputError, Problem, ProblemSet, Pytest, Unittest, UsageError
from codejury.pipeline import check
from codejury.pipeline.packages import PYTEST, visible
from codejury.sandbox import describe

if TYPE_CHECKING:
    from pathlib import Path

    from codejury.model import Tests

NEXT = "def f(x):\n    return x + 1\n"
CHECK = CheckFunction(code="def check(c):\n    assert c(1) == 2\n")
BY_UNITTEST = Unittest(
    code="import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(f(1), 2)\n"
)
BY_PYTEST = Pytest(code="def test():\n    assert f(1) == 2\n")


def problem(name: str, tests: Tests) -> Problem:
    """A problem of the next whole number."""
    return Problem(id=name, prompt="", entry_point="f", tests=tests, reference=NEXT)


def test_pytest_is_shown_where_it_is_needed() -> None:
    """With what it imports, after the packages that were named, each once."""
    interpreter = describe()
    problems = [problem("a", CHECK), problem("b", BY_UNITTEST)]
    assert () == visible(problems, (), interpreter)
    assert ("numpy",) == visible(problems, ("numpy",), interpreter)
    shown = visible([*problems, problem("c", BY_PYTEST)], ("numpy", "pluggy"), interpreter)
    assert ("numpy", "pluggy", "pytest", "_pytest", "iniconfig") == shown[:5]
    assert len(set(shown)) == len(shown)
    assert set(PYTEST) <= set(shown)


def test_interpreter_without_pytest_is_refused(tmp_path: Path) -> None:
    """Before anything is judged, with the problem and what to do."""
    bare = msgspec.structs.replace(describe(), packages=(str(tmp_path),))
    assert () == visible([problem("a", BY_UNITTEST)], (), bare)
    with pytest.raises(InputError, match=r"problem 'c' has tests of pytest.*--python"):
        visible([problem("c", BY_PYTEST)], (), bare)
    with pytest.raises(UsageError, match="numpy"):
        visible([problem("a", CHECK)], ("numpy",), bare)


@pytest.mark.sandbox
async def test_probes_fail_before_the_frameworks() -> None:
    """A set with both kinds is sound, and no program that solves nothing passes it."""
    problems = (problem("unittest", BY_UNITTEST), problem("pytest", BY_PYTEST))
    document = await check(ProblemSet(name="s", version="1-0", problems=problems), slots=2)
    assert (2, 0) == (document.references.passed, document.references.failed)
    assert [] == document.failures
    assert [] == document.warnings
