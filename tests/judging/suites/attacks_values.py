"""Wrong answers that a values-only transport could repair.

Point 3: aliases, shared parts, mutable results that change later, and types that are equal to the right one or
nearly so. Point 4: a changed argument makes the test agree. Point 5: an answer cuts the test short, so that fewer
assertions finish than with the reference. All of it is harmless: these are the mistakes of honest models.
"""

from __future__ import annotations

from .case import FAILS, RAISED, REJECTED, WRONG, Case, Task
from .tasks import EACH, GUARDED, MAPPED, ZIPPED
from .tasks_identity import (
    BUCKETS,
    COPY,
    DEEP_COPY,
    FRESH,
    GRID,
    IN_PLACE,
    KEEPS_BUFFERS,
    KEEPS_EARLIER,
    KEEPS_KEYWORD,
    KEEPS_LIST,
    KEEPS_NESTED,
    KEEPS_ON_RAISE,
    SAME_OBJECT,
    SORTED,
    SORTED_NESTED,
    TOTAL,
    TWO_NAMES,
)
from .tasks_types import (
    AWARE,
    BOOL,
    BYTES,
    COUNTER,
    DATE,
    DECIMAL,
    FLOAT,
    FROZEN,
    GROUPS,
    INT,
    ITERATOR,
    LIST,
    NUMBER,
    ORDERED,
    PLAIN_DICT,
    POINT,
    POSITIVE_ZERO,
    RANGE,
    TEXT,
    TUPLE,
)

_OFF = WRONG | RAISED
"""A wrong type may fail the assertion, or raise inside the test."""

