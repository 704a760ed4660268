"""Problems that run a whole program, with their checkers, and what a case of them is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codejury.model import Checker, StdinCase, StdinStdout

from .case import source

if TYPE_CHECKING:
    from .case import Outcomes

LARGE = 1 << 18
"""Characters that no pipe holds at once."""


@dataclass(frozen=True, kw_only=True)
class ScriptCase:
    """One program that is run as a whole, and the outcomes that are right for it.

    Attributes:
        name: Unique in all suites.
        point: See `Case.point`; "14" is of the checkers.
        program: The whole program.
        tests: Runs and checker.
        reference: A whole program that is a right answer.
        expect: The outcomes that are right.
        needs: What the case is about, where tier "landlock" has it not: "files" or "processes".
    """

    name: str
    point: str
    program: str
    tests: StdinStdout
    reference: str
    expect: Outcomes
    needs: str = ""


@dataclass(frozen=True)
class ScriptTask:
    """Tests and a reference that several cases share."""

    tests: StdinStdout
    reference: str

    def case(self, name: str, point: str, program: str, expect: Outcomes, needs: str = "") -> ScriptCase:
        """A case of this task; the program may be indented as it stands in its suite."""
        return ScriptCase(
            name=f"script-{name}",
            point=point,
            program=source(program),
            tests=self.tests,
            reference=self.reference,
            expect=expect,
            needs=needs,
        )


def task(reference: str, *cases: tuple[str, str], checker: Checker | None = None) -> ScriptTask:
    """A task of inputs with outputs; words are compared where no checker is given."""
    runs = tuple(StdinCase(stdin=given, stdout=expected) for given, expected in cases)
    return ScriptTask(StdinStdout(cases=runs, checker=checker or Checker()), source(reference))


EXACT = Checker(kind="exact")
NEAR = Checker(kind="decimal", rel_tol=1e-6, abs_tol=1e-9)
ANY_ORDER = Checker(kind="unordered_lines")
SPLIT = Checker(
    kind="custom",
    code=source(
        """
        def check(stdin, expected, output):
            words = output.split(" ")
            if len(words) != 2 or not all(word.strip().isascii() and word.strip().isdigit() for word in words):
                return False
            first, second = map(int, words)
            return first > 0 and second > 0 and first + second == int(stdin)
        """
    ),
)

_ADD = "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n"
ADD = task(_ADD, ("1 2\n", "3\n"), ("-5\n7\n40\n", "42\n"), ("100", "100"))
"""The sum of all numbers."""

ADD_EXACTLY = task(_ADD, ("1 2\n", "3\n"), ("40 2\n", "42"), checker=EXACT)
ADD_MANY = task(_ADD, ("1 " * (LARGE // 2) + "\n", f"{LARGE // 2}\n"), ("2\n", "2\n"))

UPPER = task(
    "import sys\nfor line in sys.stdin:\n    print(line.rstrip('\\n').upper())\n",
    ("ab\ncd\n", "AB\nCD\n"),
    ("één\n", "ÉÉN\n"),
    ("x", "X\n"),
    checker=EXACT,
)
"""Each line in capitals."""

UPPER_LONG = task(UPPER.reference, ("abc\n" * (LARGE // 4), "ABC\n" * (LARGE // 4)), checker=EXACT)

HALF = task(
    "print(int(input()) / 2)\n",
    ("1\n", "0.5\n"),
    ("4\n", "2.0\n"),
    ("-3\n", "-1.5\n"),
    ("2000000\n", "1000000.0\n"),
    ("0\n", "0.0\n"),
    checker=NEAR,
)
"""Half of a number, as a decimal fraction."""

TINY = task("print(int(input()) / 10**7)\n", ("1\n", "1e-07\n"), ("20000000\n", "2.0\n"), checker=NEAR)
COUNT = task("print(int(input()) + 1)\n", ("1\n", "2\n"), ("9\n", "10\n"), checker=NEAR)
"""An integer, before the checker of decimal fractions."""

DIVISORS = task(
    "n = int(input())\nfor i in range(1, n + 1):\n    if n % i == 0:\n        print(i)\n",
    ("6\n", "1\n2\n3\n6\n"),
    ("1\n", "1\n"),
    checker=ANY_ORDER,
)
SUMMANDS = task("print(1, int(input()) - 1)\n", ("7\n", "1 6\n"), ("2\n", "1 1\n"), checker=SPLIT)
"""Two positive numbers with a given sum."""

SECRET = "kestrel-9041"  # noqa: S105 - a word to look for
GUESS = task(f"print('{SECRET}')\n", ("", f"{SECRET}\n"))
"""A word that only the judge knows."""

SILENT = task("n = int(input())\nif n:\n    print(n)\n", ("0\n", ""), ("5\n", "5\n"))
"""Nothing is the right output of the first run."""

DEPTH = task("print(int(input()))\n", ("900\n", "900\n"), ("950\n", "950\n"))
