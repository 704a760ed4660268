"""Samples to verdicts: reads, profiles the references, judges, keeps; a run that was broken off can go on."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import time
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from codejury import extract, formats, sets
from codejury.engine import ContainerSettings
from codejury.judging import raised
from codejury.model import CodejuryError, Confirm, Job, Judged, Limits, Manifest, Outcome, Timing, UsageError
from codejury.pipeline import refusals
from codejury.pipeline.engines import open_engine, place_of
from codejury.pipeline.isolation import all_weak, choose_isolation
from codejury.pipeline.manifest import differences, new_manifest, run_notes
from codejury.pipeline.references import (
    KeyContext,
    Progress,
    effective_limits,
    raised_limits,
    reference_profiles,
    refuse_weak,
    weak_problems,
)
from codejury.pipeline.selection import Choice, Chosen, choose
from codejury.sandbox import AUTO

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence

    from codejury.engine import AnyEngine
    from codejury.judging import Profile
    from codejury.model import ProblemSet, Sample, Selection, Verdict
    from codejury.pipeline.engines import Opened
    from codejury.store import Ingested, Store, StoreLibrary

BATCH = 64
"""Verdicts that are written together."""

BATCH_S = 1.0
"""Seconds after which they are written although they are fewer."""

_SHOWN = 5


class JudgeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `judge` is asked for.

    Attributes:
        samples: A file of samples.
        problems: Name of a problem set, or a file.
        run: The run's name; one is made of the file's name and the time if None.
        limits: Limits; problems may have their own.
        slots: Samples under way at once; the usable cores if None.
        python: Interpreter or virtual environment that runs candidates; codejury's own if None.
        packages: Import names of its installed packages that candidates see.
        tier: Isolation tier; `sandbox.AUTO` is the strongest that the machine gives. Or a container.
        unsafe: Run programs without isolation, whatever `tier` says; all verdicts are weak.
        own_samples: The samples are codejury's own: `tier` may be "none".
        tier_note: Why that is not a stronger one, which `judge` finds out.
        all_tests: Run on after a failed test.
        confirm: Which passes are confirmed in the tests' own process.
        require_strong: Refuse problems whose verdicts would be weak.
        ks: The k of pass@k that will be asked for; a k above a problem's samples is refused before judging.
        drop_short: Problems with fewer samples than the largest k will be left out.
        level: Confidence level of the intervals.
        meta: How the samples were made: model, temperature, …
        meta_file: The same as the file beside the samples says, which `judge` reads; `meta` goes before it.
        extractor: What makes programs of answers; one of `extract.EXTRACTORS`.
        choice: Which problems to judge; samples of others are counted and left out.
        allow_missing: Judge though some problems have no sample.
        allow_empty: Keep empty answers, judged as `no_code`.
        resume: Go on with the run of this name.
        retry_infra: Judge again what ended in an infrastructure error; needs `resume`.
    """

    samples: str
    problems: str
    run: str | None = None
    limits: Limits = Limits()
    slots: int | None = None
    python: str | None = None
    packages: tuple[str, ...] = ()
    tier: str | ContainerSettings = AUTO
    unsafe: bool = False
    own_samples: bool = False
    tier_note: str | None = None
    all_tests: bool = False
    confirm: Confirm = "auto"
    require_strong: bool = False
    ks: tuple[int, ...] | None = None
    drop_short: bool = False
    level: float = 0.95
    meta: dict[str, str] = {}
    meta_file: dict[str, str] = {}
    extractor: str = extract.AUTO
    choice: Choice = Choice()
    allow_missing: bool = False
    allow_empty: bool = False
    resume: bool = False
    retry_infra: bool = False


