"""Counting the calls that assert, in modules of unittest's and pytest's tests."""

from __future__ import annotations

import importlib
import textwrap
from typing import Any

import pytest


@pytest.fixture(scope="module")
def instrument() -> Any:
    """The loose file of the judge's side."""
    return importlib.import_module("instrument")


class Counted:
    """Stands in for the frameworks: every call is noted, and so is every assertion that held."""

    def __init__(self) -> None:
        self.lines: list[int] = []

    def ok(self, line: int) -> None:
        """An assertion held."""
        self.lines.append(line)


class Raises:
    """A block that expects an exception, as the frameworks have it."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        if kind is None:
            raise AssertionError
        return True


class Case:
    """Some of unittest's methods."""

    def assertEqual(self, one: object, other: object) -> str:  # noqa: N802 - unittest's name
        """Whether two values are equal."""
        if one != other:
            raise AssertionError
        return "given back"

    def assertRaises(self, _kind: object, *called: Any) -> Raises | None:  # noqa: N802 - unittest's name
        """A block, or a call that raises."""
        if not called:
            return Raises()
        with Raises():
            called[0](*called[1:])
        return None


def lines_of(instrument: Any, source: str, *, every: bool = False) -> list[int]:
    """The lines of the assertions that held, in order; an AssertionError ends the tests."""
    counted = Counted()
    code = instrument.examine("", [textwrap.dedent(source).strip("\n")], "f", every, "solution")[0][1][0]
    names = {instrument.HOOK: counted, "self": Case(), "raises": lambda *_: Raises(), "found": []}
    try:
        exec(code, names)
    except AssertionError:
        counted.lines.append(-1)
    return counted.lines


@pytest.mark.parametrize("every", [False, True])
def test_statements_and_methods_count_once(instrument: Any, every: bool) -> None:  # noqa: FBT001 - a parameter
    """Plain assertions, methods that assert, and functions whose name begins so."""
    source = """
        assert 1
        self.assertEqual(1, 1)
        self.assertEqual(
            2, 2,
        )
        def assert_near(x):
            return x
        assert_near(1)
        self.assertEqual(1, 2)
        assert 1
    """
    assert [1, 2, 3, 8, -1] == lines_of(instrument, source, every=every)


def test_values_are_given_back(instrument: Any) -> None:
    """A call that asserts may be part of an expression, and a loop counts each time."""
    source = """
        assert self.assertEqual(1, 1) == "given back"
        [self.assertEqual(x, x) for x in range(3)]
        check = lambda x: self.assertEqual(x, x)
        check(1)
    """
    assert [1, 1, 2, 2, 2, 3] == lines_of(instrument, source)


def test_blocks_count_when_they_are_over(instrument: Any) -> None:
    """One whose exception came; what stands in it after that is not reached."""
    source = """
        with self.assertRaises(ValueError):
            raise ValueError
        with self.assertRaises(ValueError) as caught:
            with raises(KeyError):
                assert 1
                {}[0]
                assert 1
            int("x")
        with raises(ValueError):
            pass
        assert 1
    """
    assert [1, 5, 4, 3, -1] == lines_of(instrument, source)


def test_calls_that_raise_count_where_no_block_follows(instrument: Any) -> None:
    """With a function to call it asserts itself; without one it only makes a block."""
    source = """
        self.assertRaises(ValueError, int, "x")
        block = self.assertRaises(ValueError)
        with block:
            int("x")
    """
    assert [1] == lines_of(instrument, source)


def test_other_kinds_count_statements_alone(instrument: Any) -> None:
    """A check function may name its helpers as it likes."""
    counted = Counted()
    code = instrument.examine("", ["self.assertEqual(1, 1)\nassert 1\n"], "f", False, None)[0][1][0]
    exec(code, {instrument.HOOK: counted, "self": Case()})
    assert [2] == counted.lines


@pytest.mark.parametrize(
    ("source", "acting"),
    [
        ("import unittest\nfrom unittest import mock\nimport unittest.mock\n", None),
        ("import pytest\nfrom solution import f\nimport solution\nfrom solution import *\n", None),
        ("from solution.more import f\n", "solution.more"),
        ("import other\n", "other"),
        ("import pytest\nnp = pytest.importorskip('numpy')\n", "importorskip"),
        ("import os\n", "os"),
    ],
)
def test_frameworks_and_the_program_may_be_imported(instrument: Any, source: str, acting: str | None) -> None:
    """Neither lets a value act; other modules do as before. No process repeats a run of such tests."""
    _, found, lasting = instrument.examine("", [source], "f", False, "solution")
    assert (acting, False) == (found, lasting)
