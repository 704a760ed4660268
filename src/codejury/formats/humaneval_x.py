"""HumanEval-X: HumanEval in six languages.

A problem is `{task_id, prompt, declaration, canonical_solution, test, example_test}`, with `test_setup` and
`import` for Go; `task_id` begins with the language, as "CPP/0". Python's tests define `check` and call it, and
are read as HumanEval's. Others are joined to the program, each in the language's own way. Source:
github.com/THUDM/CodeGeeX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from codejury.formats import checks
from codejury.formats.languages import language
from codejury.formats.sources import check_function
from codejury.model import CheckFunction, Problem, Script

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

FIELDS = ("task_id", "prompt", "declaration", "canonical_solution", "test")
"""The fields that every problem has."""

# In Node, a failed console.assert prints and goes on: without this, every program would end with exit code 0.
_ASSERTING = (
    "console.assert = (condition, ...message) => {\n"
    "  if (!condition) { console.error(...message); process.exit(1); }\n"
    "};\n"
)


class _ProblemRow(msgspec.Struct):
    task_id: str
    prompt: str
    declaration: str
    canonical_solution: str
    test: str
    test_setup: str = ""


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of HumanEval-X.

    Raises:
        InputError: A row is no such problem, or repeats a task id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        checks.check_new(row, "task_id", fields.task_id, seen)
        prefix, slash, _ = fields.task_id.partition("/")
        if not slash:
            raise row.error("does not begin with a language, as CPP/0", "task_id")
        written_in = language(prefix)
        checks.check_language(row, written_in)
        checks.check_filled(row, "test", fields.test)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        # Rust's prompt is the comment alone.
        prompt = fields.prompt + fields.declaration.lstrip("\n") if written_in == "rust" else fields.prompt
        entry_point = ""
        if written_in == "python":
            code, entry_point = check_function(row, "test", fields.test)
            tests: CheckFunction | Script = CheckFunction(code=code, context=prompt)
        else:
            tests = _script(written_in, fields)
        yield Problem(
            id=fields.task_id,
            prompt=prompt,
            entry_point=entry_point,
            tests=tests,
            language=written_in,
            reference=prompt + fields.canonical_solution,
        )


def _script(written_in: str, fields: _ProblemRow) -> Script:
    if written_in == "javascript":
        return Script(code=_ASSERTING + fields.test)
    before = fields.test_setup
    return Script(code=fields.test, before=before and before.rstrip("\n") + "\n")
