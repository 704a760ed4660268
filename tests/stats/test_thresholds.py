"""G-Pass@k, Cover@tau and solved shares: golden values, brute force, variances over all outcomes."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from codejury.stats import (
    JEFFREYS,
    Prior,
    ShortProblemsError,
    SolvedShares,
    StatisticsError,
    cover_at_tau,
    estimate_cover_at_tau,
    estimate_g_pass_at_k,
    estimate_pass_at_k,
    g_pass_at_k,
    pass_at_k,
    pass_hat_k,
    posterior_cover_at_tau,
    solved_shares,
)
from codejury.stats.thresholds import least_correct


def _exact(n: int, c: int, k: int, least: int) -> Fraction:
    ways = sum(math.comb(c, j) * math.comb(n - c, k - j) for j in range(least, k + 1))
    return Fraction(ways, math.comb(n, k))


def test_golden() -> None:
    """G-Pass@4 of (8, 4) at 0.5 and 0.75."""
    assert 53 / 70 == pytest.approx(float(g_pass_at_k(8, 4, 4, 0.5)), rel=1e-15)
    assert 17 / 70 == pytest.approx(float(g_pass_at_k(8, 4, 4, 0.75)), rel=1e-15)


@pytest.mark.parametrize(
    ("k", "tau", "least"),
    [(100, 0.07, 7), (100, 0.29, 29), (10, 0.1 + 0.2, 3), (10, 0.31, 4), (3, 1e-9, 1), (7, 1.0, 7), (3, 1 / 3, 1)],
)
def test_guarded_ceiling(k: int, tau: float, least: int) -> None:
    """0.07 * 100 is 7.000000000000001 in binary, and still 7 samples."""
    assert least == least_correct(k, tau)


def test_every_whole_share() -> None:
    """The share j / k asks for exactly j, whatever rounding does to the quotient."""
    for k in range(1, 301):
        assert list(range(1, k + 1)) == [least_correct(k, j / k) for j in range(1, k + 1)]


@pytest.mark.parametrize("n", range(1, 8))
def test_brute_force_over_all_subsets(n: int) -> None:
    """Every subset of k samples is tried, for every c, k and several tau."""
    for c in range(n + 1):
        passed = [1] * c + [0] * (n - c)
        for k in range(1, n + 1):
            sums = [sum(draw) for draw in combinations(passed, k)]
            for tau in (0.01, 0.25, 0.5, 0.7, 1.0):
                expected = sum(total >= tau * k for total in sums) / len(sums)
                assert expected == pytest.approx(float(g_pass_at_k(n, c, k, tau)), rel=1e-14)


@given(st.integers(1, 300), st.data())
@settings(deadline=None)
def test_against_exact_rationals(n: int, data: st.DataObject) -> None:
    """To 1e-13, however small the chance."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    least = data.draw(st.integers(1, k))
    exact = float(_exact(n, c, k, least))
    assert exact == pytest.approx(float(g_pass_at_k(n, c, k, least / k)), rel=1e-13, abs=1e-300)


