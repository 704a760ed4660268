"""The engine of one machine: order, bounds, early ends, errors, reruns."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.engine import LocalEngine, local, usable_cores
from codejury.judging import Try
from codejury.judging import judge as judge_program
from codejury.model import (
    Assertions,
    InfrastructureError,
    Job,
    Judged,
    Limits,
    Outcome,
    Problem,
    Verdict,
)
from codejury.sandbox import describe

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

SLOTS = 3
PROBLEM = Problem(id="p", prompt="", entry_point="f", tests=Assertions(code=("assert f() == 1",)))


class _Texts:
    """A library of one problem, in which a program's hash is its text."""

    def problem(self, problem_hash: str) -> Problem:
        """The problem."""
        assert PROBLEM.hash == problem_hash
        return PROBLEM

    def program(self, program_hash: str) -> str:
        """The text itself."""
        return program_hash


class _NoSandbox:
    """Stands in where no program runs."""

    def __init__(self, *_: object) -> None:
        pass

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, *_: object) -> None:
        pass


class _NoSlot:
    """Stands in where no program runs."""

    def __init__(self, *_: object) -> None:
        pass

    def close(self) -> None:
        """Nothing to close."""


def _verdict(outcome: Outcome = Outcome.PASSED) -> Verdict:
    return Verdict(outcome=outcome, integrity="strong", tier="namespaces")


def _job(source: str) -> Job:
    return Job(key=source, problem_hash=PROBLEM.hash, program_hash=source, limits=Limits())


async def _jobs(sources: Iterable[str]) -> AsyncGenerator[Job, None]:
    for source in sources:
        yield _job(source)


async def _settle() -> None:
    """Let everything run that can."""
    for _ in range(200):
        await asyncio.sleep(0)


def _tasks() -> set[asyncio.Task[Any]]:
    return asyncio.all_tasks() - {asyncio.current_task()}


@pytest.fixture
def engine_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., LocalEngine]:
    """Makes an engine that judges with the given function instead of a sandbox."""

    def make(judge: Callable[[str], Awaitable[Try]], slots: int = SLOTS) -> LocalEngine:
        async def stub(_slot: object, _problem: Problem, source: str, *_: object, **__: object) -> Try:
            return await judge(source)

        monkeypatch.setattr(local, "judge", stub)
        monkeypatch.setattr(local, "Sandbox", _NoSandbox)
        monkeypatch.setattr(local, "Slot", _NoSlot)
        return LocalEngine(_Texts(), limits=Limits(), interpreter=describe(), slots=slots)

    return make


async def _pass(_source: str) -> Try:
    return Try(_verdict(), doubtful=False)


async def test_every_job_gets_its_verdict_once(engine_of: Callable[..., LocalEngine]) -> None:
    """More jobs than slots, each judged once; none at all is fine too."""

    async def judge(source: str) -> Try:
        await asyncio.sleep(0)
        return Try(_verdict(Outcome.PASSED if int(source) % 2 else Outcome.WRONG_ANSWER), doubtful=False)

    async with engine_of(judge) as engine:
        judged = [judged async for judged in engine.submit(_jobs(map(str, range(50))))]
        assert [] == [judged async for judged in engine.submit(_jobs(()))]
    assert {str(i): i % 2 == 1 for i in range(50)} == {j.job.program_hash: j.verdict.passed for j in judged}
    assert 50 == len(judged)


async def test_what_ends_first_comes_first(engine_of: Callable[..., LocalEngine]) -> None:
    """A slow job holds up its own slot only."""
    others_done = asyncio.Event()

    async def judge(source: str) -> Try:
        if source == "slow":
            await others_done.wait()
        return await _pass(source)

    async with engine_of(judge) as engine:
        order = []
        async for judged in engine.submit(_jobs(["slow", "a", "b", "c", "d"])):
            order.append(judged.job.program_hash)
            if len(order) == 4:
                others_done.set()
    assert "slow" == order[-1]
    assert {"a", "b", "c", "d"} == set(order[:4])


async def test_all_slots_work_at_once(engine_of: Callable[..., LocalEngine]) -> None:
    """Twice as many jobs as slots are under way, since a job is cleared away while the next runs; never more."""
    under_way = most = 0

    async def judge(source: str) -> Try:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await _settle()
        under_way -= 1
        return await _pass(source)

    async with engine_of(judge) as engine:
        assert 10 == len([judged async for judged in engine.submit(_jobs(map(str, range(10))))])
    assert 2 * SLOTS == most


