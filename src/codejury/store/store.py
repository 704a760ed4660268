"""The store: runs, their samples and verdicts in a database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec
from sqlalchemy import bindparam, delete, select, update

from codejury.model import InfrastructureError, Manifest, UsageError
from codejury.store import deletion, imports, ingest, measures, merge, queries, sink
from codejury.store.database import Database, connect
from codejury.store.rollouts import RolloutStore
from codejury.store.tables import profiles, runs, texts
from codejury.store.texts import StoreLibrary, unpack

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from codejury.model import Outcome, Problem, ProblemSet, Program, Sample, Timing

_CHUNK = 500  # old builds of SQLite take 999 parameters


class Store:
    """Runs in a database; open it with `Store.open`, use it as a context manager.

    Several processes may use one store at a time, and several threads one `Store`. A method that writes does so in
    one transaction: it is done entirely or not at all, whenever the process dies. All methods raise
    InfrastructureError, with one line for the user, where the database cannot be read or written.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(
        cls, target: str | os.PathLike[str] | None = None, *, create: bool = True, timeout_s: float = 60.0
    ) -> Self:
        """Open a store.

        Args:
            target: Path or URL (`sqlite:///PATH`). None is what the environment variable CODEJURY_STORE says, else
                `.codejury/runs.db` below the current folder.
            create: Make the store if there is none; commands that only read say False.
            timeout_s: How long to wait while another process writes.

        Raises:
            UsageError: There is no store, the file is no store, or it is of a newer version.
            InfrastructureError: It cannot be opened: read-only, locked, disk full.
        """
        return cls(connect(target, create=create, timeout_s=timeout_s))

    @property
    def name(self) -> str:
        """The store's path."""
        return self._database.name

    @property
    def rollouts(self) -> RolloutStore:
        """The runs of agents' rollouts, which have names of their own."""
        return RolloutStore(self._database)

    def close(self) -> None:
        """Close the store's connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def create_run(
        self,
        manifest: Manifest,
        problem_set: ProblemSet,
        pairs: Iterable[tuple[Sample, Program]],
        *,
        complete: Callable[[ingest.Ingested], Manifest] | None = None,
    ) -> int:
        """Begin a run with all of its samples. What fails, also in `pairs` or `complete`, leaves no run behind.

        Args:
            manifest: Its `run` is the run's name.
            problem_set: The problems to keep with the run.
            pairs: Samples with their programs, read once and never held in memory together.
            complete: Called when all samples are read; what it returns is the manifest that is kept. It adds what
                only reading tells (missing problems, rules, the file's hash), or raises if the run must not be.

        Returns:
            The run's id.

        Raises:
            UsageError: The name is taken or not printable, a sample answers no problem of the set, or two samples
                have the same problem and index.
        """
        return ingest.create_run(self._database, manifest, problem_set, pairs, complete)

    def runs(self) -> list[queries.RunInfo]:
        """All runs, oldest first. Reads counts, not verdicts."""
        return queries.list_runs(self._database)

    def find_run(self, name: str) -> queries.RunInfo:
        """The run with this name.

        Raises:
            UsageError: There is none; the message names those that there are.
        """
        found = queries.list_runs(self._database, name)
        if found:
            return found[0]
        known = [info.name for info in self.runs()]
        listed = ", ".join(known[-5:]) or "no runs"
        latest = f", the latest of {len(known)}" if len(known) > 5 else ""
        raise UsageError(f"no run {name!r} in store {self.name}; it has {listed}{latest}")

    def manifest(self, run: int) -> Manifest:
        """The manifest of a run.

        Raises:
            UsageError: There is no such run.
        """
        with self._database.read() as connection:
            body = connection.execute(select(runs.c.manifest).where(runs.c.id == run)).scalar_one_or_none()
        if body is None:
            raise UsageError(f"no run {run} in store {self.name}")
        try:
            return msgspec.json.decode(body, type=Manifest)
        except msgspec.DecodeError as error:
            raise InfrastructureError(
                f"store {self.name}: the manifest of run {run} is damaged: {error}"
            ) from error

    def replace_manifest(self, run: int, manifest: Manifest) -> None:
        """Keep another manifest of a run; the run's name stays.

        Raises:
            UsageError: There is no such run.
        """
        statement = update(runs).where(runs.c.id == run).values(manifest=msgspec.json.encode(manifest))
        with self._database.write() as connection:
            if not connection.execute(statement).rowcount:
                raise UsageError(f"no run {run} in store {self.name}")

    def delete_run(self, run: int) -> None:
        """Delete a run and the texts that no other run uses.

        Raises:
            UsageError: There is no such run.
        """
        deletion.delete_run(self._database, run)

    def merge(
        self,
        manifest: Manifest,
        parts: Sequence[merge.Part],
        *,
        renumber: bool,
        complete: Callable[[merge.Disagreement], Manifest],
    ) -> int:
        """Make a run of the samples and verdicts of others, which stay. It is made entirely or not at all.

        A program that several parts have judged keeps the first verdict that says something of it.

        Args:
            manifest: Its `run` is the new run's name.
            parts: Runs of which everything is judged, and where their problems stand in the new run.
            renumber: Samples get the indices after those of former parts; else they keep theirs.
            complete: Called when all is copied; what it returns is the manifest that is kept.

        Returns:
            The new run's id.

        Raises:
            UsageError: The name is taken or not printable, or a part was changed meanwhile.
        """
        return merge.merge(self._database, manifest, parts, renumber=renumber, complete=complete)

    def problems(self, run: int) -> list[Problem]:
        """The problems of a run, in their order."""
        return merge.run_problems(self._database, run)

    def same_programs(self, one: int, other: int) -> bool:
        """Whether two runs have the same programs, byte by byte, for the same problems, each equally often."""
        return merge.same_programs(self._database, one, other)

    def import_runs(self, source: Store, names: Mapping[str, str]) -> None:
        """Copy runs of another store with all that belongs to them; all or none.

        Args:
            source: The other store, open and of this schema.
            names: Name there -> name here.

        Raises:
            UsageError: A name is taken here, or both are one store.
        """
        there, here = Path(source.name), Path(self.name)
        if there.samefile(here):
            raise UsageError(f"store {there} is the store itself: name another file")
        imports.import_runs(self._database, str(there.resolve()), names)

    def pending(self, run: int) -> Iterator[tuple[str, str, str]]:
        """What is left to judge: distinct programs without a verdict, by problem, then by first sample.

        Streamed, problem by problem. What is judged meanwhile, by whomever, may still come.

        Yields:
            problem hash, problem id, program hash.
        """
        return queries.pending(self._database, run)

    def count_pending(self, run: int) -> int:
        """How many programs `pending` has to give."""
        return queries.count_pending(self._database, run)

    def library(self, run: int, problems: Mapping[str, Problem] | None = None) -> StoreLibrary:
        """Where a worker fetches the problems and programs of a run.

        Args:
            run: The run.
            problems: Problems that are at hand, by hash, which need not be fetched.
        """
        return StoreLibrary(self._database, run, problems or {})

    def text(self, digest: str) -> str | None:
        """The text with this hash, as a sample's raw text; None where there is none."""
        with self._database.read() as connection:
            body = connection.execute(select(texts.c.body).where(texts.c.hash == digest)).scalar_one_or_none()
        return None if body is None else unpack(body)

    def sink(self, run: int) -> sink.RunSink:
        """Where the verdicts of a run go."""
        return sink.RunSink(self._database, run)

    def reopen(self, run: int, outcomes: Collection[Outcome]) -> int:
        """Forget the verdicts with these outcomes, so that they are pending again.

        Returns:
            The number of samples concerned.
        """
        return sink.reopen(self._database, run, outcomes)

    def finish(self, run: int, timing: Timing) -> None:
        """Add a session of judging to the run's time.

        Raises:
            UsageError: There is no such run.
        """
        statement = (
            update(runs)
            .where(runs.c.id == run)
            .values(wall_s=runs.c.wall_s + timing.wall_s, timed_samples=runs.c.timed_samples + timing.samples)
        )
        with self._database.write() as connection:
            if not connection.execute(statement).rowcount:
                raise UsageError(f"no run {run} in store {self.name}")

    def counts(self, run: int) -> queries.Counts:
        """Samples, and right samples, of each problem: all that estimates need."""
        return queries.counts(self._database, run)

    def measured(self, run: int, name: str) -> measures.Measured:
        """Sums of what the samples of each problem carry: "tokens", "prompt_tokens" or "cost".

        Reads the samples, without their texts; problems without samples are left out.
        """
        return measures.measured(self._database, run, name)

    def tally(self, run: int) -> list[queries.TallyRow]:
        """Number of samples by outcome, integrity and tier."""
        return queries.tally(self._database, run)

    def flips(self, run: int) -> list[queries.Flip]:
        """Verdicts that a rerun changed, in the order of the samples."""
        return queries.flips(self._database, run)

    def verdicts(self, run: int) -> Iterator[queries.StoredVerdict]:
        """The verdicts of a run, one a judged sample, in the order of problems and samples. Streamed."""
        return queries.stream_verdicts(self._database, run)

    def profiles(self, keys: Collection[str]) -> dict[str, bytes]:
        """What `put_profiles` kept, by key; unknown keys are left out."""
        found: dict[str, bytes] = {}
        ordered = sorted(keys)
        with self._database.read() as connection:
            for start in range(0, len(ordered), _CHUNK):
                some = profiles.c.key.in_(ordered[start : start + _CHUNK])
                rows = connection.execute(select(profiles.c.key, profiles.c.body).where(some))
                found.update((key, body) for key, body in rows)
        return found

    def put_profiles(self, bodies: Mapping[str, bytes]) -> None:
        """Keep profiles of references, as JSON by key; a cache that all runs share."""
        if not bodies:
            return
        with self._database.write() as connection:
            old = delete(profiles).where(profiles.c.key == bindparam("old"))
            connection.execute(old, [{"old": key} for key in bodies])
            connection.execute(profiles.insert(), [{"key": key, "body": body} for key, body in bodies.items()])
