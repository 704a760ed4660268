"""From a program and a problem to a verdict: as many sessions as the rules ask for.

What a problem's reference showed (its profile) says what a pass needs: as many finished assertions, and no changed
arguments where the reference leaves them alone, unless the sample passes without the change as well.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import msgspec

from codejury.judging.kinds import base_passed, has_source, records
from codejury.judging.profiles import Profile, confirms
from codejury.judging.records import Observation, Request
from codejury.judging.together import Refusal, controlled
from codejury.model import Confirm, Integrity, Limits, Outcome, Problem, TestResult, Verdict

if TYPE_CHECKING:
    from codejury.judging.session import Slot

JUDGE_VERSION = "6"
SKIPPED = None
# A CPU timeout counts at once unless the reference took over this share of the limit on this machine.
SLOW_REFERENCE = 0.25
# A wall timeout is tried again, alone, if the candidate was kept waiting for a processor for this share of it.
DELAYED = 0.05


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
    confirm: Confirm = "auto",
) -> Try:
    """Judge one program.

    Args:
        slot: Where it runs.
        problem: The problem.
        source: The whole program.
        limits: Of this sample.
        reference: The problem's profile, where it has a reference.
        all_tests: Run on after a failed test.
        confirm: Which passes by values must be passes in the tests' own process as well: "auto" those of problems
            whose tests may see more than values; "all" those of every problem whose reference passes there, too;
            "none" no pass.

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
        together=reference is not None and reference.together,
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
    deciding = seen
    if outcome is Outcome.PASSED and reference is not None:
        refusal = await _beside(slot, request, reference, confirm)
        if refusal is not None:
            outcome, detail, deciding = refusal.outcome, refusal.detail, refusal.seen
    weak = seen.acting if reference is None else reference.weak
    integrity: Integrity = "weak" if weak else "strong"
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
    return Try(verdict, doubtful=_doubtful(deciding, limits, reference))


async def _beside(slot: Slot, request: Request, reference: Profile, confirm: Confirm) -> Refusal | None:
    """What else a pass needs, beside the run that passed: None where it has that."""
    if request.together:
        return await controlled(slot, request, reference.controls)
    if not (has_source(request.tests) and reference.plain and confirms(confirm, reference)):
        return None
    seen = await slot.observe(msgspec.structs.replace(request, together=True, code=None, series=None))
    outcome, detail = _settle(seen, None)
    if outcome is Outcome.PASSED:
        return None
    return Refusal(outcome, f"passes by its values, and not in the tests' own process: {detail}", seen)


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
    problem: Problem,
    program_hash: str,
    limits: Limits,
    *,
    tier: str,
    interpreter: str,
    all_tests: bool,
    confirm: Confirm = "auto",
) -> str:
    """The key of a verdict: equal keys mean that judging again would be the same work.

    Args:
        problem: Its tests and own limits count.
        program_hash: Hash of the program.
        limits: The problem's own applied.
        tier: Isolation tier.
        interpreter: Version and visible packages.
        all_tests: Whether every test is run.
        confirm: See `judge`.
    """
    parts = (program_hash, problem.tests_hash, limits, tier, interpreter, all_tests, confirm, JUDGE_VERSION)
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()
