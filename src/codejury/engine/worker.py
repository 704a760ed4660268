"""The engine of one machine behind a pair of pipes: what runs inside a container.

Run as `python -I -m codejury.engine.worker`: `wire` says what goes in by standard input and comes out by standard
output. It ends when its standard input does, so that nothing outlives whoever started it.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import sys
import threading
import traceback
from typing import TYPE_CHECKING, TypeVar

import msgspec

from codejury.engine.local import LocalEngine, usable_cores
from codejury.engine.wire import (
    Begin,
    Cancel,
    Channel,
    End,
    Finished,
    Forget,
    FrameError,
    Greeting,
    Hold,
    Judgment,
    Known,
    Measure,
    More,
    Ready,
    Refused,
    Setup,
    Shown,
    Source,
    ToWorker,
    Work,
    read_to_worker,
)
from codejury.model import CodejuryError, InfrastructureError, Job, Machine, TierUnavailable, UsageError
from codejury.sandbox import choose_tier, describe

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine

    from codejury.judging import Profile
    from codejury.model import Limits, Problem

Held = TypeVar("Held")

LINGER_S = 10.0
"""Seconds after the end of the input in which a worker may clear up; then it ends as it is."""


def main() -> None:
    """Serve standard input; exit status 0 when it ends, 1 for rubbish on it."""
    incoming, outgoing = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a device
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # whatever else writes to standard output must not break a frame
    try:
        asyncio.run(_serve(incoming, outgoing))
    except (BrokenPipeError, ConnectionResetError):
        pass  # whoever started this is gone
    except (FrameError, msgspec.MsgspecError) as error:
        sys.stderr.write(f"codejury worker: {error}\n")
        sys.exit(1)


async def _serve(incoming: int, outgoing: int) -> None:
    channel = await Channel.open(io.FileIO(incoming, "rb"), io.FileIO(outgoing, "wb"))
    try:
        await channel.send(Greeting.here())
        frame = await channel.receive()
        if frame is None:
            return
        setup = read_to_worker(frame)
        if not isinstance(setup, Setup):
            raise FrameError(f"a setup comes first, not {type(setup).__name__}")
        try:
            worker = _Worker(channel, setup)
            async with worker.engine:
                await channel.send(worker.ready())
                await worker.work()
                _end_soon()
        except CodejuryError as error:
            await channel.send(_refusal(error))
    finally:
        await channel.close()


def _end_soon() -> None:
    """End this process in a while, whatever still hangs in it."""
    timer = threading.Timer(LINGER_S, os._exit, (1,))
    timer.daemon = True
    timer.start()


def _refusal(error: CodejuryError) -> Refused:
    if isinstance(error, TierUnavailable):
        return Refused(kind="tier", message=error.reason, layer=error.layer)
    return Refused(kind="usage" if isinstance(error, UsageError) else "infrastructure", message=str(error))


class _Held:
    """`model.Library` of what the controller sent."""

    def __init__(self) -> None:
        self.problems: dict[str, Problem] = {}
        self.programs: dict[str, str] = {}

    def problem(self, problem_hash: str) -> Problem:
        """The problem with this hash."""
        return _found(self.problems, problem_hash, "problem")

    def program(self, program_hash: str) -> str:
        """The program with this hash."""
        return _found(self.programs, program_hash, "program")


def _found(held: dict[str, Held], digest: str, kind: str) -> Held:
    if digest not in held:
        raise InfrastructureError(f"the {kind} {digest} was not sent as it is")
    return held[digest]


class _Worker:
    """An engine, and the round that it is in.

    Raises:
        CodejuryError: The interpreter, a package or isolation cannot be had.
    """

    def __init__(self, channel: Channel, setup: Setup) -> None:
        self.channel, self.library = channel, _Held()
        found, interpreter = choose_tier(), describe(setup.python)
        interpreter.find_packages(setup.packages)
        wanted = [name for name in setup.optional if name not in setup.packages]
        self.note, self.packages = found.note, (*setup.packages, *filter(interpreter.has_package, wanted))
        self.engine = LocalEngine(
            self.library,
            limits=setup.limits,
            interpreter=interpreter,
            slots=setup.slots or min(usable_cores(), setup.most_slots),
            packages=self.packages,
            tier=found.tier,
        )
        self.inbox: asyncio.Queue[Job | None] = asyncio.Queue()
        self.profiles: dict[str, Profile | None] = {}
        self.task: asyncio.Task[None] | None = None

    def ready(self) -> Ready:
        """What the controller must know of this place."""
        return Ready(
            tier=self.engine.tier,
            note=self.note,
            interpreter=self.engine.interpreter,
            machine=Machine.here(),
            slots=self.engine.width,
            packages=self.packages,
        )

    async def work(self) -> None:
        """Do as the controller says, until it says no more."""
        try:
            while (frame := await self.channel.receive()) is not None:
                await self._obey(read_to_worker(frame))
        finally:
            await self._give_up()

    async def _obey(self, message: ToWorker) -> None:
        match message:
            case Measure(round=number):
                await self._begin(number, self._measure(message))
            case Begin(round=number):
                self.inbox, self.profiles = asyncio.Queue(), {}
                self.engine.profiles = self.profiles
                await self._begin(number, self._judge(number, self.inbox))
            case Cancel():
                await self._give_up()
                self.library.programs.clear()
            case Setup():
                raise FrameError("a second setup")
            case _:
                self._take(message)

    def _take(self, message: Hold | Source | Forget | Known | Work | End) -> None:
        match message:
            case Hold(problem=problem):
                self.library.problems[problem.hash] = problem
            case Source(program_hash=digest, text=text):
                self.library.programs[digest] = text.decode("utf-8", "surrogatepass")
            case Forget(program_hash=digest):
                self.library.programs.pop(digest, None)
            case Known(problem_hash=digest, profile=profile):
                self.profiles[digest] = profile
            case Work(job=job):
                self.inbox.put_nowait(job)
            case End():
                self.inbox.put_nowait(None)

    async def _begin(self, number: int, work: Coroutine[None, None, None]) -> None:
        await self._give_up()
        self.task = asyncio.create_task(self._round(number, work))

    async def _give_up(self) -> None:
        """End the present round."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)
            self.task = None

    async def _round(self, number: int, work: Coroutine[None, None, None]) -> None:
        error = None
        try:
            await work
        except OSError:
            return  # nobody listens any more: the input ends, too
        except CodejuryError as failure:
            error = str(failure)
        except Exception as failure:  # noqa: BLE001 - told to the controller, which raises it
            traceback.print_exception(failure)
            error = f"{type(failure).__name__}: {failure}"
        with contextlib.suppress(OSError):
            await self.channel.send(Finished(round=number, error=error))

    async def _measure(self, asked: Measure) -> None:
        todo: list[tuple[Problem, Limits]] = [
            (self.library.problem(digest), limits) for digest, limits in asked.items
        ]
        async with contextlib.aclosing(
            self.engine.profile(todo, all_tests=asked.all_tests, confirm=asked.confirm)
        ) as profiles:
            async for problem, profile in profiles:
                await self.channel.send(Shown(round=asked.round, problem_hash=problem.hash, profile=profile))

    async def _judge(self, number: int, inbox: asyncio.Queue[Job | None]) -> None:
        async def jobs() -> AsyncGenerator[Job, None]:
            while (job := await inbox.get()) is not None:
                await self.channel.send(More(round=number))
                yield job

        async with contextlib.aclosing(self.engine.submit(jobs())) as results:
            async for judged in results:
                answer = Judgment(round=number, number=int(judged.job.key), verdict=judged.verdict)
                await self.channel.send(answer)


if __name__ == "__main__":
    main()
