"""One sample before one judge: hands both over, keeps the time, measures how they ended.

A slot is a lane for candidates and a lane for judges. The judge's report is only believed in what it saw; what the
host measures (limits, signals, memory, CPU) goes first.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import json
import os
import signal
import socket
import time
from pathlib import Path
from typing import Any

import msgspec

from codejury.model import CheckFunction, InfrastructureError, Limits, Outcome, TestResult, Tests
from codejury.sandbox import Ended, Lane, LaneLostError, Roles, Sandbox, readable

INSIDE = Path(__file__).parent / "inside"
ROLES = Roles(
    files=tuple(
        str(INSIDE / name)
        for name in (
            *("writing.py", "reading.py", "codec.py", "frames.py"),
            *("candidate.py", "instrument.py", "judge.py"),
        )
    ),
    modules={"candidate": "candidate", "judge": "judge"},
)
TICK_S = 0.05
GRACE_S = 0.5
MOST_REPORT_BYTES = 64 << 20


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a session needs.

    Attributes:
        source: The whole program.
        entry_point: The function that the tests call.
        tests: The tests.
        limits: Of this sample.
        all_tests: Run on after a failed test.
        apply: Carry changes of the arguments back into the tests.
        scan: Look for names by which the tests may act on values.
        skip: Positions of assertions to leave out, since they killed the candidate before.
        code: The tests as a former judge compiled them.
    """

    source: str
    entry_point: str
    tests: Tests
    limits: Limits
    all_tests: bool = False
    apply: bool = True
    scan: bool = False
    skip: tuple[int, ...] = ()
    code: str | None = None


class Report(msgspec.Struct, frozen=True):
    """The judge's last word, as `judge.py` sends it."""

    outcome: str
    detail: str
    calls: int
    finished: int
    changed: bool
    line: int
    killed: int
    acting: str | None


class Message(msgspec.Struct, frozen=True):
    """A frame of the judge."""

    tests: list[tuple[int, str, int]]
    end: Report | None = None
    code: str | None = None


class Observation(msgspec.Struct, kw_only=True):
    """What one session showed.

    Attributes:
        outcome: Measured by the host where it can, else the judge's; None for a fault of the problem.
        detail: One line for people.
        tests: Results in order; `skipped` marks those that were left out.
        calls, finished, changed, acting: See the judge's report.
        killed: Position of the assertion during which the candidate ended; -1 for none that can be left out.
        cpu_s, wall_s, peak_bytes: Measured by the host.
        waited_s: Seconds in which the candidate could have run but had no processor; None where unknown.
        code: The tests as the judge compiled them, where it was asked to look at them.
    """

    outcome: Outcome | None
    detail: str
    tests: list[TestResult | None]
    calls: int = 0
    finished: int = 0
    changed: bool = False
    acting: str | None = None
    killed: int = -1
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_bytes: int | None = None
    waited_s: float | None = None
    code: str | None = None


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


