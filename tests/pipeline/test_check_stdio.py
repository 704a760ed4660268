"""Is a set of whole programs sound? The probes print what their function makes of the input."""

from __future__ import annotations

import pytest

from codejury.model import Problem, ProblemSet, StdinCase, StdinStdout
from codejury.pipeline import check

pytestmark = pytest.mark.sandbox


def _problem(name: str, reference: str, *runs: tuple[str, str]) -> Problem:
    cases = tuple(StdinCase(stdin=given, stdout=expected) for given, expected in runs)
    return Problem(id=name, prompt="", entry_point="", tests=StdinStdout(cases=cases), reference=reference)


async def test_probes_are_whole_programs() -> None:
    """One that echoes solves what asks for an echo, and one that prints 0 what expects nothing else."""
    problems = (
        _problem("double", "print(int(input()) * 2)\n", ("1", "2"), ("5", "10")),
        _problem("echo", "print(input())\n", ("1", "1"), ("5", "5")),
        _problem("zero", "print(0)\n", ("1", "0"), ("5", "0")),
    )
    document = await check(ProblemSet(name="s", version="1-0", problems=problems), slots=2)
    assert (3, 0) == (document.references.passed, document.references.failed)
    assert [("echo", "return the first argument"), ("zero", "return 0")] == [
        (failure.id, failure.program) for failure in document.failures
    ]
