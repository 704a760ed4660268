"""The commands below `study`: published studies done again."""

from __future__ import annotations

from typing import Annotated

import typer

from codejury.cli.common import check_writable, output
from codejury.cli.main import JsonOption, LevelOption, QuietOption, app

study_app = typer.Typer(no_args_is_help=True, help="Published studies, done again: published beside corrected.")
app.add_typer(study_app, name="study")


@study_app.command("beyond-passk")
def study_beyond_passk(
    rollouts: Annotated[
        str | None,
        typer.Option(
            help="Recorded rollouts with outcome and security score, as JSON, for experiment 4.",
            show_default="the paper's counts",
            metavar="FILE",
        ),
    ] = None,
    level: LevelOption = 0.95,
    figures: Annotated[
        str | None, typer.Option(help="Draw the four figures as SVG into this folder.", metavar="DIR")
    ] = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Reproduce arXiv 2608.14711, Beyond Pass@k: each figure as published and corrected, with the reason."""
    from codejury.pipeline.study import beyond_passk, write_figures
    from codejury.report import write_json
    from codejury.report.study_view import study_report

    check_writable(json)
    document = beyond_passk(rollouts, level=level)
    if figures is not None:
        write_figures(document, figures)
    if json is not None:
        write_json(document, json)
    if not quiet and json != "-":
        output(study_report(document))