async def test_reads_ahead_by_a_bounded_number(engine_of: Callable[..., LocalEngine]) -> None:
    """A caller that pauses stops the source: two jobs and a verdict a slot, and those at hand."""
    ahead = (local.AHEAD + 3) * SLOTS
    fetched = 0

    async def source() -> AsyncGenerator[Job, None]:
        nonlocal fetched
        for i in range(1000):
            fetched += 1
            yield _job(str(i))

    async with engine_of(_pass) as engine, contextlib.aclosing(engine.submit(source())) as verdicts:
        await anext(verdicts)
        await _settle()
        assert 1 + ahead == fetched
        await anext(verdicts)
        await _settle()
        assert 2 + ahead == fetched


async def test_early_end_with_full_queue_ends_the_work(engine_of: Callable[..., LocalEngine]) -> None:
    """Slots that wait to hand over a verdict nobody takes do not hold up the end."""
    async with engine_of(_pass) as engine:
        verdicts = engine.submit(_jobs(map(str, range(1000))))
        await anext(verdicts)
        await _settle()
        async with asyncio.timeout(10):
            await verdicts.aclose()
        assert set() == _tasks()


async def test_early_end_cancels_what_is_under_way(engine_of: Callable[..., LocalEngine]) -> None:
    """Each slot's work is told to stop, and has stopped when closing returns."""
    cancelled = []

    async def judge(source: str) -> Try:
        if source == "first":
            return await _pass(source)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(source)
            raise
        raise AssertionError

    async with engine_of(judge) as engine:
        async with (
            asyncio.timeout(10),
            contextlib.aclosing(engine.submit(_jobs(["first", "a", "b", "c"]))) as some,
        ):
            async for _ in some:
                await _settle()
                break
        assert ["a", "b", "c"] == sorted(cancelled)
        assert set() == _tasks()


async def test_cancelled_caller_ends_the_work(engine_of: Callable[..., LocalEngine]) -> None:
    """As by Ctrl-C: what runs is cancelled with whoever waits for it."""

    async def judge(_source: str) -> Try:
        await asyncio.Event().wait()
        raise AssertionError

    async with engine_of(judge) as engine:

        async def consume() -> list[Judged]:
            return [judged async for judged in engine.submit(_jobs("abcd"))]

        task = asyncio.create_task(consume())
        await _settle()
        assert 1 + len("abcd") == len(_tasks())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert set() == _tasks()


async def test_error_of_the_source_reaches_the_caller(engine_of: Callable[..., LocalEngine]) -> None:
    """After what was judged before it; nothing is left running."""

    async def source() -> AsyncGenerator[Job, None]:
        yield _job("a")
        raise ValueError("the source broke")

    async with engine_of(_pass) as engine:
        with pytest.raises(ValueError, match="the source broke"):
            [judged async for judged in engine.submit(source())]
        assert set() == _tasks()


async def test_error_of_the_judge_reaches_the_caller(engine_of: Callable[..., LocalEngine]) -> None:
    """A mistake of ours is no verdict on a sample."""

    async def judge(source: str) -> Try:
        if source == "c":
            raise ZeroDivisionError(source)
        return await _pass(source)

    async with engine_of(judge) as engine:
        with pytest.raises(ZeroDivisionError, match="c"):
            [judged async for judged in engine.submit(_jobs("abcdef"))]
        assert set() == _tasks()


async def test_infrastructure_error_is_a_verdict(engine_of: Callable[..., LocalEngine]) -> None:
    """It says nothing of the sample, and the other samples go on."""

    async def judge(source: str) -> Try:
        if source == "b":
            raise InfrastructureError("the sandbox gives no lanes")
        return await _pass(source)

    async with engine_of(judge) as engine:
        verdicts = {j.job.program_hash: j.verdict async for j in engine.submit(_jobs("abc"))}
    assert (Outcome.INFRA_ERROR, "the sandbox gives no lanes") == (verdicts["b"].outcome, verdicts["b"].detail)
    assert Outcome.PASSED == verdicts["a"].outcome == verdicts["c"].outcome


