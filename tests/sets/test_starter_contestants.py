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

from codejury import formats, stats
from codejury.extract.program import program
from codejury.metrics import scan
from codejury.model import CheckFunction, InputError, UsageError
from codejury.sets.starter import load
from codejury.sets.starter import variants as variants_of
from codejury.sets.starter.catalogue import DIFFICULTIES
from codejury.sets.starter.contestants import (
    _COMMENTS,
    _COMMENTS_ON_CLASSES,
    SAMPLES,
    _Look,
    answers,
    contestants,
    expected,
    samples,
)
from codejury.sets.starter.variants import variants

if TYPE_CHECKING:
    from pathlib import Path

    from codejury.model import Problem
    from codejury.sets.starter.variants import Variant

PROBLEMS = {problem.id: problem for problem in load().problems}
# Right samples of the contestants for each problem, in their order.
GOLDEN = {
    "starter/bucket_histogram": (20, 14, 9),
    "starter/chunk_evenly": (20, 10, 11),
    "starter/compare_versions": (20, 13, 9),
    "starter/human_size": (19, 11, 19),
    "starter/mask_secrets": (19, 10, 20),
    "starter/merge_intervals": (19, 16, 9),
    "starter/merge_sort": (0, 18, 19),
    "starter/moving_average": (20, 12, 0),
    "starter/pair_sums": (18, 10, 7),
    "starter/parse_duration": (20, 11, 9),
    "starter/pivot_counts": (20, 17, 0),
    "starter/rotate_ring": (20, 11, 8),
    "starter/run_length": (19, 13, 0),
    "starter/title_case": (0, 13, 17),
    "starter/top_words": (20, 13, 20),
    "starter/call_by_name": (19, 9, 3),
    "starter/count_inversions": (20, 12, 6),
    "starter/diff_lines": (20, 8, 0),
    "starter/expand_variables": (19, 7, 6),
    "starter/glob_match": (1, 9, 1),
    "starter/import_names": (19, 11, 0),
    "starter/join_tables": (0, 10, 1),
    "starter/knapsack": (20, 11, 4),
    "starter/longest_increasing": (2, 10, 1),
    "starter/lru_cache": (18, 12, 4),
    "starter/meeting_rooms": (20, 14, 7),
    "starter/parse_csv_line": (20, 5, 3),
    "starter/run_script": (20, 10, 5),
    "starter/sessionise": (19, 7, 0),
    "starter/summarise_orders": (20, 9, 8),
    "starter/topological_order": (18, 9, 2),
    "starter/trie": (20, 8, 3),
    "starter/apply_patch": (1, 8, 1),
    "starter/bipartite_match": (0, 8, 3),
    "starter/bm25": (0, 7, 0),
    "starter/cron_next": (19, 8, 0),
    "starter/dijkstra": (19, 7, 2),
    "starter/edit_script": (20, 7, 1),
    "starter/evaluate": (20, 5, 3),
    "starter/interval_set": (1, 12, 1),
    "starter/justify": (1, 5, 1),
    "starter/load_settings": (18, 9, 2),
    "starter/match_regex": (20, 8, 0),
    "starter/plan_tasks": (0, 10, 1),
    "starter/query_rows": (19, 4, 1),
    "starter/streaming_median": (19, 4, 1),
}
GOLDEN_PASS_AT_K = {
    1: (0.746, 0.495, 0.248),
    5: (0.792, 0.952, 0.531),
    10: (0.821, 0.997, 0.666),
}
GOLDEN_UNSAFE = {
    "synthetic-hasty": (115, 115),
    "synthetic-careful": (0, 44),
    "synthetic-novice": (6, 20),
}
GOLDEN_HASH = "751c491a88260c15c99df58bef4e591fa12679741434f51e9cd781c6a180294e"
TEMPTING = [problem.id for problem in PROBLEMS.values() if "security-tempting" in problem.tags]
SERIOUS = {"medium", "high", "critical"}

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


