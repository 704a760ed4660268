"""Speed beside the reference: the rule on made-up times, and one real measurement that cannot be close."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import pytest

from codejury.judging import Profile
from codejury.model import CheckFunction, Judged, Outcome, Problem, TierUnavailable, Verdict
from codejury.pipeline import speed
from codejury.pipeline.speed import TIMES, Program, find_slower
from codejury.sandbox import choose_tier
from codejury.sets import starter
from codejury.sets.starter.variants import variants

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable

    from codejury.model import Job, Limits

NOTHING_S, REFERENCE_S = 0.1, 0.3
INPUTS = "def inputs(scale, seed):\n    return [[number] for number in range(scale)]\n"


def problem(name: str = "t/a", **changes: Any) -> Problem:
    """A problem with a reference and inputs."""
    facts: dict[str, Any] = {
        "id": name,
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "tests": CheckFunction(code="def check(candidate):\n    assert candidate(1) == 2\n"),
        "reference": "def f(x):\n    return x + 1  # reference\n",
        "inputs": INPUTS,
    }
    return Problem(**facts | changes)


def program(word: str, name: str = "t/a") -> Program:
    """A program that the engine below knows by a word in it."""
    return Program(name, f"def f(x):\n    return 1 + x  # {word}\n")


class Engine:
    """An engine that runs nothing: what a program takes in each try is known by a word in it."""

    times: ClassVar[dict[str, list[float | Outcome]]] = {}
    reference: ClassVar[Outcome] = Outcome.PASSED
    jobs: ClassVar[list[tuple[str, Limits]]] = []

    def __init__(self, library: Any, **_: object) -> None:
        self.library = library
        self.tries: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def profile(self, todo: list[tuple[Problem, Limits]]) -> AsyncGenerator[tuple[Problem, Profile], None]:
        """The profiles of the references."""
        for problem, _ in todo:
            yield problem, Profile(outcome=self.reference, cpu_s=REFERENCE_S)

    async def submit(self, jobs: AsyncIterable[Job]) -> AsyncGenerator[Judged, None]:
        """What becomes of the jobs, in their order."""
        async for job in jobs:
            source = self.library.program(job.program_hash)
            word = next((word for word in self.times if f"# {word}\n" in source), "nothing")
            number = self.tries[word] = self.tries.get(word, -1) + 1
            self.jobs.append((word, job.limits))
            took = self.times[word][number]
            outcome, cpu_s = (took, 0.0) if isinstance(took, Outcome) else (Outcome.PASSED, took)
            if cpu_s > job.limits.cpu_s:
                outcome = Outcome.TIMEOUT_CPU
            verdict = Verdict(outcome=outcome, integrity="strong", tier="none", cpu_s=cpu_s)
            yield Judged(job=job, verdict=verdict)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> type[Engine]:
    """The engine above in the place of the local one; nothing and the reference take the same in both tries."""
    times: dict[str, list[float | Outcome]] = {"nothing": [NOTHING_S] * 2, "reference": [REFERENCE_S] * 2}
    monkeypatch.setattr(Engine, "times", times)
    monkeypatch.setattr(Engine, "jobs", [])
    monkeypatch.setattr(speed, "LocalEngine", Engine)
    return Engine


async def test_more_than_three_times_the_reference(engine: type[Engine]) -> None:
    """What both take to start and to make the inputs does not count; just over three times is slower."""
    allowed_s = NOTHING_S + TIMES * (REFERENCE_S - NOTHING_S)
    engine.times |= {"even": [allowed_s] * 2, "over": [allowed_s + 1e-6] * 2, "fast": [NOTHING_S] * 2}
    programs = [program(word) for word in ("even", "over", "fast")]

    found = await find_slower([problem()], programs, tier="none")

    assert {programs[0]: False, programs[1]: True, programs[2]: False} == found


async def test_the_better_try_counts(engine: type[Engine]) -> None:
    """Of programs, of the reference and of nothing; all are tried in turn, so that a slow spell meets all."""
    engine.times |= {"a": [9.0, 0.6], "b": [0.8, 9.0]}
    engine.times["reference"] = [5.0, REFERENCE_S]
    engine.times["nothing"] = [NOTHING_S, 4.0]

    found = await find_slower([problem()], [program("a"), program("b")], tier="none")

    assert {program("a"): False, program("b"): True} == found
    assert ["nothing", "reference", "a", "b"] * 2 == [word for word, _ in engine.jobs]


async def test_slow_programs_are_stopped(engine: type[Engine]) -> None:
    """Well after they have taken more than allowed, and count as slower."""
    engine.times |= {"endless": [60.0] * 2}

    found = await find_slower([problem()], [program("endless")], tier="none")

    assert {program("endless"): True} == found
    assert [pytest.approx(1.5 * TIMES * REFERENCE_S)] * 6 == [limits.cpu_s for _, limits in engine.jobs]


async def test_times_too_short_to_tell(engine: type[Engine]) -> None:
    """A reference that takes no time at all makes nothing slower that takes hardly any."""
    engine.times |= {"reference": [NOTHING_S - 0.001] * 2, "short": [NOTHING_S + 0.005] * 2, "long": [0.2] * 2}

    found = await find_slower([problem()], [program("short"), program("long")], tier="none")

    assert {program("short"): False, program("long"): True} == found


async def test_what_fails_is_left_out(engine: type[Engine]) -> None:
    """A program that raises where the input is large is no slower one."""
    engine.times |= {"deep": [0.2, Outcome.EXCEPTION], "good": [0.2, 0.2]}

    found = await find_slower([problem()], [program("deep"), program("good")], tier="none")

    assert {program("good"): False} == found


@pytest.mark.parametrize("word", ["nothing", "reference"])
async def test_without_a_measure_nothing_is_compared(engine: type[Engine], word: str) -> None:
    """Where the reference, or the program that does nothing, failed once."""
    engine.times |= {"good": [0.2, 0.2], word: [0.2, Outcome.CRASHED]}

    assert {} == await find_slower([problem()], [program("good")], tier="none")


async def test_reference_that_fails_at_scale(engine: type[Engine], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its problem is not measured."""
    monkeypatch.setattr(engine, "reference", Outcome.TIMEOUT_CPU)

    assert {} == await find_slower([problem()], [program("good")], tier="none")
    assert [] == engine.jobs


