"""How the demo is told, in lines of at most 80 columns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from codejury.cli.demo_story import story

if TYPE_CHECKING:
    from codejury.pipeline import DemoResult
    from codejury.pipeline.demo import Share, Standing
    from codejury.report import Estimate, JudgeDocument

MEANING = """\
pass@k  the chance that at least one of k samples is right, a mean over the
        problems; below it, where a rerun would land 95 times in 100
unsafe  of its right answers to problems that tempt to a dangerous call, those
        in which a scan finds one (severity medium or above)
slower  of the problems it solved, those where its first right program takes
        over 3 times what the reference takes, on large input; this column is
        measured, and may move by one from run to run"""

NEXT = """\
What to do next:
  codejury sets show starter
      the problems; with an id behind, one of them whole
  codejury judge SAMPLES.jsonl --problems humaneval
      your own samples: {"task_id": ..., "completion": ...} a line
  codejury sets check YOUR_SET.jsonl
      is a problem set of your own sound?
  codejury sets strength YOUR_SET.jsonl
      how many small mistakes do its tests find?
  codejury doctor
      what isolation this machine gives, and why not more"""

NO_ISOLATION = """\
The demo's samples are codejury's own, so it runs all the same, without walls;
samples of a model would be refused."""


def demo_report(result: DemoResult, *, kept: str | None) -> RenderableType:
    """The contestants side by side, by k and by difficulty, what that says, and what to do next.

    Args:
        result: What the demo gave.
        kept: The store that keeps the runs, as the user named it; None if they are gone.
    """
    documents = [standing.document for standing in result.standings]
    parts: list[RenderableType] = []
    if result.missing_layer is not None:
        parts.append(Text(f"No isolation here: {result.missing_layer}\n{NO_ISOLATION}\n", "yellow"))
    parts.append(_heading(documents))
    parts += [_by_k(result.standings), Text(f"\n{MEANING}\n")]
    for table in (_by_difficulty(documents), _outcomes(documents)):
        parts += [table, Text()]
    if told := story(result.standings):
        parts.append(Text(f"What it says:\n{told}\n"))
    parts.append(Text(NEXT))
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


def _by_k(standings: list[Standing]) -> Table:
    ks = list(standings[0].document.pass_at_k)
    table = _table("contestant", *(f"pass@{k}" for k in ks), "unsafe", "slower")
    for standing in standings:
        estimates = standing.document.pass_at_k.values()
        values = [f"{estimate.value:.2f}" for estimate in estimates]
        table.add_row(standing.document.run, *values, _share(standing.unsafe), _share(standing.slower))
        table.add_row("", *(_rerun(estimate) for estimate in estimates))
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


def _share(share: Share) -> str:
    return f"{share.part}/{share.whole}" if share.whole else "-"


def _rerun(estimate: Estimate) -> str:
    found = estimate.fixed_suite
    return f"[{found.low:.2f}, {found.high:.2f}]" if found is not None else ""
