"""The statements of a program, in the order in which they run.

Branches of a statement all may run. The body of an outermost loop is looked at twice, so that what one round binds
is known in the next. Function bodies come after everything else of the scope that they stand in, since they run
when its names are bound.
"""

from __future__ import annotations

import ast
from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from codejury.metrics import names
from codejury.metrics.dangers import LOADERS
from codejury.metrics.expressions import Expressions, lookup
from codejury.metrics.scopes import NOTHING, Layer, Scope, names_bound
from codejury.metrics.values import ANY, EMPTY, Value, add, elements, join, mix

if TYPE_CHECKING:
    from collections.abc import Callable

    from codejury.metrics.calls import Report

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Branch: TypeAlias = ast.If | ast.Match
_Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
_Try: TypeAlias = "ast.Try | ast.TryStar"
_Foreign: TypeAlias = dict[ast.AST, Layer]

MAX_PASSES = 3
_UNPICKLERS: Value = frozenset(
    f"{module}.Unpickler" for module in ("pickle", "_pickle", "cPickle", "dill", "cloudpickle")
)


def walk(tree: ast.Module) -> list[Report]:
    """The dangers in a program, some of them several times.

    What functions bind elsewhere, by `global` or `nonlocal`, is known only after all are looked at, so there are
    further passes as long as it grows, up to a fixed number.
    """
    foreign: _Foreign = {}
    reports: list[Report] = []
    for _ in range(MAX_PASSES):
        before = {node: dict(layer) for node, layer in foreign.items() if layer}
        reports = []
        _Pass(reports.append, foreign).run(tree)
        if before == {node: layer for node, layer in foreign.items() if layer}:
            break
    return reports


