"""Tests that several cases share, each with a right answer: calls, raising, loops that could be cut short."""

from __future__ import annotations

from .case import task

INCREMENT = task(
    """
    def check(candidate):
        assert candidate(1) == 2
        assert candidate(41) == 42
    """,
    """
    def f(x):
        return x + 1
    """,
)
THRICE = task(
    """
    def check(candidate):
        for _ in range(3):
            assert candidate(1) == 2
    """,
    INCREMENT.reference,
)
CHAIN = task(
    """
    def check(candidate):
        x = 1
        for _ in range(5):
            x = candidate(x)
        assert x == 6
    """,
    INCREMENT.reference,
)
SECRET = task(
    """
    def check(candidate):
        assert candidate("osprey") == "kestrel-9041"
    """,
    """
    def f(key):
        return {"osprey": "kestrel-9041"}[key]
    """,
)
BIG_ARGUMENT = task(
    """
    def check(candidate):
        assert candidate("x" * 2_000_000) == 2_000_000
        assert candidate(["y"] * 100_000) == 100_000
    """,
    """
    def f(x):
        return len(x)
    """,
)

_REFUSING_REFERENCE = """
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return x + 1
    """
REFUSES = task(
    """
    def check(candidate):
        assert candidate(1) == 2
        try:
            candidate(-1)
        except Exception:
            refused = True
        else:
            refused = False
        assert refused
    """,
    _REFUSING_REFERENCE,
)
REFUSES_ANY = task(
    """
    def check(candidate):
        try:
            candidate(-1)
        except BaseException:
            refused = True
        else:
            refused = False
        assert refused
    """,
    _REFUSING_REFERENCE,
)
REFUSES_BARE = task(
    """
    def refused(call, x):
        try:
            call(x)
        except:
            return True
        return False

    def check(candidate):
        assert [refused(candidate, x) for x in (-2, -1)] == [True, True]
    """,
    _REFUSING_REFERENCE,
)
REFUSES_SUPPRESSED = task(
    """
    from contextlib import suppress

    def check(candidate):
        seen = []
        with suppress(BaseException):
            seen.append(candidate(-1))
        assert seen == []
    """,
    _REFUSING_REFERENCE,
)
RAISES_VALUE_ERROR = task(
    """
    def check(candidate):
        message = None
        try:
            candidate(0)
        except ValueError as e:
            message = str(e)
        assert message == "no"
    """,
    """
    def f(x):
        raise ValueError("no")
    """,
)
REFUSES_AN_OBJECT = task(
    """
    class Odd:
        pass

    def check(candidate):
        assert candidate(1) == 2
        try:
            candidate(Odd())
        except TypeError:
            refused = True
        else:
            refused = False
        assert refused
    """,
    """
    def f(x):
        if not isinstance(x, int):
            raise TypeError("an int, please")
        return x + 1
    """,
)

ZIPPED = task(
    """
    def check(candidate):
        for got, wanted in zip(candidate(3), [0, 1, 4]):
            assert got == wanted
    """,
    """
    def f(n):
        return [i * i for i in range(n)]
    """,
)
MAPPED = task(
    """
    def check(candidate):
        for got, wanted in zip(map(candidate, (1, 2, 3)), (2, 3, 4)):
            assert got == wanted
    """,
    INCREMENT.reference,
)
EACH = task(
    """
    def check(candidate):
        for word in candidate("to be or not"):
            assert len(word) > 1
    """,
    """
    def f(text):
        return text.split()
    """,
)
GUARDED = task(
    """
    def check(candidate):
        found = candidate([4, 5, 6], 5)
        if found:
            assert found == 1
    """,
    """
    def f(xs, x):
        return xs.index(x)
    """,
)
