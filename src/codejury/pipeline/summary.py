"""From a run's counts to its document: which problems count, what is refused, what is said beside a figure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from codejury import stats
from codejury.model import InfrastructureError, Outcome, Timing, UsageError
from codejury.pipeline import refusals
from codejury.pipeline.conditions import conditions
from codejury.pipeline.isolation import UNISOLATED
from codejury.report import (
    Estimate,
    FlipRow,
    IntegrityCounts,
    Interval,
    JudgeDocument,
    ProblemRow,
    ProblemSetRef,
    Range,
    Slice,
    TimingRow,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from codejury.model import Manifest
    from codejury.store import Counts, Flip, RunInfo, Store, TallyRow

    Mask = NDArray[np.bool_]  # one a problem of the run

INFRA_SHARE_LIMIT = 0.05
"""Share of judged samples above which infrastructure errors make a run worthless."""

DUPLICATE_SHARE_LIMIT = 0.5
"""Share of samples that repeat another's program above which a warning asks whether they are independent."""

DEFAULT_KS = (1, 10, 100)
"""The k of pass@k where none is given, as far as every problem has that many samples."""

_SHOWN = 5
_DIFFICULTIES = ("easy", "medium", "hard")
_UNRATED = "unrated"


@dataclass(frozen=True)
class _Run:
    """What the store says of a run."""

    info: RunInfo
    manifest: Manifest
    counts: Counts
    tally: list[TallyRow]
    flips: list[Flip]

    @property
    def unfinished(self) -> bool:
        return self.info.judged < self.info.samples

    def ids(self, mask: Mask) -> list[str]:
        return [self.counts.problem_ids[i] for i in np.flatnonzero(mask).tolist()]


@dataclass(frozen=True)
class _Selection:
    """The problems of the headline, those reported apart, those that are too short, and the k's."""

    headline: Mask
    weak: Mask
    short: Mask
    ks: tuple[int, ...]


def summarise(
    store: Store,
    run_name: str,
    ks: Sequence[int] | None = None,
    *,
    level: float = 0.95,
    drop_short: bool = False,
    partial: bool = False,
) -> JudgeDocument:
    """The document of a run. It is made of the run's counts, whatever the number of samples.

    Samples on which the infrastructure failed are in no n: they are counted, and the bounds that they leave open
    are said. Problems with verdicts within the candidate's reach (weak) are reported apart from the headline.

    Args:
        store: Where the run is.
        run_name: Its name.
        ks: The k of pass@k; None is 1, 10 and 100 as far as every problem has that many samples.
        level: Confidence level of the intervals.
        drop_short: Leave problems with fewer samples than the largest k out of every figure, and say which.
        partial: Estimate over what is judged so far. Without it, the document of an unfinished run says how far
            the run is and has no estimates.

    Raises:
        UsageError: No such run; no problems or no samples; a k below 1, or above some problem's n; pass@k for
            k > 1 at temperature 0; a problem without samples that nobody declared; a level outside (0, 1).
        InfrastructureError: The share of infrastructure errors is above `INFRA_SHARE_LIMIT`.
    """
    refusals.check_options(level)
    info = store.find_run(run_name)
    run = _Run(info, store.manifest(info.id), store.counts(info.id), store.tally(info.id), store.flips(info.id))
    present = _present(run)
    _refuse_infra(run)
    weak = present & (run.counts.weak > 0)
    if run.unfinished and not partial:
        chosen = _Selection(present & ~weak, weak, np.zeros_like(present), ())
    else:
        checked = _checked_ks(run, present, ks)
        short = _short(run, present, max(checked), drop_short=drop_short)
        chosen = _Selection(present & ~weak & ~short, weak & ~short, short, checked)
    warnings = _run_warnings(run, chosen)
    pass_at_k = _estimates(run.counts, chosen.headline, chosen.ks, level, warnings)
    return _document(run, chosen, level, pass_at_k, warnings)


def _present(run: _Run) -> Mask:
    counts = run.counts
    if not counts.problem_ids:
        raise UsageError(f"run {run.info.name!r} has no problems: nothing can be estimated")
    present: Mask = counts.samples > 0
    if not present.any():
        raise UsageError(f"run {run.info.name!r} has no samples: nothing can be estimated")
    if undeclared := [name for name in run.ids(~present) if name not in set(run.manifest.missing)]:
        raise UsageError(
            f"{_problems(len(undeclared))} of run {run.info.name!r} have no samples: {_named(undeclared)}; "
            "bring samples of them, or declare them with --allow-missing"
        )
    return present


def _refuse_infra(run: _Run) -> None:
    errors = int(run.counts.infra.sum())
    if errors > INFRA_SHARE_LIMIT * run.info.judged:
        raise InfrastructureError(
            f"run {run.info.name!r}: {errors} of {run.info.judged} judged samples "
            f"({100 * errors / run.info.judged:.1f} %) ended in infrastructure errors, more than "
            f"{100 * INFRA_SHARE_LIMIT:.0f} %: find their cause, then judge them again with --resume --retry infra"
        )


