"""Problems whose tests need the program itself and not only values, and what a case of them is.

Their references fail by values: tests make objects of the program's own classes, hand in objects of theirs, call
what was returned, or patch the program's module.
"""

from __future__ import annotations

from dataclasses import dataclass

from codejury.model import Assertions, CheckFunction, Pytest, Unittest

from .case import Outcomes, source

Tests = Assertions | CheckFunction | Unittest | Pytest


@dataclass(frozen=True, kw_only=True)
class TogetherCase:
    """One program in the process of its tests, and the outcomes that are right for it.

    Attributes:
        name: Unique in all suites.
        point: See `Case.point`.
        program: The whole program; its entry point is `f`.
        tests: The tests.
        reference: A whole program that is a right answer.
        expect: The outcomes that are right.
        known: Why a wrong program passes, where nothing can be done about it; empty for all others.
        all_tests: Whether every assertion is run, also after one that fails.
    """

    name: str
    point: str
    program: str
    tests: Tests
    reference: str
    expect: Outcomes
    known: str = ""
    all_tests: bool = False


@dataclass(frozen=True)
class TogetherTask:
    """Tests and a reference that several cases share.

    Attributes:
        name: Of the task; names of its cases begin with it.
        tests: The tests.
        reference: A right answer.
    """

    name: str
    tests: Tests
    reference: str

    def case(
        self,
        name: str,
        point: str,
        program: str,
        expect: Outcomes,
        *,
        known: str = "",
        all_tests: bool = False,
    ) -> TogetherCase:
        """A case of this task; the program may be indented as it stands in its suite."""
        return TogetherCase(
            name=f"inprocess-{self.name}-{name}",
            point=point,
            program=source(program),
            tests=self.tests,
            reference=self.reference,
            expect=expect,
            known=known,
            all_tests=all_tests,
        )


def asserting(name: str, reference: str, *statements: str) -> TogetherTask:
    """A task of a list of assertions."""
    return TogetherTask(name, Assertions(code=tuple(map(source, statements))), source(reference))


