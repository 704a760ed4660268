"""Rollouts of agents: runs of them, written as they are read, and read as columns.

As with samples, rollouts go into a temporary table first and are then copied in one transaction: a run is there
entirely or not at all, and is never held in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from sqlalchemy import case, delete, func, insert, literal, select
from sqlalchemy.exc import IntegrityError

from codejury.model import (
    STATUSES,
    Finding,
    InfrastructureError,
    Rollout,
    RolloutManifest,
    UsageError,
)
from codejury.store.ingest import check_name
from codejury.store.rollout_staging import NUMBERS, Staging
from codejury.store.tables import (
    rollout_agents,
    rollout_runs,
    rollout_tasks,
    rollout_texts,
    rollouts,
    staged_rollouts,
    staged_texts,
)
from codejury.store.texts import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from codejury.model import LocatedRollout
    from codejury.store.database import Database

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BATCH = 1000
_AT_ONCE = 50_000


@dataclass(frozen=True)
class RolloutRunInfo:
    """A run of rollouts in a list."""

    id: int
    name: str
    created: str
    rollouts: int
    tasks: int
    agents: int


@dataclass(frozen=True)
class ModeRow:
    """Number of an agent's rollouts that ended alike."""

    agent: str
    status: str
    subtype: str
    rollouts: int
    resolved: int


@dataclass(frozen=True, eq=False)
class RolloutColumns:
    """The rollouts of a run, one entry each, by agent and task; numbers that are not known are nan.

    Attributes:
        tasks: Names of tasks, by position.
        difficulty: Of each task.
        tags: Of each task.
        agents: Names of agents, by position.
        task, agent: Positions.
        status: Position in `model.STATUSES`.
        resolved: 1, 0 or nan.
        tests_passed, tests_total, regressions, cost_usd, tool_calls, latency_s, tokens: As in `model.Rollout`.
        security_score: The same.
        worst: Rank of the worst severity found (`SEVERITIES`), 0 for none; nan where nothing was scanned.
    """

    tasks: tuple[str, ...]
    difficulty: tuple[str | None, ...]
    tags: tuple[tuple[str, ...], ...]
    agents: tuple[str, ...]
    task: Ints
    agent: Ints
    status: Ints
    resolved: Floats
    tests_passed: Floats
    tests_total: Floats
    regressions: Floats
    cost_usd: Floats
    tool_calls: Floats
    latency_s: Floats
    tokens: Floats
    security_score: Floats
    worst: Floats


