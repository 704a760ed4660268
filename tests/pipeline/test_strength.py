"""How strong are a set's tests? Mutants before the real judge, and what the document says of them."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

import msgspec
import pytest

from codejury.model import Assertions, InfrastructureError, Limits, Outcome, Problem, ProblemSet, UsageError
from codejury.pipeline import StrengthSettings, strength
from codejury.report import SetsStrengthDocument, StrengthFault, Survivor, Unmutated
from codejury.sets.equivalents import Equivalent

PROMPT = 'def f(x, y=0):\n    """Doc."""\n'
BODY = "    if x < y:\n        return x + 1\n    return y\n"
ALL_KILLED = ("assert f(1, 2) == 2", "assert f(2, 2) == 2", "assert f(3) == 0", "assert f(-5) == -4")
STRONG = Problem(
    id="t/strong", prompt=PROMPT, entry_point="f", tests=Assertions(code=ALL_KILLED), reference=PROMPT + BODY
)
NUMBER = 11  # of its mutants
# `x <= y` gives 3 where both are 2, and passes without the second assertion.
LENIENT = msgspec.structs.replace(STRONG, id="t/lenient", tests=Assertions(code=(ALL_KILLED[0], *ALL_KILLED[2:])))
LABEL = "line 3: Lt to LtE"

pytestmark = pytest.mark.sandbox
judging = pytest.mark.usefixtures("sandbox")


def _strength(
    *problems: Problem, equivalents: Any = (), progress: Any = None, **settings: Any
) -> SetsStrengthDocument:
    problem_set = ProblemSet(name="tiny", version="1-0", problems=problems)
    settings.setdefault("limits", Limits(cpu_s=2, cpu_total_s=10, wall_factor=30))
    return asyncio.run(
        strength(problem_set, StrengthSettings(**settings), equivalents=equivalents, progress=progress)
    )


def _argued(mutant: str, problem: str = "t/lenient") -> Equivalent:
    return Equivalent(problem=problem, mutant=mutant, reason="It is argued.")


def _counts(document: SetsStrengthDocument) -> dict[str, tuple[int, int, int]]:
    return {row.id: (row.mutants, row.killed, row.equivalent) for row in document.per_problem}


@judging
def test_strong_tests_fail_every_mutant(heard: Any, sandbox: str) -> None:
    """The score is 1; nothing of the prompt is mutated; each reference and each mutant is a step."""
    document = _strength(STRONG, progress=heard)
    assert {"t/strong": (NUMBER, NUMBER, 0)} == _counts(document)
    assert 1.0 == document.total.score == document.per_problem[0].score
    assert document.ok
    assert not document.survivors + document.equivalents
    assert ([], []) == (document.faults, document.unmutated)
    assert [("references", 1), ("mutants", NUMBER)] == heard.stages
    assert [Outcome.PASSED] == heard.outcomes[:1]
    assert Outcome.PASSED not in heard.outcomes[1:]
    assert (sandbox, "tiny", 1) == (document.tier, document.problem_set.name, document.problems)


@judging
def test_survivors_are_shown_with_their_line() -> None:
    """The score is a share of the problem's mutants, and of all."""
    document = _strength(STRONG, LENIENT)
    assert {"t/strong": (NUMBER, NUMBER, 0), "t/lenient": (NUMBER, NUMBER - 1, 0)} == _counts(document)
    assert [Survivor(id="t/lenient", mutant=LABEL, line=3, text="if x < y:")] == document.survivors
    assert [1.0, 10 / 11] == [row.score for row in document.per_problem]
    assert 21 / 22 == document.total.score
    assert document.ok


@judging
def test_a_problem_below_the_least_score() -> None:
    """Is named; a score is not below itself."""
    document = _strength(STRONG, LENIENT, min_score=0.92)
    assert ["t/lenient"] == document.below
    assert not document.ok
    assert [] == _strength(LENIENT, min_score=10 / 11).below


@judging
def test_equivalents_are_left_out_of_the_score() -> None:
    """With their reason; a mutant that is argued for another problem is none of this one."""
    document = _strength(LENIENT, equivalents=[_argued(LABEL)], min_score=1.0)
    assert 1.0 == document.total.score
    assert {"t/lenient": (NUMBER, NUMBER - 1, 1)} == _counts(document)
    expected = Survivor(id="t/lenient", mutant=LABEL, line=3, text="if x < y:", reason="It is argued.")
    assert [expected] == document.equivalents
    assert document.ok
    assert [] == document.survivors


