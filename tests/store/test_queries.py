"""What is read of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import Outcome, Program, Sample, text_hash
from codejury.store import Flip, Store, TallyRow

if TYPE_CHECKING:
    from collections.abc import Iterator

Build = Any


def test_pending_is_by_problem_then_first_sample(store: Store, build: Build) -> None:
    """Whatever the order of the file; each distinct program once a problem."""
    problem_set = build.problem_set()
    order = [("P/1", 1, "x"), ("P/0", 2, "a"), ("P/0", 0, "z"), ("P/0", 1, "a"), ("P/1", 0, "y"), ("P/1", 2, "y")]
    pairs = [build.pair(problem_id, index, source) for problem_id, index, source in order]
    run = store.create_run(build.manifest(), problem_set, pairs)
    hashes = {problem.id: problem.hash for problem in problem_set.problems}
    expected = [("P/0", "z"), ("P/0", "a"), ("P/1", "y"), ("P/1", "x")]
    assert [(hashes[p], p, text_hash(source)) for p, source in expected] == list(store.pending(run))


def test_pending_leaves_out_what_is_judged(store: Store, run: int, build: Build) -> None:
    """A resumed run judges the rest, and an infra error is a verdict."""
    first, second, _ = build.problem_set().problems
    store.sink(run).put([build.judged(first, "a", Outcome.INFRA_ERROR), build.judged(second, "a")])
    assert [("P/0", text_hash("b"))] == [(problem_id, program) for _, problem_id, program in store.pending(run)]


def test_pending_can_be_read_while_verdicts_are_written(store: Store, run: int, build: Build) -> None:
    """The usual way: judge as the jobs come, without a lock between."""
    problems = {problem.hash: problem for problem in build.problem_set().problems}
    sources = {text_hash(source): source for source in "ab"}
    keeper = store.sink(run)
    for problem_hash, _, program_hash in store.pending(run):
        keeper.put([build.judged(problems[problem_hash], sources[program_hash])])
    assert [3, 1, 0] == store.counts(run).n.tolist()


def test_tally_counts_samples(store: Store, run: int, build: Build) -> None:
    """A program that two samples share counts twice."""
    first, second, _ = build.problem_set().problems
    batch = [
        build.judged(first, "a"),
        build.judged(first, "b", Outcome.CRASHED),
        build.judged(second, "a", integrity="weak"),
    ]
    store.sink(run).put(batch)
    expected = [
        TallyRow(Outcome.CRASHED, "strong", "namespaces", 1),
        TallyRow(Outcome.PASSED, "strong", "namespaces", 2),
        TallyRow(Outcome.PASSED, "weak", "namespaces", 1),
    ]
    assert expected == store.tally(run)


def test_flips_name_the_first_sample(store: Store, build: Build) -> None:
    """Only verdicts that a rerun changed, with the number of samples."""
    problem = build.problem_set().problems[0]
    pairs = [build.pair("P/0", index, source) for index, source in enumerate("baa")]
    run = store.create_run(build.manifest(), build.problem_set(), pairs)
    store.sink(run).put(
        [build.judged(problem, "a", flipped_from=Outcome.TIMEOUT_WALL), build.judged(problem, "b")]
    )
    assert [Flip("P/0", 1, Outcome.TIMEOUT_WALL, Outcome.PASSED, 2)] == store.flips(run)


def test_verdicts_come_in_sample_order(store: Store, run: int, build: Build) -> None:
    """One a sample, with the sample's own rule and text."""
    first, second, _ = build.problem_set().problems
    store.sink(run).put([build.judged(second, "a"), build.judged(first, "b"), build.judged(first, "a")])
    seen = [(v.problem_id, v.index, v.rule, v.program_hash) for v in store.verdicts(run)]
    a, b = text_hash("a"), text_hash("b")
    expected = [("P/0", 0, "fenced", a), ("P/0", 1, "whole", a), ("P/0", 2, "fenced", b), ("P/1", 0, "fenced", a)]
    assert expected == seen
    assert "answer: a" == store.text(next(iter(store.verdicts(run))).text_hash)


def test_runs_do_not_see_each_other(store: Store, run: int, build: Build) -> None:
    """The same samples in another run have no verdicts there."""
    other = store.create_run(build.manifest("second"), build.problem_set(), [build.pair("P/0", 0, "a")])
    store.sink(run).put([build.judged(build.problem_set().problems[0], "a")])
    assert ([], 1) == (list(store.verdicts(other)), len(list(store.pending(other))))
    assert [("first", 4, 2), ("second", 1, 0)] == [(info.name, info.samples, info.judged) for info in store.runs()]


@pytest.mark.slow
def test_a_hundred_thousand_verdicts(store: Store, build: Build) -> None:
    """Counts, tally and stream agree on a run of 100 problems with 1000 samples each."""
    problem_set = build.problem_set(100)

    def pairs() -> Iterator[tuple[Sample, Program]]:
        for problem in problem_set.problems:
            for index in range(1000):
                source = f"{problem.id} {index // 2}"
                yield Sample(problem_id=problem.id, index=index, text=source), Program(source, "whole")

    run = store.create_run(build.manifest(problem_set=problem_set), problem_set, pairs())
    keeper = store.sink(run)
    for problem in problem_set.problems:
        outcomes = [Outcome.PASSED if half % 5 == 0 else Outcome.WRONG_ANSWER for half in range(500)]
        keeper.put([build.judged(problem, f"{problem.id} {half}", outcomes[half]) for half in range(500)])
    counts = store.counts(run)
    assert ({1000}, {200}) == (set(counts.n.tolist()), set(counts.c.tolist()))
    assert [("passed", 20_000), ("wrong_answer", 80_000)] == [
        (row.outcome, row.samples) for row in store.tally(run)
    ]
    assert 100_000 == sum(1 for _ in store.verdicts(run))
    assert [] == list(store.pending(run))
