"""Calls that several cases share, each with a right answer, by the rules that they are compared by."""

from __future__ import annotations

from codejury.model import Comparison

from .case import calls

INCREMENT = calls(
    """
    def f(x):
        return x + 1
    """,
    (1,),
    (41,),
    plus=((0,), (-1,), (10**20,)),
)
GIVEN = calls(INCREMENT.reference, (1,), (41,), (0,), expected=(2, 42, 1))
MAGNITUDE = calls(
    """
    def f(x):
        return x if x >= 0 else -x
    """,
    (1,),
    (5,),
    plus=((-3,), (0,)),
)
SORTED = calls(
    """
    def f(xs):
        return sorted(xs)
    """,
    ([3, 1, 2],),
    ([],),
    plus=(([2, 2, 1],), ([0, -5, 7, 3, 3, 9],), ([1],)),
)
SQUARES = calls(
    """
    def f(x):
        return x * x
    """,
    *((x,) for x in range(300)),
)
SECRET = calls(
    """
    def f(key):
        return {"osprey": "kestrel-9041"}[key]
    """,
    ("osprey",),
    expected=("kestrel-9041",),
)
GRID = calls(
    """
    def f(n):
        return [[0] * n for _ in range(n)]
    """,
    (2,),
    (0,),
    plus=((5,),),
)
COUNTS = calls(
    """
    def f(words):
        found = {}
        for word in words:
            found[word] = found.get(word, 0) + 1
        return found
    """,
    (["a", "b", "a"],),
    ([],),
)
PYTHON = calls(
    """
    def f(x):
        return [x, x / 2]
    """,
    (2,),
    (0,),
    plus=((7,),),
    comparison=Comparison(types="python"),
)

MEAN = calls(
    """
    def f(xs):
        return sum(xs) / len(xs) if xs else 0.0
    """,
    ([1.0, 2.0],),
    ([3.7],),
    plus=(([],), ([0.1] * 10,), ([1e9, -1e9, 2.5],)),
    comparison=Comparison(rel_tol=1e-6, abs_tol=1e-9),
)
SCALED = calls(
    """
    def f(xs):
        return [x / 3 for x in xs]
    """,
    ([11.1],),
    ([],),
    plus=(([1.0, 2.0, 4.0],),),
    comparison=Comparison(types="python", rel_tol=1e-6),
)
HALF = calls(
    """
    def f(x):
        return x / 2
    """,
    (3,),
    (2,),
    comparison=Comparison(types="python", abs_tol=1.0, rel_tol=0.5),
)
NOT_A_NUMBER = calls(
    """
    def f(x):
        return [x, float("nan"), x / 2]
    """,
    (1.0,),
    (4.0,),
)
DIVISORS = calls(
    """
    def f(n):
        return [[d, n // d] for d in range(1, n + 1) if n % d == 0 and d * d <= n]
    """,
    (12,),
    (1,),
    plus=((36,), (97,)),
    comparison=Comparison(order="unordered"),
)
LETTERS = calls(
    """
    def f(text):
        return sorted(text)
    """,
    ("abca",),
    ("",),
    plus=(("zz",),),
    comparison=Comparison(order="unordered"),
)
COMMON = calls(
    """
    def f(xs, ys):
        return tuple(set(xs) & set(ys))
    """,
    ([1, 2, 3], [2, 3, 4]),
    ([1], [2]),
    plus=((["a", "b"], ["b"]),),
    comparison=Comparison(types="python", order="set"),
)
ROOT = calls(
    """
    def f(x):
        return x ** 0.5
    """,
    (4.0,),
    (2.0,),
    plus=((0.0,),),
    oracle="def oracle(arguments, expected, output):\n    return abs(output * output - arguments[0]) < 1e-6\n",
)
PERMUTED = calls(
    """
    def f(xs):
        return sorted(xs)
    """,
    ([3, 1, 2],),
    ([1, 1],),
    oracle=(
        "def oracle(arguments, expected, output):\n    output.sort()\n    arguments[0].sort()\n"
        "    return output == arguments[0]\n"
    ),
)
