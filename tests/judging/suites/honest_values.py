"""Right answers whose values, arguments and exceptions are easily lost on the way.

Point 3: every exact type there and back, identity within a reply, aliases between reply and arguments where the
reference has them too, state that the candidate keeps. Point 4: arguments changed as the reference changes them.
Point 13: namedtuples, enums, views, generators.
"""

from __future__ import annotations

from . import tasks, tasks_identity, tasks_types, tasks_work
from .case import PASSED, Case, Task, task

_ECHOED = (
    ("none", "", "None"),
    ("bools", "", "True, False"),
    ("ints", "", "0, -1, 7, 2 ** 31, -2 ** 63, 2 ** 64, 10 ** 30"),
    ("long-int", "", "2 ** 5000, -(2 ** 5000)"),
    ("floats", "", "0.1, -0.5, 1e308, 5e-324, float('inf'), float('-inf')"),
    ("complex", "", "1j, complex(-0.5, 2)"),
    ("text", "", "'', 'x{', 'caf\\u00e9', '\\U0001f40d', 'a\\0b', '\\r\\n\\u2028', '\\\\', '\"'"),
    ("lone-surrogate", "", "'\\ud800', 'x\\udcff'"),
    ("bytes", "", "b'', b'\\0\\xff', bytearray(b'y')"),
    ("tuples", "", "(), (1,), (1, (2, [3]))"),
    ("lists", "", "[], [[], [[]]], [None, True, 1.5]"),
    ("dicts", "", "{}, {1: {2, 3}}, {'b': 1, 'a': [2]}, {(1, 2): {}}, {None: 0, True: 1, 2.5: 2, b'k': 3}"),
    ("sets", "", "set(), {1, 'a', None}, frozenset(), frozenset({(1,), frozenset({2})})"),
    ("ranges", "", "range(0), range(3), range(10, 0, -3), range(2 ** 70)"),
    ("deques", "from collections import deque", "deque(), deque([1, [2]]), deque([1, 2], maxlen=2)"),
    ("counters", "from collections import Counter", "Counter(), Counter('abca'), Counter(a=-1, b=0)"),
    ("ordered-dicts", "from collections import OrderedDict", "OrderedDict(), OrderedDict([('b', 1), ('a', 2)])"),
    ("defaultdicts", "from collections import defaultdict", "defaultdict(list, {1: [2]}), defaultdict(int, a=1)"),
    (
        "decimals",
        "from decimal import Decimal",
        "Decimal('1.10'), Decimal('-0'), Decimal('Infinity'), Decimal('1E+30')",
    ),
    ("fractions", "from fractions import Fraction", "Fraction(1, 3), Fraction(-7), Fraction(10 ** 40, 3)"),
    (
        "dates",
        "from datetime import date, time, datetime, timedelta",
        "date(2024, 2, 29), time(1, 2, 3, 4), datetime(2024, 1, 1, 12, fold=1), timedelta(-1, 5), timedelta.max",
    ),
    (
        "zoned-dates",
        "from datetime import datetime, time, timedelta, timezone",
        "datetime(2024, 1, 1, tzinfo=timezone.utc), datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=-3)))",
    ),
    ("arrays", "from array import array", "array('i', [1, -2]), array('d', [0.5]), array('B')"),
    ("mixed-deep", "", "{'a': [(1, {2: {3}}), b'x', [None, {'k': (1.5, [True])}]]}"),
    ("wide", "", "list(range(20_000)), dict.fromkeys(range(5_000), 'v')"),
    ("nested-90-deep", "", "[" * 90 + "]" * 90),
    ("text-of-1-mb", "", "'x' * 1_000_000, '\\u00e9' * 300_000, b'z' * 1_000_000"),
)
_ECHO = tuple(
    task(
        f"{before}\n\ndef check(candidate):\n    for value in ({values},):\n        echo = candidate(value)\n"
        "        assert echo == value\n        assert type(echo) is type(value)\n"
        + ("" if name == "sets" else "        assert repr(echo) == repr(value)\n"),
        "def f(x):\n    return x\n",
    ).case(f"echoes-{name}", "3", "def f(x):\n    same = x\n    return same\n", PASSED)
    for name, before, values in _ECHOED
)