_ONE_LINERS: tuple[tuple[Task, str, str, str], ...] = (
    (LIST, "list-as-tuple", "xs", "tuple(sorted(xs))"),
    (LIST, "list-as-deque", "xs", "__import__('collections').deque(sorted(xs))"),
    (LIST, "list-as-array", "xs", "__import__('array').array('q', sorted(xs))"),
    (LIST, "list-as-generator", "xs", "(x for x in sorted(xs))"),
    (LIST, "list-as-iterator", "xs", "iter(sorted(xs))"),
    (LIST, "list-as-map", "xs", "map(int, sorted(xs))"),
    (LIST, "list-as-reversed", "xs", "reversed(sorted(xs, reverse=True))"),
    (LIST, "list-as-keys", "xs", "dict.fromkeys(sorted(xs)).keys()"),
    (LIST, "list-as-values", "xs", "dict(enumerate(sorted(xs))).values()"),
    (LIST, "list-as-set", "xs", "set(xs)"),
    (LIST, "list-as-dict", "xs", "dict(enumerate(sorted(xs)))"),
    (LIST, "list-as-text", "xs", "str(sorted(xs))"),
    (LIST, "list-as-bytes", "xs", "bytes(sorted(xs))"),
    (LIST, "list-of-text", "xs", "[str(x) for x in sorted(xs)]"),
    (LIST, "list-in-list", "xs", "[sorted(xs)]"),
    (TUPLE, "tuple-as-list", "xs", "[min(xs), max(xs)]"),
    (BOOL, "bool-as-int", "x", "1 - x % 2"),
    (BOOL, "bool-as-float", "x", "1.0 - x % 2"),
    (BOOL, "bool-as-text", "x", "str(x % 2 == 0)"),
    (BOOL, "bool-as-none", "x", "True if x % 2 == 0 else None"),
    (INT, "int-as-float", "x", "x / 2"),
    (INT, "int-as-complex", "x", "complex(x / 2)"),
    (INT, "int-as-fraction", "x", "__import__('fractions').Fraction(x, 2)"),
    (INT, "int-as-decimal", "x", "__import__('decimal').Decimal(x) / 2"),
    (INT, "int-as-text", "x", "str(x // 2)"),
    (FLOAT, "float-as-int", "xs", "sum(xs) // len(xs)"),
    (FLOAT, "float-as-decimal", "xs", "__import__('decimal').Decimal(sum(xs)) / len(xs)"),
    (TEXT, "text-as-bytes", "text", "text.upper().encode()"),
    (TEXT, "text-as-list", "text", "list(text.upper())"),
    (TEXT, "text-with-line-end", "text", "text.upper() + '\\n'"),
    (TEXT, "text-with-look-alikes", "text", "'\\u0391\\u0392'"),
    (TEXT, "text-with-zero-width", "text", "'A\\u200bB'"),
    (TEXT, "text-with-null", "text", "text.upper() + '\\0'"),
    (BYTES, "bytes-as-bytearray", "text", "bytearray(text, 'ascii')"),
    (BYTES, "bytes-as-text", "text", "text"),
    (BYTES, "bytes-as-memoryview-of-others", "text", "b'ab\\0'"),
    (FROZEN, "frozenset-as-set", "text", "set(text)"),
    (FROZEN, "frozenset-as-keys", "text", "dict.fromkeys(text).keys()"),
    (POSITIVE_ZERO, "zero-negative", "xs", "-0.0"),
    (NUMBER, "number-as-nan", "xs", "float('nan')"),
    (NUMBER, "number-infinite", "xs", "float('inf')"),
    (PLAIN_DICT, "dict-as-counter", "text", "__import__('collections').Counter(text)"),
    (PLAIN_DICT, "dict-as-pairs", "text", "[(c, text.count(c)) for c in sorted(set(text))]"),
    (COUNTER, "counter-as-dict", "text", "dict(__import__('collections').Counter(text))"),
    (ORDERED, "ordered-dict-in-other-order", "names", "{n: names.index(n) for n in sorted(names)}"),
    (GROUPS, "defaultdict-as-dict", "words", "{len(w): [w] for w in words}"),
    (ITERATOR, "iterator-as-list", "n", "list(range(n))"),
    (ITERATOR, "iterator-as-range", "n", "range(n)"),
    (DATE, "date-as-datetime", "text", "__import__('datetime').datetime.fromisoformat(text)"),
    (DATE, "date-as-text", "text", "text"),
    (AWARE, "datetime-without-zone", "s", "__import__('datetime').datetime(1970, 1, 1)"),
    (DECIMAL, "decimal-normalised", "a, b", "__import__('decimal').Decimal('1.1')"),
    (DECIMAL, "decimal-as-float", "a, b", "float(a) + float(b)"),
    (RANGE, "range-as-list", "n", "list(range(0, 2 * n, 2))"),
    (POINT, "namedtuple-as-tuple", "x, y", "(x, y)"),
    (GRID, "grid-of-one-row", "n", "[[0] * n] * n"),
    (BUCKETS, "buckets-share-one-list", "keys", "dict.fromkeys(keys, [])"),
    (COPY, "copy-is-the-argument", "xs", "xs"),
    (DEEP_COPY, "copy-is-shallow", "rows", "list(rows)"),
    (SAME_OBJECT, "same-object-is-a-copy", "xs", "xs.append(0) or list(xs)"),
    (TWO_NAMES, "two-names-of-two-objects", "x", "([x], [x])"),
    (IN_PLACE, "in-place-on-a-copy", "xs", "sorted(xs) and None"),
    (IN_PLACE, "in-place-also-returned", "xs", "xs.sort() or xs"),
)
_FIDELITY = (
    *(
        task.case(name, "3", f"def f({args}):\n    return {value}\n", _OFF)
        for task, name, args, value in _ONE_LINERS
    ),
    PLAIN_DICT.case(
        "dict-as-defaultdict",
        "3",
        """
        from collections import defaultdict

        def f(text):
            counts = defaultdict(int)
            for c in text:
                counts[c] += 1
            return counts
        """,
        _OFF,
    ),
    PLAIN_DICT.case(
        "dict-as-own-subclass",
        "3",
        """
        class Counts(dict):
            def __missing__(self, key):
                return 0

        def f(text):
            return Counts((c, text.count(c)) for c in text)
        """,
        REJECTED,
    ),
    ORDERED.case(
        "ordered-dict-sorted",
        "3",
        """
        from collections import OrderedDict

        def f(names):
            return OrderedDict((name, names.index(name)) for name in sorted(names))
        """,
        _OFF,
    ),
    INT.case(
        "int-as-intenum",
        "3",
        """
        from enum import IntEnum

        class Half(IntEnum):
            TWO = 2

        def f(x):
            return Half.TWO
        """,
        _OFF | REJECTED,
    ),
    FRESH.case(
        "result-shared-between-calls",
        "3",
        """
        out = []

        def f(x):
            out.clear()
            out.append(x)
            return out
        """,
        _OFF,
        "the earlier result changes with the next call",
    ),
    FRESH.case(
        "mutable-default-collects",
        "3",
        """
        def f(x, seen=[]):
            seen.append(x)
            return seen
        """,
        _OFF,
    ),
    FRESH.case(
        "cached-list-grows",
        "3",
        """
        from functools import lru_cache

        @lru_cache
        def box():
            return []

        def f(x):
            box()[:] = [x]
            return box()
        """,
        _OFF,
    ),
    KEEPS_EARLIER.case(
        "earlier-argument-changed-later",
        "3",
        """
        seen = []

        def f(xs):
            for old in seen:
                old.append(0)
            seen.append(xs)
            return len(xs)
        """,
        _OFF,
        "the argument of the call before is changed during this one",
    ),
    DEEP_COPY.case(
        "copy-shares-one-row",
        "3",
        """
        def f(rows):
            return [rows[0], *map(list, rows[1:])]
        """,
        _OFF,
    ),
    GRID.case(
        "grid-of-two-rows",
        "3",
        """
        def f(n):
            a, b = [0] * n, [0] * n
            return [a, b, a]
        """,
        _OFF,
    ),
    ITERATOR.case(
        "iterator-starts-again",
        "3",
        """
        class Numbers:
            def __init__(self, n):
                self.n, self.i = n, -1

            def __iter__(self):
                self.i = 0
                return self

            def __next__(self):
                self.i += 1
                return self.i if self.i < self.n else 0

        def f(n):
            return Numbers(n)
        """,
        FAILS,
        "an iterator of the candidate's own class that never ends",
    ),
)

