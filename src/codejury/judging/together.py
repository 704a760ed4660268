"""Tests in the program's own process: the host's part. A pass counts if all control runs fail where they must.

A control is a change of what the tests expect (`inside/controls.py`). Each is one run with a fresh process, so
that nothing of one run is known in another, and only one place is changed in each: a program that would tell a
control from the tests themselves must know the right answer there. The tests themselves are run again among the
controls, in an order that is drawn anew: neither luck nor the number of a run says which one it is.
"""

from __future__ import annotations

import builtins
import random
from typing import TYPE_CHECKING, TypeVar

import msgspec

from codejury.judging.records import Edit, Observation, Request
from codejury.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.judging.session import Slot

MOST_TRIED = 96
"""Changes that the reference is run with, to find the controls among them."""

MOST_CONTROLS = 16
"""Controls of a problem."""

LEAST_RUNS = 6
"""Control runs that a pass is held against; where a problem has fewer controls, they are run again."""

PLAIN_RUNS = 2
"""Further runs of the tests themselves among them."""

SLOW_S = 0.25
"""CPU seconds of a run from which on a problem has `FEW_CONTROLS`."""

FEW_CONTROLS = 4
FEW_TRIED = 24

_Item = TypeVar("_Item")

_FAILED = frozenset((Outcome.WRONG_ANSWER, Outcome.EXCEPTION))


class Control(msgspec.Struct, frozen=True, array_like=True):
    """A change of the tests that a right program fails.

    Attributes:
        edit: The change.
        passed: Assertions that hold before the one that fails.
        line: Of the one that fails.
    """

    edit: Edit
    passed: int
    line: int


async def find_controls(slot: Slot, request: Request) -> tuple[Control, ...]:
    """Controls of a problem: changes that its reference fails, each at another place where there are so many.

    Args:
        slot: Where the reference runs.
        request: The reference before its tests, in one process.
    """
    request = msgspec.structs.replace(request, scan=False)
    seen = await slot.observe(msgspec.structs.replace(request, controls=True))
    found: dict[tuple[int, int], list[Control]] = {}
    slow = seen.cpu_s > SLOW_S
    for edit in _spread(seen.controls, FEW_TRIED if slow else MOST_TRIED):
        changed = await slot.observe(msgspec.structs.replace(request, edit=edit))
        place = failure(changed)
        if place is not None and is_held(changed, edit):
            found.setdefault(place, []).append(Control(edit, *place))
    most = FEW_CONTROLS if slow else MOST_CONTROLS
    chosen = [controls[0] for _, controls in sorted(found.items())]
    others = [control for _, controls in sorted(found.items()) for control in controls[1:]]
    return (*_spread(chosen, most), *_spread(others, max(most - len(chosen), 0)))


class Refusal(msgspec.Struct, frozen=True):
    """Why a pass does not count.

    Attributes:
        outcome: Of the sample.
        detail: One line for people.
        seen: The run that shows it.
    """

    outcome: Outcome
    detail: str
    seen: Observation


async def controlled(slot: Slot, request: Request, controls: Sequence[Control]) -> Refusal | None:
    """Run a program that passed with each control, and without; None where each run ends as the reference's does.

    Args:
        slot: Where it runs.
        request: The program before its tests, in one process.
        controls: Of the problem; at least one.
    """
    request = msgspec.structs.replace(request, skip=())  # else alike: no run can tell whether it is a control
    turns = -(-LEAST_RUNS // len(controls))
    runs: list[Control | None] = [*(list(controls) * turns), *[None] * PLAIN_RUNS]
    random.SystemRandom().shuffle(runs)
    for control in runs:
        edit = control.edit if control is not None else None
        seen = await slot.observe(msgspec.structs.replace(request, edit=edit))
        if control is None:
            if seen.outcome is not Outcome.PASSED:
                return Refusal(seen.outcome or Outcome.WRONG_ANSWER, f"in another run: {seen.detail}", seen)
        elif failure(seen) != (control.passed, control.line):
            if seen.outcome is not None and seen.outcome not in (*_FAILED, Outcome.PASSED):
                return Refusal(seen.outcome, f"in a control run: {seen.detail}", seen)
            detail = f"a wrong value was expected in line {control.line}, and it did not fail there"
            return Refusal(Outcome.TAMPERED, detail, seen)
    return None


def failure(seen: Observation) -> tuple[int, int] | None:
    """Where a run failed: how many assertions held before, and the line; None where none failed."""
    if seen.outcome not in _FAILED:
        return None
    for passed, test in enumerate(seen.tests):
        if test is not None and test.outcome is not Outcome.PASSED:
            return passed, test.line
    return None


def is_held(seen: Observation, edit: Edit) -> bool:
    """Whether an assertion failed, or another exception is expected now; else the change itself raises."""
    return seen.outcome is Outcome.WRONG_ANSWER or hasattr(builtins, edit.text)


def _spread(items: Sequence[_Item], most: int) -> Sequence[_Item]:
    """At most so many of the items, evenly from first to last."""
    if len(items) <= most:
        return items
    return [items[i * len(items) // most] for i in range(most)]
