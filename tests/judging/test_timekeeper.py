"""Limits of time with clocks at hand: what is over, what is not held against a sample, and what is repeated."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.judging import Observation, Request, Slot, session
from codejury.judging.timekeeper import LATE_S, TICK_S, Timekeeper
from codejury.model import CheckFunction, Limits, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

LIMITS = Limits(cpu_s=1.0, cpu_total_s=3.0, wall_factor=3.0, wall_extra_s=1.0)  # wall: 4 s a test, 10 s in all


class Hand:
    """A clock, or a meter of CPU time, that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waited: float | None = None

    def cpu_s(self) -> float:
        """The seconds that were set."""
        return self.seconds

    def waited_s(self) -> float | None:
        """The seconds of waiting that were set."""
        return self.waited


class Bench:
    """A timekeeper with its clocks."""

    def __init__(self) -> None:
        self.wall, self.candidate, self.judge = Hand(), Hand(), Hand()
        self.wall.seconds = 1000.0
        self.time = Timekeeper(LIMITS, self.candidate, self.judge, self.wall.cpu_s)

    def watch(self, seconds: float) -> None:
        """Look at each tick for `seconds`."""
        for _ in range(round(seconds / TICK_S)):
            self.wall.seconds += TICK_S
            assert 0.0 == self.time.look()

    def away(self, seconds: float) -> float:
        """Look once, after a tick and `seconds` more."""
        self.wall.seconds += TICK_S + seconds
        return self.time.look()

    @property
    def outcome(self) -> Outcome | None:
        """Of the limit that is passed."""
        over = self.time.over()
        return over and over[0]


def test_wall_time_of_a_test() -> None:
    """It is over after the limit, not before; a test that ends begins it anew."""
    bench = Bench()
    bench.watch(3.9)
    assert bench.outcome is None
    bench.time.progressed()
    bench.watch(3.9)
    assert bench.outcome is None
    bench.watch(0.2)
    assert (Outcome.TIMEOUT_WALL, "more than 4 s in one test") == bench.time.over()
    assert not bench.time.unsure


def test_wall_time_in_all() -> None:
    """Tests that each keep to the limit of one may be over that of all."""
    bench = Bench()
    for _ in range(3):
        bench.watch(3.0)
        bench.time.progressed()
    assert bench.outcome is None
    bench.watch(1.2)
    assert (Outcome.TIMEOUT_WALL, "more than 10 s in all") == bench.time.over()


def test_cpu_time() -> None:
    """Candidate and judge are limited each in a test, and together in all."""
    bench = Bench()
    bench.candidate.seconds = 1.1
    assert (Outcome.TIMEOUT_CPU, "more than 1 s of CPU in one test") == bench.time.over()
    bench.time.progressed()
    assert bench.outcome is None
    bench.judge.seconds = 1.1
    assert (Outcome.TIMEOUT_CPU, "more than 1 s of CPU to compare its values in one test") == bench.time.over()
    bench.time.progressed()
    bench.judge.seconds = 2.0
    assert (Outcome.TIMEOUT_CPU, "more than 3 s of CPU in all") == bench.time.over()


def test_a_stopped_controller_is_no_timeout() -> None:
    """An hour in which nobody looked is not held against the sample, and what came of it is not known."""
    bench = Bench()
    bench.watch(1.0)
    assert pytest.approx(3600.0) == bench.away(3600.0)
    assert (None, True) == (bench.outcome, bench.time.unsure)
    assert pytest.approx(1.0 + TICK_S) == bench.time.wall_s()
    assert pytest.approx(0.5) == bench.time.in_test_s(0.5)


def test_what_is_left_of_the_limit_still_counts() -> None:
    """The limit is not begun anew by a stop: what was seen before it counts."""
    bench = Bench()
    bench.watch(3.0)
    bench.away(3600.0)
    bench.watch(0.8)
    assert bench.outcome is None
    bench.watch(0.2)
    assert Outcome.TIMEOUT_WALL is bench.outcome


def test_cpu_time_is_not_extended_by_a_stop() -> None:
    """The kernel counts CPU time, whoever looks: it is over as soon as somebody does."""
    bench = Bench()
    bench.candidate.seconds = 1.1
    bench.away(2.0)
    assert Outcome.TIMEOUT_CPU is bench.outcome


def test_test_that_ended_while_nobody_looked() -> None:
    """It may have taken more CPU time than it had: that is looked at before its end begins the limit anew."""
    bench = Bench()
    bench.candidate.seconds = 1.1
    bench.away(2.0)
    bench.time.progressed()
    assert (None, True) == (bench.outcome, bench.time.unsure)


def test_stop_within_the_limits_is_known() -> None:
    """A stop under which no limit can have been passed leaves no doubt."""
    bench = Bench()
    bench.watch(1.0)
    bench.away(2.0)
    bench.time.progressed()
    assert (None, False) == (bench.outcome, bench.time.unsure)


def test_late_ticks_of_a_busy_machine_count() -> None:
    """A look that is a little late is none that was missed."""
    bench = Bench()
    assert 0.0 == bench.away(0.9 * LATE_S)
    assert pytest.approx(TICK_S + 0.9 * LATE_S) == bench.time.wall_s()


