"""Simultaneous bands: single points, limits of the critical value, covariances, coverage of whole curves."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import special
from scipy import stats as scipy_stats

from codejury.stats import (
    Band,
    ShortProblemsError,
    StatisticsError,
    band_pass_at_k,
    band_pass_hat_k,
    covariance_within,
    estimate_pass_at_k,
    estimate_pass_hat_k,
    pass_at_k,
)
from codejury.stats import bands as module

if TYPE_CHECKING:
    from collections.abc import Callable

C = np.array([0, 1, 3, 7, 12, 19, 20, 20] * 5)


@pytest.mark.parametrize("question", ["fixed_suite", "population"])
@pytest.mark.parametrize(
    ("band", "estimate"), [(band_pass_at_k, estimate_pass_at_k), (band_pass_hat_k, estimate_pass_hat_k)]
)
def test_one_point_is_its_interval(question: Any, band: Callable[..., Band], estimate: Callable[..., Any]) -> None:
    """With a single k the band is the interval of that k."""
    found, single = band(20, C, [4], question=question), getattr(estimate(20, C, 4), question)
    assert single.se == pytest.approx(found.se[0], rel=1e-12)
    assert (single.low, single.high) == pytest.approx((found.low[0], found.high[0]), rel=1e-9)


@pytest.mark.parametrize("question", ["fixed_suite", "population"])
def test_standard_errors_are_those_of_single_points(question: Any) -> None:
    """Only the multiple differs: above a single point's, below Bonferroni's."""
    ks = [1, 2, 5, 10, 15]
    found = band_pass_at_k(20, C, ks, question=question)
    singles = [getattr(estimate_pass_at_k(20, C, k), question) for k in ks]
    assert [single.se for single in singles] == pytest.approx(found.se.tolist(), rel=1e-9)
    if question == "fixed_suite":
        single, bonferroni = (NormalDist().inv_cdf(1 - 0.025 / share) for share in (1, len(ks)))
    else:
        single, bonferroni = (float(special.stdtrit(len(C) - 1, 1 - 0.025 / share)) for share in (1, len(ks)))
    assert single + 0.05 < found.critical < bonferroni


def test_critical_value_of_independent_points() -> None:
    """Without correlation it is Sidak's; with perfect correlation that of one point."""
    sidak = NormalDist().inv_cdf((1 + 0.95 ** (1 / 6)) / 2)
    assert sidak == pytest.approx(module._critical(np.eye(6) * 3e-4, None, 0.95, 0), abs=0.03)
    assert 1.959964 == pytest.approx(module._critical(np.ones((6, 6)), None, 0.95, 0), abs=0.03)
    expected = scipy_stats.multivariate_t(df=5, shape=np.eye(2), seed=1).rvs(200_000)
    quantile = float(np.quantile(np.abs(expected).max(axis=1), 0.95))
    assert quantile == pytest.approx(module._critical(np.eye(2), 5, 0.95, 0), abs=0.06)


def test_covariance_of_the_suite() -> None:
    """The sum over problems of the exact covariances over M squared."""
    n, c, ks = np.array([20, 31, 20, 20]), np.array([3, 9, 3, 20]), np.array([1, 4, 10])
    found = module._within(n, c, ks)
    expected = covariance_within(n[:, None, None], c[:, None, None], ks[:, None], ks).value.sum(axis=0) / 16
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=0)


def test_covariance_of_few_samples() -> None:
    """Below twice the largest k: that of a rerun with the plug-in rate, by simulation."""
    drawn = np.random.default_rng(3).binomial(6, 2.5 / 7, 200_000)
    curves = pass_at_k(6, drawn[:, None], [1, 3, 5])
    np.testing.assert_allclose(
        module._within(np.array([6]), np.array([2]), np.array([1, 3, 5])), np.cov(curves.T), rtol=0.02
    )


