"""Deleting runs while others write."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import UsageError, text_hash
from codejury.store import Store, deletion

if TYPE_CHECKING:
    from pathlib import Path

Build = Any


def test_texts_that_a_new_run_uses_meanwhile_stay(
    store: Store, run: int, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that begins after the look at all samples, with texts of the one that is deleted."""
    real = deletion._find_unused

    def find_then_others_begin(connection: Any, of: int) -> None:
        real(connection, of)
        pairs = [build.pair("P/0", 0, "a"), build.pair("P/1", 0, "new")]
        store.create_run(build.manifest("second"), build.problem_set(2), pairs)

    monkeypatch.setattr(deletion, "_find_unused", find_then_others_begin)
    store.delete_run(run)
    second = store.find_run("second").id
    found = [store.library(second).program(program) for _, _, program in store.pending(second)]
    assert ["a", "new"] == found
    assert ("answer: a", None) == (store.text(text_hash("answer: a")), store.text(text_hash("answer: b")))
    assert build.problem_set().problems[0] == store.library(second).problem(build.problem_set().problems[0].hash)
    assert None is store.text(build.problem_set().problems[2].hash)


def test_program_of_one_run_that_is_an_answer_of_another_stays(store: Store, run: int, build: Build) -> None:
    """A text may be a program here and a raw text there."""
    other = store.create_run(
        build.manifest("second"), build.problem_set(1), [build.pair("P/0", 0, "answer: a", rule="whole")]
    )
    store.delete_run(run)
    assert ["answer: a"] == [store.library(other).program(program) for _, _, program in store.pending(other)]
    assert None is store.text(text_hash("a"))


def test_others_write_while_it_is_searched_what_to_delete(
    tmp_path: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look at all samples, which may take seconds, holds no lock."""
    real = deletion._find_unused

    def find_while_another_writes(connection: Any, of: int) -> None:
        real(connection, of)
        other = sqlite3.connect(tmp_path / "runs.db", isolation_level=None, timeout=0)
        other.execute("INSERT INTO profiles VALUES ('key', x'00')")
        other.close()

    monkeypatch.setattr(deletion, "_find_unused", find_while_another_writes)
    with Store.open(tmp_path / "runs.db", timeout_s=0.05) as store:
        run = store.create_run(build.manifest(), build.problem_set(), [build.pair("P/0", 0, "a")])
        store.delete_run(run)
        assert ([], b"\0") == (store.runs(), store.profiles(["key"]).get("key"))


def test_run_that_is_deleted_twice_at_once(store: Store, run: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of two deletions that overlap says that there is no such run."""
    real = deletion._find_unused

    def find_while_another_deletes(connection: Any, of: int) -> None:
        real(connection, of)
        monkeypatch.setattr(deletion, "_find_unused", real)
        store.delete_run(of)

    monkeypatch.setattr(deletion, "_find_unused", find_while_another_deletes)
    with pytest.raises(UsageError, match=f"no run {run}"):
        store.delete_run(run)
    assert [] == store.runs()
