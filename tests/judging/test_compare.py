"""Comparing outputs by a problem's rules: types, tolerance, order, what is not a number, and hostile values."""

from __future__ import annotations

import cmath
import importlib
import itertools
import math
import random
from array import array
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

compare = importlib.import_module("compare")
NAN, INF = float("nan"), float("inf")
HUGE = 10**400
Point = namedtuple("Point", ["x", "y"])  # noqa: PYI024 - as the codec makes them
Pair = namedtuple("Pair", ["x", "y"])  # noqa: PYI024
Level = Enum("Level", {"LOW": 1}, type=int)
Word = Enum("Word", {"LOW": "low"}, type=str)


def equal(expected: Any, output: Any, **rules: Any) -> bool:
    """Whether an output is right by these rules."""
    found = compare.Rules(**rules).equal(expected, output)
    assert type(found) is bool
    return found


def ending(*items: Any) -> Any:
    """A generator of these items, ended by an exception if that is the last of them."""
    for item in items:
        if isinstance(item, Exception):
            raise item
        yield item


# ---- exact types

OF_ONE_TYPE: dict[str, Any] = {
    "int": lambda: 1,
    "bool": lambda: True,
    "float": lambda: 1.0,
    "complex": lambda: 1 + 0j,
    "decimal": lambda: Decimal(1),
    "fraction": lambda: Fraction(1),
    "enum": lambda: Level.LOW,
    "numpy float": lambda: np.float64(1),
    "numpy int": lambda: np.int64(1),
    "numpy bool": lambda: np.bool_(True),
    "numpy longdouble": lambda: np.longdouble(1),
    "numpy scalar array": lambda: np.array(1.0),
    "numpy array": lambda: np.array([1.0]),
    "str": lambda: "a",
    "str enum": lambda: Word.LOW,
    "bytes": lambda: b"a",
    "bytearray": lambda: bytearray(b"a"),
    "none": lambda: None,
    "ellipsis": lambda: ...,
    "class": lambda: int,
    "range": lambda: range(1, 2),
    "list": lambda: [1],
    "tuple": lambda: (1,),
    "deque": lambda: deque([1]),
    "array": lambda: array("i", [1]),
    "set": lambda: {1},
    "frozenset": lambda: frozenset([1]),
    "dict": lambda: {1: 1},
    "counter": lambda: Counter({1: 1}),
    "ordered": lambda: OrderedDict({1: 1}),
    "default": lambda: defaultdict(int, {1: 1}),
    "keys": {1: 1}.keys,
    "values": {1: 1}.values,
    "items": {1: 1}.items,
    "named": lambda: Point(1, 2),
    "iterator": lambda: iter([1]),
    "generator": lambda: ending(1),
    "date": lambda: date(2024, 1, 2),
    "datetime": lambda: datetime(2024, 1, 2, tzinfo=UTC),
    "timedelta": lambda: timedelta(1),
    "exception": lambda: ValueError("a", 1),
}
DEPTHS: dict[str, Any] = {
    "itself": lambda x: x,
    "in a list": lambda x: [0, x],
    "in a tuple": lambda x: (x, "b"),
    "in a dict": lambda x: {"k": [x]},
    "in a deque": lambda x: deque([x]),
    "in a generator": lambda x: ending(x, 2),
}
RULES: list[dict[str, Any]] = [
    {"types": types, "order": order, **tolerance}
    for types in ("exact", "python")
    for order in ("ordered", "unordered", "set")
    for tolerance in ({}, {"abs_tol": 1e-6}, {"rel_tol": 1e-6})
]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_every_plain_value_is_equal_to_its_copy(rules: dict[str, Any], depth: str) -> None:
    """Also what Python knows by identity alone: iterators, values of a dict, exceptions."""
    for name, make in OF_ONE_TYPE.items():
        assert equal(DEPTHS[depth](make()), DEPTHS[depth](make()), **rules), name


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("order", ["ordered", "unordered", "set"])
def test_exact_types_hold_at_every_depth(depth: str, order: str) -> None:
    """No two of these types are taken for each other, tolerant or not."""
    for (one, make), (other, make_other) in itertools.permutations(OF_ONE_TYPE.items(), 2):
        for tolerance in (0.0, 0.5):
            expected, output = DEPTHS[depth](make()), DEPTHS[depth](make_other())
            assert not equal(expected, output, order=order, abs_tol=tolerance), (one, other)


