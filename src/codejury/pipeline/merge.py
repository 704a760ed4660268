"""Several runs in one: shards of a run, or independent runs whose samples are pooled."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from codejury import stats
from codejury.model import (
    Manifest,
    NotComparableError,
    PartInfo,
    ProblemSet,
    ProblemSetInfo,
    SamplesInfo,
    UsageError,
)
from codejury.pipeline.manifest import differences, now, run_notes
from codejury.store import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from codejury.model import Problem, Selection
    from codejury.store import Disagreement, RunInfo, Store

_SHOWN = 5


class MergeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `merge` is asked for.

    Attributes:
        names: The runs, in the order in which their samples are numbered.
        into: Name of the new run.
        alpha: A p below it says that runs that are to be pooled differ.
        waive_homogeneity: Pool them all the same; the new run says so.
        allow_missing: Merge shards though some are not there; the new run says so.
        delete_parts: Delete the runs when they are merged.
    """

    names: tuple[str, ...]
    into: str
    alpha: float = 0.01
    waive_homogeneity: bool = False
    allow_missing: bool = False
    delete_parts: bool = False


@dataclass(frozen=True)
class Homogeneity:
    """Whether the runs that were pooled differ: over all problems, and problem by problem."""

    overall: stats.HomogeneityTest
    scatter: stats.HomogeneityTest


@dataclass(frozen=True)
class MergeResult:
    """What merging gave.

    Attributes:
        run: Name of the new run.
        homogeneity: Of runs that were pooled; None for shards.
    """

    run: str
    homogeneity: Homogeneity | None


@dataclass(frozen=True)
class _Run:
    """What is known of a run that is to be merged."""

    info: RunInfo
    manifest: Manifest
    problems: list[Problem]

    @property
    def shards(self) -> tuple[int, ...]:
        selection = self.manifest.selection
        return selection.shards if selection else ()

    @property
    def origins(self) -> tuple[PartInfo, ...]:
        """The runs that it was judged in: itself, or those of which it was merged."""
        manifest = self.manifest
        itself = PartInfo(
            run=manifest.run,
            created=manifest.created,
            samples=manifest.samples,
            machine=manifest.machine,
            meta=manifest.meta,
        )
        return manifest.parts or (itself,)


def merge(store: Store, settings: MergeSettings) -> MergeResult:
    """Make one run of several. What is refused leaves the store as it was.

    Runs that are different shards of the same selection, of the same file of samples, become the run that would
    have been judged without `--shard`. Other runs must be over the same problems, with equal settings and samples
    of their own; their samples are pooled if nothing says that the runs differ.

    Raises:
        UsageError: A run is unknown, named twice or not judged to the end, the new name is taken, shards are
            missing or there twice, or two runs have the same file of samples.
        NotComparableError: Settings or problems are not the same, or runs that are to be pooled differ.
    """
    runs = _runs(store, settings)
    if any(one.shards != other.shards for one, other in itertools.pairwise(runs)):
        result = _merge_shards(store, settings, runs)
    else:
        result = _pool(store, settings, runs)
    if settings.delete_parts:
        for run in runs:
            store.delete_run(run.info.id)
    return result


def _runs(store: Store, settings: MergeSettings) -> list[_Run]:
    names = settings.names
    if not 0 < settings.alpha < 1:
        raise UsageError(f"alpha {settings.alpha}: take a probability between 0 and 1, as 0.01")
    if len(names) < 2:
        raise UsageError("merging takes two or more runs: name them")
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"run {twice[0]!r} is named twice: its samples cannot count twice")
    infos = [store.find_run(name) for name in names]
    if settings.into in {info.name for info in store.runs()}:
        raise UsageError(f"run {settings.into!r} is already in store {store.name}: give another name with --into")
    for info in infos:
        if info.judged < info.samples:
            raise UsageError(
                f"run {info.name!r}: {info.judged} of {info.samples} samples are judged: go on with --resume first"
            )
    return [_Run(info, store.manifest(info.id), store.problems(info.id)) for info in infos]


def _refuse_differences(manifests: Sequence[Manifest]) -> None:
    first = manifests[0]
    for other in manifests[1:]:
        if differ := differences(first, other, (f"in {first.run!r}", f"in {other.run!r}")):
            raise NotComparableError(f"the runs are not of equal settings: {'; '.join(differ)}")


# ---- shards


