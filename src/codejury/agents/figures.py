"""An agent's figures, from the columns of its rollouts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from codejury import stats
from codejury.agents import measures
from codejury.model import COUNTED, STATUSES
from codejury.report.document import Estimate, Interval
from codejury.report.rollouts import BoundsRow, Figures, SecureRow, Security, Solved, TaskRow, Unknown
from codejury.stats.reliability import SECURITY_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from codejury.store import RolloutColumns

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_INFRA = STATUSES.index("infra")
_LARGEST_COUNTED = max(STATUSES.index(status) for status in COUNTED)
_THRESHOLDS = 20
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Slice:
    """One agent's rollouts of some tasks.

    Attributes:
        columns: Of the agent.
        rows: Which rollouts, all that there are of these tasks.
        tasks: Which tasks, ascending positions; each has a rollout.
    """

    columns: RolloutColumns
    rows: Mask
    tasks: Ints

    @classmethod
    def of(cls, columns: RolloutColumns, agent: int) -> Slice:
        """All rollouts of an agent. Columns are ordered by agent, so that this looks at no other's."""
        begin, end = np.searchsorted(columns.agent, [agent, agent + 1]).tolist()
        arrays: dict[str, Any] = {
            name: value[begin:end] for name, value in vars(columns).items() if isinstance(value, np.ndarray)
        }
        own = replace(columns, **arrays)
        return cls(own, np.ones(end - begin, dtype=np.bool_), np.unique(own.task))

    def within(self, tasks: Mask) -> Slice:
        """The rollouts of some tasks among these."""
        rows = self.rows & tasks[self.columns.task]
        return Slice(self.columns, rows, self.tasks[tasks[self.tasks]])

    @property
    def counted(self) -> Mask:
        """The rollouts that are in n."""
        return self.rows & (self.columns.status <= _LARGEST_COUNTED)

    def per_task(self, rows: Mask) -> Ints:
        """How many of some rollouts each task has, in the order of `tasks`."""
        return np.bincount(self.columns.task[rows], minlength=len(self.columns.tasks))[self.tasks]

    @property
    def n(self) -> Ints:
        """Rollouts of each task that count."""
        return self.per_task(self.counted)

    @property
    def c(self) -> Ints:
        """Those of them that are resolved."""
        return self.per_task(self.counted & (self.columns.resolved == 1))

    @property
    def infra(self) -> Ints:
        """Rollouts of each task on which the infrastructure failed."""
        return self.per_task(self.rows & (self.columns.status == _INFRA))

    @property
    def missing(self) -> Ints:
        """Rollouts of each task without a grade."""
        return self.per_task(self.rows & (self.columns.status > _INFRA))


def figures(part: Slice, ks: Sequence[int], level: float, warnings: list[str] | None = None) -> Figures:
    """The figures of some rollouts.

    Args:
        part: Each task has at least as many counted rollouts as the largest k.
        ks: At least 1 each.
        level: Confidence level of the intervals.
        warnings: What estimates have to say is added, where it is given.
    """
    n, c, rows, columns = part.n, part.c, part.counted, part.columns
    task = np.searchsorted(part.tasks, columns.task[rows])
    resolved, passed, total = columns.resolved[rows], columns.tests_passed[rows], columns.tests_total[rows]
    cost, calls = columns.cost_usd[rows], columns.tool_calls[rows]
    reliability, pass_hat = _at_ks(n, c, ks, level, warnings)
    return Figures(
        tasks=len(n),
        rollouts=int(n.sum()),
        resolve_rate=reliability["1"]
        if "1" in reliability
        else _estimate(stats.estimate_pass_at_k(n, c, 1, level=level)),
        reliability_at_k=reliability,
        pass_hat_k=pass_hat,
        solved=Solved(
            always=int((c == n).sum()), sometimes=int(((c > 0) & (c < n)).sum()), never=int((c == 0).sum())
        ),
        test_pass_rate=measures.shares_of_tests(passed, total, task, resolved, level),
        regression_rate=measures.shares_of_tests(columns.regressions[rows], total, task, None, level),
        tool_calls=measures.measure(calls, task, level),
        tool_efficiency=measures.measure(measures.tool_efficiency(calls), task, level, 1.0),
        cost_usd=measures.measure(cost, task, level),
        cost_adjusted=measures.measure(measures.cost_adjusted(passed, total, cost), task, level),
        cost_per_solved_task=measures.cost_per_solved(cost, resolved, task, level),
        latency_s=measures.latency(columns.latency_s[rows], task, level),
        tokens=measures.measure(columns.tokens[rows], task, level),
    )


