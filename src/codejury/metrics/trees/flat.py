"""Trees as columns: what the metrics of trees work on.

A tree of n nodes, or a forest, is a set of columns of length n in post-order: children before their parent, left
before right. Nothing is nested, so no depth is too deep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Column: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int32]]"


class Key(NamedTuple):
    """What makes two nodes alike.

    Attributes:
        type: The node's type in the language's grammar.
        text: A leaf's text; None for a node with children.
    """

    type: str
    text: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree or forest in post-order.

    Attributes:
        keys: Distinct keys, those of the nodes among them.
        label: Of each node, the index of its key.
        parent: Of each node, the index of the node above; -1 for a root.
        left: Of each node, the index of the left-most leaf below it; its own for a leaf.
        start: Of each node, the first byte in the file.
        end: Of each node, the first byte after it.
    """

    keys: tuple[Key, ...]
    label: Column
    parent: Column
    left: Column
    start: Column
    end: Column

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.label)

    def key(self, node: int) -> Key:
        """The key of a node."""
        return self.keys[int(self.label[node])]


def build(keys: Sequence[Key], parents: Sequence[int], spans: Sequence[tuple[int, int]] | None = None) -> Tree:
    """The tree of nodes that are listed in pre-order.

    Args:
        keys: The key of each node: a node before its children, left before right.
        parents: The place of each node's parent in the list, always smaller than its own; -1 for a root.
        spans: First byte and the byte after the last of each node; none: all are empty.

    Raises:
        ValueError: The lists differ in length, or the nodes are not in pre-order.
    """
    if len(parents) != len(keys) or (spans is not None and len(spans) != len(keys)):
        raise ValueError("keys, parents and spans must be of the same length")
    depth: list[int] = []
    branch = [-1]
    for node, parent in enumerate(parents):
        while branch[-1] != parent:
            if len(branch) == 1:
                raise ValueError(f"node {node} is not in pre-order: its parent {parent} is not above it")
            branch.pop()
        depth.append(len(branch) - 1)
        branch.append(node)
    distinct: dict[Key, int] = {}
    labels = [distinct.setdefault(key, len(distinct)) for key in keys]
    return assemble(tuple(distinct), labels, parents, depth, spans or [(0, 0)] * len(keys))


def assemble(
    keys: tuple[Key, ...],
    labels: Sequence[int],
    parents: Sequence[int],
    depths: Sequence[int],
    spans: Sequence[tuple[int, int]],
) -> Tree:
    """The tree of nodes that are listed in pre-order, unchecked.

    Args:
        keys: The distinct keys.
        labels: Of each node, the index of its key.
        parents: As for `build`.
        depths: How many nodes are above each node.
        spans: First byte and the byte after the last of each node.
    """
    n = len(labels)
    sizes = [1] * (n + 1)
    for node in range(n - 1, -1, -1):
        sizes[parents[node]] += sizes[node]  # the last place is for the parent of roots
    size = np.asarray(sizes[:n], np.int32)
    place = np.arange(n, dtype=np.int32) - np.asarray(depths, np.int32) + size - 1
    above = np.append(place, np.int32(-1))[np.asarray(parents, np.intp)]
    both = np.asarray(spans, np.int32).reshape(n, 2)
    columns = [np.empty(n, np.int32) for _ in range(5)]
    values = (np.asarray(labels, np.int32), above, place - size + 1, both[:, 0], both[:, 1])
    for column, value in zip(columns, values, strict=True):
        column[place] = value
        column.flags.writeable = False
    return Tree(keys, *columns)


def common_labels(a: Tree, b: Tree) -> tuple[Column, Column]:
    """The labels of two trees over one numbering: alike where the keys are alike."""
    numbers = {key: number for number, key in enumerate(a.keys)}
    renamed = np.fromiter((numbers.setdefault(key, len(numbers)) for key in b.keys), np.int32, len(b.keys))
    return a.label, renamed[b.label]


def depths(tree: Tree) -> Column:
    """How many nodes are above each node."""
    depth = np.zeros(len(tree), np.int32)
    parents = tree.parent.tolist()
    for node in range(len(tree) - 1, -1, -1):
        if parents[node] >= 0:
            depth[node] = depth[parents[node]] + 1
    return depth
