"""Asking, judging and scoring in one: answers are judged as they come, and a run that was broken off goes on.

What is judged while answers are still missing is kept in a file beside the samples. When they are complete, the
run is begun with all of them, as `judge` begins one, and takes each verdict that was made under its very key; what
has none is judged then. So the run is what `judge` would have made of the file.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

from codejury import extract, formats
from codejury.judging import raised
from codejury.model import Job, Judged, Outcome, Timing, UsageError, Verdict
from codejury.pipeline import refusals
from codejury.pipeline.asked import JudgeSettings
from codejury.pipeline.engines import open_engine
from codejury.pipeline.generate import Generated, GenerateSettings, Generation
from codejury.pipeline.isolation import all_weak, choose_isolation
from codejury.pipeline.judge import judge, judge_samples
from codejury.pipeline.references import (
    KeyContext,
    Progress,
    effective_limits,
    reference_profiles,
    refuse_weak,
    weak_problems,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from codejury.judging import Profile
    from codejury.model import Problem, Sample
    from codejury.pipeline.engines import Opened
    from codejury.store import Store

VERDICTS = ".verdicts.jsonl"
"""What the name of the file of verdicts is the samples' followed by, while a run is not complete."""


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `run` is asked for.

    Attributes:
        generate: Which model, which problems, where the samples go, whether to go on.
        judge: How they are judged; its samples, problems, choice and whether to go on are those of `generate`.
        allow_missing: Judge and report although samples are missing.
    """

    generate: GenerateSettings
    judge: JudgeSettings
    allow_missing: bool = False


async def run(
    store: Store,
    settings: RunSettings,
    progress: Progress | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[str, Generated]:
    """Ask a model, judge its answers as they come, and keep all as a run; gives the run's name and what was asked.

    Raises:
        UsageError: A setting is wrong, or the set cannot be judged. No run is kept.
        InfrastructureError: Sandbox, store or server cannot be had, or the server gave not all samples.
        CodejuryError: The budget ended the asking.
    """
    progress = progress or Progress()
    generation = Generation(settings.generate, environment)
    out = settings.generate.out
    judging = msgspec.structs.replace(
        settings.judge,
        samples=out,
        problems=settings.generate.problems,
        run=settings.judge.run or Path(out).name.partition(".")[0],
        choice=settings.generate.choice,
        allow_empty=True,  # a failed call is no row: an answer without text is the model's own
    )
    _check(generation, judging)
    name = judging.run or ""
    if any(info.name == name for info in store.runs()):
        return await _go_on(store, generation, judging)
    with _Verdicts(out + VERDICTS, name) as kept:
        spent = await _judge_as_they_come(store, generation, judging, kept, progress)
    result = generation.result
    if not settings.allow_missing:
        result.require_all(out, ", or report what is there with --allow-missing")
    judging = msgspec.structs.replace(
        judging,
        meta_file=formats.read_meta(out),
        resume=False,
        allow_missing=settings.allow_missing,
    )
    samples = formats.read_samples(out, known=generation.problem_set.by_id(), allow_empty=True)
    await judge_samples(store, judging, generation.problem_set, samples, progress, at_hand=kept.found)
    store.finish(store.find_run(name).id, Timing(wall_s=spent))
    kept.forget()
    return name, result


def _check(generation: Generation, settings: JudgeSettings) -> None:
    """Refuse an extractor that there is not, and a k that the samples will not answer, before any is paid for."""
    extract.extractor(settings.extractor)
    if not settings.ks:
        return
    k, meta = max(settings.ks), {name: str(value) for name, value in generation.meta.items()}
    if k > generation.ask.n:
        raise UsageError(f"--k {k}: needs {k} samples of each problem, and --n is {generation.ask.n}")
    if k > 1 and refusals.one_draw(meta):
        raise UsageError(refusals.not_drawn(f"pass@{k}", meta))


async def _go_on(store: Store, generation: Generation, settings: JudgeSettings) -> tuple[str, Generated]:
    """A run that has its samples already is judged to its end; it takes no further ones."""
    if not generation.settings.resume:
        raise UsageError(
            f"run {settings.run!r} is already in store {store.name}: go on with --resume, or give another name"
            " with --run"
        )
    if left := generation.samples - generation.estimate().held:
        raise UsageError(
            f"run {settings.run!r} has its samples, and {left} more are asked for: give another name with --run"
        )
    async with contextlib.aclosing(generation.answers()) as answers:
        async for _ in answers:
            pass
    return await judge(store, msgspec.structs.replace(settings, resume=True)), generation.result


async def _judge_as_they_come(
    store: Store, generation: Generation, settings: JudgeSettings, kept: _Verdicts, progress: Progress
) -> float:
    """Ask, and judge what is there and what comes; gives the seconds of judging."""
    tier = settings.tier
    opened = await open_engine(
        generation.chosen.problems,
        settings.limits,
        choose_isolation(tier, unsafe=settings.unsafe) if isinstance(tier, str) else tier,
        python=settings.python,
        packages=settings.packages,
        slots=settings.slots,
    )
    async with opened.engine:
        bench = _Bench(generation, settings, opened, kept, progress)
        asking = asyncio.create_task(bench.ask())
        try:
            await bench.prepare(store)
            async with (
                contextlib.aclosing(bench.jobs()) as jobs,
                contextlib.aclosing(opened.engine.submit(jobs)) as results,
                contextlib.aclosing(all_weak(results) if settings.unsafe else results) as verdicts,
            ):
                async for judged in verdicts:
                    bench.keep(judged)
            await asking
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
    return bench.seconds


class _Bench:
    """Where answers become jobs, while others are still asked for.

    Args:
        generation: Asks.
        settings: Of judging.
        opened: Judges; this is its library.
        kept: Verdicts, those of former sessions included.
        progress: Told of each sample whose verdict is known.

    Attributes:
        seconds: During which programs were judged.
    """

    def __init__(
        self,
        generation: Generation,
        settings: JudgeSettings,
        opened: Opened,
        kept: _Verdicts,
        progress: Progress,
    ) -> None:
        self.generation, self.settings, self.engine = generation, settings, opened.engine
        self.kept, self.progress = kept, progress
        self.problems = {problem.id: problem for problem in generation.chosen.problems}
        self.by_hash = {problem.hash: problem for problem in generation.chosen.problems}
        self.limits = {digest: effective_limits(p, settings.limits) for digest, p in self.by_hash.items()}
        self.context = KeyContext(
            tier=self.engine.tier,
            interpreter=self.engine.interpreter.version,
            packages=opened.packages,
            all_tests=settings.all_tests,
            confirm=settings.confirm,
        )
        self.profiles: Mapping[str, Profile | None] = {}
        self.programs: dict[str, str] = {}
        self.copies: dict[str, int] = {}
        self.answers: asyncio.Queue[Sample | None] = asyncio.Queue()
        self.under_way, self.began, self.seconds = 0, 0.0, 0.0
        self.engine.library = self

    def problem(self, problem_hash: str) -> Problem:
        """See `model.Library`."""
        return self.by_hash[problem_hash]

    def program(self, program_hash: str) -> str:
        """See `model.Library`."""
        return self.programs[program_hash]

    async def ask(self) -> None:
        """Put what the file holds, and what comes, where `jobs` takes it."""
        self.progress.stage("answers judged", self.generation.samples)
        try:
            async with contextlib.aclosing(self.generation.answers(held=True)) as answers:
                async for sample in answers:
                    self.answers.put_nowait(sample)
        finally:
            self.answers.put_nowait(None)

    async def prepare(self, store: Store) -> None:
        """Judge the references, while the first answers are asked for."""
        self.profiles = await reference_profiles(
            store, self.engine, self.by_hash, self.limits, self.context, Progress()
        )
        self.engine.profiles = self.profiles
        if self.settings.require_strong:
            refuse_weak(weak_problems(self.by_hash, self.profiles))

    async def jobs(self) -> AsyncGenerator[Job, None]:
        """A job for each program whose verdict is not known, as answers come."""
        while (sample := await self.answers.get()) is not None:
            problem = self.problems.get(sample.problem_id)
            if problem is None:  # the file holds more problems than are chosen
                continue
            made = extract.program(problem, sample, self.settings.extractor)
            own = self.limits[problem.hash]
            key = self.context.key(problem, made.hash, own)
            if (known := self.kept.found.get(key)) is not None:
                self.progress.step(known.outcome)
                continue
            self.copies[key] = self.copies.get(key, 0) + 1
            if self.copies[key] > 1:
                continue
            self.programs[made.hash] = made.source
            if not self.under_way:
                self.began = time.monotonic()
            self.under_way += 1
            yield Job(
                key=key,
                problem_hash=problem.hash,
                program_hash=made.hash,
                limits=raised(own, self.profiles.get(problem.hash)),
                all_tests=self.context.all_tests,
                confirm=self.context.confirm,
            )

    def keep(self, judged: Judged) -> None:
        """Keep a verdict; copies of the program that came meanwhile have it, too."""
        self.kept.add(judged.job.key, judged.verdict)
        for _ in range(self.copies.pop(judged.job.key, 1)):
            self.progress.step(judged.verdict.outcome)
        self.under_way -= 1
        if not self.under_way:  # what goes by while nothing but the model works is no time of judging
            self.seconds += time.monotonic() - self.began


class _Verdicts:
    """Verdicts in a file, by their keys, for the time until their run can be begun. Use it as a context manager.

    It is a help, not a record: a row that is damaged, or of another run, is as if it were not there.

    Args:
        path: The file.
        run: Name of the run.

    Attributes:
        found: The verdicts, those of former sessions included.
    """

    def __init__(self, path: str, run: str) -> None:
        self.path, self.run = path, run
        self.found: dict[str, Verdict] = {}

    def __enter__(self) -> Self:
        with contextlib.suppress(FileNotFoundError), Path(self.path).open("rb") as file:
            for line in file:
                with contextlib.suppress(ValueError, msgspec.ValidationError):
                    row = msgspec.json.decode(line, type=_Row)
                    if row.run == self.run:
                        self.found[row.key] = row.verdict
        self._file = Path(self.path).open("ab", buffering=0)
        self._file.write(b"\n")  # a row that was cut off ends here
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def forget(self) -> None:
        """The run has them now."""
        Path(self.path).unlink(missing_ok=True)

    def add(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict, but for one that says nothing of the program."""
        if verdict.outcome is Outcome.INFRA_ERROR:
            return
        self.found[key] = verdict
        self._file.write(msgspec.json.encode(_Row(self.run, key, verdict)) + b"\n")


class _Row(msgspec.Struct, frozen=True):
    """A verdict in the file."""

    run: str
    key: str
    verdict: Verdict
