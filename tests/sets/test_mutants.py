"""Mutants: golden ones of small programs, and that those of any program are programs that differ from it."""

from __future__ import annotations

import ast
import inspect
import sysconfig
import tokenize
import warnings
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.sets.mutants import Mutant, mutants

HEAD = "def f(a, b):\n"


def _labels(source: str, first_line: int = 1) -> list[str]:
    return [mutant.label for mutant in mutants(source, first_line=first_line)]


def _made(source: str, label: str) -> str:
    """The mutant with this label."""
    return {mutant.label: mutant.source for mutant in mutants(source)}[label]


def test_all_mutants_of_a_function() -> None:
    """Labels, lines and sources, in order."""
    source = 'def f(a, b):\n    """Doc."""\n    if a < b:\n        return None\n    return a + 1\n'
    head, condition, result = 'def f(a, b):\n    """Doc."""\n', "    if a < b:\n", "    return a + 1\n"
    nothing = "        return None\n"
    assert [
        Mutant("line 1: removed If", 3, f"{head}    pass\n{result}"),
        Mutant("line 1: removed Return", 5, f"{head}{condition}{nothing}    pass\n"),
        Mutant("line 3: negated condition", 3, f"{head}    if not a < b:\n{nothing}{result}"),
        Mutant("line 3: removed Return", 4, f"{head}{condition}        pass\n{result}"),
        Mutant("line 5: returns None", 5, f"{head}{condition}{nothing}    return None\n"),
        Mutant("line 3: Lt to LtE", 3, f"{head}    if a <= b:\n{nothing}{result}"),
        Mutant("line 3: Lt to GtE", 3, f"{head}    if a >= b:\n{nothing}{result}"),
        Mutant("line 5: Add to Sub", 5, f"{head}{condition}{nothing}    return a - 1\n"),
        Mutant("line 5: 1 to 2", 5, f"{head}{condition}{nothing}    return a + 2\n"),
        Mutant("line 5: 1 to 0", 5, f"{head}{condition}{nothing}    return a + 0\n"),
    ] == list(mutants(source))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a < b", {"Lt to LtE": "a <= b", "Lt to GtE": "a >= b"}),
        ("a <= b", {"LtE to Lt": "a < b", "LtE to Gt": "a > b"}),
        ("a > b", {"Gt to GtE": "a >= b", "Gt to LtE": "a <= b"}),
        ("a >= b", {"GtE to Gt": "a > b", "GtE to Lt": "a < b"}),
        ("a == b", {"Eq to NotEq": "a != b"}),
        ("a != b", {"NotEq to Eq": "a == b"}),
        ("a in b", {"In to NotIn": "a not in b"}),
        ("a not in b", {"NotIn to In": "a in b"}),
        ("a is b", {"Is to IsNot": "a is not b"}),
        ("a is not b", {"IsNot to Is": "a is b"}),
        ("a < b == a", {"Lt to LtE": "a <= b == a", "Lt to GtE": "a >= b == a", "Eq to NotEq": "a < b != a"}),
        ("a + b", {"Add to Sub": "a - b"}),
        ("a - b", {"Sub to Add": "a + b"}),
        ("a * b", {"Mult to Add": "a + b"}),
        ("a / b", {"Div to Mult": "a * b", "Div to FloorDiv": "a // b"}),
        ("a // b", {"FloorDiv to Mult": "a * b", "FloorDiv to Div": "a / b"}),
        ("a % b", {"Mod to FloorDiv": "a // b"}),
        ("a ** b", {"Pow to Mult": "a * b"}),
        ("(a + b) * a", {"Mult to Add": "a + b + a", "Add to Sub": "(a - b) * a"}),
        ("a and b", {"swapped and, or": "a or b"}),
        ("a or b", {"swapped and, or": "a and b"}),
        ("-a", {"removed sign": "+a"}),
        ("not a", {}),
        ("a | b", {}),
        ("True", {"True to False": "False"}),
        ("7", {"7 to 8": "8", "7 to 6": "6"}),
        ("0.5", {"0.5 to 1.5": "1.5"}),
        ("1e300", {}),
        ("'x'", {"'x' to 'xx'": "'xx'"}),
        ("b'x'", {}),
        ("a if b else a", {"negated condition": "a if not b else a"}),
        ("[a for a in b if a]", {}),
        (
            "[a for a in b if a > b]",
            {"Gt to GtE": "[a for a in b if a >= b]", "Gt to LtE": "[a for a in b if a <= b]"},
        ),
    ],
)
def test_expressions(expression: str, expected: dict[str, str]) -> None:
    """Each operator, alone in a result; beside them the result is dropped, and the statement removed."""
    wanted = {"removed Return": "    pass\n", "returns None": "    return None\n"}
    wanted |= {name: f"    return {text}\n" for name, text in expected.items()}
    found = {m.label.partition(": ")[2]: m.source for m in mutants(f"{HEAD}    return {expression}\n")}
    assert {name: HEAD + body for name, body in wanted.items()} == found


