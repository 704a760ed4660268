"""Means of what rollouts carry, by task first: plain arithmetic on columns.

Every column has one entry a rollout, nan where nothing is known. A task's number is the mean over its rollouts of
which it is known, and a figure the plain mean over tasks: a task counts the same, however many rollouts it has.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from codejury.report.rollouts import Latency, Measure, SharesOfTests
from codejury.stats.estimate import NO_SPREAD
from codejury.stats.intervals import Interval, binomial_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TOOL_CALLS = 20
"""Calls at which the tool efficiency of arXiv 2608.14711 is 0."""


def task_means(values: Floats, task: Ints, size: int) -> Floats:
    """The mean of each task's known values; nan where a task has none.

    Args:
        values: One entry a rollout.
        task: The task of each, 0 to size - 1.
        size: Number of tasks.
    """
    known = ~np.isnan(values)
    count = np.bincount(task[known], minlength=size)
    total = np.bincount(task[known], weights=values[known], minlength=size)
    means = np.full(size, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means


def measure(values: Floats, task: Ints, level: float, high: float = math.inf, low: float = 0.0) -> Measure | None:
    """The mean over tasks with its t interval, cut off at `low` and `high`; None where nothing is known."""
    size = int(task.max()) + 1 if task.size else 0
    means = task_means(values, task, size)
    means = means[~np.isnan(means)]
    return _measure(means, level, high, low, rollouts=int((~np.isnan(values)).sum()))


def _measure(means: Floats, level: float, high: float, low: float, rollouts: int) -> Measure | None:
    count = len(means)
    if not count:
        return None
    value = float(means.mean())
    se = float(means.std(ddof=1)) / math.sqrt(count) if count > 1 else 0.0
    if se > NO_SPREAD * abs(value):
        half = _quantile(level, count - 1) * se
        bounds = Interval(se, max(low, value - half), min(high, value + half), "t")
    elif (low, high) == (0, 1) and count > 1:
        bounds = binomial_interval(min(1.0, value), count, level)
    else:
        return Measure(value=value, se=None, low=None, high=None, method=None, tasks=count, rollouts=rollouts)
    return Measure(
        value=value,
        se=bounds.se,
        low=bounds.low,
        high=bounds.high,
        method=bounds.method,
        tasks=count,
        rollouts=rollouts,
    )


def _quantile(level: float, df: int) -> float:
    """Of Student's t, two-sided."""
    from scipy import special  # noqa: PLC0415 - its import takes long, and imports of rollouts need no figure

    return float(special.stdtrit(df, (1 + level) / 2))


def shares_of_tests(
    part: Floats, whole: Floats, task: Ints, resolved: Floats | None, level: float
) -> SharesOfTests | None:
    """Shares of tests by task and in one pot; rollouts without tests are left out.

    Args:
        part: Tests that passed, or regressed, of each rollout.
        whole: All of its tests.
        task: Its task.
        resolved: Whether it is resolved, for the gap; None for no gap.
        level: Confidence level.
    """
    known = ~np.isnan(part) & (whole > 0)
    if not known.any():
        return None
    macro = measure(part[known] / whole[known], task[known], level, 1.0)
    assert macro is not None
    pooled = float(part[known].sum() / whole[known].sum())
    gap = None
    if resolved is not None:
        gap = measure(part[known] / whole[known] - resolved[known], task[known], level, 1.0, -1.0)
    return SharesOfTests(
        macro=macro,
        pooled=pooled,
        gap_to_resolved=gap,
        gap_to_pooled=macro.value - pooled,
    )


def tool_efficiency(calls: Floats) -> Floats:
    """max(0, 1 - calls / 20) of each rollout (arXiv 2608.14711)."""
    return np.asarray(np.maximum(0.0, 1 - calls / TOOL_CALLS))


def cost_adjusted(passed: Floats, total: Floats, cost: Floats) -> Floats:
    """Test pass rate / ln(1 + cost) of each rollout (arXiv 2608.14711); nan at cost 0, where it has no bound."""
    found = np.full(len(cost), np.nan)
    known = (total > 0) & (cost > 0) & ~np.isnan(passed)
    found[known] = passed[known] / total[known] / np.log1p(cost[known])
    return found


def cost_per_solved(cost: Floats, resolved: Floats, task: Ints, level: float) -> Measure | None:
    """The cost of one rollout of each task over the number of tasks that this resolves, with a delta interval.

    Tasks of which no cost is known are left out of both. None where nothing is resolved, or nothing is known.
    """
    known = ~np.isnan(cost)
    if not known.any():
        return None
    size = int(task.max()) + 1
    costs, rates = (task_means(values[known], task[known], size) for values in (cost, resolved))
    costs, rates = costs[~np.isnan(costs)], rates[~np.isnan(costs)]
    rate = float(rates.mean())
    if rate == 0:
        return None
    value = float(costs.mean()) / rate
    # the ratio's first-order change with each task
    moved = value + (costs - value * rates) / rate
    found = _measure(moved, level, math.inf, 0.0, rollouts=int(known.sum()))
    assert found is not None
    return msgspec.structs.replace(found, value=value)


def latency(seconds: Floats, task: Ints, level: float) -> Latency | None:
    """Mean by task, median and 90th percentile of wall seconds."""
    mean = measure(seconds, task, level)
    if mean is None:
        return None
    median, p90 = np.nanquantile(seconds, [0.5, 0.9]).tolist()
    return Latency(mean=mean, median=median, p90=p90)
