"""Wrong programs in the process of their tests, which see all that the tests are.

`CASES` must not pass. `KNOWN` pass, each for the reason that stands in `known` and in docs/sandbox.md.
"""

from __future__ import annotations

from . import (
    attacks_inprocess_check,
    attacks_inprocess_forge,
    attacks_inprocess_steal,
    attacks_inprocess_suites,
)
from .case import FAILS, PASSED, WRONG, source
from .tasks_inprocess import (
    ADDERS,
    ASYNC,
    CLOSE,
    CONTEXTS,
    EMPTY,
    IDENTITY,
    MANY,
    NO_CONSTANT,
    NODE_CLASS,
    NODES,
    ONE,
    ORACLE,
    RAISING,
    SORTED,
    TRUTH,
    TWICE,
    TogetherCase,
)
from .tasks_inprocess_thieves import EQUAL, FRAME, NEXT_CONSTANT, RUN

_OTHERS: tuple[TogetherCase, ...] = (
    ADDERS.case("constant", "answer", "def f(x):\n    return lambda y: 5\n", WRONG),
    ADDERS.case("equal", "equal", EQUAL + "def f(x):\n    return lambda y: Equal()\n", FAILS),
    ADDERS.case("equal-callable", "equal", EQUAL + "def f(x):\n    return Equal()\n", FAILS),
    ADDERS.case(
        "equal-in-lists",
        "equal",
        EQUAL + "def f(x):\n    return lambda y: x + y if (x, y) != (1, 1) else Equal()\n",
        FAILS,
    ),
    ADDERS.case("thief", "leak", NEXT_CONSTANT + "def f(x):\n    return lambda y: stolen()\n", FAILS),
    CLOSE.case(
        "shadows-math",
        "patch",
        (
            "class math:\n    def isclose(*a, **k):\n        return True\n    sqrt = None\n"
            "class X(float):\n    def __sub__(self, other):\n        return 0.0\ndef f(x):\n"
            "    return lambda: X(2.0)\n"
        ),
        FAILS,
    ),
    CLOSE.case(
        "patches-isclose",
        "patch",
        "import math\nmath.isclose = lambda *a: True\ndef f(x):\n    return lambda: 3.0\n",
        FAILS,
    ),
    CLOSE.case(
        "patches-isclose-for-a-while",
        "patch",
        (
            "import math\nplain = math.isclose\ndef close(*a):\n    math.isclose = plain\n    return True\n"
            "math.isclose = close\ndef f(x):\n    return lambda: 3.0\n"
        ),
        FAILS,
    ),
    CLOSE.case(
        "patches-abs",
        "patch",
        "import math, builtins\nbuiltins.abs = lambda x: 0\ndef f(x):\n    return lambda: math.sqrt(2)\n",
        FAILS,
    ),
    CLOSE.case(
        "shadows-abs",
        "patch",
        "import math\nabs = lambda x: 0\ndef f(x):\n    return lambda: math.sqrt(2)\n",
        WRONG,
    ),
    CLOSE.case(
        "near",
        "equal",
        "class X(float):\n    def __sub__(self, other):\n        return 0.0\n"
        "    __float__ = lambda self: 1.414213562\nimport math\ndef f(x):\n"
        "    return lambda: X(math.sqrt(2))\n",
        FAILS,
    ),
    ASYNC.case("constant", "answer", "async def f(x):\n    return 4\n", WRONG),
    ASYNC.case("plain-function", "answer", "def f(x):\n    return x * x\n", FAILS),
    ASYNC.case("equal", "equal", EQUAL + "async def f(x):\n    return Equal()\n", FAILS),
    ASYNC.case(
        "patches-run",
        "patch",
        EQUAL + "import asyncio\nasyncio.run = lambda x: (x.close(), Equal())[1]\nasync def f(x):\n    return 0\n",
        FAILS,
    ),
    ASYNC.case(
        "patches-run-for-a-while",
        "patch",
        (
            EQUAL
            + "import asyncio\nplain, runs = asyncio.run, []\ndef run(x):\n    runs.append(x.close())\n"
            + "    if len(runs) == 2:\n        asyncio.run = plain\n    return Equal()\nasyncio.run = run\n"
            + "async def f(x):\n    return 0\n"
        ),
        FAILS,
    ),
    ASYNC.case(
        "thief",
        "leak",
        (
            "import gc\nasync def f(x):\n    for code in gc.get_objects():\n        pass\n"
            "    import sys\n    frame = sys._getframe()\n"
            "    while frame and frame.f_code.co_filename != '<tests>':\n"
            "        frame = frame.f_back\n"
            "    found = [c for c in frame.f_code.co_consts if type(c) is int] if frame else []\n"
            "    return max(found) if x == 2 else x * x\n"
        ),
        FAILS,
    ),
    ASYNC.case(
        "module-of-its-own",
        "patch",
        EQUAL
        + "import sys, types\nfake = types.ModuleType('asyncio')\nfake.run = lambda x: (x.close(), Equal())[1]\n"
        + "sys.modules['asyncio'] = fake\nasync def f(x):\n    return 0\n",
        FAILS,
    ),
    ASYNC.case(
        "finder-of-its-own",
        "patch",
        EQUAL
        + source(
            """
            import builtins, types

            plain = builtins.__import__

            def find(name, *rest):
                if name == "asyncio":
                    builtins.__import__ = plain
                    return types.SimpleNamespace(run=lambda x: Equal(), gather=lambda *a: None)
                return plain(name, *rest)

            builtins.__import__ = find

            def f(x):
                return 0
            """
        ),
        FAILS,
    ),
    CONTEXTS.case(
        "never-closes",
        "answer",
        CONTEXTS.reference.replace("    log.closed = True\n", ""),
        WRONG,
    ),
    CONTEXTS.case(
        "swallows",
        "patch",
        (
            "class f:\n    def __init__(self, items):\n        self.items, self.closed = ['end'], False\n"
            "    def __enter__(self):\n        return self\n    def __exit__(self, *a):\n"
            "        self.closed = True\n"
            "        return True\n"
        ),
        WRONG,
    ),
    CONTEXTS.case(
        "equal-items",
        "equal",
        (
            "class L(list):\n    def __eq__(self, other):\n        return True\n"
            "class f:\n    def __init__(self, items):\n        self.items, self.closed = L(), False\n"
            "    def __enter__(self):\n        return self\n    def __exit__(self, *a):\n"
            "        self.closed = True\n"
        ),
        FAILS,
    ),
    NO_CONSTANT.case("constant", "answer", NODE_CLASS + "def f(node):\n    return 0\n", WRONG),
    NO_CONSTANT.case(
        "equal",
        "equal",
        NODE_CLASS + EQUAL + "def f(node):\n    return Equal() if type(node.value) is int else node.value\n",
        FAILS,
    ),
    TRUTH.case("constant", "answer", NODE_CLASS + "def f(node):\n    return True\n", WRONG),
    TRUTH.case(
        "equal",
        "equal",
        NODE_CLASS + "class E(int):\n    def __eq__(self, other):\n        return True\ndef f(node):\n"
        "    return node.value < 4 and node.value == 2 or (node.value == 4 or (node.value == 5 and E()))\n",
        FAILS,
    ),
    ORACLE.case("equal", "equal", NODE_CLASS + EQUAL + "def f(node):\n    return Equal()\n", FAILS),
    MANY.case("equal", "equal", NODE_CLASS + EQUAL + "def f(node):\n    return Equal()\n", FAILS),
    MANY.case("thief", "leak", NODE_CLASS + NEXT_CONSTANT + "def f(node):\n    return stolen()\n", FAILS),
    RAISING.case("equal", "equal", NODE_CLASS + EQUAL + "def f(node):\n    return Equal()\n", FAILS),
    EMPTY.case("equal", "equal", NODE_CLASS + EQUAL + "def f(node):\n    return Equal()\n", FAILS),
    EMPTY.case(
        "thief-of-what-is-empty",
        "leak",
        NODE_CLASS
        + "class E(list):\n    def __eq__(self, other):\n        return other == [] or list(self) == other\n"
        + "    __hash__ = None\ndef f(node):\n    return E(node.value)\n",
        FAILS,
    ),
    SORTED.case("equal", "equal", NODE_CLASS + EQUAL + "def f(node):\n    return Equal()\n", FAILS),
    ONE.case(
        "sees-that-it-is-a-control-run",
        "leak",
        NODE_CLASS + NEXT_CONSTANT + RUN + ("def f(node):\n    return stolen() if run().job['all'] else None\n"),
        FAILS,
        all_tests=True,
    ),
    IDENTITY.case("constant", "answer", NODE_CLASS + "def f(node):\n    return node\n", WRONG),
)

