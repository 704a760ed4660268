"""Which names a statement binds, uses and may change: Python's scopes, as far as it takes to tell code from demos.

Where the answer cannot be known, as with `globals()`, a statement counts as using and changing everything. Nothing
here recurses: a tree may be as deep as the parser allows.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

OPAQUE = frozenset({"globals", "eval", "exec", "locals", "vars", "setattr", "delattr", "__import__"})
"""Functions that may bind, use or change any name."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass
class Names:
    """What a statement of a module does with the module's names.

    Attributes:
        binds: Names that it binds in the module, also from within functions by `global`.
        uses: Names that it reads and does not bind in a scope of its own, builtins included.
        stores: Names with an attribute or an item that it sets, as "f" of `f.cache = {}`.
        receivers: Names with a method that it calls, as "f" of `f.cache_clear()`.
        calls: What it calls, by the last name, as "seed" of `random.seed(0)`.
        imports: What it imports, by the name that it binds.
    """

    binds: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    receivers: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    imports: dict[str, str] = field(default_factory=dict)


@dataclass(eq=False)
class _Scope:
    kind: Literal["module", "class", "function", "comprehension"]
    outer: _Scope | None
    local: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)  # declared global
    read: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    received: set[str] = field(default_factory=set)


def names_of(statement: ast.stmt) -> Names:
    """The names of a statement of a module."""
    found = Names()
    module = _Scope("module", None)
    scopes = [module]
    stack: list[tuple[ast.AST, _Scope]] = [(statement, module)]
    while stack:
        node, scope = stack.pop()
        _note_bound(node, scope, found)
        _note_used(node, scope, found)
        for child, place in _children(node, scope):
            if place is not scope and place is not scopes[-1]:
                scopes.append(place)
            stack.append((child, place))
    for scope in scopes:
        _resolve(scope, found)
    return found


def _children(node: ast.AST, scope: _Scope) -> Iterator[tuple[ast.AST, _Scope]]:
    """The nodes below a node, each with the scope that it is in."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        inner = _Scope("class" if isinstance(node, ast.ClassDef) else "function", scope)
        if not isinstance(node, ast.ClassDef):
            inner.local |= _parameters(node.args)
        own = set(map(id, node.body)) if isinstance(node.body, list) else {id(node.body)}
        for child in ast.iter_child_nodes(node):
            yield child, inner if id(child) in own else scope
        return
    if isinstance(node, _COMPREHENSIONS):
        inner = _Scope("comprehension", scope)
        first = node.generators[0]
        yield first.iter, scope  # what the first loop is over is read outside
        for child in (*ast.iter_child_nodes(node), first.target, *first.ifs):
            if child is not first:
                yield child, inner
        return
    for child in ast.iter_child_nodes(node):
        yield child, scope


def _parameters(arguments: ast.arguments) -> set[str]:
    several = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    return {argument.arg for argument in several if argument is not None}


def _note_bound(node: ast.AST, scope: _Scope, found: Names) -> None:
    """What a node itself binds in its scope."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            scope.local.add(name)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            scope.local.add(name)
        case ast.Import(names=aliases):
            for alias in aliases:
                _import(alias.asname or alias.name.partition(".")[0], alias.name, scope, found)
        case ast.ImportFrom(module=module, names=aliases):
            for alias in aliases:
                _import(alias.asname or alias.name, f"{module}.{alias.name}", scope, found)
        case ast.Global(names=names):
            scope.shared.update(names)
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            scope.local.add(name)
        case ast.NamedExpr(target=ast.Name(id=name)):
            _real(scope).local.add(name)
        case _:
            pass


def _note_used(node: ast.AST, scope: _Scope, found: Names) -> None:
    """What a node itself reads and changes in its scope."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            scope.read.add(name)
        case ast.AugAssign(target=ast.Name(id=name)):
            scope.read.add(name)
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            scope.stored.update(_root(node, (ast.Attribute, ast.Subscript, ast.Call)))
        case ast.Call(func=ast.Attribute(attr=name) as function):
            found.calls.add(name)
            scope.received.update(_root(function, (ast.Attribute, ast.Subscript)))
        case ast.Call(func=ast.Name(id=name)):
            found.calls.add(name)
        case _:
            pass


def _import(name: str, origin: str, scope: _Scope, found: Names) -> None:
    scope.local.add(name)
    found.imports[name] = origin


def _real(scope: _Scope) -> _Scope:
    """The scope that `:=` binds in."""
    while scope.kind == "comprehension" and scope.outer is not None:
        scope = scope.outer
    return scope


def _root(node: ast.AST, through: tuple[type[ast.AST], ...]) -> Iterator[str]:
    """The name that a chain of attributes, items and calls begins with, if it does with one."""
    while isinstance(node, through):
        node = node.func if isinstance(node, ast.Call) else node.value  # type: ignore[attr-defined]
    if isinstance(node, ast.Name):
        yield node.id


def _resolve(scope: _Scope, found: Names) -> None:
    """Add what a scope does with names of the module."""
    if scope.kind == "module":
        found.binds |= scope.local
        found.uses |= scope.read
        found.stores |= scope.stored
        found.receivers |= scope.received
        return
    found.binds |= scope.local & scope.shared
    totals = ((scope.read, found.uses), (scope.stored, found.stores), (scope.received, found.receivers))
    for names, total in totals:
        total.update(name for name in names if not _bound(name, scope))


def _bound(name: str, scope: _Scope) -> bool:
    """Whether a name in a scope is that of a function around it.

    A class may read the module's name before it binds its own, so its names are not taken to hide the module's.
    """
    current: _Scope | None = scope
    while current is not None and current.kind != "module":
        if name in current.shared:
            return False
        if current.kind != "class" and name in current.local:
            return True
        current = current.outer
    return False
