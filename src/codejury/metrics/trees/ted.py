"""Tree edit distance: how many nodes to delete, insert or relabel to make one tree of another.

The algorithm of Zhang and Shasha, "Simple fast algorithms for the editing distance between trees and related
problems", SIAM J. Comput. 18 (1989), with unit costs. Forests are compared as if they had a root in common. The
time depends on which side long branches lean to, and the distance of mirrored trees is the same, so the trees are
mirrored where that is less work.

`BACKEND` tells what runs it: "c", the extension that is built with the package, or "python" where there is none.
Both give the same numbers; the limits are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from codejury.metrics.trees.flat import Column, Tree, common_labels, depths

BACKEND: Literal["c", "python"]
"""What computes distances on this machine."""

try:
    from codejury.metrics.trees._ted import distance as _distance

    BACKEND = "c"
except ImportError:
    from codejury.metrics.trees._pure import distance as _distance

    BACKEND = "python"

MAX_PAIRS = 5_000_000
"""The largest product of the two numbers of nodes; the memory needed is 8 bytes for each pair."""

MAX_STEPS = 500_000_000
"""The largest number of steps: pairs of nodes, each as often as it is looked at. About a second in C."""


class TooLargeError(ValueError):
    """Two trees are beyond the limits; the message says by how much."""


class Edit(NamedTuple):
    """One line of an edit mapping.

    Attributes:
        a: A node of the first tree, deleted if there is no b.
        b: A node of the second tree, inserted if there is no a.
        cost: 0 where both have the same key, else 1.
    """

    a: int | None
    b: int | None
    cost: int


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """A tree as the algorithm takes it, perhaps mirrored."""

    left: Column
    label: Column
    nodes: Column


def distance(a: Tree, b: Tree) -> int:
    """The tree edit distance with unit costs.

    Raises:
        TooLargeError: The trees are beyond `MAX_PAIRS` or `MAX_STEPS`.
    """
    one, two = _sides(a, b)
    return _distance(one.left, one.label, two.left, two.label)


def mapping(a: Tree, b: Tree) -> list[Edit]:
    """An edit mapping of least cost, in the order of the nodes; the sum of its costs is the distance.

    Nodes that are mapped onto each other keep the order from left to right and who is above whom.

    Raises:
        TooLargeError: The trees are beyond `MAX_PAIRS` or `MAX_STEPS`.
    """
    one, two = _sides(a, b)
    table = np.zeros(len(a) * len(b), np.int32)
    _distance(one.left, one.label, two.left, two.label, table)
    pairs = {
        int(one.nodes[i]): int(two.nodes[j]) for i, j in _trace(one, two, table.reshape(len(a), len(b)).tolist())
    }
    changed = {i: int(a.key(i) != b.key(j)) for i, j in pairs.items()}
    kept = [Edit(i, pairs.get(i), changed.get(i, 1)) for i in range(len(a))]
    return [*kept, *(Edit(None, j, 1) for j in sorted(set(range(len(b))) - set(pairs.values())))]


def steps(left_a: Column, left_b: Column) -> int:
    """How many pairs of nodes the algorithm looks at, each as often as it does."""
    return _weight(left_a) * _weight(left_b)


def _weight(left: Column) -> int:
    """The sum of the sizes of the trees below the key roots."""
    n = len(left)
    highest = np.zeros(n, np.int64)
    np.maximum.at(highest, left, np.arange(n))
    leaves = np.unique(left)
    leaves = leaves[leaves > 0]
    return n + int(np.sum(highest[leaves] - leaves + 1))


def _sides(a: Tree, b: Tree) -> tuple[_Side, _Side]:
    if len(a) * len(b) > MAX_PAIRS:
        raise TooLargeError(f"{len(a)} x {len(b)} nodes; at most {MAX_PAIRS:,} pairs")
    labels = common_labels(a, b)
    plain = [
        _Side(t.left, label, np.arange(len(t), dtype=np.int32)) for t, label in zip((a, b), labels, strict=True)
    ]
    mirrored = [_mirror(tree, label) for tree, label in zip((a, b), labels, strict=True)]
    best = min(plain, mirrored, key=lambda sides: steps(sides[0].left, sides[1].left))
    needed = steps(best[0].left, best[1].left)
    if needed > MAX_STEPS:
        raise TooLargeError(f"{len(a)} x {len(b)} nodes need {needed:.1e} steps; at most {MAX_STEPS:.0e}")
    return best[0], best[1]


def _mirror(tree: Tree, label: Column) -> _Side:
    """The tree with the children of each node in reverse: its post-order is the pre-order backwards."""
    n = len(tree)
    size = np.arange(n, dtype=np.int32) - tree.left + 1
    place = (
        n - 1 - (tree.left + depths(tree))
    )  # what is before a node in pre-order: those to its left and those above
    nodes, left, labels = (np.empty(n, np.int32) for _ in range(3))
    nodes[place] = np.arange(n, dtype=np.int32)
    left[place] = place - size + 1
    labels[place] = label
    return _Side(left, labels, nodes)


def _trace(a: _Side, b: _Side, trees: list[list[int]]) -> list[tuple[int, int]]:
    """The mapped pairs, from the distances of all pairs of subtrees: the way back from each forest's end."""
    left_a, left_b = a.left.tolist(), b.left.tolist()
    label_a, label_b = a.label.tolist(), b.label.tolist()
    pairs: list[tuple[int, int]] = []
    waiting = [(0, len(left_a), 0, len(left_b))]
    while waiting:
        low_a, high_a, low_b, high_b = waiting.pop()
        rows: list[list[int]] = [list(range(high_b - low_b + 1))]
        for i in range(low_a, high_a):
            rows.append(
                _row(
                    rows,
                    left_a[i] - low_a,
                    [j - low_b for j in left_b[low_b:high_b]],
                    [(label_a[i] != label_b[j], trees[i][j]) for j in range(low_b, high_b)],
                )
            )
        x, y = high_a - low_a, high_b - low_b
        while x and y:
            i, j = low_a + x - 1, low_b + y - 1
            if rows[x][y] == rows[x - 1][y] + 1:
                x -= 1
            elif rows[x][y] == rows[x][y - 1] + 1:
                y -= 1
            elif left_a[i] == low_a and left_b[j] == low_b:
                pairs.append((i, j))
                x, y = x - 1, y - 1
            else:
                waiting.append((left_a[i], i + 1, left_b[j], j + 1))
                x, y = left_a[i] - low_a, left_b[j] - low_b
    return pairs


def _row(rows: list[list[int]], start: int, starts: list[int], costs: list[tuple[bool, int]]) -> list[int]:
    """One more row of the distances of forests: costs are of relabelling and of the whole subtrees."""
    above, apart = rows[-1], rows[start]
    row = [len(rows)]
    for y, (other, (change, tree)) in enumerate(zip(starts, costs, strict=True)):
        whole = above[y] + change if start == 0 and other == 0 else apart[other] + tree
        row.append(min(above[y + 1] + 1, row[-1] + 1, whole))
    return row
