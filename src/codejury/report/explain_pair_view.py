"""What `explain A B` found, on a terminal: within 80 columns, and readable without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Group
from rich.table import Table
from rich.text import Text

from codejury.report.terminal import indented, notes, plain_table, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from codejury.report.explain_pair import AlignedPiece, EditTable, ExplainPairDocument, NodeRow, TreesRow

MAX_COLUMNS = 23
"""The most columns of an edit table that fit."""

MAX_ROWS = 40
"""The most rows of a table or a tree that are shown."""

_BLOCKS = 12
_FATES = {"kept": "=", "relabelled": "~", "deleted": "-", "inserted": "+"}
_STYLES = {" ": "", "~": "bold yellow", "-": "bold red", "+": "bold green", "=": ""}
_HOW = 200
_DEEPEST = 14


def pair_report(document: ExplainPairDocument) -> RenderableType:
    """Both texts aligned, the edit table, the trees, every metric, and what the figures say."""
    sizes = f"{document.a.characters:,} and {document.b.characters:,} characters of {document.language}"
    parts: list[RenderableType] = [
        Text.assemble(("A and B", "bold"), printable(f": {sizes}")),
        *_files(document),
        Text(),
        Text("Alignment", "bold"),
        *_alignment(document),
        Text(),
        Text("Edit table", "bold"),
        *_table(document),
        Text(),
        Text("Trees", "bold"),
        *_trees(document),
        Text(),
        Text("Metrics", "bold"),
        Text(),
        _metrics(document),
        Text(),
        Text("What the figures say", "bold"),
        *(indented(line, 2) for line in document.reading),
        Text(),
        indented(f"By examples, with {document.reference} for A:", 2),
        Text(),
        _examples(document),
    ]
    return Group(*parts, *notes(document.warnings))


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _files(document: ExplainPairDocument) -> list[RenderableType]:
    named = (("A", document.a.file), ("B", document.b.file))
    return [indented(f"{name} is {file}", 2) for name, file in named if file is not None]


def _alignment(document: ExplainPairDocument) -> list[RenderableType]:
    if document.alignment is None:
        return [indented(f"not shown: {document.left_out['alignment']}", 2)]
    said = f"{counted(document.distance or 0, 'edit')} of one character: - deleted, + inserted, ~ replaced"
    return [indented(said, 2), Aligned(document.alignment)]


class _Column(NamedTuple):
    """What stands below each other: of A, of B, and the mark between."""

    a: str
    mark: str
    b: str


class Aligned:
    """Two texts below each other, wrapped to the width, with a mark between characters that differ."""

    def __init__(self, pieces: Sequence[AlignedPiece]) -> None:
        self._pieces = pieces

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(10, options.max_width - 5)
        block: list[_Column] = []
        used = shown = 0
        for column in self._columns():
            size = len(column.mark)
            if used + size > width:
                yield from _block(block)
                shown += 1
                if shown == _BLOCKS:
                    yield Text("  … and more, in the document (--json) and the page (--html)")
                    return
                block, used = [], 0
            block.append(column)
            used += size
        if block:
            yield from _block(block)

    def _columns(self) -> Iterator[_Column]:
        marks = {"equal": " ", "replace": "~", "delete": "-", "insert": "+"}
        for piece in self._pieces:
            for place in range(max(len(piece.a), len(piece.b))):
                a, b = (printable(text[place : place + 1]) for text in (piece.a, piece.b))
                size = max(cell_len(a), cell_len(b))
                yield _Column(set_cell_size(a, size), marks[piece.change] * size, set_cell_size(b, size))


def _block(columns: Sequence[_Column]) -> Iterator[Text]:
    """Three lines: the first text, marks, the second text."""
    yield Text()
    lines = (
        ("  A  ", [(column.a, column.mark) for column in columns]),
        ("     ", [(column.mark, column.mark) for column in columns]),
        ("  B  ", [(column.b, column.mark) for column in columns]),
    )
    for name, parts in lines:
        text = Text(name, no_wrap=True, overflow="crop")
        for part, mark in parts:
            text.append(part, _STYLES[mark[:1]])
        text.rstrip()
        yield text


def _table(document: ExplainPairDocument) -> list[RenderableType]:
    table = document.table
    if table is None:
        return [indented(f"not shown: {document.left_out['table']}", 2)]
    if len(table.b) > MAX_COLUMNS or len(table.a) > MAX_ROWS:
        size = f"{len(table.a) + 1} x {len(table.b) + 1} cells"
        return [indented(f"not shown: {size} do not fit here; the page has it (--html FILE)", 2)]
    start = f", after {counted(table.start, 'equal character')}" if table.start else ""
    said = f"row i, column j: least edits from i characters of A to j of B{start}; [path]"
    return [indented(said, 2), Text(), *_cells(table)]


def _cells(table: EditTable) -> Iterator[Text]:
    """Each cell in three columns, those of the path in brackets or, beyond 9, in bold as well."""
    on_path = set(table.path)
    yield Text(" " * 9 + "".join(f" {_letter(char)}" for char in table.b), "bold")
    for i, row in enumerate(table.cells):
        text = Text(f"   {_letter(table.a[i - 1]) if i else '  '} ", "bold")
        for j, value in enumerate(row):
            if (i, j) not in on_path:
                text.append(f"{value:>3}", "not bold")
            else:
                text.append(f"[{value}]" if value < 10 else f"[{value}", "bold reverse")
        yield text


def _letter(char: str) -> str:
    """A character in at most two columns."""
    told = {" ": "sp", "\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, char)
    return f"{'' if cell_len(told) > 1 else ' '}{told}" if told.isprintable() else " ?"


def _trees(document: ExplainPairDocument) -> list[RenderableType]:
    trees = document.trees
    if trees is None:
        return [indented(f"not shown: {document.left_out['trees']}", 2)]
    said = (
        f"{counted(trees.distance, 'edit')} of one node: = kept, ~ relabelled, - deleted, + inserted; * in both"
        " trees, wherever they stand"
    )
    return [indented(said, 2), Text(), _side_by_side(trees)]


def _side_by_side(trees: TreesRow) -> RenderableType:
    """The nodes in rows; those that are mapped onto each other share one where the order allows it."""
    table = Table.grid(padding=(0, 1))
    for _ in range(2):
        table.add_column(width=1)
        table.add_column(width=34, no_wrap=True, overflow="ellipsis")
    rows = list(_rows(trees))
    for one, other in rows[:MAX_ROWS]:
        table.add_row(*_cell(one), *_cell(other))
    if len(rows) > MAX_ROWS:
        table.add_row("", f"… and {len(rows) - MAX_ROWS} more rows")
    return table


def _rows(trees: TreesRow) -> Iterator[tuple[NodeRow | None, NodeRow | None]]:
    j = 0
    for one in trees.a:
        if one.other is None:
            yield one, None
            continue
        while j < one.other:
            yield None, trees.b[j]
            j += 1
        yield one, trees.b[one.other] if j == one.other else None
        j = max(j, one.other + 1)
    for other in trees.b[j:]:
        yield None, other


def _cell(node: NodeRow | None) -> tuple[Text, Text]:
    if node is None:
        return Text(), Text()
    sign = _FATES[node.fate]
    label = node.type if node.text in (None, node.type) else f"{node.type} {node.text}"
    star = " *" if node.common else ""
    return Text(sign, _STYLES[sign]), Text(
        f"{' ' * min(node.depth, _DEEPEST)}{printable(label)}{star}", _STYLES[sign]
    )


def _metrics(document: ExplainPairDocument) -> RenderableType:
    table = plain_table()
    table.add_column("metric", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("how it came to be", overflow="fold")
    for metric in document.metrics:
        value = "unscored" if metric.value is None else f"{metric.value:.4f}"
        how = printable(metric.unscored or metric.how or metric.definition)
        table.add_row(Text(printable(metric.name)), value, Text(how if len(how) <= _HOW else f"{how[:_HOW]}…"))
    return table


def _examples(document: ExplainPairDocument) -> RenderableType:
    names = list(document.examples[0].scores) if document.examples else []
    table = plain_table()
    table.add_column("B", no_wrap=True)
    table.add_column("for numbers", no_wrap=True)
    for name in names:
        table.add_column(printable(name), justify="right")
    for row in document.examples:
        values = ("" if value is None else f"{value:.3f}" for value in row.scores.values())
        table.add_row(Text(printable(row.prediction)), "right" if row.right else "wrong", *values)
    return table
