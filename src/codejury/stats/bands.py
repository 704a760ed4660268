"""Simultaneous bands for a curve over k: the whole true curve lies within, with the given confidence.

The points of a curve come from the same samples, so that intervals of single points are too narrow for a curve,
and Bonferroni's too wide, as the points hang together. The sup-t band is value(k) +- q se(k) with one q for all k:
the quantile of the largest |Z(k)| / se(k) over k, where Z is normal with the covariance of the curve (Montiel Olea
& Plagborg-Moller 2019, Journal of Applied Econometrics 34), here by simulation with a fixed seed.

Covariance of the mean curve, as for the two standard errors of a single k:

    fixed suite   sum over problems of (u_j u_k - u_(j+k)) / M**2, with u_m = C(n-c, m) / C(n, m); where n is less
                  than twice the largest k, that of the curve on a rerun with a binomial number of correct samples
    population    the covariance over problems (clusters) of their curves, with Student's t: each draw of Z is
                  divided by the root of a chi-square over its degrees of freedom
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from codejury.stats.counts import Counts, Floats, Ints, checked_counts, distinct
from codejury.stats.errors import StatisticsError
from codejury.stats.estimate import NO_SPREAD, cluster_numbers, problems
from codejury.stats.intervals import binomial_interval
from codejury.stats.passk import pass_at_k, pass_hat_k
from codejury.stats.within import plug_in_chances, variance_within

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

Question = Literal["fixed_suite", "population"]

DRAWS = 20_000
"""Simulated curves: the band's confidence then lies within 0.3 points of 95 %."""

_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Band:
    """A curve over k with a simultaneous band.

    Attributes:
        k: The points.
        value: The mean over problems at each.
        se: Standard errors; nan where there was no spread to estimate one from. The band is binomial there, with
            the number of problems (of clusters) as effective n, at the confidence of one point of the band.
        low: Lower bounds, at least 0.
        high: Upper bounds, at most 1.
        critical: Multiple of the standard errors; of a single point's interval it would be about 2.
    """

    k: Ints
    value: Floats
    se: Floats
    low: Floats
    high: Floats
    critical: float


