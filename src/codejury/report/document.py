"""The documents that commands write with `--json`, as structs: versioned, with a JSON Schema each (`schemas`).

A field may be added to a document under the same version; renaming, removing or redefining one raises it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from codejury.model import Integrity, Outcome, Timing

if TYPE_CHECKING:
    from codejury import stats


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A two-sided confidence interval.

    Attributes:
        se: Standard error; null where there was no spread to estimate it from.
        low: Lower bound.
        high: Upper bound.
        method: How it was obtained.
    """

    se: float | None
    low: float
    high: float
    method: str

    @classmethod
    def of(cls, found: stats.Interval) -> Interval:
        """An interval as it was computed, for a document."""
        return cls(se=found.se, low=found.low, high=found.high, method=found.method)


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over problems with two intervals, which answer different questions.

    Attributes:
        value: 0 to 1.
        fixed_suite: Would a rerun on these problems differ? null where one run cannot tell.
        population: Would other problems of this kind differ? null where these problems cannot tell.
    """

    value: float
    fixed_suite: Interval | None
    population: Interval | None


class ProblemSetRef(msgspec.Struct, frozen=True, kw_only=True):
    """A problem set: its name, its version "N-X" and its content hash."""

    name: str
    version: str
    hash: str


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest and the largest of some numbers."""

    min: int
    max: int


class ProblemRow(msgspec.Struct, frozen=True, kw_only=True):
    """One problem: n samples whose verdict says something of them, c of which passed."""

    id: str
    n: int
    c: int


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the problems: how many, how many samples (as n), and pass@k by k."""

    problems: int
    samples: int
    pass_at_k: dict[str, Estimate]


class IntegrityCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Samples by the integrity of their verdicts, infrastructure errors left out, and how many of them passed."""

    strong: int = 0
    weak: int = 0
    strong_passed: int = 0
    weak_passed: int = 0


class FlipRow(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict that a rerun changed.

    Attributes:
        id: The first sample with this program.
        first: Outcome of the first try; "from" in JSON.
        final: Outcome that counts; "to" in JSON.
        samples: How many samples have this program.
    """

    id: str
    first: Outcome = msgspec.field(name="from")
    final: Outcome = msgspec.field(name="to")
    samples: int


class TimingRow(msgspec.Struct, frozen=True, kw_only=True):
    """Wall seconds of judging, all sessions, and samples a second in them."""

    wall_s: float
    samples_per_s: float

    @classmethod
    def of(cls, timing: Timing) -> TimingRow:
        """Rounded: more digits would be noise."""
        return cls(wall_s=round(timing.wall_s, 3), samples_per_s=round(timing.samples_per_s, 1))


class JudgeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What a run of `codejury judge` gave.

    Attributes:
        schema: Name and version of this document.
        run: Name of the run.
        problem_set: Which problems.
        samples: Samples of the run.
        judged: Samples with a verdict.
        partial: Not all samples are judged.
        programs: Distinct programs, each judged once.
        problems: Problems that the estimates are over.
        n: Samples of each of these problems that count; infrastructure errors do not.
        level: Confidence level of the intervals.
        pass_at_k: Estimates by k. Empty if the run is partial and no estimate was asked for.
        pass_at_k_base: The same of the base tests alone; a problem whose tests have no further part counts as in
            `pass_at_k`. null where no problem's have one.
        per_problem: The problems that the estimates are over, in the order of the set.
        by_difficulty: The same estimates by difficulty, where the set has difficulties.
        weak: The problems with verdicts within the candidate's reach, which no other figure holds; null if none.
        verdicts: Samples by outcome, all problems.
        integrity: Samples by the integrity of their verdicts.
        tier: Isolation tier.
        infra_errors: Samples on which the infrastructure failed: neither right nor wrong, not in n.
        flips: Verdicts that a rerun changed.
        timing: How long it took.
        missing: Ids of problems without samples, declared with `--allow-missing`; in no figure.
        dropped: Ids of problems with fewer samples than the largest k, left out with `--drop-short`.
        meta: How the samples were made, as declared.
        warnings: What to know before quoting the figures, a line each.
        conditions: What must be equal in a run that this one is compared with, by name, where it is known.
    """

    schema: Literal["judge/1"] = "judge/1"
    run: str
    problem_set: ProblemSetRef
    samples: int
    judged: int
    partial: bool
    programs: int
    problems: int
    n: Range
    level: float
    pass_at_k: dict[str, Estimate]
    pass_at_k_base: dict[str, Estimate] | None = None
    per_problem: list[ProblemRow]
    by_difficulty: dict[str, Slice]
    weak: Slice | None
    verdicts: dict[str, int]
    integrity: IntegrityCounts
    tier: str
    infra_errors: int
    flips: list[FlipRow]
    timing: TimingRow
    missing: list[str]
    dropped: list[str]
    meta: dict[str, str]
    warnings: list[str]
    conditions: dict[str, str] = {}


class References(msgspec.Struct, frozen=True, kw_only=True):
    """Problems by what their reference does with their tests; absent: there is no reference."""

    passed: int
    failed: int
    absent: int


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A program that must fail, as an empty one: on how many problems it was judged, and on how many it passed."""

    judged: int
    passed: int


class CheckFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A reference that fails, or a probe that passes.

    Attributes:
        id: The problem.
        program: "reference", or the probe's name.
        outcome: How judging it ended.
        integrity: Of the verdict.
        detail: One line for people.
    """

    id: str
    program: str
    outcome: Outcome
    integrity: Integrity = "strong"
    detail: str = ""


class SetsCheckDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury sets check` found: whether a problem set's tests accept references and reject probes.

    Attributes:
        schema: Name and version of this document.
        problem_set: Which problems.
        tier: Isolation tier.
        problems: Number of problems.
        references: What the references did.
        probes: What the probes did, by name.
        failures: What should not be.
        ok: No failure and no infrastructure error.
        timing: How long it took.
        warnings: What else to know.
    """

    schema: Literal["sets-check/1"] = "sets-check/1"
    problem_set: ProblemSetRef
    tier: str
    problems: int
    references: References
    probes: dict[str, Probe]
    failures: list[CheckFailure]
    ok: bool
    timing: TimingRow
    warnings: list[str]
