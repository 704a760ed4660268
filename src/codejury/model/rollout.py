"""Rollouts: independent runs of an agent on a task, and how each ended."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import msgspec

from codejury.model.finding import Finding

RolloutStatus = Literal["ok", "model_fail", "timeout", "infra", "missing"]
"""How a rollout ended.

"ok": it ran to its end and was graded, solved or not. "model_fail": it ended without an answer worth the name
(empty patch, unparseable or truncated output, out of memory). "timeout": the agent ran out of time or of steps.
These three count in n. "infra": a sandbox, the network or the grader failed. "missing": there is no grade. These
two do not.
"""

STATUSES: tuple[RolloutStatus, ...] = get_args(RolloutStatus)
COUNTED: tuple[RolloutStatus, ...] = ("ok", "model_fail", "timeout")
"""The statuses of rollouts that say something of the agent: those in n."""


class Rollout(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One independent run of an agent on a task.

    Attributes:
        task: What the agent was to do; not empty.
        agent: Who did it, with its model where both are known; not empty.
        rollout: Tells the rollouts of one task by one agent apart: an epoch, a trial, a run's name; not empty.
        resolved: Whether it succeeded fully; None exactly where `status` is "infra" or "missing".
        status: How it ended.
        subtype: What kind of that, as "empty_patch"; empty where nothing more is known.
        tests_passed: Tests that passed, 0 to `tests_total`; None where they are not known.
        tests_total: Tests that there are; None where they are not known. Tests are no rollouts.
        regressions: Tests that passed before the agent's change and fail after it, 0 to `tests_total`.
        cost_usd: What it cost, 0 or more.
        tool_calls: Calls of tools that the agent made.
        latency_s: Wall seconds from its begin to its end.
        tokens: Tokens read and written.
        patch: The change as a unified diff.
        code: The program, where the answer is a whole one.
        security_score: 0 to 1 as somebody gave it, 1 for nothing found.
        findings: Of a scan of `code` or `patch`; None where nothing was scanned.
        difficulty: Of the task.
        tags: Of the task.

    Raises:
        ValueError: A value is out of its range, or two contradict each other. The message begins with the field.
    """

    task: str
    agent: str
    rollout: str
    resolved: bool | None
    status: RolloutStatus = "ok"
    subtype: str = ""
    tests_passed: int | None = None
    tests_total: int | None = None
    regressions: int | None = None
    cost_usd: float | None = None
    tool_calls: int | None = None
    latency_s: float | None = None
    tokens: int | None = None
    patch: str | None = None
    code: str | None = None
    security_score: float | None = None
    findings: tuple[Finding, ...] | None = None
    difficulty: str | None = None
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("task", "agent", "rollout"):
            if not getattr(self, name):
                raise ValueError(f"{name}: is empty")
        if (self.resolved is None) != (self.status not in COUNTED):
            said = "null" if self.resolved is None else str(self.resolved).lower()
            raise ValueError(f"resolved: is {said} where the status is {self.status!r}")
        for name in ("tests_passed", "tests_total", "regressions", "tool_calls", "tokens"):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(f"{name}: is {getattr(self, name)}, below 0")
        for name in ("cost_usd", "latency_s"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name}: is {value}, no finite number of at least 0")
        if self.security_score is not None and not 0 <= self.security_score <= 1:
            raise ValueError(f"security_score: is {self.security_score}, no number from 0 to 1")
        self._check_tests()

    def _check_tests(self) -> None:
        """Counts of tests go together."""
        if (self.tests_passed is None) != (self.tests_total is None):
            given, absent = ("tests_passed", "tests_total")[:: 1 if self.tests_total is None else -1]
            raise ValueError(f"{absent}: is missing beside {given}")
        for name in ("tests_passed", "regressions"):
            value = getattr(self, name)
            if value is not None and self.tests_total is not None and value > self.tests_total:
                raise ValueError(f"{name}: is {value} of {self.tests_total} tests")

    @property
    def id(self) -> str:
        """`task#agent#rollout`, for messages."""
        return f"{self.task}#{self.agent}#{self.rollout}"


class LocatedRollout(NamedTuple):
    """A rollout, and where it was read.

    Attributes:
        rollout: The rollout.
        path: The file, as the caller named it, or the one that was found in a folder.
        line: 1-based, where the file has lines.
    """

    rollout: Rollout
    path: str
    line: int | None = None


class RolloutManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Where the rollouts of a run come from.

    Attributes:
        run: Name of the run.
        created: UTC, ISO 8601.
        format: The importer.
        source: The file or folder, as the caller named it; its last part only, as paths tell of machines.
        notes: What was met while reading, a line each.
        versions: Versions of codejury and of Python.
    """

    run: str
    created: str
    format: str
    source: str
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = {}