def test_exact_types_hold_for_keys_and_members() -> None:
    """`{1}`, `{True}` and `{1.0}` are equal to Python; numpy's dtype is a type, too."""
    for one, other in itertools.permutations((1, True, 1.0, 1 + 0j, Decimal(1), Fraction(1), Level.LOW), 2):
        for make in (
            lambda x: {x},
            lambda x: frozenset([(x, "a")]),
            lambda x: {x: 0},
            lambda x: {(0, x): 0},
            lambda x: OrderedDict({x: 0}),
            lambda x: {x: 0}.keys(),
            lambda x: {x: 0}.items(),
            lambda x: Counter({x: 2}),
        ):
            assert not equal(make(one), make(other)), (one, other)
            assert equal(make(one), make(other), types="python"), (one, other)
    assert not equal(np.array([1, 2]), np.array([1.0, 2.0]))
    assert not equal(np.array([1], dtype="i4"), np.array([1], dtype="i8"))


# ---- Python's equality

PYTHON_EQUAL = [
    {"int", "bool", "float", "complex", "decimal", "fraction", "enum"}
    | {"numpy float", "numpy int", "numpy bool", "numpy longdouble"},
    {"bytes", "bytearray"},
    {"set", "frozenset", "keys"},
    {"dict", "counter", "ordered", "default"},
    {"iterator", "generator"},  # where Python asks for identity
]


def test_python_types_are_what_python_calls_equal() -> None:
    """Pairs of different types: a list is no tuple, and an array of numpy is none of its items."""
    for (one, make), (other, make_other) in itertools.permutations(OF_ONE_TYPE.items(), 2):
        together = any({one, other} <= names for names in PYTHON_EQUAL)
        if "numpy longdouble" in (one, other):
            continue  # see below
        for depth in ("itself", "in a list", "in a dict"):
            expected, output = DEPTHS[depth](make()), DEPTHS[depth](make_other())
            assert together is equal(expected, output, types="python"), (one, other)
            nested = [expected, 0], [0, output]
            assert together is equal(*nested, types="python", order="unordered"), (one, other)


def test_python_types_of_kinds_of_tuples_and_words() -> None:
    """A tuple with names is a tuple, and a text's enumeration a text."""
    assert equal(Point(1, 2), (1, 2.0), types="python")
    assert equal(Point(1, 2), Pair(1, 2), types="python")
    assert not equal(Point(1, 2), Pair(1, 2))
    assert equal(Word.LOW, "low", types="python")
    for tolerance in (0.0, 0.1):
        assert equal([Word.LOW, "a"], ["a", "low"], types="python", order="unordered", abs_tol=tolerance)
    assert not equal(Point(1, 2), [1, 2], types="python")
    assert equal(np.str_("low"), "low", types="python")


def test_python_types_of_dicts() -> None:
    """Order counts between two OrderedDicts alone; a Counter has a zero for what it does not count."""
    one, other = OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)
    for types in ("exact", "python"):
        assert not equal(one, other, types=types)
        assert equal(dict(one), dict(other), types=types)
        assert equal(Counter(a=0, b=1), Counter(b=1, c=0), types=types)
        assert equal([Counter(a=0), 1], [1, Counter()], types=types, order="unordered")
        assert not equal(Counter(a=1), Counter(), types=types)
    assert equal(one, dict(other), types="python")
    assert not equal(Counter(a=0), {}, types="python")
    assert not equal(Counter(a=0), Counter(a=False))


