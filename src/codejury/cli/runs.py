"""The commands on runs in the store."""

from __future__ import annotations

import enum
import sys
from typing import Annotated

import typer

from codejury.cli.common import check_writable, output
from codejury.cli.main import JsonOption, QuietOption, StoreOption, runs_app
from codejury.model.errors import UsageError

RunsArgument = Annotated[list[str], typer.Argument(help="Names of runs.", metavar="RUN")]


class Waiver(enum.StrEnum):
    """What can be waived when runs are merged."""

    HOMOGENEITY = "homogeneity"


@runs_app.command("list")
def runs_list(store: StoreOption = None, json: JsonOption = None, quiet: QuietOption = False) -> None:
    """List the runs of the store, oldest first."""
    from codejury.cli.runs_view import runs_table
    from codejury.pipeline import list_runs
    from codejury.report import write_json
    from codejury.store import Store

    check_writable(json)
    with Store.open(store, create=False) as opened:
        document = list_runs(opened)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(runs_table(document))


@runs_app.command("show")
def runs_show(
    run: Annotated[str, typer.Argument(help="Name of a run.", metavar="RUN")],
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Show everything that a run's figures depend on."""
    from codejury.cli.runs_view import run_view
    from codejury.pipeline import show_run
    from codejury.report import write_json
    from codejury.store import Store

    check_writable(json)
    with Store.open(store, create=False) as opened:
        document = show_run(opened, run)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(run_view(document))


@runs_app.command("delete")
def runs_delete(
    runs: RunsArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete runs with their samples and verdicts; none where one is unknown."""
    from codejury.pipeline import delete_runs
    from codejury.store import Store

    with Store.open(store, create=False) as opened:
        found = [opened.find_run(name) for name in dict.fromkeys(runs)]
        if not yes:
            samples = sum(info.samples for info in found)
            named = ", ".join(info.name for info in found)
            if not sys.stdin.isatty():
                raise UsageError(f"{named}: there is no terminal to ask on; delete with --yes")
            if not _confirmed(f"Delete {named} with {samples} samples and their verdicts?"):
                output("Nothing is deleted.")
                return
        delete_runs(opened, runs)


def _confirmed(question: str) -> bool:
    """Ask on standard error, as standard output may be a file."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


@runs_app.command("merge")
def runs_merge(
    runs: RunsArgument,
    into: Annotated[str, typer.Option(help="Name of the new run.", metavar="NEW")],
    alpha: Annotated[float, typer.Option(help="A p below it says that the runs differ.", metavar="P")] = 0.01,
    waive: Annotated[Waiver | None, typer.Option(help="Pool runs although they differ.")] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Merge shards though some are missing; the result says so.")
    ] = False,
    delete_parts: Annotated[
        bool, typer.Option("--delete-parts", help="Delete the runs when they are merged.")
    ] = False,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """Merge shards to the whole, or pool the samples of independent runs; exit code 4 where runs differ."""
    from codejury.cli.runs_view import merge_report
    from codejury.pipeline import MergeSettings, merge, show_run
    from codejury.store import Store

    settings = MergeSettings(
        names=tuple(runs),
        into=into,
        alpha=alpha,
        waive_homogeneity=waive is Waiver.HOMOGENEITY,
        allow_missing=allow_missing,
        delete_parts=delete_parts,
    )
    with Store.open(store, create=False) as opened:
        result = merge(opened, settings)
        document = show_run(opened, result.run)
    if not quiet:
        output(merge_report(result, document))


@runs_app.command("import")
def runs_import(
    file: Annotated[str, typer.Argument(help="Another store.", metavar="FILE")],
    runs: Annotated[list[str] | None, typer.Argument(help="Names of its runs.", metavar="[RUN]")] = None,
    new: Annotated[str | None, typer.Option("--as", help="Another name for the one run.", metavar="NEW")] = None,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """Copy runs of another store, as shards that other machines judged; all of them if none is named."""
    from codejury.pipeline import import_runs
    from codejury.store import Store

    with Store.open(file, create=False) as source, Store.open(store) as opened:
        names = import_runs(opened, source, runs or (), new=new)
    if not quiet:
        output(f"Copied {', '.join(names)}.")
