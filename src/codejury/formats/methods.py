"""Tests that are calls with their outputs: of a function, or of a method of a class `Solution` as LeetCode's."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from codejury.formats import checks
from codejury.model import CheckFunction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.formats.jsonl import Row

ENTRY_POINT = "Solution"


def call_tests(
    row: Row, field: str, name: str, calls: Sequence[tuple[list[Any], list[Any]]], *, in_class: bool
) -> CheckFunction:
    """Tests that call a function, or a method of one `Solution`, as LiveCodeBench and APPS do.

    A tuple is right where a list of the same items is expected, at the outermost level alone.

    Args:
        row: Where the calls stand.
        field: Name of their field.
        name: Of the function or method.
        calls: Arguments, and the outputs any of which is right.
        in_class: Whether it is a method.

    Raises:
        InputError: The name cannot be one, there are no calls, or a value is infinite or nested too deeply.
    """
    checks.check_entry_point(row, name, field=field)
    if not calls:
        raise row.error("has no cases; give at least one", field)
    lines = ["def check(candidate):", *(["    solution = candidate()"] if in_class else [])]
    called = f"solution.{name}" if in_class else "candidate"
    for number, (arguments, outputs) in enumerate(calls):
        try:
            given = ", ".join(map(_literal, arguments))
            allowed = {f"wanted{place}": _literal(value) for place, value in enumerate(outputs)}
        except (ValueError, RecursionError) as error:
            raise row.error(f"is no plain value: {error}", f"{field}[{number}]") from None
        lines += [f"    {name} = {text}" for name, text in allowed.items()]
        either = [*allowed, *(f"tuple({name})" for name, text in allowed.items() if text.startswith("["))]
        wanted = f"== {either[0]}" if len(either) == 1 else f"in ({', '.join(either)})"
        lines.append(f"    assert {called}({given}) {wanted}")
    return CheckFunction(code="\n".join(lines) + "\n")


def decoded(row: Row, field: str, text: str) -> Any:
    """The value of a text of JSON.

    Raises:
        InputError: It is no JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise row.error(f"is no JSON: {checks.shortened(str(error))}", field) from None


def _literal(value: Any) -> str:
    """A value of JSON as Python writes it."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("it holds an infinity or NaN")
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_literal(item)}' for key, item in value.items())}}}"
    return repr(value)
