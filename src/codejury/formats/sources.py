"""Python sources in the fields of rows, as syntax trees. Nothing is run."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from codejury.formats import checks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.formats.jsonl import Row


def parse(source: str) -> ast.Module:
    """The syntax tree of a source, without the warnings that Python has for it, as of unknown escapes.

    Raises:
        SyntaxError: It is no Python.
        ValueError: The same, as for a NUL character.
        RecursionError: It is nested too deeply.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def parse_field(row: Row, field: str, source: str) -> ast.Module:
    """The syntax tree of a source that comes from a field.

    Raises:
        InputError: It cannot be parsed.
    """
    try:
        return parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        reason = checks.shortened(f"{type(error).__name__}: {error}")
        raise row.error(f"cannot be parsed as Python: {reason}", field) from None


def imports_used(reference: ast.Module, tests: Sequence[ast.AST]) -> str:
    """The imports of a reference whose names its tests use: published sets run both in one module."""
    used = _names(tests)
    imports = [
        statement
        for statement in reference.body
        if isinstance(statement, (ast.Import, ast.ImportFrom))
        and used & {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    ]
    return "".join(ast.unparse(statement) + "\n" for statement in imports)


def constants_used(reference: ast.Module, tests: Sequence[ast.AST]) -> str:
    """The names that a reference assigns at its top level, and its tests use, with their imports before."""
    used = _names(tests)
    assigned = [
        statement
        for statement in reference.body
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and used & _assigned(statement)
    ]
    imports = imports_used(reference, [*tests, *assigned])
    return imports + "".join(ast.unparse(statement) + "\n" for statement in assigned)


def without_function(reference: ast.Module, name: str) -> str:
    """A program without one function: what its tests may use of it, as helpers and imports."""
    kept = [
        statement
        for statement in reference.body
        if not (isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and statement.name == name)
    ]
    return "".join(ast.unparse(statement) + "\n" for statement in kept)


def check_function(row: Row, field: str, source: str) -> tuple[str, str]:
    """Tests that define `check(candidate)` and call it with a function, without the call.

    Args:
        row: Where they stand.
        field: Its name.
        source: The tests; statements that do nothing but call, and functions that call `check`, are cut.

    Returns:
        The source, and the name of the function that `check` is called with.

    Raises:
        InputError: The tests are no Python, define no `check`, or do not call it with a name.
    """
    tree = parse_field(row, field, source)
    if not any(isinstance(node, ast.FunctionDef) and node.name == "check" for node in tree.body):
        raise row.error("defines no function 'check'", field)
    called = [
        node.args[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "check"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name)
    ]
    if not called:
        raise row.error("does not call 'check' with the name of a function", field)
    kept = [
        node
        for node in tree.body
        if not isinstance(node, ast.Expr) and not (isinstance(node, ast.FunctionDef) and _calls_check(node))
    ]
    return "".join(ast.unparse(node) + "\n" for node in kept), called[-1]


def _calls_check(function: ast.FunctionDef) -> bool:
    return function.name != "check" and "check" in _names([function])


def _assigned(statement: ast.stmt) -> set[str]:
    found = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return {node.id for node in found if isinstance(node.ctx, ast.Store)}


def _names(trees: Sequence[ast.AST]) -> set[str]:
    return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
