"""Many tests at once: p adjusted so that chance does not pass for a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.errors import StatisticsError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from codejury.stats.counts import Floats


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down adjustment, which holds the chance of any false finding, whatever the tests' dependence.

    With p sorted, p(1) <= ... <= p(m), the i-th becomes max over j <= i of min(1, (m - j + 1) p(j)) (Holm 1979,
    Scandinavian Journal of Statistics 6).

    Args:
        p: m probabilities, one-dimensional; may be empty.

    Returns:
        The adjusted ones, in the order of p.

    Raises:
        StatisticsError: Not one-dimensional, or a p outside [0, 1].
    """
    values = _checked(p)
    order = np.argsort(values, kind="stable")
    adjusted = np.empty_like(values)
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Benjamini and Hochberg's adjustment, which holds the expected share of false findings among the findings.

    With p sorted, the i-th becomes the min over j >= i of min(1, m p(j) / j) (Benjamini & Hochberg 1995, Journal
    of the Royal Statistical Society B 57), as scipy's `false_discovery_control` computes it.

    Args:
        p: m probabilities, one-dimensional; may be empty.

    Returns:
        The adjusted ones, in the order of p.

    Raises:
        StatisticsError: Not one-dimensional, or a p outside [0, 1].
    """
    values = _checked(p)
    if not values.size:
        return values
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(values, method="bh"), dtype=np.float64)


def _checked(p: ArrayLike) -> Floats:
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1:
        raise StatisticsError(f"p has shape {values.shape}: give the p of each test in one dimension")
    if not ((values >= 0) & (values <= 1)).all():
        raise StatisticsError("a p is no probability: all must lie between 0 and 1")
    return values
