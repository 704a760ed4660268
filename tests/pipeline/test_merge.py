"""Which runs may be merged, what is refused and said; verdicts are made, not judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.model import (
    Assertions,
    Interpreter,
    Job,
    Judged,
    Limits,
    Machine,
    Manifest,
    NotComparableError,
    Outcome,
    Problem,
    ProblemSet,
    ProblemSetInfo,
    Program,
    Sample,
    SamplesInfo,
    UsageError,
    Verdict,
    text_hash,
)
from codejury.pipeline import Choice, MergeResult, MergeSettings, choose, list_runs, merge
from codejury.pipeline.manifest import run_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from codejury.store import Store

SET = ProblemSet(
    name="tiny",
    version="1-0",
    problems=tuple(
        Problem(
            id=f"t/{i}",
            prompt="",
            entry_point="f",
            tests=Assertions(code=(f"assert f() == {i}",)),
            reference=None if i == 1 else "f",
            tags=("odd",) * (i % 2),
        )
        for i in range(7)
    ),
)
META = {"model": "m", "temperature": "0.8"}
HERE = Machine(system="Linux", kernel="6", arch="x86_64", cpus=2)
NOT_SOUND = {"t/2": "wrong_answer", "t/5": "exception"}


@pytest.fixture
def make(store: Store) -> Callable[..., int]:
    """Makes a run that is judged: right answers of four by problem, all of which differ between files."""

    def begin(
        name: str, right: Sequence[int], file: str = "a", choice: Choice | None = None, **fields: Any
    ) -> int:
        problem_set, selection = choose(SET, choice or Choice())
        numbers = {problem.id: int(problem.id[2:]) for problem in problem_set.problems}
        missing = fields.pop("missing", ())
        if selection is not None:
            left_out = 4 * (len(SET.problems) - len(numbers) - len(set(missing) - set(numbers)))
            selection = msgspec.structs.replace(selection, samples_left_out=left_out)
        present = [p for p in problem_set.problems if p.id not in missing]
        sources = {p.id: [f"{file}{i} {i < right[numbers[p.id]]}" for i in range(4)] for p in present}
        manifest = Manifest(
            run=name,
            created="2026-11-01T00:00:00Z",
            problem_set=ProblemSetInfo.of(problem_set),
            **{
                "samples": SamplesInfo(file=f"{file}.jsonl", sha256=text_hash(file), count=4 * len(present)),
                "tier": "namespaces",
                "python": Interpreter(implementation="cpython", version="3.11.7"),
                "machine": HERE,
                "meta": META,
                "selection": selection,
                "missing": tuple(p for p in numbers if p in missing),
                "unsound": {p: o for p, o in NOT_SOUND.items() if p in numbers},
                "rules": {"completion": 4 * len(present)},
                **fields,
            },
        )
        notes = run_notes(manifest, len(numbers), {p.hash: p for p in present})
        manifest = msgspec.structs.replace(manifest, notes=notes)
        pairs = [
            (Sample(problem_id=p.id, index=i, text=source), Program(source, "completion"))
            for p in present
            for i, source in enumerate(sources[p.id])
        ]
        run = store.create_run(manifest, problem_set, pairs)
        store.sink(run).put([_judged(p, source) for p in present for source in sources[p.id]])
        return run

    return begin


def _judged(problem: Problem, source: str) -> Judged:
    program = text_hash(source)
    job = Job(key=program, problem_hash=problem.hash, program_hash=program, limits=Limits())
    outcome = Outcome.PASSED if source.endswith("True") else Outcome.WRONG_ANSWER
    return Judged(job, Verdict(outcome=outcome, integrity="strong", tier="namespaces"))


def _merge(store: Store, *names: str, **settings: Any) -> MergeResult:
    return merge(store, MergeSettings(**{"names": names, "into": "all", **settings}))


def _manifest(store: Store, name: str = "all") -> Manifest:
    return store.manifest(store.find_run(name).id)


def _state(store: Store, name: str) -> tuple[Any, ...]:
    """Everything of a run that another one can have as well."""
    info = store.find_run(name)
    counts = store.counts(info.id)
    verdicts = [(v.problem_id, v.index, v.program_hash, v.text_hash, v.outcome) for v in store.verdicts(info.id)]
    manifest = msgspec.structs.replace(store.manifest(info.id), run="", created="", parts=())
    columns = [getattr(counts, name).tolist() for name in ("samples", "n", "c", "infra", "weak")]
    return manifest, counts.problem_ids, columns, verdicts, store.tally(info.id), info.programs, info.passed


def _refused(
    store: Store, message: str, *names: str, error: type[Exception] = UsageError, **settings: Any
) -> None:
    before = [info.name for info in store.runs()]
    with pytest.raises(error, match=message):
        _merge(store, *names, **settings)
    assert before == [info.name for info in store.runs()]


RIGHT = (4, 3, 2, 0, 1, 4, 3)

# ---- shards


@pytest.mark.parametrize("choice", [{}, {"limit": 5}, {"tags": ("odd",)}, {"ids": ("t/6", "t/2", "t/1")}], ids=str)
@pytest.mark.parametrize("of", [2, 3])
def test_shards_are_the_run_judged_at_once(store: Store, make: Any, choice: Mapping[str, Any], of: int) -> None:
    """Manifest, counts, verdicts, tally and order, in whatever order the shards are named."""
    make("whole", RIGHT, choice=Choice(**choice))
    names = [f"s{shard}" for shard in range(1, of + 1)]
    for shard, name in enumerate(names, 1):
        make(name, RIGHT, choice=Choice(**choice, shard=(shard, of)))
    result = _merge(store, *reversed(names))
    assert result.homogeneity is None
    assert _state(store, "whole") == _state(store, "all")
    assert names == [part.run for part in _manifest(store).parts]
    rows = {row.run: row for row in list_runs(store).runs}
    assert rows["whole"].pass_at_1 == rows["all"].pass_at_1 is not None


def test_problems_without_samples_stay_missing(store: Store, make: Any) -> None:
    """In the order of the set, whichever shard they are in."""
    gone = {"missing": ("t/6", "t/1", "t/3"), "allow_missing": True}
    make("whole", RIGHT, **gone)
    for shard in (1, 2):
        make(f"s{shard}", RIGHT, choice=Choice(shard=(shard, 2)), **gone)
    _merge(store, "s1", "s2")
    assert _state(store, "whole") == _state(store, "all")
    assert ("t/1", "t/3", "t/6") == _manifest(store).missing


def test_missing_shards_are_refused_or_marked_and_may_come_later(store: Store, make: Any) -> None:
    """What is merged without one is a selection still; with it, it becomes the whole."""
    make("whole", RIGHT)
    for shard in (1, 2, 3):
        make(f"s{shard}", RIGHT, choice=Choice(shard=(shard, 3)))
    _refused(store, "shards 2/3 are missing: judge them, or merge the rest with --allow-missing", "s1", "s3")
    _merge(store, "s1", "s3", into="part", allow_missing=True)
    selection = _manifest(store, "part").selection
    assert selection is not None
    assert ((1, 3), 3, 8) == (selection.shards, selection.of, selection.samples_left_out)
    assert "5 of 7 problems chosen (shards 1 and 3/3); 8 samples of the others left out" in (
        _manifest(store, "part").notes
    )
    assert ("t/0", "t/2", "t/3", "t/5", "t/6") == store.counts(store.find_run("part").id).problem_ids
    _merge(store, "s2", "part", delete_parts=True)
    assert _state(store, "whole") == _state(store, "all")
    assert ["s1", "s3", "s2"] == [part.run for part in _manifest(store).parts]
    assert {"whole", "s1", "s3", "all"} == {info.name for info in store.runs()}


def test_shards_that_do_not_belong_together(store: Store, make: Any) -> None:
    """Another file, twice the same, another number, another selection, other settings, no shard at all."""
    first, second = Choice(shard=(1, 2)), Choice(shard=(2, 2))
    make("s1", RIGHT, choice=first)
    make("s2", RIGHT, choice=second)
    make("twice", RIGHT, choice=second)
    make("file", RIGHT, "b", choice=second)
    make("nofile", RIGHT, choice=second, samples=SamplesInfo(count=12))
    make("third", RIGHT, choice=Choice(shard=(2, 3)))
    make("limit", RIGHT, choice=Choice(shard=(2, 2), limit=6))
    make("slow", RIGHT, choice=second, limits=Limits(cpu_s=9))
    make("warm", RIGHT, choice=second, meta={"model": "m", "temperature": "1"})
    make("whole", RIGHT)
    _refused(store, "shard 2/2 is there twice: name each once", "s1", "s2", "twice")
    for name, message in (
        ("file", "not of the same file of samples"),
        ("nofile", "not of the same file of samples"),
        ("third", r"selection \(shards 1 and 2/2\) in 's1', \(shards 1 and 2/3\) in 'third'"),
        ("limit", r"selection \(shards 1 and 2/2\) in 's1', \(limit 6, shards 1 and 2/2\) in 'limit'"),
        ("slow", "cpu_s 5 in 's1', 9 in 'slow'"),
        ("warm", "meta {.*'0.8'} in 's1', {.*'1'} in 'warm'"),
        ("whole", "run 'whole' is no shard, as others are"),
    ):
        _refused(store, message, "s1", name, error=NotComparableError)


# ---- independent runs


def test_pooled_samples_add_up(store: Store, make: Any) -> None:
    """The manifest names the parts with their files; n and c are sums; the seed may differ."""
    make("one", RIGHT, meta={**META, "seed": "1"}, unsound={})
    make("two", (4, 2, 2, 1, 1, 4, 3), "b", meta={**META, "seed": "2"}, machine=None)
    result = _merge(store, "one", "two")
    assert result.homogeneity is not None
    assert (1, 5) == (result.homogeneity.overall.df, result.homogeneity.overall.problems)
    counts = store.counts(store.find_run("all").id)
    assert [8] * 7 == counts.n.tolist()
    assert [8, 5, 4, 1, 2, 8, 6] == counts.c.tolist()
    manifest = _manifest(store)
    assert [("one", "a.jsonl", text_hash("a")), ("two", "b.jsonl", text_hash("b"))] == [
        (part.run, part.samples.file, part.samples.sha256) for part in manifest.parts
    ]
    assert (META, None, 56, {"completion": 56}) == (
        manifest.meta,
        manifest.machine,
        manifest.samples.count,
        manifest.rules,
    )
    assert manifest.pooled
    assert ["2", "1"] == [part.meta["seed"] for part in reversed(manifest.parts)]
    assert 2 == len(manifest.notes)  # of the references alone


def test_selections_pool_where_their_problems_are_the_same(store: Store, make: Any) -> None:
    """However they were chosen; what is left out adds up. Shards of the same number pool, too."""
    make("one", RIGHT, choice=Choice(limit=2))
    make("two", RIGHT, "b", choice=Choice(ids=("t/0", "t/1")))
    _merge(store, "one", "two")
    assert "2 of 7 problems chosen (limit 2); 40 samples of the others left out" in _manifest(store).notes
    for name in "ab":
        make(f"s{name}", RIGHT, name, choice=Choice(shard=(1, 2)))
    _merge(store, "sa", "sb", into="shards")
    assert [8] * 4 == store.counts(store.find_run("shards").id).n.tolist()


def test_same_samples_are_not_more_samples(store: Store, make: Any) -> None:
    """Also within a run that was pooled; byte-identical programs of another file are a warning."""
    make("one", RIGHT)
    make("again", RIGHT)
    make("two", RIGHT, "b")
    make("copy", RIGHT, samples=SamplesInfo(file="c.jsonl", sha256=text_hash("c"), count=28))
    _refused(store, "runs 'one' and 'again' are of the same file of samples", "one", "again")
    _refused(store, "run 'one' is named twice", "one", "one")
    _merge(store, "one", "two", into="pool")
    _refused(store, "runs 'pool' and 'one' are of the same file", "pool", "one")
    _merge(store, "one", "copy")
    assert "runs 'one' and 'copy' have byte-identical programs: are they independent?" in _manifest(store).notes
    assert [8] * 7 == store.counts(store.find_run("all").id).n.tolist()
    assert 28 == store.find_run("all").programs


def test_runs_that_differ_are_refused_unless_waived(store: Store, make: Any) -> None:
    """Statistic and p are named; the waiver is kept, also when the pooled run is pooled again."""
    make("one", (4,) * 7)
    make("two", (1,) * 7, "b")
    make("three", (3,) * 7, "c")
    message = (
        r"differ over all problems: CMH chi-square 29\.40 with df 1, p = 5\.\de-08; on single problems:"
        r" sum of chi-squares 29\.40 with df 7, p = 0.0001, below alpha 0.01: .*--waive homogeneity"
    )
    _refused(store, message, "one", "two", error=NotComparableError)
    _merge(store, "one", "two", into="pool", waive_homogeneity=True)
    waived = _manifest(store, "pool").notes[-1]
    assert waived.startswith("pooled although the runs differ over all problems: CMH chi-square 29.40")
    assert waived.endswith("(--waive homogeneity)")
    _merge(store, "pool", "three", alpha=1e-9)
    assert waived in _manifest(store).notes
    assert ["one", "two", "three"] == [part.run for part in _manifest(store).parts]


def test_opposite_differences_are_seen(store: Store, make: Any) -> None:
    """The shares are equal over all; problem by problem they are not."""
    make("one", (4, 4, 4, 0, 0, 0, 2))
    make("two", (0, 0, 0, 4, 4, 4, 2), "b")
    message = r"differ on single problems: sum of chi-squares 42.00 with df 7, p = 0.0001, below"
    _refused(store, message, "one", "two", error=NotComparableError)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"limits": Limits(cpu_s=2)}, "cpu_s 5 in 'one', 2 in 'two'"),
        ({"tier": "landlock"}, "tier 'namespaces' in 'one', 'landlock' in 'two'"),
        ({"all_tests": True}, "all_tests False in 'one', True in 'two'"),
        ({"judge_version": "9"}, "judge_version '' in 'one', '9' in 'two'"),
        ({"packages": ("numpy",)}, "packages"),
        ({"python": None}, "python"),
        ({"meta": {"model": "other", "temperature": "0.8"}}, "meta .* in 'one', .*'other'.* in 'two'"),
        ({"meta": {}}, "meta"),
        ({"choice": Choice(limit=6)}, "the problems"),
    ],
)
def test_settings_must_be_equal(store: Store, make: Any, fields: Mapping[str, Any], message: str) -> None:
    """Named with both values."""
    make("one", RIGHT)
    make("two", RIGHT, "b", **fields)
    _refused(store, f"not of equal settings: .*{message}", "one", "two", error=NotComparableError)


def test_what_nobody_declared_is_unverified(store: Store, make: Any) -> None:
    """Equal silence is no evidence."""
    for name in "ab":
        make(name, RIGHT, name, meta={"temperature": "1"})
    _merge(store, "a", "b")
    assert "that the pooled samples were made alike is unverified: no model declared" in _manifest(store).notes


def test_what_cannot_be_merged(store: Store, make: Any) -> None:
    """Unknown, unfinished or too few runs, a name that is taken, an alpha that is none."""
    run = make("one", RIGHT)
    make("two", RIGHT, "b")
    _refused(store, "no run 'three'", "one", "three")
    _refused(store, "merging takes two or more", "one")
    _refused(store, "run 'two' is already in store .*--into", "one", "two", into="two")
    _refused(store, "printable", "one", "two", into="\n")
    for alpha in (0, 1, 5):
        _refused(store, "alpha .*: take a probability", "one", "two", alpha=alpha)
    store.reopen(run, [Outcome.WRONG_ANSWER])
    _refused(store, "run 'one': 17 of 28 samples are judged: go on with --resume", "one", "two")
