"""Values: what folding keeps, and that it stays small."""

from __future__ import annotations

import ast

import pytest

from codejury.metrics.values import (
    ANY,
    EMPTY,
    EXTERNAL,
    MAX_ATOMS,
    NONE,
    Value,
    add,
    compare,
    constant,
    constant_text,
    elements,
    external,
    group,
    harmless,
    join,
    negate,
    only_sequence,
    sequence,
    truth,
)

OUTSIDE: Value = frozenset({EXTERNAL})
SINK: Value = frozenset({"os.system"})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (constant(value=True), True),
        (constant(0), False),
        (constant(""), False),
        (frozenset({NONE}), False),
        (sequence([]), False),
        (sequence([ANY]), True),
        (group([ANY]), None),
        (SINK, True),
        (ANY, None),
        (EMPTY, None),
        (OUTSIDE, None),
        (constant(value=True) | constant(value=False), None),
        (constant(1) | constant("a"), True),
    ],
)
def test_truth(value: Value, expected: bool | None) -> None:  # noqa: FBT001 - what is asked
    """What is true or false for sure, and what is open."""
    assert expected is truth(value)
    assert negate(value) == (ANY if expected is None else constant(not expected))


def test_constants_of_different_types_differ() -> None:
    """True is not 1, and bytes are not text of the same hash."""
    assert 2 == len(constant(1) | constant(value=True))
    assert 2 == len(constant("a") | constant(b"a"))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (constant("a"), constant("b"), constant("ab")),
        (constant(b"a"), constant(b"b"), constant(b"ab")),
        (constant("a"), constant(b"b"), ANY),
        (constant("a"), ANY, ANY),
        (constant("a"), OUTSIDE, OUTSIDE),
        (constant("a") | constant("b"), constant("c"), constant("ac") | constant("bc")),
        (sequence([constant(1)]), sequence([ANY]), sequence([constant(1), ANY])),
        (constant("x" * 4096), constant("y"), ANY),
    ],
)
def test_add(left: Value, right: Value, expected: Value) -> None:
    """Texts, bytes and sequences add up; text from outside stays so."""
    assert expected == add(left, right)


@pytest.mark.parametrize(
    ("operator", "right", "expected"),
    [
        (ast.Eq(), constant("a"), constant(value=True)),
        (ast.NotEq(), constant("a"), constant(value=False)),
        (ast.Is(), constant("b"), constant(value=False)),
        (ast.Eq(), constant(b"a"), ANY),
        (ast.Lt(), constant("b"), ANY),
        (ast.Eq(), ANY, ANY),
    ],
)
def test_compare(operator: ast.cmpop, right: Value, expected: Value) -> None:
    """Equality of constants of one type; nothing else."""
    assert expected == compare(operator, constant("a"), right)


def test_join_forgets_constants_and_keeps_paths() -> None:
    """However many constants there are, a function that may be meant is not lost."""
    many = [constant(i) for i in range(10 * MAX_ATOMS)]
    assert SINK | ANY == join([*many, SINK])


def test_groups() -> None:
    """Elements by key where they are known, together where not; nesting ends."""
    both = sequence([SINK, constant("x")])
    assert (known := only_sequence(both)) is not None
    assert (SINK, constant("x")) == known.values
    assert SINK | constant("x") == elements(both)
    assert only_sequence(group([SINK])) is None
    assert only_sequence(both | ANY) is None
    assert ANY == sequence([sequence([both])])
    assert SINK == elements(sequence([SINK] * 100))


def test_harmless_and_external() -> None:
    """Constants through and through; anything from outside."""
    assert harmless(sequence([constant(1), constant("a")]))
    assert not harmless(sequence([constant(1), ANY]))
    assert not harmless(EMPTY)
    assert external(sequence([constant(1), OUTSIDE]))
    assert not external(SINK)


def test_constant_text() -> None:
    """The one text, if it is one."""
    assert constant_text(constant("a")) == "a"
    assert constant_text(constant("a") | constant("b")) is None
    assert constant_text(constant(1)) is None
    assert constant_text(None) is None
