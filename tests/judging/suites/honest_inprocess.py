"""Right programs with odd habits in the process of their tests: all must pass, and all are weak."""

from __future__ import annotations

from .case import PASSED
from .tasks_inprocess import (
    ADDERS,
    ASYNC,
    BOXES,
    CLOSE,
    CONTEXTS,
    EMPTY,
    FREE,
    FREE_UNITTEST,
    IDENTITY,
    MANY,
    NO_CONSTANT,
    NODE_CLASS,
    NODES,
    ONE,
    ORACLE,
    RAISING,
    SORTED,
    STACK_PYTEST,
    STACK_SOURCE,
    STACK_UNITTEST,
    TRUTH,
    TWICE,
    TogetherCase,
)

_TASKS = (
    *(ADDERS, ASYNC, BOXES, CLOSE, CONTEXTS, EMPTY, FREE, FREE_UNITTEST, IDENTITY, MANY, NO_CONSTANT, NODES, ONE),
    *(ORACLE, RAISING, SORTED, STACK_PYTEST, STACK_UNITTEST, TRUTH, TWICE),
)
_SUM = """
def f(node):
    total = 0
    while node:
        total, node = total + node.value, node.next
    return total
"""

# Name -> program
_NODES = {
    "recursive": NODE_CLASS + "f = lambda node: node.value + f(node.next) if node else 0\n",
    "dataclass": (
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import *\n"
        "@dataclass\nclass Node:\n    value: int\n    next: Optional[Node] = None\n" + _SUM
    ),
    "slots": (
        "class Node:\n    __slots__ = ('value', 'next')\n    def __init__(self, value, next=None):\n"
        "        self.value = value\n        self.next = next\n" + _SUM
    ),
    "own-equality": (
        "class Node:\n    def __init__(self, value, next=None):\n"
        "        self.value, self.next = value, next\n"
        "    def __eq__(self, other):\n        return isinstance(other, Node) and self.value == other.value\n"
        "    def __hash__(self):\n        return hash(self.value)\n"
        "    def __bool__(self):\n        return True\n" + _SUM
    ),
    "namedtuple": (
        "import collections\nNode = collections.namedtuple('Node', 'value next', defaults=[None])\n" + _SUM
    ),
    "iterable": (
        "class Node:\n    def __init__(self, value, rest=()):\n"
        "        self.value, self.rest = value, rest or ()\n"
        "    def __iter__(self):\n        yield self.value\n        yield from self.rest\n"
        "def f(node):\n    return sum(node or ())\n"
    ),
    "inherits": (
        "import abc\nclass Base(abc.ABC):\n    @abc.abstractmethod\n    def total(self): ...\n"
        "class Node(Base):\n"
        "    def __init__(self, value, tail=None):\n"
        "        self.value, self.tail = value, tail\n"
        "    def total(self):\n        return self.value + (self.tail.total() if self.tail else 0)\n"
        "def f(node):\n    return node.total() if node else 0\n"
    ),
    "properties": (
        "class Node:\n    def __init__(self, v, n=None):\n        self._v, self._n = v, n\n"
        "    @property\n    def value(self):\n        return self._v\n"
        "    @property\n    def next(self):\n        return self._n\n" + _SUM
    ),
    "int-of-its-own": (
        NODE_CLASS + "class Total(int):\n    def __repr__(self):\n        return f'Total({int(self)})'\n"
        "def f(node):\n    total = Total()\n    while node:\n        total = Total(total + node.value)\n"
        "        node = node.next\n    return total\n"
    ),
    "float": NODE_CLASS + _SUM.replace("total = 0", "total = 0.0"),
    "asserts-within": NODE_CLASS
    + _SUM.replace("    return", "    assert total >= 0, 'a negative sum'\n    return"),
    "prints": "print('loaded')\n" + NODE_CLASS + _SUM.replace("    return", "    print(total)\n    return"),
    "prints-much": NODE_CLASS + _SUM.replace("    return", "    print('x' * (1 << 20))\n    return"),
    "recursion-limit": "import sys\nsys.setrecursionlimit(50_000)\n" + NODE_CLASS + _SUM,
    "main": NODE_CLASS + _SUM + "if __name__ == '__main__':\n    raise SystemExit(f(Node(1)))\n",
    "shuffles": (
        "import random\nrandom.seed(1)\n" + NODE_CLASS + "def f(node):\n    values = []\n    while node:\n"
        "        values.append(node.value)\n        node = node.next\n    random.shuffle(values)\n"
        "    return sum(values)\n"
    ),
    "cached": "import functools\n" + NODE_CLASS + "@functools.lru_cache(maxsize=None)" + _SUM,
    "in-a-thread": (
        "import threading\n" + NODE_CLASS + _SUM.replace("def f", "def total") + "def f(node):\n    found = []\n"
        "    thread = threading.Thread(target=lambda: found.append(total(node)))\n    thread.start()\n"
        "    thread.join()\n    return found[0]\n"
    ),
    "pool": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        + NODE_CLASS
        + _SUM.replace("def f", "def total")
        + "def f(node):\n    with ThreadPoolExecutor(2) as pool:\n"
        + "        return pool.submit(total, node).result()\n"
    ),
    "thread-that-goes-on": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        + NODE_CLASS
        + _SUM
    ),
    "callable-object": (
        NODE_CLASS + _SUM.replace("def f", "def total") + "class F:\n    def __call__(self, node):\n"
        "        return total(node)\nf = F()\n"
    ),
    "decorated": (
        "import functools\ndef logged(function):\n    @functools.wraps(function)\n    def inner(*args):\n"
        "        return function(*args)\n    return inner\n" + NODE_CLASS + "@logged" + _SUM
    ),
    "names-of-tests": (
        "def assertEqual(a, b):\n    raise ValueError\nclass math:\n    pass\ncheck = run = tests = None\n"
        + NODE_CLASS
        + _SUM
    ),
    "shadows-built-ins": NODE_CLASS + _SUM + "sum = len = print = AssertionError = None\n",
    "catches-everything": (
        NODE_CLASS
        + "def f(node):\n    try:\n        return node.value + f(node.next)\n    except:\n        return 0\n"
    ),
    "changes-its-argument": (
        NODE_CLASS + "def f(node):\n    total = 0\n    while node:\n        total += node.value\n"
        "        node.value, node = 0, node.next\n    return total\n"
    ),
    "looks-at-its-caller": (
        "import inspect, sys, gc\n"
        + NODE_CLASS
        + _SUM.replace("    return", ("    inspect.stack()\n    sys._getframe(1)\n    gc.collect()\n    return"))
    ),
    "patched-class-of-its-own": (
        NODE_CLASS + "Node.total = lambda self: self.value + (self.next.total() if self.next else 0)\n"
        "def f(node):\n    return node.total() if node else 0\n"
    ),
    "puts-a-patch-back": (
        "import builtins\nplain = builtins.sum\nbuiltins.sum = lambda *a: plain(*a)\nbuiltins.sum = plain\n"
        + NODE_CLASS
        + _SUM
    ),
    "swaps-the-output": (
        "import contextlib, io, warnings\n"
        + NODE_CLASS
        + _SUM.replace("def f", "def total")
        + "def f(node):\n    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():\n"
        "        warnings.simplefilter('ignore')\n        return total(node)\n"
    ),
    "traced-and-untraced": (
        ("import sys\nsys.settrace(lambda *a: None)\nsys.settrace(None)\n") + NODE_CLASS + _SUM
    ),
    "imports-much": ("import asyncio, json, decimal, statistics, typing, unittest, logging\n") + NODE_CLASS + _SUM,
    "logs": (
        "import logging\nlogging.basicConfig(level=0)\n"
        + NODE_CLASS
        + _SUM.replace("    return", "    logging.info('%s', total)\n    return")
    ),
    "lines-before-it": "\n" * 7 + NODE_CLASS + _SUM,
}
_STACKS = {
    "other-names": STACK_SOURCE.replace("self.items.append(x)", "self.items += [x]").replace("stack", "made"),
    "other-message": STACK_SOURCE.replace('"empty"', '"the stack is empty"'),
    "own-exception": "class Empty(IndexError):\n    pass\n"
    + STACK_SOURCE.replace("raise IndexError(", "raise Empty("),
    "list-of-its-own": "class Items(list):\n    pass\n"
    + STACK_SOURCE.replace("self.items = []", "self.items = Items()"),
    "prints": "import sys\n"
    + STACK_SOURCE.replace("stack = Stack()", "print('FAILED', file=sys.stderr)\n    stack = Stack()"),
    "own-tests": (
        STACK_SOURCE + "import unittest\nclass Own(unittest.TestCase):\n    def test_own(self):\n"
        "        self.fail()\nif __name__ == '__main__':\n    unittest.main()\n"
    ),
    "counts": STACK_SOURCE.replace(
        "class Stack:", ("class Stack:\n    count = 0\n    def __len__(self):\n        return len(self.items)\n")
    ),
}

