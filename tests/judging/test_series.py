"""Samples of one problem before the same judge: when it judges on, and that no sample reaches the next one."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from codejury.judging import Profile, Slot, judge, profile
from codejury.judging.lanes import Clock
from codejury.model import CheckFunction, Limits, Outcome, Problem, Verdict

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    InSlot = Callable[[Callable[[Slot], Awaitable[Any]], Limits], Any]
    Series = Callable[..., tuple[Profile, list[Verdict], list[bool]]]

pytestmark = pytest.mark.sandbox

LIMITS = Limits(cpu_s=1.0, cpu_total_s=4.0)
PLAIN = "def check(c):\n    assert c(1) == 2\n    assert c(41) == 42\n"
RIGHT = "def f(x):\n    return x + 1\n"
WRONG = "def f(x):\n    return x\n"


@pytest.fixture
def in_series(in_slot: InSlot) -> Series:
    """Gives the profile, the verdicts in order, and after each whether its judge was kept."""
    return lambda tests, reference, *sources: in_slot(_series(tests, reference, *sources), LIMITS)


def _series(tests: str, reference: str, *sources: str) -> Callable[[Slot], Awaitable[Any]]:
    problem = Problem(
        id="p", prompt="", entry_point="f", tests=CheckFunction(code=tests, function="check"), reference=reference
    )

    async def work(slot: Slot) -> tuple[Profile, list[Verdict], list[bool]]:
        known = await profile(slot, problem, LIMITS)
        assert known is not None
        verdicts, kept = [], []
        for source in sources:
            verdicts.append((await judge(slot, problem, source, LIMITS, known)).verdict)
            kept.append(slot.lanes.bound is not None)
        return known, verdicts, kept

    return work


def test_judge_is_kept_while_samples_pass(in_series: Series) -> None:
    """After a pass it judges on; after anything else there is another one."""
    sources = [RIGHT, RIGHT + "#\n", WRONG, RIGHT, "import os\ndef f(x): os._exit(0)\n", RIGHT]
    known, verdicts, kept = in_series(PLAIN, RIGHT, *sources)
    assert known.lasting
    expected = ["passed", "passed", "wrong_answer", "passed", "early_exit", "passed"]
    assert expected == [verdict.outcome for verdict in verdicts]
    assert [True, True, False, True, False, True] == kept


@pytest.mark.parametrize(
    ("tests", "lasting"),
    [
        (PLAIN, True),
        ("import math, random\n" + PLAIN, True),
        ("import decimal\n" + PLAIN, False),
        ("import math\ndef check(c):\n    math.pi = 3\n    assert c(1) == 2\n", False),
        ("def check(c):\n    check.seen = c(1)\n    assert check.seen == 2\n", False),
        ("def check(c):\n    assert eval(str(c(1))) == 2\n", False),
        ("import pickle\n" + PLAIN, False),
    ],
)
def test_tests_that_leave_something_behind_have_a_judge_for_each_sample(
    in_series: Series, tests: str, lasting: object
) -> None:
    """Modules with a state, attributes that are set, and tests that act on values."""
    known, verdicts, kept = in_series(tests, RIGHT, RIGHT, RIGHT)
    assert (lasting, [lasting] * 2) == (known.lasting, kept)
    assert ["passed", "passed"] == [verdict.outcome for verdict in verdicts]


@pytest.mark.parametrize(
    "first",
    [
        "def f(x, seen=[]):\n    seen.append(x)\n    return x + 1\n",
        "import threading as t\ndef f(x):\n    t.Thread(target=t.Event().wait).start()\n    return x + 1\n",
        "import random\nrandom.seed(7)\ndef f(x):\n    random.random()\n    return x + 1\n",
        "import builtins\nbuiltins.abs = lambda x: 0\ndef f(x):\n    return x + 1\n",
    ],
)
def test_wrong_sample_after_a_right_one_fails(in_series: Series, first: str) -> None:
    """Nothing that a passing sample does helps the next one before the same judge."""
    _, verdicts, _ = in_series(PLAIN, RIGHT, first, WRONG, first, "def f(x):\n    return 2\n")
    expected = ["passed", "wrong_answer", "passed", "wrong_answer"]
    assert expected == [verdict.outcome for verdict in verdicts]


def test_every_sample_gets_the_same_random_inputs(in_series: Series) -> None:
    """The state of random is put back between samples."""
    tests = "import random\ndef check(c):\n    x = random.random()\n    assert c(x) == x\n"
    echo = "def f(x):\n    return x\n"
    source = "import random\nrandom.seed(0)\nV = random.random()\ndef f(x):\n    return x * (x == V)\n"
    _, verdicts, kept = in_series(tests, echo, source, source + "#\n", source + "##\n")
    assert ["passed"] * 3 == [verdict.outcome for verdict in verdicts]
    assert [True] * 3 == kept


def test_changed_arguments_and_kept_objects_end_the_series(in_series: Series) -> None:
    """A sample that changes its arguments, or keeps a container that crossed, ends its judge."""
    tests = "def check(c):\n    xs = [3, 1]\n    assert c(xs) == [1, 3]\n    assert c([2]) == [2]\n"
    pure = "def f(xs):\n    return sorted(xs)\n"
    keeps = "K = []\ndef f(xs):\n    K.append(xs)\n    return sorted(xs)\n"
    _, verdicts, kept = in_series(tests, pure, pure, keeps, pure)
    assert ["passed"] * 3 == [verdict.outcome for verdict in verdicts]
    assert [True, False, True] == kept


def test_a_judge_serves_so_many_samples_at_most(in_series: Series) -> None:
    """Then it is replaced, and the verdicts stay the same."""
    sources = [f"{RIGHT}# {i}\n" for i in range(70)]
    _, verdicts, kept = in_series(PLAIN, RIGHT, *sources)
    assert [Outcome.PASSED] * 70 == [verdict.outcome for verdict in verdicts]
    assert [i for i, is_kept in enumerate(kept) if not is_kept] == [63]


def test_judge_that_ended_between_samples_is_no_fault_of_the_next(in_slot: InSlot) -> None:
    """The next sample gets another judge."""
    problem = Problem(
        id="p", prompt="", entry_point="f", tests=CheckFunction(code=PLAIN, function="check"), reference=RIGHT
    )

    async def work(slot: Slot) -> list[Outcome]:
        known = await profile(slot, problem, LIMITS)
        outcomes = [(await judge(slot, problem, RIGHT, LIMITS, known)).verdict.outcome]
        assert slot.lanes.bound is not None
        assert slot.lanes.judges.child is not None
        slot.lanes.judges.child.kill()
        outcomes.append((await judge(slot, problem, RIGHT + "#", LIMITS, known)).verdict.outcome)
        return outcomes

    assert [Outcome.PASSED] * 2 == in_slot(work, LIMITS)


class _Kept:
    """A lane whose child is this process, which no cgroup counts."""

    group = None

    class child:  # noqa: N801 - an attribute's name
        """This process."""

        @staticmethod
        def pid() -> int:
            """Its number."""
            return os.getpid()


def test_a_judge_that_had_work_before_starts_from_zero() -> None:
    """Also where only the process's own clock tells: what it took for other samples is not this one's."""
    deadline = time.process_time() + 0.2
    while time.process_time() < deadline:
        pass
    clock = Clock(_Kept)  # type: ignore[arg-type] # what a clock asks of a lane
    assert time.process_time() > 0.2
    assert 0 <= clock.cpu_s() < 0.1
