"""Do two metrics rank alike? Spearman's rho and Kendall's tau, exact for few pairs, and whether one may stand in.

p is two-sided and conditional on the values: of all ways to put the one metric's values beside the other's, the
share with a statistic at least as far from 0. Where there are few ways they are all looked at; ties are then taken
as they are, while the approximations for many pairs know them only on average.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.errors import StatisticsError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from numpy.typing import ArrayLike

    from codejury.stats.counts import Floats, Ints

ARRANGEMENTS = 50_000
"""Distinct orders up to which p is exact: all of 8 different values, and more where values are tied."""

THRESHOLD = 0.70
"""The least Spearman's rho with which arXiv 2608.14711 would let a proxy stand in for repeated runs (its H3)."""

DRAWS, LEAST_DRAWS = 1_999, 199
"""Bootstrap draws of `stand_in`: fewer, the more pairs there are, as bounds of many pairs are close anyway."""

FEWEST = 5
"""Clusters from which a bootstrap is made; with so few its bounds are rough."""

_TIE = 1e-9
_AT_ONCE = 1 << 21
_RANKED = 20_000_000  # values that a bootstrap ranks in all


@dataclass(frozen=True)
class RankAgreement:
    """How far two metrics rank alike.

    Attributes:
        value: -1 (opposite) to 1 (the same order); None where one of them has the same value everywhere.
        p: Two-sided; None where there is no value.
        method: Of p: "exact" over all orders, "t" (Spearman) or "normal" (Kendall); "" where there is none.
        pairs: Number of pairs of values.
    """

    value: float | None
    p: float | None
    method: str
    pairs: int


class Decision(enum.StrEnum):
    """Whether a proxy may stand in."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"
    UNTESTABLE = "untestable"


@dataclass(frozen=True)
class StandIn:
    """The test of a proxy against what it is to stand in for.

    Attributes:
        rho: Spearman's, with its p for rho = 0. That it is not 0 says little: the question is whether it is large.
        low: Lower bound of rho, of a bootstrap over clusters; None with fewer than `FEWEST`, or where
            nothing can be tested.
        high: Upper bound.
        ceiling: The largest rho that these values could give, were they ordered alike: below 1 where one of the
            two has ties that the other has not. None without a rho.
        threshold: The rho that is asked for.
        decision: "yes" where the lower bound reaches the threshold, "no" where the upper one is below it, else
            "undecided"; "untestable" where the ceiling is below it, so that no proxy at all could have reached it.
    """

    rho: RankAgreement
    low: float | None
    high: float | None
    ceiling: float | None
    threshold: float
    decision: Decision


def spearman(x: ArrayLike, y: ArrayLike) -> RankAgreement:
    """Spearman's rho: the correlation of ranks, ties at their mean rank (Spearman 1904).

    Args:
        x: One number each, shape (pairs,).
        y: The same of the other metric.

    Returns:
        With the exact p where one of the two has at most `ARRANGEMENTS` distinct orders, else with that of
        Student's t with pairs - 2 degrees of freedom.

    Raises:
        StatisticsError: Fewer than two pairs, shapes that differ, or what is no finite number.
    """
    one, two = _ranks(x, y)
    if not (one.any() and two.any()):
        return RankAgreement(None, None, "", len(one))
    scale = math.sqrt(float(one @ one) * float(two @ two))
    value = float(one @ two) / scale
    if (p := _exact_p(one, two, lambda fixed, orders: orders @ fixed)) is not None:
        return RankAgreement(value, p, "exact", len(one))
    from scipy.stats import spearmanr

    return RankAgreement(value, float(spearmanr(one, two).pvalue), "t", len(one))


def kendall(x: ArrayLike, y: ArrayLike) -> RankAgreement:
    """Kendall's tau-b: concordant pairs less discordant ones, over the root of those without ties (Kendall 1945).

    Args:
        x: One number each, shape (pairs,).
        y: The same of the other metric.

    Returns:
        As `spearman`; for many pairs p is that of the normal distribution, with the variance for ties.

    Raises:
        StatisticsError: As `spearman`.
    """
    one, two = _ranks(x, y)
    if not (one.any() and two.any()):
        return RankAgreement(None, None, "", len(one))
    if _orders(min(one, two, key=_log_orders)) is None:
        from scipy.stats import kendalltau

        found = kendalltau(one, two, method="asymptotic")
        return RankAgreement(float(found.statistic), float(found.pvalue), "normal", len(one))
    upper = np.triu_indices(len(one), 1)
    signs = [np.sign(of[upper[0]] - of[upper[1]]) for of in (one, two)]
    scale = math.sqrt(float(signs[0] @ signs[0]) * float(signs[1] @ signs[1]))
    value = float(signs[0] @ signs[1]) / scale

    def concordance(fixed: Floats, orders: Floats) -> Floats:
        of_fixed = np.sign(fixed[upper[0]] - fixed[upper[1]])
        return np.asarray(np.sign(orders[:, upper[0]] - orders[:, upper[1]]) @ of_fixed)

    return RankAgreement(value, _exact_p(one, two, concordance), "exact", len(one))


def stand_in(
    proxy: ArrayLike,
    target: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    threshold: float = THRESHOLD,
    level: float = 0.95,
    seed: int = 0,
) -> StandIn:
    """May a cheap proxy stand in for what takes repeated runs?

    The paper asks for rho of at least 0.70 and compares the estimate with it. Here the bounds of rho are compared,
    and first of all whether the data could have reached it.

    Args:
        proxy: Of each (task, agent), shape (pairs,).
        target: The same of the figure from repeated runs.
        clusters: The task of each; None where every pair is independent of the others.
        threshold: The rho asked for, above 0 up to 1.
        level: Of the percentile bootstrap over clusters.
        seed: Of its draws.

    Raises:
        StatisticsError: As `spearman`; clusters that do not match; a level or threshold outside its range.
    """
    if not 0 < level < 1 or not 0 < threshold <= 1:
        raise StatisticsError(f"level = {level}, threshold = {threshold}: both lie between 0 and 1")
    rho = spearman(proxy, target)
    if rho.value is None:
        return StandIn(rho, None, None, None, threshold, Decision.UNTESTABLE)
    one, two = np.asarray(proxy, dtype=np.float64), np.asarray(target, dtype=np.float64)
    ceiling = _rho(np.sort(one)[None, :], np.sort(two)[None, :]).item()
    if ceiling < threshold:
        return StandIn(rho, None, None, ceiling, threshold, Decision.UNTESTABLE)
    low, high = _bounds(one, two, clusters, level, seed)
    if low is None or high is None:
        decision = Decision.UNDECIDED
    elif low >= threshold:
        decision = Decision.YES
    else:
        decision = Decision.NO if high < threshold else Decision.UNDECIDED
    return StandIn(rho, low, high, ceiling, threshold, decision)


def _ranks(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Ranks about their mean, all 0 where there is but one value."""
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if one.ndim != 1 or one.shape != two.shape or len(one) < 2:
        raise StatisticsError(f"values of shapes {one.shape} and {two.shape}: give two or more pairs")
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise StatisticsError("a value is no finite number: leave its pair out")
    ranked = _midranks(np.stack((one, two)))
    return ranked[0], ranked[1]


