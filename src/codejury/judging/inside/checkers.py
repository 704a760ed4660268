"""Whether what a program wrote is the expected output. Standard library alone; from Python 3.9 on.

Both are plain text here: bytes that are not UTF-8 were refused before. Lines end at LF alone, words at ASCII white
space alone, numbers are of ASCII digits: what else Unicode has for them is neither.
"""

from __future__ import annotations

import re
from collections import Counter

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SHOWN = 100
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)
FRACTION = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE][+-]))(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)
"""A number with a point, or with an exponent that has a sign, as programs write very large and very small ones."""

MOST_DIGITS = 10_000
"""A longer number is compared as a word."""


def checker(rules: dict[str, Any]) -> Callable[[str, str, str], str]:
    """The function that says what is wrong with an output, given input, expected and output; empty for nothing.

    Args:
        rules: "kind" and, as the kind needs them, "rel_tol", "abs_tol", "code".

    Raises:
        ValueError: The code of a custom checker does not run, or defines no `check`.
    """
    kind = rules["kind"]
    if kind == "custom":
        return custom(rules["code"])
    if kind == "decimal":
        near = Near(rules.get("rel_tol", 0.0), rules.get("abs_tol", 0.0))
        return lambda _given, expected, output: words(expected, output, near.equal)
    plain = {"exact": exact, "tokens": words, "unordered_lines": unordered_lines}[kind]
    return lambda _given, expected, output: plain(expected, output)


def exact(expected: str, output: str) -> str:
    """The same characters, but for one line end at the end of either."""
    expected, output = expected.removesuffix("\n"), output.removesuffix("\n")
    return "" if expected == output else first_difference(expected.split("\n"), output.split("\n"), "line")


def words(expected: str, output: str, equal: Callable[[str, str], bool] | None = None) -> str:
    """The same words in the same order, separated by any ASCII white space."""
    wanted, got = expected.encode().split(), output.encode().split()  # bytes know no other white space
    if wanted == got:
        return ""
    wanted_texts, got_texts = [x.decode() for x in wanted], [x.decode() for x in got]
    if equal is not None and len(wanted) == len(got) and all(map(equal, wanted_texts, got_texts)):
        return ""
    return first_difference(wanted_texts, got_texts, "word", equal)


def unordered_lines(expected: str, output: str) -> str:
    """The same lines in any order, each as often; one line end at the end of either does not count."""
    wanted = Counter(expected.removesuffix("\n").split("\n"))
    got = Counter(output.removesuffix("\n").split("\n"))
    if wanted == got:
        return ""
    missing, more = wanted - got, got - wanted
    if not missing:
        return f"a line too much: {shown(next(iter(more)))}"
    return f"a line is missing: {shown(next(iter(missing)))}"


class Near:
    """Words that are equal, or are numbers that are near enough where a decimal fraction is expected.

    Args:
        rel_tol, abs_tol: A number may differ by `abs_tol + rel_tol * abs(expected)`.
    """

    def __init__(self, rel_tol: float, abs_tol: float) -> None:
        from decimal import Context, Decimal

        # no traps: what overflows is infinite, and infinite is not near
        self.context = Context(prec=60, Emax=10**6, Emin=-(10**6), traps=[])
        self.number = Decimal
        self.rel_tol, self.abs_tol = Decimal(repr(rel_tol)), Decimal(repr(abs_tol))

    def equal(self, expected: str, output: str) -> bool:
        """Whether a word is right."""
        if expected == output:
            return True
        if max(len(expected), len(output)) > MOST_DIGITS:
            return False
        if not FRACTION.fullmatch(expected) or not NUMBER.fullmatch(output):
            return False
        wanted, got, context = self.number(expected), self.number(output), self.context
        difference = context.abs(context.subtract(got, wanted))
        most = context.fma(self.rel_tol, context.abs(wanted), self.abs_tol)
        return bool(wanted == got or (difference.is_finite() and context.compare(difference, most) <= 0))


def custom(code: str) -> Callable[[str, str, str], str]:
    """A problem's own function `check(stdin, expected, output)`, which says whether an output is right."""
    namespace: dict[str, Any] = {"__name__": "__checker__"}
    try:
        exec(compile(code, "<checker>", "exec", dont_inherit=True, optimize=0), namespace)
    except Exception as error:
        raise ValueError(f"its checker does not run: {type(error).__name__}: {error}") from error
    check = namespace.get("check")
    if not callable(check):
        raise ValueError("its checker defines no function 'check'")  # noqa: TRY004 - the problem's value

    def ask(given: str, expected: str, output: str) -> str:
        right = check(given, expected, output)
        if type(right) is not bool:  # what a coroutine or a missing return gives must pass nobody
            raise NoAnswer(f"its checker gives a {type(right).__name__}, not a bool")
        return "" if right else f"the checker refuses {shown(output)}"

    return ask


class NoAnswer(BaseException):
    """A custom checker is at fault: it said neither yes nor no."""


def first_difference(
    expected: list[str], output: list[str], unit: str, equal: Callable[[str, str], bool] | None = None
) -> str:
    """Where two lists of texts begin to differ, in a line for people."""
    for place, (wanted, got) in enumerate(zip(expected, output), 1):  # noqa: B905 - `strict` is not in Python 3.9
        if wanted != got and not (equal is not None and equal(wanted, got)):
            return f"{unit} {place}: expected {shown(wanted)}, got {shown(got)}"
    if len(output) > len(expected):
        return f"{len(output)} {unit}s, not {len(expected)}: the first too much is {shown(output[len(expected)])}"
    return f"{len(output)} {unit}s, not {len(expected)}"


def shown(text: str) -> str:
    """The beginning of a text, in quotes."""
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")
