"""The alignment of two texts, its table and its path."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.metrics import alignment as module
from codejury.metrics.alignment import Piece, alignment, distances, path, path_cost
from codejury.metrics.text import TooLargeError, levenshtein_distance
from codejury.model import UsageError

FEW = st.text("ab\n \ud800é", max_size=12)


@given(a=FEW, b=FEW)
def test_alignment_reproduces_both_texts(a: str, b: str) -> None:
    """Its pieces are consecutive, cover both texts, and cost the distance; equal pieces are equal."""
    pieces = alignment(a, b)
    assert a == "".join(a[piece.a_start : piece.a_end] for piece in pieces)
    assert b == "".join(b[piece.b_start : piece.b_end] for piece in pieces)
    assert levenshtein_distance(a, b) == sum(piece.cost for piece in pieces)
    for piece in pieces:
        one, other = a[piece.a_start : piece.a_end], b[piece.b_start : piece.b_end]
        assert (piece.kind == "equal") == (one == other)
        assert (piece.kind == "insert") == (not one)
        assert (piece.kind == "delete") == (not other)
        assert piece.kind != "replace" or len(one) == len(other)


@given(a=FEW, b=FEW)
def test_path_costs_the_distance(a: str, b: str) -> None:
    """Through the table from corner to corner; each cell of it says what the path has cost up to there."""
    table, cells = distances(a, b), path(alignment(a, b))
    assert ((0, 0), (len(a), len(b))) == (cells[0], cells[-1])
    assert levenshtein_distance(a, b) == table[-1][-1] == path_cost(a, b, cells)
    for place, (i, j) in enumerate(cells, 1):
        assert table[i][j] == path_cost(a, b, cells[:place])


@given(a=FEW, b=FEW)
def test_each_cell_is_a_distance(a: str, b: str) -> None:
    """Of the beginnings of both texts."""
    table = distances(a, b)
    assert {len(b) + 1} == set(map(len, table))
    for i, row in enumerate(table):
        assert [levenshtein_distance(a[:i], b[:j]) for j in range(len(b) + 1)] == row


def test_by_hand() -> None:
    """kitten, sitting: two replaced, one inserted."""
    pieces = alignment("kitten", "sitting")
    expected = [
        Piece("replace", 0, 1, 0, 1),
        Piece("equal", 1, 4, 1, 4),
        Piece("replace", 4, 5, 4, 5),
        Piece("equal", 5, 6, 5, 6),
        Piece("insert", 6, 6, 6, 7),
    ]
    assert expected == pieces
    assert [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (6, 7)] == path(pieces)
    assert [[0, 1, 2], [1, 0, 1], [2, 1, 1]] == distances("ab", "ac")


def test_a_path_takes_steps() -> None:
    """No jumps."""
    with pytest.raises(ValueError, match=r"no step leads from \(0, 0\) to \(2, 1\)"):
        path_cost("ab", "ab", [(0, 0), (2, 1)])


def test_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """What texts begin and end with does not count."""
    monkeypatch.setattr(module, "MAX_CELLS", 5)
    assert [Piece("equal", 0, 9, 0, 9), Piece("replace", 9, 11, 9, 11)] == alignment(
        "x" * 9 + "ab", "x" * 9 + "cd"
    )
    with pytest.raises(TooLargeError, match="3 and 2 characters differ too much"):
        alignment("abc", "de")


def test_without_rapidfuzz(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(UsageError, match=r"codejury\[completion\]"):
        alignment("a", "b")
