"""From what sessions show to verdicts: the rules, with sessions that are made up here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.judging import Observation, Profile, Request, Try, judge, profile, verdict_key
from codejury.model import (
    Assertions,
    CheckFunction,
    LimitOverrides,
    Limits,
    Outcome,
    Problem,
    text_hash,
)
from codejury.model import TestResult as Result  # under its own name, pytest takes it for tests
from codejury.sandbox import Settings, describe

if TYPE_CHECKING:
    from collections.abc import Callable

LIMITS = Limits(cpu_s=2.0, cpu_total_s=10.0)
PROBLEM = Problem(
    id="p",
    prompt="",
    entry_point="f",
    tests=CheckFunction(code="def check(c):\n    assert c() == 1\n"),
    reference="def f(): return 1\n",
)
SOUND = Profile(outcome=Outcome.PASSED, finished=3)


class _Sandbox:
    settings = Settings(interpreter=describe(), limits=LIMITS, tier="made-up")


class MadeUp:
    """A slot whose sessions show what they are told to."""

    sandbox = _Sandbox()

    def __init__(self, *seen: Observation | Callable[[Request], Observation]) -> None:
        self.seen, self.requests = list(seen), []  # type: ignore[var-annotated]

    async def observe(self, request: Request) -> Observation:
        """The next of the sessions; the last one for ever."""
        self.requests.append(request)
        seen = self.seen.pop(0) if len(self.seen) > 1 else self.seen[0]
        return seen(request) if callable(seen) else msgspec.structs.replace(seen, tests=list(seen.tests))


def shows(outcome: Outcome | None = Outcome.PASSED, detail: str = "", **facts: Any) -> Observation:
    """What a session shows: by default as many assertions as the reference finished."""
    facts.setdefault("tests", [])
    return Observation(outcome=outcome, detail=detail, **{"finished": 3, "calls": 3, **facts})


def result(outcome: Outcome, line: int = 1) -> Result:
    """One result."""
    return Result(line, outcome, 0.5)


async def verdict_of(slot: Any, reference: Profile | None = SOUND, **settings: Any) -> Try:
    """Judge some program."""
    return await judge(slot, PROBLEM, "def f(): return 1\n", LIMITS, reference, **settings)


# ---- what a session shows is what the verdict says


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.PASSED])
async def test_failures_are_passed_on(outcome: Outcome) -> None:
    """Outcome, detail, results and measures of the session."""
    seen = shows(outcome, "why", tests=[result(outcome)], cpu_s=1.5, wall_s=2.5, peak_bytes=7, waited_s=0.0)
    slot = MadeUp(seen)
    verdict = (await verdict_of(slot)).verdict
    assert (outcome, "why", (result(outcome),)) == (verdict.outcome, verdict.detail, verdict.tests)
    assert (1.5, 2.5, 7) == (verdict.cpu_s, verdict.wall_s, verdict.peak_bytes)
    assert ("strong", "made-up", None) == (verdict.integrity, verdict.tier, verdict.flipped_from)
    assert 1 == len(slot.requests)


@pytest.mark.parametrize("source", ["", " \n\t\n"])
async def test_no_code_runs_nothing(source: str) -> None:
    """A blank answer is judged before anything runs."""
    slot = MadeUp(shows())
    attempt = await judge(slot, PROBLEM, source, LIMITS, SOUND)  # type: ignore[arg-type]
    assert (Outcome.NO_CODE, False, []) == (attempt.verdict.outcome, attempt.doubtful, slot.requests)


async def test_request_says_what_the_problem_says() -> None:
    """The session gets program, tests, limits, and the code that the reference's judge made."""
    slot = MadeUp(shows())
    await verdict_of(slot, Profile(outcome=Outcome.PASSED, finished=3, code="made"))
    assert [
        Request(
            source="def f(): return 1\n",
            entry_point="f",
            tests=PROBLEM.tests,
            limits=LIMITS,
            code="made",
        )
    ] == slot.requests


async def test_tests_are_looked_at_where_no_reference_was() -> None:
    """Without a profile, the sample's own judge looks who may act."""
    slot = MadeUp(shows(acting="eval"))
    assert "weak" == (await verdict_of(slot, None)).verdict.integrity
    assert slot.requests[0].scan


