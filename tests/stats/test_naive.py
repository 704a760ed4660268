"""The naive forms: what they give, and the bias and noise that they are shown for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from codejury.stats import StatisticsError, naive_first_k, naive_with_replacement, pass_at_k


def test_first_k() -> None:
    """Only the first k count."""
    passed = [[False, True, False], [False, False, True], [True, False, False]]
    assert [0.0, 0.0, 1.0] == naive_first_k(passed, 1).tolist()
    assert [1.0, 0.0, 1.0] == naive_first_k(passed, 2).tolist()


def test_first_k_is_noisier() -> None:
    """Same mean as the unbiased estimator over seeded draws, more than twice its spread."""
    passed = np.random.default_rng(5).random((40_000, 20)) < 0.2
    naive, unbiased = naive_first_k(passed, 3), pass_at_k(20, passed.sum(axis=1), 3)
    truth = 1 - 0.8**3
    assert truth == pytest.approx(naive.mean(), abs=0.01)
    assert truth == pytest.approx(unbiased.mean(), abs=0.005)
    assert naive.std() > 2 * unbiased.std()


@pytest.mark.parametrize("p", [0.05, 0.3, 0.8])
def test_with_replacement_is_biased_low(p: float) -> None:
    """Over all outcomes of ten samples: the unbiased form has the truth as its mean, the naive one less."""
    c = np.arange(11)
    weights, truth = binom.pmf(c, 10, p), 1 - (1 - p) ** 5
    assert truth == pytest.approx(weights @ pass_at_k(10, c, 5), rel=1e-12)
    assert weights @ naive_with_replacement(10, c, 5) < truth - 0.001


def test_with_replacement() -> None:
    """1 - (1 - c / n)**k, for k above n as well; 0 and 1 at the ends."""
    assert 1 - 0.75**2 == pytest.approx(float(naive_with_replacement(8, 2, 2)), rel=1e-15)
    assert 1 - 0.5**9 == pytest.approx(float(naive_with_replacement(2, 1, 9)), rel=1e-15)
    assert [0.0, 1.0] == naive_with_replacement(4, [0, 4], 3).tolist()


def test_wrong_input() -> None:
    """No booleans, k out of range, no samples."""
    cases: list[tuple[Any, int, str]] = [
        ([[1, 0]], 1, "give booleans"),
        ([True, False], 1, "one row a problem"),
        ([[True, False]], 3, "k = 3"),
        ([[True, False]], 0, "k = 0"),
    ]
    for passed, k, message in cases:
        with pytest.raises(StatisticsError, match=message):
            naive_first_k(passed, k)
    with pytest.raises(StatisticsError, match="n = 0"):
        naive_with_replacement([0, 3], 0, 1)