def _merge_shards(store: Store, settings: MergeSettings, runs: list[_Run]) -> MergeResult:
    for run in runs:
        if not run.shards:
            raise NotComparableError(f"run {run.info.name!r} is no shard, as others are: merge shards with shards")
    runs = sorted(runs, key=lambda run: run.shards)
    first = runs[0].manifest
    selection = first.selection
    assert selection is not None
    together = sorted(shard for run in runs for shard in run.shards)
    whole = msgspec.structs.replace(selection, shards=tuple(together), samples_left_out=0)
    _refuse_differences([_as_shards(run.manifest, whole) for run in runs])
    if twice := [one for one, other in itertools.pairwise(together) if one == other]:
        raise UsageError(f"shard {twice[0]}/{selection.of} is there twice: name each once")
    files = {run.manifest.samples.sha256 for run in runs}
    if len(files) > 1 or not all(files):
        raise NotComparableError("the shards are not of the same file of samples: judge all of the same")
    absent = sorted(set(range(1, selection.of + 1)) - set(together))
    if absent and not settings.allow_missing:
        raise UsageError(
            f"shards {_named([f'{shard}/{selection.of}' for shard in absent])} are missing: judge them,"
            " or merge the rest with --allow-missing"
        )
    parts, problems = _places(runs, selection.of)
    manifest = _of_shards(settings, runs, whole if absent else _unsharded(whole), problems)
    store.merge(manifest, parts, renumber=False, complete=lambda _: manifest)
    return MergeResult(run=settings.into, homogeneity=None)


def _as_shards(manifest: Manifest, whole: Selection) -> Manifest:
    """The manifest with the shards of all, so that other differences show."""
    assert manifest.selection is not None
    return msgspec.structs.replace(
        manifest, selection=msgspec.structs.replace(manifest.selection, shards=whole.shards)
    )


def _unsharded(selection: Selection) -> Selection:
    return msgspec.structs.replace(selection, shards=(), of=0)


def _places(runs: Sequence[_Run], of: int) -> tuple[list[Part], list[Problem]]:
    """Where the problems of each run stand in the order of the set, and these problems."""
    numbered: list[tuple[int, int, int]] = []  # number among the chosen problems, run, place in the run
    for index, run in enumerate(runs):
        shards = sorted(run.shards)
        for place in range(len(run.problems)):
            turn, shard = divmod(place, len(shards))
            numbered.append((turn * of + shards[shard], index, place))
    numbered.sort()
    positions = [[0] * len(run.problems) for run in runs]
    for position, (_, index, place) in enumerate(numbered):
        positions[index][place] = position
    parts = [Part(run.info.id, tuple(places)) for run, places in zip(runs, positions, strict=True)]
    return parts, [runs[index].problems[place] for _, index, place in numbered]


def _of_shards(
    settings: MergeSettings, runs: Sequence[_Run], selection: Selection, problems: list[Problem]
) -> Manifest:
    """The manifest that the run would have, had all been judged at once."""
    first = runs[0].manifest
    problem_set = ProblemSet(
        name=first.problem_set.name, version=first.problem_set.version, problems=tuple(problems)
    )
    ids = [problem.id for problem in problems]
    if len(set(ids)) < len(ids) or (not selection.of and problem_set.hash != selection.chosen_hash):
        raise NotComparableError("the shards do not add up to their selection: was the set's order another one?")
    # Each counted what lies outside of itself, so that all of the file is known.
    total = first.samples.count + (first.selection.samples_left_out if first.selection else 0)
    count = sum(run.info.samples for run in runs)
    kept = msgspec.structs.replace(selection, samples_left_out=total - count)
    everything = not selection.of and selection.chosen == selection.set_problems
    manifest = _combined(settings, runs, problem_set)
    return _with_notes(
        msgspec.structs.replace(
            manifest,
            samples=msgspec.structs.replace(first.samples, count=count),
            selection=None if everything else kept,
        ),
        problems,
    )


# ---- independent runs


def _pool(store: Store, settings: MergeSettings, runs: list[_Run]) -> MergeResult:
    _refuse_differences([_settings(run.manifest) for run in runs])
    _refuse_same_samples(runs)
    first = runs[0]
    order = {problem.id: position for position, problem in enumerate(first.problems)}
    parts = [Part(run.info.id, tuple(order[p.id] for p in run.problems)) for run in runs]
    tests = _homogeneity(store, parts)
    notes = _homogeneity_note(tests, settings) + _doubts(store, runs) + _earlier_notes(runs)
    problem_set = ProblemSet(
        name=first.manifest.problem_set.name,
        version=first.manifest.problem_set.version,
        problems=tuple(first.problems),
    )
    selection = first.manifest.selection
    if selection is not None:
        left_out = sum(run.manifest.selection.samples_left_out for run in runs if run.manifest.selection)
        selection = msgspec.structs.replace(selection, samples_left_out=left_out)
    manifest = _with_notes(
        msgspec.structs.replace(
            _combined(settings, runs, problem_set),
            samples=SamplesInfo(
                count=sum(run.info.samples for run in runs),
                notes=tuple(dict.fromkeys(note for run in runs for note in run.manifest.samples.notes)),
            ),
            selection=selection,
        ),
        first.problems,
    )

    def complete(found: Disagreement) -> Manifest:
        several = (
            f"{found.programs} programs ended otherwise in another of the runs: the first verdict was kept,"
            f" against that of {found.samples} samples"
        )
        more = (*notes, several) if found.programs else notes
        return msgspec.structs.replace(manifest, notes=(*manifest.notes, *more))

    store.merge(manifest, parts, renumber=True, complete=complete)
    return MergeResult(run=settings.into, homogeneity=tests)


