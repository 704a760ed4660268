"""The attack suite and the honest suite before the real judge."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from codejury.model import Outcome

pytestmark = pytest.mark.sandbox

_CONFTEST = Path(__file__).with_name("conftest.py")


def _suites() -> Any:
    spec = importlib.util.spec_from_file_location("judging_conftest", _CONFTEST)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.setdefault("judging_conftest", importlib.util.module_from_spec(spec))
    if not hasattr(module, "load_suites"):
        spec.loader.exec_module(module)
    return module.load_suites()


SUITE = _suites()


def _name(case: Any) -> str:
    return str(case.name)


@pytest.mark.parametrize("case", SUITE.ATTACKS, ids=_name)
def test_attack_fails(case: Any, judged_suites: Any) -> None:
    """No attack passes, none becomes an infrastructure error, and each ends as its case expects."""
    judged = judged_suites[case.name]
    assert judged.verdict.outcome not in (Outcome.PASSED, Outcome.INFRA_ERROR), judged
    assert judged.verdict.outcome in case.expect, judged


@pytest.mark.parametrize("case", SUITE.HONEST, ids=_name)
def test_honest_answer_passes(case: Any, judged_suites: Any) -> None:
    """A right answer passes, however odd its habits."""
    judged = judged_suites[case.name]
    assert (Outcome.PASSED, Outcome.PASSED) == (judged.profile.outcome, judged.verdict.outcome), judged
    assert "strong" == judged.verdict.integrity


@pytest.mark.parametrize("case", SUITE.VACUOUS, ids=_name)
def test_vacuous_problem_is_refused(case: Any, judged_suites: Any) -> None:
    """A problem whose tests test nothing is at fault itself, and passes nobody."""
    judged = judged_suites[case.name]
    assert not judged.profile.sound, judged
    assert not judged.verdict.passed, judged


@pytest.mark.parametrize("case", SUITE.WEAK, ids=_name)
def test_tests_that_act_on_values_are_weak(case: Any, judged_suites: Any) -> None:
    """Tests that turn a candidate's text into code can be forged: their verdicts are never called strong."""
    assert "weak" == judged_suites[case.name].verdict.integrity
