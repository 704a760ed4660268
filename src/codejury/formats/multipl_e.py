"""MultiPL-E: HumanEval and MBPP in many languages.

A problem is `{name, language, prompt, doctests, original, prompt_terminology, tests, stop_tokens}`. What is run is
prompt, completion, a line end and `tests`; it passes with exit code 0. Tests of Python define `check(candidate)`
and are read as HumanEval's. There are no references. Source: github.com/nuprl/MultiPL-E.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from codejury.formats import checks
from codejury.formats.languages import language
from codejury.formats.sources import check_function
from codejury.model import CheckFunction, Problem, Script

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

FIELDS = ("name", "language", "prompt", "tests")
"""The fields that every problem has."""


class _ProblemRow(msgspec.Struct):
    name: str
    language: str
    prompt: str
    tests: str
    stop_tokens: tuple[str, ...] = ()


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of MultiPL-E.

    Raises:
        InputError: A row is no such problem, or repeats a name.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        checks.check_new(row, "name", fields.name, seen)
        written_in = language(fields.language)
        checks.check_language(row, written_in)
        checks.check_filled(row, "tests", fields.tests)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        tests: CheckFunction | Script = Script(code=fields.tests)
        entry_point = _entry_point(fields)
        if written_in == "python":
            code, entry_point = check_function(row, "tests", fields.tests)
            tests = CheckFunction(code=code, context=fields.prompt)
        yield Problem(
            id=fields.name,
            prompt=fields.prompt,
            entry_point=entry_point,
            tests=tests,
            language=written_in,
            stop=fields.stop_tokens,
        )


def _entry_point(fields: _ProblemRow) -> str:
    """The name by which the prompt calls the function; empty where it is not plain.

    The problem's name ends in the Python function's, which each language writes in its own way.
    """
    wanted = re.sub(r"^(?:HumanEval|mbpp)_\d+_", "", fields.name, flags=re.IGNORECASE).replace("_", "").lower()
    named = re.findall(r"\w+", fields.prompt)
    return next((name for name in reversed(named) if name.replace("_", "").lower() == wanted), "")
