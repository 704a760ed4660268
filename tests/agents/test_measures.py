"""Means by task first, against plain arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from codejury.agents import measures

NAN = math.nan


def _mean_and_se(values: measures.Floats) -> tuple[float, float]:
    return float(values.mean()), float(scipy_stats.sem(values))


# The SWE-bench pilot of five tasks: FAIL_TO_PASS and PASS_TO_PASS, passed and all.
PILOT = [((2, 2), (13, 13)), ((0, 1), (20, 20)), ((0, 2), (644, 644)), ((0, 4), (63, 68)), ((0, 1), (2, 9))]


def _array(*values: float) -> measures.Floats:
    return np.array(values, dtype=np.float64)


def test_swe_bench_pilot() -> None:
    """1 of 5 resolved, though four fifths of the tests pass."""
    passed = _array(*(f2p[0] + p2p[0] for f2p, p2p in PILOT))
    total = _array(*(f2p[1] + p2p[1] for f2p, p2p in PILOT))
    regressions = _array(*(p2p[1] - p2p[0] for _, p2p in PILOT))
    resolved, task = np.asarray(passed == total, dtype=np.float64), np.arange(5)
    rates = measures.shares_of_tests(passed, total, task, resolved, 0.95)
    assert rates is not None
    assert rates.macro.value == pytest.approx(float(Fraction(1091869, 1356600)), rel=1e-15)
    gap = rates.gap_to_resolved
    assert gap is not None
    assert gap.value == pytest.approx(float(Fraction(1091869, 1356600) - Fraction(1, 5)), rel=1e-14)
    low, high = scipy_stats.t.interval(0.95, 4, *_mean_and_se(passed / total - resolved))
    assert [low, min(1.0, high)] == pytest.approx([gap.low, gap.high])
    assert rates.pooled == pytest.approx(744 / 764, rel=1e-15)
    regressed = measures.shares_of_tests(regressions, total, task, None, 0.95)
    assert regressed is not None
    assert regressed.macro.value == pytest.approx(float(Fraction(277, 1800)))
    assert regressed.gap_to_resolved is None


@given(st.lists(st.tuples(st.integers(0, 4), st.one_of(st.just(NAN), st.floats(0, 1e6))), min_size=1, max_size=30))
def test_mean_of_means(rows: list[tuple[int, float]]) -> None:
    """Each task counts the same; what is not known is left out, and so are tasks of which nothing is."""
    by_task: dict[int, list[float]] = {}
    for task, value in rows:
        if not math.isnan(value):
            by_task.setdefault(task, []).append(value)
    found = measures.measure(_array(*(value for _, value in rows)), np.array([task for task, _ in rows]), 0.95)
    if not by_task:
        assert found is None
        return
    means = [sum(values) / len(values) for values in by_task.values()]
    assert found is not None
    assert found.value == pytest.approx(sum(means) / len(means), rel=1e-12)
    assert (len(by_task), sum(map(len, by_task.values()))) == (found.tasks, found.rollouts)


def test_interval_is_students() -> None:
    """Against scipy; cut off at 0 and, for shares, at 1."""
    values = _array(0.1, 0.5, 0.3, 0.35)
    found = measures.measure(values, np.arange(4), 0.9, 1.0)
    low, high = scipy_stats.t.interval(0.9, 3, loc=values.mean(), scale=scipy_stats.sem(values))
    assert found is not None
    assert [low, high] == pytest.approx([found.low, found.high])
    assert "t" == found.method
    wide = measures.measure(_array(0.0, 1.0), np.arange(2), 0.95, 1.0)
    assert wide is not None
    assert (0.0, 1.0) == (wide.low, wide.high)


def test_no_spread_is_not_certainty() -> None:
    """A share gets a binomial interval; anything else, and one task, none."""
    share = measures.measure(_array(1.0, 1.0, 1.0), np.arange(3), 0.95, 1.0)
    assert share is not None
    assert share.low == pytest.approx(0.025 ** (1 / 3), rel=1e-9)
    assert (None, 1.0, "clopper-pearson") == (share.se, share.high, share.method)
    for values in (_array(2.0, 2.0), _array(2.0)):
        found = measures.measure(values, np.arange(len(values)), 0.95)
        assert found is not None
        assert (2.0, None, None, None, None) == (found.value, found.se, found.low, found.high, found.method)


def test_tool_efficiency() -> None:
    """0 from 20 calls on."""
    assert [1, 0.5, 0, 0] == measures.tool_efficiency(_array(0, 10, 20, 90)).tolist()


def test_cost_adjusted_has_no_value_at_cost_0() -> None:
    """It grows without bound there; and it needs tests and a cost."""
    found = measures.cost_adjusted(_array(5, 5, 5, NAN, 0), _array(10, 10, 0, NAN, 0), _array(0.5, 0, 1, 1, NAN))
    np.testing.assert_allclose([0.5 / math.log(1.5), NAN, NAN, NAN, NAN], found, rtol=1e-15)


def test_cost_per_solved_task() -> None:
    """Mean cost over the share of tasks that is resolved, by task first; none where nothing is resolved."""
    cost, resolved, task = _array(1, 3, 2, 2, NAN), _array(1, 0, 0, 0, 1), np.array([0, 0, 1, 1, 2])
    found = measures.cost_per_solved(cost, resolved, task, 0.95)
    assert found is not None
    assert (8.0, 2, 4) == (found.value, found.tasks, found.rollouts)
    assert measures.cost_per_solved(cost, np.zeros(5), task, 0.95) is None
    assert measures.cost_per_solved(_array(NAN), _array(1), np.zeros(1, int), 0.95) is None


def test_cost_per_solved_task_moves_as_the_delta_method_says() -> None:
    """The standard error is that of a bootstrap over tasks, to a few percent."""
    generator = np.random.default_rng(3)
    cost, resolved = generator.uniform(1, 3, 400), (generator.random(400) < 0.4).astype(np.float64)
    found = measures.cost_per_solved(cost, resolved, np.arange(400), 0.95)
    picks = generator.integers(0, 400, (4000, 400))
    ratios = cost[picks].mean(axis=1) / resolved[picks].mean(axis=1)
    assert found is not None
    assert found.se == pytest.approx(ratios.std(), rel=0.05)


def test_latency() -> None:
    """The mean by task, quantiles over all rollouts."""
    found = measures.latency(_array(1, 2, 3, 10, NAN), np.array([0, 0, 0, 1, 1]), 0.95)
    assert found is not None
    assert [6.0, 2.5, 7.9] == pytest.approx([found.mean.value, found.median, found.p90])
    assert measures.latency(_array(NAN), np.zeros(1, int), 0.95) is None
