"""Shared tests of exact types and values."""

from __future__ import annotations

from .case import task

_SORTED_REFERENCE = """
    def f(xs):
        return sorted(xs)
    """

LIST = task(
    """
    def check(candidate):
        assert candidate([3, 1]) == [1, 3]
    """,
    _SORTED_REFERENCE,
)
TUPLE = task(
    """
    def check(candidate):
        assert candidate([3, 1]) == (1, 3)
    """,
    """
    def f(xs):
        return min(xs), max(xs)
    """,
)
BOOL = task(
    """
    def check(candidate):
        assert candidate(2) is True
        assert candidate(3) is False
    """,
    """
    def f(x):
        return x % 2 == 0
    """,
)
INT = task(
    """
    def check(candidate):
        half = candidate(4)
        assert half == 2
        assert type(half) is int
    """,
    """
    def f(x):
        return x // 2
    """,
)
FLOAT = task(
    """
    def check(candidate):
        mean = candidate([2, 4])
        assert mean == 3
        assert isinstance(mean, float)
    """,
    """
    def f(xs):
        return sum(xs) / len(xs)
    """,
)
TEXT = task(
    """
    def check(candidate):
        assert candidate("ab") == "AB"
    """,
    """
    def f(text):
        return text.upper()
    """,
)
BYTES = task(
    """
    def check(candidate):
        data = candidate("ab")
        assert data == b"ab"
        assert {data: 1} == {b"ab": 1}
    """,
    """
    def f(text):
        return text.encode()
    """,
)
FROZEN = task(
    """
    def check(candidate):
        assert {candidate("aab")} == {frozenset("ab")}
    """,
    """
    def f(text):
        return frozenset(text)
    """,
)
POSITIVE_ZERO = task(
    """
    from math import copysign

    def check(candidate):
        assert copysign(1.0, candidate([])) == 1.0
    """,
    """
    def f(xs):
        return float(sum(xs))
    """,
)
NUMBER = task(
    """
    def check(candidate):
        assert not candidate([2.0]) < 1.0
        assert candidate([]) == 0.0
    """,
    """
    def f(xs):
        return max(xs, default=0.0)
    """,
)
PLAIN_DICT = task(
    """
    def check(candidate):
        counts = candidate("aab")
        assert counts == {"a": 2, "b": 1}
        try:
            counts["z"]
        except KeyError:
            missing = True
        else:
            missing = False
        assert missing
    """,
    """
    def f(text):
        return {c: text.count(c) for c in text}
    """,
)
COUNTER = task(
    """
    def check(candidate):
        counts = candidate("aab")
        assert counts["a"] == 2
        assert counts["z"] == 0
    """,
    """
    from collections import Counter

    def f(text):
        return Counter(text)
    """,
)
ORDERED = task(
    """
    from collections import OrderedDict

    def check(candidate):
        assert candidate(["b", "a"]) == OrderedDict([("b", 0), ("a", 1)])
        assert list(candidate(["b", "a"])) == ["b", "a"]
    """,
    """
    from collections import OrderedDict

    def f(names):
        return OrderedDict((name, i) for i, name in enumerate(names))
    """,
)
GROUPS = task(
    """
    def check(candidate):
        groups = candidate(["ab", "c"])
        groups[7].append("x")
        assert groups == {1: ["c"], 2: ["ab"], 7: ["x"]}
    """,
    """
    from collections import defaultdict

    def f(words):
        groups = defaultdict(list)
        for word in words:
            groups[len(word)].append(word)
        return groups
    """,
)
ITERATOR = task(
    """
    def check(candidate):
        numbers = candidate(3)
        assert next(numbers) == 0
        assert list(numbers) == [1, 2]
        assert list(numbers) == []
    """,
    """
    def f(n):
        yield from range(n)
    """,
)
DATE = task(
    """
    from datetime import date

    def check(candidate):
        assert candidate("2024-02-29") == date(2024, 2, 29)
    """,
    """
    from datetime import date

    def f(text):
        return date.fromisoformat(text)
    """,
)
AWARE = task(
    """
    from datetime import datetime, timezone

    def check(candidate):
        assert candidate(0) == datetime(1970, 1, 1, tzinfo=timezone.utc)
    """,
    """
    from datetime import datetime, timezone

    def f(seconds):
        return datetime.fromtimestamp(seconds, timezone.utc)
    """,
)
DECIMAL = task(
    """
    def check(candidate):
        assert str(candidate("1.0", "0.10")) == "1.10"
    """,
    """
    from decimal import Decimal

    def f(a, b):
        return Decimal(a) + Decimal(b)
    """,
)
RANGE = task(
    """
    def check(candidate):
        assert candidate(3) == range(0, 6, 2)
    """,
    """
    def f(n):
        return range(0, 2 * n, 2)
    """,
)
POINT = task(
    """
    def check(candidate):
        point = candidate(1, 2)
        assert point == (1, 2)
        assert (point.x, point.y) == (1, 2)
    """,
    """
    from collections import namedtuple

    Point = namedtuple("Point", "x y")

    def f(x, y):
        return Point(x, y)
    """,
)
