"""LiveCodeBench's code generation: problems of contests with their dates, by stdin and stdout or by a method.

A problem is `{question_title, question_content, platform, question_id, contest_id, contest_date, starter_code,
difficulty, public_test_cases, private_test_cases, metadata}`. Tests are JSON lists of `{input, output, testtype}`;
private ones may be hidden, see `pickled`. `metadata.func_name` names the method of `Solution` of problems whose
tests are functional: their inputs have one JSON value a line. Source: github.com/LiveCodeBench/LiveCodeBench,
whose rules of comparison and imports before each answer are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from codejury.formats import checks
from codejury.formats.methods import ENTRY_POINT, call_tests, decoded
from codejury.formats.pickled import hidden_text
from codejury.model import Checker, Problem, StdinCase, StdinStdout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row
    from codejury.model import Tests

FIELDS = ("question_id", "question_content", "contest_date", "public_test_cases", "private_test_cases", "metadata")
"""The fields that every problem has."""

_STAR = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random", "statistics"),
    *("itertools", "functools", "operator", "io", "sys", "json", "builtins", "typing"),
)
_PLAIN = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random", "statistics"),
    *("itertools", "functools", "operator", "io", "sys", "json"),
)
PREAMBLE = (
    "".join(f"from {name} import *\n" for name in _STAR)
    + "".join(f"import {name}\n" for name in _PLAIN)
    + "sys.setrecursionlimit(50000)\n"
)
"""What LiveCodeBench puts before every answer."""

CHECKER = """\
from decimal import Decimal, InvalidOperation


def check(stdin, expected, output):
    wanted, given = lines(expected), lines(output)
    return len(wanted) == len(given) and all(map(near, wanted, given))


def lines(text):
    return [line.strip() for line in text.strip().split("\\n")]


def near(wanted, given):
    if wanted == given:
        return True
    try:
        return [Decimal(word) for word in given.split()] == [Decimal(word) for word in wanted.split()]
    except InvalidOperation:
        return False
"""
"""LiveCodeBench's rule: lines without white space at their ends are equal, or hold equal decimal numbers."""


class _Case(msgspec.Struct):
    input: str
    output: str
    testtype: Literal["stdin", "functional"]


class _ProblemRow(msgspec.Struct):
    question_id: str
    question_content: str
    contest_date: str
    public_test_cases: str | list[Any]
    private_test_cases: str | list[Any]
    metadata: str | dict[str, Any]
    starter_code: str = ""
    difficulty: str | None = None
    platform: str = ""


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of LiveCodeBench; `created` is the day of the contest.

    Raises:
        InputError: A row is no such problem, or repeats a question id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        checks.check_new(row, "question_id", fields.question_id, seen)
        created = fields.contest_date[:10]
        checks.check_date(row, "contest_date", created)
        cases = [
            *_cases(row, "public_test_cases", fields.public_test_cases),
            *_cases(row, "private_test_cases", fields.private_test_cases),
        ]
        kinds = {case.testtype for case in cases}
        if len(kinds) != 1:
            reason = "has no cases; give at least one" if not kinds else "has cases of both kinds; give one kind"
            raise row.error(reason, "public_test_cases")
        functional = kinds == {"functional"}
        starter = fields.starter_code.strip("\n")
        problem = Problem(
            id=fields.question_id,
            prompt=f"{fields.question_content}\n\n{starter}\n" if starter else fields.question_content,
            entry_point=ENTRY_POINT if functional else "",
            tests=_method(row, fields, cases) if functional else _runs(row, cases),
            preamble=PREAMBLE,
            difficulty=fields.difficulty,
            tags=(fields.platform,) if fields.platform else (),
            created=created,
        )
        checks.check_encodable(row, {"question_content": problem.prompt, "public_test_cases": problem.tests})
        yield problem


def _cases(row: Row, field: str, given: str | list[Any]) -> list[_Case]:
    if isinstance(given, str):
        text = given
        if not text.lstrip().startswith("["):
            try:
                text = hidden_text(text)
            except ValueError as error:
                raise row.error(str(error), field) from None
        given = decoded(row, field, text)
    return checks.convert(row, _Cases, {field: given}).of(field)


class _Cases(msgspec.Struct):
    public_test_cases: list[_Case] = []
    private_test_cases: list[_Case] = []

    def of(self, field: str) -> list[_Case]:
        """The cases of one of the two fields."""
        found: list[_Case] = getattr(self, field)
        return found


def _runs(row: Row, cases: list[_Case]) -> Tests:
    runs = tuple(StdinCase(stdin=case.input, stdout=case.output) for case in cases)
    checks.check_cases(row, "public_test_cases", runs)
    return StdinStdout(cases=runs, checker=Checker(kind="custom", code=CHECKER))


def _method(row: Row, fields: _ProblemRow, cases: list[_Case]) -> Tests:
    metadata = fields.metadata
    if isinstance(metadata, str):
        metadata = decoded(row, "metadata", metadata)
    method = metadata.get("func_name") if isinstance(metadata, dict) else None
    if not isinstance(method, str):
        raise row.error("has no func_name, and the tests are of a function", "metadata")
    field = "public_test_cases"
    calls = [
        (
            [decoded(row, field, line) for line in case.input.split("\n")],
            [decoded(row, field, case.output)],
        )
        for case in cases
    ]
    return call_tests(row, field, method, calls, in_class=True)
