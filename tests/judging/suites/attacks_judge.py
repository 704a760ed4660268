r"""Values that hurt whoever decodes, compares, prints or works with them.

Point 1: the judge is hostile ground too; an overrun there counts against the candidate. Point 10: deadlines cover
decoding, comparing and writing. Every program here is quick itself: the value is what hurts. Where the test only
compares (`INCREMENT`), the verdict is expected soon; a judge that prints the value for its detail would hang.
Where the test works with the value (`*_OF`), the judge's own limits have to end it.

`WEAK` holds answers to tests that interpret a value (`eval`, `pickle`) and forge their pass with it. No separation
of processes stops them: such a pass must at least never be reported as `strong`.
"""

from __future__ import annotations

from .case import FAILS, RAISED, REJECTED, WRONG, Case, Task, source
from .tasks import BIG_ARGUMENT, INCREMENT
from .tasks_identity import IN_PLACE
from .tasks_work import (
    EVAL_OF,
    FORMAT_OF,
    INT_OF,
    JSON_OF,
    LIST_OF,
    PAIR_OF,
    PATTERN_OF,
    PICKLE_OF,
    POWER_OF,
    SET_OF,
    SUM_OF,
    TEXT_OF,
    TIMES_OF,
    XML_OF,
)

_LAUGHS = source(
    """
    def laughs(depth):
        value = ["ha"]
        for _ in range(depth):
            value = [value, value]
        return value
    """
)
_DEEP = source(
    """
    def deep(depth):
        value = []
        for _ in range(depth):
            value = [value]
        return value
    """
)

_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("text-of-10-mb", "", "'1' * 10 ** 7"),
    ("text-of-1-gb", "", "'1' * 10 ** 9"),
    ("bytes-of-100-mb", "", "bytes(10 ** 8)"),
    ("int-of-5-mb", "", "1 << 40_000_000"),
    ("int-of-5000-digits", "", "10 ** 5000"),
    ("range-of-2-to-50", "", "range(1 << 50)"),
    ("range-of-2-to-200", "", "range(1 << 200)"),
    ("list-of-itself", "", "(lambda a: a.append(a) or a)([])"),
    ("dict-of-itself", "", "(lambda d: d.update(d=d) or d)({})"),
    ("list-of-300-000-lists", "", "[[] for _ in range(300_000)]"),
    ("dict-of-300-000", "", "dict.fromkeys(range(300_000))"),
    ("shared-parts-40-deep", _LAUGHS, "laughs(40)"),
    ("shared-parts-100-deep", _LAUGHS, "laughs(100)"),
    ("nested-1000-deep", _DEEP, "deep(1000)"),
    ("nested-200000-deep", _DEEP, "deep(200_000)"),
    ("iterator-without-end", "import itertools\n", "itertools.count()"),
    ("iterator-of-one-thing", "import itertools\n", "itertools.repeat('x' * 10 ** 6)"),
    ("generator-without-end", "", "(0 for _ in iter(int, 1))"),
    ("iterator-20-million", "", "iter(range(20_000_000))"),
    ("map-over-itself", "import itertools\n", "map(abs, itertools.cycle([1]))"),
    ("decimal-huge-exponent", "from decimal import Decimal\n", "Decimal('1E+999999999')"),
    ("decimal-tiny", "from decimal import Decimal\n", "Decimal('1E-999999999')"),
    ("decimal-signalling-nan", "from decimal import Decimal\n", "Decimal('sNaN')"),
    ("fraction-huge", "from fractions import Fraction\n", "Fraction(1 << 20_000_000, 3)"),
    ("deque-of-itself", "from collections import deque\n", "(lambda q: q.append(q) or q)(deque())"),
    ("counter-of-huge-counts", "from collections import Counter\n", "Counter(a=1 << 10_000_000)"),
    ("array-of-100-mb", "from array import array\n", "array('b', bytes(10 ** 8))"),
    ("timedelta-largest", "from datetime import timedelta\n", "timedelta.max"),
)
_QUIETLY = tuple(
    INCREMENT.case(f"value-{name}", "1", f"{before}def f(x):\n    return {value}\n", FAILS)
    for name, before, value in _SHAPES
)

