"""From counts to a document: the figures, what is refused, what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from codejury.model import (
    Assertions,
    InfrastructureError,
    Job,
    Judged,
    Limits,
    Manifest,
    Outcome,
    Problem,
    ProblemSet,
    ProblemSetInfo,
    Program,
    Sample,
    Timing,
    UsageError,
    Verdict,
)
from codejury.pipeline.summary import summarise
from codejury.report import FlipRow, IntegrityCounts, ProblemRow, Range, encode_json
from codejury.stats import estimate_pass_at_k
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

P, W, I = Outcome.PASSED, Outcome.WRONG_ANSWER, Outcome.INFRA_ERROR  # noqa: E741 - a table of outcomes reads best so
HARD = ("easy", "easy", "hard", None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(tmp_path / "runs.db") as opened:
        yield opened


def _run(
    store: Store,
    table: Sequence[Sequence[Outcome | None]],
    *,
    difficulty: Sequence[str | None] = (),
    cluster: Sequence[str | None] = (),
    weak: Sequence[int] = (),
    base: Sequence[Sequence[bool | None]] = (),
    copies: bool = False,
    **manifest: Any,
) -> None:
    """A run "r" whose problem i has one sample for each outcome of row i; None is not judged yet."""
    problems = tuple(
        Problem(
            id=f"P/{i}",
            prompt="",
            entry_point="f",
            tests=Assertions(code=("assert f()",)),
            difficulty=difficulty[i] if difficulty else None,
            cluster=cluster[i] if cluster else None,
        )
        for i in range(len(table))
    )
    problem_set = ProblemSet(name="tiny", version="1-0", problems=problems)
    pairs, judged = [], []
    for i, (problem, row) in enumerate(zip(problems, table, strict=True)):
        for index, outcome in enumerate(row):
            program = Program("same" if copies else f"{index}", "whole")
            pairs.append((Sample(problem_id=problem.id, index=index, text=program.source), program))
            if outcome is not None:
                job = Job(key="k", problem_hash=problem.hash, program_hash=program.hash, limits=Limits())
                integrity: Any = "weak" if i in weak else "strong"
                base_passed = base[i][index] if base else None
                verdict = Verdict(outcome=outcome, integrity=integrity, tier="namespaces", base_passed=base_passed)
                judged.append(Judged(job, verdict))
    info = ProblemSetInfo.of(problem_set)
    run = store.create_run(Manifest(run="r", created="", problem_set=info, **manifest), problem_set, pairs)
    store.sink(run).put(judged)


def test_figures_are_those_of_the_statistics_room(store: Store) -> None:
    """Value, both intervals, by difficulty, per problem, tally."""
    _run(
        store,
        [[P, P, W], [P, W, W], [W, W, W], [P, P, P]],
        difficulty=HARD,
        tier="namespaces",
        meta={"model": "m"},
    )
    document = summarise(store, "r", [2, 1])
    expected = estimate_pass_at_k(np.full(4, 3), np.array([2, 1, 0, 3]), 1)
    assert ["1", "2"] == list(document.pass_at_k)
    shown = document.pass_at_k["1"]
    assert 0.5 == shown.value
    for mine, theirs in ((shown.fixed_suite, expected.fixed_suite), (shown.population, expected.population)):
        assert mine is not None
        assert theirs is not None
        assert (theirs.se, theirs.low, theirs.high, theirs.method) == (mine.se, mine.low, mine.high, mine.method)
    assert pytest.approx((1 + 2 / 3 + 0 + 1) / 4) == document.pass_at_k["2"].value
    rows = [ProblemRow(id=f"P/{i}", n=3, c=c) for i, c in enumerate((2, 1, 0, 3))]
    assert (rows, 4, Range(min=3, max=3)) == (document.per_problem, document.problems, document.n)
    parts = {
        name: (part.problems, part.samples, part.pass_at_k["1"].value)
        for name, part in document.by_difficulty.items()
    }
    assert {"easy": (2, 6, 0.5), "hard": (1, 3, 0.0), "unrated": (1, 3, 1.0)} == parts
    assert ["easy", "hard", "unrated"] == list(document.by_difficulty)
    assert {"passed": 6, "wrong_answer": 6} == document.verdicts
    assert IntegrityCounts(strong=12, weak=0, strong_passed=6, weak_passed=0) == document.integrity
    assert (12, 12, 12, False, "namespaces") == (
        document.samples,
        document.judged,
        document.programs,
        document.partial,
        document.tier,
    )
    assert {"model": "m"} == document.meta
    assert ("tiny", "1-0") == (document.problem_set.name, document.problem_set.version)


def test_base_tests_are_apart(store: Store) -> None:
    """The same estimates of samples that passed the base; problems without a further part count as they are."""
    table = [[P, W, W], [P, W, W], [W, W, W]]
    _run(store, table, base=[[True, True, False], [None] * 3, [True, False, False]], difficulty=HARD[:3])
    document = summarise(store, "r", [1, 2])
    expected = estimate_pass_at_k(np.full(3, 3), np.array([2, 1, 1]), 1)
    assert document.pass_at_k_base is not None
    assert ["1", "2"] == list(document.pass_at_k_base)
    shown = document.pass_at_k_base["1"]
    assert (expected.value, 2 / 9) == (shown.value, document.pass_at_k["1"].value)
    for mine, theirs in ((shown.fixed_suite, expected.fixed_suite), (shown.population, expected.population)):
        assert mine is not None
        assert theirs is not None
        assert (theirs.se, theirs.low, theirs.high, theirs.method) == (mine.se, mine.low, mine.high, mine.method)
    assert [1, 1, 0] == [row.c for row in document.per_problem]


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ([[True, True], [True, False], [True, True]], ["pass@1: 8", "base tests, pass@1: 4"]),
        ([[True, False], [False, False], [True, False]], ["pass@1: 8"]),
    ],
)
def test_low_coverage_of_base_tests_is_said(store: Store, base: list[list[bool]], expected: list[str]) -> None:
    """By name, and once where both figures are the same."""
    _run(store, [[P, W], [W, W], [P, W]] * 8, base=base * 8)
    said = [
        warning.split(" is below")[0] for warning in summarise(store, "r", [1]).warnings if "coverage" in warning
    ]
    text = "coverage is known to be low: problems * min(p, 1 - p) = "
    assert expected == [warning.replace(text, "") for warning in said]


def test_sets_without_further_tests_have_no_base(store: Store) -> None:
    """Null, rather than the headline again; also where a weak problem alone has such tests."""
    _run(store, [[P, W], [P, W]], base=[[None, None], [True, True]], weak=(1,))
    assert summarise(store, "r", [1]).pass_at_k_base is None


def test_default_ks_are_those_that_every_problem_has(store: Store) -> None:
    """1 and 10, not 100, for n = 10 and 12."""
    _run(store, [[P] * 10, [W] * 6 + [P] * 6])
    document = summarise(store, "r")
    assert ["1", "10"] == list(document.pass_at_k)
    assert Range(min=10, max=12) == document.n
    assert any("10 to 12 samples; each problem has the same weight" in warning for warning in document.warnings)


def test_clusters_reach_the_population_interval(store: Store) -> None:
    """Problems of one source are not independent."""
    _run(store, [[P, W], [P, W], [W, W], [P, P]], cluster=("a", "a", "a", None))
    population = summarise(store, "r", [1]).pass_at_k["1"].population
    assert population is not None
    assert "t, clustered" == population.method


@pytest.mark.parametrize("ks", [[], [0], [1, -1]])
def test_k_below_one_is_refused(store: Store, ks: list[int]) -> None:
    """No k, 0 and negative."""
    _run(store, [[P]])
    with pytest.raises(UsageError, match="at least 1"):
        summarise(store, "r", ks)


@pytest.mark.parametrize("level", [0.0, 1.0, float("nan")])
def test_level_outside_is_refused(store: Store, level: float) -> None:
    """A confidence level is a share."""
    _run(store, [[P]])
    with pytest.raises(UsageError, match="confidence level"):
        summarise(store, "r", [1], level=level)


def test_short_problems_are_named(store: Store) -> None:
    """Never min(k, n), never left out without a word: the first five, with their n, and how many."""
    _run(store, [[P, P]] + [[P]] * 7)
    with pytest.raises(
        UsageError, match=r"7 of 8 problems have fewer: P/1 \(1\), .*P/5 \(1\) and 2 more: .*--drop-short"
    ):
        summarise(store, "r", [1, 2])


def test_drop_short_says_the_retained_set(store: Store) -> None:
    """The same problems for every k, difficulty and row."""
    _run(store, [[P, P], [W], [W, P]], difficulty=("easy", "easy", "hard"))
    document = summarise(store, "r", [1, 2], drop_short=True)
    assert (["P/1"], 2, ["P/0", "P/2"]) == (
        document.dropped,
        document.problems,
        [row.id for row in document.per_problem],
    )
    assert (0.75, 1.0) == (document.pass_at_k["1"].value, document.pass_at_k["2"].value)
    assert 1 == document.by_difficulty["easy"].problems
    assert "left out of every figure: 1 problem with fewer than 2 samples (P/1)" in document.warnings
    with pytest.raises(UsageError, match="no problem of run 'r' has 3 samples"):
        summarise(store, "r", [3], drop_short=True)


def test_infra_errors_are_no_failures(store: Store) -> None:
    """They leave n, are counted, and the bounds are said."""
    _run(store, [[P, W] * 10, [P] * 19 + [I]])
    document = summarise(store, "r", [1])
    assert (0.75, 1) == (document.pass_at_k["1"].value, document.infra_errors)
    assert [(20, 10), (19, 19)] == [(row.n, row.c) for row in document.per_problem]
    expected = (
        "1 sample ended in infrastructure errors, counted neither as right nor as wrong; "
        "were all of them wrong or all right: pass@1 72.50 to 75.00 %"
    )
    assert expected in document.warnings
    with pytest.raises(
        UsageError, match=r"P/1 \(19\): judge their infrastructure errors again with --resume --retry infra"
    ):
        summarise(store, "r", [20])


def test_too_many_infra_errors_fail_the_run(store: Store) -> None:
    """5 % is borne, 6 % is not."""
    _run(store, [[P] * 95 + [I] * 5])
    assert 5 == summarise(store, "r", [1]).infra_errors
    store.delete_run(store.find_run("r").id)
    _run(store, [[P] * 94 + [I] * 6])
    with pytest.raises(InfrastructureError, match=r"6 of 100 judged samples \(6.0 %\).*more than 5 %"):
        summarise(store, "r", [1])


def test_unfinished_run_has_no_figures(store: Store) -> None:
    """It says how far it is, and what there is of verdicts."""
    _run(store, [[P, None], [None, None]])
    document = summarise(store, "r", [1])
    assert (True, 1, 4, {}) == (document.partial, document.judged, document.samples, document.pass_at_k)
    assert {"passed": 1} == document.verdicts
    assert document.warnings[0].startswith("partial: 1 of 4 samples are judged; no figures before")


def test_figures_of_an_unfinished_run_must_be_asked_for(store: Store) -> None:
    """Then they are over what is judged, and say so; problems without enough are still named."""
    _run(store, [[P, None], [None, None], [W, W]])
    with pytest.raises(UsageError, match=r"P/1 \(0\): judge the rest with --resume"):
        summarise(store, "r", [1], partial=True)
    document = summarise(store, "r", [1], partial=True, drop_short=True)
    assert (0.5, True, ["P/1"]) == (document.pass_at_k["1"].value, document.partial, document.dropped)
    assert document.warnings[0].startswith("partial: 3 of 6 samples are judged; figures are over these alone")


def test_declared_missing_problems_are_in_no_figure(store: Store) -> None:
    """Neither as failures nor silently."""
    _run(store, [[P], []], allow_missing=True, missing=("P/1",))
    document = summarise(store, "r", [1])
    assert (1.0, 1, ["P/1"]) == (document.pass_at_k["1"].value, document.problems, document.missing)
    assert any("declared missing (P/1)" in warning for warning in document.warnings)


def test_undeclared_missing_problems_are_refused(store: Store) -> None:
    """Named."""
    _run(store, [[P], []])
    with pytest.raises(UsageError, match=r"no samples: P/1; .*--allow-missing"):
        summarise(store, "r", [1])


@pytest.mark.parametrize("table", [[], [[]]])
def test_nothing_is_an_error(store: Store, table: list[list[Outcome]]) -> None:
    """Zero problems or samples are never 0.0."""
    _run(store, table, missing=("P/0",))
    with pytest.raises(UsageError, match="nothing can be estimated"):
        summarise(store, "r", [1])


@pytest.mark.parametrize("temperature", ["0", "0.0"])
def test_greedy_samples_have_no_pass_at_k(store: Store, temperature: str) -> None:
    """Copies of one answer: k > 1 is refused, k = 1 is warned."""
    _run(store, [[P] * 10], meta={"temperature": temperature})
    with pytest.raises(UsageError, match="pass@10 at temperature 0: samples of a problem are copies"):
        summarise(store, "r", [1, 10])
    document = summarise(store, "r")
    assert ["1"] == list(document.pass_at_k)
    assert any(warning.startswith("temperature 0") for warning in document.warnings)


def test_attempts_that_are_declared_dependent_have_no_pass_at_k(store: Store) -> None:
    """One that has seen another's outcome is no fresh draw: the same as copies."""
    _run(store, [[P] * 10], meta={"attempts": "dependent"})
    with pytest.raises(UsageError, match=r"pass@10 of dependent attempts: .* `codejury explain passk` shows it"):
        summarise(store, "r", [1, 10])
    document = summarise(store, "r")
    assert ["1"] == list(document.pass_at_k)
    assert any(warning.startswith("dependent attempts, as declared") for warning in document.warnings)


