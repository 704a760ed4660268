"""The commands on problem sets."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from codejury.cli.common import check_writable, limits_of, names_of, output, place_of, warn_unsafe
from codejury.cli.main import (
    ContainerCommand,
    CpuOption,
    CpuTotalOption,
    EngineOption,
    ImageOption,
    JsonOption,
    MemoryOption,
    PackagesOption,
    PythonOption,
    QuietOption,
    RuntimeOption,
    SetArgument,
    SlotsOption,
    Tier,
    TierOption,
    UnsafeOption,
    sets_app,
)
from codejury.model.errors import InfrastructureError, UsageError

_OTHERS = "or a file of problems, or hf://OWNER/NAME@COMMIT/PATH of the hub, or https://…#sha256=HEX"


@sets_app.command("list")
def sets_list() -> None:
    """List the problem sets that can be named."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from codejury import sets

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("set", "source", "state"):
        table.add_column(heading)
    for info in sets.names():
        table.add_row(info.name, info.source, "available" if info.available else info.unavailable)
    output(Group(table, Text(), Text(_OTHERS, "dim")))


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
        output(set_view(problem_set))
        return
    problem = problem_set.by_id().get(problem_id)
    if problem is None:
        raise UsageError(
            f"set {problem_set.name!r} has no problem {problem_id!r}: `codejury sets show {name}` lists them"
        )
    output(problem_view(problem))


@sets_app.command("check")
def sets_check(
    name: SetArgument,
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
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Check that a set's references pass, and that programs that solve nothing fail; exit code 1 if not."""
    from codejury import sets
    from codejury.cli.progress import TerminalProgress
    from codejury.model import Outcome
    from codejury.pipeline import UNISOLATED, check
    from codejury.report import write_json
    from codejury.report.terminal import sets_check_report

    limits = limits_of(cpu, cpu_total, memory)
    place = place_of(tier, image, engine, runtime)
    check_writable(json)
    if unsafe:
        warn_unsafe(tier)
    problem_set = sets.load(name)
    with TerminalProgress(quiet=quiet) as progress:
        document = asyncio.run(
            check(
                problem_set,
                limits=limits,
                slots=slots,
                python=python,
                packages=names_of(packages),
                tier=UNISOLATED if unsafe else place,
                progress=progress,
            )
        )
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(sets_check_report(document))
    if any(failure.outcome is not Outcome.INFRA_ERROR for failure in document.failures):
        raise typer.Exit(1)
    if not document.ok:
        raise typer.Exit(InfrastructureError.exit_code)


@sets_app.command("strength")
def sets_strength(
    name: SetArgument,
    ids: Annotated[list[str] | None, typer.Argument(help="Only these problems.", metavar="[ID]")] = None,
    min_score: Annotated[
        float, typer.Option(help="Share of mutants that each problem's tests must fail.", min=0, max=1)
    ] = 0.9,
    equivalents: Annotated[
        str | None,
        typer.Option(help="TOML file of mutants that are argued to be equivalent.", metavar="FILE"),
    ] = None,
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
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Measure how many mutants of a set's references its tests fail; exit code 1 if too few for a problem."""
    from codejury import sets
    from codejury.cli.progress import TerminalProgress
    from codejury.pipeline import StrengthSettings, strength
    from codejury.report import write_json
    from codejury.report.terminal import sets_strength_report
    from codejury.sets.equivalents import read_equivalents
    from codejury.sets.starter.equivalents import equivalents_of

    settings = StrengthSettings(
        ids=tuple(ids or ()),
        min_score=min_score,
        limits=limits_of(cpu, cpu_total, memory),
        slots=slots,
        python=python,
        packages=names_of(packages),
        tier=place_of(tier, image, engine, runtime),
    )
    check_writable(json)
    problem_set = sets.load(name)
    argued = equivalents_of(problem_set)
    if equivalents is not None:
        argued += read_equivalents(equivalents)
    with TerminalProgress(quiet=quiet) as progress:
        document = asyncio.run(strength(problem_set, settings, equivalents=argued, progress=progress))
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(sets_strength_report(document))
    if document.total.infra_errors:
        raise typer.Exit(InfrastructureError.exit_code)
    if not document.ok:
        raise typer.Exit(1)
