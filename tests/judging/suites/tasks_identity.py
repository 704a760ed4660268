"""Shared tests of arguments and identity: what is changed, kept, copied, aliased."""

from __future__ import annotations

from .case import task

_SORTED_REFERENCE = """
    def f(xs):
        return sorted(xs)
    """
SORTED = task(
    """
    def check(candidate):
        xs = [3, 1, 2]
        assert candidate(xs) == sorted(xs)
        ys = [5, 4]
        assert candidate(ys) == sorted(ys)
    """,
    _SORTED_REFERENCE,
)
SORTED_NESTED = task(
    """
    def check(candidate):
        table = {"rows": [[3, 1], [2]]}
        assert candidate(table) == sorted(v for row in table["rows"] for v in row)
    """,
    """
    def f(table):
        return sorted(v for row in table["rows"] for v in row)
    """,
)
TOTAL = task(
    """
    def check(candidate):
        prices = {"tea": 3, "milk": 4}
        assert candidate(prices=prices) == sum(prices.values())
    """,
    """
    def f(prices):
        return sum(prices.values())
    """,
)
IN_PLACE = task(
    """
    def check(candidate):
        xs = [3, 1, 2]
        assert candidate(xs) is None
        assert xs == [1, 2, 3]
    """,
    """
    def f(xs):
        xs.sort()
    """,
)
KEEPS_LIST = task(
    """
    def check(candidate):
        xs = [3, 1, 2]
        assert candidate(xs) == [1, 2, 3]
        assert xs == [3, 1, 2]
    """,
    _SORTED_REFERENCE,
)
KEEPS_KEYWORD = task(
    """
    def check(candidate):
        xs = [3, 1, 2]
        assert candidate(xs=xs) == [1, 2, 3]
        assert xs == [3, 1, 2]
    """,
    _SORTED_REFERENCE,
)
KEEPS_NESTED = task(
    """
    def check(candidate):
        rows = ([3, 1], {"k": [2]})
        assert candidate(rows) == [1, 2, 3]
        assert rows == ([3, 1], {"k": [2]})
    """,
    """
    def f(rows):
        return sorted(rows[0] + rows[1]["k"])
    """,
)
KEEPS_ON_RAISE = task(
    """
    def check(candidate):
        xs = [3, 1, 2]
        try:
            candidate(xs)
        except ValueError:
            raised = True
        else:
            raised = False
        assert raised
        assert xs == [3, 1, 2]
    """,
    """
    def f(xs):
        raise ValueError(len(xs))
    """,
)
KEEPS_BUFFERS = task(
    """
    from array import array
    from collections import deque

    def check(candidate):
        values = [bytearray(b"ba"), array("i", [2, 1]), deque([2, 1]), {2, 1}]
        assert [candidate(v) for v in values] == [97, 1, 1, 1]
        assert values == [bytearray(b"ba"), array("i", [2, 1]), deque([2, 1]), {2, 1}]
    """,
    """
    def f(xs):
        return min(xs)
    """,
)
KEEPS_EARLIER = task(
    """
    def check(candidate):
        first, second = [1], [2]
        assert candidate(first) == 1
        assert candidate(second) == 1
        assert first == [1]
    """,
    """
    def f(xs):
        return len(xs)
    """,
)

GRID = task(
    """
    def check(candidate):
        grid = candidate(3)
        assert grid == [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        grid[0][0] = 1
        assert grid == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    """,
    """
    def f(n):
        return [[0] * n for _ in range(n)]
    """,
)
BUCKETS = task(
    """
    def check(candidate):
        buckets = candidate(["a", "b"])
        buckets["a"].append(1)
        assert buckets == {"a": [1], "b": []}
    """,
    """
    def f(keys):
        return {key: [] for key in keys}
    """,
)
COPY = task(
    """
    def check(candidate):
        xs = [1, 2]
        copy = candidate(xs)
        assert copy == [1, 2]
        copy.append(3)
        assert xs == [1, 2]
    """,
    """
    def f(xs):
        return list(xs)
    """,
)
DEEP_COPY = task(
    """
    def check(candidate):
        rows = [[1], [2]]
        copy = candidate(rows)
        assert copy == [[1], [2]]
        rows[0].append(9)
        assert copy == [[1], [2]]
    """,
    """
    def f(rows):
        return [list(row) for row in rows]
    """,
)
FRESH = task(
    """
    def check(candidate):
        first = candidate(1)
        assert first == [1]
        second = candidate(2)
        assert second == [2]
        assert first == [1]
    """,
    """
    def f(x):
        return [x]
    """,
)
SAME_OBJECT = task(
    """
    def check(candidate):
        xs = [1]
        assert candidate(xs) is xs
        assert xs == [1, 0]
    """,
    """
    def f(xs):
        xs.append(0)
        return xs
    """,
)
TWO_NAMES = task(
    """
    def check(candidate):
        left, right = candidate(2)
        left.append(9)
        assert right == [2, 9]
    """,
    """
    def f(x):
        one = [x]
        return one, one
    """,
)
