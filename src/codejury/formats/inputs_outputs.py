"""Problems of contests that have nothing but inputs and outputs, whoever wrote them.

A problem is a row with `inputs` and `outputs`, lists of texts; its id is in the first of `task_id`, `problem_id`,
`question_id`, `id` and `name` that it has, its text in the first of `prompt`, `question`, `question_content`,
`description` and `problem`. With `fn_name`, inputs are lists of arguments and outputs are values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from codejury.formats import checks
from codejury.formats.languages import language
from codejury.formats.methods import ENTRY_POINT, call_tests
from codejury.model import Checker, CheckFunction, Problem, StdinCase, StdinStdout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

IDS = ("task_id", "problem_id", "question_id", "id", "name")
TEXTS = ("prompt", "question", "question_content", "description", "problem")
REFERENCES = ("reference", "canonical_solution", "solution")


class InputsOutputs(msgspec.Struct):
    """What programs read and should write; of a function, what it is called with and should return."""

    inputs: list[Any]
    outputs: list[Any]
    fn_name: str | None = None


class _ProblemRow(checks.Described, kw_only=True):
    inputs: list[Any]
    outputs: list[Any]
    fn_name: str | None = None
    language: str = "python"


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows with inputs and outputs, compared word by word.

    Raises:
        InputError: A row is no such problem, or repeats an id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        field, name = _first(row, IDS)
        checks.check_new(row, field, name, seen)
        checks.check_date(row, "created", fields.created)
        written_in = language(fields.language)
        checks.check_language(row, written_in)
        tests = InputsOutputs(inputs=fields.inputs, outputs=fields.outputs, fn_name=fields.fn_name)
        made, entry_point = made_tests(row, "inputs", tests, Checker())
        reference = next((row.fields[one] for one in REFERENCES if isinstance(row.fields.get(one), str)), None)
        problem = Problem(
            id=name,
            prompt=_first(row, TEXTS)[1],
            entry_point=entry_point,
            tests=made,
            language=written_in,
            reference=reference,
            **fields.described(),
        )
        checks.check_encodable(
            row, {"prompt": problem.prompt, "inputs": problem.tests, "reference": problem.reference}
        )
        yield problem


def _first(row: Row, names: tuple[str, ...]) -> tuple[str, str]:
    """The first of some fields that a row has: its name, and its value as text."""
    for name in names:
        value = row.fields.get(name)
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return name, str(value)
    raise row.error(f"is missing, and so are {', '.join(names[1:])}", names[0])


def made_tests(
    row: Row, field: str, tests: InputsOutputs, checker: Checker, *, in_class: bool = False
) -> tuple[StdinStdout | CheckFunction, str]:
    """The tests of inputs and outputs, and their entry point.

    Args:
        row: Where they stand.
        field: Name of their field.
        tests: Inputs and outputs: texts or lists of lines, or arguments and values where a function is named.
        checker: How outputs of programs are compared.
        in_class: Whether the function is a method of `Solution`.

    Raises:
        InputError: There are none, or not as many inputs as outputs, or one is of the wrong type.
    """
    if len(tests.inputs) != len(tests.outputs):
        raise row.error(
            f"has {len(tests.inputs)} inputs and {len(tests.outputs)} outputs; give as many of each", field
        )
    if tests.fn_name is None:
        pairs = zip(tests.inputs, tests.outputs, strict=True)
        cases = tuple(
            StdinCase(stdin=_text(row, field, stdin), stdout=_text(row, field, stdout)) for stdin, stdout in pairs
        )
        checks.check_cases(row, field, cases)
        return StdinStdout(cases=cases, checker=checker), ""
    calls = []
    for number, (given, output) in enumerate(zip(tests.inputs, tests.outputs, strict=True)):
        if not isinstance(given, list):
            raise row.error("must be a list of arguments", f"{field}.inputs[{number}]")
        # Some of APPS's outputs are in a list of their own, some are not; nothing says which.
        wrapped = output if isinstance(output, list) and len(output) == 1 else []
        calls.append((given, [output, *wrapped]))
    found = call_tests(row, field, tests.fn_name, calls, in_class=in_class)
    return found, ENTRY_POINT if in_class else tests.fn_name


def _text(row: Row, field: str, value: object) -> str:
    """An input or output: a text, or the lines of one."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    raise row.error("has an input or output that is no text; only functions take values", field)
