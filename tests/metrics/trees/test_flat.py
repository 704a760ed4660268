"""Trees as columns: built from pre-order lists, whatever their form."""

from __future__ import annotations

import pytest

from codejury.metrics.trees.flat import Key, build, common_labels, depths


def test_columns_of_a_small_tree() -> None:
    """f(a, b(c)) in post-order is a c b f, with parents, left-most leaves and bytes of each."""
    tree = build([Key(text) for text in "fabc"], [-1, 0, 0, 2], [(0, 9), (2, 3), (5, 9), (7, 8)])
    assert list("acbf") == [tree.key(node).type for node in range(4)]
    assert [3, 2, 3, -1] == tree.parent.tolist()
    assert [0, 1, 1, 0] == tree.left.tolist()
    assert [1, 2, 1, 0] == depths(tree).tolist()
    assert [(2, 3), (7, 8), (5, 9), (0, 9)] == list(zip(tree.start.tolist(), tree.end.tolist(), strict=True))


def test_forests_and_nothing() -> None:
    """Several roots are a forest; no nodes are an empty one."""
    forest = build([Key(text) for text in "abc"], [-1, -1, 1])
    assert [-1, 2, -1] == forest.parent.tolist()
    assert [0, 1, 1] == forest.left.tolist()
    assert 0 == len(build([], []))


@pytest.mark.parametrize("parents", [[0], [-1, 1], [-1, 0, -1, 1], [-1, 0, 0, 1]])
def test_other_orders_are_refused(parents: list[int]) -> None:
    """A parent that is not above its node is an error that names both."""
    with pytest.raises(ValueError, match=r"is not in pre-order: its parent \d is not above it"):
        build([Key("a")] * len(parents), parents)


def test_lists_must_fit() -> None:
    """Lists of different lengths are refused."""
    with pytest.raises(ValueError, match="same length"):
        build([Key("a")], [-1], [])


def test_common_labels_are_alike_where_keys_are() -> None:
    """Labels over one numbering; text tells leaves apart, and a leaf from a node without text."""
    a = build([Key("n"), Key("n", "x"), Key("n", "y")], [-1, 0, 0])
    b = build([Key("n", "y"), Key("n", "z"), Key("n")], [-1, -1, -1])
    one, two = (labels.tolist() for labels in common_labels(a, b))
    assert (one[2], one[1]) == (two[2], two[0])
    assert two[1] not in one


def test_columns_cannot_be_changed() -> None:
    """A tree is remembered and shared, so its columns are read-only."""
    with pytest.raises(ValueError, match="read-only"):
        build([Key("a")], [-1]).label[0] = 1
