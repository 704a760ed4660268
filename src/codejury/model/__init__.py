"""The nouns of codejury as frozen structs, and the seams between its rooms."""

from codejury.model.errors import (
    CodejuryError,
    InfrastructureError,
    InputError,
    NotComparableError,
    TierUnavailable,
    UsageError,
)
from codejury.model.limits import GIB, KIB, MIB, LimitOverrides, Limits
from codejury.model.problem import Assertions, CheckFunction, Problem, ProblemSet, Tests
from codejury.model.protocols import Engine, Job, Judged, Library, Sink
from codejury.model.sample import Program, Sample, text_hash
from codejury.model.verdict import Integrity, Outcome, TestResult, Verdict

__all__ = [
    "GIB",
    "KIB",
    "MIB",
    "Assertions",
    "CheckFunction",
    "CodejuryError",
    "Engine",
    "InfrastructureError",
    "InputError",
    "Integrity",
    "Job",
    "Judged",
    "Library",
    "LimitOverrides",
    "Limits",
    "NotComparableError",
    "Outcome",
    "Problem",
    "ProblemSet",
    "Program",
    "Sample",
    "Sink",
    "TestResult",
    "Tests",
    "TierUnavailable",
    "UsageError",
    "Verdict",
    "text_hash",
]
