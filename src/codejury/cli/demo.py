"""How the demo is told."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from codejury.pipeline import DemoResult
from codejury.report.document import Estimate

NEXT = """\
What you see: pass@k is the chance that at least one of k samples is right. Each figure is a mean over the problems;
the brackets hold where a rerun on the same problems would land, 95 times in 100. A contestant that always writes the
same answer gains little from k = 1 to k = 10; one that varies gains much.

What to do next:
  codejury sets show starter                             the problems
  codejury judge SAMPLES.jsonl --problems humaneval      your own samples: {"task_id": …, "completion": …} a line
  codejury sets check YOUR_SET.jsonl                     is a problem set of your own sound?"""


def demo_report(result: DemoResult, *, kept: str | None) -> RenderableType:
    """The contestants side by side, by k and by difficulty, and what to do next."""
    first = result.documents[0]
    parts: list[RenderableType] = []
    if result.missing_layer is not None:
        parts.append(Text(f"No isolation here: {result.missing_layer}.", "yellow"))
        parts.append(
            Text("The demo's samples are codejury's own, so it runs all the same; yours would not.\n", "yellow")
        )
    samples = sum(document.samples for document in result.documents)
    seconds = sum(document.timing.wall_s for document in result.documents)
    name = f"{first.problem_set.name} {first.problem_set.version}"
    parts.append(
        Text(
            f"{len(result.documents)} synthetic contestants on {name}: {first.problems} problems,"
            f" {samples} samples judged in {seconds:.1f} s, tier {first.tier}\n"
        )
    )
    table = _table("contestant", *(f"pass@{k}" for k in first.pass_at_k))
    for document in result.documents:
        table.add_row(document.run, *(_figure(estimate) for estimate in document.pass_at_k.values()))
    parts += [table, Text()]
    levels = list(first.by_difficulty)
    table = _table("pass@1 by difficulty", *levels)
    for document in result.documents:
        cells = [f"{document.by_difficulty[level].pass_at_k['1'].value:.2f}" for level in levels]
        table.add_row(document.run, *cells)
    parts += [table, Text()]
    outcomes = sorted({o for document in result.documents for o in document.verdicts}, key=_by_frequency(result))
    table = _table("outcomes", *(document.run for document in result.documents))
    for outcome in outcomes:
        table.add_row(outcome, *(str(document.verdicts.get(outcome, 0)) for document in result.documents))
    parts += [table, Text()]
    parts.append(Text(NEXT))
    if kept:
        parts.append(Text(f"\nThe runs are kept in {kept}: codejury report {first.run} --store {kept}"))
    return Group(*parts)


def _by_frequency(result: DemoResult):  # noqa: ANN202 - a sort key
    return lambda outcome: -sum(document.verdicts.get(outcome, 0) for document in result.documents)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, heading in enumerate(headings):
        table.add_column(heading, justify="left" if position == 0 else "right")
    return table


def _figure(estimate: Estimate) -> str:
    if estimate.fixed_suite is None:
        return f"{estimate.value:.2f}"
    return f"{estimate.value:.2f} [{estimate.fixed_suite.low:.2f}, {estimate.fixed_suite.high:.2f}]"