def test_scalars_of_numpy() -> None:
    """As numbers where types are Python's, with tolerance; no array and no longer float stands for a number."""
    for one, other in itertools.permutations((np.float64(0.5), 0.5, np.float32(0.5), Fraction(1, 2)), 2):
        assert equal(one, other, types="python")
        assert not equal(one, other)
    assert equal(0.5, np.float64(0.5000001), types="python", abs_tol=1e-6)
    assert not equal(0.5, np.float64(0.5000001), types="python")
    assert equal(np.float64(0.5), np.float64(0.5000001), abs_tol=1e-6)
    assert equal([1, 2.5], [np.int64(1), np.float64(2.5)], types="python")
    for array_of_one in (np.array(3.7), np.array([3.7]), np.array([[3.7]])):
        for types in ("exact", "python"):
            assert not equal(3.7, array_of_one, types=types, abs_tol=1.0)
            assert not equal([3.7], array_of_one, types=types, abs_tol=1.0)
    third = np.longdouble(1) / 3
    assert equal(third, np.longdouble(1) / 3)
    assert not equal(third, np.longdouble(1) / 3 + np.longdouble(2) ** -62)
    assert equal(third, third + np.longdouble(1e-9), abs_tol=1e-6)
    assert equal([np.longdouble("nan")], [np.longdouble("nan")])
    assert equal(np.datetime64("2024-01-02"), np.datetime64("2024-01-02"))
    assert not equal(np.datetime64("2024-01-02"), np.datetime64("2024-01-02", "s"))
    assert not equal(np.datetime64(5, "ns"), 5, types="python")


def test_arrays_of_numpy() -> None:
    """Shape and dtype first, then each number."""
    one = np.array([[1.0, NAN], [3.0, INF]])
    assert equal(one, one.copy())
    assert not equal(one, one.copy(), nan_equal=False)
    assert equal(one, one + 1e-9, abs_tol=1e-6)
    assert not equal(one, one.ravel(), abs_tol=1.0)
    assert not equal(one, one.reshape(1, 2, 2), types="python", abs_tol=1.0)
    assert equal(np.array([1, 2]), np.array([1.0, 2.0]), types="python")
    assert not equal(np.array([1, 2]), [1, 2], types="python")
    assert equal([np.array([1, 2]), np.array([2, 1])], [np.array([2, 1]), np.array([1, 2])], order="unordered")
    assert not equal([[1, 2], [3]], [[np.array([1, 2]), 2], [3]], types="python")
    assert equal([[1, 2], np.array([5, 6])], [np.array([5, 6]), [1, 2]], types="python", order="unordered")


def test_iterators_are_what_they_give() -> None:
    """And how they end; each is read once, wherever it stands."""
    assert equal(ending(1, 2), ending(1, 2))
    assert not equal(ending(1, 2), ending(1, 3))
    assert not equal(ending(1), ending(1, ValueError("a")))
    assert equal(ending(1, ValueError("a")), ending(1, ValueError("a")))
    assert not equal(ending(1, ValueError("a")), ending(1, ValueError("b")))
    assert not equal(ending(1, ValueError("a")), ending(1, KeyError("a")))
    assert equal([ending(1), ending(2)], [ending(2), ending(1)], order="unordered")
    assert equal(ending(1, 2), ending(2, 1), order="unordered")
    assert not equal(ending(1, 2), [1, 2], types="python")


def test_exceptions_have_a_class_and_arguments() -> None:
    """Classes that are made anew for each value have a name."""
    made = [type("Odd", (ValueError,), {})("a", 1.0) for _ in range(2)]
    assert equal(*made)
    assert not equal(made[0], ValueError("a", 1.0))
    assert not equal(made[0], type(made[1])("a", 1))
    assert equal(made[0], type(made[1])("a", 1), types="python")


# ---- numbers


