"""The documents on agents' rollouts: what was imported, the runs that there are, and an agent's figures."""

from __future__ import annotations

from typing import Literal

import msgspec

from codejury.report.document import Estimate, Range


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over tasks of each task's mean over its rollouts, with the interval for other tasks of this kind.

    Attributes:
        value: The mean.
        se: Standard error; null for one task, or no spread.
        low: Lower bound; null for one task, and for no spread of what is no share.
        high: Upper bound; the same.
        method: "t"; for a share without spread that of a binomial interval with the number of tasks; else null.
        tasks: Tasks with a rollout of which it is known.
        rollouts: Rollouts of which it is known.
    """

    value: float
    se: float | None
    low: float | None
    high: float | None
    method: str | None
    tasks: int
    rollouts: int


class SharesOfTests(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of tests; a high one says nothing of whether tasks were solved.

    Attributes:
        macro: By task first.
        pooled: All tests in one pot: tasks with many tests outweigh the others.
        gap_to_resolved: `macro` less the strict resolve rate of the same tasks; null for regressions.
        gap_to_pooled: `macro` less `pooled`.
    """

    macro: Measure
    pooled: float
    gap_to_resolved: Measure | None
    gap_to_pooled: float


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Wall seconds of rollouts: their mean by task, and quantiles over all of them."""

    mean: Measure
    median: float
    p90: float


class Solved(msgspec.Struct, frozen=True, kw_only=True):
    """Number of tasks by how many of their rollouts are resolved: all, some or none."""

    always: int
    sometimes: int
    never: int


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What some tasks' rollouts by one agent give. Only rollouts in n count; null: nothing is known of it.

    Attributes:
        tasks: Number of tasks.
        rollouts: Number of rollouts in n.
        resolve_rate: A single rollout resolves a task (pass@1), strictly: all tests.
        reliability_at_k: At least one of k rollouts does, by k (arXiv 2608.14711).
        pass_hat_k: All of k rollouts do, by k.
        solved: Tasks by how often they were resolved.
        test_pass_rate: Tests passed of all.
        regression_rate: Regressions of all tests.
        tool_calls: Calls of tools.
        tool_efficiency: max(0, 1 - calls / 20).
        cost_usd: Of a rollout.
        cost_adjusted: Test pass rate / ln(1 + cost); rollouts that cost nothing have none: it has no bound there.
        cost_per_solved_task: Cost of one rollout of each task, over the tasks that this resolves; null if none is.
        latency_s: Seconds of a rollout.
        tokens: Of a rollout.
    """

    tasks: int
    rollouts: int
    resolve_rate: Estimate
    reliability_at_k: dict[str, Estimate]
    pass_hat_k: dict[str, Estimate]
    solved: Solved
    test_pass_rate: SharesOfTests | None
    regression_rate: SharesOfTests | None
    tool_calls: Measure | None
    tool_efficiency: Measure | None
    cost_usd: Measure | None
    cost_adjusted: Measure | None
    cost_per_solved_task: Measure | None
    latency_s: Latency | None
    tokens: Measure | None


