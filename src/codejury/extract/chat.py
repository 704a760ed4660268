"""The program in a chat answer: which block it is, what belongs to it, and where it ends."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codejury.extract.bodies import completed, prompt_piece
from codejury.extract.fences import Block, blocks
from codejury.extract.languages import named
from codejury.extract.module import ASSIGNED, WRITTEN, Piece, joined, piece, program_of, tidy, written
from codejury.extract.prose import code_in, salvaged
from codejury.extract.thinking import without_thinking, without_tokens
from codejury.model import Program, Pytest, Script, StdinStdout, Unittest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.model import Problem

_READS = re.compile(r"\binput\b|\bstdin\b|\bopen\(0\b|\bfileinput\b")
_WRITES = re.compile(r"\bprint\b|\bstdout\b")
_LAST_DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_PYTHON = "python"


@dataclass(frozen=True)
class _Asked:
    """What the code of an answer is for."""

    problem: Problem
    entry_point: str
    runs: bool  # the tests run the whole program
    roots: frozenset[str]

    @classmethod
    def of(cls, problem: Problem) -> _Asked:
        tests = problem.tests
        runs = isinstance(tests, StdinStdout)
        entry_point = problem.entry_point.partition(".")[0]
        if not entry_point and not runs and (found := _LAST_DEFINITION.findall(problem.prompt)):
            entry_point = found[-1]
        code = tests.code if isinstance(tests, Unittest | Pytest | Script) else ""
        return cls(problem, entry_point, runs, frozenset(re.findall(r"[^\W\d]\w*", code)))


def program_in_chat(problem: Problem, text: str) -> Program:
    """The program of a chat answer. Never raises; work is linear in the answer's length.

    Args:
        problem: What was asked.
        text: The answer, raw.
    """
    text, flags = answer_of(text)
    if not text.strip():
        return Program("", "empty", flags)
    if named(problem.language) != _PYTHON:
        return _marked(_other(problem, text), flags)
    return _marked(_python(_Asked.of(problem), text), flags)


def answer_of(text: str) -> tuple[str, tuple[str, ...]]:
    r"""An answer without thinking and special tokens, lines ended by "\n"; and what was cut, as flags."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    text, flags = without_thinking(text)
    return without_tokens(text), flags


def _marked(program: Program, flags: tuple[str, ...]) -> Program:
    return Program(program.source, program.rule, (*flags, *program.flags))


# ---- other languages


