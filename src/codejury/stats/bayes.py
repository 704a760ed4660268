"""pass@k and p^k of a problem's ability under a posterior distribution, for any k, also above n.

With a prior Beta(a, b) and c of n samples correct, the ability p has the posterior Beta(a', b') with a' = a + c
and b' = b + n - c. Its rising moments are products:

    E[p**k]     = product over i < k of (a' + i) / (a' + b' + i)
    E[(1-p)**k] = product over i < k of (b' + i) / (a' + b' + i)

The estimates are shrunk towards the prior: on suites that are much harder or easier than the prior says they are
biased, and the more so the smaller n is. They are for problems with few samples, and are not comparable with
pass@k and pass^k of other publications.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.counts import Counts, Floats, Ints, checked_counts, distinct
from codejury.stats.errors import StatisticsError
from codejury.stats.estimate import Estimate, estimate_mean, problems
from codejury.stats.passk import sum_logs
from codejury.stats.within import WithinVariance

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


@dataclass(frozen=True)
class Prior:
    """The distribution Beta(a, b) of a problem's ability before its samples are seen.

    Attributes:
        a: As many correct samples, above 0.
        b: As many wrong ones, above 0.

    Raises:
        StatisticsError: a or b is not a positive number.
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        if not (0 < self.a < np.inf and 0 < self.b < np.inf):
            raise StatisticsError(f"prior Beta({self.a}, {self.b}): both parameters must be above 0")

    def posterior(self, n: Ints, c: Ints) -> tuple[Floats, Floats]:
        """The parameters a + c and b + n - c."""
        return np.asarray(self.a + c, dtype=np.float64), np.asarray(self.b + (n - c), dtype=np.float64)


UNIFORM = Prior(1.0, 1.0)
"""Every ability is as likely (Bayes, Laplace)."""

JEFFREYS = Prior(0.5, 0.5)
"""Jeffreys' prior for a binomial: does not depend on the scale on which the ability is measured."""


def bayes_pass_at_k(n: Counts, c: Counts, k: Counts, *, prior: Prior = UNIFORM) -> Floats:
    """The posterior mean of 1 - (1 - p)**k: 1 - product over i < k of (b' + i) / (a' + b' + i).

    Args:
        n: Samples of each problem, may be 0. All three are integers or arrays of them, which broadcast.
        c: Correct samples among them.
        k: Samples drawn, at least 1; may exceed n.
        prior: Of each problem's ability.

    Returns:
        float64 of the broadcast shape.

    Raises:
        StatisticsError: Empty, negative or non-integer input, c > n, or k < 1.
    """
    (samples, correct, budget), index = distinct(*checked_counts(n, c, k, beyond=True))
    a, b = prior.posterior(samples, correct)
    return np.asarray(-np.expm1(np.sum(_log_moment(b, a, budget), axis=0))[index])


def bayes_pass_hat_k(n: Counts, c: Counts, k: Counts, *, prior: Prior = UNIFORM) -> Floats:
    """The posterior mean of p**k: product over i < k of (a' + i) / (a' + b' + i).

    Arguments, result and errors are those of `bayes_pass_at_k`.
    """
    (samples, correct, budget), index = distinct(*checked_counts(n, c, k, beyond=True))
    a, b = prior.posterior(samples, correct)
    return np.asarray(_moment(a, b, budget)[index])


def estimate_bayes_pass_at_k(
    n: Counts,
    c: Counts,
    k: int,
    *,
    prior: Prior = UNIFORM,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Estimate:
    """The mean over problems of `bayes_pass_at_k` with its intervals.

    The fixed-suite interval is a normal approximation to the posterior of the mean, with the variance sum of
    (E[q**(2k)] - E[q**k]**2) / M**2, q = 1 - p, method "posterior": it is a credible interval, and holds the truth
    as often as it says where abilities are spread as the prior says. The population interval is that of
    `estimate_pass_at_k`, of the posterior means.

    Raises:
        StatisticsError: As `estimate_pass_at_k`; k may exceed n.
    """
    samples, correct, budget = problems(n, c, k, beyond=True)
    a, b = prior.posterior(samples, correct)
    values = bayes_pass_at_k(samples, correct, budget, prior=prior)
    return estimate_mean(values, _posterior_variance(b, a, budget), clusters, level, method="posterior")


def estimate_bayes_pass_hat_k(
    n: Counts,
    c: Counts,
    k: int,
    *,
    prior: Prior = UNIFORM,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Estimate:
    """The mean over problems of `bayes_pass_hat_k`; the rest as `estimate_bayes_pass_at_k`, with p for q."""
    samples, correct, budget = problems(n, c, k, beyond=True)
    a, b = prior.posterior(samples, correct)
    values = bayes_pass_hat_k(samples, correct, budget, prior=prior)
    return estimate_mean(values, _posterior_variance(a, b, budget), clusters, level, method="posterior")


def _posterior_variance(a: Floats, b: Floats, k: Ints) -> WithinVariance:
    """Of p**k: E[p**(2k)] - E[p**k]**2, which rounding may leave just below 0."""
    value = np.maximum(0.0, _moment(a, b, 2 * k) - _moment(a, b, k) ** 2)
    return WithinVariance(value, np.full(value.shape, fill_value=True))


def _moment(a: Floats, b: Floats, k: Ints) -> Floats:
    high, low = _log_moment(a, b, k)
    moment: Floats = np.exp(high) * np.exp(low)
    return moment


def _log_moment(a: Floats, b: Floats, k: Ints) -> tuple[Floats, Floats]:
    """Logarithm of E[p**k] for p of Beta(a, b), as two sums: log(1 - b / (a + b + i)) over i < k."""

    def log_factors(row: Ints, i: Ints) -> Floats:
        logs: Floats = np.log1p(-b[row] / (a[row] + b[row] + i))
        small = b[row] > a[row] + i
        logs[small] = np.log((a[row] + i)[small] / (a[row] + b[row] + i)[small])
        return logs

    return sum_logs(k, log_factors)
