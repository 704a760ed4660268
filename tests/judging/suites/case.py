"""What a case of the suites is, and the sets of outcomes that the cases expect."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from codejury.model import Inputs, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

Outcomes = frozenset[Outcome]

PASSED: Outcomes = frozenset({Outcome.PASSED})
WRONG: Outcomes = frozenset({Outcome.WRONG_ANSWER})
REJECTED: Outcomes = frozenset({Outcome.REJECTED_VALUE})
RAISED: Outcomes = frozenset({Outcome.EXCEPTION})
ENDED: Outcomes = frozenset({Outcome.EARLY_EXIT})
CRASHED: Outcomes = frozenset({Outcome.CRASHED})
SLOW: Outcomes = frozenset({Outcome.TIMEOUT_CPU, Outcome.TIMEOUT_WALL})
SYNTAX: Outcomes = frozenset({Outcome.SYNTAX_ERROR})
NO_FUNCTION: Outcomes = frozenset({Outcome.EXCEPTION, Outcome.NO_CODE})

FAILS: Outcomes = frozenset(
    {
        Outcome.WRONG_ANSWER,
        Outcome.EXCEPTION,
        Outcome.REJECTED_VALUE,
        Outcome.CRASHED,
        Outcome.TIMEOUT_CPU,
        Outcome.TIMEOUT_WALL,
        Outcome.OUT_OF_MEMORY,
        Outcome.OUTPUT_LIMIT,
        Outcome.PROCESS_LIMIT,
        Outcome.EARLY_EXIT,
        Outcome.TAMPERED,
    }
)
"""Whatever counts against the candidate at run time. Never `infra_error`: that would leave the denominator."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One program, the tests that judge it, and the outcomes that are right for it.

    Attributes:
        name: Unique in all suites.
        point: A number "1" to "13" of "Where the prototype was still wrong", or a class: "answer",
            "equal", "exit", "patch", "forge", "leak", "escape", "resource", "leftover".
        program: The whole program; its entry point is `f`.
        tests: Source that defines `check(candidate)`; empty where the tests are `inputs`.
        reference: A whole program that is a right answer to the same tests.
        expect: The outcomes that are right.
        note: Why the case is here, where its name does not say it.
        needs: What the case is about, where not every tier has it: "namespaces" for a property that only they
            give, "files" for a folder to write to.
        landlock: The outcomes that are right in the tier "landlock", where they are others.
        inputs: Tests that are calls, in the place of a check function.
    """

    name: str
    point: str
    program: str
    tests: str
    reference: str
    expect: Outcomes
    note: str = ""
    needs: str = ""
    landlock: Outcomes | None = None
    inputs: Inputs | None = None


@dataclass(frozen=True)
class Task:
    """Tests and a reference that several cases share.

    Attributes:
        tests: Source that defines `check(candidate)`; empty where the tests are `inputs`.
        reference: A right answer to them.
        inputs: Tests that are calls.
    """

    tests: str
    reference: str
    inputs: Inputs | None = None

    def case(
        self, name: str, point: str, program: str, expect: Outcomes, note: str = "", *, prelude: str = ""
    ) -> Case:
        """A case of this task.

        Args:
            name: Unique in all suites.
            point: See `Case.point`.
            program: Program text, indented as it stands in its suite.
            expect: The outcomes that are right.
            note: Why the case is here.
            prelude: Source before the program.
        """
        return Case(
            name=name,
            point=point,
            program=prelude + source(program),
            tests=self.tests,
            reference=self.reference,
            expect=expect,
            note=note,
            inputs=self.inputs,
        )


def source(block: str) -> str:
    """Program text without the indentation and the first line end that it has inside a suite."""
    return textwrap.dedent(block).removeprefix("\n")


def task(tests: str, reference: str) -> Task:
    """A task from indented blocks of source."""
    return Task(source(tests), source(reference))


def calls(reference: str, *base: tuple[Any, ...], plus: Iterable[tuple[Any, ...]] = (), **fields: Any) -> Task:
    """A task of calls.

    Args:
        reference: A right answer, indented as it stands in its suite.
        base: Arguments of each call.
        plus: The same of further calls.
        fields: Further fields of `Inputs`; outputs are the reference's unless they are given here.
    """
    return Task("", source(reference), Inputs(base=base, plus=tuple(plus), **fields))


_NAMES = source(
    """
    import datetime
    import math
    from decimal import Decimal
    from fractions import Fraction
    from math import inf

    """
)


def answers(calls: Iterable[tuple[str, str, str, str]]) -> tuple[Case, ...]:
    """Honest cases of one call each.

    Args:
        calls: Name, source of the arguments, source of the expected value, program, which is its own reference.
    """
    return tuple(
        Task(
            f"{_NAMES}def check(candidate):\n    got, wanted = candidate({arguments}), {expected}\n"
            "    assert got == wanted\n    assert type(got) is type(wanted)\n",
            source(program),
        ).case(f"library-{name}", "13", program, PASSED)
        for name, arguments, expected, program in calls
    )
