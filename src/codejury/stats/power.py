"""What a gate can detect and how often it fails for nothing: simulated on the runs' own rates, by its own rule.

The chance p_i of a problem is not known. It is drawn from Beta(a + m_i, b + N_i - m_i), with m_i of N_i samples of
both runs together correct and Beta(a, b) fitted to them by moments: the mean of m / N is a / (a + b), the mean of
m (N - m) / (N (N - 1)), which is an unbiased estimate of that of p (1 - p), is a b / ((a + b) (a + b + 1)).
(The plug-in p = m / N would have too little spread: m (N - m) / N^2 is too small by (N - 1) / N, and 0 at N = 1.)

A drop of the figure by d says nothing of where it falls. Two models, between which real ones lie:

spread: every problem loses the same amount of p, as far as it has it.
lost: some problems, chosen at random, lose all of it.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from codejury.stats.errors import StatisticsError
from codejury.stats.gate import Mode, Rule, fails
from codejury.stats.paired import Counted, Estimator, Pairing, counted, pairing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from codejury.stats.counts import Floats, Ints

POWER = 0.8
"""The chance with which a drop that is said to be detectable is detected."""

_TRIALS = (1_000, 4_000)
_CELLS = 4_000_000  # drawn counts a simulation, as far as the trials allow
_AT_ONCE = 1 << 20
_SUITES = 256  # drawn vectors of chances, which trials take in turn
_LEAST, _MOST = 1e-3, 1e4  # of a + b: all chances 0 or 1, and all alike
_ROUNDS = 6
_LARGEST = 1 << 17  # problems, or samples of each, that a plan goes up to


class DropModel(enum.StrEnum):
    """Where a drop falls; see the module."""

    SPREAD = "spread"
    LOST = "lost"


@dataclass(frozen=True, eq=False)
class Abilities:
    """What is known of the chance of each problem: Beta(a, b), shape (M,) each.

    Attributes:
        a: The one parameter.
        b: The other.
    """

    a: Floats
    b: Floats

    @classmethod
    def of_counts(cls, n: Ints, c: Ints) -> Abilities:
        """From the samples of both runs together, n of each problem and c of them correct; shape (M,).

        Raises:
            StatisticsError: No problem has two samples, so that nothing is known of p (1 - p).
        """
        several = n > 1
        if not several.any():
            raise StatisticsError("no problem has two samples: nothing is known of how a rerun would differ")
        one, hits = n[several], c[several]
        spread = float(np.mean(hits * (one - hits) / (1.0 * one * (one - 1))))
        # no spread seen is weak evidence: a quarter of a problem's largest
        prior_a, prior_b = _prior(float(np.mean(c / n)), max(spread, 0.25 / (len(one) + 1)))
        return cls(np.asarray(prior_a + c, np.float64), np.asarray(prior_b + (n - c), np.float64))

    @classmethod
    def of_moments(cls, mean: float, spread: float, problems: int) -> Abilities:
        """M problems of which nothing is known but the mean of p and that of p (1 - p).

        Raises:
            StatisticsError: The mean is not within (0, 1), or p (1 - p) cannot have this mean.
        """
        if not 0 < mean < 1:
            raise StatisticsError(f"mean {mean:g}: the mean chance lies between 0 and 1")
        if not 0 < spread <= mean * (1 - mean):
            raise StatisticsError(
                f"spread {spread:g}: the mean of p (1 - p) is above 0 and at most {mean * (1 - mean):.4g} "
                f"where p has the mean {mean:g}"
            )
        a, b = _prior(mean, spread)
        return cls(np.full(problems, a), np.full(problems, b))

    def draw(self, generator: np.random.Generator, trials: int) -> Floats:
        """Chances of shape (trials, M)."""
        return generator.beta(self.a, self.b, size=(trials, len(self.a)))

    def resized(self, problems: int) -> Abilities:
        """The same kinds of problems in another number: they are repeated in turn."""
        places = np.arange(problems) % len(self.a)
        return Abilities(self.a[places], self.b[places])


@dataclass(frozen=True)
class Detectable:
    """The smallest drop that a gate detects with 80 %.

    Attributes:
        model: Where the drop falls.
        effect: The drop, 0 to 1; None where not even a drop to 0 is detected so often.
        power: The simulated chance of detecting it.
    """

    model: DropModel
    effect: float | None
    power: float


@dataclass(frozen=True, eq=False)
class Simulation:
    """A gate over simulated runs; the same seed gives the same numbers.

    Attributes:
        pairs: Numbers of samples, k, estimator.
        abilities: Of the problems.
        rule: The gate's.
        seed: Of the generator.
        trials: Simulated pairs of runs; None takes 1,000 to 4,000, fewer for more problems.
    """

    pairs: Pairing
    abilities: Abilities
    rule: Rule
    seed: int = 0
    trials: int | None = None

    @property
    def number(self) -> int:
        """Of trials."""
        if self.trials is not None:
            return self.trials
        least, most = _TRIALS
        return max(least, min(most, _CELLS // self.pairs.problems))

    @property
    def margin(self) -> float:
        """The tolerated drop."""
        return float(self.rule.tolerated)

    @property
    def quantile(self) -> float:
        """How many standard errors a drop must have; 0 for the bare rule."""
        return 0.0 if self.rule.mode is Mode.POINT else NormalDist().inv_cdf(1 - self.rule.alpha)

    def error(self, chance: float) -> float:
        """The standard error of a simulated chance."""
        return math.sqrt(chance * (1 - chance) / self.number)

    def noise(self) -> float:
        """The standard deviation of the difference when nothing has changed."""
        return self._unchanged[1]

    def false_alarms(self) -> float:
        """The chance that the gate fails when nothing has changed."""
        return self._unchanged[0]

    def power(self, effect: float, model: DropModel = DropModel.SPREAD) -> float:
        """The chance that the gate fails when the figure has dropped by `effect`, as far as it can drop."""
        return self._run(model, effect)[0]

    def detectable(self, model: DropModel = DropModel.SPREAD, power: float = POWER) -> Detectable:
        """The drop that the gate detects with the chance `power`.

        The chance is about Phi(z + effect / sd), so that a few steps along the normal quantile find it.
        """
        sd, most = self.noise(), self.figure()
        normal = NormalDist()
        wanted = normal.inv_cdf(power)
        chance = self.quantile * sd
        noninferiority = self.rule.mode is Mode.NONINFERIORITY
        needed = self.margin + chance if noninferiority else max(self.margin, chance)
        effect = min(most, needed + wanted * sd)
        found = self.power(effect, model)
        for _ in range(_ROUNDS):
            near = abs(found - power) <= self.error(power) / 2
            if near or (effect >= most and found < power):
                break
            clipped = min(max(found, 1 / self.number), 1 - 1 / self.number)
            effect = min(most, max(effect / 4, effect + (wanted - normal.inv_cdf(clipped)) * sd))
            found = self.power(effect, model)
        short = effect >= most and found < power - 2 * self.error(power)
        return Detectable(model, None if short else effect, found)

    def figure(self) -> float:
        """The mean of pass@k or pass^k by the abilities."""
        return float(_figures(self._suites, self.pairs).mean())

    @cached_property
    def _suites(self) -> Floats:
        return self.abilities.draw(np.random.default_rng(self.seed), min(_SUITES, self.number))

    @cached_property
    def _unchanged(self) -> tuple[float, float]:
        return self._run(None, 0.0)

    def _run(self, model: DropModel | None, effect: float) -> tuple[float, float]:
        """The share of trials in which the gate fails, and the standard deviation of the difference."""
        failed, differences = 0, []
        for before, after, generator in self._abilities(model, effect):
            c_a, c_b = self._correct(before, generator), self._correct(after, generator, second=True)
            failed += int(fails(self.pairs, c_a, c_b, self.rule).sum())
            differences.append(self.pairs.difference(c_a, c_b))
        return failed / self.number, float(np.concatenate(differences).std())

    def _abilities(
        self, model: DropModel | None, effect: float
    ) -> Iterator[tuple[Floats, Floats, np.random.Generator]]:
        generator = np.random.default_rng([self.seed, 1])
        drop = None if model is None else self._dropper(model, effect)
        done = 0
        while done < self.number:
            some = min(self.number - done, max(1, _AT_ONCE // self.pairs.problems))
            before = self._suites[np.arange(done, done + some) % len(self._suites)]
            done += some
            yield before, before if drop is None else drop(before, generator), generator

    def _correct(self, chances: Floats, generator: np.random.Generator, *, second: bool = False) -> Ints:
        """Correct samples of run A, or of the second run, B."""
        if self.pairs.single:
            return (generator.random(chances.shape) < chances).astype(np.int64)
        return generator.binomial(self.pairs.n_b if second else self.pairs.n_a, chances)

    def _dropper(self, model: DropModel, effect: float) -> Callable[[Floats, np.random.Generator], Floats]:
        if model is DropModel.LOST:
            return lambda chances, source: lost(chances, effect, self.pairs, source)
        amount = spread_amount(self._suites, effect, self.pairs)
        return lambda chances, _source: np.maximum(0.0, chances - amount)


def simulation(
    a: Counted,
    b: Counted,
    k: int,
    rule: Rule,
    *,
    estimator: Estimator = Estimator.PASS_AT_K,
    seed: int = 0,
    trials: int | None = None,
) -> Simulation:
    """The simulation of a rule on two runs' own rates, as if both were samples of one model.

    Args:
        a: n and c of the baseline: samples of each problem, and correct ones, shape (M,) each.
        b: The same of the current run.
        k: Samples drawn.
        rule: The gate's.
        estimator: pass@k or pass^k.
        seed: Of the generator.
        trials: See `Simulation`.

    Raises:
        StatisticsError: Wrong counts.
        ShortProblemsError: k > n for some problems.
    """
    (n_a, c_a), (n_b, c_b) = counted(a), counted(b)
    pairs = pairing(n_a, n_b, k, estimator)
    return Simulation(pairs, Abilities.of_counts(n_a + n_b, c_a + c_b), rule, seed, trials)


def plan_trials(problems: int) -> int:
    """Trials of a plan's simulations: 500 to 4,000, fewer for more problems."""
    return max(500, min(4_000, 5_000_000 // problems))


def problems_needed(
    samples: int, abilities: Abilities, rule: Rule, effect: float, model: DropModel, power: float = POWER
) -> int | None:
    """Problems with which two runs of `samples` a problem detect a drop by `effect` with the chance `power`.

    Args:
        samples: Samples of each problem, in each run.
        abilities: Of the kinds of problems there are.
        rule: The gate's.
        effect: The drop of pass@1.
        model: Where it falls.
        power: The wanted chance.

    Returns:
        About the smallest such number; None where none up to 131,072 is enough.
    """
    return _size(lambda number: _planned(abilities, rule, number, samples), effect, model, power, 200)


def samples_needed(
    problems: int, abilities: Abilities, rule: Rule, effect: float, model: DropModel, power: float = POWER
) -> int | None:
    """Samples of each of `problems` with which two runs detect a drop; arguments as in `problems_needed`."""
    return _size(lambda number: _planned(abilities, rule, problems, number), effect, model, power, 4)


def _planned(abilities: Abilities, rule: Rule, problems: int, samples: int) -> Simulation:
    n = np.full(problems, samples)
    return Simulation(pairing(n, n, 1), abilities.resized(problems), rule, trials=plan_trials(problems))


def _size(
    simulated: Callable[[int], Simulation], effect: float, model: DropModel, power: float, start: int
) -> int | None:
    """The size at which the power is reached: the variance goes as 1 / size, from which a few steps correct."""
    first = simulated(start)
    if effect > first.figure() or (first.rule.mode is not Mode.REGRESSION and effect <= first.margin):
        return None
    normal = NormalDist()
    wanted, quantile = normal.inv_cdf(power), first.quantile
    se = effect / (wanted + quantile)
    if first.rule.mode is not Mode.REGRESSION or quantile * se < first.margin:
        if effect <= first.margin:
            return None
        shift = quantile if first.rule.mode is Mode.NONINFERIORITY else 0.0
        se = (effect - first.margin) / (wanted + shift)
    else:
        shift = quantile
    size = start * (first.noise() / se) ** 2
    for _ in range(_ROUNDS):
        number = min(max(1, math.ceil(size)), _LARGEST)
        gate = simulated(number)
        found = gate.power(effect, model)
        if abs(found - power) <= gate.error(power) or (number == 1 and found > power):
            return number
        if number == _LARGEST and found < power:
            return None
        reached = normal.inv_cdf(min(max(found, 1 / gate.number), 1 - 1 / gate.number))
        size = number * min(4.0, ((wanted + shift) / max(reached + shift, 0.1)) ** 2)
    return math.ceil(size)


def spread_amount(chances: Floats, effect: float, pairs: Pairing) -> float:
    """How much every problem must lose, as far as it has it, for the mean figure to drop by `effect`."""
    figure = float(_figures(chances, pairs).mean())
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        reached = figure - float(_figures(np.maximum(0.0, chances - middle), pairs).mean())
        low, high = (middle, high) if reached < effect else (low, middle)
    return high


def lost(chances: Floats, effect: float, pairs: Pairing, generator: np.random.Generator) -> Floats:
    """Chances of shape (trials, M) after problems at random lost all of theirs: each figure drops by `effect`.

    The last one loses a part: it becomes another problem's figure as far as the drop is not reached.
    """
    order = generator.permuted(np.broadcast_to(np.arange(chances.shape[1]), chances.shape), axis=1)
    mixed = np.take_along_axis(chances, order, axis=1)
    figures = _figures(mixed, pairs)
    before = np.cumsum(figures, axis=1) - figures
    kept = np.clip((before + figures - effect * chances.shape[1]), 0.0, figures)
    after = np.empty_like(chances)
    np.put_along_axis(after, order, np.where(kept < figures, _chance(kept, pairs), mixed), axis=1)
    return after


def _figures(chances: Floats, pairs: Pairing) -> Floats:
    if pairs.estimator is Estimator.PASS_HAT_K:
        return np.asarray(chances**pairs.k)
    return np.asarray(-np.expm1(pairs.k * np.log1p(-np.minimum(chances, 1 - 1e-16))))


def _chance(figures: Floats, pairs: Pairing) -> Floats:
    """The chance that gives a figure: the inverse of `_figures`."""
    if pairs.estimator is Estimator.PASS_HAT_K:
        return np.asarray(figures ** (1 / pairs.k))
    return np.asarray(-np.expm1(np.log1p(-np.minimum(figures, 1 - 1e-16)) / pairs.k))


def _prior(mean: float, spread: float) -> tuple[float, float]:
    mean = min(max(mean, 1e-6), 1 - 1e-6)
    room = mean * (1 - mean) - spread
    size = min(max(spread / room, _LEAST), _MOST) if room > 0 else _MOST
    return mean * size, (1 - mean) * size
