"""Figures of agents on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from codejury.report.terminal import indented, notes, plain_table, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from rich.table import Table

    from codejury.report.document import Estimate, Interval
    from codejury.report.rollouts import (
        AgentFigures,
        Figures,
        Measure,
        RolloutRunsDocument,
        RolloutsDocument,
        SecureRow,
        SharesOfTests,
    )

_SHOWN_ROWS = 8


def rollouts_table(document: RolloutRunsDocument) -> RenderableType:
    """The runs of rollouts, a line each, with what was met at their import."""
    if not document.runs:
        return Text("No runs of rollouts.")
    table = plain_table()
    table.add_column("run", overflow="fold")
    for heading in ("format", "source"):
        table.add_column(heading, overflow="fold")
    for heading in ("rollouts", "tasks", "agents"):
        table.add_column(heading, justify="right")
    for row in document.runs:
        cells = (row.run, row.format, row.source, row.rollouts, row.tasks, row.agents)
        table.add_row(*(Text(printable(str(cell))) for cell in cells))
    return Group(table, *notes([note for row in document.runs for note in row.notes]))


def rollouts_report(document: RolloutsDocument) -> RenderableType:
    """Every agent's figures, then what to know of them."""
    ks = ", ".join(map(str, document.ks))
    heading = (
        f"{document.rollouts} rollouts from {document.source} ({document.format}), {document.tasks} tasks, k {ks}"
    )
    parts: list[RenderableType] = [
        Text.assemble((f"Run {printable(document.run)}", "bold"), f"\n  {printable(heading)}")
    ]
    for agent in document.agents:
        parts += [Text(), *_agent(agent)]
    parts += [Text(), _meaning(document.level)]
    return Group(*parts, *notes([*document.warnings, *document.notes]))


def _agent(agent: AgentFigures) -> list[RenderableType]:
    n = f"{agent.n.min}" if agent.n.min == agent.n.max else f"{agent.n.min} to {agent.n.max}"
    solved = agent.figures.solved
    parts: list[RenderableType] = [
        Text.assemble(
            (printable(agent.agent), "bold"), f": {_count(agent.figures.tasks, 'task')}, n = {n} rollouts each"
        ),
        Text(),
        _reliability(agent.figures),
        Text(),
        indented(f"tasks solved always {solved.always}, sometimes {solved.sometimes}, never {solved.never}", 2),
    ]
    if (measures := _measures(agent.figures)).row_count:
        parts += [Text(), measures]
    for title, slices in (("difficulty", agent.by_difficulty), ("tag", agent.by_tag)):
        if slices:
            parts += [Text(), _slices(title, slices)]
    if agent.unknown is not None:
        parts += [Text(), _bounds(agent)]
    parts += [Text(), _modes(agent)]
    if agent.security is not None and agent.security.thresholds:
        parts += [Text(), _security([*agent.security.thresholds, *agent.security.severities])]
    return parts


def _reliability(figures: Figures) -> Table:
    """pass@1, reliability@k and pass^k side by side, in percent, with the population's interval."""
    table = plain_table()
    table.add_column("k", justify="right")
    for heading in ("pass@1", "reliability@k", "pass^k"):
        table.add_column(heading, justify="right", style="bold")
        table.add_column("population", justify="right")
    for k, reliability in figures.reliability_at_k.items():
        cells = [_shown(estimate) for estimate in (figures.resolve_rate, reliability, figures.pass_hat_k[k])]
        table.add_row(k, *(cell for pair in cells for cell in pair))
    return table


def _shown(estimate: Estimate) -> tuple[str, str]:
    return f"{100 * estimate.value:.1f}", _interval(estimate.population)


def _interval(interval: Interval | None) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}" if interval else "not known"


def _measures(figures: Figures) -> Table:
    table = plain_table()
    table.add_column("")
    for heading in ("mean", "interval", "rollouts"):
        table.add_column(heading, justify="right")
    for name, shares in (("test pass rate", figures.test_pass_rate), ("regression rate", figures.regression_rate)):
        if shares is not None:
            _add(table, f"{name}, by task", shares.macro)
            table.add_row(f"{name}, pooled", _number(shares.pooled), "", "")
            _gaps(table, shares)
    for name, found in (
        ("tool calls", figures.tool_calls),
        ("tool efficiency", figures.tool_efficiency),
        ("cost, $", figures.cost_usd),
        ("cost per solved task, $", figures.cost_per_solved_task),
        ("cost-adjusted pass rate", figures.cost_adjusted),
        ("tokens", figures.tokens),
    ):
        if found is not None:
            _add(table, name, found)
    if figures.latency_s is not None:
        _add(table, "latency, s", figures.latency_s.mean)
        quantiles = f"{figures.latency_s.median:.4g} and {figures.latency_s.p90:.4g}"
        table.add_row("latency, s: median and 90 %", quantiles, "", "")
    return table


