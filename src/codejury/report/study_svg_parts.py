"""Bars and points as SVG: files without scripts and fonts, readable in light and dark, each with a description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH, _HEIGHT = 720, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 70, 310
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)

_STYLE = """
  text { font: 12px sans-serif; fill: #222 }
  .title { font-size: 15px; font-weight: bold }
  .ground { fill: #fff } .axis { stroke: #222; fill: none } .grid { stroke: #ddd }
  .s0 { fill: #b35900; stroke: #b35900 } .s1 { fill: #0060b0; stroke: #0060b0 }
  .s2 { fill: #a0208c; stroke: #a0208c }
  .bar.s0 { fill-opacity: 0.25 } .bar.s1 { fill-opacity: 1 } .bar.s2 { fill-opacity: 0.6 }
  @media (prefers-color-scheme: dark) {
    text { fill: #eee } .ground { fill: #181818 } .axis { stroke: #eee } .grid { stroke: #444 }
    .s0 { fill: #ffb066; stroke: #ffb066 } .s1 { fill: #6cb8ff; stroke: #6cb8ff }
    .s2 { fill: #f08ae0; stroke: #f08ae0 }
  }
"""
"""Fill and marks tell series apart without colour; so do the numbers above the bars."""


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes:
        value: 0 to 1; None leaves its place empty, with a dash.
        label: What stands above it.
        low: Lower end of its whisker; None draws none.
        high: Upper end.
    """

    value: float | None
    label: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Point:
    """One point: x and y from 0 to 1, and its series."""

    x: float
    y: float
    series: int


def bars(
    title: str, said: str, groups: Sequence[str], series: Sequence[str], values: Sequence[Sequence[Bar]]
) -> str:
    """A chart of bars in groups, on a scale from 0 to 1.

    Args:
        title: Its title.
        said: What it shows, in words, for those who do not see it.
        groups: Names below the groups.
        series: Names of the bars of a group, at most three.
        values: By series, then group.
    """
    wide = (_WIDTH - _LEFT - _RIGHT) / len(groups)
    thick = min(70.0, 0.8 * wide / len(series))
    parts = _scale("")
    for at, group in enumerate(groups):
        middle = _LEFT + wide * (at + 0.5)
        parts.append(_text(middle, _BOTTOM + 20, group, anchor="middle"))
        for number, row in enumerate(values):
            left = middle + thick * (number - len(series) / 2)
            parts += _bar(row[at], number, left, thick)
    return _page(title, said, [*parts, *_legend(series, "bar")])


def points(title: str, said: str, axes: tuple[str, str], series: Sequence[str], values: Sequence[Point]) -> str:
    """A chart of points, both axes from 0 to 1.

    Args:
        title: Its title.
        said: As in `bars`.
        axes: Names of x and y.
        series: Names of the series, at most three.
        values: The points.
    """
    parts = _scale(axes[1])
    across = _WIDTH - _LEFT - _RIGHT
    for tick in _TICKS:
        parts.append(_text(_LEFT + across * tick, _BOTTOM + 18, f"{tick:g}", anchor="middle"))
    parts.append(_text(_LEFT + across / 2, _BOTTOM + 36, axes[0], anchor="middle"))
    parts += [_mark(point.series, _LEFT + across * point.x, _y(point.y)) for point in values]
    return _page(title, said, [*parts, *_legend(series, "mark")])


def _page(title: str, said: str, parts: Sequence[str]) -> str:
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{escape(said)}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{_WIDTH}" height="{_HEIGHT}"/>',
        _text(_LEFT, 26, title, "title"),
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _scale(label: str) -> list[str]:
    parts = [_text(_LEFT, _TOP - 14, label)] if label else []
    for tick in _TICKS:
        parts.append(f'<path class="grid" d="M{_LEFT} {_y(tick):.1f}H{_WIDTH - _RIGHT}"/>')
        parts.append(_text(_LEFT - 6, _y(tick) + 4, f"{tick:g}", anchor="end"))
    return [*parts, f'<path class="axis" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_WIDTH - _RIGHT}"/>']


def _bar(bar: Bar, series: int, left: float, thick: float) -> list[str]:
    middle = left + thick / 2
    if bar.value is None:
        return [_text(middle, _BOTTOM - 6, bar.label, anchor="middle")]
    top = _y(bar.value)
    place = f'x="{left + 2:.1f}" y="{top:.1f}" width="{thick - 4:.1f}" height="{_BOTTOM - top:.1f}"'
    parts = [f'<rect class="bar s{series}" {place}/>']
    above = top
    if bar.low is not None and bar.high is not None:
        low, high = _y(bar.low), _y(bar.high)
        above = min(top, high)
        parts.append(
            f'<path class="axis" d="M{middle:.1f} {low:.1f}V{high:.1f}M{middle - 5:.1f} {low:.1f}h10'
            f'M{middle - 5:.1f} {high:.1f}h10"/>'
        )
    return [*parts, _text(middle, above - 6, bar.label, anchor="middle")]


def _legend(series: Sequence[str], kind: str) -> list[str]:
    parts = []
    for number, name in enumerate(series):
        left, height = _LEFT + 225 * number, _HEIGHT - 26
        if kind == "bar":
            parts.append(f'<rect class="bar s{number}" x="{left}" y="{height - 8}" width="16" height="12"/>')
        else:
            parts.append(_mark(number, left + 8, height - 2))
        parts.append(_text(left + 24, height + 2, name))
    return parts


def _mark(series: int, x: float, y: float) -> str:
    """A triangle, a circle or a square."""
    if series == 0:
        return f'<path class="s{series}" d="M{x - 5:.1f} {y + 4:.1f}h10l-5 -9z"/>'
    if series == 1:
        return f'<circle class="s{series}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    return f'<path class="s{series}" d="M{x - 4:.1f} {y - 4:.1f}h8v8h-8z"/>'


def _y(value: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * value


def _text(x: float, y: float, text: str, css: str = "", anchor: str = "start") -> str:
    named = f' class="{css}"' if css else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