def test_temperature_may_be_words(store: Store) -> None:
    """What cannot be read as a number is not zero."""
    _run(store, [[P, W]], meta={"temperature": "default"})
    assert 1.0 == summarise(store, "r", [2]).pass_at_k["2"].value


def test_weak_verdicts_are_apart(store: Store) -> None:
    """A problem that was judged within the candidate's reach is in no headline."""
    _run(store, [[P, W], [P, P], [W, W]], weak=(1,), difficulty=("easy", "easy", "hard"))
    document = summarise(store, "r", [1])
    assert (0.25, 2, ["P/0", "P/2"]) == (
        document.pass_at_k["1"].value,
        document.problems,
        [row.id for row in document.per_problem],
    )
    assert document.weak is not None
    assert (1, 2, 1.0) == (document.weak.problems, document.weak.samples, document.weak.pass_at_k["1"].value)
    assert 1 == document.by_difficulty["easy"].problems
    assert IntegrityCounts(strong=4, weak=2, strong_passed=1, weak_passed=2) == document.integrity
    assert "2 samples of 1 problem judged within the candidate's reach (weak): reported apart" in document.warnings


def test_run_that_is_all_weak_has_no_headline(store: Store) -> None:
    """Its figures are apart, the headline is empty."""
    _run(store, [[P, W]], weak=(0,))
    document = summarise(store, "r", [1])
    assert ({}, 0, Range(min=0, max=0)) == (document.pass_at_k, document.problems, document.n)
    assert document.weak is not None
    assert 0.5 == document.weak.pass_at_k["1"].value


