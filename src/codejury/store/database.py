"""A store's database: opening it, transactions, and its errors in one line.

SQLite runs with a write-ahead log, so that readers and one writer do not wait for each other, and with
`synchronous=FULL`: what is committed survives a kill -9 and also a loss of power. NORMAL would lose the last
batches with the power; the one fsync per batch that FULL costs is small beside judging 64 programs.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sqlalchemy import create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import QueuePool

from codejury.model import CodejuryError, InfrastructureError, UsageError
from codejury.store.tables import APPLICATION_ID, SCHEMA_VERSION, metadata

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import URL

DEFAULT_PATH = Path(".codejury") / "runs.db"
ENVIRONMENT = "CODEJURY_STORE"
_AGAIN = "try again, with --resume if the run is in `codejury runs list`"

_CACHE_KIB = 64 << 10  # texts have hashes for keys, so many are written all over the file; taken as needed


class Database:
    """Transactions on one database.

    Safe for use by several threads; each transaction has a connection of its own.

    Args:
        engine: Made by `connect`.
        name: How messages call it.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine = engine
        self.name = name

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads, and sees one state of the store.

        Raises:
            UsageError: The file is no database.
            InfrastructureError: It cannot be read.
        """
        with self._translated(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextlib.contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes. It takes the lock first: what it reads cannot change under it.

        Raises:
            UsageError: The file is no database, or a newer codejury has upgraded it since it was opened.
            InfrastructureError: It cannot be written: read-only, disk full, locked for too long.
        """
        with self._translated(), self.engine.connect() as connection, self.lock(connection):
            yield connection

    @contextlib.contextmanager
    def stage(self) -> Iterator[Connection]:
        """A connection of its own that is thrown away at the end, with its temporary tables.

        Its first transaction takes no lock; after a commit, `lock` starts one that does.
        """
        with self._translated(), self.engine.connect() as connection:
            try:
                yield connection
            finally:
                connection.invalidate()

    @contextlib.contextmanager
    def lock(self, connection: Connection) -> Iterator[None]:
        """A transaction on `connection` that takes the write lock first.

        A store that a newer codejury has upgraded since it was opened is refused: rows that are written now would
        lack what the new schema asks of them.

        Args:
            connection: Outside a transaction: one of `stage` after a commit.
        """
        connection.execution_options(begin="IMMEDIATE")
        with connection.begin():
            _version(connection, self.name)
            yield

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise translate(error.orig, self.name) from error
        except sqlite3.Error as error:  # of what a new connection is told, before SQLAlchemy watches over it
            raise translate(error, self.name) from error


def connect(target: str | os.PathLike[str] | None, *, create: bool, timeout_s: float) -> Database:
    """Open a database and bring it to our schema.

    Args:
        target: Path or SQLAlchemy URL; None is `CODEJURY_STORE`, else `.codejury/runs.db`.
        create: Make the database if there is none.
        timeout_s: How long to wait for another writer.

    Raises:
        UsageError: There is none, it is not ours, or it is of a newer version.
        InfrastructureError: It cannot be opened.
    """
    url, path = _locate(target)
    name = str(path)
    if not path.exists():
        if not create:
            raise UsageError(f"no store at {name}: judge something first, or say where it is")
        _make_folder(path)
    elif not path.is_file():
        raise UsageError(f"store {name} is not a file: give the path of a database file")
    elif not url.query and _cannot_change(path):
        url = url.set(database=f"file:{quote(name)}", query={"mode": "ro", "immutable": "1", "uri": "true"})
    engine = create_engine(url, poolclass=QueuePool, connect_args={"timeout": timeout_s})
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    database = Database(engine, name)
    try:
        _prepare(database, time.monotonic() + timeout_s)
    except BaseException:
        database.close()
        raise
    return database