class RolloutStore:
    """The runs of rollouts in a store; get it from `Store.rollouts`. Errors are those of `Store`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        manifest: RolloutManifest,
        located: Iterable[LocatedRollout],
        *,
        complete: Callable[[], RolloutManifest] | None = None,
    ) -> int:
        """Keep a run with all of its rollouts. What fails, also in `located` or `complete`, leaves nothing.

        Args:
            manifest: Its `run` is the name.
            located: Read once, never held together.
            complete: Called when all are read; what it returns is the manifest that is kept.

        Returns:
            The run's id.

        Raises:
            UsageError: The name is taken or not printable, or there is no rollout.
            InputError: A task, agent and label occur twice, or a task has two difficulties or lists of tags.
        """
        check_name(manifest.run)
        with self._database.read() as connection:  # before minutes of reading; decided below, under the lock
            if connection.execute(select(rollout_runs.c.id).where(rollout_runs.c.name == manifest.run)).first():
                raise self._taken(manifest.run)
        with self._database.stage() as connection:
            staged = Staging(connection)
            staged.add_all(located)
            if not staged.count:
                raise UsageError(f"{manifest.source}: holds no rollout")
            if complete is not None:
                manifest = complete()
            connection.commit()
            with self._database.lock(connection):
                return self._insert(connection, manifest, staged)

    def _taken(self, name: str) -> UsageError:
        return UsageError(
            f"run {name!r} of rollouts is already in store {self._database.name}: delete it with "
            "`codejury rollouts delete`, or give another name with --run"
        )

    def _insert(self, connection: Connection, manifest: RolloutManifest, staged: Staging) -> int:
        try:
            body = msgspec.json.encode(manifest)
        except UnicodeEncodeError as error:
            raise UsageError(f"run {manifest.run!r}: a note holds text that is not Unicode ({error})") from error
        row = {"name": manifest.run, "created": manifest.created, "manifest": body, "rollouts": staged.count}
        row |= {"tasks": len(staged.tasks), "agents": len(staged.agents)}
        try:
            key = connection.execute(insert(rollout_runs), row).inserted_primary_key
        except IntegrityError as error:
            raise self._taken(manifest.run) from error
        assert key is not None
        run = int(key[0])
        connection.execute(insert(rollout_tasks), [{"rollout_run_id": run, **row} for row in staged.task_rows()])
        connection.execute(
            insert(rollout_agents),
            [{"rollout_run_id": run, "position": at, "name": name} for name, at in staged.agents.items()],
        )
        names = [column.name for column in staged_rollouts.columns]
        rows = select(literal(run), *staged_rollouts.columns)
        connection.execute(insert(rollouts).from_select(["rollout_run_id", *names], rows))
        texts = select(literal(run), staged_texts.c.hash, staged_texts.c.body)
        connection.execute(insert(rollout_texts).from_select(["rollout_run_id", "hash", "body"], texts))
        return run

    def runs(self, name: str | None = None) -> list[RolloutRunInfo]:
        """All runs of rollouts, oldest first; with a name, that one."""
        columns = [rollout_runs.c[field] for field in RolloutRunInfo.__dataclass_fields__]
        query = select(*columns).order_by(rollout_runs.c.id)
        if name is not None:
            query = query.where(rollout_runs.c.name == name)
        with self._database.read() as connection:
            return [RolloutRunInfo(*row) for row in connection.execute(query)]

    def find(self, name: str) -> RolloutRunInfo:
        """The run with this name.

        Raises:
            UsageError: There is none; the message names those that there are.
        """
        if found := self.runs(name):
            return found[0]
        known = [info.name for info in self.runs()]
        listed = ", ".join(known[-5:]) or "none"
        latest = f", the latest of {len(known)}" if len(known) > 5 else ""
        raise UsageError(
            f"no run {name!r} of rollouts in store {self._database.name}; it has {listed}{latest}; "
            "`codejury rollouts import` makes one"
        )

    def manifest(self, run: int) -> RolloutManifest:
        """Where the rollouts of a run come from.

        Raises:
            UsageError: There is no such run.
        """
        query = select(rollout_runs.c.manifest).where(rollout_runs.c.id == run)
        with self._database.read() as connection:
            body = connection.execute(query).scalar_one_or_none()
        if body is None:
            raise UsageError(f"no run {run} of rollouts in store {self._database.name}")
        try:
            return msgspec.json.decode(body, type=RolloutManifest)
        except msgspec.DecodeError as error:
            raise InfrastructureError(
                f"store {self._database.name}: the manifest of run {run} of rollouts is damaged: {error}"
            ) from error

    def delete(self, run: int) -> None:
        """Delete a run with all of its rollouts.

        Raises:
            UsageError: There is no such run.
        """
        with self._database.write() as connection:
            if not connection.execute(delete(rollout_runs).where(rollout_runs.c.id == run)).rowcount:
                raise UsageError(f"no run {run} of rollouts in store {self._database.name}")

    def columns(self, run: int) -> RolloutColumns:
        """The rollouts of a run as arrays, without texts and findings: about 150 bytes each."""
        status = case(*((rollouts.c.status == name, at) for at, name in enumerate(STATUSES)))
        query = select(rollouts.c.task, rollouts.c.agent, status, *(rollouts.c[name] for name in NUMBERS))
        of_run = rollouts.c.rollout_run_id == run
        with self._database.read() as connection:
            count = connection.execute(select(func.count()).select_from(rollouts).where(of_run)).scalar_one()
            table = np.empty((3 + len(NUMBERS), count))
            # the keys' order is that of the table, so nothing is sorted
            query = query.where(of_run).order_by(rollouts.c.agent, rollouts.c.task, rollouts.c.label)
            at = 0
            for rows in connection.execution_options(yield_per=_AT_ONCE).execute(query).partitions():
                table[:, at : at + len(rows)] = np.array([tuple(row) for row in rows], dtype=np.float64).T
                at += len(rows)
            tasks = connection.execute(_of(run, rollout_tasks)).all()
            agents = connection.execute(_of(run, rollout_agents)).all()
        return RolloutColumns(
            tasks=tuple(row.name for row in tasks),
            difficulty=tuple(row.difficulty for row in tasks),
            tags=tuple(msgspec.json.decode(row.tags, type=tuple[str, ...]) for row in tasks),
            agents=tuple(row.name for row in agents),
            task=table[0].astype(np.int64),
            agent=table[1].astype(np.int64),
            status=table[2].astype(np.int64),
            **dict(zip(NUMBERS, table[3:], strict=True)),
        )

    def modes(self, run: int) -> list[ModeRow]:
        """How many rollouts of each agent ended how, the most frequent first."""
        number = func.count()
        query = (
            select(
                rollout_agents.c.name,
                rollouts.c.status,
                rollouts.c.subtype,
                number,
                func.coalesce(func.sum(rollouts.c.resolved), 0),
            )
            .join(
                rollout_agents,
                (rollout_agents.c.rollout_run_id == rollouts.c.rollout_run_id)
                & (rollout_agents.c.position == rollouts.c.agent),
            )
            .where(rollouts.c.rollout_run_id == run)
            .group_by(rollouts.c.agent, rollouts.c.status, rollouts.c.subtype)
            .order_by(rollouts.c.agent, number.desc(), rollouts.c.status, rollouts.c.subtype)
        )
        with self._database.read() as connection:
            return [ModeRow(*row) for row in connection.execute(query)]

    def stream(self, run: int) -> Iterator[Rollout]:
        """The rollouts of a run by agent, task and label, with their texts and findings. Streamed."""
        with self._database.read() as connection:
            tasks = {row.position: row for row in connection.execute(_of(run, rollout_tasks))}
            agents = {row.position: row.name for row in connection.execute(_of(run, rollout_agents))}
            query = _of(run, rollouts).order_by(None).order_by(rollouts.c.agent, rollouts.c.task, rollouts.c.label)
            for row in connection.execution_options(yield_per=_BATCH).execute(query):
                yield _rollout(row, tasks[row.task], agents[row.agent], self._text(run, row))

    def _text(self, run: int, row: Any) -> dict[str, str]:
        wanted = {name: getattr(row, f"{name}_hash") for name in ("patch", "code")}
        found = {}
        for name, digest in wanted.items():
            if digest is None:
                continue
            query = select(rollout_texts.c.body).where(
                rollout_texts.c.rollout_run_id == run, rollout_texts.c.hash == digest
            )
            with self._database.read() as connection:
                found[name] = unpack(connection.execute(query).scalar_one())
        return found


def _of(run: int, table: Any) -> Any:
    query = select(table).where(table.c.rollout_run_id == run)
    return query.order_by(table.c.position) if "position" in table.c else query


def _rollout(row: Any, task: Any, agent: str, texts: dict[str, Any]) -> Rollout:
    findings = None if row.findings is None else msgspec.json.decode(row.findings, type=tuple[Finding, ...])
    same = ("status", "subtype", *(name for name in NUMBERS if name not in ("resolved", "worst")))
    values: dict[str, Any] = {name: getattr(row, name) for name in same}
    return Rollout(
        task=task.name,
        agent=agent,
        rollout=row.label,
        resolved=None if row.resolved is None else bool(row.resolved),
        findings=findings,
        difficulty=task.difficulty,
        tags=msgspec.json.decode(task.tags, type=tuple[str, ...]),
        **values,
        **texts,
    )
