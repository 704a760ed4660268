"""How many requests are under way: more while the server answers, fewer when it says that it is busy.

Additive increase, multiplicative decrease, as TCP's congestion avoidance has it (RFC 5681): one more for each
round of answers, half as many after a refusal. Refusals of requests that were sent before the last cut change
nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

START = 4
"""Requests under way at the beginning, at most."""


class Limiter:
    """Turns for requests.

    Args:
        most: Requests under way at most.
        clock: Seconds of a clock that never goes back.
        sleep: Waits for seconds.

    Attributes:
        limit: Requests that may be under way now; its whole part counts.
        active: Those that are.
    """

    def __init__(
        self,
        most: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.most, self.limit, self.active = most, float(min(most, START)), 0
        self._clock, self._sleep = clock, sleep
        self._paused_until = self._cut = self._answered = clock()
        self._opened = False
        self._changed = asyncio.Event()

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """A turn for one request; gives the time at which it began."""
        while True:
            wait = self._paused_until - self._clock()
            if wait > 0:
                await self._sleep(wait)
            elif self.active >= int(self.limit):
                await self._changed.wait()
            else:
                break
        self.active += 1
        try:
            yield self._clock()
        finally:
            self.active -= 1
            self._tell()

    def answered(self) -> None:
        """A request was answered."""
        self._answered = self._clock()
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._tell()

    def busy(self, began: float, retry_after: float | None) -> None:
        """The server refused a request that began then, and asks all to wait for these seconds."""
        now = self._clock()
        if began >= self._cut:
            self.limit, self._cut = max(1.0, self.limit / 2), now
        if not self._opened:
            self._paused_until = max(self._paused_until, now + (retry_after or 0.0))

    def open(self) -> None:
        """End the pause that the server asked for, and let there be no other: nothing more is sent."""
        self._opened, self._paused_until = True, self._clock()

    def silent_s(self) -> float:
        """Seconds since the last answer, or since the beginning."""
        return self._clock() - self._answered

    def _tell(self) -> None:
        """Wake all who wait for a turn."""
        self._changed.set()
        self._changed = asyncio.Event()
