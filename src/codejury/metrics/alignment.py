"""How one text becomes another: the edits of a Levenshtein distance, and the table that finds it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from codejury.metrics.text.edits import TooLargeError, alike
from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind: TypeAlias = Literal["equal", "replace", "insert", "delete"]

MAX_CELLS = 1 << 30
"""Largest product of two lengths, without a common beginning and end, that is aligned."""


class Piece(NamedTuple):
    """A stretch of an alignment: `a[a_start:a_end]` becomes `b[b_start:b_end]`.

    Attributes:
        kind: "equal" and "replace" have as many characters on both sides; "insert" has none of the first text,
            "delete" none of the second.
        a_start: First character in the first text.
        a_end: The one after the last.
        b_start: The same in the second text.
        b_end: The same in the second text.
    """

    kind: Kind
    a_start: int
    a_end: int
    b_start: int
    b_end: int

    @property
    def cost(self) -> int:
        """How many edits of one character it stands for."""
        return 0 if self.kind == "equal" else max(self.a_end - self.a_start, self.b_end - self.b_start)


def alignment(a: str, b: str) -> list[Piece]:
    """An alignment of least cost: pieces that cover both texts in their order; none for two empty texts.

    The sum of the pieces' costs is the Levenshtein distance.

    Raises:
        TooLargeError: The texts differ in more than `MAX_CELLS` allows.
        UsageError: rapidfuzz is not installed.
    """
    head = alike(a, b)
    tail = alike(a[head:][::-1], b[head:][::-1])
    if (len(a) - head - tail) * (len(b) - head - tail) > MAX_CELLS:
        raise TooLargeError(f"too large: {len(a):,} and {len(b):,} characters differ too much to be aligned")
    try:
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(
            "an alignment needs the package rapidfuzz: install it with pip install 'codejury[completion]'"
        ) from None
    return [
        Piece(cast("Kind", block.tag), block.src_start, block.src_end, block.dest_start, block.dest_end)
        for block in Levenshtein.opcodes(a, b)
    ]


def distances(a: str, b: str) -> list[list[int]]:
    """The table of Wagner and Fischer (1974): row i, column j has the distance of `a[:i]` and `b[:j]`."""
    rows = [list(range(len(b) + 1))]
    for i, char in enumerate(a, 1):
        above, row = rows[-1], [i]
        for j, other in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (char != other)))
        rows.append(row)
    return rows


def path(pieces: Sequence[Piece]) -> list[tuple[int, int]]:
    """The cells of the table that an alignment goes through, from (0, 0) to its last."""
    cells = [(0, 0)]
    for piece in pieces:
        i, j = piece.a_start, piece.b_start
        for _ in range(max(piece.a_end - i, piece.b_end - j)):
            i, j = i + (piece.kind != "insert"), j + (piece.kind != "delete")
            cells.append((i, j))
    return cells


def path_cost(a: str, b: str, cells: Sequence[tuple[int, int]]) -> int:
    """What the steps of a path cost: 1 for each that does not go from a character to the same one.

    Raises:
        ValueError: A step goes elsewhere than down, right, or both by one.
    """
    cost = 0
    for (i, j), (down, right) in pairwise(cells):
        if (down - i, right - j) not in {(0, 1), (1, 0), (1, 1)}:
            raise ValueError(f"no step leads from ({i}, {j}) to ({down}, {right})")
        cost += not (down - i and right - j and a[i] == b[j])
    return cost
