"""HumanEval infilling: HumanEval's functions with a hole, in four files of one layout.

A problem is `{task_id, entry_point, prompt, suffix, canonical_solution, test}`: the reference is prompt, solution
and suffix joined, to the byte. `task_id` has the task that the function is of, as "HumanEval/0", with the place of
the hole after it; problems of one task form a cluster. Source: github.com/openai/human-eval-infilling.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from codejury.formats import checks
from codejury.formats.sources import parse_field, without_function
from codejury.model import CheckFunction, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

FIELDS = ("task_id", "prompt", "suffix", "entry_point", "canonical_solution", "test")
"""The fields that every problem has."""


class _ProblemRow(msgspec.Struct):
    task_id: str
    entry_point: str
    prompt: str
    suffix: str
    canonical_solution: str
    test: str


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of HumanEval infilling.

    The tests see what the reference has besides the entry point: helpers and imports of HumanEval's prompt.

    Raises:
        InputError: A row is no such problem, or repeats a task id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        checks.check_new(row, "task_id", fields.task_id, seen)
        entry_point = fields.entry_point.strip()
        checks.check_entry_point(row, entry_point)
        checks.check_filled(row, "test", fields.test)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        reference = fields.prompt + fields.canonical_solution + fields.suffix
        tree = parse_field(row, "canonical_solution", reference)
        task = re.search(r"HumanEval/\d+", fields.task_id)
        yield Problem(
            id=fields.task_id,
            prompt=fields.prompt,
            suffix=fields.suffix,
            entry_point=entry_point,
            tests=CheckFunction(code=fields.test, context=without_function(tree, entry_point)),
            reference=reference,
            cluster=task[0] if task else None,
        )
