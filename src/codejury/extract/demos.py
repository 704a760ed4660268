"""Which statements at the end of a module are demos and tests of its entry point, and which it depends on.

A statement is cut only if nothing that the entry point reaches can tell: it binds none of the names, touches none
of the variables and changes none of the objects, by itself or by the functions that it calls. What is doubtful
stays. Definitions and imports always stay.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from codejury.extract.names import OPAQUE, Names, names_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_DEFINITIONS = (*_NAMED, ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)

# Calls that change what the whole program does, whatever they are given.
_LASTING = {"setrecursionlimit", "seed", "manual_seed", "stack_size", "set_int_max_str_digits", "setcontext"}
_LASTING |= {"getcontext", "set_printoptions", "seterr", "filterwarnings", "simplefilter", "setlocale", "register"}

# Modules whose functions leave nothing behind that a program depends on.
_HARMLESS = {
    "unittest",
    "doctest",
    "pytest",
    "pprint",
    "logging",
    "time",
    "timeit",
    "asyncio",
    "sys",
    "math",
    "json",
}
_HARMLESS |= {"cProfile", "matplotlib", "rich"}


@dataclass
class Statement:
    """A statement of a module.

    Attributes:
        node: Its tree.
        first, last: Its lines, 1-based, decorators included.
    """

    node: ast.stmt
    first: int
    last: int

    @cached_property
    def names(self) -> Names:
        """What it does with the module's names."""
        return names_of(self.node)

    @property
    def defines(self) -> bool:
        """Whether it is a definition or an import, also under a condition or in `try`; or does nothing at all."""
        node = self.node
        if isinstance(node, _DEFINITIONS) or _idle(node):
            return True
        if not isinstance(node, ast.If | ast.Try | ast.With) or is_main_guard(node):
            return False
        return any(isinstance(child, _DEFINITIONS) for child in _inner(node))


def statements_of(tree: ast.Module) -> list[Statement]:
    """The statements of a module with their lines."""
    found = []
    for node in tree.body:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        found.append(Statement(node, first, node.end_lineno or node.lineno))
    return found


def is_main_guard(node: ast.stmt) -> bool:
    """Whether it is `if __name__ == "__main__"`, which does nothing where a program is imported."""
    match node:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()])):
            return not node.orelse
        case ast.If(test=ast.Compare(ops=[ast.Eq()], comparators=[ast.Name(id="__name__")])):
            return not node.orelse
    return False


def demos(statements: Sequence[Statement], reach: Reach) -> set[int]:
    """Places of the statements at the end that can be cut without the entry point noticing.

    Looks from the end; the first statement that does something for the entry point ends the search. A value that
    is assigned goes only if a call makes it, or demos alone use it, and nothing else does.
    """
    cut: set[int] = set()
    assigned: list[int] = []
    for place in range(len(statements) - 1, -1, -1):
        statement = statements[place]
        if statement.defines or _shares_a_line(statements, place):
            continue
        if is_main_guard(statement.node):
            cut.add(place)
        elif reach.needs(statement):
            break
        elif isinstance(statement.node, _ASSIGNMENTS):
            assigned.append(place)
        else:
            cut.add(place)
    return cut | _unused(statements, assigned, cut)


def _unused(statements: Sequence[Statement], assigned: Sequence[int], cut: Collection[int]) -> set[int]:
    """Places of the assignments that only served what is cut, and of each other."""
    used = Counter(name for place, one in enumerate(statements) if place not in cut for name in one.names.uses)
    served = {name for place in cut for name in statements[place].names.uses}
    binders: dict[str, list[int]] = defaultdict(list)
    for place in assigned:
        for name in statements[place].names.binds:
            binders[name].append(place)
    found: set[int] = set()
    waiting = list(reversed(assigned))
    while waiting:
        place = waiting.pop()
        names = statements[place].names
        if place in found or any(used[name] > (name in names.uses) for name in names.binds):
            continue
        if not _calls(statements[place].node) and names.binds.isdisjoint(served):
            continue
        found.add(place)
        used.subtract(names.uses)
        served |= names.uses
        waiting += [other for name in names.uses for other in binders[name]]
    return found


