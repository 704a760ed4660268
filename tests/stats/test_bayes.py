"""Bayesian estimates: golden values, exact rationals, quadrature, posterior intervals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy import stats as scipy_stats

from codejury.stats import (
    JEFFREYS,
    UNIFORM,
    Prior,
    StatisticsError,
    bayes_pass_at_k,
    bayes_pass_hat_k,
    estimate_bayes_pass_at_k,
    estimate_bayes_pass_hat_k,
)


def _exact(a: Fraction, b: Fraction, k: int) -> Fraction:
    """E[p**k] for Beta(a, b)."""
    return math.prod((Fraction(a + i) / (a + b + i) for i in range(k)), start=Fraction(1))


def test_golden() -> None:
    """C = 3 of n = 8: E[p^2] = 2/11, E[pass@2] = 34/55 with the uniform prior; Jeffreys' mean is 7/18."""
    assert 2 / 11 == pytest.approx(float(bayes_pass_hat_k(8, 3, 2)), rel=1e-15)
    assert 34 / 55 == pytest.approx(float(bayes_pass_at_k(8, 3, 2)), rel=1e-15)
    assert 7 / 18 == pytest.approx(float(bayes_pass_hat_k(8, 3, 1, prior=JEFFREYS)), rel=1e-15)
    assert 7 / 18 == pytest.approx(float(bayes_pass_at_k(8, 3, 1, prior=JEFFREYS)), rel=1e-15)


@given(st.integers(0, 300), st.data())
@settings(deadline=None)
def test_against_exact_rationals(n: int, data: st.DataObject) -> None:
    """Both priors, k below and above n, to 1e-14."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, 400))
    for prior, half in ((UNIFORM, Fraction(1)), (JEFFREYS, Fraction(1, 2))):
        a, b = half + c, half + n - c
        assert float(_exact(a, b, k)) == pytest.approx(float(bayes_pass_hat_k(n, c, k, prior=prior)), rel=1e-14)
        at = float(bayes_pass_at_k(n, c, k, prior=prior))
        assert float(1 - _exact(b, a, k)) == pytest.approx(at, rel=1e-14)


def test_a_million() -> None:
    """One correct of a million: E[p] = 2 / (n + 2) and the mean of pass@k from exact rationals."""
    n, k = 10**6, 50
    assert float(1 - _exact(Fraction(n), Fraction(2), k)) == pytest.approx(
        float(bayes_pass_at_k(n, 1, k)), rel=1e-14
    )


def test_is_the_posterior_mean() -> None:
    """By quadrature over the posterior."""
    posterior = scipy_stats.beta(0.5 + 2, 0.5 + 7)
    mean, _ = integrate.quad(lambda p: (1 - (1 - p) ** 6) * posterior.pdf(p), 0, 1)
    assert mean == pytest.approx(float(bayes_pass_at_k(9, 2, 6, prior=JEFFREYS)), rel=1e-8)


@given(st.integers(0, 60), st.integers(1, 80))
def test_symmetric_and_monotone(n: int, k: int) -> None:
    """p^k of c is 1 - pass@k of n - c; more successes never lower either; neither is 0 or 1."""
    c = np.arange(n + 1)
    at, hat = bayes_pass_at_k(n, c, k), bayes_pass_hat_k(n, c, k)
    np.testing.assert_allclose(hat, 1 - bayes_pass_at_k(n, n - c, k), rtol=0, atol=1e-15)
    assert (np.diff(at) >= -1e-15).all()
    assert (np.diff(hat) >= -1e-15).all()
    assert (at > 0).all()
    assert (hat < 1).all()


def test_posterior_interval() -> None:
    """At k = 1 the standard error is the root of the summed beta variances over M."""
    n, c = 6, np.array([0, 2, 6, 3])
    fixed = estimate_bayes_pass_at_k(n, c, 1).fixed_suite
    variances = [scipy_stats.beta(1 + hits, 1 + n - hits).var() for hits in c.tolist()]
    assert fixed is not None
    assert fixed.method == "posterior"
    assert math.sqrt(sum(variances)) / 4 == pytest.approx(fixed.se, rel=1e-12)


def test_hat_mirrors_at() -> None:
    """p^k of c against pass@k of n - c: mirrored bounds, and k may exceed n."""
    c = np.array([0, 1, 4, 5])
    hat, at = estimate_bayes_pass_hat_k(5, c, 9), estimate_bayes_pass_at_k(5, 5 - c, 9)
    assert hat.fixed_suite is not None
    assert at.fixed_suite is not None
    assert 1 - at.value == pytest.approx(hat.value, abs=1e-15)
    assert 1 - at.fixed_suite.low == pytest.approx(hat.fixed_suite.high, abs=1e-12)


def test_credible_interval_holds_under_its_prior() -> None:
    """Abilities drawn from the prior, 2,000 seeded suites of 40 problems: 95 % hold the suite's truth (+- 1.5)."""
    rng = np.random.default_rng(12)
    held = 0
    for _ in range(2000):
        p = rng.beta(1, 1, 40)
        fixed = estimate_bayes_pass_at_k(4, rng.binomial(4, p), 3).fixed_suite
        assert fixed is not None
        held += fixed.low <= float(np.mean(1 - (1 - p) ** 3)) <= fixed.high
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def test_wrong_input() -> None:
    """Priors must be proper, counts as everywhere."""
    cases: list[tuple[Any, Any]] = [(0, 1), (1, -1), (math.nan, 1), (1, math.inf)]
    for a, b in cases:
        with pytest.raises(StatisticsError, match="prior Beta"):
            Prior(a, b)
    with pytest.raises(StatisticsError, match="k = 0"):
        bayes_pass_at_k(5, 2, 0)
    with pytest.raises(StatisticsError, match="c = 6"):
        bayes_pass_hat_k(5, 6, 1)