async def test_problems_that_cannot_be_measured(engine: type[Engine], heard: Any) -> None:
    """Those without inputs, without a reference and without programs are left out; the others are told of."""
    engine.times |= {"good": [0.2] * 2}
    problems = [problem(), problem("t/b", inputs=None), problem("t/c", reference=None), problem("t/d")]
    programs = [program("good", name) for name in ("t/a", "t/b", "t/c")]

    found = await find_slower(problems, programs, tier="none", progress=heard)

    assert {program("good"): False} == found
    assert [("references at scale", 1), ("speed at scale", 6)] == heard.stages
    assert 1 + 6 == len(heard.outcomes)


async def test_the_reference_itself(engine: type[Engine]) -> None:
    """A program that is the reference to the letter is as fast, and is measured once."""
    same = Program("t/a", problem().reference or "")

    assert {same: False} == await find_slower([problem()], [same], tier="none")
    assert ["nothing", "reference"] * 2 == [word for word, _ in engine.jobs]


def _tier() -> str:
    """The strongest tier; none where there is none: the programs are ours."""
    try:
        return choose_tier().tier
    except TierUnavailable:
        return "none"


@pytest.mark.sandbox
async def test_a_real_measurement() -> None:
    """A slow answer that takes hundreds of times as long as its reference is found, and a fast one is not."""
    known = starter.load().by_id()["starter/longest_increasing"]
    answers = {
        trait: Program(known.id, known.prompt + answer.body)
        for answer in variants(known).right
        for trait in answer.traits
    }

    found = await find_slower([known], answers.values(), tier=_tier(), slots=1)

    assert {answers["slow"]: True, answers["fast"]: False} == found