def _midranks(values: Floats) -> Floats:
    """Mean ranks along the last axis, about their mean."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, axis=-1) - (values.shape[-1] + 1) / 2)


def _exact_p(one: Floats, two: Floats, statistic: Callable[[Floats, Floats], Floats]) -> float | None:
    """The share of distinct orders with a statistic at least as far from 0; None where there are too many."""
    fixed, moved = sorted((one, two), key=_log_orders, reverse=True)
    if (count := _orders(moved)) is None:
        return None
    observed = abs(float(statistic(fixed, moved[None, :])[0]))
    hits = 0
    arranged = _arrangements(moved)
    size = max(1, _AT_ONCE // len(moved) ** 2)
    while chunk := list(itertools.islice(arranged, size)):
        hits += int((np.abs(statistic(fixed, np.array(chunk))) >= observed - _TIE).sum())
    return hits / count


def _log_orders(values: Floats) -> float:
    """The logarithm of the number of distinct orders of the values."""
    counts = Counter(values.tolist()).values()
    return math.lgamma(len(values) + 1) - sum(math.lgamma(count + 1) for count in counts)


def _orders(values: Floats) -> int | None:
    """How many distinct orders the values have; None for more than `ARRANGEMENTS`."""
    if _log_orders(values) > math.log(ARRANGEMENTS) + 1:
        return None  # factorials of many values are huge
    ties = math.prod(math.factorial(count) for count in Counter(values.tolist()).values())
    count = math.factorial(len(values)) // ties
    return None if count > ARRANGEMENTS else count


def _arrangements(values: Floats) -> Iterator[Sequence[float]]:
    """The distinct orders of values; each once."""
    counts = Counter(values.tolist())
    if len(counts) == len(values):
        yield from itertools.permutations(counts)
        return
    found: list[float] = [0.0] * len(values)
    # the most frequent value last: it takes what is left, in one way
    ordered = sorted(counts.items(), key=lambda item: item[1])

    def place(free: tuple[int, ...], left: Sequence[tuple[float, int]]) -> Iterator[Sequence[float]]:
        (value, count), *rest = left
        for chosen in itertools.combinations(free, count):
            for at in chosen:
                found[at] = value
            if not rest:
                yield tuple(found)
            else:
                yield from place(tuple(at for at in free if at not in chosen), rest)

    yield from place(tuple(range(len(values))), ordered)


def _rho(x: Floats, y: Floats) -> Floats:
    """The rho of each row; 0 where a row of one of them has one value only, and orders nothing."""
    one, two = _midranks(x), _midranks(y)
    scale = np.sqrt((one * one).sum(axis=-1) * (two * two).sum(axis=-1))
    return np.asarray((one * two).sum(axis=-1) / np.where(scale > 0, scale, 1.0))


def _bounds(
    x: Floats, y: Floats, clusters: Sequence[Hashable] | None, level: float, seed: int
) -> tuple[float | None, float | None]:
    """Percentiles of rho over draws of clusters; a cluster that is drawn twice counts twice."""
    names = range(len(x)) if clusters is None else clusters
    members: dict[Hashable, list[int]] = {}
    for at, name in enumerate(names):
        members.setdefault(name, []).append(at)
    if sum(map(len, members.values())) != len(x):
        raise StatisticsError(f"{len(names)} clusters for {len(x)} pairs: give one for each pair, in order")
    if len(members) < FEWEST:
        return None, None
    groups: list[Ints] = [np.array(group) for group in members.values()]
    generator = np.random.default_rng(seed)
    draws = min(DRAWS, max(LEAST_DRAWS, _RANKED // len(x)))
    even = len({len(group) for group in groups}) == 1
    table = np.stack(groups) if even else None
    step = max(1, _AT_ONCE // len(x)) if even else 1  # draws of the same length can be ranked together
    found = []
    for first in range(0, draws, step):
        drawn = generator.integers(0, len(groups), size=(min(step, draws - first), len(groups)))
        if table is not None:
            rows = table[drawn].reshape(len(drawn), -1)
        else:
            rows = np.concatenate([groups[at] for at in drawn[0].tolist()])[None, :]
        found += _rho(x[rows], y[rows]).tolist()
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high
