"""An engine whose slots are in a container: it starts a worker there, sends it jobs, takes verdicts.

The worker is a `LocalEngine` with the strongest tier that the container gives. What it says is checked; a wrong or
missing answer is an InfrastructureError, never a verdict.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from typing import TYPE_CHECKING, Self

import msgspec

from codejury.engine import launch
from codejury.engine.conversation import Conversation, Round, line_of
from codejury.engine.local import usable_cores
from codejury.engine.wire import (
    Begin,
    End,
    Forget,
    Hold,
    Judgment,
    Known,
    Measure,
    Setup,
    Shown,
    Source,
    Work,
)
from codejury.model import Job, Judged, Library, Limits
from codejury.sandbox import CONTAINER

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence

    from codejury.judging import Profile
    from codejury.model import Confirm, ContainerInfo, Machine, Problem, Verdict
    from codejury.sandbox import Interpreter


class ContainerEngine:
    """Slots in a container. Start it, then use it as an asynchronous context manager, as `LocalEngine`.

    Args:
        library: Where problems and programs are fetched by hash; it may be set later, before any job.
        limits: The largest limits of any job.
        settings: The image, and what runs it.
        slots: Samples under way at once; by default the cores that the container and this process may use.
        packages: Import names of packages in the image that candidates see.
        optional: The same, of those that are installed there.
        python: Interpreter in the image that runs candidates; the worker's own by default.

    Attributes:
        info: Engine and image, once they are found.
        tier: "container", and once it has started the worker's own tier behind it, as "container/landlock".
        note: Why that is not a stronger one, once it has started; empty if it is the strongest.
        interpreter, machine: Those inside, once it has started.
        packages: All that candidates see, once it has started.
        profiles: What the references showed, by the hash of their problem; to be set before jobs are submitted.
    """

    def __init__(
        self,
        library: Library | None,
        *,
        limits: Limits,
        settings: launch.ContainerSettings,
        slots: int | None = None,
        packages: tuple[str, ...] = (),
        optional: tuple[str, ...] = (),
        python: str | None = None,
    ) -> None:
        self.library, self.limits, self.settings = library, limits, settings
        self.slots, self.packages, self.optional, self.python = slots, packages, optional, python
        self.width = slots or usable_cores()
        self.profiles: Mapping[str, Profile | None] = {}
        self.tier, self.note = CONTAINER, ""
        self.info: ContainerInfo | None = None
        self.name = launch.new_name()
        self._worker: Conversation | None = None
        self._held: set[str] = set()  # problems that the worker has

    @property
    def worker(self) -> Conversation:
        """The worker, once it is started."""
        assert self._worker is not None
        return self._worker

    async def start(self) -> None:
        """Start the container and have its worker ready. Close what is not entered.

        Raises:
            UsageError: There is no such image, or it lacks the interpreter or a package.
            TierUnavailable: No engine answers, or the container gives no isolation inside.
            InfrastructureError: The container does not start, or has another version of codejury.
        """
        self.info = info = await asyncio.to_thread(launch.find, self.settings)
        self._worker = Conversation(f"the container of image {info.image!r} ({info.engine})")
        command = launch.run_command(info, self.name, self.limits, self.width)
        setup = Setup(
            limits=self.limits,
            slots=self.slots,
            most_slots=self.width,
            packages=self.packages,
            optional=self.optional,
            python=self.python,
        )
        try:
            ready = await self._worker.start(command, setup)
        except BaseException:
            await self.__aexit__()
            raise
        self.tier = f"{CONTAINER}/{ready.tier}"
        self.interpreter: Interpreter = ready.interpreter
        self.machine: Machine = ready.machine
        self.width, self.packages = min(ready.slots, self.width), ready.packages
        if ready.note is not None:
            self.note = f"in the container: {line_of(ready.note)}"

    async def __aenter__(self) -> Self:
        """Start it, if that was not done."""
        if self._worker is None:
            await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the container, and with it everything inside."""
        worker, self._worker = self._worker, None
        if worker is None or worker.process is None:
            return
        assert self.info is not None
        status: int | None = None
        try:
            status = await worker.close()
        finally:
            if status != 0:  # it did not end by itself, or its client has ended alone
                launch.remove(self.info, self.name)
                worker.process.kill()
                worker.process.wait()

    async def profile(
        self,
        problems: Sequence[tuple[Problem, Limits]],
        *,
        all_tests: bool = False,
        confirm: Confirm = "auto",
    ) -> AsyncGenerator[tuple[Problem, Profile | None], None]:
        """Judge references, as `LocalEngine.profile` does."""
        if not problems:
            return
        wanted = {problem.hash: problem for problem, _ in problems}
        async with self.worker.round() as now:
            await self._hold(wanted)
            items = tuple((problem.hash, limits) for problem, limits in problems)
            await self.worker.send(Measure(round=now.number, items=items, all_tests=all_tests, confirm=confirm))
            left = Counter(digest for digest, _ in items)
            while (said := await now.next()) is not None:
                if not isinstance(said, Shown) or not left[said.problem_hash]:
                    raise self.worker.nonsense("shows a reference that it was not asked for")
                left[said.problem_hash] -= 1
                yield wanted[said.problem_hash], said.profile
            if left.total():
                raise self.worker.nonsense("ends before all references are judged")

    async def submit(self, jobs: AsyncIterable[Job]) -> AsyncGenerator[Judged, None]:
        """Judge jobs side by side, unordered, as `LocalEngine.submit` does; few are fetched ahead."""
        async with self.worker.round() as now:
            await self.worker.send(Begin(round=now.number))
            feeder = asyncio.create_task(self._feed(now, jobs))
            try:
                while (said := await now.next()) is not None:
                    if not isinstance(said, Judgment) or said.number not in now.jobs:
                        raise self.worker.nonsense("judges a job that it was not given")
                    job = now.jobs.pop(said.number)
                    now.programs[job.program_hash] -= 1
                    if not now.programs[job.program_hash]:
                        del now.programs[job.program_hash]
                        await self.worker.send(Forget(program_hash=job.program_hash))
                    yield Judged(job, self._checked(said.verdict))
                if now.jobs or not now.ended:
                    raise self.worker.nonsense("ends before all jobs are judged")
            finally:
                feeder.cancel()
                await asyncio.gather(feeder, return_exceptions=True)

    # ---- jobs and verdicts

    async def _feed(self, now: Round, jobs: AsyncIterable[Job]) -> None:
        """Send jobs as the worker takes them."""
        source = aiter(jobs)
        known: set[str] = set()
        try:
            while True:
                await now.room.acquire()
                try:
                    job = await anext(source)
                except StopAsyncIteration:
                    break
                await self._send_job(now, job, known)
            now.ended = True
            await self.worker.send(End())
        except Exception as error:  # noqa: BLE001 - told to the consumer, who raises it
            await now.put(error)

    async def _send_job(self, now: Round, job: Job, known: set[str]) -> None:
        assert self.library is not None
        digest = job.problem_hash
        if digest not in self._held:
            await self._hold({digest: self.library.problem(digest)})
        if digest not in known:
            known.add(digest)
            await self.worker.send(Known(problem_hash=digest, profile=self.profiles.get(digest)))
        now.programs[job.program_hash] += 1
        if now.programs[job.program_hash] == 1:
            text = self.library.program(job.program_hash).encode("utf-8", "surrogatepass")
            await self.worker.send(Source(program_hash=job.program_hash, text=text))
        now.sent += 1
        now.jobs[now.sent] = job
        await self.worker.send(Work(job=msgspec.structs.replace(job, key=str(now.sent))))

    async def _hold(self, problems: Mapping[str, Problem]) -> None:
        for digest, problem in problems.items():
            if digest not in self._held:
                self._held.add(digest)
                await self.worker.send(Hold(problem=problem))

    def _checked(self, verdict: Verdict) -> Verdict:
        """A worker's verdict with the tier that its container makes; what cannot be a measure is refused."""
        measures = [verdict.cpu_s, verdict.wall_s, verdict.peak_bytes or 0]
        measures += [test.wall_s for test in verdict.tests] + [test.cpu_s or 0.0 for test in verdict.tests]
        if not all(math.isfinite(measure) and measure >= 0 for measure in measures):
            raise self.worker.nonsense("measures what is less than nothing or endless")
        return msgspec.structs.replace(verdict, tier=self.tier)
