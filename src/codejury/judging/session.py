"""One sample before one judge: hands both over, keeps the time, measures how they ended.

A slot is a lane for candidates and a lane for judges. The judge's report is only believed in what it saw; what the
host measures (limits, signals, memory, CPU) goes first.
"""

from __future__ import annotations

import array
import asyncio
import json
import os
import socket
from pathlib import Path
from typing import Any

import msgspec

from codejury.judging.conclusion import KILLED_FOR_MEMORY, Facts
from codejury.judging.kinds import payload
from codejury.judging.lanes import Bound, Clock, Lanes
from codejury.judging.records import Edit, Message, Observation, Report, Request
from codejury.judging.timekeeper import TICK_S, Timekeeper
from codejury.model import Limits, Outcome, TestResult
from codejury.sandbox import Lane, LaneLostError, Roles, Sandbox, address_bytes, readable

INSIDE = Path(__file__).parent / "inside"
ROLES = Roles(
    files=tuple(
        str(INSIDE / name)
        for name in (
            *("writing.py", "matches.py", "reading.py", "codec.py", "frames.py", "objects.py", "compare.py"),
            *("inputs.py", "candidate.py", "instrument.py", "checkers.py", "stdio.py", "recorder.py"),
            *("frameworks.py", "suites.py", "origins.py", "controls.py", "observing.py", "outside.py"),
            *("inprocess.py", "judge.py", "program.py", "script.py", "loaded.py"),
        )
    ),
    modules={"candidate": "candidate", "judge": "judge", "script": "script", "loaded": "loaded"},
)
GRACE_S = 0.5
SLOW_S = 0.02  # a test that takes longer is reported at once: `recorder.FLUSH_S`
MOST_REPORT_BYTES = 64 << 20
MOST_LOST = 2  # lanes that end under a sample before it counts against it
MOST_UNSURE = 3  # sessions that the controller was away from before the last one counts as it is


