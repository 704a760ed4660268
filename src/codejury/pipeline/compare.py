"""Runs against the first of them: paired over the problems that all have, by their counts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from codejury import stats
from codejury.model import UsageError
from codejury.pipeline import refusals
from codejury.pipeline.fairness import check_fairness, unverified_note, waiver_note
from codejury.pipeline.refusals import not_drawn
from codejury.pipeline.sides import Aligned, align, open_side, problems_of, shown, without_short
from codejury.pipeline.summary import DEFAULT_KS
from codejury.report import (
    CompareDocument,
    ComparedRun,
    Comparison,
    DetectableRow,
    Difference,
    Dropped,
    Estimate,
    Flipped,
    Interval,
    McNemar,
    Range,
    SliceDifference,
    Sweep,
    SweepBest,
    SweepRow,
)
from codejury.stats import (
    DropModel,
    Estimator,
    Mode,
    Rule,
    benjamini_hochberg,
    compare_at_k,
    holm,
    mcnemar,
    simulation,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from codejury.pipeline.fairness import Fairness
    from codejury.pipeline.sides import Side
    from codejury.store import Store

    Mask = NDArray[np.bool_]

SWEEPS = ("temperature",)
"""Settings that a sweep can be over."""

_UNRATED = "unrated"
_SLICE_PROBLEMS = 5  # fewer are seen among the flipped ones
TRIALS = 2_000
"""Of the simulation of what a comparison detects."""

_ESTIMATORS = {"pass_at_k": Estimator.PASS_AT_K, "pass_hat_k": Estimator.PASS_HAT_K}


class CompareSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `compare` is asked for.

    Attributes:
        names: Two or more runs, or documents of `judge`; the others are compared with the first.
        ks: The k of pass@k; None is 1, 10 and 100 as far as every common problem has that many samples.
        level: Confidence level of the intervals.
        waive: Conditions that may differ.
        sweep: The setting that the runs are a sweep over: "temperature".
        drop_short: Leave problems with fewer samples than the largest k out, and say which.
        include_weak: Keep problems with verdicts within the candidate's reach.
    """

    names: tuple[str, ...]
    ks: tuple[int, ...] | None = None
    level: float = 0.95
    waive: tuple[str, ...] = ()
    sweep: str | None = None
    drop_short: bool = False
    include_weak: bool = False


def compare(store: Store, settings: CompareSettings) -> CompareDocument:
    """Compare runs with the first of them.

    Reads manifests, counts and problems, and no samples or verdicts, whatever their number.

    Raises:
        UsageError: Fewer than two runs, an unknown one, one that is not judged to the end, no common problem with
            strong verdicts, a k above some problem's n or above 1 at temperature 0, a wrong level or waiver.
        NotComparableError: Conditions differ that are not waived.
        InfrastructureError: Too many infrastructure errors in a run.
    """
    _check(settings)
    sides = [open_side(store, name) for name in settings.names]
    if len({side.name for side in sides}) < len(sides):
        raise UsageError(f"{', '.join(settings.names)}: the same run twice: name each once")
    problems = [problems_of(store, side) for side in sides]
    _check_sweep(sides, settings.sweep)
    swept = () if settings.sweep is None else (settings.sweep,)
    fairness = check_fairness(sides, problems, waive=settings.waive, swept=swept)
    aligned = align(sides, problems, include_weak=settings.include_weak)
    ks = _checked_ks(aligned, settings)
    aligned = without_short(aligned, max(ks), drop_short=settings.drop_short)
    runs = [_compared_run(aligned, row, ks, settings.level) for row in range(len(sides))]
    return CompareDocument(
        baseline=sides[0].name,
        runs=runs,
        level=settings.level,
        problems=len(aligned.ids),
        dropped=list(aligned.dropped),
        waived=list(fairness.waived),
        unverified=list(fairness.unverified),
        include_weak=settings.include_weak,
        comparisons=_comparisons(aligned, ks, settings.level),
        sweep=None if settings.sweep is None else _sweep(aligned, runs, settings.sweep, ks, settings.level),
        warnings=notes(aligned, fairness, include_weak=settings.include_weak),
    )


def notes(aligned: Aligned, fairness: Fairness, *, include_weak: bool) -> list[str]:
    """What to know before the figures of a comparison are quoted, the worst first."""
    found = [waiver_note(waived) for waived in fairness.waived]
    if include_weak and not all(side.strong for side in aligned.sides):
        found.append("problems with verdicts within the candidate's reach (weak) are in the figures")
    found += [dropped_note(row) for row in aligned.dropped]
    if fairness.unverified:
        found.append(unverified_note(fairness.unverified))
    return found + [f"{side.name}: {note}" for side in aligned.sides for note in side.notes]


