"""Verdicts as rewards."""

from __future__ import annotations

import pytest

from codejury.model import Outcome, Verdict
from codejury.model import TestResult as Result  # under its own name, pytest would collect it


def _verdict(outcome: Outcome, *tests: bool) -> Verdict:
    results = tuple(Result(1, Outcome.PASSED if passed else Outcome.WRONG_ANSWER, 0.1) for passed in tests)
    return Verdict(outcome=outcome, integrity="strong", tier="namespaces", tests=results)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_reward_of_all(outcome: Outcome) -> None:
    """1 for a pass, 0 for every failure, nothing where nothing is known."""
    expected = {Outcome.PASSED: 1.0, Outcome.INFRA_ERROR: None, Outcome.MISSING: None}.get(outcome, 0.0)
    assert expected == _verdict(outcome, True, False).reward()
    assert (outcome is Outcome.PASSED) is _verdict(outcome).passed


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (_verdict(Outcome.PASSED, True, True), 1.0),
        (_verdict(Outcome.WRONG_ANSWER, True, False, True, True), 0.75),
        (_verdict(Outcome.WRONG_ANSWER, False), 0.0),
        (_verdict(Outcome.SYNTAX_ERROR), 0.0),
        (_verdict(Outcome.INFRA_ERROR, True), None),
        # All tests that were executed passed, and the sample did not: it left some out, say.
        (_verdict(Outcome.WRONG_ANSWER, True, True, True), 0.75),
    ],
)
def test_reward_of_a_fraction(verdict: Verdict, expected: float | None) -> None:
    """The share of tests that passed; 1 only for a pass."""
    assert expected == verdict.reward("fraction")
