"""Which value a name has where: Python's scopes, with branches.

A scope is a stack of layers. A branch writes into a layer of its own, and the branches of a statement are merged
into the layer below, so that what a branch costs is what it binds.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from codejury.metrics.values import EMPTY, Value, join

if TYPE_CHECKING:
    from collections.abc import Iterable

Layer: TypeAlias = "dict[str, Value]"


class Bound(NamedTuple):
    """The names that the statements of a scope bind or declare."""

    local: frozenset[str]
    declared_global: frozenset[str]
    declared_nonlocal: frozenset[str]


NOTHING = Bound(frozenset(), frozenset(), frozenset())


class Scope:
    """One scope and what its names may be.

    Args:
        kind: What made it.
        outer: The scope around it, where names that are not its own are looked up.
        bound: Its names, of a function.
        foreign: What other scopes bind here by `global` or `nonlocal`.
    """

    def __init__(
        self,
        kind: Literal["module", "class", "function"],
        outer: Scope | None,
        bound: Bound,
        foreign: Layer,
    ) -> None:
        self.kind = kind
        self.bound = bound
        self.foreign = foreign
        self.outer = outer
        self._layers: list[Layer] = [{}]

    @property
    def around_functions(self) -> Scope:
        """The scope in which a function or class written here looks names up: methods do not see a class's."""
        return self.outer if self.kind == "class" and self.outer is not None else self

    def lookup(self, name: str) -> Value | None:
        """What a name may be here; None where no scope binds it, empty where its scope has not bound it yet."""
        scope: Scope | None = self
        while scope is not None:
            if (found := scope.own(name)) is not None:
                return found
            scope = scope.module if name in scope.bound.declared_global else scope.outer
        return None

    def write(self, name: str, value: Value) -> None:
        """Bind a name."""
        self._layers[-1][name] = value
        owner: Scope | None = None
        if name in self.bound.declared_global:
            owner = self.module
        elif name in self.bound.declared_nonlocal:
            owner = self.outer
            while owner is not None and name not in owner.bound.local:
                owner = owner.outer
        if owner is not None and owner is not self:
            owner.foreign[name] = join((owner.foreign.get(name, EMPTY), value))

    def push(self, layer: Layer | None = None) -> None:
        """Begin a branch, with what it has bound already."""
        self._layers.append({} if layer is None else layer)

    def pop(self) -> Layer:
        """End a branch; what it bound."""
        return self._layers.pop()

    def merge(self, branches: Iterable[Layer], ways: int, default: Layer) -> None:
        """Bind what the branches of a statement bound.

        Args:
            branches: What each bound.
            ways: Through the statement. Where there are more of them than branches that bind a name, it may be
                what it was before.
            default: What names are that nothing here has bound, such as builtins.
        """
        values: dict[str, list[Value]] = {}
        for branch in branches:
            for name, value in branch.items():
                values.setdefault(name, []).append(value)
        for name, found in values.items():
            if len(found) < ways:
                before = self.lookup(name)
                if before is None:
                    before = default.get(name)
                found.append(EMPTY if before is None else before)
            self.write(name, join(found))

    @property
    def module(self) -> Scope:
        """The module's scope."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope

    def own(self, name: str) -> Value | None:
        """What a name may be in this scope alone; None where it is not one of its names."""
        foreign = self.foreign.get(name) if self.foreign else None
        for layer in reversed(self._layers):
            if name in layer:
                return layer[name] if foreign is None else join((layer[name], foreign))
        if foreign is None and name in self.bound.local:
            return EMPTY
        return foreign


def names_bound(body: list[ast.stmt], parameters: Iterable[str]) -> Bound:
    """The names of a function with these statements, found without going into scopes within it."""
    local = set(parameters)
    declared: dict[type, set[str]] = {ast.Global: set(), ast.Nonlocal: set()}
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            declared[type(node)].update(node.names)
            continue
        local.update(_binds(node))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.comprehension):
            todo += [node.iter, *node.ifs]
        else:
            todo.extend(ast.iter_child_nodes(node))
    outside = declared[ast.Global] | declared[ast.Nonlocal]
    return Bound(frozenset(local - outside), frozenset(declared[ast.Global]), frozenset(declared[ast.Nonlocal]))


def _binds(node: ast.AST) -> list[str]:
    """The names that a node itself binds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name.partition(".")[0] for alias in aliases]
    return []
