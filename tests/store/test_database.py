"""Opening a store, and the database's errors in one line."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from codejury.model import InfrastructureError, UsageError
from codejury.store import Store

Build = Any


def test_default_place_is_below_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a path, the store is .codejury/runs.db here."""
    monkeypatch.delenv("CODEJURY_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    with Store.open() as store:
        assert str(Path(".codejury/runs.db")) == store.name
    assert (tmp_path / ".codejury" / "runs.db").is_file()


def test_environment_names_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CODEJURY_STORE comes before the default place."""
    monkeypatch.setenv("CODEJURY_STORE", str(tmp_path / "other.db"))
    with Store.open():
        assert (tmp_path / "other.db").is_file()


def test_url_and_path_name_the_same_store(tmp_path: Path, build: Build) -> None:
    """A store can be named by its URL."""
    path = tmp_path / "runs.db"
    with Store.open(f"sqlite:///{path}") as store:
        store.create_run(build.manifest(), build.problem_set(), [])
    with Store.open(path) as store:
        assert ["first"] == [info.name for info in store.runs()]


def test_connections_are_durable_and_wait(store: Store) -> None:
    """Write-ahead log, fsync at each commit, foreign keys, a time to wait for locks."""
    with store._database.read() as connection:
        pragmas = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    assert ["wal", 2, 1, 60_000] == pragmas


@pytest.mark.parametrize(
    "url", ["postgresql://u:secret@host/db", "sqlite://", "sqlite:///:memory:", "://", "x://"]
)
def test_other_databases_are_refused(url: str) -> None:
    """An unsupported URL is named, without its password."""
    with pytest.raises(UsageError, match="sqlite:///PATH") as caught:
        Store.open(url)
    assert "secret" not in str(caught.value)


def test_reading_commands_make_no_store(tmp_path: Path) -> None:
    """create=False: a clear error and no file."""
    with pytest.raises(UsageError, match="no store at"):
        Store.open(tmp_path / "none.db", create=False)
    assert [] == list(tmp_path.iterdir())


def test_missing_folder_is_an_error(tmp_path: Path) -> None:
    """A path that is mistyped makes no folders."""
    with pytest.raises(UsageError, match="folder does not exist"):
        Store.open(tmp_path / "typo" / "runs.db")


def test_folder_is_no_store(tmp_path: Path) -> None:
    """A folder in the place of the file."""
    with pytest.raises(UsageError, match="is not a file"):
        Store.open(tmp_path)


def test_not_a_database(tmp_path: Path) -> None:
    """A file of something else is left as it is."""
    path = tmp_path / "runs.db"
    path.write_bytes(b"no database " * 1000)
    with pytest.raises(UsageError, match="not a usable database") as caught:
        Store.open(path)
    assert "\n" not in str(caught.value)
    assert b"no database " * 1000 == path.read_bytes()


def test_database_of_others_is_left_alone(tmp_path: Path) -> None:
    """Another program's database gets no tables of ours."""
    path = tmp_path / "places.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE places (id INTEGER)")
    other.close()
    with pytest.raises(UsageError, match="not a store of codejury"):
        Store.open(path)
    other = sqlite3.connect(path)
    assert [("places",)] == other.execute("SELECT name FROM sqlite_master").fetchall()
    other.close()


def test_newer_schema_is_refused(tmp_path: Path) -> None:
    """A store that a newer version wrote is not touched."""
    path = tmp_path / "runs.db"
    Store.open(path).close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(UsageError, match=r"schema 99.*use a newer codejury"):
        Store.open(path)


def test_read_only_store_can_be_read_but_not_written(tmp_path: Path, build: Build) -> None:
    """Writing to a read-only store is one clear line."""
    path = tmp_path / "runs.db"
    with Store.open(path) as store:
        store.create_run(build.manifest(), build.problem_set(), [])
    with Store.open(f"sqlite:///file:{path}?mode=ro&uri=true") as store:
        assert ["first"] == [info.name for info in store.runs()]
        with pytest.raises(InfrastructureError, match="is read-only"):
            store.put_profiles({"key": b"{}"})


def test_locked_store_says_so(tmp_path: Path) -> None:
    """A writer that does not end is reported once the time to wait is over."""
    path = tmp_path / "runs.db"
    with Store.open(path, timeout_s=0.05) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InfrastructureError, match="locked by another process"):
            store.put_profiles({"key": b"{}"})
        assert [] == store.runs()
        other.execute("ROLLBACK")
        store.put_profiles({"key": b"{}"})
        other.close()
        assert b"{}" == store.profiles(["key"]).get("key")


def test_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A write for which there is no room is reported; what was there before stays."""
    with Store.open(tmp_path / "runs.db") as store:
        store.put_profiles({"small": b"{}"})
        pages = _pragma(store, "page_count")
        _pragma(store, f"max_page_count = {pages}")
        with pytest.raises(InfrastructureError, match="disk is full"):
            store.put_profiles({"big": b"x" * 1_000_000})
        assert (b"{}", None) == (store.profiles(["small"]).get("small"), store.profiles(["big"]).get("big"))
        _pragma(store, "max_page_count = 1000000")
        store.put_profiles({"big": b"x" * 1_000_000})
        assert 1_000_000 == len(store.profiles(["big"]).get("big") or b"")


def test_processes_may_make_one_store_at_once(tmp_path: Path) -> None:
    """Of several processes that open a store that is not there, all succeed."""
    code = (
        "import sys; from codejury.store import Store; Store.open(sys.argv[1]).put_profiles({sys.argv[2]: b'x'})"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "runs.db"), str(i)], stderr=subprocess.PIPE)
        for i in range(4)
    ]
    results = [(process.communicate()[1], process.returncode) for process in processes]
    assert [(b"", 0)] * 4 == results
    with Store.open(tmp_path / "runs.db") as store:
        assert [b"x"] * 4 == [store.profiles([str(i)]).get(str(i)) for i in range(4)]


def _pragma(store: Store, text: str) -> int:
    # The pool gives the connection that was used last, so the setting holds for what follows in this thread.
    with store._database.read() as connection:
        return int(connection.exec_driver_sql(f"PRAGMA {text}").scalar_one())
