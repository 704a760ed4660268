"""The picture of `explain passk` as SVG: one file without scripts and fonts, readable in light and dark."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from codejury.report.explain_view import FORM_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from codejury.report.explain import ExplainPasskDocument, FormRow

_WIDTH, _HEIGHT = 760, 400
_PANEL, _TALL = 300, 220
_LEFT, _GAP, _TOP = 60, 70, 70

_STYLE = """
  text { font: 12px sans-serif; fill: #222 }
  .title { font-size: 15px; font-weight: bold }
  .ground { fill: #fff } .axis { stroke: #222; fill: none } .grid { stroke: #ddd }
  .line { fill: none; stroke-width: 2 }
  .first_k.line { stroke: #b35900; stroke-dasharray: 7 4 } .first_k.mark { fill: #b35900 }
  .with_replacement.line { stroke: #a0208c; stroke-dasharray: 2 3 } .with_replacement.mark { fill: #a0208c }
  .pass_at_k.line { stroke: #0060b0 } .pass_at_k.mark { fill: #0060b0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #eee } .ground { fill: #181818 } .axis { stroke: #eee } .grid { stroke: #444 }
    .first_k.line { stroke: #ffb066 } .first_k.mark { fill: #ffb066 }
    .with_replacement.line { stroke: #f08ae0 } .with_replacement.mark { fill: #f08ae0 }
    .pass_at_k.line { stroke: #6cb8ff } .pass_at_k.mark { fill: #6cb8ff }
  }
"""
"""A line's dashes and a mark's shape say its form without colour."""


def passk_svg(document: ExplainPasskDocument) -> str:
    """Bias and standard deviation of the forms over abilities: lines are exact, marks are simulated."""
    title = f"Three forms of pass@{document.k} from n = {document.n} samples"
    said = f"{document.trials} trials of each ability, seed {document.seed}"
    right = _LEFT + _PANEL + _GAP
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    described = "Bias and standard deviation of each form, over the true pass@k of a problem."
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{described}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{_WIDTH}" height="{_HEIGHT}"/>',
        _text(_LEFT, 26, title, "title"),
        _text(_LEFT, 46, f"lines: exact, by enumeration; marks: simulated, {said}"),
        *_panel(document, _LEFT, "bias, points", _exact_bias, _simulated_bias),
        *_panel(document, right, "standard deviation, points", _exact_spread, _simulated_spread),
        *_legend(),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _panel(
    document: ExplainPasskDocument,
    left: int,
    label: str,
    exact: Callable[[FormRow], float],
    simulated: Callable[[FormRow], float],
) -> list[str]:
    """Axes with ticks, the lines of all forms and their marks."""
    rows = document.by_ability
    values = [of(form) for row in rows for form in row.forms.values() for of in (exact, simulated)]
    ticks = _ticks(min(0.0, *values), max(0.0, *values))
    low, high = ticks[0], ticks[-1]

    def x(truth: float) -> float:
        return left + _PANEL * truth

    def y(value: float) -> float:
        return _TOP + _TALL * (high - value) / (high - low)

    bottom = _TOP + _TALL
    parts = []
    for tick in ticks:
        parts.append(f'<path class="grid" d="M{left} {y(tick):.1f}h{_PANEL}"/>')
        parts.append(_text(left - 6, y(tick) + 4, f"{tick:g}", anchor="end"))
    for truth in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<path class="axis" d="M{x(truth):.1f} {bottom}v4"/>')
        parts.append(_text(x(truth), bottom + 18, f"{100 * truth:g} %", anchor="middle"))
    parts.append(f'<path class="axis" d="M{left} {_TOP}V{bottom}H{left + _PANEL}"/>')
    parts.append(_text(left, _TOP - 8, label))
    parts.append(_text(left + _PANEL / 2, bottom + 36, "true pass@k of a problem", anchor="middle"))
    for form in FORM_NAMES:
        points = [(x(row.truth), y(exact(row.forms[form]))) for row in rows]
        path = "L".join(f"{one:.1f} {other:.1f}" for one, other in points)
        parts.append(f'<path class="line {form}" d="M{path}"/>')
        parts += [_mark(form, x(row.truth), y(simulated(row.forms[form]))) for row in rows[1::3]]
    return parts


def _legend() -> list[str]:
    parts = []
    for place, (form, name) in enumerate(FORM_NAMES.items()):
        left, height = _LEFT + 220 * place, _HEIGHT - 34
        parts.append(f'<path class="line {form}" d="M{left} {height}h36"/>')
        parts.append(_mark(form, left + 18, height))
        parts.append(_text(left + 44, height + 4, name))
    return parts


def _mark(form: str, x: float, y: float) -> str:
    """A triangle, a square or a circle."""
    if form == "first_k":
        return f'<path class="mark {form}" d="M{x - 4:.1f} {y + 3.5:.1f}h8l-4 -7z"/>'
    if form == "with_replacement":
        return f'<path class="mark {form}" d="M{x - 3:.1f} {y - 3:.1f}h6v6h-6z"/>'
    return f'<circle class="mark {form}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'


def _text(x: float, y: float, text: str, css: str = "", anchor: str = "start") -> str:
    named = f' class="{css}"' if css else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _ticks(low: float, high: float) -> Sequence[float]:
    """Round numbers, a step of 1, 2 or 5 times a power of ten apart, from at most `low` to at least `high`."""
    high = max(high, low + 0.01)  # also where there is nothing but rounding
    raw = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * (1 - 1e-9))
    return [step * i for i in range(math.floor(low / step), math.ceil(high / step) + 1)]


def _exact_bias(row: FormRow) -> float:
    return 100 * row.bias


def _simulated_bias(row: FormRow) -> float:
    return 100 * row.simulated_bias


def _exact_spread(row: FormRow) -> float:
    return 100 * math.sqrt(row.variance)


def _simulated_spread(row: FormRow) -> float:
    return 100 * math.sqrt(row.simulated_variance)
