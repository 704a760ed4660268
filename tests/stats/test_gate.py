"""A gate's rules: exact margins, what each mode decides, and its own chances by simulation."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.stats.compare import mcnemar
from codejury.stats.errors import StatisticsError
from codejury.stats.gate import Decision, Mode, Rule, decide, fails, judge_drop
from codejury.stats.paired import Estimator, pairing


def _ones(right: int, of: int) -> Any:
    return np.ones(of, dtype=np.int64), np.array([1] * right + [0] * (of - right))


def test_a_drop_of_exactly_the_margin_passes() -> None:
    """100 problems, 50 to 49 right: a drop of 1.00 points is not more than one; of 2 it is."""
    rule = Rule(Mode.POINT, "0.01")
    exactly = judge_drop(_ones(50, 100), _ones(49, 100), 1, rule)
    assert Fraction(-1, 100) == exactly.difference
    assert Decision.PASS is exactly.decision
    assert Decision.REGRESSION is judge_drop(_ones(50, 100), _ones(48, 100), 1, rule).decision


@given(st.integers(1, 400), st.data())
def test_margins_are_exact_for_all_sizes(problems: int, data: st.DataObject) -> None:
    """A drop of j of M problems passes the margin j/M, and fails one that is a little smaller."""
    lost = data.draw(st.integers(0, problems - 1))
    runs = _ones(problems, problems), _ones(problems - lost, problems)
    margin = Fraction(lost, problems)
    assert Decision.PASS is judge_drop(*runs, 1, Rule(Mode.POINT, margin)).decision
    if lost:
        less = margin - Fraction(1, 10**30)
        assert Decision.REGRESSION is judge_drop(*runs, 1, Rule(Mode.POINT, less)).decision


def test_a_float_margin_is_the_decimal_that_it_shows() -> None:
    """0.01 is one hundredth, whatever float64 makes of it."""
    assert Fraction(1, 100) == Rule(Mode.POINT, 0.01).tolerated
    assert Fraction(1, 10) == Rule(Mode.POINT, "0.1").tolerated


def test_regression_needs_more_than_chance() -> None:
    """7 lost and 1 gained of 100: 6 points, mid-p 0.0195; 4 and 1 are more than the margin, and chance."""
    before = np.ones(100, np.int64), np.array([1] * 60 + [0] * 40)

    def after(lost: int, gained: int) -> Any:
        return before[0], np.array([0] * lost + [1] * (60 - lost + gained) + [0] * (40 - gained))

    found = judge_drop(before, after(7, 1), 1, Rule())
    assert Decision.REGRESSION is found.decision
    assert mcnemar(7, 1, mid_p=True) / 2 == pytest.approx(found.p)
    assert found.high < 0
    assert Decision.PASS is judge_drop(before, after(4, 1), 1, Rule()).decision
    assert Decision.PASS is judge_drop(before, after(7, 1), 1, Rule(margin="0.06")).decision


def test_noninferiority_has_three_ends() -> None:
    """A narrow interval above the margin passes, below it fails; a wide one over it is inconclusive."""
    rule = Rule(Mode.NONINFERIORITY, "0.02")
    n = np.full(400, 20)
    half = n, np.tile([19, 1], 200)
    worse = n, np.tile([17, 0], 200)
    assert Decision.PASS is judge_drop(half, half, 1, rule).decision
    assert Decision.REGRESSION is judge_drop(half, worse, 1, rule).decision
    few = np.full(10, 20), np.tile([19, 10], 5)
    assert Decision.INCONCLUSIVE is judge_drop(few, few, 1, rule).decision


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12),
    st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1, 4)]),
)
def test_noninferiority_is_said_by_its_bounds(rows: list[tuple[int, int]], margin: Fraction) -> None:
    """Fails where the upper bound is below minus the margin, passes where the lower one is above it."""
    n, a, b = np.full(len(rows), 4), np.array([x for x, _ in rows]), np.array([y for _, y in rows])
    found = judge_drop((n, a), (n, b), 1, Rule(Mode.NONINFERIORITY, margin))
    limit = -float(margin)
    if abs(found.high - limit) > 1e-9 and abs(found.low - limit) > 1e-9:
        expected = (
            Decision.REGRESSION
            if found.high < limit
            else Decision.PASS
            if found.low > limit
            else Decision.INCONCLUSIVE
        )
        assert expected is found.decision


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12),
    st.sampled_from(list(Mode)),
    st.sampled_from([1, 2]),
    st.sampled_from(list(Estimator)),
)
def test_simulated_decisions_are_the_rule_s(
    rows: list[tuple[int, int]], mode: Mode, k: int, estimator: Estimator
) -> None:
    """`fails`, which decides over simulated runs, decides as `judge_drop` does over real ones."""
    rule = Rule(mode, Fraction(1, 30))
    n, a, b = np.full(len(rows), 6), np.array([x for x, _ in rows]), np.array([y for _, y in rows])
    single = judge_drop((n, a), (n, b), k, rule, estimator=estimator)
    many = fails(pairing(n, n, k, estimator), np.stack([a, a]), np.stack([b, b]), rule)
    assert [single.decision is Decision.REGRESSION] * 2 == many.tolist()


def test_an_adjusted_p_decides() -> None:
    """What is no chance alone may be among many."""
    assert Decision.REGRESSION is decide(Rule(), Fraction(-1, 10), 0.04, -0.2)
    assert Decision.PASS is decide(Rule(), Fraction(-1, 10), 0.08, -0.2)
    assert Decision.INCONCLUSIVE is decide(Rule(Mode.NONINFERIORITY), Fraction(-1, 10), 0.08, -0.2)


def test_wrong_rules_are_refused() -> None:
    """Margins and levels that make no sense."""
    with pytest.raises(StatisticsError, match=r"margin 1\.5"):
        Rule(margin="1.5")
    with pytest.raises(StatisticsError, match=r"alpha 0\.5"):
        Rule(alpha=0.5)
