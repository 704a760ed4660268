"""The engine in a container, with a worker that is a plain process: answers, bounds, ends, and lies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from codejury.engine import conversation
from codejury.engine.wire import (
    WINDOW,
    Finished,
    Greeting,
    Judgment,
    More,
    Ready,
    Refused,
    Shown,
)
from codejury.judging import Profile
from codejury.model import (
    InfrastructureError,
    Job,
    Judged,
    Limits,
    Machine,
    Outcome,
    TierUnavailable,
    UsageError,
    Verdict,
)
from codejury.model import TestResult as ResultOfTest
from codejury.sandbox import describe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Any

    from codejury.engine.container import ContainerEngine

RIGHT, WRONG = "def f(x):\n    return x + 1\n", "def f(x):\n    return x\n"
HERE = Greeting.here()
READY = Ready(tier="landlock", note=None, interpreter=describe(), machine=Machine.here(), slots=1)
PASSED = Verdict(outcome=Outcome.PASSED, integrity="strong", tier="landlock", detail="")

# Writes the frames that it is given, then waits for the end of its input or ends with a status.
FAKE = """
import sys
for frame in {frames!r}:
    sys.stdout.buffer.write(len(frame).to_bytes(4, "little") + frame)
sys.stdout.buffer.write({tail!r})
sys.stdout.buffer.flush()
sys.stderr.write({said!r})
sys.stderr.flush()
if {waits!r}:
    sys.stdin.buffer.read()
sys.exit({status!r} or 0)
"""


def _fake(
    *said: msgspec.Struct | bytes, tail: bytes = b"", status: int | None = None, stderr: str = ""
) -> list[str]:
    """A worker that says this, whatever it is told."""
    frames = [frame if isinstance(frame, bytes) else msgspec.json.encode(frame) for frame in said]
    return [
        sys.executable,
        "-c",
        FAKE.format(frames=frames, tail=tail, status=status, waits=status is None, said=stderr),
    ]


async def _judge(engine: ContainerEngine, texts: Any, *sources: str) -> list[Judged]:
    async with engine:
        return [judged async for judged in engine.submit(texts.jobs(sources))]


# ---- a true worker


@pytest.mark.sandbox
async def test_references_and_jobs_are_judged(
    sandbox: str, engine_of: Callable[..., ContainerEngine], texts: Any, removed: list[str]
) -> None:
    """As the local engine does; verdicts have the container's tier, jobs are those that came in."""
    engine = engine_of()
    async with engine:
        assert f"container/{sandbox}" == engine.tier
        assert describe().version == engine.interpreter.version
        assert Machine.here() == engine.machine
        problem = next(iter(texts.problems.values()))
        found = [each async for each in engine.profile([(problem, engine.limits)])]
        assert [problem] == [each for each, _ in found]
        assert Outcome.PASSED == (found[0][1] or Profile(outcome=None)).outcome
        engine.profiles = {problem.hash: found[0][1]}
        jobs = [texts.job(source, key=f"key {source}") for source in (RIGHT, WRONG, "", "def f(x: '\ud800")]

        async def source() -> AsyncIterator[Job]:
            for job in jobs:
                yield job

        judged = {each.job.key: each async for each in engine.submit(source())}
    assert {job.key: job for job in jobs} == {key: each.job for key, each in judged.items()}
    outcomes = [judged[job.key].verdict.outcome for job in jobs]
    assert [Outcome.PASSED, Outcome.WRONG_ANSWER, Outcome.NO_CODE, Outcome.SYNTAX_ERROR] == outcomes
    assert {engine.tier} == {each.verdict.tier for each in judged.values()}
    assert [] == removed


@pytest.mark.sandbox
async def test_many_jobs_over_several_rounds(
    sandbox: str, engine_of: Callable[..., ContainerEngine], texts: Any
) -> None:
    """More jobs than lie ready at once, each judged once; programs may be sent again in the next round."""
    engine = engine_of(slots=2)
    sources = [f"{RIGHT if number % 2 else WRONG}#{number}\n" for number in range(3 * WINDOW)]
    async with engine:
        for _ in range(2):
            judged = [each async for each in engine.submit(texts.jobs(sources))]
            assert sorted(sources) == sorted(each.job.key for each in judged)
            right = {each.job.key for each in judged if each.verdict.outcome is Outcome.PASSED}
            assert set(sources[1::2]) == right


@pytest.mark.sandbox
async def test_few_jobs_are_fetched_ahead(
    sandbox: str, engine_of: Callable[..., ContainerEngine], texts: Any
) -> None:
    """A source of any length is taken as verdicts are; after a round that is broken off there may be another."""
    fetched = 0

    async def endless() -> AsyncIterator[Job]:
        nonlocal fetched
        while True:
            fetched += 1
            yield texts.job(f"{RIGHT}#{fetched}\n")

    engine = engine_of()
    async with engine:
        async with contextlib.aclosing(engine.submit(endless())) as results:
            taken = [await anext(results) for _ in range(5)]
        assert all(each.verdict.passed for each in taken)
        assert fetched <= 5 + 3 * WINDOW
        after = [each async for each in engine.submit(texts.jobs([WRONG]))]
    assert [Outcome.WRONG_ANSWER] == [each.verdict.outcome for each in after]


