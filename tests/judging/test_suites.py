"""The attack suite and the honest suite before the real judge."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from codejury.model import Outcome

pytestmark = pytest.mark.sandbox

CONFTEST: Any = importlib.import_module("judging_conftest")
SUITE = CONFTEST.load_suites()


def _name(case: Any) -> str:
    return str(case.name)


each_tier = pytest.mark.parametrize("tier", ["namespaces", "landlock"])


def _judged(case: Any, tier: str, judged_suites: Any) -> Any:
    """The case as a tier judged it; skips what is about a property that the tier does not have."""
    if case.needs and tier == "landlock":
        pytest.skip(f"tier {tier!r} has no {case.needs}")
    return judged_suites(tier)[case.name]


@each_tier
@pytest.mark.parametrize("case", SUITE.ATTACKS, ids=_name)
def test_attack_fails(case: Any, tier: str, judged_suites: Any) -> None:
    """No attack passes, none becomes an infrastructure error, and each ends as its case expects."""
    judged = _judged(case, tier, judged_suites)
    expect = case.landlock if tier == "landlock" and case.landlock else case.expect
    assert judged.verdict.outcome not in (Outcome.PASSED, Outcome.INFRA_ERROR), judged
    assert judged.verdict.outcome in expect, judged


@each_tier
@pytest.mark.parametrize("case", SUITE.HONEST, ids=_name)
def test_honest_answer_passes(case: Any, tier: str, judged_suites: Any) -> None:
    """A right answer passes, however odd its habits."""
    judged = _judged(case, tier, judged_suites)
    assert (Outcome.PASSED, Outcome.PASSED) == (judged.profile.outcome, judged.verdict.outcome), judged
    assert ("strong", tier) == (judged.verdict.integrity, judged.verdict.tier)


@each_tier
@pytest.mark.parametrize("case", SUITE.VACUOUS, ids=_name)
def test_vacuous_problem_is_refused(case: Any, tier: str, judged_suites: Any) -> None:
    """A problem whose tests test nothing is at fault itself, and passes nobody."""
    judged = _judged(case, tier, judged_suites)
    assert not judged.profile.sound, judged
    assert not judged.verdict.passed, judged


@each_tier
@pytest.mark.parametrize("case", SUITE.WEAK, ids=_name)
def test_tests_that_act_on_values_are_weak(case: Any, tier: str, judged_suites: Any) -> None:
    """Tests that turn a candidate's text into code can be forged: their verdicts are never called strong."""
    assert "weak" == _judged(case, tier, judged_suites).verdict.integrity
