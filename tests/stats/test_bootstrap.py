"""The bootstrap over problems: against scipy, by enumeration, clusters, ends, and why not over samples."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from codejury.stats import Interval, StatisticsError, bootstrap_interval, estimate_pass_at_k, pass_at_k
from codejury.stats.bootstrap import _moved_tail


@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
def test_against_scipy(ours: Any, theirs: str) -> None:
    """The same data and number of resamples: bounds within twice the spread of 40,000 resamples."""
    values = np.random.default_rng(4).beta(0.3, 1.2, 60)
    found = bootstrap_interval(values, method=ours, draws=40_000)
    other = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method=theirs, rng=np.random.default_rng(0)
    )
    bounds = other.confidence_interval
    assert (bounds.low, bounds.high) == pytest.approx((found.low, found.high), abs=0.003)
    assert other.standard_error == pytest.approx(found.se, rel=0.02)
    assert f"bootstrap, {ours}" == found.method


def test_percentile_by_enumeration() -> None:
    """All 5**5 resamples of five values have these quantiles."""
    values = [0.0, 0.1, 0.35, 0.6, 1.0]
    means = [sum(drawn) / 5 for drawn in itertools.product(values, repeat=5)]
    found = bootstrap_interval(values, method="percentile", level=0.8, draws=50_000)
    expected = np.quantile(means, [0.1, 0.9])
    assert expected.tolist() == pytest.approx([found.low, found.high], abs=0.011)
    assert float(np.std(means)) == pytest.approx(found.se, rel=0.02)


def test_clusters_are_drawn_whole() -> None:
    """The spread is that of Miller's clustered standard error, not that of single problems."""
    values = np.repeat(np.random.default_rng(2).random(50), 4)
    clusters = np.repeat(np.arange(50), 4)
    found = bootstrap_interval(values, clusters=clusters, method="percentile")
    expected = estimate_pass_at_k(10, np.rint(values * 10).astype(int), 1, clusters=clusters).population
    alone = bootstrap_interval(values, method="percentile")
    assert expected is not None
    assert expected.se == pytest.approx(found.se, rel=0.05)
    assert alone.se is not None
    assert found.se is not None
    assert found.se > 1.8 * alone.se


def test_clusters_of_unequal_size() -> None:
    """The mean is over the problems drawn: two clusters of 1 and 3 give the four means of their pairs."""
    found = bootstrap_interval([1.0, 0.0, 0.0, 0.0], clusters=["a", "b", "b", "b"], method="percentile", level=0.9)
    assert (0.0, 1.0) == (found.low, found.high)
    assert float(np.std([1.0, 0.25, 0.25, 0.0])) == pytest.approx(found.se, rel=0.02)


def test_seeded() -> None:
    """The same seed gives the same interval, another one nearly so."""
    values = np.linspace(0, 1, 30)
    first, same, other = (bootstrap_interval(values, seed=seed) for seed in (1, 1, 2))
    assert first == same
    assert first != other
    assert first.low == pytest.approx(other.low, abs=0.01)


def test_no_spread() -> None:
    """Equal values: a binomial interval, never one without width."""
    found = bootstrap_interval([1.0] * 164)
    assert (None, "wilson", 1.0) == (found.se, found.method, found.high)
    assert round(found.low, 3) == 0.977
    cancelled = bootstrap_interval([0.2, 0.8, 0.8, 0.2], clusters=list("aabb"))
    assert cancelled.se is None
    assert cancelled.high - cancelled.low > 0.3


def test_skewed_values_move_the_tails() -> None:
    """One hard success in fifty: BCa's interval lies higher than the percentile's."""
    values = [0.0] * 45 + [0.1] * 4 + [1.0]
    percentile, bca = (bootstrap_interval(values, method=method) for method in ("percentile", "bca"))
    assert bca.low > percentile.low
    assert bca.high > percentile.high


def test_acceleration_beyond_reach() -> None:
    """Where BCa's correction has no solution the tail is the extreme."""
    assert _moved_tail(2.0, 1.0, 0.5) == 1.0
    assert _moved_tail(-2.0, -1.0, -0.5) == 0.0


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=40), st.sampled_from(["percentile", "bca"]), st.integers(0, 5)
)
@settings(deadline=None)
def test_any_values(values: list[float], method: Any, seed: int) -> None:
    """The interval holds the mean, lies in [0, 1] and has a width."""
    found: Interval = bootstrap_interval(values, method=method, draws=200, seed=seed)
    mean = float(np.mean(values))
    assert 0 <= found.low <= mean + 1e-15
    assert mean - 1e-15 <= found.high <= 1
    assert found.low < found.high or math.isclose(max(values), min(values), abs_tol=1e-9)


def test_resampling_samples_is_biased() -> None:
    """Why samples are never resampled: the mean of pass@4 over such resamples of (8, 1) lies far below 1/2.

    With a binomial number of copies of the one correct sample it is, exactly, the mean of pass@4(8, C, 4).
    """
    c = np.arange(9)
    resampled = scipy_stats.binom.pmf(c, 8, 1 / 8) @ pass_at_k(8, c, 4)
    assert pass_at_k(8, 1, 4) == 0.5
    assert resampled == pytest.approx(1 - (7 / 8) ** 4)
    assert resampled < 0.5 - 0.08


def test_wrong_input() -> None:
    """What cannot be resampled is refused."""
    cases: list[tuple[Any, dict[str, Any], str]] = [
        ([], {}, "at least one"),
        ([[0.5, 0.5]], {}, "one number a problem"),
        ([0.5], {}, "cannot be resampled"),
        ([0.5, 0.6], {"clusters": ["a", "a"]}, "cannot be resampled"),
        ([0.5, 0.6], {"clusters": ["a"]}, "1 clusters for 2 problems"),
        ([0.5, 1.6], {}, "from 0 to 1"),
        ([0.5, math.nan], {}, "from 0 to 1"),
        ([0.5, 0.6], {"level": 1.0}, "level = 1.0"),
        ([0.5, 0.6], {"draws": 99}, "draws = 99"),
        ([0.5, 0.6], {"method": "basic"}, 'method = "basic"'),
    ]
    for values, options, message in cases:
        with pytest.raises(StatisticsError, match=message):
            bootstrap_interval(values, **options)
