"""The nouns of codejury as frozen structs, and the seams between its rooms."""

from codejury.model.errors import (
    CodejuryError,
    InfrastructureError,
    InputError,
    NotComparableError,
    TierUnavailable,
    UsageError,
)
from codejury.model.finding import Confidence, Finding, Severity
from codejury.model.limits import GIB, KIB, MIB, LimitOverrides, Limits
from codejury.model.problem import (
    Assertions,
    Checker,
    CheckFunction,
    Comparison,
    Inputs,
    Problem,
    ProblemSet,
    StdinCase,
    StdinStdout,
    Tests,
)
from codejury.model.protocols import Engine, Job, Judged, Library, Sink
from codejury.model.run import (
    Interpreter,
    Machine,
    Manifest,
    PartInfo,
    ProblemSetInfo,
    SamplesInfo,
    Selection,
    Timing,
)
from codejury.model.sample import Program, Sample, text_hash
from codejury.model.verdict import Integrity, Outcome, TestResult, Verdict

__all__ = [
    "GIB",
    "KIB",
    "MIB",
    "Assertions",
    "CheckFunction",
    "Checker",
    "CodejuryError",
    "Comparison",
    "Confidence",
    "Engine",
    "Finding",
    "InfrastructureError",
    "InputError",
    "Inputs",
    "Integrity",
    "Interpreter",
    "Job",
    "Judged",
    "Library",
    "LimitOverrides",
    "Limits",
    "Machine",
    "Manifest",
    "NotComparableError",
    "Outcome",
    "PartInfo",
    "Problem",
    "ProblemSet",
    "ProblemSetInfo",
    "Program",
    "Sample",
    "SamplesInfo",
    "Selection",
    "Severity",
    "Sink",
    "StdinCase",
    "StdinStdout",
    "TestResult",
    "Tests",
    "TierUnavailable",
    "Timing",
    "UsageError",
    "Verdict",
    "text_hash",
]
