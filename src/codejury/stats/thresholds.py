"""Estimators with a threshold tau on the share of correct samples: G-Pass@k and Cover@tau; solved shares.

G-Pass@k at tau is the chance that of k samples drawn without replacement at least tau k are correct (Liu et al.
2024, arXiv 2412.13147). Cover@tau is the share of problems that are solved with a chance of at least tau.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.bayes import UNIFORM, Prior
from codejury.stats.counts import Counts, Floats, Ints, checked_counts, distinct
from codejury.stats.errors import StatisticsError
from codejury.stats.estimate import Estimate, estimate_mean, problems
from codejury.stats.passk import pass_at_k, pass_hat_k
from codejury.stats.within import WithinVariance, binomial_variance

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

# tau * k within this share of a whole number is that number: 0.07 * 100 is 7.000000000000001 in float64
_WHOLE = 1e-12


@dataclass(frozen=True)
class SolvedShares:
    """The shares of problems whose samples are all, some or none of them correct; they sum to 1.

    Attributes:
        always: c = n.
        sometimes: 0 < c < n.
        never: c = 0.
    """

    always: float
    sometimes: float
    never: float


def least_correct(k: int, tau: float) -> int:
    """max(1, ceil(tau k)), where a product that only rounding keeps from a whole number is that number.

    Args:
        k: Samples drawn, at least 1.
        tau: Share of them that must be correct, above 0, at most 1.

    Raises:
        StatisticsError: tau is outside (0, 1].
    """
    if not 0 < tau <= 1:
        raise StatisticsError(f"tau = {tau}: a share of the samples lies above 0 and is at most 1, as 0.5")
    product = tau * k
    whole = round(product)
    close = abs(product - whole) <= _WHOLE * product
    return max(1, whole if close else math.ceil(product))


def g_pass_at_k(n: Counts, c: Counts, k: Counts, tau: float) -> Floats:
    """The unbiased estimate of the chance that at least tau k of k samples are correct.

    The sum over j >= max(1, ceil(tau k)) of C(c, j) C(n-c, k-j) / C(n, k) (Liu et al. 2024, arXiv 2412.13147):
    pass@k where one is enough, pass^k where all are needed.

    Args:
        n: Samples of each problem. All three are integers or arrays of them, which broadcast.
        c: Correct samples among them.
        k: Samples drawn, 1 to n.
        tau: Share of the drawn samples that must be correct, above 0, at most 1.

    Returns:
        float64 of the broadcast shape.

    Raises:
        StatisticsError: Empty, negative or non-integer input, c > n, k < 1, or tau outside (0, 1].
        ShortProblemsError: k > n for some problems.
    """
    (samples, correct, budget), index = distinct(*checked_counts(n, c, k))
    least = np.array([least_correct(drawn, tau) for drawn in budget.tolist()])
    return np.asarray(_at_least(samples, correct, budget, least)[index])


def estimate_g_pass_at_k(
    n: Counts,
    c: Counts,
    k: int,
    tau: float,
    *,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Estimate:
    """The mean over problems of `g_pass_at_k` with its intervals.

    With h(c) = G-Pass@k and L = max(1, ceil(tau k)), its variance within a problem is estimated without bias by

        h(c)**2 - sum over j >= L of C(c, j) C(n-c, k-j) / C(n, k) * G(n - k, c - j),

    where G is the chance of at least L correct of a second k, drawn of the n - k samples that the first left: the
    sum estimates the square of the mean of h. It is never negative: of a fixed number of correct samples the
    second k has the fewer, the more the first has. It needs n >= 2k; otherwise the variance is the plug-in: that
    of h(C), C binomial with n trials and chance (c + 1/2) / (n + 1). The work grows with n k for each distinct (n,
    c).

    Args:
        n: Samples of each problem: M integers, or one for all problems.
        c: Correct samples of each problem: M integers.
        k: Samples drawn, 1 to the smallest n.
        tau: As `g_pass_at_k`.
        clusters: As `estimate_pass_at_k`.
        level: The same.

    Raises:
        StatisticsError: As `estimate_pass_at_k`, or tau outside (0, 1].
        ShortProblemsError: k > n for some problems.
    """
    samples, correct, _ = problems(n, c, k)
    least = least_correct(k, tau)
    (size, passed), index = distinct(samples, correct)
    values = _at_least(*np.broadcast_arrays(size, passed, k, least))
    variance = np.full(len(size), np.nan)
    exact = size >= 2 * k
    for whole in np.unique(size).tolist():
        of_size = size == whole
        if whole >= 2 * k:
            variance[of_size] = _unbiased_variance(whole, passed[of_size], values[of_size], k, least)
        elif whole > 1:
            every = np.arange(whole + 1)
            h = _at_least(*np.broadcast_arrays(whole, every, k, least))
            variance[of_size] = binomial_variance(h, passed[of_size])
    return estimate_mean(values[index], WithinVariance(variance[index], exact[index]), clusters, level)


def cover_at_tau(n: Counts, c: Counts, tau: float) -> Floats:
    """Plug-in: 1 for a problem with c / n >= tau, else 0; the mean over problems is Cover@tau.

    It is biased: a problem with p just below tau is counted about half of the time, and few samples blur the most.

    Args:
        n: Samples of each problem, at least 1. Both are integers or arrays of them, which broadcast.
        c: Correct samples among them.
        tau: The chance that a problem must be solved with, above 0, at most 1.

    Raises:
        StatisticsError: Empty, negative or non-integer input, n = 0, c > n, or tau outside (0, 1].
    """
    (samples, correct), index = distinct(*checked_counts(n, c))
    if (samples == 0).any():
        raise StatisticsError("n = 0 for some problems: a share of correct samples needs a sample of each")
    least = np.array([least_correct(size, tau) for size in samples.tolist()])
    return np.asarray((correct >= least).astype(np.float64)[index])


def posterior_cover_at_tau(n: Counts, c: Counts, tau: float, *, prior: Prior = UNIFORM) -> Floats:
    """The posterior chance P(p >= tau) of each problem: 1 - I_tau(a + c, b + n - c).

    I is the regularised incomplete beta function, Beta(a, b) the prior. The mean over problems estimates the share
    of problems with p >= tau, without bias where abilities are spread as the prior says.

    Args:
        n: Samples of each problem, may be 0. Both are integers or arrays of them, which broadcast.
        c: Correct samples among them.
        tau: The chance that a problem must be solved with, above 0, at most 1. At 1 the posterior chance is 0.
        prior: Of each problem's ability.

    Raises:
        StatisticsError: Empty, negative or non-integer input, c > n, or tau outside (0, 1].
    """
    from scipy import special

    samples, correct = checked_counts(n, c)
    least_correct(1, tau)
    a, b = prior.posterior(samples, correct)
    # the upper tail as the lower one of 1 - p, to keep its digits
    return np.asarray(special.betainc(b, a, 1.0 - tau), dtype=np.float64)


def estimate_cover_at_tau(
    n: Counts,
    c: Counts,
    tau: float,
    *,
    prior: Prior | None = None,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Estimate:
    """The share of problems that are solved with a chance of at least tau, with its intervals.

    Without a prior it is the plug-in. Its variance within a problem is that of the indicator of C / n >= tau, with
    C binomial with n trials and chance (c + 1/2) / (n + 1) (method "plug-in"); none where a problem has one
    sample. The intervals are about the plug-in's own mean, which is not the share of problems with p >= tau.

    With a prior it is the mean of `posterior_cover_at_tau`, q. The fixed-suite interval is the normal
    approximation to the posterior of the share, with variance sum of q (1 - q) / M**2 (method "posterior").

    Args:
        n: Samples of each problem: M integers, or one for all problems.
        c: Correct samples of each problem: M integers.
        tau: As `cover_at_tau`.
        prior: Of each problem's ability; None for the plug-in.
        clusters: As `estimate_pass_at_k`.
        level: The same.

    Raises:
        StatisticsError: As `estimate_pass_at_k`, or tau outside (0, 1].
    """
    samples, correct, _ = problems(n, c, 1, beyond=prior is not None)
    if prior is not None:
        chance = posterior_cover_at_tau(samples, correct, tau, prior=prior)
        within = WithinVariance(chance * (1 - chance), np.full(chance.shape, fill_value=True))
        return estimate_mean(chance, within, clusters, level, method="posterior")
    variance = np.full(len(samples), np.nan)
    for size in np.unique(samples[samples > 1]).tolist():
        of_size = samples == size
        above = (np.arange(size + 1) >= least_correct(size, tau)).astype(np.float64)
        variance[of_size] = binomial_variance(above, correct[of_size])
    within = WithinVariance(variance, ~np.isnan(variance))
    return estimate_mean(cover_at_tau(samples, correct, tau), within, clusters, level, method="plug-in")


def solved_shares(n: Counts, c: Counts) -> SolvedShares:
    """The shares of problems that are always, sometimes and never solved, as their samples show it.

    They depend on n: of two suites with the same abilities, the one with more samples has more "sometimes".

    Args:
        n: Samples of each problem, at least 1. Both are integers or arrays of them, which broadcast.
        c: Correct samples among them.

    Raises:
        StatisticsError: Empty, negative or non-integer input, n = 0, or c > n.
    """
    samples, correct = checked_counts(n, c)
    if (samples == 0).any():
        raise StatisticsError("n = 0 for some problems: leave out what has no samples")
    always, never = (int(mask.sum()) for mask in (correct == samples, correct == 0))
    total = samples.size
    return SolvedShares(always / total, (total - always - never) / total, never / total)


def _at_least(n: Ints, c: Ints, k: Ints, least: Ints) -> Floats:
    """The chance of at least `least` correct of k, drawn of n with c correct; one-dimensional counts."""
    found = np.zeros(len(n))
    one, every = least == 1, (least == k) & (least > 1)
    if one.any():
        found[one] = pass_at_k(n[one], c[one], k[one])
    if every.any():
        found[every] = pass_hat_k(n[every], c[every], k[every])
    for row in np.flatnonzero(~one & ~every & (c >= least)).tolist():
        first, chances = _hypergeometric(int(n[row]), int(c[row]), int(k[row]))
        cut = max(0, int(least[row]) - first)
        above = chances[cut:].sum()
        # the sum of the terms that are asked for, over all: no difference, so that small chances keep their digits
        found[row] = above / (chances[:cut].sum() + above)
    return found


def _hypergeometric(n: int, c: int, k: int) -> tuple[int, Floats]:
    """The first possible number of correct samples of k, and the chances of it and all after, up to a factor.

    By the ratio of neighbours, (c - j) (k - j) / ((j + 1) (n - c - k + j + 1)), outwards from the most likely
    number: no factorials, which would cost digits, and no overflow.
    """
    first, last = max(0, k - (n - c)), min(c, k)
    mode = min(last, max(first, (k + 1) * (c + 1) // (n + 2)))
    up = np.arange(mode, last, dtype=np.float64)
    down = np.arange(mode, first, -1, dtype=np.float64)
    rising = np.cumprod((c - up) * (k - up) / ((up + 1) * (n - c - k + up + 1)))
    falling = np.cumprod(down * (n - c - k + down) / ((c - down + 1) * (k - down + 1)))
    return first, np.concatenate((falling[::-1], [1.0], rising))


def _unbiased_variance(n: int, passed: Ints, values: Floats, k: int, least: int) -> Floats:
    """h(c)**2 less the chance that a first and a second k both have enough, for each c of `passed`; n >= 2k."""
    drawn = [_hypergeometric(n, c, k) for c in passed.tolist()]
    left = [
        c - np.arange(max(first, least), first + len(of)) for c, (first, of) in zip(passed, drawn, strict=True)
    ]
    needed, place = np.unique(np.concatenate(left), return_inverse=True)
    second = _at_least(*np.broadcast_arrays(n - k, needed, k, least))[place] if len(needed) else np.zeros(0)
    found = np.empty(len(passed))
    done = 0
    for row, (_, chances) in enumerate(drawn):
        # h(c)**2 is a sum over the same chances, so that no two squares are subtracted
        gaps = values[row] - second[done : done + len(left[row])]
        enough = chances[len(chances) - len(gaps) :]
        found[row] = max(0.0, float(enough @ gaps) / float(chances.sum()))
        done += len(gaps)
    return found
