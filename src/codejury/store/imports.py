"""Runs of another store, copied with their samples and verdicts in one transaction, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import insert, select, text

from codejury.model import InfrastructureError, Manifest, UsageError
from codejury.store.ingest import check_name
from codejury.store.tables import metadata, problems, runs, samples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection, Table

    from codejury.store.database import Database

_HELD = (
    (samples.name, "program_hash"),
    (samples.name, "text_hash"),
    (problems.name, "problem_hash"),
)
"""Where the texts of a run are named."""


def import_runs(database: Database, source: str, names: Mapping[str, str]) -> None:
    """See `Store.import_runs`."""
    for name in names.values():
        check_name(name)
    with database.stage() as connection:
        connection.execute(text("ATTACH DATABASE :path AS source"), {"path": source})
        connection.commit()
        with database.lock(connection):
            for name, new in names.items():
                _import(connection, database.name, name, new)


def _import(connection: Connection, store: str, name: str, new: str) -> None:
    taken = connection.execute(select(runs.c.id).where(runs.c.name == new)).first()
    if taken is not None:
        raise UsageError(f"run {new!r} is already in store {store}: delete it, or give the other a name with --as")
    columns = [column for column in runs.columns if column.name != "id"]
    listed = ", ".join(column.name for column in columns)
    query = f"SELECT id, {listed} FROM source.runs WHERE name = :name"  # noqa: S608 - our own names
    row = connection.execute(text(query), {"name": name}).first()
    if row is None:  # it was looked for a moment ago
        raise InfrastructureError(f"run {name!r} is no longer in the other store")
    old, values = row[0], dict(zip((column.name for column in columns), row[1:], strict=True))
    manifest = msgspec.structs.replace(msgspec.json.decode(values["manifest"], type=Manifest), run=new)
    values |= {"name": new, "manifest": msgspec.json.encode(manifest)}
    key = connection.execute(insert(runs), values).inserted_primary_key
    assert key is not None
    ids = {"old": old, "new": int(key[0])}
    for holder, column in _HELD:
        held = f"SELECT {column} FROM source.{holder} WHERE run_id = :old"  # noqa: S608 - our own names
        missing = f"SELECT hash, body FROM source.texts WHERE hash IN ({held})"  # noqa: S608 - our own names
        _copy(connection, f"INSERT OR IGNORE INTO main.texts (hash, body) {missing}", ids)
    for table in _of_a_run():
        names = ", ".join(column.name for column in table.columns if column.name != "run_id")
        _copy(
            connection,
            f"INSERT INTO main.{table.name} (run_id, {names})"  # noqa: S608 - our own names
            f" SELECT :new, {names} FROM source.{table.name} WHERE run_id = :old",
            ids,
        )


def _of_a_run() -> list[Table]:
    """The tables whose rows belong to a run, those that others refer to first."""
    return [table for table in metadata.sorted_tables if "run_id" in table.columns and table is not runs]


def _copy(connection: Connection, statement: str, ids: dict[str, Any]) -> None:
    connection.execute(text(statement), {name: ids[name] for name in ids if f":{name}" in statement})