async def judge(store: Store, settings: JudgeSettings, progress: Progress | None = None) -> str:
    """Judge a file of samples; returns the run's name. What was judged is kept whatever happens.

    Raises:
        UsageError: The input is wrong, the problem set cannot be judged, or a run without isolation is to go on
            without `unsafe`. No new run is kept.
        InfrastructureError: The sandbox or the store cannot be had.
    """
    _check_settings(settings)
    problem_set = sets.load(settings.problems)
    settings = msgspec.structs.replace(settings, meta_file=formats.read_meta(settings.samples))
    if not settings.resume:
        notes: list[str] = []
        samples = formats.read_samples(
            settings.samples, known=problem_set.by_id(), allow_empty=settings.allow_empty, notes=notes
        )
        return await judge_samples(store, settings, problem_set, samples, progress, notes=notes)
    if settings.tier == AUTO:
        begun = store.manifest(store.find_run(settings.run or "").id)
        settings = msgspec.structs.replace(settings, tier=place_of(begun))
    chosen, selection = choose(problem_set, settings.choice)
    settings, opened = await _open(settings, chosen)
    try:
        run = _resume(store, settings, chosen, selection, opened)
    except BaseException:
        await opened.engine.__aexit__()
        raise
    await _judge_pending(store, run, settings, chosen, opened.engine, progress or Progress())
    return store.manifest(run).run


async def judge_samples(
    store: Store,
    settings: JudgeSettings,
    problem_set: ProblemSet,
    samples: Iterable[Sample],
    progress: Progress | None = None,
    *,
    notes: Sequence[str] = (),
    at_hand: Mapping[str, Verdict] | None = None,
) -> str:
    """Judge samples that are at hand, as `judge` does those of a file; returns the run's name.

    `notes` are asked for when the samples are read: what to know of how they were drawn, a line each. `at_hand`
    are verdicts that were made before the run was begun, by their keys: they are taken, not made again.
    """
    _check_settings(settings)
    chosen, selection = choose(problem_set, settings.choice)
    name = settings.run or default_run_name(settings.samples)
    settings, opened = await _open(settings, chosen)
    try:
        manifest = new_manifest(name, settings, chosen, selection, opened)
        run = _create(store, manifest, settings, chosen, samples, notes)
    except BaseException:
        await opened.engine.__aexit__()
        raise
    try:
        await _judge_pending(store, run, settings, chosen, opened.engine, progress or Progress(), at_hand or {})
    except CodejuryError:
        if not store.find_run(name).judged:
            store.delete_run(run)
        raise
    return name


def default_run_name(samples: str) -> str:
    """A run's name: the file's, and the time in UTC to the microsecond."""
    stem = Path(samples).name.partition(".")[0] or "run"
    return f"{stem}-{dt.datetime.now(dt.UTC):%Y%m%d-%H%M%S-%f}"


# ---- what is refused before anything is judged


def _check_settings(settings: JudgeSettings) -> None:
    ks = settings.ks
    extract.extractor(settings.extractor)  # there is one of this name
    if not 0 < settings.level < 1:
        raise UsageError(f"level {settings.level}: a confidence level lies between 0 and 1, as 0.95")
    if ks is not None and (not ks or min(ks) < 1):
        raise UsageError(f"k {', '.join(map(str, ks)) or 'none'}: give one or more k of at least 1")
    if settings.resume and settings.run is None:
        raise UsageError("--resume needs the run's name: add --run NAME")
    if settings.retry_infra and not settings.resume:
        raise UsageError("--retry judges a run's samples again: add --resume and --run NAME")
    if settings.unsafe and settings.require_strong:
        raise UsageError(
            "--unsafe makes all verdicts weak, and --require-integrity asks for strong ones: give one"
        )
    if settings.unsafe and isinstance(settings.tier, ContainerSettings):
        raise UsageError("--unsafe is no isolation, and --tier container asks for some: give one of them")


def _check_figures(settings: JudgeSettings, manifest: Manifest, n: Mapping[str, int]) -> None:
    """Refuse a k that the samples (`n` by problem) cannot answer: better now than after hours of judging."""
    if settings.ks is None:
        return
    k = max(settings.ks)
    if k > 1 and refusals.one_draw(manifest.meta):
        raise UsageError(refusals.not_drawn(f"pass@{k}", manifest.meta))
    short = [f"{name} ({number})" for name, number in n.items() if 0 < number < k]
    if len(short) == sum(number > 0 for number in n.values()):
        raise UsageError(f"{settings.samples}: no problem has {k} samples: take a smaller k")
    if short and not settings.drop_short:
        hints = ["take a smaller k", "leave them out of every figure with --drop-short"]
        counted = f"{len(short)} of {len(n)} have fewer: {_named(short)}"
        raise UsageError(f"{settings.samples}: {refusals.too_few(f'pass@{k}', k, counted, hints)}")