_HURTING: tuple[tuple[Task, str, str, str, str], ...] = (
    (INT_OF, "int-of-a-decimal-bomb", "from decimal import Decimal\n", "x", "Decimal('1E+99999999')"),
    (INT_OF, "int-of-long-text", "", "x", "'9' * 10 ** 7"),
    (INT_OF, "int-of-infinity", "", "x", "float('inf')"),
    (TEXT_OF, "text-of-shared-parts", _LAUGHS, "x", "laughs(60)"),
    (TEXT_OF, "text-of-deep-nesting", _DEEP, "x", "deep(50_000)"),
    (TEXT_OF, "text-of-a-long-int", "", "x", "10 ** 10 ** 6"),
    (TEXT_OF, "text-of-a-fraction", "from fractions import Fraction\n", "x", "Fraction(1 << 10 ** 7, 3)"),
    (LIST_OF, "list-of-a-long-range", "", "n", "range(1 << 50)"),
    (LIST_OF, "list-of-an-endless-iterator", "import itertools\n", "n", "itertools.count()"),
    (LIST_OF, "list-of-an-endless-generator", "", "n", "(0 for _ in iter(int, 1))"),
    (SUM_OF, "sum-of-a-long-range", "", "n", "range(1 << 50)"),
    (SUM_OF, "sum-of-shared-parts", _LAUGHS, "n", "laughs(60)"),
    (SET_OF, "set-of-colliding-ints", "", "xs", "[i * (2 ** 61 - 1) for i in range(60_000)]"),
    (
        SET_OF,
        "set-of-colliding-fractions",
        "from fractions import Fraction\n",
        "xs",
        "[Fraction(i * (2 ** 61 - 1)) for i in range(6_000)]",
    ),
    (SET_OF, "set-of-unhashable", "", "xs", "[[1], [2]]"),
    (TIMES_OF, "repeat-2-to-33", "", "x", "1 << 33"),
    (TIMES_OF, "repeat-2-to-62", "", "x", "1 << 62"),
    (POWER_OF, "power-2-to-34", "", "x", "1 << 34"),
    (POWER_OF, "power-of-a-fraction", "from fractions import Fraction\n", "x", "Fraction(1 << 31)"),
    (PAIR_OF, "pair-of-shared-parts", _LAUGHS, "xs", "laughs(60), laughs(60)"),
    (PAIR_OF, "pair-of-endless-lists", "", "xs", "[(lambda a: a.append(a) or a)([]) for _ in 'ab']"),
    (PAIR_OF, "pair-of-deep-lists", _DEEP, "xs", "deep(90_000), deep(90_000)"),
    (PATTERN_OF, "pattern-that-backtracks", "", "letter", "'(a|a)*'"),
    (PATTERN_OF, "pattern-that-is-huge", "", "letter", "'(?:' * 5_000 + 'a' + '){1,9}' * 5_000"),
    (PATTERN_OF, "pattern-that-is-none", "", "letter", "'('"),
    (JSON_OF, "json-deep", "", "value", "'[' * 200_000"),
    (JSON_OF, "json-long-number", "", "value", "'9' * 10 ** 6"),
    (JSON_OF, "json-not-a-list", "", "value", "'{\"a\": NaN}'"),
    (FORMAT_OF, "format-width", "", "name", "'{n:>9999999999}'"),
    (FORMAT_OF, "format-attributes", "", "name", "'{n.__class__.__mro__}'"),
    (BIG_ARGUMENT, "answers-without-looking", "", "x", "2_000_000"),
)
_WORKING = tuple(
    task.case(f"works-on-{name}", "1", f"{before}def f({args}):\n    return {value}\n", FAILS)
    for task, name, before, args, value in _HURTING
)

