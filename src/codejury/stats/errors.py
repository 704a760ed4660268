"""The errors of the statistics room.

ValueError
└── StatisticsError        counts that no estimator is defined for; says what, where, what to do
    ├── ShortProblemsError   k exceeds the number of samples of some problems
    └── NotSamplesError      what was counted are no samples: tests, or more than there are rollouts
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 10


class StatisticsError(ValueError):
    """The counts or settings are wrong: no estimator is defined for them."""


class ShortProblemsError(StatisticsError):
    """Problems have fewer samples than k, so that pass@k and pass^k are not defined for them.

    Args:
        indices: 0-based positions of the short problems in the flattened broadcast of n with c.
        k: The largest k that was asked for.
    """

    def __init__(self, indices: Sequence[int], k: int) -> None:
        super().__init__(indices, k)
        self.indices = tuple(indices)
        self.k = k

    def __str__(self) -> str:
        """One line that names the problems, the first ten if they are many."""
        shown = ", ".join(str(index) for index in self.indices[:_SHOWN])
        more = ", ..." if len(self.indices) > _SHOWN else ""
        count = len(self.indices)
        return (
            f"k = {self.k} needs at least {self.k} samples of each problem; {count} "
            f"{'problem has' if count == 1 else 'problems have'} fewer, at position {shown}{more}: "
            "draw more samples, use a smaller k, or leave these problems out of every figure; fewer samples say "
            f"nothing of {self.k} tries: `codejury explain passk` shows it"
        )


class NotSamplesError(StatisticsError):
    """n counts something else than independent samples, as the tests of one rollout."""