def translate(error: BaseException | None, name: str) -> CodejuryError:
    """The driver's error as one line for the user."""
    first_line = (str(error).splitlines() or [type(error).__name__])[0]
    code = getattr(error, "sqlite_errorcode", None)
    match None if code is None else code & 0xFF:
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return UsageError(
                f"store {name} is not a usable database ({first_line}): move it away or name another"
            )
        case sqlite3.SQLITE_READONLY:
            said = " is read-only: make the file and its folder writable, or copy them elsewhere"
        case sqlite3.SQLITE_FULL:
            said = f": the disk is full; free some space, then {_AGAIN}"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            said = " is locked by another process: try again when that has ended"
        case sqlite3.SQLITE_CANTOPEN:
            said = " cannot be opened: make the file and its folder writable, or copy them elsewhere"
        case sqlite3.SQLITE_IOERR:
            said = f": {first_line}; look at its disk and your quota, then {_AGAIN}"
        case _:
            said = f": {first_line}"
    return InfrastructureError(f"store {name}{said}")


def _locate(target: str | os.PathLike[str] | None) -> tuple[URL, Path]:
    text = os.fspath(target or os.environ.get(ENVIRONMENT) or DEFAULT_PATH)
    if "://" not in text:
        return make_url("sqlite://").set(database=text), Path(text)
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise UsageError("the store's URL cannot be read: use a path, or sqlite:///PATH") from error
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        raise UsageError(f"store {url.render_as_string()} is not supported: use a path, or sqlite:///PATH")
    return url, Path(url.database.removeprefix("file:"))


def _cannot_change(path: Path) -> bool:
    # SQLite reads a store with a write-ahead log only where it can make files beside it, or is told that nobody
    # writes. A log that was left there holds verdicts, which SQLite would then not read.
    log = path.with_name(f"{path.name}-wal")
    read_only = os.statvfs(path).f_flag & os.ST_RDONLY
    return bool(read_only) and not (log.exists() and log.stat().st_size)


def _make_folder(path: Path) -> None:
    if path == DEFAULT_PATH:
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise InfrastructureError(f"folder {path.parent} cannot be made: {error.strerror}") from error
    elif not path.parent.is_dir():
        raise UsageError(f"store {path}: its folder does not exist; make it first")


def _on_connect(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver's guess
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")


def _on_begin(connection: Connection) -> None:
    kind = connection.get_execution_options().get("begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {kind}")


def _prepare(database: Database, deadline: float) -> None:
    with database.read() as connection:
        version = _version(connection, database.name)
    if version == SCHEMA_VERSION:
        return
    try:
        _use_write_ahead_log(database, deadline)
        with database.write() as connection:
            _make_or_upgrade(connection, database.name)
    except InfrastructureError as error:
        if not version:
            raise
        raise InfrastructureError(
            f"schema {version} must become {SCHEMA_VERSION} before this codejury can use it, "
            f"and nothing was changed yet: {error}"
        ) from error


def _make_or_upgrade(connection: Connection, name: str) -> None:
    version = _version(connection, name)  # under the lock: another process may have been faster
    if version == 0:
        metadata.create_all(connection)
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
    elif version < SCHEMA_VERSION:
        from codejury.store.migrations import upgrade  # noqa: PLC0415 - alembic costs 150 ms, and is needed once

        upgrade(connection, version)


def _version(connection: Connection, name: str) -> int:
    def number(statement: str) -> int:
        return int(connection.exec_driver_sql(statement).scalar_one())

    version = number("PRAGMA user_version")
    ours = number("PRAGMA application_id") == APPLICATION_ID
    if not ours and (version or number("SELECT count(*) FROM sqlite_master")):
        raise UsageError(f"{name} is a database, but not a store of codejury: name another file")
    if version > SCHEMA_VERSION:
        raise UsageError(
            f"store {name} has schema {version}, this codejury knows up to {SCHEMA_VERSION}: use a newer codejury"
        )
    return version


def _use_write_ahead_log(database: Database, deadline: float) -> None:
    # SQLite does not wait for a lock here, whatever the timeout: two processes that make one store would fail.
    while True:
        connection = database.engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise translate(error, database.name) from error
        else:
            return
        finally:
            connection.close()
        time.sleep(0.05)
