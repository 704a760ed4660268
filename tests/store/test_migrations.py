"""Stores of older schemas: upgraded whole or left as they were."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from codejury.model import InfrastructureError, Outcome, UsageError
from codejury.store import Store, migrations
from codejury.store.tables import SCHEMA_VERSION, metadata

Build = Any
DATA = Path(__file__).parent / "data"

# Runs the upgrade up to a step of the database's engine, then does what is said there.
DIES = """
import os, signal, sys
from codejury.store import Store
import codejury.store.migrations as migrations
real = migrations.MigrationContext.configure
def configure(connection):
    def fill(statement):
        if statement.lstrip().startswith(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
    connection.connection.dbapi_connection.set_trace_callback(fill)
    return real(connection)
migrations.MigrationContext.configure = configure
Store.open(sys.argv[1])
"""


NEWER = {"c_base", "has_base", "base_passed", "slowest_cpu_s", "latency_s", "flags"}
"""What older schemas did not know."""


def _written(path: Path, schema: int) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript((DATA / f"schema_{schema}.sql").read_text())
    connection.close()
    return path


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A store as the code of the first schema wrote it."""
    return _written(tmp_path / "first.db", 1)


@pytest.fixture(params=range(1, SCHEMA_VERSION))
def older(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A store as the code of each older schema wrote it."""
    return _written(tmp_path / "older.db", request.param)


def _schema(path: Path) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    pragmas = [connection.execute(f"PRAGMA {p}").fetchone()[0] for p in ("application_id", "user_version")]
    connection.close()
    return [*sorted((*row[:3], " ".join(row[3].split())) for row in rows), *[(str(number),) for number in pragmas]]


def _rows(path: Path) -> dict[str, list[Any]]:
    connection = sqlite3.connect(path)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = {name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in names}  # noqa: S608 - our names
    connection.close()
    return rows


def _read(store: Store) -> dict[str, Any]:
    """All that a store says of its runs, in the form of `schema_1.json`."""
    found: dict[str, Any] = {}
    for info in store.runs():
        counts, run = store.counts(info.id), info.id
        columns = {field.name: getattr(counts, field.name) for field in fields(counts) if field.name not in NEWER}
        found[info.name] = {
            "info": asdict(info),
            "counts": {name: [*map(_plain, column)] for name, column in columns.items()},
            "tally": [asdict(row) for row in store.tally(run)],
            "flips": [asdict(row) for row in store.flips(run)],
            "pending": [list(row) for row in store.pending(run)],
            "count_pending": store.count_pending(run),
            "verdicts": [
                {name: _plain(value) for name, value in asdict(verdict).items() if name not in NEWER}
                for verdict in store.verdicts(run)
            ],
        }
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return value if value is None or isinstance(value, (str, float)) else int(value)


def test_older_schema_says_the_same_after_the_upgrade(older: Path) -> None:
    """Runs, counts, tallies, flips, pending programs and verdicts are what that schema's code read."""
    expected = json.loads((DATA / "schema_1.json").read_text())
    with Store.open(older) as store:
        assert expected == _read(store)
        assert b'{"cpu_s":0.5}' == store.profiles(["key"]).get("key")
        run = store.find_run("first").id
        assert ("P/3",) == store.manifest(run).missing
        hashes = [program for _, _, program in store.pending(run)]
        assert ["pending", "right"] == [store.library(run).program(digest) for digest in hashes]


def test_no_sample_of_an_older_schema_has_a_base(older: Path) -> None:
    """Tests with a further part came later: samples that passed are those that passed the base."""
    with Store.open(older) as store:
        for info in store.runs():
            counts = store.counts(info.id)
            assert (counts.c.tolist(), False) == (counts.c_base.tolist(), bool(counts.has_base.any()))
            assert {None} == {verdict.base_passed for verdict in store.verdicts(info.id)}


def test_no_test_of_an_older_schema_has_a_cpu_time(older: Path) -> None:
    """It was not kept; the wall time is."""
    with Store.open(older) as store:
        for info in store.runs():
            assert {None} == {verdict.slowest_cpu_s for verdict in store.verdicts(info.id)}


def test_older_schema_can_be_judged_on(older: Path, build: Build) -> None:
    """A resumed run ends as if it had been begun today."""
    problems = build.problem_set(4).problems
    with Store.open(older) as store:
        run = store.find_run("first").id
        assert 1 == store.reopen(run, [Outcome.INFRA_ERROR])
        store.sink(run).put(
            [
                build.judged(problems[1], "pending"),
                build.judged(problems[1], "infra"),
                build.judged(problems[2], "right", base_passed=True),
            ]
        )
        assert 0 == store.count_pending(run)
        assert [False, False, True, False] == store.counts(run).has_base.tolist()
        assert [5, 5, 1, 0] == store.counts(run).n.tolist()
        assert 11 == sum(row.samples for row in store.tally(run))
        store.delete_run(run)
        assert ["second"] == [info.name for info in store.runs()]


def test_upgraded_schema_is_that_of_a_new_store(older: Path, tmp_path: Path) -> None:
    """Table by table, index by index, and the file's marks."""
    before = _schema(older)
    Store.open(older).close()
    Store.open(tmp_path / "new.db").close()
    assert _schema(tmp_path / "new.db") == _schema(older) != before


def test_alembic_sees_no_difference_to_the_tables(older: Path) -> None:
    """What Alembic would do to bring the upgraded store to `tables.metadata`: nothing."""
    with Store.open(older) as store, store._database.read() as connection:
        assert [] == compare_metadata(MigrationContext.configure(connection), metadata)


def test_revisions_are_a_chain_of_numbers() -> None:
    """Each schema has one revision, and the last is today's."""
    revisions = [script.revision for script in migrations.scripts().walk_revisions()]
    assert [str(number) for number in range(SCHEMA_VERSION, 0, -1)] == revisions


def test_error_within_the_upgrade_changes_nothing(first: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception after the tables were changed: the old store stays, and the next opening succeeds."""
    schema, rows = _schema(first), _rows(first)
    real = migrations.upgrade

    def broken(connection: Any, version: int) -> None:
        real(connection, version)
        raise RuntimeError("broke off")

    with monkeypatch.context() as patch:
        patch.setattr(migrations, "upgrade", broken)
        with pytest.raises(RuntimeError, match="broke off"):
            Store.open(first)
    assert (schema, rows) == (_schema(first), _rows(first))
    with Store.open(first) as store:
        assert json.loads((DATA / "schema_1.json").read_text()) == _read(store)


@pytest.mark.parametrize(
    "step",
    [
        *("CREATE TABLE outcome_counts", "INSERT INTO outcome_counts", "PRAGMA user_version = 2"),
        *("ALTER TABLE verdicts", "ALTER TABLE problem_counts", "PRAGMA user_version = 3"),
        *("PRAGMA user_version = 4", "COMMIT"),
    ],
)
def test_killed_within_the_upgrade_changes_nothing(first: Path, step: str) -> None:
    """Kill -9 at any of its steps: the old store stays, and the next opening succeeds."""
    schema, rows = _schema(first), _rows(first)
    died = subprocess.run([sys.executable, "-c", DIES, os.fspath(first), step], check=False, capture_output=True)
    assert (-signal.SIGKILL, b"") == (died.returncode, died.stderr)
    assert (schema, rows) == (_schema(first), _rows(first))
    with Store.open(first) as store:
        assert json.loads((DATA / "schema_1.json").read_text()) == _read(store)


def test_processes_may_upgrade_one_store_at_once(first: Path) -> None:
    """One does it, the others wait and go on."""
    code = "import sys; from codejury.store import Store; print(len(Store.open(sys.argv[1]).runs()))"
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(first)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    results = [(*process.communicate(), process.returncode) for process in processes]
    assert [(b"2\n", b"", 0)] * 4 == results


def test_upgrade_waits_for_a_writer(first: Path) -> None:
    """A writer that does not end is reported, and nothing was changed."""
    other = sqlite3.connect(first, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(
        InfrastructureError, match=rf"schema 1 must become {SCHEMA_VERSION} .*nothing was changed.* is locked"
    ):
        Store.open(first, timeout_s=0.05)
    other.execute("ROLLBACK")
    other.close()
    Store.open(first, timeout_s=0.05).close()


def test_older_store_that_is_read_only_says_what_to_do(first: Path) -> None:
    """It cannot be upgraded, so it cannot be read."""
    with pytest.raises(
        InfrastructureError, match=rf"schema 1 must become {SCHEMA_VERSION} .*read-only: make .* writable"
    ):
        Store.open(f"sqlite:///file:{first}?mode=ro&uri=true", create=False)
    Store.open(first, create=False).close()
    with Store.open(f"sqlite:///file:{first}?mode=ro&uri=true", create=False) as store:
        assert ["first", "second"] == [info.name for info in store.runs()]


def test_store_that_a_newer_codejury_changes_meanwhile_is_not_written(
    store: Store, run: int, build: Build
) -> None:
    """A controller that is under way when another upgrades its store stops, instead of leaving rows uncounted."""
    keeper = store.sink(run)
    other = sqlite3.connect(store.name)
    other.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    for write in (
        lambda: keeper.put([build.judged(build.problem_set().problems[0], "a")]),
        lambda: store.create_run(build.manifest("second"), build.problem_set(), []),
    ):
        with pytest.raises(UsageError, match=f"schema {SCHEMA_VERSION + 1}.*use a newer codejury"):
            write()
    other.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    other.close()
    assert (["first"], 3) == ([info.name for info in store.runs()], store.count_pending(run))


def test_alembic_is_not_imported_where_there_is_nothing_to_upgrade(tmp_path: Path) -> None:
    """Making and opening a store of today's schema: the import would double the time of `codejury report`."""
    code = (
        "import sys; from codejury.store import Store; [Store.open(sys.argv[1]).close() for _ in range(2)]; "
        "print([name for name in sys.modules if name.startswith('alembic')])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "runs.db")], check=True, capture_output=True)
    assert b"[]\n" == done.stdout
