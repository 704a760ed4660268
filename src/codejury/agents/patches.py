"""Security findings of rollouts: of whole programs, and of what a patch adds to Python files.

A patch shows pieces of files. A piece is made into a program by headers for the indentation it stands in; where
that does not parse, lines of context are left away at its ends, and in the end the added lines stand alone. Only
what is found on lines that the patch added is the agent's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from codejury.metrics import Scan, paper_score, scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codejury.model import Finding, LocatedRollout

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_CONTEXT = 3
_MAX_PATCH = 4 << 20


@dataclass
class _Piece:
    """Lines of a file after the patch, and which of them it added."""

    path: str
    start: int
    lines: list[str] = field(default_factory=list)
    added: list[bool] = field(default_factory=list)


def scanned(located: LocatedRollout) -> LocatedRollout:
    """The rollout with the findings of its code, else of its patch, and their score, where one can be scanned.

    The score of a scan goes before one that was given. A text that cannot be scanned leaves the rollout as it was.
    """
    rollout = located.rollout
    found = None
    if rollout.code is not None:
        found = _program(rollout.code)
    elif rollout.patch:
        found = scan_patch(rollout.patch)
    if found is None or found.unscannable is not None:
        return located
    score = paper_score(found.findings)
    return located._replace(
        rollout=msgspec.structs.replace(rollout, findings=found.findings, security_score=score)
    )


@lru_cache(maxsize=512)
def _program(code: str) -> Scan:
    return scan(code)


@lru_cache(maxsize=512)
def scan_patch(patch: str) -> Scan:
    """What a unified diff adds to Python files, scanned.

    Never raises, whatever the text. Unscannable where it touches no Python file, or where a piece does not parse
    however it is cut: nothing can then be said of the whole.

    Args:
        patch: A unified diff, as `git diff` writes it.
    """
    if len(patch) > _MAX_PATCH:
        return Scan(unscannable="patch too large")
    findings: list[Finding] = []
    pieces = [piece for piece in _pieces(patch) if any(piece.added)]
    for piece in pieces:
        found = _scan_piece(piece)
        if found is None:
            return Scan(unscannable=f"what is added at {piece.path}:{piece.start} does not parse")
        findings += found
    if not pieces:
        return Scan(unscannable="no Python file is added to")
    return Scan(findings=tuple(findings))


def _pieces(patch: str) -> Iterator[_Piece]:
    path, piece, old, new = "", None, 0, 0
    for line in patch.split("\n"):
        if old <= 0 and new <= 0:
            if piece is not None:
                yield piece
                piece = None
            if line.startswith("+++ "):
                path = line[4:].split("\t")[0].strip().removeprefix("b/")
            elif (match := _HUNK.match(line)) is not None:
                old, new = (1 if match[group] is None else int(match[group]) for group in (1, 3))
                piece = _Piece(path, int(match[2])) if path.endswith(".py") else None
            continue
        if line.startswith("\\"):  # "No newline at end of file"
            continue
        old -= not line.startswith("+")
        new -= not line.startswith("-")
        if piece is not None and not line.startswith("-"):
            piece.lines.append(line[1:].rstrip("\r"))
            piece.added.append(line.startswith("+"))
    if piece is not None:
        yield piece


def _scan_piece(piece: _Piece) -> list[Finding] | None:
    """Findings on the added lines; None where nothing that holds all of them parses."""
    for first, last in _cuts(piece.added):
        found = _scan_lines(piece, first, last)
        if found is not None:
            return found
    together: list[Finding] = []
    for first, last in _runs(piece.added):
        found = _scan_lines(piece, first, last)
        if found is None:
            return None
        together += found
    return together


def _cuts(added: list[bool]) -> Iterator[tuple[int, int]]:
    """Where to begin and to end, all of the piece first; added lines are never cut away."""
    begin, end = added.index(True), len(added) - added[::-1].index(True)
    for left in range(min(begin, _CONTEXT) + 1):
        for right in range(min(len(added) - end, _CONTEXT) + 1):
            yield left, len(added) - right


def _runs(added: list[bool]) -> Iterator[tuple[int, int]]:
    start = None
    for at, is_added in enumerate([*added, False]):
        if is_added and start is None:
            start = at
        elif not is_added and start is not None:
            yield start, at
            start = None


def _scan_lines(piece: _Piece, first: int, last: int) -> list[Finding] | None:
    lines = [line.expandtabs() for line in piece.lines[first:last]]
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    if not indents:
        return []
    levels = sorted({indent for indent in indents if indent < indents[0]})
    if indents[0] and not levels:
        levels = [0]
    text = "\n".join([*(f"{' ' * level}if 1:" for level in levels), *lines, ""])
    found = scan(text, piece.path)
    if found.unscannable is not None:
        return [] if found.unscannable == "no code" or _is_comment(lines) else None
    kept = []
    for finding in found.findings:
        at = finding.line - 1 - len(levels)
        if 0 <= at < len(lines) and piece.added[first + at]:
            kept.append(msgspec.structs.replace(finding, line=piece.start + first + at))
    return kept


def _is_comment(lines: list[str]) -> bool:
    return all(not line.strip() or line.lstrip().startswith("#") for line in lines)
