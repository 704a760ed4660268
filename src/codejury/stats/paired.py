"""Two runs over the same problems: differences, their standard errors and tests of a drop, for many draws at once.

Of problem i, run A (the baseline) has c_A of n_A samples correct, run B (the current one) c_B of n_B;
N = n_A + n_B, m = c_A + c_B. The difference is the mean over problems of the estimate of B less that of A, so that
a drop is negative.

All functions take counts of shape (..., M): the same code that decides over two runs decides over thousands of
simulated ones, so that what is said of a rule's chances is said of the rule itself.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from codejury.stats.counts import Counts, Floats, Ints, checked_counts
from codejury.stats.errors import StatisticsError
from codejury.stats.passk import pass_at_k, pass_hat_k
from codejury.stats.within import variance_within

Counted = tuple[Counts, Counts]
"""n and c of a run: samples of each problem, and correct ones."""

_NO_SPREAD = 1e-12


class Estimator(enum.StrEnum):
    """What is estimated of each problem."""

    PASS_AT_K = "pass@"  # noqa: S105 - no password
    PASS_HAT_K = "pass^"  # noqa: S105 - the same


@dataclass(frozen=True, eq=False)
class Pairing:
    """The numbers of samples of two runs, and tables of what each count of correct ones means.

    Make it with `pairing`.

    Attributes:
        n_a: Samples of each problem in A, shape (M,).
        n_b: The same in B.
        k: Samples drawn.
        estimator: pass@k or pass^k.
    """

    n_a: Ints
    n_b: Ints
    k: int
    estimator: Estimator
    _row_a: Ints
    _row_b: Ints
    _values: Floats
    _variances: Floats

    @property
    def problems(self) -> int:
        """Number of problems, M."""
        return len(self.n_a)

    @property
    def single(self) -> bool:
        """Whether each problem has one sample in each run."""
        return bool((self.n_a == 1).all() and (self.n_b == 1).all())

    def values(self, c_a: Ints, c_b: Ints) -> tuple[Floats, Floats]:
        """The estimates of each problem in A and in B, of the shape of the counts."""
        return self._values[self._row_a, c_a], self._values[self._row_b, c_b]

    def difference(self, c_a: Ints, c_b: Ints) -> Floats:
        """The mean over problems of B's estimate less A's, shape (...)."""
        a, b = self.values(c_a, c_b)
        return np.asarray((b - a).mean(axis=-1))

    def se_unpooled(self, c_a: Ints, c_b: Ints) -> Floats:
        """sqrt(sum of V_A + V_B) / M with V the variance within a problem; nan where some n is 1."""
        variances = self._variances[self._row_a, c_a] + self._variances[self._row_b, c_b]
        return np.asarray(np.sqrt(variances.sum(axis=-1)) / self.problems)

    def se_permuted(self, c_a: Ints, c_b: Ints) -> Floats:
        """The standard error of the difference at k = 1 if the samples of a problem did not differ by run.

        Labels are permuted within each problem: sqrt(sum of m (N - m) / (n_A n_B (N - 1))) / M. With equal n it is
        that of the Cochran-Mantel-Haenszel statistic; with n = 1, sqrt(number of flipped problems) / M.
        """
        total, passed = self.n_a + self.n_b, c_a + c_b
        variances = passed * (total - passed) / (1.0 * self.n_a * self.n_b * (total - 1))
        return np.asarray(np.sqrt(variances.sum(axis=-1)) / self.problems)


def pairing(n_a: Counts, n_b: Counts, k: int, estimator: Estimator = Estimator.PASS_AT_K) -> Pairing:
    """Make the tables for two runs over the same problems.

    Args:
        n_a: Samples of each problem in A, shape (M,).
        n_b: The same in B.
        k: Samples drawn, 1 to the smallest n.
        estimator: pass@k or pass^k.

    Raises:
        StatisticsError: No problems, n < 1, k < 1, or shapes that differ.
        ShortProblemsError: k > n for some problems; `indices` are their positions.
    """
    one, _, _ = checked_counts(np.atleast_1d(np.asarray(n_a)), 0, k)
    two, _, _ = checked_counts(np.atleast_1d(np.asarray(n_b)), 0, k)
    if one.shape != two.shape or one.ndim != 1:
        raise StatisticsError(
            f"the runs have {one.shape} and {two.shape} problems: give the same problems of both, in one dimension"
        )
    sizes, rows = np.unique(np.concatenate((one, two)), return_inverse=True)
    counts = np.arange(int(sizes[-1]) + 1)
    correct = np.minimum(counts, sizes[:, None])
    estimate = pass_at_k if estimator is Estimator.PASS_AT_K else pass_hat_k
    hits = correct if estimator is Estimator.PASS_AT_K else sizes[:, None] - correct
    n = np.broadcast_to(sizes[:, None], correct.shape)
    return Pairing(
        one,
        two,
        int(k),
        estimator,
        rows[: len(one)],
        rows[len(one) :],
        np.asarray(estimate(n, correct, k)),
        variance_within(n, hits, k).value,
    )


def drop_p(pairs: Pairing, c_a: Ints, c_b: Ints, alpha: float = 0.05) -> Floats:
    """One-sided p of a drop on these problems: the chance of one at least as large if nothing had changed.

    With one sample a problem McNemar's mid-p: of b + c flipped problems, c of them gained,
    P(X < c) + P(X = c) / 2 with X ~ Bin(b + c, 1/2) (Fagerland, Lydersen & Laake 2013, BMC Medical Research
    Methodology 13). Otherwise the normal distribution's Phi(difference / se), with `se_permuted` at k = 1, which
    for equal n is the Cochran-Mantel-Haenszel test, and `se_unpooled` else.

    Args:
        pairs: The runs' numbers of samples.
        c_a: Correct samples in A, shape (..., M).
        c_b: The same in B.
        alpha: Level for which `floored` widens a standard error of 0.

    Returns:
        p of shape (...).
    """
    from scipy import special

    if pairs.k > 1:
        se = floored(pairs.se_unpooled(c_a, c_b), pairs.problems, alpha)
        return np.asarray(special.ndtr(pairs.difference(c_a, c_b) / se))
    if pairs.single:
        gained = np.asarray((c_b > c_a).sum(axis=-1))
        flipped = gained + np.asarray((c_b < c_a).sum(axis=-1))
        below = np.where(gained > 0, special.bdtr(np.maximum(gained - 1, 0), flipped, 0.5), 0.0)
        return np.asarray((special.bdtr(gained, flipped, 0.5) + below) / 2)
    se = pairs.se_permuted(c_a, c_b)
    # without a problem that tells something there is no evidence: p = 1/2
    return np.asarray(special.ndtr(pairs.difference(c_a, c_b) / np.where(se > 0, se, 1.0)))


def spread(pairs: Pairing, c_a: Ints, c_b: Ints, alpha: float) -> tuple[Floats, str]:
    """The standard error of the difference on these problems, never 0, and how it was obtained.

    `se_unpooled` where every problem has two samples or more in both runs. With one, that of permuted labels,
    which is at least as large as the true one: its square estimates the sum of p_A (1 - p_A) + p_B (1 - p_B) +
    (p_A - p_B)^2 over M^2.

    Args:
        pairs: The runs' numbers of samples.
        c_a: Correct samples in A, shape (..., M).
        c_b: The same in B.
        alpha: One-sided level of the bounds that are made of it.

    Returns:
        Standard errors of shape (...), and "exact", "plug-in" or "permuted".
    """
    if min(int(pairs.n_a.min()), int(pairs.n_b.min())) > 1:
        exact = min(int(pairs.n_a.min()), int(pairs.n_b.min())) >= 2 * pairs.k
        se, method = pairs.se_unpooled(c_a, c_b), "exact" if exact else "plug-in"
    else:
        se, method = pairs.se_permuted(c_a, c_b), "permuted"
    return floored(se, pairs.problems, alpha), method


def floored(se: Floats, problems: int, alpha: float) -> Floats:
    """A standard error of 0 replaced by one whose bound at level `alpha` is 1 - alpha^(1/M).

    That is Clopper and Pearson's bound for the share of problems that would differ on a rerun when none of M did.
    """
    least = (1 - alpha ** (1 / problems)) / NormalDist().inv_cdf(1 - alpha)
    return np.asarray(np.where(se <= _NO_SPREAD, least, se))


def counted(run: Counted) -> tuple[Ints, Ints]:
    """Check n and c of a run, in one dimension; one n may stand for all problems.

    Raises:
        StatisticsError: Wrong counts, or more than one dimension.
    """
    n, c = checked_counts(*run)
    if n.ndim > 1:
        raise StatisticsError(f"n and c have shape {n.shape}: give one number a problem")
    return n.reshape(-1), c.reshape(-1)


def exact_difference(pairs: Pairing, c_a: Ints, c_b: Ints) -> Fraction:
    """The difference as a rational number, so that a drop of exactly the margin is told from a larger one.

    Args:
        pairs: The runs' numbers of samples.
        c_a: Correct samples in A, shape (M,).
        c_b: The same in B.
    """
    weights: dict[tuple[int, int], int] = {}
    for sign, n, c in ((-1, pairs.n_a, c_a), (1, pairs.n_b, c_b)):
        for key in zip(n.tolist(), c.tolist(), strict=True):
            weights[key] = weights.get(key, 0) + sign
    total = sum(
        (weight * _exact(n, c, pairs.k, pairs.estimator) for (n, c), weight in weights.items() if weight),
        Fraction(),
    )
    return total / pairs.problems


def _exact(n: int, c: int, k: int, estimator: Estimator) -> Fraction:
    hit = Fraction(math.comb(c if estimator is Estimator.PASS_HAT_K else n - c, k), math.comb(n, k))
    return hit if estimator is Estimator.PASS_HAT_K else 1 - hit
