"""New runs: all of their samples or nothing.

Samples are first read into temporary tables, which may take minutes, and then copied in one transaction, which
takes seconds: other controllers write on meanwhile, and a run is never seen half-written.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import func, insert, literal, select
from sqlalchemy.dialects.sqlite import insert as insert_or
from sqlalchemy.exc import IntegrityError

from codejury.model import UsageError, text_hash
from codejury.store.tables import (
    problem_counts,
    problems,
    runs,
    samples,
    staged_samples,
    staged_texts,
    staging,
    texts,
)
from codejury.store.texts import pack, printable, problem_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy import Connection

    from codejury.model import Manifest, ProblemSet, Program, Sample
    from codejury.store.database import Database

_BATCH = 1000
_MAX_NAME = 200
_RECENT_TEXTS = 100_000


@dataclass(frozen=True)
class Ingested:
    """What was read of the samples.

    Attributes:
        samples: Number of samples.
        n: Number of samples by problem id, for every problem of the set, in its order; may be 0.
        rules: Number of samples by extraction rule.
        flags: Number of samples by flag of their extraction; a sample may have several.
    """

    samples: int
    n: Mapping[str, int]
    rules: Mapping[str, int]
    flags: Mapping[str, int] = field(default_factory=dict)

    @property
    def missing(self) -> tuple[str, ...]:
        """Ids of the problems without samples."""
        return tuple(problem for problem, n in self.n.items() if not n)


def create_run(
    database: Database,
    manifest: Manifest,
    problem_set: ProblemSet,
    pairs: Iterable[tuple[Sample, Program]],
    complete: Callable[[Ingested], Manifest] | None,
) -> int:
    """See `Store.create_run`."""
    check_name(manifest.run)
    with database.read() as connection:  # before minutes of reading; decided below, under the lock
        if connection.execute(select(runs.c.id).where(runs.c.name == manifest.run)).first() is not None:
            raise _taken(manifest.run, database.name)
    with database.stage() as connection:
        ingested = _stage(connection, problem_set, pairs)
        if complete is not None:
            manifest = complete(ingested)
        connection.commit()
        with database.lock(connection):
            run = _insert_run(connection, manifest, ingested, database.name)
            _insert_problems(connection, run, problem_set, ingested)
            _copy_staged(connection, run)
    return run


def check_name(name: str) -> None:
    """Raises UsageError for a name that no run may have."""
    if not name.strip() or not name.isprintable() or len(name) > _MAX_NAME:
        raise UsageError(f"run name {name!r}: take 1 to {_MAX_NAME} printable characters")


def _taken(run: str, store: str) -> UsageError:
    return UsageError(
        f"run {run!r} is already in store {store}: go on with --resume, or give another name with --run"
    )


def _stage(connection: Connection, problem_set: ProblemSet, pairs: Iterable[tuple[Sample, Program]]) -> Ingested:
    staging.create_all(connection)
    positions = {problem.id: position for position, problem in enumerate(problem_set.problems)}
    n = Counter(dict.fromkeys(positions, 0))
    rules: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    recent: set[str] = set()
    iterator = iter(pairs)
    while batch := list(itertools.islice(iterator, _BATCH)):
        sample_rows: list[dict[str, Any]] = []
        text_rows: list[dict[str, Any]] = []
        for sample, program in batch:
            if sample.problem_id not in positions:
                raise UsageError(f"sample {sample.id!r} answers no problem of set {problem_set.name!r}")
            n[sample.problem_id] += 1
            rules[program.rule] += 1
            flags.update(program.flags)
            hashes = []
            for text in (program.source, sample.text):
                digest = text_hash(text)
                hashes.append(digest)
                if digest not in recent:
                    recent.add(digest)
                    text_rows.append({"hash": digest, "body": pack(text)})
            sample_rows.append(_sample_row(sample, positions[sample.problem_id], program, *hashes))
        if text_rows:
            connection.execute(insert_or(staged_texts).on_conflict_do_nothing(), text_rows)
        try:
            connection.execute(insert(staged_samples), sample_rows)
        except IntegrityError as error:
            raise UsageError("two samples have the same problem id and index: give each its own") from error
        if len(recent) > _RECENT_TEXTS:
            recent.clear()
    return Ingested(samples=n.total(), n=dict(n), rules=dict(rules), flags=dict(flags))


def _sample_row(
    sample: Sample, position: int, program: Program, program_hash: str, raw_hash: str
) -> dict[str, Any]:
    return {
        "position": position,
        "idx": sample.index,
        "program_hash": program_hash,
        "text_hash": raw_hash,
        "kind": sample.kind,
        "rule": program.rule,
        "flags": " ".join(program.flags) or None,
        "finish_reason": None if sample.finish_reason is None else printable(sample.finish_reason),
        "prompt_tokens": sample.prompt_tokens,
        "completion_tokens": sample.completion_tokens,
        "cost_usd": sample.cost_usd,
        "latency_s": sample.latency_s,
    }


def _insert_run(connection: Connection, manifest: Manifest, ingested: Ingested, store: str) -> int:
    try:
        body = msgspec.json.encode(manifest)
    except UnicodeEncodeError as error:
        raise UsageError(f"run {manifest.run!r}: its settings hold text that is not Unicode ({error})") from error
    programs = select(staged_samples.c.position, staged_samples.c.program_hash).distinct().subquery()
    row = {
        "name": manifest.run,
        "created": manifest.created,
        "manifest": body,
        "samples": ingested.samples,
        "programs": connection.execute(select(func.count()).select_from(programs)).scalar_one(),
    }
    try:
        key = connection.execute(insert(runs), row).inserted_primary_key
    except IntegrityError as error:
        raise _taken(manifest.run, store) from error
    assert key is not None
    return int(key[0])


def _insert_problems(connection: Connection, run: int, problem_set: ProblemSet, ingested: Ingested) -> None:
    rows, bodies, counts = [], [], []
    for position, problem in enumerate(problem_set.problems):
        body = problem_text(problem)
        digest = text_hash(body)
        bodies.append({"hash": digest, "body": pack(body)})
        rows.append(
            {
                "run_id": run,
                "position": position,
                "problem_id": problem.id,
                "problem_hash": digest,
                "difficulty": problem.difficulty,
                "cluster": problem.cluster,
            }
        )
        counts.append({"run_id": run, "position": position, "samples": ingested.n[problem.id]})
    if rows:
        connection.execute(insert_or(texts).on_conflict_do_nothing(), bodies)
        connection.execute(insert(problems), rows)
        connection.execute(insert(problem_counts), counts)


def _copy_staged(connection: Connection, run: int) -> None:
    # "WHERE true" keeps SQLite from reading ON CONFLICT as a join's condition.
    kept = select(staged_texts.c.hash, staged_texts.c.body).where(literal(value=True))
    connection.execute(insert_or(texts).from_select(["hash", "body"], kept).on_conflict_do_nothing())
    names = [column.name for column in staged_samples.columns]
    rows = select(literal(run), *staged_samples.columns)
    connection.execute(insert(samples).from_select(["run_id", *names], rows))
