"""The commands on agents' rollouts."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from codejury.cli.common import check_writable, ks_of, output
from codejury.cli.main import JsonOption, LevelOption, QuietOption, StoreOption, app
from codejury.model.errors import UsageError

rollouts_app = typer.Typer(no_args_is_help=True, help="Rollouts of agents: import, report, list, delete.")
app.add_typer(rollouts_app, name="rollouts")


@rollouts_app.command("import")
def rollouts_import(
    source_format: Annotated[
        str,
        typer.Argument(
            help="swebench, harbor, terminal-bench, inspect, mini-swe-agent, openhands, tau-bench, codebench, csv "
            "or jsonl.",
            metavar="FORMAT",
        ),
    ],
    paths: Annotated[list[str], typer.Argument(help="Files or folders of one run.", metavar="PATH")],
    run: Annotated[str, typer.Option(help="Name of the run in the store.", metavar="NAME")],
    agent: Annotated[
        str | None, typer.Option(help="The agent; goes before what the source says.", metavar="NAME")
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(help="The rollout's label, where a source is one rollout of each task.", metavar="LABEL"),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(help="SWE-bench reports with the grades of mini-swe-agent or openhands.", metavar="PATH"),
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="Which of several scores or rewards tells success.", metavar="NAME")
    ] = None,
    no_scan: Annotated[
        bool, typer.Option("--no-scan", help="Do not look for dangerous calls in code and patches.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Import rollouts of agents from another harness's files, all or none."""
    from codejury.pipeline.rollouts import ImportSettings, import_rollouts
    from codejury.report import write_json
    from codejury.report.rollouts_view import rollouts_table
    from codejury.store import Store

    settings = ImportSettings(
        format=source_format,
        paths=tuple(paths),
        run=run,
        agent=agent,
        label=label,
        report=report,
        score=score,
        scan=not no_scan,
    )
    check_writable(json)
    progress = _Progress()
    try:
        with Store.open(store) as opened:
            document = import_rollouts(opened, settings, None if quiet else progress)
    finally:
        progress.close()
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(rollouts_table(document))


class _Progress:
    """Says how many rollouts are read: one line each 30 seconds, on a terminal one that is written over."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._begun = self._said = time.monotonic()

    def __call__(self, count: int) -> None:
        now = time.monotonic()
        if now - self._said < (0.2 if self._live else 30):
            return
        self._said = now
        line = f"{count} rollouts read, {count / (now - self._begun):.0f}/s"
        sys.stderr.write(f"\r{line}" if self._live else f"{line}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Leave a clean line."""
        if self._live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@rollouts_app.command("report")
def rollouts_report(
    run: Annotated[str, typer.Argument(help="Name of a run of rollouts.", metavar="RUN")],
    k: Annotated[
        str | None,
        typer.Option(
            "--k", help="The k of reliability@k, as 1,5.", show_default="1 to n, at most 8", metavar="K,K"
        ),
    ] = None,
    level: LevelOption = 0.95,
    drop_short: Annotated[
        bool,
        typer.Option(
            "--drop-short", help="Leave out tasks with fewer rollouts than the largest k, and say which."
        ),
    ] = False,
    allow_missing: Annotated[
        bool,
        typer.Option("--allow-missing", help="Go on though rollouts have no grade; bounds say what it means."),
    ] = False,
    max_infra: Annotated[
        float, typer.Option(help="Share of infrastructure failures above which the report fails.", metavar="SHARE")
    ] = 0.05,
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Figures of each agent: reliability beside pass@1 and pass^k, rates, costs, failure modes, security."""
    from codejury.pipeline.rollout_report import ReportSettings, report_rollouts
    from codejury.report import write_json
    from codejury.report.rollouts_view import rollouts_report as view
    from codejury.store import Store

    settings = ReportSettings(
        ks=ks_of(k), level=level, drop_short=drop_short, allow_missing=allow_missing, max_infra=max_infra
    )
    check_writable(json)
    with Store.open(store, create=False) as opened:
        document = report_rollouts(opened, run, settings)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(view(document))


@rollouts_app.command("list")
def rollouts_list(store: StoreOption = None, json: JsonOption = None, quiet: QuietOption = False) -> None:
    """List the runs of rollouts, oldest first."""
    from codejury.pipeline.rollouts import list_rollouts
    from codejury.report import write_json
    from codejury.report.rollouts_view import rollouts_table
    from codejury.store import Store

    check_writable(json)
    with Store.open(store, create=False) as opened:
        document = list_rollouts(opened)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(rollouts_table(document))


@rollouts_app.command("delete")
def rollouts_delete(
    runs: Annotated[list[str], typer.Argument(help="Names of runs of rollouts.", metavar="RUN")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete runs of rollouts; none where one is unknown."""
    from codejury.pipeline.rollouts import delete_rollouts
    from codejury.store import Store

    with Store.open(store, create=False) as opened:
        found = [opened.rollouts.find(name) for name in dict.fromkeys(runs)]
        if not yes:
            named = ", ".join(info.name for info in found)
            if not sys.stdin.isatty():
                raise UsageError(f"{named}: there is no terminal to ask on; delete with --yes")
            typer.confirm(
                f"Delete {named} with {sum(info.rollouts for info in found)} rollouts?", abort=True, err=True
            )
        delete_rollouts(opened, runs)
