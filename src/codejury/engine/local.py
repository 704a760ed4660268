"""The engine of one machine: slots that judge side by side, and reruns alone at the end."""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from codejury.judging import ROLES, Profile, Slot, Try, judge, profile
from codejury.model import InfrastructureError, Job, Judged, Library, Limits, Outcome, Problem, Verdict
from codejury.sandbox import Interpreter, Sandbox, Settings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Mapping, Sequence

Work = TypeVar("Work")
Result = TypeVar("Result")


class _Done(msgspec.Struct, frozen=True):
    """A slot has no more work: its source is exhausted, or raised."""

    error: Exception | None = None


def usable_cores() -> list[int]:
    """Processors that this process may use."""
    with contextlib.suppress(AttributeError):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


class LocalEngine:
    """Slots on this machine. Use it as an asynchronous context manager.

    Args:
        library: Where problems and programs are fetched by hash.
        limits: The largest limits of any job.
        interpreter: Runs candidates and tests.
        slots: Samples under way at once; the usable cores by default.
        packages: Import names of installed packages that candidates see.
        tier: Isolation tier.
    """

    def __init__(
        self,
        library: Library,
        *,
        limits: Limits,
        interpreter: Interpreter,
        slots: int | None = None,
        packages: tuple[str, ...] = (),
        tier: str = "namespaces",
    ) -> None:
        self.library, self.limits, self.tier = library, limits, tier
        self.width = slots or len(usable_cores())
        self.profiles: Mapping[str, Profile | None] = {}
        self.sandbox = Sandbox(
            Settings(interpreter=interpreter, limits=limits, packages=packages, tier=tier), ROLES
        )
        self.slots: list[Slot] = []

    async def __aenter__(self) -> Self:
        """Start the sandbox; raises TierUnavailable."""
        await self.sandbox.__aenter__()
        cpus = usable_cores()
        self.slots = [Slot(self.sandbox, self.limits, cpus[i % len(cpus)]) for i in range(self.width)]
        return self

    async def __aexit__(self, *error: object) -> None:
        """End everything that runs."""
        for slot in self.slots:
            slot.close()
        await self.sandbox.__aexit__(*error)

    async def profile(
        self, problems: Sequence[tuple[Problem, Limits]], *, all_tests: bool = False
    ) -> AsyncGenerator[tuple[Problem, Profile | None], None]:
        """Judge references; yields each problem with its profile, unordered.

        Args:
            problems: Each with its limits.
            all_tests: Whether the jobs to come run on after a failed test.
        """

        async def work(slot: Slot, item: tuple[Problem, Limits]) -> tuple[Problem, Profile | None]:
            return item[0], await profile(slot, *item, all_tests=all_tests)

        async with contextlib.aclosing(self._spread(_as_async(problems), work)) as results:
            async for result in results:
                yield result

    async def submit(self, jobs: AsyncIterable[Job]) -> AsyncGenerator[Judged, None]:
        """Judge jobs side by side, unordered; doubtful timeouts are tried once more, alone, at the end.

        At most three jobs a slot are fetched ahead of what the caller has taken. Whoever ends the iteration early
        closes it (`contextlib.aclosing`): that ends the work under way.
        """
        doubtful: list[tuple[Job, Verdict]] = []

        async def work(slot: Slot, job: Job) -> tuple[Job, Try]:
            return job, await self._judge(slot, job)

        async with contextlib.aclosing(self._spread(jobs, work)) as tries:
            async for job, attempt in tries:
                if attempt.doubtful:
                    doubtful.append((job, attempt.verdict))
                else:
                    yield Judged(job, attempt.verdict)
        for job, before in doubtful:
            verdict = (await self._judge(self.slots[0], job)).verdict
            if verdict.outcome is not before.outcome:
                verdict = msgspec.structs.replace(verdict, flipped_from=before.outcome)
            yield Judged(job, verdict)

    async def _judge(self, slot: Slot, job: Job) -> Try:
        problem = self.library.problem(job.problem_hash)
        source = self.library.program(job.program_hash)
        try:
            return await judge(
                slot, problem, source, job.limits, self.profiles.get(job.problem_hash), all_tests=job.all_tests
            )
        except InfrastructureError as error:
            verdict = Verdict(outcome=Outcome.INFRA_ERROR, integrity="strong", tier=self.tier, detail=str(error))
            return Try(verdict, doubtful=False)

    async def _spread(
        self, items: AsyncIterable[Work], work: Callable[[Slot, Work], Awaitable[Result]]
    ) -> AsyncGenerator[Result, None]:
        """Run `work` over all slots, as many at once as there are slots; items are fetched as they are needed."""
        source = aiter(items)
        results: asyncio.Queue[Result | _Done] = asyncio.Queue(maxsize=2 * self.width)
        fetching = asyncio.Lock()  # an asynchronous generator takes one caller at a time
        end = _Done()

        async def run(slot: Slot) -> None:
            try:
                while True:
                    async with fetching:
                        item = await anext(source, end)
                    if isinstance(item, _Done):
                        break
                    await results.put(await work(slot, item))
            except Exception as error:  # noqa: BLE001 - told to the consumer, who raises it
                await results.put(_Done(error))
            else:
                await results.put(end)

        tasks = [asyncio.create_task(run(slot)) for slot in self.slots]
        running = len(tasks)
        try:
            while running:
                result = await results.get()
                if not isinstance(result, _Done):
                    yield result
                elif result.error is not None:
                    raise result.error
                else:
                    running -= 1
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _as_async(items: Sequence[Work]) -> AsyncGenerator[Work, None]:
    for item in items:
        yield item
