"""Writing verdicts: the rows and the counts that reports read, in one transaction."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as insert_or

from codejury.model import Outcome, UsageError
from codejury.store.tables import outcome_counts, problem_counts, problems, runs, samples, verdicts
from codejury.store.texts import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from codejury.model import Judged, Verdict
    from codejury.store.database import Database

MAX_DETAIL = 300
"""Characters of a verdict's detail that are kept."""

UNKNOWN = (Outcome.INFRA_ERROR, Outcome.MISSING)
"""Outcomes that say nothing of the sample."""

_Row = dict[str, Any]
_CHUNK = 500  # old builds of SQLite take 999 parameters


class RunSink:
    """`model.Sink` of one run.

    A batch is kept whole or not at all, and a second verdict of a program of a problem changes nothing.
    """

    def __init__(self, database: Database, run: int) -> None:
        self._database = database
        self._run = run
        with database.read() as connection:
            query = select(problems.c.problem_hash, problems.c.position).where(problems.c.run_id == run)
            self._positions = {digest: position for digest, position in connection.execute(query)}  # noqa: C416

    def put(self, batch: Sequence[Judged]) -> None:
        """Keep a batch of verdicts; when this returns, they survive a crash and a loss of power.

        Raises:
            UsageError: The run was deleted, or a job is not of this run. Nothing of the batch is kept.
            InfrastructureError: The store cannot be written. Nothing of the batch is kept.
        """
        rows: dict[tuple[int, str], _Row] = {}
        for judged in batch:
            position = self._positions.get(judged.job.problem_hash)
            if position is None:
                raise UsageError(f"problem {judged.job.problem_hash} of a verdict is not in run {self._run}")
            rows.setdefault((position, judged.job.program_hash), _verdict_row(judged))
        if not rows:
            return
        with self._database.write() as connection:
            _require_run(connection, self._run)
            for job in _already_judged(connection, self._run, rows):
                del rows[job]
            copies = _copies(connection, self._run, rows)
            for (position, digest), row in rows.items():
                if (position, digest) not in copies:
                    raise UsageError(f"program {digest} of a verdict is not in run {self._run}")
                row.update(run_id=self._run, position=position, copies=copies[position, digest])
            if rows:
                connection.execute(insert(verdicts), list(rows.values()))
                _add(connection, self._run, rows.values())


def reopen(database: Database, run: int, outcomes: Collection[Outcome]) -> int:
    """See `Store.reopen`."""
    chosen = (outcome_counts.c.run_id == run) & outcome_counts.c.outcome.in_([o.value for o in outcomes])
    columns = [outcome_counts.c[name] for name in ("position", "outcome", "integrity", "samples")]
    affected = (
        (verdicts.c.run_id == run)
        & verdicts.c.position.in_(select(outcome_counts.c.position).where(chosen))
        & verdicts.c.outcome.in_([o.value for o in outcomes])
    )
    with database.write() as connection:
        _require_run(connection, run)
        ended = connection.execute(select(*columns).where(chosen)).all()
        if ended:
            _add_problem_counts(
                connection, run, [(at, o, integrity, -number) for at, o, integrity, number in ended]
            )
            base = select(verdicts.c.position, func.sum(verdicts.c.copies)).where(
                affected, verdicts.c.base_passed == 1
            )
            rows = connection.execute(base.group_by(verdicts.c.position)).all()
            _add_base_counts(connection, run, {at: -number for at, number in rows})
            connection.execute(delete(verdicts).where(affected))
            connection.execute(delete(outcome_counts).where(chosen))
    return sum(row[3] for row in ended)


def _require_run(connection: Connection, run: int) -> None:
    # The row's lock keeps other writers of this run out where databases lock rows; SQLite's lock is on the whole.
    if connection.execute(select(runs.c.id).where(runs.c.id == run).with_for_update()).first() is None:
        raise UsageError(f"run {run} is no longer in the store: it was deleted")


