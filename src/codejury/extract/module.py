"""Pieces of Python out of an answer: what each defines, and one program of several."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from codejury.extract import parsing
from codejury.extract.demos import Reach, Statement, demos, is_main_guard, statements_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__builtins__", "__spec__"}

DEFINED, ASSIGNED, WRITTEN, METHOD, STUB = 5, 4, 3, 2, 1
"""How much of an entry point a piece has: its definition; a value of this name; a definition that does not parse;
a method of a class; a definition without a body."""


@dataclass(eq=False)
class Piece:
    """A text that may be a module.

    Attributes:
        source: The text, its indentation repaired.
        tree: It as a module; None where it is no Python.
        tagged: Whether it was said to be Python.
        whole: Whether the answer was not cut off within it.
        repaired: Whether its indentation was.
        raw: The text as it was.
    """

    source: str
    tree: ast.Module | None
    tagged: bool = False
    whole: bool = True
    repaired: bool = False
    raw: str = ""

    @cached_property
    def statements(self) -> list[Statement]:
        """The module's statements; none where there is no module."""
        return [] if self.tree is None else statements_of(self.tree)

    @cached_property
    def bound(self) -> frozenset[str]:
        """Names that it binds, those of main guards left out."""
        return frozenset(
            name for one in self.statements if not is_main_guard(one.node) for name in one.names.binds
        )

    @cached_property
    def unmet(self) -> frozenset[str]:
        """Names that it needs and does not bind."""
        used = {name for one in self.statements for name in one.names.uses}
        return frozenset(used - self.bound - _BUILTINS)

    @cached_property
    def unmet_but_for_demos(self) -> frozenset[str]:
        """The same where its demos are left out."""
        places = demos(self.statements, Reach(self.statements, self.bound, ""))
        kept = (one for place, one in enumerate(self.statements) if place not in places)
        return self.unmet & {name for one in kept for name in one.names.uses}

    def has(self, name: str) -> int:
        """How much of an entry point it has: one of the levels above, or 0."""
        if self.tree is None:
            return WRITTEN if written(self.source, name) else 0
        for one in reversed(self.statements):
            if name in one.names.binds and name not in one.names.imports:
                return _level(one.node, name)
        return METHOD if any(_method(one.node, name) for one in self.statements) else 0


def piece(source: str, *, tagged: bool = False, whole: bool = True) -> Piece:
    """A text as a piece; where all of it is indented, without the indentation."""
    first = next((line for line in source.split("\n", 200) if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    if not indent:
        return Piece(source, parsing.parse(source).tree, tagged, whole, raw=source)
    repaired = "\n".join(line.removeprefix(indent) for line in source.split("\n"))
    tree = parsing.parse(repaired).tree
    return Piece(source if tree is None else repaired, tree, tagged, whole, repaired=tree is not None, raw=source)


def written(source: str, name: str) -> bool:
    """Whether a text has a line that begins the definition of a name."""
    return (
        re.search(rf"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+{re.escape(name)}\b", source, re.MULTILINE)
        is not None
    )


def joined(pieces: Sequence[Piece], chosen: Piece, *, demos_too: bool) -> tuple[list[Piece], set[str]]:
    """The chosen piece with those that define what it lacks, and what these lack, in the order of the answer.

    Of several that define a name, the nearest before it counts, else the nearest after it.

    Args:
        pieces: Of the answer.
        chosen: One of them.
        demos_too: Whether what their demos lack counts.

    Returns:
        The pieces, and the names that they still lack.
    """

    def lacking(one: Piece) -> frozenset[str]:
        return one.unmet if demos_too else one.unmet_but_for_demos

    order = {id(one): place for place, one in enumerate(pieces)}
    owners: dict[str, list[int]] = {}
    for place, one in enumerate(pieces):
        for name in one.bound:
            owners.setdefault(name, []).append(place)
    centre = order[id(chosen)]
    taken, wanted, known = {centre}, list(lacking(chosen)), set(chosen.bound)
    while wanted:
        name = wanted.pop()
        if name in known or name not in owners:
            continue
        places = owners[name]
        nearest = max((place for place in places if place < centre), default=None)
        place = min(places) if nearest is None else nearest
        known |= pieces[place].bound
        if place not in taken:
            taken.add(place)
            wanted += lacking(pieces[place])
    parts = [pieces[place] for place in sorted(taken)]
    return parts, {name for one in parts for name in lacking(one)} - known


def program_of(pieces: Sequence[Piece], entry_point: str, roots: Collection[str]) -> tuple[str, bool]:
    """The source of pieces in a row without their demos, and whether there were any.

    Args:
        pieces: Modules.
        entry_point: What the tests call; "" keeps everything.
        roots: What else the tests may look at.
    """
    if not entry_point:
        return tidy("\n\n".join(one.source.strip("\n") for one in pieces)), False
    together = [statement for one in pieces for statement in one.statements]
    reach = Reach(together, {entry_point, *roots}, entry_point)
    texts, trimmed = [], False
    for one in pieces:
        cut = demos(one.statements, reach)
        trimmed = trimmed or bool(cut)
        texts.append(_without(one, cut))
    return tidy("\n\n".join(text.strip("\n") for text in texts)), trimmed


def _without(one: Piece, cut: Collection[int]) -> str:
    """A piece's source without some statements, nor what stands below its last one then."""
    if not cut:
        return one.source
    lines = one.source.split("\n")
    gone = {
        number for place in cut for number in range(one.statements[place].first, one.statements[place].last + 1)
    }
    kept = [statement.last for place, statement in enumerate(one.statements) if place not in cut]
    last = max(kept, default=0)
    end = last if any(number > last for number in gone) else len(lines)
    return "\n".join(line for number, line in enumerate(lines[:end], 1) if number not in gone)


def tidy(source: str) -> str:
    """A source without blank lines around it, with an end of its last line."""
    text = source.strip("\n").rstrip()
    return f"{text}\n" if text else ""


def _level(node: ast.stmt, name: str) -> int:
    match node:
        case ast.FunctionDef(name=own) | ast.AsyncFunctionDef(name=own) | ast.ClassDef(name=own) if own == name:
            return STUB if is_stub(node) else DEFINED
        case ast.Assign(value=ast.Lambda()) | ast.AnnAssign(value=ast.Lambda()):
            return DEFINED
        case ast.If() | ast.Try() | ast.With():
            return ASSIGNED if is_main_guard(node) else DEFINED
        case ast.AnnAssign(value=None):
            return 0
    return ASSIGNED


def is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a definition has nothing but a docstring, `pass`, `...` or a raised `NotImplementedError`."""
    if isinstance(node, ast.ClassDef):
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        own = (all(map(_nothing, one.body)) if isinstance(one, functions) else _nothing(one) for one in node.body)
        return not node.bases and all(own)
    return all(map(_nothing, node.body))


def _nothing(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False


def _method(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.ClassDef) and any(
        isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name and not is_stub(one)
        for one in node.body
    )
