"""Local names renamed: which names are local, in each language, alone and in context."""

from __future__ import annotations

import pytest

from codejury.metrics.trees.alpha import alpha
from codejury.metrics.trees.parsing import parse


def leaves(text: str, language: str = "python", prefix: str = "", suffix: str = "") -> list[str]:
    """The texts of the leaves, renamed."""
    tree = alpha(parse(prefix, text, suffix, language))
    keys = (tree.key(node) for node in range(len(tree)))
    return [key.text for key in keys if key.text is not None]


def names(text: str, language: str = "python", prefix: str = "", suffix: str = "") -> list[str]:
    """The texts of the leaves that are words or renamed, without keywords."""
    keep = ("<", "_")
    found = leaves(text, language, prefix, suffix)
    return [leaf for leaf in found if (leaf.startswith(keep) and leaf != "<") or leaf in OUTSIDE]


OUTSIDE = {"f", "g", "h", "len", "self", "items", "key", "total", "K", "np", "sum", "fmt", "console"}
"""Names of the examples that are not local."""


def test_names_by_first_occurrence() -> None:
    """A fragment's names that come from nowhere are local, in the order in which they occur."""
    assert ["return", "<0>", "+", "<1>"] == leaves("return a + b")
    assert leaves("return a + b") == leaves("return x + y") == leaves("return b + a")
    assert leaves("return a + a") != leaves("return a + b")


def test_the_context_keeps_its_names() -> None:
    """Parameters of the function around are not renamed, so their order counts; names that the text adds are."""
    head = "def f(a, b):\n    "
    assert ["return", "a", "-", "b"] == leaves("return a - b", prefix=head)
    assert leaves("t = a\n    return t", prefix=head) == leaves("s = a\n    return s", prefix=head)
    assert leaves("t = a", prefix=head) != leaves("t = b", prefix=head)
    assert ["total", "=", "a"] == leaves("total = a", prefix=head, suffix="\n    return total\n")


def test_other_functions_do_not_fix_names() -> None:
    """A name that another function uses, too, is local where the text binds it."""
    other = "def g(i):\n    return i\n\n"
    assert leaves("for i in a: g(i)", prefix=other + "def f(a):\n    ") == leaves(
        "for j in a: g(j)", prefix=other + "def f(a):\n    "
    )
    assert leaves("def h(i): return i", prefix=other) == leaves("def h(j): return j", prefix=other)


def test_names_from_elsewhere_stay() -> None:
    """Functions that are called, attributes, names of arguments, built-in names and names of the file stay."""
    text = "def f(x):\n    y = len(x)\n    self.items = g(y, key=x)\n    return map(int, x), np.sum(y)\n"
    expected = [
        "f",
        "<0>",
        "<1>",
        "len",
        "<0>",
        "self",
        "items",
        "g",
        "<1>",
        "key",
        "<0>",
        "<0>",
        "np",
        "sum",
        "<1>",
    ]
    assert expected == names(text)
    assert "int" in leaves(text)
    assert ["return", "LIMIT"] == leaves("return LIMIT", prefix="LIMIT = 3\n\ndef f():\n    ")


def test_a_cut_name_is_not_renamed() -> None:
    """The part of a name that the text has is not a name."""
    assert ["o", "+", "<0>"] == leaves("o + y", prefix="x = fo")


FUNCTIONS = {
    "python": "def f({a}, {b}=1):\n  for {i} in {a}: {c} = h({i}, {b})\n  return {c}\n",
    "javascript": "function f({a}, {b}) {{ for (const {i} of {a}) {{ let {c} = h({i}, {b}); }} return {a}; }}",
    "typescript": "function f({a}: K, {b}: K) {{ for (const {i} of {a}) {{ let {c} = h({i}, {b}); }} }}",
    "tsx": "function f({a}: K, {b}: K) {{ const {c} = h({a}); return <h>{{{c}}}{{{b}}}</h>; }}",
    "java": "class K {{ int f(int {a}, int {b}) {{ for (int {i} : {a}) {{ int {c} = h({i}, {b}); }} }} }}",
    "go": "package p\nfunc f({a}, {b} int) int {{ for {i} := range {a} {{ {c} := h({i}, {b}); h({c}) }} }}",
    "rust": "fn f({a}: K, ({b}, {i}): K) {{ let {c} = h({i}); match {a} {{ Some({d}) => {d}, None => {b} }} }}",
    "c": "int f(int {a}, char *{b}) {{ for (int {i} = 0; {i} < {a}; {i}++) {{ int {c} = h({i}, {b}); }} }}",
    "cpp": "int f(int {a}, K& {b}) {{ for (auto& {i} : {a}) {{ auto [{c}, {d}] = h({i}); h({c}); }} h({b}); }}",
    "c-sharp": "class K {{ void F(int {a}, K {b}) {{ foreach (var {i} in {a}) {{ var {c} = h({i}, {b}); }} }} }}",
    "ruby": "def f({a}, {b} = 1)\n  {a}.each {{ |{i}| {c} = h({i}, {b}) }}\n  {c}\nend",
    "php": "function f(${a}, ${b}) {{ foreach (${a} as ${i}) {{ ${c} = h(${i}, ${b}); }} return ${c}; }}",
    "kotlin": "fun f({a}: K, {b}: K): K {{ for ({i} in {a}) {{ val {c} = h({i}, {b}) }}; return {a} }}",
    "bash": "f() {{ local {a}=1; for {i} in x y; do {c}=$(({a} + {b})); echo ${i} ${c}; done; {b}=2; h ${b}; }}",
}


@pytest.mark.parametrize("language", FUNCTIONS)
def test_each_language_binds_parameters_and_variables(language: str) -> None:
    """A function with other names for all of its parameters and variables is the same; with a use swapped, not."""
    text = FUNCTIONS[language]
    own = {"a": "alpha", "b": "beta", "c": "gamma", "d": "delta", "i": "index"}
    other = {"a": "one", "b": "two", "c": "three", "d": "four", "i": "five"}
    first, second = (parse("", text.format(**names), "", language) for names in (own, other))
    assert not first.faults
    assert leaves(text.format(**own), language) == leaves(text.format(**other), language)
    assert not set(own.values()) & set(leaves(text.format(**own), language))
    assert [first.tree.key(node).type for node in range(len(first.tree))] == [
        second.tree.key(node).type for node in range(len(second.tree))
    ]
    swapped = text.rpartition("{b}")
    assert leaves(text.format(**own), language) != leaves("{a}".join(swapped[::2]).format(**own), language)


def test_the_form_stays() -> None:
    """Renaming changes labels alone; a tree without local names is as it was."""
    parsed = parse("", "def f(a):\n    return a\n", "", "python")
    renamed = alpha(parsed)
    assert parsed.tree.parent.tolist() == renamed.parent.tolist()
    assert len(renamed.keys) == len(set(renamed.keys))
    fixed = parse("", "f(1)", "", "python")
    assert fixed.tree.keys == alpha(fixed).keys
    assert fixed.tree.label.tolist() == alpha(fixed).label.tolist()
