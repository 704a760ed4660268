"""Upgrades of older stores, by Alembic.

`PRAGMA user_version` is the one mark of a store's schema, and the number that it holds is the id of a revision in
`versions`. There is no table `alembic_version`: the number is in the file's header, changes in the transaction
that changes the tables, and can be read without Alembic, whose import costs more than all else of opening a store.
Alembic finds the revisions between two numbers and changes tables.

A new store is made by `tables.metadata` and never comes here. A revision says what to do in its own words and
imports nothing of `tables`, which will change after it.

Import this module only where there is something to upgrade.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

if TYPE_CHECKING:
    from sqlalchemy import Connection


def scripts() -> ScriptDirectory:
    """The revisions, as Alembic sees them."""
    return ScriptDirectory(str(Path(__file__).parent))


def upgrade(connection: Connection, version: int) -> None:
    """Bring a store to today's schema, within the transaction of `connection`, which holds the write lock.

    Args:
        connection: To the store.
        version: The store's schema.
    """
    newer = [*scripts().iterate_revisions("head", str(version))]
    with Operations.context(MigrationContext.configure(connection)):
        for script in reversed(newer):
            script.module.upgrade()
            connection.exec_driver_sql(f"PRAGMA user_version = {int(script.revision)}")
