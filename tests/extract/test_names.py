"""Which names statements bind and use: against the compiler's own symbol tables, and by example."""

from __future__ import annotations

import ast
import symtable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.extract.names import Names, names_of

EXAMPLES = [
    "def f(a, b=c, *d, e: g = h, **i) -> j:\n    k = a + l\n    return k, b, d, e, i\n",
    "class A(B, metaclass=C):\n    x = y\n\n    def m(self):\n        return x, self.z\n",
    "def f():\n    global g\n    g = 1\n    def inner():\n        nonlocal h\n        h = g\n    h = 2\n",
    "def f():\n    def inner():\n        return late\n    late = 1\n    return inner\n",
    "x = [a for a in b if c(a)]\n",
    "x = {k: v for k, v in zip(m, n)}\n",
    "for i in r:\n    s.append(i)\nelse:\n    t = 1\n",
    "with a as (b, c):\n    d = b\n",
    "try:\n    import m.n as o\nexcept E as e:\n    p = e\nfinally:\n    q()\n",
    "match a:\n    case [b, *c] if d:\n        e\n    case {'k': f, **g}:\n        pass\n",
    "match a:\n    case H(i=1) as j:\n        pass\n",
    "x = lambda a, *b: a(b, c)\n",
    "async def f():\n    async with a as b:\n        await b.c(d)\n    async for e in g:\n        yield e\n",
    "x += y\n",
    "del a, b[c]\n",
    "if (n := m(1)) > 2:\n    pass\n",
    "def f(x):\n    return [(y := x), y]\n",
    "@d(e)\ndef f():\n    import g\n    return g\n",
]


def by_symbol_tables(source: str) -> tuple[set[str], set[str]]:
    """Names that the module binds, and names of the module that are read anywhere, as the compiler sees them."""
    binds: set[str] = set()
    uses: set[str] = set()
    tables = [symtable.symtable(source, "<test>", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        module = table.get_type() == "module"
        for symbol in table.get_symbols():
            ours = module or symbol.is_global()
            if ours and (symbol.is_assigned() or symbol.is_imported() or (module and symbol.is_namespace())):
                binds.add(symbol.get_name())
            if ours and symbol.is_referenced():
                uses.add(symbol.get_name())
    return binds, uses


def check(source: str) -> None:
    """Nothing is missed; what a class or an augmented name may read besides is allowed."""
    found = [names_of(node) for node in ast.parse(source).body]
    binds, uses = by_symbol_tables(source)
    assert binds == {name for one in found for name in one.binds}
    ours = {name for one in found for name in one.uses}
    assert uses <= ours
    if not any(isinstance(node, ast.ClassDef | ast.AugAssign) for node in ast.walk(ast.parse(source))):
        assert ours <= uses


@pytest.mark.parametrize("source", EXAMPLES)
def test_as_the_compiler_sees_them(source: str) -> None:
    """Functions, classes, comprehensions, patterns, imports, walrus, global and nonlocal."""
    check(source)


NAME = st.sampled_from(["a", "b", "c"])
EXPRESSION = st.recursive(
    NAME,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("{0[0]}({0[1]})".format),
        st.tuples(NAME, inner).map("(lambda {0[0]}: {0[1]})".format),
        st.tuples(inner, NAME, inner).map("[{0[0]} for {0[1]} in {0[2]}]".format),
        inner.map("{}.a".format),
    ),
    max_leaves=6,
)


def _indented(lines: list[str]) -> str:
    return "".join(f"    {line}\n" for block in lines for line in block.rstrip("\n").split("\n"))


STATEMENT = st.recursive(
    st.one_of(
        st.tuples(NAME, EXPRESSION).map("{0[0]} = {0[1]}\n".format),
        EXPRESSION.map("{}\n".format),
        NAME.map("import {}\n".format),
    ),
    lambda inner: st.one_of(
        st.tuples(NAME, NAME, st.lists(inner, min_size=1, max_size=3)).map(
            lambda parts: f"def {parts[0]}({parts[1]}):\n{_indented(parts[2])}"
        ),
        st.tuples(NAME, EXPRESSION, st.lists(inner, min_size=1, max_size=3)).map(
            lambda parts: f"for {parts[0]} in {parts[1]}:\n{_indented(parts[2])}"
        ),
        st.tuples(NAME, st.lists(inner, min_size=1, max_size=3)).map(
            lambda parts: f"class {parts[0]}:\n{_indented(parts[1])}"
        ),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(source=st.lists(STATEMENT, min_size=1, max_size=3).map("".join))
def test_any_module_as_the_compiler_sees_it(source: str) -> None:
    """Scopes in scopes."""
    check(source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f.cache = {}", {"stores": {"f"}}),
        ("t[0][1].x = 1", {"stores": {"t"}}),
        (
            "decimal.getcontext().prec = 5",
            {"stores": {"decimal"}, "calls": {"getcontext"}, "receivers": {"decimal"}},
        ),
        ("f.cache_clear()", {"receivers": {"f"}, "calls": {"cache_clear"}}),
        ("S().m(1)", {"receivers": set(), "calls": {"S", "m"}}),
        ("def g(x):\n    x.y = 1\n    x.z()", {"stores": set(), "receivers": set()}),
        ("def g():\n    T[0] = 1", {"stores": {"T"}}),
        ("from a.b import c as d, e", {"imports": {"d": "a.b.c", "e": "a.b.e"}, "binds": {"d", "e"}}),
        ("import a.b", {"imports": {"a": "a.b"}, "binds": {"a"}}),
    ],
)
def test_what_may_change(source: str, expected: dict[str, object]) -> None:
    """Attributes, items and methods, by the name that they begin with; objects of the function's own are not."""
    found: Names = names_of(ast.parse(source).body[0])
    assert expected == {name: getattr(found, name) for name in expected}