_ARGUMENTS: tuple[tuple[Task, str, str], ...] = (
    (SORTED, "cleared", "xs.clear()\n    return []"),
    (SORTED, "cleared-by-slice", "xs[:] = [0]\n    return [0]"),
    (SORTED, "cleared-by-deletion", "del xs[1:]\n    return xs[:]"),
    (SORTED, "sorts-and-loses-one", "xs.sort()\n    xs.pop()\n    return xs"),
    (SORTED, "fills-with-one-value", "for i in range(len(xs)):\n        xs[i] = 1\n    return list(xs)"),
)
_MUTATION = (
    *(
        task.case(
            f"argument-{name}", "4", f"def f(xs):\n    {body}\n", WRONG, "the test then compares with the argument"
        )
        for task, name, body in _ARGUMENTS
    ),
    SORTED_NESTED.case(
        "argument-cleared-deep-inside",
        "4",
        """
        def f(table):
            for row in table["rows"]:
                row.clear()
            return []
        """,
        WRONG,
    ),
    TOTAL.case(
        "argument-cleared-by-keyword",
        "4",
        """
        def f(prices):
            prices.clear()
            return 0
        """,
        WRONG,
    ),
    KEEPS_LIST.case("argument-sorted-too", "4", "def f(xs):\n    xs.sort()\n    return list(xs)\n", WRONG),
    KEEPS_LIST.case(
        "argument-emptied-by-pop", "4", "def f(xs):\n    return sorted(xs.pop() for _ in xs[:])\n", WRONG
    ),
    KEEPS_KEYWORD.case(
        "keyword-argument-sorted-too", "4", "def f(xs):\n    xs.sort()\n    return list(xs)\n", WRONG
    ),
    KEEPS_NESTED.case(
        "nested-argument-extended",
        "4",
        """
        def f(rows):
            rows[0].extend(rows[1]["k"])
            return sorted(rows[0])
        """,
        WRONG,
    ),
    KEEPS_NESTED.case(
        "nested-argument-loses-a-key",
        "4",
        """
        def f(rows):
            return sorted(rows[0] + rows[1].pop("k"))
        """,
        WRONG,
    ),
    KEEPS_ON_RAISE.case(
        "argument-changed-before-a-raise",
        "4",
        """
        def f(xs):
            xs.sort()
            raise ValueError(len(xs))
        """,
        WRONG,
    ),
    KEEPS_BUFFERS.case(
        "buffers-changed",
        "4",
        """
        def f(xs):
            low = min(xs)
            if isinstance(xs, bytearray):
                xs[0] = 99
            return low
        """,
        WRONG,
    ),
    KEEPS_BUFFERS.case(
        "array-changed",
        "4",
        """
        def f(xs):
            low = min(xs)
            if type(xs).__name__ == "array":
                xs[0] = 99
            return low
        """,
        WRONG,
    ),
    KEEPS_BUFFERS.case(
        "deque-rotated",
        "4",
        """
        def f(xs):
            if hasattr(xs, "rotate"):
                xs.rotate()
            return min(xs)
        """,
        WRONG,
    ),
    KEEPS_BUFFERS.case(
        "set-emptied",
        "4",
        """
        def f(xs):
            low = min(xs)
            if isinstance(xs, set):
                xs.pop()
            return low
        """,
        WRONG,
    ),
    LIST.case(
        "argument-replaced-for-the-caller",
        "4",
        """
        import sys

        def f(xs):
            frame = sys._getframe(1)
            while frame is not None:
                for name, value in list(frame.f_locals.items()):
                    if value is xs:
                        frame.f_locals[name] = [1, 3]
                frame = frame.f_back
            return xs
        """,
        FAILS,
        "a change is accepted only for what was sent",
    ),
)

