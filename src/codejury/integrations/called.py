"""What tests that are plain code call of a program: the names that they use and do not define."""

from __future__ import annotations

import ast
import builtins
import sys
import typing
import warnings
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from codejury.model import Assertions, Problem, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

_CALL = "codejury_call"

_DISPATCHER = f"""

def {_CALL}(name, arguments, keywords):
    return globals()[name](*arguments, **keywords)
"""

_FORWARDER = f"""\
def {{name}}(*arguments, **keywords):
    return {_CALL}({{name!r}}, arguments, keywords)
"""


class Called(msgspec.Struct, frozen=True):
    """How a program is judged by plain code.

    Attributes:
        problem: The problem that the code poses.
        suffix: What is added to the program: one function that calls the others, where the code calls several.
    """

    problem: Problem
    suffix: str = ""


def problem_of(problem_id: str, code: str, candidates: Iterable[str], where: str) -> Called:
    """The problem whose tests are code that was written to run after a program, in the same namespace.

    The code runs apart from the program, so it sees of it the functions that it calls and nothing else. Modules of
    the standard library whose attributes it uses, and names of `typing` that it does not call, are imported for
    it, as it may have had them from the program's imports.

    Args:
        problem_id: Id of the problem.
        code: The tests.
        candidates: Programs that answer it. They tell whether a class is called; and code that calls nothing but
            built-in functions tests those that they define.
        where: Where the code comes from, for errors.

    Raises:
        UsageError: The code is no Python, or uses nothing of a program.
    """
    tree = _parsed(code)
    if tree is None:
        raise UsageError(f"{where} is no Python: each reference is code that tests the candidates before it")
    defined: set[str] = set()
    classes: set[str] = set()
    for candidate in candidates:
        found = _parsed(candidate)
        for node in found.body if found is not None else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                defined.add(node.name)
                classes |= {node.name} if isinstance(node, ast.ClassDef) else set()
    names = _names(tree)
    modules = [name for name in names.attributes if name in sys.stdlib_module_names]
    types = [name for name in names.free if name in typing.__all__ and name not in names.called]
    called = [name for name in names.free if name not in (*modules, *types)]
    called = called or [name for name in names.built_in if name in names.called and name in defined]
    if not called:
        raise UsageError(f"{where} uses no function of the candidates: it tests nothing, and all would pass")
    imports = "".join(f"import {name}\n" for name in modules)
    imports += "".join(f"from typing import {name}\n" for name in types)
    if len(called) == 1:
        prompt = f"class {called[0]}:\n" if called[0] in classes else ""  # it says that objects are asked for
        tests = Assertions(code=(code,), context=imports)
        return Called(Problem(id=problem_id, prompt=prompt, entry_point=called[0], tests=tests))
    context = imports + "".join(_FORWARDER.format(name=name) for name in called)
    tests = Assertions(code=(code,), context=context)
    return Called(Problem(id=problem_id, prompt="", entry_point=_CALL, tests=tests), _DISPATCHER)


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Names(NamedTuple):
    """Names in code that it binds nowhere, each in the order of first use.

    Attributes:
        free: Those that are not built in.
        built_in: Those that are.
        called: Of both, those that are called.
        attributes: Of `free`, those of which attributes are used.
    """

    free: list[str]
    built_in: list[str]
    called: set[str]
    attributes: list[str]


def _names(tree: ast.Module) -> _Names:
    used: dict[str, None] = {}
    bound: set[str] = {"__name__", "__file__"}
    called: set[str] = set()
    attributes: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                used[node.id] = None
            else:
                bound.add(node.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes.add(node.value.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bound.add(node.name)
    names = [name for name in used if name not in bound]
    free = [name for name in names if not hasattr(builtins, name)]
    built_in = [name for name in names if hasattr(builtins, name)]
    return _Names(free, built_in, called & {*names}, [name for name in free if name in attributes])
