"""Tests as code: counted assertions change nothing, what is left out changes no verdict, who may act is named."""

from __future__ import annotations

import contextlib
import importlib
import traceback
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.fixture(scope="session")
def instrument() -> Any:
    """The module that compiles tests."""
    return importlib.import_module("instrument")


class Hook:
    """Stands in for the judge: counts."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.held: list[int] = []
        self.failed: list[int] = []

    def begin(self, line: int) -> bool:
        """Run every assertion."""
        self.begun.append(line)
        return True

    def ok(self, line: int) -> None:
        """One held."""
        self.held.append(line)

    def not_ok(self, line: int, error: Exception) -> None:
        """One did not."""
        del error
        self.failed.append(line)


class World:
    """What a small program can do: leave traces."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.hook = Hook()
        self.raised: tuple[str, int] | None = None

    def mark(self, number: int) -> None:
        """Leave a trace."""
        self.log.append(number)

    def true(self, number: int) -> bool:
        """A condition that holds."""
        self.log.append(("true", number))
        return True

    def false(self, number: int) -> bool:
        """A condition that does not."""
        self.log.append(("false", number))
        return False

    @contextlib.contextmanager
    def visit(self, number: int) -> Any:
        """A context that sees how its body is left."""
        self.log.append(("enter", number))
        try:
            yield
        finally:
            self.log.append(("exit", number))

    def run(self, code: Any, name: str) -> World:
        """Execute code and keep what it raised, with the line."""
        names = {
            "__codejury__": self.hook,
            "mark": self.mark,
            "true": self.true,
            "false": self.false,
            "visit": self.visit,
            "suppress": contextlib.suppress,
        }
        try:
            exec(code, names)
        except Exception as error:  # noqa: BLE001 - it is compared
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
            self.raised = (type(error).__name__, lines[-1] or 0)
        return self


def plain(source: str) -> World:
    """Run a program as it is."""
    return World().run(compile(source, "<tests>", "exec", dont_inherit=True, optimize=0), "<tests>")


def counted(instrument: Any, source: str, *, all_tests: bool) -> World:
    """Run it with its assertions counted."""
    tree = instrument.instrument(source, all_tests)
    return World().run(compile(tree, "<tests>", "exec", dont_inherit=True, optimize=0), "<tests>")


class Texts:
    """Numbers the parts of one program."""

    def __init__(self, draw: Any, conditions: tuple[str, ...]) -> None:
        self.draw, self.conditions, self.number = draw, conditions, 0

    def block(self, depth: int) -> list[str]:
        """Statements of one block."""
        count = self.draw(st.integers(1, 3))
        return [line for _ in range(count) for line in self.statement(depth)]

    def inner(self, depth: int) -> list[str]:
        """The block below a heading."""
        return ["    " + line for line in self.block(depth - 1)]

    def statement(self, depth: int) -> list[str]:
        """One statement with all that is below it."""
        self.number += 1
        n = self.number
        simple = ["mark", "assert", "assert"]
        compound = [
            "if",
            "for",
            "while",
            "handled",
            "finally",
            "with",
            "suppress",
            "def",
            "class",
            "match",
            "one line",
        ]
        kind = self.draw(st.sampled_from(simple + compound if depth else simple))
        if kind == "mark":
            return [f"mark({n})"]
        if kind == "assert":
            return [f"assert {self.draw(st.sampled_from(self.conditions))}({n}), 'text'"]
        body = self.inner(depth) if kind != "one line" else []
        return {
            "if": [f"if true({n}):", *body, "else:", "    mark(0)"],
            "for": [f"for i{n} in range(3):", *body, f"    if i{n} == 1: break", "else:", "    assert true(0)"],
            "while": [
                f"w{n} = 2",
                f"while w{n}:",
                f"    w{n} -= 1",
                *body,
                "    continue",
                "else:",
                f"    mark({n})",
            ],
            "handled": ["try:", *body, "except AssertionError:", "    assert true(0)", "else:", f"    mark({n})"],
            "finally": ["try:", *body, "finally:", f"    assert true({n})"],
            "with": [f"with visit({n}):", *body],
            "suppress": ["with suppress(AssertionError):", *body],
            "def": [f"def f{n}():", *body, "    return 1", f"mark(f{n}())"],
            "class": [f"class C{n}:", *body],
            "match": [f"match {n}:", "    case 0:", "        mark(0)", "    case _:", *("    " + x for x in body)],
            "one line": [f"if true({n}): assert true({n}); mark({n})"],
        }[kind]


@st.composite
def programs(draw: Any, conditions: tuple[str, ...]) -> str:
    """Small programs of all statements that can hold an assertion."""
    return "\n".join(Texts(draw, conditions).block(3)) + "\n"


