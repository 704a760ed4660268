"""The engine of one machine: slots that judge side by side, and reruns alone at the end."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import msgspec

from codejury.judging import ROLES, Profile, Slot, Try, judge, profile
from codejury.model import Confirm, InfrastructureError, Job, Judged, Library, Limits, Outcome, Problem, Verdict
from codejury.sandbox import Interpreter, Sandbox, Settings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Mapping, Sequence

AHEAD = 8
"""Items at hand for each slot that no slot has taken yet."""

Work = TypeVar("Work")
Result = TypeVar("Result")


class _Done(msgspec.Struct, frozen=True):
    """A slot has no more work: its source is exhausted, or raised."""

    error: Exception | None = None


def usable_cores() -> int:
    """Processors that this process may use."""
    with contextlib.suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalEngine:
    """Slots on this machine. Use it as an asynchronous context manager.

    Args:
        library: Where problems and programs are fetched by hash; it may be set later, before any job.
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
        self.library, self.limits, self.tier, self.interpreter = library, limits, tier, interpreter
        self.width = slots or usable_cores()
        self.profiles: Mapping[str, Profile | None] = {}
        self.sandbox = Sandbox(
            Settings(interpreter=interpreter, limits=limits, packages=packages, tier=tier), ROLES
        )
        self.slots: list[Slot] = []

    def start(self) -> None:
        """Begin to start the sandbox; whoever enters the context waits for it. Close what is not entered."""
        self.sandbox.start()

    async def __aenter__(self) -> Self:
        """Start the sandbox, or wait for it; raises TierUnavailable."""
        await self.sandbox.__aenter__()
        # One more than the slots may run, since each waits now and then for a message; and twice as many are
        # there, since what has run clears away and makes its next processes.
        gate = asyncio.Semaphore(self.width + 1)
        self.slots = [Slot(self.sandbox, self.limits, gate) for _ in range(2 * self.width)]
        return self

    async def __aexit__(self, *error: object) -> None:
        """End everything that runs."""
        for slot in self.slots:
            slot.close()
        await self.sandbox.__aexit__(*error)

    async def profile(
        self,
        problems: Sequence[tuple[Problem, Limits]],
        *,
        all_tests: bool = False,
        confirm: Confirm = "auto",
    ) -> AsyncGenerator[tuple[Problem, Profile | None], None]:
        """Judge references; yields each problem with its profile, unordered.

        Args:
            problems: Each with its limits.
            all_tests: Whether the jobs to come run on after a failed test.
            confirm: Which passes of the jobs to come are confirmed in the tests' own process.
        """

        async def work(slot: Slot, item: tuple[Problem, Limits]) -> tuple[Problem, Profile | None]:
            return item[0], await profile(slot, *item, all_tests=all_tests, confirm=confirm)

        async with contextlib.aclosing(self._spread(_as_async(problems), work, id)) as results:
            async for result in results:
                yield result

    async def submit(self, jobs: AsyncIterable[Job]) -> AsyncGenerator[Judged, None]:
        """Judge jobs side by side, unordered; doubtful timeouts are tried once more, alone, at the end.

        At most eleven jobs a slot are fetched ahead of what the caller has taken. Whoever ends the iteration early
        closes it (`contextlib.aclosing`): that ends the work under way.
        """
        doubtful: list[tuple[Job, Verdict]] = []

        async def work(slot: Slot, job: Job) -> tuple[Job, Try]:
            return job, await self._judge(slot, job)

        async with contextlib.aclosing(self._spread(jobs, work, lambda job: job.problem_hash)) as tries:
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
        assert self.library is not None
        problem = self.library.problem(job.problem_hash)
        source = self.library.program(job.program_hash)
        try:
            return await judge(
                slot,
                problem,
                source,
                job.limits,
                self.profiles.get(job.problem_hash),
                all_tests=job.all_tests,
                confirm=job.confirm,
            )
        except InfrastructureError as error:
            verdict = Verdict(outcome=Outcome.INFRA_ERROR, integrity="strong", tier=self.tier, detail=str(error))
            return Try(verdict, doubtful=False)

    async def _spread(
        self,
        items: AsyncIterable[Work],
        work: Callable[[Slot, Work], Awaitable[Result]],
        kind: Callable[[Work], object],
    ) -> AsyncGenerator[Result, None]:
        """Run `work` over all slots, as many at once as there are slots; items are fetched as they are needed.

        A slot takes an item of the kind that it had last, if there is one among those at hand, else of a kind that
        no other slot has: samples of one problem can then have one judge.
        """
        queue: _Queue[Work] = _Queue(AHEAD * self.width, kind)
        results: asyncio.Queue[Result | _Done] = asyncio.Queue(maxsize=self.width)

        async def run(slot: Slot) -> None:
            try:
                async for item in queue.of(slot):
                    await results.put(await work(slot, item))
            except Exception as error:  # noqa: BLE001 - told to the consumer, who raises it
                await results.put(_Done(error))
            else:
                await results.put(_Done())

        tasks = [asyncio.create_task(queue.fill(items))]
        tasks += [asyncio.create_task(run(slot)) for slot in self.slots]
        running = len(self.slots)
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


class _Queue(Generic[Work]):
    """Items that are at hand, a few ahead of what the slots have taken.

    Args:
        most: How many at most.
        kind: What an item is of.
    """

    def __init__(self, most: int, kind: Callable[[Work], object]) -> None:
        self.most, self.kind = most, kind
        self.items: deque[Work] = deque()
        self.had: dict[Slot, object] = {}
        self.changed = asyncio.Event()
        self.done = False
        self.error: Exception | None = None

    async def fill(self, items: AsyncIterable[Work]) -> None:
        """Fetch items while there is room."""
        try:
            async for item in items:
                self.items.append(item)
                self._tell()
                while len(self.items) >= self.most:
                    await self.changed.wait()
        except Exception as error:  # noqa: BLE001 - raised where items are taken
            self.error = error
        self.done = True
        self._tell()

    async def of(self, slot: Slot) -> AsyncGenerator[Work, None]:
        """The items for one slot; raises what the source raised."""
        while True:
            while not self.items:
                if self.error is not None:
                    raise self.error
                if self.done:
                    return
                await self.changed.wait()
            item = self._pick(slot)
            self.had[slot] = self.kind(item)
            self._tell()
            yield item

    def _pick(self, slot: Slot) -> Work:
        others = {kind for other, kind in self.had.items() if other is not slot}
        mine = self.had.get(slot, others)
        best = 0
        for position, item in enumerate(self.items):
            kind = self.kind(item)
            if kind == mine:
                best = position
                break
            if not best and kind not in others and self.kind(self.items[0]) in others:
                best = position
        item = self.items[best]
        del self.items[best]
        return item

    def _tell(self) -> None:
        """Wake all who wait."""
        self.changed.set()
        self.changed = asyncio.Event()


async def _as_async(items: Sequence[Work]) -> AsyncGenerator[Work, None]:
    for item in items:
        yield item
