"""Right answers in odd clothes: source text, language features, ways to define the function, state (point 13)."""

from __future__ import annotations

from .case import PASSED, Case, task
from .tasks import CHAIN, INCREMENT, THRICE

_LINES = (
    ("crlf", "def f(x):\r\n    y = x\r\n    return y + 1\r\n"),
    ("no-final-line-end", "def f(x): return x + 1"),
    ("tabs", "def f(x):\n\tif x:\n\t\treturn x + 1\n\treturn 1\n"),
    ("form-feed", "import math\n\f\ndef f(x):\n    return x + 1\n\f\n"),
    ("blank-lines-with-spaces", "\n\n   \ndef f(x):\n\n    \n    return x + 1\n   \n"),
    ("encoding-cookie", "# -*- coding: utf-8 -*-\ndef f(x):\n    return x + len('\u00e9')\n"),
    ("latin-cookie", "# -*- coding: latin-1 -*-\ndef f(x):\n    return x + len('\u00e9')\n"),
    ("shebang", "#!/usr/bin/env python3\ndef f(x):\n    return x + 1\n"),
    ("unicode-identifiers", "def f(\u5024):\n    \u00f1and\u00fa = 1\n    return \u5024 + \u00f1and\u00fa\n"),
    ("normalised-identifiers", "\ufb01x = 1\n\ndef f(x):\n    return x + fix\n"),
    ("continuation-lines", "def f(x):\n    return x \\\n        + \\\n        1\n"),
    ("semicolons", "y = 1; z = 0\ndef f(x): w = x; return w + y + z\n"),
    ("long-line", "def f(x):\n    return x + 1  # " + "x" * 100_000 + "\n"),
    ("many-lines", "".join(f"v{i} = {i}\n" for i in range(5_000)) + "def f(x):\n    return x + v1\n"),
    (
        "docstring-with-asserts",
        'def f(x):\n    """>>> f(1)\n    2\n    assert f(1) == 3\n    """\n    return x + 1\n',
    ),
    (
        "future-import",
        '"""Doc."""\nfrom __future__ import annotations\n\ndef f(x: Unknown) -> Nothing:\n    return x + 1\n',
    ),
    ("entry-point-lambda", "f = lambda x: x + 1\n"),
    ("entry-point-partial", "from functools import partial\nfrom operator import add\n\nf = partial(add, 1)\n"),
    ("entry-point-bound-method", "f = (1).__add__\n"),
    ("entry-point-class-instance", "class Add:\n    def __call__(self, x):\n        return x + 1\n\nf = Add()\n"),
    ("entry-point-defined-twice", "def f(x):\n    return 0\n\ndef f(x):\n    return x + 1\n"),
    ("entry-point-by-exec", "exec('def f(x):\\n    return x + 1')\n"),
    ("entry-point-by-globals", "globals()['f'] = lambda x: x + 1\n"),
    (
        "entry-point-decorated",
        (
            "import functools\n\ndef plus(g):\n    @functools.wraps(g)\n    def inner(*args):\n"
            "        return g(*args) + 1\n    return inner\n\n@plus\ndef f(x):\n    return x\n"
        ),
    ),
    ("entry-point-replaces-itself", "def f(x):\n    global f\n    f = lambda x: x + 1\n    return f(x)\n"),
    ("walrus", "def f(x):\n    if (y := x + 1) > 0:\n        return y\n"),
    (
        "match",
        "def f(x):\n    match x:\n        case int(n):\n            return n + 1\n",
    ),
    (
        "try-star",
        (
            "def f(x):\n    try:\n        raise ExceptionGroup('g', [ValueError()])\n    except* ValueError:\n"
            "        x += 1\n    return x\n"
        ),
    ),
    (
        "finally-and-else",
        "def f(x):\n    try:\n        pass\n    except ValueError:\n        x = 0\n    else:\n"
        "        x += 1\n    finally:\n        del __builtins__\n    return x\n".replace(
            "del __builtins__", "pass"
        ),
    ),
    ("positional-only", "def f(x, /, *, step=1):\n    return x + step\n"),
    ("star-arguments", "def f(*args, **kwargs):\n    return args[0] + 1 + len(kwargs)\n"),
    ("closures", "def make(n):\n    def add(x):\n        return x + n\n    return add\n\nf = make(1)\n"),
    ("class-inside", "def f(x):\n    class Box:\n        value = x\n    return Box.value + 1\n"),
    ("nested-comprehensions", "def f(x):\n    return sum([sum(1 for _ in range(1)) for _ in range(x + 1)])\n"),
    ("eval", "def f(x):\n    return eval('x + 1', {'x': x})\n"),
    ("exec-inside", "def f(x):\n    scope = {'x': x}\n    exec('y = x + 1', scope)\n    return scope['y']\n"),
    ("assert-inside", "def f(x):\n    assert isinstance(x, int), 'an int'\n    return x + 1\n"),
    (
        "catches-everything",
        "def f(x):\n    try:\n        return x + 1\n    except BaseException:\n        return 0\n",
    ),
    (
        "guarded-main",
        "def f(x):\n    return x + 1\n\nif __name__ == '__main__':\n    raise SystemExit(f(input()))\n",
    ),
    (
        "main-function",
        (
            "import sys\n\ndef f(x):\n    return x + 1\n\ndef main():\n    print(f(1))\n\n"
            "if __name__ == '__main__':\n    sys.exit(main())\n"
        ),
    ),
    ("prints-its-tests", "def f(x):\n    return x + 1\n\nprint(f(1), f(41))\nassert f(1) == 2\n"),
    ("input-in-other-function", "def ask():\n    return input('number? ')\n\ndef f(x):\n    return x + 1\n"),
    (
        "own-check-function",
        (
            "def check(candidate):\n    assert False\n\ndef candidate(x):\n    return 0\n\n"
            "def f(x):\n    return x + 1\n"
        ),
    ),
    ("shadows-builtins", "list = str = len = None\n\ndef f(x):\n    return x + 1\n"),
    ("own-assertionerror", "class AssertionError(Exception):\n    pass\n\ndef f(x):\n    return x + 1\n"),
    ("deletes-names", "import os\n\ndef f(x):\n    return x + 1\n\ndel os\n"),
    ("module-all", "__all__ = ['f']\n__version__ = '1'\n\ndef f(x):\n    return x + 1\n"),
    (
        "unused-imports",
        (
            "import abc, asyncio, collections.abc, copy, csv, enum, io, json, re, string, typing\n\n"
            "def f(x):\n    return x + 1\n"
        ),
    ),
)