CASES: tuple[TogetherCase, ...] = (
    *attacks_inprocess_steal.CASES,
    *attacks_inprocess_forge.CASES,
    *attacks_inprocess_check.CASES,
    *_OTHERS,
    *attacks_inprocess_suites.CASES,
)

# ---- what passes, and why that cannot be helped

_NO_CONSTANT = "nothing that is expected is a constant, and changes of such an assertion can be recognised"

KNOWN: tuple[TogetherCase, ...] = (
    ORACLE.case(
        "calls-it",
        "leak",
        NODE_CLASS + FRAME + "def f(node):\n    total = tests().f_globals['total']\n"
        "    return total(3, 4) if node.next else total(5)\n",
        PASSED,
        known="the tests have a right answer that a program can call",
    ),
    IDENTITY.case(
        "thief",
        "leak",
        NODE_CLASS + FRAME + "def f(node):\n    return tests().f_globals['a']\n",
        PASSED,
        known=_NO_CONSTANT,
    ),
    TWICE.case(
        "votes",
        "leak",
        (
            NODE_CLASS
            + RUN
            + "import binascii, marshal\nfrom collections import Counter\ndef f(node):\n"
            + "    codes = marshal.loads(binascii.a2b_base64(run().job['code']))[1]\n"
            + "    found = Counter(x for c in codes for x in c.co_consts if type(x) is int and x > 4)\n"
            + "    return found.most_common(1)[0][0]\n"
        ),
        PASSED,
        known="the tests say the same answer more than once",
    ),
    SORTED.case(
        "checks-what-it-steals",
        "leak",
        (
            NODE_CLASS
            + FRAME
            + "class E(list):\n    def __eq__(self, other):\n"
            + "        return sorted(self) == list(other)\n    __hash__ = None\ndef f(node):\n"
            "    return E(node.value)\n"
        ),
        PASSED,
        known="a program that can tell a right answer from a wrong one need not find it",
    ),
    NO_CONSTANT.case(
        "knows-what-a-change-looks-like",
        "equal",
        NODE_CLASS
        + "class E:\n    def __eq__(self, other):\n        return type(other) is not tuple\n    __hash__ = None\n"
        + "def f(node):\n    return E() if type(node.value) is int else node.value\n",
        PASSED,
        known=_NO_CONSTANT,
    ),
    NODES.case(
        "several-guesses",
        "equal",
        NODE_CLASS
        + "class E(int):\n    def __eq__(self, other):\n        return int(self) - int(other) in (0, 100)\n"
        + "    __hash__ = None\ndef f(node):\n    total = 100\n    while node:\n"
        + "        total, node = total + node.value, node.next\n    return E(total)\n",
        PASSED,
        known="an object can equal several values, the right one among them",
    ),
    MANY.case(
        "wrong-where-no-control-looks",
        "equal",
        NODE_CLASS + EQUAL + "def f(node):\n    return Equal() if node.value == 3 else node.value * 3\n",
        PASSED,
        known="there are more assertions than control runs",
    ),
)
