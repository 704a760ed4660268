"""Agents against the first of them: paired over the tasks that all did, by counts of their rollouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury import stats
from codejury.agents.compare import metrics, proxies, ranks
from codejury.model import UsageError
from codejury.pipeline import refusals
from codejury.pipeline.compare import (
    TRIALS,
    detectable_rows,
    difference_rows,
    flipped,
    mcnemar_row,
    slice_differences,
)
from codejury.pipeline.fairness import waiver_note
from codejury.pipeline.rollout_report import INFRA_SHARE_LIMIT
from codejury.pipeline.rollouts_sides import (
    CONDITIONS,
    check_alike,
    counted,
    left_out,
    over_common,
    refuse,
    sides_of,
    without_short,
)
from codejury.pipeline.sides import Aligned, shown
from codejury.report.document import Estimate, Interval, Range
from codejury.report.rollouts_compare import AgentComparison, ComparedAgent, RolloutsCompareDocument
from codejury.stats import Estimator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.agents.compare import Side
    from codejury.report.comparison import Dropped
    from codejury.report.rollouts_compare import ProxyRow
    from codejury.store import Store

MOST_K = 5
"""Without --k, figures are given for 1 and the fewest rollouts of a task, but not above this."""

_LEAST_TRIALS = 200
_SIMULATED = 4_000_000  # tasks of all trials: with more tasks fewer trials do


@dataclass(frozen=True)
class RolloutsCompareSettings:
    """What `rollouts compare` is asked for.

    Attributes:
        names: Runs of rollouts, or agents in them as RUN:AGENT; a run stands for all of its agents.
        ks: The k of reliability@k and pass^k; None is 1 and the fewest rollouts of a task, at most `MOST_K`.
        level: Confidence level of the intervals.
        waive: Conditions that may differ.
        drop_short: Leave tasks with fewer rollouts than the largest k out, and say which.
        allow_missing: Go on though rollouts have no grade; they are in no n.
        max_infra: Share of infrastructure failures of an agent above which nothing is compared.
    """

    names: tuple[str, ...]
    ks: tuple[int, ...] | None = None
    level: float = 0.95
    waive: tuple[str, ...] = ()
    drop_short: bool = False
    allow_missing: bool = False
    max_infra: float = INFRA_SHARE_LIMIT


def compare_rollouts(store: Store, settings: RolloutsCompareSettings) -> RolloutsCompareDocument:
    """Compare agents with the first of them, over the tasks that all of them did.

    Args:
        store: Where the runs are.
        settings: Which agents, and how.

    Raises:
        UsageError: Fewer than two agents, an unknown one or the same twice; no common task; a k below 1 or above
            some task's rollouts; rollouts without a grade; a level, share or condition that there is not.
        NotComparableError: Conditions differ that are not waived.
        InfrastructureError: Too many infrastructure failures of an agent.
    """
    _check(settings)
    sides = sides_of(store, settings.names)
    for side in sides:
        refuse(side, allow_missing=settings.allow_missing, max_infra=settings.max_infra)
    common = over_common(sides)
    waived, unverified = check_alike(sides, common, settings.waive)
    dropped = left_out(sides, common)
    ks = _ks(common, settings)
    common, short = without_short(common, ks[-1], drop_short=settings.drop_short)
    dropped += short
    agents = [_agent(side, ks, settings.level) for side in common]
    aligned = _aligned(common, dropped)
    others = min(ks[-1], int(aligned.n.min()) - 1)
    found = proxies(common, others, level=settings.level) if others else []
    notes = [*map(waiver_note, waived), *map(_dropped_note, dropped)]
    return RolloutsCompareDocument(
        baseline=common[0].name,
        agents=agents,
        level=settings.level,
        ks=list(ks),
        tasks=len(aligned.ids),
        dropped=dropped,
        waived=waived,
        unverified=unverified,
        comparisons=_comparisons(common, aligned, ks, settings.level),
        ranks=ranks([agent.metrics for agent in agents]),
        proxies=found,
        warnings=notes + _warnings(common, unverified, found),
    )


def _check(settings: RolloutsCompareSettings) -> None:
    refusals.check_options(settings.level, settings.ks, settings.max_infra)
    if unknown := sorted(set(settings.waive) - set(CONDITIONS)):
        raise UsageError(f"--waive {', '.join(unknown)}: no such condition; take of {', '.join(CONDITIONS)}")


def _ks(common: Sequence[Side], settings: RolloutsCompareSettings) -> tuple[int, ...]:
    if settings.ks is not None:
        return tuple(sorted(set(settings.ks)))
    n = np.min([side.n for side in common], axis=0)
    least = n[n > 0] if settings.drop_short and n.any() else n
    return tuple(sorted({1, max(1, min(MOST_K, int(least.min())))}))


def _aligned(common: Sequence[Side], dropped: Sequence[Dropped]) -> Aligned:
    """The counts in the form that comparisons of runs have, too."""
    n, c = np.stack([side.n for side in common]), np.stack([side.c for side in common])
    first = common[0]
    places = first.part.tasks[first.order].tolist()
    columns = first.part.columns
    return Aligned(
        (),
        first.ids,
        n,
        n,
        c,
        tuple(columns.difficulty[at] for at in places),
        (None,) * len(places),
        tuple(columns.tags[at] for at in places),
        tuple(dropped),
    )


# ---- figures


def _agent(side: Side, ks: Sequence[int], level: float) -> ComparedAgent:
    n, c = side.n, side.c
    found = {k: stats.estimate_reliability(n, c, k, level=level) for k in ks}
    return ComparedAgent(
        name=side.name,
        run=side.run,
        agent=side.agent,
        n=Range(min=int(n.min()), max=int(n.max())),
        resolve_rate=_estimate(stats.estimate_pass_at_k(n, c, 1, level=level)),
        reliability_at_k={str(k): _estimate(one.reliability_at_k) for k, one in found.items()},
        pass_hat_k={str(k): _estimate(one.pass_hat_k) for k, one in found.items()},
        metrics=metrics(side, ks[-1]),
    )


def _comparisons(
    common: Sequence[Side], aligned: Aligned, ks: Sequence[int], level: float
) -> list[AgentComparison]:
    rates = difference_rows(aligned, 1, Estimator.PASS_AT_K, level)
    reliability = {k: difference_rows(aligned, k, Estimator.PASS_AT_K, level) for k in ks}
    pass_hat = {k: difference_rows(aligned, k, Estimator.PASS_HAT_K, level) for k in ks}
    found = []
    trials = min(TRIALS, max(_LEAST_TRIALS, _SIMULATED // len(aligned.ids)))
    for row in range(1, len(common)):
        lost, gained = flipped(aligned, row)
        single = bool((aligned.n[[0, row]] == 1).all())
        found.append(
            AgentComparison(
                name=common[row].name,
                resolve_rate=rates[row - 1],
                reliability_at_k={str(k): of[row - 1] for k, of in reliability.items()},
                pass_hat_k={str(k): of[row - 1] for k, of in pass_hat.items()},
                mcnemar=mcnemar_row(len(lost), len(gained)) if single else None,
                lost=lost,
                gained=gained,
                slices=slice_differences(aligned, row, 1, level),
                detectable=detectable_rows(aligned, row, 1, level, trials=trials),
            )
        )
    return found


def _dropped_note(row: Dropped) -> str:
    where = f" ({row.run})" if row.run else ""
    return f"left out of every figure: {counted(len(row.ids), 'task')}, {row.reason}{where}: {shown(row.ids)}"


def _warnings(common: Sequence[Side], unverified: Sequence[str], found: Sequence[ProxyRow]) -> list[str]:
    warnings = [f"unverified, as no rollout says: {', '.join(unverified)}"] if unverified else []
    for side in common:
        if infra := int(side.part.infra.sum()):
            warnings.append(
                f"{side.name}: in no n: {counted(infra, 'rollout')} that ended in infrastructure failures"
            )
        if missing := int(side.part.missing.sum()):
            warnings.append(f"{side.name}: in no n: {counted(missing, 'rollout')} without a grade")
    if all(int(side.n.max()) == 1 for side in common):
        warnings.append("one rollout of each task: nothing can be said of reliability@k, or of what may stand in")
    if found and len(common[0].ids) < 20:
        warnings.append(f"proxies: {counted(len(common[0].ids), 'task')}, so the bounds of rho are rough")
    return warnings


def _estimate(found: stats.Estimate) -> Estimate:
    return Estimate(
        value=found.value,
        fixed_suite=None if found.fixed_suite is None else Interval.of(found.fixed_suite),
        population=None if found.population is None else Interval.of(found.population),
    )
