"""Calls: whether they are dangerous, and what they give."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from codejury.metrics import names
from codejury.metrics.dangers import COMPUTED_BUILTIN, RULES, Call, Danger, Rule
from codejury.metrics.values import (
    ANY,
    EXTERNAL,
    NONE,
    Const,
    Group,
    Value,
    constant,
    elements,
    group,
    harmless,
    join,
    mix,
    only_sequence,
    sequence,
    texts,
    truth,
)

_Lookup: TypeAlias = Callable[[str], Value]
_Values: TypeAlias = dict[ast.AST, Value]

# Calls that look at a function they are given and do not call it.
_LOOKERS = frozenset(
    {"print", "id", "type", "repr", "hasattr", "callable", "isinstance", "str", "dir", "help", "hash", "getattr"}
)
_MAX_PASSED = 12  # arguments that are looked at with a function that is passed


class Report(NamedTuple):
    """A danger that was met.

    Attributes:
        node: Where.
        path: The function.
        rule: What it breaks.
        danger: How bad it is.
        passed: Whether the function is not called here but handed on.
    """

    node: ast.expr
    path: str
    rule: Rule
    danger: Danger
    passed: bool


class Calls:
    """Judges calls.

    Args:
        report: Takes the dangers that are met.
    """

    def __init__(self, report: Callable[[Report], None]) -> None:
        self._report = report

    def call(self, node: ast.Call, values: _Values, lookup: _Lookup) -> Value:
        """Report what is dangerous about a call; what it gives."""
        function = values[node.func]
        call = _arguments(node, values)
        paths = _paths(function)
        sure = all(atom in RULES or atom == NONE for atom in function)
        for path in paths:
            self._check(node, path, call, sure=sure)
        if not (isinstance(node.func, ast.Name) and node.func.id in _LOOKERS):
            self._passed(node, call)
        given = [
            self._result(path, call, lookup, node) for path in sorted(a for a in function if isinstance(a, str))
        ]
        given += [elements(frozenset({atom})) for atom in function if isinstance(atom, Group)]
        return join(given) or ANY

    def escape(self, node: ast.expr, value: Value) -> None:
        """Report a function that is dangerous whatever it is given, and goes where it is not followed."""
        for path in _paths(value):
            self._check(node, path, Call(), passed=True)

    def reflected(self, node: ast.Call | ast.Subscript, values: _Values) -> None:
        """Report a dangerous function that is taken by a name in a text, and not called at once."""
        taken_from = values[node.func if isinstance(node, ast.Call) else node.value]
        if any(isinstance(atom, str) and names.reflects(atom) for atom in taken_from):
            self.escape(node, values[node])

    def _passed(self, node: ast.Call, call: Call) -> None:
        for i, argument in enumerate(call.args):
            for path in _paths(argument):
                rest = call.args[i + 1 : i + 1 + _MAX_PASSED]
                self._check(node, path, Call(rest, call.keywords, call.more), passed=True)
        for argument in call.keywords.values():
            self.escape(node, argument)

    def _check(self, node: ast.expr, path: str, call: Call, *, sure: bool = True, passed: bool = False) -> None:
        rule = RULES[path]
        danger = rule.check(rule, call)
        if danger is None:
            return
        if (passed or not sure) and danger.confidence == "high":
            danger = danger._replace(confidence="medium")
        self._report(Report(node, path, rule, danger, passed))

    def _result(self, path: str, call: Call, lookup: _Lookup, node: ast.Call) -> Value:
        """What a call of a path gives."""
        first = call.argument(0) or ANY
        if path == EXTERNAL:
            return frozenset({EXTERNAL})
        if path.endswith(names.GETTER):
            return names.item_of(frozenset({path.removesuffix(names.GETTER)}), first, lookup)
        if path.startswith(names.ATTRGETTER):
            return names.attribute_of(first, path.removeprefix(names.ATTRGETTER))
        if path.startswith(names.METHODCALLER):
            self.escape(node, names.attribute_of(first, path.removeprefix(names.METHODCALLER)))
            return ANY
        if path == "builtins.getattr":
            return self._getattr(call, node)
        give = _GIVES.get(path)
        return names.result(path) if give is None else give(call)

    def _getattr(self, call: Call, node: ast.Call) -> Value:
        base, name = call.argument(0), call.argument(1)
        if base is None or name is None:
            return ANY
        if "builtins" in base and not harmless(name):
            danger = COMPUTED_BUILTIN.judged(name, "low")
            self._report(Report(node, "getattr", COMPUTED_BUILTIN, danger, passed=False))
        return join(names.attribute_of(base, text) for text in texts(name)) or ANY


def _import(call: Call) -> Value:
    """`__import__` gives the package at the top."""
    return join(names.module(name.partition(".")[0]) for name in texts(call.argument(0, "name") or ANY)) or ANY


def _import_module(call: Call) -> Value:
    return join(names.module(name) for name in texts(call.argument(0, "name") or ANY)) or ANY


def _dict(call: Call) -> Value:
    if call.args or call.more:
        return ANY
    return group(list(call.keywords.values()), [Const(str, name) for name in call.keywords])


def _bool(call: Call) -> Value:
    answer = truth(call.argument(0) or constant(value=False))
    return ANY if answer is None else constant(answer)


def _copied(call: Call) -> Value:
    first = call.argument(0) or sequence([])
    return first if only_sequence(first) else mix(first)


_GLOBALS: Value = frozenset({names.GLOBALS})
_GIVES: dict[str, Callable[[Call], Value]] = {
    "builtins.globals": lambda _: _GLOBALS,
    "builtins.locals": lambda _: _GLOBALS,
    "builtins.vars": lambda call: call.argument(0) or _GLOBALS,
    "builtins.list": _copied,
    "builtins.tuple": _copied,
    "builtins.bool": _bool,
    "builtins.dict": _dict,
    "builtins.__import__": _import,
    "importlib.__import__": _import,
    "importlib.import_module": _import_module,
    "functools.partial": lambda call: call.argument(0) or ANY,
    "operator.attrgetter": lambda call: names.getter(names.ATTRGETTER, texts(call.argument(0) or ANY)),
    "operator.methodcaller": lambda call: names.getter(names.METHODCALLER, texts(call.argument(0) or ANY)),
    names.TEXT_METHOD: lambda call: mix(*call.args, *call.keywords.values()),
}


def _paths(value: Value) -> list[str]:
    return sorted(atom for atom in value if isinstance(atom, str) and atom in RULES)


def _arguments(node: ast.Call, values: _Values) -> Call:
    args: list[Value] = []
    more = False
    for argument in node.args:
        if not isinstance(argument, ast.Starred):
            args.append(values[argument])
        elif (known := only_sequence(values[argument.value])) is not None:
            args.extend(known.values)
        else:
            more = True
            break
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = values[keyword.value]
        if keyword.arg is not None:
            keywords[keyword.arg] = value
            continue
        atom = next(iter(value)) if len(value) == 1 else None
        if isinstance(atom, Group) and atom.exact and all(key.kind is str for key in atom.keys):
            keywords |= {str(key.value): item for key, item in zip(atom.keys, atom.values, strict=True)}
        else:
            more = True
    return Call(tuple(args), keywords, more)
