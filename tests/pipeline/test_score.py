"""Scoring a file of pairs and a run: values, groups, intervals, the composite, processes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from codejury.formats import PairRow
from codejury.metrics.composite import Scenario
from codejury.model import (
    Assertions,
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
    UsageError,
    Verdict,
    text_hash,
)
from codejury.pipeline import ScoreSettings, score
from codejury.pipeline.score_pool import scored
from codejury.pipeline.score_summary import mean_interval

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from codejury.pipeline import Progress
    from codejury.report import ScoreDocument
    from codejury.store import Store

ROWS: list[dict[str, Any]] = [
    {"reference": "return a + b", "prediction": "return b + a", "tags": ["add"], "passed": True},
    {"reference": "return a + b", "prediction": "return a - b", "tags": ["add", "minus"], "passed": False},
    {"reference": "return a;", "prediction": "return a;", "language": "java", "passed": True},
    {
        "reference": "MOVE A TO B",
        "prediction": "MOVE A TO B",
        "language": "cobol",
        "problem": "row 3",
        "passed": True,
    },
]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of four pairs of three problems, in three languages."""
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps({"language": "python", **row}) + "\n" for row in ROWS), encoding="utf-8")
    return path


def _score(pairs: Path, heard: Progress, **settings: Any) -> ScoreDocument:
    return score(None, ScoreSettings(pairs=str(pairs), **settings), heard)


def test_means_counts_and_reasons(pairs: Path, heard: Any) -> None:
    """By hand: means over scored rows, with what is unscored beside them; progress has a step for each pair."""
    found = _score(pairs, heard, metrics=("exact", "ast.dice"))
    assert (4, 3, "pairs") == (found.pairs, found.problems, found.kind)
    assert (4, 0, 0.5) == (
        found.overall["exact"].scored,
        found.overall["exact"].unscored,
        found.overall["exact"].mean,
    )
    trees = found.overall["ast.dice"]
    assert (3, 1, {"no grammar for language 'cobol'": 1}) == (trees.scored, trees.unscored, trees.reasons)
    assert pytest.approx((1.0 + 6 / 7 + 1.0) / 3) == trees.mean
    assert {"python": 2, "java": 1, "cobol": 1} == {
        name: part["exact"].scored for name, part in found.by_language.items()
    }
    assert [("add", 2), ("minus", 1)] == [(name, part["exact"].scored) for name, part in found.by_tag.items()]
    assert None is found.by_language["cobol"]["ast.dice"].mean
    assert ([("scoring", 4)], [None] * 4) == (heard.stages, heard.outcomes)
    assert ["3 problems are few: the intervals are rough"] == found.warnings


