"""From a program and a problem to a verdict: as many sessions as the rules ask for.

What a problem's reference showed (its profile) says what a pass needs: as many finished assertions, and no changed
arguments where the reference leaves them alone, unless the sample passes without the change as well.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import msgspec

from codejury.judging.allowance import of_reference
from codejury.judging.kinds import base_passed, records
from codejury.judging.records import Observation, Request
from codejury.model import Integrity, Limits, Outcome, Problem, TestResult, Verdict

if TYPE_CHECKING:
    from codejury.judging.session import Slot

JUDGE_VERSION = "4"
SKIPPED = None
# A CPU timeout counts at once unless the reference took over this share of the limit on this machine.
SLOW_REFERENCE = 0.25
# A wall timeout is tried again, alone, if the candidate was kept waiting for a processor for this share of it.
DELAYED = 0.05


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

    @property
    def sound(self) -> bool:
        """Whether the reference passes its own tests."""
        return self.outcome is Outcome.PASSED


async def profile(slot: Slot, problem: Problem, limits: Limits, *, all_tests: bool = False) -> Profile | None:
    """Judge a problem's reference; None where it has none.

    Args:
        slot: Where it runs.
        problem: The problem.
        limits: Of this problem; the reference may take longer (`allowance`).
        all_tests: Whether samples will run on after a failed test.
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
    return Profile(
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
    )


class Try(msgspec.Struct, frozen=True):
    """A verdict, and whether a rerun alone could tell another.

    Attributes:
        verdict: The verdict of this try.
        doubtful: A time limit was passed, and the machine may be the reason.
    """

    verdict: Verdict
    doubtful: bool


async def judge(
    slot: Slot,
    problem: Problem,
    source: str,
    limits: Limits,
    reference: Profile | None,
    *,
    all_tests: bool = False,
) -> Try:
    """Judge one program.

    Args:
        slot: Where it runs.
        problem: The problem.
        source: The whole program.
        limits: Of this sample.
        reference: The problem's profile, where it has a reference.
        all_tests: Run on after a failed test.

    Raises:
        InfrastructureError: The sandbox gives no lanes any more.
    """
    tier = slot.sandbox.settings.tier
    refused: tuple[Outcome, str] | None = None
    if not source.strip():
        refused = Outcome.NO_CODE, "no code"
    elif records(problem.tests) and (reference is None or reference.expected is None):
        # else the sample would say itself what is expected
        refused = Outcome.WRONG_ANSWER, "the problem cannot be judged: no reference gave the outputs to expect"
    if refused is not None:
        base = base_passed(problem.tests, [], refused[0])
        verdict = Verdict(outcome=refused[0], integrity="strong", tier=tier, detail=refused[1], base_passed=base)
        return Try(verdict, doubtful=False)
    request = Request(
        source=source,
        entry_point=problem.entry_point,
        tests=problem.tests,
        limits=limits,
        all_tests=all_tests,
        scan=reference is None,
        expected=reference.expected if reference is not None else None,
        objects=reference.objects if reference is not None else asks_for_class(problem),
        code=reference.code if reference is not None else None,
        series=problem.tests_hash if reference is not None and reference.sound and reference.lasting else None,
    )
    seen = await _observe_all(slot, request) if all_tests else await slot.observe(request)
    outcome, detail = _settle(seen, reference)
    cpu_s = seen.cpu_s
    if outcome is Outcome.PASSED and seen.changed and not (reference and reference.changed):
        again = await slot.observe(msgspec.structs.replace(request, apply=False))
        cpu_s += again.cpu_s
        if _settle(again, reference)[0] is not Outcome.PASSED:
            outcome = Outcome.WRONG_ANSWER
            detail = "passes only by changing its arguments, which the reference leaves alone"
    acting = seen.acting if reference is None else reference.acting
    integrity: Integrity = "weak" if acting else "strong"
    tests = tuple(test for test in seen.tests if test is not SKIPPED)
    passed = [test.outcome is Outcome.PASSED for test in tests]
    verdict = Verdict(
        outcome=outcome,
        integrity=integrity,
        tier=tier,
        tests=tests,
        base_passed=base_passed(problem.tests, passed, outcome),
        detail=detail,
        cpu_s=cpu_s,
        wall_s=seen.wall_s,
        peak_bytes=seen.peak_bytes,
    )
    return Try(verdict, doubtful=_doubtful(seen, limits, reference))


def asks_for_class(problem: Problem) -> bool:
    """Whether a problem without a reference asks for a class: its prompt begins to define one of that name."""
    return re.search(rf"^class {re.escape(problem.entry_point)}\b", problem.prompt, re.MULTILINE) is not None


def _settle(seen: Observation, reference: Profile | None) -> tuple[Outcome, str]:
    """Outcome and detail of a sample; a fault that the reference does not show is the sample's."""
    if reference is not None and reference.fault:
        return Outcome.WRONG_ANSWER, f"the problem cannot be judged: {reference.fault}"
    if seen.outcome is None:
        return Outcome.WRONG_ANSWER, seen.detail
    if seen.outcome is Outcome.PASSED and reference and reference.sound and seen.finished < reference.finished:
        return Outcome.WRONG_ANSWER, f"finished {seen.finished} assertions of {reference.finished}"
    return seen.outcome, seen.detail


def _doubtful(seen: Observation, limits: Limits, reference: Profile | None) -> bool:
    if seen.outcome is Outcome.TIMEOUT_CPU:
        return reference is not None and reference.cpu_s > SLOW_REFERENCE * limits.cpu_s
    if seen.outcome is Outcome.TIMEOUT_WALL:
        return seen.waited_s is None or seen.waited_s > DELAYED * limits.wall_s
    return False


async def _observe_all(slot: Slot, request: Request) -> Observation:
    """All tests: one that killed the candidate is left out in a further session with a fresh one."""
    killed: dict[int, TestResult] = {}
    limits, first = request.limits, None
    spent = spent_wall = 0.0
    while True:
        seen = await slot.observe(msgspec.structs.replace(request, skip=tuple(killed)))
        spent += seen.cpu_s
        spent_wall += seen.wall_s
        tests = iter(killed[key] for key in sorted(killed))
        seen.tests = [test if test is not SKIPPED else next(tests, SKIPPED) for test in seen.tests]
        if first is None:
            first = seen
        if seen.killed < 0 or seen.killed in killed or not seen.tests:
            break
        if spent > limits.cpu_total_s or spent_wall > limits.wall_total_s:
            break
        last = seen.tests[-1]
        assert last is not SKIPPED
        killed[seen.killed] = last
    seen.cpu_s = spent
    if killed:  # the sample's outcome is that of its first failure
        seen.outcome, seen.detail = _first_failure(seen, first)
    return seen


def _first_failure(seen: Observation, first: Observation) -> tuple[Outcome | None, str]:
    for test in seen.tests:
        if test is not SKIPPED and test.outcome is not Outcome.PASSED:
            return test.outcome, first.detail if test.outcome is first.outcome else seen.detail
    return first.outcome, first.detail


def verdict_key(
    problem: Problem, program_hash: str, limits: Limits, *, tier: str, interpreter: str, all_tests: bool
) -> str:
    """The key of a verdict: equal keys mean that judging again would be the same work.

    Args:
        problem: Its tests and own limits count.
        program_hash: Hash of the program.
        limits: The problem's own applied.
        tier: Isolation tier.
        interpreter: Version and visible packages.
        all_tests: Whether every test is run.
    """
    parts = (program_hash, problem.tests_hash, limits, tier, interpreter, all_tests, JUDGE_VERSION)
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()