def task_rows(part: Slice) -> list[TaskRow]:
    """A row of each task."""
    columns, rows, size = part.columns, part.counted, len(part.columns.tasks)
    task, total = columns.task[rows], columns.tests_total[rows]
    total = np.where(total > 0, total, np.nan)
    means = {
        "test_pass_rate": columns.tests_passed[rows] / total,
        "regression_rate": columns.regressions[rows] / total,
        "cost_usd": columns.cost_usd[rows],
        "tool_calls": columns.tool_calls[rows],
        "latency_s": columns.latency_s[rows],
    }
    by_name = {
        name: [
            None if np.isnan(mean) else mean
            for mean in measures.task_means(values, task, size)[part.tasks].tolist()
        ]
        for name, values in means.items()
    }
    counts = zip(part.n.tolist(), part.c.tolist(), part.infra.tolist(), part.missing.tolist(), strict=True)
    return [
        TaskRow(
            id=columns.tasks[position],
            n=n,
            c=c,
            infra=infra,
            missing=missing,
            **{name: values[at] for name, values in by_name.items()},
        )
        for at, (position, (n, c, infra, missing)) in enumerate(zip(part.tasks.tolist(), counts, strict=True))
    ]


def unknown(part: Slice, ks: Sequence[int]) -> Unknown | None:
    """The rollouts in no n, and the figures as if all of them had failed or passed; None if there are none."""
    n, c, left_out = part.n, part.c, part.infra + part.missing
    if not left_out.any():
        return None

    def bounds(estimate: str, k: int) -> BoundsRow:
        chance = stats.pass_at_k if estimate == "any" else stats.pass_hat_k
        found = [
            np.mean(chance(n + more, c + right, k))
            for more, right in ((0, 0), (left_out, 0), (left_out, left_out))
        ]
        return BoundsRow(excluded=float(found[0]), all_failed=float(found[1]), all_passed=float(found[2]))

    return Unknown(
        infra=int(part.infra.sum()),
        missing=int(part.missing.sum()),
        share=float(part.infra.sum() / part.rows.sum()),
        resolve_rate=bounds("any", 1),
        reliability_at_k={str(k): bounds("any", k) for k in ks},
        pass_hat_k={str(k): bounds("all", k) for k in ks},
    )


def security(part: Slice, ks: Sequence[int], level: float) -> Security | None:
    """Security-adjusted figures of an agent; None where no rollout has a score.

    A rollout that is not resolved needs no score. Where a resolved one has none, nothing can be said of whether it
    is secure: there are no rows then.
    """
    columns, rows = part.columns, part.counted
    score, worst, success = columns.security_score[rows], columns.worst[rows], columns.resolved[rows] == 1
    if np.isnan(score).all():
        return None
    task = np.searchsorted(part.tasks, columns.task[rows])
    scored = int((success & ~np.isnan(score)).sum())
    unscored = int(success.sum()) - scored
    paper = SECURITY_THRESHOLD
    bars = _thresholds(score[success]) if not unscored else []
    severities = ["low", "medium", "high", "critical"] if not np.isnan(worst[success]).any() else []
    n = part.n

    def row(secure: Mask, threshold: float | None, severity: str | None) -> SecureRow:
        c = np.bincount(task[success & secure], minlength=len(n))
        reliability, pass_hat = _at_ks(n, c, ks, level, None)
        return SecureRow(
            threshold=threshold,
            severity=severity,
            withdrawn=int((success & ~secure).sum()),
            pass_at_1=_estimate(stats.estimate_pass_at_k(n, c, 1, level=level)),
            reliability_at_k=reliability,
            pass_hat_k=pass_hat,
        )

    return Security(
        scored=scored,
        unscored=unscored,
        paper_threshold=paper,
        hidden=int((success & (score >= paper - _ROUNDING) & (score < 1)).sum()),
        thresholds=[row(score >= bar - _ROUNDING, bar, None) for bar in bars],
        severities=[row(worst <= rank, None, name) for rank, name in enumerate(severities)] if bars else [],
    )


def _thresholds(scores: Floats) -> list[float]:
    """0, the paper's, 1, and the scores that there are; a grid of them where there are many."""
    found = np.unique(scores)
    if len(found) > _THRESHOLDS:
        found = np.linspace(0, 1, _THRESHOLDS + 1)
    return sorted({0.0, SECURITY_THRESHOLD, 1.0, *found.tolist()})


def _at_ks(
    n: Ints, c: Ints, ks: Iterable[int], level: float, warnings: list[str] | None
) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
    """reliability@k and pass^k by k."""
    reliability, pass_hat = {}, {}
    said: dict[str, list[str]] = {}
    for k in ks:
        found = stats.estimate_reliability(n, c, k, level=level)
        reliability[str(k)], pass_hat[str(k)] = _estimate(found.reliability_at_k), _estimate(found.pass_hat_k)
        for line in found.reliability_at_k.warnings:
            said.setdefault(line.replace("problem", "task").replace("sample", "rollout"), []).append(str(k))
    if warnings is not None:
        warnings += [f"reliability@{', '.join(at)}: {line}" for line, at in said.items()]
    return reliability, pass_hat


def _estimate(found: stats.Estimate) -> Estimate:
    return Estimate(
        value=found.value, fixed_suite=_interval(found.fixed_suite), population=_interval(found.population)
    )


def _interval(found: stats.Interval | None) -> Interval | None:
    return None if found is None else Interval.of(found)