_STATE = (
    task(
        """
        def check(candidate):
            assert [candidate() for _ in range(3)] == [1, 2, 3]
        """,
        """
        n = 0

        def f():
            global n
            n += 1
            return n
        """,
    ).case(
        "state-between-calls",
        "13",
        """
        import itertools

        numbers = itertools.count(1)

        def f():
            return next(numbers)
        """,
        PASSED,
    ),
    task(
        """
        def check(candidate):
            assert candidate() == 0
            assert candidate(1) == 1
            assert candidate(1, 2, 3) == 6
            assert candidate(1, scale=2) == 2
            assert candidate(*[1, 2], **{"scale": 3}) == 9
        """,
        """
        def f(*numbers, scale=1):
            return sum(numbers) * scale
        """,
    ).case(
        "arguments-of-every-kind",
        "13",
        "def f(a=0, *more, scale=1, **none):\n    return (a + sum(more)) * scale\n",
        PASSED,
    ),
    task(
        """
        def check(candidate):
            assert candidate(candidate(candidate(0))) == 3
            assert sum(map(candidate, range(4))) == 10
            assert sorted([3, 1, 2], key=candidate) == [1, 2, 3]
            assert max(candidate(x) for x in [1, 5]) == 6
        """,
        INCREMENT.reference,
    ).case("called-within-calls", "13", "def f(x):\n    return f(x - 1) + 1 if x > 0 else 1\n", PASSED),
    task(
        """
        def check(candidate):
            assert candidate() is None
            assert candidate() == None
        """,
        "def f():\n    return None\n",
    ).case("returns-none", "13", "def f():\n    pass\n", PASSED),
    task(
        """
        def check(candidate):
            for n in range(3_000):
                assert candidate(n) == n + 1
        """,
        INCREMENT.reference,
    ).case("three-thousand-calls", "13", "def f(x):\n    return -~x\n", PASSED),
    CHAIN.case("chain", "13", "def f(x):\n    x += 1\n    return x\n", PASSED),
    THRICE.case("same-call-three-times", "11", "def f(x):\n    return x - -1\n", PASSED),
)

CASES: tuple[Case, ...] = (
    *(INCREMENT.case(f"source-with-{name}", "13", program, PASSED) for name, program in _LINES),
    *_STATE,
)
