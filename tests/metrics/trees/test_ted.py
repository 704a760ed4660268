"""The tree edit distance: against other programs, by its properties, by its mapping, on both back ends."""

from __future__ import annotations

import colorsys
import fnmatch
import importlib.util
import inspect
import itertools
import random
import shutil
import string
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import apted
import apted.helpers
import numpy as np
import pytest
import zss
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.metrics.trees import _pure, flat, ted
from codejury.metrics.trees.flat import Key, Tree, build
from codejury.metrics.trees.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

LABELS = [Key("node", text) for text in "abc"]


def generator(seed: int) -> random.Random:
    """A source of chance for tests."""
    return random.Random(seed)  # noqa: S311 - for test data


def random_tree(rng: random.Random, most: int) -> Tree:
    """A tree with one root and up to `most` nodes of three labels, of any form."""
    parents, branch = [-1], [0]
    for node in range(1, rng.randint(1, most)):
        while len(branch) > 1 and rng.random() < 0.5:
            branch.pop()
        parents.append(branch[-1])
        branch.append(node)
    return build([rng.choice(LABELS) for _ in parents], parents)


@st.composite
def forests(draw: st.DrawFn, most: int = 9) -> Tree:
    """A forest of up to `most` nodes, perhaps none."""
    parents: list[int] = []
    branch = [-1]
    for node in range(draw(st.integers(0, most))):
        branch = branch[: draw(st.integers(1, len(branch)))]
        parents.append(branch[-1])
        branch.append(node)
    return build([draw(st.sampled_from(LABELS)) for _ in parents], parents)


def children(tree: Tree) -> list[list[int]]:
    """Of each node, its children from left to right."""
    below: list[list[int]] = [[] for _ in range(len(tree))]
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            below[parent].append(node)
    return below


def by_zss(a: Tree, b: Tree) -> int:
    """The distance that zss finds."""

    def nested(tree: Tree) -> Any:
        nodes = [zss.Node(tree.key(node)) for node in range(len(tree))]
        for node, below in zip(nodes, children(tree), strict=True):
            for child in below:
                node.addkid(nodes[child])
        return nodes[-1]

    return int(zss.simple_distance(nested(a), nested(b), label_dist=lambda x, y: int(x != y)))


def by_apted(a: Tree, b: Tree) -> int:
    """The distance that apted finds."""

    def nested(tree: Tree) -> Any:
        nodes: list[Any] = []
        for node, below in enumerate(children(tree)):
            nodes.append(apted.helpers.Tree(tree.key(node), *(nodes[child] for child in below)))
        return nodes[-1]

    return int(apted.APTED(nested(a), nested(b)).compute_edit_distance())


@pytest.mark.parametrize("seed", range(4))
def test_equals_zss_and_apted_on_random_trees(seed: int) -> None:
    """The same distance as two other programs on 2,000 random pairs."""
    rng = generator(seed)
    for _ in range(500):
        a, b = random_tree(rng, 12), random_tree(rng, 12)
        assert by_zss(a, b) == by_apted(a, b) == ted.distance(a, b)


def test_equals_zss_and_apted_on_real_functions() -> None:
    """The same distance as two other programs on functions of the standard library."""
    functions: list[Callable[..., Any]] = [
        textwrap.shorten,
        textwrap.indent,
        fnmatch.filter,
        colorsys.rgb_to_hsv,
        string.capwords,
        shutil.copyfileobj,
    ]
    sources = [textwrap.dedent(inspect.getsource(function)) for function in functions]
    trees = [parse("", source, "", "python").tree for source in sources]
    assert all(len(tree) > 30 for tree in trees)
    for a, b in itertools.combinations(trees, 2):
        assert by_apted(a, b) == ted.distance(a, b)
        if len(a) * len(b) < 3000:  # zss takes seconds for more
            assert by_zss(a, b) == ted.distance(a, b)


def test_known_distances() -> None:
    """The example of Zhang and Shasha's article, f(d(a c(b)) e) and f(c(d(a b)) e), has distance 2."""
    a = build([Key(text) for text in "fdacbe"], [-1, 0, 1, 1, 3, 0])
    b = build([Key(text) for text in "fcdabe"], [-1, 0, 1, 2, 2, 0])
    assert 2 == ted.distance(a, b)
    empty = build([], [])
    assert (6, 6, 0) == (ted.distance(a, empty), ted.distance(empty, a), ted.distance(empty, empty))


@settings(deadline=None)
@given(forests(), forests(), forests())
def test_is_a_metric(a: Tree, b: Tree, c: Tree) -> None:
    """Identity, symmetry and triangle inequality hold; n + m bounds it, and |n - m| from below."""
    assert 0 == ted.distance(a, a)
    assert ted.distance(a, b) == ted.distance(b, a)
    assert ted.distance(a, c) <= ted.distance(a, b) + ted.distance(b, c)
    assert abs(len(a) - len(b)) <= ted.distance(a, b) <= len(a) + len(b)


@settings(deadline=None)
@given(forests(), forests())
def test_zero_only_for_the_same_tree(a: Tree, b: Tree) -> None:
    """Distance 0 means the same nodes in the same form."""

    def same(tree: Tree) -> Any:
        return [(tree.key(node), parent) for node, parent in enumerate(tree.parent.tolist())]

    assert (same(a) == same(b)) == (ted.distance(a, b) == 0)


