"""Choosing problems, and the samples that belong to them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.model import Assertions, Problem, ProblemSet, Sample, Selection, UsageError
from codejury.pipeline import AsyncJury, Choice, choose
from codejury.pipeline.selection import Chosen, described, refuse_unjudgeable, selection_note


def _set(size: int) -> ProblemSet:
    """Problems t/0, t/1, …; every third has the tag `math`, every second `text`, every fifth no date.

    The others were made in January 2024, one a day; they are easy and hard in turn.
    """
    problems = tuple(
        Problem(
            id=f"t/{i}",
            prompt="",
            entry_point="f",
            tests=Assertions(code=(f"assert f() == {i}",)),
            tags=("math",) * (i % 3 == 0) + ("text",) * (i % 2 == 0),
            difficulty=("easy", "hard")[i % 2],
            created=None if i % 5 == 4 else f"2024-01-{i % 28 + 1:02}",
        )
        for i in range(size)
    )
    return ProblemSet(name="tiny", version="1-0", problems=problems)


def _chosen(size: int, **choice: Any) -> list[int]:
    return [int(problem.id[2:]) for problem in choose(_set(size), Choice(**choice))[0].problems]


def test_ids_tags_and_limit() -> None:
    """Any of the tags, of the ids; the limit of what these leave; always in the set's order."""
    assert [1, 4] == _chosen(6, ids=("t/4", "t/1", "t/4"))
    assert [0, 3, 6] == _chosen(8, tags=("math",))
    assert [0, 2, 3, 4, 6] == _chosen(8, tags=("math", "text"))
    assert [3, 6] == _chosen(8, ids=("t/6", "t/3", "t/5"), tags=("math",))
    assert [0, 2, 3] == _chosen(8, tags=("math", "text"), limit=3)
    assert [2, 6] == _chosen(8, tags=("text",), limit=4, shard=(2, 2))


def test_difficulties_and_dates() -> None:
    """Any of the difficulties; days from the first to the last, both included; problems without a date never."""
    assert [1, 3, 5] == _chosen(6, difficulties=("hard",))
    assert [0, 1, 2, 3] == _chosen(4, difficulties=("hard", "easy"))
    assert [2, 3, 5] == _chosen(8, since="2024-01-03", until="2024-01-06")
    assert [5, 6, 7] == _chosen(8, since="2024-01-05")
    assert [0, 1] == _chosen(8, until="2024-01-02")
    assert [3, 5] == _chosen(9, difficulties=("hard",), since="2024-01-03", limit=2)


def test_a_window_says_what_it_leaves_out() -> None:
    """The days that were asked for, and how many problems have no date."""
    _, selection = choose(_set(10), Choice(difficulties=("easy",), since="2024-01-02", until="2024-01-09"))
    assert selection is not None
    assert ("2024-01-02", "2024-01-09", ("easy",), 1) == (
        selection.since,
        selection.until,
        selection.difficulties,
        selection.undated,
    )
    words = "difficulty easy, since 2024-01-02, until 2024-01-09, 1 without a date left out"
    assert words == described(selection)
    assert f"3 of 10 problems chosen ({words})" == selection_note(selection, selection.chosen)


def test_selections_of_older_runs_are_read() -> None:
    """Manifests without the fields that came later."""
    old = {"ids": ["t/1"], "chosen": 1, "chosen_hash": "a", "set_problems": 2, "set_hash": "b"}
    assert Selection(ids=("t/1",), chosen=1, chosen_hash="a", set_problems=2, set_hash="b") == msgspec.convert(
        old, Selection
    )


def test_problems_that_cannot_be_judged() -> None:
    """The first is named with its reason, the others are counted; a sound set says nothing."""
    sound = _set(2).problems
    refuse_unjudgeable(sound)
    other = msgspec.structs.replace(sound[0], id="t/java", language="java")
    message = r"^problem 't/java' cannot be judged: its answers are written in java: .* \(so with 1 more of 4\)$"
    with pytest.raises(UsageError, match=message):
        refuse_unjudgeable([*sound, other, other])
    with pytest.raises(UsageError, match="problem 't/java' cannot be judged"):
        AsyncJury(ProblemSet(name="tiny", version="1-0", problems=(*sound, other)))


