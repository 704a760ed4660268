"""The variance of pass@k and pass^k within one problem: how much they would differ on a rerun of n samples.

With u_m = C(n-c, m) / C(n, m), the unbiased estimate of (1 - p)**m, the variance of pass@k is estimated without
bias by u_k**2 - u_2k, and the covariance of two budgets by u_j u_k - u_(j+k), as long as n allows to draw that
many samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.counts import Counts, Floats, Ints, checked_counts, distinct
from codejury.stats.passk import UNDERFLOW, log_all_fail, sum_logs

if TYPE_CHECKING:
    from numpy.typing import NDArray

# exp(-40) is nothing beside 1 in float64
_NEGLIGIBLE = 40.0


@dataclass(frozen=True)
class WithinVariance:
    """Variances (or covariances) within problems, and how each was obtained.

    Attributes:
        value: float64 of the broadcast shape of the input; nan where it cannot be estimated.
        exact: Where the unbiased estimate was used; elsewhere it is the plug-in, or nan.
    """

    value: Floats
    exact: NDArray[np.bool_]

    @property
    def method(self) -> NDArray[np.str_]:
        """For each entry "exact", "plug-in" or "not estimable"."""
        return np.where(self.exact, "exact", np.where(np.isnan(self.value), "not estimable", "plug-in"))


def variance_within(n: Counts, c: Counts, k: Counts) -> WithinVariance:
    """The variance of pass@k within each problem; that of pass^k is `variance_within(n, n - c, k)`.

    Exact, that is unbiased and never negative, for n >= 2k; at k = 1 it is p (1 - p) / (n - 1) with p = c / n.
    For k <= n < 2k no unbiased estimate exists and the plug-in is given: the exact variance of
    pass@k(n, C, k) where C is binomial with n trials and chance (c + 1/2) / (n + 1). For n = 1 one run tells
    nothing of the variance.

    Args:
        n: Samples of each problem. All three are integers or arrays of them, which broadcast.
        c: Correct samples among them.
        k: Samples drawn, 1 to n.

    Raises:
        StatisticsError: Empty, negative or non-integer input, c > n, or k < 1.
        ShortProblemsError: k > n for some problems.
    """
    return covariance_within(n, c, k, k)


def covariance_within(n: Counts, c: Counts, j: Counts, k: Counts) -> WithinVariance:
    """The covariance of pass@j and pass@k of the same n samples, within each problem.

    Exact for n >= j + k, otherwise the plug-in, as in `variance_within`.

    Args:
        n: Samples of each problem. All four are integers or arrays of them, which broadcast.
        c: Correct samples among them.
        j: The one budget, 1 to n.
        k: The other budget, 1 to n.

    Raises:
        StatisticsError: Empty, negative or non-integer input, c > n, or a budget < 1.
        ShortProblemsError: A budget exceeds n for some problems.
    """
    samples, correct, one, other = checked_counts(n, c, j, k)
    counts, index = distinct(samples, correct, np.minimum(one, other), np.maximum(one, other))
    exact = counts[0] >= counts[2] + counts[3]
    value = np.full(len(exact), np.nan)
    value[exact] = _exact(*(column[exact] for column in counts))
    for row in np.flatnonzero(~exact & (counts[0] > 1)):
        value[row] = _plug_in(*(int(column[row]) for column in counts))
    return WithinVariance(np.asarray(value[index]), np.asarray(exact[index]))


def binomial_variance(h: Floats, c: Ints) -> Floats:
    """The plug-in variance of any estimator h(C) of one problem, for each of some numbers of correct samples.

    C is binomial with n trials and chance (c + 1/2) / (n + 1). Summed as squares about the mean, never negative.

    Args:
        h: The estimator's values for C = 0 to n.
        c: Correct samples, one-dimensional, 0 to n.

    Returns:
        One variance for each entry of c.
    """
    found = np.empty(len(c))
    for row, correct in enumerate(c.tolist()):
        weights = plug_in_chances(len(h) - 1, correct)
        found[row] = weights @ (h - weights @ h) ** 2
    return found


def plug_in_chances(n: int, c: int) -> Floats:
    """The chances of 0 to n correct samples on a rerun: binomial with n trials and chance (c + 1/2) / (n + 1)."""
    outcomes = np.arange(n)
    # log of C(n, i), up to rounding of a sum of n logarithms
    ways = np.concatenate(([0.0], np.cumsum(np.log((n - outcomes) / (outcomes + 1.0)))))
    logs = ways + np.arange(n + 1) * (np.log(c + 0.5) - np.log(n - c + 0.5))
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _exact(n: Ints, c: Ints, j: Ints, k: Ints) -> Floats:
    """u_j u_k - u_(j+k) without the cancellation of the difference.

    It is -u_j u_k (r - 1) with r = u_(j+k) / (u_j u_k). In factorials r is symmetric in c, j and k; with these
    sorted to a <= b <= d it is the product over i < a of 1 - b d / ((n - b - i) (n - d - i)).
    """
    high, low = np.add(log_all_fail(n, c, j), log_all_fail(n, c, k))
    a, b, d = np.sort(np.stack((c, j, k)), axis=0)
    none_left = c + j + k > n
    vanishes = none_left | (1.0 * a * b * d > _NEGLIGIBLE * n * n) | (high < -UNDERFLOW)

    def log_factors(row: Ints, i: Ints) -> Floats:
        # float64 first: the products may exceed int64
        left = (1.0 * n[row] - b[row] - i) * (1.0 * n[row] - d[row] - i)
        logs: Floats = np.log1p(-1.0 * b[row] * d[row] / left)
        return logs

    log_ratio = np.sum(sum_logs(np.where(vanishes, 0, a), log_factors), axis=0)
    # 0.0 - x, so that no variance is -0.0
    value: Floats = np.exp(high) * np.exp(low) * (0.0 - np.expm1(np.where(vanishes, -np.inf, log_ratio)))
    return value


def _plug_in(n: int, c: int, j: int, k: int) -> float:
    """The covariance of u_j and u_k of a binomial number of correct samples, for j <= k <= n < j + k.

    u_k is 0 or negligible from some number on, the sooner as k >= n / 2, and the mean of u_j is (1 - p)**j,
    so the sum over all outcomes of P(C) u_k(C) (u_j(C) - (1 - p)**j) has at most about 1,500 terms.
    """
    chance, log_miss = (c + 0.5) / (n + 1), np.log((n - c + 0.5) / (n + 1))
    correct = np.arange(min(n - k, int(UNDERFLOW * n / k)) + 1)
    size = np.full_like(correct, n)
    u_j, u_k = (np.exp(np.sum(log_all_fail(size, correct, np.full_like(correct, m)), axis=0)) for m in (j, k))
    log_chances = n * log_miss + np.cumsum(
        np.concatenate(([0.0], np.log((n - correct[:-1]) / (correct[:-1] + 1.0)) + np.log(chance) - log_miss))
    )
    return float(np.sum(np.exp(log_chances) * u_k * (u_j - np.exp(j * log_miss))))
