"""Types of arguments, from contracts and literals."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import Any

import pytest

from codejury.formats.restoring import TABLE, Restorer, contract_kinds, literal_kinds


@pytest.mark.parametrize(
    ("contract", "expected"),
    [
        ("assert isinstance(xs, tuple)", {(0, 0): {"tuple"}}),
        ("assert isinstance(k, (list, tuple)), 'no'", {(1, 0): {"list", "tuple"}}),
        ("assert isinstance(xs, (tuple, list)) and isinstance(xs, tuple)", {(0, 0): {"tuple"}}),
        ("assert all(isinstance(x, tuple) for x in xs)", {(0, 1): {"tuple"}}),
        ("assert all([isinstance(x, tuple) for x in xs])", {(0, 1): {"tuple"}}),
        ("assert all(isinstance(y, set) for x in xs for y in x)", {(0, 2): {"set"}}),
        ("assert all(all(isinstance(y, tuple) for y in x) for x in xs)", {(0, 2): {"tuple"}}),
        ("assert all(isinstance(a, int) and isinstance(b, tuple) for a, b in xs)", {(0, 2): set()}),
        ("assert all(isinstance(x, tuple) for x in k.values())", {(1, 1): {"tuple"}}),
        ("assert all(isinstance(x[1], tuple) for x in xs)", {(0, 2): {"tuple"}}),
        ("assert isinstance(xs, tuple) or isinstance(xs, list)", {}),
        ("assert not isinstance(xs, tuple)", {}),
        ("assert isinstance(other, tuple) and isinstance(xs[1:], tuple) and isinstance(sum(xs, ()), tuple)", {}),
        ("assert all(isinstance(x, tuple) for x, in zip(xs, k))", {}),
        ("assert len(xs) > 0", {}),
        ("if isinstance(xs, tuple):\n    pass", {}),
        ("def check(xs):\n    assert isinstance(xs, tuple)", {}),
    ],
)
def test_contracts(contract: str, expected: dict[Any, Any]) -> None:
    """What is asserted of a place, and of no other: alternatives, negations and unknown names say nothing."""
    assert expected == contract_kinds(ast.parse(contract), ["xs", "k"])


def test_literals() -> None:
    """The containers of each argument at each depth, over all calls, wherever they stand."""
    source = """
        import math
        assert f([(1, 2), (3,)], {"a": {4}}) == g((5,))
        assert math.isclose(f((1, 2), 14 * 14), 0)
        assert h([[[]]]) and f
    """
    expected = {(0, 0): {"list", "tuple"}, (0, 1): {"tuple"}, (1, 1): {"set"}}
    assert expected == literal_kinds(ast.parse(dedent(source)), "f")


def test_arguments() -> None:
    """One possible type is given; where a list is as good, or nothing is said, a list stays."""
    restorer = Restorer("T/0", {(0, 0): {"tuple"}, (0, 1): {"list", "tuple"}, (1, 1): {"set"}, (2, 0): {"list"}})
    call = [[[1], [[2]]], {"a": [3], "b": None}, [4], [5]]
    assert [([1], [[2]]), {"a": {3}, "b": None}, [4], [5]] == restorer.arguments(call)


@pytest.mark.parametrize(
    ("task_id", "call", "expected"),
    [
        ("Mbpp/124", ["1e-100", "(-0-1j)"], [1e-100, -1j]),
        ("Mbpp/252", [4], [4 + 0j]),
        ("Mbpp/580", [[4, [5, [6, [7]]]]], [(4, (5, (6, (7,))))]),
        ("Mbpp/596", [[[1, "Lion"]]], [([1, "Lion"],)]),
        ("Mbpp/791", [[1, [[2]]]], [(1, ((2,),))]),
    ],
)
def test_the_table(task_id: str, call: list[Any], expected: list[Any]) -> None:
    """Tasks whose fields say too little, whatever these say."""
    restored = Restorer(task_id, {(0, 0): {"list"}}).arguments(call)
    assert repr(expected) == repr(restored)
    assert 5 == len(TABLE)
