"""Verdicts and the counts beside them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.model import InfrastructureError, Outcome, Sink, UsageError
from codejury.model import TestResult as OneTest  # pytest collects names that begin with Test
from codejury.store import Counts, Store, sink

if TYPE_CHECKING:
    from pathlib import Path

Build = Any


def _numbers(counts: Counts) -> list[tuple[int, ...]]:
    columns = (counts.samples, counts.n, counts.c, counts.infra, counts.weak)
    return [tuple(int(column[i]) for column in columns) for i in range(len(counts.problem_ids))]


def test_every_copy_of_a_program_counts(store: Store, run: int, build: Build) -> None:
    """Two samples of P/0 share a program; P/1 has the same program, and its own verdict."""
    first, second, _ = build.problem_set().problems
    keeper: Sink = store.sink(run)
    keeper.put([build.judged(first, "a", key="same")])
    assert [(3, 2, 2, 0, 0), (1, 0, 0, 0, 0), (0, 0, 0, 0, 0)] == _numbers(store.counts(run))
    keeper.put([build.judged(second, "a", Outcome.WRONG_ANSWER, key="same")])
    keeper.put([build.judged(first, "b", Outcome.INFRA_ERROR)])
    assert [(3, 2, 2, 1, 0), (1, 1, 0, 0, 0), (0, 0, 0, 0, 0)] == _numbers(store.counts(run))
    info = store.find_run("first")
    assert (4, 2) == (info.judged, info.passed)


def test_second_verdict_changes_nothing(store: Store, run: int, build: Build) -> None:
    """The first verdict of a job stays, within a batch and between batches, of one controller or of two."""
    problem = build.problem_set().problems[0]
    batch = [build.judged(problem, "a"), build.judged(problem, "a", Outcome.CRASHED)]
    store.sink(run).put(batch)
    store.sink(run).put([build.judged(problem, "a", Outcome.CRASHED), build.judged(problem, "b", Outcome.CRASHED)])
    assert (3, 3, 2, 0, 0) == _numbers(store.counts(run))[0]
    assert ["passed", "passed", "crashed"] == [verdict.outcome for verdict in store.verdicts(run)]


def test_weak_verdicts_are_counted_apart(store: Store, run: int, build: Build) -> None:
    """A weak verdict counts in n, c and weak."""
    problem = build.problem_set().problems[0]
    store.sink(run).put([build.judged(problem, "a", integrity="weak"), build.judged(problem, "b")])
    assert (3, 3, 3, 0, 2) == _numbers(store.counts(run))[0]


def test_base_tests_are_counted(store: Store, run: int, build: Build) -> None:
    """Beside c, of samples whose tests have a further part; an infrastructure error says nothing here either."""
    first, second, _ = build.problem_set().problems
    batch = [build.judged(first, "a", Outcome.WRONG_ANSWER, base_passed=True), build.judged(second, "a")]
    store.sink(run).put(batch)
    counts = store.counts(run)
    assert ([0, 1, 0], [2, 1, 0]) == (counts.c.tolist(), counts.c_base.tolist())
    assert [True, False, False] == counts.has_base.tolist()
    store.sink(run).put([build.judged(first, "b", Outcome.INFRA_ERROR, base_passed=True)])
    assert [True, True, None, None] == [verdict.base_passed for verdict in store.verdicts(run)]
    assert [2, 1, 0] == store.counts(run).c_base.tolist()
    store.reopen(run, [Outcome.WRONG_ANSWER])
    counts = store.counts(run)
    assert ([0, 1, 0], [True, False, False]) == (counts.c_base.tolist(), counts.has_base.tolist())


def test_empty_batch_is_fine(store: Store, run: int) -> None:
    """Nothing to keep."""
    store.sink(run).put([])
    assert [] == store.tally(run)


def test_foreign_jobs_are_refused_whole(store: Store, run: int, build: Build) -> None:
    """A batch with a program or problem of another run leaves nothing."""
    known = build.problem_set().problems[0]
    unknown = build.problem_set(9).problems[8]
    for stranger in (build.judged(known, "never seen"), build.judged(unknown, "a")):
        with pytest.raises(UsageError, match="is not in run"):
            store.sink(run).put([build.judged(known, "a"), stranger])
    assert [] == list(store.verdicts(run))
    assert (3, 0, 0, 0, 0) == _numbers(store.counts(run))[0]


def test_deleted_run_takes_no_verdicts(store: Store, run: int, build: Build) -> None:
    """A controller whose run another one deleted stops, and a later run does not inherit its verdicts."""
    keeper = store.sink(run)
    store.delete_run(run)
    later = store.create_run(build.manifest(), build.problem_set(), [build.pair("P/0", 0, "a")])
    with pytest.raises(UsageError, match="was deleted"):
        keeper.put([build.judged(build.problem_set().problems[0], "a")])
    assert run != later
    assert [] == list(store.verdicts(later))


def test_failure_within_put_keeps_nothing_of_the_batch(
    store: Store, run: int, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verdict rows and counts stand or fall together; the same batch can be put again."""
    batch = [build.judged(build.problem_set().problems[0], source) for source in "ab"]

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sink, "_add", broken)
        with pytest.raises(KeyboardInterrupt):
            store.sink(run).put(batch)
    assert [] == list(store.verdicts(run))
    assert (3, 0, 0, 0, 0) == _numbers(store.counts(run))[0]
    store.sink(run).put(batch)
    assert (3, 3, 3, 0, 0) == _numbers(store.counts(run))[0]


