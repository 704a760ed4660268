"""Where the first statement of a completion ends."""

from __future__ import annotations

import re
from functools import lru_cache

from codejury.metrics.text.lexing import spans

_LINES = frozenset(("python", "ruby", "bash", "go", "kotlin"))
"""Languages whose statements end with a line; the others' end with `;`, `{` or `}`."""

_MARK = re.compile(r"[()\[\]{};]|\\?(?:\r\n|\r|\n)")


def first_statement(text: str, language: str, *, before: str = "") -> str:
    """A completion up to the end of its first statement, or the header of a compound one.

    By lines (Python, Ruby, Bash, Go, Kotlin): up to the first end of a line outside of brackets, strings and
    comments that something stands before and that no backslash continues. Otherwise: up to and with the first
    `;`, `{` or `}` outside of parentheses, strings and comments, also where it is the first character. Brackets
    that are open at the end of `before` count. Without such an end all of the text is the statement.

    Args:
        text: The completion.
        language: One of `lexing.LANGUAGES`.
        before: What stands before the completion.
    """
    depth = _open_brackets(before, language)
    whole = before + text
    for at, mark in _marks(whole, language, len(before)):
        if mark in "([" or (mark == "{" and (language in _LINES or depth)):
            depth += 1
        elif mark in ")]" or (mark == "}" and (language in _LINES or depth)):
            depth = max(0, depth - 1)
        elif depth or mark.startswith("\\"):
            continue
        elif language in _LINES:
            if mark != ";" and whole[len(before) : at].strip():
                return whole[len(before) : at].rstrip()
        elif mark in ";{}":
            return whole[len(before) : at + 1]
    return text


@lru_cache(maxsize=64)
def _open_brackets(before: str, language: str) -> int:
    # braces hold statements, so that a block that is open says nothing of the statement
    depth = 0
    for _, mark in _marks(before, language, 0):
        if mark in "([":
            depth += 1
        elif mark in ")]":
            depth = max(0, depth - 1)
    return depth


def _marks(text: str, language: str, start: int) -> list[tuple[int, str]]:
    """Brackets, semicolons and ends of lines from `start` on, outside of strings and comments."""
    found: list[tuple[int, str]] = []
    at = start
    for span in (*spans(text, language), None):
        end = len(text) if span is None else span.start
        found += [(match.start(), match[0]) for match in _MARK.finditer(text, at, max(at, end))]
        if span is not None:
            at = max(at, span.end)
    return found
