"""BigCodeBench, full and hard: functions that use libraries, with modules of unittest.

A problem is `{task_id, complete_prompt, instruct_prompt, canonical_solution, code_prompt, test, entry_point,
doc_struct, libs}`; the last two are strings that hold literals. `complete_prompt` is code that a completion
continues; `instruct_prompt` asks a chat model for the same. Source: github.com/bigcode-project/bigcodebench.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import msgspec

from codejury.formats import checks
from codejury.formats.sources import constants_used, parse_field
from codejury.model import Problem, Unittest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

FIELDS = ("task_id", "complete_prompt", "canonical_solution", "test", "entry_point")
"""The fields that every problem has."""


class _ProblemRow(msgspec.Struct):
    task_id: str
    complete_prompt: str
    canonical_solution: str
    test: str
    entry_point: str
    instruct_prompt: str = ""
    libs: str | tuple[str, ...] = ()


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of BigCodeBench; their libraries are tags.

    The tests see the imports and constants of the reference that they use: BigCodeBench runs both in one module.

    Raises:
        InputError: A row is no such problem, or repeats a task id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        checks.check_new(row, "task_id", fields.task_id, seen)
        checks.check_entry_point(row, fields.entry_point)
        checks.check_filled(row, "test", fields.test)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        reference = fields.complete_prompt + fields.canonical_solution
        tree = parse_field(row, "canonical_solution", reference)
        context = constants_used(tree, [parse_field(row, "test", fields.test)])
        yield Problem(
            id=fields.task_id,
            prompt=fields.complete_prompt,
            instruction=fields.instruct_prompt,
            entry_point=fields.entry_point,
            tests=Unittest(code=fields.test, context=context),
            reference=reference,
            tags=_libraries(row, fields.libs),
        )


def _libraries(row: Row, libs: str | tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(libs, str):
        return libs
    try:
        found = ast.literal_eval(libs)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = None
    if not isinstance(found, (list, tuple)) or not all(isinstance(name, str) for name in found):
        raise row.error("is no list of names, written as in Python", "libs")
    return tuple(found)
