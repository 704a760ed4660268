"""Whole curves: pass@k and pass^k of each problem for every k from 1 to a largest one.

All values of a curve come from one cumulative sum of logarithms, so that a curve costs as much as its last value
by the plain product. For a few k of a large n the estimators of `passk` are cheaper: they take arrays of k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.counts import Counts, Floats, Ints, checked_counts, distinct
from codejury.stats.errors import StatisticsError
from codejury.stats.passk import log_share_left

if TYPE_CHECKING:
    from collections.abc import Callable

_GRID = 2.0**32


def pass_at_k_curve(n: Counts, c: Counts, largest: int | None = None) -> Floats:
    """pass@k for k = 1 to `largest`: 1 - exp(sum over i < k of log(1 - c / (n - i))).

    The product over i < k of (n - c - i) / (n - i) is C(n-c, k) / C(n, k) (Chen et al. 2021, arXiv 2107.03374).

    Args:
        n: Samples of each problem: an integer or an array of them, which broadcasts with c.
        c: Correct samples among them.
        largest: The last k; None is the smallest n.

    Returns:
        float64 of the broadcast shape and one axis more: index k - 1 of the last axis is pass@k. The mean over
        the others is the curve of a run.

    Raises:
        StatisticsError: Empty, negative or non-integer input, c > n, `largest` < 1 or no single integer.
        ShortProblemsError: `largest` > n for some problems.
    """
    return _curve(n, c, largest, _one_or_more)


def pass_hat_k_curve(n: Counts, c: Counts, largest: int | None = None) -> Floats:
    """pass^k for k = 1 to `largest`: exp(sum over i < k of log(1 - (n - c) / (n - i))).

    The product over i < k of (c - i) / (n - i) is C(c, k) / C(n, k) (Yao et al. 2024, arXiv 2406.12045).
    Arguments, result and errors are those of `pass_at_k_curve`.
    """
    return _curve(n, c, largest, _every_one)


def _curve(n: Counts, c: Counts, largest: int | None, values: Callable[[Ints, Ints, int], Floats]) -> Floats:
    if largest is None:
        smallest, _ = checked_counts(n, c)
        largest = int(smallest.min())
    if np.ndim(largest) != 0:
        raise StatisticsError(f"the last k must be one integer, not an array of shape {np.shape(largest)}")
    samples, correct, _ = checked_counts(n, c, largest)
    (whole, part), index = distinct(samples, correct)
    found: Floats = values(whole, part, largest)[index]
    return found


def _one_or_more(n: Ints, c: Ints, largest: int) -> Floats:
    high, low = _log_none(n, c, largest)
    # 0.0 - x, so that no chance is -0.0
    found: Floats = 0.0 - np.expm1(high + low)
    # to the last bit, as pass_at_k gives it
    found[:, 0] = c / n
    return found


def _every_one(n: Ints, c: Ints, largest: int) -> Floats:
    high, low = _log_none(n, n - c, largest)
    found: Floats = np.exp(high) * np.exp(low)
    found[:, 0] = c / n
    return found


def _log_none(n: Ints, marked: Ints, largest: int) -> tuple[Floats, Floats]:
    """log(C(n - marked, k) / C(n, k)) for k = 1 to `largest`, as two sums of which the first is exact.

    Each logarithm is split on a grid of 2**-32, as in `passk.sum_logs`.
    """
    left = n[:, None] - np.arange(largest, dtype=np.float64)
    part = np.broadcast_to(marked[:, None].astype(np.float64), left.shape)
    possible = part < left
    logs = np.full(left.shape, -np.inf)
    logs[possible] = log_share_left(left[possible], part[possible])
    coarse = np.where(possible, np.rint(logs * _GRID) / _GRID, -np.inf)
    fine = np.where(possible, logs, 0.0) - np.where(possible, coarse, 0.0)
    return np.cumsum(coarse, axis=1), np.cumsum(fine, axis=1)