class Reach:
    """What an entry point depends on in a module."""

    def __init__(self, statements: Sequence[Statement], roots: Collection[str], entry_point: str) -> None:
        self._entry_point = entry_point
        self._binders: dict[str, list[Statement]] = defaultdict(list)
        self._users: dict[str, list[Statement]] = defaultdict(list)
        self._imports: dict[str, str] = {}
        self._classes: set[str] = set()
        self._variables: set[str] = set()
        for statement in statements:
            if is_main_guard(statement.node):
                continue
            names = statement.names
            for name in names.binds:
                self._binders[name].append(statement)
            for name in names.uses | names.stores | names.receivers | names.binds:
                self._users[name].append(statement)
            self._imports |= names.imports
            if isinstance(statement.node, ast.ClassDef):
                self._classes.add(statement.node.name)
            if not isinstance(statement.node, _DEFINITIONS):
                self._variables |= names.binds - names.imports.keys()
            elif isinstance(statement.node, _NAMED):
                self._variables |= names.binds - {statement.node.name}
        self.names: set[str] = set()
        self._relevant: set[str] = set()
        opaque = [one for name in OPAQUE for one in self._users[name]]
        self._follow(roots, _defined(opaque))
        if not OPAQUE.isdisjoint(self.names):  # it may read any name
            self._follow(list(self._binders), ())

    def needs(self, statement: Statement) -> bool:
        """Whether the entry point may depend on what a statement does."""
        names = statement.names
        if not names.binds.isdisjoint(self.names) or not OPAQUE.isdisjoint(names.uses):
            return True
        if not names.uses.isdisjoint(self._relevant) or not names.calls.isdisjoint(_LASTING):
            return True
        if any(name in self._variables for name in (names.uses & self.names) - {self._entry_point}):
            return True
        if any(name in self.names or name in self._imports or name in self._classes for name in names.stores):
            return True
        if any(name in self.names and name not in self._imports for name in names.receivers):
            return True
        return self._calls_a_module(statement.node)

    def _calls_a_module(self, node: ast.stmt) -> bool:
        """Whether a statement is a call of an imported function that may leave something behind."""
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            return False
        function: ast.expr = node.value.func
        while isinstance(function, ast.Attribute):
            function = function.value
        if not isinstance(function, ast.Name) or function.id not in self._imports:
            return False
        return self._imports[function.id].partition(".")[0] not in _HARMLESS

    def _follow(self, roots: Iterable[str], touching: Iterable[str]) -> None:
        """Names that are needed, and definitions that touch variables which are needed, until there are no more.

        Whatever statement uses such a variable or definition may give it another name, which is needed then, too.

        Args:
            roots: Names that are needed.
            touching: Definitions that touch variables which nobody can tell.
        """
        wanted = list(roots)
        relevant = list(touching)
        while wanted or relevant:
            if wanted:
                name = wanted.pop()
                if name in self.names:
                    continue
                self.names.add(name)
                for statement in self._binders[name]:
                    wanted += statement.names.uses
                if name in self._variables:
                    relevant.append(name)
                continue
            name = relevant.pop()
            if name in self._relevant or name == self._entry_point:
                continue
            self._relevant.add(name)
            for statement in self._users[name]:
                if isinstance(statement.node, _NAMED):
                    relevant.append(statement.node.name)
                else:
                    wanted += statement.names.binds


def _defined(statements: Iterable[Statement]) -> list[str]:
    return [one.node.name for one in statements if isinstance(one.node, _NAMED)]


def _calls(node: ast.stmt) -> bool:
    return any(isinstance(child, ast.Call | ast.Await) for child in ast.walk(node))


def _idle(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
            return True
        case _:
            return False


def _inner(node: ast.stmt) -> list[ast.stmt]:
    """The statements directly below a condition, a `try` or a `with`."""
    found: list[ast.stmt] = []
    for field in ("body", "orelse", "finalbody"):
        found += getattr(node, field, [])
    for handler in getattr(node, "handlers", []):
        found += handler.body
    return found


def _shares_a_line(statements: Sequence[Statement], place: int) -> bool:
    one = statements[place]
    before = statements[place - 1] if place else None
    after = statements[place + 1] if place + 1 < len(statements) else None
    return (before is not None and before.last == one.first) or (after is not None and after.first == one.last)
