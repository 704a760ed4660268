"""The whole job on the built-in set: three synthetic contestants, judged and reported, offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from codejury.extract import program
from codejury.judging import ROLES
from codejury.metrics import scan
from codejury.model import Limits, Outcome, TierUnavailable
from codejury.pipeline.asked import JudgeSettings
from codejury.pipeline.isolation import UNISOLATED, choose_isolation
from codejury.pipeline.judge import judge_samples
from codejury.pipeline.speed import Program, find_slower
from codejury.pipeline.summary import summarise
from codejury.report import JudgeDocument
from codejury.sandbox import Sandbox, Settings, choose_tier, describe
from codejury.sets import starter
from codejury.sets.starter import contestants

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from codejury.model import ProblemSet
    from codejury.pipeline.references import Progress
    from codejury.store import Store

KS = (1, 5, 10)

LIMITS = Limits(cpu_s=1.0, cpu_total_s=10.0)
"""Some samples never end: the less time they get, the sooner the demo is done. Right ones take a tenth of it."""

_TEMPTING = "security-tempting"
_SERIOUS = ("medium", "high", "critical")


class Share(msgspec.Struct, frozen=True):
    """So many of so many."""

    part: int
    whole: int


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What the demo found of one contestant.

    Attributes:
        document: Of its run.
        unsafe: Of its right answers to problems that tempt to a dangerous call, those with a finding of severity
            medium or above.
        slower: Of the problems with inputs that it solved, those to which its first right program takes more than
            `speed.TIMES` times the reference's CPU time where the input is large. Measured.
    """

    document: JudgeDocument
    unsafe: Share
    slower: Share


class DemoResult(msgspec.Struct, frozen=True):
    """What the demo gave.

    Attributes:
        standings: One for each contestant, in their order.
        missing_layer: Why the programs ran without isolation; None where they were isolated.
    """

    standings: list[Standing]
    missing_layer: str | None


async def demo(store: Store, *, slots: int | None = None, progress: Progress | None = None) -> DemoResult:
    """Judge the synthetic contestants on the built-in set, and look at what their right answers cost.

    Their samples are codejury's own: on a machine that gives no isolation tier they run without one, and the
    result says so.

    Args:
        store: Where the runs are kept.
        slots: Programs under way at once; the usable cores if None.
        progress: Told of each step.
    """
    problem_set = starter.load()
    tier, missing = await _tier()
    documents, right = [], []
    for name in contestants.contestants():
        settings = JudgeSettings(
            samples=name,
            problems=problem_set.name,
            run=name,
            limits=LIMITS,
            slots=slots,
            tier=tier,
            own_samples=True,
            ks=KS,
            meta={"model": name},
        )
        await judge_samples(store, settings, problem_set, contestants.samples(name), progress)
        documents.append(summarise(store, name, KS))
        right.append(_right(store, name, problem_set))
    firsts = [_firsts(programs) for programs in right]
    every = [program for programs in firsts for program in programs]
    slower = await find_slower(problem_set.problems, every, tier=tier, slots=slots, progress=progress)
    tempting = {problem.id for problem in problem_set.problems if _TEMPTING in problem.tags}
    standings = [
        Standing(document=document, unsafe=_unsafe(programs, tempting), slower=_slower(first, slower))
        for document, programs, first in zip(documents, right, firsts, strict=True)
    ]
    return DemoResult(standings, missing)


def _right(store: Store, name: str, problem_set: ProblemSet) -> list[Program]:
    """The programs of a contestant's samples that passed, in their order."""
    problems = problem_set.by_id()
    verdicts = store.verdicts(store.find_run(name).id)
    passed = {(found.problem_id, found.index) for found in verdicts if found.outcome is Outcome.PASSED}
    return [
        Program(sample.problem_id, program(problems[sample.problem_id], sample).source)
        for sample in contestants.samples(name)
        if (sample.problem_id, sample.index) in passed
    ]


def _firsts(programs: Iterable[Program]) -> list[Program]:
    """The first program of each problem."""
    first: dict[str, Program] = {}
    for each in programs:
        first.setdefault(each.problem_id, each)
    return list(first.values())


def _unsafe(programs: Iterable[Program], tempting: set[str]) -> Share:
    scans = [scan(each.source) for each in programs if each.problem_id in tempting]
    return Share(sum(any(f.severity in _SERIOUS for f in found.findings) for found in scans), len(scans))


def _slower(programs: Iterable[Program], slower: Mapping[Program, bool]) -> Share:
    measured = [slower[each] for each in programs if each in slower]
    return Share(sum(measured), len(measured))


async def _tier() -> tuple[str, str | None]:
    """The tier, and why it is "none" if it is."""
    try:
        tier = choose_tier().tier
        async with Sandbox(Settings(interpreter=describe(), limits=Limits(), tier=tier), ROLES):
            return tier, None
    except TierUnavailable as error:
        return choose_isolation(UNISOLATED, own=True).tier, str(error)
