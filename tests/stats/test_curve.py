"""Whole curves: equal to single values, golden values, precision against exact rationals, monotone."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.stats import (
    ShortProblemsError,
    StatisticsError,
    pass_at_k,
    pass_at_k_curve,
    pass_hat_k,
    pass_hat_k_curve,
)

PAIRS = st.lists(
    st.integers(1, 120).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), min_size=1, max_size=20
)


def test_golden() -> None:
    """pass@5 and pass^5 of n = 8 are the fifth values of the curves; (5, 3) in full."""
    at, hat = pass_at_k_curve(8, range(5)), pass_hat_k_curve(8, range(4, 9))
    np.testing.assert_allclose(at[:, 4], [0, 5 / 8, 25 / 28, 55 / 56, 1], rtol=1e-15, atol=0)
    np.testing.assert_allclose(hat[:, 4], [0, 1 / 56, 3 / 28, 3 / 8, 1], rtol=1e-15, atol=0)
    np.testing.assert_allclose(pass_at_k_curve(5, 3), [3 / 5, 9 / 10, 1, 1, 1], rtol=1e-15, atol=0)


@given(PAIRS)
@settings(deadline=None)
def test_equals_single_values(pairs: list[tuple[int, int]]) -> None:
    """A point of a curve is the estimator's value to the last bits; the first to the last bit."""
    n, c = (np.array(column) for column in zip(*pairs, strict=True))
    at, hat = pass_at_k_curve(n, c), pass_hat_k_curve(n, c)
    k = np.arange(1, n.min() + 1)
    assert (len(n), len(k)) == at.shape == hat.shape
    np.testing.assert_allclose(at, pass_at_k(n[:, None], c[:, None], k), rtol=4e-16, atol=0)
    np.testing.assert_allclose(hat, pass_hat_k(n[:, None], c[:, None], k), rtol=4e-14, atol=0)
    np.testing.assert_array_equal(at[:, 0], c / n)


@given(PAIRS)
@settings(deadline=None)
def test_monotone_and_symmetric(pairs: list[tuple[int, int]]) -> None:
    """pass@k never falls with k, pass^k never rises; pass^k(c) = 1 - pass@k(n - c); all within 0 and 1."""
    n, c = (np.array(column) for column in zip(*pairs, strict=True))
    at, hat = pass_at_k_curve(n, c), pass_hat_k_curve(n, c)
    assert (np.diff(at, axis=1) >= -4e-16).all()
    assert (np.diff(hat, axis=1) <= 4e-16).all()
    assert ((hat >= 0) & (at >= 0) & (hat <= 1) & (at <= 1)).all()
    assert not np.signbit(at).any()
    np.testing.assert_allclose(hat, 1 - pass_at_k_curve(n, n - c), rtol=0, atol=5e-16)


@pytest.mark.parametrize("c", [1, 2, 3_000, 999_000])
def test_relative_error_at_a_million(c: int) -> None:
    """Points far along the curve of a million samples, against exact rationals."""
    n, last = 10**6, 2_000
    at, hat = pass_at_k_curve(n, c, last), pass_hat_k_curve(n, c, last)
    for k in (1, 2, 77, last):
        missed = Fraction(math.perm(n - c, k), math.perm(n, k))
        assert abs(Fraction(float(at[k - 1])) - (1 - missed)) <= Fraction(1, 10**14) * (1 - missed)
        passed = Fraction(math.perm(c, k), math.perm(n, k))
        if passed > Fraction(1, 10**300):
            assert abs(Fraction(float(hat[k - 1])) - passed) <= Fraction(1, 10**14) * passed


def test_far_end_of_a_million() -> None:
    """The whole curve of one correct in a million is k / n."""
    n = 10**6
    np.testing.assert_allclose(pass_at_k_curve(n, 1), np.arange(1, n + 1) / n, rtol=1e-14, atol=0)


def test_wrong_input() -> None:
    """The last k must be one integer from 1 to the smallest n."""
    cases: list[tuple[Any, str]] = [(0, "k = 0"), ([1, 2], "one integer"), (1.5, "k must be integers")]
    for largest, message in cases:
        with pytest.raises(StatisticsError, match=message):
            pass_at_k_curve([5, 6], [1, 2], largest)
    with pytest.raises(ShortProblemsError):
        pass_hat_k_curve([5, 6], [1, 2], 6)
    with pytest.raises(StatisticsError, match="k = 0"):
        pass_at_k_curve([0, 6], [0, 2])
