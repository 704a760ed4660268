"""Control runs: one expected value of the tests changed, so that a right program must fail there.

Where tests run in the candidate's own process, a pass alone says little: a program may patch what compares,
read what is expected, or be equal to everything. Such a program passes wrong tests as well. A control changes
what is expected in one place, never what the candidate is given, since a right program need not agree with the
reference there:

- a constant becomes another that is near, also in the assertion's message;
- a literal becomes another one of these tests, so that no look at it tells that it is changed;
- where there is no constant, the expected value becomes a tuple of it, and the assertion its contrary.

It is a change of the text in place: whoever runs it cannot tell which value was changed, nor whether one was,
without knowing the right answer.

Which changes make controls is not decided here: the reference is run with each, and must fail.

Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import ast
import math
import random
import re

from origins import RAISES, Origins, name_of

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST_OF_SITE = 16
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")  # other separators end no line of code
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
# In the place of a class that has others below it, or is the program's own and may be of any kind.
FOREIGN_EXCEPTIONS = ("BufferError", "StopAsyncIteration", "ChildProcessError", "UnicodeTranslateError")
CONTRARIES = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Lt: ("<", ">="),
    ast.LtE: ("<=", ">"),
    ast.Gt: (">", "<="),
    ast.GtE: (">=", "<"),
}


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
    finders = [Finder(part, {entry, *modules}, function) for part in parts]
    literals = sorted({text for finder in finders for text in finder.literals()})
    return [[number, *edit] for number, finder in enumerate(finders) for edit in finder.edits(literals)]


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
        self.lines = LINE.findall(source)
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.random = random.Random(source)  # noqa: S311 - the same controls each time; nothing is kept secret by it

    def sites(self) -> Iterator[tuple[ast.expr, ast.expr | None]]:
        """Assertions, and their messages."""
        for node in self.origins.nodes:
            if isinstance(node, ast.Assert):
                yield node.test, node.msg
            elif isinstance(node, ast.Call) and is_assertion(node):
                yield node, next((keyword.value for keyword in node.keywords if keyword.arg == "msg"), None)
            elif isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise):
                test = node.test
                if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.NotEq):
                    equal = ast.Compare(test.left, [ast.Eq()], test.comparators)
                    yield ast.copy_location(equal, test), None  # is what goes on behind it

    def literals(self) -> Iterator[str]:
        """Texts of what is expected, where it is a literal."""
        for site, _ in self.sites():
            for part in self.origins.expected(site):
                yield from (self.text(literal) for literal in self.origins.literals(part))

    def edits(self, literals: list[str]) -> list[tuple[int, int, str]]:
        """Changes of this text: `(start, end, text)`.

        Args:
            literals: Of all the tests.
        """
        found: set[tuple[int, int, str]] = set()
        for site, message in self.sites():
            here = self.of_site(site, message, literals) or [*self.wrapped(site), *self.contrary(site)]
            if len(here) > MOST_OF_SITE:
                here = self.random.sample(here, MOST_OF_SITE)
            found.update(here)
        return sorted(edit for edit in found if self.source[edit[0] : edit[1]] != edit[2])

    # ---- one assertion

    def of_site(self, site: ast.expr, message: ast.expr | None, literals: list[str]) -> list[tuple[int, int, str]]:
        """Changes of the constants that an assertion expects."""
        found = []
        if isinstance(site, ast.Call) and name_of(site) in RAISES and site.args:
            found.append((*self.span(site.args[0]), self.other_exception(self.text(site.args[0]))))
        for part in self.origins.expected(site):
            for constant in self.origins.constants(part):
                found += [self.told(constant, text, message) for text in self.changed(constant)]
            for literal in self.origins.literals(part):
                other = self.other_literal(literal, literals)
                if other is not None:
                    found.append(self.told(literal, other, message))
        return found

    def other_exception(self, former: str) -> str:
        """A class that what a right program raises is none of."""
        known = former in EXCEPTIONS
        return self.random.choice([x for x in (EXCEPTIONS if known else FOREIGN_EXCEPTIONS) if x not in former])

    def other_literal(self, literal: ast.expr, literals: list[str]) -> str | None:
        """Another literal of these tests with another value, of the same type if there is one."""
        value = ast.literal_eval(literal)
        others = [text for text in literals if ast.literal_eval(text) != value]
        alike = [text for text in others if type(ast.literal_eval(text)) is type(value)]
        return self.random.choice(alike or others) if others else None

    def told(self, node: ast.expr, text: str, message: ast.expr | None) -> tuple[int, int, str]:
        """The change of a value to `text`, and in the message that follows it."""
        start, end = self.span(node)
        if message is None or self.span(message)[0] < end:
            return start, end, text
        place, stop = self.span(message)
        former, new = (x[1:-1] if x[:1] in "'\"" else x for x in (self.text(node), text))
        said = (
            re.sub(rf"(?<!\w){re.escape(former)}(?!\w)", lambda _: new, self.source[place:stop]) if former else ""
        )
        return start, stop, text + self.source[end:place] + (said or self.source[place:stop])

    def wrapped(self, site: ast.expr) -> list[tuple[int, int, str]]:
        """What is expected as the one item of a tuple, or as a text that goes on."""
        called = {id(node.func) for node in ast.walk(site) if isinstance(node, ast.Call)}
        found = []
        for part in self.origins.expected(site, bounds=True):
            if isinstance(part, ast.expr) and part is not site and id(part) not in called:
                found.append((*self.span(part), f"({self.text(part)},)"))
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    found.append((*self.span(part), repr(part.value + part.value[-1:])))
        return found

    def contrary(self, site: ast.expr) -> list[tuple[int, int, str]]:
        """The contrary of an assertion, unless that is the same whoever is tested."""
        start, end = self.span(site)
        if not any(isinstance(node, ast.Name) for node in ast.walk(site)):
            return []
        if isinstance(site, ast.Call) and is_assertion(site):
            return self.opposite(site)
        if isinstance(site, ast.UnaryOp) and isinstance(site.op, ast.Not):
            return [(start, end, self.text(site.operand))]
        if isinstance(site, ast.Compare) and len(site.ops) == 1:
            sign, other = CONTRARIES[type(site.ops[0])]
            after, before = self.span(site.left)[1], self.span(site.comparators[0])[0]
            place = self.source.find(sign, after, before)
            return [(place, place + len(sign), other)] if place >= 0 else []
        return [(start, end, f"not ({self.text(site)})")]

    def opposite(self, node: ast.Call) -> list[tuple[int, int, str]]:
        """The opposite of a method that asserts, where it has one."""
        name = name_of(node)
        if name not in OPPOSITES or not isinstance(node.func, ast.Attribute):
            return []
        end = self.span(node.func)[1]
        return [(end - len(name), end, OPPOSITES[name])]

    def changed(self, node: ast.expr) -> list[str]:
        """Other values in the place of a constant: near, of the same type, as plausible as the first."""
        if not isinstance(node, ast.Constant):
            return [{ast.List: "[0]", ast.Dict: "{0: 0}", ast.Tuple: "(0,)"}.get(type(node), "{0}")]
        value = node.value
        if value is None or isinstance(value, bool):
            return ["0" if value is None else str(not value)]
        if isinstance(value, int):
            step = self.random.choice((1, 2))
            return [repr(value + step), repr(value - step)] if value > 1 else [repr(value + 1)]
        if isinstance(value, float):
            return [self.float_like(value)]
        if isinstance(value, bytes):
            return [repr(self.text_like(value.decode("latin-1")).encode("latin-1"))]
        return [repr(self.text_like(value))] if isinstance(value, str) else []

    def float_like(self, value: float) -> str:
        """A number with another first digit, and as many of them."""
        text = repr(value)
        if not math.isfinite(value) or not text[0].isdigit():
            return "1.5"
        return str((int(text[0]) + self.random.randint(0, 7)) % 9 + 1) + text[1:]

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
