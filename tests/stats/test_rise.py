"""Gates on what should not rise: by hand, by simulation, exact margins."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from codejury.stats.errors import StatisticsError
from codejury.stats.gate import Decision, Mode, Rule
from codejury.stats.rise import Measure, judge_rise


def _measure(values: list[list[float]]) -> Measure:
    rows = [np.array(row, dtype=np.float64) for row in values]
    return Measure(
        np.array([float(len(row)) for row in rows]),
        np.array([row.sum() for row in rows]),
        np.array([(row**2).sum() for row in rows]),
    )


def test_by_hand() -> None:
    """Means 15 and 18: a rise by a fifth, with the standard error of the ratio."""
    a, b = _measure([[10, 14], [16, 20]]), _measure([[12, 16], [20, 24]])
    found = judge_rise(a, b, Rule(margin="0.1"))
    assert (15.0, 18.0) == (found.a, found.b)
    assert pytest.approx(0.2) == found.value
    within = 2 * (4 + 1.2**2 * 4)  # each problem's mean has the variance 8 / 2
    se = math.sqrt(within) / 2 / 15
    assert pytest.approx(0.2 + 1.6448536 * se) == found.high
    assert "normal" == found.method


def test_one_sample_a_problem_takes_the_spread_of_problems() -> None:
    """With t."""
    a, b = _measure([[10], [20], [30]]), _measure([[12], [21], [33]])
    found = judge_rise(a, b, Rule(margin="0.2"))
    assert "t" == found.method
    assert found.low < 0.1 < found.high
    with pytest.raises(StatisticsError, match="one problem with one sample"):
        judge_rise(_measure([[1]]), _measure([[2]]), Rule())


def test_a_rise_of_exactly_the_margin_passes() -> None:
    """10 to 11 is a tenth, no more."""
    a, b, more = (_measure([[value] * 3] * 5) for value in (10, 11, 11.5))
    assert Decision.PASS is judge_rise(a, b, Rule(Mode.POINT, "0.1")).decision
    assert Decision.REGRESSION is judge_rise(a, more, Rule(Mode.POINT, "0.1")).decision
    assert Fraction(1, 10) == judge_rise(a, b, Rule()).exact


def test_modes() -> None:
    """A large certain rise fails, no change passes, and what is noisy is inconclusive for noninferiority."""
    generator = np.random.default_rng(0)
    quiet = [_measure(generator.normal(mean, 1, (40, 5)).tolist()) for mean in (100, 100, 130)]
    noisy = [_measure(generator.normal(100, 60, (10, 2)).tolist()) for _ in range(2)]
    for mode in (Mode.REGRESSION, Mode.NONINFERIORITY):
        rule = Rule(mode, "0.1")
        assert Decision.PASS is judge_rise(quiet[0], quiet[1], rule).decision
        assert Decision.REGRESSION is judge_rise(quiet[0], quiet[2], rule).decision
    assert Decision.INCONCLUSIVE is judge_rise(noisy[0], noisy[1], Rule(Mode.NONINFERIORITY, "0.1")).decision


@pytest.mark.parametrize("mode", list(Mode))
def test_stated_chances_are_true(mode: Mode) -> None:
    """Simulated normal samples: false alarms as said, and 80 % at the stated rise."""
    generator = np.random.default_rng(1)
    rule, shape, trials = Rule(mode, "0.02"), (30, 4), 1_500

    def run(mean: float) -> Measure:
        values = generator.normal(mean, 30, shape)
        return Measure(np.full(30, 4.0), values.sum(axis=1), (values**2).sum(axis=1))

    stated = [judge_rise(run(100), run(100), rule) for _ in range(200)]
    effect = float(np.mean([one.detectable for one in stated]))
    alarms = float(np.mean([one.false_alarms for one in stated]))

    def failed(mean: float) -> float:
        return float(
            np.mean([judge_rise(run(100), run(mean), rule).decision is Decision.REGRESSION for _ in range(trials)])
        )

    assert alarms == pytest.approx(failed(100), abs=0.03)
    assert pytest.approx(0.8, abs=0.04) == failed(100 * (1 + effect))


def test_wrong_input() -> None:
    """Shares need something to be shares of."""
    with pytest.raises(StatisticsError, match="must be above 0"):
        judge_rise(_measure([[0, 0]]), _measure([[1, 1]]), Rule())
    with pytest.raises(StatisticsError, match="same ones of both"):
        judge_rise(_measure([[1, 1]]), _measure([[1, 1], [1, 1]]), Rule())
