"""Rollouts in temporary tables, before they are copied into their run."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import insert, literal, select
from sqlalchemy.dialects.sqlite import insert as insert_or
from sqlalchemy.exc import IntegrityError

from codejury.model import InputError, text_hash
from codejury.store.tables import staged_rollouts, staged_texts
from codejury.store.texts import pack, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from codejury.model import LocatedRollout

SEVERITIES = ("low", "medium", "high", "critical")
"""From the least to the worst; a rank is 1 more than the place here, 0 is no finding."""

NUMBERS = (
    "resolved",
    "tests_passed",
    "tests_total",
    "regressions",
    "cost_usd",
    "tool_calls",
    "latency_s",
    "tokens",
    "security_score",
    "worst",
)
"""The columns of `rollouts` that hold numbers, null where they are not known."""

_BATCH = 1000


class Staging:
    """Rollouts in temporary tables, and what their rows refer to.

    Attributes:
        count: Rollouts so far.
        tasks: Position of each task by name.
        agents: The same of agents.

    Args:
        connection: Of `Database.stage`.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.count = 0
        self.tasks: dict[str, int] = {}
        self.agents: dict[str, int] = {}
        self._difficulty: dict[int, str] = {}
        self._tags: dict[int, tuple[str, ...]] = {}
        staged_rollouts.create(connection)
        staged_texts.create(connection)

    def add_all(self, located: Iterable[LocatedRollout]) -> None:
        """Write all of them; raises InputError."""
        iterator = iter(located)
        while batch := list(itertools.islice(iterator, _BATCH)):
            texts: dict[str, str] = {}
            rows = [self._row(item, texts) for item in batch]
            if texts:
                bodies = [{"hash": digest, "body": pack(text)} for digest, text in texts.items()]
                self._connection.execute(insert_or(staged_texts).on_conflict_do_nothing(), bodies)
            try:
                with self._connection.begin_nested():
                    self._connection.execute(insert(staged_rollouts), rows)
            except IntegrityError:
                raise self._twice(batch, rows) from None
            self.count += len(batch)

    def task_rows(self) -> list[dict[str, Any]]:
        """The rows of `rollout_tasks`, without the run."""
        return [
            {
                "position": at,
                "name": name,
                "difficulty": self._difficulty.get(at),
                "tags": msgspec.json.encode(self._tags.get(at, ())),
            }
            for name, at in self.tasks.items()
        ]

    def _row(self, item: LocatedRollout, texts: dict[str, str]) -> dict[str, Any]:
        rollout = item.rollout
        task = self.tasks.setdefault(printable(rollout.task), len(self.tasks))
        agent = self.agents.setdefault(printable(rollout.agent), len(self.agents))
        for field, known in (("difficulty", self._difficulty), ("tags", self._tags)):
            value: Any = getattr(rollout, field)
            if value and known.setdefault(task, value) != value:
                raise InputError(
                    f"is {value!r} here and {known[task]!r} in a row before, of the same task "
                    f"{rollout.task!r}; a task has one",
                    path=item.path,
                    line=item.line,
                    field=field,
                )
        row: dict[str, Any] = {name: getattr(rollout, name) for name in NUMBERS if name != "worst"}
        row |= {"agent": agent, "task": task, "label": printable(rollout.rollout), "status": rollout.status}
        row |= {"subtype": printable(rollout.subtype), "findings": None, "worst": None}
        if rollout.findings is not None:
            row["findings"] = msgspec.json.encode(rollout.findings)
            row["worst"] = max((SEVERITIES.index(found.severity) + 1 for found in rollout.findings), default=0)
        for name in ("patch", "code"):
            text = getattr(rollout, name)
            row[f"{name}_hash"] = None if text is None else text_hash(text)
            if text is not None:
                texts[row[f"{name}_hash"]] = text
        return row

    def _twice(self, batch: list[LocatedRollout], rows: list[dict[str, Any]]) -> InputError:
        seen: set[tuple[int, int, str]] = set()
        columns = (staged_rollouts.c.agent, staged_rollouts.c.task, staged_rollouts.c.label)
        at = 0
        for at, row in enumerate(rows):  # noqa: B007 - the place of the first that is there twice
            key = (row["agent"], row["task"], row["label"])
            matches = [column == value for column, value in zip(columns, key, strict=True)]
            if key in seen or self._connection.execute(select(literal(1)).where(*matches)).first():
                break
            seen.add(key)
        item, rollout = batch[at], batch[at].rollout
        return InputError(
            f"task {rollout.task!r}, agent {rollout.agent!r} and rollout {rollout.rollout!r} were there before; "
            "each rollout has its own label: is the file or folder given twice?",
            path=item.path,
            line=item.line,
        )
