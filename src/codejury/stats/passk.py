"""pass@k and pass^k of single problems.

Of n samples of a problem c are correct. k distinct samples are drawn without replacement:
pass@k = 1 - C(n-c, k) / C(n, k) is the chance that at least one of them is correct (Chen et al. 2021,
arXiv 2107.03374), pass^k = C(c, k) / C(n, k) that all of them are (Yao et al. 2024, tau-bench).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np

from codejury.stats.counts import Counts, Floats, Ints, checked_counts, distinct

if TYPE_CHECKING:
    from collections.abc import Callable

# A logarithm below the first is nothing beside 1 in float64, below the second it is nothing at all.
_NEGLIGIBLE = 40.0
UNDERFLOW = 746.0

_FACTORS_AT_ONCE = 1 << 20


@overload
def pass_at_k(n: int, c: int, k: int) -> float: ...  # type: ignore[overload-overlap] # the narrower one
@overload
def pass_at_k(n: Counts, c: Counts, k: Counts) -> Floats: ...
def pass_at_k(n: Counts, c: Counts, k: Counts) -> Floats | float:
    """The unbiased estimate of the chance that at least one of k samples is correct.

    Computed to full double precision with at most about sqrt(40 n) factors for each distinct (n, c, k).

    Args:
        n: Samples of each problem. All three are integers or arrays of them, which broadcast.
        c: Correct samples among them.
        k: Samples drawn, 1 to n.

    Returns:
        A float for three integers, else a float64 array of the broadcast shape.

    Raises:
        StatisticsError: Empty, negative or non-integer input, c > n, or k < 1.
        ShortProblemsError: k > n for some problems.
    """
    (samples, correct, budget), index = distinct(*checked_counts(n, c, k))
    high, low = log_all_fail(samples, correct, budget, cutoff=_NEGLIGIBLE)
    # with one factor at most the chance is this quotient, so that pass@1 is c / n to the last bit
    single = np.minimum(correct, budget) <= 1
    return _shaped(np.where(single, correct * budget / samples, -np.expm1(high + low))[index])


@overload
def pass_hat_k(n: int, c: int, k: int) -> float: ...  # type: ignore[overload-overlap] # the narrower one
@overload
def pass_hat_k(n: Counts, c: Counts, k: Counts) -> Floats: ...
def pass_hat_k(n: Counts, c: Counts, k: Counts) -> Floats | float:
    """The unbiased estimate of the chance that all of k samples are correct.

    Equals 1 - pass_at_k(n, n - c, k), but keeps full relative precision where it is small, with at most about
    sqrt(746 n) factors for each distinct (n, c, k).

    Args:
        n: Samples of each problem. All three are integers or arrays of them, which broadcast.
        c: Correct samples among them.
        k: Samples drawn, 1 to n.

    Returns:
        A float for three integers, else a float64 array of the broadcast shape.

    Raises:
        StatisticsError: Empty, negative or non-integer input, c > n, or k < 1.
        ShortProblemsError: k > n for some problems.
    """
    (samples, correct, budget), index = distinct(*checked_counts(n, c, k))
    wrong = samples - correct
    high, low = log_all_fail(samples, wrong, budget)
    single = np.minimum(wrong, budget) <= 1
    return _shaped(np.where(single, (samples - wrong * budget) / samples, np.exp(high) * np.exp(low))[index])


def log_all_fail(n: Ints, c: Ints, k: Ints, *, cutoff: float = UNDERFLOW) -> tuple[Floats, Floats]:
    """log(C(n-c, k) / C(n, k)): the logarithm of the chance that all k samples drawn are wrong.

    With m, M the smaller and the larger of c and k it is the sum over i < m of log(1 - M / (n - i)).

    Args:
        n: Checked counts, one-dimensional.
        c: The same.
        k: The same.
        cutoff: Where the logarithm is below -cutoff, -inf may be given instead.

    Returns:
        The logarithm as the sum of two arrays, of which the first has no rounding error of the summation:
        exp(high) * exp(low) keeps the precision that exp(high + low) loses where the logarithm is large.
    """
    smaller, larger = np.minimum(c, k), np.maximum(c, k)
    zero = (c + k > n) | (smaller.astype(np.float64) * larger > cutoff * n)

    def log_factors(row: Ints, i: Ints) -> Floats:
        return log_share_left((n[row] - i).astype(np.float64), larger[row].astype(np.float64))

    high, low = sum_logs(np.where(zero, 0, smaller), log_factors)
    high[zero] = -np.inf
    return high, low


def log_share_left(whole: Floats, part: Floats) -> Floats:
    """log(1 - part / whole) to full precision, for 0 <= part < whole."""
    logs: Floats = np.log1p(-part / whole)
    # near 0 the quotient is exact to rounding, while 1 - part / whole has lost its digits
    small = np.flatnonzero(2.0 * part > whole)
    logs[small] = np.log((whole[small] - part[small]) / whole[small])
    return logs


def sum_logs(count: Ints, log_factors: Callable[[Ints, Ints], Floats]) -> tuple[Floats, Floats]:
    """For each row the sum of `count[row]` logarithms, a bounded number of them in memory at a time.

    Args:
        count: Terms of each row.
        log_factors: Gives the logarithms for arrays of rows and of the terms' indices within their row.

    Returns:
        The sums as high + low. Each term is split on a grid of 2**-32, on which sums below 2**20 are exact.
    """
    high, low = np.zeros(len(count)), np.zeros(len(count))
    ends = np.cumsum(count)
    start = 0
    while start < len(count):
        done = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + _FACTORS_AT_ONCE, side="right")))
        rows = np.flatnonzero(count[start:stop]) + start
        start = stop
        if not len(rows):
            continue
        counts = count[rows]
        first = np.cumsum(counts) - counts
        logs = log_factors(np.repeat(rows, counts), np.arange(counts.sum()) - np.repeat(first, counts))
        coarse = np.rint(logs * 2.0**32) * 2.0**-32
        high[rows] = np.add.reduceat(coarse, first)
        low[rows] = np.add.reduceat(logs - coarse, first)
    return high, low


def _shaped(values: Floats) -> Floats | float:
    return values if values.ndim else float(values)
