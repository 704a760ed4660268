"""Documents and how they are shown."""

from codejury.report.document import (
    CheckFailure,
    Estimate,
    FlipRow,
    IntegrityCounts,
    Interval,
    JudgeDocument,
    Probe,
    ProblemRow,
    ProblemSetRef,
    Range,
    References,
    SetsCheckDocument,
    Slice,
    TimingRow,
    schema,
    schema_names,
)
from codejury.report.files import encode_json, write_json

__all__ = [
    "CheckFailure",
    "Estimate",
    "FlipRow",
    "IntegrityCounts",
    "Interval",
    "JudgeDocument",
    "Probe",
    "ProblemRow",
    "ProblemSetRef",
    "Range",
    "References",
    "SetsCheckDocument",
    "Slice",
    "TimingRow",
    "encode_json",
    "schema",
    "schema_names",
    "write_json",
]
