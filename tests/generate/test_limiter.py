"""How many requests are under way."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.generate import Limiter


class Time:
    """A clock that goes only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def clock(self) -> float:
        """The time."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Be there at once."""
        self.now += seconds


def test_it_grows_by_one_a_round_up_to_the_most() -> None:
    """As many answers as there are turns add one turn."""
    limiter = Limiter(6)
    assert 4.0 == limiter.limit
    for _ in range(4):
        limiter.answered()
    assert 4.9 < limiter.limit <= 5.0
    for _ in range(100):
        limiter.answered()
    assert 6.0 == limiter.limit


def test_a_refusal_halves_it_once_and_never_below_one() -> None:
    """Requests that began before the cut were sent under the old limit: their refusals say nothing new."""
    time = Time()
    limiter = Limiter(8, clock=time.clock, sleep=time.sleep)
    began = time.clock()
    time.now += 1
    for _ in range(3):
        limiter.busy(began, None)
    assert 2.0 == limiter.limit
    for _ in range(5):
        time.now += 1
        limiter.busy(time.clock(), None)
    assert 1.0 == limiter.limit


async def test_nobody_has_a_turn_before_the_server_wants_it() -> None:
    """A pause that one request is told is everybody's; a shorter one does not end a longer one."""
    time = Time()
    limiter = Limiter(8, clock=time.clock, sleep=time.sleep)
    limiter.busy(time.clock(), 30.0)
    limiter.busy(time.clock(), 5.0)
    async with limiter.turn() as began:
        assert 130.0 == began
    assert 30.0 == limiter.silent_s()
    limiter.answered()
    assert 0.0 == limiter.silent_s()


async def test_it_can_be_opened_for_good() -> None:
    """Who waited has a turn at once, and a later refusal closes it no more."""
    time = Time()
    limiter = Limiter(8, clock=time.clock, sleep=time.sleep)
    limiter.busy(time.clock(), 30.0)
    limiter.open()
    limiter.busy(time.clock(), 60.0)
    async with limiter.turn() as began:
        assert 100.0 == began


async def test_turns_are_as_many_as_the_limit() -> None:
    """Who comes too much waits until another is done."""
    limiter = Limiter(3)
    async with AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(limiter.turn())
        async with limiter.turn():
            assert 3 == limiter.active
            waiting = asyncio.create_task(stack.enter_async_context(limiter.turn()))
            for _ in range(5):
                await asyncio.sleep(0)
            assert not waiting.done()
        await waiting
        assert 3 == limiter.active
    assert 0 == limiter.active


async def test_a_waiting_turn_can_be_cancelled() -> None:
    """Nobody is counted who has no turn."""
    limiter = Limiter(1)
    async with limiter.turn():
        waiting = asyncio.create_task(limiter.turn().__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert 0 == limiter.active


@given(st.lists(st.booleans()), st.integers(1, 64))
def test_it_stays_between_one_and_the_most(answers: list[bool], most: int) -> None:
    """Whatever the server says."""
    time = Time()
    limiter = Limiter(most, clock=time.clock, sleep=time.sleep)
    for answered in answers:
        time.now += 1
        if answered:
            limiter.answered()
        else:
            limiter.busy(time.clock(), None)
        assert 1.0 <= limiter.limit <= most
