"""How strong are a problem set's tests? The mutants of its references must fail them."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

import msgspec

from codejury.engine import ContainerSettings
from codejury.judging import raised
from codejury.model import Job, Limits, Outcome, Problem, ProblemSet, Timing, UsageError, text_hash
from codejury.pipeline.engines import open_engine
from codejury.pipeline.library import HeldLibrary
from codejury.pipeline.references import KeyContext, Progress, effective_limits, judge_references
from codejury.report import (
    ProblemSetRef,
    ProblemStrength,
    SetsStrengthDocument,
    StrengthFault,
    StrengthRow,
    Survivor,
    TimingRow,
    Unmutated,
)
from codejury.sandbox import AUTO, choose_tier
from codejury.sets.mutants import Mutant, mutants

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence

    from codejury.engine import AnyEngine
    from codejury.judging import Profile
    from codejury.sets.equivalents import Equivalent

MIN_SCORE = 0.9
"""What each problem's score should be at least."""

# A mutant that takes so much more CPU time for one test than the reference takes for all of them will not end.
_SLOWER = 20
_LEAST_CPU_S = 0.25
# Mutants rarely wait: the wall limit is for the machine, which may be busy.
_WALL_FACTOR = 20


class StrengthSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a set's tests are measured.

    Attributes:
        ids: The problems to look at; all if empty.
        min_score: What each problem's score should be at least, 0 to 1.
        limits: Of the references; problems may have their own. A mutant's CPU time per test is limited further, to
            0.25 s or 20 times what the reference takes for all tests.
        slots: Programs under way at once; the usable cores if None.
        python: Interpreter or virtual environment; codejury's own if None.
        packages: Import names of its installed packages that programs see.
        tier: Isolation tier; by default the strongest that the machine gives. Or a container.
    """

    ids: tuple[str, ...] = ()
    min_score: float = MIN_SCORE
    limits: Limits = Limits()
    slots: int | None = None
    python: str | None = None
    packages: tuple[str, ...] = ()
    tier: str | ContainerSettings = AUTO


async def strength(
    problem_set: ProblemSet,
    settings: StrengthSettings | None = None,
    *,
    equivalents: Sequence[Equivalent] = (),
    progress: Progress | None = None,
) -> SetsStrengthDocument:
    """Judge the mutants of a set's references by the set's tests.

    Args:
        problem_set: The set.
        settings: How.
        equivalents: Mutants that are argued to do the same as their reference, of any problems of the set.
        progress: Told of each step.

    Raises:
        UsageError: The set has no problem with one of the ids.
        InfrastructureError: The sandbox cannot be had.
    """
    started, settings, progress = time.monotonic(), settings or StrengthSettings(), progress or Progress()
    place = choose_tier(settings.tier) if isinstance(settings.tier, str) else settings.tier
    subjects = [_Subject(problem, settings.limits) for problem in _chosen(problem_set, settings.ids)]
    mutable = [subject for subject in subjects if subject.unmutated is None]
    opened = await open_engine(
        [subject.problem for subject in mutable],
        settings.limits,
        place,
        python=settings.python,
        packages=settings.packages,
        slots=settings.slots,
    )
    engine = opened.engine
    engine.library = library = HeldLibrary()
    context = KeyContext(tier=engine.tier, interpreter=engine.interpreter.version, packages=opened.packages)
    async with engine:
        todo = [(subject.problem, subject.limits) for subject in mutable]
        engine.profiles = await judge_references(engine, todo, progress)
        for subject in mutable:
            subject.profile = engine.profiles[subject.hash]
            if subject.sound:
                subject.mutate()
                library.problems[subject.hash] = subject.problem
                library.sources.update((digest, mutant.source) for mutant, digest in subject.mutants)
        await _judge_mutants(engine, mutable, context, progress)
    wall_s = time.monotonic() - started
    return _document(problem_set, settings, subjects, equivalents, tier=engine.tier, wall_s=wall_s)


def _chosen(problem_set: ProblemSet, ids: Sequence[str]) -> list[Problem]:
    """The problems with these ids, in the order of the set."""
    known = problem_set.by_id()
    for problem_id in ids:
        if problem_id not in known:
            raise UsageError(
                f"set {problem_set.name!r} has no problem {problem_id!r}: `codejury sets show` lists them"
            )
    return [problem for problem in problem_set.problems if not ids or problem.id in ids]


class _Subject:
    """A problem with its mutants, and what became of them.

    Attributes:
        unmutated: Why there are no mutants; None if there may be.
        mutants: With the hash of each one's source.
        outcomes: By that hash.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.hash, self.limits = problem, problem.hash, effective_limits(problem, limits)
        self.profile: Profile | None = None
        self.mutants: list[tuple[Mutant, str]] = []
        self.outcomes: dict[str, Outcome] = {}
        self.unmutated: str | None = None
        if problem.obstacle is not None:
            self.unmutated = f"it cannot be judged: {problem.obstacle}"
        elif problem.reference is None:
            self.unmutated = "it has no reference"

    @property
    def reference(self) -> str:
        """The source that is mutated."""
        return self.problem.reference or ""

    @property
    def sound(self) -> bool:
        """Whether the reference passes, so that a mutant's failure says something."""
        return self.profile is not None and self.profile.sound

    @property
    def mutant_limits(self) -> Limits:
        """The problem's, with less time."""
        assert self.profile is not None
        limits = raised(self.limits, self.profile)
        cpu_s = min(limits.cpu_s, max(_LEAST_CPU_S, _SLOWER * self.profile.cpu_s))
        return msgspec.structs.replace(limits, cpu_s=cpu_s, wall_factor=_WALL_FACTOR)

    def mutate(self) -> None:
        """Make the mutants."""
        try:
            made = list(mutants(self.reference, first_line=_first_line(self.problem)))
        except (
            SyntaxError,
            ValueError,
            RecursionError,
        ) as error:  # another Python may run what this one cannot read
            self.unmutated = f"codejury's own Python cannot read its reference: {error}"
            return
        self.mutants = [(mutant, text_hash(mutant.source)) for mutant in made]
        if not made:
            self.unmutated = "its reference has nothing to mutate"

    def passing(self) -> list[Mutant]:
        """The mutants that the tests do not fail."""
        return [mutant for mutant, digest in self.mutants if self.outcomes[digest] is Outcome.PASSED]


