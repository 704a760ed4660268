"""The JSON Schemas of documents, and of what is written in codejury's own files."""

from __future__ import annotations

from typing import Any

import msgspec

from codejury.model import Problem, Sample, UsageError
from codejury.report.comparison import CompareDocument
from codejury.report.doctor import DoctorDocument
from codejury.report.document import JudgeDocument, SetsCheckDocument
from codejury.report.explain import ExplainPasskDocument
from codejury.report.explain_pair import ExplainPairDocument
from codejury.report.extraction import ExtractionDocument
from codejury.report.gate import GateDocument, PlanDocument
from codejury.report.rollouts import RolloutRunsDocument, RolloutsDocument
from codejury.report.rollouts_compare import RolloutsCompareDocument
from codejury.report.runs import RunDocument, RunsDocument
from codejury.report.score import ScoreDocument
from codejury.report.strength import SetsStrengthDocument
from codejury.report.study import StudyDocument

_DOCUMENTS: dict[str, type[msgspec.Struct]] = {
    "compare": CompareDocument,
    "doctor": DoctorDocument,
    "explain-pair": ExplainPairDocument,
    "explain-passk": ExplainPasskDocument,
    "extraction": ExtractionDocument,
    "gate": GateDocument,
    "judge": JudgeDocument,
    "plan": PlanDocument,
    "problem": Problem,
    "rollouts": RolloutRunsDocument,
    "rollouts-report": RolloutsDocument,
    "rollouts-compare": RolloutsCompareDocument,
    "study-beyond-passk": StudyDocument,
    "run": RunDocument,
    "runs": RunsDocument,
    "sample": Sample,
    "score": ScoreDocument,
    "sets-check": SetsCheckDocument,
    "sets-strength": SetsStrengthDocument,
}


def schema_names() -> tuple[str, ...]:
    """What `schema` knows."""
    return tuple(_DOCUMENTS)


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a document.

    Args:
        name: "problem" and "sample" are a line of codejury's own files, where a field that is not in the schema is
            an error; the others are written by commands.

    Raises:
        UsageError: There is no such document; the message names those that there are.
    """
    if name not in _DOCUMENTS:
        raise UsageError(f"no schema {name!r}: take one of {', '.join(_DOCUMENTS)}")
    found = msgspec.json.schema(_DOCUMENTS[name])
    if name in ("problem", "sample"):
        for definition in found["$defs"].values():
            if definition.get("type") == "object":
                definition["additionalProperties"] = False
    if name == "sample":  # a file may leave it out in all of its rows
        found["$defs"]["Sample"]["required"].remove("index")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}
