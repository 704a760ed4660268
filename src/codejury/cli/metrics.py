"""The commands `metrics list` and `metrics show`."""

from __future__ import annotations

from typing import Annotated

import typer

from codejury.cli.common import output
from codejury.cli.main import metrics_app


@metrics_app.command("list")
def list_metrics() -> None:
    """List the metrics with their definitions, and the presets."""
    from rich.console import Group
    from rich.text import Text

    from codejury.metrics.scoring import get, names
    from codejury.metrics.text import PRESETS
    from codejury.pipeline import metric_row
    from codejury.report.score_view import metrics_report

    table = metrics_report([metric_row(get(name)) for name in names()])
    output(Group(table, Text(), Text(f"Presets: {', '.join(PRESETS)}")))


@metrics_app.command("show")
def show_metric(
    name: Annotated[str, typer.Argument(help="A metric, or a preset.", metavar="NAME")],
) -> None:
    """Show what a metric is, its range, source and version; of a preset its metrics and corrections."""
    from rich.console import Group
    from rich.text import Text

    from codejury.metrics.scoring import get
    from codejury.metrics.text import PRESETS
    from codejury.pipeline import metric_row
    from codejury.report.score_view import metric_report, metrics_report
    from codejury.report.terminal import indented

    if name not in PRESETS:
        output(metric_report(metric_row(get(name))))
        return
    preset = PRESETS[name]
    every = dict.fromkeys((*preset.metrics, *preset.corrected))
    output(
        Group(
            Text.assemble((preset.name, "bold"), f": {preset.source}"),
            Text(),
            metrics_report([metric_row(get(metric)) for metric in every]),
            Text(),
            Text("The corrected forms differ:"),
            *(indented(fault, 2) for fault in preset.faults),
        )
    )
