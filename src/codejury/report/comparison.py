"""The document of `compare`: runs against the first of them, over the problems that all have."""

from __future__ import annotations

from typing import Literal

import msgspec

from codejury.report.document import Estimate, Interval, ProblemSetRef, Range


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """Problems that are in no figure.

    Attributes:
        run: The run that they are left out for; empty where it is any.
        reason: Why.
        ids: Which.
    """

    run: str
    reason: str
    ids: list[str]


class Waived(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that differs, and was waived by its name.

    Attributes:
        condition: Its name.
        values: What it is, by run; "unknown" where a run does not say.
    """

    condition: str
    values: dict[str, str]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What changed from the first run.

    Attributes:
        a: The first run's mean.
        b: This run's.
        value: b - a.
        fixed_suite: Would it differ if both were run again on these problems?
        population: Would it differ on other problems of this kind? null where these problems cannot tell.
        p: Two-sided, on these problems: Cochran-Mantel-Haenszel at k = 1, with n = 1 McNemar's mid-p, else normal.
        p_holm: That p adjusted for the number of runs that are compared with the first.
        p_population: Two-sided, of the permutation test that flips the signs of the problems' differences.
    """

    a: float
    b: float
    value: float
    fixed_suite: Interval
    population: Interval | None
    p: float
    p_holm: float
    p_population: float


class McNemar(msgspec.Struct, frozen=True, kw_only=True):
    """Problems that flipped where each has one sample, and the exact and the mid-p of their numbers."""

    lost: int
    gained: int
    p_exact: float
    p_mid: float


class Flipped(msgspec.Struct, frozen=True, kw_only=True):
    """A problem of which at least half of the samples were right in one run, and fewer in the other."""

    id: str
    n_a: int
    c_a: int
    n_b: int
    c_b: int


class SliceDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The difference in pass@k, for the smallest k, over some of the problems.

    Attributes:
        kind: "difficulty", "tag" or "set".
        name: Which.
        problems: How many.
        a: The first run's mean.
        b: This run's.
        value: b - a.
        fixed_suite: As in `Difference`.
        p: As in `Difference`.
        q: That p adjusted over all slices of this comparison (Benjamini and Hochberg).
    """

    kind: Literal["difficulty", "tag", "set"]
    name: str
    problems: int
    a: float
    b: float
    value: float
    fixed_suite: Interval
    p: float
    q: float


class DetectableRow(msgspec.Struct, frozen=True, kw_only=True):
    """A drop that would be detected with a chance of 80 %, by simulation on the runs' own rates.

    Attributes:
        model: Where the drop falls: "spread" takes the same from every problem, as far as it has it; "lost" takes
            all of some problems; "normal" is no simulation, of a measure that should not rise.
        effect: The drop; null where not even a drop to 0 would be detected so often.
        power: The simulated chance.
    """

    model: Literal["spread", "lost", "normal"]
    effect: float | None
    power: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One run against the first.

    Attributes:
        run: Its name.
        pass_at_k: Differences by k.
        pass_hat_k: Of pass^k, by k.
        mcnemar: Where each problem has one sample in both runs; else null.
        lost: Problems that flipped to wrong.
        gained: Problems that flipped to right.
        slices: Differences by difficulty and tag, for the smallest k.
        detectable: What a test at this level could detect at the smallest k.
    """

    run: str
    pass_at_k: dict[str, Difference]
    pass_hat_k: dict[str, Difference]
    mcnemar: McNemar | None
    lost: list[Flipped]
    gained: list[Flipped]
    slices: list[SliceDifference]
    detectable: list[DetectableRow]


class ComparedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One of the runs, over the common problems.

    Attributes:
        run: Its name.
        problem_set: Which problems it has.
        n: Samples of each common problem.
        pass_at_k: Estimates by k.
        meta: How its samples were made, as declared.
    """

    run: str
    problem_set: ProblemSetRef
    n: Range
    pass_at_k: dict[str, Estimate]
    meta: dict[str, str]


class SweepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One setting of a sweep: its value, its run, and pass@k by k; a k that it has no estimate for is left out."""

    value: str
    run: str
    pass_at_k: dict[str, Estimate]


class SweepBest(msgspec.Struct, frozen=True, kw_only=True):
    """The best setting for a k, chosen on the same data that it is reported on: its figure is too good.

    Attributes:
        value: The setting.
        run: Its run.
        estimate: pass@k there.
        ties: Other settings whose difference from it is no more than chance (p >= 1 - level, Holm).
    """

    value: str
    run: str
    estimate: Estimate
    ties: list[str]


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """Runs of one model that differ in one setting.

    Attributes:
        condition: The setting.
        rows: By its value, ascending.
        best: By k.
        chosen_on_same_data: Always true: confirm the choice on fresh samples before quoting its figure.
    """

    condition: str
    rows: list[SweepRow]
    best: dict[str, SweepBest]
    chosen_on_same_data: bool = True


class CompareDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury compare` gave.

    Attributes:
        schema: Name and version of this document.
        baseline: The first run, which the others are compared with.
        runs: All of them.
        level: Confidence level of the intervals.
        problems: Number of common problems, which all figures are over.
        dropped: Problems that are not, and why.
        waived: Conditions that differ and were waived.
        unverified: Conditions that no run says.
        include_weak: Whether problems with weak verdicts are in the figures.
        comparisons: The other runs, in their order.
        sweep: Where one was asked for.
        warnings: What to know before quoting the figures, a line each.
    """

    schema: Literal["compare/1"] = "compare/1"
    baseline: str
    runs: list[ComparedRun]
    level: float
    problems: int
    dropped: list[Dropped]
    waived: list[Waived]
    unverified: list[str]
    include_weak: bool
    comparisons: list[Comparison]
    sweep: Sweep | None
    warnings: list[str]
