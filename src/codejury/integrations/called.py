"""What tests that are plain code call of a program: the names that they use and do not define."""

from __future__ import annotations

import ast
import builtins
import sys
import typing
import warnings
from typing import TYPE_CHECKING

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
    the standard library and names of `typing`, which it may have had from the program's imports, are imported for
    it.

    Args:
        problem_id: Id of the problem.
        code: The tests.
        candidates: Programs that answer it; what they define is theirs, also where a module is called the same.
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
    used = _free(tree)
    modules = [name for name in used if name not in defined and name in sys.stdlib_module_names]
    types = [name for name in used if name not in defined and name not in modules and name in typing.__all__]
    called = [name for name in used if name not in (*modules, *types)]
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


def _free(tree: ast.Module) -> list[str]:
    """Names that code uses and binds nowhere, in the order of their first use."""
    used: dict[str, None] = {}
    bound = set(dir(builtins)) | {"__name__", "__file__"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                used[node.id] = None
            else:
                bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bound.add(node.name)
    return [name for name in used if name not in bound]
