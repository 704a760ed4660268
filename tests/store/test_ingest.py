"""New runs are kept whole or not at all."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.model import Manifest, Program, Sample, UsageError, text_hash
from codejury.store import Ingested, Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Build = Any
TABLES = ("runs", "texts", "problems", "samples", "verdicts", "problem_counts")


def _rows(store: Store) -> dict[str, int]:
    with store._database.read() as connection:
        return {
            table: connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()  # noqa: S608 - our names
            for table in TABLES
        }


def test_run_holds_its_samples(store: Store, run: int) -> None:
    """Samples, distinct programs and each problem's number of samples."""
    info = store.find_run("first")
    assert (run, 4, 3, 0, 0) == (info.id, info.samples, info.programs, info.judged, info.passed)
    counts = store.counts(run)
    assert ("P/0", "P/1", "P/2") == counts.problem_ids
    assert ("easy", "hard", "easy") == counts.difficulty
    assert (None, "shared", None) == counts.cluster
    assert [3, 1, 0] == counts.samples.tolist()
    assert [0, 0, 0] == counts.n.tolist()


def test_texts_are_stored_once(store: Store, run: int, build: Build) -> None:
    """Three problems, two programs, two raw texts; a second run of the same adds none."""
    assert 7 == _rows(store)["texts"]
    pairs = [build.pair("P/0", 0, "a"), build.pair("P/1", 0, "b")]
    store.create_run(build.manifest("second"), build.problem_set(), pairs)
    assert 7 == _rows(store)["texts"]


def test_complete_sees_what_was_read_and_gives_the_manifest(store: Store, build: Build) -> None:
    """What only reading tells gets into the manifest."""
    seen: list[Ingested] = []

    def complete(ingested: Ingested) -> Manifest:
        seen.append(ingested)
        first: Manifest = build.manifest()
        return msgspec.structs.replace(first, missing=ingested.missing, rules=dict(ingested.rules))

    pairs = [build.pair("P/1", 0, "a"), build.pair("P/1", 1, "a", rule="whole")]
    run = store.create_run(build.manifest(), build.problem_set(), pairs, complete=complete)
    assert [Ingested(samples=2, n={"P/0": 0, "P/1": 2, "P/2": 0}, rules={"fenced": 1, "whole": 1})] == seen
    assert ("P/0", "P/2") == store.manifest(run).missing
    assert {"fenced": 1, "whole": 1} == store.manifest(run).rules


def test_error_in_the_samples_leaves_nothing(store: Store, build: Build) -> None:
    """A file that breaks off after thousands of samples leaves no row in any table."""

    def broken() -> Iterator[tuple[Sample, Program]]:
        for index in range(2500):
            yield build.pair("P/0", index, f"program {index}")
        raise RuntimeError("broke off")

    with pytest.raises(RuntimeError, match="broke off"):
        store.create_run(build.manifest(), build.problem_set(), broken())
    assert dict.fromkeys(TABLES, 0) == _rows(store)
    run = store.create_run(build.manifest(), build.problem_set(), [build.pair("P/0", 0, "a")])
    assert [1, 0, 0] == store.counts(run).samples.tolist()


def test_refusal_by_complete_leaves_nothing(store: Store, build: Build) -> None:
    """Missing problems can still stop a run when all samples are read."""

    def refuse(ingested: Ingested) -> Manifest:
        raise UsageError(f"missing: {ingested.missing}")

    with pytest.raises(UsageError, match="P/2"):
        store.create_run(build.manifest(), build.problem_set(), [build.pair("P/0", 0, "a")], complete=refuse)
    assert dict.fromkeys(TABLES, 0) == _rows(store)


def test_taken_name_is_refused_before_reading(store: Store, run: int, build: Build) -> None:
    """The message says what to do, and the samples are not touched."""
    before = _rows(store)

    class Unread:
        def __iter__(self) -> Iterator[tuple[Sample, Program]]:
            raise AssertionError("was read")

    with pytest.raises(UsageError, match=r"'first' is already.*--resume.*--run"):
        store.create_run(build.manifest(), build.problem_set(), Unread())
    assert before == _rows(store)