def test_full_disk_within_put_keeps_the_batches_before(store: Store, run: int, build: Build) -> None:
    """What was put before the disk was full stays, and what was not can be put later."""
    problem = build.problem_set().problems[0]
    keeper = store.sink(run)
    keeper.put([build.judged(problem, "a")])
    with store._database.read() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    tests = tuple(OneTest(1, Outcome.PASSED, 0.0) for _ in range(400_000))
    with pytest.raises(InfrastructureError, match="disk is full"):
        keeper.put([build.judged(problem, "b", tests=tests)])
    assert (3, 2, 2, 0, 0) == _numbers(store.counts(run))[0]
    keeper.put([build.judged(problem, "b")])
    assert (3, 3, 3, 0, 0) == _numbers(store.counts(run))[0]


def test_details_are_cut_and_made_storable(store: Store, run: int, build: Build) -> None:
    """A detail is text of the candidate: lone surrogates, NUL, any length."""
    problem = build.problem_set().problems[0]
    store.sink(run).put(
        [build.judged(problem, "a", detail="\ud800\0é\U0001f600"), build.judged(problem, "b", detail="x" * 999)]
    )
    details = [verdict.detail for verdict in store.verdicts(run)]
    assert ["\\ud800\\x00é\U0001f600"] * 2 + ["x" * 300] == details


def test_tests_become_columns(store: Store, run: int, build: Build) -> None:
    """Bitmap, first failure and slowest test of ten tests."""
    outcomes = [Outcome.PASSED] * 8 + [Outcome.EXCEPTION, Outcome.PASSED]
    times = [(0.5, 0.4) if i == 3 else (0.1, None) for i in range(10)]
    tests = tuple(OneTest(i + 1, outcome, *times[i]) for i, outcome in enumerate(outcomes))
    judged = build.judged(
        build.problem_set().problems[0],
        "b",
        Outcome.EXCEPTION,
        tests=tests,
        cpu_s=1.5,
        wall_s=2.5,
        peak_bytes=1 << 40,
        flipped_from=Outcome.TIMEOUT_WALL,
        key="k",
    )
    store.sink(run).put([judged])
    (verdict,) = store.verdicts(run)
    assert (b"\xff\x02", 10, 8, 3, 0.5, 0.4) == (
        verdict.passed,
        verdict.n_tests,
        verdict.first_failure,
        verdict.slowest,
        verdict.slowest_s,
        verdict.slowest_cpu_s,
    )
    assert tuple(outcome is Outcome.PASSED for outcome in outcomes) == verdict.tests_passed
    assert (1.5, 2.5, 1 << 40, Outcome.TIMEOUT_WALL, "k") == (
        verdict.cpu_s,
        verdict.wall_s,
        verdict.peak_bytes,
        verdict.flipped_from,
        verdict.key,
    )


def test_what_was_not_measured_is_none(store: Store, run: int, build: Build) -> None:
    """CPU of a quick test, which is not told from its neighbours'; anything where there are no tests."""
    problem = build.problem_set().problems[0]
    quick = build.judged(problem, "a", tests=(OneTest(1, Outcome.PASSED, 0.01),))
    store.sink(run).put([quick, build.judged(problem, "b")])
    found = [(verdict.slowest, verdict.slowest_s, verdict.slowest_cpu_s) for verdict in store.verdicts(run)]
    assert [(0, 0.01, None)] * 2 + [(None, None, None)] == found


