"""Control runs: one expected value of the tests changed, so that a right program must fail there.

Where tests run in the candidate's own process, a pass alone says little: a program may patch what compares,
read what is expected, or be equal to everything. Such a program passes wrong tests as well. A control changes
one constant of what is expected (never of what the candidate is given, since a right program need not agree
with the reference there), or, where there is none, the sense of one assertion. It is a change of the text in
place, and looks like any test: whoever runs it cannot tell which value was changed, nor whether one was,
without knowing the right answer.

Which changes make controls is not decided here: the reference is run with each, and must fail.

Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import ast
import math
import random

from origins import RAISES, Origins, name_of

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from typing import Any

MOST_OF_SITE = 16
OPPOSITES = {
    "assertTrue": "assertFalse",
    "assertEqual": "assertNotEqual",
    "assertIn": "assertNotIn",
    "assertIs": "assertIsNot",
    "assertIsNone": "assertIsNotNone",
    "assertIsInstance": "assertNotIsInstance",
    "assertAlmostEqual": "assertNotAlmostEqual",
    "assertRegex": "assertNotRegex",
    "assertGreater": "assertLessEqual",
    "assertGreaterEqual": "assertLess",
    "assert_called": "assert_not_called",
}
OPPOSITES.update({opposite: name for name, opposite in OPPOSITES.items()})
OPPOSITES["assert_called_once"] = "assert_not_called"
EXCEPTIONS = ("ValueError", "KeyError", "ZeroDivisionError", "TypeError", "IndexError", "StopIteration")


def edits(parts: list[str], entry: str, function: str | None, modules: tuple[str, ...] = ()) -> list[list[Any]]:
    """Changes of the tests that could be controls, in the order of their places.

    Args:
        parts: Source texts of the tests.
        entry: Name of the entry point.
        function: Name of the function that is given the entry point, where there is one.
        modules: Names under which tests import the program.

    Returns:
        `[part, start, end, text]` each: in the source `part`, the characters from `start` to `end` become `text`.
    """
    found = []
    for number, part in enumerate(parts):
        finder = Finder(part, {entry, *modules}, function)
        found += [[number, *edit] for edit in finder.edits()]
    return found


def apply(parts: list[str], edit: list[Any]) -> list[str]:
    """The source texts with one change made."""
    number, start, end, text = edit
    part = parts[number]
    return [*parts[:number], part[:start] + text + part[end:], *parts[number + 1 :]]


class Finder:
    """The places of one source text.

    Args:
        source: A text of the tests.
        program: Names of the program.
        function: See `edits`.
    """

    def __init__(self, source: str, program: set[str], function: str | None) -> None:
        self.source = source
        self.origins = Origins(ast.parse(source), program, function)
        self.starts = [0]
        self.lines = source.splitlines(keepends=True)
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.random = random.Random(source)  # noqa: S311 - the same controls each time; nothing is kept secret by it

    def edits(self) -> list[tuple[int, int, str]]:
        """Changes of this text: `(start, end, text)`."""
        found: dict[tuple[int, int], str] = {}
        for node in self.origins.nodes:
            if isinstance(node, ast.Assert):
                here = self.of_site(node.test) or [(*self.span(node.test), f"not ({self.text(node.test)})")]
            elif isinstance(node, ast.Call) and is_assertion(node):
                here = self.of_site(node) or self.opposite(node)
            else:
                continue
            if len(here) > MOST_OF_SITE:
                here = sorted(self.random.sample(here, MOST_OF_SITE))
            for start, end, text in here:
                found.setdefault((start, end), text)
        return [(*place, text) for place, text in sorted(found.items())]

    # ---- one assertion

    def of_site(self, node: ast.expr) -> list[tuple[int, int, str]]:
        """Changes of what an assertion expects."""
        found = []
        if isinstance(node, ast.Call) and name_of(node) in RAISES and node.args:
            former = self.text(node.args[0])
            other = self.random.choice([name for name in EXCEPTIONS if name not in former])
            found.append((*self.span(node.args[0]), other))
        for part in self.origins.expected(node):
            for constant in self.origins.constants(part):
                text = self.changed(constant)
                if text is not None and text != self.text(constant):
                    found.append((*self.span(constant), text))
        return found

    def opposite(self, node: ast.Call) -> list[tuple[int, int, str]]:
        """The opposite of a method that asserts, where it has one."""
        name = name_of(node)
        if name not in OPPOSITES or not isinstance(node.func, ast.Attribute):
            return []
        end = self.span(node.func)[1]
        return [(end - len(name), end, OPPOSITES[name])]

    def changed(self, node: ast.expr) -> str | None:
        """Another value in the place of a constant: near, of the same type, as plausible as the first."""
        if not isinstance(node, ast.Constant):
            return {ast.List: "[0]", ast.Dict: "{0: 0}", ast.Tuple: "(0,)"}.get(type(node), "{0}")
        value = node.value
        if value is None or isinstance(value, bool):
            return "0" if value is None else str(not value)
        if isinstance(value, (int, float)):
            return repr(self.number_like(value))
        if isinstance(value, str):
            return repr(self.text_like(value))
        if isinstance(value, bytes):
            return repr(bytes([value[0] ^ 1]) + value[1:] if value else b"a")
        return None

    def number_like(self, value: float) -> float:
        """A number that is near, of the same type; signs stand before numbers and are none of theirs."""
        if isinstance(value, int):
            return value + self.random.choice((-2, -1, 1, 2)) if value > 1 else value + 1
        if not math.isfinite(value):
            return 1.5
        moved = abs(round(value + self.random.choice((-1.0, 1.0, 2.0)) * max(1.0, value // 8), 6))
        return moved if moved != value else value + 0.5

    def text_like(self, value: str) -> str:
        """A text that differs in one character, by one of its kind."""
        places = [i for i, c in enumerate(value) if c.isalnum()] or list(range(len(value)))
        if not places:
            return self.random.choice("aeno")
        place = self.random.choice(places)
        kinds = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        kind = next((kind for kind in kinds if value[place] in kind), kinds[1])
        other = self.random.choice([c for c in kind if c != value[place]])
        return value[:place] + other + value[place + 1 :]

    # ---- places in the text

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where an expression stands, in characters."""
        return (
            self.place(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self.place(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def place(self, line: int, column: int) -> int:
        """A place in characters, of one in a line's bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def text(self, node: ast.AST) -> str:
        """The text of an expression."""
        start, end = self.span(node)
        return self.source[start:end]


def is_assertion(call: ast.Call) -> bool:
    """Whether a call asserts, by its name."""
    name = name_of(call)
    return name.startswith("assert") or (name == "raises" and bool(call.args))