@pytest.mark.sandbox
async def test_what_the_source_raises_is_raised(
    sandbox: str, engine_of: Callable[..., ContainerEngine], texts: Any
) -> None:
    """A source that fails; and a problem that is not what its hash says fails in the worker."""

    async def broken() -> AsyncIterator[Job]:
        yield texts.job(RIGHT)
        raise LookupError("no more")

    async with engine_of() as engine:
        with pytest.raises(LookupError, match="no more"):
            _ = [each async for each in engine.submit(broken())]
        texts.problems["another"] = next(iter(texts.problems.values()))
        lost = Job(key="k", problem_hash="another", program_hash=texts.job(RIGHT).program_hash, limits=Limits())

        async def jobs() -> AsyncIterator[Job]:
            yield lost

        with pytest.raises(InfrastructureError, match="the problem another was not sent as it is"):
            _ = [each async for each in engine.submit(jobs())]


@pytest.mark.sandbox
async def test_a_killed_worker_is_an_infrastructure_error(
    sandbox: str, engine_of: Callable[..., ContainerEngine], texts: Any, removed: list[str]
) -> None:
    """In the middle of a job: no verdict, one line with the status, and the container is removed."""
    engine = engine_of()
    async with engine:
        process = engine.worker.process
        assert process is not None
        results = engine.submit(texts.jobs(["while True:\n    pass\n"]))
        asyncio.get_running_loop().call_later(0.3, os.kill, process.pid, signal.SIGKILL)
        with pytest.raises(InfrastructureError, match=r"of image 'an-image' \(docker 1.2\) ended with status -9"):
            await anext(results)
    assert [engine.name] == removed


@pytest.mark.sandbox
async def test_cancelling_ends_the_worker(
    sandbox: str, engine_of: Callable[..., ContainerEngine], texts: Any
) -> None:
    """As Ctrl-C does: the task ends, and the worker with it."""
    asked = asyncio.Event()

    async def jobs() -> AsyncIterator[Job]:
        yield texts.job("while True:\n    pass\n")
        asked.set()

    async def judge() -> None:
        async with engine:
            async for _ in engine.submit(jobs()):
                pytest.fail("there is no verdict")

    engine = engine_of()
    task = asyncio.create_task(judge())
    await asked.wait()
    process = engine.worker.process
    assert process is not None
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 0 == process.returncode


@pytest.mark.sandbox
async def test_a_worker_may_refuse_its_setup(sandbox: str, engine_of: Callable[..., ContainerEngine]) -> None:
    """A package or an interpreter that the image lacks is the user's to mend."""
    for settings, said in (({"packages": ("absent",)}, "'absent' is not installed"), ({"python": "/no"}, "/no")):
        with pytest.raises(UsageError, match=rf"{said}.*\(in the container of image 'an-image'"):
            await engine_of(**settings).start()


# ---- a worker that is none


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (_fake(status=3, stderr="no such\nthing"), "ended with status 3: no such thing$"),
        (_fake(status=0), "ended with status 0$"),
        (_fake(tail=b"rub", status=0), "breaks the protocol: a frame was broken off"),
        (_fake(tail=b"\xff\xff\xff\xffrub"), "breaks the protocol: a frame of 4294967295 bytes was announced"),
        (_fake(tail=b"\x09\x00\x00\x00rub", status=0), "breaks the protocol: a frame was broken off"),
        (_fake(b"[]"), "breaks the protocol: Expected `object`"),
        (_fake(HERE, b"{}"), "breaks the protocol: .*missing required field `is`"),
        (_fake(HERE, More(round=1)), "breaks the protocol: it does not say that it is ready"),
        (_fake(HERE, msgspec.structs.replace(READY, tier="none")), "it does not say that it is ready"),
        (_fake(HERE, msgspec.structs.replace(READY, slots=0)), "it does not say that it is ready"),
        (
            _fake(msgspec.structs.replace(HERE, codejury="0.0.1", judge="1")),
            r"has codejury 0.0.1 \(judge version 1, protocol 1\), and this is codejury .*: build it anew",
        ),
        (_fake(HERE, Refused(kind="infrastructure", message="bad\nluck")), r"^bad luck \(in the container"),
    ],
)
async def test_a_worker_that_is_not_ready(
    engine_of: Callable[..., ContainerEngine], said: list[str], message: str
) -> None:
    """Death, rubbish, another version and refusals are told in one line."""
    with pytest.raises(InfrastructureError, match=message) as caught:
        await engine_of(said).start()
    assert "\n" not in str(caught.value)


async def test_no_isolation_inside(engine_of: Callable[..., ContainerEngine]) -> None:
    """What the worker lacks is a tier that cannot be had, and names the container."""
    refused = Refused(kind="tier", layer="landlock", message="it is not there")
    with pytest.raises(TierUnavailable, match=r"isolation inside: landlock missing: it is not there .*an-image"):
        await engine_of(_fake(HERE, refused)).start()