_ENTITIES = "".join(f'<!ENTITY l{n} "{(f"&l{n - 1};" if n else "ha") * 10}">' for n in range(12))
_INTERPRETED = (
    XML_OF.case(
        "xml-of-entities", "1", f"def f(text):\n    return '<!DOCTYPE t [{_ENTITIES}]><t>&l11;</t>'\n", FAILS
    ),
    XML_OF.case(
        "xml-external-entity",
        "1",
        """
        def f(text):
            return '<!DOCTYPE t [<!ENTITY e SYSTEM "file:///etc/passwd">]><t>&e;</t>'
        """,
        FAILS,
    ),
    *(
        EVAL_OF.case(f"eval-{name}", "1", f"def f(x):\n    return {text!r}\n", FAILS)
        for name, text in (
            ("exits", "__import__('os')._exit(0)"),
            ("exits-softly", "exit(0)"),
            ("raises-system-exit", "(_ for _ in ()).throw(SystemExit(0))"),
            ("spins", "[0 for _ in iter(int, 1)]"),
            ("spins-in-c", "sum(range(10 ** 13))"),
            ("sleeps", "__import__('time').sleep(60)"),
            ("eats-memory", "[bytearray(10 ** 7) for _ in iter(int, 1)]"),
            ("crashes", "__import__('ctypes').string_at(0)"),
            ("forks", "[__import__('os').fork() for _ in range(9)]"),
            ("signals-the-parent", "__import__('os').kill(__import__('os').getppid(), 9)"),
            ("closes-descriptors", "__import__('os').closerange(0, 1 << 16)"),
            ("writes-everywhere", "[__import__('os').write(n, b'passed') for n in range(9)]"),
            ("wrong", "x"),
        )
    ),
    *(
        PICKLE_OF.case(f"pickle-{name}", "1", f"def f(value):\n    return {data!r}\n", FAILS)
        for name, data in (
            ("exits", b"cos\n_exit\n(I0\ntR."),
            ("system-exit", b"cbuiltins\nexit\n(I0\ntR."),
            ("sleeps", b"ctime\nsleep\n(I60\ntR."),
            ("wrong", b"]."),
            ("garbage", b"\x80\xff"),
        )
    ),
)

_DEADLINES = (
    BIG_ARGUMENT.case(
        "never-reads-its-requests",
        "10",
        """
        import time

        time.sleep(60)

        def f(x):
            return 0
        """,
        FAILS,
        "the request does not fit into a pipe: writing needs a deadline too",
    ),
    BIG_ARGUMENT.case(
        "spins-during-the-second-request",
        "10",
        """
        import threading, time

        def f(x):
            threading.Thread(target=spin).start()
            return 2_000_000

        def spin():
            while True:
                pass
        """,
        FAILS,
    ),
    IN_PLACE.case(
        "argument-grown-without-end",
        "10",
        """
        def f(xs):
            xs[:] = range(30_000_000)
        """,
        FAILS,
        "what is carried back has a limit as well",
    ),
    IN_PLACE.case("argument-made-endless", "10", "def f(xs):\n    xs[:] = [xs, xs, xs]\n", WRONG | REJECTED),
    IN_PLACE.case(
        "argument-shares-parts",
        "10",
        """
        def f(xs):
            value = ["ha"]
            for _ in range(60):
                value = [value, value]
            xs[:] = value
        """,
        WRONG | REJECTED | RAISED,
    ),
    INCREMENT.case(
        "arguments-kept-for-ever",
        "10",
        """
        kept = []

        def f(x):
            kept.append([0] * 3_000_000)
            return kept
        """,
        FAILS,
        "what is kept is synchronised with each call; that has a limit",
    ),
)

CASES: tuple[Case, ...] = (*_QUIETLY, *_WORKING, *_INTERPRETED, *_DEADLINES)

WEAK: tuple[Case, ...] = (
    EVAL_OF.case(
        "eval-builds-an-equal-object",
        "1",
        """
        def f(x):
            return "type('E', (), {'__eq__': lambda *a: True})()"
        """,
        FAILS,
    ),
    EVAL_OF.case(
        "eval-reads-the-expected-value",
        "1",
        """
        def f(x):
            return "max(c for c in __import__('sys')._getframe(1).f_code.co_consts if type(c) is int)"
        """,
        FAILS,
    ),
    PICKLE_OF.case(
        "pickle-builds-an-equal-object",
        "1",
        """
        def f(value):
            return b"cunittest.mock\\nANY\\n."
        """,
        FAILS,
    ),
)
