"""What every kind of tests must do, whatever it is: one suite for all of them, before the real judge."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import textwrap
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from codejury.model import (
    Assertions,
    CheckFunction,
    Inputs,
    Job,
    Limits,
    Outcome,
    Problem,
    Pytest,
    StdinCase,
    StdinStdout,
    Tests,
    Unittest,
    Verdict,
    text_hash,
)
from codejury.pipeline.packages import visible
from codejury.sandbox import describe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from codejury.judging import Profile

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

LIMITS = Limits(cpu_s=0.5, cpu_total_s=2.0)
_CONFTEST = Path(__file__).with_name("conftest.py")

# The task is the next whole number, three times. A program is a template around these bodies, with `x` at hand.
BODIES = {
    "right": "return x + 1",
    "wrong": "return 3",
    "raising": "raise KeyError(x)",
    "hanging": "while True:\n    pass",
    "exiting": "import os\nos._exit(0)",
}
OUTCOMES = {
    "right": Outcome.PASSED,
    "wrong": Outcome.WRONG_ANSWER,
    "raising": Outcome.EXCEPTION,
    "garbled": Outcome.SYNTAX_ERROR,
    "hanging": Outcome.TIMEOUT_CPU,
    "exiting": Outcome.EARLY_EXIT,
}
GARBLED = "def f(x:\n"


class Kind(NamedTuple):
    """A kind of tests.

    Attributes:
        tests: Three tests of the next whole number of 1, 2 and 3.
        vacuous: Tests of the same kind that test nothing.
        program: Source with `BODY` in the place of a body.
        outcomes: Where they are others than `OUTCOMES`.
    """

    tests: Tests
    vacuous: Tests
    program: str = "def f(x):\n    BODY\n"
    outcomes: dict[str, Outcome] = {}  # noqa: RUF012 - never changed


_CLASS = (
    "class f:\n    def __init__(self, x):\n        self.x = x\n"
    "    def next(self):\n        x = self.x\n        BODY\n"
)
KINDS = {
    "check": Kind(
        CheckFunction(code="def check(c):\n    assert c(1) == 2\n    assert c(2) == 3\n    assert c(3) == 4\n"),
        CheckFunction(code="def check(c):\n    c(1)\n"),
    ),
    "class": Kind(
        CheckFunction(
            code="def check(c):\n    for x in (1, 2, 3):\n        assert c(x).next() == x + 1\n",
        ),
        CheckFunction(code="def check(c):\n    c(1).next()\n"),
        program=_CLASS,
    ),
    "assertions": Kind(
        Assertions(code=("assert f(1) == 2", "assert f(2) == 3", "assert f(3) == 4")), Assertions(code=("f(1)",))
    ),
    "inputs": Kind(Inputs(base=((1,), (2,), (3,)), expected=(2, 3, 4)), Inputs(base=(), expected=())),
    "inputs-by-reference": Kind(Inputs(base=((1,), (2,)), plus=((3,),)), Inputs(base=())),
    "stdio": Kind(
        StdinStdout(cases=tuple(StdinCase(stdin=str(x), stdout=str(x + 1)) for x in (1, 2, 3))),
        StdinStdout(cases=()),
        program="def f(x):\n    BODY\n\nprint(f(int(input())))\n",
        outcomes={"exiting": Outcome.WRONG_ANSWER},  # a program may end so; it has written nothing
    ),
    "unittest": Kind(
        Unittest(
            code=(
                "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n"
                "    def test_1(self):\n        self.assertEqual(f(1), 2)\n"
                "    def test_2(self):\n        self.assertEqual(f(2), 3)\n"
                "    def test_3(self):\n        self.assertEqual(f(3), 4)\n"
            )
        ),
        Unittest(code="import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        f(1)\n"),
    ),
    "pytest": Kind(
        Pytest(
            code=(
                "import pytest\nfrom solution import f\n@pytest.mark.parametrize('x', [1, 2, 3])\n"
                "def test(x):\n    assert f(x) == x + 1\n"
            )
        ),
        Pytest(code="def test():\n    f(1)\n"),
    ),
}


class Shown(NamedTuple):
    """What judging one kind showed: twice without, then with all tests run."""

    profiles: list[Profile]
    verdicts: list[dict[str, Verdict]]
    vacuous: Profile


def _conftest() -> Any:
    spec = importlib.util.spec_from_file_location("judging_conftest", _CONFTEST)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.setdefault("judging_conftest", importlib.util.module_from_spec(spec))
    if not hasattr(module, "load_suites"):
        spec.loader.exec_module(module)
    return module


def _program(kind: Kind, body: str) -> str:
    line = next(line for line in kind.program.splitlines() if "BODY" in line)
    return kind.program.replace(line, textwrap.indent(BODIES[body], line[: line.index("BODY")]))


def _problem(kind: Kind, tests: Tests) -> Problem:
    entry = "" if isinstance(tests, StdinStdout) else "f"
    return Problem(id="p", prompt="", entry_point=entry, tests=tests, reference=_program(kind, "right"))


async def _judge(kind: Kind) -> Shown:
    problem, vacuous = _problem(kind, kind.tests), _problem(kind, kind.vacuous)
    programs = {name: _program(kind, name) for name in BODIES} | {"garbled": GARBLED}
    profiles: list[Profile] = []
    verdicts: list[dict[str, Verdict]] = []
    packages = visible((problem,), (), describe())
    async with _conftest().engine(slots=2, limits=LIMITS, packages=packages) as engine:
        engine.library.problems = {each.hash: each for each in (problem, vacuous)}
        engine.library.programs = {text_hash(program): program for program in programs.values()}

        async def profile(problem: Problem, *, all_tests: bool) -> Any:
            (found,) = [p async for _, p in engine.profile([(problem, LIMITS)], all_tests=all_tests)]
            return found

        async def jobs(*, all_tests: bool) -> AsyncIterator[Job]:
            for name, program in programs.items():
                yield Job(
                    key=name,
                    problem_hash=problem.hash,
                    program_hash=text_hash(program),
                    limits=LIMITS,
                    all_tests=all_tests,
                )

        for all_tests in (False, False, True):
            profiles.append(await profile(problem, all_tests=all_tests))
            engine.profiles = {problem.hash: profiles[-1]}
            judged = engine.submit(jobs(all_tests=all_tests))
            verdicts.append({each.job.key: each.verdict async for each in judged})
        return Shown(profiles, verdicts, await profile(vacuous, all_tests=False))


@cache
def _shown(name: str) -> Shown:
    return asyncio.run(_judge(KINDS[name]))


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of tests, by its name."""
    return str(request.param)


