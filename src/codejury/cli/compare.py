"""The command `compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from codejury.cli.common import check_writable, ks_of, output
from codejury.cli.main import (
    DropShortOption,
    JsonOption,
    KOption,
    LevelOption,
    QuietOption,
    StoreOption,
    WaiveOption,
    WeakOption,
    app,
)


@app.command()
def compare(
    runs: Annotated[
        list[str], typer.Argument(help="Runs, or documents of judge; the first is compared with.", metavar="RUN")
    ],
    k: KOption = None,
    waive: WaiveOption = None,
    sweep: Annotated[
        str | None,
        typer.Option(help="The runs are one model's at several values of this: temperature.", metavar="SETTING"),
    ] = None,
    drop_short: DropShortOption = False,
    include_weak: WeakOption = False,
    level: LevelOption = 0.95,
    store: StoreOption = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Compare runs with the first, problem by problem; exit code 4 where they were not made alike."""
    from codejury.pipeline import CompareSettings
    from codejury.pipeline import compare as compare_runs
    from codejury.report import write_json
    from codejury.report.comparison_view import compare_report
    from codejury.store import Store

    settings = CompareSettings(
        names=tuple(runs),
        ks=ks_of(k),
        level=level,
        waive=tuple(waive or ()),
        sweep=sweep,
        drop_short=drop_short,
        include_weak=include_weak,
    )
    check_writable(json)
    with Store.open(store, create=False) as opened:
        document = compare_runs(opened, settings)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(compare_report(document))
