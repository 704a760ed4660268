"""The rules by which a gate decides whether a run is worse than its baseline.

A drop is the baseline's figure less the current one's. All rules are one-sided.

point: fails when the drop is more than the margin. Noise alone makes it fail, often: its false alarms are said.
regression: fails when the drop is more than the margin and the test on these problems says that it is no chance,
p < alpha; that is, when the upper bound of the one-sided interval of the difference is below 0.
noninferiority: passes when the lower bound of the difference is above minus the margin, fails when the upper bound
is below it, and is inconclusive between.

"More than" means more: the drop is a rational number, and one of exactly the margin passes.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.errors import StatisticsError
from codejury.stats.paired import (
    Counted,
    Estimator,
    Pairing,
    counted,
    drop_p,
    exact_difference,
    floored,
    pairing,
    spread,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from codejury.stats.counts import Floats, Ints

_TIE = 1e-12


class Mode(enum.StrEnum):
    """How a gate decides; see the module."""

    POINT = "point"
    REGRESSION = "regression"
    NONINFERIORITY = "noninferiority"


class Decision(enum.StrEnum):
    """What a gate decided."""

    PASS = "pass"  # noqa: S105 - no password
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Rule:
    """A gate's rule.

    Attributes:
        mode: How it decides.
        margin: The drop that is tolerated, 0 to 1. Give a Fraction or a text as "0.01". A float is taken for
            the shortest decimal that stands for it, as it is not exactly that number.
        alpha: One-sided level of the test and of each bound, between 0 and 0.5.

    Raises:
        StatisticsError: A margin or an alpha outside its bounds.
    """

    mode: Mode = Mode.REGRESSION
    margin: Fraction | float | str = Fraction(1, 100)
    alpha: float = 0.05

    def __post_init__(self) -> None:
        """Check, and make the margin rational."""
        margin = Fraction(self.margin if isinstance(self.margin, Fraction) else str(self.margin))
        if not 0 <= margin < 1:
            raise StatisticsError(f"margin {float(margin):g}: a tolerated drop is at least 0 and below 1, as 0.01")
        if not 0 < self.alpha < 0.5:
            raise StatisticsError(f"alpha {self.alpha:g}: a one-sided level lies between 0 and 0.5, as 0.05")
        object.__setattr__(self, "margin", margin)

    @property
    def tolerated(self) -> Fraction:
        """The margin as a rational number."""
        return Fraction(self.margin)


@dataclass(frozen=True)
class Finding:
    """What a gate saw between two runs.

    Attributes:
        a: Mean of the baseline.
        b: Mean of the current run.
        difference: b - a, exactly.
        low: Lower one-sided bound of the difference, at level alpha.
        high: Upper one-sided bound.
        method: Of the bounds: "exact", "plug-in" or "permuted".
        p: One-sided p: of a drop (point, regression), or of a drop beyond the margin (noninferiority).
        decision: By the rule.
    """

    a: float
    b: float
    difference: Fraction
    low: float
    high: float
    method: str
    p: float
    decision: Decision


def judge_drop(
    a: Counted, b: Counted, k: int, rule: Rule, *, estimator: Estimator = Estimator.PASS_AT_K
) -> Finding:
    """Apply a rule to two runs over the same problems.

    Args:
        a: n and c of the baseline: samples of each problem, and correct ones, shape (M,) each.
        b: The same of the current run, of the same problems in the same order.
        k: Samples drawn, 1 to the smallest n.
        rule: The rule.
        estimator: pass@k or pass^k.

    Raises:
        StatisticsError: No problems, wrong counts, or shapes that differ.
        ShortProblemsError: k > n for some problems.
    """
    (n_a, one), (n_b, two) = counted(a), counted(b)
    pairs = pairing(n_a, n_b, k, estimator)
    before, after = pairs.values(one, two)
    difference = exact_difference(pairs, one, two)
    low, high, method = bounds(pairs, one, two, rule)
    p = float(p_of(pairs, one, two, rule))
    return Finding(
        a=float(before.mean()),
        b=float(after.mean()),
        difference=difference,
        low=max(-1.0, float(low)),
        high=min(1.0, float(high)),
        method=method,
        p=p,
        decision=decide(rule, difference, p, float(low)),
    )


def decide(rule: Rule, difference: Fraction, p: float, low: float) -> Decision:
    """The rule itself.

    Args:
        rule: The rule.
        difference: Of the current run less the baseline, exactly.
        p: Of `p_of`, adjusted where several gates decide at once.
        low: Lower bound of the difference.
    """
    beyond = -difference > rule.tolerated
    if rule.mode is Mode.POINT:
        return Decision.REGRESSION if beyond else Decision.PASS
    if rule.mode is Mode.REGRESSION:
        return Decision.REGRESSION if beyond and p < rule.alpha else Decision.PASS
    if beyond and p < rule.alpha:
        return Decision.REGRESSION
    return Decision.PASS if low > -rule.tolerated else Decision.INCONCLUSIVE


def bounds(pairs: Pairing, c_a: Ints, c_b: Ints, rule: Rule) -> tuple[Floats, Floats, str]:
    """One-sided bounds of the difference at level alpha, shape (...), and how they were obtained.

    In mode regression at k = 1 they are those of the test, with the standard error under the hypothesis that
    nothing changed; else of `paired.spread`.
    """
    difference = pairs.difference(c_a, c_b)
    if rule.mode is Mode.REGRESSION and pairs.k == 1:
        se = floored(pairs.se_permuted(c_a, c_b), pairs.problems, rule.alpha)
        method = "permuted"
    else:
        se, method = spread(pairs, c_a, c_b, rule.alpha)
    half = NormalDist().inv_cdf(1 - rule.alpha) * se
    return difference - half, difference + half, method


def p_of(pairs: Pairing, c_a: Ints, c_b: Ints, rule: Rule) -> Floats:
    """The one-sided p that the rule looks at, shape (...).

    Of a drop beyond the margin for noninferiority, Phi((difference + margin) / se), below alpha where the upper
    bound is below minus the margin; of any drop, `paired.drop_p`, else.
    """
    if rule.mode is not Mode.NONINFERIORITY:
        return drop_p(pairs, c_a, c_b, rule.alpha)
    from scipy import special

    se, _ = spread(pairs, c_a, c_b, rule.alpha)
    return np.asarray(special.ndtr((pairs.difference(c_a, c_b) + float(rule.tolerated)) / se))


def fails(pairs: Pairing, c_a: Ints, c_b: Ints, rule: Rule) -> NDArray[np.bool_]:
    """Whether the rule fails, for many draws of counts at once: shape (..., M) gives shape (...)."""
    beyond = -pairs.difference(c_a, c_b) > float(rule.tolerated) + _TIE
    if rule.mode is Mode.POINT:
        return np.asarray(beyond)
    return np.asarray(beyond & (p_of(pairs, c_a, c_b, rule) < rule.alpha))
