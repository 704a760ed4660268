"""Shared tests that work with a value beyond comparing it, so that the value can hurt the judge."""

from __future__ import annotations

from .case import task
from .tasks import INCREMENT

INT_OF = task(
    """
    def check(candidate):
        assert int(candidate(1)) == 2
    """,
    INCREMENT.reference,
)
TEXT_OF = task(
    """
    def check(candidate):
        assert str(candidate(1)) == "2"
        assert f"{candidate(2)!r:>3}" == "  3"
    """,
    INCREMENT.reference,
)
LIST_OF = task(
    """
    def check(candidate):
        assert list(candidate(3)) == [0, 1, 2]
    """,
    """
    def f(n):
        return range(n)
    """,
)
SET_OF = task(
    """
    def check(candidate):
        assert set(candidate([1, 1, 2])) == {1, 2}
    """,
    """
    def f(xs):
        return sorted(set(xs))
    """,
)
SUM_OF = task(
    """
    def check(candidate):
        assert sum(candidate(3)) == 3
    """,
    LIST_OF.reference,
)
TIMES_OF = task(
    """
    def check(candidate):
        assert "ab" * candidate(1) == "abab"
    """,
    INCREMENT.reference,
)
POWER_OF = task(
    """
    def check(candidate):
        assert 3 ** candidate(1) == 9
    """,
    INCREMENT.reference,
)
PAIR_OF = task(
    """
    def check(candidate):
        left, right = candidate([1])
        assert left == right
        assert left == [1]
    """,
    """
    def f(xs):
        return list(xs), list(xs)
    """,
)
PATTERN_OF = task(
    """
    import re

    def check(candidate):
        assert re.fullmatch(candidate("a"), "a" * 40 + "!") is None
        assert re.fullmatch(candidate("a"), "aaa") is not None
    """,
    """
    def f(letter):
        return letter + "+"
    """,
)
JSON_OF = task(
    """
    import json

    def check(candidate):
        assert json.loads(candidate([1, 2])) == [1, 2]
    """,
    """
    import json

    def f(value):
        return json.dumps(value)
    """,
)
XML_OF = task(
    """
    import xml.etree.ElementTree as ET

    def check(candidate):
        assert ET.fromstring(candidate("a")).text == "a"
    """,
    """
    def f(text):
        return f"<t>{text}</t>"
    """,
)
EVAL_OF = task(
    """
    def check(candidate):
        assert eval(candidate(20)) == 441
    """,
    """
    def f(x):
        return f"({x} + 1) ** 2"
    """,
)
PICKLE_OF = task(
    """
    import pickle

    def check(candidate):
        assert pickle.loads(candidate([1, 2])) == [1, 2]
    """,
    """
    import pickle

    def f(value):
        return pickle.dumps(value)
    """,
)
FORMAT_OF = task(
    """
    def check(candidate):
        assert candidate("n").format(n=7) == "n = 7"
    """,
    """
    def f(name):
        return f"{name} = {{{name}}}"
    """,
)
