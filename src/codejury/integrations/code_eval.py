"""The call of Hugging Face's metric `code_eval`, judged in the sandbox.

    from codejury.integrations import code_eval

    pass_at_k, results = code_eval.compute(
        predictions=[["def add(a, b): return a * b", "def add(a, b): return a + b"]],
        references=["assert add(2, 3) == 5"],
        k=[1, 2],
    )

Arguments and results are those of `evaluate.load("code_eval").compute`, and of the bigcode harness's
`compute_code_eval`. The figures are what theirs are; the verdicts are codejury's: the references run apart from
the candidates, which cannot reach them.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from codejury import stats
from codejury.formats.outcomes import UNJUDGED, result_text
from codejury.integrations.called import Called, problem_of
from codejury.model import InfrastructureError, Limits, ProblemSet, UsageError, Verdict
from codejury.pipeline import Jury, JurySettings

if TYPE_CHECKING:
    from collections.abc import Sequence

Results: TypeAlias = dict[int, list[tuple[int, dict[str, Any]]]]
"""By the number of a reference, each candidate's number and its result."""


def compute(
    predictions: Sequence[Sequence[str]],
    references: Sequence[str],
    k: Sequence[int] | int = (1, 10, 100),
    num_workers: int = 4,
    timeout: float = 3.0,
    *,
    python: str | None = None,
    packages: Sequence[str] = (),
) -> tuple[dict[str, float], Results]:
    """Judge candidates by the code of their reference; pass@k and the result of each.

    Where a reference has fewer candidates than k, pass@k is left out, as the original does, and a warning says so.

    Args:
        predictions: For each reference, programs.
        references: For each list of programs, code that is written to run after any of them, as assertions.
        k: The k of pass@k.
        num_workers: Programs under way at once.
        timeout: CPU seconds of a candidate. The wall time may be three times as long and a second: a busy machine
            fails nobody.
        python: Interpreter or virtual environment that runs programs; codejury's own if None.
        packages: Import names of its installed packages that programs and references see.

    Returns:
        `{"pass@1": …}`, and for each reference `(number, result)` of its candidates in order. A result has
        `task_id`, `passed`, `result` ("passed", "timed out", "failed: …") and `completion_id` as the original's,
        and `outcome` and `integrity` ("strong", or "weak" where a candidate could reach its tests) beside.

    Raises:
        UsageError: The arguments are no such lists, a reference tests nothing, or a figure would be of nothing.
        InfrastructureError: The sandbox cannot be had, or failed on a candidate.
    """
    ks: list[Any] = [k] if isinstance(k, int) else list(k)
    _check(predictions, references, ks, num_workers, timeout)
    called = [
        problem_of(str(number), code, texts, f"references[{number}]")
        for number, (texts, code) in enumerate(zip(predictions, references, strict=True))
    ]
    settings = JurySettings(
        slots=num_workers,
        limits=Limits(cpu_s=timeout, cpu_total_s=timeout),
        python=python,
        packages=tuple(packages),
    )
    verdicts = _judged(called, predictions, settings)
    results: Results = {
        number: [
            (place, _result(number, place, verdicts[number, text]))
            for place, text in enumerate(predictions[number])
        ]
        for number in range(len(references))
    }
    return _figures(results, ks), results


def _check(
    predictions: Sequence[Sequence[str]],
    references: Sequence[str],
    ks: list[Any],
    num_workers: int,
    timeout: float,
) -> None:
    if isinstance(predictions, str) or isinstance(references, str) or len(predictions) != len(references):
        raise UsageError(
            "predictions and references: give a list of candidates, and one code that tests them, for each problem"
        )
    if not references:
        raise UsageError("references: there are none, so there is nothing to judge")
    for number, texts in enumerate(predictions):
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise UsageError(f"predictions[{number}]: give a list of programs, which are texts")
        if not texts:
            raise UsageError(f"predictions[{number}]: no candidate; a problem without any would be in no figure")
        if not isinstance(references[number], str):
            raise UsageError(f"references[{number}]: give code, which is a text")
    if not all(isinstance(one, int) and one >= 1 for one in ks):
        raise UsageError(f"k: take whole numbers of at least 1, not {ks}")
    if num_workers < 1 or not 0 < timeout < 1e6:
        raise UsageError("num_workers and timeout: take at least 1, and seconds above 0")


def _judged(
    called: Sequence[Called], predictions: Sequence[Sequence[str]], settings: JurySettings
) -> dict[tuple[int, str], Verdict]:
    """The verdict of each distinct candidate, by the number of its reference and its text."""
    distinct = list(dict.fromkeys((number, text) for number, texts in enumerate(predictions) for text in texts))
    problems = ProblemSet(name="code_eval", version="1-0", problems=tuple(one.problem for one in called))
    with Jury(problems, settings) as jury:
        found = jury.judge_all(
            (str(number), text + called[number].suffix if text.strip() else text) for number, text in distinct
        )
    verdicts = dict(zip(distinct, found, strict=True))
    lost = [key for key, verdict in verdicts.items() if verdict.outcome in UNJUDGED]
    if lost:
        raise InfrastructureError(
            f"{len(lost)} candidates could not be judged, the first of references[{lost[0][0]}]:"
            f" {verdicts[lost[0]].detail}"
        )
    return verdicts


def _result(number: int, place: int, verdict: Verdict) -> dict[str, Any]:
    return {
        "task_id": number,
        "passed": verdict.passed,
        "result": result_text(verdict.outcome, verdict.detail),
        "completion_id": place,
        "outcome": verdict.outcome.value,
        "integrity": verdict.integrity,
    }


def _figures(results: Results, ks: Sequence[int]) -> dict[str, float]:
    total = np.array([len(found) for found in results.values()])
    correct = np.array([sum(result["passed"] for _, result in found) for found in results.values()])
    figures: dict[str, float] = {}
    for k in ks:
        short = int((total < k).sum())
        if short:
            warnings.warn(
                f"pass@{k} is left out: {short} of {len(total)} references have fewer than {k} candidates",
                stacklevel=3,
            )
            continue
        figures[f"pass@{k}"] = float(np.mean(stats.pass_at_k(total, correct, k)))
    return figures