class Slot:
    """A place where samples are judged one after the other.

    Args:
        sandbox: Where the lanes are.
        limits: The largest limits of any sample.
        gate: Lets so many samples run at once; what is over makes place for the next while it is cleared away.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits, gate: asyncio.Semaphore | None = None) -> None:
        self.sandbox = sandbox
        self.gate = gate or asyncio.Semaphore(1)
        self.lanes = Lanes(sandbox, limits)

    def close(self) -> None:
        """Give up the lanes; ends what runs in them."""
        self.lanes.close()

    async def observe(self, request: Request) -> Observation:
        """Judge one program once.

        Raises:
            InfrastructureError: The sandbox gives no lanes any more.
        """
        detail, lanes = "", self.lanes
        lost = unsure = 0
        while lost < MOST_LOST:
            await lanes.ready(request.series, lanes.role_of(request))
            kills = _counters(lanes.candidates)[1]
            session = Session(lanes, request)
            try:
                seen = await session.run(self.gate)
            except LaneLostError as error:
                # A candidate cannot reach its lane; should it happen again with this one, it counts against it, so
                # that no program can leave the denominator.
                lost, detail = lost + 1, str(error)
                out_of_memory = _counters(lanes.candidates)[1] > kills
                lanes.renew()
                if out_of_memory:
                    detail = "killed at the memory limit"
                    return Observation(outcome=Outcome.OUT_OF_MEMORY, detail=detail, tests=[])
            except BaseException:
                lanes.close()  # what runs there ends; whoever comes next gets new lanes
                raise
            else:
                unsure += 1
                if session.sure or unsure >= MOST_UNSURE:
                    return seen
        return Observation(outcome=Outcome.CRASHED, detail=f"its sandbox ended: {detail}", tests=[])


class Session:
    """One run of one program before one judge."""

    def __init__(self, lanes: Lanes, request: Request) -> None:
        self.lanes, self.request, self.limits = lanes, request, request.limits
        self.tests: list[TestResult | None] = []
        self.buffer = bytearray()
        self.over: tuple[Outcome, str] | None = None
        self.waited: float | None = None
        self.code: str | None = None
        self.lasting = False
        self.expected: tuple[str, ...] | None = None
        self.observing: str | None = None
        self.controls: tuple[Edit, ...] = ()
        self.messages = 0
        self.last_cpu_s: float | None = None  # CPU of the candidate since the report before the last

    async def run(self, gate: asyncio.Semaphore) -> Observation:
        """Hand over, watch, end, conclude."""
        candidates, judges = self.lanes.candidates, self.lanes.judges
        refused, self.kills = _counters(candidates)
        judge_kills = _counters(judges)[1]
        async with gate:
            candidates.begin(self.limits.memory_bytes, self.limits.processes + self.lanes.shims)
            judges.begin(self.lanes.judge_limits.memory_bytes, self.lanes.judge_limits.processes)
            self.clock, self.judge_clock = Clock(candidates), Clock(judges)
            self.time = Timekeeper(self.limits, self.clock, self.judge_clock)
            bound = self._hand_over()
            kept = False
            try:
                report = await self._watch(bound.sock)
                kept = self._may_judge_on(report)
            finally:
                if not kept:
                    bound.sock.close()
        if report is None and bound.uses and self.over is None:  # it may have been worn out: ask another one
            raise LaneLostError("a judge that judged on has ended")
        wall = self.time.wall_s()
        alive = report is not None and report.outcome == "gone" and not self.over
        if alive and await _ends(candidates):
            alive = False
        judge_cpu = self.judge_clock.cpu_s()
        if kept:
            self.lanes.bind(bound, judge_cpu)
        else:
            judges.let_go()
        ended = await candidates.finish()
        cpu = self.clock.cpu_s() if self.clock.counted else ended.cpu_s
        if report is None:  # whether memory was the reason is known when it has ended
            await judges.finish()
        refused_now, kills_now = _counters(candidates)
        facts = Facts(
            request=self.request,
            over=self.over,
            ended=ended,
            closed_pipe=alive,
            killed_for_memory=kills_now > self.kills,
            judge_killed_for_memory=_counters(judges)[1] > judge_kills,
            refused_processes=refused_now > refused,
            cpu_s=cpu,
        )
        outcome, detail = facts.conclude(report)
        if outcome is not None and report is not None and report.line:  # of the test in which the candidate ended
            self.tests.append(TestResult(report.line, outcome, self.time.in_test_s(wall), self.last_cpu_s))
        elif outcome is not None and self.tests and not self.request.all_tests:
            last = self.tests[-1]
            if last is not None and last.outcome is not Outcome.PASSED:  # what was measured goes first here, too
                self.tests[-1] = msgspec.structs.replace(last, outcome=outcome)
        return Observation(
            outcome=outcome,
            detail=detail,
            tests=self.tests,
            calls=report.calls if report else 0,
            finished=report.finished if report else 0,
            changed=report.changed if report else False,
            acting=report.acting if report else None,
            objects=report.objects if report else False,
            killed=report.killed if report and report.outcome not in ("problem", "tampered") else -1,
            cpu_s=cpu,
            all_cpu_s=cpu + judge_cpu,
            slowest_cpu_s=self.time.slowest_cpu_s,
            wall_s=wall,
            peak_bytes=ended.peak_bytes or None,
            waited_s=self.waited,
            code=self.code,
            lasting=self.lasting,
            expected=self.expected,
            observing=self.observing,
            controls=self.controls,
        )

    def _may_judge_on(self, report: Report | None) -> bool:
        """Whether the judge may have the next sample of the series: after a pass, with nothing left open."""
        return (
            report is not None
            and report.again
            and report.outcome == "passed"
            and self.request.series is not None
            and self.over is None
            and not self.buffer
        )

    @property
    def sure(self) -> bool:
        """Whether what was seen is known: a limit that was passed is, whatever the controller missed."""
        return self.over is not None or not self.time.unsure

    # ---- handing over

    def _hand_over(self) -> Bound:
        """Give the judge its job and the candidate's pipes."""
        candidate, judge = self.lanes.candidates.child, self.lanes.judges.child
        assert candidate is not None
        assert judge is not None
        bound, self.lanes.bound = self.lanes.bound, None
        if bound is None:
            bound = Bound(socket.socket(fileno=judge.fds[0]), self.request.series)
            judge.fds = ()
        sock = bound.sock
        same = bound.uses > 0
        data = json.dumps(self._job(same=same)).encode()
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
        return bound

    def _job(self, *, same: bool) -> dict[str, Any]:
        """The job as the judge takes it; `same`: it has the code of these tests from the sample before."""
        request = self.request
        return {
            "source": request.source,
            "entry": request.entry_point,
            "most": request.limits.value_bytes,
            "limits": self._lower_limits(),
            "tests": payload(request, same=same),
            "code": None if same else request.code,
            "all": request.all_tests,
            "apply": request.apply,
            "scan": request.scan,
            "again": request.series is not None,
            "objects": request.objects,
            "skip": list(request.skip),
            "together": request.together,
            "edit": msgspec.to_builtins(request.edit),
            "controls": request.controls,
        }

    def _lower_limits(self) -> list[tuple[str, int]]:
        """What this sample's limits take away from those of its lane, which are the largest of the run."""
        own, most = self.limits, self.lanes.limits
        lower = [("CPU", int(own.cpu_total_s) + 2)]
        if own.memory_bytes < most.memory_bytes:
            lower.append(("AS", address_bytes(own.memory_bytes)))
        if own.file_bytes < most.file_bytes:
            lower.append(("FSIZE", own.file_bytes))
        processes = self.lanes.sandbox.process_limit(own.processes + self.lanes.shims)
        if own.processes < most.processes and processes:
            lower.append(("NPROC", processes))
        return lower

    # ---- watching

    async def _watch(self, sock: socket.socket) -> Report | None:
        """The judge's last word, or None if it ended without one."""
        loop = asyncio.get_running_loop()
        deadline: float | None = None
        while True:
            if self.outgoing:
                await self._send_more(sock)
                self.time.look()
                continue
            ready = await readable(sock.fileno(), TICK_S)
            away = self.time.look()
            if ready:
                data = _received(sock)
                if not data:
                    return None
                report = self._take(data)
                if report is not None:
                    return report
            self.over = self.over or self._over()  # also between reports, which may come faster than ticks
            if self.over:
                if deadline is None:
                    self._end_candidate()
                    deadline = loop.time() + GRACE_S
                else:
                    deadline += away
                if loop.time() > deadline:
                    return None

    def _over(self) -> tuple[Outcome, str] | None:
        """Which limit is passed; where memory was, a process may have been killed that others wait for."""
        if _counters(self.lanes.candidates)[1] > self.kills:
            return KILLED_FOR_MEMORY
        return self.time.over()

    async def _send_more(self, sock: socket.socket) -> None:
        """Send the rest of the job, as far as it can be taken at present."""
        try:
            self.outgoing = self.outgoing[sock.send(self.outgoing) :]
        except BlockingIOError:
            await asyncio.sleep(0.001)
        except OSError:
            self.outgoing = self.outgoing[:0]

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
            progress = self.time.progress
            cpu_s = self.time.progressed()
            self.tests += _results(message, cpu_s)
            if self.messages == 0:  # said before the candidate could say anything
                self.code, self.lasting = message.code, message.lasting
                self.observing, self.controls = message.observing, message.controls
            self.messages += 1
            self.last_cpu_s = cpu_s
            if message.end is not None:
                self.expected = message.expected
                self.time.progress = progress + sum(us for _, _, us in message.tests) / 1e6
                return message.end
        return None

    def _end_candidate(self) -> None:
        """Kill the candidate; the judge then sees the end of its pipe and reports."""
        self.waited = self.clock.waited_s()
        if self.lanes.candidates.child is not None:
            self.lanes.candidates.child.kill()


async def _ends(lane: Lane) -> bool:
    """Whether a lane's child ends by itself; asked tick by tick, so that it gets its time if all are stopped."""
    for _ in range(round(GRACE_S / TICK_S)):
        if await lane.ended(TICK_S):
            return True
    return False


def _results(message: Message, cpu_s: float) -> list[TestResult | None]:
    """Results of tests; `cpu_s` is what the candidate took since the report before.

    All tests of a report but its last took less than `SLOW_S` together.
    """
    found: list[TestResult | None] = []
    for place, (line, name, us) in enumerate(message.tests, 1):
        slow = place == len(message.tests) and us / 1e6 > SLOW_S
        known = name in Outcome._value2member_map_
        found.append(TestResult(line, Outcome(name), us / 1e6, cpu_s if slow else None) if known else None)
    return found


def _counters(lane: Lane) -> tuple[int, int]:
    """Processes that were refused, and killed for want of memory, in a lane so far."""
    return (lane.group.refused_processes(), lane.group.kills()) if lane.group else (0, 0)


def _received(sock: socket.socket) -> bytes:
    """What has arrived; nothing at the end of the stream."""
    try:
        return sock.recv(1 << 18)
    except OSError:
        return b""
