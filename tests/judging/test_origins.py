"""Where values in tests come from: golden texts."""

from __future__ import annotations

import ast
import importlib
import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def origins() -> Any:
    """The loose file of the judge's side."""
    return importlib.import_module("origins")


def made(origins: Any, source: str, function: str | None = None) -> Any:
    """Origins in a text whose program is `f` in the module `solution`."""
    return origins.Origins(ast.parse(textwrap.dedent(source)), {"f", "solution"}, function)


def expected(origins: Any, source: str, *, bounds: bool = False) -> list[str]:
    """The expected parts of the last assertion of a text."""
    found = made(origins, source)
    tests = [node.test for node in found.nodes if isinstance(node, ast.Assert)]
    return [ast.unparse(part) for part in found.expected(tests[-1], bounds=bounds)]


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("assert f(1) == 2", ["2"]),
        ("assert 2 == f(1)", ["2"]),
        ("assert f(1) == g(2)", ["g(2)"]),
        ("assert f(1) == 2 == f(3)", ["2"]),
        ("assert f(1) == 2 and f(3) == 4", ["2", "4"]),
        ("assert f(1) == 2 or f(3) == 4", []),
        ("assert not f(1)", []),
        ("assert f(1)[2] == 3", ["3"]),
        ("assert f(1)(2) == 3", ["3"]),
        ("assert f(1).g(2) == 3", ["3"]),
        ("assert math.isclose(f(1), 2.5, rel_tol=0.1)", ["math.isclose", "2.5"]),
        ("assert abs(f(1) - 2.5) < 0.1", ["abs", "2.5"]),
        ("assert f(1) * 3 == 6", ["6"]),
        ("assert len(f(1)) == 3", ["len", "3"]),
        ("assert round(f(1), 2) == 3", ["3"]),
        ("assert f(1) > 3", []),
        ("assert f(1) in (3, 4)", []),
        ("assert f(1) != 3", []),
        ("assert isinstance(f(1), int)", []),
        ("x = f(1)\nassert x == 2", ["2"]),
        ("x = f(1)\ny = x.z\nassert y == 2", ["2"]),
        ("def g(x):\n    return f(x)\nassert g(1) == 2", ["2"]),
        ("from solution import h as k\nassert k(1) == 2", ["2"]),
        ("import solution as s\nassert s.h(1) == 2", ["2"]),
        ("assert f'{f(1)} 2' == '1 2'", ["'1 2'"]),
        ("assert 3 == 4", ["3 == 4"]),
    ],
)
def test_expected(origins: Any, source: str, parts: list[str]) -> None:
    """What nothing of the program has a share in, and that each right program has the same."""
    assert parts == expected(origins, source)


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("assert f(1) > 3", ["3"]),
        ("assert f(1) in (3, 4)", ["(3, 4)"]),
        ("assert f(1) != 3", ["3"]),
        ("assert isinstance(f(1), int)", ["isinstance", "int"]),
        ("assert round(f(1), 2) == 3", ["round", "2", "3"]),
        ("assert math.isclose(f(1), 2.5, rel_tol=0.1)", ["math.isclose", "2.5"]),
    ],
)
def test_bounds(origins: Any, source: str, parts: list[str]) -> None:
    """Where it is asked for, bounds and alternatives too; never a tolerance by name."""
    assert parts == expected(origins, source, bounds=True)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("assert f(1) == -2", ["2"]),
        ("assert f(1) == [1, [], {'a': ()}]", ["1", "[]", "'a'", "()"]),
        ("assert f(1) == g(2, x=3)", ["2", "3"]),
        ("want = 5\nassert f(1) == want", ["5"]),
        ("want = 5\nassert f(want) == want", []),
        ("for x, y in [(1, 2), (3, 4)]:\n    assert f(x) == y", ["2", "4"]),
        ("for x, y in zip([1, 3], [2, 4]):\n    assert f(x) == y", ["2", "4"]),
        ("for i, y in enumerate([2, 4]):\n    assert f(i) == y", ["2", "4"]),
        ("for x, y in {1: 2, 3: 4}.items():\n    assert f(x) == y", ["2", "4"]),
        ("CASES = [(1, (2, 5)), (3, (4, 6))]\nfor x, y in CASES:\n    assert f(x) == y", ["2", "5", "4", "6"]),
        ("for x in [1, 2]:\n    assert f(x) == x", []),
        ("assert f(1) == f'{2}'", []),
    ],
)
def test_constants(origins: Any, source: str, found: list[str]) -> None:
    """Constants of what is expected, through names and tables; none of what the program is given."""
    seen = made(origins, source)
    tests = [node.test for node in seen.nodes if isinstance(node, ast.Assert)]
    assert found == [ast.unparse(x) for part in seen.expected(tests[-1]) for x in seen.constants(part)]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("assert f(1) == [1, -2]", ["[1, -2]"]),
        ("assert f(1) == [1, x]", ["1"]),
        ("assert f(1) == g(2)", []),
        ("want = {}\nassert f(1) == want", ["{}"]),
        ("want = {}\nassert f(want) == want", []),
        ("for x, y in [(1, [2]), (3, 4)]:\n    assert f(x) == y", ["[2]", "4"]),
    ],
)
def test_literals(origins: Any, source: str, found: list[str]) -> None:
    """The largest literals of what is expected."""
    seen = made(origins, source)
    tests = [node.test for node in seen.nodes if isinstance(node, ast.Assert)]
    assert found == [ast.unparse(x) for part in seen.expected(tests[-1]) for x in seen.literals(part)]


def test_names(origins: Any) -> None:
    """Names of the program, what comes from it, and what it is given."""
    seen = made(
        origins,
        """
        from solution import g
        def check(candidate):
            x = 1
            y = candidate(x)
            with y as z:
                assert z == g(x, k=w)
        """,
        "check",
    )
    assert {"f", "solution", "g", "candidate"} == seen.program
    assert {"y", "z"} == seen.derived - seen.program
    assert {"x", "w"} == seen.given


def test_names_in_a_circle_end(origins: Any) -> None:
    """Names that stand for each other, and long chains of them, are followed a few steps."""
    seen = made(origins, "a = b\nb = a\nc = [c]\nfor c in c:\n    assert f(1) == (a, c)")
    assert [] == list(seen.constants(ast.parse("(a, c)", mode="eval").body))
    assert [] == list(seen.literals(ast.parse("(a, c)", mode="eval").body))


@given(
    st.recursive(
        st.sampled_from(["f(1)", "x", "2", "[]"]),
        lambda inner: st.tuples(inner, st.sampled_from([" == ", " + ", ", ", " and "]), inner).map(
            "({0[0]}{0[1]}{0[2]})".format
        ),
    )
)
def test_expected_parts_have_nothing_of_the_program(origins: Any, text: str) -> None:
    """Whatever an assertion looks like, no expected part mentions the program."""
    assert [] == [part for part in expected(origins, f"assert {text}", bounds=True) if "f(" in part]
