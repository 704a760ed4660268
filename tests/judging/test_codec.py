"""Values across the protocol: types, contents and identities kept, everything else refused."""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import enum
import functools
import itertools
import operator
import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

HUGE = 1 << 8192


def cross(codec: Any, value: Any, namespace: dict[str, Any] | None = None) -> Any:
    """The value that the other side makes of `value`; both sides number the same containers."""
    writer = codec.Writer(0, {})
    text = codec.dumps(writer.value(value))
    reader = codec.Reader(0, {}.__getitem__, namespace)
    result = reader.value(codec.loads(text))
    assert [type(x) for x in writer.nodes] == [type(x) for x in reader.nodes]
    return result


def canon(value: Any, seen: dict[int, int] | None = None) -> Any:  # noqa: PLR0911 - one branch a kind
    """What distinguishes two values: exact types, contents with the sign of zeros, the graph of identities."""
    seen = {} if seen is None else seen
    t = type(value)
    name = t.__name__
    inner = functools.partial(canon, seen=seen)
    if (t is float and value != value) or t in IDENTITY:  # noqa: PLR0124 - NaN
        if id(value) in seen:
            return ("again", seen[id(value)])
        seen[id(value)] = len(seen)
    if t in (list, tuple, collections.deque):
        return (name, getattr(value, "maxlen", None), [inner(x) for x in value])
    if t in (set, frozenset):
        return (name, sorted(repr(canon(x)) for x in value))
    if isinstance(value, dict):
        pairs = [(inner(k), inner(v)) for k, v in value.items()]
        return (name, getattr(value, "default_factory", None), pairs)
    if name in ("dict_keys", "dict_values", "dict_items"):
        return (name, [inner(x) for x in value])
    if t is array.array:
        return (name, value.typecode, repr(value.tolist()))
    if t in (dt.datetime, dt.time):
        return (name, repr(value), value.fold)
    return (name, repr(value))


IDENTITY = (
    list,
    dict,
    set,
    bytearray,
    collections.deque,
    collections.Counter,
    collections.OrderedDict,
    collections.defaultdict,
    array.array,
)
FACTORIES = (int, float, str, list, dict, set, tuple, bool, None)

# ---- strategies

ZONES = st.none() | st.builds(
    dt.timezone,
    st.timedeltas(min_value=dt.timedelta(hours=-23), max_value=dt.timedelta(hours=23)),
)
FOLDS = st.integers(0, 1)
INTEGERS = st.integers() | st.builds(
    lambda sign, n: sign * (HUGE + n), st.sampled_from([-1, 1]), st.integers(-3, 3)
)
TEXTS = st.text(st.characters(exclude_categories=()))
DECIMALS = st.decimals() | st.sampled_from(
    [decimal.Decimal(x) for x in ("1E+999999", "-0", "0E-50", "1.10", "-Infinity", "NaN123", "1e-999999")]
)
MOMENTS = (
    st.dates()
    | st.builds(lambda t, fold: t.replace(fold=fold), st.times(timezones=ZONES), FOLDS)
    | st.builds(
        lambda d, zone, fold: d.replace(tzinfo=zone, fold=fold),
        st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1)),  # noqa: DTZ001 - the zone comes by replace
        ZONES,
        FOLDS,
    )
    | st.timedeltas()
)
CLASSES = st.sampled_from([int, str, list, type, object, ValueError, KeyError, BaseException])
SCALARS = (
    st.none()
    | st.booleans()
    | INTEGERS
    | st.floats()
    | TEXTS
    | st.binary()
    | st.complex_numbers()
    | st.builds(complex, st.sampled_from([0.0, -0.0]), st.sampled_from([0.0, -0.0]))
    | DECIMALS.filter(lambda d: not d.is_snan())
    | st.fractions()
    | st.builds(range, INTEGERS, INTEGERS, st.integers(1, 9) | st.integers(-9, -1))
    | MOMENTS
    | CLASSES
    | st.just(...)
)
HASHABLES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4).map(tuple) | st.frozensets(inner, max_size=4), max_leaves=8
)
ARRAYS = st.sampled_from("bhilq").flatmap(
    lambda code: st.lists(st.integers(-128, 127)).map(lambda xs: array.array(code, xs))
) | st.sampled_from("fd").flatmap(lambda code: st.lists(st.floats(width=32)).map(lambda xs: array.array(code, xs)))


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=5)
    dicts = st.dictionaries(HASHABLES, inner, max_size=4)
    return st.one_of(
        lists,
        lists.map(tuple),
        dicts,
        dicts.map(collections.OrderedDict),
        dicts.map(collections.Counter),
        st.builds(collections.defaultdict, st.sampled_from(FACTORIES), dicts),
        st.builds(collections.deque, lists, st.none() | st.integers(0, 4)),
        st.dictionaries(HASHABLES, HASHABLES, max_size=4).map(dict.keys),
        dicts.map(dict.values),
        dicts.map(dict.items),
        st.lists(inner, min_size=1, max_size=3).flatmap(  # the same objects several times
            lambda pool: st.lists(st.sampled_from(range(len(pool))), max_size=5).map(
                lambda positions: [pool[i] for i in positions]
            )
        ),
    )


