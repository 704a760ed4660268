"""codejury's own format: one `codejury.model.Problem`, or one `codejury.model.Sample`, a line.

The fields are those of the structs and no others: a misspelt field is an error, not a default. `tests` says its
form in the field `type`. A sample's `index` may be left out in the whole file, which counts the samples of one
problem in the order of the file.
"""

from __future__ import annotations

import keyword
import sys
from collections import Counter
from typing import TYPE_CHECKING, get_args

import msgspec

from codejury.formats import checks, drawn
from codejury.formats.jsonl import Row, write_rows
from codejury.formats.values import normal
from codejury.model import (
    Assertions,
    CheckFunction,
    Inputs,
    Problem,
    Pytest,
    Sample,
    Script,
    StdinStdout,
    Tests,
    Unittest,
    Unjudged,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Container, Iterable, Iterator

_WITHOUT_ENTRY_POINT = StdinStdout | Script | Unjudged  # they may do without: they call no function
_TESTS = {kind.__struct_config__.tag: kind for kind in get_args(Tests)}


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows in codejury's own format.

    Raises:
        InputError: A row is no such problem, or repeats an id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        _refuse_unknown(row, row.fields, Problem)
        tests = row.fields.get("tests")
        if isinstance(tests, dict) and isinstance(tag := tests.get("type"), str) and tag in _TESTS:
            _refuse_unknown(row, tests.keys() - {"type"}, _TESTS[tag], "tests.")
        problem = checks.convert(row, Problem)
        checks.check_id(row, "id", problem.id)
        checks.check_first(row, "id", problem.id, seen)
        checks.check_language(row, problem.language)
        if problem.entry_point or not isinstance(problem.tests, _WITHOUT_ENTRY_POINT):
            checks.check_entry_point(row, problem.entry_point, language=problem.language)
        _check_tests(row, problem.tests, problem.language)
        if isinstance(problem.tests, Inputs):
            problem = msgspec.structs.replace(problem, tests=_normal(row, problem.tests))
        _check_limits(row, problem)
        checks.check_date(row, "created", problem.created)
        checks.check_encodable(row, msgspec.structs.asdict(problem))
        yield problem


def samples(
    rows: Iterable[Row], *, known: Container[str] | None = None, allow_empty: bool = False
) -> Iterator[Sample]:
    """The samples of rows in codejury's own format.

    Args:
        rows: Of a file.
        known: Ids of the problems that may be answered; None allows all.
        allow_empty: Keep answers of no characters.

    Raises:
        InputError: A row is no such sample, answers an unknown problem, is empty, repeats an index, or has one
            where the first row has none (or the other way round).
    """
    counts: Counter[str] = Counter()
    seen: set[tuple[str, int]] = set()
    indexed: bool | None = None
    for row in rows:
        if "text" not in row.fields:
            drawn.refuse_tests(row)
        _refuse_unknown(row, row.fields, Sample)
        sample = checks.convert(row, Sample, {"index": 0, **row.fields})
        checks.check_id(row, "problem_id", sample.problem_id)
        checks.check_known(row, "problem_id", sample.problem_id, known)
        checks.check_answer(row, "text", sample.text, allow_empty=allow_empty)
        checks.check_encodable(row, {"finish_reason": sample.finish_reason})
        checks.check_figures(row, sample)
        if indexed is None:
            indexed = "index" in row.fields
        if indexed != ("index" in row.fields):
            raise row.error("give every row of the file an index, or none", "index")
        if indexed:
            _check_index(row, sample, seen)
        else:
            sample = msgspec.structs.replace(sample, index=counts[sample.problem_id])
            counts[sample.problem_id] += 1
        yield sample


def write_problems(path: str | os.PathLike[str], given: Iterable[Problem]) -> int:
    """Write problems in codejury's own format; returns how many."""
    return write_rows(path, map(msgspec.to_builtins, given))


def write_samples(path: str | os.PathLike[str], given: Iterable[Sample]) -> int:
    """Write samples in codejury's own format; returns how many."""
    return write_rows(path, map(msgspec.to_builtins, given))


def _refuse_unknown(row: Row, found: Iterable[str], struct: type[msgspec.Struct], prefix: str = "") -> None:
    known = struct.__struct_fields__
    for field in found:
        if field not in known:
            raise row.error(f"unknown field; the fields are {checks.names(known)}", prefix + field)


def _check_tests(row: Row, tests: Tests, language: str) -> None:
    if isinstance(tests, CheckFunction):
        checks.check_filled(row, "tests.code", tests.code)
        checks.check_entry_point(row, tests.function, field="tests.function", language=language)
    elif isinstance(tests, Assertions):
        if not tests.code:
            checks.check_filled(row, "tests.code", "")
        for number, code in enumerate(tests.code):
            checks.check_filled(row, f"tests.code[{number}]", code)
    elif isinstance(tests, Unittest | Pytest):
        checks.check_filled(row, "tests.code", tests.code)
        _check_module(row, tests.module)
    elif isinstance(tests, StdinStdout):
        _check_stdio(row, tests)
    elif isinstance(tests, Inputs):
        _check_inputs(row, tests)
    elif isinstance(tests, Script):
        checks.check_filled(row, "tests.code", tests.code)
    elif row.fields.get("reference") is None:
        raise row.error("is missing: without tests there is nothing else to compare answers with", "reference")


def _check_module(row: Row, name: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise row.error(f"{checks.shortened(ascii(name))} cannot be the name of a module", "tests.module")
    if name in sys.stdlib_module_names or name == "pytest":
        raise row.error(f"{name!r} is a module that tests and programs need; take another name", "tests.module")


def _check_inputs(row: Row, tests: Inputs) -> None:
    calls = len(tests.base) + len(tests.plus)
    if not tests.base:
        raise row.error("has no calls; give at least one list of arguments", "tests.base")
    if tests.expected is not None and len(tests.expected) != calls:
        raise row.error(f"has {len(tests.expected)} outputs for {calls} calls; give one each", "tests.expected")
    if tests.expected is None and row.fields.get("reference") is None:
        raise row.error("is missing, and so is a reference that would give the outputs", "tests.expected")


def _normal(row: Row, tests: Inputs) -> Inputs:
    """The same calls and outputs in a form that every reader of JSON keeps."""
    try:
        base, plus = (tuple(tuple(map(normal, call)) for call in calls) for calls in (tests.base, tests.plus))
        expected = None if tests.expected is None else tuple(map(normal, tests.expected))
    except RecursionError:
        raise row.error("is nested too deeply", "tests") from None
    return msgspec.structs.replace(tests, base=base, plus=plus, expected=expected)


def _check_stdio(row: Row, tests: StdinStdout) -> None:
    if tests.checker.kind != "custom" or not tests.cases:
        checks.check_cases(row, "tests.cases", tests.cases)


def _check_limits(row: Row, problem: Problem) -> None:
    if problem.limits is None:
        return
    for field, value in msgspec.structs.asdict(problem.limits).items():
        if value is not None and not 0 < value <= checks.MAX_COUNT:
            raise row.error(f"must be above 0 and at most {checks.MAX_COUNT}, got {value:.6g}", f"limits.{field}")


def _check_index(row: Row, sample: Sample, seen: set[tuple[str, int]]) -> None:
    if not 0 <= sample.index <= checks.MAX_COUNT:
        raise row.error(f"must be a whole number from 0 to {checks.MAX_COUNT}", "index")
    key = (sample.problem_id, sample.index)
    if key in seen:
        raise row.error(f"problem {sample.problem_id!r} has a sample {sample.index} already", "index")
    seen.add(key)