async def test_a_worker_that_is_silent(
    engine_of: Callable[..., ContainerEngine], monkeypatch: pytest.MonkeyPatch, removed: list[str]
) -> None:
    """It has a time to be ready in, and one to end in; then its container is removed."""
    monkeypatch.setattr(conversation, "START_S", 0.2)
    monkeypatch.setattr(conversation, "END_S", 0.2)
    deaf = [sys.executable, "-c", "import time; time.sleep(600)"]
    engine = engine_of(deaf)
    with pytest.raises(InfrastructureError, match=r"is not ready after 0.2 s"):
        await engine.start()
    assert [engine.name] == removed


def _judgment(number: int = 1, **changes: Any) -> Judgment:
    return Judgment(round=1, number=number, verdict=msgspec.structs.replace(PASSED, **changes))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ((_judgment(2),), "judges a job that it was not given"),
        ((_judgment(-1),), "judges a job that it was not given"),
        ((Shown(round=1, problem_hash="x", profile=None),), "judges a job that it was not given"),
        ((_judgment(), _judgment()), "judges a job that it was not given"),
        ((_judgment(cpu_s=-1.0),), "measures what is less than nothing or endless"),
        ((_judgment(peak_bytes=-1),), "measures what is less than nothing or endless"),
        ((_judgment(tests=(ResultOfTest(1, Outcome.PASSED, -0.1),)),), "less than nothing or endless"),
        ((b'{"is":"Judgment","round":1,"number":1,"verdict":{"outcome":"superb"}}',), "Invalid enum value"),
        ((b'{"is":"Judgment","round":1,"number":1}',), "missing required field"),
        ((b"\xff\xfe",), "breaks the protocol"),
        ((READY,), "it is ready a second time"),
        ((Finished(round=1),), "ends before all jobs are judged"),
        ((More(round=1),) * (WINDOW + 1), "breaks the protocol"),
        ((Finished(round=1, error="the sandbox\nended"),), "^the sandbox ended$"),
    ],
)
async def test_what_a_worker_may_not_say(
    engine_of: Callable[..., ContainerEngine], texts: Any, said: tuple[Any, ...], message: str
) -> None:
    """A worker that answers wrongly ends the run; none of it is a verdict."""

    async def judge() -> None:
        async with engine_of(_answering(*said, after="Work")) as engine:
            kept = [judged async for judged in engine.submit(_held_back(texts))]
            pytest.fail(f"the round has ended, with {kept}")

    with pytest.raises(InfrastructureError, match=message):
        await judge()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ((Shown(round=1, problem_hash="x", profile=None),), "shows a reference that it was not asked for"),
        ((_judgment(),), "shows a reference that it was not asked for"),
        ((Finished(round=1),), "ends before all references are judged"),
    ],
)
async def test_what_a_worker_may_not_show(
    engine_of: Callable[..., ContainerEngine], texts: Any, said: tuple[Any, ...], message: str
) -> None:
    """The same for references."""
    problem = next(iter(texts.problems.values()))
    with pytest.raises(InfrastructureError, match=message):
        async with engine_of(_answering(*said, after="Measure")) as engine:
            _ = [found async for found in engine.profile([(problem, Limits())])]


async def test_answers_of_another_round_are_not_heard(
    engine_of: Callable[..., ContainerEngine], texts: Any
) -> None:
    """What is left of a round that was given up says nothing about the next."""
    stale = (Judgment(round=7, number=1, verdict=PASSED), More(round=0), Finished(round=0))
    wrong = msgspec.structs.replace(PASSED, outcome=Outcome.WRONG_ANSWER)
    said = (*stale, Judgment(round=1, number=1, verdict=wrong), Finished(round=1))
    judged = await _judge(engine_of(_answering(*said, after="End")), texts, RIGHT)
    assert [Outcome.WRONG_ANSWER] == [each.verdict.outcome for each in judged]
    assert {"container/landlock"} == {each.verdict.tier for each in judged}


async def _held_back(texts: Any) -> AsyncIterator[Job]:
    """One job, and then none for as long as anybody asks."""
    yield texts.job(RIGHT)
    await asyncio.Event().wait()


# Says that it is ready, and the rest once it has heard a frame of a kind.
ANSWERING = """
import sys
def say(*frames):
    for frame in frames:
        sys.stdout.buffer.write(len(frame).to_bytes(4, "little") + frame)
    sys.stdout.buffer.flush()
def heard():
    return sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(4), "little"))
say({greeting!r})
heard()
say({ready!r})
while {after!r} not in heard():
    pass
say(*{frames!r})
sys.stdin.buffer.read()
"""


def _answering(*said: Any, after: str) -> list[str]:
    """A worker that says this as soon as it hears a frame of this kind."""
    frames = [frame if isinstance(frame, bytes) else msgspec.json.encode(frame) for frame in said]
    greeting, ready = msgspec.json.encode(HERE), msgspec.json.encode(READY)
    awaited = f'"is":"{after}"'.encode()
    return [sys.executable, "-c", ANSWERING.format(greeting=greeting, ready=ready, after=awaited, frames=frames)]
