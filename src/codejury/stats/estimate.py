"""pass@k and pass^k of one run over many problems, with the two standard errors.

Each problem is estimated first, then the plain mean over problems is taken; samples are never pooled, so that
every problem has the same weight whatever its n.

fixed suite: would a rerun on these problems differ? Its standard error is sqrt(sum of V_i) / M, with V_i the
variance within problem i. The interval takes the normal quantile: V_i counts as known, as the sum runs over many
problems.

population: would other problems of this kind differ? Its standard error is the spread of the problems' values
over sqrt(M), with M - 1 degrees of freedom of t; where problems share a source, the spread of the clusters' sums
(Miller 2024, arXiv 2411.00640), with one degree less than there are clusters.

No spread at all is weak evidence, not certainty: the interval is then binomial with the number of problems (of
clusters) as the effective number of trials, and has no standard error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.counts import Counts, Floats, Ints, checked_counts
from codejury.stats.errors import StatisticsError
from codejury.stats.intervals import Interval, binomial_interval, normal_interval, t_interval
from codejury.stats.passk import pass_at_k, pass_hat_k
from codejury.stats.within import WithinVariance, variance_within

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

NO_SPREAD = 1e-12
"""A standard error of less than this share of the value is rounding, or no spread that a run can show."""

_FEW = 10


@dataclass(frozen=True)
class Estimate:
    """A mean over problems with its two intervals.

    Attributes:
        value: The mean, 0 to 1.
        fixed_suite: Where a rerun on the same problems would fall; None where one run cannot tell.
        population: Where other problems of this kind would fall; None where these problems cannot tell.
        warnings: Why an interval is missing, is not of the usual method or is known to be too narrow, a line each.
    """

    value: float
    fixed_suite: Interval | None
    population: Interval | None
    warnings: tuple[str, ...]


def estimate_pass_at_k(
    n: Counts, c: Counts, k: int, *, clusters: Iterable[Hashable] | None = None, level: float = 0.95
) -> Estimate:
    """The mean pass@k over problems with its intervals.

    Args:
        n: Samples of each problem: M integers, or one for all problems.
        c: Correct samples of each problem: M integers.
        k: Samples drawn, 1 to the smallest n.
        clusters: The source of each problem, in the order of the counts; a problem with None shares its source
            with no other. None for all: the problems are independent.
        level: Confidence level of the intervals, between 0 and 1.

    Raises:
        StatisticsError: No problems, negative or non-integer counts, c > n, k < 1, k no single integer, clusters
            that do not match the problems, or a level outside (0, 1).
        ShortProblemsError: k > n for some problems; `indices` are their positions.
    """
    samples, correct, _ = problems(n, c, k)
    values = np.asarray(pass_at_k(samples, correct, k))
    return estimate_mean(values, variance_within(samples, correct, k), clusters, level)


def estimate_pass_hat_k(
    n: Counts, c: Counts, k: int, *, clusters: Iterable[Hashable] | None = None, level: float = 0.95
) -> Estimate:
    """The mean pass^k over problems with its intervals; arguments and errors as in `estimate_pass_at_k`."""
    samples, correct, _ = problems(n, c, k)
    values = np.asarray(pass_hat_k(samples, correct, k))
    return estimate_mean(values, variance_within(samples, samples - correct, k), clusters, level)


def problems(n: Counts, c: Counts, k: int, *, beyond: bool = False) -> tuple[Ints, Ints, Ints]:
    """Check the counts of a run: n, c and the one k of each problem, one-dimensional.

    Args:
        n: As `estimate_pass_at_k`.
        c: The same.
        k: The same.
        beyond: Allow k > n.

    Raises:
        StatisticsError: As `estimate_pass_at_k`.
        ShortProblemsError: The same.
    """
    if np.ndim(k) != 0:
        raise StatisticsError(
            f"k must be one integer, not an array of shape {np.shape(k)}: estimate each k by itself"
        )
    samples, correct, budget = checked_counts(n, c, k, beyond=beyond)
    if samples.ndim > 1:
        raise StatisticsError(
            f"n and c must be one number per problem, not of shape {samples.shape}: estimate each run by itself"
        )
    return samples.reshape(-1), correct.reshape(-1), budget.reshape(-1)


def estimate_mean(
    values: Floats,
    within: WithinVariance,
    clusters: Iterable[Hashable] | None,
    level: float,
    *,
    method: str = "exact",
) -> Estimate:
    """The mean of one number per problem with both intervals.

    Args:
        values: The problems' numbers, 0 to 1, at least one.
        within: The variance of each on a rerun of the same problem.
        clusters: As `estimate_pass_at_k`.
        level: The same.
        method: Label of the fixed-suite interval where all variances are marked exact.

    Raises:
        StatisticsError: Clusters that do not match the problems, or a level outside (0, 1).
    """
    if not 0 < level < 1:
        raise StatisticsError(f"level = {level}: a confidence level lies between 0 and 1, as 0.95")
    value = float(values.mean())
    groups = np.arange(len(values)) if clusters is None else cluster_numbers(clusters, len(values))
    warnings: list[str] = []
    fixed_suite = _fixed_suite(value, within, level, method, warnings)
    population = _population(value, values, groups, level, warnings, clustered=clusters is not None)
    few = (int(groups.max()) + 1) * min(value, 1 - value)
    if few < _FEW and any(interval and interval.se is not None for interval in (fixed_suite, population)):
        unit = "problems" if clusters is None else "clusters"
        warnings.append(
            f"coverage is known to be low: {unit} * min(p, 1 - p) = {few:.2g} is below {_FEW}, "
            f"so the intervals hold the truth less often than {level:.4g} of the time"
        )
    return Estimate(value, fixed_suite, population, tuple(warnings))


def _fixed_suite(
    value: float, within: WithinVariance, level: float, method: str, warnings: list[str]
) -> Interval | None:
    count = len(within.value)
    if unknown := int(np.isnan(within.value).sum()):
        warnings.append(
            f"no fixed-suite interval: {unknown} of {count} problems have one sample, from which the spread "
            "of a rerun cannot be estimated"
        )
        return None
    se = math.sqrt(within.value.sum()) / count
    if se <= NO_SPREAD * value:
        warnings.append(
            "fixed suite: no spread within any problem, so the interval is binomial with the number of problems, "
            f"{count}, as effective n"
        )
        return binomial_interval(value, count, level)
    if plug_in := int((~within.exact).sum()):
        warnings.append(
            f"fixed suite: {plug_in} of {count} problems have n < 2k samples, too few for the exact variance; "
            "theirs is the plug-in"
        )
    return normal_interval(value, se, level, "plug-in" if plug_in else method)


def _population(
    value: float, values: Floats, groups: Ints, level: float, warnings: list[str], *, clustered: bool
) -> Interval | None:
    count = int(groups.max()) + 1
    unit = "cluster" if clustered else "problem"
    if count == 1:
        hint = "" if clustered else "; if it pools the samples of several, give each its own counts"
        warnings.append(f"no population interval: one {unit} tells nothing of the spread between {unit}s{hint}")
        return None
    sums = np.bincount(groups, weights=values - value)
    # with one problem a cluster this is the sample's standard deviation over sqrt(M)
    se = math.sqrt(count / (count - 1) * float(sums @ sums)) / len(values)
    if se <= NO_SPREAD * value:
        warnings.append(
            f"population: no spread between {unit}s, so the interval is binomial with the number of {unit}s, "
            f"{count}, as effective n"
        )
        return binomial_interval(value, count, level)
    return t_interval(value, se, count - 1, level, "t, clustered" if clustered else "t")


def cluster_numbers(clusters: Iterable[Hashable], count: int) -> Ints:
    """The number of each problem's cluster, in the order of first appearance; None is a cluster of its own.

    Raises:
        StatisticsError: There are not as many as `count` problems.
    """
    numbers: dict[Hashable, int] = {}
    # a fresh object is equal to nothing else: a cluster of its own
    keys = (object() if cluster is None else cluster for cluster in clusters)
    groups = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    if len(groups) != count:
        raise StatisticsError(f"{len(groups)} clusters for {count} problems: give one for each problem, in order")
    return groups