def _other(problem: Problem, text: str) -> Program:
    """The last block of the language that has the entry point's name, else the last of the language."""
    language, name = named(problem.language), problem.entry_point
    found = [block for block in blocks(text) if block.text.strip()]
    tagged = [block for block in found if block.language == language]
    right = tagged or [block for block in found if not block.language]
    if not right:
        return Program(tidy(text), "plain") if not found else Program("", "none")
    having = [block for block in right if name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", block.text)]
    chosen = (having or right)[-1]
    return Program(tidy(chosen.text), "fence", () if chosen.closed else ("cut-off",))


# ---- Python


def _python(asked: _Asked, text: str) -> Program:
    found = [block for block in blocks(text) if block.text.strip()]
    whole = piece(text)
    if whole.tree is not None and _is_code(asked, whole, fenced=bool(found)):
        return _finished(asked, [whole], whole, "plain")
    if not found:
        return _unfenced(asked, text, whole)
    right = [block for block in found if block.language in (_PYTHON, "")]
    if not right:
        return Program("", "none")
    pieces = [one for block in right for one in _pieces(asked, block)]
    chosen, rank = _chosen(asked, pieces)
    if not asked.runs and rank < ASSIGNED:
        for one in reversed(pieces[-_TRIED:]):
            if (program := _completion(asked, one)) is not None:
                return program
    return _finished(asked, pieces, chosen, "fence")


_TRIED = 4  # blocks that are tried as the body of the prompt's function


def _pieces(asked: _Asked, block: Block) -> list[Piece]:
    """A block as a piece; one that was cut off also as the pieces of it that are whole.

    The part of a program that runs from top to bottom is no program.
    """
    one = piece(block.text, tagged=block.language == _PYTHON, whole=block.closed)
    if block.closed or one.tree is not None:
        return [one]
    texts, broken = salvaged(block.text)
    if broken and asked.runs:
        return [one]
    return [one, *(piece(text, tagged=one.tagged, whole=False) for text in texts)]


def _is_code(asked: _Asked, whole: Piece, *, fenced: bool) -> bool:
    """Whether a whole answer is the program, rather than words that happen to be Python."""
    if asked.entry_point:
        return whole.has(asked.entry_point) >= ASSIGNED
    return not fenced and any(not isinstance(one.node, ast.Expr) or _calls(one.node) for one in whole.statements)


def _calls(node: ast.stmt) -> bool:
    return any(isinstance(child, ast.Call) for child in ast.walk(node))


def _unfenced(asked: _Asked, text: str, whole: Piece) -> Program:
    """An answer without a fence: a body, or code between lines of prose."""
    if not asked.runs and (program := _completion(asked, whole)) is not None:
        return program
    texts, broken = salvaged(text)
    pieces = [piece(code) for code in texts]
    if pieces and not (broken and asked.runs):
        chosen, rank = _chosen(asked, pieces)
        if rank or not written(text, asked.entry_point):
            return _finished(asked, pieces, chosen, "prose")
    rest = code_in(text, asked.entry_point)
    return Program(tidy(rest), "prose", ("unparsed",)) if rest else Program("", "none")


def _chosen(asked: _Asked, pieces: Sequence[Piece]) -> tuple[Piece, int]:
    """The last piece of those that have most of what is asked for, and how much that is."""
    rank, place = max((_rank(asked, one), place) for place, one in enumerate(pieces))
    if rank:
        return pieces[place], rank
    tagged = [one for one in pieces if one.tagged] or list(pieces)
    parsed = [one for one in tagged if one.tree is not None]
    defining = [one for one in parsed if any(statement.defines for statement in one.statements)]
    return (defining or parsed or tagged)[-1], 0


def _rank(asked: _Asked, one: Piece) -> int:
    if asked.entry_point:
        return one.has(asked.entry_point)
    if one.tree is None:
        return int(one.tagged)
    doing = any(not isinstance(each.node, ast.Expr) or _calls(each.node) for each in one.statements)
    if not (doing or one.tagged):
        return 0
    return 2 + 2 * bool(_READS.search(one.source)) + bool(_WRITES.search(one.source))


def _completion(asked: _Asked, one: Piece) -> Program | None:
    """The prompt's function with a piece as its body, where it is one."""
    made = completed(asked.problem, asked.entry_point, one.raw)
    if made is None:
        return None
    whole, repaired = made
    flags = (("cut-off",) if not one.whole else ()) + (("indented",) if repaired else ())
    source, trimmed = program_of([whole], asked.entry_point, asked.roots)
    return Program(source, "body", (*flags, "trimmed") if trimmed else flags)


def _finished(asked: _Asked, pieces: Sequence[Piece], chosen: Piece, rule: str) -> Program:
    """The program of a chosen piece, with what it needs of others and of the prompt, without demos."""
    flags = ["cut-off"] * (not chosen.whole)
    if chosen.tree is None:
        return Program(tidy(chosen.source), rule, (*flags, "unparsed"))
    parts, unmet = joined(pieces, chosen, demos_too=asked.runs)
    if len(parts) > 1:
        flags.append("joined")
    before = prompt_piece(asked.problem, asked.entry_point) if unmet and not asked.runs else None
    if before is not None and not unmet.isdisjoint(before.bound):
        parts.insert(0, before)
        flags.append("prompt")
    known = any(one.has(asked.entry_point) for one in parts) if asked.entry_point else False
    source, trimmed = program_of(parts, asked.entry_point if known else "", asked.roots)
    flags += ["dedented"] * any(one.repaired for one in parts) + ["trimmed"] * trimmed
    if any(one.has(asked.entry_point) == WRITTEN for one in pieces[pieces.index(chosen) + 1 :]):
        flags.append("earlier")
    return Program(source, rule, tuple(flags))