def test_tolerance_is_of_the_expected_number() -> None:
    """`abs_tol + rel_tol * abs(expected)`, the bound itself included."""
    assert equal(100.0, 101.0, rel_tol=0.01)
    assert not equal(100.0, 101.00001, rel_tol=0.01)
    assert equal(8.0, 8.75, rel_tol=0.0625, abs_tol=0.25)
    assert not equal(8.0, 8.7500001, rel_tol=0.0625, abs_tol=0.25)
    assert equal(101.0, 100.0, rel_tol=0.00999)
    assert not equal(100.0, 101.0, rel_tol=0.00999)
    assert not equal(0.0, 1e-300, rel_tol=0.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: [1, x],
        lambda x: ("a", (x,)),
        lambda x: {"k": {"l": x}},
        lambda x: {x, "a"},
        lambda x: frozenset([("a", x)]),
        lambda x: {x: 1},
        lambda x: {("a", x): [x]},
        lambda x: deque([x]),
        lambda x: array("d", [x]),
        lambda x: OrderedDict({x: x}),
        lambda x: Counter({"a": x}),
        lambda x: Point(x, 1),
        ending,
        lambda x: {1: x}.values(),
        lambda x: {x: 1}.keys(),
        lambda x: {x: [x]}.items(),
        lambda x: np.array([x]),
        ValueError,
        lambda x: complex(x, 1),
    ],
)
def test_tolerance_holds_at_every_depth(make: Any) -> None:
    """Within keys and members of sets, too."""
    for types in ("exact", "python"):
        for order in ("ordered", "unordered", "set"):
            rules = {"types": types, "order": order, "abs_tol": 1e-6}
            assert equal(make(0.5), make(0.5 + 1e-7), **rules)
            assert not equal(make(0.5), make(0.5 + 1e-5), **rules)
            assert not equal(make(0.5), make(NAN), **rules)
            assert equal(make(NAN), make(float("nan")), **rules)
            assert not equal(make(NAN), make(float("nan")), **{**rules, "nan_equal": False})


def test_tolerance_is_of_floats_alone() -> None:
    """Integers, bools, texts, Decimals and Fractions are equal or not."""
    apart: list[tuple[Any, Any]] = [
        (1, 2),
        (True, False),
        ("1.0", "1.1"),
        (Decimal(1), Decimal("1.1")),
        (Fraction(1), Fraction(2)),
    ]
    for one, other in apart:
        for types in ("exact", "python"):
            assert not equal(one, other, types=types, abs_tol=10.0)
    near: list[tuple[Any, Any]] = [(1, 1.1), (1.1, 1), (3, 3 + 0.1j)]
    for one, other in near:
        assert not equal(one, other, abs_tol=0.2)
        assert equal(one, other, types="python", abs_tol=0.2)
    apart = [(True, 1.1), (1.1, True), (False, 0.1), (Decimal(1), 1.1), (True, 2)]
    for one, other in apart:
        assert not equal(one, other, types="python", abs_tol=0.2)
    assert equal({1}, {1.1}, types="python", abs_tol=0.2)
    assert equal({1: 2}, {1.1: 2.1}, types="python", abs_tol=0.2)


def test_shapes_come_before_numbers() -> None:
    """No tolerance makes up for an item that is missing or too many."""
    shapes: list[Any] = [
        [],
        [3.7],
        [[3.7]],
        3.7,
        (),
        (3.7,),
        [3.7, 3.7],
        {},
        {"a": 3.7},
        set(),
        {3.7},
        None,
        "",
        "3.7",
    ]
    shapes += [np.array([]), np.array([3.7]), np.array(3.7), deque(), deque([3.7])]
    for one, other in itertools.permutations(shapes, 2):
        for types, order in itertools.product(("exact", "python"), ("ordered", "unordered")):
            if order == "unordered" and compare.is_collection(one) and compare.is_collection(other):
                continue  # see the test of collections
            assert not equal(one, other, types=types, order=order, abs_tol=1e9, rel_tol=0.9), (one, other)


def test_what_is_not_finite() -> None:
    """An infinity is equal to itself alone, a NaN to a NaN if the rules say so, whatever the tolerance."""
    for rules in ({}, {"abs_tol": 1e300}, {"rel_tol": 0.5}, {"types": "python", "abs_tol": 1e300, "rel_tol": 0.5}):
        numbers = [NAN, INF, -INF, 1e308, -1e308]
        for i, one in enumerate(numbers):
            for j, other in enumerate(numbers):
                assert (i == j) is equal(one, other, **rules), (one, other)
                assert (i == j) is equal([one], [other], **rules)
        assert not equal(NAN, NAN, nan_equal=False, **rules)
        assert not equal([NAN], [NAN], nan_equal=False, **rules)
        assert not equal({NAN}, {NAN}, nan_equal=False, **rules)
        assert not equal(NAN, None, **rules)
        assert not equal(NAN, "nan", **rules)
    assert equal(0.0, -0.0)
    assert equal([0.0], [-0.0], order="unordered")
    assert equal({NAN: 1, 2: 3}, {2: 3, float("nan"): 1})
    assert not equal({NAN: 1}, {float("nan"): 2})


