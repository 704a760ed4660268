"""The two trees of `explain A B` as one picture: SVG within the page, whose style it shares."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from codejury.report.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.report.explain_pair import NodeRow, TreesRow

_GAP, _ROW, _TOP, _LEFT = 110, 22, 34, 14
_NARROWEST, _WIDEST = 130, 350
_INDENT, _DEEPEST = 16, 160
_CHAR = 7.3  # width of a character of the label's font
_TITLE = 300


def trees_svg(trees: TreesRow) -> str:
    """Both trees as outlines, a node a row, with a line between the nodes that are mapped onto each other.

    A filled mark is a node that both trees have, a hollow one is not; a whole line is a node that is kept, a
    dashed one is relabelled; minus and plus are deleted and inserted.
    """
    panels = [_panel(nodes) for nodes in (trees.a, trees.b)]
    width = sum(panels) + _GAP
    height = _TOP + _ROW * max(len(trees.a), len(trees.b)) + 8
    said = (
        f"Tree A has {len(trees.a)} nodes, tree B {len(trees.b)}; {trees.distance} are relabelled, deleted or"
        " inserted. The table below lists them."
    )
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="trees-title trees-said">',
        '<title id="trees-title">The two syntax trees and the edit mapping</title>',
        f'<desc id="trees-said">{said}</desc>',
        *_mapping(trees.a, panels[0]),
        *_outline(trees.a, 0, panels[0], "A"),
        *_outline(trees.b, panels[0] + _GAP, panels[1], "B"),
        "</svg>",
    ]
    return "\n".join(parts)


def _panel(nodes: Sequence[NodeRow]) -> int:
    """The width of a tree: that of its longest row, within limits."""
    needed = max((_x(node.depth, nodes) + _CHAR * len(_label(node)) for node in nodes), default=0) + 40
    return round(min(_WIDEST, max(_NARROWEST, needed)))


def _mapping(nodes: Sequence[NodeRow], left: int) -> list[str]:
    return [
        f'<path class="map {node.fate}" d="M{left} {_y(row)}L{left + _GAP - 4} {_y(node.other)}"/>'
        for row, node in enumerate(nodes)
        if node.other is not None
    ]


def _outline(nodes: Sequence[NodeRow], left: int, width: int, name: str) -> list[str]:
    """One tree: branches, marks and labels; of tree A also a leader to where the mapping begins."""
    parts = [f'<text class="side" x="{left + 4}" y="18">{name}</text>']
    above: list[int] = []
    for row, node in enumerate(nodes):
        x, y = left + _x(node.depth, nodes), _y(row)
        del above[node.depth :]
        if above:
            parent = left + _x(node.depth - 1, nodes)
            parts.append(f'<path class="branch" d="M{parent:.1f} {_y(above[-1]) + 5}V{y}H{x - 5:.1f}"/>')
        above.append(row)
        label = _label(node)
        most = int((left + width - 26 - x) / _CHAR)
        shown = label if len(label) <= most else f"{label[: most - 1]}…"
        parts.append(f'<circle class="{"common" if node.common else "own"}" cx="{x:.1f}" cy="{y}" r="4.5"/>')
        parts.append(
            f'<text class="{node.fate}" x="{x + 9:.1f}" y="{y + 4}">{escape(shown)}'
            f"<title>{escape(label[:_TITLE])}: {node.fate}</title></text>"
        )
        end = x + 13 + _CHAR * len(shown)
        if node.other is None:
            sign = "&#8722;" if node.fate == "deleted" else "+"
            parts.append(f'<text class="{node.fate} sign" x="{left + width - 12}" y="{y + 5}">{sign}</text>')
        elif name == "A" and end < width:
            parts.append(f'<path class="leader" d="M{end:.1f} {y}H{width}"/>')
    return parts


def _label(node: NodeRow) -> str:
    """A node's type, and its text where that says more."""
    return printable(node.type if node.text in (None, node.type) else f"{node.type} {node.text}")


def _y(row: int) -> int:
    return _TOP + _ROW * row + _ROW // 2


def _x(depth: int, nodes: Sequence[NodeRow]) -> float:
    """Where a node of a depth is, from the left of its tree."""
    return _LEFT + depth * min(_INDENT, _DEEPEST / max(1, *(node.depth for node in nodes)))