@judging
def test_wrong_equivalents_are_faults() -> None:
    """One that a test fails, one that is not there, one of a problem that is not there."""
    argued = [_argued("line 3: Lt to GtE"), _argued("line 9: 0 to 1"), _argued(LABEL, "t/none")]
    document = _strength(LENIENT, equivalents=argued)
    assert [
        StrengthFault(
            id="t/none", mutant=LABEL, detail="argued to be equivalent, but the set has no such problem"
        ),
        StrengthFault(
            id="t/lenient",
            mutant="line 3: Lt to GtE",
            detail="argued to be equivalent, but the tests fail it: wrong_answer",
        ),
        StrengthFault(
            id="t/lenient",
            mutant="line 9: 0 to 1",
            detail="argued to be equivalent, but there is no such mutant",
        ),
    ] == document.faults
    assert {"t/lenient": (NUMBER, NUMBER - 1, 0)} == _counts(document)
    assert [] == document.below
    assert not document.ok


@judging
def test_some_of_the_problems() -> None:
    """Of the others neither references nor equivalents are looked at."""
    document = _strength(STRONG, LENIENT, ids=("t/strong",), equivalents=[_argued("line 9: 0 to 1")])
    assert ["t/strong"] == list(_counts(document))
    assert 1 == document.problems
    assert document.ok


@judging
def test_problems_without_mutants_are_apart() -> None:
    """No reference, another language, nothing to mutate, a reference of another Python: they have no score."""
    replace = msgspec.structs.replace
    java = replace(STRONG, id="t/b", language="java")
    document = _strength(
        STRONG,
        replace(STRONG, id="t/a", reference=None),
        java,
        replace(
            STRONG, id="t/c", tests=Assertions(code=("assert f(1) is None",)), reference=PROMPT + "    pass\n"
        ),
    )
    assert [
        Unmutated(id="t/a", reason="it has no reference"),
        Unmutated(id="t/b", reason=f"it cannot be judged: {java.obstacle}"),
        Unmutated(id="t/c", reason="its reference has nothing to mutate"),
    ] == document.unmutated
    assert ["t/strong"] == list(_counts(document))
    assert 4 == document.problems
    assert document.ok


@judging
def test_reference_that_fails_is_a_fault() -> None:
    """What its mutants do says nothing."""
    document = _strength(msgspec.structs.replace(STRONG, reference=PROMPT + "    return y\n"))
    [fault] = document.faults
    assert ("t/strong", None) == (fault.id, fault.mutant)
    assert fault.detail.startswith("its reference fails: wrong_answer")
    assert [] == document.per_problem
    assert document.total.score is None
    assert not document.ok


@judging
def test_a_mutant_that_hangs_is_ended_soon() -> None:
    """At a quarter of a CPU second, not at the run's limit."""
    body = "    while x < 3:\n        x += 1\n    return x\n"
    problem = msgspec.structs.replace(
        STRONG, tests=Assertions(code=("assert f(1) == 3", "assert f(4) == 4")), reference=PROMPT + body
    )
    document = _strength(problem, limits=Limits(cpu_s=100, cpu_total_s=100))
    assert 30 > document.timing.wall_s
    assert {"line 3: removed AugAssign"}.isdisjoint(survivor.mutant for survivor in document.survivors)


@judging
def test_infrastructure_errors_are_no_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that could not be judged counts nowhere."""

    async def fail(*_: object, **__: object) -> None:
        raise InfrastructureError("no lanes")

    monkeypatch.setattr(importlib.import_module("codejury.engine.local"), "judge", fail)
    document = _strength(STRONG, equivalents=[_argued(LABEL, "t/strong")])
    assert (NUMBER, 0, NUMBER) == (document.total.mutants, document.total.killed, document.total.infra_errors)
    assert document.total.score is None
    assert ([], []) == (document.faults, document.below)
    assert not document.ok


def test_unknown_problem_is_refused() -> None:
    """Before anything is judged."""
    with pytest.raises(UsageError, match="set 'tiny' has no problem 't/x'"):
        _strength(STRONG, ids=("t/strong", "t/x"))


@pytest.mark.parametrize(
    ("prompt", "rest", "first"),
    [
        ("def f(x):\n", "    return x\n", 2),
        ("def f(x):\n    ", "return x\n", 2),
        ("def f(x):", "\n    return x\n", 2),
        ("def f(x): ", "return x\n", 1),
        ("class C:\n    '''Doc.'''\n\n", "    x = 1\n", 4),
        ("", "def f(x): return x\n", 1),
    ],
)
def test_first_line_that_is_the_answers(prompt: str, rest: str, first: int) -> None:
    """Whether or not the prompt ends with its line."""
    module = importlib.import_module("codejury.pipeline.strength")
    problem = msgspec.structs.replace(STRONG, prompt=prompt, reference=prompt + rest)
    assert first == module._first_line(problem)
    assert 1 == module._first_line(msgspec.structs.replace(problem, prompt="Write f."))
