"""What expressions stand for, and which dangerous calls are in them.

Expressions are walked with a list of steps instead of recursion: a program may nest them as deep as it likes.
"""

from __future__ import annotations

import ast
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeAlias, cast

from codejury.metrics import names
from codejury.metrics.calls import Calls
from codejury.metrics.values import (
    ANY,
    EMPTY,
    EXTERNAL,
    MAX_ELEMENTS,
    MAX_TEXT,
    Const,
    Group,
    Value,
    add,
    compare,
    constant,
    constant_text,
    elements,
    group,
    join,
    mix,
    negate,
    only_sequence,
    sequence,
    truth,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from codejury.metrics.calls import Report
    from codejury.metrics.scopes import Scope

_Values: TypeAlias = "dict[ast.AST, Value]"
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class _Step(Enum):
    ENTER = auto()
    LEAVE = auto()
    BIND = auto()
    CLOSE = auto()


_Todo: TypeAlias = "list[tuple[_Step, ast.AST]]"


class Expressions:
    """Evaluates expressions in a scope.

    Args:
        report: Takes the dangers that are met.
        defer: Takes lambdas, whose bodies are looked at when their scope is complete.
    """

    def __init__(self, report: Callable[[Report], None], defer: Callable[[ast.Lambda, Scope], None]) -> None:
        self._calls = Calls(report)
        self._defer = defer

    def evaluate(self, root: ast.expr, scope: Scope) -> Value:
        """What an expression may stand for. Reports the dangerous calls in it."""
        values: _Values = {}
        called: set[ast.AST] = set()
        todo: _Todo = [(_Step.ENTER, root)]
        while todo:
            step, node = todo.pop()
            if step is _Step.ENTER:
                if isinstance(node, ast.Call):
                    called.add(node.func)
                self._enter(node, scope, values, todo)
            elif step is _Step.LEAVE:
                values[node] = self._leave(node, scope, values)
                if node not in called and isinstance(node, (ast.Call, ast.Subscript)):
                    self._calls.reflected(node, values)
            elif step is _Step.BIND:
                node = cast("ast.comprehension", node)
                self.bind(node.target, elements(values[node.iter]), scope)
            else:
                scope.pop()
                made = node.value if isinstance(node, ast.DictComp) else cast("ast.ListComp", node).elt
                values[node] = group([values[made]])
        return values[root]

    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Assign a value to a target."""
        match target:
            case ast.Name(id=name):
                scope.write(name, value)
            case ast.Starred(value=inner):
                self.bind(inner, group([value]), scope)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                known = only_sequence(value)
                one_by_one = known is not None and len(known.values) == len(targets)
                one_by_one = one_by_one and not any(isinstance(target, ast.Starred) for target in targets)
                shared = elements(value)
                for i, inner in enumerate(targets):
                    self.bind(inner, known.values[i] if one_by_one and known is not None else shared, scope)
            case ast.Subscript(value=ast.Name(id=name), slice=key):
                self._set_item(name, self.evaluate(key, scope), value, scope, target)
            case _:
                self.evaluate(target, scope)
                self._calls.escape(target, value)

    def escape(self, node: ast.expr, value: Value) -> None:
        """Report a dangerous function that goes where it is not followed."""
        self._calls.escape(node, value)

    def _set_item(self, name: str, key: Value, value: Value, scope: Scope, node: ast.expr) -> None:
        old = lookup(name, scope)
        if scope.own(name) is None or not any(isinstance(atom, Group) for atom in old):
            self._calls.escape(node, value)
            return
        new: list[Value] = []
        for atom in old:
            if not isinstance(atom, Group):
                new.append(frozenset({atom}))
            elif atom.exact and len(key) == 1 and isinstance(known := next(iter(key)), Const):
                items = dict(zip(atom.keys, atom.values, strict=True)) | {known: value}
                new.append(group(list(items.values()), list(items)))
            else:
                new.append(group([*atom.values, value]))
        scope.write(name, join(new))

    def _enter(self, node: ast.AST, scope: Scope, values: _Values, todo: _Todo) -> None:
        match node:
            case ast.Constant(value=value):
                values[node] = constant(value)
            case ast.Name(id=name):
                values[node] = lookup(name, scope)
            case ast.Lambda(args=arguments):
                self._defer(node, scope)
                values[node] = ANY
                todo += [(_Step.ENTER, d) for d in (*arguments.defaults, *arguments.kw_defaults) if d is not None]
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                scope.push()
                todo.extend(reversed(list(_steps(node))))
            case _:
                todo.append((_Step.LEAVE, node))
                todo.extend((_Step.ENTER, child) for child in reversed(list(_children(node))))

    def _leave(self, node: ast.AST, scope: Scope, values: _Values) -> Value:  # noqa: PLR0911 - one a kind of node
        match node:
            case ast.Call():
                return self._call(node, scope, values)
            case ast.Attribute(value=base, attr=name):
                return names.attribute_of(values[base], name)
            case ast.Subscript(value=base, slice=key):
                return names.item_of(values[base], values[key], lambda name: lookup(name, scope))
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return _display(items, values)
            case ast.Dict():
                return _dictionary(node, values)
            case ast.NamedExpr(target=target, value=inner):
                self.bind(target, values[inner], scope)
                return values[inner]
            case ast.Await(value=inner):
                return values[inner]
            case ast.Starred(value=inner):
                return elements(values[inner])
            case ast.Yield(value=ast.expr() as inner):
                self._calls.escape(inner, values[inner])
                return ANY
            case _:
                return _folded(node, values)

    def _call(self, node: ast.Call, scope: Scope, values: _Values) -> Value:
        given = self._calls.call(node, values, lambda name: lookup(name, scope))
        match node.func:
            case ast.Attribute(value=ast.Name(id=name) as changed, attr=method) if method in names.CHANGERS:
                old = values[changed]
                if any(isinstance(atom, Group) for atom in old):
                    # The group holds something else from now on; what, is followed no further.
                    scope.write(name, group([join([elements(old), ANY])]))
        return given


def lookup(name: str, scope: Scope) -> Value:
    """What a name may be in a scope, never empty.

    A name that nothing binds is the builtin, or the module that a reader takes it for.
    """
    found = scope.lookup(name)
    if found is None:
        found = names.BUILTINS.get(name) or names.UNBOUND.get(name)
    return found or ANY


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.keyword):
            yield child.value


def _steps(node: _Comprehension) -> Iterator[tuple[_Step, ast.AST]]:
    """How to walk a comprehension, in Python's order."""
    for generator in node.generators:
        yield _Step.ENTER, generator.iter
        yield _Step.BIND, generator
        for condition in generator.ifs:
            yield _Step.ENTER, condition
    for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
        yield _Step.ENTER, part
    yield _Step.CLOSE, node


def _display(items: list[ast.expr], values: _Values) -> Value:
    if len(items) > MAX_ELEMENTS:
        return group([join(values[item] for item in items)])
    found: list[Value] = []
    for item in items:
        if not isinstance(item, ast.Starred):
            found.append(values[item])
        elif (known := only_sequence(values[item.value])) is not None:
            found.extend(known.values)
        else:
            return group([join(values[item] for item in items)])
    return sequence(found)


def _dictionary(node: ast.Dict, values: _Values) -> Value:
    if len(node.keys) > MAX_ELEMENTS:
        return group([join(values[value] for value in node.values)])
    known: dict[Const, Value] = {}
    exact = True
    for key, value in zip(node.keys, node.values, strict=True):
        of_key = EMPTY if key is None else values[key]
        atom = next(iter(of_key)) if len(of_key) == 1 else None
        if isinstance(atom, Const):
            known[atom] = values[value]
        else:
            exact = False
    if exact:
        return group(list(known.values()), list(known))
    spread = [elements(values[v]) if k is None else values[v] for k, v in zip(node.keys, node.values, strict=True)]
    return group([join(spread)])


def _folded(node: ast.AST, values: _Values) -> Value:  # noqa: PLR0911 - one a kind of node
    """The value of an operator or a formatted text."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return add(values[left], values[right])
        case ast.BinOp(left=left, right=right):
            return mix(values[left], values[right])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return negate(values[operand])
        case ast.BoolOp(op=operator, values=operands):
            return _either([values[operand] for operand in operands], last_if=isinstance(operator, ast.Or))
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return compare(operator, values[left], values[right])
        case ast.IfExp(test=test, body=body, orelse=orelse):
            answer = truth(values[test])
            kept = {True: [body], False: [orelse], None: [body, orelse]}[answer]
            return join(values[branch] for branch in kept)
        case ast.FormattedValue(value=inner, conversion=-1, format_spec=None) if (
            constant_text(values[inner]) is not None
        ):
            return values[inner]
        case ast.FormattedValue(value=inner):
            return mix(values[inner])
        case ast.JoinedStr(values=parts):
            return _joined([values[part] for part in parts])
    return ANY


def _either(operands: list[Value], *, last_if: bool) -> Value:
    """`a or b …` (`last_if` true) or `a and b …`: what may come out."""
    found: list[Value] = []
    for operand in operands[:-1]:
        answer = truth(operand)
        if answer is None or answer is last_if:
            found.append(operand)
        if answer is last_if:
            return join(found)
    return join([*found, operands[-1] or ANY])


def _joined(parts: list[Value]) -> Value:
    found = [constant_text(part) for part in parts]
    whole = [text for text in found if text is not None]
    if len(whole) == len(parts) and sum(map(len, whole)) <= MAX_TEXT:
        return constant("".join(whole))
    return frozenset({EXTERNAL}) if any(EXTERNAL in part for part in parts) else ANY
