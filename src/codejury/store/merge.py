"""Several runs in one: samples, verdicts and counts are copied in one transaction, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import bindparam, case, func, insert, literal, or_, select, update
from sqlalchemy.dialects.sqlite import insert as insert_or
from sqlalchemy.exc import IntegrityError

from codejury.model import InfrastructureError, Outcome, Problem, UsageError
from codejury.store.ingest import check_name
from codejury.store.sink import UNKNOWN
from codejury.store.tables import outcome_counts, problem_counts, problems, runs, samples, texts, verdicts
from codejury.store.texts import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from codejury.model import Manifest
    from codejury.store.database import Database

_UNKNOWN = [outcome.value for outcome in UNKNOWN]


@dataclass(frozen=True)
class Part:
    """A run that goes into another.

    Attributes:
        run: Its id.
        positions: Where each of its problems, in their order, stands in the new run.
    """

    run: int
    positions: Sequence[int]


@dataclass(frozen=True)
class Disagreement:
    """What parts say differently of the same program.

    Attributes:
        programs: Programs of a problem that ended otherwise in another part.
        samples: Samples that ended otherwise than is kept.
    """

    programs: int
    samples: int


def merge(
    database: Database,
    manifest: Manifest,
    parts: Sequence[Part],
    *,
    renumber: bool,
    complete: Callable[[Disagreement], Manifest],
) -> int:
    """See `Store.merge`."""
    check_name(manifest.run)
    with database.write() as connection:
        run = _insert_run(connection, manifest, database.name)
        before: dict[int, int] = {}  # samples of former parts, by position
        for part in parts:
            sizes = _sizes(connection, part)
            places = [
                {"of_run": part.run, "at": at, "to": to, "first": before.get(to, 0) if renumber else 0}
                for at, to in enumerate(part.positions)
            ]
            _copy_problems(connection, run, places)
            _copy_samples(connection, run, places, renumber=renumber)
            _copy_verdicts(connection, run, places)
            for to, size in zip(part.positions, sizes, strict=True):
                before[to] = before.get(to, 0) + size
        _count(connection, run, [part.run for part in parts])
        body = msgspec.json.encode(complete(_disagreement(connection, run, [part.run for part in parts])))
        connection.execute(update(runs).where(runs.c.id == run).values(manifest=body))
    return run


def run_problems(database: Database, run: int) -> list[Problem]:
    """See `Store.problems`."""
    query = (
        select(problems.c.problem_id, texts.c.body)
        .outerjoin(texts, texts.c.hash == problems.c.problem_hash)
        .where(problems.c.run_id == run)
        .order_by(problems.c.position)
    )
    with database.read() as connection:
        rows = connection.execute(query).all()
    if lost := [name for name, body in rows if body is None]:
        raise InfrastructureError(f"store {database.name} has lost problem {lost[0]} of run {run}")
    return [msgspec.json.decode(unpack(body), type=Problem) for _, body in rows]


def same_programs(database: Database, one: int, other: int) -> bool:
    """See `Store.same_programs`."""

    def programs(run: int) -> Any:
        key = (problems.c.problem_id, samples.c.program_hash)
        return (
            select(*key, func.count().label("copies"))
            .join_from(samples, problems, _same_problem(samples))
            .where(samples.c.run_id == run)
            .group_by(*key)
        )

    with database.read() as connection:
        return not any(
            connection.execute(programs(a).except_(programs(b)).limit(1)).first()
            for a, b in ((one, other), (other, one))
        )


def _same_problem(table: Any) -> ColumnElement[bool]:
    same: ColumnElement[bool] = (problems.c.run_id == table.c.run_id) & (problems.c.position == table.c.position)
    return same


def _insert_run(connection: Connection, manifest: Manifest, store: str) -> int:
    row = {"name": manifest.run, "created": manifest.created, "manifest": b"", "samples": 0, "programs": 0}
    try:
        key = connection.execute(insert(runs), row).inserted_primary_key
    except IntegrityError as error:
        raise UsageError(f"run {manifest.run!r} is already in store {store}: take another name") from error
    assert key is not None
    return int(key[0])


def _sizes(connection: Connection, part: Part) -> list[int]:
    """Samples of each problem of a part, all of which must be judged."""
    query = (
        select(problem_counts.c.samples, problem_counts.c.n + problem_counts.c.infra)
        .where(problem_counts.c.run_id == part.run)
        .order_by(problem_counts.c.position)
    )
    rows = connection.execute(query).all()
    if len(rows) != len(part.positions) or any(size != judged for size, judged in rows):
        raise UsageError(f"run {part.run} was deleted or changed meanwhile: try again")
    return [size for size, _ in rows]


# Problem by problem, since each may have another place in the new run; keys of tables begin with the place.


def _copy_problems(connection: Connection, run: int, places: list[dict[str, int]]) -> None:
    names = ("problem_id", "problem_hash", "difficulty", "cluster")
    rows = select(literal(run), bindparam("to"), *(problems.c[name] for name in names)).where(_at(problems))
    statement = insert_or(problems).from_select(["run_id", "position", *names], rows)
    key = ["run_id", "position"]
    connection.execute(statement.on_conflict_do_nothing(index_elements=key), places)
    sizes = select(literal(run), bindparam("to"), problem_counts.c.samples).where(_at(problem_counts))
    new = insert_or(problem_counts).from_select([*key, "samples"], sizes)
    added = {"samples": problem_counts.c.samples + new.excluded.samples}
    connection.execute(new.on_conflict_do_update(index_elements=key, set_=added), places)


def _copy_samples(connection: Connection, run: int, places: list[dict[str, int]], *, renumber: bool) -> None:
    names = [column.name for column in samples.columns if column.name not in ("run_id", "position", "idx")]
    rank = func.row_number().over(order_by=samples.c.idx) - 1 + bindparam("first")
    index = rank if renumber else samples.c.idx + bindparam("first")
    rows = select(literal(run), bindparam("to"), index, *(samples.c[name] for name in names)).where(_at(samples))
    connection.execute(insert(samples).from_select(["run_id", "position", "idx", *names], rows), places)


def _copy_verdicts(connection: Connection, run: int, places: list[dict[str, int]]) -> None:
    """A program that is there has its copies added; it keeps its verdict, unless that says nothing of it."""
    names = [column.name for column in verdicts.columns if column.name not in ("run_id", "position")]
    rows = select(literal(run), bindparam("to"), *(verdicts.c[name] for name in names)).where(_at(verdicts))
    new = insert_or(verdicts).from_select(["run_id", "position", *names], rows)
    says_nothing = or_(*(verdicts.c.outcome == outcome for outcome in _UNKNOWN))  # executemany takes no IN
    changed: dict[str, Any] = {
        name: case((says_nothing, new.excluded[name]), else_=verdicts.c[name])
        for name in names
        if name not in ("program_hash", "copies")
    }
    changed["copies"] = verdicts.c.copies + new.excluded.copies
    statement = new.on_conflict_do_update(index_elements=list(verdicts.primary_key), set_=changed)
    connection.execute(statement, places)


def _at(table: Any) -> ColumnElement[bool]:
    at: ColumnElement[bool] = (table.c.run_id == bindparam("of_run")) & (table.c.position == bindparam("at"))
    return at


def _count(connection: Connection, run: int, parts: Sequence[int]) -> None:
    """All counts of the new run, of its verdicts."""
    key = ("run_id", "position", "outcome", "integrity", "tier")
    group = [verdicts.c[name] for name in key]
    ended = select(*group, func.sum(verdicts.c.copies), func.count()).where(verdicts.c.run_id == run)
    connection.execute(insert(outcome_counts).from_select([*key, "samples", "programs"], ended.group_by(*group)))
    known = outcome_counts.c.outcome.not_in(_UNKNOWN)

    def total(condition: ColumnElement[bool]) -> Any:
        of_problem = (outcome_counts.c.run_id == problem_counts.c.run_id) & (
            outcome_counts.c.position == problem_counts.c.position
        )
        number = func.coalesce(func.sum(outcome_counts.c.samples), 0)
        return select(number).where(of_problem & condition).scalar_subquery()

    numbers = {
        "n": total(known),
        "c": total(outcome_counts.c.outcome == Outcome.PASSED.value),
        "infra": total(~known),
        "weak": total(known & (outcome_counts.c.integrity == "weak")),
        "c_base": select(func.sum(verdicts.c.copies * verdicts.c.base_passed))  # null where none says it
        .where(verdicts.c.run_id == problem_counts.c.run_id, verdicts.c.position == problem_counts.c.position)
        .scalar_subquery(),
    }
    connection.execute(update(problem_counts).where(problem_counts.c.run_id == run).values(numbers))

    def of_new(column: Any) -> Any:
        return select(func.coalesce(func.sum(column), 0)).where(column.table.c.run_id == run).scalar_subquery()

    def of_parts(name: str) -> Any:
        old = runs.alias()
        return select(func.sum(old.c[name])).where(old.c.id.in_(parts)).scalar_subquery()

    totals = {
        "samples": of_new(problem_counts.c.samples),
        "programs": of_new(outcome_counts.c.programs),
        "wall_s": of_parts("wall_s"),
        "timed_samples": of_parts("timed_samples"),
    }
    connection.execute(update(runs).where(runs.c.id == run).values(totals))


def _disagreement(connection: Connection, run: int, parts: Sequence[int]) -> Disagreement:
    """Programs of which parts have another outcome than the new run, where theirs says something."""
    kept, place = verdicts.alias(), problems.alias()
    differing = (
        select(func.sum(verdicts.c.copies).label("copies"))
        .join_from(verdicts, problems, _same_problem(verdicts))
        .join(place, (place.c.run_id == run) & (place.c.problem_id == problems.c.problem_id))
        .join(
            kept,
            (kept.c.run_id == run)
            & (kept.c.position == place.c.position)
            & (kept.c.program_hash == verdicts.c.program_hash),
        )
        .where(
            verdicts.c.run_id.in_(parts),
            verdicts.c.outcome.not_in(_UNKNOWN),
            verdicts.c.outcome != kept.c.outcome,
        )
        .group_by(kept.c.position, kept.c.program_hash)
        .subquery()
    )
    query = select(func.count(), func.coalesce(func.sum(differing.c.copies), 0)).select_from(differing)
    programs, copies = connection.execute(query).one()
    return Disagreement(programs, copies)