def _settings(manifest: Manifest) -> Manifest:
    """What must be equal: not the seed, for independent runs have their own, nor how the problems were chosen."""
    meta = {key: value for key, value in manifest.meta.items() if key != "seed"}
    return msgspec.structs.replace(manifest, meta=meta, selection=None)


def _refuse_same_samples(runs: Sequence[_Run]) -> None:
    seen: dict[str, str] = {}
    for run in runs:
        for digest in {part.samples.sha256 for part in run.origins} - {""}:
            if digest in seen:
                raise UsageError(
                    f"runs {seen[digest]!r} and {run.info.name!r} are of the same file of samples: the same"
                    " samples twice are not more samples"
                )
            seen[digest] = run.info.name


def _homogeneity(store: Store, parts: Sequence[Part]) -> Homogeneity:
    n = np.zeros((len(parts), len(parts[0].positions)), dtype=np.int64)
    c = np.zeros_like(n)
    for row, part in enumerate(parts):
        counts = store.counts(part.run)
        n[row, list(part.positions)], c[row, list(part.positions)] = counts.n, counts.c
    return Homogeneity(stats.cmh_test(n, c), stats.scatter_test(n, c))


def _homogeneity_note(tests: Homogeneity, settings: MergeSettings) -> tuple[str, ...]:
    """What is said of runs that differ; refuses them unless that is waived."""
    differing = [
        f"{words}: {name} {test.statistic:.2f} with df {test.df}, p = {test.p:.2g}"
        for words, name, test in (
            ("over all problems", "CMH chi-square", tests.overall),
            ("on single problems", "sum of chi-squares", tests.scatter),
        )
        if test.p < settings.alpha
    ]
    if not differing:
        return ()
    said = f"the runs differ {'; '.join(differing)}"
    if not settings.waive_homogeneity:
        raise NotComparableError(
            f"{said}, below alpha {settings.alpha:g}: they are not samples of the same thing; find out why, or"
            " pool them with --waive homogeneity"
        )
    return (f"pooled although {said} (--waive homogeneity)",)


def _doubts(store: Store, runs: Sequence[_Run]) -> tuple[str, ...]:
    """What speaks against the runs being independent, or made alike."""
    notes = [
        f"runs {one.info.name!r} and {other.info.name!r} have byte-identical programs: are they independent?"
        for one, other in itertools.combinations(runs, 2)
        if (one.info.samples, one.info.programs) == (other.info.samples, other.info.programs)
        and store.same_programs(one.info.id, other.info.id)
    ]
    if unknown := [key for key in ("model", "temperature") if key not in runs[0].manifest.meta]:
        notes.append(
            f"that the pooled samples were made alike is unverified: no {' and no '.join(unknown)} declared"
        )
    return tuple(notes)


def _earlier_notes(runs: Sequence[_Run]) -> tuple[str, ...]:
    """What was said when parts were pooled themselves."""
    return tuple(
        note
        for run in runs
        for note in run.manifest.notes
        if run.manifest.pooled and note not in _with_notes(run.manifest, run.problems).notes
    )


# ---- both


def _combined(settings: MergeSettings, runs: Sequence[_Run], problem_set: ProblemSet) -> Manifest:
    """The first run's manifest with what differs: what all have in common, or what all have together."""
    first = runs[0].manifest
    manifests = [run.manifest for run in runs]
    unanswered = set.intersection(*(_unanswered(run, problem_set) for run in runs))
    meta = {k: v for k, v in first.meta.items() if all(m.meta.get(k) == v for m in manifests)}
    return msgspec.structs.replace(
        first,
        run=settings.into,
        created=now(),
        problem_set=msgspec.structs.replace(ProblemSetInfo.of(problem_set), source=first.problem_set.source),
        codejury_version=", ".join(dict.fromkeys(manifest.codejury_version for manifest in manifests)),
        machine=first.machine if all(manifest.machine == first.machine for manifest in manifests) else None,
        meta=meta,
        meta_replaced={k: v for m in manifests for k, v in m.meta_replaced.items() if k in meta},
        allow_missing=any(manifest.allow_missing for manifest in manifests),
        missing=tuple(problem.id for problem in problem_set.problems if problem.id in unanswered),
        rules=_summed(manifest.rules for manifest in manifests),
        flags=_summed(manifest.flags for manifest in manifests),
        extractor=next((manifest.extractor for manifest in manifests if manifest.extractor), ""),
        unsound={problem: out for manifest in manifests for problem, out in manifest.unsound.items()},
        raised={problem: most for manifest in manifests for problem, most in manifest.raised.items()},
        parts=tuple(part for run in runs for part in run.origins),
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(sorted(total.items()))


def _unanswered(run: _Run, problem_set: ProblemSet) -> set[str]:
    """Problems of which the run has no samples: those that it misses, and those that it does not hold."""
    own = {problem.id for problem in run.problems}
    return {p.id for p in problem_set.problems if p.id not in own} | set(run.manifest.missing)


def _with_notes(manifest: Manifest, problems: Sequence[Problem]) -> Manifest:
    answered = {problem.hash: problem for problem in problems if problem.id not in manifest.missing}
    return msgspec.structs.replace(manifest, notes=run_notes(manifest, len(problems), answered))


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