@given(
    st.lists(st.tuples(st.sampled_from(["watch", "away", "ends"]), st.floats(0.0, 8.0)), max_size=30),
)
def test_time_adds_up(steps: list[tuple[str, float]]) -> None:
    """Time looked at and time not looked at are the whole; the limits are those of the former alone."""
    bench = Bench()
    watched = lost = since = 0.0
    for kind, seconds in steps:
        if kind == "watch":
            bench.watch(seconds)
            watched += round(seconds / TICK_S) * TICK_S
            since += round(seconds / TICK_S) * TICK_S
        elif kind == "away":
            missed = bench.away(seconds)
            lost += missed
            watched += TICK_S + seconds - missed
            since += TICK_S + seconds - missed
        else:
            bench.time.progressed()
            since = 0.0
        assert pytest.approx(watched) == bench.time.wall_s()
        assert pytest.approx(since) == bench.time.in_test_s(bench.time.wall_s())
    assert pytest.approx(1000.0 + watched + lost) == bench.wall.seconds
    expected = since > LIMITS.wall_s or watched > LIMITS.wall_total_s
    if not any(abs(value) < 1e-6 for value in (since - LIMITS.wall_s, watched - LIMITS.wall_total_s)):
        assert (Outcome.TIMEOUT_WALL if expected else None) == bench.outcome


# ---- what a slot does about it


def _observe(monkeypatch: pytest.MonkeyPatch, sure: Callable[[int], bool]) -> tuple[Observation, int]:
    """What a slot makes of sessions of which the i-th is sure or not, and how many it held."""
    held: list[int] = []

    class Stub:
        """A session that tells its number."""

        def __init__(self, *_: object) -> None:
            held.append(len(held))
            self.sure = sure(held[-1])

        async def run(self, _: object) -> Observation:
            """Its number as its detail."""
            return Observation(outcome=Outcome.PASSED, detail=str(held[-1]), tests=[])

    async def ready(*_: object) -> None:
        return

    monkeypatch.setattr(session, "Session", Stub)
    slot = Slot.__new__(Slot)
    lanes = SimpleNamespace(ready=ready, role_of=lambda _: "candidate", candidates=SimpleNamespace(group=None))
    slot.lanes, slot.gate = cast("Any", lanes), asyncio.Semaphore(1)
    request = Request(source="", entry_point="f", tests=CheckFunction(code=""), limits=LIMITS)
    return asyncio.run(slot.observe(request)), len(held)


def test_session_that_is_known_is_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is repeated without a reason."""
    seen, held = _observe(monkeypatch, lambda _: True)
    assert ("0", 1) == (seen.detail, held)


def test_session_that_is_not_known_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the next one shows counts."""
    seen, held = _observe(monkeypatch, lambda number: number == 1)
    assert ("1", 2) == (seen.detail, held)


def test_repeating_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stops again and again does not hold a sample for ever."""
    seen, held = _observe(monkeypatch, lambda _: False)
    assert (str(session.MOST_UNSURE - 1), session.MOST_UNSURE) == (seen.detail, held)


@pytest.mark.sandbox
async def test_sample_under_a_stopped_controller(
    monkeypatch: pytest.MonkeyPatch, open_slot: Callable[[Limits], AbstractAsyncContextManager[Slot]]
) -> None:
    """A right answer that is under way when the clock leaps by an hour passes, at its second try."""
    made: list[Timekeeper] = []

    def leaping(limits: Limits, candidate: Any, judge: Any) -> Timekeeper:
        calls: list[float] = []

        def now() -> float:
            calls.append(time.monotonic() + (3600.0 if first and len(calls) > 3 else 0.0))
            return calls[-1]

        first = not made
        made.append(Timekeeper(limits, candidate, judge, now))
        return made[-1]

    monkeypatch.setattr(session, "Timekeeper", leaping)
    source = "import time\ndef f():\n    time.sleep(0.5)\n    return 1\n"
    tests = CheckFunction(code="def check(c):\n    assert c() == 1\n")
    async with open_slot(LIMITS) as slot:
        seen = await slot.observe(Request(source=source, entry_point="f", tests=tests, limits=LIMITS))
    assert (Outcome.PASSED, [True, False]) == (seen.outcome, [keeper.unsure for keeper in made])


def test_slowest_test() -> None:
    """The most CPU time between two reports, whoever took it; what the candidate took is told at each."""
    bench, told = Bench(), []
    for candidate, judge in [(0.2, 0.1), (0.5, 0.1), (0.6, 0.9), (0.6, 1.0)]:
        bench.candidate.seconds, bench.judge.seconds = candidate, judge
        told.append(bench.time.progressed())
    assert pytest.approx([0.2, 0.3, 0.1, 0.0]) == told
    assert pytest.approx(0.8) == bench.time.slowest_cpu_s


def test_waiting_for_a_processor() -> None:
    """Is not held against a test, whoever of the two waited; what was waited in tests before does not count."""
    bench = Bench()
    bench.candidate.waited, bench.judge.waited = 1.5, None
    bench.watch(3.0)
    bench.time.progressed()
    bench.watch(4.1)
    seen = [bench.outcome]
    bench.candidate.waited = 2.0
    seen.append(bench.outcome)
    bench.watch(1.0)
    seen.append(bench.outcome)
    bench.judge.waited = 2.0
    seen.append(bench.outcome)
    assert [Outcome.TIMEOUT_WALL, None, Outcome.TIMEOUT_WALL, None] == seen


def test_waiting_has_a_bound() -> None:
    """A limit is lengthened by four times itself at most."""
    bench = Bench()
    bench.candidate.waited = 1000.0
    bench.time.waited_at_progress = 0.0
    bench.watch(19.9)
    assert bench.outcome is None
    bench.watch(0.2)
    assert (Outcome.TIMEOUT_WALL, "more than 4 s in one test") == bench.time.over()