VALUES = st.recursive(
    HASHABLES
    | st.sets(HASHABLES, max_size=5)
    | st.binary().map(bytearray)
    | ARRAYS
    | st.just(decimal.Decimal("sNaN")),
    _containers,
    max_leaves=12,
)

CONTAINERS: tuple[st.SearchStrategy[Any], ...] = (
    st.lists(HASHABLES, max_size=4),
    st.sets(HASHABLES, max_size=4),
    st.binary().map(bytearray),
    st.dictionaries(HASHABLES, HASHABLES, max_size=4),
    st.dictionaries(HASHABLES, HASHABLES, max_size=4).map(collections.OrderedDict),
    st.dictionaries(HASHABLES, HASHABLES, max_size=4).map(collections.Counter),
    st.dictionaries(HASHABLES, HASHABLES, max_size=4).map(functools.partial(collections.defaultdict, list)),
    st.lists(HASHABLES, max_size=4).map(collections.deque),
    st.lists(st.integers(-128, 127)).map(functools.partial(array.array, "q")),
)

# ---- round trips


@given(value=SCALARS)
def test_scalars_cross(codec: Any, value: Any) -> None:
    """Values that hold no others, alone and in a list, where some are written in another way."""
    assert canon(value) == canon(cross(codec, value))
    assert canon([value, 1]) == canon(cross(codec, [value, 1]))


@settings(max_examples=150, deadline=None)
@given(value=VALUES)
def test_values_cross(codec: Any, value: Any) -> None:
    """Types, contents and identities are the same on the other side, and are written the same there."""
    result = cross(codec, value)
    assert canon(value) == canon(result)
    text = codec.dumps(codec.Writer(0, {}).value(value))
    assert text.isascii()
    if '"s":' not in text and '"z":' not in text:  # the order of sets is free
        assert text == codec.dumps(codec.Writer(0, {}).value(result))


@pytest.mark.parametrize("exponent", [62, 63, 64, 8191, 8192, 8193])
@pytest.mark.parametrize("delta", [-1, 0, 1])
@pytest.mark.parametrize("sign", [-1, 1])
def test_integers_of_any_size_cross(codec: Any, exponent: int, delta: int, sign: int) -> None:
    """Integers at the borders of words and of the decimal form, alone and in a list."""
    number = sign * ((1 << exponent) + delta)
    assert number == cross(codec, number)
    assert [0, number] == cross(codec, [0, number])


def test_integer_of_a_megabit_crosses(codec: Any) -> None:
    """Integers past Python's limit of decimal digits travel in hexadecimal."""
    number = (1 << 1_000_000) + 7
    assert number == cross(codec, {number: [number]})[number][0]


@pytest.mark.parametrize("text", ["\ud83d\ude00", "a\ud83d\ude00b\ud83d\ude01", "\ud83d", "\ude00\ud83d"])  # noqa: PT014 - halves look the same to it
def test_surrogates_are_not_repaired(codec: Any, text: str) -> None:
    """Two halves of a pair are two characters of a wrong program, not the one character that was right."""
    assert list(text) == list(cross(codec, text))
    assert [1, text] == cross(codec, [1, text])
    assert {text: text} == cross(codec, {text: text})
    assert (text,) == cross(codec, (text,))