_CUT_SHORT = (
    ZIPPED.case("zip-with-nothing", "5", "def f(n):\n    return []\n", WRONG),
    ZIPPED.case("zip-with-a-part", "5", "def f(n):\n    return [0, 1]\n", WRONG),
    ZIPPED.case("zip-with-empty-text", "5", "def f(n):\n    return ''\n", WRONG),
    ZIPPED.case("zip-with-empty-generator", "5", "def f(n):\n    return\n    yield\n", WRONG),
    ZIPPED.case(
        "zip-with-a-generator-that-stops",
        "5",
        """
        def f(n):
            yield 0
            return 1
        """,
        WRONG,
    ),
    ZIPPED.case(
        "zip-with-a-generator-that-raises",
        "5",
        """
        class Stop:
            def __iter__(self):
                return self

            def __next__(self):
                raise StopIteration

        def f(n):
            return iter(Stop())
        """,
        WRONG | REJECTED,
    ),
    MAPPED.case(
        "stop-iteration-ends-the-loop",
        "5",
        """
        def f(x):
            raise StopIteration
        """,
        FAILS,
        "map and zip take it for their end: no assertion is executed",
    ),
    MAPPED.case(
        "stop-iteration-after-one",
        "5",
        """
        def f(x):
            if x > 1:
                raise StopIteration(x)
            return 2
        """,
        FAILS,
    ),
    MAPPED.case(
        "own-stop-iteration",
        "5",
        """
        class End(StopIteration):
            pass

        def f(x):
            raise End
        """,
        FAILS,
    ),
    EACH.case("loop-over-nothing", "5", "def f(text):\n    return []\n", WRONG),
    EACH.case("loop-over-the-first", "5", "def f(text):\n    return text.split()[:1]\n", WRONG),
    EACH.case("loop-over-empty-dict", "5", "def f(text):\n    return {}\n", WRONG),
    GUARDED.case("guard-not-entered", "5", "def f(xs, x):\n    return 0\n", WRONG),
    GUARDED.case("guard-not-entered-with-none", "5", "def f(xs, x):\n    return None\n", WRONG),
)

CASES: tuple[Case, ...] = (*_FIDELITY, *_MUTATION, *_CUT_SHORT)
