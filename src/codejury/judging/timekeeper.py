"""The time of one session: its limits, and the time in which nobody looked at it.

CPU time is the kernel's count. Wall time is a clock's, which goes on while the whole container is paused, while a
shell has stopped the controller, and while the controller waits for a locked store. Time in which the controller
itself did not run is therefore not held against a sample: nobody knows whether the sample could run in it. Where a
limit would have been passed with that time and was not without it, the session proves nothing, and is repeated.

Nor is time in which a sample was ready to run and others had the processors, up to a bound. The kernel counts it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from codejury.model import Limits, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

TICK_S = 0.05
"""Seconds after which a session is looked at again, at the latest, while its controller runs."""

LATE_S = 0.5
"""A look that comes later than this after a tick means that the controller did not run."""


MOST_WAITED = 4.0
"""Waiting for a processor lengthens a limit of wall time by so many times that limit at most."""

LONG_S = 0.1
"""A sample that takes no longer has waited no longer, so that it is not asked at each test how long it has."""


class Meter(Protocol):
    """Counts CPU time."""

    def cpu_s(self) -> float:
        """CPU seconds since the child got its work."""

    def waited_s(self) -> float | None:
        """Seconds in all that it was ready but had no processor; None where that is not known."""


class Timekeeper:
    """Times one session, from its making on. All wall times are of the last look: nothing is over unseen.

    Args:
        limits: Of the sample.
        candidate: CPU time of the candidate.
        judge: CPU time of the judge, for this sample.
        now: Seconds of a clock that never goes back.

    Attributes:
        slowest_cpu_s: The most CPU seconds between two reports, of candidate or judge: no test took more.
        unsure: A limit may have been passed while nobody looked: whether it was, is not known.
    """

    def __init__(
        self, limits: Limits, candidate: Meter, judge: Meter, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits, self.candidate, self.judge, self.now = limits, candidate, judge, now
        self.begun = self.progress = self.looked = now()
        self.cpu_at_progress = self.judge_cpu_at_progress = 0.0
        self.slowest_cpu_s = self.waited_at_progress = 0.0
        self.unsure = False

    def look(self) -> float:
        """Note that the session is looked at, before what came meanwhile is read; to be called at each tick.

        Returns:
            Seconds in which nobody looked although somebody should have: 0 while the controller runs.
        """
        now = self.now()
        late = now - self.looked - TICK_S
        self.looked = now
        if late <= LATE_S:
            return 0.0
        self.unsure = self.unsure or self.over() is not None
        self.begun += late
        self.progress += late
        return late

    def progressed(self) -> float:
        """A test has ended: the limits of one begin anew.

        Returns:
            CPU seconds of the candidate since the report before.
        """
        self.progress = self.looked
        if self.looked - self.begun > LONG_S:
            self.waited_at_progress = self._waited_s()
        cpu, judge_cpu = self.candidate.cpu_s(), self.judge.cpu_s()
        spent = cpu - self.cpu_at_progress
        self.slowest_cpu_s = max(self.slowest_cpu_s, spent, judge_cpu - self.judge_cpu_at_progress)
        self.cpu_at_progress, self.judge_cpu_at_progress = cpu, judge_cpu
        return spent

    def wall_s(self) -> float:
        """Seconds since the beginning in which somebody looked."""
        return self.looked - self.begun

    def in_test_s(self, wall_s: float) -> float:
        """Of the first `wall_s` seconds, those since the last test that is known to have ended."""
        return max(self.begun + wall_s - self.progress, 0.0)

    def over(self) -> tuple[Outcome, str] | None:
        """Which limit of time is passed, with a line for people; None if none is."""
        now, limits = self.looked, self.limits
        cpu, judge_cpu = self.candidate.cpu_s(), self.judge.cpu_s()
        if cpu - self.cpu_at_progress > limits.cpu_s:
            return Outcome.TIMEOUT_CPU, f"more than {limits.cpu_s:g} s of CPU in one test"
        if judge_cpu - self.judge_cpu_at_progress > limits.cpu_s:
            return Outcome.TIMEOUT_CPU, f"more than {limits.cpu_s:g} s of CPU to compare its values in one test"
        if cpu + judge_cpu > limits.cpu_total_s:
            return Outcome.TIMEOUT_CPU, f"more than {limits.cpu_total_s:g} s of CPU in all"
        if self._exceeds(now - self.progress, limits.wall_s, self.waited_at_progress):
            return Outcome.TIMEOUT_WALL, f"more than {limits.wall_s:g} s in one test"
        if self._exceeds(now - self.begun, limits.wall_total_s, 0.0):
            return Outcome.TIMEOUT_WALL, f"more than {limits.wall_total_s:g} s in all"
        return None

    def _exceeds(self, seconds: float, limit: float, waited_before: float) -> bool:
        """Whether wall time is over a limit, also without what was waited for a processor meanwhile."""
        if seconds <= limit:
            return False
        return seconds - min(self._waited_s() - waited_before, MOST_WAITED * limit) > limit

    def _waited_s(self) -> float:
        """What candidate and judge, which take turns, have waited for a processor."""
        return (self.candidate.waited_s() or 0.0) + (self.judge.waited_s() or 0.0)