class BoundsRow(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with the rollouts left out that say nothing, and as if all of them had failed, or passed."""

    excluded: float
    all_failed: float
    all_passed: float


class Unknown(msgspec.Struct, frozen=True, kw_only=True):
    """Rollouts that are in no n, and what they leave open.

    Attributes:
        infra: A sandbox, the network or the grader failed.
        missing: There is no grade.
        share: Of infra among all rollouts.
        resolve_rate: With its bounds.
        reliability_at_k: The same by k.
        pass_hat_k: The same by k.
    """

    infra: int
    missing: int
    share: float
    resolve_rate: BoundsRow
    reliability_at_k: dict[str, BoundsRow]
    pass_hat_k: dict[str, BoundsRow]


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """Rollouts that ended alike, and how many of them are resolved."""

    status: str
    subtype: str
    rollouts: int
    resolved: int


class SecureRow(msgspec.Struct, frozen=True, kw_only=True):
    """Figures where a rollout must be resolved and secure enough.

    Attributes:
        threshold: Least score; null where findings decide.
        severity: Findings of this severity or worse count against a rollout; null where a score decides.
        withdrawn: Resolved rollouts that are not secure enough: 0 says that the bar does not bind.
        pass_at_1: A single rollout is resolved and secure.
        reliability_at_k: At least one of k is, by k.
        pass_hat_k: All of k are, by k.
    """

    threshold: float | None
    severity: str | None
    withdrawn: int
    pass_at_1: Estimate
    reliability_at_k: dict[str, Estimate]
    pass_hat_k: dict[str, Estimate]


class Security(msgspec.Struct, frozen=True, kw_only=True):
    """Security-adjusted figures, counted per rollout.

    Attributes:
        scored: Resolved rollouts with a score.
        unscored: Resolved rollouts without one; where there are any, the rows are empty.
        paper_threshold: The one of arXiv 2608.14711.
        hidden: Resolved rollouts with a score below 1 that this threshold lets through all the same.
        thresholds: Rows by the score's threshold.
        severities: Rows by the severity that counts; empty where not all resolved rollouts were scanned.
    """

    scored: int
    unscored: int
    paper_threshold: float
    hidden: int
    thresholds: list[SecureRow]
    severities: list[SecureRow]


class TaskRow(msgspec.Struct, frozen=True, kw_only=True):
    """One task of one agent.

    Attributes:
        id: The task.
        n: Rollouts that say something of the agent.
        c: Those of them that are resolved.
        infra: Rollouts on which the infrastructure failed.
        missing: Rollouts without a grade.
        test_pass_rate: Mean share of tests passed.
        regression_rate: Mean share of tests that regressed.
        cost_usd: Mean cost of a rollout.
        tool_calls: Mean number of calls.
        latency_s: Mean seconds.
    """

    id: str
    n: int
    c: int
    infra: int
    missing: int
    test_pass_rate: float | None
    regression_rate: float | None
    cost_usd: float | None
    tool_calls: float | None
    latency_s: float | None


class AgentFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One agent.

    Attributes:
        agent: Its name.
        rollouts: All of its rollouts, of the tasks that count.
        n: Rollouts of a task that count, the fewest and the most.
        figures: Over all tasks.
        by_difficulty: The same by the tasks' difficulty, where tasks have one.
        by_tag: The same by tag; a task counts for each of its tags. Of many, the 100 with the most tasks.
        unknown: Rollouts in no n; null if there are none.
        modes: How its rollouts of all tasks ended, the most frequent first.
        security: Security-adjusted figures; null where no rollout has a score.
        per_task: Its tasks, in the order of the import.
    """

    agent: str
    rollouts: int
    n: Range
    figures: Figures
    by_difficulty: dict[str, Figures]
    by_tag: dict[str, Figures]
    unknown: Unknown | None
    modes: list[Mode]
    security: Security | None
    per_task: list[TaskRow]


class RolloutsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury rollouts report` gives.

    Attributes:
        schema: Name and version of this document.
        run: Name of the run.
        format: The importer.
        source: What was imported.
        rollouts: All rollouts of the run.
        tasks: Tasks that the figures are over.
        level: Confidence level of the intervals.
        ks: The k of the figures.
        dropped: Tasks with fewer rollouts than the largest k, left out of every figure with `--drop-short`.
        agents: The agents, in the order of the import.
        warnings: What to know before quoting the figures, a line each.
        notes: What was met at the import, a line each.
    """

    schema: Literal["rollouts-report/1"] = "rollouts-report/1"
    run: str
    format: str
    source: str
    rollouts: int
    tasks: int
    level: float
    ks: list[int]
    dropped: list[str]
    agents: list[AgentFigures]
    warnings: list[str]
    notes: list[str]


class RolloutRunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run of rollouts in the list."""

    run: str
    created: str
    format: str
    source: str
    rollouts: int
    tasks: int
    agents: int
    notes: list[str]


class RolloutRunsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of rollouts of a store, oldest first; after an import the new one alone."""

    schema: Literal["rollouts/1"] = "rollouts/1"
    runs: list[RolloutRunRow]