def test_complex_numbers_with_parts_that_are_not_finite() -> None:
    """Part by part; Python calls any two of them with a NaN unequal."""
    assert equal(complex(NAN, 1), complex(NAN, 1))
    assert not equal(complex(NAN, 1), complex(NAN, 2))
    assert not equal(complex(NAN, 1), complex(1, NAN))
    assert not equal(complex(NAN, 1), complex(NAN, 1), nan_equal=False)
    assert equal(complex(INF, 1), complex(INF, 1 + 1e-9), abs_tol=1e-6)
    assert not equal(complex(INF, 1), complex(-INF, 1), abs_tol=1e-6)
    assert not equal(complex(1e308, 1e308), complex(-1e308, 1e308), abs_tol=1e-6)
    assert equal([complex(NAN, 1), 1], [1, complex(NAN, 1)], order="unordered")


def test_integers_beyond_floats() -> None:
    """Neither an error nor equal to an infinity."""
    for rules in (
        {},
        {"types": "python"},
        {"types": "python", "rel_tol": 0.5},
        {"types": "python", "abs_tol": 1.0},
    ):
        for other in (HUGE + 1, INF, -INF, 1.0, 1e308, complex(1e308), complex(INF, 0), NAN, -HUGE):
            assert not equal(HUGE, other, **rules)
            assert not equal(other, HUGE, **rules)
        assert equal(HUGE, 10**400, **rules)
    assert equal(2**53 + 1, float(2**53), types="python", rel_tol=1e-9)
    assert not equal(2**53 + 1, float(2**53), types="python")


def test_decimals_and_fractions() -> None:
    """By their value; what stands for no number, or signals, is a NaN."""
    assert equal(Decimal("1.0"), Decimal("1.00"))
    for text in ("NaN", "sNaN"):
        for rules in RULES:
            assert equal(Decimal(text), Decimal(text), **rules)
            assert equal([Decimal(text), 1], [Decimal(text), 1], **rules)
            assert not equal(Decimal(text), Decimal(text), nan_equal=False, **rules)
            assert not equal(Decimal(text), Decimal(1), **rules)
            assert not equal(Decimal(1), Decimal(text), **rules)
    assert equal(Decimal("Infinity"), Decimal("Infinity"))
    assert equal(Fraction(1, 3), Fraction(2, 6))
    assert equal({Decimal("0.5"): Fraction(1, 2)}, {0.5: 0.5}, types="python")
    assert equal([Fraction(1, 2), Decimal(2)], [2, 0.5], types="python", order="unordered")
    assert equal([Decimal(2), 0.5], [0.5, 2], types="python", order="unordered", abs_tol=1e-9)


# ---- order


def test_order_is_that_of_the_outermost_collection() -> None:
    """Any order, each item as often; what is inside stays in order."""
    rules = {"order": "unordered"}
    assert equal([1, 2, 2], [2, 1, 2], **rules)
    assert not equal([1, 2, 2], [2, 1, 1], **rules)
    assert not equal([1, 2, 2], [2, 1], **rules)
    assert equal([[1, 2], [3]], [[3], [1, 2]], **rules)
    assert not equal([[1, 2], [3]], [[3], [2, 1]], **rules)
    assert not equal({"a": [1, 2]}, {"a": [2, 1]}, **rules)
    assert not equal("ab", "ba", **rules)
    assert not equal([1, True], [True, True], **rules)
    assert equal([1, True], [True, 1], **rules)
    assert equal([{"a": 1}, {1, 2}, None], [None, {2, 1}, {"a": 1}], **rules)


def test_sets_of_items() -> None:
    """How often an item stands there says nothing, on either side."""
    rules = {"order": "set"}
    assert equal([1, 2, 2], [2, 1], **rules)
    assert equal([1, 2], [2, 1, 1, 2], **rules)
    assert not equal([1, 2], [1], **rules)
    assert not equal([1], [1, 2], **rules)
    assert equal([], [], **rules)
    assert not equal([], [1], **rules)
    assert equal([[1], {"a": 2}], [{"a": 2}, [1], [1]], **rules)
    assert not equal([1], [True], **rules)
    assert equal([1, 1.0], [True], types="python", **rules)


