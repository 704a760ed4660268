"""Wrong answers to tests that are calls: to one of many, by type, by tolerance, by order."""

from __future__ import annotations

from .case import NO_FUNCTION, RAISED, REJECTED, SYNTAX, WRONG, Case
from .tasks_inputs import (
    COMMON,
    COUNTS,
    DIVISORS,
    GIVEN,
    GRID,
    HALF,
    INCREMENT,
    LETTERS,
    MAGNITUDE,
    MEAN,
    NOT_A_NUMBER,
    PERMUTED,
    PYTHON,
    ROOT,
    SCALED,
    SORTED,
    SQUARES,
)

_ALWAYS = """
class Always(%s):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = None


"""


def _always(parent: str) -> str:
    return _ALWAYS % parent


_ANSWERS = (
    MAGNITUDE.case(
        "calls-wrong-at-a-base-call", "answer", "def f(x):\n    return 1 if x == 5 else abs(x)\n", WRONG
    ),
    MAGNITUDE.case("calls-wrong-at-a-plus-call", "answer", "def f(x):\n    return x\n", WRONG),
    SQUARES.case("calls-wrong-at-the-last", "answer", "def f(x):\n    return x * x if x < 299 else 0\n", WRONG),
    GIVEN.case("calls-constant", "answer", "def f(x):\n    return 2\n", WRONG),
    GIVEN.case("calls-nothing", "answer", "def f(x):\n    x + 1\n", WRONG),
    INCREMENT.case("calls-the-base-by-heart", "answer", "def f(x):\n    return {1: 2, 41: 42}.get(x)\n", WRONG),
    INCREMENT.case("calls-not-implemented", "answer", "def f(x):\n    return NotImplemented\n", REJECTED),
    INCREMENT.case("calls-by-floats", "answer", "def f(x):\n    return int(float(x) + 1)\n", WRONG),
    COUNTS.case(
        "calls-extra-key", "answer", "def f(ws):\n    return {w: ws.count(w) for w in [*ws, 'z']}\n", WRONG
    ),
    SORTED.case("calls-loses-duplicates", "answer", "def f(xs):\n    return sorted(set(xs))\n", WRONG),
    SORTED.case("calls-sorts-backwards", "answer", "def f(xs):\n    return sorted(xs)[::-1]\n", WRONG),
    SORTED.case("calls-too-long", "answer", "def f(xs):\n    return sorted(xs) + [99]\n", WRONG),
    SORTED.case("calls-too-short", "answer", "def f(xs):\n    return sorted(xs)[:3]\n", WRONG),
    INCREMENT.case("calls-without-the-function", "answer", "def g(x):\n    return x + 1\n", NO_FUNCTION),
    INCREMENT.case("calls-syntax", "answer", "def f(x):\n    return x +\n", SYNTAX),
    INCREMENT.case("calls-arity", "answer", "def f():\n    return 2\n", RAISED),
    INCREMENT.case("calls-raises-at-plus", "answer", "def f(x):\n    assert x > 0\n    return x + 1\n", RAISED),
    INCREMENT.case("calls-recursion", "answer", "def f(x):\n    return f(x - 1) + 1\n", RAISED),
    INCREMENT.case("calls-async", "answer", "async def f(x):\n    return x + 1\n", REJECTED),
    INCREMENT.case("calls-generator", "answer", "def f(x):\n    yield x + 1\n", WRONG),
    INCREMENT.case("calls-returns-the-function", "answer", "def f(x):\n    return lambda: x + 1\n", REJECTED),
    INCREMENT.case("calls-returns-an-error", "answer", "def f(x):\n    return ValueError(x + 1)\n", WRONG),
    INCREMENT.case("calls-raises-the-answer", "answer", "def f(x):\n    raise ValueError(x + 1)\n", RAISED),
    INCREMENT.case("calls-prints-the-answer", "answer", "def f(x):\n    print(x + 1)\n", WRONG),
)