def test_whole_character_stays_one(codec: Any) -> None:
    """A character beyond the basic plane is not taken apart."""
    assert "\N{GRINNING FACE}" == cross(codec, "\N{GRINNING FACE}")


class Colour(enum.Enum):
    """An enumeration of the problem."""

    RED = 1
    BLUE = "b"


class Size(enum.IntEnum):
    """Members that are numbers."""

    SMALL = 1


class Word(enum.StrEnum):
    """Members that are texts."""

    YES = "yes"


@pytest.mark.parametrize("member", [Colour.RED, Colour.BLUE, Size.SMALL, Word.YES])
def test_enumeration_of_the_problem(codec: Any, member: Any) -> None:
    """A member becomes the one of the class that the tests define."""
    assert member is cross(codec, member, {type(member).__name__: type(member)})


def test_enumeration_unknown_to_the_tests(codec: Any) -> None:
    """A class made anew keeps names and values, and number and text where the members are such."""
    red, again = cross(codec, [Colour.RED, Colour.RED])
    assert red is again
    assert ("Colour", "RED", 1) == (type(red).__name__, red.name, red.value)
    assert red != 1
    assert red != cross(codec, Colour.BLUE)
    assert cross(codec, Size.SMALL) == 1
    assert cross(codec, Word.YES) == "yes"


Point = collections.namedtuple("Point", "x y")  # noqa: PYI024 - both forms are tested


class Typed(NamedTuple):
    """A named tuple with types."""

    first: int
    second: list[int]


@pytest.mark.parametrize("value", [Point(x=1, y=[2]), Typed(1, [2])])
def test_named_tuples(codec: Any, value: Any) -> None:
    """Name, fields and items are kept; equality with a tuple is, too."""
    result = cross(codec, value)
    assert (type(value).__name__, value._fields) == (type(result).__name__, result._fields)
    assert tuple(value) == result
    assert type(result) is type(cross(codec, value))


def test_named_tuple_with_renamed_fields(codec: Any) -> None:
    """Fields that namedtuple renamed, as its own names begin with an underscore, still cross."""
    make: Any = collections.namedtuple  # noqa: PYI024 - it alone renames
    row = make("Row", "a class a", rename=True)
    assert ("a", "_1", "_2") == cross(codec, row(1, 2, 3))._fields


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1, 2], [3, 4]], dtype="<i4"),
        np.array([], dtype="f8"),
        np.array(["a", "bc"]),
        np.array([True, False]),
        np.array(5.5),
        np.array([1 + 2j]),
        np.array(["2024-01-02"], dtype="M8[D]"),
    ],
    ids=str,
)
def test_arrays_of_numpy(codec: Any, value: Any) -> None:
    """dtype, shape and items are kept, and the array can be changed."""
    result = cross(codec, value)
    assert (value.dtype, value.shape, value.tolist()) == (result.dtype, result.shape, result.tolist())
    assert result.flags.writeable


def test_scalars_of_numpy(codec: Any) -> None:
    """A numpy scalar stays one."""
    result = cross(codec, [np.float32(0.5), np.int64(3)])
    assert [np.float32, np.int64] == [type(x) for x in result]
    assert [0.5, 3] == result


# ---- iterators

