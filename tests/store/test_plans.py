"""Reports read small tables: the plans of their queries name no table that has a row a sample or a verdict."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event

from codejury.model import Outcome
from codejury.pipeline import summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from codejury.store import Store

Build = Any
SMALL = {"runs", "problems", "problem_counts", "outcome_counts"}


@pytest.fixture
def judged(store: Store, run: int, build: Build) -> int:
    """A run that is judged, with a flip."""
    first, second, _ = build.problem_set().problems
    store.sink(run).put(
        [
            build.judged(first, "a", flipped_from=Outcome.TIMEOUT_WALL),
            build.judged(first, "b", Outcome.CRASHED),
            build.judged(second, "a"),
        ]
    )
    store.replace_manifest(run, build.manifest(missing=("P/2",)))
    return run


@contextmanager
def _recorded(store: Store) -> Iterator[list[tuple[str, Any]]]:
    """The statements that are executed, with their parameters."""
    found: list[tuple[str, Any]] = []

    def record(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if not statement.startswith(("BEGIN", "PRAGMA")):
            found.append((statement, parameters))

    event.listen(store._database.engine, "before_cursor_execute", record)
    try:
        yield found
    finally:
        event.remove(store._database.engine, "before_cursor_execute", record)


def _plans(store: Store, action: Callable[[], object]) -> list[str]:
    """The lines of the plans of all that `action` reads."""
    with _recorded(store) as statements:
        action()
    assert statements
    with store._database.read() as connection:
        return [
            row[-1]
            for statement, parameters in statements
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]


def _tables(plans: list[str]) -> set[str]:
    return {found[1] for line in plans if (found := re.match(r"(?:SCAN|SEARCH) (\w+)", line))}


@pytest.mark.parametrize("what", ["runs", "find_run", "manifest", "counts", "tally", "count_pending"])
def test_reading_names_small_tables_only(store: Store, judged: int, what: str) -> None:
    """Their size is that of the problem sets, whatever the number of samples; a run's own rows are searched."""
    argument = {"runs": (), "find_run": ("first",)}.get(what, (judged,))
    plans = _plans(store, lambda: getattr(store, what)(*argument))
    assert _tables(plans)
    assert set() == _tables(plans) - SMALL
    assert [] == [line for line in plans if line.startswith("SCAN") and not re.match(r"SCAN runs\b", line)]


def test_flips_are_found_by_their_index(store: Store, judged: int) -> None:
    """Few verdicts were changed by a rerun, and an index holds just these."""
    plans = _plans(store, lambda: store.flips(judged))
    assert {"verdicts", "problems", "samples"} == _tables(plans)
    assert [] == [line for line in plans if line.startswith("SCAN")]
    assert any(re.match(r"SEARCH verdicts USING .*INDEX verdicts_flipped \(run_id=\?", line) for line in plans)
    assert any(re.match(r"SEARCH samples USING .*INDEX samples_by_program", line) for line in plans)


def test_report_reads_small_tables_and_flips(store: Store, judged: int) -> None:
    """All of `codejury report`: the verdicts are touched by the index of flips alone."""
    plans = _plans(store, lambda: summarise(store, "first"))
    assert set() == _tables(plans) - SMALL - {"verdicts", "samples"}
    assert [] == [line for line in plans if line.startswith("SCAN") and not re.match(r"SCAN runs\b", line)]
    of_verdicts = [line for line in plans if re.match(r"SEARCH verdicts\b", line)]
    assert 1 == len(of_verdicts)
    assert "verdicts_flipped" in of_verdicts[0]


def test_reopening_searches_the_problems_concerned(store: Store, judged: int) -> None:
    """`--retry infra` of a few samples does not read a million verdicts to find them."""
    plans = _plans(store, lambda: store.reopen(judged, [Outcome.CRASHED]))
    of_verdicts = [line for line in plans if re.match(r"(?:SCAN|SEARCH) verdicts\b", line)]
    assert {"SEARCH verdicts USING PRIMARY KEY (run_id=? AND position=?)"} == set(of_verdicts)