@settings(deadline=None)
@given(forests(14), forests(14))
def test_back_ends_agree(a: Tree, b: Tree) -> None:
    """The C extension and Python give the same distance and the same table of subtrees' distances."""
    if ted.BACKEND != "c":
        pytest.skip("the C extension was not built on this machine")
    from codejury.metrics.trees import _ted  # noqa: PLC0415 - it may be missing

    label_a, label_b = flat.common_labels(a, b)
    tables = [np.full(len(a) * len(b), -1, np.int32) for _ in range(2)]
    expected = _pure.distance(a.left, label_a, b.left, label_b, tables[0])
    assert expected == _ted.distance(a.left, label_a, b.left, label_b, tables[1])
    assert expected == _ted.distance(a.left, label_a, b.left, label_b)
    assert tables[0].tolist() == tables[1].tolist()


@pytest.mark.parametrize(
    ("buffers", "error"),
    [
        ([np.zeros(3, np.int32), np.zeros(2, np.int32)] * 2, ValueError),
        ([np.zeros(3, np.int64)] * 4, ValueError),
        ([[0]] * 4, TypeError),
    ],
)
def test_extension_refuses_wrong_buffers(buffers: list[Any], error: type[Exception]) -> None:
    """Buffers of other lengths or types are refused, not read."""
    extension = pytest.importorskip("codejury.metrics.trees._ted")
    with pytest.raises(error):
        extension.distance(*buffers)


@settings(deadline=None)
@given(forests(), forests())
def test_mapping_is_valid_and_costs_the_distance(a: Tree, b: Tree) -> None:
    """Each node is in one edit; pairs keep order and ancestry; the costs add up to the distance."""
    edits = ted.mapping(a, b)
    assert list(range(len(a))) == sorted(edit.a for edit in edits if edit.a is not None)
    assert list(range(len(b))) == sorted(edit.b for edit in edits if edit.b is not None)
    assert ted.distance(a, b) == sum(edit.cost for edit in edits)
    pairs = [(edit.a, edit.b) for edit in edits if edit.a is not None and edit.b is not None]
    for edit in edits:
        if edit.a is None or edit.b is None:
            assert 1 == edit.cost
        else:
            assert int(a.key(edit.a) != b.key(edit.b)) == edit.cost
    for (i, x), (j, y) in itertools.combinations(pairs, 2):
        assert (i < j) == (x < y)
        assert (a.left[j] <= i < j) == (b.left[y] <= x < y)


def test_mapping_of_one_renamed_leaf() -> None:
    """`a + b` against `a - b`: all nodes are mapped, one of them is relabelled."""
    a, b = (parse("", text, "", "python").tree for text in ("return a + b", "return a - b"))
    edits = ted.mapping(a, b)
    assert [(node, node) for node in range(7)] == [(edit.a, edit.b) for edit in edits]
    assert [("+", "-")] == [
        (a.key(edit.a).text, b.key(edit.b).text)
        for edit in edits
        if edit.cost and edit.a is not None and edit.b is not None
    ]


def test_depth_is_no_limit() -> None:
    """A branch of 100,000 nodes has its distance, and one of 500 its mapping."""
    deep = build([LABELS[0]] * 100_000, range(-1, 99_999))
    leaf = build([LABELS[0]], [-1])
    assert 99_999 == ted.distance(deep, leaf)
    branch, longer = (build([LABELS[0]] * n, range(-1, n - 1)) for n in (500, 501))
    assert 1 == sum(edit.cost for edit in ted.mapping(branch, longer))


def comb(n: int, *, right: bool) -> Tree:
    """A tree of n inner nodes on a branch that leans to one side, each with a leaf on the other."""
    parents = [-1]
    if right:
        for node in range(n - 1):
            parents += [2 * node, 2 * node]
        return build([LABELS[0]] * len(parents), parents)
    inner = list(range(n))
    return build([LABELS[0]] * (2 * n - 1), [-1, *inner[:-1], *reversed(inner[:-1])])


def test_trees_are_mirrored_where_that_is_less_work() -> None:
    """Combs that lean to the right take a number of steps that is linear in their size, as those to the left."""
    left, right = comb(1000, right=False), comb(1000, right=True)
    assert ted.steps(right.left, right.left) > ted.MAX_STEPS > ted.steps(left.left, left.left)
    assert 0 == ted.distance(left, left)
    assert 0 == ted.distance(right, right)


def test_limits_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees beyond a limit are refused with their sizes."""
    a = random_tree(generator(1), 40)
    monkeypatch.setattr(ted, "MAX_PAIRS", 10)
    with pytest.raises(ted.TooLargeError, match=rf"{len(a)} x {len(a)} nodes; at most 10 pairs"):
        ted.distance(a, a)
    monkeypatch.undo()
    monkeypatch.setattr(ted, "MAX_STEPS", 10)
    with pytest.raises(ted.TooLargeError, match="steps; at most 1e"):
        ted.mapping(a, a)


def test_without_the_extension_python_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extension is missing, the module says so and gives the same distances."""
    monkeypatch.setitem(sys.modules, "codejury.metrics.trees._ted", None)
    spec = importlib.util.find_spec("codejury.metrics.trees.ted")
    assert spec is not None
    assert spec.loader is not None
    plain: ModuleType = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, plain)
    spec.loader.exec_module(plain)
    a, b = (random_tree(generator(seed), 30) for seed in (1, 2))
    assert "python" == plain.BACKEND
    assert ted.distance(a, b) == plain.distance(a, b)
    assert ted.mapping(a, b) == [tuple(edit) for edit in plain.mapping(a, b)]
