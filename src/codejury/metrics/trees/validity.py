"""Whether a Python file is valid, as Python itself decides: tree-sitter's grammar accepts more."""

from __future__ import annotations

import platform
import warnings

from codejury.metrics.scoring import Pair, Scored
from codejury.metrics.trees.languages import find

MAX_BYTES = 1024 * 1024
"""The largest file that is compiled."""


def python_valid(pair: Pair) -> Scored:
    """1 if prefix, prediction and suffix together compile, 0 if not. Nothing is run."""
    language = find(pair.language)
    if language is None or language.name != "python":
        return Scored(None, f"{pair.language!r} is not Python")
    source = pair.prefix + pair.prediction + pair.suffix
    if len(source) > MAX_BYTES:
        return Scored(None, f"too large: {len(source):,} characters to compile; at most {MAX_BYTES:,}")
    details = {"python": platform.python_version()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of doubtful escapes and comparisons
            compile(source, "<completion>", "exec", dont_inherit=True)
    except (RecursionError, MemoryError) as error:
        return Scored(None, f"too deep for the compiler: {type(error).__name__}", details)
    except (SyntaxError, ValueError, OverflowError) as error:  # ValueError: null bytes, lone surrogates
        return Scored(0.0, None, {**details, "error": _told(error)})
    return Scored(1.0, None, details)


def _told(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    return str(error)
