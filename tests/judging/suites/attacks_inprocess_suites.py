"""Wrong programs in the process of a module of unittest's or pytest's tests."""

from __future__ import annotations

from .case import ENDED, FAILS, WRONG, source
from .tasks_inprocess import (
    STACK_PYTEST,
    STACK_SOURCE,
    STACK_UNITTEST,
)
from .tasks_inprocess_thieves import EQUAL, INSIDE, NEXT_CONSTANT

_WRONG_STACK = STACK_SOURCE.replace("return self.items.pop()", "return self.items.pop(0)")


def _popping(what: str) -> str:
    return STACK_SOURCE.replace("return self.items.pop()", what)


_CASE = source(
    """
    import sys

    def case():
        frame = sys._getframe(1)
        while frame and type(frame.f_locals.get("self")).__name__ != "Stacks":
            frame = frame.f_back
        return frame.f_locals["self"] if frame else None

    """
)

# Name -> (point, program, outcomes), each before both frameworks
_STACKS = {
    "wrong": ("answer", _WRONG_STACK, WRONG),
    "never-raises": ("answer", STACK_SOURCE.replace('raise IndexError("empty")', "return None"), FAILS),
    "equal": ("equal", EQUAL + _popping("self.items.pop()\n        return Equal()"), FAILS),
    "equal-int": (
        "equal",
        "class E(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n"
        + _popping("return E(self.items.pop(0))"),
        FAILS,
    ),
    "equal-stack": ("equal", EQUAL + ("class Stack(Equal):\n    pass\ndef f(xs):\n    return Equal()\n"), FAILS),
    "thief": (
        "leak",
        NEXT_CONSTANT + _popping("self.items.pop()\n        return stolen()"),
        FAILS,
    ),
    "skips": ("exit", "import unittest\n" + STACK_SOURCE + "def f(xs):\n    raise unittest.SkipTest\n", FAILS),
    "skips-where-it-is-wrong": ("exit", "import unittest\n" + _popping("raise unittest.SkipTest"), FAILS),
    "skips-by-pytest": (
        "exit",
        "import sys\n" + _popping("sys.modules['pytest' if 'pytest' in sys.modules else 'unittest'].skip('no')"),
        FAILS,
    ),
    "exits": ("exit", "import os\n" + STACK_SOURCE + "def f(xs):\n    os._exit(0)\n", ENDED),
    "system-exit": ("exit", STACK_SOURCE + "def f(xs):\n    raise SystemExit(0)\n", FAILS),
    "patches-case": (
        "patch",
        "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n" + _WRONG_STACK,
        FAILS,
    ),
    "patches-run-of-case": (
        "patch",
        (
            "import unittest\ndef run(self, result):\n    result.startTest(self)\n"
            "    result.addSuccess(self)\n"
            "    result.stopTest(self)\nunittest.TestCase.run = run\n"
        )
        + _WRONG_STACK,
        FAILS,
    ),
    "patches-results": (
        "patch",
        INSIDE + "Progress.failed = lambda self, error: setattr(self, 'succeeded', True)\n" + _WRONG_STACK,
        FAILS,
    ),
    "patches-told": (
        "patch",
        INSIDE + "suites.Told.failed = lambda self, line, error: self.passed(line)\n" + _WRONG_STACK,
        FAILS,
    ),
    "patches-both": (
        "patch",
        INSIDE
        + "suites.Told.failed = lambda self, line, error: [self.ok(line), self.ok(line), self.passed(line)]\n"
        + _WRONG_STACK,
        FAILS,
    ),
    "patches-raises": (
        "patch",
        source(
            """
            import sys

            class Raises:
                def __init__(self, *a, **k):
                    pass
                def __enter__(self):
                    return self
                def __exit__(self, *a):
                    return True

            import unittest.case
            unittest.case._AssertRaisesContext = Raises
            if "pytest" in sys.modules:
                sys.modules["pytest"].raises = Raises
            """
        )
        + STACK_SOURCE.replace('raise IndexError("empty")', "raise ValueError"),
        FAILS,
    ),
    "expects-failure": (
        "patch",
        (
            "import gc, types\n"
            + STACK_SOURCE
            + "def f(xs):\n    for found in gc.get_objects():\n"
            + "        if type(found) is types.FunctionType and found.__code__.co_filename == '<tests>':\n"
            + "            found.__unittest_expecting_failure__ = True\n    return Stack()\n"
        ),
        FAILS,
    ),
    "empties-the-tests": (
        "patch",
        (
            "import gc, types\n"
            + STACK_SOURCE
            + "def f(xs):\n    for found in gc.get_objects():\n"
            + "        if type(found) is types.FunctionType and found.__code__.co_filename == '<tests>':\n"
            + "            found.__code__ = (lambda *a: None).__code__\n    return Stack()\n"
        ),
        FAILS,
    ),
    "shadows-solution": (
        "patch",
        "import sys\nsys.modules['solution'] = sys\n" + _WRONG_STACK,
        FAILS,
    ),
    "patches-warnings": (
        "patch",
        "import builtins\nbuiltins.isinstance = lambda *a: True\n" + _WRONG_STACK,
        FAILS,
    ),
}
_UNITTEST = (
    STACK_UNITTEST.case(
        "patches-mock",
        "patch",
        (
            "import unittest.mock\nunittest.mock.NonCallableMock.assert_called_once_with = lambda *a: None\n"
            + STACK_SOURCE.replace("stack.push(x)", "stack.items.append(x)")
        ),
        FAILS,
    ),
    STACK_UNITTEST.case(
        "patches-the-case-at-hand",
        "patch",
        _CASE
        + _WRONG_STACK.replace(
            "return self.items.pop(0)", ("case().assertEqual = lambda *a: None\n        return self.items.pop(0)")
        ),
        FAILS,
    ),
    STACK_UNITTEST.case(
        "equality-functions-of-the-case",
        "patch",
        _CASE
        + STACK_SOURCE.replace(
            "return self.items.pop()",
            "case().addTypeEqualityFunc(int, lambda *a, **k: None)\n        return self.items.pop(0)",
        ),
        FAILS,
    ),
    STACK_UNITTEST.case(
        "failure-exception-of-the-case",
        "patch",
        _CASE
        + STACK_SOURCE.replace(
            "return self.items.pop()",
            "import unittest\n        case().failureException = unittest.SkipTest\n"
            "        return self.items.pop(0)",
        ),
        FAILS,
    ),
)

CASES = (
    *(task.case(name, *rest) for name, rest in _STACKS.items() for task in (STACK_UNITTEST, STACK_PYTEST)),
    *_UNITTEST,
)