def test_clusters() -> None:
    """Problems of one source widen the population's band; its standard errors are the clustered ones."""
    clusters = np.repeat(np.arange(8), 5)
    c = np.sort(C)
    found = band_pass_at_k(20, c, [1, 5], question="population", clusters=clusters)
    single = estimate_pass_at_k(20, c, 5, clusters=clusters).population
    assert single is not None
    assert single.se == pytest.approx(found.se[1], rel=1e-12)
    assert found.se[1] > band_pass_at_k(20, c, [1, 5], question="population").se[1]


def test_points_without_spread() -> None:
    """From some k on every sample set holds a success: the band is binomial there, and not without width."""
    found = band_pass_at_k(10, [6, 7, 8, 9] * 5, [1, 2, 9, 10], question="population")
    assert [False, False, True, True] == np.isnan(found.se).tolist()
    assert (found.value[2:] == 1).all()
    assert (found.low[2:] < 0.9).all()
    assert (found.high[2:] == 1).all()
    every = band_pass_at_k(10, [10] * 30, [1, 5])
    assert np.isnan(every.se).all()
    assert (every.low < 0.95).all()


def test_points_are_sorted_and_seeded() -> None:
    """Order and repetition of ks do not matter; the same seed gives the same band."""
    first, second = band_pass_at_k(20, C, [5, 1, 5]), band_pass_at_k(20, C, [1, 5])
    assert [1, 5] == first.k.tolist()
    np.testing.assert_array_equal(first.low, second.low)
    assert first.critical != band_pass_at_k(20, C, [1, 5], seed=1).critical


@pytest.mark.parametrize(("n", "question"), [(20, "fixed_suite"), (12, "fixed_suite"), (20, "population")])
def test_whole_curves_are_held(n: int, question: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 seeded runs of 60 problems, abilities Beta(1, 2): the whole true curve lies within in 0.95 +- 0.04.

    The points' own intervals hold the whole curve less often.
    """
    monkeypatch.setattr(module, "DRAWS", 3_000)
    rng, ks = np.random.default_rng(21), np.arange(1, 11)
    of_population = 1 - 2 / (2 + ks)
    suite = rng.beta(1, 2, 60)
    held = held_by_points = 0
    for _ in range(300):
        abilities = suite if question == "fixed_suite" else rng.beta(1, 2, 60)
        found = band_pass_at_k(n, rng.binomial(n, abilities), ks.tolist(), question=question)
        of_suite = np.mean(1 - (1 - suite[:, None]) ** ks, axis=0)
        truth = of_suite if question == "fixed_suite" else of_population
        off = np.abs(found.value - truth)
        held += bool((off <= found.critical * found.se).all())
        held_by_points += bool((off <= 1.96 * found.se).all())
    assert held / 300 == pytest.approx(0.95, abs=0.04)
    assert held_by_points < held


def test_wrong_input() -> None:
    """What has no band is refused."""
    cases: list[tuple[Any, Any, Any, dict[str, Any], str]] = [
        (20, C, [], {}, "at least one"),
        (20, C, 5, {}, "a list of k"),
        (20, C, [0, 1], {}, "k = 0"),
        (20, C, [1.5], {}, "integers"),
        (20, C, [1], {"level": 2}, "level = 2"),
        (20, C, [1], {"question": "both"}, 'question = "both"'),
        ([1, 5], [1, 2], [1], {}, "one sample"),
        (5, [2], [1], {"question": "population"}, "tells nothing of others"),
        (5, [2, 3], [1], {"question": "population", "clusters": ["a"]}, "1 clusters for 2"),
    ]
    for n, c, ks, options, message in cases:
        with pytest.raises(StatisticsError, match=message):
            band_pass_at_k(n, c, ks, **options)
    with pytest.raises(ShortProblemsError):
        band_pass_hat_k(20, C, [1, 21])
    assert math.isfinite(band_pass_at_k(20, C, [1]).critical)
