"""The lanes of a slot: a candidate's and a judge's, and the CPU time of what runs in one."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from codejury.model import InfrastructureError, Limits
from codejury.sandbox import Lane, LaneLostError, Sandbox


class Clock:
    """CPU time of a lane's present child: by its cgroup, else by the process's own clock."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.start = lane.group.cpu_s() if lane.group else None
        self.pid: int | None = None

    def cpu_s(self) -> float:
        """CPU seconds since the child got its work."""
        if self.start is not None and self.lane.group is not None:
            return (self.lane.group.cpu_s() or 0.0) - self.start
        if self.pid is None and self.lane.child is not None:
            self.pid = self.lane.child.pid()
        if self.pid is not None:
            with contextlib.suppress(OSError):
                return time.clock_gettime((~self.pid << 3) | 2)
        return 0.0

    def waited_s(self) -> float | None:
        """Seconds in which its threads were ready but had no processor."""
        pid = self.lane.child.pid() if self.lane.child is not None else None
        if pid is None:
            return None
        with contextlib.suppress(OSError, ValueError, IndexError):
            stats = [(task / "schedstat").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
            return sum(int(stat.split()[1]) for stat in stats) / 1e9
        return None


class Pair:
    """A lane for candidates and a lane for judges."""

    def __init__(self, sandbox: Sandbox, limits: Limits, cpu: int) -> None:
        self.sandbox, self.limits, self.cpu = sandbox, limits, cpu
        self.candidates = sandbox.lane("candidate", limits, cpu)
        self.judges = sandbox.lane("judge", limits, cpu)

    def close(self) -> None:
        """Give up the lanes; ends what runs in them."""
        self.candidates.close()
        self.judges.close()

    async def ready(self) -> None:
        """Have both lanes offer a child; replaces lanes that retired."""
        reason = ""
        for _ in range(3):
            try:
                await self.candidates.take()
                await self.judges.take()
            except (LaneLostError, OSError, ValueError) as error:  # a closed lane gives a ValueError
                reason = str(error)
                self.renew()
            else:
                return
        raise InfrastructureError(f"the sandbox gives no lanes: {reason}")

    def renew(self) -> None:
        """New lanes in the place of these."""
        self.close()
        try:
            self.candidates = self.sandbox.lane("candidate", self.limits, self.cpu)
            self.judges = self.sandbox.lane("judge", self.limits, self.cpu)
        except OSError as error:
            raise InfrastructureError(f"the sandbox ended: {error}") from error
