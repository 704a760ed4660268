"""Completion sets end to end: answers beside what was in the hole, cut, scored; put back, judged."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury import sets
from codejury.formats import PairRow, read_problems, write_problems, write_samples
from codejury.metrics.truncation import LEVELS
from codejury.model import Assertions, Limits, Problem, ProblemSet, Sample, Unjudged, UsageError
from codejury.pipeline import JudgeSettings, ScoreSettings, judge, score
from codejury.pipeline.completion_pairs import Cut, pair_of, sample_pairs, truncated

if TYPE_CHECKING:
    from codejury.pipeline import Progress
    from codejury.store import Store

FORMATS = Path(__file__).parents[1] / "formats" / "data"
SHARED = Path(__file__).parents[2].parent / "shared" / "data"
COMPLETIONS = ("crosscodeeval", "execrepobench", "infilling", "repobench", "safim")

HOLE = Problem(
    id="t/add",
    prompt="def f(a, b):\n    ",
    suffix="\n\n\ndef g():\n    return 1\n",
    entry_point="f",
    tests=Unjudged(),
    reference="def f(a, b):\n    return a + b\n\n\ndef g():\n    return 1\n",
    tags=("sum",),
)


def _samples(path: Path, problems: list[Problem], texts: list[str], **more: Any) -> str:
    write_samples(
        path,
        [
            Sample(problem_id=problem.id, index=0, text=text, **more)
            for problem, text in zip(problems, texts, strict=True)
        ],
    )
    return str(path)


@pytest.mark.parametrize("name", COMPLETIONS)
def test_references_of_each_family_are_their_own_match(tmp_path: Path, heard: Progress, name: str) -> None:
    """What was in the hole, put there again: all are exact, in context and in their languages; cut or not."""
    problems = list(read_problems(FORMATS / f"{name}.jsonl"))
    missing = [problem.missing or "" for problem in problems]
    path = _samples(tmp_path / "s.jsonl", problems, missing)
    settings = ScoreSettings(pairs=path, problems=str(FORMATS / f"{name}.jsonl"), metrics=("exact", "ast.dice"))
    found = score(None, settings, heard)
    assert (len(problems), len(problems), 1.0) == (found.pairs, found.problems, found.overall["exact"].mean)
    assert found.overall["ast.dice"].mean in (None, 1.0)
    rows = list(sample_pairs(path, sets.load(settings.problems or ""), []))
    for problem, row in zip(problems, rows, strict=True):
        assert (problem.prompt, problem.suffix, problem.missing) == (row.prefix, row.suffix, row.reference)
        assert (problem.language, problem.id, f"{problem.id}#0") == (row.language, row.problem, row.id)


def test_completions_programs_and_chats(tmp_path: Path) -> None:
    """A completion fills the hole, to the byte; a program with the context is cut out of it; others are whole."""
    problems = ProblemSet(name="p", version="1-0", problems=(HOLE,))
    whole = HOLE.prompt + "return b + a" + HOLE.suffix
    other = "def f(a, b): return a + b"
    found: list[PairRow] = []
    for text, kind in (("return b + a  ", "completion"), (whole, "solution"), (other, "solution")):
        path = _samples(tmp_path / "s.jsonl", [HOLE], [text], kind=kind)
        found += sample_pairs(path, problems, [])
    assert ["return b + a  ", "return b + a", other] == [row.prediction for row in found]
    assert ["return a + b", "return a + b", HOLE.reference] == [row.reference for row in found]
    assert [True, True, False] == [bool(row.prefix and row.suffix) for row in found]
    assert {("sum",)} == {row.tags for row in found}


def test_what_is_told(tmp_path: Path) -> None:
    """Samples of problems without a reference, and programs that are compared as wholes."""
    bare = msgspec.structs.replace(HOLE, id="t/bare", reference=None)
    twin = msgspec.structs.replace(HOLE, id="t/twin")
    problems = ProblemSet(name="p", version="1-0", problems=(HOLE, bare, twin))
    path = _samples(
        tmp_path / "s.jsonl", [HOLE, bare, twin], [HOLE.reference or "", "x", "y = 1"], kind="solution"
    )
    warnings: list[str] = []
    assert 2 == len(list(sample_pairs(path, problems, warnings)))
    assert "1 samples are of problems without a reference: in no figure" == warnings[0]
    assert warnings[1].startswith("1 of 2 programs do not begin with their prompt and are compared as wholes")
    nothing = ProblemSet(name="p", version="1-0", problems=(bare,))
    with pytest.raises(UsageError, match="p: no problem has a reference to compare with"):
        list(sample_pairs(path, nothing, []))


def test_an_empty_answer_is_scored(tmp_path: Path) -> None:
    """It is the worst of answers, not none."""
    path = _samples(tmp_path / "s.jsonl", [HOLE], [""])
    (row,) = sample_pairs(path, ProblemSet(name="p", version="1-0", problems=(HOLE,)), [])
    assert "" == row.prediction


def test_cuts_are_reported(tmp_path: Path, heard: Progress) -> None:
    """What was cut off each prediction stands in its line, and how many were in the report."""
    write_problems(tmp_path / "p.jsonl", [HOLE, msgspec.structs.replace(HOLE, id="t/twin")])
    long = "return a + b\n\n\nprint(f(1, 2))\n"
    path = _samples(tmp_path / "s.jsonl", list(read_problems(tmp_path / "p.jsonl")), [long, "return a - b"])
    settings = ScoreSettings(
        pairs=path,
        problems=str(tmp_path / "p.jsonl"),
        truncate="function",
        metrics=("exact",),
        out=str(tmp_path / "o.jsonl"),
    )
    found = score(None, settings, heard)
    assert 0.5 == found.overall["exact"].mean
    assert "1 of 2 predictions were cut at the end of their function: 18 characters in all" in found.warnings
    lines = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert {"byte": 12, "end": "function_definition", "characters": 18} == lines[0]["cut"]
    assert "cut" not in lines[1]
    again = score(None, msgspec.structs.replace(settings, out=None, truncate="line"), heard)
    assert 0.5 == again.overall["exact"].mean
    uncut = score(None, msgspec.structs.replace(settings, truncate=None), heard)
    assert 0.0 == uncut.overall["exact"].mean


def test_cutting_pairs() -> None:
    """Each level; what cannot be cut is told; programs that are compared as wholes stay whole."""
    row = PairRow(reference="a", prediction="b\nc", language="python", id="1")
    for level in LEVELS[:2]:
        cuts: dict[str, Cut] = {}
        assert ["b"] == [each.prediction for each in truncated([row], level, cuts, [])]
        assert 1 == cuts["1"].byte
    warnings: list[str] = []
    whole, cobol = row, msgspec.structs.replace(row, prefix="x", language="cobol")
    kept = list(truncated([whole, cobol], "statement", None, warnings, wholes=False))
    assert ["b\nc", "b\nc"] == [each.prediction for each in kept]
    assert "0 of 2 predictions were cut at the end of their statement: 0 characters in all" == warnings[0]
    assert warnings[1].startswith("2 predictions were not looked at for the end of their statement: 1: compared")


def test_a_run_has_its_problems(heard: Progress) -> None:
    """`--problems` with `--run` is refused."""
    with pytest.raises(UsageError, match="--problems is for a file of samples: a run has its problems"):
        score(None, ScoreSettings(run="r", problems="p"), heard)


def test_a_problem_without_context() -> None:
    """Nothing stands around: the whole program is what was in the hole."""
    problem = Problem(id="p", prompt="", entry_point="f", tests=Assertions(code=("1",)), reference="x = 1")
    row = pair_of(problem, 3, "x = 2", passed=False)
    assert ("x = 1", "x = 2", "p#3", False) == (row.reference, row.prediction, row.id, row.passed)


def _put_back(store: Store, heard: Progress, tmp_path: Path, name: str, count: int) -> None:
    """Judge what was in each hole, then score the run: all pass, and all are exact."""
    file = SHARED / "problems" / "infilling" / f"{name}.jsonl.gz"
    if not file.exists():
        pytest.skip(f"{file} is not here")
    problems = list(read_problems(file))
    assert count == len(problems)
    path = _samples(tmp_path / "s.jsonl", problems, [problem.missing or "" for problem in problems])
    limits = Limits(cpu_s=10, cpu_total_s=60, wall_factor=30)
    settings = JudgeSettings(samples=path, problems=str(file), run="r", limits=limits)
    asyncio.run(judge(store, settings, heard))
    assert {"passed": count} == _tally(store)
    found = score(store, ScoreSettings(run="r", metrics=("exact",)), heard)
    assert (count, 1.0) == (found.overall["exact"].scored, found.overall["exact"].mean)


def _tally(store: Store) -> dict[str, int]:
    verdicts = store.verdicts(store.find_run("r").id)
    tally: dict[str, int] = {}
    for verdict in verdicts:
        tally[verdict.outcome.value] = tally.get(verdict.outcome.value, 0) + 1
    return tally


@pytest.mark.shared
@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_spans_put_back_pass(store: Store, heard: Progress, tmp_path: Path) -> None:
    """All 164 references of HumanEval's random spans."""
    _put_back(store, heard, tmp_path, "HumanEval-RandomSpanInfillingLight", 164)


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_lines_put_back_pass(store: Store, heard: Progress, tmp_path: Path) -> None:
    """All 1,033 references of HumanEval's single lines."""
    _put_back(store, heard, tmp_path, "HumanEval-SingleLineInfilling", 1033)
