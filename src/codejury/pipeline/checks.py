"""The checks of a gate: one metric over the problems of one set, of a slice of it, or of several sets together."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from codejury.model import UsageError
from codejury.pipeline.refusals import not_drawn, too_few
from codejury.pipeline.sides import shown
from codejury.report import DetectableRow, GateCheck
from codejury.stats import (
    DropModel,
    Estimator,
    Measure,
    Mode,
    Rule,
    StatisticsError,
    decide,
    holm,
    judge_drop,
    judge_rise,
    simulation,
)
from codejury.stats.power import POWER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.pipeline.sides import Aligned
    from codejury.stats.counts import Floats
    from codejury.store import Store

_PASS = re.compile(r"pass([@^])([1-9]\d*)")
_TRIALS = 4_000
_LEAST_TRIALS = 1_000


class GateRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table `[[gate]]` of codejury.toml, or what the options say.

    Attributes:
        metric: "pass@K", "pass^K", "tokens", "prompt_tokens", "cost" or "latency".
        max_drop: Of pass@K and pass^K: the drop that is tolerated, as 0.01; null is that.
        max_rise: Of the others: the rise that is tolerated, as a share of the baseline; null is 0.1.
        mode: "point", "regression" or "noninferiority".
        alpha: One-sided level.
        slice: "difficulty=hard" or "tag=strings"; "difficulty" or "tag" is each of them; empty for all problems.
        set: Name of a problem set; empty is each of those that are compared, and if they are several, all pooled.
    """

    metric: str = "pass@1"
    max_drop: float | str | None = None
    max_rise: float | str | None = None
    mode: Mode = Mode.REGRESSION
    alpha: float = 0.05
    slice: str = ""
    set: str = ""

    @property
    def passing(self) -> tuple[Estimator, int] | None:
        """Estimator and k of pass@K and pass^K; None for what should not rise."""
        found = _PASS.fullmatch(self.metric)
        return None if found is None else (Estimator(f"pass{found[1]}"), int(found[2]))

    def rule(self) -> Rule:
        """The rule of the statistics; raises UsageError."""
        margin = self.max_drop if self.passing else self.max_rise
        if margin is None:
            margin = "0.01" if self.passing else "0.1"
        try:
            return Rule(self.mode, Fraction(str(margin)), self.alpha)
        except (ValueError, ZeroDivisionError) as error:
            said = str(error) if isinstance(error, StatisticsError) else f"{margin!r} is no number, as 0.01"
            raise UsageError(f"gate on {self.metric}: {said}") from None


@dataclass(frozen=True, eq=False)
class Task:
    """One check to make.

    Attributes:
        rule: What is asked for.
        set: Name of the problem set.
        slice: Of which problems; empty for all.
        parts: These problems of one pair of runs (baseline, current) or, pooled, of several.
    """

    rule: GateRule
    set: str
    slice: str
    parts: tuple[Aligned, ...]


@dataclass(frozen=True, eq=False)
class Checked:
    """A check, and what deciding it again with another p needs.

    Attributes:
        check: With its raw p.
        rule: Its rule.
        difference: Exactly; below 0 is worse.
        low: Its lower bound.
        seen: The chance that a drop by the margin is told from none; None where that was not simulated.
    """

    check: GateCheck
    rule: Rule
    difference: Fraction
    low: float
    seen: float | None


