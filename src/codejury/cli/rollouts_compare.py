"""The command `rollouts compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from codejury.cli.common import check_writable, ks_of, output
from codejury.cli.main import (  # noqa: TC001 - typer evaluates the annotations
    JsonOption,
    LevelOption,
    QuietOption,
    StoreOption,
    WaiveOption,
)
from codejury.cli.rollouts import rollouts_app


@rollouts_app.command("compare")
def rollouts_compare(
    agents: Annotated[
        list[str],
        typer.Argument(
            help="Runs of rollouts, each with all of its agents, or RUN:AGENT; the first is compared with.",
            metavar="AGENT",
        ),
    ],
    k: Annotated[
        str | None,
        typer.Option(
            "--k", help="The k of reliability@k, as 1,5.", show_default="1 and n, at most 5", metavar="K,K"
        ),
    ] = None,
    waive: WaiveOption = None,
    drop_short: Annotated[
        bool,
        typer.Option(
            "--drop-short", help="Leave out tasks with fewer rollouts than the largest k, and say which."
        ),
    ] = False,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Go on though rollouts have no grade; they are in no n.")
    ] = False,
    max_infra: Annotated[
        float,
        typer.Option(help="Share of infrastructure failures above which nothing is compared.", metavar="SHARE"),
    ] = 0.05,
    level: LevelOption = 0.95,
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Compare agents with the first, task by task; exit code 4 where their rollouts are not alike."""
    from codejury.pipeline.rollouts_compare import RolloutsCompareSettings, compare_rollouts
    from codejury.report import write_json
    from codejury.report.rollouts_compare_view import rollouts_compare_report
    from codejury.store import Store

    settings = RolloutsCompareSettings(
        names=tuple(agents),
        ks=ks_of(k),
        level=level,
        waive=tuple(waive or ()),
        drop_short=drop_short,
        allow_missing=allow_missing,
        max_infra=max_infra,
    )
    check_writable(json)
    with Store.open(store, create=False) as opened:
        document = compare_rollouts(opened, settings)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(rollouts_compare_report(document))
