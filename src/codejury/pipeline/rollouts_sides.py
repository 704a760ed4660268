"""The agents of a comparison: which are named, over which tasks, and whether that is fair."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from codejury.agents.compare import Side
from codejury.agents.figures import Slice
from codejury.model import InfrastructureError, NotComparableError, UsageError
from codejury.pipeline.refusals import SEE
from codejury.pipeline.sides import shown
from codejury.report.comparison import Dropped, Waived

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from codejury.store import RolloutRunInfo, Store

    Ints = NDArray[np.int64]

CONDITIONS = ("tasks", "n", "tests", "format")
"""What must be alike: tasks, rollouts of each, tests of each, and the importer. Each may be waived by its name."""


def sides_of(store: Store, names: Sequence[str]) -> list[Side]:
    """Every agent that is named, with a name that tells it from the others.

    Args:
        store: Where the runs are.
        names: Runs, or RUN:AGENT; a run stands for all of its agents.

    Raises:
        UsageError: No such run or agent, the same agent twice, or only one.
    """
    found: list[Side] = []
    for name in names:
        info, agent = _named(store, name)
        columns = store.rollouts.columns(info.id)
        if agent is not None and agent not in columns.agents:
            listed = ", ".join(columns.agents)
            raise UsageError(f"{name}: run {info.name} has no agent {agent!r}; it has {listed}")
        file_format = store.rollouts.manifest(info.id).format
        for at, of in enumerate(columns.agents):
            if agent in (None, of):
                part = Slice.of(columns, at)
                found.append(Side(of, info.name, of, file_format, part, np.arange(len(part.tasks))))
    keys = [(side.run, side.agent) for side in found]
    if len(set(keys)) < len(keys):
        raise UsageError(f"{', '.join(names)}: the same agent of a run twice: name each once")
    if len(found) < 2:
        raise UsageError(f"{', '.join(names)}: one agent: name two or more, as runs or as RUN:AGENT")
    return [_renamed(side, found) for side in found]


def _named(store: Store, name: str) -> tuple[RolloutRunInfo, str | None]:
    """The run, and the agent of RUN:AGENT. A run whose own name has a colon goes before."""
    if store.rollouts.runs(name):
        return store.rollouts.find(name), None
    for at in (place for place, char in enumerate(name) if char == ":"):
        if store.rollouts.runs(name[:at]):
            return store.rollouts.find(name[:at]), name[at + 1 :]
    return store.rollouts.find(name.partition(":")[0]), None


def _renamed(side: Side, sides: Sequence[Side]) -> Side:
    for name in (side.agent, side.run):
        if sum(name in (one.agent, one.run) for one in sides) == 1:
            return replace(side, name=name)
    return replace(side, name=f"{side.run}:{side.agent}")


def refuse(side: Side, *, allow_missing: bool, max_infra: float) -> None:
    """Refuse rollouts without a grade, and too many infrastructure failures.

    Raises:
        UsageError: There are rollouts without a grade that nobody allowed.
        InfrastructureError: The share of infrastructure failures is above `max_infra`.
    """
    total, missing, infra = (int(rows.sum()) for rows in (side.part.rows, side.part.missing, side.part.infra))
    if missing and not allow_missing:
        have = "has" if missing == 1 else "have"
        raise UsageError(
            f"{counted(missing, 'rollout')} of {side.name} {have} no grade, which is neither a failure nor a "
            "success: grade them, or leave them out of n with --allow-missing"
        )
    if infra > max_infra * total:
        raise InfrastructureError(
            f"{infra} of {total} rollouts of {side.name} ended in infrastructure failures, more than "
            f"{100 * max_infra:.4g} %: run them again, or allow more with --max-infra"
        )


def over_common(sides: Sequence[Side]) -> list[Side]:
    """The sides over the tasks that all did, in the order of the first.

    Raises:
        UsageError: There is none.
    """
    shared = set.intersection(*(set(side.ids) for side in sides))
    ids = [name for name in sides[0].ids if name in shared]
    if not ids:
        raise UsageError(f"{' and '.join(side.name for side in sides)} have no task in common")
    return [side.over(ids) for side in sides]


def left_out(sides: Sequence[Side], common: Sequence[Side]) -> list[Dropped]:
    """Tasks of each side that are not among the common ones."""
    kept = set(common[0].ids)
    rest = [(side.name, [name for name in side.ids if name not in kept]) for side in sides]
    return [Dropped(run=name, reason="not done by all agents", ids=ids) for name, ids in rest if ids]


def check_alike(
    sides: Sequence[Side], common: Sequence[Side], waive: Sequence[str]
) -> tuple[list[Waived], list[str]]:
    """Conditions that differ and are waived, and those of which nobody says anything.

    Raises:
        NotComparableError: Some differ that are not waived; all of them are named.
    """
    said = {name: [_condition(name, *pair) for pair in zip(sides, common, strict=True)] for name in CONDITIONS}
    waived, refused = [], []
    for name, values in said.items():
        if not _differ(name, values, sides, common):
            continue
        texts = {side.name: value or "unknown" for side, value in zip(sides, values, strict=True)}
        if name in waive:
            waived.append(Waived(condition=name, values=texts))
        else:
            refused.append((name, f"{name} {', '.join(f'{value} ({run})' for run, value in texts.items())}"))
    if refused:
        names = " ".join(f"--waive {name}" for name, _ in refused)
        raise NotComparableError(
            f"{' and '.join(repr(side.name) for side in sides)} cannot be compared: "
            f"{'; '.join(text for _, text in refused)}; compare all the same with {names}"
        )
    return waived, [name for name, values in said.items() if set(values) == {None}]


def _condition(name: str, side: Side, common: Side) -> str | None:
    """A condition in words; None where the rollouts do not say."""
    if name == "tasks":
        return f"{len(side.ids)}, {len(common.ids)} of them in common"
    if name == "n":
        return _span(common.n)
    if name == "format":
        return side.format
    tests = common.tests()
    known = tests[~np.isnan(tests)]
    return f"{int(known.sum())} in {len(known)} tasks" if len(known) else None


def _differ(name: str, values: Sequence[str | None], sides: Sequence[Side], common: Sequence[Side]) -> bool:
    if name == "tasks":
        return any(set(side.ids) != set(sides[0].ids) for side in sides)
    if name == "n":
        return any((side.n != common[0].n).any() for side in common)
    if name == "format":
        return len(set(values)) > 1
    if len({value is None for value in values}) > 1:
        return True
    tests = np.stack([side.tests() for side in common])
    known = ~np.isnan(tests).any(axis=0)
    return bool((tests[:, known] != tests[0, known]).any())


def without_short(common: Sequence[Side], k: int, *, drop_short: bool) -> tuple[list[Side], list[Dropped]]:
    """The tasks of which every side has k rollouts, and the others.

    Raises:
        UsageError: There are others, and nobody allowed to drop them; or no task is left.
    """
    fewest = np.min([side.n for side in common], axis=0)
    ids = common[0].ids
    short = [ids[at] for at in np.flatnonzero(fewest < k).tolist()]
    if not short:
        return list(common), []
    if not drop_short:
        raise UsageError(
            f"reliability@{k} needs {counted(k, 'rollout')} of each task by every agent, and "
            f"{counted(len(short), 'task')} {'has' if len(short) == 1 else 'have'} fewer: "
            f"{shown(short)}; take a smaller k, run more, or leave them out with --drop-short; fewer rollouts say "
            f"nothing of {k} tries: {SEE}"
        )
    kept = [name for name, n in zip(ids, fewest.tolist(), strict=True) if n >= k]
    if not kept:
        raise UsageError(f"no task has {k} rollouts by every agent: take a smaller k")
    return [side.over(kept) for side in common], [Dropped(run="", reason=f"fewer than {k} rollouts", ids=short)]


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _span(n: Ints) -> str:
    return f"{n.min()}" if n.min() == n.max() else f"{n.min()} to {n.max()}"
