"""Comparing two runs over the same problems: the difference with both intervals, and three tests.

fixed suite: would a rerun of both on these problems differ? At k = 1 the labels of a problem's samples are
permuted within it: the Cochran-Mantel-Haenszel test, with one sample a problem McNemar's.

population: would other problems of this kind differ? The spread of the problems' differences, with t, and the test
that flips their signs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.errors import StatisticsError
from codejury.stats.estimate import cluster_numbers
from codejury.stats.intervals import Interval
from codejury.stats.paired import Counted, Estimator, Pairing, counted, drop_p, pairing, spread

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike

    from codejury.stats.counts import Counts, Floats, Ints

DRAWS = 9_999
"""Flips of the signs: a p of 0.05 has a standard error of 0.002."""

_TIE = 1e-12  # sums of the same numbers in another order differ by rounding
_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Difference:
    """What changed from run A to run B, over the problems that both have.

    Attributes:
        a: Mean of A.
        b: Mean of B.
        value: b - a, -1 to 1.
        fixed_suite: Where the difference of two reruns on these problems would fall. Its method is "exact",
            "plug-in" (n < 2k) or "permuted" (n = 1), see `paired.spread`.
        population: Where it would fall on other problems of this kind; None with one problem, or one cluster.
        p: Two-sided p on these problems: at k = 1 CMH, or McNemar's mid-p with n = 1; else normal.
        p_population: Two-sided p of the sign-flip test, over clusters where there are some.
    """

    a: float
    b: float
    value: float
    fixed_suite: Interval
    population: Interval | None
    p: float
    p_population: float


@dataclass(frozen=True)
class CochranMantelHaenszel:
    """The statistic of two runs.

    Attributes:
        statistic: T = sum over problems of c_B - n_B m / N; above 0 where B is better.
        variance: Sum of n_A n_B m (N - m) / (N^2 (N - 1)).
        p: Two-sided, of the normal distribution, without continuity correction; 1 where no problem tells anything.
    """

    statistic: float
    variance: float
    p: float


def compare_at_k(
    a: Counted,
    b: Counted,
    k: int,
    *,
    estimator: Estimator = Estimator.PASS_AT_K,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """The difference of two runs in pass@k or pass^k, with both intervals and their tests.

    fixed suite: sqrt(sum of V_A + V_B) / M, V the variance within a problem, with the normal quantile.
    population: sd of the problems' differences / sqrt(M) with t, M - 1 degrees of freedom; with clusters
    sqrt(C / (C - 1) * sum over clusters of (sum of (d_i - mean))^2) / M, C - 1 degrees (Miller 2024,
    arXiv 2411.00640).

    Args:
        a: n and c of A: samples of each problem, and correct ones, shape (M,) each.
        b: The same of B, of the same problems in the same order.
        k: Samples drawn, 1 to the smallest n.
        estimator: pass@k or pass^k.
        clusters: The source of each problem; a problem with None shares its source with no other.
        level: Of the intervals.
        seed: Of the sign flips.

    Raises:
        StatisticsError: No problems, wrong counts, shapes that differ, k < 1, or a level outside (0, 1).
        ShortProblemsError: k > n for some problems.
    """
    if not 0 < level < 1:
        raise StatisticsError(f"level = {level}: a confidence level lies between 0 and 1, as 0.95")
    (n_a, one), (n_b, two) = counted(a), counted(b)
    pairs = pairing(n_a, n_b, k, estimator)
    before, after = pairs.values(one, two)
    changes = after - before
    value, alpha = float(changes.mean()), (1 - level) / 2
    se, method = spread(pairs, one, two, alpha)
    groups = np.arange(len(changes)) if clusters is None else cluster_numbers(clusters, len(changes))
    sums = np.bincount(groups, weights=changes).astype(np.float64)
    sizes: Ints = np.bincount(groups).astype(np.int64)
    return Difference(
        a=float(before.mean()),
        b=float(after.mean()),
        value=value,
        fixed_suite=_around(value, float(se), NormalDist().inv_cdf(1 - alpha), method),
        population=_population(value, sums, sizes, level, clustered=clusters is not None),
        p=_two_sided(pairs, one, two, alpha),
        p_population=sign_flip_test(sums, seed=seed),
    )


def mcnemar(lost: int, gained: int, *, mid_p: bool = False) -> float:
    """McNemar's test of paired yes-or-no results, two-sided.

    Exact: min(1, 2 P(X <= min(b, c))) with X ~ Bin(b + c, 1/2) (McNemar 1947, Psychometrika 12). It is
    conservative; the mid-p counts the observed outcome half (Fagerland, Lydersen & Laake 2013, BMC Medical
    Research Methodology 13).

    Args:
        lost: b, problems that A solved and B does not.
        gained: c, problems that B solves and A did not.
        mid_p: The mid-p instead of the exact p.

    Raises:
        StatisticsError: A negative number.
    """
    if min(lost, gained) < 0:
        raise StatisticsError(f"{lost} lost and {gained} gained: both must be at least 0")
    from scipy import special

    total, least = lost + gained, min(lost, gained)
    if lost == gained:
        return 1.0
    tail = float(special.bdtr(least, total, 0.5))
    if mid_p:
        tail -= math.comb(total, least) / 2 ** (total + 1)
    return min(1.0, 2 * tail)


def cochran_mantel_haenszel(n_a: Counts, c_a: Counts, n_b: Counts, c_b: Counts) -> CochranMantelHaenszel:
    """The test of Cochran, Mantel and Haenszel: is B better than A over all problems together?

    Each problem is a 2 x 2 table of run by correct or not, whose margins are held (Mantel & Haenszel 1959, Journal
    of the National Cancer Institute 22). For more than two runs see `cmh_test`.

    Args:
        n_a: Samples of each problem in A, shape (M,).
        c_a: Correct ones.
        n_b: As `n_a`, in B.
        c_b: As `c_a`, in B.

    Raises:
        StatisticsError: No problems, wrong counts, or shapes that differ.
    """
    (size_a, one), (size_b, two) = counted((n_a, c_a)), counted((n_b, c_b))
    pairs = pairing(size_a, size_b, 1)
    total, passed = pairs.n_a + pairs.n_b, one + two
    statistic = float((two - pairs.n_b * passed / total).sum())
    variance = float((pairs.n_a * pairs.n_b * passed * (total - passed) / (1.0 * total**2 * (total - 1))).sum())
    p = math.erfc(abs(statistic) / math.sqrt(2 * variance)) if variance else 1.0
    return CochranMantelHaenszel(statistic, variance, p)


def sign_flip_test(
    differences: ArrayLike, *, draws: int = DRAWS, seed: int = 0, alternative: str = "two-sided"
) -> float:
    """The permutation test of paired differences: their signs are flipped at random.

    p = (1 + hits) / (1 + draws), where a hit is a sum at least as far from 0 as the observed one: a valid p for
    any number of draws (Phipson & Smyth 2010, Statistical Applications in Genetics and Molecular Biology 9). The
    same seed gives the same p.

    Args:
        differences: One number a problem, or a cluster's sum; shape (M,).
        draws: Number of flips, B.
        seed: Of their generator.
        alternative: "two-sided", or "less": hits are sums at most as large as the observed one.

    Raises:
        StatisticsError: No differences, not one-dimensional, or fewer than one draw.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise StatisticsError(f"differences of shape {values.shape}: give one number a problem, one at least")
    if draws < 1:
        raise StatisticsError(f"draws = {draws}: draw at least one")
    generator = np.random.default_rng(seed)
    observed, scale = float(values.sum()), _TIE * float(np.abs(values).sum())
    telling = values[values != 0]
    hits, left = 0, draws
    while left:
        some = min(left, max(1, _AT_ONCE // max(1, len(telling))))
        signs = generator.integers(0, 2, size=(some, len(telling)), dtype=np.int8)
        sums = 2 * (signs @ telling) - float(telling.sum())
        far = np.abs(sums) >= abs(observed) - scale if alternative == "two-sided" else sums <= observed + scale
        hits += int(far.sum())
        left -= some
    return (1 + hits) / (1 + draws)


def _two_sided(pairs: Pairing, c_a: Ints, c_b: Ints, alpha: float) -> float:
    p = float(drop_p(pairs, c_a, c_b, alpha))
    return min(1.0, 2 * min(p, 1 - p))


def _population(value: float, sums: Floats, sizes: Ints, level: float, *, clustered: bool) -> Interval | None:
    count, problems = len(sums), int(sizes.sum())
    if count == 1:
        return None
    from scipy import special

    off = sums - sizes * value
    se = math.sqrt(count / (count - 1) * float(off @ off)) / problems
    if se <= _TIE:
        # all differ alike: the bound for the share of problems that would not, when none of these did
        half = 1 - ((1 - level) / 2) ** (1 / count)
        return Interval(None, max(-1.0, value - half), min(1.0, value + half), "clopper-pearson")
    quantile = float(special.stdtrit(count - 1, (1 + level) / 2))
    return _around(value, se, quantile, "t, clustered" if clustered else "t")


def _around(value: float, se: float, quantile: float, method: str) -> Interval:
    half = quantile * se
    return Interval(se, max(-1.0, value - half), min(1.0, value + half), method)
