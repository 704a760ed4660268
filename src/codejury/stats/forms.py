"""How three forms of pass@k behave over problems of known ability: exactly, and by simulation. For teaching.

A problem has the ability p: each of n samples is right with chance p, independently. What is estimated is
1 - (1 - p)**k, the chance that k fresh samples hold a right one. `Form` are the ways to estimate it from the n.

Exactly, a moment is a sum over c of Bin(n, p): with weights w_c the mean of a form f is sum of w_c f(n, c, k). Of
"one of the first k is right" the mean given c is pass@k(n, c, k), as all orders of the n samples are alike. So its
mean is that of pass@k, and pass@k is its mean over the orders, with less variance (Rao and Blackwell).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.counts import checked_counts
from codejury.stats.errors import StatisticsError
from codejury.stats.naive import naive_first_k, naive_with_replacement
from codejury.stats.passk import pass_at_k

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from codejury.stats.counts import Floats


class Form(enum.StrEnum):
    """A form of pass@k."""

    FIRST_K = "first_k"
    """Is one of the first k samples right?"""
    WITH_REPLACEMENT = "with_replacement"
    """1 - (1 - c/n)**k."""
    PASS_AT_K = "pass_at_k"  # noqa: S105 - no password
    """1 - C(n-c, k) / C(n, k): the unbiased form."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and variance of a form, for each ability; shape (abilities,) each."""

    mean: Floats
    variance: Floats


def true_pass_at_k(p: ArrayLike, k: int) -> Floats:
    """1 - (1 - p)**k: the chance that k fresh samples hold a right one, for abilities p in [0, 1]."""
    with np.errstate(divide="ignore"):
        # 0.0 - x, so that no chance is -0.0
        return np.asarray(0.0 - np.expm1(k * np.log1p(-np.asarray(p, dtype=np.float64))))


def exact_moments(n: int, k: int, abilities: ArrayLike) -> dict[Form, Moments]:
    """The moments of all forms by enumeration over c of Bin(n, p).

    Args:
        n: Samples of a problem.
        k: Samples that are asked about, 1 to n.
        abilities: Chances of a right sample, 0 to 1, one-dimensional.

    Raises:
        StatisticsError: No abilities, one outside [0, 1], or counts that `pass_at_k` refuses.
        ShortProblemsError: k > n.
    """
    from scipy.stats import binom

    checked_counts(n, 0, k)
    chances = _abilities(abilities)
    c = np.arange(n + 1)
    weights = np.asarray(binom.pmf(c, n, chances[:, None]))
    unbiased, replaced = np.asarray(pass_at_k(n, c, k)), naive_with_replacement(n, c, k)
    found = {Form.WITH_REPLACEMENT: _weighted(weights, replaced), Form.PASS_AT_K: _weighted(weights, unbiased)}
    mean = found[Form.PASS_AT_K].mean
    # the chance of a miss is summed by itself: 1 - mean may be rounded below 0
    return {Form.FIRST_K: Moments(mean, mean * (weights @ (1 - unbiased))), **found}


def simulated_moments(n: int, k: int, abilities: ArrayLike, *, trials: int, seed: int) -> dict[Form, Moments]:
    """The moments of all forms over trials, in each of which n samples of each problem are drawn.

    All that the forms see of n samples are how many of the first k are right, and how many of the others: two
    binomial numbers. The variance has the divisor `trials` - 1.

    Args:
        n: As in `exact_moments`.
        k: The same.
        abilities: The same.
        trials: At least 2.
        seed: Of the generator, at least 0; the same gives the same.

    Raises:
        StatisticsError: As `exact_moments`; fewer than two trials, or a negative seed.
        ShortProblemsError: k > n.
    """
    checked_counts(n, 0, k)
    chances = _abilities(abilities)
    if trials < 2 or seed < 0:
        raise StatisticsError(f"trials = {trials}, seed = {seed}: take at least 2 trials and a seed of at least 0")
    generator = np.random.default_rng(seed)
    c = np.arange(n + 1)
    unbiased, replaced = np.asarray(pass_at_k(n, c, k)), naive_with_replacement(n, c, k)
    values: dict[Form, list[tuple[float, float]]] = {form: [] for form in Form}
    for chance in chances:
        first, others = generator.binomial(k, chance, trials), generator.binomial(n - k, chance, trials)
        drawn = {
            Form.FIRST_K: naive_first_k((first > 0)[:, None], 1),
            Form.WITH_REPLACEMENT: replaced[first + others],
            Form.PASS_AT_K: unbiased[first + others],
        }
        for form, of in drawn.items():
            values[form].append((float(of.mean()), float(of.var(ddof=1))))
    columns = {form: np.array(rows).T for form, rows in values.items()}
    return {form: Moments(mean, variance) for form, (mean, variance) in columns.items()}


def _abilities(abilities: ArrayLike) -> Floats:
    chances = np.asarray(abilities, dtype=np.float64)
    if chances.ndim != 1 or not chances.size or not ((chances >= 0) & (chances <= 1)).all():
        raise StatisticsError("abilities: give one or more chances from 0 to 1, one-dimensional")
    return chances


def _weighted(weights: Floats, values: Floats) -> Moments:
    # values are at most 1, the sum of the weights may be rounded above
    mean = np.minimum(weights @ values, 1.0)
    return Moments(mean, np.asarray((weights * (values - mean[:, None]) ** 2).sum(axis=1)))
