"""Merging runs: everything is copied, counted and renumbered; whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import Manifest, Outcome, ProblemSet, Timing, UsageError
from codejury.store import Disagreement, Part, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Answers = Mapping[str, Sequence[str]]

PASSED, WRONG, INFRA = Outcome.PASSED, Outcome.WRONG_ANSWER, Outcome.INFRA_ERROR


@pytest.fixture
def judged(store: Store, build: Any) -> Callable[..., int]:
    """Makes a run that is judged to the end: sources of each problem, and outcomes of sources that do not pass."""

    def make(name: str, answers: Answers, outcomes: Mapping[str, Outcome] | None = None, **fields: Any) -> int:
        problems = tuple(p for p in build.problem_set(4).problems if p.id in answers)
        problem_set = ProblemSet(name="tiny", version="1-0", problems=problems)
        pairs = [build.pair(p, i, source) for p, sources in answers.items() for i, source in enumerate(sources)]
        run = store.create_run(build.manifest(name, problem_set), problem_set, pairs)
        batch = [
            build.judged(problem, source, (outcomes or {}).get(source, PASSED), **fields)
            for problem in problems
            for source in dict.fromkeys(answers[problem.id])
        ]
        store.sink(run).put(batch)
        return run

    return make


def _merge(store: Store, build: Any, *parts: Part, renumber: bool = True) -> tuple[int, Disagreement]:
    seen = []

    def complete(found: Disagreement) -> Manifest:
        seen.append(found)
        manifest: Manifest = build.manifest("all", notes=("done",))
        return manifest

    run = store.merge(build.manifest("all"), parts, renumber=renumber, complete=complete)
    return run, seen[0]


def _counts(store: Store, run: int) -> list[tuple[Any, ...]]:
    counts = store.counts(run)
    columns = (counts.samples, counts.n, counts.c, counts.infra, counts.weak)
    return list(zip(counts.problem_ids, counts.difficulty, *(column.tolist() for column in columns), strict=True))


def _rows(store: Store, run: int) -> list[tuple[Any, ...]]:
    return [(v.problem_id, v.index, v.program_hash, v.text_hash, v.outcome) for v in store.verdicts(run)]


def test_disjoint_parts_are_the_whole(store: Store, build: Any, judged: Any) -> None:
    """Every other problem each: the same as all of them at once, in the same order."""
    answers = {"P/0": ["a", "b"], "P/1": ["a"], "P/2": ["c", "c"], "P/3": ["b", "a"]}
    whole = judged("whole", answers, {"b": WRONG, "c": INFRA})
    odd = judged("odd", {p: answers[p] for p in ("P/0", "P/2")}, {"b": WRONG, "c": INFRA})
    even = judged("even", {p: answers[p] for p in ("P/1", "P/3")}, {"b": WRONG, "c": INFRA})
    for part in (odd, even):
        store.finish(part, Timing(wall_s=1.5, samples=4))
    run, disagreement = _merge(store, build, Part(even, (1, 3)), Part(odd, (0, 2)), renumber=False)
    assert _counts(store, whole) == _counts(store, run)
    assert _rows(store, whole) == _rows(store, run)
    assert store.tally(whole) == store.tally(run)
    assert store.problems(whole) == store.problems(run) == list(build.problem_set(4).problems)
    assert (Disagreement(0, 0), 0) == (disagreement, store.count_pending(run))
    one, other = store.find_run("whole"), store.find_run("all")
    assert (one.samples, one.programs, one.judged, one.passed) == (
        other.samples,
        other.programs,
        other.judged,
        other.passed,
    )
    assert (3.0, 8) == (other.wall_s, other.timed_samples)
    assert ("done",) == store.manifest(run).notes


def test_pooled_samples_are_renumbered_and_add_up(store: Store, build: Any, judged: Any) -> None:
    """The second part's come after the first's; programs that both have are one with all copies."""
    one = judged("one", {"P/0": ["a", "b"], "P/1": ["a"]}, {"b": WRONG})
    two = judged("two", {"P/0": ["b", "c", "b"], "P/1": ["d"]}, {"b": WRONG, "d": WRONG})
    run, disagreement = _merge(store, build, Part(one, (0, 1)), Part(two, (0, 1)))
    assert [("P/0", "easy", 5, 5, 2, 0, 0), ("P/1", "hard", 2, 2, 1, 0, 0)] == _counts(store, run)
    rows = _rows(store, run)
    assert [("P/0", i) for i in range(5)] + [("P/1", 0), ("P/1", 1)] == [row[:2] for row in rows]
    parts = _rows(store, one), _rows(store, two)
    expected = [row[2:] for p in ("P/0", "P/1") for part in parts for row in part if row[0] == p]
    assert expected == [row[2:] for row in rows]
    assert 5 == store.find_run("all").programs
    assert Disagreement(0, 0) == disagreement


def test_problems_in_another_order_and_gaps_in_indices(store: Store, build: Any) -> None:
    """Each part says where its problems stand; indices become consecutive."""
    problems = build.problem_set(2).problems
    runs = []
    for name, order in (("one", problems), ("two", problems[::-1])):
        problem_set = ProblemSet(name="tiny", version="1-0", problems=order)
        pairs = [build.pair("P/0", 3, f"{name}0"), build.pair("P/1", 7, f"{name}1"), build.pair("P/0", 9, "x")]
        runs.append(store.create_run(build.manifest(name, problem_set), problem_set, pairs))
        sources = {"P/0": (f"{name}0", "x"), "P/1": (f"{name}1",)}
        store.sink(runs[-1]).put([build.judged(p, source) for p in order for source in sources[p.id]])
    run, _ = _merge(store, build, Part(runs[0], (0, 1)), Part(runs[1], (1, 0)))
    assert [("P/0", i) for i in range(4)] + [("P/1", 0), ("P/1", 1)] == [row[:2] for row in _rows(store, run)]
    assert ("P/0", "P/1") == store.counts(run).problem_ids


def test_first_verdict_that_says_something_is_kept(store: Store, build: Any, judged: Any) -> None:
    """An infrastructure error says nothing; what is kept against another part's word is counted."""
    one = judged("one", {"P/0": ["a", "b", "c"]}, {"a": INFRA, "b": WRONG})
    two = judged("two", {"P/0": ["a", "b", "b", "c"]}, {"c": INFRA}, integrity="weak")
    run, disagreement = _merge(store, build, Part(one, (0,)), Part(two, (0,)))
    assert [("P/0", "easy", 7, 7, 4, 0, 2)] == _counts(store, run)
    assert [PASSED, WRONG, PASSED, PASSED, WRONG, WRONG, PASSED] == [row[4] for row in _rows(store, run)]
    assert Disagreement(programs=1, samples=2) == disagreement


