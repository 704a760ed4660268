"""The commands: each parses, calls the pipeline, prints. Heavy imports wait until a command runs."""

from __future__ import annotations

import asyncio
import enum
import errno
import os
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codejury.cli.main import (
    CpuOption,
    CpuTotalOption,
    DropShortOption,
    InterruptedRunError,
    JsonOption,
    KOption,
    LevelOption,
    MemoryOption,
    PackagesOption,
    ProblemsOption,
    PythonOption,
    QuietOption,
    SetArgument,
    SlotsOption,
    StoreOption,
    app,
    sets_app,
)
from codejury.model.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from codejury.model import Limits
    from codejury.pipeline import JudgeSettings
    from codejury.report import JudgeDocument
    from codejury.store import Store


class Retry(enum.StrEnum):
    """What can be judged again."""

    INFRA = "infra"


@app.command()
def judge(
    samples: Annotated[
        str,
        typer.Argument(
            help="JSON lines, gzipped or not: {task_id, completion} or {task_id, solution}.", metavar="SAMPLES"
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
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run of this name.")] = False,
    retry: Annotated[
        Retry | None, typer.Option(help="With --resume: judge again what ended in an infrastructure error.")
    ] = None,
    all_tests: Annotated[bool, typer.Option("--all-tests", help="Run on after a failed test.")] = False,
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
    level: LevelOption = 0.95,
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Judge samples: isolated runs, verdicts, pass@k with intervals."""
    from codejury.pipeline import JudgeSettings, default_run_name, summarise
    from codejury.store import Store

    settings = JudgeSettings(
        samples=samples,
        problems=problems,
        run=run if run or resume else default_run_name(samples),
        limits=_limits(cpu, cpu_total, memory),
        slots=slots,
        python=python,
        packages=_names(packages),
        all_tests=all_tests,
        ks=_ks(k),
        drop_short=drop_short,
        level=level,
        meta=_meta(meta or []),
        allow_missing=allow_missing,
        allow_empty=allow_empty,
        resume=resume,
        retry_infra=retry is Retry.INFRA,
    )
    _check_writable(json)
    with Store.open(store) as opened:
        name = _judge(opened, settings, quiet=quiet)
        document = summarise(opened, name, settings.ks, level=level, drop_short=drop_short)
    _show([document], json, quiet=quiet)


def _judge(store: Store, settings: JudgeSettings, *, quiet: bool) -> str:
    """Judge; where the user breaks it off, tell what is kept. Returns the run's name."""
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline import judge as run_judge

    try:
        with TerminalProgress(quiet=quiet) as progress:
            return asyncio.run(run_judge(store, settings, progress))
    except KeyboardInterrupt:
        for info in store.runs():
            if info.name == settings.run:
                raise InterruptedRunError(
                    f"interrupted: {info.judged} of {info.samples} samples of run {info.name!r} are judged and"
                    f" kept; go on with the same command and --run {shlex.quote(info.name)} --resume"
                ) from None
        raise


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
    _check_writable(json)
    ks = _ks(k)
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
    _print(demo_report(result, kept=keep))


@app.command()
def schema(
    name: Annotated[
        str, typer.Argument(help="A document: judge, sets-check, problem, sample.", metavar="DOCUMENT")
    ],
) -> None:
    """Print the JSON Schema of a document."""
    from codejury.report import schema as schema_of
    from codejury.report import write_json

    write_json(schema_of(name), "-")


@sets_app.command("list")
def sets_list() -> None:
    """List the problem sets that can be named."""
    from rich.table import Table

    from codejury import sets

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("set", "source", "state"):
        table.add_column(heading)
    for info in sets.names():
        table.add_row(info.name, info.source, "available" if info.available else info.unavailable)
    _print(table)


@sets_app.command("show")
def sets_show(
    name: SetArgument,
    problem_id: Annotated[str | None, typer.Argument(help="One of its problems.", metavar="[ID]")] = None,
) -> None:
    """Show a problem set, or one problem of it whole."""
    from codejury import sets
    from codejury.cli.show import problem_view, set_view

    problem_set = sets.load(name)
    if problem_id is None:
        _print(set_view(problem_set))
        return
    problem = problem_set.by_id().get(problem_id)
    if problem is None:
        raise UsageError(
            f"set {problem_set.name!r} has no problem {problem_id!r}: `codejury sets show {name}` lists them"
        )
    _print(problem_view(problem))


@sets_app.command("check")
def sets_check(
    name: SetArgument,
    cpu: CpuOption = 5.0,
    cpu_total: CpuTotalOption = 30.0,
    memory: MemoryOption = 1024,
    slots: SlotsOption = None,
    python: PythonOption = None,
    packages: PackagesOption = "",
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Check that a set's references pass, and that programs that solve nothing fail; exit code 1 if not."""
    from codejury import sets
    from codejury.cli.progress import TerminalProgress
    from codejury.model import Outcome
    from codejury.pipeline import check
    from codejury.report import write_json
    from codejury.report.terminal import sets_check_report

    limits = _limits(cpu, cpu_total, memory)
    _check_writable(json)
    problem_set = sets.load(name)
    with TerminalProgress(quiet=quiet) as progress:
        document = asyncio.run(
            check(
                problem_set,
                limits=limits,
                slots=slots,
                python=python,
                packages=_names(packages),
                progress=progress,
            )
        )
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        _print(sets_check_report(document))
    if any(failure.outcome is not Outcome.INFRA_ERROR for failure in document.failures):
        raise typer.Exit(1)
    if not document.ok:
        raise typer.Exit(InfrastructureError.exit_code)


# ---- parsing


def _limits(cpu: float, cpu_total: float, memory: int) -> Limits:
    from codejury.model import MIB, Limits

    for name, value in (("--cpu", cpu), ("--cpu-total", cpu_total)):
        if not 0 < value < 1e6:
            raise UsageError(f"{name} {value:g}: take a number of seconds above 0")
    return Limits(cpu_s=cpu, cpu_total_s=max(cpu, cpu_total), memory_bytes=memory * MIB)


def _ks(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise UsageError(f"--k {text!r}: take whole numbers with commas, as 1,10,100") from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _meta(items: list[str]) -> dict[str, str]:
    meta: dict[str, str] = {}
    for item in items:
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key:
            raise UsageError(f"--meta {item!r}: take KEY=VALUE, as temperature=0.8")
        if meta.setdefault(key, value) != value:
            raise UsageError(f"--meta {item!r}: {key} is {meta[key]!r} already: give it once")
    return meta


# ---- printing


def _check_writable(path: str | None) -> None:
    """Find out now, not after hours of judging, that a document cannot be written."""
    if path is None or path == "-":
        return
    place = Path(path)
    try:
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not place.exists() or place.is_file():
            tempfile.TemporaryFile(dir=place.resolve().parent).close()
    except OSError as error:
        raise UsageError(f"--json {path}: cannot be written: {error.strerror or error}") from error


def _show(documents: list[JudgeDocument], json_file: str | None, *, quiet: bool) -> None:
    from codejury.report import write_json
    from codejury.report.terminal import judge_report

    if json_file is not None:
        write_json(documents[0], json_file)
    if not quiet and json_file != "-":
        for document in documents:
            _print(judge_report(document))


def _print(renderable: RenderableType) -> None:
    from rich.console import Console

    Console(highlight=False, markup=False).print(renderable)
