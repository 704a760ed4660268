"""The synthetic contestants: labels that the tests confirm, golden figures, the same samples everywhere."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections import Counter
from math import comb
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury import formats
from codejury.extract.program import program
from codejury.model import CheckFunction, InputError, UsageError
from codejury.sets.starter import load
from codejury.sets.starter import variants as answers_of
from codejury.sets.starter.contestants import SAMPLES, _Look, answers, contestants, expected, samples

if TYPE_CHECKING:
    from pathlib import Path

    from codejury.model import Problem

PROBLEMS = {problem.id: problem for problem in load().problems}
GOLDEN = {
    "synthetic-steady": [9, 9, 9, 8, 10, 10, 0, 10, 10, 10, 9, 10, 0, 0, 9],
    "synthetic-explorer": [9, 6, 7, 7, 7, 3, 4, 5, 6, 8, 2, 3, 2, 2, 4],
    "synthetic-novice": [5, 5, 5, 10, 3, 2, 2, 2, 4, 4, 0, 0, 0, 0, 1],
}
GOLDEN_HASH = "5af17999058fbbb8c682a777851efaf7cd10c5ac4aaea834a48fee08c62b63a3"

each_problem = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=lambda problem: problem.id)
each_contestant = pytest.mark.parametrize("name", contestants())


def source_of_tests(problem: Problem) -> str:
    """The source of a problem's tests."""
    assert isinstance(problem.tests, CheckFunction)
    return problem.tests.code


def passes(problem: Problem, source: str) -> bool:
    """Whether a program of ours passes the problem's tests."""
    candidate: dict[str, Any] = {"__name__": "candidate"}
    tests: dict[str, Any] = {"__name__": "tests"}
    exec(compile(source_of_tests(problem), "<tests>", "exec"), tests)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "<candidate>", "exec"), candidate)
            tests["check"](candidate[problem.entry_point])
    except Exception:  # noqa: BLE001 - a wrong answer may raise anything
        return False
    return True


def pass_at_k(counts: list[int], k: int) -> float:
    """The mean over problems of the chance that k of the samples, drawn without replacement, hold a right one."""
    return sum(1 - comb(SAMPLES - c, k) / comb(SAMPLES, k) for c in counts) / len(counts)


def counts(name: str) -> list[int]:
    """How many right samples a contestant has for each problem, by the labels."""
    right = Counter(answer.sample.problem_id for answer in answers(name) if answer.right)
    return [right[problem_id] for problem_id in PROBLEMS]


@each_problem
def test_variants_are_labelled_rightly(problem: Problem) -> None:
    """Each right answer passes, each wrong one fails; the hanging ones are not run."""
    known = [variant for variant in answers_of.variants(problem).all if not variant.hangs]

    assert {variant.name: variant.right for variant in known} == {
        variant.name: passes(problem, problem.prompt + variant.body) for variant in known
    }


@each_problem
@pytest.mark.parametrize("choice", [0, 1])
def test_looks_change_nothing(problem: Problem, choice: int) -> None:
    """With all names changed, a comment, long steps and a demonstration, every answer stays right or wrong."""
    known = answers_of.variants(problem)
    look = _Look(
        names={name: others[choice] for name, others in known.rename.items()},
        comment="A comment.",
        long_steps=True,
        ending=f'\nif __name__ == "__main__":\n    print({known.example})\n',
    )
    dressed = {variant.name: look.dress(variant) for variant in known.all if not variant.hangs}

    assert {variant.name: variant.right for variant in known.all if not variant.hangs} == {
        name: passes(problem, problem.prompt + body) for name, body in dressed.items()
    }


@each_problem
def test_variants_are_distinct_and_explained(problem: Problem) -> None:
    """Names and bodies are unique, a mistake has a kind, a right answer none; there are enough of both."""
    known = answers_of.variants(problem)

    assert len({variant.name for variant in known.all}) == len(known.all)
    assert len({variant.body for variant in known.all}) == len(known.all)
    assert all(bool(variant.mistake) != variant.right for variant in known.all)
    assert len(known.right) >= 3
    assert len(known.wrong) >= 6


@each_contestant
def test_samples_are_labelled_rightly(name: str) -> None:
    """In every look, a sample passes exactly if its label says so; the hanging ones are not run."""
    known = [answer for answer in answers(name) if not answer.hangs]
    found = {}
    for answer in known:
        problem = PROBLEMS[answer.sample.problem_id]
        found[answer.sample.id] = passes(problem, program(problem, answer.sample).source)

    assert {answer.sample.id: answer.right for answer in known} == found