def _chunks(jobs: Collection[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    # By problem: SQLite finds pairs (position, program) by scanning the run, but programs of a position by index.
    by_position: dict[int, list[str]] = defaultdict(list)
    for position, digest in jobs:
        by_position[position].append(digest)
    for position, digests in by_position.items():
        for start in range(0, len(digests), _CHUNK):
            yield position, digests[start : start + _CHUNK]


def _already_judged(connection: Connection, run: int, jobs: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
    found: set[tuple[int, str]] = set()
    for position, digests in _chunks(jobs):
        query = select(verdicts.c.program_hash).where(
            verdicts.c.run_id == run, verdicts.c.position == position, verdicts.c.program_hash.in_(digests)
        )
        found |= {(position, digest) for digest in connection.execute(query).scalars()}
    return found


def _copies(connection: Connection, run: int, jobs: Collection[tuple[int, str]]) -> dict[tuple[int, str], int]:
    found: dict[tuple[int, str], int] = {}
    for position, digests in _chunks(jobs):
        query = (
            select(samples.c.program_hash, func.count())
            .where(samples.c.run_id == run, samples.c.position == position, samples.c.program_hash.in_(digests))
            .group_by(samples.c.program_hash)
        )
        found |= {(position, digest): count for digest, count in connection.execute(query)}
    return found


def _add(connection: Connection, run: int, rows: Collection[_Row]) -> None:
    """Count rows of `verdicts` that are new."""
    key = ("position", "outcome", "integrity", "tier")
    totals: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        total = totals[tuple(row[name] for name in key)]
        total[0] += row["copies"]
        total[1] += 1
    new = insert_or(outcome_counts)
    statement = new.on_conflict_do_update(
        index_elements=list(outcome_counts.primary_key),
        set_={name: outcome_counts.c[name] + new.excluded[name] for name in ("samples", "programs")},
    )
    connection.execute(
        statement,
        [
            {"run_id": run, "samples": number, "programs": programs, **dict(zip(key, ended, strict=True))}
            for ended, (number, programs) in totals.items()
        ],
    )
    _add_problem_counts(connection, run, [(*ended[:3], number) for ended, (number, _) in totals.items()])
    base: dict[int, int] = defaultdict(int)
    for row in rows:
        if row["base_passed"] is not None:
            base[row["position"]] += row["copies"] * row["base_passed"]
    _add_base_counts(connection, run, base)


def _add_problem_counts(connection: Connection, run: int, ended: Iterable[tuple[int, str, str, int]]) -> None:
    """Add samples, or take them away: position, outcome, integrity, number."""
    names = ("n", "c", "infra", "weak")
    changes: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for position, outcome, integrity, number in ended:
        known = outcome not in UNKNOWN
        flags = (known, outcome == Outcome.PASSED, not known, known and integrity == "weak")
        change = changes[position]
        for place, flag in enumerate(flags):
            change[place] += number * flag
    statement = (
        update(problem_counts)
        .where(problem_counts.c.run_id == run, problem_counts.c.position == bindparam("at"))
        .values({name: problem_counts.c[name] + bindparam(f"add_{name}") for name in names})
    )
    rows = [
        {"at": position, **{f"add_{name}": number for name, number in zip(names, change, strict=True)}}
        for position, change in changes.items()
    ]
    connection.execute(statement, rows)


def _add_base_counts(connection: Connection, run: int, changes: Mapping[int, int]) -> None:
    """Add samples that passed the base of their tests, or take them away: number by position."""
    number = func.coalesce(problem_counts.c.c_base, 0) + bindparam("add")
    statement = (
        update(problem_counts)
        .where(problem_counts.c.run_id == run, problem_counts.c.position == bindparam("at"))
        .values(c_base=number)
    )
    if changes:
        connection.execute(statement, [{"at": position, "add": change} for position, change in changes.items()])


def _verdict_row(judged: Judged) -> _Row:
    verdict = judged.verdict
    base = None if verdict.outcome in UNKNOWN else verdict.base_passed
    return {
        "program_hash": judged.job.program_hash,
        "key": judged.job.key,
        "outcome": verdict.outcome.value,
        "integrity": verdict.integrity,
        "tier": verdict.tier,
        "detail": printable(verdict.detail)[:MAX_DETAIL],
        "cpu_s": verdict.cpu_s,
        "wall_s": verdict.wall_s,
        "peak_bytes": verdict.peak_bytes,
        "flipped_from": None if verdict.flipped_from is None else verdict.flipped_from.value,
        "base_passed": None if base is None else int(base),
        **_test_columns(verdict),
    }


def _test_columns(verdict: Verdict) -> _Row:
    bitmap = bytearray((len(verdict.tests) + 7) // 8)
    first_failure = None
    for place, test in enumerate(verdict.tests):
        if test.outcome is Outcome.PASSED:
            bitmap[place // 8] |= 1 << place % 8
        elif first_failure is None:
            first_failure = place
    slowest = max(range(len(verdict.tests)), key=lambda place: verdict.tests[place].wall_s, default=None)
    of_slowest = None if slowest is None else verdict.tests[slowest]
    return {
        "n_tests": len(verdict.tests),
        "passed": bytes(bitmap),
        "first_failure": first_failure,
        "slowest": slowest,
        "slowest_s": None if of_slowest is None else of_slowest.wall_s,
        "slowest_cpu_s": None if of_slowest is None else of_slowest.cpu_s,
    }
