"""The tree edit distance of `_ted.c` in Python, for machines where that was not built. The same arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

Ints: TypeAlias = "Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int32]]"
Table: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int32]]"


def distance(
    left_a: Ints,
    label_a: Ints,
    left_b: Ints,
    label_b: Ints,
    table: Table | None = None,
    /,
) -> int:
    """The edit distance of two forests.

    Args:
        left_a: Of each node in post-order, the left-most leaf below it.
        label_a: The labels of the nodes.
        left_b: The same of the other forest.
        label_b: The same of the other forest.
        table: If given, gets the distance of each pair of subtrees, row by row.
    """
    a, b = _Forest(left_a, label_a), _Forest(left_b, label_b)
    trees = [[0] * b.n for _ in range(a.n)]
    last: list[int] = []
    for i in a.key_roots:
        for j in b.key_roots:
            last = _fill(a, b, i, j, trees)
    if table is not None:
        table[:] = [value for row in trees for value in row]
    return last[-1]


class _Forest:
    def __init__(self, left: Ints, label: Ints) -> None:
        self.left, self.label = [int(i) for i in left], [int(i) for i in label]
        self.n = len(self.left)
        highest = {leaf: node for node, leaf in enumerate([*self.left, 0])}
        self.key_roots = sorted(highest.values())  # the last is a root above all, in common to both forests

    def span(self, root: int) -> tuple[int, int]:
        """The nodes of a key root's tree without the root in common: the first, and the one after the last."""
        return (self.left[root], root + 1) if root < self.n else (0, root)


def _fill(a: _Forest, b: _Forest, i: int, j: int, trees: list[list[int]]) -> list[int]:
    """Find the distances of all pairs of subtrees below two key roots; the last row of those of the forests."""
    (low_a, high_a), (low_b, high_b) = a.span(i), b.span(j)
    starts = [start - low_b for start in b.left[low_b:high_b]]
    labels = b.label[low_b:high_b]
    rows = [list(range(high_b - low_b + 1))]
    for node in range(low_a, high_a):
        above, apart, tree = rows[-1], rows[a.left[node] - low_a], trees[node]
        label, spine = a.label[node], a.left[node] == low_a
        last = len(rows)
        row = [last]
        for y, start in enumerate(starts):
            best = min(above[y + 1], last) + 1
            if spine and start == 0:
                best = min(best, above[y] + (label != labels[y]))
                tree[low_b + y] = best
            else:
                best = min(best, apart[start] + tree[low_b + y])
            last = best
            row.append(best)
        rows.append(row)
    return rows[-1]
