"""Comparisons on a terminal of 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from codejury.report.terminal import estimates_table, indented, notes, plain_table, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from codejury.report.comparison import (
        CompareDocument,
        Comparison,
        DetectableRow,
        Difference,
        Flipped,
        McNemar,
        SliceDifference,
        Sweep,
    )
    from codejury.report.document import Interval

_SHOWN = 10
_MEANING = """
In points, with {level:.4g} % intervals: would it differ if both were run again on
these problems (fixed suite), would it on others of this kind (population)?
p: of the former; flips: of the latter, by flipping signs."""
DROPS = {"spread": "spread over all problems", "lost": "whole problems lost"}
"""Where a drop falls, in words."""


def compare_report(document: CompareDocument) -> RenderableType:
    """Runs with their figures, differences from the first, tests, slices, flips, what is detectable, warnings."""
    heading = f"{len(document.runs)} runs over {document.problems} common problems"
    parts: list[RenderableType] = [Text(heading, "bold")]
    for run in document.runs:
        n = f"{run.n.min}" if run.n.min == run.n.max else f"{run.n.min} to {run.n.max}"
        of = f"{run.problem_set.name} {run.problem_set.version}"
        parts += [Text(), Text(printable(f"{run.run}: {of}, {n} samples each")), estimates_table(run.pass_at_k)]
    for comparison in document.comparisons:
        parts += [Text(), *_comparison(comparison, document)]
    if document.sweep is not None:
        parts += [Text(), *_sweep(document.sweep)]
    return Group(*parts, *notes(document.warnings))


def points(share: float) -> str:
    """A difference in percentage points, with its sign."""
    return f"{100 * share:+.1f}"


def p_text(p: float) -> str:
    """A p with as many digits as mean something."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def detectable_text(rows: Sequence[DetectableRow]) -> list[str]:
    """What drops are detected, a line a model."""
    return [
        f"{DROPS[row.model]}: "
        + (
            f"{100 * row.effect:.1f} points, found in {100 * row.power:.0f} of 100 cases"
            if row.effect is not None
            else f"none; a drop to 0 would be found in {100 * row.power:.0f} of 100 cases"
        )
        for row in rows
    ]


def differences_table(named: Sequence[tuple[str, Difference]], *, holm: bool) -> Table:
    """Differences by the names of their figures; `holm`: with p adjusted for several comparisons."""
    table = plain_table()
    for heading in ("", "change", "fixed suite", "population", "p", *(("Holm",) if holm else ()), "flips"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, one in named:
        adjusted = (p_text(one.p_holm),) if holm else ()
        table.add_row(
            name,
            Text(points(one.value), "bold"),
            _interval(one.fixed_suite),
            _interval(one.population),
            p_text(one.p),
            *adjusted,
            p_text(one.p_population),
        )
    return table


def slices_table(slices: Sequence[SliceDifference], *, heading: str = "slice", noun: str = "problems") -> Table:
    """Slices with their differences; of many tags those with the smallest q."""
    table = plain_table()
    table.add_column(heading, overflow="fold")
    for name in (noun, "change", "fixed suite", "p", "q"):
        table.add_column(name, justify="right")
    told = [one for one in slices if one.kind != "tag"]
    tags = sorted((one for one in slices if one.kind == "tag"), key=lambda one: one.q)
    for one in (*told, *tags[:_SHOWN]):
        table.add_row(
            Text(printable(f"{one.kind} {one.name}")),
            str(one.problems),
            points(one.value),
            _interval(one.fixed_suite),
            p_text(one.p),
            p_text(one.q),
        )
    if len(tags) > _SHOWN:
        table.add_row(f"and {len(tags) - _SHOWN} more tags")
    return table


def flips_lines(flips: Sequence[Flipped]) -> list[RenderableType]:
    """The first few problems that flipped, a line each."""
    lines = [f"{one.id}: {one.c_a} of {one.n_a}, now {one.c_b} of {one.n_b}" for one in flips[:_SHOWN]]
    more = [f"and {len(flips) - _SHOWN} more"] if len(flips) > _SHOWN else []
    return [indented(line, 2) for line in (*lines, *more)]


def mcnemar_line(test: McNemar) -> Text:
    """McNemar's test in a line."""
    said = f"McNemar: {test.lost} lost, {test.gained} gained; p exact {p_text(test.p_exact)}, mid-p "
    return Text(f"\n{said}{p_text(test.p_mid)}")


def _comparison(comparison: Comparison, document: CompareDocument) -> list[RenderableType]:
    title = Text(printable(f"{comparison.run} against {document.baseline}"), "bold")
    parts: list[RenderableType] = [
        title,
        differences_table(_named(comparison), holm=len(document.comparisons) > 1),
    ]
    parts.append(Text(_MEANING.format(level=100 * document.level), "dim"))
    if (test := comparison.mcnemar) is not None:
        parts.append(mcnemar_line(test))
    if comparison.slices:
        parts += [Text(), slices_table(comparison.slices)]
    for name, flips in (("Lost", comparison.lost), ("Gained", comparison.gained)):
        if flips:
            parts += [Text(f"\n{name}, {len(flips)} (half of the samples right):"), *flips_lines(flips)]
    k = next(iter(comparison.pass_at_k))
    parts.append(Text(f"\nDrop of pass@{k} that such a comparison detects with 80 %, simulated:"))
    parts += [indented(line, 2) for line in detectable_text(comparison.detectable)]
    return parts


def _named(comparison: Comparison) -> list[tuple[str, Difference]]:
    hats = {k: one for k, one in comparison.pass_hat_k.items() if k != "1"}
    families = (("pass@", comparison.pass_at_k), ("pass^", hats))
    return [(f"{name}{k}", one) for name, by_k in families for k, one in by_k.items()]


def _sweep(sweep: Sweep) -> list[RenderableType]:
    table = plain_table()
    table.add_column(sweep.condition)
    table.add_column("run", overflow="fold")
    for k in sweep.best:
        table.add_column(f"pass@{k}", justify="right")
    for row in sweep.rows:
        cells = []
        for k, best in sweep.best.items():
            estimate = row.pass_at_k.get(k)
            mark = "*" if best.run == row.run else " "
            cells.append(f"{100 * estimate.value:.1f} %{mark}" if estimate else "- ")
        table.add_row(Text(printable(row.value)), Text(printable(row.run)), *cells)
    parts: list[RenderableType] = [Text(f"Sweep over {sweep.condition}", "bold"), table, Text()]
    for k, best in sweep.best.items():
        ties = f"; no more than chance from {', '.join(best.ties)}" if best.ties else ""
        parts.append(indented(f"best for pass@{k}: {sweep.condition} {best.value}{ties}", 2))
    said = "* Chosen on the same data: its figure is too good. Judge fresh samples before quoting it."
    return [*parts, Text(said, "yellow")]


def _interval(interval: Interval | None) -> str:
    return f"{100 * interval.low:+.1f} to {100 * interval.high:+.1f}" if interval else "not known"
