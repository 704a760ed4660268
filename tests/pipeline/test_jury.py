"""Juries: the verdicts of `codejury judge`, as programs come; cancelled, full, broken, and without a trace."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from codejury import judging
from codejury.model import Assertions, Limits, Outcome, Problem, ProblemSet, UsageError, Verdict
from codejury.pipeline import AsyncJury, Jury, JurySettings, jury

if TYPE_CHECKING:
    from codejury.judging import Try

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("sandbox")]

DOUBLE = Problem(
    id="double",
    prompt="def f(x):\n",
    entry_point="f",
    reference="def f(x):\n    return 2 * x\n",
    tests=Assertions(code=("assert f(1) == 2", "assert f(2) == 4", "assert f(3) == 6")),
)
BARE = Problem(id="bare", prompt="", entry_point="g", tests=Assertions(code=("assert g() == 1",)))
VACUOUS = Problem(
    id="vacuous",
    prompt="",
    entry_point="f",
    reference="def f():\n    return 1\n",
    tests=Assertions(code=("assert True",)),
)
SET = ProblemSet(name="three", version="1-0", problems=(DOUBLE, BARE, VACUOUS))
RIGHT = "def f(x):\n    return x + x\n"
WRONG = "def f(x):\n    return 2\n"
ENDLESS = "def f(x):\n    while True:\n        pass\n"
QUICK = JurySettings(slots=2, limits=Limits(cpu_s=0.5))


def outcomes(verdicts: list[Verdict]) -> list[Outcome]:
    """Of verdicts."""
    return [verdict.outcome for verdict in verdicts]


def test_batches_come_back_in_order() -> None:
    """Whichever program ends first; completions continue the prompt."""
    answers = [("double", ENDLESS), ("double", WRONG), ("bare", "def g():\n    return 1\n"), ("double", RIGHT)]
    with Jury(SET, QUICK) as judges:
        verdicts = judges.judge_all(answers * 3)
        completed = judges.judge("double", "    return x * 2\n", kind="completion")
    expected = [Outcome.TIMEOUT_CPU, Outcome.WRONG_ANSWER, Outcome.PASSED, Outcome.PASSED]
    assert expected * 3 == outcomes(verdicts)
    assert (Outcome.PASSED, "strong") == (completed.outcome, completed.integrity)


def test_rewards_of_one_and_of_many_tests() -> None:
    """Fail-fast, all or nothing; dense, the share of tests, and never 1 for a wrong program."""
    answers = [("double", RIGHT), ("double", WRONG), ("double", "")]
    with Jury(SET, QUICK) as judges:
        assert [1.0, 0.0, 0.0] == judges.rewards(answers)
        with pytest.raises(UsageError, match="all_tests=True"):
            judges.rewards(answers, mode="fraction")
    with Jury(SET, JurySettings(slots=1, all_tests=True)) as judges:
        assert [1.0, 1 / 3, 0.0] == judges.rewards(answers, mode="fraction")


def test_what_cannot_be_judged_is_said() -> None:
    """An unknown problem, one whose tests test nothing, a jury that is not in session; all others go on."""
    judges = Jury(SET, QUICK)
    with pytest.raises(UsageError, match="not in session"):
        judges.judge("double", RIGHT)
    with judges:
        with pytest.raises(UsageError, match="three has no problem 'treble'"):
            judges.judge("treble", RIGHT)
        with pytest.raises(UsageError, match="'vacuous' cannot be judged: its tests never call the candidate"):
            judges.judge_all([("double", RIGHT), ("vacuous", RIGHT)])
        assert Outcome.PASSED is judges.judge("double", RIGHT).outcome
    with pytest.raises(UsageError, match="not in session"):
        judges.judge("double", RIGHT)


def test_cancelled_programs_end() -> None:
    """While they run and while they wait; their slots judge on."""
    patient = JurySettings(slots=1, limits=Limits(cpu_s=60.0, cpu_total_s=60.0))
    with Jury(SET, patient) as judges:
        judges.prepare(["double"])
        futures = [judges.submit("double", ENDLESS) for _ in range(4)]
        for future in futures:
            assert future.cancel()
        assert Outcome.PASSED is judges.judge("double", RIGHT).outcome
        with pytest.raises(CancelledError):
            futures[0].result()


def test_the_end_cancels_what_is_under_way() -> None:
    """Nobody waits for a program that nobody will hear of."""
    patient = JurySettings(slots=1, limits=Limits(cpu_s=60.0, cpu_total_s=60.0))
    with Jury(SET, patient) as judges:
        futures = [judges.submit("double", ENDLESS) for _ in range(3)]
    assert all(future.cancelled() for future in futures)


def test_a_full_jury_makes_its_producer_wait() -> None:
    """No more are taken than `WAITING` a slot; the next is taken when one is done."""
    patient = JurySettings(slots=1, limits=Limits(cpu_s=60.0, cpu_total_s=60.0))
    with Jury(SET, patient) as judges:
        judges.prepare(["double"])
        futures = [judges.submit("double", ENDLESS) for _ in range(jury.WAITING)]
        taken = threading.Event()

        def produce() -> None:
            futures.append(judges.submit("double", RIGHT))
            taken.set()

        producer = threading.Thread(target=produce)
        producer.start()
        assert not taken.wait(0.2)
        for future in futures[: jury.WAITING]:
            future.cancel()
        assert taken.wait(30)
        producer.join()
        assert Outcome.PASSED is futures[-1].result().outcome


async def test_tasks_share_slots_and_references() -> None:
    """Each reference is judged once, however many ask; one that is cancelled takes nothing from the others."""
    async with AsyncJury(SET, QUICK) as judges:
        first = asyncio.create_task(judges.judge("double", RIGHT))
        others = [asyncio.create_task(judges.judge("double", f"{RIGHT}# {i}\n")) for i in range(20)]
        await asyncio.sleep(0)
        first.cancel()
        verdicts = await asyncio.gather(*others)
        assert [Outcome.PASSED] * 20 == outcomes(list(verdicts))
        with pytest.raises(asyncio.CancelledError):
            await first


async def test_doubtful_timeouts_are_judged_again_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """While nothing else runs; a verdict that changes says from what."""
    under_way, most, tries = 0, [0], iter([True, False])
    true_judge = judging.judge

    async def judge(slot: object, problem: Problem, source: str, *rest: object, **named: object) -> Try:
        nonlocal under_way
        under_way += 1
        try:
            found = await true_judge(slot, problem, source, *rest, **named)  # type: ignore[arg-type]
            if "doubt" in source:
                most.append(under_way)
                if next(tries):
                    timeout = Verdict(outcome=Outcome.TIMEOUT_WALL, integrity="strong", tier="namespaces")
                    return type(found)(timeout, True)
            return found
        finally:
            under_way -= 1

    monkeypatch.setattr(jury, "judge", judge)
    async with AsyncJury(SET, QUICK) as judges:
        await judges.prepare(["double"])
        answers = [("double", f"{RIGHT}# {'doubt' if i == 3 else i}\n") for i in range(12)]
        verdicts = await judges.judge_all(answers)
    assert [Outcome.PASSED] * 12 == outcomes(verdicts)
    assert (Outcome.TIMEOUT_WALL, None) == (verdicts[3].flipped_from, verdicts[4].flipped_from)
    assert 1 == most[-1]


def test_nothing_is_left_over() -> None:
    """After many programs and several juries: the descriptors and threads of before."""

    def held() -> tuple[int, int]:
        return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    with Jury(SET, QUICK) as judges:
        judges.judge("double", RIGHT)
    before = held()
    for turn in range(4):
        with Jury(SET, QUICK) as judges:
            judges.prepare(["double"])
            during = held()
            judges.judge_all([("double", f"{(RIGHT, WRONG)[i % 2]}# {turn} {i}\n") for i in range(100)])
            assert during[1] == held()[1]
            assert abs(during[0] - held()[0]) <= 12  # lanes with or without a child that waits
    assert before == held()
