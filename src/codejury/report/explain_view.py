"""What `explain passk` found, on a terminal: tables, and a picture of block characters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from codejury.report.terminal import indented, notes, plain_table, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from codejury.report.explain import AbilityRow, ExplainPasskDocument, FormRow

FORM_NAMES = {
    "first_k": "OR of the first k",
    "with_replacement": "1 - (1 - c/n)^k",
    "pass_at_k": "unbiased",
}
"""What the forms are called, in the order in which they are shown."""

_HEIGHT = 4
_BLOCKS = " ▁▂▃▄▅▆▇█"


def passk_report(document: ExplainPasskDocument) -> RenderableType:
    """The forms side by side, their bias and spread as a table and as a picture, and what is refused."""
    n, k = document.n, document.k
    parts: list[RenderableType] = [
        Text(f"pass@{k} of n = {n} samples, c of them right", "bold"),
        indented(f"OR of the first k: 1 if one of the first {k} samples is right, else 0", 2),
        indented(f"1 - (1 - c/n)^k: as if the same sample could be drawn twice, k = {k}", 2),
        indented("unbiased: 1 - C(n-c, k) / C(n, k), the mean of the OR over all orders of the samples", 2),
        Text(),
        _counts(document),
        Text(),
        Text.assemble(
            ("How they do over abilities", "bold"), printable(f", in percent; abilities: {document.abilities}")
        ),
        Text(),
        _moments(document),
        Text(),
        indented(f"exact: by enumeration over c of Bin(n, p). The truth is {100 * document.truth:.2f} %.", 2),
        indented(f"simulated: {document.trials} trials of each ability, seed {document.seed}.", 2),
        indented("sd: of one problem, the root of the variance.", 2),
        Text(),
        Picture(document),
        Text(),
        Text("What codejury refuses", "bold"),
        *_misuses(document),
    ]
    return Group(*parts, *notes(document.warnings))


def _counts(document: ExplainPasskDocument) -> RenderableType:
    table = plain_table()
    table.add_column("c of n")
    for name in FORM_NAMES.values():
        table.add_column(name, justify="right")
    for row in document.counts:
        chance = f"{row.first_k:.0f}" if row.first_k in (0, 1) else f"0 or 1: 1 in {100 * row.first_k:.1f} %"
        table.add_row(f"{row.c} of {row.n}", chance, f"{row.with_replacement:.4f}", f"{row.pass_at_k:.4f}")
    if document.run_means is not None:
        shares = [f"{document.run_means[form]:.4f}" for form in FORM_NAMES]
        shares[0] = f"{shares[0]} on average"
        table.add_row(Text(printable(f"run {document.run}")), *shares)
    return table


def _moments(document: ExplainPasskDocument) -> RenderableType:
    table = plain_table()
    table.add_column("form")
    for heading in ("mean", "bias", "simulated bias", "variance", "simulated", "sd"):
        table.add_column(heading, justify="right")
    for form, name in FORM_NAMES.items():
        row = document.over_abilities[form]
        table.add_row(
            name,
            f"{100 * row.mean:.2f}",
            _signed(100 * row.bias),
            f"{_signed(100 * row.simulated_bias)} ± {100 * row.error:.2f}",
            f"{row.variance:.5f}",
            f"{row.simulated_variance:.5f}",
            f"{100 * math.sqrt(row.variance):.1f}",
        )
    return table


def _signed(points: float) -> str:
    text = f"{points:+.2f}"
    return "0.00" if float(text) == 0 else text


def _misuses(document: ExplainPasskDocument) -> list[RenderableType]:
    found: list[RenderableType] = []
    before = ""
    for row in document.misuses:
        honest = "none" if row.honest is None else f"{row.honest:.4f}"
        found += [
            Text(f"{row.name}: {row.figure:.4f}, honest: {honest}"),
            indented(row.example, 2),
        ]
        if row.instead != before:
            found.append(indented(f"honest: {row.instead}", 2))
        before = row.instead
    return found


class Picture:
    """Bias and standard deviation of each form over abilities, as columns; of ASCII where there is no more."""

    def __init__(self, document: ExplainPasskDocument) -> None:
        self._rows = document.by_ability

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        ascii_only = options.ascii_only
        top_bias = _top(self._rows, _too_low)
        top_spread = _top(self._rows, _spread)
        width = len(self._rows)
        yield Text(f"  {'too low by, points':<{width + 10}}standard deviation, points", "bold")
        for form, name in FORM_NAMES.items():
            yield Text(f"  {name}")
            left = _columns([_too_low(row.forms[form]) for row in self._rows], top_bias, ascii_only=ascii_only)
            right = _columns([_spread(row.forms[form]) for row in self._rows], top_spread, ascii_only=ascii_only)
            for line, (one, other) in enumerate(zip(left, right, strict=True)):
                labels = [f"{top:.3g}" if not line else "" for top in (top_bias, top_spread)]
                yield Text(f"  {labels[0]:>5} |{one}   {labels[1]:>5} |{other}".rstrip())
            axis = "+" + "-" * width
            yield Text(f"  {'0':>5} {axis}   {'0':>5} {axis}")
        ends = f"{'0':<{width - 4}}100 %"
        yield Text(f"  {'':5}  {ends}  {'':5}  {ends}")
        yield Text(f"  {'':5}  {'the true pass@k of a problem':^{width}}")


def _too_low(row: FormRow) -> float:
    return max(0.0, -100 * row.bias)


def _spread(row: FormRow) -> float:
    return 100 * math.sqrt(row.variance)


def _top(rows: Sequence[AbilityRow], value: Callable[[FormRow], float]) -> float:
    """The end of the axis that all forms share: the largest value, but not of rounding alone."""
    return max(*(value(of) for row in rows for of in row.forms.values()), 0.01)


def _columns(values: Sequence[float], top: float, *, ascii_only: bool) -> list[str]:
    """Lines of a chart, the highest first."""
    eighths = [round(8 * _HEIGHT * value / top) for value in values]
    lines = []
    for level in reversed(range(_HEIGHT)):
        filled = [min(8, max(0, height - 8 * level)) for height in eighths]
        lines.append("".join(("#" if part >= 4 else " ") if ascii_only else _BLOCKS[part] for part in filled))
    return lines
