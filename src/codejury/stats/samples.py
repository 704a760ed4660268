"""Whether n counts samples: the misuse of pass@k that takes the tests of one rollout for independent rollouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.counts import Counts, checked_counts
from codejury.stats.errors import NotSamplesError, StatisticsError

if TYPE_CHECKING:
    from codejury.stats.counts import Ints

_SHOWN = 10


def check_rollouts(n: Counts, rollouts: Counts, tests_total: Counts | None = None) -> tuple[str, ...]:
    """Check that the n of pass@k is the number of rollouts, before a figure is made of it.

    pass@k with n = tests and c = tests passed of one rollout is near 1 wherever a few tests pass (arXiv
    2608.14711): (n, c) = (10, 4) gives pass@5 = 41/42, though the one rollout failed.

    Args:
        n: Of each task, as it would be given to `pass_at_k`.
        rollouts: Independent rollouts that there are of each task.
        tests_total: Tests of each task, where they are known.

    Returns:
        Warnings, a line each: every task has as many rollouts as tests, which may be so, or be the misuse earlier.

    Raises:
        NotSamplesError: n is above the number of rollouts of a task; names the tasks.
        StatisticsError: Empty, negative or non-integer counts, or shapes that do not fit.
    """
    samples, drawn = _matched(n, rollouts, "rollouts")
    tests = None if tests_total is None else _matched(n, tests_total, "tests_total")[1]
    excess = np.flatnonzero(samples > drawn)
    if len(excess):
        place = int(excess[0])
        what = f"n = {samples[place]} of a task with {drawn[place]} rollout{'' if drawn[place] == 1 else 's'}"
        where = ", ".join(map(str, excess[:_SHOWN].tolist())) + (", ..." if len(excess) > _SHOWN else "")
        why = "n counts independent rollouts"
        if tests is not None and (tests[excess] == samples[excess]).all():
            why = "n is the number of tests, and the tests of one rollout are not independent rollouts"
        raise NotSamplesError(
            f"{what}, at position {where}: {why}; give the number of rollouts as n, and those that pass all tests "
            "as c: `codejury explain passk` shows it"
        )
    if tests is not None and (tests == samples).all() and (samples > 1).any():
        return ("n equals the number of tests of every task: is it the number of rollouts?",)
    return ()


def _matched(n: Counts, others: Counts, name: str) -> tuple[Ints, Ints]:
    """Two counts of the same tasks, one-dimensional."""
    samples, _ = checked_counts(n, 0)
    other, _ = checked_counts(others, 0)
    try:
        one, two = np.broadcast_arrays(samples, other)
    except ValueError:
        raise StatisticsError(
            f"n has shape {samples.shape}, {name} {other.shape}: give one of each task"
        ) from None
    return one.reshape(-1), two.reshape(-1)
