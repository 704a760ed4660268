"""Is a problem set sound? Its references must pass, and programs that solve nothing must fail."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from codejury.judging import raised
from codejury.model import Job, Limits, Outcome, Problem, ProblemSet, StdinStdout, Timing
from codejury.pipeline.engines import open_engine
from codejury.pipeline.isolation import UNISOLATED, UNSAFE, choose_isolation
from codejury.pipeline.library import HeldLibrary
from codejury.pipeline.references import (
    KeyContext,
    Progress,
    effective_limits,
    judge_references,
    weak_note,
    weak_problems,
)
from codejury.report import CheckFailure, Probe, ProblemSetRef, References, SetsCheckDocument, TimingRow
from codejury.sandbox import AUTO

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from codejury.engine import AnyEngine, ContainerSettings
    from codejury.judging import Profile

PROBES: Mapping[str, str] = {
    "pass": "def {entry}(*args, **kwargs):\n    pass\n",
    "return 0": "def {entry}(*args, **kwargs):\n    return 0\n",
    "return True": "def {entry}(*args, **kwargs):\n    return True\n",
    "return the first argument": "def {entry}(*args, **kwargs):\n    return args[0] if args else None\n",
    "sys.exit(0)": "import sys\n\ndef {entry}(*args, **kwargs):\n    sys.exit(0)\n",
    "os._exit(0)": "import os\n\ndef {entry}(*args, **kwargs):\n    os._exit(0)\n",
    "exit while loading": "import os\nos._exit(0)\n",
    "equal to everything": (
        "class Equal:\n"
        "    def __eq__(self, other):\n        return True\n"
        "    def __ne__(self, other):\n        return False\n"
        "    __hash__ = None\n"
        "    __bool__ = __contains__ = lambda *args: True\n"
        "    __len__ = lambda self: 0\n\n"
        "def {entry}(*args, **kwargs):\n    return Equal()\n"
    ),
    "forged output": (
        "import os\n\n"
        "def {entry}(*args, **kwargs):\n"
        "    for fd in range(64):\n"
        "        try:\n"
        "            os.write(fd, b'passed\\n1 passed, 0 failed\\n' * 3)\n"
        "        except OSError:\n"
        "            pass\n"
        "    os._exit(0)\n"
    ),
}
"""Programs that solve nothing, by name; `{entry}` is the entry point."""


async def check(
    problem_set: ProblemSet,
    *,
    limits: Limits | None = None,
    slots: int | None = None,
    python: str | None = None,
    packages: tuple[str, ...] = (),
    tier: str | ContainerSettings = AUTO,
    progress: Progress | None = None,
) -> SetsCheckDocument:
    """Judge a set's references, and the probes on every problem.

    Args:
        problem_set: The set.
        limits: Limits; problems may have their own.
        slots: Programs under way at once; the usable cores if None.
        python: Interpreter or virtual environment; codejury's own if None.
        packages: Import names of its installed packages that programs see.
        tier: Isolation tier; by default the strongest that the machine gives. UNISOLATED is without isolation.
            Or a container.
        progress: Told of each step.

    Raises:
        UsageError: A problem cannot be judged.
        InfrastructureError: The sandbox cannot be had.
    """
    started, limits, progress = time.monotonic(), limits or Limits(), progress or Progress()
    place = choose_isolation(tier, unsafe=tier == UNISOLATED) if isinstance(tier, str) else tier
    programs = _Programs(problem_set, limits)
    opened = await open_engine(problem_set.problems, limits, place, python=python, packages=packages, slots=slots)
    engine, tier = opened.engine, opened.engine.tier
    engine.library = programs
    context = KeyContext(tier=tier, interpreter=engine.interpreter.version, packages=opened.packages)
    async with engine:
        todo = [(problem, programs.limits[digest]) for digest, problem in programs.problems.items()]
        profiles = await judge_references(engine, todo, progress)
        engine.profiles = profiles
        failures = await _judge_probes(engine, programs, context, progress)
    failures += _failed_references(programs.problems, profiles)
    if tier == UNISOLATED:
        failures = [msgspec.structs.replace(failure, integrity="weak") for failure in failures]
    return _document(problem_set, tier, profiles, failures, time.monotonic() - started)


class _Programs(HeldLibrary):
    """A set's problems with their limits, and the probes."""

    def __init__(self, problem_set: ProblemSet, limits: Limits) -> None:
        super().__init__()
        self.problems = {problem.hash: problem for problem in problem_set.problems}
        self.limits = {digest: effective_limits(problem, limits) for digest, problem in self.problems.items()}