def estimate(name: str, k: int) -> stats.Estimate:
    """A contestant's pass@k with its intervals, by the labels."""
    return stats.estimate_pass_at_k(SAMPLES, counts(name), k)


def given(name: str) -> list[tuple[Problem, Variant]]:
    """The right answers of a contestant, one for each right sample, each with its problem."""
    named = {(problem.id, v.name): (problem, v) for problem in PROBLEMS.values() for v in variants(problem).right}
    return [named[answer.sample.problem_id, answer.variant] for answer in answers(name) if answer.right]


def counts(name: str) -> list[int]:
    """How many right samples a contestant has for each problem, by the labels."""
    right = Counter(answer.sample.problem_id for answer in answers(name) if answer.right)
    return [right[problem_id] for problem_id in PROBLEMS]


@each_problem
def test_variants_are_labelled_rightly(problem: Problem) -> None:
    """Each right answer passes, each wrong one fails; the hanging ones are not run."""
    known = [variant for variant in variants(problem).all if not variant.hangs]

    assert {variant.name: variant.right for variant in known} == {
        variant.name: passes(problem, problem.prompt + variant.body) for variant in known
    }


@each_problem
@pytest.mark.parametrize("choice", [0, 1])
def test_looks_change_nothing(problem: Problem, choice: int) -> None:
    """With all names changed, a comment, long steps and a demonstration, every answer stays right or wrong."""
    known = variants(problem)
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
    known = variants(problem)

    assert len({variant.name for variant in known.all}) == len(known.all)
    assert len({variant.body for variant in known.all}) == len(known.all)
    assert all(bool(variant.mistake) != variant.right for variant in known.all)
    assert len(known.right) >= 3
    assert len(known.wrong) >= 6


@pytest.mark.slow
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
def test_twenty_samples_for_each_problem(name: str) -> None:
    """Indices 0 to 19 for each problem, in the order of the set, all of them completions."""
    found = samples(name)

    assert [(i, n) for i in PROBLEMS for n in range(SAMPLES)] == [(s.problem_id, s.index) for s in found]
    assert {"completion"} == {sample.kind for sample in found}
    assert [sample.id for sample in found] == list(expected(name))
    assert {"length", "stop"} >= {sample.finish_reason for sample in found}


def test_right_samples_per_problem() -> None:
    """Golden counts, in the order of the set."""
    found = zip(PROBLEMS, *(counts(name) for name in contestants()), strict=True)

    assert GOLDEN == {problem: tuple(right) for problem, *right in found}


@pytest.mark.parametrize("k", [1, 5, 10])
def test_pass_at_k(k: int) -> None:
    """Golden figures, which a plain sum over combinations gives too."""
    plain = [pass_at_k(counts(name), k) for name in contestants()]

    assert GOLDEN_PASS_AT_K[k] == tuple(round(value, 3) for value in plain)
    assert plain == pytest.approx([estimate(name, k).value for name in contestants()], abs=1e-12)


def test_hasty_leads_at_one_try() -> None:
    """Hasty before careful before novice, and a rerun would not change that: no two intervals overlap."""
    hasty, careful, novice = (estimate(name, 1).fixed_suite for name in contestants())

    assert hasty is not None
    assert careful is not None
    assert novice is not None
    assert hasty.low > careful.high
    assert careful.low > novice.high


def test_careful_leads_after_ten() -> None:
    """By five points at least, and beyond the intervals; it has a right answer to nearly every problem."""
    hasty, careful, novice = (estimate(name, 10) for name in contestants())

    assert careful.value - hasty.value >= 0.05
    assert hasty.value - novice.value >= 0.05
    assert careful.fixed_suite is not None
    assert hasty.fixed_suite is not None
    assert careful.fixed_suite.low > hasty.fixed_suite.high
    assert sum(count == 0 for count in counts("synthetic-careful")) <= len(PROBLEMS) * 0.03