def test_selection_says_what_was_asked_and_of_what() -> None:
    """The hashes tell the whole set, all chosen problems and the shard apart."""
    problem_set = _set(8)
    part, selection = choose(problem_set, Choice(ids=("t/5", "t/0", "t/3"), limit=3, shard=(1, 2)))
    assert selection is not None
    assert (("t/0", "t/3", "t/5"), (), 3, (1,), 2) == (
        selection.ids,
        selection.tags,
        selection.limit,
        selection.shards,
        selection.of,
    )
    assert (3, 8, problem_set.hash) == (selection.chosen, selection.set_problems, selection.set_hash)
    assert 3 == len({problem_set.hash, selection.chosen_hash, part.hash})
    assert ["t/0", "t/5"] == [problem.id for problem in part.problems]
    assert "ids t/0, t/3, t/5, limit 3, shard 1/2" == described(selection)
    assert "2 of 8 problems chosen (ids t/0, t/3, t/5, limit 3, shard 1/2)" == selection_note(selection, 2)


@pytest.mark.parametrize(
    "choice", [Choice(), Choice(limit=9), Choice(shard=(1, 1)), Choice(tags=("math", "text", "b"))]
)
def test_all_problems_are_no_selection(choice: Choice) -> None:
    """However they were asked for."""
    problems = tuple(
        Problem(id=f"t/{i}", prompt="", entry_point="f", tests=Assertions(code=("",)), tags=("math", "text", "b"))
        for i in range(3)
    )
    problem_set = ProblemSet(name="tiny", version="1-0", problems=problems)
    assert (problem_set, None) == choose(problem_set, choice)


@given(size=st.integers(1, 60), of=st.integers(1, 60))
def test_shards_are_a_balanced_partition(size: int, of: int) -> None:
    """Every problem is in one shard; shards differ by one problem at most."""
    if of > size:
        with pytest.raises(UsageError, match=f"take at most {size} shards"):
            choose(_set(size), Choice(shard=(1, of)))
        return
    shards = [_chosen(size, shard=(shard, of)) for shard in range(1, of + 1)]
    assert list(range(size)) == sorted(number for shard in shards for number in shard)
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1
    assert all(shard == sorted(shard) for shard in shards)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Choice(ids=("t/1", "T/2")), "set 'tiny' has no problem 'T/2': did you mean 't/2'"),
        (
            Choice(ids=("a", "b", "a")),
            r"no problem 'a' \(and 1 more that it does not have\): it has t/0, t/1, t/2,",
        ),
        (Choice(tags=("maths",)), "set 'tiny' has no tag 'maths': did you mean 'math'"),
        (Choice(tags=("zzz",)), "no tag 'zzz': it has math, text$"),
        (Choice(ids=("t/1",), tags=("math",)), "none of the problems asked for has a tag math: nothing is left"),
        (Choice(difficulties=("Hard",)), "set 'tiny' has no difficulty 'Hard': did you mean 'hard'"),
        (Choice(difficulties=("x",)), "no difficulty 'x': it has easy, hard$"),
        (
            Choice(ids=("t/1",), difficulties=("easy",)),
            "asked for has the difficulty easy: nothing is left to judge",
        ),
        (Choice(since="2024-1-1"), "since '2024-1-1': take a date as 2024-12-31"),
        (Choice(since="20240101"), "since '20240101': take a date as 2024-12-31"),
        (Choice(until="today"), "until 'today': take a date as 2024-12-31"),
        (Choice(since="2024-02-01", until="2024-01-01"), "since 2024-02-01 is after until 2024-01-01"),
        (Choice(since="2025-01-01"), "is of these days; they are of 2024-01-01 to 2024-01-06: nothing is left"),
        (Choice(ids=("t/4",), since="2024-01-01"), "set 'tiny': its problems have no dates"),
        (Choice(limit=0), "limit 0: take at least 1 problem"),
        (Choice(shard=(0, 3)), "shard 0/3: take i/N"),
        (Choice(shard=(4, 3)), "shard 4/3: take i/N"),
        (Choice(limit=2, shard=(1, 3)), "shard 1/3: 2 problems cannot be divided so: take at most 2"),
    ],
)
def test_what_cannot_be_chosen_is_refused(choice: Choice, message: str) -> None:
    """One line, with what is near."""
    with pytest.raises(UsageError, match=message):
        choose(_set(6), choice)


def test_tags_of_a_set_without_tags() -> None:
    """It says that there are none."""
    problem = Problem(id="t/0", prompt="", entry_point="f", tests=Assertions(code=("",)))
    with pytest.raises(UsageError, match="no tag 'math': it has no tags"):
        choose(ProblemSet(name="s", version="1-0", problems=(problem,)), Choice(tags=("math",)))


def test_samples_of_others_are_counted() -> None:
    """As they come; nothing is held."""
    samples = Chosen((Sample(problem_id=f"t/{i % 3}", index=i, text="") for i in range(7)), {"t/1"})
    assert 0 == samples.left_out
    assert [1, 4] == [sample.index for sample in samples]
    assert 5 == samples.left_out
