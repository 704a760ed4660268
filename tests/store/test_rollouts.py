"""Runs of rollouts in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from codejury.model import (
    STATUSES,
    Finding,
    InfrastructureError,
    InputError,
    LocatedRollout,
    Rollout,
    RolloutManifest,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codejury.store import Store


def _manifest(run: str = "r", **fields: Any) -> RolloutManifest:
    return RolloutManifest(run=run, created="2026-11-01T00:00:00Z", format="jsonl", source="x.jsonl", **fields)


def _rollout(task: str = "t", agent: str = "a", label: str = "0", **fields: Any) -> Rollout:
    values: dict[str, Any] = {"task": task, "agent": agent, "rollout": label, "resolved": True}
    return Rollout(**values | fields)


def _located(*rollouts: Rollout) -> list[LocatedRollout]:
    return [LocatedRollout(rollout, "x.jsonl", line) for line, rollout in enumerate(rollouts, 1)]


FINDING = Finding(
    path="p", line=1, cwe="CWE-95", severity="high", confidence="high", scanner="s", rule="eval", message="m"
)
FULL = _rollout(
    "u",
    "b",
    "x",
    resolved=False,
    status="timeout",
    subtype="limit",
    tests_passed=1,
    tests_total=4,
    regressions=2,
    cost_usd=0.25,
    tool_calls=3,
    latency_s=1.5,
    tokens=7,
    patch="diff",
    code="eval(x)",
    security_score=0.5,
    findings=(FINDING,),
    difficulty="hard",
    tags=("one", "two"),
)


def test_rollouts_come_back_as_they_were(store: Store) -> None:
    """With texts and findings, by agent and task."""
    rollouts = [_rollout(label="1"), FULL, _rollout(resolved=None, status="missing"), _rollout("u")]
    run = store.rollouts.create(_manifest(), _located(*rollouts))
    described: dict[str, Any] = {"difficulty": "hard", "tags": ("one", "two")}
    expected = [rollouts[2], rollouts[0], _rollout("u", **described), FULL]
    assert expected == list(store.rollouts.stream(run))
    (info,) = store.rollouts.runs()
    assert ("r", 4, 2, 2) == (info.name, info.rollouts, info.tasks, info.agents)
    assert info == store.rollouts.find("r")
    assert _manifest() == store.rollouts.manifest(run)


def test_columns(store: Store) -> None:
    """One entry a rollout; what is not known is nan, and no finding is not the same as no scan."""
    clean = _rollout(label="1", findings=())
    run = store.rollouts.create(_manifest(), _located(_rollout(), clean, FULL))
    columns = store.rollouts.columns(run)
    assert (("t", "u"), ("a", "b")) == (columns.tasks, columns.agents)
    assert ((None, "hard"), ((), ("one", "two"))) == (columns.difficulty, columns.tags)
    assert ([0, 0, 1], [0, 0, 1]) == (columns.task.tolist(), columns.agent.tolist())
    assert ["ok", "ok", "timeout"] == [STATUSES[at] for at in columns.status.tolist()]
    assert [1, 1, 0] == columns.resolved.tolist()
    np.testing.assert_array_equal([np.nan, 0, 3], columns.worst)
    np.testing.assert_array_equal([np.nan, np.nan, 0.25], columns.cost_usd)


def test_modes(store: Store) -> None:
    """How rollouts ended, the most frequent first."""
    rollouts = [_rollout(label=str(at), resolved=at < 2) for at in range(3)]
    run = store.rollouts.create(_manifest(), _located(FULL, *rollouts))
    assert [("b", "timeout", "limit", 1, 0), ("a", "ok", "", 3, 2)] == [
        (row.agent, row.status, row.subtype, row.rollouts, row.resolved) for row in store.rollouts.modes(run)
    ]


@pytest.mark.parametrize("gap", [0, 1, 999, 1000, 2500])
def test_rollout_that_is_there_twice(store: Store, gap: int) -> None:
    """Refused with its line, in the same batch or a later one; nothing is left behind."""
    between = [_rollout("between", label=str(at)) for at in range(gap)]
    with pytest.raises(
        InputError, match=f"x.jsonl:{gap + 2}: task 't', agent 'a' and rollout '0' were there before"
    ):
        store.rollouts.create(_manifest(), _located(_rollout(), *between, _rollout(resolved=False)))
    assert [] == store.rollouts.runs()


@pytest.mark.parametrize(("field", "other"), [("difficulty", "easy"), ("tags", ("one",))])
def test_task_that_is_described_in_two_ways(store: Store, field: str, other: Any) -> None:
    """A task has one difficulty and one list of tags; rows may leave them out."""
    rollouts = [FULL, _rollout("u"), _rollout("u", label="2", **{field: other})]
    with pytest.raises(InputError, match=f"x.jsonl:3: field '{field}': is .* in a row before"):
        store.rollouts.create(_manifest(), _located(*rollouts))


def test_failing_source_leaves_nothing(store: Store) -> None:
    """Whatever it raises, and wherever."""

    def broken() -> Iterator[LocatedRollout]:
        yield from _located(_rollout())
        raise RuntimeError("broke off")

    with pytest.raises(RuntimeError, match="broke off"):
        store.rollouts.create(_manifest(), broken())

    def refuse() -> RolloutManifest:
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        store.rollouts.create(_manifest(), _located(_rollout()), complete=refuse)
    with pytest.raises(UsageError, match=r"x\.jsonl: holds no rollout"):
        store.rollouts.create(_manifest(), [])
    assert [] == store.rollouts.runs()


def test_names_are_unique_and_printable(store: Store) -> None:
    """A name is said to be taken before anything is read."""
    store.rollouts.create(_manifest(), _located(_rollout()))

    def unread() -> Iterator[LocatedRollout]:
        yield from pytest.fail("is read")

    with pytest.raises(UsageError, match="run 'r' of rollouts is already in store"):
        store.rollouts.create(_manifest(), unread())
    with pytest.raises(UsageError, match="printable characters"):
        store.rollouts.create(_manifest("\n"), unread())


def test_manifest_is_completed(store: Store) -> None:
    """With what only reading tells."""
    run = store.rollouts.create(_manifest(), _located(_rollout()), complete=lambda: _manifest(notes=("n",)))
    assert ("n",) == store.rollouts.manifest(run).notes


def test_delete(store: Store) -> None:
    """All rows of a run go with it, and no others."""
    first = store.rollouts.create(_manifest(), _located(FULL, _rollout()))
    second = store.rollouts.create(_manifest("s"), _located(FULL))
    store.rollouts.delete(first)
    with store._database.read() as connection:
        for table in ("rollouts", "rollout_texts", "rollout_tasks", "rollout_agents"):
            found = connection.exec_driver_sql(f"SELECT DISTINCT rollout_run_id FROM {table}").scalars().all()  # noqa: S608 - our names
            assert [second] == found
    with pytest.raises(UsageError, match="no run 1 of rollouts"):
        store.rollouts.delete(first)


def test_unknown_run(store: Store) -> None:
    """The message names those that there are."""
    with pytest.raises(UsageError, match=r"no run 'x' of rollouts in store .*; it has none"):
        store.rollouts.find("x")
    for number in range(6):
        store.rollouts.create(_manifest(f"r{number}"), _located(_rollout()))
    with pytest.raises(UsageError, match="it has r1, r2, r3, r4, r5, the latest of 6"):
        store.rollouts.find("x")
    with pytest.raises(UsageError, match="no run 99"):
        store.rollouts.manifest(99)


def test_damaged_manifest(store: Store) -> None:
    """Of the store's, not of the user's making."""
    run = store.rollouts.create(_manifest(), _located(_rollout()))
    with store._database.write() as connection:
        connection.exec_driver_sql("UPDATE rollout_runs SET manifest = x'00'")
    with pytest.raises(InfrastructureError, match="is damaged"):
        store.rollouts.manifest(run)


def test_texts_that_are_not_unicode(store: Store) -> None:
    """Lone surrogates in names become escapes, in texts they survive."""
    odd = _rollout("\ud800", "\x00a", "\udfff", patch="\ud800")
    run = store.rollouts.create(_manifest(), _located(odd))
    (found,) = store.rollouts.stream(run)
    assert ("\\ud800", "\\x00a", "\\udfff", "\ud800") == (found.task, found.agent, found.rollout, found.patch)