_STATE = (
    INCREMENT.case(
        "calls-memo-of-the-first", "3", "seen = []\ndef f(x):\n    seen.append(x + 1)\n    return seen[0]\n", WRONG
    ),
    SORTED.case(
        "calls-memo-by-length",
        "3",
        "memo = {}\ndef f(xs):\n    return memo.setdefault(len(xs), sorted(xs))\n",
        WRONG,
    ),
    SORTED.case(
        "calls-mutable-default",
        "3",
        "def f(xs, found=[]):\n    found.extend(xs)\n    found.sort()\n    return found\n",
        WRONG,
    ),
    SQUARES.case(
        "calls-tires-after-a-hundred",
        "3",
        "made = iter(range(100))\ndef f(x):\n    return x * x if next(made, None) is not None else 0\n",
        WRONG,
    ),
    SORTED.case("calls-argument-as-it-is", "4", "def f(xs):\n    return xs\n", WRONG),
    SORTED.case("calls-sorts-in-place-alone", "4", "def f(xs):\n    xs.sort()\n", WRONG),
    SORTED.case("calls-clears-the-argument", "4", "def f(xs):\n    xs.clear()\n    return xs\n", WRONG),
    PERMUTED.case("calls-clears-before-the-oracle", "4", "def f(xs):\n    xs.clear()\n    return []\n", WRONG),
    GRID.case(
        "calls-rows-grow-with-each-call",
        "3",
        "row = []\ndef f(n):\n    row.append(0)\n    return [row] * n\n",
        WRONG,
    ),
    COUNTS.case(
        "calls-same-dict-again",
        "3",
        """
        found = {}
        def f(words):
            for word in words:
                found[word] = found.get(word, 0) + 1
            return found
        """,
        WRONG,
    ),
)

_EQUALS = (
    *(
        GIVEN.case(
            f"calls-always-equal-{parent}",
            "equal",
            f"def f(x):\n    return Always({value})\n",
            REJECTED,
            prelude=_always(parent),
        )
        for parent, value in (
            *(("object", ""), ("int", "7"), ("float", "7"), ("str", "'7'"), ("list", ""), ("dict", "")),
            *(("tuple", ""), ("set", ""), ("bytes", ""), ("complex", "7")),
        )
    ),
    SORTED.case(
        "calls-always-equal-items",
        "equal",
        "def f(xs):\n    return [Always() for _ in xs]\n",
        REJECTED,
        prelude=_always("object"),
    ),
    SORTED.case(
        "calls-always-equal-iterator",
        "equal",
        "def f(xs):\n    return (Always() for _ in xs)\n",
        REJECTED,
        prelude=_always("object"),
    ),
    GIVEN.case(
        "calls-always-equal-error",
        "equal",
        "def f(x):\n    return Always(2)\n",
        REJECTED,
        prelude=_always("ValueError"),
    ),
    GIVEN.case(
        "calls-class-that-is-equal",
        "equal",
        "class f(Always):\n    def __init__(self, x):\n        pass\n",
        REJECTED,
        prelude=_always("object"),
    ),
    GIVEN.case(
        "calls-metaclass-that-is-equal",
        "equal",
        "class f(metaclass=Always):\n    def __new__(cls, x):\n        return cls\n",
        REJECTED,
        prelude=_always("type").replace("    __hash__ = None\n", "    __hash__ = type.__hash__\n"),
    ),
    GIVEN.case(
        "calls-lies-about-its-class",
        "equal",
        "def f(x):\n    return Liar()\n",
        REJECTED,
        prelude=_always("object")
        .replace("Always", "Liar")
        .replace("    __hash__ = None\n", "    __class__ = int\n"),
    ),
    ROOT.case(
        "calls-multiplies-to-anything",
        "equal",
        "class Any(float):\n    def __mul__(self, x):\n        return self\n\ndef f(x):\n    return Any(x)\n",
        REJECTED,
    ),
    PERMUTED.case(
        "calls-sorts-to-anything",
        "equal",
        "class Any(list):\n    __eq__ = lambda *_: True\n\ndef f(xs):\n    return Any()\n",
        REJECTED,
    ),
)

_TYPES = tuple(
    task.case(f"calls-{name}", "answer", f"{head}def f({arguments}):\n    return {value}\n", WRONG)
    for task, name, arguments, value, head in (
        (INCREMENT, "float-for-int", "x", "x + 1.0", ""),
        (GIVEN, "bool-for-one", "x", "True if x == 0 else x + 1", ""),
        (INCREMENT, "text-for-int", "x", "str(x + 1)", ""),
        (INCREMENT, "list-of-one", "x", "[x + 1]", ""),
        (INCREMENT, "decimal-for-int", "x", "Decimal(x + 1)", "from decimal import Decimal\n"),
        (INCREMENT, "complex-for-int", "x", "x + 1 + 0j", ""),
        (SORTED, "tuple-for-list", "xs", "tuple(sorted(xs))", ""),
        (SORTED, "iterator-for-list", "xs", "iter(sorted(xs))", ""),
        (SORTED, "bools-in-a-list", "xs", "[x == 1 or x if x in (0, 1) else x for x in sorted(xs)]", ""),
        (SORTED, "deque-for-list", "xs", "deque(sorted(xs))", "from collections import deque\n"),
        (SORTED, "keys-for-list", "xs", "dict.fromkeys(sorted(xs)).keys()", ""),
        (COUNTS, "counter-for-dict", "ws", "Counter(ws)", "from collections import Counter\n"),
        (
            COUNTS,
            "ordered-for-dict",
            "ws",
            "OrderedDict(Counter(ws))",
            "from collections import Counter, OrderedDict\n",
        ),
        (COUNTS, "pairs-for-dict", "ws", "[(w, ws.count(w)) for w in set(ws)]", ""),
        (PYTHON, "tuple-where-python-says-list", "x", "(x, x / 2)", ""),
        (PYTHON, "texts-where-python-says-numbers", "x", "[str(x), str(x / 2)]", ""),
        (PYTHON, "rounded-where-python-says-numbers", "x", "[x, x // 2]", ""),
        (LETTERS, "text-for-letters", "text", "text", ""),
    )
)

