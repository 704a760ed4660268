"""Checks of the counts n, c and k, and the reduction of many problems to few distinct ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codejury.stats.errors import ShortProblemsError, StatisticsError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Counts = int | Sequence[int] | NDArray[np.integer[Any]]

# float64 holds every integer up to here.
_LARGEST = 2**53

# Up to so many possible combinations for each of the problems a table is faster than sorting.
_TABLE = 4


def checked_counts(n: Counts, c: Counts, *budgets: Counts, beyond: bool = False) -> tuple[Ints, ...]:
    """Check counts and broadcast them against each other.

    Args:
        n: Samples of each problem, at least 0.
        c: Correct samples, 0 to n.
        budgets: Values of k, at least 1.
        beyond: Allow budgets above n, for estimators that draw with replacement or from a posterior.

    Returns:
        n, c and the budgets as int64 arrays of one shape.

    Raises:
        StatisticsError: Empty, negative or non-integer input, c > n, k < 1, or shapes that do not broadcast.
        ShortProblemsError: A problem has fewer samples than a budget.
    """
    names = ("n", "c", *("k" for _ in budgets))
    arrays = [_integers(name, value) for name, value in zip(names, (n, c, *budgets), strict=True)]
    try:
        samples, correct = np.broadcast_arrays(arrays[0], arrays[1])
        counts = tuple(np.broadcast_arrays(samples, correct, *arrays[2:]))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(names, arrays, strict=True))
        raise StatisticsError(f"the shapes do not fit together: {shapes}") from None
    if (excess := _first(correct > samples)) is not None:
        raise StatisticsError(
            f"c = {correct.flat[excess]} correct of n = {samples.flat[excess]} samples at position {excess}: "
            "c must be at most n"
        )
    if beyond or not budgets:
        return counts
    needed = np.maximum.reduce(counts[2:])
    if (short := counts[0] < needed).any():
        positions = np.broadcast_to(np.arange(samples.size).reshape(samples.shape), counts[0].shape)
        raise ShortProblemsError([int(i) for i in np.unique(positions[short])], int(needed.max()))
    return counts


def distinct(*columns: Ints) -> tuple[tuple[Ints, ...], Ints]:
    """The distinct combinations of equally shaped columns, since many problems share the same counts.

    Returns:
        The columns of the distinct combinations, one-dimensional; and an array in the shape of the input that
        indexes them, so that `values[index]` is the result for the input when `values` is that for the columns.
    """
    lows = [int(column.min()) for column in columns]
    spans = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    flat = [column.ravel() for column in columns]
    if math.prod(spans) > np.iinfo(np.int64).max:
        return tuple(flat), np.arange(columns[0].size).reshape(columns[0].shape)
    key = np.zeros(columns[0].size, dtype=np.int64)
    for column, low, span in zip(flat, lows, spans, strict=True):
        key = key * span + (column - low)
    if math.prod(spans) <= _TABLE * key.size:
        first, index = _by_table(key, math.prod(spans))
    else:
        _, first, index = np.unique(key, return_index=True, return_inverse=True)
    return tuple(column[first] for column in flat), index.reshape(columns[0].shape)


def _by_table(key: Ints, size: int) -> tuple[Ints, Ints]:
    """A place of each distinct key, and the inverse, as `numpy.unique` gives them, without sorting."""
    place = np.full(size, -1, dtype=np.int64)
    place[key] = np.arange(key.size)
    present = np.flatnonzero(place >= 0)
    rank = np.empty(size, dtype=np.int64)
    rank[present] = np.arange(present.size)
    return place[present], rank[key]


def _integers(name: str, value: Counts) -> Ints:
    array = np.asarray(value)
    if array.size == 0:
        raise StatisticsError(f"{name} is empty: there are no problems to estimate from")
    if array.dtype.kind not in "iu":
        raise StatisticsError(f"{name} must be integers, not {array.dtype}: convert counts with int()")
    least = 1 if name == "k" else 0
    if (low := _first(array < least)) is not None:
        raise StatisticsError(f"{name} = {array.flat[low]} at position {low}: {name} must be at least {least}")
    if (high := _first(array > _LARGEST)) is not None:
        raise StatisticsError(f"{name} = {array.flat[high]} at position {high}: {name} must be at most 2**53")
    return array.astype(np.int64)


def _first(mask: NDArray[np.bool_]) -> int | None:
    return int(mask.argmax()) if mask.any() else None
