"""Forms of pass@k that are in use and are not the unbiased estimator. For teaching and comparison only.

No figure of a report is made of them. `passk.pass_at_k` is the form to use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.counts import Counts, Floats, checked_counts
from codejury.stats.errors import StatisticsError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def naive_first_k(passed: ArrayLike, k: int) -> Floats:
    """Naive, for teaching: is one of the first k samples correct?

    Over k fresh samples of each problem this is unbiased for 1 - (1 - p)**k, and only noisy: its variance is that
    of a coin, where the mean over all subsets of k (Chen et al. 2021, arXiv 2107.03374) uses all n samples. It
    also depends on the order of the samples.

    Args:
        passed: Booleans, shape (problems, samples), in the order in which the samples were drawn.
        k: How many of the first samples to look at, 1 to their number.

    Returns:
        0.0 or 1.0 for each problem.

    Raises:
        StatisticsError: No table of booleans, no problems, or k outside its range.
    """
    table = np.asarray(passed)
    if table.ndim != 2 or not table.size or table.dtype != np.bool_:
        raise StatisticsError(
            f"passed has shape {table.shape} and type {table.dtype}: give booleans, one row a problem"
        )
    if not 1 <= k <= table.shape[1]:
        raise StatisticsError(f"k = {k}: the first k of {table.shape[1]} samples are 1 to {table.shape[1]}")
    return np.asarray(table[:, :k].any(axis=1).astype(np.float64))


def naive_with_replacement(n: Counts, c: Counts, k: Counts) -> Floats:
    """Naive, for teaching: 1 - (1 - c / n)**k, the chance with the estimated rate put in.

    Biased low for k > 1 and 0 < p < 1: (1 - x)**k is convex in x, so by Jensen's inequality its mean lies above (1
    - p)**k (Chen et al. 2021, arXiv 2107.03374, appendix A). It is the estimator that draws with replacement, and
    is defined for k > n, where it answers without evidence.

    Args:
        n: Samples of each problem, at least 1. All three are integers or arrays of them, which broadcast.
        c: Correct samples among them.
        k: Samples drawn, at least 1.

    Returns:
        float64 of the broadcast shape.

    Raises:
        StatisticsError: Empty, negative or non-integer input, n = 0, c > n, or k < 1.
    """
    samples, correct, budget = checked_counts(n, c, k, beyond=True)
    if (samples == 0).any():
        raise StatisticsError("n = 0 for some problems: a rate needs a sample of each")
    with np.errstate(divide="ignore"):
        log_miss = np.log1p(-correct / samples)
    # 0.0 - x, so that no chance is -0.0
    return np.asarray(0.0 - np.expm1(budget * log_miss))
