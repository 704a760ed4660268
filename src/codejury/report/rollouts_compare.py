"""The document of `rollouts compare`: agents against the first of them, over the tasks that all did."""

from __future__ import annotations

from typing import Literal

import msgspec

from codejury.report.comparison import (
    DetectableRow,
    Difference,
    Dropped,
    Flipped,
    McNemar,
    SliceDifference,
    Waived,
)
from codejury.report.document import Estimate, Range


class ComparedAgent(msgspec.Struct, frozen=True, kw_only=True):
    """One agent, over the common tasks.

    Attributes:
        name: What it is called here: its own name, its run's, or RUN:AGENT where neither tells them apart.
        run: The run of rollouts.
        agent: Its name there.
        n: Rollouts of a task that count, the fewest and the most.
        resolve_rate: A single rollout resolves a task (pass@1), strictly.
        reliability_at_k: At least one of k rollouts does, by k.
        pass_hat_k: All of k rollouts do, by k.
        metrics: What agents are ranked by, by name, more being better; null where it is not known.
    """

    name: str
    run: str
    agent: str
    n: Range
    resolve_rate: Estimate
    reliability_at_k: dict[str, Estimate]
    pass_hat_k: dict[str, Estimate]
    metrics: dict[str, float | None]


class AgentComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One agent against the first, paired by task.

    Attributes:
        name: Which.
        resolve_rate: The difference in pass@1.
        reliability_at_k: Differences by k.
        pass_hat_k: Differences by k.
        mcnemar: Where each task has one rollout by both; else null.
        lost: Tasks of which the first resolved at least half of its rollouts, and this agent fewer.
        gained: The other way round.
        slices: Differences in the resolve rate by difficulty and tag.
        detectable: Drops of the resolve rate that such a comparison detects.
    """

    name: str
    resolve_rate: Difference
    reliability_at_k: dict[str, Difference]
    pass_hat_k: dict[str, Difference]
    mcnemar: McNemar | None
    lost: list[Flipped]
    gained: list[Flipped]
    slices: list[SliceDifference]
    detectable: list[DetectableRow]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """A rank correlation.

    Attributes:
        value: -1 (opposite order) to 1 (the same).
        p: Two-sided, for a value of 0.
        method: Of p: "exact" over all orders, "t" or "normal".
    """

    value: float
    p: float
    method: str


class RankRow(msgspec.Struct, frozen=True, kw_only=True):
    """Whether two metrics order the agents alike.

    Attributes:
        x: A metric.
        y: Another one.
        agents: Number of agents.
        least_p: The least p that so many agents can give: two of all orders.
        spearman: Spearman's rho; null where all agents are alike by one of the metrics.
        kendall: Kendall's tau-b; the same.
    """

    x: str
    y: str
    agents: int
    least_p: float
    spearman: Agreement | None
    kendall: Agreement | None


class ProxyRow(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a figure of one rollout may stand in for repeated runs (hypothesis H3 of arXiv 2608.14711).

    Attributes:
        proxy: The figure of one rollout of a task.
        target: The figure of the task's other rollouts.
        pairs: Number of tasks by agents.
        spearman: Their rank correlation; null where one of them is the same everywhere.
        low: Lower bound of rho, by a bootstrap over tasks; null with too few, or where nothing can be tested.
        high: Upper bound.
        ceiling: The largest rho that these values could give: ties of the target keep it below 1.
        threshold: The least rho with which it may stand in.
        decision: "yes" where the lower bound reaches the threshold, "no" where the upper bound is below it,
            "untestable" where the ceiling is, else "undecided".
    """

    proxy: str
    target: str
    pairs: int
    spearman: Agreement | None
    low: float | None
    high: float | None
    ceiling: float | None
    threshold: float
    decision: Literal["yes", "no", "undecided", "untestable"]


class RolloutsCompareDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury rollouts compare` gives.

    Attributes:
        schema: Name and version of this document.
        baseline: The first agent, which the others are compared with.
        agents: All of them.
        level: Confidence level of the intervals.
        ks: The k of the figures.
        tasks: Number of common tasks, which all figures are over.
        dropped: Tasks that are not, and why; `run` is the agent.
        waived: Conditions that differ and were waived.
        unverified: Conditions of which no agent's rollouts say anything.
        comparisons: The other agents, in their order.
        ranks: Agreement of metrics on the order of agents, where there are three or more.
        proxies: Whether one rollout may stand in for several; empty where tasks have one rollout.
        warnings: What to know before quoting the figures, a line each.
    """

    schema: Literal["rollouts-compare/1"] = "rollouts-compare/1"
    baseline: str
    agents: list[ComparedAgent]
    level: float
    ks: list[int]
    tasks: int
    dropped: list[Dropped]
    waived: list[Waived]
    unverified: list[str]
    comparisons: list[AgentComparison]
    ranks: list[RankRow]
    proxies: list[ProxyRow]
    warnings: list[str]
