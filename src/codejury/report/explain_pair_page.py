"""`explain A B` as one page: HTML with nothing from elsewhere, which works without network and without script.

Whatever the texts hold is text in the page: it is escaped, control characters are shown as escapes, and what is
long is cut with its length.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from typing import TYPE_CHECKING

from codejury.report.explain_pair_style import SCRIPT, STYLE
from codejury.report.explain_pair_svg import trees_svg
from codejury.report.explain_pair_view import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from codejury.report.explain_pair import (
        AlignedPiece,
        EditTable,
        ExampleRow,
        ExplainMetric,
        ExplainPairDocument,
        ExplainText,
        NodeRow,
        TreesRow,
    )

MAX_TEXT = 4_000
"""The most characters of a text that are shown as it is."""

MAX_ALIGNED = 20_000
"""The most characters of an alignment, both texts together."""

_MAX_EQUAL = 600
_MARKS = {" ": "·", "\t": "→", "\n": "⏎\n", "\r": "␍"}


def pair_page(document: ExplainPairDocument) -> str:
    """The page: texts, what the figures say, alignment, edit table, trees, every metric, examples."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>How alike two texts are</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>",
        "<h1>How alike A and B are, and what that does not say</h1>",
        f"<p>Language: {_shown(document.language)}. A stands for the reference, B for the prediction.</p>",
        f'<div class="texts">{_text("A", document.a)}{_text("B", document.b)}</div>',
        *_context(document),
        "<h2>What the figures say</h2>",
        *(f"<p>{_shown(line)}</p>" for line in document.reading[:-1]),
        *(f'<p class="last">{_shown(line)}</p>' for line in document.reading[-1:]),
        *_examples(document),
        "<h2>Alignment</h2>",
        *_alignment(document),
        "<h2>Edit table</h2>",
        *_table(document),
        "<h2>Trees</h2>",
        *_trees(document),
        "<h2>Metrics</h2>",
        *_metrics(document.metrics),
        *_warnings(document.warnings),
        f"</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _shown(text: str, *, marks: bool = False) -> str:
    """A text for the page: escaped; control characters as escapes, and white space as marks if asked for."""
    kept = _MARKS if marks else {"\n": "\n", "\t": "\t", " ": " "}
    return "".join(
        kept[char]
        if char in kept
        else escape(char)
        if char.isprintable()
        else f'<span class="control">{char.encode("unicode_escape").decode()}</span>'
        for char in text
    )


def _more(characters: int) -> str:
    return f'<span class="soft"> … {counted(characters, "more character")}</span>'


def _cut(text: str, most: int) -> str:
    """A text that is shown up to a length."""
    return _shown(text) if len(text) <= most else _shown(text[:most]) + _more(len(text) - most)


def _pre(body: str) -> str:
    return f'<pre tabindex="0">{body}</pre>'


def _text(name: str, given: ExplainText) -> str:
    file = f" {_shown(given.file)}," if given.file is not None else ""
    empty = '<span class="soft">(empty)</span>'
    body = _cut(given.text, MAX_TEXT) or empty
    heading = f'<h3>{name}<span class="soft">{file} {counted(given.characters, "character")}</span></h3>'
    return f"<div>{heading}{_pre(body)}</div>"


def _context(document: ExplainPairDocument) -> list[str]:
    found = []
    for name, text in (("before", document.prefix), ("after", document.suffix)):
        if text:
            found.append(
                f"<details><summary>The file's text {name} both, {counted(len(text), 'character')}</summary>"
                f"{_pre(_cut(text, MAX_TEXT))}</details>"
            )
    return found


