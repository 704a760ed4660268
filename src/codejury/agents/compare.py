"""Agents side by side: metrics that rank them, and figures of one rollout that may stand in for several."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from codejury import stats
from codejury.agents import measures
from codejury.report.rollouts_compare import Agreement, ProxyRow, RankRow
from codejury.stats.ranks import THRESHOLD, kendall, spearman, stand_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from codejury.agents.figures import Slice
    from codejury.stats.ranks import RankAgreement

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Side:
    """One agent of one run.

    Attributes:
        name: What it is called in the comparison.
        run: The run of rollouts.
        agent: Its name there.
        format: The importer that its rollouts came by.
        part: Its rollouts.
        order: Its tasks, as positions in `part.tasks`, in the order of the comparison.
    """

    name: str
    run: str
    agent: str
    format: str
    part: Slice
    order: Ints

    @property
    def ids(self) -> tuple[str, ...]:
        """The tasks in the order of the comparison."""
        names = self.part.columns.tasks
        return tuple(names[at] for at in self.part.tasks[self.order].tolist())

    @property
    def n(self) -> Ints:
        """Rollouts of each task that count."""
        return self.part.n[self.order]

    @property
    def c(self) -> Ints:
        """Those of them that are resolved."""
        return self.part.c[self.order]

    def over(self, ids: Sequence[str]) -> Side:
        """The same agent over some of its tasks, in this order."""
        wanted = set(ids)
        mask = np.array([name in wanted for name in self.part.columns.tasks])
        part = self.part.within(mask)
        places = {part.columns.tasks[task]: at for at, task in enumerate(part.tasks.tolist())}
        return replace(self, part=part, order=np.array([places[name] for name in ids], dtype=np.int64))

    def tests(self) -> Floats:
        """The most tests that a rollout of each task had; nan where none says."""
        return _most(self.part.columns.tests_total, self.part.rows, self)

    def first(self, values: Floats) -> Floats:
        """A column's value in the first rollout of each task that counts; nan where nothing is known."""
        rows = np.flatnonzero(self.part.counted)
        tasks, places = np.unique(self.part.columns.task[rows], return_index=True)
        found = np.full(len(self.part.columns.tasks), np.nan)
        found[tasks] = values[rows[places]]
        return found[self.part.tasks][self.order]


def _most(values: Floats, rows: Mask, side: Side) -> Floats:
    known = rows & ~np.isnan(values)
    found = np.full(len(side.part.columns.tasks), -np.inf)
    np.maximum.at(found, side.part.columns.task[known], values[known])
    found[np.isinf(found)] = np.nan
    return found[side.part.tasks][side.order]


def metrics(side: Side, k: int) -> dict[str, float | None]:
    """What agents are ranked by, over a side's tasks; more is better in each.

    Args:
        side: Each task has k rollouts at least.
        k: Of reliability@k and pass^k.
    """
    columns, rows = side.part.columns, side.part.counted
    task = np.searchsorted(side.part.tasks, columns.task[rows])
    total = np.where(columns.tests_total[rows] > 0, columns.tests_total[rows], np.nan)
    by_rollout = {
        "test pass rate": columns.tests_passed[rows] / total,
        "1 - regression rate": 1 - columns.regressions[rows] / total,
        "tool efficiency": measures.tool_efficiency(columns.tool_calls[rows]),
        "-cost": -columns.cost_usd[rows],
    }
    found: dict[str, float | None] = {"pass@1": float(np.mean(stats.pass_at_k(side.n, side.c, 1)))}
    if k > 1:
        found[f"reliability@{k}"] = float(np.mean(stats.pass_at_k(side.n, side.c, k)))
        found[f"pass^{k}"] = float(np.mean(stats.pass_hat_k(side.n, side.c, k)))
        if (secure := _secure(side)) is not None:
            found[f"reliability@{k}, no finding"] = float(np.mean(stats.pass_at_k(side.n, secure, k)))
    for name, values in by_rollout.items():
        means = measures.task_means(values, task, len(side.part.tasks))
        # of some tasks alone it would rank agents by which tasks are known
        found[name] = None if np.isnan(means).any() else float(means.mean())
    return found


def _secure(side: Side) -> Ints | None:
    """Rollouts of each task that are resolved without any finding; None where one of them has no score."""
    columns = side.part.columns
    resolved = side.part.counted & (columns.resolved == 1)
    if np.isnan(columns.security_score[resolved]).any():
        return None
    return side.part.per_task(resolved & (columns.security_score >= 1 - _ROUNDING))[side.order]


def ranks(of_agents: Sequence[Mapping[str, float | None]]) -> list[RankRow]:
    """How far metrics agree on the order of three or more agents, for each two that are known of all of them."""
    if len(of_agents) < 3:
        return []
    known = [name for name in of_agents[0] if all(one[name] is not None for one in of_agents)]
    found = []
    for x, y in itertools.combinations(known, 2):
        one, two = ([float(of[name] or 0.0) for of in of_agents] for name in (x, y))
        found.append(
            RankRow(
                x=x,
                y=y,
                agents=len(of_agents),
                least_p=min(1.0, 2 / math.factorial(len(of_agents))),
                spearman=_agreement(spearman(one, two)),
                kendall=_agreement(kendall(one, two)),
            )
        )
    return found


def proxies(sides: Sequence[Side], k: int, *, level: float) -> list[ProxyRow]:
    """Whether figures of one rollout may stand in for reliability@k of repeated runs, over all tasks and agents.

    The paper counts the proxy's own rollout in the reliability, too. Here that is made of the other rollouts.

    Args:
        sides: Over the same tasks, each with one rollout more than k at least.
        k: Of reliability@k.
        level: Of the bounds.
    """
    target = np.concatenate([_of_others(side, k) for side in sides])
    tasks = [name for side in sides for name in side.ids]
    by_name = [_proxies(side) for side in sides]
    found = []
    for name in by_name[0]:
        values = np.concatenate([of[name] for of in by_name])
        if len(values) < 2 or np.isnan(values).any():
            continue
        test = stand_in(values, target, tasks, threshold=THRESHOLD, level=level)
        found.append(
            ProxyRow(
                proxy=name,
                target=f"reliability@{k} of the other rollouts",
                pairs=len(values),
                spearman=_agreement(test.rho),
                low=test.low,
                high=test.high,
                ceiling=test.ceiling,
                threshold=test.threshold,
                decision=test.decision.value,
            )
        )
    return found


def _of_others(side: Side, k: int) -> Floats:
    """reliability@k of each task without its first rollout."""
    c = side.c - side.first(side.part.columns.resolved).astype(np.int64)
    return np.asarray(stats.pass_at_k(side.n - 1, c, k))


def _proxies(side: Side) -> dict[str, Floats]:
    """Figures of the first rollout of each task."""
    columns = side.part.columns
    total = np.where(columns.tests_total > 0, columns.tests_total, np.nan)
    share, broken = columns.tests_passed / total, columns.regressions / total
    return {
        "resolved": side.first(columns.resolved),
        "test pass rate": side.first(share),
        "test pass rate * (1 - regression rate) * tool efficiency": side.first(
            share * (1 - broken) * measures.tool_efficiency(columns.tool_calls)
        ),
    }


def _agreement(found: RankAgreement) -> Agreement | None:
    if found.value is None or found.p is None:
        return None
    return Agreement(value=found.value, p=found.p, method=found.method)
