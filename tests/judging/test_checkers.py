"""What the checkers take for the expected output, each with its counterexamples."""

from __future__ import annotations

import importlib
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    import random

checkers: Any = importlib.import_module("checkers")

TEXTS = st.text(st.sampled_from("ab1. \t\n\r\f\v\x1c\x85\xa0\u2028é"), max_size=12)
FRACTIONS = st.decimals(-1000, 1000, places=4).map(str)


def right(kind: str, expected: str, output: str, **rules: Any) -> bool:
    """Whether a checker takes an output."""
    return not checkers.checker({"kind": kind, **rules})("", expected, output)


@pytest.mark.parametrize(
    ("expected", "output", "equal"),
    [
        ("3\n", "3", True),
        ("3", "3\n", True),
        ("", "\n", True),
        ("3\n", "3\n\n", False),
        ("3\n\n", "3\n", False),
        ("3", "3\r\n", False),
        ("3", "3 ", False),
        ("3", " 3", False),
        ("a\nb", "a\r\nb", False),
        ("a\nb", "a\x85b", False),
        ("é", "e\u0301", False),
        ("3", "\ufeff3", False),
        ("3", "", False),
        ("", "3", False),
    ],
)
def test_exact(expected: str, output: str, equal: bool) -> None:  # noqa: FBT001 - a row of the table
    """Every character counts, but for one line end at the end of either."""
    assert equal is right("exact", expected, output)


@given(TEXTS, TEXTS)
def test_exact_is_equality(expected: str, output: str) -> None:
    """The one line end apart."""
    equal = expected in (output, output + "\n") or expected + "\n" == output
    assert equal is right("exact", expected, output)


@pytest.mark.parametrize(
    ("expected", "output", "equal"),
    [
        ("1 2\n3", "1\n2 3\r\n", True),
        ("1 2", "\f1\v\t2", True),
        ("", " \n", True),
        ("1 2", "12", False),
        ("1 2", "1 2 3", False),
        ("1 2", "1", False),
        ("1 2", "2 1", False),
        ("1 2", "1\xa02", False),
        ("1 2", "1\x852", False),
        ("1 2", "1\x1c2", False),
        ("1 2", "1\u20282", False),
        ("1 2", "1\u30002", False),
        ("1", "1\u200b", False),
        ("1", "\u0661", False),
        ("1", "1.0", False),
        ("a", "A", False),
        ("a\x85b", "a\x85b", True),
    ],
)
def test_tokens(expected: str, output: str, equal: bool) -> None:  # noqa: FBT001 - a row of the table
    """ASCII white space separates words, and nothing else does."""
    assert equal is right("tokens", expected, output)


@given(TEXTS, TEXTS)
def test_tokens_are_those_of_ascii(expected: str, output: str) -> None:
    """By a split of our own."""

    def words(text: str) -> list[str]:
        for space in "\t\n\v\f\r":
            text = text.replace(space, " ")
        return [word for word in text.split(" ") if word]

    assert (words(expected) == words(output)) is right("tokens", expected, output)


@pytest.mark.parametrize(
    ("expected", "output", "equal"),
    [
        ("0.5", "0.5", True),
        ("0.5", ".5", True),
        ("0.5", "+0.50000", True),
        ("0.5", "5e-1", True),
        ("0.5", "0.5000001", True),
        ("0.0", "-0.0", True),
        ("0.0", "0", True),
        ("2.0", "2", True),
        ("2.", "2", True),
        ("1e-07", "0.0000001", True),
        ("1e+16", "10000000000000000", True),
        ("x 0.5", "x .5", True),
        ("inf", "inf", True),
        ("nan", "nan", True),
        ("0.5", "0.51", False),
        ("0.5", "nan", False),
        ("0.5", "inf", False),
        ("0.5", "-Infinity", False),
        ("0.5", "1e400", False),
        ("0.5", "1e9999", False),
        ("0.5", "1e999999999999", False),
        ("0.5", "1e-999999999999", False),
        ("0.5", "\u0660.\u0665", False),
        ("0.5", "\uff10.\uff15", False),
        ("0.5", "0,5", False),
        ("0.5", "1/2", False),
        ("0.5", "0x1p-1", False),
        ("0.5", "0_0.5", False),
        ("0.5", "0.5e", False),
        ("0.5", "0.5.", False),
        ("0.5", "0.5\x00", False),
        ("0.5", "--0.5", False),
        ("0.5", "", False),
        ("0.5", "0.5 0.5", False),
        ("", "3.7", False),
        ("2", "2.0", False),
        ("2", "2.0000001", False),
        ("2", "2e0", False),
        ("12e7", "120e6", False),  # a word that looks like a number
        ("nan", "NaN", False),
        ("inf", "1e9999", False),
        ("\u0660.\u0665", "0.5", False),
        ("1.5 2.5", "2.5 1.5", False),
    ],
)
def test_decimal(expected: str, output: str, equal: bool) -> None:  # noqa: FBT001 - a row of the table
    """An ASCII number that is near enough, where a decimal fraction is expected; else the same word."""
    assert equal is right("decimal", expected, output, rel_tol=1e-6, abs_tol=1e-9)


