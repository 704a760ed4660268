"""Runs of another store: everything that belongs to them is copied, all of them or none."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import Outcome, Timing, UsageError
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """A second store."""
    with Store.open(tmp_path / "other.db") as opened:
        yield opened


def judged(store: Store, build: Any, name: str, *sources: str) -> int:
    """A run over all problems with these programs for each, the first of them wrong, the last not judged."""
    problem_set = build.problem_set()
    pairs = [build.pair(p.id, i, source) for p in problem_set.problems for i, source in enumerate(sources)]
    run = store.create_run(build.manifest(name, problem_set, notes=("mine",)), problem_set, pairs)
    outcomes = dict.fromkeys(sources[1:-1], Outcome.PASSED) | {sources[0]: Outcome.WRONG_ANSWER}
    store.sink(run).put(
        [build.judged(p, source, outcome) for p in problem_set.problems for source, outcome in outcomes.items()]
    )
    store.finish(run, Timing(wall_s=2.0, samples=6))
    return run


def everything(store: Store, name: str) -> Any:
    """All that a run says of itself, its key in the store and its name apart."""
    info = store.find_run(name)
    counts = store.counts(info.id)
    verdicts = list(store.verdicts(info.id))
    texts = [store.text(v.text_hash) for v in verdicts] + [store.text(v.program_hash) for v in verdicts]
    numbers = (counts.samples, counts.n, counts.c, counts.infra, counts.weak)
    return (
        (info.samples, info.programs, info.judged, info.passed, info.wall_s, info.timed_samples, info.created),
        store.manifest(info.id).notes,
        counts.problem_ids,
        [array.tolist() for array in numbers],
        store.tally(info.id),
        list(store.pending(info.id)),
        verdicts,
        texts,
    )


def test_everything_is_copied(store: Store, other: Store, build: Any) -> None:
    """Samples, verdicts, counts, texts, the manifest, what is left to judge; and the other store keeps it."""
    judged(store, build, "here", "a", "b", "c")
    judged(other, build, "there", "b", "c", "d", "e")
    before, here = everything(other, "there"), everything(store, "here")
    store.import_runs(other, {"there": "there"})
    assert before == everything(store, "there") == everything(other, "there")
    assert here == everything(store, "here")
    assert None not in before[-1]


def test_a_run_may_have_another_name(store: Store, other: Store, build: Any) -> None:
    """Its manifest has it, too."""
    judged(other, build, "there", "a", "b", "c")
    store.import_runs(other, {"there": "from there"})
    run = store.find_run("from there").id
    assert "from there" == store.manifest(run).run


def test_an_imported_run_can_be_judged_on(store: Store, other: Store, build: Any) -> None:
    """And its texts stay when the run that brought them first is deleted."""
    judged(store, build, "here", "a", "b", "c")
    judged(other, build, "there", "a", "b", "c")
    store.import_runs(other, {"there": "there"})
    store.delete_run(store.find_run("here").id)
    run = store.find_run("there").id
    left = list(store.pending(run))
    assert 3 == len(left)
    library = store.library(run)
    library.fetch([program for _, _, program in left])
    assert {"c"} == {library.program(program) for _, _, program in left}
    problems = build.problem_set().problems
    store.sink(run).put([build.judged(problem, "c") for problem in problems])
    assert [] == list(store.pending(run))
    assert 6 == store.find_run("there").passed


def test_all_or_none(store: Store, other: Store, build: Any) -> None:
    """A name that is taken keeps every other run out, too."""
    judged(store, build, "two", "a", "b", "c")
    judged(other, build, "one", "a", "b", "c")
    judged(other, build, "two", "a", "b", "c")
    with pytest.raises(UsageError, match="run 'two' is already in store"):
        store.import_runs(other, {"one": "one", "two": "two"})
    assert ["two"] == [info.name for info in store.runs()]


def test_a_store_is_not_copied_into_itself(store: Store, build: Any) -> None:
    """By whatever path it is named."""
    judged(store, build, "one", "a", "b", "c")
    with Store.open(store.name) as again, pytest.raises(UsageError, match="is the store itself"):
        store.import_runs(again, {"one": "two"})


def test_store_is_whole_afterwards(store: Store, other: Store, build: Any) -> None:
    """No row without its run, no text without its user, and the other file is let go."""
    judged(other, build, "there", "a", "b", "c")
    store.import_runs(other, {"there": "there"})
    connection = sqlite3.connect(store.name)
    assert [] == connection.execute("PRAGMA foreign_key_check").fetchall()
    assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    store.delete_run(store.find_run("there").id)
    connection = sqlite3.connect(store.name)
    assert [(0,)] == connection.execute("SELECT count(*) FROM texts").fetchall()
    connection.close()
    other.delete_run(other.find_run("there").id)
