"""Gates on what should not rise: tokens, cost. The rise is a share of the baseline.

Problem i has the mean a_i in the baseline and b_i in the current run; R = mean b / mean a, the rise is R - 1. Its
standard error is that of a ratio (Cochran 1977, Sampling Techniques, ch. 6), over mean a:

fixed suite, where every problem has two samples or more: sqrt(sum of V(b_i) + R^2 V(a_i)) / M, V the variance of a
problem's mean; normal. Otherwise of other problems: sd(b_i - R a_i) / sqrt(M); t with M - 1 degrees of freedom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.errors import StatisticsError
from codejury.stats.gate import Decision, Mode, Rule, decide

if TYPE_CHECKING:
    from collections.abc import Callable

    from codejury.stats.counts import Floats

_NORMAL = NormalDist()


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure of the samples of each problem; shape (M,) each.

    Attributes:
        samples: Number of samples, at least 1.
        total: Sum over them.
        squares: Sum of squares.
    """

    samples: Floats
    total: Floats
    squares: Floats

    @property
    def means(self) -> Floats:
        """The mean of each problem."""
        return self.total / self.samples

    @property
    def variances(self) -> Floats:
        """The variance of each problem's mean; nan where it has one sample."""
        spread = np.maximum(0.0, self.squares - self.total * self.means)
        degrees = np.where(self.samples > 1, self.samples - 1, np.nan)
        return np.asarray(spread / degrees / self.samples)


@dataclass(frozen=True)
class Rise:
    """What a gate saw.

    Attributes:
        a: Mean of the baseline.
        b: Mean of the current run.
        value: b / a - 1.
        exact: The same as a rational number of what the sums are.
        low: Lower one-sided bound at level alpha.
        high: Upper one-sided bound.
        method: "normal" on these problems, or "t" over problems.
        p: One-sided p: of a rise (point, regression), or of one beyond the margin (noninferiority).
        decision: By the rule, with a rise in the place of a drop.
        false_alarms: The chance of failing when nothing has changed; normal.
        detectable: The rise that is detected with 80 %; normal.
    """

    a: float
    b: float
    value: float
    exact: Fraction
    low: float
    high: float
    method: str
    p: float
    decision: Decision
    false_alarms: float
    detectable: float


def judge_rise(a: Measure, b: Measure, rule: Rule, *, power: float = 0.8) -> Rise:
    """Apply a rule to a measure of two runs over the same problems; the rule's margin is a share of the baseline.

    Args:
        a: Of the baseline.
        b: Of the current run, the same problems in the same order.
        rule: The rule.
        power: The chance with which a rise that is said to be detectable is detected.

    Raises:
        StatisticsError: No problems, numbers of problems that differ, or a baseline whose mean is not above 0.
    """
    if not len(a.total) or len(a.total) != len(b.total):
        raise StatisticsError(
            f"{len(a.total)} and {len(b.total)} problems: give the same ones of both, one at least"
        )
    before, after = float(a.means.mean()), float(b.means.mean())
    if not before > 0:
        raise StatisticsError(f"the baseline's mean is {before:g}: a rise is a share of it, so it must be above 0")
    ratio = after / before
    se, method = _spread(a, b, ratio)
    se /= before
    quantile, tail = _distribution(method, len(a.total), rule.alpha)
    half = quantile * se
    value, exact = ratio - 1, _exact(a, b)
    margin = float(rule.tolerated)
    beyond = margin if rule.mode is Mode.NONINFERIORITY else 0.0
    p = tail((value - beyond) / se) if se else float(value <= beyond)
    needed = {Mode.POINT: margin, Mode.REGRESSION: max(margin, half), Mode.NONINFERIORITY: margin + half}[
        rule.mode
    ]
    return Rise(
        a=before,
        b=after,
        value=value,
        exact=exact,
        low=value - half,
        high=value + half,
        method=method,
        p=p,
        decision=decide(rule, -exact, p, -(value + half)),
        false_alarms=_NORMAL.cdf(-needed / se) if se else 0.0,
        detectable=needed + _NORMAL.inv_cdf(power) * se,
    )


def _spread(a: Measure, b: Measure, ratio: float) -> tuple[float, str]:
    problems = len(a.total)
    within = float((b.variances + ratio**2 * a.variances).sum())
    if not math.isnan(within):
        return math.sqrt(within) / problems, "normal"
    if problems == 1:
        raise StatisticsError("one problem with one sample: nothing is known of the spread")
    off = b.means - ratio * a.means
    return float(off.std(ddof=1)) / math.sqrt(problems), "t"


def _distribution(method: str, problems: int, alpha: float) -> tuple[float, Callable[[float], float]]:
    if method == "normal":
        return _NORMAL.inv_cdf(1 - alpha), lambda z: _NORMAL.cdf(-z)
    from scipy import special

    df = problems - 1
    return float(special.stdtrit(df, 1 - alpha)), lambda t: float(special.stdtr(df, -t))


def _exact(a: Measure, b: Measure) -> Fraction:
    """The rise as a rational number of what the sums are."""
    before, after = (
        sum(
            (Fraction(t) / int(n) for t, n in zip(one.total.tolist(), one.samples.tolist(), strict=True)),
            Fraction(),
        )
        for one in (a, b)
    )
    return after / before - 1
