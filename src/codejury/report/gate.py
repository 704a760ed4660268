"""The documents of `gate` and `plan`."""

from __future__ import annotations

from typing import Literal

import msgspec

from codejury.report.comparison import DetectableRow, Dropped, Waived
from codejury.report.document import ProblemSetRef

Decision = Literal["pass", "regression", "inconclusive"]


class GateCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of one problem set, or of a slice of it, against the baseline.

    Attributes:
        metric: "pass@1", "pass^5", "tokens", "prompt_tokens", "cost" or "latency".
        set: Name of the problem set; "pooled" over several.
        slice: "difficulty=hard" or "tag=strings"; empty for all problems.
        mode: "point", "regression" or "noninferiority".
        margin: What is tolerated: of pass@k and pass^k the drop, else the rise as a share of the baseline.
        alpha: One-sided level.
        problems: Number of problems.
        baseline: Figure of the baseline.
        current: Figure of the current run.
        difference: current - baseline; of tokens, cost and latency as a share of the baseline.
        low: Lower one-sided bound of the difference at alpha.
        high: Upper one-sided bound.
        method: Of the bounds.
        p: One-sided p of a change for the worse (for noninferiority of one beyond the margin).
        p_holm: That p adjusted for the number of checks.
        false_alarms: The chance that this check alone fails when nothing has changed.
        detectable: Changes for the worse that this check detects with 80 %.
        decision: What it decided.
    """

    metric: str
    set: str
    slice: str
    mode: Literal["point", "regression", "noninferiority"]
    margin: float
    alpha: float
    problems: int
    baseline: float
    current: float
    difference: float
    low: float
    high: float
    method: str
    p: float
    p_holm: float
    false_alarms: float
    detectable: list[DetectableRow]
    decision: Decision

    @property
    def rises(self) -> bool:
        """Whether more is worse."""
        return not self.metric.startswith("pass")


class GatePair(msgspec.Struct, frozen=True, kw_only=True):
    """A run and its baseline.

    Attributes:
        current: Name of the run.
        baseline: Name of the other.
        problem_set: What the current run was judged on.
        problems: Number of common problems.
        dropped: Problems that are in no figure, and why.
        waived: Conditions that differ and were waived.
        unverified: Conditions that neither says.
        lost: Ids of problems of which at least half of the samples were right, and now fewer.
        gained: The reverse.
    """

    current: str
    baseline: str
    problem_set: ProblemSetRef
    problems: int
    dropped: list[Dropped]
    waived: list[Waived]
    unverified: list[str]
    lost: list[str]
    gained: list[str]


class GateDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury gate` decided.

    Attributes:
        schema: Name and version of this document.
        decision: The worst of the checks': a regression before what is inconclusive.
        exit_code: Of the command: 0, 1, or 5 where it is inconclusive and that fails.
        on_inconclusive: What an inconclusive check does.
        pairs: What was compared.
        include_weak: Whether problems with weak verdicts are in the figures.
        checks: Each of them.
        warnings: What to know, a line each.
    """

    schema: Literal["gate/1"] = "gate/1"
    decision: Decision
    exit_code: int
    on_inconclusive: Literal["fail", "pass"]
    pairs: list[GatePair]
    include_weak: bool
    checks: list[GateCheck]
    warnings: list[str]


class NeededRow(msgspec.Struct, frozen=True, kw_only=True):
    """Problems, and samples of each in each of the two runs, with which the effect is detected.

    Attributes:
        problems: Number of problems; null where no number up to 131,072 is enough.
        samples: Samples of each; null likewise.
        model: Where the drop falls: "spread" or "lost".
    """

    problems: int | None
    samples: int | None
    model: Literal["spread", "lost"]


class PlanRow(msgspec.Struct, frozen=True, kw_only=True):
    """What given problems and samples detect.

    Attributes:
        problems: Number of problems.
        samples: Samples of each, in each of the two runs.
        model: Where the drop falls: "spread" or "lost".
        effect: The drop that is detected with the wanted power; null where none is.
        power: The simulated chance of detecting it.
        false_alarms: The chance of failing when nothing has changed.
    """

    problems: int
    samples: int
    model: Literal["spread", "lost"]
    effect: float | None
    power: float
    false_alarms: float


class PlanDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury plan` found.

    Attributes:
        schema: Name and version of this document.
        detect: The drop of pass@1 that is to be detected.
        power: The wanted chance of detecting it.
        alpha: One-sided level of the test.
        margin: Drop that is tolerated.
        mode: How the gate decides.
        abilities: Where the problems' chances are from, in words.
        mean: Mean chance of a right sample.
        spread: Mean of p (1 - p).
        needed: Problems for given samples, and samples for given problems.
        given: What given problems and samples detect.
        warnings: What to know, a line each.
    """

    schema: Literal["plan/1"] = "plan/1"
    detect: float
    power: float
    alpha: float
    margin: float
    mode: Literal["point", "regression", "noninferiority"]
    abilities: str
    mean: float
    spread: float
    needed: list[NeededRow]
    given: list[PlanRow]
    warnings: list[str]