_SHARED = tuple(
    shared.case(f"plainly-{name.lower().replace('_', '-')}", "3", shared.reference, PASSED)
    for name, shared in (vars(tasks) | vars(tasks_identity) | vars(tasks_types) | vars(tasks_work)).items()
    if isinstance(shared, Task) and name not in ("REFUSES_AN_OBJECT", "EVAL_OF", "PICKLE_OF")
)
"""The reference of each shared task is a right answer itself."""

_IDENTITY = (
    task(
        """
        def check(candidate):
            nan = float("nan")
            xs = [nan, 1.0]
            assert candidate(xs) == xs
            assert candidate([nan])[0] is nan
        """,
        """
        def f(xs):
            return list(xs)
        """,
    ).case(
        "nan-is-the-same-object",
        "3",
        """
        def f(xs):
            return [x for x in xs]
        """,
        PASSED,
        "equal in a list only because it is the same object",
    ),
    task(
        """
        import math

        def check(candidate):
            assert math.isnan(candidate([]))
            assert candidate([2, 4]) == 3
        """,
        """
        def f(xs):
            return sum(xs) / len(xs) if xs else float("nan")
        """,
    ).case(
        "nan-returned",
        "3",
        """
        import math

        def f(xs):
            try:
                return sum(xs) / len(xs)
            except ZeroDivisionError:
                return math.nan
        """,
        PASSED,
    ),
    task(
        """
        def check(candidate):
            a = candidate()
            assert a[0] is a
            assert len(a) == 2
            d = a[1]
            assert d["back"] is a
        """,
        """
        def f():
            a = []
            a.extend((a, {"back": a}))
            return a
        """,
    ).case(
        "reply-holds-itself",
        "3",
        """
        def f():
            ring = [None, {}]
            ring[0] = ring[1]["back"] = ring
            return ring
        """,
        PASSED,
    ),
    task(
        """
        def check(candidate):
            rows = [[1], [2]]
            picked = candidate(rows)
            assert picked == [2]
            picked.append(3)
            assert rows == [[1], [2, 3]]
        """,
        """
        def f(rows):
            return rows[-1]
        """,
    ).case("reply-is-part-of-the-argument", "3", "def f(rows):\n    return rows[len(rows) - 1]\n", PASSED),
    task(
        """
        def check(candidate):
            xs = [1]
            pair = candidate(xs, xs)
            assert pair == ([1, 2], [1, 2])
            assert pair[0] is pair[1] is xs
        """,
        """
        def f(a, b):
            a.append(2)
            return a, b
        """,
    ).case("argument-given-twice", "3", "def f(a, b):\n    b += [2]\n    return (a, b)\n", PASSED),
    task(
        """
        def check(candidate):
            box = candidate([])
            box.append(1)
            assert candidate(None) == 1
            box.append(2)
            assert candidate(None) == 2
        """,
        """
        kept = None

        def f(box):
            global kept
            if box is None:
                return len(kept)
            kept = box
            return box
        """,
    ).case(
        "kept-object-changed-by-the-test",
        "3",
        """
        state = {}

        def f(box):
            if box is not None:
                state["box"] = box
                return box
            return len(state["box"])
        """,
        PASSED,
        "the candidate keeps what the test goes on changing",
    ),
    task(
        """
        def check(candidate):
            first = candidate(1)
            assert first == [1]
            second = candidate(2)
            assert second is first
            assert first == [1, 2]
        """,
        """
        def f(x, seen=[]):
            seen.append(x)
            return seen
        """,
    ).case(
        "mutable-default-as-wanted",
        "3",
        """
        log = []

        def f(x):
            log.append(x)
            return log
        """,
        PASSED,
    ),
)