ITERATORS: dict[str, Any] = {
    "list": lambda: iter([1, 2]),
    "tuple": lambda: iter((1, 2)),
    "range": lambda: iter(range(1, 3)),
    "large range": lambda: iter(range(1 << 70, (1 << 70) + 2)),
    "keys": lambda: iter({1: 2}),
    "values": lambda: iter({1: 2}.values()),
    "items": lambda: iter({1: 2}.items()),
    "set": lambda: iter({1}),
    "text": lambda: iter("ab"),
    "text beyond ASCII": lambda: iter("aé😀"),
    "bytes": lambda: iter(b"ab"),
    "bytearray": lambda: iter(bytearray(b"ab")),
    "deque": lambda: iter(collections.deque([1, 2])),
    "ordered": lambda: iter(collections.OrderedDict(a=1)),
    "reversed list": lambda: reversed([1, 2]),
    "reversed tuple": lambda: reversed((1, 2)),
    "reversed dict": lambda: reversed({1: 2, 3: 4}),
    "reversed values": lambda: reversed({1: 2, 3: 4}.values()),
    "reversed items": lambda: reversed({1: 2, 3: 4}.items()),
    "reversed deque": lambda: reversed(collections.deque([1, 2])),
    "map": lambda: map(str, [1, 2]),
    "filter": lambda: filter(None, [0, 1]),
    "zip": lambda: zip([1], [2], strict=True),
    "enumerate": lambda: enumerate("ab"),
    "chain": lambda: itertools.chain([1], [2]),
    "islice": lambda: itertools.islice(itertools.count(), 3),
    "accumulate": lambda: itertools.accumulate([1, 2]),
    "permutations": lambda: itertools.permutations([1, 2, 3], 2),
    "combinations": lambda: itertools.combinations([1, 2, 3], 2),
    "product": lambda: itertools.product([1], [2, 3]),
    "groupless": lambda: itertools.starmap(operator.add, [(1, 2)]),
    "longest": lambda: itertools.zip_longest([1], [2, 3]),
    "pairwise": lambda: itertools.pairwise([1, 2, 3]),
    "tee": lambda: itertools.tee([1, 2])[0],
    "elements": lambda: collections.Counter("aab").elements(),
}


@pytest.mark.parametrize("make", ITERATORS.values(), ids=ITERATORS)
def test_iterators_cross_with_their_items(codec: Any, make: Any) -> None:
    """An iterator becomes one over the same items, which can be read once."""
    result = cross(codec, make())
    assert iter(result) is result
    assert canon(list(make())) == canon(list(result))
    assert [] == list(result)


def test_generator_stays_one(codec: Any) -> None:
    """A generator is told apart from other iterators."""
    assert "generator" == type(cross(codec, (i for i in (1, 2)))).__name__
    assert "generator" != type(cross(codec, iter([1, 2]))).__name__


def test_generator_that_raises_midway(codec: Any) -> None:
    """Its items come first, then the exception, as from the original."""

    def generate() -> Any:
        yield 1
        raise KeyError("k")

    result = cross(codec, generate())
    assert next(result) == 1
    with pytest.raises(KeyError) as caught:
        next(result)
    assert ("k",) == caught.value.args


def test_generator_that_raises_with_containers(codec: Any) -> None:
    """Identities among the items stay right when the exception holds containers as well."""

    def generate() -> Any:
        shared = [1]
        yield shared
        yield shared
        raise ValueError([2], shared)

    result = cross(codec, generate())
    first, second = next(result), next(result)
    assert first is second
    assert [1] == first
    with pytest.raises(ValueError, match=re.escape("([2], [1])")) as caught:
        next(result)
    assert caught.value.args[1] is first


# ---- identity


def test_shared_containers_stay_shared(codec: Any) -> None:
    """`[[0] * 2] * 3` is not repaired to three lists."""
    rows = cross(codec, [[0] * 2] * 3)
    rows[0][0] = 1
    assert [[1, 0]] * 3 == rows


@pytest.mark.parametrize("make", [list, dict, set, bytearray, collections.deque, collections.Counter])
def test_equal_containers_stay_apart(codec: Any, make: Any) -> None:
    """Equal containers that are two objects are two on the other side; one is one."""
    one, two = make(), make()
    a, b, c = cross(codec, [one, two, one])
    assert a is not b
    assert a is c


def test_cycles(codec: Any) -> None:
    """Containers that hold themselves, directly and around a corner."""
    xs: list[Any] = [1]
    xs.append(xs)
    assert (copy := cross(codec, xs))[1] is copy
    pairs: dict[str, Any] = {}
    pairs["queue"] = collections.deque([(pairs,)])
    ring = cross(codec, pairs)
    assert ring["queue"][0][0] is ring


def test_nan_keeps_its_identity(codec: Any) -> None:
    """A NaN is found in a list by its identity."""
    nan = float("nan")
    one, two, other = cross(codec, (nan, [nan], float("nan")))
    assert one in two
    assert other not in two