def test_lines_of_scores(pairs: Path, heard: Any, tmp_path: Path) -> None:
    """Every pair in its order: numbers or null with the reason."""
    _score(pairs, heard, metrics=("exact", "ast.dice"), out=str(tmp_path / "scores.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    assert {"id": "row 1", "scores": {"exact": 0.0, "ast.dice": 1.0}, "unscored": {}} == lines[0]
    assert {
        "id": "row 4",
        "scores": {"exact": 1.0, "ast.dice": None},
        "unscored": {"ast.dice": "no grammar for language 'cobol'"},
    } == lines[3]


def test_composite_by_problem_and_policy(pairs: Path, heard: Any) -> None:
    """A problem's parts are means of its pairs; what is unscored fails, is left out, or counts 0."""
    own = {"own": Scenario(sim=0.5, ast=0.25, passing=0.25, sim_metric="exact")}
    asked = {"scenario": "own", "scenarios": own}
    with pytest.raises(UsageError, match="'own': ast is unscored in 1 of 3 problems, first 'row 3': choose"):
        _score(pairs, heard, **asked)
    dropped = _score(pairs, heard, **asked, policy="drop").composite
    assert dropped is not None
    # each is half of exact, a quarter of the trees and a quarter of the tests
    assert pytest.approx((0.25 + 0.25 + 0.25 * 6 / 7) / 2) == dropped.value
    assert (2, 1, [0, 1, 0]) == (dropped.problems, dropped.dropped, [part.unscored for part in dropped.parts])
    zero = _score(pairs, heard, **asked, policy="zero").composite
    assert zero is not None
    # the third problem: both texts are exact, one of two trees is scored, both passed
    assert pytest.approx((0.25 + 0.25 + 0.25 * 6 / 7 + 0.5 + 0.125 + 0.25) / 3) == zero.value
    assert zero.value == pytest.approx(sum(part.weight * (part.mean or 0) for part in zero.parts))
    assert zero.interval is not None


def test_a_part_without_weight_is_no_zero(pairs: Path, heard: Any) -> None:
    """Where nothing of it is scored, it has no mean, whatever the policy."""
    own = {"own": Scenario(sim=1.0, ast=0.0, passing=0.0, k=99)}
    for policy in ("fail", "drop", "zero"):
        found = _score(pairs, heard, scenario="own", scenarios=own, policy=policy).composite
        assert found is not None
        assert (None, 3) == (found.parts[2].mean, found.parts[2].unscored)
        assert found.value == found.parts[0].mean


def test_pass_at_k_needs_k_pairs(pairs: Path, heard: Any) -> None:
    """Pass@2 of a problem with one pair is unscored."""
    own = {"own": Scenario(sim=0.0, ast=0.0, passing=1.0, k=2)}
    found = _score(pairs, heard, scenario="own", scenarios=own, policy="drop").composite
    assert found is not None
    assert (1.0, 1, 2) == (found.value, found.problems, found.dropped)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metrics": ("edit.levenstein",)}, "no metric 'edit.levenstein': did you mean 'edit.levenshtein'"),
        ({"metrics": ("nothing.*",)}, r"no metric is called 'nothing.\*'"),
        ({"presets": ("humaneval",)}, "no preset 'humaneval': known are crosscodeeval, repobench"),
        ({"scenario": "file"}, "no scenario 'file': known are function, line, refactor"),
        ({"level": 95.0}, "--level 95: a confidence level lies between 0 and 1"),
        ({"run": "r"}, "not both"),
    ],
)
def test_wrong_calls(pairs: Path, heard: Any, settings: dict[str, Any], message: str) -> None:
    """Each says what there is instead."""
    with pytest.raises(UsageError, match=message):
        _score(pairs, heard, **settings)


def test_presets_come_with_corrections(pairs: Path, heard: Any) -> None:
    """A peer's metrics and the corrected forms, beside one's own choice, each once."""
    found = _score(pairs, heard, metrics=("exact.*", "exact.tokens"), presets=("repobench",))
    expected = ["exact.lines", "exact.strip", "exact.tokens", "repobench.em", "repobench.es", "edit.indel"]
    assert expected == [metric.name for metric in found.metrics]


def test_processes_give_the_same_in_order() -> None:
    """Two processes, many chunks: the rows in their order, with what one process gives."""
    rows = [PairRow(reference=f"a{i}", prediction="a1", language="python", id=str(i)) for i in range(300)]
    names = ("exact", "edit.indel")
    alone = list(scored(rows, names, total=300, jobs=1))
    assert alone == list(scored(iter(rows), names, total=300, jobs=2))
    assert 1.0 == alone[1][1][0].value


def test_rows_are_read_as_they_are_needed() -> None:
    """Nobody reads the whole file first."""
    read = []

    def rows() -> Iterator[PairRow]:
        for i in range(100):
            read.append(i)
            yield PairRow(reference="a", prediction="a", language="python", id=str(i))

    assert 1.0 == next(scored(rows(), ("exact",), total=100, jobs=1))[1][0].value
    assert [0] == read


