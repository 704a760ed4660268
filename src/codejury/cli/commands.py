"""The commands: each parses, calls the pipeline, prints. Heavy imports wait until a command runs."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from codejury.cli.main import (
    INTERRUPTED,
    CpuOption,
    CpuTotalOption,
    DropShortOption,
    JsonOption,
    KOption,
    LevelOption,
    MemoryOption,
    PackagesOption,
    PythonOption,
    QuietOption,
    SlotsOption,
    StoreOption,
    app,
    sets_app,
)
from codejury.model.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from codejury.model import Limits
    from codejury.report.document import JudgeDocument

ProblemsOption = Annotated[str, typer.Option(help="A problem set: its name (sets list) or a file.", metavar="SET")]


@app.command()
def judge(
    samples: Annotated[
        str, typer.Argument(help="JSON lines, gzipped or not: {task_id, completion} or {task_id, solution}.")
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
    json_file: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Judge samples: isolated runs, verdicts, pass@k with intervals."""
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline import JudgeSettings, summarise
    from codejury.pipeline import judge as run_judge
    from codejury.store import Store

    settings = JudgeSettings(
        samples=samples,
        problems=problems,
        run=run,
        limits=_limits(cpu, cpu_total, memory),
        slots=slots,
        python=python,
        packages=_names(packages),
        all_tests=all_tests,
        level=level,
        meta=_meta(meta or []),
        allow_missing=allow_missing,
        allow_empty=allow_empty,
        resume=resume,
    )
    ks = _ks(k)
    with Store.open(store) as opened:
        known = {info.name for info in opened.runs()}
        try:
            with TerminalProgress(quiet=quiet) as progress:
                name = asyncio.run(run_judge(opened, settings, progress))
        except KeyboardInterrupt:
            new = [info for info in opened.runs() if info.name not in known or info.name == run]
            if new:
                info = new[-1]
                sys.stderr.write(
                    f"codejury: interrupted: {info.judged} of {info.samples} samples of run {info.name!r} are judged"
                    f" and kept; go on with the same command and --run {info.name} --resume\n"
                )
                raise typer.Exit(INTERRUPTED) from None
            raise
        document = summarise(opened, name, ks, level=level, drop_short=drop_short)
    _show([document], json_file, quiet=quiet)


@app.command()
def report(
    runs: Annotated[list[str], typer.Argument(help="Names of runs.", metavar="RUN …")],
    k: KOption = None,
    drop_short: DropShortOption = False,
    partial: Annotated[bool, typer.Option("--partial", help="Estimate over what is judged so far.")] = False,
    level: LevelOption = 0.95,
    store: StoreOption = None,
    json_file: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Report runs from the store, without judging anything again."""
    from codejury.pipeline import summarise
    from codejury.store import Store

    if json_file is not None and len(runs) > 1:
        raise UsageError("--json writes the document of one run: name one")
    ks = _ks(k)
    with Store.open(store, create=False) as opened:
        documents = [
            summarise(opened, name, ks, level=level, drop_short=drop_short, partial=partial) for name in runs
        ]
    _show(documents, json_file, quiet=quiet)


@app.command()
def demo(
    slots: SlotsOption = None,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """The whole job on the built-in set, offline: judge three synthetic contestants, report, compare."""
    import tempfile
    from pathlib import Path

    from codejury.cli.demo import demo_report
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline import demo as run_demo
    from codejury.store import Store

    with tempfile.TemporaryDirectory(prefix="codejury-") as folder:
        with Store.open(store or Path(folder) / "demo.db") as opened, TerminalProgress(quiet=quiet) as progress:
            result = asyncio.run(run_demo(opened, slots=slots, progress=progress))
    _print(demo_report(result, kept=store))


@app.command()
def schema(
    name: Annotated[str, typer.Argument(help="A document: judge, sets-check, problem, sample.")],
) -> None:
    """Print the JSON Schema of a document."""
    from codejury.report.document import schema as schema_of

    typer.echo(json.dumps(schema_of(name), indent=2))


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
    name: Annotated[str, typer.Argument(help="A problem set: its name or a file.")],
    problem_id: Annotated[str | None, typer.Argument(help="One of its problems.")] = None,
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
    name: Annotated[str, typer.Argument(help="A problem set: its name or a file.")],
    cpu: CpuOption = 5.0,
    cpu_total: CpuTotalOption = 30.0,
    memory: MemoryOption = 1024,
    slots: SlotsOption = None,
    python: PythonOption = None,
    packages: PackagesOption = "",
    json_file: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Check that a set's references pass, and that programs that solve nothing fail; exit code 1 if not."""
    from codejury import sets
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline import check
    from codejury.report.files import write_json
    from codejury.report.terminal import sets_check_report

    problem_set = sets.load(name)
    with TerminalProgress(quiet=quiet) as progress:
        document = asyncio.run(
            check(
                problem_set,
                limits=_limits(cpu, cpu_total, memory),
                slots=slots,
                python=python,
                packages=_names(packages),
                progress=progress,
            )
        )
    if json_file is not None:
        write_json(document, json_file)
    if not quiet and json_file != "-":
        _print(sets_check_report(document))
    if not document.ok:
        raise typer.Exit(1)


# ---- parsing


def _limits(cpu: float, cpu_total: float, memory: int) -> Limits:
    from codejury.model import MIB, Limits

    for name, value in (("--cpu", cpu), ("--cpu-total", cpu_total)):
        if not 0 < value < 1e6:
            raise UsageError(f"{name} {value:g}: take a number of seconds above 0")
    return Limits(cpu_s=cpu, cpu_total_s=max(cpu, cpu_total), memory_bytes=memory * MIB)


def _ks(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise UsageError(f"--k {text!r}: take whole numbers with commas, as 1,10,100") from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _meta(items: list[str]) -> dict[str, str]:
    meta = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--meta {item!r}: take KEY=VALUE, as temperature=0.8")
        meta[key.strip()] = value.strip()
    return meta


# ---- printing


def _show(documents: list[JudgeDocument], json_file: str | None, *, quiet: bool) -> None:
    from codejury.report.files import write_json
    from codejury.report.terminal import judge_report

    if json_file is not None:
        write_json(documents[0], json_file)
    if not quiet and json_file != "-":
        for document in documents:
            _print(judge_report(document))


def _print(renderable: RenderableType) -> None:
    from rich.console import Console

    Console(highlight=False).print(renderable)
