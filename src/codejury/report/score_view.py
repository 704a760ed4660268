"""Scores on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from codejury.report.terminal import indented, notes, plain_table, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from codejury.report.document import Interval
    from codejury.report.score import CompositeScore, ScoreDocument, ScoreMetric, ScoreSummary

_REASONS = 3
_GROUPS = 10


def score_report(document: ScoreDocument) -> RenderableType:
    """What was scored; each metric with its interval, by language and tag; the composite with its parts."""
    what = f"{document.pairs} pairs of {document.problems} problems"
    parts: list[RenderableType] = [
        Text.assemble((printable(document.source), "bold"), f": {what}"),
        Text(),
        _table("", {"": document.overall}),
    ]
    if why := _reasons(document.overall):
        parts += [Text(), Text("Unscored, in no mean:"), *(indented(line, 2) for line in why)]
    if document.composite is not None:
        parts += [Text(), _composite(document.composite)]
    for kind, groups in (("language", document.by_language), ("tag", document.by_tag)):
        if groups:
            shown = _largest(groups)
            parts += [Text(), _table(kind, shown)]
            if more := len(groups) - len(shown):
                parts.append(Text(f"and {more} more, in the document (--json)"))
    meaning = f"Intervals: {100 * document.level:.4g} %, would other problems of this kind differ?"
    parts += [Text(), Text(meaning, "dim")]
    return Group(*parts, *notes(document.warnings))


def metrics_report(metrics: Sequence[ScoreMetric]) -> RenderableType:
    """Metrics in a list: name and definition."""
    table = plain_table()
    table.add_column("metric", no_wrap=True)
    table.add_column("definition", overflow="fold")
    for metric in metrics:
        table.add_row(Text(printable(metric.name)), Text(printable(metric.definition)))
    return table


def metric_report(metric: ScoreMetric) -> RenderableType:
    """All that is known of a metric."""
    low, high = ("unbounded" if bound is None else f"{bound:g}" for bound in (metric.low, metric.high))
    table = plain_table()
    table.show_header = False
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in (
        ("metric", metric.name),
        ("definition", metric.definition),
        ("range", f"{low} to {high}"),
        ("direction", f"{metric.direction} is better"),
        ("source", metric.source),
        ("version", metric.version),
    ):
        table.add_row(name, Text(printable(value)))
    return table


def _largest(groups: Mapping[str, Mapping[str, ScoreSummary]]) -> dict[str, Mapping[str, ScoreSummary]]:
    """The groups with the most pairs, in their order."""

    def pairs(name: str) -> int:
        return max((each.scored + each.unscored for each in groups[name].values()), default=0)

    chosen = set(sorted(groups, key=pairs, reverse=True)[:_GROUPS])
    return {name: group for name, group in groups.items() if name in chosen}


def _table(kind: str, groups: Mapping[str, Mapping[str, ScoreSummary]]) -> Table:
    table = plain_table()
    if kind:
        table.add_column(kind, overflow="fold")
    table.add_column("metric", overflow="fold")
    table.add_column("mean", justify="right", style="bold")
    table.add_column("interval", justify="right", no_wrap=True)
    table.add_column("scored", justify="right")
    table.add_column("unscored", justify="right")
    for group, summaries in groups.items():
        label = [Text(printable(group))] if kind else []
        for name, summary in summaries.items():
            cells = (_number(summary.mean), _interval(summary.interval), summary.scored, summary.unscored)
            table.add_row(*label, Text(printable(name)), *map(str, cells))
            label = [Text()] if kind else []
    return table


def _composite(composite: CompositeScore) -> RenderableType:
    formula = " + ".join(f"{part.weight:g} {part.part}" for part in composite.parts)
    value = f"{_number(composite.value)} ({_interval(composite.interval)})"
    title = Text.assemble(
        ("Composite", "bold"), f", scenario {printable(composite.scenario)}: ", (value, "bold"), f" = {formula}"
    )
    table = plain_table()
    table.add_column("part")
    table.add_column("by", overflow="fold")
    for heading in ("weight", "mean", "unscored"):
        table.add_column(heading, justify="right")
    for part in composite.parts:
        metric = Text(printable(part.metric))
        table.add_row(part.part, metric, f"{part.weight:g}", _number(part.mean), str(part.unscored))
    dropped = f", {composite.dropped} left out" if composite.dropped else ""
    policy = f"Over {composite.problems} problems{dropped}; unscored parts: {composite.policy}."
    return Group(title, Text(), table, Text(), Text(policy))


def _reasons(summaries: Mapping[str, ScoreSummary]) -> list[str]:
    lines = []
    for name, summary in summaries.items():
        told = [f"{reason} ({count})" for reason, count in list(summary.reasons.items())[:_REASONS]]
        if more := len(summary.reasons) - len(told):
            told.append(f"{more} more reasons")
        if told:
            lines.append(f"{name}: {'; '.join(told)}")
    return lines


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _interval(interval: Interval | None) -> str:
    return f"{interval.low:.4f} to {interval.high:.4f}" if interval else "not known"
