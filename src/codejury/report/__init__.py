"""Documents and how they are shown."""

from codejury.report.doctor import DoctorDocument, EngineRow, LayerRow, TierRow, doctor_report
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
)
from codejury.report.files import encode_json, write_json
from codejury.report.runs import RunDocument, RunRow, RunsDocument
from codejury.report.schemas import schema, schema_names
from codejury.report.strength import (
    ProblemStrength,
    SetsStrengthDocument,
    StrengthFault,
    StrengthRow,
    Survivor,
    Unmutated,
)

__all__ = [
    "CheckFailure",
    "DoctorDocument",
    "EngineRow",
    "Estimate",
    "FlipRow",
    "IntegrityCounts",
    "Interval",
    "JudgeDocument",
    "LayerRow",
    "Probe",
    "ProblemRow",
    "ProblemSetRef",
    "ProblemStrength",
    "Range",
    "References",
    "RunDocument",
    "RunRow",
    "RunsDocument",
    "SetsCheckDocument",
    "SetsStrengthDocument",
    "Slice",
    "StrengthFault",
    "StrengthRow",
    "Survivor",
    "TierRow",
    "TimingRow",
    "Unmutated",
    "doctor_report",
    "encode_json",
    "schema",
    "schema_names",
    "write_json",
]