def _first_line(problem: Problem) -> int:
    """The first line of the reference that is not the prompt's."""
    reference, prompt = problem.reference or "", problem.prompt
    if not reference.startswith(prompt):
        return 1
    whole = prompt.rpartition("\n")[2].strip() and reference[len(prompt) :].startswith("\n")
    return prompt.count("\n") + (2 if whole else 1)


async def _judge_mutants(
    engine: AnyEngine, subjects: Sequence[_Subject], context: KeyContext, progress: Progress
) -> None:
    """Fill the subjects' outcomes. The mutants of a problem go together: its judge has their tests then."""
    by_hash = {subject.hash: subject for subject in subjects}

    async def jobs() -> AsyncGenerator[Job, None]:
        for subject in subjects:
            for digest in dict.fromkeys(digest for _, digest in subject.mutants):
                limits = subject.mutant_limits
                key = context.key(subject.problem, digest, limits)
                yield Job(key=key, problem_hash=subject.hash, program_hash=digest, limits=limits)

    progress.stage("mutants", sum(len({digest for _, digest in subject.mutants}) for subject in subjects))
    async with contextlib.aclosing(engine.submit(jobs())) as results:
        async for judged in results:
            by_hash[judged.job.problem_hash].outcomes[judged.job.program_hash] = judged.verdict.outcome
            progress.step(judged.verdict.outcome)


