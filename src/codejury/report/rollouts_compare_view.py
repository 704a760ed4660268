"""Comparisons of agents on a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from codejury.report.comparison_view import (
    detectable_text,
    differences_table,
    flips_lines,
    mcnemar_line,
    p_text,
    slices_table,
)
from codejury.report.terminal import indented, notes, plain_table, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from codejury.report.comparison import Difference
    from codejury.report.rollouts_compare import (
        AgentComparison,
        Agreement,
        ComparedAgent,
        ProxyRow,
        RankRow,
        RolloutsCompareDocument,
    )

_MEANING = """
In points, with {level:.4g} % intervals: would it differ if both ran again on these
tasks (fixed suite), would it on others of this kind (population)?
p: of the former; flips: of the latter, by flipping signs."""
_DECISIONS = {
    "yes": "it may stand in",
    "no": "it may not stand in",
    "undecided": "undecided: the bounds hold the threshold",
    "untestable": "untestable: no proxy could reach the threshold with so many ties",
}


def rollouts_compare_report(document: RolloutsCompareDocument) -> RenderableType:
    """Agents with their figures, differences from the first, tests, agreement of metrics, proxies, warnings."""
    heading = f"{len(document.agents)} agents over {document.tasks} common tasks"
    parts: list[RenderableType] = [Text(heading, "bold"), Text(), _agents(document.agents)]
    for comparison in document.comparisons:
        parts += [Text(), *_comparison(comparison, document)]
    if document.ranks:
        parts += [Text(), *_ranks(document.ranks)]
    if document.proxies:
        parts += [Text(), *_proxies(document.proxies)]
    return Group(*parts, *notes(document.warnings))


def _agents(agents: Sequence[ComparedAgent]) -> Table:
    """pass@1, reliability@k and pass^k side by side, in percent."""
    table = plain_table()
    table.add_column("agent", overflow="fold")
    table.add_column("rollouts", justify="right")
    table.add_column("pass@1", justify="right", style="bold")
    table.add_column("population", justify="right")
    ks = [k for k in agents[0].reliability_at_k if k != "1"]
    for k in ks:
        table.add_column(f"reliability@{k}", justify="right")
        table.add_column(f"pass^{k}", justify="right")
    for agent in agents:
        n = f"{agent.n.min}" if agent.n.min == agent.n.max else f"{agent.n.min} to {agent.n.max}"
        more = [f"{100 * of[k].value:.1f}" for k in ks for of in (agent.reliability_at_k, agent.pass_hat_k)]
        low = agent.resolve_rate.population
        table.add_row(
            Text(printable(agent.name)),
            n,
            f"{100 * agent.resolve_rate.value:.1f}",
            f"{100 * low.low:.1f} to {100 * low.high:.1f}" if low else "not known",
            *more,
        )
    return table


def _comparison(comparison: AgentComparison, document: RolloutsCompareDocument) -> list[RenderableType]:
    title = Text(printable(f"{comparison.name} against {document.baseline}"), "bold")
    parts: list[RenderableType] = [
        title,
        differences_table(_named(comparison), holm=len(document.comparisons) > 1),
    ]
    parts.append(Text(_MEANING.format(level=100 * document.level), "dim"))
    if (test := comparison.mcnemar) is not None:
        parts.append(mcnemar_line(test))
    if comparison.slices:
        parts += [Text(), slices_table(comparison.slices, heading="slice of pass@1", noun="tasks")]
    for name, flips in (("Lost", comparison.lost), ("Gained", comparison.gained)):
        if flips:
            parts += [Text(f"\n{name}, {len(flips)} (half of the rollouts resolved):"), *flips_lines(flips)]
    parts.append(Text("\nDrop of pass@1 that such a comparison detects with 80 %, simulated:"))
    lines = [line.replace("problems", "tasks") for line in detectable_text(comparison.detectable)]
    return parts + [indented(line, 2) for line in lines]


def _named(comparison: AgentComparison) -> list[tuple[str, Difference]]:
    named: list[tuple[str, Difference]] = [("pass@1", comparison.resolve_rate)]
    for name, by_k in (("reliability@", comparison.reliability_at_k), ("pass^", comparison.pass_hat_k)):
        named += [(f"{name}{k}", one) for k, one in by_k.items() if k != "1"]
    return named


def _ranks(rows: Sequence[RankRow]) -> list[RenderableType]:
    table = plain_table()
    for heading in ("metric", "and metric"):
        table.add_column(heading, overflow="fold")
    for heading in ("rho", "p", "tau", "p"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(row.x, row.y, *_agreement(row.spearman), *_agreement(row.kendall))
    said = f"{rows[0].agents} agents cannot give a p below {rows[0].least_p:.2g}."
    return [Text("Do metrics order the agents alike?", "bold"), table, Text(f"\n{said}", "dim")]


def _proxies(rows: Sequence[ProxyRow]) -> list[RenderableType]:
    parts: list[RenderableType] = [
        Text("May one rollout stand in for repeated runs?", "bold"),
        indented(
            f"over {rows[0].pairs} tasks by agents, with {rows[0].target}; rho of at least "
            f"{rows[0].threshold:.2f} is asked for",
            2,
        ),
        Text(),
    ]
    table = plain_table()
    table.add_column("figure of one rollout", overflow="fold")
    for heading in ("rho", "p", "bounds", "at most"):
        table.add_column(heading, justify="right")
    table.add_column("decision", overflow="fold")
    for row in rows:
        bounds = "" if row.low is None or row.high is None else f"{row.low:.2f} to {row.high:.2f}"
        most = "" if row.ceiling is None else f"{row.ceiling:.2f}"
        table.add_row(row.proxy, *_agreement(row.spearman), bounds, most, _DECISIONS[row.decision])
    said = "p asks whether rho is 0. It is no licence: whether rho is large enough is what the bounds say."
    return [*parts, table, Text(), Text(said, "dim")]


def _agreement(found: Agreement | None) -> tuple[str, str]:
    return ("-", "-") if found is None else (f"{found.value:.2f}", p_text(found.p))