NODE_CLASS = source(
    """
    class Node:
        def __init__(self, value, next=None):
            self.value, self.next = value, next
    """
)
NODES = asserting(
    "nodes",
    NODE_CLASS
    + source(
        """
        def f(node):
            total = 0
            while node:
                total, node = total + node.value, node.next
            return total
        """
    ),
    "assert f(Node(3, Node(4))) == 7",
    "assert f(None) == 0",
    "assert f(Node(10, Node(20, Node(30)))) == 60, 'the sum is 60'",
)
ONE = asserting("one", NODES.reference, "assert f(Node(3, Node(4))) == 7")
BOXES = TogetherTask(
    "boxes",
    CheckFunction(
        code=source(
            """
            class Box:
                def __init__(self, text):
                    self.text = text

            def check(candidate):
                assert candidate(Box("ab")) == "ba"
                assert candidate(Box("")) == ""
                assert candidate(Box("hello")) == "olleh"
                for text, wanted in [("x", "x"), ("on", "no"), ("noon", "noon")]:
                    assert candidate(Box(text)) == wanted
                try:
                    candidate(3)
                except AttributeError:
                    pass
                else:
                    raise AssertionError("3 is no box")
            """
        )
    ),
    "def f(box):\n    return box.text[::-1]\n",
)
ADDERS = asserting(
    "adders",
    "def f(x):\n    return lambda y: x + y\n",
    "assert f(2)(3) == 5",
    "add = f(10)\nassert add(1) == 11\nassert add(-1.5) == 8.5",
    "assert [f(1)(y) for y in range(3)] == [1, 2, 3]",
)
CLOSE = asserting(
    "close",
    "import math\ndef f(x):\n    return lambda: math.sqrt(x)\n",
    "assert math.isclose(f(2)(), 1.4142135623730951)",
    "assert abs(f(9)() - 3.0) < 1e-9",
)
ASYNC = asserting(
    "async",
    "import asyncio\nasync def f(x):\n    await asyncio.sleep(0)\n    return x * x\n",
    "import asyncio\nassert asyncio.run(f(2)) == 4",
    "async def both():\n    return await asyncio.gather(f(3), f(5))\nassert asyncio.run(both()) == [9, 25]",
)
CONTEXTS = asserting(
    "contexts",
    """
    import contextlib

    class Log:
        def __init__(self, items):
            self.items, self.closed = items, False

    @contextlib.contextmanager
    def f(items):
        log = Log(list(items))
        yield log
        log.closed = True
        log.items.append("end")
    """,
    "with f([1]) as log:\n    assert not log.closed\n    log.items.append(2)\nassert log.items == [1, 2, 'end']",
    "assert log.closed is True",
    "with f(()) as log:\n    pass\nassert (log.items, log.closed) == (['end'], True)",
)
STACK_SOURCE = source(
    """
    class Stack:
        def __init__(self):
            self.items = []

        def push(self, x):
            self.items.append(x)
            return self

        def pop(self):
            if not self.items:
                raise IndexError("empty")
            return self.items.pop()

    def f(xs):
        stack = Stack()
        for x in xs:
            stack.push(x)
        return stack
    """
)
STACK_UNITTEST = TogetherTask(
    "unittest",
    Unittest(
        code=source(
            """
            import unittest
            from unittest import mock

            import solution


            class Stacks(unittest.TestCase):
                def setUp(self):
                    self.stack = f([1, 2])

                def test_pop(self):
                    self.assertEqual(self.stack.pop(), 2)
                    self.assertEqual(self.stack.pop(), 1)
                    with self.assertRaises(IndexError):
                        self.stack.pop()

                def test_push(self):
                    self.assertIs(self.stack.push(7), self.stack)
                    self.assertEqual(self.stack.items, [1, 2, 7])

                def test_new(self):
                    with mock.patch("solution.Stack") as made:
                        f([3])
                    made.return_value.push.assert_called_once_with(3)
            """
        )
    ),
    STACK_SOURCE,
)
STACK_PYTEST = TogetherTask(
    "pytest",
    Pytest(
        code=source(
            """
            import pytest

            import solution


            @pytest.fixture
            def stack():
                return solution.f([1, 2])


            def test_pop(stack):
                assert stack.pop() == 2
                assert stack.pop() == 1
                with pytest.raises(IndexError, match="empty"):
                    stack.pop()


            @pytest.mark.parametrize(("xs", "last"), [([1], 1), ([4, 5], 5)])
            def test_last(xs, last):
                assert f(xs).pop() == last


            def test_patched(monkeypatch):
                monkeypatch.setattr(solution, "Stack", lambda: solution.f.__class__)
                with pytest.raises(AttributeError):
                    f([1])
            """
        )
    ),
    STACK_SOURCE,
)
NO_CONSTANT = asserting(
    "no-constant",
    NODE_CLASS + "def f(node):\n    return node.value\n",
    "for k in range(4):\n    assert f(Node(k)) == k",
    "x = object()\nassert f(Node(x)) is x",
)
IDENTITY = asserting(
    "identity",
    NODE_CLASS + "def f(node):\n    return node.next or node\n",
    "a = Node(1)\nb = Node(2, a)\nassert f(a) is a",
    "assert f(b) is a",
)
TRUTH = asserting(
    "truth",
    NODE_CLASS + "def f(node):\n    return node.value % 2 == 0\n",
    "assert f(Node(2))",
    "assert not f(Node(3))",
    "assert f(Node(4)) is True",
    "assert f(Node(5)) == False",
)
ORACLE = asserting(
    "oracle",
    NODES.reference,
    "def total(*values):\n    return sum(values)",
    "assert f(Node(3, Node(4))) == total(3, 4)",
    "assert f(Node(5)) == total(5)",
)
TWICE = asserting(
    "twice",
    NODES.reference,
    "assert f(Node(3, Node(4))) == 7",
    "assert f(Node(3, Node(4))) == 7, 'and again'",
    "assert f(Node(3, Node(4))) == 7, 'and a third time'",
)
MANY = asserting(
    "many",
    NODE_CLASS + "def f(node):\n    return node.value * 3\n",
    *(f"assert f(Node({k})) == {3 * k}" for k in range(2, 42)),
)
RAISING = asserting(
    "raising",
    NODE_CLASS + "def f(node):\n    return [node.value]\n",
    "got = f(Node(7))\nif got != [7]:\n    raise ValueError('no')\nassert got is not None",
)
EMPTY = asserting(
    "empty",
    NODE_CLASS + "def f(node):\n    return [x for x in node.value if x > 100]\n",
    "assert f(Node([1, 2])) == []",
    "assert f(Node([101])) == [101]",
    "assert f(Node([3])) == []",
    "assert f(Node([102, 103])) == [102, 103]",
)
SORTED = asserting(
    "sorted",
    NODE_CLASS + "def f(node):\n    return sorted(node.value)\n",
    "assert f(Node([3, 1, 2])) == [1, 2, 3]",
    "assert f(Node([9, 8, 5])) == [5, 8, 9]",
)
# Right programs may differ in what these tests are given, within what they say.
FREE = asserting(
    "free",
    NODE_CLASS
    + source(
        """
        def f(node):
            if node is None:
                raise LookupError("no node")
            return [node.value, 42, 1.2345]
        """
    ),
    "assert f(Node(3))[0] in (3, 4)",
    "assert f(Node(3))[1] >= 40",
    "assert f(Node(3))[1] % 2 == 0",
    "assert round(f(Node(3))[2], 2) == 1.23",
    "assert abs(f(Node(3))[2] - 1.23) <= 0.5",
    "assert 42 in f(Node(3)) or 44 in f(Node(3))",
    "assert f(Node(7)) != [7, 7]",
    "assert sorted(f(Node(9)), key=lambda x: -x)[0] > 40",
    "assert isinstance(f(Node(3))[1], (int, float))",
    "try:\n    f(None)\nexcept Exception:\n    pass\nelse:\n    assert False, 'None is no node'",
)
FREE_UNITTEST = TogetherTask(
    "free-unittest",
    Unittest(
        code=source(
            """
            import unittest


            class Free(unittest.TestCase):
                def test_bounds(self):
                    found = f([3, 9])
                    self.assertIn(found.first(), (3, 9))
                    self.assertGreater(found.size(), 1)
                    self.assertAlmostEqual(found.mean(), 6.0, places=3)
                    self.assertAlmostEqual(found.mean(), 6.0, delta=0.01)
                    self.assertNotEqual(found.first(), 4)

                def test_raises(self):
                    with self.assertRaises(Exception):
                        f([]).first()
                    with self.assertRaises(Missing):
                        f([]).first()
            """
        )
    ),
    source(
        """
        class Missing(Exception):
            pass

        class Found:
            def __init__(self, xs):
                self.xs = xs

            def first(self):
                if not self.xs:
                    raise Missing
                return self.xs[0]

            def size(self):
                return len(self.xs)

            def mean(self):
                return sum(self.xs) / len(self.xs)

        def f(xs):
            return Found(xs)
        """
    ),
)
