"""The study on a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from codejury.report.terminal import indented, plain_table, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from codejury.report.study import Experiment, StudyDocument, StudyRow, ThresholdRow


def study_report(document: StudyDocument) -> RenderableType:
    """Each experiment's figures, printed, computed as the paper does, and corrected, with the reasons."""
    parts: list[RenderableType] = [
        Text(f"{document.paper}, published beside corrected", "bold"),
        indented(f"{document.reproduced} of {document.printed} printed figures agree to every digit", 2),
        indented(f"bounds: {100 * document.level:.4g} %, other tasks of this kind", 2),
    ]
    for experiment in document.experiments:
        parts += [Text(), *_experiment(experiment)]
        if experiment.id == "E4":
            parts += [Text(), indented(f"outcomes: {document.recorded}", 2), Text(), _sweep(document.thresholds)]
    return Group(*parts)


def _experiment(experiment: Experiment) -> list[RenderableType]:
    title = experiment.title if not experiment.hypothesis else f"{experiment.hypothesis}: {experiment.title}"
    return [
        Text(printable(title), "bold"),
        indented(f"claim: {experiment.claim}", 2),
        Text(),
        _rows(experiment),
        Text(),
        *(indented(line, 2) for line in _reasons(experiment.rows)),
        Text(),
        indented(f"published: {experiment.published_says}", 2),
        indented(f"corrected: {experiment.corrected_says}", 2),
    ]


def _reasons(rows: Sequence[StudyRow]) -> list[str]:
    """Each reason once, with the figures that it is of; with their subjects where those have a reason each."""
    of_figure: dict[str, set[str]] = {}
    for row in rows:
        of_figure.setdefault(row.figure, set()).add(row.reason)
    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.reason:
            name = row.figure if len(of_figure[row.figure]) == 1 else row.subject
            reasons.setdefault(row.reason, {})[name] = None
    return [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]


def _rows(experiment: Experiment) -> Table:
    table = plain_table()
    table.add_column("figure", overflow="fold")
    table.add_column("of", overflow="fold")
    for heading in ("printed", "published", "corrected", "bounds"):
        table.add_column(heading, justify="right")
    for row in experiment.rows:
        table.add_row(
            printable(row.figure),
            Text(printable(row.subject)),
            row.printed or "",
            _number(row.published),
            Text(_number(row.corrected), "bold"),
            _bounds(row),
        )
    return table


def _sweep(thresholds: list[ThresholdRow]) -> Table:
    table = plain_table()
    table.add_column("score of at least", justify="right")
    table.add_column("withdrawn", justify="right")
    agents = list(thresholds[0].reliability)
    for heading in (*agents, "tau", "p"):
        table.add_column(printable(heading), justify="right", overflow="fold")
    for row in thresholds:
        cells = [*(row.reliability[agent] for agent in agents), row.tau, row.p]
        table.add_row(f"{row.threshold:.3f}", str(row.withdrawn), *map(_number, cells))
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _bounds(row: StudyRow) -> str:
    return "" if row.low is None or row.high is None else f"{row.low:.3f} to {row.high:.3f}"