_IN_PLACE = (
    tasks_identity.IN_PLACE.case(
        "sorts-in-place-by-hand",
        "4",
        """
        def f(xs):
            for i in range(len(xs)):
                for j in range(i):
                    if xs[j] > xs[i]:
                        xs[i], xs[j] = xs[j], xs[i]
        """,
        PASSED,
    ),
    tasks_identity.IN_PLACE.case("sorts-in-place-by-slice", "4", "def f(xs):\n    xs[:] = sorted(xs)\n", PASSED),
    task(
        """
        from array import array
        from collections import deque

        def check(candidate):
            for value in (bytearray(b"ab"), array("i", [1, 2]), deque([1, 2]), [1, 2]):
                assert candidate(value) is None
                assert list(value) in ([2, 1], [98, 97])
        """,
        """
        def f(xs):
            xs.reverse()
        """,
    ).case(
        "reverses-every-sequence-in-place",
        "4",
        """
        def f(xs):
            for i in range(len(xs) // 2):
                xs[i], xs[-1 - i] = xs[-1 - i], xs[i]
        """,
        PASSED,
    ),
    task(
        """
        def check(candidate):
            table = {"a": [1], "b": {"c": {2}}}
            assert candidate(table, key="x") is None
            assert table == {"a": [1, 0], "b": {"c": {2, 3}}, "x": []}
        """,
        """
        def f(table, *, key):
            table["a"].append(0)
            table["b"]["c"].add(3)
            table[key] = []
        """,
    ).case(
        "changes-deep-inside",
        "4",
        """
        def f(table, *, key):
            table["a"] += [0]
            table["b"]["c"] |= {3}
            table.setdefault(key, [])
        """,
        PASSED,
    ),
    task(
        """
        def check(candidate):
            queue = [3, 1]
            try:
                candidate(queue)
            except IndexError:
                ended = True
            else:
                ended = False
            assert ended
            assert queue == []
        """,
        """
        def f(queue):
            while True:
                queue.pop()
        """,
    ).case(
        "changes-before-a-raise",
        "4",
        """
        def f(queue):
            while queue:
                queue.pop(0)
            raise IndexError("empty")
        """,
        PASSED,
    ),
)

_KINDS = (
    task(
        """
        def check(candidate):
            red = candidate("red")
            assert (red.name, red.value) == ("RED", 1)
            assert red is candidate("red")
        """,
        """
        from enum import Enum

        class Color(Enum):
            RED = 1
            BLUE = 2

        def f(name):
            return Color[name.upper()]
        """,
    ).case(
        "enum-member",
        "13",
        """
        import enum

        Color = enum.Enum("Color", "RED BLUE")

        def f(name):
            return Color[name.upper()]
        """,
        PASSED,
    ),
    tasks_types.POINT.case(
        "namedtuple-by-typing",
        "13",
        """
        from typing import NamedTuple

        class Point(NamedTuple):
            x: int
            y: int = 0

        def f(x, y):
            return Point(x, y)
        """,
        PASSED,
    ),
    task(
        """
        def check(candidate):
            table = {"a": 1, "b": 2}
            keys, values, items = candidate(table)
            assert keys == {"a", "b"}
            assert sorted(values) == [1, 2]
            assert ("a", 1) in items
            assert list(keys) == ["a", "b"]
        """,
        """
        def f(table):
            return table.keys(), table.values(), table.items()
        """,
    ).case(
        "dict-views",
        "13",
        "def f(table):\n    copy = dict(table)\n    return copy.keys(), copy.values(), copy.items()\n",
        PASSED,
    ),
    tasks_types.ITERATOR.case("iterator-of-a-list", "13", "def f(n):\n    return iter(list(range(n)))\n", PASSED),
    tasks_types.ITERATOR.case("iterator-by-map", "13", "def f(n):\n    return map(int, range(n))\n", PASSED),
    tasks_types.ITERATOR.case(
        "iterator-by-itertools",
        "13",
        "from itertools import count, islice\n\ndef f(n):\n    return islice(count(0), n)\n",
        PASSED,
    ),
    tasks_types.ITERATOR.case(
        "iterator-by-generator-expression", "13", "def f(n):\n    return (i for i in range(n))\n", PASSED
    ),
    task(
        """
        def check(candidate):
            assert sorted(candidate("banana")) == ["a", "b", "n"]
            assert list(candidate("")) == []
        """,
        """
        def f(text):
            return set(text)
        """,
    ).case("any-iterable-is-right", "13", "def f(text):\n    yield from dict.fromkeys(text)\n", PASSED),
    tasks_types.GROUPS.case(
        "defaultdict-by-setdefault",
        "13",
        """
        import collections

        def f(words):
            groups = collections.defaultdict(list)
            for word in sorted(words):
                groups[len(word)] += [word]
            return groups
        """,
        PASSED,
    ),
)

CASES: tuple[Case, ...] = (*_ECHO, *_IDENTITY, *_IN_PLACE, *_KINDS, *_SHARED)
