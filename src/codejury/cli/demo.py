"""How the demo is told, in lines of at most 80 columns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from codejury.pipeline import DemoResult
    from codejury.report import Estimate, JudgeDocument

MEANING = """\
What you see: pass@k is the chance that at least one of k samples is right, and
each figure is a mean over the problems. The brackets hold where a rerun on the
same problems would land, 95 times in 100. A contestant that always writes the
same answer gains little from k = 1 to k = 10; one that varies gains much."""

NEXT = """\
What to do next:
  codejury sets show starter
      the problems, and one of them whole with its id behind
  codejury judge SAMPLES.jsonl --problems humaneval
      your own samples: {"task_id": ..., "completion": ...} a line
  codejury sets check YOUR_SET.jsonl
      is a problem set of your own sound?"""

NO_ISOLATION = """\
The demo's samples are codejury's own, so it runs all the same, without walls;
samples of a model would be refused."""


def demo_report(result: DemoResult, *, kept: str | None) -> RenderableType:
    """The contestants side by side, by k and by difficulty, and what to do next.

    Args:
        result: What the demo gave.
        kept: The store that keeps the runs, as the user named it; None if they are gone.
    """
    documents = result.documents
    parts: list[RenderableType] = []
    if result.missing_layer is not None:
        parts.append(Text(f"No isolation here: {result.missing_layer}\n{NO_ISOLATION}\n", "yellow"))
    parts.append(_heading(documents))
    for table in (_by_k(documents), _by_difficulty(documents), _outcomes(documents)):
        parts += [table, Text()]
    parts.append(Text(f"{MEANING}\n\n{NEXT}"))
    if kept is not None:
        parts.append(Text(f"\nThe runs are kept:\n  codejury report {documents[0].run} --store {kept}"))
    return Group(*parts)


def _heading(documents: list[JudgeDocument]) -> Text:
    first = documents[0]
    samples = sum(document.samples for document in documents)
    seconds = sum(document.timing.wall_s for document in documents)
    return Text(
        f"{len(documents)} synthetic contestants on {first.problem_set.name} {first.problem_set.version}\n"
        f"{first.problems} problems, {samples} samples judged in {seconds:.1f} s, tier {first.tier}\n"
    )


def _by_k(documents: list[JudgeDocument]) -> Table:
    table = _table("contestant", *(f"pass@{k}" for k in documents[0].pass_at_k))
    for document in documents:
        table.add_row(document.run, *(_figure(estimate) for estimate in document.pass_at_k.values()))
    return table


def _by_difficulty(documents: list[JudgeDocument]) -> Table:
    levels = list(documents[0].by_difficulty)
    table = _table("pass@1 by difficulty", *levels)
    for document in documents:
        cells = [f"{document.by_difficulty[level].pass_at_k['1'].value:.2f}" for level in levels]
        table.add_row(document.run, *cells)
    return table


def _outcomes(documents: list[JudgeDocument]) -> Table:
    table = _table("outcomes", *(document.run for document in documents))
    totals: Counter[str] = Counter()
    for document in documents:
        totals.update(document.verdicts)
    for outcome, _ in totals.most_common():
        table.add_row(outcome, *(str(document.verdicts.get(outcome, 0)) for document in documents))
    return table


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, heading in enumerate(headings):
        table.add_column(heading, justify="left" if position == 0 else "right")
    return table


def _figure(estimate: Estimate) -> str:
    if estimate.fixed_suite is None:
        return f"{estimate.value:.2f}"
    return f"{estimate.value:.2f} [{estimate.fixed_suite.low:.2f}, {estimate.fixed_suite.high:.2f}]"
