"""Figures of agents from a run of rollouts: which tasks count, what is refused, what is said beside a figure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury import stats
from codejury.agents.figures import Slice, figures, security, task_rows, unknown
from codejury.model import InfrastructureError, UsageError
from codejury.pipeline import refusals
from codejury.pipeline.refusals import SEE
from codejury.report.document import Range
from codejury.report.rollouts import AgentFigures, Figures, Mode, RolloutsDocument, Security

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from codejury.store import ModeRow, RolloutColumns, Store

    Mask = NDArray[np.bool_]  # one a task of the run

INFRA_SHARE_LIMIT = 0.05
"""Share of an agent's rollouts above which infrastructure failures make its figures worthless."""

MOST_KS = 8
"""Without --k, figures are given for k = 1 to the fewest rollouts of a task, but not above this."""

_SHOWN = 5
_MOST_TAGS = 100
_DIFFICULTIES = ("easy", "medium", "hard")
_UNRATED = "unrated"


@dataclass(frozen=True)
class ReportSettings:
    """Which figures of rollouts are given.

    Attributes:
        ks: The k of reliability@k and pass^k; None is 1 to the fewest rollouts of a task, at most `MOST_KS`.
        level: Confidence level of the intervals.
        drop_short: Leave tasks of which an agent has fewer rollouts than the largest k out of every figure.
        allow_missing: Go on though rollouts have no grade: they are in no n, and bounds say what that leaves open.
        max_infra: Share of infrastructure failures of an agent above which the report fails.
    """

    ks: tuple[int, ...] | None = None
    level: float = 0.95
    drop_short: bool = False
    allow_missing: bool = False
    max_infra: float = INFRA_SHARE_LIMIT


def report_rollouts(store: Store, name: str, settings: ReportSettings | None = None) -> RolloutsDocument:
    """The figures of every agent of a run, from columns of its rollouts.

    Args:
        store: Where the run is.
        name: Its name.
        settings: Which figures.

    Raises:
        UsageError: No such run; a k below 1 or above some task's rollouts; rollouts without a grade that nobody
            allowed; a level or share outside its range.
        InfrastructureError: The share of infrastructure failures of an agent is above `max_infra`.
    """
    settings = settings or ReportSettings()
    _check(settings)
    info = store.rollouts.find(name)
    manifest, columns = store.rollouts.manifest(info.id), store.rollouts.columns(info.id)
    parts = [Slice.of(columns, agent) for agent in range(len(columns.agents))]
    _refuse_missing(columns, parts, settings)
    _refuse_infra(columns, parts, settings)
    kept, ks = _kept(columns, parts, settings)
    warnings: list[str] = []
    modes = store.rollouts.modes(info.id)
    agents = [
        _agent(columns, at, part.within(kept), ks, settings.level, modes, warnings)
        for at, part in enumerate(parts)
    ]
    return RolloutsDocument(
        run=info.name,
        format=manifest.format,
        source=manifest.source,
        rollouts=info.rollouts,
        tasks=int(kept.sum()),
        level=settings.level,
        ks=list(ks),
        dropped=[columns.tasks[at] for at in np.flatnonzero(~kept).tolist()],
        agents=agents,
        warnings=[*_run_warnings(columns, parts, kept, agents), *dict.fromkeys(warnings)],
        notes=list(manifest.notes),
    )


def _check(settings: ReportSettings) -> None:
    refusals.check_options(settings.level, settings.ks, settings.max_infra)


def _refuse_missing(columns: RolloutColumns, parts: Sequence[Slice], settings: ReportSettings) -> None:
    if settings.allow_missing:
        return
    total = sum(int(part.missing.sum()) for part in parts)
    if total:
        named = [
            f"{columns.tasks[task]} of {agent}"
            for agent, part in zip(columns.agents, parts, strict=True)
            for task in part.tasks[part.missing > 0].tolist()
        ]
        raise UsageError(
            f"no grade for {_rollouts(total)}: {_named(named)}; a missing grade is neither a failure nor a "
            "success: grade them, or leave them out of n with --allow-missing, which shows what they leave open"
        )