@settings(max_examples=150, deadline=None)
@given(source=programs(("true", "true", "false")))
def test_counting_changes_nothing(instrument: Any, source: str) -> None:
    """The same traces, the same exception on the same line; each assertion that held is counted once."""
    expected, seen = plain(source), counted(instrument, source, all_tests=False)
    assert (expected.log, expected.raised) == (seen.log, seen.raised)
    asserted = source.count("assert")
    assert asserted or not seen.hook.held
    lines = [line for line, text in enumerate(source.splitlines(), 1) if "assert " in text]
    assert set(seen.hook.held) <= set(lines)


@settings(max_examples=150, deadline=None)
@given(source=programs(("true",)))
def test_guards_change_nothing_for_tests_that_hold(instrument: Any, source: str) -> None:
    """Where every assertion holds, running on after failures is running."""
    expected, seen = plain(source), counted(instrument, source, all_tests=True)
    assert (expected.log, None) == (seen.log, seen.raised)
    assert [] == seen.hook.failed
    stopping = counted(instrument, source, all_tests=False)
    assert stopping.hook.held == seen.hook.held


@settings(max_examples=300, deadline=None)
@given(source=programs(("true", "false")))
def test_guards_change_no_verdict(instrument: Any, source: str) -> None:
    """Tests fail when all are run if and only if they fail when the first failure ends them."""
    expected, seen = plain(source), counted(instrument, source, all_tests=True)
    assert (expected.raised is not None) == (seen.raised is not None or seen.hook.failed != []), source


def test_every_assertion_of_a_loop_counts(instrument: Any) -> None:
    """An assertion counts as often as it is run."""
    source = "for i in range(3):\n    assert true(i)\n    while not true(i): pass\nassert true(9)\n"
    assert [2, 2, 2, 4] == counted(instrument, source, all_tests=False).hook.held
    assert [2, 2, 2, 4] == counted(instrument, source, all_tests=True).hook.begun


def test_all_are_run_on_after_failures(instrument: Any) -> None:
    """A guarded assertion does not end the loop, the function or the tests around it."""
    source = (
        "def check():\n    for i in range(2):\n        assert false(i)\n    assert true(5)\n"
        "check()\nassert 1 / 0\nmark(6)\n"
    )
    seen = counted(instrument, source, all_tests=True)
    assert ([3, 3, 6], [4], None, 6) == (seen.hook.failed, seen.hook.held, seen.raised, seen.log[-1])


def test_failure_that_the_tests_expect(instrument: Any) -> None:
    """In the body of a `try` with handlers the tests say what follows; in its other parts they do not."""
    source = (
        "try:\n    assert false(1)\nexcept AssertionError:\n    assert true(2)\nelse:\n    mark(0)\n"
        "try:\n    mark(3)\nexcept ValueError:\n    pass\nelse:\n    assert false(4)\nfinally:\n"
        "    assert false(5)\n"
    )
    seen = counted(instrument, source, all_tests=True)
    assert ([12, 14], None) == (seen.hook.failed, seen.raised)


def test_failure_in_a_function_that_a_handler_sees(instrument: Any) -> None:
    """The same holds for a function that is called there, however far down."""
    source = (
        "def low():\n    assert false(1)\ndef high():\n    low()\n"
        "try:\n    high()\nexcept AssertionError:\n    mark(2)\nassert false(3)\n"
    )
    seen = counted(instrument, source, all_tests=True)
    assert ([9], None, [("false", 1), 2, ("false", 3)]) == (seen.hook.failed, seen.raised, seen.log)


def test_failure_that_a_context_expects(instrument: Any) -> None:
    """A context manager may expect a failure, as `contextlib.suppress` does."""
    seen = counted(
        instrument, "with suppress(AssertionError):\n    assert false(1)\n    mark(2)\n", all_tests=True
    )
    assert ([], None, [("false", 1)]) == (seen.hook.failed, seen.raised, seen.log)


def test_lines_are_those_of_the_source(instrument: Any) -> None:
    """Results carry the line on which their assertion begins."""
    source = "x = 1\n\nassert (\n    true(\n        1\n    )\n), (\n    'a'\n)\nassert false(2)\n"
    seen = counted(instrument, source, all_tests=False)
    assert ([3], ("AssertionError", 10)) == (seen.hook.held, seen.raised)


def test_docstrings_and_future_statements_stay_first(instrument: Any) -> None:
    """What must stand first still does."""
    source = (
        '"""text"""\nfrom __future__ import annotations\n'
        'def f(x: nothing):\n    """doc"""\n    assert true(1)\nf(1)\n'
    )
    for all_tests in (False, True):
        assert counted(instrument, source, all_tests=all_tests).raised is None


def test_assertions_are_compiled_whatever_the_optimisation(instrument: Any) -> None:
    """`python -O` removes assertions; compiled tests have them."""
    _, (code,) = instrument.compile_tests("", ["assert false(1)"], "f", False)
    assert ("AssertionError", 1) == World().run(code, "<tests>").raised


# ---- the context