def _number(value: float) -> str:
    return f"{value:z.4f}" if abs(value) < 10 else f"{value:.5g}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _gaps(table: Table, shares: SharesOfTests) -> None:
    if shares.gap_to_resolved is not None:
        _add(table, "  above the resolve rate by", shares.gap_to_resolved)
        table.add_row("  above the pooled by", _number(shares.gap_to_pooled), "", "")


def _add(table: Table, name: str, found: Measure) -> None:
    interval = "not known" if found.low is None else f"{found.low:.4g} to {found.high:.4g}"
    table.add_row(name, _number(found.value), interval, str(found.rollouts))


def _slices(title: str, slices: Mapping[str, Figures]) -> Table:
    table = plain_table()
    table.add_column(title, overflow="fold")
    for heading in ("tasks", "rollouts", "pass@1", "population", "reliability@k", "pass^k"):
        table.add_column(heading, justify="right")
    for name, figures in slices.items():
        k = list(figures.reliability_at_k)[-1]
        table.add_row(
            Text(printable(name)),
            str(figures.tasks),
            str(figures.rollouts),
            *_shown(figures.resolve_rate),
            f"{100 * figures.reliability_at_k[k].value:.1f}",
            f"{100 * figures.pass_hat_k[k].value:.1f}",
        )
    return table


def _bounds(agent: AgentFigures) -> RenderableType:
    unknown = agent.unknown
    assert unknown is not None
    table = plain_table()
    table.add_column("")
    for heading in ("left out", "all failed", "all passed"):
        table.add_column(heading, justify="right")
    k = list(unknown.reliability_at_k)[-1]
    for name, row in (
        ("pass@1", unknown.resolve_rate),
        (f"reliability@{k}", unknown.reliability_at_k[k]),
        (f"pass^{k}", unknown.pass_hat_k[k]),
    ):
        table.add_row(name, *(f"{100 * value:.1f}" for value in (row.excluded, row.all_failed, row.all_passed)))
    failures = _count(unknown.infra, "infrastructure failure")
    heading = f"{failures} and {_count(unknown.missing, 'rollout')} without a grade, in percent:"
    return Group(Text(heading), table)


def _modes(agent: AgentFigures) -> Table:
    table = plain_table()
    table.add_column("how rollouts ended", overflow="fold")
    table.add_column("rollouts", justify="right")
    table.add_column("resolved", justify="right")
    for mode in agent.modes[:_SHOWN_ROWS]:
        name = f"{mode.status}: {mode.subtype}" if mode.subtype else mode.status
        table.add_row(Text(printable(name)), str(mode.rollouts), str(mode.resolved))
    if len(agent.modes) > _SHOWN_ROWS:
        table.add_row(f"and {len(agent.modes) - _SHOWN_ROWS} more ways", "", "")
    return table


def _security(rows: list[SecureRow]) -> Table:
    """Resolved and secure, by the bar."""
    table = plain_table()
    table.add_column("resolved and secure")
    for heading in ("withdrawn", "pass@1", "reliability@k", "population", "pass^k"):
        table.add_column(heading, justify="right")
    for row in rows:
        if row.severity is not None:
            bar = f"nothing {row.severity}" + ("" if row.severity == "critical" else " or worse")
        else:
            bar = f"score at least {row.threshold:.3f}" if row.threshold else "any score"
        k = list(row.reliability_at_k)[-1]
        table.add_row(
            bar,
            str(row.withdrawn),
            f"{100 * row.pass_at_1.value:.1f}",
            *_shown(row.reliability_at_k[k]),
            f"{100 * row.pass_hat_k[k].value:.1f}",
        )
    return table


def _meaning(level: float) -> Text:
    return Text(
        f"Percent, with {100 * level:.4g} % intervals: population is for other tasks of this kind.\n"
        "reliability@k: at least one of k rollouts resolves the task; pass^k: all of k.\n"
        "In the tables by difficulty, tag and security, k is the largest.",
        "dim",
    )