def test_tolerance_of_sets_is_of_the_expected_items() -> None:
    """In both directions: 100 may become 109, and 109 may not become 100."""
    assert equal([100.0, 1.0], [1.0, 109.0], order="set", rel_tol=0.09)
    assert not equal([109.0, 1.0], [1.0, 99.0], order="set", rel_tol=0.09)
    assert equal([("a", 100.0)], [("a", 109.0)], order="set", rel_tol=0.09)
    assert not equal([("a", 109.0)], [("a", 99.0)], order="set", rel_tol=0.09)


def test_outermost_collections_of_other_types() -> None:
    """Where types are Python's, a list, a tuple and a set may hold the same items."""
    kinds: tuple[Any, ...] = (list, tuple, set, frozenset, deque, iter)
    for one, other in itertools.permutations(kinds, 2):
        for order in ("unordered", "set"):
            assert equal(one([1, 2]), other([2, 1]), types="python", order=order)
            assert not equal(one([1, 2]), other([2, 3]), types="python", order=order)
            assert not equal(one([1, 2]), other([2, 1]), order=order)
    assert not equal([1], {1: 2}, types="python", order="unordered")
    assert not equal(["a"], "a", types="python", order="set")


def test_near_is_not_transitive() -> None:
    """Pairs that are found greedily need not be those that fit."""
    rules = {"order": "unordered", "abs_tol": 0.06}
    assert equal([1.0, 1.05], [1.05, 1.1], **rules)
    assert equal([("a", 1.0), ("a", 1.05)], [("a", 1.05), ("a", 1.1)], **rules)
    assert equal([[1.05, 0.0], [1.0, 0.0]], [[1.05, 0.0], [1.1, 0.0]][::-1], **rules)
    assert not equal([1.0, 1.05, 1.1], [1.05, 1.1, 1.2], **rules)
    assert equal([1.0, 2, 1], [1, 1.05, 2], **rules)


@given(st.data())
def test_pairs_are_found_as_by_trying_all(data: st.DataObject) -> None:
    """Against all permutations of few items: tolerant, with points of two numbers, any types."""
    few = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 1, 2, True, NAN])
    points = st.one_of(few, st.tuples(few, few), st.lists(few, max_size=2))
    expected = data.draw(st.lists(points, max_size=4))
    near = [st.sampled_from(expected)] if expected else []
    output = data.draw(st.lists(st.one_of(points, *near), max_size=4))
    rules = data.draw(st.sampled_from([*RULES, {"abs_tol": 0.5}, {"abs_tol": 0.5, "types": "python"}]))
    rules = {**rules, "nan_equal": data.draw(st.booleans())}
    ordered, unordered, as_set = (compare.Rules(**{**rules, "order": o}) for o in ("ordered", "unordered", "set"))
    by_trial = len(expected) == len(output) and any(
        all(map(ordered.same, expected, other)) for other in itertools.permutations(output)
    )
    assert by_trial is unordered.equal(expected, output)
    covering = all(any(ordered.same(x, y) for y in output) for x in expected) and all(
        any(ordered.same(x, y) for x in expected) for y in output
    )
    assert covering is as_set.equal(expected, output)


# ---- properties

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.integers(), st.text(max_size=3), st.binary(max_size=2)
)


@st.composite
def hashable(draw: st.DrawFn, depth: int = 2) -> Any:
    """A value that can be a key."""
    kind = draw(st.sampled_from([None, None, tuple, frozenset])) if depth else None
    if kind is None:
        return draw(SCALARS)
    return kind(draw(hashable(depth - 1)) for _ in range(draw(st.integers(0, 2))))