def test_a_million() -> None:
    """The middle of n = 1,000,000 against scipy, and a tail of 1e-44 against exact rationals."""
    n = 10**6
    expected = scipy_stats.hypergeom.sf(499, n, n // 2, 1000)
    assert expected == pytest.approx(float(g_pass_at_k(n, n // 2, 1000, 0.5)), rel=1e-7)
    assert float(_exact(n, 1000, 30, 15)) == pytest.approx(float(g_pass_at_k(n, 1000, 30, 0.5)), rel=1e-13)


@given(st.integers(1, 60), st.data())
@settings(deadline=None)
def test_ends_and_order(n: int, data: st.DataObject) -> None:
    """pass@k at a low tau, pass^k at 1; falls with tau, rises with c; bounded."""
    k, c = data.draw(st.integers(1, n)), np.arange(n + 1)
    curves = [g_pass_at_k(n, c, k, tau) for tau in (1e-6, 0.2, 0.5, 0.9, 1.0)]
    np.testing.assert_array_equal(curves[0], pass_at_k(n, c, k))
    np.testing.assert_array_equal(curves[-1], pass_hat_k(n, c, k))
    for upper, lower in pairwise(curves):
        assert (lower <= upper + 1e-15).all()
        assert (np.diff(lower) >= -1e-15).all()
    assert all(((curve >= 0) & (curve <= 1)).all() for curve in curves)


@pytest.mark.parametrize(("n", "k", "tau"), [(4, 2, 1.0), (8, 4, 0.5), (9, 3, 0.6), (12, 5, 0.8), (30, 10, 0.3)])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.95])
def test_g_pass_variance_is_unbiased(n: int, k: int, tau: float, p: float) -> None:
    """The mean over binomial draws of the estimated variance is the variance of the estimator."""
    c = np.arange(n + 1)
    weights, h = scipy_stats.binom.pmf(c, n, p), g_pass_at_k(n, c, k, tau)
    squares = []
    for hits in c.tolist():
        fixed = estimate_g_pass_at_k(n, [hits], k, tau).fixed_suite
        assert fixed is not None
        squares.append((fixed.se or 0.0) ** 2)
    assert weights @ (h - weights @ h) ** 2 == pytest.approx(weights @ squares, rel=1e-10)


@pytest.mark.parametrize("n", [3, 20])
def test_g_pass_variance_at_the_ends(n: int) -> None:
    """At a low tau it is that of pass@k: exact for n >= 2k, else the plug-in, which is labelled."""
    c = np.array([1, 1, 2])
    ours, theirs = estimate_g_pass_at_k(n, c, 2, 0.1).fixed_suite, estimate_pass_at_k(n, c, 2).fixed_suite
    assert ours is not None
    assert theirs is not None
    assert theirs.se == pytest.approx(ours.se, rel=1e-12)
    assert ("exact" if n == 20 else "plug-in") == ours.method == theirs.method


def test_g_pass_of_unequal_n() -> None:
    """Each problem by its own n, with a warning that counts the plug-ins; no interval where n is 1."""
    estimate = estimate_g_pass_at_k([4, 9, 20, 20], [2, 3, 10, 1], 4, 0.5)
    assert float(np.mean(g_pass_at_k([4, 9, 20, 20], [2, 3, 10, 1], 4, 0.5))) == estimate.value
    assert any("1 of 4 problems have n < 2k" in warning for warning in estimate.warnings)
    assert estimate_g_pass_at_k(1, [0, 1], 1, 0.5).fixed_suite is None


def test_cover() -> None:
    """C / n >= tau, exactly: 7 of 100 covers 0.07."""
    assert [1.0, 0.0] == cover_at_tau(100, [7, 6], 0.07).tolist()
    assert [0.0, 1.0, 1.0] == cover_at_tau([4, 4, 5], [1, 2, 3], 0.5).tolist()


def test_posterior_cover() -> None:
    """The beta distribution's upper tail; nothing is certain to reach 1."""
    expected = scipy_stats.beta(0.5 + 3, 0.5 + 5).sf(0.4)
    assert expected == pytest.approx(float(posterior_cover_at_tau(8, 3, 0.4, prior=JEFFREYS)), rel=1e-12)
    assert float(posterior_cover_at_tau(8, 8, 1.0)) == 0.0
    # P(p >= tau) = 1 - tau where nothing was seen
    assert float(posterior_cover_at_tau(0, 0, 0.3)) == pytest.approx(0.7, rel=1e-15)


def test_posterior_cover_is_less_biased() -> None:
    """Abilities Beta(0.5, 0.5), n = 4: with that prior the share with p >= 0.7 is met, the plug-in misses it."""
    rng = np.random.default_rng(7)
    p = rng.beta(0.5, 0.5, 100_000)
    c, truth = rng.binomial(4, p), float(np.mean(p >= 0.7))
    assert truth == pytest.approx(posterior_cover_at_tau(4, c, 0.7, prior=Prior(0.5, 0.5)).mean(), abs=0.005)
    assert abs(cover_at_tau(4, c, 0.7).mean() - truth) > 0.02


def test_cover_variance() -> None:
    """The plug-in variance of an indicator, against the binomial's tail."""
    fixed = estimate_cover_at_tau(10, [4, 7], 0.5).fixed_suite
    tails = [scipy_stats.binom(10, (c + 0.5) / 11).sf(4) for c in (4, 7)]
    assert fixed is not None
    assert fixed.method == "plug-in"
    assert math.sqrt(sum(q * (1 - q) for q in tails)) / 2 == pytest.approx(fixed.se, rel=1e-12)


def test_cover_estimates() -> None:
    """Means, labels and the population's t; a posterior needs no second sample, the plug-in does."""
    c = [0, 1, 5, 9, 10, 3] * 6
    plug_in, posterior = (estimate_cover_at_tau(10, c, 0.5, prior=prior) for prior in (None, JEFFREYS))
    assert plug_in.value == pytest.approx(0.5)
    assert posterior.value == pytest.approx(posterior_cover_at_tau(10, c, 0.5, prior=JEFFREYS).mean())
    assert posterior.fixed_suite is not None
    assert posterior.fixed_suite.method == "posterior"
    assert plug_in.population is not None
    assert plug_in.population.method == "t"
    assert estimate_cover_at_tau([1, 9], [1, 2], 0.5).fixed_suite is None
    assert estimate_cover_at_tau([1, 9], [1, 2], 0.5, prior=JEFFREYS).fixed_suite is not None


def test_solved_shares() -> None:
    """All, some, none of a problem's samples."""
    assert SolvedShares(always=0.25, sometimes=0.5, never=0.25) == solved_shares([3, 2, 5, 4], [3, 1, 0, 3])


@pytest.mark.parametrize("tau", [0.0, -0.5, 1.01, math.nan])
def test_wrong_tau(tau: float) -> None:
    """Tau is a share above 0."""
    calls: list[Any] = [
        lambda: g_pass_at_k(5, 2, 2, tau),
        lambda: cover_at_tau(5, 2, tau),
        lambda: posterior_cover_at_tau(5, 2, tau),
        lambda: estimate_g_pass_at_k(5, [2], 2, tau),
    ]
    for call in calls:
        with pytest.raises(StatisticsError, match="tau = "):
            call()


def test_wrong_counts() -> None:
    """Short problems and problems without samples."""
    with pytest.raises(ShortProblemsError):
        g_pass_at_k([5, 3], 2, 4, 0.5)
    with pytest.raises(StatisticsError, match="n = 0"):
        solved_shares([0, 2], 0)
    with pytest.raises(StatisticsError, match="n = 0"):
        cover_at_tau([0], 0, 1.0)