@given(FRACTIONS, FRACTIONS, st.sampled_from([0.0, 0.25, 1.0]), st.sampled_from([0.0, 0.0625, 2.0]))
def test_decimal_is_exact(expected: str, output: str, rel_tol: float, abs_tol: float) -> None:
    """By fractions, on which nothing is rounded; without tolerances, equal numbers are equal."""
    wanted, got = Fraction(expected), Fraction(output)
    near = abs(got - wanted) <= Fraction(abs_tol) + Fraction(rel_tol) * abs(wanted)
    equal = expected == output or (near if "." in expected else False)
    assert equal is right("decimal", expected, output, rel_tol=rel_tol, abs_tol=abs_tol)


def test_decimal_takes_a_tolerance_at_its_word() -> None:
    """0.1 is a tenth, not the float nearest to it."""
    assert right("decimal", "1.0", "1.1", abs_tol=0.1)
    assert not right("decimal", "1.0", "1.1000000000000000001", abs_tol=0.1)
    assert right("decimal", "0.10", "0.1")


def test_decimal_is_quick_with_hostile_words() -> None:
    """Words of a million digits are compared as words, and no pattern looks at them twice."""
    long = "9" * 1_000_000
    for output in (long, "0." + long, long + "e", "1e" + long, "." * 1_000_000):
        assert not right("decimal", "0.5", output, rel_tol=1e-6)
    assert not right("decimal", "0.5", "9" * 9_999 + "x", rel_tol=1e-6)


@pytest.mark.parametrize(
    ("expected", "output", "equal"),
    [
        ("a\nb\n", "b\na", True),
        ("a\n\nb", "\nb\na", True),
        ("a\nb\n", "b\na\n", True),
        ("a\nb", "a\nb\nb", False),
        ("a\na\nb", "a\nb\nb", False),
        ("a\nb", "a b", False),
        ("a\nb", "a\r\nb", False),
        ("a\nb", "a\fb", False),
        ("a\nb", "a\x85b", False),
        ("a\nb", "a \nb", False),
        ("a\nb", "a\nb\n\n", False),
        ("a", "", False),
    ],
)
def test_unordered_lines(expected: str, output: str, equal: bool) -> None:  # noqa: FBT001 - a row of the table
    """The same lines, each as often; a line ends at LF alone."""
    assert equal is right("unordered_lines", expected, output)


@given(st.lists(st.sampled_from(["a", "b", "", "c\r"]), min_size=1, max_size=6), st.randoms())
def test_unordered_lines_in_any_order(lines: list[str], chance: random.Random) -> None:
    """However they are shuffled; one line more or less is another output."""
    expected = "".join(line + "\n" for line in lines)
    chance.shuffle(lines)
    assert right("unordered_lines", expected, "".join(line + "\n" for line in lines))
    assert not right("unordered_lines", expected, "".join(line + "\n" for line in [*lines, "a"]))


@pytest.mark.parametrize(
    ("kind", "expected", "output", "said"),
    [
        ("exact", "a\nb\n", "a\nc\n", "line 2: expected 'b', got 'c'"),
        ("exact", "a\n", "a\nb\nc\n", "3 lines, not 1: the first too much is 'b'"),
        ("tokens", "a b", "a", "1 words, not 2"),
        ("tokens", "x" * 200, "y", f"word 1: expected '{'x' * 100}…', got 'y'"),
        ("decimal", "0.5 0.25", ".5 0.3", "word 2: expected '0.25', got '0.3'"),
        ("unordered_lines", "a\nb", "b\nb", "a line is missing: 'a'"),
        ("unordered_lines", "a", "a\nb", "a line too much: 'b'"),
    ],
)
def test_what_is_wrong_is_said(kind: str, expected: str, output: str, said: str) -> None:
    """In a line, with the first difference."""
    assert said == checkers.checker({"kind": kind})("", expected, output)


# ---- a problem's own checker


def custom(code: str) -> Any:
    """A checker of one's own."""
    return checkers.checker({"kind": "custom", "code": code})


def test_custom_gets_texts() -> None:
    """Input, expected and output; what it says is what counts."""
    check = custom(
        "def check(stdin, expected, output):\n    return (stdin, expected, output) == ('a', 'b', 'c')\n"
    )
    assert "" == check("a", "b", "c")
    assert "the checker refuses 'd'" == check("a", "b", "d")


@pytest.mark.parametrize("answer", ["1", "'yes'", "None", "[True]", "check"])
def test_custom_must_give_a_bool(answer: str) -> None:
    """What is merely true passes nobody: a missing return and a coroutine are faults of the problem."""
    with pytest.raises(checkers.NoAnswer, match="not a bool"):
        custom(f"def check(stdin, expected, output):\n    return {answer}\n")("", "", "")


def test_custom_may_not_be_async() -> None:
    """Nobody awaits what it gives."""
    check = custom("def check(stdin, expected, output):\n    yield True\n")
    with pytest.raises(checkers.NoAnswer, match="generator"):
        check("", "", "")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def chek(*a): return True", "defines no function 'check'"),
        ("check = 5", "defines no function 'check'"),
        ("import no_such_module", "its checker does not run: ModuleNotFoundError"),
        ("def check(", "its checker does not run: SyntaxError"),
    ],
)
def test_custom_that_cannot_be_used(code: str, said: str) -> None:
    """That is the problem's fault, found before any program runs."""
    with pytest.raises(ValueError, match=said):
        custom(code)
