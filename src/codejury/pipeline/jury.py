"""A jury that stays: programs are judged as they come, in one warm sandbox, for training loops and services.

`AsyncJury` is for asyncio; `Jury` is the same for everybody else, with an event loop in a thread of its own. Both
judge as `codejury judge` does, by the same rules, and keep nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Literal, Self, TypeVar

import msgspec

from codejury import extract, sets
from codejury.engine import LocalEngine
from codejury.judging import judge, profile, raised
from codejury.model import Confirm, Limits, ProblemSet, Sample, UsageError, Verdict
from codejury.pipeline.isolation import choose_isolation
from codejury.pipeline.packages import visible
from codejury.pipeline.references import effective_limits, largest
from codejury.pipeline.selection import refuse_unjudgeable
from codejury.sandbox import AUTO, describe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
    from concurrent.futures import Future

    from codejury.judging import Profile, Slot, Try
    from codejury.model import Problem

Kind = Literal["completion", "solution", "chat"]

Result = TypeVar("Result")

WAITING = 8
"""Requests for each slot that a `Jury` takes before `submit` blocks."""


class JurySettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a jury is asked for.

    Attributes:
        slots: Programs under way at once; the usable cores if None.
        limits: Limits; problems may have their own.
        tier: Isolation tier; by default the strongest that the machine gives.
        python: Interpreter or virtual environment that runs programs; codejury's own if None.
        packages: Import names of its installed packages that programs see.
        all_tests: Run on after a failed test, for a dense reward.
        confirm: Which passes are confirmed in the tests' own process.
    """

    slots: int | None = None
    limits: Limits = Limits()
    tier: str = AUTO
    python: str | None = None
    packages: tuple[str, ...] = ()
    all_tests: bool = False
    confirm: Confirm = "auto"


class AsyncJury:
    """Judges programs as they come. Use it as an asynchronous context manager, in one event loop.

    Any number of tasks may call `judge` at once: as many programs as there are slots are under way, the others
    wait for their turn. A task that is cancelled ends its program.

    Args:
        problems: A problem set, its name, or a file.
        settings: What is asked for.

    Raises:
        UsageError: The set cannot be loaded, or has a problem that cannot be judged.
    """

    def __init__(self, problems: str | ProblemSet, settings: JurySettings | None = None) -> None:
        self.settings = settings = settings or JurySettings()
        self.problem_set = problems if isinstance(problems, ProblemSet) else sets.load(problems)
        self._problems = self.problem_set.by_id()
        everything = self.problem_set.problems
        refuse_unjudgeable(everything)
        limits = largest((effective_limits(problem, settings.limits) for problem in everything), settings.limits)
        interpreter = describe(settings.python)
        self._engine = LocalEngine(
            None,
            limits=limits,
            interpreter=interpreter,
            slots=settings.slots,
            packages=visible(everything, settings.packages, interpreter),
            tier=choose_isolation(settings.tier).tier,
        )
        self._profiles: dict[str, asyncio.Task[Profile | None]] = {}
        self._places: _Places | None = None

    async def __aenter__(self) -> Self:
        """Start the sandbox; raises TierUnavailable."""
        await self._engine.__aenter__()
        self._places = _Places(self._engine.slots)
        return self

    async def __aexit__(self, *error: object) -> None:
        """End everything that runs."""
        for task in self._profiles.values():
            task.cancel()
        await asyncio.gather(*self._profiles.values(), return_exceptions=True)
        self._places = None
        await self._engine.__aexit__(*error)

    async def prepare(self, ids: Iterable[str] | None = None) -> None:
        """Judge references now, all or of these problems; else each is judged when its problem is first asked for.

        Raises:
            UsageError: There is no such problem, or it cannot be judged.
        """
        problems = self.problem_set.problems if ids is None else [self._problem(name) for name in ids]
        await asyncio.gather(*(self._profile(problem) for problem in problems))

    async def judge(self, problem_id: str, answer: str, *, kind: Kind = "solution") -> Verdict:
        """Judge an answer.

        Args:
            problem_id: What it answers.
            answer: A whole program, the completion of the problem's prompt, or prose with the code in it.
            kind: Which of these.

        Raises:
            UsageError: There is no such problem, or it cannot be judged.
            InfrastructureError: The sandbox gives no lanes any more.
        """
        problem = self._problem(problem_id)
        source = extract.program(problem, Sample(problem_id=problem_id, index=0, text=answer, kind=kind)).source
        reference = await self._profile(problem)
        places = self._running()
        async with places.one(problem.tests_hash) as slot:
            first = await self._try(slot, problem, source, reference)
        if not first.doubtful:
            return first.verdict
        async with places.alone() as slot:
            verdict = (await self._try(slot, problem, source, reference)).verdict
        if verdict.outcome is not first.verdict.outcome:
            verdict = msgspec.structs.replace(verdict, flipped_from=first.verdict.outcome)
        return verdict

    async def judge_all(self, answers: Sequence[tuple[str, str]], *, kind: Kind = "solution") -> list[Verdict]:
        """Judge a batch of `(problem id, answer)`; verdicts in its order. Raises what `judge` does."""
        tasks = [asyncio.ensure_future(self.judge(name, answer, kind=kind)) for name, answer in answers]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    # ---- inside

    def _running(self) -> _Places:
        if self._places is None:
            raise UsageError("the jury is not in session: use it as a context manager")
        return self._places

    def _problem(self, problem_id: str) -> Problem:
        try:
            return self._problems[problem_id]
        except KeyError:
            raise UsageError(f"{self.problem_set.name} has no problem {problem_id!r}") from None

    def _limits(self, problem: Problem) -> Limits:
        return effective_limits(problem, self.settings.limits)

    async def _try(self, slot: Slot, problem: Problem, source: str, reference: Profile | None) -> Try:
        settings = self.settings
        return await judge(
            slot,
            problem,
            source,
            raised(self._limits(problem), reference),
            reference,
            all_tests=settings.all_tests,
            confirm=settings.confirm,
        )

    async def _profile(self, problem: Problem) -> Profile | None:
        """What a problem's reference shows; judged once, whoever asks, and whoever of them is cancelled."""
        task = self._profiles.get(problem.id)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._profiles[problem.id] = asyncio.ensure_future(self._look(problem))
        return await asyncio.shield(task)

    async def _look(self, problem: Problem) -> Profile | None:
        if problem.reference is None:
            return None
        settings = self.settings
        async with self._running().one(problem.tests_hash) as slot:
            found = await profile(
                slot, problem, self._limits(problem), all_tests=settings.all_tests, confirm=settings.confirm
            )
        if found is not None and found.fault:
            raise UsageError(f"problem {problem.id!r} cannot be judged: {found.fault}: mend or remove it")
        return found


