"""How many problems and samples it takes to detect an effect, and what given ones detect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from codejury.model import UsageError
from codejury.pipeline.sides import align, open_side
from codejury.report import NeededRow, PlanDocument, PlanRow
from codejury.stats import (
    Abilities,
    DropModel,
    Mode,
    Rule,
    Simulation,
    StatisticsError,
    pairing,
    problems_needed,
    samples_needed,
)
from codejury.stats.power import POWER, plan_trials

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codejury.store import Store


class PlanSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `plan` is asked for.

    Attributes:
        detect: The drop of pass@1 that is to be detected, 0 to 1.
        problems: Numbers of problems that there are.
        samples: Numbers of samples of each that can be had, in each run.
        run: A run, or a document of `judge`, whose rates the problems' chances are taken from; None for `mean` and
            `spread`.
        mean: Mean chance of a right sample.
        spread: Mean of p (1 - p).
        mode: How the gate will decide.
        margin: The drop that it tolerates.
        alpha: One-sided level.
        power: The wanted chance of detecting the drop.
    """

    detect: float
    problems: tuple[int, ...] = (164,)
    samples: tuple[int, ...] = (1, 10)
    run: str | None = None
    mean: float = 0.5
    spread: float = 0.1
    mode: Mode = Mode.REGRESSION
    margin: float | str = "0.01"
    alpha: float = 0.05
    power: float = POWER


def plan(store: Store | None, settings: PlanSettings) -> PlanDocument:
    """Simulate gates of different sizes.

    Args:
        store: Where runs are; may be None without `settings.run`.
        settings: What is asked for.

    Raises:
        UsageError: A wrong number, an unknown run, or one with one sample a problem: it tells nothing of reruns.
    """
    try:
        rule = Rule(settings.mode, settings.margin, settings.alpha)
        abilities, said, n = _abilities(store, settings)
    except (StatisticsError, ValueError) as error:
        raise UsageError(f"plan: {error}") from None
    _check(settings, rule)
    problems = (n,) if n is not None else settings.problems
    drawn = abilities.draw(np.random.default_rng(0), 50)
    warnings = []
    if rule.mode is not Mode.POINT and settings.detect <= float(rule.tolerated):
        warnings.append(
            f"a drop by {settings.detect:g} is within the margin of {float(rule.tolerated):g}: no number of "
            "samples makes the gate fail"
        )
    return PlanDocument(
        detect=settings.detect,
        power=settings.power,
        alpha=rule.alpha,
        margin=float(rule.tolerated),
        mode=rule.mode.value,
        abilities=said,
        mean=float(drawn.mean()),
        spread=float((drawn * (1 - drawn)).mean()),
        needed=[] if warnings else list(_needed(settings, rule, abilities, problems)),
        given=list(_given(settings, rule, abilities, problems)),
        warnings=warnings,
    )


def _check(settings: PlanSettings, rule: Rule) -> None:
    if not 0 < settings.detect < 1:
        raise UsageError(f"--detect {settings.detect:g}: a drop lies between 0 and 1, as 0.02 for 2 points")
    if not 0.5 < settings.power < 1:
        raise UsageError(f"--power {settings.power:g}: take more than 0.5 and less than 1, as 0.8")
    if min(settings.problems, default=0) < 1 or min(settings.samples, default=0) < 1:
        raise UsageError("numbers of problems and samples must be at least 1")
    if rule.mode is Mode.POINT and settings.detect <= float(rule.tolerated):
        raise UsageError(f"--detect {settings.detect:g} is within the margin: the bare rule does not fail on it")


def _abilities(store: Store | None, settings: PlanSettings) -> tuple[Abilities, str, int | None]:
    """Abilities, where they are from, and the number of problems where a run says it."""
    if settings.run is None:
        most = max(settings.problems)
        said = f"Beta, mean p {settings.mean:g}, mean p (1 - p) {settings.spread:g}"
        return Abilities.of_moments(settings.mean, settings.spread, most), said, None
    if store is None:
        raise UsageError(f"run {settings.run!r} needs a store")
    aligned = align([open_side(store, settings.run)], [{}])
    return Abilities.of_counts(aligned.n[0], aligned.c[0]), f"the rates of {settings.run}", len(aligned.ids)


def _simulation(rule: Rule, abilities: Abilities, problems: int, samples: int) -> Simulation:
    n = np.full(problems, samples)
    return Simulation(pairing(n, n, 1), abilities.resized(problems), rule, trials=plan_trials(problems))


def _needed(
    settings: PlanSettings, rule: Rule, abilities: Abilities, problems: tuple[int, ...]
) -> Iterator[NeededRow]:
    for model in DropModel:
        asked = (abilities, rule, settings.detect, model, settings.power)
        for samples in settings.samples:
            yield NeededRow(problems=problems_needed(samples, *asked), samples=samples, model=model.value)
        for number in problems:
            yield NeededRow(problems=number, samples=samples_needed(number, *asked), model=model.value)


def _given(
    settings: PlanSettings, rule: Rule, abilities: Abilities, problems: tuple[int, ...]
) -> Iterator[PlanRow]:
    for number in problems:
        for samples in settings.samples:
            for model in DropModel:
                simulated = _simulation(rule, abilities, number, samples)
                found = simulated.detectable(model, settings.power)
                yield PlanRow(
                    problems=number,
                    samples=samples,
                    model=model.value,
                    effect=found.effect,
                    power=found.power,
                    false_alarms=simulated.false_alarms(),
                )
