"""The host's part where tests run in the program's own process: controls, and what a pass is held against."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.judging import judge, profile
from codejury.judging.records import Edit, Observation, Request
from codejury.judging.together import (
    FEW_CONTROLS,
    FEW_TRIED,
    LEAST_RUNS,
    MOST_CONTROLS,
    MOST_TRIED,
    PLAIN_RUNS,
    Control,
    controlled,
    failure,
    find_controls,
)
from codejury.model import Assertions, Limits, Outcome, Problem
from codejury.model import TestResult as Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from codejury.judging import Profile, Slot

PASSED, WRONG, RAISED = Outcome.PASSED, Outcome.WRONG_ANSWER, Outcome.EXCEPTION
LIMITS = Limits(cpu_s=1.0, cpu_total_s=6.0)
REQUEST = Request(source="", entry_point="f", tests=Assertions(code=()), limits=LIMITS, together=True, scan=True)


def edits(count: int) -> tuple[Edit, ...]:
    """So many changes, each of a text of its own."""
    return tuple(Edit(i, 0, 1, "2") for i in range(count))


def shows(outcome: Outcome | None, *tests: Outcome | None, **facts: Any) -> Observation:
    """What a session shows."""
    found: list[Result | None] = [None if o is None else Result(i + 1, o, 0.0) for i, o in enumerate(tests)]
    return Observation(outcome=outcome, detail="why", tests=found, **facts)


def fails_at(place: int, outcome: Outcome = WRONG) -> Observation:
    """A run in which so many assertions held before one that failed."""
    return shows(outcome, *[PASSED] * place, outcome)


class MadeUp:
    """A slot whose sessions show what a function says."""

    def __init__(self, answer: Callable[[Request], Observation]) -> None:
        self.answer = answer
        self.requests: list[Request] = []

    async def observe(self, request: Request) -> Observation:
        """One session."""
        self.requests.append(request)
        return self.answer(request)


def honest(request: Request, *, changes: int = 3, **facts: Any) -> Observation:
    """A right program: it fails where the tests are changed."""
    if request.controls:
        return shows(PASSED, PASSED, controls=edits(changes), **facts)
    return fails_at(request.edit.part) if request.edit is not None else shows(PASSED, PASSED)


@pytest.mark.parametrize(
    ("seen", "place"),
    [
        (shows(PASSED, PASSED, PASSED), None),
        (fails_at(0), (0, 1)),
        (fails_at(2), (2, 3)),
        (fails_at(1, RAISED), (1, 2)),
        (shows(WRONG, PASSED, WRONG, PASSED, WRONG), (1, 2)),
        (shows(WRONG), None),
        (shows(WRONG, None, PASSED), None),
        (shows(Outcome.TIMEOUT_CPU, PASSED, Outcome.TIMEOUT_CPU), None),
        (shows(Outcome.TAMPERED, WRONG), None),
        (shows(None, WRONG), None),
    ],
)
def test_failure(seen: Observation, place: tuple[int, int] | None) -> None:
    """The first assertion that failed, and how many held before it."""
    assert place == failure(seen)


async def test_controls_are_changes_that_the_reference_fails() -> None:
    """Each change on which an assertion fails, with its place; no others."""

    def reference(request: Request) -> Observation:
        if request.edit is not None and request.edit.part == 1:
            return shows(PASSED, PASSED)
        return honest(request)

    slot: Any = MadeUp(reference)
    assert (Control(edits(1)[0], 0, 1), Control(edits(3)[2], 2, 3)) == await find_controls(slot, REQUEST)
    assert [True, False, False, False] == [request.controls for request in slot.requests]
    assert not any(request.scan for request in slot.requests)


@pytest.mark.parametrize(
    ("text", "outcome", "found"),
    [("2", WRONG, 1), ("2", RAISED, 0), ("(x,)", RAISED, 0), ("KeyError", RAISED, 1), ("KeyError", WRONG, 1)],
)
async def test_change_that_raises_itself_is_no_control(text: str, outcome: Outcome, found: int) -> None:
    """A change on which everybody fails says nothing, unless another exception is expected."""
    edit = Edit(0, 0, 1, text)
    slot: Any = MadeUp(
        lambda request: shows(PASSED, controls=(edit,)) if request.controls else fails_at(0, outcome)
    )
    assert found == len(await find_controls(slot, REQUEST))


@pytest.mark.parametrize(
    ("cpu_s", "tried", "most"), [(0.1, MOST_TRIED, MOST_CONTROLS), (0.3, FEW_TRIED, FEW_CONTROLS)]
)
async def test_most_controls(cpu_s: float, tried: int, most: int) -> None:
    """The reference is not run with each of many changes, and less often where it is slow."""
    slot: Any = MadeUp(lambda request: honest(request, changes=200, cpu_s=cpu_s))
    controls = await find_controls(slot, REQUEST)
    assert (tried + 1, most) == (len(slot.requests), len(controls))
    assert most == len({control.passed for control in controls})


async def test_each_place_first() -> None:
    """Many changes of one assertion do not displace that of another."""

    def reference(request: Request) -> Observation:
        if request.edit is not None:
            return fails_at(int(request.edit.part == 29))
        return honest(request, changes=30)

    slot: Any = MadeUp(reference)
    controls = await find_controls(slot, REQUEST)
    assert {0: MOST_CONTROLS - 1, 1: 1} == Counter(control.passed for control in controls)


CONTROLS = tuple(Control(edit, i, i + 1) for i, edit in enumerate(edits(3)))


async def test_honest_program_is_run_with_all_controls_and_without() -> None:
    """Each control at least once, as many runs as are asked for at least, and the tests themselves among them."""
    for count in (1, 2, 3):
        slot: Any = MadeUp(honest)
        assert await controlled(slot, REQUEST, CONTROLS[:count]) is None
        runs = Counter(request.edit for request in slot.requests)
        assert PLAIN_RUNS == runs.pop(None)
        assert {control.edit for control in CONTROLS[:count]} == set(runs)
        assert {LEAST_RUNS // count} == set(runs.values())


async def test_runs_differ_in_the_change_alone() -> None:
    """A control run is asked for as the run before it was, so that no program can tell them apart."""
    slot: Any = MadeUp(honest)
    await controlled(slot, REQUEST, CONTROLS)
    asked = [msgspec.structs.replace(request, edit=None) for request in slot.requests]
    assert [asked[0]] * len(asked) == asked


@pytest.mark.parametrize(
    ("shown", "outcome", "detail"),
    [
        (shows(PASSED, PASSED), Outcome.TAMPERED, "a wrong value was expected in line 2"),
        (fails_at(0), Outcome.TAMPERED, "a wrong value was expected in line 2"),
        (fails_at(2), Outcome.TAMPERED, "a wrong value was expected in line 2"),
        (shows(None), Outcome.TAMPERED, "a wrong value was expected in line 2"),
        (shows(Outcome.CRASHED), Outcome.CRASHED, "in a control run: why"),
        (shows(Outcome.TIMEOUT_WALL), Outcome.TIMEOUT_WALL, "in a control run: why"),
        (shows(Outcome.EARLY_EXIT, PASSED), Outcome.EARLY_EXIT, "in a control run: why"),
    ],
)
async def test_control_that_does_not_fail_there(shown: Observation, outcome: Outcome, detail: str) -> None:
    """One control that ends otherwise is enough; the run that shows it is told."""
    slot: Any = MadeUp(lambda request: shown if request.edit == CONTROLS[1].edit else honest(request))
    refusal = await controlled(slot, REQUEST, CONTROLS)
    assert refusal is not None
    assert outcome is refusal.outcome
    assert refusal.detail.startswith(detail)
    assert shown is refusal.seen


@pytest.mark.parametrize(
    ("shown", "outcome"), [(fails_at(0), WRONG), (shows(Outcome.CRASHED), Outcome.CRASHED), (shows(None), WRONG)]
)
async def test_plain_run_that_fails(shown: Observation, outcome: Outcome) -> None:
    """A program must pass the tests themselves each time."""
    slot: Any = MadeUp(lambda request: shown if request.edit is None else honest(request))
    refusal = await controlled(slot, REQUEST, CONTROLS)
    assert refusal is not None
    assert (outcome, "in another run: why", shown) == (refusal.outcome, refusal.detail, refusal.seen)


# ---- real programs

NODE = "class Node:\n    def __init__(self, value):\n        self.value = value\n"


def problem(reference: str, *tests: str) -> Problem:
    """A problem of assertions."""
    return Problem(id="p", prompt="", entry_point="f", tests=Assertions(code=tests), reference=reference)


@pytest.mark.sandbox
def test_profile_of_tests_that_need_the_program(in_slot: Any) -> None:
    """The controls of a small problem are the other truth values."""
    asked = problem(
        NODE + "def f(n): return n.value > 3\n", "assert f(Node(7)) == True", "assert f(Node(2)) is False"
    )

    async def work(slot: Slot) -> Profile | None:
        return await profile(slot, asked, LIMITS)

    found = in_slot(work, LIMITS)
    assert (PASSED, True, 2, True) == (found.outcome, found.together, found.finished, found.sound)
    assert (
        "its reference passes in the tests' own process alone (NameError: name 'Node' is not defined)"
        == found.weak
    )
    assert {(0, "False"), (1, "True")} == {(control.passed, control.edit.text) for control in found.controls}


@pytest.mark.sandbox
def test_problem_without_controls_is_at_fault(in_slot: Any) -> None:
    """Where no change makes the reference fail, a pass would say nothing."""
    test = "try:\n    assert f(2).value == 2\nexcept AssertionError:\n    pass"

    async def work(slot: Slot) -> Profile | None:
        return await profile(slot, problem(NODE + "f = lambda x: Node(x)\n", test), LIMITS)

    found = in_slot(work, LIMITS)
    assert (None, True, False) == (found.outcome, found.together, found.sound)
    assert found.fault.endswith("where none of its tests can be controlled")


@pytest.mark.sandbox
def test_confirm(in_slot: Any) -> None:
    """A pass by values of a program that fails beside the tests themselves, by what is to be confirmed."""
    tests = "x = []\nassert f(x) == []\nassert f(x) is not x"
    asked = problem("def f(x):\n    return list(x)\n", tests)
    peeps = (
        "import sys\ndef f(x):\n    seen = sys._getframe(1).f_code.co_filename == '<tests>'\n"
        "    return 1 if seen else list(x)\n"
    )
    plain = problem("def f(x):\n    return list(x)\n", "assert f([]) == []")

    async def work(slot: Slot) -> list[Outcome]:
        found = []
        for of in (asked, plain):
            for confirm in ("auto", "all", "none"):
                known = await profile(slot, of, LIMITS, confirm=confirm)
                found.append((await judge(slot, of, peeps, LIMITS, known, confirm=confirm)).verdict.outcome)
        return found

    assert [WRONG, WRONG, PASSED, PASSED, WRONG, PASSED] == in_slot(work, LIMITS)


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("def f(n): return n.value * 2\n", PASSED),
        ("def f(n): return n.value + 4\n", WRONG),
        ("import unittest.mock\ndef f(n): return unittest.mock.ANY\n", Outcome.TAMPERED),
        ("def f(n): return Node(8)\n", WRONG),
    ],
)
def test_verdicts(in_slot: Any, program: str, outcome: Outcome) -> None:
    """Right, wrong and forged programs in the process of their tests; all are weak."""
    asked = problem(NODE + "def f(n): return n.value * 2\n", "assert f(Node(4)) == 8", "assert f(Node(-1)) == -2")

    async def work(slot: Slot) -> Any:
        known = await profile(slot, asked, LIMITS)
        return (await judge(slot, asked, NODE + program, LIMITS, known)).verdict

    verdict = in_slot(work, LIMITS)
    assert (outcome, "weak") == (verdict.outcome, verdict.integrity), verdict.detail
