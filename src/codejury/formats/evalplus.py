"""HumanEval+ and MBPP+ as EvalPlus publishes them: calls whose right outputs are those of the reference.

A problem is `{task_id, prompt, entry_point, canonical_solution, base_input, plus_input, atol}`; the inputs are
lists of argument lists. `contract` and `assertion` tell the types that JSON has lost (`restoring`); `oracles` has
the rule by which outputs are compared. `test`, where a row has it, holds the base tests alone and is not used. The
descriptive fields of HumanEval's format are kept, other fields are ignored.
"""

from __future__ import annotations

import ast
import math
from textwrap import dedent
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from codejury.formats import checks, oracles
from codejury.formats.restoring import Restorer, contract_kinds, literal_kinds
from codejury.formats.sources import parse_field
from codejury.formats.values import written
from codejury.model import Inputs, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.formats.jsonl import Row

_Calls: TypeAlias = "tuple[tuple[Any, ...], ...]"

TOO_LARGE = {
    "Mbpp/255": tuple(
        (items, length)
        for items, length in (
            (["Dog", "Cat", "CatBird", "Bird", "Fish"], 77),
            (["Dog", "Cat", "Bird", "Fish"], 77),
            (["Dog", "Cat", "Bird", "Fish"], 76),
            ([2, True, 7, -44], 76),
            ([57.22322518606262, 96.2114299656439, 7.2887651994648195, 56.50649563542532], 77),
        )
    ),
}
"""Calls that are left out, by task id: their outputs, of 20 MB to 1 GB, are larger than a value that crosses may
be."""


class _ProblemRow(checks.Described, kw_only=True):
    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    base_input: list[list[Any]]
    plus_input: list[list[Any]] | dict[str, Any]
    atol: float = 0.0
    contract: str = ""
    assertion: str = ""


def problems(rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of rows in EvalPlus's format. The licence is unknown unless a row states it.

    Raises:
        InputError: A row is no such problem, or repeats a task id.
    """
    seen: dict[str, int] = {}
    for row in rows:
        fields = checks.convert(row, _ProblemRow)
        checks.check_id(row, "task_id", fields.task_id)
        checks.check_first(row, "task_id", fields.task_id, seen)
        checks.check_entry_point(row, fields.entry_point)
        checks.check_date(row, "created", fields.created)
        if not (math.isfinite(fields.atol) and fields.atol >= 0):
            raise row.error(f"must be a number of at least 0, got {fields.atol:.6g}", "atol")
        if not fields.base_input:
            raise row.error("has no calls; give at least one list of arguments", "base_input")
        if isinstance(fields.plus_input, dict):
            # An empty list of inputs is written as {} in EvalPlus's own release (Mbpp/793).
            if fields.plus_input:
                raise row.error("Expected `array`, got `object`", "plus_input")
            fields.plus_input = []
        restorer = _restorer(row, fields)
        base = _calls(row, "base_input", fields.base_input, restorer)
        plus = _calls(row, "plus_input", fields.plus_input, restorer)
        checks.check_encodable(row, msgspec.structs.asdict(fields))
        yield Problem(
            id=fields.task_id,
            prompt=fields.prompt,
            entry_point=fields.entry_point,
            tests=_tests(fields, base, plus),
            reference=fields.prompt + fields.canonical_solution,
            **fields.described(),
        )


def _tests(fields: _ProblemRow, base: _Calls, plus: _Calls) -> Inputs:
    if fields.task_id not in oracles.RECOMPUTED:
        left_out = TOO_LARGE.get(fields.task_id, ())
        plus = tuple(call for call in plus if call not in left_out)
        return Inputs(base=base, plus=plus, oracle=oracles.oracle(fields.task_id, fields.atol))
    reference = fields.prompt + fields.canonical_solution
    source = oracles.recomputing(fields.task_id, fields.atol, reference, fields.entry_point)
    return Inputs(base=base, plus=plus, expected=(None,) * (len(base) + len(plus)), oracle=source)


def _restorer(row: Row, fields: _ProblemRow) -> Restorer:
    """What gives a row's arguments their types back."""
    name = fields.entry_point
    reference = parse_field(row, "canonical_solution", fields.prompt + fields.canonical_solution)
    functions = [node for node in reference.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if not functions:
        raise row.error(f"defines no function {name!r}", "canonical_solution")
    arguments = functions[-1].args
    parameters = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    literals = literal_kinds(parse_field(row, "assertion", fields.assertion), name)
    allowed = contract_kinds(parse_field(row, "contract", dedent(fields.contract)), parameters)
    return Restorer(fields.task_id, {**literals, **allowed})


def _calls(row: Row, field: str, calls: list[list[Any]], restorer: Restorer) -> _Calls:
    """Calls as the value protocol writes them."""
    made = []
    for number, call in enumerate(calls):
        try:
            made.append(tuple(written(value) for value in restorer.arguments(call)))
        except RecursionError:
            raise row.error("is nested too deeply", f"{field}[{number}]") from None
        except (ValueError, TypeError, OverflowError) as error:
            reason = checks.shortened(str(error))
            raise row.error(f"cannot be arguments of this task: {reason}", f"{field}[{number}]") from None
    return tuple(made)