def test_references_across_frames(codec: Any) -> None:
    """A container that crossed before is mentioned, and the object itself comes out."""
    shared: list[Any] = [1]
    first = codec.Writer(2, {})
    first.value([shared, {}])
    assert [[shared, {}], shared, {}] == first.nodes
    second = codec.Writer(4, {id(x): [2, i] for i, x in enumerate(first.nodes)})
    written = second.value([shared, [shared]])
    assert [{"*": [2, 1]}, [{"*": [2, 1]}]] == written
    asked = []

    def lookup(frame: int, index: int) -> Any:
        asked.append((frame, index))
        return shared

    result = codec.Reader(4, lookup).value(codec.loads(codec.dumps(written)))
    assert result[0] is shared
    assert result[1][0] is shared
    assert [(2, 1), (2, 1)] == asked


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_replace_keeps_the_identity(codec: Any, data: st.DataObject) -> None:
    """A container takes over the content of another of its type."""
    kind = data.draw(st.sampled_from(CONTAINERS))
    before, after = data.draw(kind), data.draw(kind)
    expected = canon(after)
    codec.replace(before, after)
    assert expected == canon(before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], {}),
        ({}, collections.OrderedDict()),
        (set(), []),
        (collections.Counter(), {}),
        (array.array("i"), array.array("q")),
        (bytearray(), []),
    ],
)
def test_replace_refuses_another_type(codec: Any, before: Any, after: Any) -> None:
    """A container never changes its type."""
    with pytest.raises(codec.HOSTILE):
        codec.replace(before, after)


# ---- what does not cross


class _List(list[int]):
    """A subclass could carry behaviour."""


class _Own:
    """A class of the program."""


class _Flag(str):
    __slots__ = ()


def _nested(depth: int) -> list[Any]:
    result: list[Any] = []
    for _ in range(depth):
        result = [result]
    return result


_LOCAL = type("int", (), {"__module__": "builtins"})

REJECTED: dict[str, Any] = {
    "subclass of list": _List(),
    "subclass of str": _Flag("a"),
    "subclass of int inside": [1, type("I", (int,), {})(1)],
    "function": cross,
    "built-in function": len,
    "lambda inside": {"a": (lambda: 0,)},
    "module": re,
    "own class": _Own,
    "own object": _Own(),
    "object": object(),
    "class of a library": decimal.Decimal,
    "class that calls itself int": _LOCAL,
    "built-in class without a name there": type(None),
    "bound method": [].append,
    "partial": functools.partial(int),
    "pattern": re.compile("a"),
    "memoryview": memoryview(b"a"),
    "NotImplemented": NotImplemented,
    "zone with rules": dt.datetime(2024, 1, 1, tzinfo=type("Z", (dt.tzinfo,), {})()),
    "own exception": type("Bad", (Exception,), {})("a"),
    "dtype of objects": np.array([object()]),
    "too deep": _nested(201),
    "too deep in a tuple": (_nested(200),),
    "endless iterator": itertools.count(),
}


@pytest.mark.parametrize("value", REJECTED.values(), ids=REJECTED)
def test_what_is_not_plain_is_refused(codec: Any, value: Any) -> None:
    """Nothing that could carry behaviour, lives elsewhere or has no end is written."""
    with pytest.raises(codec.Rejected):
        codec.Writer(0, {}).value(value)


def test_named_tuple_with_behaviour_is_refused(codec: Any) -> None:
    """A class below a named tuple is a subclass like others."""
    cls = type("P", (Point,), {"__eq__": lambda *_: True, "__hash__": None})
    with pytest.raises(codec.Rejected):
        codec.Writer(0, {}).value(cls(1, 2))


def test_depth_limit(codec: Any) -> None:
    """As deep as the limit says crosses; the depth counts each value anew, not the values before it."""
    deep = _nested(codec.MAX_DEPTH - 1)
    assert [deep] * 3 + [_nested(150)] * 3 == cross(codec, [deep] * 3 + [_nested(150)] * 3)


def test_items_limit(codec: Any) -> None:
    """An iterator of as many items as the limit says crosses, one of more does not."""
    assert codec.MAX_ITEMS == len(list(cross(codec, iter(range(codec.MAX_ITEMS)))))
    with pytest.raises(codec.Rejected, match="more than"):
        codec.Writer(0, {}).value(iter(range(codec.MAX_ITEMS + 1)))
