"""Mutants of a program: copies that differ from it in one place, as a slip of the author would.

Tests that a mutant passes do not look at what it changed, unless the mutant does the same as the program. The
share of mutants that fail is the mutation score of the tests. The operators are classic ones: relational,
arithmetic and logical operators exchanged, constants shifted, signs and statements removed, conditions negated,
results dropped (DeMillo, Lipton and Sayward, Hints on test data selection, 1978). Nothing is run here.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Div),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = (
    *_FUNCTIONS,
    ast.If,
    ast.While,
    ast.For,
    ast.AsyncFor,
    ast.Try,
    ast.TryStar,
    ast.ExceptHandler,
)
_KEPT = (ast.Pass, *_FUNCTIONS, ast.Nonlocal)  # without these a program means the same, or is none
_LARGE_BITS = 1 << 12  # Python refuses to write out whole numbers far above


class Mutant(msgspec.Struct, frozen=True):
    """A program that differs from another in one place.

    Attributes:
        label: What was changed, as "line 3: Lt to LtE": unique among the mutants of a program. The line is that of
            the changed expression; of a removed statement it is that of the block which held it. The second mutant
            that would be called the same ends in " #2", and so on.
        line: Where the change is, in the program that was mutated, from 1; of a removed statement its own line.
        source: The mutant, without the comments and the layout of the program.
    """

    label: str
    line: int
    source: str


class _Change(msgspec.Struct, frozen=True):
    """What makes a mutant of a tree: `value` in a place of `holder`, a node's attribute or a list's item."""

    name: str
    line: int
    holder: ast.AST | list[ast.stmt] | list[ast.cmpop]
    place: str | int
    value: object

    def put(self, value: object) -> object:
        """Put a value in the place; returns what was there."""
        if isinstance(self.place, str):
            before = getattr(self.holder, self.place)
            setattr(self.holder, self.place, value)
        else:
            items: list[object] = self.holder  # type: ignore[assignment]  # a place that is a number is a list's
            before = items[self.place]
            items[self.place] = value
        return before


def mutants(source: str, *, first_line: int = 1) -> Iterator[Mutant]:
    """The mutants of a program, in the order of `ast.walk`.

    Docstrings, annotations and what an exception is raised with stay as they are: programs may differ in them and
    be right. A mutant that is no program, as one that has lost the binding of a nonlocal name, is left out.

    Args:
        source: The program.
        first_line: The first line that may be changed, from 1. Before it stands what every answer has, as a
            prompt's signature.

    Raises:
        SyntaxError: `source` is no program for this interpreter.
        ValueError: It holds what Python does not write out again, as a whole number of over 4,300 digits.
    """
    tree = ast.parse(source)
    original = ast.dump(tree)
    spared = _spared(tree)
    numbers: Counter[str] = Counter()
    for node in list(ast.walk(tree)):
        if id(node) in spared:
            continue
        for change in _changes(node):
            if change.line < first_line:
                continue
            name = f"line {getattr(node, 'lineno', 0)}: {change.name}"
            numbers[name] += 1
            mutant = _written(tree, change)
            if mutant is not None and _is_another(mutant, original):
                number = numbers[name]
                yield Mutant(name if number == 1 else f"{name} #{number}", change.line, mutant)


def _spared(tree: ast.Module) -> set[int]:
    """The ids of the nodes that stay as they are."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) or _is_docstring(node):
            roots.append(node)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            roots.append(node.annotation)
        elif isinstance(node, _FUNCTIONS):
            roots.append(node.returns)
    return {id(below) for root in roots if root is not None for below in ast.walk(root)}


def _written(tree: ast.Module, change: _Change) -> str | None:
    """The source of a tree with a change; None if it cannot be written. The tree stays as it was."""
    before = change.put(change.value)
    try:
        return ast.unparse(tree) + "\n"
    except (ValueError, RecursionError):  # quotes in f-strings that Python 3.11 cannot nest
        return None
    finally:
        change.put(before)


def _is_another(mutant: str, original: str) -> bool:
    """Whether a text is a program other than the one of the dumped tree `original`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as of `0 is x`, which is what a mutant may say
        try:
            tree = ast.parse(mutant)
            compile(tree, "<mutant>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return False
    return ast.dump(tree) != original


def _changes(node: ast.AST) -> Iterator[_Change]:
    """The changes of one node."""
    line: int = getattr(node, "lineno", 0)
    for name, holder, place, value in (*_of_expressions(node), *_of_control(node)):
        yield _Change(name, line, holder, place, value)
    if isinstance(node, _BLOCKS):
        yield from _removals(node.body)
        yield from _removals(getattr(node, "orelse", []))


_Parts = tuple[str, ast.AST | list[ast.cmpop], str | int, object]


def _of_expressions(node: ast.AST) -> Iterator[_Parts]:
    """Operators, signs and constants."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in _COMPARISONS[type(operator)]:
                yield f"{type(operator).__name__} to {other.__name__}", node.ops, place, other()
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        for arithmetic in _ARITHMETIC.get(type(node.op), ()):
            yield f"{type(node.op).__name__} to {arithmetic.__name__}", node, "op", arithmetic()
    elif isinstance(node, ast.BoolOp):
        yield "swapped and, or", node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "removed sign", node, "op", ast.UAdd()
    elif isinstance(node, ast.Constant):
        for value in _other_constants(node.value):
            yield f"{node.value!r} to {value!r}", node, "value", value


def _of_control(node: ast.AST) -> Iterator[_Parts]:
    """Results and conditions."""
    if isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield "returns None", node, "value", ast.Constant(None)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "negated condition", node, "test", ast.UnaryOp(ast.Not(), node.test)


def _removals(statements: list[ast.stmt]) -> Iterator[_Change]:
    """Each statement of a block removed, if that could mean another thing."""
    for place, statement in enumerate(statements):
        if not (isinstance(statement, _KEPT) or _is_docstring(statement)):
            name = f"removed {type(statement).__name__}"
            yield _Change(name, statement.lineno, statements, place, ast.Pass())


def _is_docstring(node: ast.AST) -> bool:
    """Whether a node is a statement of a constant alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _other_constants(value: object) -> tuple[object, ...]:
    """Constants close to a given one."""
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value - 1) if value.bit_length() < _LARGE_BITS else ()
    if isinstance(value, float):
        return (value + 1.0,) if value + 1.0 != value else ()
    if isinstance(value, str):
        return (value + "x",)
    return ()
