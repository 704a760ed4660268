"""Reading a run: counts, tallies, what is left to judge, and its verdicts.

Long readings go problem by problem, each in a transaction of its own: a reader that stays in one for hours would
keep SQLite from emptying its write-ahead log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select, text

from codejury.model import Outcome
from codejury.store.tables import outcome_counts, problem_counts, problems, runs, samples, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from sqlalchemy import ColumnElement, FromClause

    from codejury.model import Integrity
    from codejury.store.database import Database


@dataclass(frozen=True)
class RunInfo:
    """A run in a list.

    Attributes:
        id: Key in the store.
        name: Name, unique in the store.
        created: UTC, ISO 8601.
        samples: Number of samples.
        programs: Number of distinct programs, each counted once a problem.
        judged: Samples with a verdict.
        passed: Samples that passed.
        wall_s: Seconds of judging, all sessions.
        timed_samples: Samples judged in them.
    """

    id: int
    name: str
    created: str
    samples: int
    programs: int
    judged: int
    passed: int
    wall_s: float
    timed_samples: int


@dataclass(frozen=True, eq=False)
class Counts:
    """A run's problems, in the order of their set, and how many of their samples are right.

    Attributes:
        problem_ids: Ids.
        difficulty: As the set says.
        cluster: The source that problems share.
        samples: All samples; shape (problems,), as all arrays here.
        n: Samples with a verdict that says something of them.
        c: Samples that passed.
        infra: Samples on which the infrastructure failed; judged = n + infra.
        weak: Samples of n that were judged within the candidate's reach.
        c_base: Samples of n that passed the base of their tests; as c where these have no further part.
        has_base: Whether they have.
    """

    problem_ids: tuple[str, ...]
    difficulty: tuple[str | None, ...]
    cluster: tuple[str | None, ...]
    samples: NDArray[np.int64]
    n: NDArray[np.int64]
    c: NDArray[np.int64]
    infra: NDArray[np.int64]
    weak: NDArray[np.int64]
    c_base: NDArray[np.int64]
    has_base: NDArray[np.bool_]


@dataclass(frozen=True)
class TallyRow:
    """Number of samples that ended alike."""

    outcome: Outcome
    integrity: Integrity
    tier: str
    samples: int


@dataclass(frozen=True)
class Flip:
    """A verdict that a rerun changed: the first sample with this program, and how many have it."""

    problem_id: str
    index: int
    first: Outcome
    final: Outcome
    samples: int


@dataclass(frozen=True)
class StoredVerdict:
    """The verdict of one sample, as it is kept.

    Attributes:
        problem_id, index: The sample.
        program_hash: Its program.
        text_hash: Its raw text.
        rule: The rule that extracted the program.
        flags: What that had to do or could not do; see docs/extraction.md.
        key: Key of the verdict.
        outcome, integrity, tier, detail, cpu_s, wall_s, peak_bytes, flipped_from, base_passed: See
            `model.Verdict`.
        n_tests: Tests that were executed.
        passed: Bitmap: bit i of byte i // 8 is test i.
        first_failure: 0-based place of the first test that failed.
        slowest, slowest_s: Place and wall seconds of the slowest test.
        slowest_cpu_s: Its CPU seconds; None where it took less than 20 ms, and in runs of older stores.
    """

    problem_id: str
    index: int
    program_hash: str
    text_hash: str
    rule: str
    key: str
    outcome: Outcome
    integrity: Integrity
    tier: str
    detail: str
    n_tests: int
    passed: bytes
    first_failure: int | None
    slowest: int | None
    slowest_s: float | None
    cpu_s: float
    wall_s: float
    peak_bytes: int | None
    flipped_from: Outcome | None
    base_passed: bool | None = None
    slowest_cpu_s: float | None = None
    flags: tuple[str, ...] = ()

    @property
    def tests_passed(self) -> tuple[bool, ...]:
        """Whether each executed test passed."""
        return tuple(bool(self.passed[place // 8] >> place % 8 & 1) for place in range(self.n_tests))


def list_runs(database: Database, name: str | None = None) -> list[RunInfo]:
    """All runs, oldest first, or the one with this name."""
    judged = func.coalesce(func.sum(problem_counts.c.n + problem_counts.c.infra), 0)
    columns = [runs.c[c] for c in ("id", "name", "created", "samples", "programs", "wall_s", "timed_samples")]
    query = (
        select(*columns, judged.label("judged"), func.coalesce(func.sum(problem_counts.c.c), 0).label("passed"))
        .outerjoin(problem_counts, problem_counts.c.run_id == runs.c.id)
        .group_by(runs.c.id)
        .order_by(runs.c.id)
    )
    if name is not None:
        query = query.where(runs.c.name == name)
    with database.read() as connection:
        return [RunInfo(**row) for row in connection.execute(query).mappings()]


def counts(database: Database, run: int) -> Counts:
    """See `Store.counts`."""
    numbers = ("samples", "n", "c", "infra", "weak")
    query = (
        select(
            problems.c.problem_id,
            problems.c.difficulty,
            problems.c.cluster,
            *(problem_counts.c[name] for name in (*numbers, "c_base")),
        )
        .join_from(problems, problem_counts, _same_problem(problem_counts))
        .where(problems.c.run_id == run)
        .order_by(problems.c.position)
    )
    with database.read() as connection:
        rows = connection.execute(query).all()
    return Counts(
        problem_ids=tuple(row.problem_id for row in rows),
        difficulty=tuple(row.difficulty for row in rows),
        cluster=tuple(row.cluster for row in rows),
        **{name: np.array([getattr(row, name) for row in rows], dtype=np.int64) for name in numbers},
        c_base=np.array([row.c if row.c_base is None else row.c_base for row in rows], dtype=np.int64),
        has_base=np.array([row.c_base is not None for row in rows], dtype=np.bool_),
    )


def tally(database: Database, run: int) -> list[TallyRow]:
    """See `Store.tally`."""
    group = (outcome_counts.c.outcome, outcome_counts.c.integrity, outcome_counts.c.tier)
    query = (
        select(*group, func.sum(outcome_counts.c.samples))
        .where(outcome_counts.c.run_id == run)
        .group_by(*group)
        .order_by(*group)
    )
    with database.read() as connection:
        rows = connection.execute(query).all()
    return [TallyRow(Outcome(outcome), integrity, tier, number) for outcome, integrity, tier, number in rows]


def flips(database: Database, run: int) -> list[Flip]:
    """See `Store.flips`."""
    # SQLite would read all of the run's verdicts to find the few, unless it is told of their index.
    names = ("run_id", "position", "program_hash", "flipped_from", "outcome", "copies")
    statement = (
        f"SELECT {', '.join(names)} FROM verdicts INDEXED BY verdicts_flipped "  # noqa: S608 - our own names
        "WHERE run_id = :run AND flipped_from IS NOT NULL"
    )
    flipped = text(statement).bindparams(run=run).columns(*(verdicts.c[name] for name in names)).subquery()
    first = func.min(samples.c.idx)
    query = (
        select(problems.c.problem_id, first, flipped.c.flipped_from, flipped.c.outcome, flipped.c.copies)
        .select_from(flipped)
        .join(problems, _same_problem(flipped))
        .join(samples, _same_program(flipped))
        .group_by(flipped.c.position, flipped.c.program_hash)
        .order_by(flipped.c.position, first)
    )
    with database.read() as connection:
        rows = connection.execute(query).all()
    return [Flip(problem, index, Outcome(old), Outcome(new), copies) for problem, index, old, new, copies in rows]


def pending(database: Database, run: int) -> Iterator[tuple[str, str, str]]:
    """See `Store.pending`."""
    unfinished = problem_counts.c.samples > problem_counts.c.n + problem_counts.c.infra
    for position, problem_id, problem_hash in _problems(database, run, only=unfinished):
        first = func.min(samples.c.idx)
        query = (
            select(samples.c.program_hash)
            .outerjoin(verdicts, _same_program())
            .where(samples.c.run_id == run, samples.c.position == position, verdicts.c.key.is_(None))
            .group_by(samples.c.program_hash)
            .order_by(first)
        )
        with database.read() as connection:
            programs = connection.execute(query).scalars().all()
        for program_hash in programs:
            yield problem_hash, problem_id, program_hash


def count_pending(database: Database, run: int) -> int:
    """See `Store.count_pending`."""
    judged = select(func.coalesce(func.sum(outcome_counts.c.programs), 0)).where(outcome_counts.c.run_id == run)
    query = select(runs.c.programs - judged.scalar_subquery()).where(runs.c.id == run)
    with database.read() as connection:
        return int(connection.execute(query).scalar_one_or_none() or 0)


def stream_verdicts(database: Database, run: int) -> Iterator[StoredVerdict]:
    """See `Store.verdicts`."""
    shared = ("program_hash", "text_hash", "rule", "flags")
    own = [c for c in verdicts.columns if c.name not in ("run_id", "position", "program_hash", "copies")]
    names = ("index", *shared, *(column.name for column in own))
    for position, problem_id, _ in _problems(database, run, only=problem_counts.c.n + problem_counts.c.infra > 0):
        query = (
            select(samples.c.idx, *(samples.c[name] for name in shared), *own)
            .join(verdicts, _same_program())
            .where(samples.c.run_id == run, samples.c.position == position)
            .order_by(samples.c.idx)
        )
        with database.read() as connection:
            rows = connection.execute(query).all()
        for row in rows:
            fields = dict(zip(names, row, strict=True))
            fields["outcome"] = Outcome(fields["outcome"])
            fields["flags"] = tuple((fields["flags"] or "").split())
            fields["flipped_from"] = fields["flipped_from"] and Outcome(fields["flipped_from"])
            fields["base_passed"] = None if fields["base_passed"] is None else bool(fields["base_passed"])
            yield StoredVerdict(problem_id=problem_id, **fields)


def _same_program(table: FromClause = verdicts) -> ColumnElement[bool]:
    return (
        (samples.c.run_id == table.c.run_id)
        & (samples.c.position == table.c.position)
        & (samples.c.program_hash == table.c.program_hash)
    )


def _problems(database: Database, run: int, *, only: ColumnElement[bool]) -> list[tuple[int, str, str]]:
    query = (
        select(problems.c.position, problems.c.problem_id, problems.c.problem_hash)
        .join_from(problems, problem_counts, _same_problem(problem_counts))
        .where(problems.c.run_id == run, only)
        .order_by(problems.c.position)
    )
    with database.read() as connection:
        return [(position, name, digest) for position, name, digest in connection.execute(query)]


def _same_problem(table: FromClause) -> ColumnElement[bool]:
    return (problems.c.run_id == table.c.run_id) & (problems.c.position == table.c.position)
