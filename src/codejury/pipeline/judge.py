"""Samples to verdicts: reads, profiles the references, judges, keeps; a run that was broken off can go on."""

from __future__ import annotations

import contextlib
import itertools
import time
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from codejury import extract, formats, sets
from codejury.judging import raised
from codejury.model import CodejuryError, Job, Judged, Limits, Manifest, Outcome, Timing, UsageError
from codejury.pipeline.asked import JudgeSettings, Told, check_figures, check_settings, default_run_name, named
from codejury.pipeline.engines import open_engine, place_of
from codejury.pipeline.isolation import all_weak, choose_isolation
from codejury.pipeline.manifest import differences, new_manifest, run_notes, with_rows
from codejury.pipeline.references import (
    KeyContext,
    Progress,
    effective_limits,
    raised_limits,
    reference_profiles,
    refuse_weak,
    weak_problems,
)
from codejury.pipeline.selection import Chosen, choose
from codejury.sandbox import AUTO

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping

    from codejury.engine import AnyEngine
    from codejury.judging import Profile
    from codejury.model import ProblemSet, Sample, Selection, Verdict
    from codejury.pipeline.engines import Opened
    from codejury.store import Ingested, Store, StoreLibrary

BATCH = 64
"""Verdicts that are written together."""

BATCH_S = 1.0
"""Seconds after which they are written although they are fewer."""


async def judge(store: Store, settings: JudgeSettings, progress: Progress | None = None) -> str:
    """Judge a file of samples; returns the run's name. What was judged is kept whatever happens.

    Raises:
        UsageError: The input is wrong, the problem set cannot be judged, or a run without isolation is to go on
            without `unsafe`. No new run is kept.
        InfrastructureError: The sandbox or the store cannot be had.
    """
    check_settings(settings)
    problem_set = sets.load(settings.problems)
    settings = msgspec.structs.replace(settings, meta_file=formats.read_meta(settings.samples))
    if not settings.resume:
        told = Told()
        samples = formats.read_samples(
            settings.samples,
            known=problem_set.by_id(),
            allow_empty=settings.allow_empty,
            notes=told.notes,
            drawn_with=told.drawn_with,
        )
        return await judge_samples(store, settings, problem_set, samples, progress, told=told)
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
    told: Told | None = None,
    at_hand: Mapping[str, Verdict] | None = None,
) -> str:
    """Judge samples that are at hand, as `judge` does those of a file; returns the run's name.

    `told` is what their reader fills. `at_hand` are verdicts that were made before the run was begun, by their
    keys: they are taken, not made again.
    """
    check_settings(settings)
    chosen, selection = choose(problem_set, settings.choice)
    name = settings.run or default_run_name(settings.samples)
    settings, opened = await _open(settings, chosen)
    try:
        manifest = new_manifest(name, settings, chosen, selection, opened)
        run = _create(store, manifest, settings, chosen, samples, told or Told())
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
    told: Told,
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
                f" ({named(missing)}): complete the file, or judge the rest with --allow-missing"
            )
        known = with_rows(manifest, told.drawn_with)
        check_figures(settings, known, ingested.n)
        if selection is not None:
            selection = msgspec.structs.replace(selection, samples_left_out=chosen.left_out)
        return msgspec.structs.replace(
            known,
            samples=msgspec.structs.replace(manifest.samples, count=ingested.samples, notes=tuple(told.notes)),
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
            f"run {name!r} was merged of {named([part.run for part in before.parts])}: resume those, merge again"
        )
    if not settings.meta:  # declared nothing anew
        now = msgspec.structs.replace(now, meta=before.meta)
    else:  # what the rows said is known from before: the samples are the same
        now = with_rows(now, {name: before.meta[name] for name in formats.SETTINGS if name in before.meta})
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
    check_figures(settings, before, dict(zip(counts.problem_ids, counts.samples.tolist(), strict=True)))
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