def _named(names: list[str] | tuple[str, ...]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


async def _open(settings: JudgeSettings, problem_set: ProblemSet) -> tuple[JudgeSettings, Opened]:
    """The engine, and the settings with why its tier is not a stronger one and all packages that are visible."""
    tier = settings.tier
    if isinstance(tier, str):
        found = choose_isolation(tier, unsafe=settings.unsafe, own=settings.own_samples)
    opened = await open_engine(
        problem_set.problems,
        settings.limits,
        found if isinstance(tier, str) else tier,
        python=settings.python,
        packages=settings.packages,
        slots=settings.slots,
    )
    return msgspec.structs.replace(settings, tier_note=opened.note, packages=opened.packages), opened


# ---- beginning a run, and going on with it


def _create(
    store: Store,
    manifest: Manifest,
    settings: JudgeSettings,
    problem_set: ProblemSet,
    samples: Iterable[Sample],
    notes: Sequence[str],
) -> int:
    problems = problem_set.by_id()
    chosen = Chosen(samples, problems)
    pairs = (
        (sample, extract.program(problems[sample.problem_id], sample, settings.extractor)) for sample in chosen
    )

    def complete(ingested: Ingested) -> Manifest:
        missing, selection = ingested.missing, manifest.selection
        if not ingested.samples:
            raise UsageError(
                f"{settings.samples}: no samples" + (" of the chosen problems" if chosen.left_out else "")
            )
        if missing and not settings.allow_missing:
            raise UsageError(
                f"{settings.samples}: {len(missing)} of {len(problem_set.problems)} problems have no sample"
                f" ({_named(missing)}): complete the file, or judge the rest with --allow-missing"
            )
        _check_figures(settings, manifest, ingested.n)
        if selection is not None:
            selection = msgspec.structs.replace(selection, samples_left_out=chosen.left_out)
        return msgspec.structs.replace(
            manifest,
            samples=msgspec.structs.replace(manifest.samples, count=ingested.samples, notes=tuple(notes)),
            missing=missing,
            rules=dict(ingested.rules),
            flags=dict(ingested.flags),
            selection=selection,
        )

    return store.create_run(manifest, problem_set, pairs, complete=complete)


def _resume(
    store: Store,
    settings: JudgeSettings,
    problem_set: ProblemSet,
    selection: Selection | None,
    opened: Opened,
) -> int:
    """The run to go on with; everything that its verdicts depend on must be the same."""
    name = settings.run or ""
    run = store.find_run(name).id
    before, now = store.manifest(run), new_manifest(name, settings, problem_set, selection, opened)
    if before.pooled:
        raise UsageError(
            f"run {name!r} was merged of {_named([part.run for part in before.parts])}: resume those, merge again"
        )
    if not settings.meta:  # declared nothing anew
        now = msgspec.structs.replace(now, meta=before.meta)
    differ = differences(before, now)
    if before.samples.sha256 != now.samples.sha256:
        differ.append("the samples")
    images = [manifest.container.image_id[:12] for manifest in (before, now) if manifest.container is not None]
    if len(set(images)) > 1:
        differ.append(f"container image {images[0]} then, {images[1]} now")
    if differ:
        raise UsageError(
            f"run {name!r} was begun with other settings: {'; '.join(differ)}: resume it with the same"
        )
    counts = store.counts(run)
    _check_figures(settings, before, dict(zip(counts.problem_ids, counts.samples.tolist(), strict=True)))
    if settings.retry_infra:
        store.reopen(run, [Outcome.INFRA_ERROR])
    return run


# ---- judging


async def _judge_pending(
    store: Store,
    run: int,
    settings: JudgeSettings,
    problem_set: ProblemSet,
    engine: AnyEngine,
    progress: Progress,
    at_hand: Mapping[str, Verdict] = MappingProxyType({}),
) -> None:
    """Judge what a run has not judged yet, but for what has a verdict at hand."""
    manifest = store.manifest(run)
    problems = {p.hash: p for p in problem_set.problems if p.id not in manifest.missing}
    limits = {digest: effective_limits(p, settings.limits) for digest, p in problems.items()}
    context = KeyContext(
        tier=engine.tier,
        interpreter=engine.interpreter.version,
        packages=settings.packages,
        all_tests=settings.all_tests,
        confirm=settings.confirm,
    )
    started = time.monotonic()
    engine.library = library = store.library(run, problems)
    async with engine:
        engine.profiles = await reference_profiles(store, engine, problems, limits, context, progress)
        weak = weak_problems(problems, engine.profiles)
        if settings.require_strong:
            refuse_weak(weak)
        _keep_notes(store, run, msgspec.structs.replace(manifest, weak=weak), problem_set, engine.profiles, limits)
        before = store.find_run(manifest.run).judged
        if at_hand:
            async with contextlib.aclosing(
                _jobs(store.pending(run), library, limits, context, engine.profiles)
            ) as jobs:
                known = [Judged(job, at_hand[job.key]) async for job in jobs if job.key in at_hand]
            for start in range(0, len(known), BATCH):
                store.sink(run).put(known[start : start + BATCH])
        progress.stage("judging", store.count_pending(run))
        try:
            async with (
                contextlib.aclosing(_jobs(store.pending(run), library, limits, context, engine.profiles)) as jobs,
                contextlib.aclosing(engine.submit(jobs)) as results,
                contextlib.aclosing(all_weak(results) if settings.unsafe else results) as verdicts,
            ):
                await _keep(verdicts, store, run, progress)
        finally:
            judged = store.find_run(manifest.run).judged - before
            store.finish(run, Timing(wall_s=time.monotonic() - started, samples=judged))


def _keep_notes(
    store: Store,
    run: int,
    manifest: Manifest,
    problem_set: ProblemSet,
    profiles: Mapping[str, Profile | None],
    limits: Mapping[str, Limits],
) -> None:
    """Keep what the references showed, and what that means for the run's figures."""
    problems = {p.hash: p for p in problem_set.problems if p.hash in profiles}
    outcomes = ((problems[digest].id, found) for digest, found in profiles.items() if found and not found.sound)
    unsound = {problem: str(found.outcome) for problem, found in outcomes}
    higher = raised_limits(problems, profiles, limits)
    noted = msgspec.structs.replace(manifest, unsound=unsound, raised=higher)
    noted = msgspec.structs.replace(noted, notes=run_notes(noted, len(problem_set.problems), problems))
    if noted != manifest:
        store.replace_manifest(run, noted)


async def _jobs(
    pending: Iterator[tuple[str, str, str]],
    library: StoreLibrary,
    limits: Mapping[str, Limits],
    context: KeyContext,
    profiles: Mapping[str, Profile | None],
) -> AsyncGenerator[Job, None]:
    """The jobs of a run; slow references may raise limits, but keys are of those that were asked for."""
    while some := list(itertools.islice(pending, BATCH)):
        library.fetch([program_hash for _, _, program_hash in some])
        for problem_hash, _, program_hash in some:
            own = limits[problem_hash]
            yield Job(
                key=context.key(library.problem(problem_hash), program_hash, own),
                problem_hash=problem_hash,
                program_hash=program_hash,
                limits=raised(own, profiles.get(problem_hash)),
                all_tests=context.all_tests,
                confirm=context.confirm,
            )


async def _keep(verdicts: AsyncGenerator[Judged, None], store: Store, run: int, progress: Progress) -> None:
    """Keep verdicts in batches; the last one also when the work is broken off."""
    sink = store.sink(run)
    batch: list[Judged] = []
    kept = time.monotonic()
    try:
        async for judged in verdicts:
            batch.append(judged)
            progress.step(judged.verdict.outcome)
            if len(batch) >= BATCH or time.monotonic() - kept > BATCH_S:
                sink.put(batch)
                batch, kept = [], time.monotonic()
    finally:
        sink.put(batch)