def _checked_ks(run: _Run, present: Mask, ks: Sequence[int] | None) -> tuple[int, ...]:
    n = run.counts.n[present]
    single = refusals.one_draw(run.manifest.meta)
    if ks is None:
        smallest = 1 if single else max(1, int(n.min()))
        return tuple(k for k in DEFAULT_KS if k <= smallest)
    if not ks or min(ks) < 1:
        raise UsageError(f"k {', '.join(map(str, ks)) or 'none'}: give one or more k of at least 1")
    if single and max(ks) > 1:
        raise UsageError(refusals.not_drawn(f"pass@{max(ks)}", run.manifest.meta))
    return tuple(sorted(set(ks)))


def _short(run: _Run, present: Mask, k: int, *, drop_short: bool) -> Mask:
    counts = run.counts
    short: Mask = present & (counts.n < k)
    if short.any() and not drop_short:
        named = [f"{counts.problem_ids[i]} ({counts.n[i]})" for i in np.flatnonzero(short).tolist()]
        hints = ["take a smaller k", "leave them out of every figure with --drop-short"]
        if counts.infra[short].any():
            hints.insert(0, "judge their infrastructure errors again with --resume --retry infra")
        if run.unfinished:
            hints.insert(0, "judge the rest with --resume")
        share = f"{len(named)} of {_problems(int(present.sum()))} have fewer: {_named(named)}"
        raise UsageError(refusals.too_few(f"pass@{k}", k, share, hints))
    if not (present & ~short).any():
        raise UsageError(f"no problem of run {run.info.name!r} has {k} samples: take a smaller k")
    return short


def _estimates(
    counts: Counts, mask: Mask, ks: Iterable[int], level: float, warnings: list[str] | None = None
) -> dict[str, Estimate]:
    found: dict[str, Estimate] = {}
    clusters = [counts.cluster[i] for i in np.flatnonzero(mask).tolist()]
    for k in ks if mask.any() else ():
        estimate = stats.estimate_pass_at_k(
            counts.n[mask], counts.c[mask], k, clusters=clusters if any(clusters) else None, level=level
        )
        if warnings is not None:
            warnings += [f"pass@{k}: {warning}" for warning in estimate.warnings]
        found[str(k)] = Estimate(
            value=estimate.value,
            fixed_suite=_interval(estimate.fixed_suite),
            population=_interval(estimate.population),
        )
    return found


def _base_estimates(
    counts: Counts, mask: Mask, ks: Iterable[int], level: float, warnings: list[str]
) -> dict[str, Estimate] | None:
    """Of the base tests alone; None where these problems have no others. No warning is given twice."""
    if not counts.has_base[mask].any():
        return None
    own: list[str] = []
    found = _estimates(replace(counts, c=counts.c_base), mask, ks, level, own)
    warnings += [f"base tests, {warning}" for warning in own if warning not in warnings]
    return found


def _interval(interval: stats.Interval | None) -> Interval | None:
    return None if interval is None else Interval.of(interval)


def _slice(counts: Counts, mask: Mask, ks: Iterable[int], level: float) -> Slice:
    return Slice(
        problems=int(mask.sum()),
        samples=int(counts.n[mask].sum()),
        pass_at_k=_estimates(counts, mask, ks, level),
    )


def _by_difficulty(counts: Counts, mask: Mask, ks: Sequence[int], level: float) -> dict[str, Slice]:
    if not ks or not any(counts.difficulty):
        return {}
    labels = np.array([difficulty or _UNRATED for difficulty in counts.difficulty])
    found = dict.fromkeys(labels[mask].tolist())
    order = [name for name in _DIFFICULTIES if name in found] + [
        name for name in found if name not in _DIFFICULTIES
    ]
    return {name: _slice(counts, mask & (labels == name), ks, level) for name in order}


def _document(
    run: _Run, chosen: _Selection, level: float, pass_at_k: dict[str, Estimate], warnings: list[str]
) -> JudgeDocument:
    info, manifest, counts = run.info, run.manifest, run.counts
    problem_set = manifest.problem_set
    kept = np.flatnonzero(chosen.headline).tolist()
    base = _base_estimates(counts, chosen.headline, chosen.ks, level, warnings)
    n = counts.n[chosen.headline].tolist() or [0]
    return JudgeDocument(
        run=info.name,
        problem_set=ProblemSetRef(name=problem_set.name, version=problem_set.version, hash=problem_set.hash),
        samples=info.samples,
        judged=info.judged,
        partial=run.unfinished,
        programs=info.programs,
        problems=len(kept),
        n=Range(min=min(n), max=max(n)),
        level=level,
        pass_at_k=pass_at_k,
        pass_at_k_base=base,
        per_problem=[ProblemRow(id=counts.problem_ids[i], n=int(counts.n[i]), c=int(counts.c[i])) for i in kept],
        by_difficulty=_by_difficulty(counts, chosen.headline, chosen.ks, level),
        weak=_slice(counts, chosen.weak, chosen.ks, level) if chosen.weak.any() else None,
        verdicts=_outcomes(run.tally),
        integrity=_integrity(run.tally),
        tier=", ".join(_tiers(run)),
        infra_errors=int(counts.infra.sum()),
        flips=[
            FlipRow(id=f"{flip.problem_id}#{flip.index}", first=flip.first, final=flip.final, samples=flip.samples)
            for flip in run.flips
        ],
        timing=TimingRow.of(Timing(wall_s=info.wall_s, samples=info.timed_samples)),
        missing=list(manifest.missing),
        dropped=run.ids(chosen.short),
        meta=dict(manifest.meta),
        warnings=warnings,
        conditions=conditions(manifest, counts.samples.tolist(), _tiers(run)),
    )