async def test_acting_tests_are_weak() -> None:
    """With a profile, it says whether the tests may act; the sample's judge is not asked."""
    acting = Profile(outcome=Outcome.PASSED, finished=3, acting="eval")
    assert "weak" == (await verdict_of(MadeUp(shows()), acting)).verdict.integrity
    assert "strong" == (await verdict_of(MadeUp(shows(acting="eval")), SOUND)).verdict.integrity


# ---- as many finished assertions as the reference


@pytest.mark.parametrize(("finished", "passes"), [(2, False), (3, True), (4, True)])
async def test_finished_assertions(finished: int, passes: bool) -> None:  # noqa: FBT001 - the expected value
    """Who finishes fewer assertions than the reference has not passed."""
    verdict = (await verdict_of(MadeUp(shows(finished=finished)))).verdict
    assert passes == verdict.passed
    assert passes or "finished 2 assertions of 3" == verdict.detail


async def test_finished_assertions_without_a_sound_reference() -> None:
    """A reference that fails, or none, sets no number."""
    failing = Profile(outcome=Outcome.WRONG_ANSWER, finished=5)
    assert (await verdict_of(MadeUp(shows(finished=1)), failing)).verdict.passed
    assert (await verdict_of(MadeUp(shows(finished=1)), None)).verdict.passed


# ---- changed arguments


async def test_change_that_the_reference_does_not_make() -> None:
    """A pass is needed with and without the change; the second session's time counts as well."""
    slot = MadeUp(shows(changed=True, cpu_s=1.0), shows(cpu_s=0.5))
    verdict = (await verdict_of(slot)).verdict
    assert (True, 1.5) == (verdict.passed, verdict.cpu_s)
    assert [True, False] == [request.apply for request in slot.requests]


@pytest.mark.parametrize(
    "second", [shows(Outcome.WRONG_ANSWER), shows(Outcome.EXCEPTION), shows(finished=2), shows(None)]
)
async def test_pass_by_changed_arguments_alone(second: Observation) -> None:
    """Who does not pass without the change has a wrong answer."""
    verdict = (await verdict_of(MadeUp(shows(changed=True), second))).verdict
    assert Outcome.WRONG_ANSWER is verdict.outcome
    assert "changing its arguments" in verdict.detail


async def test_change_that_the_reference_makes_too() -> None:
    """In-place problems are judged once, with the change."""
    slot = MadeUp(shows(changed=True))
    assert (await verdict_of(slot, Profile(outcome=Outcome.PASSED, finished=3, changed=True))).verdict.passed
    assert 1 == len(slot.requests)


async def test_change_without_a_reference() -> None:
    """Without a reference the stricter rule holds."""
    slot = MadeUp(shows(changed=True), shows(Outcome.WRONG_ANSWER))
    assert not (await verdict_of(slot, None)).verdict.passed


async def test_failure_with_a_change_is_not_tried_again() -> None:
    """What failed already needs no second session."""
    slot = MadeUp(shows(Outcome.WRONG_ANSWER, changed=True))
    await verdict_of(slot)
    assert 1 == len(slot.requests)


# ---- problems at fault


async def test_faulty_problem_passes_nobody() -> None:
    """Where the reference shows a fault of the problem, no sample passes, whatever it shows."""
    faulty = Profile(outcome=None, fault="its tests never call the candidate")
    verdict = (await verdict_of(MadeUp(shows()), faulty)).verdict
    assert Outcome.WRONG_ANSWER is verdict.outcome
    assert "cannot be judged: its tests never call" in verdict.detail


async def test_fault_that_the_reference_does_not_show_is_the_samples() -> None:
    """A sample that makes the tests do nothing has failed."""
    verdict = (await verdict_of(MadeUp(shows(None, "its tests finish no assertion")))).verdict
    assert (Outcome.WRONG_ANSWER, "its tests finish no assertion") == (verdict.outcome, verdict.detail)


async def test_profile_of_a_reference() -> None:
    """It keeps what judging the reference showed."""
    slot = MadeUp(shows(finished=7, changed=True, acting="open", cpu_s=0.25, code="made"))
    seen = await profile(slot, PROBLEM, LIMITS, all_tests=True)  # type: ignore[arg-type]
    assert (
        Profile(outcome=Outcome.PASSED, finished=7, changed=True, acting="open", cpu_s=0.25, code="made") == seen
    )
    assert seen is not None
    assert seen.sound
    assert (PROBLEM.reference, True, True) == (
        slot.requests[0].source,
        slot.requests[0].scan,
        slot.requests[0].all_tests,
    )