_NUMBERS = tuple(
    task.case(f"calls-{name}", "answer", f"def f({arguments}):\n    return {value}\n", WRONG)
    for task, name, arguments, value in (
        (MEAN, "not-a-number-for-everything", "xs", "float('nan')"),
        (MEAN, "infinity-for-everything", "xs", "float('inf')"),
        (MEAN, "beyond-the-tolerance", "xs", "sum(xs) / len(xs) * 1.00001 if xs else 0.0"),
        (MEAN, "list-of-the-mean", "xs", "[sum(xs) / len(xs)] if xs else [0.0]"),
        (MEAN, "zero-as-int", "xs", "sum(xs) / len(xs) if xs else 0"),
        (MEAN, "tiny-for-zero", "xs", "sum(xs) / len(xs) if xs else 1e-8"),
        (SCALED, "nothing-for-a-number", "xs", "[]"),
        (SCALED, "first-number-alone", "xs", "[x / 3 for x in xs][:1]"),
        (SCALED, "number-for-a-list", "xs", "xs[0] / 3 if len(xs) == 1 else [x / 3 for x in xs]"),
        (SCALED, "one-too-many", "xs", "[x / 3 for x in [*xs, 0.0]]"),
        (SCALED, "nested", "xs", "[[x / 3] for x in xs]"),
        (SCALED, "not-a-number-in-a-list", "xs", "[float('nan') for _ in xs]"),
        (HALF, "list-within-a-wide-tolerance", "x", "[x / 2]"),
        (HALF, "text-within-a-wide-tolerance", "x", "str(x / 2)"),
        (HALF, "huge-integer-in-a-wide-tolerance", "x", "10 ** 400"),
        (HALF, "bool-within-a-wide-tolerance", "x", "x == 3"),
        (HALF, "infinity-within-a-wide-tolerance", "x", "float('inf')"),
        (NOT_A_NUMBER, "not-a-number-everywhere", "x", "[float('nan')] * 3"),
        (NOT_A_NUMBER, "none-for-not-a-number", "x", "[x, None, x / 2]"),
        (DIVISORS, "drops-a-pair", "n", "[[d, n // d] for d in range(2, n + 1) if n % d == 0 and d * d <= n]"),
        (DIVISORS, "turns-the-pairs", "n", "[[n // d, d] for d in range(1, n + 1) if n % d == 0 and d * d <= n]"),
        (
            DIVISORS,
            "doubles-a-pair",
            "n",
            "[[1, n]] * len([d for d in range(1, n + 1) if n % d == 0 and d * d <= n])",
        ),
        (LETTERS, "letters-once", "text", "sorted(set(text))"),
        (LETTERS, "one-letter-for-another", "text", "list(text.replace('a', 'b'))"),
        (COMMON, "one-in-common-is-missing", "xs, ys", "tuple(set(xs) & set(ys))[:1]"),
        (COMMON, "one-is-not-in-common", "xs, ys", "{*xs, *ys}"),
        (COMMON, "text-of-those-in-common", "xs, ys", "str(set(xs) & set(ys))"),
        (ROOT, "not-a-root", "x", "x / 2"),
        (ROOT, "no-number-for-a-root", "x", "float('nan')"),
        (ROOT, "text-for-the-oracle", "x", "'root'"),
        (ROOT, "yes-for-the-oracle", "x", "True"),
        (ROOT, "nothing-for-the-oracle", "x", "None"),
    )
)

CASES: tuple[Case, ...] = (*_ANSWERS, *_STATE, *_EQUALS, *_TYPES, *_NUMBERS)
