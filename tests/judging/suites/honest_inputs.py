"""Right answers with odd habits to tests that are calls."""

from __future__ import annotations

from codejury.model import Comparison

from .case import PASSED, Case, Task, calls
from .tasks_inputs import (
    COMMON,
    COUNTS,
    DIVISORS,
    GIVEN,
    GRID,
    INCREMENT,
    LETTERS,
    MEAN,
    NOT_A_NUMBER,
    PERMUTED,
    PYTHON,
    ROOT,
    SCALED,
    SORTED,
    SQUARES,
)

_HABITS: tuple[tuple[Task, str, str], ...] = (
    (SORTED, "sorts-in-place", "def f(xs):\n    xs.sort()\n    return xs\n"),
    (SORTED, "empties-its-argument", "def f(xs):\n    found = sorted(xs)\n    xs.clear()\n    return found\n"),
    (SORTED, "keeps-all-arguments", "seen = []\ndef f(xs):\n    seen.append(xs)\n    return sorted(xs)\n"),
    (SORTED, "fills-one-list-anew", "out = []\ndef f(xs):\n    out[:] = sorted(xs)\n    return out\n"),
    (SORTED, "memo-by-value", "memo = {}\ndef f(xs):\n    return memo.setdefault(tuple(xs), sorted(xs))\n"),
    (
        SORTED,
        "recursion",
        "def f(xs):\n    return [] if not xs else [min(xs), *f([*xs[:(i := xs.index(min(xs)))], *xs[i + 1:]])]\n",
    ),
    (
        SORTED,
        "sorts-with-a-heap",
        """
            import heapq
            def f(xs):
                heapq.heapify(xs)
                return [heapq.heappop(xs) for _ in range(len(xs))]
            """,
    ),
    (GRID, "one-row-for-all", "def f(n):\n    return [[0] * n] * n\n"),
    (GRID, "grows-a-grid", "grid = []\ndef f(n):\n    grid[:] = ([0] * n for _ in range(n))\n    return grid\n"),
    (SQUARES, "cache", "import functools\n@functools.cache\ndef f(x):\n    return x * x\n"),
    (
        SQUARES,
        "object-that-is-called",
        "class Square:\n    def __call__(self, x):\n        return x * x\n\nf = Square()\n",
    ),
    (SQUARES, "bound-method", "class Square:\n    def of(self, x):\n        return x * x\n\nf = Square().of\n"),
    (
        SQUARES,
        "partial",
        "import functools, operator\nf = functools.partial(lambda p, x: operator.pow(x, p), 2)\n",
    ),
    (SQUARES, "counts-up", "last = [0]\ndef f(x):\n    last[0] += 1\n    return sum(range(1, 2 * x, 2))\n"),
    (SQUARES, "prints-much", "def f(x):\n    print('x' * 1000)\n    return x * x\n"),
    (
        SQUARES,
        "closes-its-streams",
        "import sys\nsys.stdout.close()\nsys.stderr.close()\ndef f(x):\n    return x * x\n",
    ),
    (INCREMENT, "defaults", "def f(x, *more, by=1, **rest):\n    return x + by\n"),
    (
        INCREMENT,
        "catches-everything",
        """
            def f(x):
                try:
                    return x + 1
                except BaseException:
                    return 0
                finally:
                    pass
            """,
    ),
    (
        INCREMENT,
        "threads",
        """
            import threading
            def f(x):
                found = []
                t = threading.Thread(target=lambda: found.append(x + 1))
                t.start()
                t.join()
                return found[0]
            """,
    ),
    (
        INCREMENT,
        "asyncio",
        "import asyncio\nasync def g(x):\n    return x + 1\n\ndef f(x):\n    return asyncio.run(g(x))\n",
    ),
    (
        INCREMENT,
        "dataclass",
        """
            from __future__ import annotations
            import dataclasses
            @dataclasses.dataclass
            class N:
                x: int

            def f(x):
                return N(x).x + 1
            """,
    ),
    (INCREMENT, "loses-its-name", "def g(x):\n    return x + 1\n\nf = g\ndel g\n"),
    (
        GIVEN,
        "changes-the-recursion-limit",
        "import sys\nsys.setrecursionlimit(5000)\ndef f(x):\n    return x + 1\n",
    ),
    (
        COUNTS,
        "another-order-of-keys",
        "def f(ws):\n    return {w: ws.count(w) for w in sorted(set(ws), reverse=True)}\n",
    ),
    (
        PYTHON,
        "other-numbers",
        "from fractions import Fraction\ndef f(x):\n    return [float(x), Fraction(x, 2)]\n",
    ),
    (PYTHON, "bool-for-a-number", "def f(x):\n    return [x or False, x / 2]\n"),
    (
        MEAN,
        "adds-in-another-order",
        "import math\ndef f(xs):\n    return math.fsum(xs[::-1]) / len(xs) if xs else -0.0\n",
    ),
    (
        SCALED,
        "integers-where-they-fit",
        "def f(xs):\n    return [int(x / 3) if x % 3 == 0 else x * (1 / 3) for x in xs]\n",
    ),
    (
        NOT_A_NUMBER,
        "one-nan-for-all",
        "nan = float('inf') - float('inf')\ndef f(x):\n    return [x, nan, x * 0.5]\n",
    ),
    (
        DIVISORS,
        "from-the-largest",
        "def f(n):\n    return [[d, n // d] for d in range(n, 0, -1) if n % d == 0 and d * d <= n]\n",
    ),
    (LETTERS, "as-they-come", "def f(text):\n    return list(text)\n"),
    (COMMON, "set-for-a-tuple", "def f(xs, ys):\n    return {x for x in xs if x in ys}\n"),
    (COMMON, "list-with-repeats", "def f(xs, ys):\n    return [x for x in xs if x in ys] * 2\n"),
    (ROOT, "the-other-root", "def f(x):\n    return -(x ** 0.5)\n"),
    (
        ROOT,
        "a-root-by-newton",
        "def f(x):\n    y = x or 1e-9\n    for _ in range(60):\n        y = (y + x / y) / 2\n    return y\n",
    ),
    (PERMUTED, "backwards", "def f(xs):\n    return xs[::-1]\n"),
    (PERMUTED, "the-argument-itself", "def f(xs):\n    return xs\n"),
)


