"""Answers that are the body of the function that the prompt begins."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from codejury.extract import parsing
from codejury.extract.module import DEFINED, Piece, piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codejury.model import Problem

_INDENTED = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_HEADER = re.compile(r"^(?:async[ \t]+)?(?:def|class)\b", re.MULTILINE)


def completed(problem: Problem, entry_point: str, text: str) -> tuple[Piece, bool] | None:
    """The program of the prompt and a body, and whether the body's indentation had to be repaired.

    Tried are the text as it is, with its first line indented as the rest, and with all lines indented. A text is
    the body only if the function has more than its docstring then; one that is not indented must return or yield.

    Returns:
        None where the prompt is no code, or the text no body.
    """
    if not (entry_point and _HEADER.search(problem.prompt)):
        return None
    for program, repaired in _filled(problem, text) if problem.suffix else _continued(problem.prompt, text):
        made = piece(program)
        if made.tree is not None and made.has(entry_point) == DEFINED and not _returns_outside(made.tree):
            return made, repaired
    return None


def _filled(problem: Problem, text: str) -> Iterator[tuple[str, bool]]:
    """The prompt, a text and the suffix: to the character, then with line ends and indentation around the text."""
    prompt, suffix = problem.prompt, problem.suffix
    body = text.strip("\n")
    ends = ("",) if suffix.startswith("\n") else ("", "\n")
    if "#" in body.rpartition("\n")[2]:  # a comment would swallow what follows
        ends = ends[::-1]
    begins = ("",) if prompt.rstrip(" \t").endswith("\n") else ("", "\n")
    given = prompt[len(prompt.rstrip(" \t")) :]
    for begin in begins:
        for end in ends:
            yield f"{prompt}{begin}{body}{end}{suffix}", False
    if given and body.startswith(given):
        yield f"{prompt}{body.removeprefix(given)}{suffix}", True
    if not body[:1].strip():
        return
    before = prompt.rstrip().rpartition("\n")[2]
    outer = before[: len(before) - len(before.lstrip(" \t"))]
    following = _INDENTED.match(suffix.lstrip("\n"))
    inner = outer + "    " if before.endswith(":") else outer
    for indent in dict.fromkeys((inner, following[1] if following else inner, outer)):
        lines = (indent + line if line.strip() else line for line in body.split("\n"))
        indented = "\n".join(lines)
        yield f"{prompt}{begins[-1]}{indented}{max(ends)}{suffix}", True


def _continued(prompt: str, text: str) -> Iterator[tuple[str, bool]]:
    """The prompt and a text in each indentation that it may have."""
    text = text.rstrip("\n")
    body = text.lstrip("\n")
    if prompt.rstrip(" \t").endswith("\n"):
        prompt = prompt.rstrip(" \t")
    elif not text.startswith("\n"):
        prompt += "\n"
    if not body[:1].strip():
        yield f"{prompt}{text}\n", False
        return
    indent = _indent(prompt)
    following = _INDENTED.search(body)
    if following is not None and len(following[1]) >= len(indent):
        yield f"{prompt}{indent}{body}\n", True
    if re.search(r"^(?:return|yield|raise)\b", body, re.MULTILINE):
        lines = (indent + line if line.strip() else line for line in body.split("\n"))
        yield prompt + "\n".join(lines) + "\n", True


def _returns_outside(tree: ast.Module) -> bool:
    """Whether a module returns outside of its functions, which parses and cannot be run."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    nodes: list[ast.AST] = list(tree.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, functions):
            nodes += ast.iter_child_nodes(node)
    return False


def prompt_piece(problem: Problem, entry_point: str) -> Piece | None:
    """What the prompt defines beside the entry point: imports, helpers; None where it is no code or has none."""
    source = _context(problem.prompt, entry_point)
    return Piece(source, parsing.parse(source).tree) if source else None


@lru_cache(maxsize=512)
def _context(prompt: str, entry_point: str) -> str:
    tree = parsing.parse(prompt).tree or parsing.parse(f"{prompt.rstrip()}\n{_indent(prompt)}pass\n").tree
    if tree is None:
        return ""
    one = Piece(prompt, tree)
    lines = prompt.split("\n")
    kept = [
        "\n".join(lines[statement.first - 1 : statement.last])
        for statement in one.statements
        if not _defines(statement.node, entry_point) and not isinstance(statement.node, ast.Expr)
    ]
    return "\n".join(kept) + "\n" if kept else ""


def _defines(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name


def _indent(prompt: str) -> str:
    """The indentation of the function that a prompt ends in."""
    headers = list(_HEADER.finditer(prompt))
    found = _INDENTED.search(prompt, headers[-1].start()) if headers else None
    return found[1] if found is not None else "    "