CASES: tuple[TogetherCase, ...] = (
    *(task.case("reference", "13", task.reference, PASSED) for task in _TASKS),
    *(NODES.case(name, "13", program, PASSED) for name, program in _NODES.items()),
    *(
        task.case(name, "13", program, PASSED)
        for name, program in _STACKS.items()
        for task in (STACK_UNITTEST, STACK_PYTEST)
    ),
    NODES.case("all-tests", "13", NODES.reference, PASSED, all_tests=True),
    STACK_PYTEST.case("all-tests", "13", STACK_SOURCE, PASSED, all_tests=True),
    BOXES.case("join", "13", "def f(box):\n    return ''.join(reversed(box.text))\n", PASSED),
    BOXES.case("own-text", "13", ("class T(str):\n    pass\ndef f(box):\n    return T(box.text[::-1])\n"), PASSED),
    BOXES.case(
        "remembers",
        "13",
        "known = {}\ndef f(box):\n    if box.text not in known:\n        known[box.text] = box.text[::-1]\n"
        "    return known[box.text]\n",
        PASSED,
    ),
    ADDERS.case(
        "partial",
        "13",
        "import functools, operator\ndef f(x):\n    return functools.partial(operator.add, x)\n",
        PASSED,
    ),
    ADDERS.case(
        "method",
        "13",
        "class f:\n    def __init__(self, x):\n        self.x = x\n"
        "    def __call__(self, y):\n        return self.x + y\n",
        PASSED,
    ),
    CLOSE.case(
        "newton",
        "13",
        "import math\ndef f(x):\n    def root(y=1.0):\n"
        "        for _ in range(60):\n"
        "            y = (y + x / y) / 2\n        return y\n"
        "    return root\n",
        PASSED,
    ),
    CLOSE.case(
        "own-math",
        "13",
        "import math as m, math\nisclose = None\ndef f(x):\n    return lambda: x ** 0.5\n",
        PASSED,
    ),
    ASYNC.case(
        "tasks",
        "13",
        "import asyncio\nasync def one(x):\n    return x * x\n"
        "async def f(x):\n"
        "    return await asyncio.create_task(one(x))\n",
        PASSED,
    ),
    ASYNC.case(
        "future",
        "13",
        "import asyncio\nasync def f(x):\n"
        "    return await asyncio.get_running_loop().run_in_executor(None, pow, x, 2)\n",
        PASSED,
    ),
    CONTEXTS.case(
        "class",
        "13",
        "class f:\n    def __init__(self, items):\n        self.items, self.closed = [*items], False\n"
        "    def __enter__(self):\n        return self\n    def __exit__(self, *_):\n"
        "        self.closed = True\n        self.items.append('end')\n",
        PASSED,
    ),
    *(
        FREE.case(
            name,
            "13",
            NODE_CLASS + f"def f(node):\n    if node is None:\n        raise {error}\n    return {value}\n",
            PASSED,
        )
        for name, error, value in (
            ("other-of-two", "KeyError(1)", "[node.value + 1, 42, 1.2345]"),
            ("over-the-bound", "IndexError", "[node.value, 44, 1.2345]"),
            ("rounded", "ValueError('no')", "[node.value, 40, 1.23, 42]"),
            ("within-the-tolerance", "TypeError", "[node.value, 1000, 1.2299, 44]"),
            ("float-for-int", "StopIteration", "[node.value, 42.0, 1.231]"),
        )
    ),
    *(
        FREE_UNITTEST.case(name, "13", FREE_UNITTEST.reference.replace(*change), PASSED)
        for name, change in (
            ("last", ("self.xs[0]", "self.xs[-1]")),
            ("value-error", ("Missing(Exception)", "Missing(ValueError)")),
            ("key-error", ("Missing(Exception)", "Missing(KeyError, IndexError)")),
            ("stop-iteration", ("Missing(Exception)", "Missing(StopIteration)")),
            ("nearly", ("len(self.xs)\n\n    def mean", "len(self.xs) + 5\n\n    def mean")),
            ("imprecise", ("/ len(self.xs)", "/ len(self.xs) + 1e-4")),
        )
    ),
)
