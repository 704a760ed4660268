"""Deleting a run, and the texts that no other run uses.

Which texts those are takes a look at every sample of the store. That goes before the write lock is taken, so that
other controllers write on meanwhile; what has come since is looked at under the lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.sqlite import insert as insert_or

from codejury.model import UsageError
from codejury.store.tables import problems, runs, samples, texts, unused_texts

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from codejury.store.database import Database

_USERS = (samples.c.program_hash, samples.c.text_hash, problems.c.problem_hash)


def delete_run(database: Database, run: int) -> None:
    """See `Store.delete_run`."""
    with database.stage() as connection:
        unused_texts.create(connection)
        newest = connection.execute(select(func.coalesce(func.max(runs.c.id), 0))).scalar_one()
        _find_unused(connection, run)
        connection.commit()
        with database.lock(connection):
            # A run gets its samples when it is made, and its id is above all before it.
            _keep_those_of(connection, [column.table.c.run_id > newest for column in _USERS])
            connection.execute(delete(texts).where(texts.c.hash.in_(select(unused_texts.c.hash))))
            if not connection.execute(delete(runs).where(runs.c.id == run)).rowcount:
                raise UsageError(f"no run {run} in store {database.name}")


def _find_unused(connection: Connection, run: int) -> None:
    for column in _USERS:
        of_run = select(column).where(column.table.c.run_id == run).order_by(column)
        connection.execute(insert_or(unused_texts).from_select(["hash"], of_run).on_conflict_do_nothing())
    _keep_those_of(connection, [column.table.c.run_id != run for column in _USERS])


def _keep_those_of(connection: Connection, conditions: list[ColumnElement[bool]]) -> None:
    for column, others in zip(_USERS, conditions, strict=True):
        # The inner condition leaves the few that both use; without it, SQLite sorts the hashes of all samples.
        shared = select(column).where(others, column.in_(select(unused_texts.c.hash)))
        connection.execute(delete(unused_texts).where(unused_texts.c.hash.in_(shared)))
