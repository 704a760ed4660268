"""Trees whose local names do not matter: each is renamed by the order of first occurrence in the text.

A name of the text is local if it is a variable there, not an attribute or the name of an argument, and

- a function inside the text binds it, as a parameter or a variable, or
- the text binds it and nothing else in the function around the text uses it (in the file, if there is none), or
- nothing says where it comes from: it is bound nowhere, not called, no type, not in the rest of the file and not
  built in.

So names that the context has are kept: `a - b` and `b - a` below `def f(a, b):` differ, and are alike alone. Names
are told apart, not symbols: two variables of one name are one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from codejury.metrics.trees.flat import Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import tree_sitter

    from codejury.metrics.trees.flat import Tree
    from codejury.metrics.trees.parsing import Parsed


class _Name(NamedTuple):
    """An identifier of a file and what its place tells of it.

    Attributes:
        text: The name.
        start: Its first byte.
        inside: Whether it is in the text.
        variable: Whether it can be a variable.
        outer: Whether it names something from elsewhere unless it is bound.
        bound: Whether it gets bound here.
        function: Whether a function of the text is around it.
        fixed: Whether it is a name of something else as well.
    """

    text: str
    start: int
    inside: bool
    variable: bool
    outer: bool
    bound: bool
    function: bool
    fixed: bool


class _Above(NamedTuple):
    """A node whose children are being looked at."""

    type: str
    bound: bool
    function: bool


@lru_cache(maxsize=4)  # a pair's two sides, for each of its metrics
def alpha(parsed: Parsed) -> Tree:
    """The tree of a text with its local names renamed to `<0>`, `<1>` and so on."""
    names = list(_names(parsed, _around(parsed)))
    local = _local(parsed, names)
    order: dict[str, int] = {}
    renamed = {
        name.start: f"<{order.setdefault(name.text, len(order))}>"
        for name in names
        if name.inside and name.variable and name.text in local
    }
    tree = parsed.tree
    numbers = {key: number for number, key in enumerate(tree.keys)}
    label = tree.label.copy()
    for node, start in enumerate(tree.start.tolist()):
        key = tree.key(node)
        if start in renamed and key.text is not None and key.type in parsed.language.identifiers:
            label[node] = numbers.setdefault(Key(key.type, renamed[start]), len(numbers))
    used, places = np.unique(label, return_inverse=True)
    keys = tuple(numbers)
    return replace(tree, keys=tuple(keys[number] for number in used.tolist()), label=places.astype(np.int32))


def _local(parsed: Parsed, names: Iterable[_Name]) -> set[str]:
    """The names to be renamed."""
    inside = [name for name in names if name.inside]
    elsewhere = {name.text for name in names if not name.inside}
    fixed = {name.text for name in inside if name.fixed}
    in_function = {name.text for name in inside if name.bound and name.function}
    bound = {name.text for name in inside if name.bound} - elsewhere
    found = in_function | bound
    if parsed.language.free:
        rest = (parsed.source[: parsed.low] + b" " + parsed.source[parsed.high :]).decode("utf-8", "replace")
        known = elsewhere | {name.text for name in inside if name.outer} | set(re.findall(r"\w+", rest))
        found |= {name.text for name in inside if name.variable} - known
    return {name for name in found - fixed if not parsed.language.foreign(name)}


def _around(parsed: Parsed) -> tree_sitter.Node:
    """The outermost function that begins before the text and has its first token; the file if there is none."""
    text = parsed.source[parsed.low : parsed.high]
    first = parsed.high - len(text.lstrip())
    cursor = parsed.syntax.walk()
    while True:
        node = cursor.node
        assert node is not None
        if node.type in parsed.language.scopes and node.start_byte < parsed.low and first < node.end_byte:
            return node
        if node.start_byte > first or cursor.goto_first_child_for_byte(first) is None:
            return parsed.syntax.root_node


def _names(parsed: Parsed, root: tree_sitter.Node) -> Iterator[_Name]:
    """The identifiers below a node in the order of the source."""
    language = parsed.language
    leaves = language.identifiers | language.shorthand
    cursor = root.walk()
    above, index = [_Above("", bound=False, function=False)], [0]
    while True:
        node = cursor.node
        assert node is not None
        kind, (start, end) = node.type, node.byte_range
        role = f"{above[-1].type}.{cursor.field_name or ''}"
        bound = role in language.binders or (above[-1].bound and role in language.patterns)
        inside = start >= parsed.low and end <= parsed.high
        if kind in leaves and start < end:
            yield _Name(
                text=parsed.source[start:end].decode("utf-8", "backslashreplace"),
                start=start,
                inside=inside,
                variable=role not in language.members and not (index[-1] and above[-1].type in language.tails),
                outer=role in language.outer,
                bound=bound,
                function=above[-1].function,
                fixed=kind in language.shorthand,
            )
        function = above[-1].function or (inside and kind in language.scopes)
        if cursor.goto_first_child():
            above.append(_Above(kind, bound, function))
            index.append(0)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            above.pop()
            index.pop()
        index[-1] += 1
