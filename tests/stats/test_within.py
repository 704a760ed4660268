"""Variance and covariance within a problem: golden values, unbiasedness over all outcomes, the plug-in."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.stats import ShortProblemsError, StatisticsError, covariance_within, pass_at_k, variance_within


def _all_fail(n: int, c: int, k: int) -> Fraction:
    return Fraction(math.comb(n - c, k), math.comb(n, k))


def _chances(n: int, p: Fraction) -> list[Fraction]:
    """The binomial chances of 0 to n correct samples."""
    return [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


def _true_covariance(n: int, p: Fraction, j: int, k: int) -> Fraction:
    """Of pass@j and pass@k over binomial draws, exactly."""
    chances = _chances(n, p)
    zero = Fraction(0)
    mean_j, mean_k = (sum((w * _all_fail(n, c, m) for c, w in enumerate(chances)), zero) for m in (j, k))
    joint = sum((w * _all_fail(n, c, j) * _all_fail(n, c, k) for c, w in enumerate(chances)), zero)
    return joint - mean_j * mean_k


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (10, 4, 2, 5 / 126),
        (8, 3, 1, 15 / 448),
        # pass^2 of (10, 4)
        (10, 6, 2, 41 / 3150),
    ],
)
def test_golden(n: int, c: int, k: int, expected: float) -> None:
    """The exact variances of pass@2, pass@1 and pass^2."""
    within = variance_within(n, c, k)
    assert expected == pytest.approx(float(within.value), rel=1e-14)
    assert within.method == "exact"


@pytest.mark.parametrize(("n", "j", "k"), [(2, 1, 1), (5, 1, 1), (7, 2, 2), (8, 4, 4), (9, 1, 3), (12, 5, 3)])
@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 50), Fraction(1, 3), Fraction(9, 10), Fraction(1)])
def test_exact_form_is_unbiased(n: int, j: int, k: int, p: Fraction) -> None:
    """The mean of the estimate over binomial draws is the true (co)variance."""
    within = covariance_within(n, np.arange(n + 1), j, k)
    assert within.exact.all()
    mean = float(np.dot([float(w) for w in _chances(n, p)], within.value))
    assert float(_true_covariance(n, p, j, k)) == pytest.approx(mean, rel=1e-12, abs=1e-18)


@pytest.mark.parametrize(
    ("n", "j", "k"), [(2, 2, 2), (3, 2, 2), (9, 5, 5), (20, 20, 20), (40, 3, 39), (50, 30, 26)]
)
def test_plug_in_is_the_variance_at_the_shrunken_rate(n: int, j: int, k: int) -> None:
    """Below n = j + k: the exact (co)variance where each sample is correct with (c + 1/2) / (n + 1)."""
    correct = sorted({0, 1, n // 2, n - 1, n})
    within = covariance_within(n, correct, j, k)
    expected = [float(_true_covariance(n, Fraction(2 * c + 1, 2 * n + 2), j, k)) for c in correct]
    np.testing.assert_allclose(within.value, expected, rtol=1e-11, atol=0)
    assert set(within.method) == {"plug-in"}


def test_plug_in_of_a_large_n() -> None:
    """The sum that stops early against the closed form at k = n, where pass@n is 1 unless all samples fail."""
    n, c = 10**6, 3
    missed = math.exp(n * math.log1p(-(c + 0.5) / (n + 1)))
    assert missed * (1 - missed) == pytest.approx(float(variance_within(n, c, n).value), rel=1e-9)


def test_one_sample_is_not_estimable() -> None:
    """One sample tells nothing of the spread of a rerun: nan and the label, beside problems that can tell."""
    within = variance_within([1, 2, 3], [1, 1, 1], 1)
    assert np.isnan(within.value).tolist() == [True, False, False]
    assert within.method.tolist() == ["not estimable", "exact", "exact"]


@given(st.integers(2, 400), st.data())
@settings(deadline=None)
def test_against_exact_rationals(n: int, data: st.DataObject) -> None:
    """Never negative, and without the cancellation of u_k**2 - u_2k."""
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n // 2))
    exact = _all_fail(n, c, k) ** 2 - _all_fail(n, c, 2 * k)
    value = float(variance_within(n, c, k).value)
    assert value >= 0
    assert math.copysign(1.0, value) == 1.0
    assert float(exact) == pytest.approx(value, rel=2e-14, abs=1e-300)


def test_no_cancellation_at_a_million() -> None:
    """One correct of n: the variance of pass@k is (k / n)**2, far below the terms it is the difference of."""
    n = 10**6
    budgets = np.array([1, 7, 1000, n // 2])
    np.testing.assert_allclose(variance_within(n, 1, budgets).value, (budgets / n) ** 2, rtol=1e-14)


def test_shortcut_comes_late() -> None:
    """Where u_2k is 1e-11 of u_k**2 it still counts."""
    n, c = 50_000, 3_715
    exact = _all_fail(n, c, c) ** 2 - _all_fail(n, c, 2 * c)
    assert float(exact) == pytest.approx(float(variance_within(n, c, c).value), rel=1e-12, abs=0)


def test_pass_at_1_is_the_textbook_form() -> None:
    """At k = 1 it is p (1 - p) / (n - 1)."""
    n, c = 50, np.arange(51)
    p = c / n
    np.testing.assert_allclose(variance_within(n, c, 1).value, p * (1 - p) / (n - 1), rtol=1e-13, atol=0)


def test_covariance_is_symmetric_and_bounded() -> None:
    """The order of the budgets is free; the covariance with itself is the variance."""
    c = np.arange(31)
    np.testing.assert_array_equal(covariance_within(30, c, 2, 9).value, covariance_within(30, c, 9, 2).value)
    np.testing.assert_array_equal(covariance_within(30, c, 4, 4).value, variance_within(30, c, 4).value)


def test_simulated_spread() -> None:
    """The square root of the mean estimate is the spread of pass@k over seeded reruns."""
    correct = np.random.default_rng(3).binomial(20, 0.15, size=40_000)
    spread = float(np.std(pass_at_k(20, correct, 5)))
    assert spread == pytest.approx(math.sqrt(variance_within(20, correct, 5).value.mean()), rel=0.02)


def test_shapes() -> None:
    """Integers give arrays without dimensions; arrays broadcast."""
    assert variance_within(10, 2, 1).value.shape == ()
    assert variance_within(10, np.array([[1], [2]]), [1, 2, 8]).value.shape == (2, 3)


def test_wrong_input() -> None:
    """The same errors as the estimators."""
    with pytest.raises(ShortProblemsError):
        variance_within([10, 4], 2, 5)
    with pytest.raises(ShortProblemsError):
        covariance_within(10, 2, 1, 11)
    with pytest.raises(StatisticsError, match="k = 0"):
        covariance_within(10, 2, 0, 1)