def dropped_note(row: Dropped) -> str:
    """What is said of problems that are left out."""
    count = f"{len(row.ids)} problem{'' if len(row.ids) == 1 else 's'}"
    where = f" ({row.run})" if row.run else ""
    return f"left out of every figure: {count}, {row.reason}{where}: {shown(row.ids)}"


def flipped(aligned: Aligned, row: int) -> tuple[list[Flipped], list[Flipped]]:
    """Problems that run `row` lost and gained against the first: at least half right in one, fewer in another."""
    n, c = aligned.n, aligned.c
    before, after = 2 * c[0] >= n[0], 2 * c[row] >= n[row]

    def of(mask: Mask) -> list[Flipped]:
        return [
            Flipped(id=aligned.ids[i], n_a=int(n[0, i]), c_a=int(c[0, i]), n_b=int(n[row, i]), c_b=int(c[row, i]))
            for i in np.flatnonzero(mask).tolist()
        ]

    return of(before & ~after), of(~before & after)


def slices_of(aligned: Aligned) -> Iterator[tuple[str, str, Mask]]:
    """The kinds, names and problems of slices: difficulties and tags, each over several problems but not all."""
    for kind, of in labels_of(aligned).items():
        for name in dict.fromkeys(label for some in of for label in some):
            mask = np.array([name in some for some in of])
            if _SLICE_PROBLEMS <= mask.sum() < len(mask):
                yield kind, name, mask


def labels_of(aligned: Aligned) -> dict[str, list[tuple[str, ...]]]:
    """The labels of each problem by kind; a problem without difficulty is unrated where others have one."""
    ratings = [rating or _UNRATED for rating in aligned.difficulty] if any(aligned.difficulty) else []
    return {"difficulty": [(rating,) for rating in ratings], "tag": list(aligned.tags)}


def _check(settings: CompareSettings) -> None:
    if len(settings.names) < 2:
        raise UsageError("one run: name two or more to compare")
    refusals.check_options(settings.level)
    if settings.sweep is not None and settings.sweep not in SWEEPS:
        raise UsageError(f"--sweep {settings.sweep}: take {', '.join(SWEEPS)}")


def _check_sweep(sides: Sequence[Side], condition: str | None) -> None:
    if condition is None:
        return
    models = {side.meta.get("model") for side in sides}
    if len(models) > 1 or None in models:
        said = ", ".join(f"{side.meta.get('model', 'unknown')} ({side.name})" for side in sides)
        raise UsageError(f"--sweep {condition}: the runs must be of one model, declared with --meta model: {said}")
    unknown = [side.name for side in sides if not _is_number(side.conditions.get(condition))]
    if unknown:
        raise UsageError(f"--sweep {condition}: it is not declared as a number for {', '.join(unknown)}")
    values = [float(side.conditions[condition]) for side in sides]
    if len(set(values)) < len(values):
        raise UsageError(f"--sweep {condition}: two runs have the same; pool them with `codejury runs merge`")


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True


def _checked_ks(aligned: Aligned, settings: CompareSettings) -> tuple[int, ...]:
    greedy = [side for side in aligned.sides if side.greedy]
    if settings.ks is None:
        most = 1 if greedy and settings.sweep is None else int(aligned.n.min())
        return tuple(k for k in DEFAULT_KS if k <= most)
    if not settings.ks or min(settings.ks) < 1:
        raise UsageError(f"k {', '.join(map(str, settings.ks)) or 'none'}: give one or more k of at least 1")
    if greedy and max(settings.ks) > 1 and settings.sweep is None:
        raise UsageError(not_drawn(f"pass@{max(settings.ks)}", greedy[0].meta, [side.name for side in greedy]))
    return tuple(sorted(set(settings.ks)))


def _compared_run(aligned: Aligned, row: int, ks: Sequence[int], level: float) -> ComparedRun:
    side, n, c = aligned.sides[row], aligned.n[row], aligned.c[row]
    found = {}
    for k in (1,) if side.greedy else ks:
        estimate = stats.estimate_pass_at_k(n, c, k, clusters=aligned.clusters, level=level)
        found[str(k)] = Estimate(
            value=estimate.value,
            fixed_suite=_interval(estimate.fixed_suite),
            population=_interval(estimate.population),
        )
    return ComparedRun(
        run=side.name,
        problem_set=side.problem_set,
        n=Range(min=int(n.min()), max=int(n.max())),
        pass_at_k=found,
        meta=dict(side.meta),
    )


