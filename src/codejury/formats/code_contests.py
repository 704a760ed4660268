"""CodeContests: problems of contests with public, private and generated tests.

A problem is `{name, description, public_tests, private_tests, generated_tests, solutions, difficulty, cf_tags}`
and more; tests are `{input: […], output: […]}`, solutions `{language: […], solution: […]}`. Limits of time and
memory are those of the contest, meant for compiled programs, and are not used. Source:
github.com/google-deepmind/code_contests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from codejury.formats import checks
from codejury.formats.inputs_outputs import InputsOutputs, made_tests
from codejury.model import Checker, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

FIELDS = ("name", "description", "public_tests", "private_tests")
"""The fields that every problem has."""

CHECKER = Checker(kind="decimal", abs_tol=1e-5)
"""Words, and decimal fractions within the precision that the set's own comparison has."""

_PYTHON3 = (3, "PYTHON3")
_DIFFICULTIES = ("unknown", "easy", "medium", "hard", "harder", "hardest", "external", *"ABCDEFGHIJKLMNOPQRSTUV")


class _Tests(msgspec.Struct):
    input: list[str] = []
    output: list[str] = []


class _Solutions(msgspec.Struct):
    language: list[int | str] = []
    solution: list[str] = []


class _ProblemRow(msgspec.Struct):
    name: str
    description: str
    public_tests: _Tests
    private_tests: _Tests
    generated_tests: _Tests = msgspec.field(default_factory=_Tests)
    solutions: _Solutions = msgspec.field(default_factory=_Solutions)
    difficulty: int | str | None = None
    cf_tags: tuple[str, ...] = ()


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows of CodeContests.

    The reference is the first solution in Python 3: the set does not promise that it passes the generated tests.

    Raises:
        InputError: A row is no such problem, or repeats a name.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        checks.check_new(row, "name", fields.name, seen)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        parts = (fields.public_tests, fields.private_tests, fields.generated_tests)
        tests = InputsOutputs(
            inputs=[one for part in parts for one in part.input],
            outputs=[one for part in parts for one in part.output],
        )
        made, _ = made_tests(row, "public_tests", tests, CHECKER)
        found = zip(fields.solutions.language, fields.solutions.solution, strict=False)
        yield Problem(
            id=fields.name,
            prompt=fields.description,
            entry_point="",
            tests=made,
            reference=next((source for language, source in found if language in _PYTHON3), None),
            difficulty=_difficulty(row, fields.difficulty),
            tags=tuple(tag for tag in fields.cf_tags if tag),
        )


def _difficulty(row: Row, value: int | str | None) -> str | None:
    if not isinstance(value, int):
        return value
    if not 0 <= value < len(_DIFFICULTIES):
        raise row.error(f"{value} is no difficulty of CodeContests", "difficulty")
    return _DIFFICULTIES[value] if value else None
