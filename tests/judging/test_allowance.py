"""Limits that follow what the reference takes: the rule, and what a reference is timed with."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from codejury.judging import ROLES, Profile, Slot, judge, profile, raised
from codejury.judging.allowance import of_reference
from codejury.model import Assertions, Limits, Outcome, Problem
from codejury.sandbox import Sandbox, Settings, describe

LIMITS = Limits(cpu_s=2.0, cpu_total_s=10.0, wall_factor=3.0, wall_extra_s=1.0)


def showed(slowest_s: float, all_s: float, outcome: Outcome = Outcome.PASSED) -> Profile:
    """A profile with these CPU seconds."""
    return Profile(outcome=outcome, slowest_cpu_s=slowest_s, all_cpu_s=all_s)


@pytest.mark.parametrize(
    ("slowest", "total", "cpu_s", "cpu_total_s"),
    [
        (0.0, 0.0, 2.0, 10.0),
        (0.5, 2.5, 2.0, 10.0),
        (0.75, 1.0, 3.0, 10.0),
        (0.1, 4.0, 2.0, 16.0),
        (3.0, 9.0, 12.0, 36.0),
    ],
)
def test_four_times_the_reference(slowest: float, total: float, cpu_s: float, cpu_total_s: float) -> None:
    """Each limit is what was asked for, or four times the reference's; wall limits follow by the formula."""
    found = raised(LIMITS, showed(slowest, total))
    assert (cpu_s, cpu_total_s) == (found.cpu_s, found.cpu_total_s)
    assert (3 * cpu_s + 1, 3 * cpu_total_s + 1) == (found.wall_s, found.wall_total_s)
    assert LIMITS == msgspec.structs.replace(found, cpu_s=LIMITS.cpu_s, cpu_total_s=LIMITS.cpu_total_s)


def test_no_reference_raises_nothing() -> None:
    """Nor does one that fails: what it took says nothing of a right answer."""
    assert LIMITS is raised(LIMITS, None)
    assert LIMITS is raised(LIMITS, showed(9.0, 9.0, Outcome.WRONG_ANSWER))


def test_a_reference_may_take_longer() -> None:
    """Four times, so that the limits of samples are at most sixteen times what was asked for."""
    found = of_reference(LIMITS)
    assert (8.0, 40.0) == (found.cpu_s, found.cpu_total_s)


SLOW = """
import time
def f(s):
    end = time.process_time() + s
    while time.process_time() < end: pass
    return s
"""


@pytest.mark.sandbox
def test_a_slow_reference_for_real(sandbox: str) -> None:
    """It takes longer than the limit, and passes; a sample twice as slow does, one nine times as slow does not."""
    limits = Limits(cpu_s=0.25, cpu_total_s=4.0, wall_factor=40.0)
    problem = Problem(
        id="p",
        prompt="",
        entry_point="f",
        tests=Assertions(code=("assert f(0.01) == 0.01", "assert f(0.5) == 0.5")),
        reference=SLOW,
    )

    async def run() -> tuple[Profile, list[Outcome]]:
        async with Sandbox(Settings(interpreter=describe(), limits=limits, tier=sandbox), ROLES) as opened:
            slot = Slot(opened, limits)
            known = await profile(slot, problem, limits)
            assert known is not None
            own = raised(limits, known)
            texts = (SLOW.replace("+ s", "+ 2 * s"), SLOW.replace("+ s", "+ 9 * s"))
            outcomes = [(await judge(slot, problem, text, own, known)).verdict.outcome for text in texts]
            slot.close()
            return known, outcomes

    known, outcomes = asyncio.run(run())
    assert Outcome.PASSED is known.outcome
    assert 0.5 <= known.slowest_cpu_s <= known.all_cpu_s
    assert [Outcome.PASSED, Outcome.TIMEOUT_CPU] == outcomes