def test_reopened_verdicts_are_pending_again(store: Store, run: int, build: Build) -> None:
    """Infrastructure errors can be judged again; all else stays."""
    first, second, _ = build.problem_set().problems
    store.sink(run).put(
        [
            build.judged(first, "a", Outcome.INFRA_ERROR),
            build.judged(first, "b"),
            build.judged(second, "a", integrity="weak"),
        ]
    )
    assert [] == list(store.pending(run))
    assert 2 == store.reopen(run, [Outcome.INFRA_ERROR])
    assert [build.judged(first, "a").job.program_hash] == [program for _, _, program in store.pending(run)]
    assert [(3, 1, 1, 0, 0), (1, 1, 1, 0, 1)] == _numbers(store.counts(run))[:2]
    assert 0 == store.reopen(run, [Outcome.INFRA_ERROR])
    assert 2 == store.reopen(run, [Outcome.PASSED])
    assert [(3, 0, 0, 0, 0), (1, 0, 0, 0, 0)] == _numbers(store.counts(run))[:2]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_counts_always_equal_a_recount(tmp_path: Path, build: Build, data: st.DataObject) -> None:
    """Whatever is put, twice, in any batches, and reopened: the counts are those of the rows, sample by sample."""
    problem_set = build.problem_set(3)
    programs = data.draw(
        st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abcd")), max_size=30), label="samples"
    )
    place: Counter[int] = Counter()
    pairs = []
    for position, source in programs:
        pairs.append(build.pair(f"P/{position}", place[position], source))
        place[position] += 1
    verdict = st.tuples(
        st.sampled_from([*Outcome]),
        st.sampled_from(["strong", "weak"]),
        st.sampled_from(["namespaces", "other"]),
        st.sampled_from([None, False, True]),
    )
    judged = [
        build.judged(
            problem_set.problems[position], source, outcome, integrity=integrity, tier=tier, base_passed=base
        )
        for (position, source), (outcome, integrity, tier, base) in (
            (job, data.draw(verdict))
            for job in data.draw(st.lists(st.sampled_from(programs)) if programs else st.just([]))
        )
    ]
    with Store.open(tmp_path / "property.db") as store:
        for info in store.runs():
            store.delete_run(info.id)
        run = store.create_run(build.manifest(problem_set=problem_set), problem_set, pairs)
        size = data.draw(st.integers(1, 5), label="batch")
        for start in range(0, len(judged), size):
            store.sink(run).put(judged[start : start + size])
            _check_recount(store, run, place)
        store.reopen(run, data.draw(st.sets(st.sampled_from([*Outcome]))))
        _check_recount(store, run, place)


def _check_recount(store: Store, run: int, samples: Counter[int]) -> None:
    expected = np.zeros((3, 5), dtype=int)
    expected[:, 0] = [samples[position] for position in range(3)]
    tally: Counter[Outcome] = Counter()
    base: Counter[str] = Counter()
    for verdict in store.verdicts(run):
        base[verdict.problem_id] += bool(verdict.base_passed)
        row = expected[int(verdict.problem_id.removeprefix("P/"))]
        known = verdict.outcome not in (Outcome.INFRA_ERROR, Outcome.MISSING)
        row[1:] += (known, verdict.outcome is Outcome.PASSED, not known, known and verdict.integrity == "weak")
        tally[verdict.outcome] += 1
    assert [tuple(row) for row in expected.tolist()] == _numbers(store.counts(run))
    counts = store.counts(run)
    for problem, c, c_base, has_base in zip(
        counts.problem_ids, counts.c, counts.c_base, counts.has_base, strict=True
    ):
        assert (base[problem] if has_base else c) == c_base
        assert has_base or not base[problem]
    found: Counter[Outcome] = Counter()
    for row in store.tally(run):
        found[row.outcome] += row.samples
    assert tally == found
    assert len(list(store.pending(run))) == store.count_pending(run)
    _check_outcome_counts(store)


def _check_outcome_counts(store: Store) -> None:
    """The tallies are a GROUP BY over the verdicts, without rows for what is no longer there."""
    key = "run_id, position, outcome, integrity, tier"
    recount = f"SELECT {key}, sum(copies), count(*) FROM verdicts GROUP BY {key} ORDER BY {key}"  # noqa: S608 - our names
    kept = f"SELECT {key}, samples, programs FROM outcome_counts ORDER BY {key}"  # noqa: S608 - our names
    with store._database.read() as connection:
        expected = connection.exec_driver_sql(recount).all()
        assert expected == connection.exec_driver_sql(kept).all()