def test_labels_are_numbered() -> None:
    """What would be called the same is told apart by its place in the tree."""
    source = "x = 1 + 1 + 1\n"
    assert [
        "line 1: Add to Sub",
        "line 1: Add to Sub #2",
        "line 1: 1 to 2",
        "line 1: 1 to 0",
        "line 1: 1 to 2 #2",
        "line 1: 1 to 0 #2",
        "line 1: 1 to 2 #3",
        "line 1: 1 to 0 #3",
    ] == _labels(source)
    assert "x = 1 + 1 - 1\n" == _made(source, "line 1: Add to Sub")
    assert "x = 1 - 1 + 1\n" == _made(source, "line 1: Add to Sub #2")


def test_nothing_before_the_first_line_changes() -> None:
    """A prompt may have a function of its own; the completion of its last function is mutated."""
    source = "def g(x=3):\n    return x + 1\n\n\ndef f(x=2):\n    y = g(x)\n    return y\n"
    assert ["line 5: removed Assign", "line 5: removed Return", "line 7: returns None"] == _labels(source, 6)


def test_methods_are_mutated() -> None:
    """Of a class whose head is the prompt's, the bodies and the defaults of the methods."""
    source = 'class C:\n    """Doc."""\n\n    def m(self, n=1):\n        """Doc."""\n        self.n = n\n'
    assert ["line 4: removed Assign", "line 4: 1 to 2", "line 4: 1 to 0"] == _labels(source, 3)


def test_what_programs_may_differ_in_is_spared() -> None:
    """Docstrings, annotations, and what is raised; that it is raised is not."""
    source = (
        'def f(a: "A", *b: "B") -> "C":\n    """Doc."""\n    c: "D" = a\n    if b:\n'
        '        raise ValueError("no" + "thing", 1)\n'
    )
    assert [
        "line 1: removed AnnAssign",
        "line 1: removed If",
        "line 4: negated condition",
        "line 4: removed Raise",
    ] == _labels(source)


def test_what_is_no_program_is_left_out() -> None:
    """Removing the only binding of a nonlocal name, or the sign of a number in a pattern; numbers stay."""
    bound = "def f():\n    x = g()\n\n    def h():\n        nonlocal x\n        x = 2\n    h()\n"
    assert "line 1: removed Assign" not in _labels(bound)
    assert "line 4: removed Assign" in _labels(bound)
    pattern = "match x:\n    case -1:\n        pass\n"
    assert ["line 2: 1 to 2", "line 2: 1 to 0"] == _labels(pattern)


@pytest.mark.parametrize(
    "source",
    [
        "async def f(a):\n    async for b in a:\n        await b(1)\n    async with a as c:\n        return c\n",
        "match a:\n    case {'x': 1, **rest} if rest > 2:\n        b = 1\n    case _:\n        b = -1\n",
        "try:\n    a = b[0]\nexcept* KeyError:\n    a = 1\nelse:\n    a = 3\nfinally:\n    a = 2\n",
        "f = lambda a, *, b=1: {c: d for c, d in a if c < b}\n",
        "def f(d):\n    return f\"{d['a']!r:>{d['b'] + 1}} {d} {{}}\"\n",
        "@g(1)\nclass C(B, x=2):\n    y: int = 3\n    z = property(lambda self: -self.y)\n",
        "x = '\\ud800' + '\\n\\\\'\n",
        "x = 0x" + "f" * 2000 + "\n",
        "x = 1j + 1e999\n",
        "",
        "# nothing\n",
    ],
)
def test_any_construct_is_taken(source: str) -> None:
    """Each mutant is a program, another than the source, and called by a name of its own."""
    _check(source)


def test_what_is_no_program_is_refused() -> None:
    """As Python refuses it."""
    with pytest.raises(SyntaxError):
        list(mutants("def f(:\n"))


@cache
def _functions() -> list[str]:
    """Functions and classes of the standard library, as they are written."""
    found = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("[a-z]*.py")):
        with tokenize.open(path) as file:
            source = file.read()
        lines = source.splitlines(keepends=True)
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                assert node.end_lineno is not None
                found.append("".join(lines[node.lineno - 1 : node.end_lineno]))
    return [source for source in found if source.count("\n") < 100]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(min_value=0, max_value=2**31))
def test_functions_of_the_standard_library(number: int) -> None:
    """The same holds for code that was not written for us."""
    _check(_functions()[number % len(_functions())])


def test_a_mutant_is_lazy_and_leaves_no_trace() -> None:
    """Stopping amid the mutants and beginning again gives the same ones."""
    source = inspect.getsource(_functions)
    first = next(iter(mutants(source)))
    assert first == next(iter(mutants(source)))
    assert list(mutants(source)) == list(mutants(source))


def _check(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        original = ast.dump(ast.parse(source))
        lines = source.count("\n") + 1
        labels: Counter[str] = Counter()
        for mutant in mutants(source):
            labels[mutant.label] += 1
            assert original != ast.dump(ast.parse(mutant.source)), mutant.label
            assert 1 <= mutant.line <= lines
    assert {1} >= set(labels.values())