class Slot:
    """A place where samples are judged one after the other.

    It has two pairs of lanes that take turns: while a sample runs in one, the other makes its next processes.

    Args:
        sandbox: Where the lanes are.
        limits: The largest limits of any sample.
        cpu: The processor that its processes stay on; -1 for none.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits, cpu: int = -1) -> None:
        self.sandbox = sandbox
        self.pairs = [Pair(sandbox, limits, cpu), Pair(sandbox, limits, cpu)]

    def close(self) -> None:
        """Give up the lanes; ends what runs in them."""
        for pair in self.pairs:
            pair.close()

    async def observe(self, request: Request) -> Observation:
        """Judge one program once.

        Raises:
            InfrastructureError: The sandbox gives no lanes any more.
        """
        detail = ""
        for _ in range(2):
            self.pairs.reverse()
            pair = self.pairs[0]
            await pair.ready()
            kills = _kills(pair.candidates)
            try:
                return await Session(pair, request).run()
            except LaneLostError as lost:
                # A candidate cannot reach its lane; should it happen again with this one, it counts against it, so
                # that no program can leave the denominator.
                detail = str(lost)
                out_of_memory = _kills(pair.candidates) > kills
                pair.renew()
                if out_of_memory:
                    detail = "killed at the memory limit"
                    return Observation(outcome=Outcome.OUT_OF_MEMORY, detail=detail, tests=[])
            except BaseException:
                pair.close()  # what runs there ends; whoever comes next gets new lanes
                raise
        return Observation(outcome=Outcome.CRASHED, detail=f"its sandbox ended: {detail}", tests=[])


def _kills(lane: Lane) -> int:
    return lane.group.kills() if lane.group else 0


class Session:
    """One run of one program before one judge."""

    def __init__(self, pair: Pair, request: Request) -> None:
        self.pair, self.request, self.limits = pair, request, request.limits
        self.tests: list[TestResult | None] = []
        self.buffer = bytearray()
        self.over: tuple[Outcome, str] | None = None
        self.waited: float | None = None
        self.code: str | None = None
        self.messages = 0

    async def run(self) -> Observation:
        """Hand over, watch, end, conclude."""
        candidates, judges = self.pair.candidates, self.pair.judges
        refused, kills = self._counters(candidates)
        judge_kills = self._counters(judges)[1]
        self.clock, self.judge_clock = Clock(candidates), Clock(judges)
        self.begun = self.progress = time.monotonic()
        self.cpu_at_progress = self.judge_cpu_at_progress = 0.0
        sock = self._hand_over()
        try:
            report = await self._watch(sock)
        finally:
            sock.close()
        wall = time.monotonic() - self.begun
        alive = report is not None and report.outcome == "gone" and not self.over
        if alive and await candidates.ended(GRACE_S):
            alive = False
        judges.let_go()
        ended = await candidates.finish()
        cpu = self.clock.cpu_s() if self.clock.start is not None else ended.cpu_s
        if report is None:  # whether memory was the reason is known when it has ended
            await judges.finish()
        refused_now, kills_now = self._counters(candidates)
        facts = Facts(
            request=self.request,
            over=self.over,
            ended=ended,
            closed_pipe=alive,
            killed_for_memory=kills_now > kills,
            judge_killed_for_memory=self._counters(judges)[1] > judge_kills,
            refused_processes=refused_now > refused,
            cpu_s=cpu,
        )
        outcome, detail = facts.conclude(report)
        if outcome is not None and report is not None and report.outcome in ("gone", "") and self.over is None:
            self.tests.append(TestResult(report.line, outcome, 0.0))
        elif self.over is not None and report is not None:
            self.tests.append(TestResult(report.line, self.over[0], time.monotonic() - self.progress))
        return Observation(
            outcome=outcome,
            detail=detail,
            tests=self.tests,
            calls=report.calls if report else 0,
            finished=report.finished if report else 0,
            changed=report.changed if report else False,
            acting=report.acting if report else None,
            killed=report.killed if report and report.outcome == "gone" else -1,
            cpu_s=cpu,
            wall_s=wall,
            peak_bytes=ended.peak_bytes or None,
            waited_s=self.waited,
            code=self.code,
        )

    def _counters(self, lane: Lane) -> tuple[int, int]:
        return (lane.group.refused_processes(), lane.group.kills()) if lane.group else (0, 0)

    # ---- handing over

    def _hand_over(self) -> socket.socket:
        """Give the judge its job and the candidate's pipes."""
        candidate, judge = self.pair.candidates.child, self.pair.judges.child
        assert candidate is not None
        assert judge is not None
        sock = socket.socket(fileno=judge.fds[0])
        judge.fds = ()
        data = json.dumps(self._job()).encode()
        fds = candidate.fds
        candidate.fds = ()
        try:
            sock.setblocking(False)
            size = len(data).to_bytes(4, "little")
            sock.sendmsg([size], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
        except OSError as error:
            sock.close()
            raise LaneLostError(f"a judge ended before its work: {error}") from error
        finally:
            for fd in fds:
                os.close(fd)
        self.outgoing = memoryview(data)
        return sock

    def _job(self) -> dict[str, Any]:
        request, tests = self.request, self.request.tests
        payload: dict[str, Any] = {}
        if isinstance(tests, CheckFunction):
            payload["function"] = tests.function
        if request.code is None:
            code = tests.code if isinstance(tests, CheckFunction) else list(tests.code)
            payload |= {"context": tests.context, "code": code}
        return {
            "source": request.source,
            "entry": request.entry_point,
            "most": request.limits.value_bytes,
            "tests": payload,
            "code": request.code,
            "all": request.all_tests,
            "apply": request.apply,
            "scan": request.scan,
            "skip": list(request.skip),
        }

    # ---- watching

    async def _watch(self, sock: socket.socket) -> Report | None:
        """The judge's last word, or None if it ended without one."""
        loop = asyncio.get_running_loop()
        deadline: float | None = None
        while True:
            if self.outgoing:
                try:
                    self.outgoing = self.outgoing[sock.send(self.outgoing) :]
                except BlockingIOError:
                    await asyncio.sleep(0.001)
                except OSError:
                    self.outgoing = self.outgoing[:0]
                continue
            if await readable(sock.fileno(), TICK_S):
                try:
                    data = sock.recv(1 << 18)
                except OSError:
                    data = b""
                if not data:
                    return None
                report = self._take(data)
                if report is not None:
                    return report
                continue
            self._check_limits()
            if self.over:
                if deadline is None:
                    self._end_candidate()
                    deadline = loop.time() + GRACE_S
                elif loop.time() > deadline:
                    return None

    def _take(self, data: bytes) -> Report | None:
        """Frames of the judge."""
        self.buffer += data
        while len(self.buffer) >= 4:
            size = int.from_bytes(self.buffer[:4], "little")
            if size > MOST_REPORT_BYTES:
                raise LaneLostError("a judge announced a report over the limit")
            if len(self.buffer) < 4 + size:
                return None
            try:
                message = msgspec.json.decode(self.buffer[4 : 4 + size], type=Message)
            except msgspec.MsgspecError:
                return Report("rejected_value", "the judge's report is garbled", 0, 0, False, 0, -1, None)
            del self.buffer[: 4 + size]
            for line, name, us in message.tests:
                known = name in Outcome._value2member_map_
                self.tests.append(TestResult(line, Outcome(name), us / 1e6) if known else None)
            if self.messages == 0:  # said before the candidate could say anything
                self.code = message.code
            self.messages += 1
            self.progress = time.monotonic()
            if message.end is not None:
                return message.end
            self.cpu_at_progress, self.judge_cpu_at_progress = self.clock.cpu_s(), self.judge_clock.cpu_s()
        return None

    def _check_limits(self) -> None:
        """Set `over` where a limit of time is passed."""
        if self.over:
            return
        now, limits = time.monotonic(), self.limits
        cpu, judge_cpu = self.clock.cpu_s(), self.judge_clock.cpu_s()
        if cpu - self.cpu_at_progress > limits.cpu_s:
            self.over = Outcome.TIMEOUT_CPU, f"more than {limits.cpu_s:g} s of CPU in one test"
        elif judge_cpu - self.judge_cpu_at_progress > limits.cpu_s:
            self.over = (
                Outcome.TIMEOUT_CPU,
                f"more than {limits.cpu_s:g} s of CPU to compare its values in one test",
            )
        elif cpu + judge_cpu > limits.cpu_total_s:
            self.over = Outcome.TIMEOUT_CPU, f"more than {limits.cpu_total_s:g} s of CPU in all"
        elif now - self.progress > limits.wall_s:
            self.over = Outcome.TIMEOUT_WALL, f"more than {limits.wall_s:g} s in one test"
        elif now - self.begun > limits.wall_total_s:
            self.over = Outcome.TIMEOUT_WALL, f"more than {limits.wall_total_s:g} s in all"

    def _end_candidate(self) -> None:
        """Kill the candidate; the judge then sees the end of its pipe and reports."""
        self.waited = self.clock.waited_s()
        if self.pair.candidates.child is not None:
            self.pair.candidates.child.kill()


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What the host measured of one session."""

    request: Request
    over: tuple[Outcome, str] | None
    ended: Ended
    closed_pipe: bool
    killed_for_memory: bool
    judge_killed_for_memory: bool
    refused_processes: bool
    cpu_s: float

    def conclude(self, report: Report | None) -> tuple[Outcome | None, str]:
        """Outcome (None: the problem's fault) and detail."""
        if self.over:
            return self.over
        if report is None:
            return self._judge_ended()
        if report.outcome == "gone":
            return self._gone()
        if report.outcome == "problem":
            return None, report.detail
        try:
            outcome = Outcome(report.outcome)
        except ValueError:
            return Outcome.REJECTED_VALUE, "the judge's report is garbled"
        if outcome in (Outcome.INFRA_ERROR, Outcome.MISSING):
            return Outcome.REJECTED_VALUE, "the judge's report is garbled"
        if outcome is not Outcome.PASSED:
            if self.killed_for_memory or (report.detail.startswith("MemoryError") and self._large()):
                return Outcome.OUT_OF_MEMORY, report.detail
            if self.refused_processes and outcome is Outcome.EXCEPTION:
                return Outcome.PROCESS_LIMIT, report.detail
        return outcome, report.detail

    def _large(self) -> bool:
        return self.ended.peak_bytes > self.request.limits.memory_bytes // 2

    def _judge_ended(self) -> tuple[Outcome, str]:
        """The judge ended without a word: on the values that it was given."""
        if self.judge_killed_for_memory:
            return Outcome.OUT_OF_MEMORY, "its values took more memory than the limit to compare"
        return Outcome.REJECTED_VALUE, "its values ended the judge"

    def _gone(self) -> tuple[Outcome, str]:
        """The candidate ended, or closed its pipe, before it had answered."""
        if self.closed_pipe:
            return Outcome.TAMPERED, "closed its pipe to the judge"
        status = self.ended.status
        if status is None or self.killed_for_memory:
            return Outcome.OUT_OF_MEMORY, "killed at the memory limit"
        if os.WIFEXITED(status):
            return Outcome.EARLY_EXIT, f"exit code {os.WEXITSTATUS(status)}"
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU or (number == signal.SIGKILL and self.cpu_s > self.request.limits.cpu_total_s):
            return Outcome.TIMEOUT_CPU, f"more than {self.request.limits.cpu_total_s:g} s of CPU in all"
        if number == signal.SIGKILL and self._large():
            return Outcome.OUT_OF_MEMORY, "killed at the memory limit"
        return Outcome.CRASHED, f"signal {number}"
