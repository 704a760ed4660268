"""What gates detect, simulated: the published false alarms, the default mode's, the power at the stated effect."""

from __future__ import annotations

import numpy as np
import pytest

from codejury.stats.errors import StatisticsError
from codejury.stats.gate import Mode, Rule
from codejury.stats.paired import Estimator, pairing
from codejury.stats.power import Abilities, DropModel, Simulation, lost, simulation, spread_amount

# Problems, samples of each on both sides, and the published share of false alarms of the bare rule at 1 point.
SIZES = [(164, 1, 0.39), (164, 10, 0.18), (2164, 1, 0.15)]
# Abilities Beta(1/3, 1/3): mean 0.5, mean p (1 - p) = 0.10.
MEAN, SPREAD = 0.5, 0.10


def _simulation(problems: int, samples: int, rule: Rule, trials: int, seed: int = 1) -> Simulation:
    n = np.full(problems, samples)
    return Simulation(pairing(n, n, 1), Abilities.of_moments(MEAN, SPREAD, problems), rule, seed, trials)


def _runs(problems: int, samples: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A suite's abilities, n, and the correct samples of two runs of the same model on it."""
    generator = np.random.default_rng(seed)
    chances = generator.beta(1 / 3, 1 / 3, problems)
    n = np.full(problems, samples)
    return chances, n, generator.binomial(n, chances), generator.binomial(n, chances)


def test_abilities_of_moments() -> None:
    """The mean of p and that of p (1 - p) are those that were asked for."""
    drawn = Abilities.of_moments(MEAN, SPREAD, 500).draw(np.random.default_rng(0), 400)
    assert pytest.approx(MEAN, abs=0.005) == drawn.mean()
    assert pytest.approx(SPREAD, abs=0.001) == (drawn * (1 - drawn)).mean()


@pytest.mark.parametrize("samples", [1, 10])
def test_abilities_of_counts_recover_the_spread(samples: int) -> None:
    """Two runs with one sample each tell the mean p (1 - p) as well."""
    _, n, c_a, c_b = _runs(20_000, samples, 3)
    drawn = Abilities.of_counts(2 * n, c_a + c_b).draw(np.random.default_rng(0), 5)
    assert pytest.approx(MEAN, abs=0.01) == drawn.mean()
    assert pytest.approx(SPREAD, abs=0.004) == (drawn * (1 - drawn)).mean()


def test_abilities_without_spread_are_not_certain() -> None:
    """All right: chances near 1, none of them 1 for sure."""
    drawn = Abilities.of_counts(np.full(164, 2), np.full(164, 2)).draw(np.random.default_rng(0), 200)
    assert 0 < (1 - drawn).mean() < 0.01
    with pytest.raises(StatisticsError, match="two samples"):
        Abilities.of_counts(np.ones(3, np.int64), np.ones(3, np.int64))
    with pytest.raises(StatisticsError, match=r"at most 0\.25"):
        Abilities.of_moments(0.5, 0.3, 10)
    with pytest.raises(StatisticsError, match="mean 1"):
        Abilities.of_moments(1.0, 0.1, 10)


@pytest.mark.parametrize(("k", "estimator"), [(1, Estimator.PASS_AT_K), (3, Estimator.PASS_AT_K), (2, "pass^")])
def test_drop_models_drop_by_what_they_say(k: int, estimator: str) -> None:
    """The mean figure falls by the effect; "lost" does so in every trial, and leaves most problems alone."""
    n = np.full(60, 5)
    pairs = pairing(n, n, k, Estimator(estimator))
    generator = np.random.default_rng(0)
    chances = generator.beta(0.8, 0.6, (300, 60))

    def figure(p: np.ndarray) -> np.ndarray:
        return p**k if estimator == "pass^" else 1 - (1 - p) ** k

    amount = spread_amount(chances, 0.1, pairs)
    after = np.maximum(0.0, chances - amount)
    assert pytest.approx(0.1, abs=1e-9) == (figure(chances) - figure(after)).mean()
    gone = lost(chances, 0.1, pairs, generator)
    assert [pytest.approx(0.1)] * 300 == (figure(chances) - figure(gone)).mean(axis=1).tolist()
    changed = np.abs(gone - chances) > 1e-9
    assert ((gone > 0) & changed).sum(axis=1).max() <= 1


def test_simulations_repeat() -> None:
    """The same seed, the same figures."""
    one, two = (_simulation(40, 3, Rule(), 500) for _ in range(2))
    assert one.false_alarms() == two.false_alarms()
    assert one.detectable() == two.detectable()


def test_bigger_drops_are_detected_more_often() -> None:
    """From the false alarms on upwards."""
    gate = _simulation(164, 5, Rule(), 1_000)
    chances = [gate.false_alarms(), *(gate.power(d) for d in (0.02, 0.04, 0.08))]
    assert chances == sorted(chances)
    assert chances[-1] > 0.95


def test_no_drop_is_large_enough() -> None:
    """Two problems with one sample each: not even a drop to 0 is detected."""
    assert _simulation(2, 1, Rule(), 1_000).detectable().effect is None


@pytest.mark.parametrize(("problems", "samples", "expected"), SIZES)
def test_false_alarms_in_short(problems: int, samples: int, expected: float) -> None:
    """As below, with fewer trials and a wider band."""
    assert expected == pytest.approx(
        _simulation(problems, samples, Rule(Mode.POINT), 1_000).false_alarms(), abs=0.05
    )
    assert _simulation(problems, samples, Rule(), 1_000).false_alarms() <= 0.075


@pytest.mark.slow
@pytest.mark.parametrize(("problems", "samples", "expected"), SIZES)
def test_false_alarms_of_the_bare_rule(problems: int, samples: int, expected: float) -> None:
    """Margin 1 point, abilities Beta(1/3, 1/3), nothing changed, 20,000 trials: 39, 18, 15 % within 2 points."""
    found = _simulation(problems, samples, Rule(Mode.POINT), 20_000).false_alarms()
    assert expected == pytest.approx(found, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("problems", "samples"), [size[:2] for size in SIZES] + [(40, 4), (164, 2)])
def test_false_alarms_of_the_default_mode(problems: int, samples: int) -> None:
    """At most 6 %, 20,000 trials, also without a margin."""
    assert _simulation(problems, samples, Rule(), 20_000).false_alarms() <= 0.06
    assert _simulation(problems, samples, Rule(margin="0"), 20_000).false_alarms() <= 0.06


def _power_at_the_stated_effect(
    problems: int, samples: int, model: DropModel, rule: Rule, suites: int, trials: int
) -> float:
    """The mean over suites of the true power at the effect that the gate states from two runs of each."""
    found = []
    for seed in range(suites):
        chances, n, c_a, c_b = _runs(problems, samples, seed)
        stated = simulation((n, c_a), (n, c_b), 1, rule).detectable(model).effect
        assert stated is not None
        # a suite whose abilities are known: Beta(a, b) with a + b so large that nothing else is drawn
        known = Abilities(1e7 * np.maximum(chances, 1e-9), 1e7 * np.maximum(1 - chances, 1e-9))
        found.append(Simulation(pairing(n, n, 1), known, rule, seed + 1_000, trials).power(stated, model))
    return float(np.mean(found))


@pytest.mark.parametrize("model", list(DropModel))
def test_power_at_the_stated_effect_in_short(model: DropModel) -> None:
    """As below, with few suites."""
    assert pytest.approx(0.8, abs=0.1) == _power_at_the_stated_effect(164, 10, model, Rule(), 4, 500)


@pytest.mark.slow
@pytest.mark.parametrize("model", list(DropModel))
@pytest.mark.parametrize(("problems", "samples"), [size[:2] for size in SIZES])
def test_power_at_the_stated_effect(problems: int, samples: int, model: DropModel) -> None:
    """80 % within 4 points, over 20 suites with 1,000 trials each, for both models of a drop."""
    assert pytest.approx(0.8, abs=0.04) == _power_at_the_stated_effect(problems, samples, model, Rule(), 20, 1_000)