async def _judge_probes(
    engine: AnyEngine, programs: _Programs, context: KeyContext, progress: Progress
) -> list[CheckFailure]:
    """Probes that pass, or that could not be judged."""
    names: dict[str, str] = {}  # of probes, by their program

    async def jobs() -> AsyncGenerator[Job, None]:
        for digest, problem in programs.problems.items():
            limits = programs.limits[digest]
            for name, template in PROBES.items():
                program_hash = programs.add(_probe(template, problem))
                key = context.key(problem, program_hash, limits)
                names[program_hash] = name
                own = raised(limits, engine.profiles.get(digest))
                yield Job(key=key, problem_hash=digest, program_hash=program_hash, limits=own)

    progress.stage("probes", len(programs.problems) * len(PROBES))
    failures = []
    async with contextlib.aclosing(engine.submit(jobs())) as results:
        async for judged in results:
            verdict = judged.verdict
            progress.step(verdict.outcome)
            if verdict.passed or verdict.outcome is Outcome.INFRA_ERROR:
                failures.append(
                    CheckFailure(
                        id=programs.problem(judged.job.problem_hash).id,
                        program=names[judged.job.program_hash],
                        outcome=verdict.outcome,
                        integrity=verdict.integrity,
                        detail=verdict.detail,
                    )
                )
    return failures


def _probe(template: str, problem: Problem) -> str:
    """A probe for a problem; one that is run as a whole prints what its function makes of the input."""
    entry = problem.entry_point or "main"
    program = template.replace("{entry}", entry)
    if isinstance(problem.tests, StdinStdout):
        program += f"\nimport sys\nprint({entry}(sys.stdin.read()))\n"
    return program


def _failed_references(
    problems: Mapping[str, Problem], profiles: Mapping[str, Profile | None]
) -> list[CheckFailure]:
    failures = []
    for digest, problem in problems.items():
        profile = profiles[digest]
        if profile is not None and not profile.sound:
            failures.append(
                CheckFailure(
                    id=problem.id,
                    program="reference",
                    outcome=profile.outcome or Outcome.WRONG_ANSWER,
                    integrity="weak" if profile.weak else "strong",
                    detail=profile.fault or profile.detail,
                )
            )
    return failures


def _document(
    problem_set: ProblemSet,
    tier: str,
    profiles: Mapping[str, Profile | None],
    failures: list[CheckFailure],
    wall_s: float,
) -> SetsCheckDocument:
    count = len(problem_set.problems)
    absent = sum(profile is None for profile in profiles.values())
    sound = sum(profile is not None and profile.sound for profile in profiles.values())
    weak = weak_problems({p.hash: p for p in problem_set.problems}, profiles)
    warnings = [UNSAFE] if tier == UNISOLATED else []
    if absent:
        warnings.append(
            f"{absent} problems have no reference: that their tests accept a right answer is not known"
        )
    if weak:
        warnings.append(weak_note(weak))
    passed = Counter(failure.program for failure in failures if failure.outcome is Outcome.PASSED)
    return SetsCheckDocument(
        problem_set=ProblemSetRef(name=problem_set.name, version=problem_set.version, hash=problem_set.hash),
        tier=tier,
        problems=count,
        references=References(passed=sound, failed=count - absent - sound, absent=absent),
        probes={name: Probe(judged=count, passed=passed[name]) for name in PROBES},
        failures=sorted(
            failures, key=lambda failure: (failure.program != "reference", failure.id, failure.program)
        ),
        ok=not failures,
        timing=TimingRow.of(Timing(wall_s=wall_s, samples=count * (1 + len(PROBES)) - absent)),
        warnings=warnings,
    )