async def test_profile_of_a_fault() -> None:
    """A problem that cannot be judged says why."""
    seen = await profile(MadeUp(shows(None, "why")), PROBLEM, LIMITS)  # type: ignore[arg-type]
    assert seen is not None
    assert (None, "why", False) == (seen.outcome, seen.fault, seen.sound)


async def test_profile_without_a_reference() -> None:
    """There is none, and nothing runs."""
    slot = MadeUp(shows())
    assert await profile(slot, msgspec.structs.replace(PROBLEM, reference=None), LIMITS) is None  # type: ignore[arg-type]
    assert [] == slot.requests


# ---- what may be tried again


@pytest.mark.parametrize(
    ("outcome", "reference_cpu_s", "waited_s", "doubtful"),
    [
        (Outcome.TIMEOUT_CPU, 0.1, 9.0, False),
        (Outcome.TIMEOUT_CPU, 0.5, None, False),
        (Outcome.TIMEOUT_CPU, 0.51, 0.0, True),
        (Outcome.TIMEOUT_CPU, None, 9.0, False),
        (Outcome.TIMEOUT_WALL, 0.1, None, True),
        (Outcome.TIMEOUT_WALL, 0.1, 0.34, False),
        (Outcome.TIMEOUT_WALL, 0.1, 0.36, True),
        (Outcome.OUT_OF_MEMORY, 9.0, 9.0, False),
        (Outcome.CRASHED, 9.0, 9.0, False),
        (Outcome.PASSED, 9.0, 9.0, False),
    ],
)
async def test_doubtful_timeouts(
    outcome: Outcome,
    reference_cpu_s: float | None,
    waited_s: float | None,
    doubtful: bool,  # noqa: FBT001 - the expected value
) -> None:
    """A CPU timeout where the reference is slow too; a wall timeout of one that was kept waiting (5 % of 7 s)."""
    reference = None
    if reference_cpu_s is not None:
        reference = Profile(outcome=Outcome.PASSED, finished=3, cpu_s=reference_cpu_s)
    assert doubtful == (await verdict_of(MadeUp(shows(outcome, waited_s=waited_s)), reference)).doubtful


# ---- all tests


def killed_at(*positions: int, of: int, outcome: Outcome = Outcome.CRASHED) -> Callable[[Request], Observation]:
    """Sessions of a candidate that ends in some of its tests, as the judge and the host report them."""

    def session(request: Request) -> Observation:
        tests: list[Result | None] = []
        for position in range(of):
            if position in request.skip:
                tests.append(None)
            elif position in positions:
                tests.append(result(outcome, position))
                return shows(outcome, f"in {position}", tests=tests, killed=position, cpu_s=1.0)
            else:
                tests.append(result(Outcome.PASSED, position))
        return shows(tests=tests, cpu_s=1.0, finished=of - len(positions))

    return session


async def test_tests_after_a_killing_one_are_judged() -> None:
    """A fresh candidate runs the tests that the killed one did not reach."""
    slot = MadeUp(killed_at(1, 3, of=5))
    verdict = (await verdict_of(slot, all_tests=True)).verdict
    assert [(), (1,), (1, 3)] == [request.skip for request in slot.requests]
    ends = [Outcome.CRASHED if i in (1, 3) else Outcome.PASSED for i in range(5)]
    assert [(i, ends[i]) for i in range(5)] == [(t.line, t.outcome) for t in verdict.tests]
    assert (Outcome.CRASHED, "in 1", 3.0) == (verdict.outcome, verdict.detail, verdict.cpu_s)


async def test_restarts_end_with_the_time_in_all() -> None:
    """Each restart spends time; the limit in all holds for them together."""
    slot = MadeUp(killed_at(*range(100), of=100))
    verdict = (await verdict_of(slot, all_tests=True)).verdict
    assert LIMITS.cpu_total_s + 1 == len(slot.requests) == verdict.cpu_s
    assert Outcome.CRASHED is verdict.outcome