def test_base_tests_are_counted_anew(store: Store, build: Any, judged: Any) -> None:
    """Of the verdicts that are kept, with all copies; null where no part says anything of a base."""
    one = judged("one", {"P/0": ["a", "b"], "P/1": ["a"]}, {"a": INFRA, "b": WRONG}, base_passed=True)
    two = judged("two", {"P/0": ["a", "b", "b", "c"], "P/2": ["d"]}, {"b": WRONG}, base_passed=True)
    three = judged("three", {"P/0": ["c", "e"], "P/3": ["a"]}, {"e": WRONG})
    run, _ = _merge(store, build, Part(one, (0, 1)), Part(two, (0, 2)), Part(three, (0, 3)))
    counts = store.counts(run)
    assert [("P/0", 8, 4, 7), ("P/1", 0, 0, 0), ("P/2", 1, 1, 1), ("P/3", 1, 1, 1)] == list(
        zip(counts.problem_ids, counts.n.tolist(), counts.c.tolist(), counts.c_base.tolist(), strict=True)
    )
    assert [True, False, True, False] == counts.has_base.tolist()
    kept = [(v.problem_id, v.outcome, v.base_passed) for v in store.verdicts(run)]
    assert [PASSED, WRONG, PASSED, WRONG, WRONG, PASSED, PASSED, WRONG] == [row[1] for row in kept[:8]]
    assert [True] * 7 + [None] == [row[2] for row in kept[:8]]
    assert [None, True, None] == [row[2] for row in kept[8:]]


def test_what_fails_leaves_nothing(store: Store, build: Any, judged: Any) -> None:
    """A name that is taken, a part that is not judged or gone, an error of `complete`."""
    one, two = (judged(name, {"P/0": ["a"]}) for name in ("one", "two"))
    open_run = store.create_run(build.manifest("open"), build.problem_set(1), [build.pair("P/0", 0, "a")])

    def fail(_: Disagreement) -> Manifest:
        raise UsageError("no")

    for name, parts, message in (
        ("one", (one, two), "run 'one' is already in store"),
        (" ", (one, two), "printable"),
        ("all", (one, open_run), "was deleted or changed"),
        ("all", (one, 99), "was deleted or changed"),
        ("all", (one, two), "no"),
    ):
        with pytest.raises(UsageError, match=message):
            store.merge(build.manifest(name), [Part(r, (0,)) for r in parts], renumber=True, complete=fail)
    assert ["one", "two", "open"] == [info.name for info in store.runs()]


def test_parts_can_go(store: Store, build: Any, judged: Any) -> None:
    """The merged run keeps its texts."""
    one, two = judged("one", {"P/0": ["a"]}), judged("two", {"P/0": ["b"]})
    run, _ = _merge(store, build, Part(one, (0,)), Part(two, (0,)))
    for part in (one, two):
        store.delete_run(part)
    assert ["answer: a", "answer: b"] == [store.text(v.text_hash) for v in store.verdicts(run)]
    assert ["P/0"] == [problem.id for problem in store.problems(run)]


def test_same_programs(store: Store, judged: Any) -> None:
    """In any order, each as often, for the same problem."""
    one = judged("one", {"P/0": ["a", "b", "a"], "P/1": ["c"]})
    assert store.same_programs(one, judged("same", {"P/0": ["a", "a", "b"], "P/1": ["c"]}))
    assert not store.same_programs(one, judged("fewer", {"P/0": ["a", "b"], "P/1": ["c"]}))
    assert not store.same_programs(one, judged("often", {"P/0": ["a", "b", "b"], "P/1": ["c"]}))
    assert not store.same_programs(one, judged("moved", {"P/0": ["a", "b", "c"], "P/1": ["a"]}))