def _alignment(document: ExplainPairDocument) -> list[str]:
    if document.alignment is None:
        return [f"<p>Not shown: {_shown(document.left_out['alignment'])}.</p>"]
    left = MAX_ALIGNED
    parts: list[str] = []
    for place, piece in enumerate(document.alignment):
        if left <= 0:
            rest = sum(len(each.a) + len(each.b) for each in document.alignment[place:])
            parts.append(_more(rest))
            break
        parts.append(_piece(piece, left))
        left -= len(piece.a) + len(piece.b) if piece.change != "equal" else min(len(piece.a), _MAX_EQUAL)
    count = counted(document.distance or 0, "edit")
    legend = (
        f"<p>{count} of one character between A and B: <del>struck through</del> is A&rsquo;s alone,"
        " <ins>underlined</ins> is B&rsquo;s alone. In both, · is a space, → a tab, ⏎ a line end.</p>"
    )
    return [legend, _pre("".join(parts) or "(both are empty)")]


def _piece(piece: AlignedPiece, most: int) -> str:
    if piece.change == "equal":
        if len(piece.a) <= _MAX_EQUAL:
            return _shown(piece.a)
        half = _MAX_EQUAL // 2
        between = f'<span class="soft"> … {len(piece.a) - _MAX_EQUAL:,} equal characters … </span>'
        return _shown(piece.a[:half]) + between + _shown(piece.a[-half:])
    shown = ""
    for tag, text in (("del", piece.a), ("ins", piece.b)):
        if text:
            rest = _more(len(text) - most) if len(text) > most else ""
            shown += f"<{tag}>{_shown(text[:most], marks=True)}</{tag}>{rest}"
    return shown


def _table(document: ExplainPairDocument) -> list[str]:
    table = document.table
    if table is None:
        return [f"<p>Not shown: {_shown(document.left_out['table'])}.</p>"]
    whole = len(table.a) == document.a.characters and len(table.b) == document.b.characters
    part = "" if whole else f" Shown is where the texts differ, after {counted(table.start, 'equal character')}."
    buttons = "".join(
        f'<button type="button" value="{value}" aria-label="{label}">{sign}</button>'
        for value, label, sign in (
            ("first", "first step", "|&lt;"),
            ("back", "step back", "&lt;"),
            ("next", "step forward", "&gt;"),
            ("last", "last step", "&gt;|"),
        )
    )
    meaning = (
        "<p>Row i, column j: the least number of edits that make the first j characters of B of the first i of"
        " A. A&rsquo;s characters go down, B&rsquo;s across. The path (underlined) is the alignment: down deletes,"
        f" right inserts, slanting keeps or replaces.{part}</p>"
    )
    steps = (
        f'<div class="steps" hidden>{buttons}<input type="range" min="0" aria-label="step">'
        '<output aria-live="polite"></output></div>'
    )
    return [meaning, steps, _scroll("edit table", _cells(table), "scroll tall")]


def _scroll(label: str, body: str, css: str = "scroll") -> str:
    """What may be wider than the page; it can be scrolled by keys, too."""
    return f'<div class="{css}" tabindex="0" role="region" aria-label="{label}">{body}</div>'


def _list(label: str, heads: list[str], rows: Iterable[str], css: str = "list") -> str:
    """A table that can be scrolled."""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    table = f'<table class="{css}"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    return _scroll(label, table)


