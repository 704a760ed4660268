"""How alike two trees are: numbers from 0, nothing in common, to 1, the same. Neither tree may be empty."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from codejury.metrics.trees import ted
from codejury.metrics.trees.flat import common_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.metrics.trees.flat import Tree


def dice(a: Tree, b: Tree) -> float:
    """2 |A ∩ B| / (|A| + |B|) over the multisets of node keys."""
    return _dice(*(labels.tolist() for labels in common_labels(a, b)))


def dice_types(a: Tree, b: Tree) -> float:
    """2 |A ∩ B| / (|A| + |B|) over the sets of node types."""
    one, two = ({key.type for key in tree.keys} for tree in (a, b))
    return 2 * len(one & two) / (len(one) + len(two))


def dice_subtrees(a: Tree, b: Tree) -> float:
    """2 |A ∩ B| / (|A| + |B|) over the multisets of whole subtrees, one for each node: order and nesting count."""
    numbers: dict[tuple[int, ...], int] = {}
    labels = common_labels(a, b)
    return _dice(*(_subtrees(tree, label.tolist(), numbers) for tree, label in zip((a, b), labels, strict=True)))


def ted_similarity(a: Tree, b: Tree) -> float:
    """1 - d / (n + m), with d the tree edit distance of trees of n and m nodes.

    d is at most n + m: all of one deleted, all of the other inserted. It may be more than the larger of both.

    Raises:
        TooLargeError: The trees are beyond the limits of `codejury.metrics.trees.ted`.
    """
    return 1 - ted.distance(a, b) / (len(a) + len(b))


def _dice(one: Sequence[int], two: Sequence[int]) -> float:
    return 2 * (Counter(one) & Counter(two)).total() / (len(one) + len(two))


def _subtrees(tree: Tree, labels: Sequence[int], numbers: dict[tuple[int, ...], int]) -> list[int]:
    """The number of each node's subtree; alike subtrees share a number, in all calls with the same numbers."""
    below: list[list[int]] = [[] for _ in labels]
    found = []
    for node, (label, parent) in enumerate(zip(labels, tree.parent.tolist(), strict=True)):
        number = numbers.setdefault((label, *below[node]), len(numbers))
        found.append(number)
        if parent >= 0:
            below[parent].append(number)
    return found
