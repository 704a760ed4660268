"""Code between lines of prose, and the whole statements of code that was cut off."""

from __future__ import annotations

import re

from codejury.extract import parsing
from codejury.extract.module import written

_START = re.compile(
    r"(?:async[ \t]+def|def|class)[ \t]+\w|@\w[\w.]*(?:\(|\s*$)"
    r"|import[ \t]+\w[\w., \t]*$|from[ \t]+[\w.]+[ \t]+import\b"
    r"|(?:if|for|while|with)\b.*:\s*(?:#.*)?$|try:|[A-Za-z_][\w.,\[\] \t]*=(?!=)|print\(|\w+\(.*\)\s*$"
)
_CODE = re.compile(
    rf"{_START.pattern}|(?:if|elif|else|for|while|with|try|def|class|async|return|import|from|raise|assert|print)\b"
)
_TRIES = 8


def salvaged(text: str) -> tuple[list[str], bool]:
    """The parts of a text that are modules, in order, and whether there is broken code between or below them.

    A part begins with a line that looks like code and ends before the statement that does not parse. Every part is
    parsed twice at most, and there are few of them: the work is linear.
    """
    lines = text.split("\n")
    found: list[str] = []
    broken = False
    begin = _next_start(lines, 0)
    for _ in range(_TRIES):
        if begin is None:
            break
        part = "\n".join(lines[begin:])
        parsed = parsing.parse(part)
        if parsed.tree is not None:
            found.append(part)
            break
        failed = begin + min(max(parsed.line, 1), len(lines) - begin) - 1
        end = _statement(lines, begin, failed)
        good = "\n".join(_without_headings(lines[begin:end]))
        if good and parsing.parse(good).tree is not None:
            found.append(good)
        broken = broken or _CODE.match(lines[end]) is not None
        begin = _next_start(lines, max(end, begin) + 1)
    return found, broken


def _without_headings(lines: list[str]) -> list[str]:
    """Lines of code without the lines of Markdown at their end that are comments to Python."""
    while lines and (not lines[-1].strip() or lines[-1].startswith("#")):
        lines.pop()
    return lines


def code_in(text: str, entry_point: str) -> str:
    """A text from its first line that looks like code on, or from the entry point's definition; "" without."""
    lines = text.split("\n")
    begin = _next_start(lines, 0)
    if entry_point and written(text, entry_point):
        begin = next(number for number, line in enumerate(lines) if written(line, entry_point))
    return "" if begin is None else "\n".join(lines[begin:])


def _next_start(lines: list[str], begin: int) -> int | None:
    return next((number for number in range(begin, len(lines)) if _START.match(lines[number])), None)


def _statement(lines: list[str], begin: int, failed: int) -> int:
    """The line where the statement of the module begins that a line is in."""
    for number in range(failed, begin, -1):
        if lines[number][:1].strip() and lines[number][0] not in ")]}#" and not _continues(lines[number]):
            return number
    return begin


def _continues(line: str) -> bool:
    return re.match(r"(?:else|elif|except|finally)\b", line) is not None