@pytest.mark.parametrize("program", OUTCOMES)
def test_outcome_says_what_a_program_did(kind: str, program: str) -> None:
    """Each kind gives the same outcome to the same deed, whether or not all tests are run."""
    expected = (OUTCOMES | KINDS[kind].outcomes)[program]
    shown = [verdicts[program] for verdicts in _shown(kind).verdicts]
    assert [(expected, "strong")] * 3 == [(verdict.outcome, verdict.integrity) for verdict in shown], shown


def test_reference_is_sound(kind: str) -> None:
    """The reference passes, with an assertion finished for each of the three tests at least."""
    for profile in _shown(kind).profiles:
        assert profile.sound, profile
        assert profile.finished >= 3
        assert profile.acting is None


def test_vacuous_tests_are_the_problems_fault(kind: str) -> None:
    """Tests that test nothing make no sound problem, though the reference does nothing wrong."""
    profile = _shown(kind).vacuous
    assert profile.outcome is None, profile
    assert profile.fault


def test_runs_repeat(kind: str) -> None:
    """Two runs differ in nothing but times."""
    first, second, _ = (
        {
            name: (v.outcome, v.detail, [(test.line, test.outcome) for test in v.tests])
            for name, v in verdicts.items()
        }
        for verdicts in _shown(kind).verdicts
    )
    assert first == second


def test_tests_end_at_the_first_failure(kind: str) -> None:
    """What failed is the last result, and no later test is run; a program that does not load has none."""
    for verdicts in _shown(kind).verdicts[:2]:
        assert [Outcome.PASSED] * 3 == [test.outcome for test in verdicts["right"].tests]
        for name in ("wrong", "raising", "hanging", "exiting"):
            assert [verdicts[name].outcome] == [test.outcome for test in verdicts[name].tests], name
        assert () == verdicts["garbled"].tests


def test_all_tests_are_run_where_asked(kind: str) -> None:
    """With all tests asked for, each has its result, as many as the reference has, also after one that exits."""
    verdicts = _shown(kind).verdicts[2]
    expected = OUTCOMES | KINDS[kind].outcomes
    assert [Outcome.PASSED] * 3 == [test.outcome for test in verdicts["right"].tests]
    wrong = [Outcome.WRONG_ANSWER, Outcome.PASSED, Outcome.WRONG_ANSWER]
    assert wrong == [test.outcome for test in verdicts["wrong"].tests]
    for name in ("raising", "exiting"):
        assert [expected[name]] * 3 == [test.outcome for test in verdicts[name].tests], name