def check(store: Store, task: Task, tasks: int, tests: int) -> Checked:
    """One check with its raw p; what is said of its chances holds with the first step of Holm's adjustment.

    Args:
        store: Where the runs are.
        task: What to check.
        tasks: Number of checks, which share the time for simulations.
        tests: Number of those that test.

    Raises:
        UsageError: A k above some problem's n or above 1 at temperature 0, or samples that carry no measure.
    """
    rule = task.rule.rule()
    strict = Rule(rule.mode, rule.tolerated, rule.alpha / (1 if rule.mode is Mode.POINT else tests))
    try:
        if task.rule.passing is None:
            return _rise_check(store, task, rule, strict)
        return _drop_check(task, rule, strict, max(_LEAST_TRIALS, _TRIALS // tasks))
    except StatisticsError as error:
        raise UsageError(f"gate on {task.rule.metric} ({task.set}): {error}") from None


def _drop_check(task: Task, rule: Rule, strict: Rule, trials: int) -> Checked:
    estimator, k = task.rule.passing or (Estimator.PASS_AT_K, 1)
    _refuse_k(task, k)
    n, c = (np.concatenate([getattr(part, name) for part in task.parts], axis=1) for name in ("n", "c"))
    a, b = (n[0], c[0]), (n[1], c[1])
    found = judge_drop(a, b, k, rule, estimator=estimator)
    simulated = simulation(a, b, k, strict, estimator=estimator, trials=trials)
    seen = None
    if rule.mode is Mode.REGRESSION:
        seen = replace(simulated, rule=Rule(rule.mode, 0, strict.alpha)).power(float(rule.tolerated))
    made = GateCheck(
        **_described(task, rule),
        problems=n.shape[1],
        baseline=found.a,
        current=found.b,
        difference=float(found.difference),
        low=found.low,
        high=found.high,
        method=found.method,
        p=found.p,
        p_holm=found.p,
        false_alarms=simulated.false_alarms(),
        detectable=[
            DetectableRow(model=one.model.value, effect=one.effect, power=one.power)
            for one in (simulated.detectable(model) for model in DropModel)
        ],
        decision=found.decision.value,
    )
    return Checked(made, rule, found.difference, found.low, seen)


def _rise_check(store: Store, task: Task, rule: Rule, strict: Rule) -> Checked:
    """The same of tokens, cost and latency, whose worse direction is up: a rise stands in the place of a drop."""
    parts = [_measures(store, part, task.rule.metric) for part in task.parts]
    a, b = (
        Measure(*(np.concatenate([of[row][column] for of in parts]) for column in range(3))) for row in range(2)
    )
    found, careful = judge_rise(a, b, rule, power=POWER), judge_rise(a, b, strict, power=POWER)
    made = GateCheck(
        **_described(task, rule),
        problems=len(a.total),
        baseline=found.a,
        current=found.b,
        difference=found.value,
        low=found.low,
        high=found.high,
        method=found.method,
        p=found.p,
        p_holm=found.p,
        false_alarms=careful.false_alarms,
        detectable=[DetectableRow(model="normal", effect=careful.detectable, power=POWER)],
        decision=found.decision.value,
    )
    return Checked(made, rule, -found.exact, -found.high, None)


def _described(task: Task, rule: Rule) -> dict[str, Any]:
    return {
        "metric": task.rule.metric,
        "set": task.set,
        "slice": task.slice,
        "mode": rule.mode.value,
        "margin": float(rule.tolerated),
        "alpha": rule.alpha,
    }


def _measures(store: Store, part: Aligned, metric: str) -> list[list[Floats]]:
    """Samples, sums and sums of squares of the common problems, of each side."""
    found = []
    for side in part.sides:
        if side.run is None:
            raise UsageError(f"metric {metric}: the document of {side.name} has none; compare runs of a store")
        measured = store.measured(side.run, metric)
        places = {name: place for place, name in enumerate(measured.problem_ids)}
        rows = np.array([places[name] for name in part.ids])
        if (lacking := int((measured.samples - measured.carried)[rows].sum())) > 0:
            raise UsageError(
                f"metric {metric}: {lacking} of {int(measured.samples[rows].sum())} samples of run {side.name!r} "
                "carry none: bring them in the file of samples"
            )
        found.append(
            [one[rows].astype(np.float64) for one in (measured.carried, measured.total, measured.squares)]
        )
    return found


def _refuse_k(task: Task, k: int) -> None:
    for part in task.parts:
        greedy = [side for side in part.sides if side.greedy]
        if k > 1 and greedy:
            raise UsageError(not_drawn(task.rule.metric, greedy[0].meta, [side.name for side in greedy]))
        short = [part.ids[i] for i in np.flatnonzero((part.n < k).any(axis=0)).tolist()]
        if short:
            counted = f"{len(short)} problems have fewer: {shown(short)}"
            raise UsageError(too_few(task.rule.metric, k, counted, ["take a smaller k"], " in both runs"))


def adjusted(checks: Sequence[Checked], tests: int) -> list[GateCheck]:
    """The checks as decided with p adjusted by Holm over all that test."""
    strict = iter(holm([one.check.p for one in checks if one.rule.mode is not Mode.POINT]).tolist())
    found = []
    for one in checks:
        if one.rule.mode is Mode.POINT or tests < 2:
            found.append(one.check)
            continue
        p = next(strict)
        decision = decide(one.rule, one.difference, p, one.low)
        found.append(msgspec.structs.replace(one.check, p_holm=p, decision=decision.value))
    return found
