"""The suites of programs in the process of their tests: as data, and before the real judge in both tiers."""

from __future__ import annotations

import asyncio
import importlib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from codejury.model import Outcome
from codejury.pipeline.packages import visible
from codejury.sandbox import describe

CONFTEST: Any = importlib.import_module("judging_conftest")
SUITES = CONFTEST.load_suites().__name__
ATTACKS = importlib.import_module(f"{SUITES}.attacks_inprocess").CASES
KNOWN = importlib.import_module(f"{SUITES}.attacks_inprocess").KNOWN
HONEST = importlib.import_module(f"{SUITES}.honest_inprocess").CASES
EVERY = (*ATTACKS, *KNOWN, *HONEST)

pytestmark = pytest.mark.slow  # half a minute each; the suite of functions stays


def _name(case: Any) -> str:
    return str(case.name)


@cache
def _judged(tier: str) -> Any:
    packages = visible(map(CONFTEST.problem_for, EVERY), (), describe())
    found: dict[str, Any] = {}
    for all_tests in (False, True):
        cases = [case for case in EVERY if case.all_tests is all_tests]
        found |= asyncio.run(
            CONFTEST.judge_cases(cases, slots=4, tier=tier, packages=packages, all_tests=all_tests)
        )
    return found


each_tier = pytest.mark.parametrize("tier", ["namespaces", "landlock"])


@pytest.mark.sandbox
@each_tier
@pytest.mark.parametrize("case", ATTACKS, ids=_name)
def test_attack_fails(case: Any, tier: str) -> None:
    """No attack passes, none becomes an infrastructure error, and each ends as its case expects."""
    judged = _judged(tier)[case.name]
    assert judged.profile.sound, judged
    assert judged.profile.together, judged
    assert judged.verdict.outcome not in (Outcome.PASSED, Outcome.INFRA_ERROR), judged
    assert judged.verdict.outcome in case.expect, judged


@pytest.mark.sandbox
@each_tier
@pytest.mark.parametrize("case", KNOWN, ids=_name)
def test_known_false_pass_is_weak(case: Any, tier: str) -> None:
    """What nothing can be done about passes, and is called weak."""
    judged = _judged(tier)[case.name]
    assert judged.profile.together, judged
    assert (Outcome.PASSED, "weak") == (judged.verdict.outcome, judged.verdict.integrity), judged


@pytest.mark.sandbox
@each_tier
@pytest.mark.parametrize("case", HONEST, ids=_name)
def test_honest_program_passes(case: Any, tier: str) -> None:
    """A right program passes, however odd its habits, and its pass is weak."""
    judged = _judged(tier)[case.name]
    assert judged.profile.together, judged
    assert (Outcome.PASSED, Outcome.PASSED) == (judged.profile.outcome, judged.verdict.outcome), judged
    assert ("weak", tier) == (judged.verdict.integrity, judged.verdict.tier)


def test_suites_have_their_size() -> None:
    """They must not shrink unnoticed; names mean one case each, and no attack is a reference."""
    assert len(ATTACKS) >= 170
    assert len(HONEST) >= 90
    assert [] == [name for name, n in Counter(map(_name, EVERY)).items() if n > 1]
    assert [] == [case.name for case in (*ATTACKS, *KNOWN) if case.program.strip() == case.reference.strip()]
    assert not any(Outcome.PASSED in case.expect or Outcome.INFRA_ERROR in case.expect for case in ATTACKS)


def test_known_false_passes_are_in_the_documentation() -> None:
    """Each reason why a false pass is known stands in the page on isolation, in these words."""
    page = (Path(__file__).parents[2] / "docs" / "sandbox.md").read_text(encoding="utf-8")
    text = " ".join(page.split())
    assert [] == [case.name for case in KNOWN if case.known not in text]
    assert all(case.known for case in KNOWN)
