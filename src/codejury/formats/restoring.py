"""The types of EvalPlus's inputs, which its JSON has lost: tuples and sets are lists there, complex numbers texts.

A task says itself what its arguments are: `contract` holds assertions as `assert isinstance(xs, tuple)` or
`assert all(isinstance(x, tuple) for x in xs)`, and `assertion` holds calls with literals. Both tell a type for
each argument and each depth within it. Where the contract speaks of a place it decides, as EvalPlus does: what it
allows as it stands stays a list, even if the literals have a tuple there. `TABLE` has the few tasks that say too
little.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Place = tuple[int, int]  # number of an argument, and depth within it
    Kinds = Mapping[Place, set[str]]
    Scope = Mapping[str, Place | None]  # what the names of a contract stand for

_CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset}
_LITERALS: dict[type[ast.expr], str] = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}


def all_tuples(value: Any) -> Any:
    """A value with tuples for lists at every depth."""
    return tuple(map(all_tuples, value)) if isinstance(value, list) else value


TABLE: dict[str, tuple[Callable[[Any], Any], ...]] = {
    "Mbpp/124": (float, complex),  # its numbers are texts, as "1e-100" and "(-0-1j)"; EvalPlus makes these of them
    "Mbpp/252": (complex,),  # the same
    "Mbpp/580": (all_tuples,),  # by a recursive function of its contract, deeper than its literals go
    "Mbpp/596": (tuple,),  # its literal is a tuple of tuples; the further inputs have lists in the tuple
    "Mbpp/791": (all_tuples,),  # deeper than its literals; Mbpp/278 says the same of itself and means lists there
}
"""What to make of each argument of the tasks whose fields say too little, by task id."""


class Restorer:
    """Gives the arguments of one task's calls their types back.

    Args:
        task_id: Of the task.
        kinds: Types for each place, as `contract_kinds` and `literal_kinds` find them.
    """

    def __init__(self, task_id: str, kinds: Kinds) -> None:
        self._table, self._kinds = TABLE.get(task_id), kinds

    def arguments(self, call: Sequence[Any]) -> list[Any]:
        """The arguments of a call, typed.

        Raises:
            ValueError: The table of tasks has no such call; so do TypeError and OverflowError.
        """
        if self._table is not None:
            return [make(value) for make, value in zip(self._table, call, strict=True)]
        return [self._restored(value, (number, 0)) for number, value in enumerate(call)]

    def _restored(self, value: Any, place: Place) -> Any:
        inner = (place[0], place[1] + 1)
        if isinstance(value, dict):
            return {key: self._restored(item, inner) for key, item in value.items()}
        if not isinstance(value, list):
            return value
        items = [self._restored(item, inner) for item in value]
        kinds = self._kinds.get(place, set())
        return _CONTAINERS.get("".join(kinds), list)(items) if len(kinds) == 1 else items


def literal_kinds(tree: ast.Module, function: str) -> dict[Place, set[str]]:
    """The kinds of containers in the arguments of all calls of a function.

    Args:
        tree: Assertions that call it with literals.
        function: Its name.
    """
    found: defaultdict[Place, set[str]] = defaultdict(set)

    def walk(node: ast.expr, number: int, depth: int) -> None:
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            found[number, depth].add(_LITERALS[type(node)])
            items = node.elts
        else:
            items = node.values if isinstance(node, ast.Dict) else []
        for item in items:
            walk(item, number, depth + 1)

    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            for number, argument in enumerate(node.args):
                walk(argument, number, 0)
    return dict(found)


def contract_kinds(tree: ast.Module, parameters: Sequence[str]) -> dict[Place, set[str]]:
    """The types that a contract allows for each place, by their names; of two assertions of a place, both hold.

    Args:
        tree: The contract; what is no assertion says nothing.
        parameters: Names of the function's parameters, in order.
    """
    found: dict[Place, set[str]] = {}
    scope = {name: (number, 0) for number, name in enumerate(parameters)}
    for statement in tree.body:
        if isinstance(statement, ast.Assert):
            _contract(statement.test, scope, found)
    return found


def _contract(node: ast.AST, scope: Scope, found: dict[Place, set[str]]) -> None:
    """Note what each `isinstance` within a node says of a place."""
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        inner = dict(scope)
        for generator in node.generators:
            _bind(generator.target, _below(_place(generator.iter, inner)), inner)
        _contract(node.elt, inner, found)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        place = _place(node.args[0], scope)
        named = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
        if place is not None:
            found[place] = found.get(place, named) & named
    elif not isinstance(getattr(node, "op", None), (ast.Or, ast.Not)):  # these say what need not be
        for child in ast.iter_child_nodes(node):
            _contract(child, scope, found)


def _bind(target: ast.expr, place: Place | None, scope: dict[str, Place | None]) -> None:
    if isinstance(target, ast.Name):
        scope[target.id] = place
    elif isinstance(target, ast.Tuple):
        for item in target.elts:
            _bind(item, _below(place), scope)


def _place(node: ast.expr, scope: Scope) -> Place | None:
    """What an expression stands for: a name, an item `x[0]`, the values of a dict; None for anything else."""
    if isinstance(node, ast.Name):
        return scope.get(node.id)
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        return _below(_place(node.value, scope))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "values":
        return _place(node.func.value, scope)
    return None


def _below(place: Place | None) -> Place | None:
    return None if place is None else (place[0], place[1] + 1)