def _document(
    problem_set: ProblemSet,
    settings: StrengthSettings,
    subjects: Sequence[_Subject],
    equivalents: Iterable[Equivalent],
    *,
    tier: str,
    wall_s: float,
) -> SetsStrengthDocument:
    argued: dict[str, dict[str, str]] = {}
    for equivalent in equivalents:
        argued.setdefault(equivalent.problem, {})[equivalent.mutant] = equivalent.reason
    unknown = argued.keys() - problem_set.by_id().keys()
    faults = [
        StrengthFault(
            id=problem_id, mutant=label, detail="argued to be equivalent, but the set has no such problem"
        )
        for problem_id in sorted(unknown)
        for label in argued[problem_id]
    ]
    rows, survivors, same = [], [], []
    for subject in subjects:
        reasons = argued.get(subject.problem.id, {})
        faults += _faults(subject, reasons)
        passing = [_survivor(subject, mutant, reasons) for mutant in subject.passing()]
        survivors += [survivor for survivor in passing if not survivor.reason]
        same += [survivor for survivor in passing if survivor.reason]
        if subject.mutants:
            rows.append(_row(subject, sum(bool(survivor.reason) for survivor in passing)))
    total = _total(rows)
    below = [row.id for row in rows if row.score is not None and row.score < settings.min_score]
    programs = sum(len(subject.outcomes) + (subject.profile is not None) for subject in subjects)
    return SetsStrengthDocument(
        problem_set=ProblemSetRef(name=problem_set.name, version=problem_set.version, hash=problem_set.hash),
        tier=tier,
        problems=len(subjects),
        min_score=settings.min_score,
        total=total,
        per_problem=rows,
        below=below,
        survivors=survivors,
        equivalents=same,
        faults=faults,
        unmutated=[Unmutated(id=s.problem.id, reason=s.unmutated) for s in subjects if s.unmutated is not None],
        ok=not (below or faults or total.infra_errors),
        timing=TimingRow.of(Timing(wall_s=wall_s, samples=programs)),
    )


def _faults(subject: _Subject, reasons: Mapping[str, str]) -> list[StrengthFault]:
    """A reference that fails; otherwise what is wrong with the mutants that are argued to be equivalent."""
    problem_id, profile = subject.problem.id, subject.profile
    if profile is not None and not profile.sound:
        detail = profile.fault or ": ".join(filter(None, (profile.outcome, profile.detail)))
        return [StrengthFault(id=problem_id, mutant=None, detail=f"its reference fails: {detail}")]
    outcomes = {mutant.label: subject.outcomes[digest] for mutant, digest in subject.mutants}
    faults = []
    for label in reasons:
        if label not in outcomes:
            detail = "argued to be equivalent, but there is no such mutant"
        elif outcomes[label] not in (Outcome.PASSED, Outcome.INFRA_ERROR):
            detail = f"argued to be equivalent, but the tests fail it: {outcomes[label]}"
        else:
            continue
        faults.append(StrengthFault(id=problem_id, mutant=label, detail=detail))
    return faults


def _survivor(subject: _Subject, mutant: Mutant, reasons: Mapping[str, str]) -> Survivor:
    return Survivor(
        id=subject.problem.id,
        mutant=mutant.label,
        line=mutant.line,
        text=subject.reference.splitlines()[mutant.line - 1].strip(),
        reason=reasons.get(mutant.label, ""),
    )


def _row(subject: _Subject, equivalent: int) -> ProblemStrength:
    outcomes = [subject.outcomes[digest] for _, digest in subject.mutants]
    infra_errors = outcomes.count(Outcome.INFRA_ERROR)
    killed = len(outcomes) - outcomes.count(Outcome.PASSED) - infra_errors
    return ProblemStrength(
        id=subject.problem.id,
        mutants=len(outcomes),
        killed=killed,
        equivalent=equivalent,
        infra_errors=infra_errors,
        score=_score(len(outcomes), killed, equivalent + infra_errors),
    )


def _total(rows: Sequence[StrengthRow]) -> StrengthRow:
    count, killed = sum(row.mutants for row in rows), sum(row.killed for row in rows)
    equivalent, infra_errors = sum(row.equivalent for row in rows), sum(row.infra_errors for row in rows)
    return StrengthRow(
        mutants=count,
        killed=killed,
        equivalent=equivalent,
        infra_errors=infra_errors,
        score=_score(count, killed, equivalent + infra_errors),
    )


def _score(count: int, killed: int, left_out: int) -> float | None:
    return killed / (count - left_out) if count > left_out else None
