"""Intervals for a mean of chances: normal, Student's t, and two binomial ones for where there is no spread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True)
class Interval:
    """A two-sided confidence interval for a number from 0 to 1.

    Attributes:
        se: Standard error; None where there was no spread to estimate it from.
        low: Lower bound, at least 0.
        high: Upper bound, at most 1.
        method: How it was obtained: "exact", "plug-in", "posterior", "t", "t, clustered", "wilson",
            "clopper-pearson", or a bootstrap's name.
    """

    se: float | None
    low: float
    high: float
    method: str


def normal_interval(value: float, se: float, level: float, method: str) -> Interval:
    """`value` plus and minus the normal quantile times `se`, clipped to [0, 1]."""
    return _around(value, se, NormalDist().inv_cdf((1 + level) / 2), method)


def t_interval(value: float, se: float, df: int, level: float, method: str) -> Interval:
    """`value` plus and minus the quantile of t with `df` degrees of freedom times `se`, clipped to [0, 1]."""
    from scipy import special

    return _around(value, se, float(special.stdtrit(df, (1 + level) / 2)), method)


def wilson(value: float, trials: int, level: float) -> Interval:
    """Wilson's score interval for the share `value` of `trials`; the share of successes need not be whole."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    shrink = 1 + z * z / trials
    centre = (value + z * z / (2 * trials)) / shrink
    half = z * math.sqrt(value * (1 - value) / trials + z * z / (4 * trials * trials)) / shrink
    # at 0 and 1 rounding would leave the value itself outside
    return Interval(None, max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half)), "wilson")


def clopper_pearson(value: float, trials: int, level: float) -> Interval:
    """The interval of Clopper and Pearson for the share `value` of `trials`.

    Its bounds are quantiles of beta distributions, which are defined for a fractional number of successes too;
    scipy's `binomtest` takes whole ones only.
    """
    from scipy import special

    hits, misses, tail = value * trials, (1 - value) * trials, (1 - level) / 2
    low = float(special.betaincinv(hits, misses + 1, tail)) if hits > 0 else 0.0
    high = float(special.betaincinv(hits + 1, misses, 1 - tail)) if misses > 0 else 1.0
    return Interval(None, min(value, low), max(value, high), "clopper-pearson")


def binomial_interval(value: float, trials: int, level: float) -> Interval:
    """The wider of Wilson's and Clopper and Pearson's interval.

    Wilson's is too narrow for few trials: when all of M passed, its bound M / (M + z**2) misses the truth with a
    chance of up to (M / (M + z**2))**M, at 95 % 0.21 for M = 1 and below 0.025 only from M = 46 on. From there on
    it is the wider one when all or none passed, as with its bound 0.977 for 164 of 164.
    """
    return max(
        wilson(value, trials, level),
        clopper_pearson(value, trials, level),
        key=lambda interval: interval.high - interval.low,
    )


def _around(value: float, se: float, quantile: float, method: str) -> Interval:
    half = quantile * se
    return Interval(se, max(0.0, value - half), min(1.0, value + half), method)
