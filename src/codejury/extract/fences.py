"""Fenced blocks of Markdown as chat models write them: nested, in lists, quoted, cut off, closed too late.

Reads a text once. What CommonMark leaves open is decided for code: a fence inside a docstring closes nothing, and
the beginning of the next block ends one that was never closed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from codejury.extract.languages import language_of

_FENCE = re.compile(
    r"(?P<prefix>[ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?)(?P<run>`{3,}|~{3,})(?P<info>[^\n]*)"
)
_LATE = re.compile(r"(?P<before>[^`]*[^`\s][ \t]*)`{3,}(?P<info>[A-Za-z0-9+#]*)[ \t]*")
_INLINE = re.compile(r"[ \t]*```(?:(?P<info>[A-Za-z0-9+#]+)[ \t]+)?(?P<code>[^`\n]+)```[ \t]*")
_CODE_IN_INFO = re.compile(r"(?:def|class|import|from|async|for|while|if|try|with|return|print)\b.*[ (:]|@\w")
_QUOTED = re.compile(r"[ \t]{0,3}>[ \t]?")
_MARKUP = "markdown"

# CodeLlama's prompts ask for these in the place of fences.
_TAGS = {"[python]": "```python", "[/python]": "```", "<code>": "```", "</code>": "```"}


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        language: What its info string says, by its usual name; "" where it says nothing that is known.
        text: What is inside, without the fence's own indentation; lines end in a newline.
        closed: Whether it has an end of its own.
    """

    language: str
    text: str
    closed: bool = True


@dataclass(frozen=True)
class _Mark:
    """A line that may open or close a block."""

    line: int
    kind: Literal["fence", "late", "inline"]
    prefix: str = ""
    run: str = "```"
    info: str = ""
    before: str = ""

    @property
    def bare(self) -> bool:
        return not self.info.strip()

    @property
    def language(self) -> str:
        return language_of(self.info)


@dataclass
class _Open:
    """The block that is open, and what was seen of its end."""

    mark: _Mark
    late: _Mark | None = None  # a line of code with a fence behind it
    doubtful: tuple[int, int] | None = None  # an end that seems to be inside of a string: its place and its line
    quotes: list[int] = field(default_factory=lambda: [0, 0])
    read: int = 0


def blocks(text: str) -> list[Block]:
    r"""The fenced blocks of a text, in order.

    Lines are those that "\n" ends: other characters that break lines may stand inside of code.
    """
    lowered = text.lower()
    if not any(sign in lowered for sign in ("```", "~~~", *_TAGS)):
        return []
    return _Reader(text.split("\n")).blocks()


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.marks = [mark for number in range(len(lines)) if (mark := _mark(lines, number)) is not None]
        self.found: list[Block] = []
        self.trusting = True  # that quotes tell strings from code; one failure and they do not

    def blocks(self) -> list[Block]:
        opened: _Open | None = None
        place = 0
        while place < len(self.marks):
            mark = self.marks[place]
            if opened is None:
                opened = self._outside(place)
            elif self._ends(opened, mark, place):
                self._keep(opened, mark.line, closed=True)
                opened = None
            elif self._begins(opened, mark):
                self._keep(opened, mark.line, closed=False)
                opened = _Open(mark, read=mark.line + 1)
            place += 1
            if place == len(self.marks) and opened is not None and opened.doubtful is not None:
                place, line = opened.doubtful
                self.trusting = False
                self._keep(opened, line, closed=True)
                opened = None
                place += 1
        if opened is not None:
            self._keep(opened, len(self.lines), closed=False)
        return self.found

    def _outside(self, place: int) -> _Open | None:
        """What a mark outside of all blocks opens."""
        mark = self.marks[place]
        if mark.kind == "inline":
            self._add(mark.language, [mark.before], closed=True)
            return None
        if mark.kind == "late" and not mark.language:
            return None
        following = self.marks[place + 1] if place + 1 < len(self.marks) else None
        if mark.language == _MARKUP and following is not None and not following.bare:
            return None  # a document whose blocks are the answer's
        return _Open(mark, read=mark.line + 1)

    def _ends(self, opened: _Open, mark: _Mark, place: int) -> bool:
        if mark.kind == "late":
            opened.late = opened.late or (mark if mark.bare else None)
            return False
        if mark.kind != "fence" or not mark.bare or not mark.run.startswith(opened.mark.run):
            return False
        if _width(mark.prefix) >= _width(opened.mark.prefix) + 4:
            return False
        if self._in_string(opened, mark.line):
            opened.doubtful = opened.doubtful or (place, mark.line)
            return False
        return True

    def _begins(self, opened: _Open, mark: _Mark) -> bool:
        """Whether a mark opens a block although the one before was not closed."""
        return (
            mark.kind == "fence"
            and mark.run == opened.mark.run
            and bool(mark.language)
            and _width(mark.prefix) < _width(opened.mark.prefix) + 4
            and not self._in_string(opened, mark.line)
        )

    def _in_string(self, opened: _Open, line: int) -> bool:
        """Whether Python's long strings of a block are open at a line."""
        if not self.trusting or opened.mark.language not in ("", "python"):
            return False
        for number in range(opened.read, line):
            opened.quotes[0] += self.lines[number].count('"""')
            opened.quotes[1] += self.lines[number].count("'''")
        opened.read = max(opened.read, line)
        return any(number % 2 for number in opened.quotes)

    def _keep(self, opened: _Open, end: int, *, closed: bool) -> None:
        mark, last = opened.mark, None
        if opened.late is not None and not closed:
            end, last, closed = opened.late.line, opened.late.before, True
        lines = self.lines[mark.line + 1 : end] + ([] if last is None else [last])
        if ">" in mark.prefix:
            lines = [_QUOTED.sub("", line, count=1) for line in lines]
        indent = len(mark.prefix.replace(">", " ")) if ">" not in mark.prefix else 0
        if indent:
            lines = [_less(line, indent) for line in lines]
        if _CODE_IN_INFO.match(mark.info.strip()):
            lines.insert(0, mark.info.strip())
        self._add(mark.language, lines, closed=closed)

    def _add(self, language: str, lines: list[str], *, closed: bool) -> None:
        text = "\n".join(lines)
        self.found.append(Block(language, text if not text or text.endswith("\n") else text + "\n", closed))


def _mark(lines: list[str], number: int) -> _Mark | None:
    line = lines[number]
    if "```" not in line and "~~~" not in line:
        tag = _TAGS.get(line.strip().lower()) if len(line) < 40 else None
        return None if tag is None else _Mark(number, "fence", info=tag.strip("`"))
    line = line.removesuffix("\r")
    if (found := _FENCE.match(line)) is not None and not (found["run"][0] == "`" and "`" in found["info"]):
        return _Mark(number, "fence", found["prefix"], found["run"], found["info"])
    if (found := _INLINE.fullmatch(line)) is not None:
        return _Mark(number, "inline", info=found["info"] or "", before=found["code"])
    if (found := _LATE.fullmatch(line)) is not None:
        return _Mark(number, "late", info=found["info"], before=found["before"])
    return None


def _width(prefix: str) -> int:
    return len(prefix.expandtabs(4))


def _less(line: str, indent: int) -> str:
    """A line without as much of its indentation as its block has."""
    blanks = min(indent, len(line) - len(line.lstrip(" \t")))
    return line[blanks:]