def _cells(table: EditTable) -> str:
    on_path = set(table.path)
    head = "".join(f'<th scope="col" data-code="{ord(char)}">{_letter(char)}</th>' for char in table.b)
    rows = []
    for i, row in enumerate(table.cells):
        name = (
            f'<th scope="row" data-code="{ord(table.a[i - 1])}">{_letter(table.a[i - 1])}</th>'
            if i
            else "<th></th>"
        )
        cells = (
            f'<td class="path">{value}</td>' if (i, j) in on_path else f"<td>{value}</td>"
            for j, value in enumerate(row)
        )
        rows.append(f"<tr>{name}{''.join(cells)}</tr>")
    return (
        f'<table class="edits mono"><thead><tr><th></th><th></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _letter(char: str) -> str:
    return _shown(char, marks=True).strip()


def _trees(document: ExplainPairDocument) -> list[str]:
    trees = document.trees
    if trees is None:
        return [f"<p>Not shown: {_shown(document.left_out['trees'])}.</p>"]
    count = counted(trees.distance, "edit")
    legend = (
        f"<p>{count} of one node between the trees. A filled mark is a node that both have, a hollow one is not. A"
        " whole line leads to the same node, a dashed one to a node with another label; &minus; is deleted, + is"
        " inserted. Quotes, brackets and comments are no nodes.</p>"
    )
    return [legend, _scroll("trees", trees_svg(trees)), _edits(trees)]


def _edits(trees: TreesRow) -> str:
    """The mapping as a table, for who cannot see the picture."""
    rows = [
        (_node(node), _node(trees.b[node.other]) if node.other is not None else "", node.fate) for node in trees.a
    ]
    rows += [("", _node(node), node.fate) for node in trees.b if node.other is None]
    body = (
        f'<tr><td class="mono">{one}</td><td class="mono">{other}</td><td>{fate}</td></tr>'
        for one, other, fate in rows
    )
    table = _list("mapping", ["A", "B", "what becomes of it"], body)
    return f"<details><summary>The mapping as a table</summary>{table}</details>"


def _node(node: NodeRow) -> str:
    return _cut(node.type if node.text in (None, node.type) else f"{node.type} {node.text}", 80)


def _metrics(metrics: list[ExplainMetric]) -> list[str]:
    heads = ["metric", "value", "how it came to be"]
    return [_list("metrics", heads, map(_metric, metrics), "list metrics")]


def _metric(metric: ExplainMetric) -> str:
    if metric.value is None:
        value = "unscored"
        how = f"<div>{_cut(metric.unscored or '', _MAX_EQUAL)}</div>"
    else:
        value = f"{metric.value:.4f}{_bar(metric)}"
        how = f'<div class="mono">{_cut(metric.how, _MAX_EQUAL)}</div>' if metric.how else ""
    details = _cut(json.dumps(metric.details, ensure_ascii=False), MAX_TEXT) if metric.details else ""
    more = f'<div class="mono">{details}</div>' if details else ""
    low, high = ("unbounded" if bound is None else f"{bound:g}" for bound in (metric.low, metric.high))
    about = (
        f"{low} to {high}, {metric.direction} is better; version {_shown(metric.version)}; {_shown(metric.source)}"
    )
    return (
        f'<tr><th scope="row" class="name mono">{_shown(metric.name)}</th><td class="number">{value}</td>'
        f'<td>{how}<div>{_shown(metric.definition)}</div><details><summary>more</summary><div class="soft">{about}'
        f"</div>{more}</details></td></tr>"
    )


def _bar(metric: ExplainMetric) -> str:
    if metric.value is None or metric.low is None or metric.high is None:
        return ""
    share = 100 * (metric.value - metric.low) / (metric.high - metric.low)
    return f'<span class="bar" aria-hidden="true"><span style="width:{share:.1f}%"></span></span>'


def _examples(document: ExplainPairDocument) -> list[str]:
    names = list(document.examples[0].scores) if document.examples else []
    heads = ["B", "for numbers", *map(_shown, names), "what it does"]
    return [
        f"<p>By examples, with <code>{_shown(document.reference)}</code> for A:</p>",
        _list("examples", heads, map(_example, document.examples)),
    ]


def _example(row: ExampleRow) -> str:
    values = ("" if value is None else f"{value:.3f}" for value in row.scores.values())
    cells = "".join(f'<td class="number">{value}</td>' for value in values)
    verdict = "✓ right" if row.right else "✗ wrong"
    return (
        f'<tr><th scope="row" class="name mono">{_shown(row.prediction)}</th><td>{verdict}</td>{cells}'
        f"<td>{_shown(row.truth)}</td></tr>"
    )


def _warnings(warnings: list[str]) -> list[str]:
    if not warnings:
        return []
    return ["<h2>Notes</h2>", f"<ul>{''.join(f'<li>{_shown(line)}</li>' for line in warnings)}</ul>"]
