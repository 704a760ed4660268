"""reliability@k: the paper's formula with its two companions, and the security-adjusted form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from codejury.stats import (
    StatisticsError,
    adjusted_counts,
    estimate_reliability,
    pass_at_k,
    reliability_at_k,
    security_sweep,
)

# Two tasks of four rollouts each.
TASK = [0, 0, 0, 0, 1, 1, 1, 1]
PASSED = [True, True, False, False, True, False, False, False]
SECURITY = [1.0, 6 / 7, 1.0, 0.5, 0.7, 1.0, 1.0, 1.0]


def test_golden_ten_tasks() -> None:
    """reliability@5 = 1/8, pass@1 = 1/40, pass^5 = 0: three figures that only together say what happened."""
    found = estimate_reliability(8, [0, 0, 1, 0, 0, 0, 0, 0, 1, 0], 5)
    assert found.reliability_at_k.value == pytest.approx(1 / 8, rel=1e-15)
    assert found.pass_at_1.value == pytest.approx(1 / 40, rel=1e-15)
    assert found.pass_hat_k.value == 0.0


def test_is_pass_at_k() -> None:
    """The paper's name for the same formula."""
    np.testing.assert_array_equal(pass_at_k(8, np.arange(9), 5), reliability_at_k(8, np.arange(9), 5))


def test_clusters_reach_all_three() -> None:
    """An iterator of clusters is not used up by the first."""
    found = estimate_reliability(8, [1, 2, 3, 4], 2, clusters=iter("aabb"))
    methods = {
        estimate.population.method
        for estimate in (found.reliability_at_k, found.pass_at_1, found.pass_hat_k)
        if estimate.population
    }
    assert {"t, clustered"} == methods


def test_adjusted_counts() -> None:
    """Per rollout: both passed and secure enough."""
    n, c = adjusted_counts(TASK, PASSED, SECURITY)
    assert ([4, 4], [2, 0]) == (n.tolist(), c.tolist())
    assert [1, 0] == adjusted_counts(TASK, PASSED, SECURITY, 1.0)[1].tolist()
    assert [2, 1] == adjusted_counts(TASK, PASSED, SECURITY, 0.0)[1].tolist()


def test_one_finding_of_seven_never_binds() -> None:
    """6/7 reaches 0.80: the threshold says nothing; "no finding at all" does."""
    scores = [6 / 7] * 8
    plain, usual, strict = security_sweep(TASK, PASSED, scores, 2, [0.80, 1.0])
    assert (0.0, 0) == (plain.threshold, plain.withdrawn)
    assert (plain.reliability, 0) == (usual.reliability, usual.withdrawn)
    assert (3, 0.0) == (strict.withdrawn, strict.reliability.reliability_at_k.value)


def test_sweep_over_the_scores() -> None:
    """By default every score of a successful rollout, so that each step of the curve is seen."""
    sweep = security_sweep(TASK, PASSED, SECURITY, 2)
    assert [0.0, 0.7, 6 / 7, 1.0] == [point.threshold for point in sweep]
    assert [0, 0, 1, 2] == [point.withdrawn for point in sweep]
    values = [point.reliability.reliability_at_k.value for point in sweep]
    assert [2 / 3, 2 / 3, 5 / 12, 1 / 4] == pytest.approx(values)


def test_rounding_at_the_threshold() -> None:
    """A score that rounding left just below the threshold reaches it."""
    score = 0.1 + 0.7
    assert score < 0.8
    assert [1] == adjusted_counts([0], [True], [score], 0.8)[1].tolist()


def test_wrong_input() -> None:
    """Unscored rollouts, tasks without rollouts, wrong columns and thresholds."""
    cases: list[tuple[Any, Any, Any, float, str]] = [
        (TASK, PASSED, [float("nan")] * 8, 0.8, "no number from 0 to 1"),
        (TASK, PASSED, [1.1] * 8, 0.8, "no number from 0 to 1"),
        (TASK, PASSED[:7], SECURITY, 0.8, "one entry a rollout"),
        (TASK, [1] * 8, SECURITY, 0.8, "integers and booleans"),
        ([0, 2], [True, True], [1, 1], 0.8, "each with a rollout"),
        ([-1], [True], [1], 0.8, "each with a rollout"),
        ([], [], [], 0.8, "one entry a rollout"),
        (TASK, PASSED, SECURITY, 1.5, "threshold = 1.5"),
    ]
    for task, passed, security, threshold, message in cases:
        with pytest.raises(StatisticsError, match=message):
            adjusted_counts(task, passed, security, threshold)
