"""The gate: is a run worse than its baseline, by rules that say how often they are wrong?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from codejury.model import UsageError
from codejury.pipeline.checks import Checked, GateRule, Task, adjusted, check
from codejury.pipeline.compare import flipped, labels_of, notes, slices_of
from codejury.pipeline.fairness import Fairness, check_fairness
from codejury.pipeline.sides import BRANCH, Aligned, align, open_side, problems_of, shown
from codejury.report import GateDocument, GatePair
from codejury.stats import Mode
from codejury.stats.power import POWER
from codejury.store import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from codejury.pipeline.sides import Side
    from codejury.report import GateCheck
    from codejury.store import Store

POOLED = "pooled"
"""In the place of a problem set's name: several together."""

_SLICE_KINDS = ("difficulty", "tag")
_EXIT = {"pass": 0, "regression": 1, "inconclusive": 5}


class GateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `gate` is asked for.

    Attributes:
        currents: Runs, or documents of `judge`: one of each problem set.
        baselines: Runs, documents or "branch:NAME"; each current one has that of its problem set.
        rules: The rules.
        waive: Conditions that may differ.
        on_inconclusive: What an inconclusive check does: "fail" (exit code 5) or "pass".
        include_weak: Keep problems with verdicts within the candidate's reach.
    """

    currents: tuple[str, ...]
    baselines: tuple[str, ...]
    rules: tuple[GateRule, ...] = (GateRule(),)
    waive: tuple[str, ...] = ()
    on_inconclusive: Literal["fail", "pass"] = "fail"
    include_weak: bool = False


@dataclass(frozen=True, eq=False)
class _Pair:
    """A current run (row 1) and its baseline (row 0)."""

    aligned: Aligned
    fairness: Fairness

    @property
    def current(self) -> Side:
        return self.aligned.sides[1]

    @property
    def set(self) -> str:
        return self.current.problem_set.name


def gate(store: Store, settings: GateSettings) -> GateDocument:
    """Decide.

    Raises:
        UsageError: An unknown run, metric, slice, set or waiver, no baseline for a run, a wrong margin or level, a
            k above some problem's n or above 1 at temperature 0, no common problem with strong verdicts.
        NotComparableError: Conditions differ that are not waived.
        InfrastructureError: Too many infrastructure errors in a run.
    """
    _check(settings)
    pairs = [_pair(store, *sides, settings) for sides in _matched(store, settings)]
    tasks = list(_tasks(settings.rules, pairs))
    tests = sum(task.rule.mode is not Mode.POINT for task in tasks)
    raw = [check(store, task, len(tasks), max(1, tests)) for task in tasks]
    checks = adjusted(raw, tests)
    decisions = {one.decision for one in checks}
    worst = next(one for one in ("regression", "inconclusive", "pass") if one in decisions)
    passes = worst == "inconclusive" and settings.on_inconclusive == "pass"
    return GateDocument(
        decision=worst,
        exit_code=0 if passes else _EXIT[worst],
        on_inconclusive=settings.on_inconclusive,
        pairs=[_pair_row(pair) for pair in pairs],
        include_weak=settings.include_weak,
        checks=checks,
        warnings=_warnings(pairs, raw, checks, settings),
    )


def _check(settings: GateSettings) -> None:
    if not settings.baselines:
        raise UsageError("no baseline: name a run, a document or branch:NAME with --baseline")
    if not settings.rules:
        raise UsageError("no rule: give one metric at least")
    for rule in settings.rules:
        if rule.passing is None and rule.metric not in MEASURES:
            raise UsageError(f"metric {rule.metric!r}: take pass@K, pass^K, {', '.join(MEASURES)}")
        if rule.passing is None and rule.max_drop is not None and rule.max_rise is None:
            raise UsageError(f"metric {rule.metric}: more is worse: give max_rise (--max-rise), not max_drop")
        kind, _, name = rule.slice.partition("=")
        if rule.slice and (kind not in _SLICE_KINDS or ("=" in rule.slice and not name)):
            raise UsageError(f"slice {rule.slice!r}: take difficulty, tag, difficulty=NAME or tag=NAME")
        rule.rule()


def _matched(store: Store, settings: GateSettings) -> Iterator[tuple[Side, Side]]:
    """Each current run with its baseline."""
    currents = [open_side(store, name) for name in settings.currents]
    fixed = {name: open_side(store, name) for name in settings.baselines if not _of_branch(store, name)}
    for current in currents:
        if len(currents) == len(settings.baselines) == 1 and fixed:
            yield from ((base, current) for base in fixed.values())
            continue
        fitting = [one for one in fixed.values() if one.problem_set.name == current.problem_set.name]
        if not fitting:
            fitting = [open_side(store, name, like=current) for name in settings.baselines if name not in fixed]
        if len(fitting) != 1:
            raise UsageError(
                f"{current.name}: {len(fitting) or 'no'} baselines of problem set {current.problem_set.name!r}: "
                "name one for each set"
            )
        yield fitting[0], current


def _of_branch(store: Store, name: str) -> bool:
    return name.startswith(BRANCH) and name not in {info.name for info in store.runs()}


def _pair(store: Store, base: Side, current: Side, settings: GateSettings) -> _Pair:
    if base.run == current.run is not None:
        raise UsageError(f"{current.name} is its own baseline: name another run")
    sides = (base, current)
    problems = [problems_of(store, side) for side in sides]
    fairness = check_fairness(sides, problems, waive=settings.waive)
    return _Pair(align(sides, problems, include_weak=settings.include_weak), fairness)


def _tasks(rules: Sequence[GateRule], pairs: Sequence[_Pair]) -> Iterator[Task]:
    sets = [pair.set for pair in pairs]
    if len(set(sets)) < len(sets):
        raise UsageError(f"two runs of problem set {max(sets, key=sets.count)!r}: give one of each set")
    for rule in rules:
        if rule.set and rule.set not in (*sets, POOLED):
            raise UsageError(
                f"gate on {rule.metric}: no run of problem set {rule.set!r}; there are {', '.join(sets)}"
            )
        found: dict[str, dict[str, Aligned]] = {}
        for pair in pairs:
            for name, part in _parts(rule.slice, pair.aligned):
                found.setdefault(name, {})[pair.set] = part
        if not found:
            raise UsageError(f"gate on {rule.metric}: no common problem has {rule.slice}")
        for name, parts in found.items():
            yield from _of_slice(rule, name, parts)


def _of_slice(rule: GateRule, name: str, parts: Mapping[str, Aligned]) -> Iterator[Task]:
    """Each set, and if they are several all of them."""
    for of, part in parts.items():
        if rule.set in ("", of):
            yield Task(rule, of, name, (part,))
    if len(parts) > 1 and rule.set in ("", POOLED):
        yield Task(rule, POOLED, name, tuple(parts.values()))


def _parts(wanted: str, aligned: Aligned) -> Iterator[tuple[str, Aligned]]:
    if not wanted:
        yield "", aligned
        return
    kind, _, name = wanted.partition("=")
    if not name:
        found = ((of, mask) for slice_kind, of, mask in slices_of(aligned) if slice_kind == kind)
    else:
        found = ((name, np.array([name in some for some in labels_of(aligned)[kind]])) for _ in (0,))
    for of, mask in found:
        if mask.any():
            yield f"{kind}={of}", aligned.only(mask)


def _pair_row(pair: _Pair) -> GatePair:
    lost, gained = flipped(pair.aligned, 1)
    return GatePair(
        current=pair.current.name,
        baseline=pair.aligned.sides[0].name,
        problem_set=pair.current.problem_set,
        problems=len(pair.aligned.ids),
        dropped=list(pair.aligned.dropped),
        waived=list(pair.fairness.waived),
        unverified=list(pair.fairness.unverified),
        lost=[flip.id for flip in lost],
        gained=[flip.id for flip in gained],
    )


def _warnings(
    pairs: Sequence[_Pair], raw: Sequence[Checked], checks: Sequence[GateCheck], settings: GateSettings
) -> list[str]:
    found = [
        note for pair in pairs for note in notes(pair.aligned, pair.fairness, include_weak=settings.include_weak)
    ]
    blind = []
    for one, made in zip(raw, checks, strict=True):
        where = f"{made.metric} ({', '.join(part for part in (made.set, made.slice) if part)})"
        if one.rule.mode is Mode.POINT and made.false_alarms > one.rule.alpha:
            found.append(
                f"{where}: the bare rule fails in {100 * made.false_alarms:.0f} of 100 cases when nothing has "
                "changed; take mode regression"
            )
        if one.rule.mode is Mode.REGRESSION and made.decision == "pass" and -one.difference > one.rule.tolerated:
            found.append(
                f"{where}: worse by more than the margin, but chance is not excluded (p {made.p_holm:.2g})"
            )
        if one.seen is not None and one.seen < POWER:
            blind.append(f"{where} in {100 * one.seen:.0f}")
    if blind:
        found.append(
            "what the gate detects is larger than its margin: a drop by the margin would be told from chance, for "
            f"{shown(blind)} of 100 cases; more samples or problems help (`codejury plan`)"
        )
    return list(dict.fromkeys(found))