async def test_doubtful_verdicts_are_tried_again_alone(engine_of: Callable[..., LocalEngine]) -> None:
    """After all others, one at a time; a changed outcome is a flip, the same one is not."""
    tries: list[str] = []
    alone: list[bool] = []
    under_way = 0

    async def judge(source: str) -> Try:
        nonlocal under_way
        under_way += 1
        again = source in tries
        tries.append(source)
        await _settle()
        if again:
            alone.append(under_way == 1)
        under_way -= 1
        if source.startswith("ok"):
            return await _pass(source)
        if again and source == "flips":
            return Try(_verdict(Outcome.WRONG_ANSWER), doubtful=False)
        return Try(_verdict(Outcome.TIMEOUT_WALL), doubtful=True)

    async with engine_of(judge) as engine:
        sources = ["flips", "ok1", "stays", "ok2", "ok3"]
        verdicts = {j.job.program_hash: j.verdict async for j in engine.submit(_jobs(sources))}
    assert {"flips", "stays"} == set(tries[5:])
    assert 7 == len(tries)
    assert [True, True] == alone
    flips, stays = verdicts["flips"], verdicts["stays"]
    assert (Outcome.WRONG_ANSWER, Outcome.TIMEOUT_WALL) == (flips.outcome, flips.flipped_from)
    assert (Outcome.TIMEOUT_WALL, None) == (stays.outcome, stays.flipped_from)
    assert {None} == {verdicts[f"ok{i}"].flipped_from for i in (1, 2, 3)}


async def test_profiles_come_with_their_problems(
    engine_of: Callable[..., LocalEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One for each problem, under its own limits."""
    seen = []

    async def profile(_slot: object, problem: Problem, limits: Limits, *, all_tests: bool, confirm: str) -> None:
        seen.append((problem.id, limits.cpu_s, all_tests, confirm))

    monkeypatch.setattr(local, "profile", profile)
    problems = [
        (Problem(id=name, prompt="", entry_point="f", tests=PROBLEM.tests), Limits(cpu_s=cpu))
        for name, cpu in (("a", 1.0), ("b", 2.0))
    ]
    async with engine_of(_pass) as engine:
        profiles = engine.profile(problems, all_tests=True, confirm="all")
        found = [(problem.id, profile) async for problem, profile in profiles]
    assert [("a", None), ("b", None)] == sorted(found)
    assert [("a", 1.0, True, "all"), ("b", 2.0, True, "all")] == sorted(seen)


def test_slots_are_the_usable_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that this process may use, not all that the machine has."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 3, 5})
    assert 3 == usable_cores()
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert 7 == usable_cores()


def _all_processes() -> set[int]:
    return {int(path.name) for path in Path("/proc").glob("[0-9]*")}


def _descendants(pid: int) -> set[int]:
    """Processes below a process, as the kernel lists them."""
    children: dict[int, set[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, set()).add(int(stat.parent.name))
    found: set[int] = set()
    todo = [pid]
    while todo:
        below = children.get(todo.pop(), set())
        found |= below
        todo += below
    return found


async def _steady(pid: int) -> int:
    """How many processes are below a process, once that has not changed for half a second: lanes take a while."""
    count, since = -1, 0
    async with asyncio.timeout(60):
        while since < 10:
            now = len(_descendants(pid))
            count, since = now, since + 1 if now == count else 0
            await asyncio.sleep(0.05)
    return count


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - the kernel sets no event
            await asyncio.sleep(0.01)


@pytest.mark.sandbox
@pytest.mark.usefixtures("processes")
async def test_early_end_leaves_no_process(sandbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that sleeps for an hour and has children ends with the iteration, and all with the engine."""
    sleeper = (
        "import os, time\n"
        "def f():\n"
        "    for _ in range(5):\n"
        "        if os.fork() == 0:\n"
        "            break\n"
        "    time.sleep(3600)\n"
    )
    started = asyncio.Event()

    async def noticed(*arguments: Any, **settings: Any) -> Try:
        started.set()
        return await judge_program(*arguments, **settings)

    monkeypatch.setattr(local, "judge", noticed)
    limits = Limits(cpu_s=60, cpu_total_s=60)
    engine = LocalEngine(_Texts(), limits=limits, interpreter=describe(), slots=1, tier=sandbox)
    await engine.__aenter__()
    try:
        first = [judged async for judged in engine.submit(_jobs(["def f(): return 1"]))]
        assert Outcome.PASSED == first[0].verdict.outcome
        process = engine.sandbox.process
        assert process is not None
        idle = await _steady(process.pid)

        async def consume() -> list[Judged]:
            return [judged async for judged in engine.submit(_jobs([sleeper]))]

        task = asyncio.create_task(consume())
        await started.wait()
        await _until(lambda: len(_descendants(process.pid)) >= idle + 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await _until(lambda: len(_descendants(process.pid)) <= idle)
        ours = _descendants(process.pid) | {process.pid}
    finally:
        await engine.__aexit__()
    await _until(lambda: ours.isdisjoint(_all_processes()))
