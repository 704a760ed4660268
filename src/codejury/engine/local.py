"""The engine of one machine: slots that judge side by side, and reruns alone at the end."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from codejury.judging import ROLES, Profile, Slot, Try, judge, profile
from codejury.model import InfrastructureError, Job, Judged, Library, Limits, Outcome, Problem, Verdict
from codejury.sandbox import Interpreter, Sandbox, Settings

Work = TypeVar("Work")
Result = TypeVar("Result")


def usable_cores() -> int:
    """Processors that this process may use."""
    with contextlib.suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
        library: Library | None,
        *,
        limits: Limits,
        interpreter: Interpreter,
        slots: int | None = None,
        packages: tuple[str, ...] = (),
        tier: str = "namespaces",
    ) -> None:
        self.library, self.limits, self.tier = library, limits, tier
        self.width = slots or usable_cores()
        self.profiles: Mapping[str, Profile | None] = {}
        self.sandbox = Sandbox(
            Settings(interpreter=interpreter, limits=limits, packages=packages, tier=tier), ROLES
        )
        self.slots: list[Slot] = []

    async def __aenter__(self) -> LocalEngine:
        """Start the sandbox; raises TierUnavailable."""
        await self.sandbox.__aenter__()
        self.slots = [Slot(self.sandbox, self.limits) for _ in range(self.width)]
        return self

    async def __aexit__(self, *error: object) -> None:
        """End everything that runs."""
        for slot in self.slots:
            slot.close()
        await self.sandbox.__aexit__(*error)

    async def profile(
        self, problems: Sequence[tuple[Problem, Limits]]
    ) -> AsyncIterator[tuple[Problem, Profile | None]]:
        """Judge references; yields each problem with its profile, unordered."""

        async def work(slot: Slot, item: tuple[Problem, Limits]) -> tuple[Problem, Profile | None]:
            return item[0], await profile(slot, *item)

        async for result in self._spread(_as_async(problems), work):
            yield result

    async def submit(self, jobs: AsyncIterable[Job]) -> AsyncIterator[Judged]:
        """Judge jobs side by side, unordered; doubtful timeouts are tried once more, alone, at the end."""
        doubtful: list[tuple[Job, Verdict]] = []

        async def work(slot: Slot, job: Job) -> tuple[Job, Try]:
            return job, await self._judge(slot, job)

        async for job, attempt in self._spread(jobs, work):
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
        assert self.library is not None
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
    ) -> AsyncIterator[Result]:
        """Run `work` over all slots, as many at once as there are slots, fetching items only as they are needed."""
        source = aiter(items)
        results: asyncio.Queue[Any] = asyncio.Queue(maxsize=2 * self.width)
        fetching = asyncio.Lock()
        end = object()

        async def run(slot: Slot) -> None:
            try:
                while True:
                    async with fetching:
                        item = await anext(source, end)
                    if item is end:
                        return
                    await results.put((await work(slot, item), None))  # type: ignore[arg-type]
            except Exception as error:  # noqa: BLE001 - told to the consumer, who raises it
                await results.put((None, error))
            finally:
                await results.put((end, None))

        tasks = [asyncio.create_task(run(slot)) for slot in self.slots]
        running = len(tasks)
        try:
            while running:
                result, error = await results.get()
                if error is not None:
                    raise error
                if result is end:
                    running -= 1
                else:
                    yield result
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _as_async(items: Sequence[Work]) -> AsyncIterator[Work]:
    for item in items:
        yield item