VALUES = st.recursive(
    SCALARS,
    lambda x: st.one_of(
        st.lists(x, max_size=4),
        st.tuples(x, x),
        st.dictionaries(hashable(), x, max_size=3),
        st.sets(hashable(), max_size=4),
        st.lists(x, max_size=3).map(deque),
        st.dictionaries(hashable(), x, max_size=2).map(OrderedDict),
        st.builds(Point, x, x),
    ),
    max_leaves=12,
)
FLOATS = st.recursive(
    st.one_of(SCALARS, st.floats(), st.complex_numbers()),
    lambda x: st.one_of(
        st.lists(x, max_size=4), st.tuples(x, x), st.dictionaries(st.one_of(st.text(), st.floats()), x, max_size=3)
    ),
    max_leaves=12,
)


def has_same_types(one: Any, other: Any) -> bool:
    """Whether two values that Python calls equal have the same types at every depth."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        own = {key: key for key in other}
        keys = all(has_same_types(key, own[key]) for key in one)
        return keys and all(has_same_types(value, other[key]) for key, value in one.items())
    if isinstance(one, (set, frozenset)):
        own = {member: member for member in other}
        return all(has_same_types(member, own[member]) for member in one)
    if isinstance(one, (list, tuple, deque)):
        return all(map(has_same_types, one, other))
    return True


@given(st.lists(VALUES, min_size=2, max_size=3))
@example([{(1, 2)}, {(True, 2)}])
def test_rules_agree_with_python(values: list[Any]) -> None:
    """Rules of Python are `==`, and exact ones are `==` with the same types everywhere."""
    for one, other in itertools.product(values, repeat=2):
        assert (one == other) is equal(one, other, types="python")
        assert (one == other and has_same_types(one, other)) is equal(one, other)


@given(FLOATS, FLOATS)
def test_equality_is_reflexive_and_symmetric(one: Any, other: Any) -> None:
    """Symmetric where tolerance is not relative to the expected number."""
    for rules in RULES:
        assert equal(one, one, **rules)
        if "rel_tol" not in rules:
            assert equal(one, other, **rules) is equal(other, one, **rules)


@given(st.lists(FLOATS, max_size=6), st.randoms(use_true_random=False), st.sampled_from(RULES))
def test_any_order_is_any_order(items: list[Any], rng: random.Random, rules: dict[str, Any]) -> None:
    """All permutations of an output are right or none is; repeated items make no other set."""
    shuffled = rng.sample(items, len(items))
    assert equal(items, shuffled, **{**rules, "order": "unordered"})
    assert equal(items, shuffled + items[:2], **{**rules, "order": "set"})
    assert equal(items + items[:2], shuffled, **{**rules, "order": "set"})


NUMBERS = st.one_of(
    st.floats(), st.floats(-2, 2), st.sampled_from([0.0, -0.0, INF, -INF, NAN, 1e308, -1e308, 5e-324])
)


@given(
    st.lists(st.tuples(NUMBERS, st.one_of(NUMBERS, st.floats(-1e-3, 1e-3))), max_size=6),
    st.sampled_from([0.0, 1e-9, 1e-3, 0.5]),
    st.sampled_from([0.0, 1e-9, 1e-3, 1.0]),
    st.booleans(),
)
def test_tolerance_agrees_with_numpy(pairs: list[tuple[float, float]], rel: float, most: float, nan: Any) -> None:
    """`numpy.allclose(output, expected)`, which has the same rule; also near to the expected numbers."""

    def finite(x: float, y: float) -> bool:
        return math.isfinite(x) and math.isfinite(y) and math.isfinite(x - y)

    expected = [x for x, _ in pairs]
    for output in ([y for _, y in pairs], [x + y for x, y in pairs], [x * (1 + y) for x, y in pairs]):
        with np.errstate(all="ignore"):
            right = bool(np.allclose(output, expected, rtol=rel, atol=most, equal_nan=nan))
        if all(map(finite, output, expected)):
            assert right is equal(expected, output, rel_tol=rel, abs_tol=most, nan_equal=nan)
        elif equal(expected, output, rel_tol=rel, abs_tol=most, nan_equal=nan):
            assert right


@given(st.lists(st.floats(-4, 4), max_size=30), st.randoms(use_true_random=False))
def test_many_floats_in_any_order(numbers: list[float], rng: random.Random) -> None:
    """Each moved by less than the tolerance, then shuffled."""
    moved = [x + rng.uniform(-0.009, 0.009) for x in numbers]
    assert equal(numbers, rng.sample(moved, len(moved)), order="unordered", abs_tol=0.01)
    points = [(x, [x]) for x in numbers]
    moved_points = [(x, [x]) for x in moved]
    assert equal(points, rng.sample(moved_points, len(moved)), order="unordered", abs_tol=0.01)
    if numbers:
        assert not equal(numbers, [*moved[1:], 9.0], order="unordered", abs_tol=0.01)


# ---- work and hostile values


def test_large_collections_take_time_in_proportion() -> None:
    """Many items in any order, of any rules, without pairs being tried."""
    rng = random.Random(0)  # noqa: S311 - no secret
    numbers = [rng.randrange(1000) for _ in range(30_000)]
    shuffled = rng.sample(numbers, len(numbers))
    for rules in RULES:
        checker = compare.Rules(**{**rules, "order": "unordered"})
        assert checker.equal(numbers, shuffled)
        assert not checker.equal(numbers, [*shuffled[1:], -1])
        assert checker.equal([x / 7 for x in numbers], [x / 7 for x in shuffled])
    assert equal(set(range(30_000)), set(range(30_000)))
    assert not equal(set(range(30_000)), {*range(1, 30_000), True, 0.5})
    floats = [rng.random() for _ in range(10_000)]
    assert equal(floats, rng.sample(floats, len(floats)), order="set", abs_tol=1e-9)
    assert equal(
        [(x, "a") for x in floats], [(x, "a") for x in rng.sample(floats, len(floats))], order="unordered"
    )


def test_too_many_pairs_are_refused() -> None:
    """Where near pairs can only be found by trying, work has an end: a ValueError, which counts as wrong."""
    rng = random.Random(0)  # noqa: S311 - no secret
    expected = [[rng.random(), rng.random()] for _ in range(3000)]
    output = [*rng.sample(expected, len(expected) - 1), [9.0, 9.0]]
    with pytest.raises(ValueError, match="1000000 pairs of items"):
        equal(expected, output, order="unordered", abs_tol=1.0)


def test_values_that_are_held_many_times() -> None:
    """Lists that double at each level are small to send and endless to walk; the expected value sets the end."""
    output: Any = [0]
    for _ in range(100):
        output = [output, output]
    for rules in RULES:
        assert not equal([1, [2, 3]], output, **rules)
        assert not equal([[1], [2, 3]], [output, output], **rules)


def test_values_that_hold_themselves_raise() -> None:
    """As they do in Python; the judge counts it against the candidate."""
    one: list[Any] = []
    one.append(one)
    other: list[Any] = []
    other.append(other)
    for rules in ({}, {"order": "unordered"}, {"order": "set"}, {"abs_tol": 0.1}):
        with pytest.raises(RecursionError):
            equal(one, other, **rules)
    assert not equal([[[1]]], one)


@given(FLOATS, FLOATS)
def test_nothing_but_limits_is_raised(one: Any, other: Any) -> None:
    """Whatever plain values are held against each other, with any rules."""
    for rules in RULES:
        assert equal(one, other, **rules) in (True, False)


def test_hostile_plain_values_against_each_other() -> None:
    """Every odd value against every other, in every collection: no exception, and none is equal to another."""
    odd: list[Any] = [
        *(NAN, INF, HUGE, Decimal("sNaN"), Decimal("1e999999999"), Fraction(1, HUGE), complex(NAN, INF)),
        *(float("1e308"), cmath.infj, np.longdouble("inf"), np.array([[NAN]]), np.array(["a"]), np.array([])),
        *("\ud800", b"\xff", bytearray(), range(10**30), type, ..., (), frozenset(), {}.keys(), {1: []}.items()),
        *(ValueError(NAN), Exception(), defaultdict(list), deque(maxlen=0), np.datetime64("NaT"), Level.LOW),
    ]
    empty = {"frozenset", "dict_keys"}
    for rules in RULES:
        for i, one in enumerate(odd):
            for j, other in enumerate(odd):
                found = equal([one, "x"], ["x", other], **{**rules, "order": "unordered"})
                together = {type(one).__name__, type(other).__name__} <= empty
                assert (i == j) is found or (together and rules["types"] == "python"), (one, other)