class _Pass:
    """One look at the whole program."""

    def __init__(self, report: Callable[[Report], None], foreign: _Foreign) -> None:
        self._foreign = foreign
        self._later: deque[tuple[_Function | ast.Lambda, Scope, dict[str, Value]]] = deque()
        self._expressions = Expressions(report, lambda node, scope: self._defer(node, scope, {}))
        self._in_loop = False
        self._scope = Scope("module", None, NOTHING, {})

    def run(self, tree: ast.Module) -> None:
        self._scope = Scope("module", None, NOTHING, self._foreign.setdefault(tree, {}))
        self._block(tree.body)
        while self._later:
            self._function(*self._later.popleft())

    def _defer(self, node: _Function | ast.Lambda, scope: Scope, defaults: dict[str, Value]) -> None:
        self._later.append((node, scope.around_functions, defaults))

    def _function(self, node: _Function | ast.Lambda, outer: Scope, defaults: dict[str, Value]) -> None:
        parameters = [argument.arg for argument in _parameters(node.args)]
        body = [] if isinstance(node, ast.Lambda) else node.body
        self._scope = Scope("function", outer, names_bound(body, parameters), self._foreign.setdefault(node, {}))
        self._in_loop = False
        for name in parameters:
            self._scope.write(name, join((ANY, defaults.get(name, EMPTY))))
        if isinstance(node, ast.Lambda):
            self._expressions.escape(node.body, self._value(node.body))
        else:
            self._block(body)

    def _value(self, node: ast.expr) -> Value:
        return self._expressions.evaluate(node, self._scope)

    def _bind(self, target: ast.expr, value: Value) -> None:
        self._expressions.bind(target, value, self._scope)
        if self._scope.kind == "class":
            self._expressions.escape(target, value)

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.If() | ast.Match():
                self._branches(node)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._loop(node)
            case ast.Try():
                self._try(node)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    value = self._value(item.context_expr)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, value)
                self._block(node.body)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.ClassDef():
                self._class(node)
            case _ if type(node).__name__ == "TryStar":
                self._try(node)  # type: ignore[arg-type]
            case _:
                self._simple(node)

    def _simple(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=assigned):
                value = self._value(assigned)
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as assigned):
                self._value(annotation)
                self._bind(target, self._value(assigned))
            case ast.Import():
                self._import(node)
            case ast.ImportFrom():
                self._import_from(node)
            case ast.AugAssign():
                self._change(node)
            case ast.Return(value=ast.expr() as returned):
                self._expressions.escape(returned, self._value(returned))
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._value(child)

    def _change(self, node: ast.AugAssign) -> None:
        value = self._value(node.value)
        old = lookup(node.target.id, self._scope) if isinstance(node.target, ast.Name) else ANY
        self._bind(node.target, add(old, value) if isinstance(node.op, ast.Add) else mix(old, value))

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            head = alias.name.partition(".")[0]
            self._scope.write(alias.asname or head, names.module(alias.name if alias.asname else head))

    def _import_from(self, node: ast.ImportFrom) -> None:
        source = node.module if node.module is not None and node.level == 0 else None
        for alias in node.names:
            if alias.name == "*":
                for name, value in ({} if source is None else names.exports(source)).items():
                    self._scope.write(name, value)
            else:
                value = ANY if source is None else names.imported(source, alias.name)
                self._scope.write(alias.asname or alias.name, value)

    def _branches(self, node: _Branch) -> None:
        branches: list[Layer] = []
        if isinstance(node, ast.Match):
            self._value(node.subject)
            for case in node.cases:
                self._scope.push(dict.fromkeys(_captured(case.pattern), ANY))
                if case.guard is not None:
                    self._value(case.guard)
                self._block(case.body)
                branches.append(self._scope.pop())
            ways = len(branches) + 1
        else:
            rest: list[ast.stmt] = [node]
            # A chain of elif is nested in the tree and may be long: it is walked, not entered.
            while len(rest) == 1 and isinstance(rest[0], ast.If):
                self._value(rest[0].test)
                self._scope.push()
                self._block(rest[0].body)
                branches.append(self._scope.pop())
                rest = rest[0].orelse
            self._scope.push()
            self._block(rest)
            branches.append(self._scope.pop())
            ways = len(branches)
        self._merge(branches, ways)

    def _loop(self, node: _Loop) -> None:
        outermost, self._in_loop = not self._in_loop, True
        for _ in range(2 if outermost else 1):
            if isinstance(node, ast.While):
                self._value(node.test)
                self._scope.push()
            else:
                value = elements(self._value(node.iter))
                self._scope.push()
                self._bind(node.target, value)
            self._block(node.body)
            self._merge([self._scope.pop()], 2)
        self._in_loop = not outermost
        self._block(node.orelse)

    def _try(self, node: _Try) -> None:
        self._scope.push()
        self._block(node.body)
        tried = self._scope.pop()
        # A handler sees what the body bound before it failed, or not.
        self._scope.push()
        self._merge([tried], 2)
        branches = []
        for handler in node.handlers:
            self._scope.push({} if handler.name is None else {handler.name: ANY})
            if handler.type is not None:
                self._value(handler.type)
            self._block(handler.body)
            branches.append(self._scope.pop())
        self._scope.pop()
        self._scope.push(tried)
        self._block(node.orelse)
        branches.append(self._scope.pop())
        self._merge(branches, len(branches))
        self._block(node.finalbody)

    def _merge(self, branches: list[Layer], ways: int) -> None:
        self._scope.merge(branches, ways, names.BUILTINS)

    def _define(self, node: _Function) -> None:
        arguments = node.args
        for decorator in node.decorator_list:
            self._expressions.escape(decorator, self._value(decorator))
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs = list(zip(reversed(positional), reversed(arguments.defaults), strict=False))
        pairs += [
            (a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None
        ]
        defaults = {argument.arg: self._value(default) for argument, default in pairs}
        for annotation in (*(a.annotation for a in _parameters(arguments)), node.returns):
            if annotation is not None:
                self._value(annotation)
        self._scope.write(node.name, ANY)
        self._defer(node, self._scope, defaults)

    def _class(self, node: ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self._value(decorator)
        bases = [self._value(base) for base in node.bases]
        for keyword in node.keywords:
            self._value(keyword.value)
        outer, in_loop = self._scope, self._in_loop
        self._scope = Scope("class", outer.around_functions, NOTHING, {})
        self._block(node.body)
        self._scope, self._in_loop = outer, in_loop
        self._scope.write(node.name, _inherited(node, bases))


def _inherited(node: ast.ClassDef, bases: list[Value]) -> Value:
    """What a class is to the rules: a loader is as safe as its base; an unpickler that chooses classes is safe."""
    found = EMPTY.union(*bases) & (LOADERS | _UNPICKLERS)
    chooses = any(isinstance(item, ast.FunctionDef) and item.name == "find_class" for item in node.body)
    return ANY if not found or (chooses and found & _UNPICKLERS) else found


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    starred = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred]


def _captured(pattern: ast.pattern) -> list[str]:
    """The names that a pattern binds."""
    found = []
    for node in ast.walk(pattern):
        name = node.rest if isinstance(node, ast.MatchMapping) else getattr(node, "name", None)
        if isinstance(name, str) and isinstance(node, ast.pattern):
            found.append(name)
    return found
