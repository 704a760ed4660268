"""Problems whose tests are modules of unittest or pytest, and what a case of them is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codejury.model import Pytest, Unittest

from .case import source
from .tasks_objects import STACK

if TYPE_CHECKING:
    from .case import Outcomes


@dataclass(frozen=True, kw_only=True)
class SuiteCase:
    """One program before a module of tests, and the outcomes that are right for it.

    Attributes:
        name: Unique in all suites.
        point: See `Case.point`.
        program: The whole program; its entry point is `f`.
        tests: The module of tests.
        reference: A whole program that is a right answer.
        expect: The outcomes that are right.
    """

    name: str
    point: str
    program: str
    tests: Unittest | Pytest
    reference: str
    expect: Outcomes
    needs: str = ""


@dataclass(frozen=True)
class SuiteTask:
    """Tests and a reference that several cases share."""

    tests: Unittest | Pytest
    reference: str

    def case(self, name: str, point: str, program: str, expect: Outcomes) -> SuiteCase:
        """A case of this task; the program may be indented as it stands in its suite."""
        return SuiteCase(
            name=f"{self.tests.__struct_config__.tag}-{name}",
            point=point,
            program=source(program),
            tests=self.tests,
            reference=self.reference,
            expect=expect,
        )


def by_unittest(tests: str, reference: str) -> SuiteTask:
    """A task of a module for unittest."""
    return SuiteTask(Unittest(code=source(tests)), source(reference))


def by_pytest(tests: str, reference: str) -> SuiteTask:
    """A task of a module for pytest."""
    return SuiteTask(Pytest(code=source(tests)), source(reference))


NEXT_SOURCE = source(
    """
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return x + 1
    """
)
NEXT_UNITTEST = by_unittest(
    """
    import unittest

    from solution import f


    class Next(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.first = f(0)

        def setUp(self):
            self.x = 41

        def test_one(self):
            self.assertEqual(f(1), 2)
            self.assertEqual(self.first, 1)

        def test_many(self):
            for x in range(3):
                with self.subTest(x=x):
                    self.assertEqual(f(x), x + 1)

        def test_set_up(self):
            self.assertIn(f(self.x), (42, 43))
            self.assertTrue(f(self.x) == 42)

        def test_negative(self):
            with self.assertRaisesRegex(ValueError, "^negative$"):
                f(-1)
    """,
    NEXT_SOURCE,
)
NEXT_PYTEST = by_pytest(
    """
    import pytest

    import solution


    @pytest.fixture(scope="module", autouse=True)
    def first():
        return solution.f(0)


    @pytest.fixture(params=[41, 7])
    def x(request):
        yield request.param


    def test_first(first):
        assert first == 1


    @pytest.mark.parametrize(("given", "expected"), [(1, 2), (2, 3)])
    def test_one(given, expected):
        assert f(given) == expected


    class TestNext:
        def setup_method(self):
            self.given = 5

        def test_method(self):
            assert f(self.given) == pytest.approx(6)

        def test_fixture(self, x):
            assert solution.f(x) == x + 1


    def test_negative():
        with pytest.raises(ValueError, match="^negative$"):
            f(-1)
    """,
    NEXT_SOURCE,
)
STACK_UNITTEST = by_unittest(
    """
    import unittest

    from solution import *


    class Stack(unittest.TestCase):
        def setUp(self):
            self.stack = f([1, 2])

        def test_pop(self):
            self.assertEqual(self.stack.pop(), 2)
            self.assertEqual(self.stack.size(), 1)

        def test_push(self):
            self.assertIsNone(self.stack.push(5))
            self.assertEqual(self.stack.top(), 5)
            self.assertListEqual([self.stack.pop() for _ in range(3)], [5, 2, 1])

        def test_empty(self):
            stack = f([])
            self.assertEqual(stack.size(), 0)
            self.assertRaises(IndexError, stack.pop)

        def test_apart(self):
            self.stack.push(3)
            self.assertEqual(f([7]).size(), 1)

        def tearDown(self):
            self.assertGreaterEqual(self.stack.size(), 0)
    """,
    STACK.reference,
)
STACK_PYTEST = by_pytest(
    """
    import pytest

    from solution import f as Stack


    @pytest.fixture
    def stack():
        return Stack([1, 2])


    def test_pop(stack):
        assert stack.pop() == 2
        assert stack.size() == 1


    def test_push(stack):
        assert stack.push(5) is None
        assert [stack.top(), stack.size()] == [5, 3]


    @pytest.mark.parametrize("items", [[], [1]])
    def test_empty(items):
        stack = Stack(items)
        for item in items:
            assert stack.pop() == item
        with pytest.raises(IndexError):
            stack.pop()
    """,
    STACK.reference,
)
