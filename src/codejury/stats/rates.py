"""Shares of tests: by problem first, or all in one pot.

A test pass rate is the share of tests that passed, a regression rate that of tests which passed before and fail
now. Neither says whether a problem was solved: a rate of 0.80 may belong to one problem solved of five.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.errors import StatisticsError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def macro_rate(part: ArrayLike, whole: ArrayLike) -> float:
    """The plain mean over problems of each one's share, `mean(part / whole)`: every problem counts the same.

    Args:
        part: Tests that passed, or regressed, of each problem; shape (problems,).
        whole: All that there are, at least one each; shape (problems,).

    Raises:
        StatisticsError: There is no problem, one without tests, or one with a part that is not within its whole.
    """
    parts, wholes = _checked(part, whole)
    return float(np.mean(parts / wholes))


def pooled_rate(part: ArrayLike, whole: ArrayLike) -> float:
    """The share over all tests together, `sum(part) / sum(whole)`: problems with many tests outweigh the others.

    Args:
        part: See `macro_rate`.
        whole: See `macro_rate`.

    Raises:
        StatisticsError: See `macro_rate`.
    """
    parts, wholes = _checked(part, whole)
    return float(parts.sum() / wholes.sum())


def _checked(part: ArrayLike, whole: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    parts, wholes = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    if not wholes.size:
        raise StatisticsError("no problems: there is nothing to take a mean of")
    wrong = np.flatnonzero(~((wholes >= 1) & (parts >= 0) & (parts <= wholes)))
    if wrong.size:
        at = int(wrong[0])
        raise StatisticsError(
            f"{parts.flat[at]:g} of {wholes.flat[at]:g} tests at position {at}: a problem has at least one test,"
            " and a part of them lies between none and all"
        )
    return parts, wholes
