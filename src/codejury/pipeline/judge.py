"""Samples to verdicts: reads, profiles the references, judges, keeps; every step can be taken up again."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

import codejury
from codejury import extract, formats, sets
from codejury.engine import LocalEngine
from codejury.judging import JUDGE_VERSION, Profile, verdict_key
from codejury.model import (
    Job,
    Judged,
    Limits,
    Machine,
    Manifest,
    Outcome,
    Problem,
    ProblemSet,
    ProblemSetInfo,
    Program,
    Sample,
    SamplesInfo,
    Timing,
    UsageError,
    text_hash,
)
from codejury.model import Interpreter as InterpreterInfo
from codejury.sandbox import Interpreter, describe
from codejury.store import Ingested, Store

BATCH = 64
BATCH_S = 1.0


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
        tier: Isolation tier.
        all_tests: Run on after a failed test.
        level: Confidence level of the intervals.
        meta: How the samples were made: model, temperature, …
        allow_missing: Judge though some problems have no sample.
        allow_empty: Keep empty answers, judged as `no_code`.
        resume: Go on with the run of this name.
    """

    samples: str
    problems: str
    run: str | None = None
    limits: Limits = Limits()
    slots: int | None = None
    python: str | None = None
    packages: tuple[str, ...] = ()
    tier: str = "namespaces"
    all_tests: bool = False
    level: float = 0.95
    meta: Mapping[str, str] = {}
    allow_missing: bool = False
    allow_empty: bool = False
    resume: bool = False


class Progress:
    """What a long judging tells of itself; this one is silent."""

    def stage(self, name: str, total: int) -> None:
        """A stage begins: its name, and how many steps it has."""

    def step(self, outcome: Outcome | None) -> None:
        """One step is done; with the outcome of a program where it was judged."""


async def judge(store: Store, settings: JudgeSettings, progress: Progress | None = None) -> str:
    """Judge a file of samples; returns the run's name. What was judged is kept whatever happens.

    Raises:
        UsageError: The input is wrong, or the problem set cannot be judged.
        InfrastructureError: The sandbox or the store cannot be had.
    """
    problem_set = sets.load(settings.problems)
    interpreter = describe(settings.python)
    interpreter.find_packages(settings.packages)
    name = settings.run or _default_name(settings)
    if settings.resume:
        run = _resume(store, name, settings, problem_set, interpreter)
    else:
        pairs = _programs(settings, problem_set)
        run = _create(store, name, settings, problem_set, interpreter, pairs)
    await judge_pending(store, run, settings, problem_set, interpreter, progress or Progress())
    return name


async def judge_samples(
    store: Store,
    settings: JudgeSettings,
    problem_set: ProblemSet,
    samples: Iterable[Sample],
    progress: Progress | None = None,
) -> str:
    """Judge samples that are at hand, as `judge` does those of a file; returns the run's name."""
    interpreter = describe(settings.python)
    name = settings.run or _default_name(settings)
    problems = problem_set.by_id()
    pairs = ((sample, extract.program(problems[sample.problem_id], sample)) for sample in samples)
    run = _create(store, name, settings, problem_set, interpreter, pairs)
    await judge_pending(store, run, settings, problem_set, interpreter, progress or Progress())
    return name


async def judge_pending(
    store: Store,
    run: int,
    settings: JudgeSettings,
    problem_set: ProblemSet,
    interpreter: Interpreter,
    progress: Progress,
) -> None:
    """Judge what a run has not judged yet."""
    manifest = store.manifest(run)
    problems = {p.hash: p for p in problem_set.problems if p.id not in manifest.missing}
    limits = {digest: effective_limits(p, settings.limits) for digest, p in problems.items()}
    context = _KeyContext(settings, interpreter)
    started = time.monotonic()
    engine = LocalEngine(
        store.library(run),
        limits=largest(limits.values(), settings.limits),
        interpreter=interpreter,
        slots=settings.slots,
        packages=settings.packages,
        tier=settings.tier,
    )
    async with engine:
        engine.profiles = await _profiles(store, engine, problems, limits, context, progress)
        notes = _notes(problems, engine.profiles)
        if notes != manifest.notes:
            store.replace_manifest(run, msgspec.structs.replace(manifest, notes=notes))
        info = store.find_run(manifest.run)
        progress.stage("judging", sum(1 for _ in store.pending(run)))
        jobs = _jobs(store, run, problems, limits, context)
        try:
            await _drain(engine.submit(jobs), store, run, progress)
        finally:
            judged = store.find_run(manifest.run).judged - info.judged
            store.finish(run, Timing(wall_s=time.monotonic() - started, samples=judged))