@each_contestant
def test_every_contestant_is_called_synthetic(name: str) -> None:
    """Nobody takes these samples for a model's."""
    assert "synthetic" in name


@each_contestant
def test_ten_samples_for_each_problem(name: str) -> None:
    """Indices 0 to 9 for each problem, in the order of the set, all of them completions."""
    found = samples(name)

    assert [(i, n) for i in PROBLEMS for n in range(SAMPLES)] == [(s.problem_id, s.index) for s in found]
    assert {"completion"} == {sample.kind for sample in found}
    assert [sample.id for sample in found] == list(expected(name))
    assert {"length", "stop"} >= {sample.finish_reason for sample in found}


@each_contestant
def test_right_samples_per_problem(name: str) -> None:
    """Golden counts, in the order of the set."""
    assert GOLDEN[name] == counts(name)


def test_figures_tell_a_story() -> None:
    """The steady one leads at k = 1 and hardly gains, the explorer overtakes it, the novice stays behind."""
    at_1, at_10 = ([round(pass_at_k(counts(name), k), 3) for name in contestants()] for k in (1, 10))

    assert at_1 == [0.753, 0.5, 0.287]
    assert at_10 == [0.8, 1.0, 0.733]


@each_contestant
def test_harder_problems_are_solved_less(name: str) -> None:
    """The number of right samples falls from easy to medium to hard."""
    found = counts(name)
    easy, medium, hard = (sum(found[start : start + 5]) for start in (0, 5, 10))

    assert easy > medium > hard


@each_contestant
def test_most_samples_differ(name: str) -> None:
    """At least two thirds of the samples are byte-distinct, and a few are not."""
    found = samples(name)
    distinct = len({(sample.problem_id, sample.text) for sample in found})

    assert len(found) * 2 / 3 <= distinct < len(found)


def test_two_samples_hang() -> None:
    """Each costs a judge a whole CPU limit, so there are two, of different contestants."""
    hanging = [answer.sample.id for name in contestants() for answer in answers(name) if answer.hangs]

    assert hanging == ["starter/dijkstra#9", "starter/merge_sort#9"]


def test_many_kinds_of_mistakes() -> None:
    """The samples show what models get wrong, not one mistake again and again."""
    kinds = {answer.mistake for name in contestants() for answer in answers(name)}

    assert kinds >= {
        "off by one", "tie-breaking", "missing edge case", "mutated argument", "wrong default", "integer division",
        "forgets to return", "exception on empty input", "infinite loop", "truncated output",
        "prints instead of returns", "talk in the code",
    }  # fmt: skip


def test_samples_are_the_same_everywhere() -> None:
    """Golden hash over all samples: another Python, another machine, the same bytes."""
    found = [(name, samples(name)) for name in contestants()]

    assert hashlib.sha256(msgspec.json.encode(found)).hexdigest() == GOLDEN_HASH


def test_samples_survive_a_file(tmp_path: Path) -> None:
    """Written and read again, the samples are the same."""
    found = samples("synthetic-novice")
    formats.write_samples(tmp_path / "samples.jsonl", found)

    assert found == list(formats.read_samples(tmp_path / "samples.jsonl", known=PROBLEMS))


def test_unknown_contestant() -> None:
    """The message names those that there are."""
    with pytest.raises(UsageError, match="synthetic-steady, synthetic-explorer, synthetic-novice"):
        samples("gpt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("example = 1", r"variants\.toml: Expected `str`"),
        (
            'example = ""\nright = []\nrename = {}\n[[wrong]]\nname = "w"\nmistake = "m"',
            "neither a body nor edits",
        ),
        (
            'example = ""\nright = []\nrename = {}\n[[wrong]]\nname = "w"\nmistake = "m"\nedits = [["x", ""]]',
            "'w': 'x' stands in the reference 2 times",
        ),
    ],
)
def test_broken_file_of_variants(tmp_path: Path, content: str, message: str) -> None:
    """An author's slip is told with file and name."""
    (tmp_path / "body.py.txt").write_text("    x = 1\n    return x\n", encoding="utf-8")
    (tmp_path / "variants.toml").write_text(content, encoding="utf-8")

    with pytest.raises(InputError, match=message):
        answers_of._read(tmp_path)