def _refuse_infra(columns: RolloutColumns, parts: Sequence[Slice], settings: ReportSettings) -> None:
    for agent, part in zip(columns.agents, parts, strict=True):
        failed, total = int(part.infra.sum()), int(part.rows.sum())
        if failed > settings.max_infra * total:
            raise InfrastructureError(
                f"{failed} of {_rollouts(total)} of {agent} ({100 * failed / total:.1f} %) ended in "
                f"infrastructure failures, more than {100 * settings.max_infra:.4g} %: find their cause and run "
                "them again, or allow more with --max-infra"
            )


def _kept(
    columns: RolloutColumns, parts: Sequence[Slice], settings: ReportSettings
) -> tuple[Mask, tuple[int, ...]]:
    """The tasks of the figures, the same for every agent that did them, and the k's."""
    fewest = np.full(len(columns.tasks), np.iinfo(np.int64).max)
    for part in parts:
        fewest[part.tasks] = np.minimum(fewest[part.tasks], part.n)
    if settings.ks is None:
        least = int(fewest[fewest > 0].min()) if settings.drop_short and (fewest > 0).any() else int(fewest.min())
        ks = tuple(range(1, max(1, min(least, MOST_KS)) + 1))
    else:
        ks = tuple(sorted(set(settings.ks)))
    kept: Mask = fewest >= ks[-1]
    if not kept.all() and not settings.drop_short:
        raise UsageError(_too_few(columns, parts, fewest < ks[-1], ks[-1]))
    if not kept.any():
        raise UsageError(f"no task has {_rollouts(ks[-1])} by every agent that did it: take a smaller k")
    return kept, ks


def _too_few(columns: RolloutColumns, parts: Sequence[Slice], short: Mask, k: int) -> str:
    """Why a k is refused; says so where tests seem to be taken for rollouts."""
    named, single = [], True
    for agent, part in zip(columns.agents, parts, strict=True):
        for task, n in zip(part.tasks.tolist(), part.n.tolist(), strict=True):
            if n < k:
                named.append(f"{columns.tasks[task]} of {agent} ({n})")
                single = single and n <= 1
    what = f"reliability@{k} needs {_rollouts(k)} of each task"
    if k == 1:
        return f"{what}, and some have none in n: {_named(named)}; leave them out with --drop-short"
    why = "fewer rollouts say nothing of k tries"
    if single:
        tests = columns.tests_total[np.isin(columns.task, np.flatnonzero(short))]
        why = "one rollout is one try"
        if (tests >= k).any():
            why += ": its tests are not independent rollouts, and pass@k of them is near 1 though it failed"
    return (
        f"{what}, and there are fewer of {_tasks(int(short.sum()))}: {_named(named)}; take a smaller k, run more, "
        f"or leave them out of every figure with --drop-short; {why}: {SEE}"
    )


def _agent(
    columns: RolloutColumns,
    at: int,
    part: Slice,
    ks: Sequence[int],
    level: float,
    modes: Sequence[ModeRow],
    warnings: list[str],
) -> AgentFigures:
    name = columns.agents[at]
    if not part.tasks.size:
        raise UsageError(
            f"agent {name}: none of its tasks is left; take a smaller k, or leave it out of the import"
        )
    own: list[str] = []
    found = figures(part, ks, level, own)
    warnings += [f"{name}: {line}" for line in own]
    secure = security(part, ks, level)
    n = part.n
    return AgentFigures(
        agent=name,
        rollouts=int(part.rows.sum()),
        n=Range(min=int(n.min()), max=int(n.max())),
        figures=found,
        by_difficulty=_by(part, _difficulties(columns), ks, level),
        by_tag=_by(part, _tags(columns), ks, level),
        unknown=unknown(part, ks),
        modes=[
            Mode(status=row.status, subtype=row.subtype, rollouts=row.rollouts, resolved=row.resolved)
            for row in modes
            if row.agent == name
        ],
        security=secure,
        per_task=task_rows(part),
    )


def _difficulties(columns: RolloutColumns) -> dict[str, Mask]:
    if not any(columns.difficulty):
        return {}
    labels = np.array([difficulty or _UNRATED for difficulty in columns.difficulty])
    found = dict.fromkeys(labels.tolist())
    order = [name for name in _DIFFICULTIES if name in found]
    return {name: labels == name for name in [*order, *(name for name in found if name not in order)]}


