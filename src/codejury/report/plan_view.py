"""A plan on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from codejury.report.comparison_view import DROPS
from codejury.report.terminal import indented, notes, plain_table, printable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from codejury.report.gate import PlanDocument


def plan_report(document: PlanDocument) -> RenderableType:
    """What it takes to detect the drop, and what given problems and samples detect."""
    title = (
        f"To detect a drop of pass@1 by {100 * document.detect:g} points in {100 * document.power:g} of 100 cases"
    )
    margin = f"{100 * document.margin:g} point{'' if document.margin == 0.01 else 's'}"
    rule = f"mode {document.mode}, margin {margin}, one-sided level {100 * document.alpha:g} %"
    rates = f"{document.abilities}: mean p {document.mean:.2f}, mean p (1 - p) {document.spread:.3f}"
    parts: list[RenderableType] = [Text(title, "bold"), indented(rule, 2), indented(printable(rates), 2)]
    if document.needed:
        needed = plain_table()
        needed.add_column("problems", justify="right")
        needed.add_column("samples of each, in each run", justify="right")
        needed.add_column("the drop is")
        for row in document.needed:
            needed.add_row(
                "too many" if row.problems is None else str(row.problems),
                "too many" if row.samples is None else str(row.samples),
                DROPS[row.model],
            )
        parts += [Text(), needed]
    given = plain_table()
    for heading in ("problems", "samples", "detect", "false alarms"):
        given.add_column(heading, justify="right")
    given.add_column("the drop is")
    for one in document.given:
        effect = "none" if one.effect is None else f"{100 * one.effect:.1f} points"
        given.add_row(
            str(one.problems), str(one.samples), effect, f"{100 * one.false_alarms:.1f} %", DROPS[one.model]
        )
    return Group(*parts, Text(), given, *notes(document.warnings))