def _outcomes(tally: Iterable[TallyRow]) -> dict[str, int]:
    totals = dict.fromkeys(Outcome, 0)
    for row in tally:
        totals[row.outcome] += row.samples
    return {outcome.value: number for outcome, number in totals.items() if number}


def _integrity(tally: Iterable[TallyRow]) -> IntegrityCounts:
    totals = dict.fromkeys(IntegrityCounts.__struct_fields__, 0)
    for row in tally:
        if row.outcome not in (Outcome.INFRA_ERROR, Outcome.MISSING):
            totals[row.integrity] += row.samples
            totals[f"{row.integrity}_passed"] += row.samples * (row.outcome is Outcome.PASSED)
    return IntegrityCounts(**totals)


def _tiers(run: _Run) -> list[str]:
    return sorted({row.tier for row in run.tally}) or [run.manifest.tier]


def _run_warnings(run: _Run, chosen: _Selection) -> list[str]:
    """What to know of the run before its figures are quoted, the worst first."""
    found = [
        _unisolated(run),
        _unfinished(run, chosen),
        _left_out(run, chosen),
        _infra(run, chosen),
        _weak(run),
        _copies(run),
    ]
    n = run.counts.n[chosen.headline]
    if chosen.ks and len(n) and n.min() != n.max():
        found.append(f"problems have {n.min()} to {n.max()} samples; each problem has the same weight")
    if len(tiers := _tiers(run)) > 1:
        found.append(f"verdicts come from several isolation tiers: {', '.join(tiers)}")
    if run.flips:
        found.append(
            f"{_samples(sum(flip.samples for flip in run.flips))} got another verdict when run again alone"
        )
    notes = [note for note in run.manifest.notes if note not in found]
    return [warning for warning in (*found, *notes) if warning]


def _unisolated(run: _Run) -> str:
    """Why a run has no isolation, where that is so."""
    return (run.manifest.tier_note or "") if run.manifest.tier == UNISOLATED else ""


def _unfinished(run: _Run, chosen: _Selection) -> str:
    if not run.unfinished:
        return ""
    say = (
        "figures are over these alone, and what ended first need not be like the rest"
        if chosen.ks
        else "no figures before the rest is judged"
    )
    return f"partial: {run.info.judged} of {run.info.samples} samples are judged; {say}; go on with --resume"


def _left_out(run: _Run, chosen: _Selection) -> str:
    parts = []
    if missing := run.manifest.missing:
        parts.append(f"{_problems(len(missing))} without samples, declared missing ({_named(missing)})")
    if short := run.ids(chosen.short):
        parts.append(f"{_problems(len(short))} with fewer than {max(chosen.ks)} samples ({_named(short)})")
    return f"left out of every figure: {' and '.join(parts)}" if parts else ""


def _infra(run: _Run, chosen: _Selection) -> str:
    counts, mask = run.counts, chosen.headline
    errors = int(counts.infra.sum())
    if not errors:
        return ""
    text = f"{_samples(errors)} ended in infrastructure errors, counted neither as right nor as wrong"
    n, c, infra = counts.n[mask], counts.c[mask], counts.infra[mask]
    bounds = []
    for k in chosen.ks if infra.any() else ():
        low, high = (float(np.mean(stats.pass_at_k(n + infra, c + extra, k))) for extra in (0, infra))
        bounds.append(f"pass@{k} {100 * low:.2f} to {100 * high:.2f} %")
    return f"{text}; were all of them wrong or all right: {', '.join(bounds)}" if bounds else text


def _weak(run: _Run) -> str:
    weak = int(run.counts.weak.sum())
    if not weak:
        return ""
    affected = _problems(int((run.counts.weak > 0).sum()))
    return f"{_samples(weak)} of {affected} judged within the candidate's reach (weak): reported apart"


def _copies(run: _Run) -> str:
    info = run.info
    if int(run.counts.samples.max()) > 1 and (said := refusals.discounted(run.manifest.meta)):
        return said
    if info.samples - info.programs > DUPLICATE_SHARE_LIMIT * info.samples:
        share = 100 * (info.samples - info.programs) / info.samples
        return f"{share:.0f} % of the samples repeat another's program: are they independent answers?"
    return ""


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _problems(number: int) -> str:
    return f"{number} problem{'' if number == 1 else 's'}"


def _samples(number: int) -> str:
    return f"{number} sample{'' if number == 1 else 's'}"