def test_name_taken_while_reading_is_refused(store: Store, build: Build) -> None:
    """Of two controllers that begin the same run, the second to end its reading gets the error."""

    def slow() -> Iterator[tuple[Sample, Program]]:
        store.create_run(build.manifest(), build.problem_set(), [build.pair("P/1", 0, "other")])
        yield build.pair("P/0", 0, "a")

    with pytest.raises(UsageError, match="'first' is already"):
        store.create_run(build.manifest(), build.problem_set(), slow())
    assert [0, 1, 0] == store.counts(store.find_run("first").id).samples.tolist()


def test_others_write_while_samples_are_read(tmp_path: Path, build: Build) -> None:
    """Reading samples holds no lock, and writers do not disturb it."""
    with Store.open(tmp_path / "runs.db", timeout_s=0.05) as store:

        def watched() -> Iterator[tuple[Sample, Program]]:
            for index in range(2500):
                if index % 1000 == 999:
                    other = sqlite3.connect(tmp_path / "runs.db", isolation_level=None, timeout=0)
                    other.execute("BEGIN IMMEDIATE")
                    other.execute("INSERT INTO profiles VALUES (?, ?)", (str(index), b"{}"))
                    other.execute("COMMIT")
                    other.close()
                yield build.pair("P/0", index, f"program {index}")

        run = store.create_run(build.manifest(), build.problem_set(), watched())
        assert [2500, 0, 0] == store.counts(run).samples.tolist()
        assert b"{}" == store.profiles(["1999"]).get("1999")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 201, "\x1b[31m", "\udc80"])
def test_unprintable_names_are_refused(store: Store, build: Build, name: str) -> None:
    """A run's name is shown in terminals and pages."""
    with pytest.raises(UsageError, match="run name"):
        store.create_run(build.manifest(name), build.problem_set(), [])


def test_unknown_problem_is_refused(store: Store, build: Build) -> None:
    """A sample of no problem is named."""
    with pytest.raises(UsageError, match="'P/9#0' answers no problem of set 'tiny'"):
        store.create_run(build.manifest(), build.problem_set(), [build.pair("P/9", 0, "a")])


def test_repeated_sample_id_is_refused(store: Store, build: Build) -> None:
    """Two samples with the same problem and index would become one."""
    with pytest.raises(UsageError, match="same problem id and index"):
        store.create_run(
            build.manifest(), build.problem_set(), [build.pair("P/0", 0, "a"), build.pair("P/0", 0, "b")]
        )
    assert dict.fromkeys(TABLES, 0) == _rows(store)


def test_manifest_that_is_no_unicode_is_refused(store: Store, build: Build) -> None:
    """Undecodable bytes of the command line end in one line, not in a traceback."""
    with pytest.raises(UsageError, match="not Unicode"):
        store.create_run(build.manifest(meta={"model": "\udc80"}), build.problem_set(), [])
    assert dict.fromkeys(TABLES, 0) == _rows(store)


def test_all_fields_of_a_sample_are_kept(store: Store, build: Build) -> None:
    """Kind, rule with its flags, finish reason, tokens, cost and latency."""
    sample = Sample(
        problem_id="P/0",
        index=7,
        text="raw \ud800 \0 \U0001f600",
        kind="solution",
        finish_reason="stop\udc80",
        prompt_tokens=3,
        completion_tokens=4,
        cost_usd=0.5,
        latency_s=1.25,
    )
    program = Program("code", "whole", ("cut-off", "trimmed"))
    counted: list[Ingested] = []

    def complete(ingested: Ingested) -> Manifest:
        counted.append(ingested)
        return build.manifest()  # type: ignore[no-any-return]

    run = store.create_run(build.manifest(), build.problem_set(), [(sample, program)], complete=complete)
    with store._database.read() as connection:
        row = connection.exec_driver_sql("SELECT * FROM samples").one()
    hashes = [bytes.fromhex(text_hash(text)) for text in ("code", sample.text)]
    assert (run, 0, 7, *hashes, "solution", "whole", "stop\\udc80", 3, 4, 0.5, 1.25, "cut-off trimmed") == tuple(
        row
    )
    assert {"cut-off": 1, "trimmed": 1} == counted[0].flags
    assert sample.text == store.text(text_hash(sample.text))
