"""Intervals: published and closed-form bounds, and real coverage of the binomial ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from codejury.stats.intervals import (
    binomial_interval,
    clopper_pearson,
    normal_interval,
    t_interval,
    wilson,
)


@pytest.mark.parametrize(("hits", "trials"), [(0, 1), (1, 1), (0, 20), (3, 20), (10, 20), (164, 164), (163, 164)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_binomial_bounds_are_scipys(hits: int, trials: int, level: float) -> None:
    """Where the successes are whole, scipy has both intervals."""
    test = stats.binomtest(hits, trials)
    for ours, name in ((wilson, "wilson"), (clopper_pearson, "exact")):
        bounds = test.proportion_ci(level, method=name)
        interval = ours(hits / trials, trials, level)
        assert (bounds.low, bounds.high) == pytest.approx((interval.low, interval.high), rel=1e-9, abs=1e-12)
        assert interval.se is None


def test_all_of_164() -> None:
    """164 of 164 has the lower bound 0.977, not 1."""
    interval = binomial_interval(1.0, 164, 0.95)
    assert round(interval.low, 3) == 0.977
    assert interval.high == 1.0
    assert interval.method == "wilson"


@pytest.mark.parametrize("trials", [1, 5, 45, 46, 300])
def test_all_passed_misses_rarely(trials: int) -> None:
    """The chance of "all passed" is at most 2.5 % for every truth below the bound."""
    low = binomial_interval(1.0, trials, 0.95).low
    assert low**trials <= 0.025 + 1e-12
    assert 1 - low == pytest.approx(binomial_interval(0.0, trials, 0.95).high, rel=1e-9)


def test_binomial_takes_the_wider() -> None:
    """Wilson's alone would promise too much for few trials."""
    assert binomial_interval(1.0, 5, 0.95) == clopper_pearson(1.0, 5, 0.95)
    assert binomial_interval(0.5, 9, 0.95).method == "clopper-pearson"


@pytest.mark.parametrize("trials", [1, 7, 50])
def test_binomial_coverage(trials: int) -> None:
    """Over a grid of truths the interval holds the truth at least 95 % of the time, by exact summation."""
    intervals = [binomial_interval(hits / trials, trials, 0.95) for hits in range(trials + 1)]
    low, high = (np.array([getattr(i, bound) for i in intervals]) for bound in ("low", "high"))
    for p in np.linspace(0, 1, 201):
        held = (low <= p) & (p <= high)
        assert float(stats.binom.pmf(np.arange(trials + 1), trials, p)[held].sum()) >= 0.95


def test_fractional_successes() -> None:
    """A share that is not a whole number of trials lies between its neighbours."""
    below, between, above = (clopper_pearson(hits / 9, 9, 0.95) for hits in (4, 4.5, 5))
    assert below.low < between.low < above.low
    assert below.high < between.high < above.high


def test_normal_and_t() -> None:
    """Quantiles from the tables: 1.960, and 2.262 for 9 degrees of freedom."""
    normal, t = normal_interval(0.5, 0.1, 0.95, "exact"), t_interval(0.5, 0.1, 9, 0.95, "t")
    for width in (0.5 - normal.low, normal.high - 0.5):
        assert width == pytest.approx(0.1959964, abs=1e-7)
    for width in (0.5 - t.low, t.high - 0.5):
        assert width == pytest.approx(0.2262157, abs=1e-7)
    assert (normal.se, normal.method, t.method) == (0.1, "exact", "t")


def test_clipped() -> None:
    """A chance is never below 0 or above 1."""
    interval = t_interval(0.9, 0.2, 1, 0.95, "t")
    assert (interval.low, interval.high) == (0.0, 1.0)
