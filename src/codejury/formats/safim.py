"""SAFIM: syntax-aware fill-in-the-middle, in Python, Java, C++ and C#.

A problem is `{task_id, lang, prompt, eval_prompt, ground_truth, unit_tests}`. `eval_prompt` is a program with
`{{completion}}` in the place of the hole; `unit_tests` is a string of JSON, a list of `{input, output}` for the
whole program, where `output` is a text or a list of one. Completions of API calls have no tests. Source:
github.com/gonglinyuan/safim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from codejury.formats import checks
from codejury.formats.languages import language
from codejury.formats.methods import decoded
from codejury.model import Problem, StdinCase, StdinStdout, Unjudged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

FIELDS = ("task_id", "lang", "eval_prompt", "ground_truth", "unit_tests")
"""The fields that every problem has."""

HOLE = "{{completion}}"


class _Case(msgspec.Struct):
    input: str
    output: str | list[str]


class _Whole(msgspec.Struct):
    unit_tests: list[_Case]


class _ProblemRow(msgspec.Struct):
    task_id: str
    lang: str
    eval_prompt: str
    ground_truth: str
    unit_tests: str | list[Any] | None = None


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of SAFIM: prompt and suffix are what stands on either side of the hole.

    Raises:
        InputError: A row is no such problem, or repeats a task id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        checks.check_new(row, "task_id", fields.task_id, seen)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        written_in = language(fields.lang)
        checks.check_language(row, written_in)
        prompt, hole, suffix = fields.eval_prompt.partition(HOLE)
        if not hole or HOLE in suffix:
            raise row.error(f"must have {HOLE} once, has it {fields.eval_prompt.count(HOLE)} times", "eval_prompt")
        yield Problem(
            id=fields.task_id,
            prompt=prompt,
            suffix=suffix,
            entry_point="",
            tests=_tests(row, fields.unit_tests),
            language=written_in,
            reference=prompt + fields.ground_truth + suffix,
        )


def _tests(row: Row, given: str | list[Any] | None) -> StdinStdout | Unjudged:
    if isinstance(given, str) and given.strip():
        given = decoded(row, "unit_tests", given)
    if not given:
        return Unjudged()
    cases = []
    for number, case in enumerate(checks.convert(row, _Whole, {"unit_tests": given}).unit_tests):
        outputs = [case.output] if isinstance(case.output, str) else case.output
        if len(outputs) != 1:
            raise row.error(f"must have one output, has {len(outputs)}", f"unit_tests[{number}].output")
        cases.append(StdinCase(stdin=case.input, stdout=outputs[0]))
    checks.check_cases(row, "unit_tests", cases)
    return StdinStdout(cases=tuple(cases))