async def test_restarts_end_with_the_wall_time_in_all() -> None:
    """Tests that each sleep until they are ended spend no CPU time, and are over a limit all the same."""
    slot = MadeUp(
        lambda request: shows(
            Outcome.TIMEOUT_WALL, tests=[result(Outcome.TIMEOUT_WALL)], wall_s=10.0, killed=len(request.skip)
        )
    )
    verdict = (await verdict_of(slot, all_tests=True)).verdict
    assert (Outcome.TIMEOUT_WALL, LIMITS.wall_total_s // 10 + 1) == (verdict.outcome, len(slot.requests))


async def test_candidate_that_ends_outside_of_assertions() -> None:
    """What cannot be left out is not tried again."""
    slot = MadeUp(shows(Outcome.CRASHED, "between", tests=[result(Outcome.PASSED), result(Outcome.CRASHED)]))
    verdict = (await verdict_of(slot, all_tests=True)).verdict
    assert (1, Outcome.CRASHED, 2) == (len(slot.requests), verdict.outcome, len(verdict.tests))


async def test_outcome_is_that_of_the_first_failure() -> None:
    """An earlier wrong answer stays the outcome, although a later test killed the candidate."""

    def session(request: Request) -> Observation:
        wrong = result(Outcome.WRONG_ANSWER, 1)
        if request.skip:
            return shows(Outcome.WRONG_ANSWER, "first", tests=[wrong, None, result(Outcome.PASSED, 3)])
        return shows(Outcome.CRASHED, "later", tests=[wrong, result(Outcome.CRASHED, 2)], killed=1)

    verdict = (await verdict_of(MadeUp(session), all_tests=True)).verdict
    assert (Outcome.WRONG_ANSWER, "first") == (verdict.outcome, verdict.detail)
    assert [Outcome.WRONG_ANSWER, Outcome.CRASHED, Outcome.PASSED] == [t.outcome for t in verdict.tests]


async def test_kill_that_repeats_ends() -> None:
    """A candidate that ends in a test that was left out is not tried for ever."""
    stubborn = shows(Outcome.CRASHED, tests=[result(Outcome.CRASHED)], killed=0)
    slot = MadeUp(stubborn)
    assert Outcome.CRASHED is (await verdict_of(slot, all_tests=True)).verdict.outcome
    assert 2 == len(slot.requests)


# ---- keys


BASE: dict[str, Any] = {
    "problem": PROBLEM,
    "program_hash": text_hash("a"),
    "limits": LIMITS,
    "tier": "namespaces",
    "interpreter": "cpython 3.11.7",
    "all_tests": False,
}
CHANGES: dict[str, dict[str, Any]] = {
    "program": {"program_hash": text_hash("b")},
    "tier": {"tier": "none"},
    "interpreter": {"interpreter": "cpython 3.12.1"},
    "all tests": {"all_tests": True},
    "tests": {"problem": msgspec.structs.replace(PROBLEM, tests=Assertions(code=("assert f() == 1",)))},
    "context": {
        "problem": msgspec.structs.replace(PROBLEM, tests=msgspec.structs.replace(PROBLEM.tests, context="x = 1"))
    },
    "entry point": {"problem": msgspec.structs.replace(PROBLEM, entry_point="g")},
    "own limits": {"problem": msgspec.structs.replace(PROBLEM, limits=LimitOverrides(cpu_s=1.0))},
    **{
        f"limit {name}": {"limits": msgspec.structs.replace(LIMITS, **{name: getattr(LIMITS, name) * 2})}
        for name in Limits.__struct_fields__
    },
}


def _key(**changes: Any) -> str:
    parts = {**BASE, **changes}
    return verdict_key(parts.pop("problem"), parts.pop("program_hash"), parts.pop("limits"), **parts)


def test_equal_work_has_equal_keys() -> None:
    """What does not matter to a verdict is not in its key: id, prompt, difficulty, the reference's text."""
    other = msgspec.structs.replace(PROBLEM, id="q", prompt="text", difficulty="hard", reference=None)
    assert _key() == _key(problem=other)
    assert 64 == len(_key())


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_key_changes_with_each_ingredient(changes: dict[str, Any]) -> None:
    """Whatever could give another verdict gives another key."""
    assert _key() != _key(**changes)


def test_key_changes_with_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of the judge, another verdict."""
    before = _key()
    monkeypatch.setattr("codejury.judging.verdicts.JUDGE_VERSION", "other")
    assert before != _key()
