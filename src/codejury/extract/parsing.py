"""Python's parser, guarded: what a model wrote may be of any size and depth."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

MAX_PARSED = 4_000_000
"""Characters above which a text is not parsed: it is then read by its lines alone."""


@dataclass(frozen=True)
class Parsed:
    """What parsing gave.

    Attributes:
        tree: The module; None where the text is no Python.
        line: 1-based line of the first error; 0 where there is none or its place is unknown.
    """

    tree: ast.Module | None
    line: int = 0


def parse(source: str) -> Parsed:
    """Parse a module; never raises, never warns."""
    if len(source) > MAX_PARSED or "\0" in source:
        return Parsed(None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes such as "\d"
            return Parsed(ast.parse(source))
    except SyntaxError as error:
        return Parsed(None, error.lineno or 0)
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return Parsed(None)