def test_intervals_take_problems_for_evidence() -> None:
    """Copies of a problem's pair tell nothing new; beyond 500 problems, t and the bootstrap agree."""
    values = np.array([0.0, 1.0, 0.5, 0.25] * 3)
    once = mean_interval(values[:4], np.arange(4), (0.0, 1.0), 0.95)
    thrice = mean_interval(values, np.tile(np.arange(4), 3), (0.0, 1.0), 0.95)
    assert once is not None
    assert thrice is not None
    assert (once.low, once.high) == pytest.approx((thrice.low, thrice.high), abs=0.02)
    assert None is mean_interval(values, np.zeros(12, dtype=int), (0.0, 1.0), 0.95)
    many = np.linspace(0, 1, 501) ** 2
    by_t = mean_interval(many, np.arange(501), (0.0, 1.0), 0.95)
    drawn = mean_interval(many[:500], np.arange(500), (0.0, 1.0), 0.95)
    assert by_t is not None
    assert drawn is not None
    assert ("t", "bootstrap, bca") == (by_t.method, drawn.method)
    assert (by_t.low, by_t.high) == pytest.approx((drawn.low, drawn.high), abs=0.003)
    alike = mean_interval(np.zeros(501), np.arange(501), (0.0, 1.0), 0.95)
    assert alike is not None
    assert alike.high > 0.005  # none of 501 is not none of all
    unbounded = mean_interval(-many, np.arange(501), (float("-inf"), 0.0), 0.95)
    assert unbounded is not None
    assert (-by_t.high, -by_t.low) == pytest.approx((unbounded.low, unbounded.high))


def _stored(store: Store, *sources: tuple[str, str, Outcome]) -> None:
    """A run of programs for a problem with a prompt and for one without a reference."""
    problems = (
        Problem(
            id="P/0",
            prompt="def f(a):\n",
            entry_point="f",
            tests=Assertions(code=("assert True",)),
            reference="def f(a):\n    return a\n",
            tags=("t",),
        ),
        Problem(id="P/1", prompt="def g():\n", entry_point="g", tests=Assertions(code=("assert True",))),
    )
    chosen = ProblemSet(name="tiny", version="1-0", problems=problems, source="test")
    manifest = Manifest(run="r", created="2026-11-01T00:00:00Z", problem_set=ProblemSetInfo.of(chosen))
    pairs = [
        (Sample(problem_id=problem, index=index, text=text), Program(text, "completion"))
        for index, (problem, text, _) in enumerate(sources)
    ]
    run = store.create_run(manifest, chosen, pairs)
    by_id = chosen.by_id()
    for problem, text, outcome in sources:
        digest = text_hash(text)
        job = Job(key=digest, problem_hash=by_id[problem].hash, program_hash=digest, limits=Limits())
        judged = Judged(job, Verdict(outcome=outcome, integrity="strong", tier="namespaces"))
        store.sink(run).put([judged])


def test_a_runs_programs_against_references(store: Store, heard: Any) -> None:
    """In the hole after the prompt where a program has it; tags, passes and problems are the run's."""
    _stored(
        store,
        ("P/0", "def f(a):\n    return a\n", Outcome.PASSED),
        ("P/0", "def f(b):\n    return b\n", Outcome.WRONG_ANSWER),
        ("P/1", "def g():\n    pass\n", Outcome.PASSED),
    )
    own = {"own": Scenario(sim=0.5, ast=0.0, passing=0.5, sim_metric="exact")}
    settings = ScoreSettings(run="r", metrics=("exact", "edit.levenshtein"), scenario="own", scenarios=own)
    found = score(store, settings, heard)
    assert (2, 1, "run", "r") == (found.pairs, found.problems, found.kind, found.source)
    assert (0.5, ["t"]) == (found.overall["exact"].mean, list(found.by_tag))
    # the second is compared as a whole, of which two characters differ
    assert pytest.approx((1.0 + 1 - 2 / 23) / 2) == found.overall["edit.levenshtein"].mean
    assert found.composite is not None
    assert 0.5 == found.composite.value
    assert ["1 samples are of problems without a reference: in no figure"] == found.warnings[:1]
    assert found.warnings[1].startswith("1 of 2 programs do not begin with their prompt")