def _tags(columns: RolloutColumns) -> dict[str, Mask]:
    """The tasks of each tag; of many tags those with the most tasks."""
    counts = Counter(tag for tags in columns.tags for tag in tags)
    found = {name: np.zeros(len(columns.tasks), dtype=np.bool_) for name, _ in counts.most_common(_MOST_TAGS)}
    for at, tags in enumerate(columns.tags):
        for tag in tags:
            if tag in found:
                found[tag][at] = True
    return dict(sorted(found.items()))


def _by(part: Slice, slices: dict[str, Mask], ks: Sequence[int], level: float) -> dict[str, Figures]:
    cut = {name: part.within(mask) for name, mask in slices.items()}
    return {name: figures(some, ks, level) for name, some in cut.items() if some.tasks.size}


# ---- warnings


def _run_warnings(
    columns: RolloutColumns, parts: Sequence[Slice], kept: Mask, agents: Sequence[AgentFigures]
) -> list[str]:
    """What to know of the run before its figures are quoted."""
    found = []
    if not kept.all():
        dropped = [columns.tasks[at] for at in np.flatnonzero(~kept).tolist()]
        found.append(f"left out of every figure: {_tasks(len(dropped))} with too few rollouts ({_named(dropped)})")
    if len({tuple(part.tasks.tolist()) for part in parts}) > 1:
        counts = ", ".join(f"{name} {len(part.tasks)}" for name, part in zip(columns.agents, parts, strict=True))
        found.append(f"the agents did not do the same tasks ({counts}): their figures are not comparable")
    if (tags := len({tag for some in columns.tags for tag in some})) > _MOST_TAGS:
        found.append(f"figures by tag are of the {_MOST_TAGS} with the most tasks, of {tags} tags")
    for agent, part in zip(agents, parts, strict=True):
        lines = [*_agent_warnings(agent), *_tests_as_rollouts(part.within(kept))]
        found += [f"{agent.agent}: {line}" for line in lines]
    return found


def _agent_warnings(agent: AgentFigures) -> list[str]:
    found = []
    if agent.n.min != agent.n.max:
        found.append(f"tasks have {agent.n.min} to {agent.n.max} rollouts; each task has the same weight")
    if agent.unknown is not None:
        bounds = agent.unknown.resolve_rate
        found.append(
            f"{_rollouts(agent.unknown.infra)} failed for infrastructure, {agent.unknown.missing} have no grade; "
            f"were all of them failures or all resolved: pass@1 {100 * bounds.all_failed:.1f} to "
            f"{100 * bounds.all_passed:.1f} %"
        )
    tests = agent.figures.test_pass_rate
    if tests is not None and tests.macro.rollouts < agent.figures.rollouts:
        without = agent.figures.rollouts - tests.macro.rollouts
        found.append(f"no counts of tests for {_rollouts(without)}: not in the rates of tests")
    if agent.security is not None:
        found += _security_warnings(agent.security)
    return found


def _security_warnings(security: Security) -> list[str]:
    found = []
    if security.unscored:
        found.append(
            f"no security score for {_rollouts(security.unscored)} that should have one, being resolved: no "
            "security-adjusted figures"
        )
    if security.hidden:
        found.append(
            f"the threshold {security.paper_threshold:.2f} lets {_rollouts(security.hidden)} with findings pass: "
            "one finding of seven leaves 6/7 = 0.857, so it does not bind there; see the other thresholds"
        )
    return found


def _tests_as_rollouts(part: Slice) -> list[str]:
    """Whether every task has as many rollouts as tests."""
    rows = part.counted & ~np.isnan(part.columns.tests_total)
    if not rows.any() or rows.sum() < part.counted.sum():
        return []
    task = part.columns.task[rows]
    most = np.zeros(len(part.columns.tasks))
    np.maximum.at(most, task, part.columns.tests_total[rows])
    return list(stats.check_rollouts(part.n, part.n, most[part.tasks].astype(np.int64)))


def _rollouts(number: int) -> str:
    return f"{number} rollout" if number == 1 else f"{number} rollouts"


def _tasks(number: int) -> str:
    return f"{number} task" if number == 1 else f"{number} tasks"


def _named(names: Sequence[str]) -> str:
    more = f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