def _own(name: str, program: str, *base: tuple[object, ...], **fields: object) -> Case:
    """A right answer that is its own reference."""
    return calls(program, *base, **fields).case(f"calls-right-{name}", "13", program, PASSED)  # type: ignore[arg-type]


_VALUES = (
    _own("huge-integers", "def f(n):\n    return [n ** 5000, -(2 ** 9000)]\n", (7,)),
    _own("large-text", "def f(n):\n    return 'ab\\ud800' * n\n", (500_000,)),
    _own(
        "many-items",
        "def f(n):\n    return list(range(n, 0, -1))\n",
        (50_000,),
        comparison=Comparison(order="unordered"),
    ),
    _own(
        "large-set",
        "def f(n):\n    return {x * 0.5 for x in range(n)}\n",
        (20_000,),
        comparison=Comparison(abs_tol=1e-9),
    ),
    _own("nested", "def f(n):\n    x = []\n    for _ in range(n):\n        x = [x]\n    return x\n", (150,)),
    _own("generator", "def f(n):\n    yield from range(n)\n    yield [n]\n", (3,), (0,)),
    _own("iterators", "def f(n):\n    return [map(str, range(n)), zip(range(n), 'abc')]\n", (3,)),
    _own(
        "collections",
        """
            from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
            P = namedtuple('P', 'x y')
            def f(s):
                found = Counter(s), OrderedDict.fromkeys(s), defaultdict(list, {1: [s]})
                return *found, deque(s, 2), P(s, P(1, 2.0))
            """,
        ("abca",),
    ),
    _own(
        "numbers",
        """
            from decimal import Decimal
            from fractions import Fraction
            def f(x):
                return [Decimal(x) / 7, Fraction(x, 7), complex(x, float('nan')), -0.0, Decimal('NaN')]
            """,
        (3,),
    ),
    _own(
        "times",
        """
            import datetime as d
            def f(n):
                return [d.date(2024, 1, n), d.timedelta(n), d.datetime(2024, 1, n, tzinfo=d.timezone.utc)]
            """,
        (3,),
    ),
    _own(
        "errors-as-values",
        """
            def f(x):
                try:
                    return 1 / x
                except ZeroDivisionError as e:
                    return [e, KeyError(x)]
            """,
        (0,),
        (2,),
    ),
    _own(
        "keys-of-dicts",
        "def f(x):\n    return {(1, x): {x}, None: b'x', frozenset([x]): {}}, {x: 1}.items()\n",
        (2.5,),
    ),
    _own("argument-twice", "def f(x, y):\n    x.append(y)\n    return [x, y, x]\n", ([1], [2]), ([], [])),
    _own("one-list-in-two-arguments", "def f(x, y):\n    y.append(1)\n    return x\n", ([0], {"*": [0, 0]})),
    _own(
        "values-of-the-protocol",
        "def f(*xs):\n    return [type(x).__name__ for x in xs], xs\n",
        ({"t": [1]}, {"s": [1]}, {"d": [[1, 2]]}, {"nan": 0}, {"b": "00ff"}, {"g": [False, [1], None]}),
        expected=(
            {
                "t": [
                    ["tuple", "set", "dict", "float", "bytes", "list_iterator"],
                    {
                        "t": [
                            {"t": [1]},
                            {"s": [1]},
                            {"d": [[1, 2]]},
                            {"nan": 0},
                            {"b": "00ff"},
                            {"g": [False, [1], None]},
                        ]
                    },
                ]
            },
        ),
    ),
)
CASES: tuple[Case, ...] = (
    *(task.case(f"calls-right-{name}", "13", text, PASSED) for task, name, text in _HABITS),
    *_VALUES,
)
