"""What a problem's reference shows: how its samples are judged, and what a pass needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from codejury.judging.allowance import of_reference
from codejury.judging.kinds import has_source, records
from codejury.judging.records import Request
from codejury.judging.together import Control, find_controls
from codejury.model import Outcome

if TYPE_CHECKING:
    from codejury.judging.session import Slot
    from codejury.model import Confirm, Limits, Problem

_UNSENDABLE = "an argument of its tests cannot be sent"  # as the judge says it; no other fault is one of values
_NO_MATTER_WHERE = frozenset((Outcome.SYNTAX_ERROR, Outcome.TIMEOUT_CPU, Outcome.TIMEOUT_WALL, Outcome.NO_CODE))


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What judging a problem's reference showed.

    Attributes:
        outcome: Of the reference.
        fault: Why the problem cannot be judged at all; None if it can.
        detail: Of the reference's outcome.
        finished: Assertions that it finished.
        changed: Whether it changes its arguments.
        acting: A name by which the tests may act on a candidate's value: verdicts are weak then.
        expected: Its outputs, where the tests do not say what is expected.
        objects: Whether its entry point gives objects that stay in the candidate; a sample's may then, too.
        cpu_s: CPU seconds of the reference.
        all_cpu_s: The same with those of comparing its values.
        slowest_cpu_s: CPU seconds of its slowest test, or at most 20 ms more.
        code: The tests as the judge compiled them for this interpreter, so that it need not again.
        lasting: Whether a run of the tests leaves nothing behind in the judge.
        together: Whether tests run in the program's own process, since it passes them there alone: verdicts are
            weak then.
        controls: What such a run is held against.
        observing: A name by which the tests may see more of a program than values that cross.
        plain: Whether it passes in the tests' own process as well, where that was tried.
    """

    outcome: Outcome | None
    fault: str | None = None
    detail: str = ""
    finished: int = 0
    changed: bool = False
    acting: str | None = None
    expected: tuple[str, ...] | None = None
    objects: bool = False
    cpu_s: float = 0.0
    all_cpu_s: float = 0.0
    slowest_cpu_s: float = 0.0
    code: str | None = None
    lasting: bool = False
    together: bool = False
    controls: tuple[Control, ...] = ()
    observing: str | None = None
    plain: bool = False

    @property
    def sound(self) -> bool:
        """Whether the reference passes its own tests."""
        return self.outcome is Outcome.PASSED

    @property
    def weak(self) -> str | None:
        """Why verdicts on the problem's samples are weak; None if they are strong."""
        if self.together:
            return f"its reference passes in the tests' own process alone ({self.detail})"
        return f"its tests use {self.acting}, which may act on a program's value" if self.acting else None


async def profile(
    slot: Slot, problem: Problem, limits: Limits, *, all_tests: bool = False, confirm: Confirm = "auto"
) -> Profile | None:
    """Judge a problem's reference; None where it has none.

    Args:
        slot: Where it runs.
        problem: The problem.
        limits: Of this problem; the reference may take longer (`allowance`).
        all_tests: Whether samples will run on after a failed test.
        confirm: Which passes will be confirmed in the tests' own process.
    """
    if problem.reference is None:
        return None
    request = Request(
        source=problem.reference,
        entry_point=problem.entry_point,
        tests=problem.tests,
        limits=of_reference(limits),
        all_tests=all_tests,
        scan=True,
        objects=True,
    )
    seen = await slot.observe(request)
    expected = seen.expected
    if records(problem.tests) and seen.outcome is Outcome.PASSED:  # and once more: does it agree with itself?
        seen = await slot.observe(msgspec.structs.replace(request, expected=expected))
    found = Profile(
        outcome=seen.outcome,
        fault=seen.detail if seen.outcome is None else None,
        detail=seen.detail,
        finished=seen.finished,
        changed=seen.changed,
        acting=seen.acting,
        expected=expected if records(problem.tests) else None,
        objects=seen.objects,
        cpu_s=seen.cpu_s,
        all_cpu_s=seen.all_cpu_s,
        slowest_cpu_s=seen.slowest_cpu_s,
        code=seen.code,
        lasting=seen.lasting,
        observing=seen.observing,
    )
    if not has_source(problem.tests):
        return found
    if found.sound:
        return await _tried_plainly(slot, request, found) if confirms(confirm, found) else found
    return await _together(slot, request, found) if _for_its_values(found) else found


def confirms(confirm: Confirm, reference: Profile) -> bool:
    """Whether passes of a problem are confirmed in the tests' own process."""
    return confirm == "all" or (confirm == "auto" and (reference.objects or reference.observing is not None))


def _for_its_values(found: Profile) -> bool:
    """Whether a reference may have failed because values do not cross as they are."""
    if found.fault is not None:
        return found.fault.startswith(_UNSENDABLE)
    return found.outcome not in _NO_MATTER_WHERE


async def _tried_plainly(slot: Slot, request: Request, found: Profile) -> Profile:
    """The profile with whether the reference passes in the tests' own process, too."""
    seen = await slot.observe(msgspec.structs.replace(request, together=True))
    return msgspec.structs.replace(found, plain=seen.outcome is Outcome.PASSED)


async def _together(slot: Slot, request: Request, found: Profile) -> Profile:
    """The profile of a reference that fails by its values: perhaps it passes in the tests' own process."""
    request = msgspec.structs.replace(request, together=True)
    seen = await slot.observe(request)
    if seen.outcome is not Outcome.PASSED:
        return found
    controls = await find_controls(slot, request)
    fault = None
    if not controls:
        fault = (
            f"passes in its tests' own process alone ({found.detail}), where none of its tests can be controlled"
        )
    return Profile(
        outcome=Outcome.PASSED if controls else None,
        fault=fault,
        detail=found.detail,
        finished=seen.finished,
        acting=found.acting,
        cpu_s=seen.cpu_s,
        all_cpu_s=seen.all_cpu_s,
        slowest_cpu_s=seen.slowest_cpu_s,
        together=True,
        controls=controls,
    )
