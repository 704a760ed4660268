"""Python sources in the fields of rows, as syntax trees. Nothing is run."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from codejury.formats import checks

if TYPE_CHECKING:
    from codejury.formats.jsonl import Row


def parse(source: str) -> ast.Module:
    """The syntax tree of a source, without the warnings that Python has for it, as of unknown escapes.

    Raises:
        SyntaxError: It is no Python.
        ValueError: The same, as for a NUL character.
        RecursionError: It is nested too deeply.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def parse_field(row: Row, field: str, source: str) -> ast.Module:
    """The syntax tree of a source that comes from a field.

    Raises:
        InputError: It cannot be parsed.
    """
    try:
        return parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        reason = checks.shortened(f"{type(error).__name__}: {error}")
        raise row.error(f"cannot be parsed as Python: {reason}", field) from None
