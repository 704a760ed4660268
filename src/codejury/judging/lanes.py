"""The lanes of a slot: candidates' and judges', and the CPU time of what runs in one."""

from __future__ import annotations

import contextlib
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from codejury.judging.kinds import role
from codejury.model import InfrastructureError, Limits
from codejury.sandbox import Lane, LaneLostError, Sandbox

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from codejury.judging.records import Request

JUDGE_BYTES = 512 << 20
"""Memory of a judge, at least: what its candidate may use says nothing of what comparing its values takes."""

SHIMS = {"candidate": 0, "loaded": 0, "script": 1}
"""Processes of ours beside the program's own, by the role that it plays."""


class Clock:
    """CPU time of a lane's present child: by its cgroup, else by the process's own clock."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.pid: int | None = None
        self.counted = lane.group is not None and lane.group.cpu_s() is not None  # by a cgroup
        self.start = self.latest = 0.0
        self.start = self.latest = self.cpu_s()  # a judge may have had work before

    def cpu_s(self) -> float:
        """CPU seconds since the child got its work."""
        if self.counted and self.lane.group is not None:
            return (self.lane.group.cpu_s() or 0.0) - self.start
        return self._process_s() - self.start

    def _process_s(self) -> float:
        """CPU seconds of the process alone, for want of a cgroup."""
        if self.pid is None and self.lane.child is not None:
            self.pid = self.lane.child.pid()
        if self.pid is not None:
            with contextlib.suppress(OSError):  # it has ended: what was seen last is the least that it took
                self.latest = time.clock_gettime((~self.pid << 3) | 2)
        return self.latest

    def waited_s(self) -> float | None:
        """Seconds of being ready without a processor: of its threads and its descendants' the most of one."""
        pid = self.lane.child.pid() if self.lane.child is not None else None
        if pid is None:
            return None
        with contextlib.suppress(OSError, ValueError, IndexError):
            tasks = [task for each in _family(pid) for task in Path(f"/proc/{each}/task").iterdir()]
            stats = [(task / "schedstat").read_text() for task in tasks]
            return max(int(stat.split()[1]) for stat in stats) / 1e9
        return None


def _imports(packages: tuple[str, ...]) -> Callable[[str], object] | None:
    """What finds an import of one of the packages in a program's text, in time linear in its length."""
    names = "|".join(re.escape(name) for name in packages)
    return re.compile(rf"\b(?:import|from)[ \t]+(?:[\w., \t]{{0,99}}\b)?(?:{names})\b").search if names else None


def _family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


class Bound:
    """A judge that has judged samples of a series, and may judge the next one of it.

    Args:
        sock: The host's end of its channel.
        series: See `Request.series`.
    """

    MOST = 64
    MOST_CPU_S = 4.0  # well below the judge's own limit of CPU time

    def __init__(self, sock: socket.socket, series: str | None) -> None:
        self.sock, self.series, self.uses, self.cpu_s = sock, series, 0, 0.0


class Lanes:
    """A slot's lanes: one for candidates and one for judges, and one for scripts once they are asked for.

    Attributes:
        candidates: The lane of the sample to come, whichever role it plays.
        shims: Processes of ours that the sample's run in, and that its own come on top of.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits) -> None:
        self.sandbox, self.limits = sandbox, limits
        self.judge_limits = msgspec.structs.replace(limits, memory_bytes=max(limits.memory_bytes, JUDGE_BYTES))
        self.bound: Bound | None = None
        self.role = "candidate"
        self.imports = _imports(sandbox.settings.packages)
        self._open()

    @property
    def candidates(self) -> Lane:
        """See the class."""
        return self.players[self.role]

    @property
    def shims(self) -> int:
        """See the class."""
        return SHIMS[self.role]

    def close(self) -> None:
        """Give up the lanes; ends what runs in them."""
        self.unbind()
        self.judges.close()
        for lane in self.players.values():
            lane.close()

    async def ready(self, series: str | None, role: str = "candidate") -> None:
        """Have a candidate and a judge ready; replaces lanes that retired.

        Args:
            series: The series of the sample to come: its last judge is kept if it may judge on.
            role: What the sample plays, see `role_of`.
        """
        self.role = role
        if self.bound is not None and (series is None or self.bound.series != series):
            self.unbind()
        reason = ""
        for _ in range(3):
            try:
                if role not in self.players:
                    self.players[role] = self._lane(role)
                await self.candidates.take()
                await self.judges.take()
            except (LaneLostError, OSError, ValueError) as error:  # a closed lane gives a ValueError
                reason = str(error)
                self.renew()
            else:
                return
        raise InfrastructureError(f"the sandbox gives no lanes: {reason}")

    def role_of(self, request: Request) -> str:
        """What a sample plays: "script", "candidate", or "loaded": a candidate that imports an installed package.

        A program that has itself taken for another by its text wins nothing: the roles differ in time alone.
        """
        part = role(request.tests)
        return "loaded" if part == "candidate" and self.imports and self.imports(request.source) else part

    def bind(self, bound: Bound, cpu_s: float) -> None:
        """Keep the present judge for the next sample of its series; `cpu_s` is what it took for this one."""
        bound.uses += 1
        bound.cpu_s += cpu_s
        self.bound = bound
        if bound.uses >= Bound.MOST or bound.cpu_s > Bound.MOST_CPU_S:
            self.unbind()

    def unbind(self) -> None:
        """Let the bound judge go."""
        if self.bound is not None:
            self.bound.sock.close()
            self.bound = None
            self.judges.let_go()

    def renew(self) -> None:
        """New lanes in the place of these."""
        self.close()
        try:
            self._open()
        except OSError as error:
            raise InfrastructureError(f"the sandbox ended: {error}") from error

    def _open(self) -> None:
        self.judges = self.sandbox.lane("judge", self.judge_limits)
        self.players = {"candidate": self._lane("candidate")}

    def _lane(self, role: str) -> Lane:
        shims = SHIMS[role]
        limits = msgspec.structs.replace(self.limits, processes=self.limits.processes + shims)
        return self.sandbox.lane(role, limits)