@pytest.mark.parametrize(
    ("context", "needed"),
    [
        ("", False),
        ("'text'\n1\n", False),
        ("import math\nfrom typing import List\n", False),
        ("import os.path\n", False),
        ("from math import *\n", True),
        ("import math as helper\n", True),
        ("from math import sqrt as helper\n", True),
        ("import helper.inner\n", True),
        ("def other(): pass\n", False),
        ("async def other(): pass\n", False),
        ("def helper(): pass\n", True),
        ("@decorate\ndef other(): pass\n", True),
        ("def f(x): return x\n", False),
        ("x = 1\n", True),
        ("print()\n", True),
        ("class Other: pass\n", True),
        ("if True:\n    import math\n", True),
        ("import math\nhelper = 1\n", True),
        ("def f(x):\n    '''An unfinished prompt.'''\n", False),
        ("def f(x):\n", False),
    ],
)
def test_context_is_run_where_it_could_matter(instrument: Any, context: str, needed: bool) -> None:  # noqa: FBT001
    """Only what binds names that the tests do not use is left out, all of it or nothing."""
    code, _ = instrument.compile_tests(context, ["assert f(helper) == 1"], "f", False)
    assert needed == (code is not None)


@pytest.mark.parametrize(
    ("context", "tests"),
    [
        ("def helper(): return 1\n", "assert helper() == 1"),
        ("import math\n", "def check():\n    return math.pi\nassert check() > 3"),
        ("from math import pi as p\n", "assert [x for x in [p] if x > 3]"),
        ("class E(Exception): pass\n", "try:\n    raise E\nexcept E:\n    pass"),
        ("value = 5\n", "assert f'{value}' == '5'"),
        ("import math\n", "match 3.0:\n    case math.pi:\n        assert 0\n    case _:\n        assert 1"),
        ("def helper(): return 1\n", "x = lambda: helper()\nassert x() == 1"),
        ("def helper(): return 1\ndef other(): return helper()\n", "assert other() == 1"),
        ("import math\n", "def g(x: math.pi = math.e): return x\nassert g() < 3"),
        ("def helper(): return 1\n", "class A:\n    x = helper()\nassert A.x == 1"),
        ("import math\n", "global y\ny = math\nassert y.pi > 3"),
        ("def helper(g): return g\n", "@helper\ndef g(): return 1\nassert g() == 1"),
    ],
)
def test_tests_find_what_they_use(instrument: Any, context: str, tests: str) -> None:
    """However the tests name it, what they use of the context is there."""
    code, parts = instrument.compile_tests(context, [tests], "f", False)
    names: dict[str, Any] = {"__codejury__": Hook()}
    for part in (code, *parts):
        if part is not None:
            exec(part, names)


def test_parts_share_the_context(instrument: Any) -> None:
    """A name that one of several texts uses keeps the context for all."""
    code, parts = instrument.compile_tests("import math\n", ["assert 1", "assert math"], "f", False)
    assert code is not None
    assert len(parts) == 2


def test_tests_that_do_not_compile(instrument: Any) -> None:
    """It is the problem's fault, said as a SyntaxError."""
    for context, tests in (("", "assert ("), ("x = (", "assert 1"), ("", "return 1")):
        with pytest.raises(SyntaxError):
            instrument.compile_tests(context, [tests], "f", False)


# ---- who may act


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("assert eval(f())", "eval"),
        ("exec(f())", "exec"),
        ("run = exec\nrun(f())", "exec"),
        ("assert compile(f(), '', 'eval')", "compile"),
        ("assert open(f()).read()", "open"),
        ("assert getattr(f, f())", "getattr"),
        ("setattr(f, f(), 1)", "setattr"),
        ("assert __import__(f())", "__import__"),
        ("assert globals()[f()]", "globals"),
        ("assert vars(f)", "vars"),
        ("assert f.__globals__", "__globals__"),
        ("assert object.__subclasses__()", "__subclasses__"),
        ("def check(c):\n    class A:\n        def g(self): return eval(c())\n", "eval"),
        ("import os", "os"),
        ("import os.path as p", "os.path"),
        ("from subprocess import run", "subprocess"),
        ("def check(c):\n    import pickle\n", "pickle"),
        ("import sys", "sys"),
        ("import importlib", "importlib"),
        ("import math, ast", "ast"),
        ("import operator\nassert f(eval=1)", None),
        ("import math, re, json, numpy as np\nfrom collections import Counter\nassert Counter(f()) == {}", None),
        ("import collections.abc\nimport xml.etree.ElementTree", None),
        ("assert f() == 'eval(open)'", None),
        ("assert evaluate(f()).format(1)", None),
        ("assert (", None),
    ],
)
def test_acting_names_are_found(instrument: Any, source: str, name: str | None) -> None:
    """Names, attributes and modules that can turn a value into an act, wherever they stand; not texts."""
    assert name == instrument.interprets("", source)
    assert name == instrument.interprets(source, "assert 1")