# ---- beginning a run


def _default_name(settings: JudgeSettings) -> str:
    stem = Path(settings.samples).name.partition(".")[0] or "run"
    return f"{stem}-{datetime.datetime.now(datetime.UTC):%Y%m%d-%H%M%S-%f}"


def _programs(settings: JudgeSettings, problem_set: ProblemSet) -> Iterator[tuple[Sample, Program]]:
    problems = problem_set.by_id()
    for sample in formats.read_samples(settings.samples, known=problems, allow_empty=settings.allow_empty):
        yield sample, extract.program(problems[sample.problem_id], sample)


def _create(
    store: Store,
    name: str,
    settings: JudgeSettings,
    problem_set: ProblemSet,
    interpreter: Interpreter,
    pairs: Iterable[tuple[Sample, Program]],
) -> int:
    manifest = _manifest(name, settings, problem_set, interpreter)

    def complete(ingested: Ingested) -> Manifest:
        missing = ingested.missing
        if not ingested.samples:
            raise UsageError(f"{settings.samples}: no samples")
        if missing and not settings.allow_missing:
            shown = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
            raise UsageError(
                f"{settings.samples}: {len(missing)} of {len(problem_set.problems)} problems have no sample"
                f" ({shown}): complete the file, or judge the rest with --allow-missing"
            )
        info = msgspec.structs.replace(manifest.samples, count=ingested.samples)
        rules = dict(ingested.rules)
        return msgspec.structs.replace(manifest, samples=info, missing=missing, rules=rules)

    return store.create_run(manifest, problem_set, pairs, complete=complete)


def _manifest(name: str, settings: JudgeSettings, problem_set: ProblemSet, interpreter: Interpreter) -> Manifest:
    implementation, _, version = interpreter.version.partition(" ")
    return Manifest(
        run=name,
        created=f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}",
        problem_set=ProblemSetInfo.of(problem_set),
        samples=SamplesInfo(file=settings.samples, sha256=_file_hash(settings.samples)),
        limits=settings.limits,
        tier=settings.tier,
        all_tests=settings.all_tests,
        python=InterpreterInfo(implementation=implementation, version=version),
        judge_version=JUDGE_VERSION,
        codejury_version=codejury.__version__,
        machine=Machine.here(),
        hash_seed=0,
        level=settings.level,
        meta=dict(settings.meta),
        allow_missing=settings.allow_missing,
        packages=settings.packages,
    )


def _file_hash(path: str) -> str:
    with contextlib.suppress(OSError), Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
    return ""


_FIXED = ("limits", "tier", "all_tests", "python", "judge_version", "packages")


def _resume(
    store: Store, name: str, settings: JudgeSettings, problem_set: ProblemSet, interpreter: Interpreter
) -> int:
    """The run to go on with; everything that its verdicts depend on must be the same."""
    if settings.run is None:
        raise UsageError("--resume needs the run's name: add --run NAME")
    run = store.find_run(name).id
    before, now = store.manifest(run), _manifest(name, settings, problem_set, interpreter)
    differ = [field for field in _FIXED if getattr(before, field) != getattr(now, field)]
    if before.problem_set.hash != now.problem_set.hash:
        differ.append("problems")
    if before.samples.sha256 != now.samples.sha256:
        differ.append("samples")
    if differ:
        raise UsageError(f"run {name!r} was begun with other {', '.join(differ)}: resume it with the same ones")
    return run


# ---- references


