"""Which programs are slower than their problem's reference where the input is large.

A program runs on the calls that the problem's `inputs` make, in the sandbox, and its CPU time is compared with the
reference's. What both have in common, to start and to make the inputs, is measured with a program that does no
more, and taken off. The inputs are made in the process that is measured: to carry them across would take longer
than many a program works on them.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from codejury.engine import LocalEngine
from codejury.model import CheckFunction, Job, Limits, Outcome, Problem
from codejury.pipeline.library import HeldLibrary
from codejury.pipeline.references import Progress
from codejury.sandbox import describe

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from codejury.judging import Profile
    from codejury.model import Verdict

SCALE = 2000
"""Of the inputs. References take some 2 to 50 ms for them."""

TIMES = 3.0
"""A program is slower if it takes more than this many times what the reference takes."""

_ENOUGH = 1.5 * TIMES  # times the reference's whole CPU time: a program that has taken so much is stopped
_TRIES = 2
_LEAST_S = 0.002  # less than this of a reference's time cannot be told from none
_LIMITS = Limits(wall_factor=20.0)

_CHECK = f"""\
def check(candidate):
    assert candidate({SCALE}, 1)
"""
_DRIVER = """

def answers_all_inputs(scale, seed, answer={answer}):
    made = {{}}
    exec({inputs!r}, made)
    for arguments in made["inputs"](scale, seed):
        answer(*arguments)
    return True
"""
_NOTHING = "lambda *arguments: None"


class Program(NamedTuple):
    """A program that answers a problem: the problem's id, and the whole text."""

    problem_id: str
    source: str


async def find_slower(
    problems: Iterable[Problem],
    programs: Iterable[Program],
    *,
    tier: str,
    slots: int | None = None,
    progress: Progress | None = None,
) -> dict[Program, bool]:
    """Measure programs beside their references.

    Of each program two tries count by the smaller CPU time, the reference's in between.

    Args:
        problems: Those with a reference and with inputs are measured; their entry points are functions.
        programs: Right answers to the problems.
        tier: Isolation tier, or "none".
        slots: Programs under way at once; the usable cores if None.
        progress: Told of each step.

    Returns:
        Whether each program takes more than `TIMES` times what the reference takes. Left out are programs whose
        problem is not measured, and those that fail where the input is large, as by recursion too deep.

    Raises:
        InfrastructureError: The sandbox cannot be had.
    """
    progress = progress or Progress()
    field = _Field(problems, programs)
    engine = LocalEngine(field, limits=_LIMITS, interpreter=describe(), slots=slots, tier=tier)
    async with engine:
        todo = [(problem, _LIMITS) for problem in field.problems.values()]
        progress.stage("references at scale", len(todo))
        async with contextlib.aclosing(engine.profile(todo)) as profiles:
            async for problem, profile in profiles:
                field.profiles[problem.hash] = profile
                progress.step(None)
        engine.profiles = field.profiles
        progress.stage("speed at scale", field.count())
        async with contextlib.aclosing(engine.submit(field.jobs())) as results:
            async for judged in results:
                field.seen[judged.job.problem_hash, judged.job.program_hash].append(judged.verdict)
                progress.step(None)
    return field.compare()


class _Field(HeldLibrary):
    """What is measured: each problem's reference, nothing, and programs."""

    def __init__(self, problems: Iterable[Problem], programs: Iterable[Program]) -> None:
        super().__init__()
        self.entered: dict[
            str, dict[str, Program | None]
        ] = {}  # by problem and program; None: only to compare with
        self.profiles: dict[str, Profile | None] = {}
        self.seen: dict[tuple[str, str], list[Verdict]] = defaultdict(list)
        every = defaultdict(list)
        for program in dict.fromkeys(programs):
            every[program.problem_id].append(program)
        for problem in problems:
            if problem.inputs and problem.reference and every[problem.id]:
                self._enter(problem, problem.inputs, problem.reference, every[problem.id])

    def _enter(self, problem: Problem, inputs: str, reference: str, programs: list[Program]) -> None:
        driver = _DRIVER.format(answer=problem.entry_point, inputs=inputs)
        measured = msgspec.structs.replace(
            problem,
            tests=CheckFunction(code=_CHECK),
            entry_point="answers_all_inputs",
            reference=reference + driver,
            limits=None,
        )
        self.problems[measured.hash] = measured
        nothing = self.add(_DRIVER.format(answer=_NOTHING, inputs=inputs))
        entered: dict[str, Program | None] = {nothing: None, self.add(reference + driver): None}
        entered |= {self.add(program.source + driver): program for program in programs}
        self.entered[measured.hash] = entered

    def count(self) -> int:
        """How many jobs there are."""
        return _TRIES * sum(len(self.entered[digest]) for digest, _ in self._sound())

    async def jobs(self) -> AsyncGenerator[Job, None]:
        """Each problem's programs in turn, and again."""
        for problem_hash, reference in self._sound():
            limits = msgspec.structs.replace(_LIMITS, cpu_s=_ENOUGH * reference.cpu_s)
            for number in range(_TRIES):
                for program_hash in self.entered[problem_hash]:
                    key = f"{problem_hash} {program_hash} {number}"
                    yield Job(key=key, problem_hash=problem_hash, program_hash=program_hash, limits=limits)

    def compare(self) -> dict[Program, bool]:
        """See `find_slower`."""
        slower = {}
        for problem_hash, _ in self._sound():
            measured = {name: _cpu_s(self.seen[problem_hash, name]) for name in self.entered[problem_hash]}
            nothing_s, reference_s, *_ = measured.values()
            if nothing_s is None or reference_s is None:
                continue
            allowed_s = nothing_s + TIMES * max(reference_s - nothing_s, _LEAST_S)
            for name, program in self.entered[problem_hash].items():
                cpu_s = measured[name]
                if program is not None and cpu_s is not None:
                    slower[program] = cpu_s > allowed_s
        return slower

    def _sound(self) -> list[tuple[str, Profile]]:
        """The problems whose reference answers its inputs, with its profile."""
        return [(digest, profile) for digest, profile in self.profiles.items() if profile and profile.sound]


def _cpu_s(verdicts: list[Verdict]) -> float | None:
    """The smaller CPU time; None for a program that failed for another reason than time."""
    if any(verdict.outcome not in (Outcome.PASSED, Outcome.TIMEOUT_CPU) for verdict in verdicts):
        return None
    return min(verdict.cpu_s for verdict in verdicts)