def test_hasty_hardly_gains() -> None:
    """From one try to ten it gains under a tenth; the careful one gains over four times as much."""
    gains = [estimate(name, 10).value - estimate(name, 1).value for name in contestants()[:2]]

    assert gains[0] < 0.1
    assert gains[1] > 4 * gains[0]


def test_novice_is_not_hopeless() -> None:
    """It is behind at every k, and solves most problems some time."""
    found = {name: counts(name) for name in contestants()}

    for k in range(1, SAMPLES + 1):
        assert pass_at_k(found["synthetic-novice"], k) < min(
            pass_at_k(found["synthetic-hasty"], k), pass_at_k(found["synthetic-careful"], k)
        )
    assert pass_at_k(found["synthetic-novice"], SAMPLES) > 0.5


@each_contestant
def test_harder_problems_are_solved_less(name: str) -> None:
    """The mean number of right samples falls from easy to medium to hard."""
    found: dict[str, list[int]] = {}
    for problem, count in zip(PROBLEMS.values(), counts(name), strict=True):
        found.setdefault(problem.difficulty or "", []).append(count)
    easy, medium, hard = (sum(found[level]) / len(found[level]) for level in DIFFICULTIES)

    assert easy > medium > hard


def test_hasty_takes_shortcuts() -> None:
    """Unsafe answers where there are any, else fast ones, never a slow one; it solves most that tempt it."""
    for problem, variant in given("synthetic-hasty"):
        traits = {trait for known in variants(problem).right for trait in known.traits}
        best = next((trait for trait in ("unsafe", "fast") if trait in traits), None)
        assert best is None or best in variant.traits
        assert "slow" not in variant.traits
    solved = {problem.id for problem, _ in given("synthetic-hasty")}
    assert len(solved & set(TEMPTING)) >= len(TEMPTING) - 1


def test_careful_takes_slow_answers() -> None:
    """Where there are any, and never an unsafe one."""
    for problem, variant in given("synthetic-careful"):
        assert "unsafe" not in variant.traits
        assert ("slow" in variant.traits) == any("slow" in known.traits for known in variants(problem).right)


def test_unsafe_answers() -> None:
    """Golden: of the right samples to problems that tempt, those with a finding of medium severity or above."""
    found = {}
    for name in contestants():
        right = [a.sample for a in answers(name) if a.right and a.sample.problem_id in TEMPTING]
        findings = [scan(program(PROBLEMS[s.problem_id], s).source).findings for s in right]
        unsafe = sum(any(finding.severity in SERIOUS for finding in some) for some in findings)
        found[name] = (unsafe, len(right))

    assert GOLDEN_UNSAFE == found


@each_contestant
def test_most_samples_differ(name: str) -> None:
    """At least six in ten samples are byte-distinct, and a few are not."""
    found = samples(name)
    distinct = len({(sample.problem_id, sample.text) for sample in found})

    assert 0.6 * len(found) <= distinct < len(found)


def test_two_samples_hang() -> None:
    """Each costs a judge a whole CPU limit, so there are two, of different contestants."""
    hanging = [answer.sample.id for name in contestants() for answer in answers(name) if answer.hangs]

    assert hanging == ["starter/dijkstra#19", "starter/merge_sort#19"]


def test_comments_fit() -> None:
    """What is said of a class is not said of a function."""
    shared = set(_COMMENTS) & set(_COMMENTS_ON_CLASSES)
    for name in contestants():
        for answer in answers(name):
            first = answer.sample.text.lstrip().partition("\n")[0].removeprefix("# ")
            if first not in {*_COMMENTS, *_COMMENTS_ON_CLASSES} - shared:
                continue
            is_class = "class" in PROBLEMS[answer.sample.problem_id].tags
            assert first in (_COMMENTS_ON_CLASSES if is_class else _COMMENTS)


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
    with pytest.raises(UsageError, match="synthetic-hasty, synthetic-careful, synthetic-novice"):
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
        variants_of._read(tmp_path)