class _Places:
    """Slots for whoever comes first; one that had the same problem before goes before others.

    Args:
        slots: All of them.
    """

    def __init__(self, slots: Sequence[Slot]) -> None:
        self.slots, self.free = slots, list(slots)
        self.had: dict[Slot, object] = {}
        self.waiting = asyncio.Semaphore(len(slots))
        self.quiet = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def one(self, kind: object) -> AsyncIterator[Slot]:
        """A slot, as soon as one is free."""
        async with self.waiting:
            slot = next((slot for slot in self.free if self.had.get(slot) == kind), None) or self.free[0]
            self.free.remove(slot)
            self.had[slot] = kind
            try:
                yield slot
            finally:
                self.free.append(slot)

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[Slot]:
        """A slot while no other is at work."""
        async with self.quiet, contextlib.AsyncExitStack() as stack:
            for _ in self.slots:
                await stack.enter_async_context(self.waiting)
            yield self.slots[0]


class Jury:
    """Judges programs as they come, for any thread. Use it as a context manager.

    At most `WAITING` requests a slot are taken at once: `submit` blocks while there are more, so that a producer
    waits for its judge.

    Args:
        problems: A problem set, its name, or a file.
        settings: What is asked for.

    Raises:
        UsageError: The set cannot be loaded, or has a problem that cannot be judged.
    """

    def __init__(self, problems: str | ProblemSet, settings: JurySettings | None = None) -> None:
        self._jury = AsyncJury(problems, settings)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._room = threading.BoundedSemaphore(WAITING * self._jury._engine.width)  # noqa: SLF001 - its other half

    def __enter__(self) -> Self:
        """Start the sandbox; raises TierUnavailable."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="codejury", daemon=True)
        self._thread.start()
        try:
            self._call(self._jury.__aenter__()).result()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        """End everything that runs; what was submitted and is not judged is cancelled."""
        try:
            self._call(self._end()).result()
        finally:
            self._stop()

    def prepare(self, ids: Iterable[str] | None = None) -> None:
        """See `AsyncJury.prepare`."""
        self._call(self._jury.prepare(ids)).result()

    def judge(self, problem_id: str, answer: str, *, kind: Kind = "solution") -> Verdict:
        """See `AsyncJury.judge`."""
        return self.submit(problem_id, answer, kind=kind).result()

    def submit(self, problem_id: str, answer: str, *, kind: Kind = "solution") -> Future[Verdict]:
        """Judge an answer in the background; the future can be cancelled, also while the program runs."""
        self._room.acquire()
        try:
            future = self._call(self._jury.judge(problem_id, answer, kind=kind))
        except BaseException:
            self._room.release()
            raise
        future.add_done_callback(lambda _: self._room.release())
        return future

    def judge_all(self, answers: Iterable[tuple[str, str]], *, kind: Kind = "solution") -> list[Verdict]:
        """Judge a batch of `(problem id, answer)`; verdicts in its order. Raises what `judge` does."""
        futures: list[Future[Verdict]] = []
        try:
            futures.extend(self.submit(name, answer, kind=kind) for name, answer in answers)
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()

    def rewards(
        self,
        answers: Iterable[tuple[str, str]],
        *,
        kind: Kind = "solution",
        mode: Literal["all", "fraction"] = "all",
    ) -> list[float | None]:
        """Rewards of a batch, as `Verdict.reward` gives them: None where the infrastructure failed.

        Args:
            answers: `(problem id, answer)` each.
            kind: See `AsyncJury.judge`.
            mode: "fraction" needs a jury with `all_tests`.

        Raises:
            UsageError: The mode does not fit the jury's settings; see also `AsyncJury.judge`.
        """
        if mode == "fraction" and not self._jury.settings.all_tests:
            raise UsageError("a reward by fraction needs all tests: make the jury with all_tests=True")
        return [verdict.reward(mode) for verdict in self.judge_all(answers, kind=kind)]

    # ---- inside

    def _call(self, work: Coroutine[object, object, Result]) -> Future[Result]:
        if self._loop is None:
            work.close()
            raise UsageError("the jury is not in session: use it as a context manager")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _end(self) -> None:
        """Cancel what is under way, and close."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._jury.__aexit__()

    def _stop(self) -> None:
        loop, thread = self._loop, self._thread
        assert loop is not None
        assert thread is not None
        self._loop = self._thread = None
        asyncio.run_coroutine_threadsafe(loop.shutdown_default_executor(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