def band_pass_at_k(
    n: Counts,
    c: Counts,
    ks: Sequence[int],
    *,
    question: Question = "fixed_suite",
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Band:
    """The mean pass@k over problems at each of `ks`, with a band that holds for all of them at once.

    Args:
        n: Samples of each problem: M integers, or one for all problems; for the fixed suite at least 2.
        c: Correct samples of each problem: M integers.
        ks: Points of the curve, each 1 to the smallest n.
        question: "fixed_suite": where would the curve of a rerun on these problems lie? "population": that of
            other problems of this kind?
        clusters: For the population: the source of each problem, as in `estimate_pass_at_k`.
        level: Confidence that the whole curve lies within the band, between 0 and 1.
        seed: Of the simulation: the same seed gives the same band.

    Raises:
        StatisticsError: As `estimate_pass_at_k`; no points; a problem with one sample (fixed suite); fewer than
            two problems or clusters (population); an unknown question.
        ShortProblemsError: A point exceeds n for some problems.
    """
    samples, correct, points = _checked(n, c, ks, level, question)
    curves = np.asarray(pass_at_k(samples[:, None], correct[:, None], points))
    return _band(samples, correct, points, curves, question, clusters, level, seed)


def band_pass_hat_k(
    n: Counts,
    c: Counts,
    ks: Sequence[int],
    *,
    question: Question = "fixed_suite",
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Band:
    """The same for pass^k, whose covariances are those of pass@k with c and n - c exchanged."""
    samples, correct, points = _checked(n, c, ks, level, question)
    curves = np.asarray(pass_hat_k(samples[:, None], correct[:, None], points))
    return _band(samples, samples - correct, points, curves, question, clusters, level, seed)


def _checked(n: Counts, c: Counts, ks: Sequence[int], level: float, question: str) -> tuple[Ints, Ints, Ints]:
    if not 0 < level < 1:
        raise StatisticsError(f"level = {level}: a confidence level lies between 0 and 1, as 0.95")
    if question not in ("fixed_suite", "population"):
        raise StatisticsError(f'question = "{question}": it is "fixed_suite" or "population"')
    if np.ndim(ks) != 1 or not len(ks):
        raise StatisticsError("ks must be a list of k, at least one")
    samples, correct, _ = problems(n, c, 1)
    checked_counts(samples[:, None], correct[:, None], np.asarray(ks))
    return samples, correct, np.unique(np.asarray(ks, dtype=np.int64))


def _band(  # noqa: PLR0913, PLR0917 - the arguments of the two public forms, checked
    n: Ints,
    c: Ints,
    ks: Ints,
    curves: Floats,
    question: Question,
    clusters: Iterable[Hashable] | None,
    level: float,
    seed: int,
) -> Band:
    value = curves.mean(axis=0)
    if question == "population":
        groups = np.arange(len(n)) if clusters is None else cluster_numbers(clusters, len(n))
        units = int(groups.max()) + 1
        covariance, df = _between(curves - value, groups), units - 1
        se = np.sqrt(np.diag(covariance))
    else:
        units, df = len(n), None
        covariance = _within(n, c, ks)
        # by itself each point keeps its own standard error, which is exact up to a higher k than the covariance
        se = np.sqrt(variance_within(n[:, None], c[:, None], ks).value.sum(axis=0)) / len(n)
    flat = se <= NO_SPREAD * value
    critical = _critical(covariance[np.ix_(~flat, ~flat)], df, level, seed)
    low, high = np.clip(value - critical * se, 0.0, 1.0), np.clip(value + critical * se, 0.0, 1.0)
    of_point = 1 - 2 * NormalDist().cdf(-critical)
    for i in np.flatnonzero(flat).tolist():
        interval = binomial_interval(float(value[i]), units, of_point)
        low[i], high[i] = interval.low, interval.high
    return Band(ks, value, np.where(flat, np.nan, se), low, high, critical)


def _between(deviations: Floats, groups: Ints) -> Floats:
    """C / (C - 1) * sum over clusters of s s' / M**2, s the summed deviations of a cluster's curves."""
    count = int(groups.max()) + 1
    if count < 2:
        raise StatisticsError("no band for the population: one problem or cluster tells nothing of others")
    sums = np.zeros((count, deviations.shape[1]))
    np.add.at(sums, groups, deviations)
    covariance: Floats = count / (count - 1) * (sums.T @ sums) / len(deviations) ** 2
    return covariance


def _within(n: Ints, c: Ints, ks: Ints) -> Floats:
    """The covariance of the mean curve on a rerun, shape (K, K)."""
    if (n < 2).any():
        raise StatisticsError("no band for the fixed suite: problems with one sample tell nothing of a rerun")
    (size, correct), index = distinct(n, c)
    times = np.bincount(index, minlength=len(size))
    exact = size >= 2 * ks[-1]
    total = np.zeros((len(ks), len(ks)))
    if exact.any():
        total += _exact_sum(size[exact], correct[exact], times[exact], ks)
    for whole in np.unique(size[~exact]).tolist():
        outcomes = np.arange(whole + 1)
        missed = np.asarray(pass_hat_k(whole, whole - outcomes[:, None], ks))
        for row in np.flatnonzero(~exact & (size == whole)).tolist():
            chances = plug_in_chances(whole, int(correct[row]))
            apart = missed - chances @ missed
            total += times[row] * (apart.T @ (chances[:, None] * apart))
    covariance: Floats = total / len(n) ** 2
    return covariance


def _exact_sum(n: Ints, c: Ints, times: Ints, ks: Ints) -> Floats:
    """The sum over problems of u_j u_k - u_(j+k); its cancellation is far below what a quantile needs."""
    sums = ks[:, None] + ks
    budgets, place = np.unique(np.concatenate((ks, sums.ravel())), return_inverse=True)
    # u_m is pass^m of the wrong samples
    missed = np.asarray(pass_hat_k(n[:, None], (n - c)[:, None], budgets))
    single, joint = missed[:, place[: len(ks)]], times @ missed
    total: Floats = single.T @ (times[:, None] * single) - joint[place[len(ks) :]].reshape(sums.shape)
    return total


def _critical(covariance: Floats, df: int | None, level: float, seed: int) -> float:
    """The quantile of the largest |Z| / se; never below that of a single point."""
    from scipy import special

    tail = (1 + level) / 2
    single = NormalDist().inv_cdf(tail) if df is None else float(special.stdtrit(df, tail))
    if len(covariance) < 2:
        return single
    scale = np.sqrt(np.maximum(np.diag(covariance), np.finfo(np.float64).tiny))
    sizes, directions = np.linalg.eigh(covariance / scale / scale[:, None])
    # a covariance that is made of two forms, or rounded, may have small negative eigenvalues
    root = directions * np.sqrt(np.maximum(sizes, 0.0))
    generator = np.random.default_rng(seed)
    largest = np.empty(DRAWS)
    step = max(1, _AT_ONCE // len(root))
    for start in range(0, DRAWS, step):
        drawn = generator.standard_normal((min(step, DRAWS - start), len(root)))
        largest[start : start + step] = np.abs(drawn @ root.T).max(axis=1)
    if df is not None:
        largest /= np.sqrt(generator.chisquare(df, DRAWS) / df)
    return max(single, float(np.quantile(largest, level)))
