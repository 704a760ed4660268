"""reliability@k of agents: pass@k over rollouts, always with pass@1 and pass^k, and counted with security.

A rollout is one independent run of an agent on a task. The name reads like "succeeds when run once"; the formula
(arXiv 2608.14711) is that of pass@k, at least one success of k. So it is never given alone here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.errors import StatisticsError
from codejury.stats.estimate import Estimate, estimate_pass_at_k, estimate_pass_hat_k
from codejury.stats.passk import pass_at_k

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from codejury.stats.counts import Counts, Floats, Ints

    Mask = NDArray[np.bool_]

SECURITY_THRESHOLD = 0.80
"""The paper's threshold. One finding of seven checks leaves 6/7 = 0.857: it never binds there."""

# a score of 1 - 0.2 meets the threshold 0.8
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Reliability:
    """reliability@k with the two figures without which it misleads.

    Attributes:
        reliability_at_k: At least one of k rollouts succeeds.
        pass_at_1: A single rollout succeeds.
        pass_hat_k: All of k rollouts succeed.
    """

    reliability_at_k: Estimate
    pass_at_1: Estimate
    pass_hat_k: Estimate


@dataclass(frozen=True)
class AdjustedReliability:
    """Reliability where a rollout must reach a security threshold as well.

    Attributes:
        threshold: Least security score of a successful rollout.
        withdrawn: Successful rollouts that do not reach it: 0 says that the threshold does not bind.
        reliability: Of the rollouts that succeed and reach it.
    """

    threshold: float
    withdrawn: int
    reliability: Reliability


def reliability_at_k(n: Counts, c: Counts, k: Counts) -> Floats:
    """1 - C(n-c, k) / C(n, k), at least one of k rollouts succeeds (arXiv 2608.14711): `pass_at_k` by that name.

    Args:
        n: Independent rollouts of each task by one agent, not tests of one rollout.
        c: Rollouts that succeeded fully.
        k: Rollouts drawn, 1 to n.

    Returns:
        float64 of the broadcast shape. To show it, use `estimate_reliability`, which puts pass@1 and pass^k
        beside.

    Raises:
        StatisticsError: As `pass_at_k`.
        ShortProblemsError: k > n for some tasks.
    """
    return np.asarray(pass_at_k(n, c, k))


def estimate_reliability(
    n: Counts, c: Counts, k: int, *, clusters: Iterable[Hashable] | None = None, level: float = 0.95
) -> Reliability:
    """reliability@k, pass@1 and pass^k of the same rollouts; arguments and errors as in `estimate_pass_at_k`."""
    shared = None if clusters is None else list(clusters)
    return Reliability(
        reliability_at_k=estimate_pass_at_k(n, c, k, clusters=shared, level=level),
        pass_at_1=estimate_pass_at_k(n, c, 1, clusters=shared, level=level),
        pass_hat_k=estimate_pass_hat_k(n, c, k, clusters=shared, level=level),
    )


def adjusted_counts(
    task: ArrayLike, passed: ArrayLike, security: ArrayLike, threshold: float = SECURITY_THRESHOLD
) -> tuple[Ints, Ints]:
    """Rollouts of each task, and those that both pass and reach the security threshold.

    Counted per rollout: a task's mean security says nothing of the rollouts that pass.

    Args:
        task: The number of each rollout's task, 0 to T - 1, one-dimensional; no task without rollouts.
        passed: Whether the rollout succeeded fully, booleans.
        security: Its security score, 0 to 1.
        threshold: The least score that counts, 0 to 1.

    Returns:
        n and c, of length T.

    Raises:
        StatisticsError: Columns of different lengths or of wrong types, a score or threshold outside [0, 1] (an
            unscored rollout, nan, among them), or a task without rollouts.
    """
    tasks, success, score = _rollouts(task, passed, security)
    return np.bincount(tasks), np.bincount(tasks[success & _reaches(score, threshold)], minlength=tasks.max() + 1)


def security_sweep(
    task: ArrayLike,
    passed: ArrayLike,
    security: ArrayLike,
    k: int,
    thresholds: Sequence[float] | None = None,
    *,
    level: float = 0.95,
) -> list[AdjustedReliability]:
    """security_adjusted_reliability@k at several thresholds, the plain one (threshold 0) first.

    One threshold hides whether it binds at all: at the paper's 0.80 a single finding of seven never does.

    Args:
        task: As `adjusted_counts`.
        passed: The same.
        security: The same.
        k: Rollouts drawn, 1 to the fewest rollouts of a task.
        thresholds: In ascending order after 0; None is every score that a successful rollout has.
        level: Confidence level of the intervals.

    Raises:
        StatisticsError: As `adjusted_counts` and `estimate_pass_at_k`.
        ShortProblemsError: k > n for some tasks.
    """
    tasks, success, score = _rollouts(task, passed, security)
    chosen = np.unique(score[success]).tolist() if thresholds is None else list(thresholds)
    found = []
    for threshold in dict.fromkeys([0.0, *chosen]):
        n, c = adjusted_counts(tasks, success, score, threshold)
        withdrawn = int(success.sum() - c.sum())
        found.append(AdjustedReliability(threshold, withdrawn, estimate_reliability(n, c, k, level=level)))
    return found


def _reaches(score: Floats, threshold: float) -> Mask:
    if not 0 <= threshold <= 1:
        raise StatisticsError(f"threshold = {threshold}: a security score lies between 0 and 1")
    return np.asarray(score >= threshold - _ROUNDING)


def _rollouts(task: ArrayLike, passed: ArrayLike, security: ArrayLike) -> tuple[Ints, Mask, Floats]:
    tasks, success, score = np.asarray(task), np.asarray(passed), np.asarray(security, dtype=np.float64)
    if tasks.ndim != 1 or not tasks.size or tasks.shape != success.shape or tasks.shape != score.shape:
        raise StatisticsError(
            f"the columns have shapes {tasks.shape}, {success.shape} and {score.shape}: give one entry a rollout"
        )
    if tasks.dtype.kind not in "iu" or success.dtype != np.bool_:
        raise StatisticsError(f"the columns are {tasks.dtype} and {success.dtype}: give integers and booleans")
    if not ((score >= 0) & (score <= 1)).all():
        raise StatisticsError(
            "a security score is no number from 0 to 1: leave out the task, or score the rollout"
        )
    if tasks.min() < 0 or np.bincount(tasks).min() == 0:
        raise StatisticsError("tasks are numbered 0 to T - 1, each with a rollout at least")
    return tasks.astype(np.int64), success, score