def _comparisons(aligned: Aligned, ks: Sequence[int], level: float) -> list[Comparison]:
    rows = range(1, len(aligned.sides))
    usable = (1,) if any(side.greedy for side in aligned.sides) else tuple(ks)
    differences = {
        name: {str(k): difference_rows(aligned, k, of, level) for k in usable} for name, of in _ESTIMATORS.items()
    }
    found = []
    for row in rows:
        lost, gained = flipped(aligned, row)
        single = bool((aligned.n[[0, row]] == 1).all())
        found.append(
            Comparison(
                run=aligned.sides[row].name,
                **{name: {k: of[row - 1] for k, of in by_k.items()} for name, by_k in differences.items()},
                mcnemar=mcnemar_row(len(lost), len(gained)) if single else None,
                lost=lost,
                gained=gained,
                slices=slice_differences(aligned, row, usable[0], level),
                detectable=detectable_rows(aligned, row, usable[0], level),
            )
        )
    return found


def difference_rows(aligned: Aligned, k: int, estimator: Estimator, level: float) -> list[Difference]:
    """At k, one for each row but the first; p adjusted over these by Holm."""
    raw = [
        compare_at_k(
            (aligned.n[0], aligned.c[0]),
            (aligned.n[row], aligned.c[row]),
            k,
            estimator=estimator,
            clusters=aligned.clusters,
            level=level,
        )
        for row in range(1, len(aligned.n))
    ]
    return [
        Difference(
            a=one.a,
            b=one.b,
            value=one.value,
            fixed_suite=Interval.of(one.fixed_suite),
            population=_interval(one.population),
            p=one.p,
            p_holm=float(adjusted),
            p_population=one.p_population,
        )
        for one, adjusted in zip(raw, holm([one.p for one in raw]), strict=True)
    ]


def mcnemar_row(lost: int, gained: int) -> McNemar:
    """McNemar's test of so many lost and gained problems, exact and by mid-p."""
    return McNemar(
        lost=lost, gained=gained, p_exact=mcnemar(lost, gained), p_mid=mcnemar(lost, gained, mid_p=True)
    )


def slice_differences(aligned: Aligned, row: int, k: int, level: float) -> list[SliceDifference]:
    """Differences at k, by difficulty and tag, between the first row and another, with the q of all of them."""
    named = list(slices_of(aligned))
    raw = [
        compare_at_k(
            (aligned.n[0, mask], aligned.c[0, mask]), (aligned.n[row, mask], aligned.c[row, mask]), k, level=level
        )
        for _, _, mask in named
    ]
    return [
        SliceDifference(
            kind="tag" if kind == "tag" else "difficulty",
            name=name,
            problems=int(mask.sum()),
            a=one.a,
            b=one.b,
            value=one.value,
            fixed_suite=Interval.of(one.fixed_suite),
            p=one.p,
            q=float(q),
        )
        for (kind, name, mask), one, q in zip(named, raw, benjamini_hochberg([r.p for r in raw]), strict=True)
    ]


def detectable_rows(
    aligned: Aligned, row: int, k: int, level: float, *, trials: int = TRIALS
) -> list[DetectableRow]:
    """The drops at k that a comparison of the first row with another detects with 80 %, simulated."""
    rule = Rule(Mode.REGRESSION, 0, (1 - level) / 2)
    simulated = simulation((aligned.n[0], aligned.c[0]), (aligned.n[row], aligned.c[row]), k, rule, trials=trials)
    found = [simulated.detectable(model) for model in DropModel]
    return [DetectableRow(model=one.model.value, effect=one.effect, power=one.power) for one in found]


def _sweep(
    aligned: Aligned, runs: Sequence[ComparedRun], condition: str, ks: Sequence[int], level: float
) -> Sweep:
    values = [side.conditions[condition] for side in aligned.sides]
    order = sorted(range(len(values)), key=lambda row: float(values[row]))
    best = {}
    for k in ks:
        rows = [row for row in order if str(k) in runs[row].pass_at_k]
        if not rows:
            continue
        top = max(rows, key=lambda row: runs[row].pass_at_k[str(k)].value)
        others = [row for row in rows if row != top]
        p = holm(
            [
                compare_at_k((aligned.n[row], aligned.c[row]), (aligned.n[top], aligned.c[top]), k, level=level).p
                for row in others
            ]
        )
        best[str(k)] = SweepBest(
            value=values[top],
            run=runs[top].run,
            estimate=runs[top].pass_at_k[str(k)],
            ties=[values[row] for row, one in zip(others, p.tolist(), strict=True) if one >= 1 - level],
        )
    return Sweep(
        condition=condition,
        rows=[SweepRow(value=values[row], run=runs[row].run, pass_at_k=runs[row].pass_at_k) for row in order],
        best=best,
    )


def _interval(interval: stats.Interval | None) -> Interval | None:
    return None if interval is None else Interval.of(interval)