class _KeyContext(msgspec.Struct, frozen=True):
    """What a verdict's key depends on besides problem, program and limits."""

    settings: JudgeSettings
    interpreter: Interpreter

    def key(self, problem: Problem, program_hash: str, limits: Limits) -> str:
        """The key of a verdict."""
        return verdict_key(
            problem,
            program_hash,
            limits,
            tier=self.settings.tier,
            interpreter=" ".join((self.interpreter.version, *self.settings.packages)),
            all_tests=self.settings.all_tests,
        )


def effective_limits(problem: Problem, limits: Limits) -> Limits:
    """The run's limits with the problem's own applied."""
    return problem.limits.apply(limits) if problem.limits is not None else limits


def largest(all_limits: Iterable[Limits], default: Limits) -> Limits:
    """The largest of each limit: what the sandbox must be able to give."""
    result = default
    for limits in all_limits:
        larger = {name: max(getattr(result, name), getattr(limits, name)) for name in Limits.__struct_fields__}
        result = msgspec.structs.replace(result, **larger)
    return result


async def _profiles(
    store: Store,
    engine: LocalEngine,
    problems: Mapping[str, Problem],
    limits: Mapping[str, Limits],
    context: _KeyContext,
    progress: Progress,
) -> dict[str, Profile | None]:
    """What the references show, from the store where this machine has seen it before.

    Raises:
        UsageError: A problem's tests can judge nobody.
    """
    found: dict[str, Profile | None] = {}
    keys: dict[str, str] = {}
    for digest, problem in problems.items():
        if problem.reference is None:
            found[digest] = None
            continue
        keys[digest] = context.key(problem, text_hash(problem.reference), limits[digest])
        body = store.profile(keys[digest])
        if body is not None:
            found[digest] = msgspec.json.decode(body, type=Profile)
    todo = [(problem, limits[digest]) for digest, problem in problems.items() if digest not in found]
    if todo:
        progress.stage("references", len(todo))
    async for problem, profile in engine.profile(todo):
        found[problem.hash] = profile
        progress.step(None)
        if profile is not None:
            store.put_profile(keys[problem.hash], msgspec.json.encode(profile))
    faults = [f"{problems[d].id}: {p.fault}" for d, p in found.items() if p is not None and p.fault]
    if faults:
        more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
        raise UsageError(f"problems that cannot be judged: {'; '.join(faults[:3])}{more}: mend or remove them")
    return found


def _notes(problems: Mapping[str, Problem], profiles: Mapping[str, Profile | None]) -> tuple[str, ...]:
    """What a reader of the run must know of its references."""
    unsound = [
        f"{problems[d].id} ({p.outcome})" for d, p in sorted(profiles.items()) if p is not None and not p.sound
    ]
    without = sum(1 for p in profiles.values() if p is None)
    notes = []
    if unsound:
        notes.append(
            f"the reference fails its own tests on {len(unsound)} problems: {', '.join(sorted(unsound)[:10])}"
        )
    if without:
        notes.append(
            f"{without} problems have no reference: that samples finish all their tests is not checked there"
        )
    return tuple(notes)


# ---- judging


async def _jobs(
    store: Store,
    run: int,
    problems: Mapping[str, Problem],
    limits: Mapping[str, Limits],
    context: _KeyContext,
) -> AsyncIterator[Job]:
    for problem_hash, _, program_hash in store.pending(run):
        own = limits[problem_hash]
        yield Job(
            key=context.key(problems[problem_hash], program_hash, own),
            problem_hash=problem_hash,
            program_hash=program_hash,
            limits=own,
            all_tests=context.settings.all_tests,
        )


async def _drain(verdicts: AsyncIterator[Judged], store: Store, run: int, progress: Progress) -> None:
    """Keep verdicts in batches; the last one also when the work is broken off."""
    sink = store.sink(run)
    batch: list[Judged] = []
    kept = time.monotonic()
    try:
        async with contextlib.aclosing(verdicts) as stream:  # type: ignore[type-var]
            async for judged in stream:
                batch.append(judged)
                progress.step(judged.verdict.outcome)
                if len(batch) >= BATCH or time.monotonic() - kept > BATCH_S:
                    sink.put(batch)
                    batch, kept = [], time.monotonic()
    finally:
        sink.put(batch)