def test_many_copies_are_warned_of(store: Store) -> None:
    """Byte-identical answers are kept and counted; many of them are doubtful."""
    _run(store, [[P, P, P]], copies=True)
    document = summarise(store, "r", [1])
    assert (3, 1, 3) == (document.samples, document.programs, document.n.max)
    assert "67 % of the samples repeat another's program: are they independent answers?" in document.warnings


def test_flips_notes_and_timing_are_said(store: Store) -> None:
    """What a rerun changed, what the manifest notes, how long it took."""
    _run(store, [[None, P]], notes=("reference of P/0 fails",))
    run = store.find_run("r").id
    problem_hash, _, program_hash = next(store.pending(run))
    job = Job(key="k", problem_hash=problem_hash, program_hash=program_hash, limits=Limits())
    verdict = Verdict(outcome=P, integrity="strong", tier="landlock", flipped_from=Outcome.TIMEOUT_WALL)
    store.sink(run).put([Judged(job, verdict)])
    store.finish(run, Timing(wall_s=0.5, samples=2))
    document = summarise(store, "r", [1])
    assert [FlipRow(id="P/0#0", first=Outcome.TIMEOUT_WALL, final=P, samples=1)] == document.flips
    assert (0.5, 4.0) == (document.timing.wall_s, document.timing.samples_per_s)
    assert "landlock, namespaces" == document.tier
    for expected in ("1 sample got another verdict", "reference of P/0 fails", "several isolation tiers"):
        assert any(expected in warning for warning in document.warnings)
    assert b'"from": "timeout_wall"' in encode_json(document)


def test_statistics_warnings_name_their_k(store: Store) -> None:
    """A warning on one estimate is of that k."""
    _run(store, [[P], [W]])
    warnings = summarise(store, "r", [1]).warnings
    assert any(warning.startswith("pass@1: no fixed-suite interval") for warning in warnings)
