"""Is a problem set sound? Its references must pass, and programs that solve nothing must fail."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping


from codejury.engine import LocalEngine
from codejury.judging import Profile, verdict_key
from codejury.model import Job, Limits, Outcome, Problem, ProblemSet, Timing, text_hash
from codejury.pipeline.judge import Progress, effective_limits, largest
from codejury.report.document import (
    CheckFailure,
    ProblemSetRef,
    Probe,
    References,
    SetsCheckDocument,
    TimingRow,
)
from codejury.sandbox import describe

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


class _Programs:
    """`model.Library` of a set's problems and some programs."""

    def __init__(self, problem_set: ProblemSet) -> None:
        self.problems = {problem.hash: problem for problem in problem_set.problems}
        self.programs: dict[str, str] = {}

    def problem(self, problem_hash: str) -> Problem:
        """The problem with this hash."""
        return self.problems[problem_hash]

    def program(self, program_hash: str) -> str:
        """The program with this hash."""
        return self.programs[program_hash]


async def check(
    problem_set: ProblemSet,
    *,
    limits: Limits | None = None,
    slots: int | None = None,
    python: str | None = None,
    packages: tuple[str, ...] = (),
    tier: str = "namespaces",
    progress: Progress | None = None,
) -> SetsCheckDocument:
    """Judge a set's references, and the probes on every problem.

    Args:
        problem_set: The set.
        limits: Limits; problems may have their own.
        slots: Programs under way at once; the usable cores if None.
        python: Interpreter or virtual environment; codejury's own if None.
        packages: Import names of its installed packages that programs see.
        tier: Isolation tier.
        progress: Told of each step.

    Raises:
        InfrastructureError: The sandbox cannot be had.
    """
    started, limits, progress = time.monotonic(), limits or Limits(), progress or Progress()
    library = _Programs(problem_set)
    own = {digest: effective_limits(problem, limits) for digest, problem in library.problems.items()}
    interpreter = describe(python)
    engine = LocalEngine(
        library,
        limits=largest(own.values(), limits),
        interpreter=interpreter,
        slots=slots,
        packages=packages,
        tier=tier,
    )
    failures: list[CheckFailure] = []
    passed = dict.fromkeys(PROBES, 0)
    names: dict[tuple[str, str], str] = {}
    infra = 0

    async def jobs() -> AsyncIterator[Job]:
        for digest, problem in library.problems.items():
            for name, template in PROBES.items():
                source = template.replace("{entry}", problem.entry_point)
                program_hash = text_hash(source)
                library.programs[program_hash] = source
                names[digest, program_hash] = name
                key = verdict_key(
                    problem, program_hash, own[digest], tier=tier, interpreter=interpreter.version, all_tests=False
                )
                yield Job(key=key, problem_hash=digest, program_hash=program_hash, limits=own[digest])

    async with engine:
        progress.stage("references", len(library.problems))
        profiles: dict[str, Profile | None] = {}
        async for problem, profile in engine.profile([(p, own[d]) for d, p in library.problems.items()]):
            profiles[problem.hash] = profile
            progress.step(profile.outcome if profile else None)
        engine.profiles = profiles
        failures += _failed_references(library.problems, profiles)
        progress.stage("probes", len(library.problems) * len(PROBES))
        async for judged in engine.submit(jobs()):
            verdict, problem = judged.verdict, library.problems[judged.job.problem_hash]
            progress.step(verdict.outcome)
            infra += verdict.outcome is Outcome.INFRA_ERROR
            if verdict.passed or verdict.outcome is Outcome.INFRA_ERROR:
                name = names[judged.job.problem_hash, judged.job.program_hash]
                passed[name] += verdict.passed
                failures.append(
                    CheckFailure(
                        id=problem.id,
                        program=name,
                        outcome=verdict.outcome,
                        integrity=verdict.integrity,
                        detail=verdict.detail,
                    )
                )
    return _document(problem_set, tier, profiles, passed, failures, time.monotonic() - started)


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
                    integrity="weak" if profile.acting else "strong",
                    detail=profile.fault or profile.detail,
                )
            )
    return failures


def _document(
    problem_set: ProblemSet,
    tier: str,
    profiles: Mapping[str, Profile | None],
    passed: Mapping[str, int],
    failures: list[CheckFailure],
    wall_s: float,
) -> SetsCheckDocument:
    count = len(problem_set.problems)
    absent = sum(profile is None for profile in profiles.values())
    sound = sum(profile is not None and profile.sound for profile in profiles.values())
    weak = sorted(p.id for p in problem_set.problems if (profile := profiles[p.hash]) and profile.acting)
    warnings = []
    if absent:
        warnings.append(
            f"{absent} problems have no reference: that their tests accept a right answer is not known"
        )
    if weak:
        shown = ", ".join(weak[:5]) + (", …" if len(weak) > 5 else "")
        warnings.append(
            f"{len(weak)} problems have tests that may act on a candidate's value, so that their verdicts are weak: {shown}"
        )
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
