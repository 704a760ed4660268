"""The documents on runs in a store: the list of them, and what is known of one."""

from __future__ import annotations

from typing import Literal

import msgspec

from codejury.model import Manifest
from codejury.report.document import ProblemSetRef, TimingRow


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run in the list.

    Attributes:
        run: Its name.
        created: UTC, ISO 8601.
        problem_set: Which problems.
        model: As declared; null where it was not.
        temperature: As declared; null where it was not.
        samples: Samples of the run.
        judged: Samples with a verdict.
        problems: Problems of the run.
        pass_at_1: Mean over the problems that the report's estimates are over; null where there is none: the run
            is not judged to the end, or its report is refused.
    """

    run: str
    created: str
    problem_set: ProblemSetRef
    model: str | None
    temperature: str | None
    samples: int
    judged: int
    problems: int
    pass_at_1: float | None


class RunsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of a store, oldest first."""

    schema: Literal["runs/1"] = "runs/1"
    runs: list[RunRow]


class RunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a run.

    Attributes:
        schema: Name and version of this document.
        run: Its row in the list.
        programs: Distinct programs, each counted once a problem.
        timing: How long judging took.
        manifest: Everything that its figures depend on.
    """

    schema: Literal["run/1"] = "run/1"
    run: RunRow
    programs: int
    timing: TimingRow
    manifest: Manifest
