"""The suites of unittest's and pytest's modules: as data, and before the real judge in both tiers."""

from __future__ import annotations

import asyncio
import importlib
from collections import Counter
from functools import cache
from typing import Any

import pytest

from codejury.model import Outcome
from codejury.pipeline.packages import visible
from codejury.sandbox import describe

CONFTEST: Any = importlib.import_module("judging_conftest")
SUITES = CONFTEST.load_suites().__name__
ATTACKS = importlib.import_module(f"{SUITES}.attacks_suites").CASES
HONEST = importlib.import_module(f"{SUITES}.honest_suites").CASES

pytestmark = pytest.mark.slow  # half a minute each; the suite of functions stays


def _name(case: Any) -> str:
    return str(case.name)


@cache
def _judged(tier: str) -> Any:
    cases = (*ATTACKS, *HONEST)
    packages = visible(map(CONFTEST.problem_for, cases), (), describe())
    return asyncio.run(CONFTEST.judge_cases(cases, slots=4, tier=tier, packages=packages))


each_tier = pytest.mark.parametrize("tier", ["namespaces", "landlock"])


@pytest.mark.sandbox
@each_tier
@pytest.mark.parametrize("case", ATTACKS, ids=_name)
def test_attack_fails(case: Any, tier: str) -> None:
    """No attack passes, none becomes an infrastructure error, and each ends as its case expects."""
    judged = _judged(tier)[case.name]
    assert judged.profile.sound, judged
    assert judged.verdict.outcome not in (Outcome.PASSED, Outcome.INFRA_ERROR), judged
    assert judged.verdict.outcome in case.expect, judged
    assert "strong" == judged.verdict.integrity


@pytest.mark.sandbox
@each_tier
@pytest.mark.parametrize("case", HONEST, ids=_name)
def test_honest_program_passes(case: Any, tier: str) -> None:
    """A right program passes, however odd its habits, and its pass is strong."""
    judged = _judged(tier)[case.name]
    assert (Outcome.PASSED, Outcome.PASSED) == (judged.profile.outcome, judged.verdict.outcome), judged
    assert ("strong", tier) == (judged.verdict.integrity, judged.verdict.tier)


def test_suites_have_their_size() -> None:
    """They must not shrink unnoticed; names mean one case each, and no attack is a reference."""
    assert len(ATTACKS) >= 170
    assert len(HONEST) >= 50
    assert [] == [name for name, n in Counter(map(_name, (*ATTACKS, *HONEST))).items() if n > 1]
    assert [] == [case.name for case in ATTACKS if case.program.strip() == case.reference.strip()]
    assert not any(Outcome.PASSED in case.expect or Outcome.INFRA_ERROR in case.expect for case in ATTACKS)
