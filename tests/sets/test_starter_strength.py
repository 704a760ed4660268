"""How strong the tests of the built-in set are: the share of mutants of the references that they fail."""

from __future__ import annotations

import ast
import copy
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import CheckFunction
from codejury.sets.starter import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from codejury.model import Problem

PROBLEMS = load().problems

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Div),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
}
Change = tuple[str, "Callable[[], None]"]


class OutOfTicks(BaseException):
    """A mutant runs far longer than the reference; no handler in the mutant may catch this."""


class Ticks(ast.NodeTransformer):
    """Puts a call of `tick` at the start of each function and of each turn of a loop."""

    def visit(self, node: ast.AST) -> ast.AST:
        """Visit all below, then the node itself."""
        self.generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.While | ast.For):
            node.body.insert(0, ast.Expr(ast.Call(ast.Name("tick", ast.Load()), [], [])))
        return node


def changes(node: ast.AST) -> Iterator[Change]:
    """The mutations of one node: a name for each, and what makes it in place."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                yield f"{type(operator).__name__} to {other.__name__}", setter(node.ops, place, other())
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        for arithmetic in ARITHMETIC.get(type(node.op), ()):
            yield f"{type(node.op).__name__} to {arithmetic.__name__}", setter(node, "op", arithmetic())
    elif isinstance(node, ast.BoolOp):
        yield "swapped and, or", setter(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "removed sign", setter(node, "op", ast.UAdd())
    elif isinstance(node, ast.Constant):
        for value in other_constants(node.value):
            yield f"{node.value!r} to {value!r}", setter(node, "value", value)
    yield from control_changes(node)


def control_changes(node: ast.AST) -> Iterator[Change]:
    """The mutations of conditions, returns and blocks of statements."""
    if isinstance(node, ast.Return) and node.value is not None:
        yield "returns None", setter(node, "value", ast.Constant(None))
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "negated condition", setter(node, "test", ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.FunctionDef | ast.If | ast.While | ast.For | ast.Try | ast.ExceptHandler):
        for statements in (node.body, getattr(node, "orelse", [])):
            for place, statement in enumerate(statements):
                if not (
                    isinstance(statement, ast.Pass | ast.FunctionDef | ast.Nonlocal) or is_docstring(statement)
                ):
                    yield f"removed {type(statement).__name__}", setter(statements, place, ast.Pass())


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a text alone."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def setter(target: Any, place: str | int, value: object) -> Callable[[], None]:
    """What sets an attribute, or an item, to a value."""

    def apply() -> None:
        if isinstance(place, int):
            target[place] = value
        else:
            setattr(target, place, value)

    return apply


def other_constants(value: object) -> tuple[object, ...]:
    """Constants close to a given one."""
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value - 1)
    if isinstance(value, float):
        return (value + 1.0,)
    if isinstance(value, str):
        return (value + "x",)
    return ()


def mutants(problem: Problem) -> Iterator[tuple[str, ast.Module]]:
    """The mutants of a reference that differ from it in one place of its body; the prompt stays as it is."""
    first_line = problem.prompt.count("\n") + 1
    tree = ast.parse(problem.reference or "")
    spared = {id(below) for node in ast.walk(tree) if isinstance(node, ast.Raise) for below in ast.walk(node)}
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in spared:
            continue
        for number, (name, _) in enumerate(changes(node)):
            mutant = copy.deepcopy(tree)
            twin = list(ast.walk(mutant))[place]
            before = ast.dump(mutant)
            list(changes(twin))[number][1]()
            ast.fix_missing_locations(mutant)
            line = getattr(node, "lineno", 0)
            if ast.dump(mutant) != before and (line >= first_line or isinstance(node, ast.FunctionDef)):
                yield f"line {line}: {name}", mutant


def source_of_tests(problem: Problem) -> str:
    """The source of a problem's tests."""
    assert isinstance(problem.tests, CheckFunction)
    return problem.tests.code


def run(problem: Problem, tree: ast.Module, budget: float) -> int:
    """Run the problem's tests on a program; returns the ticks it took, or raises what the tests raise."""
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1
        if ticks > budget:
            raise OutOfTicks

    program = copy.deepcopy(tree)
    Ticks().visit(program)
    ast.fix_missing_locations(program)
    candidate: dict[str, Any] = {"__name__": "candidate", "tick": tick}
    exec(compile(program, "<candidate>", "exec"), candidate)
    tests: dict[str, Any] = {"__name__": "tests"}
    exec(compile(source_of_tests(problem), "<tests>", "exec"), tests)
    tests["check"](candidate[problem.entry_point])
    return ticks


def survives(problem: Problem, mutant: ast.Module, budget: float) -> bool:
    """Whether a mutant passes the problem's tests."""
    try:
        run(problem, mutant, budget)
    except (Exception, OutOfTicks):  # noqa: BLE001 - whatever a mutant does, it has failed
        return False
    return True


@cache
def survivors(problem: Problem) -> tuple[int, list[str]]:
    """How many mutants there are, and the names of those that pass the tests."""
    budget = 20 * run(problem, ast.parse(problem.reference or ""), float("inf")) + 1000
    made = list(mutants(problem))
    return len(made), [name for name, mutant in made if survives(problem, mutant, budget)]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.id)
def test_mutants_of_each_reference_fail(problem: Problem) -> None:
    """At least 85 % of the mutants of each reference fail its tests, those included that mean the same."""
    total, alive = survivors(problem)

    assert total >= 30
    assert len(alive) <= 0.15 * total, alive


def test_mutants_fail_over_the_set() -> None:
    """At least 95 % of all mutants fail."""
    found = [survivors(problem) for problem in PROBLEMS]

    assert sum(len(alive) for _, alive in found) <= 0.05 * sum(total for total, _ in found)
