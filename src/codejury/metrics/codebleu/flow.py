"""CodeBLEU's data flow: which variable's value comes from which others (Ren et al. 2020, section 3.3).

One walk for all languages; a row of a table says which nodes assign, define, branch and repeat. The rules are
those of the PyPI package `codebleu` 0.7.0, whose C and C++ share C#'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from codejury.metrics.codebleu.grammars import is_token, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tree_sitter import Node, Tree

_States: TypeAlias = dict[str, list[int]]
_Ends: TypeAlias = "tuple[Node | None, Node | None]"

COMES, COMPUTED = "comesFrom", "computedFrom"


class Edge(NamedTuple):
    """The value of a token, and the tokens that it has it from.

    Attributes:
        name: Text of the token.
        place: Its number among the tokens.
        relation: COMES or COMPUTED.
        sources: Texts of the tokens that it is from.
        places: Their numbers.
    """

    name: str
    place: int
    relation: str
    sources: list[str]
    places: list[int]


class NoFlowError(ValueError):
    """A statement lacks a part that the rules ask for, as in code that is cut off."""


def _fields(name: str, value: str) -> Callable[[Node], _Ends]:
    return lambda node: (node.child_by_field_name(name), node.child_by_field_name(value))


def _first_two(node: Node) -> _Ends:
    return (node.children[0], node.children[1] if node.child_count == 2 else None)


def _variable_names(node: Node) -> _Ends:
    found = [child for child in node.children if child.type == "variable_name"][:2]
    value, name = (*found, None, None)[:2]
    return name, value


_NAME_VALUE = _fields("name", "value")


@dataclass(frozen=True)
class Rules:
    """The node types of a language.

    Attributes:
        assign: Assignments, with the fields left and right.
        joined: Each token on the left has all tokens on the right for its sources in one edge; with as many parts
            on both sides, those of its part. Else an edge for each pair.
        define: Definitions, with `ends_of_definition`.
        ends_of_definition: Name and value of one.
        step: Increments.
        branch: Conditionals, and what a branch of them is.
        otherwise: Branches that begin from the state before the conditional; None: all children from the first in
            `branch` on.
        keeps: The state before the conditional always remains possible.
        count: Loops that count: their children, then again those after the one of type `counter`.
        counter: The type of a counting loop's declaration.
        each: Loops over values, with `ends_of_each`.
        ends_of_each: Variable and values of one.
        body: Whether the body of such a loop is its last child, if that is of type "block"; else a field.
        again: Loops whose children are walked twice.
        first: Children that are walked before the others.
    """

    assign: frozenset[str] = frozenset(("assignment_expression",))
    joined: bool = False
    define: frozenset[str] = frozenset(("variable_declarator",))
    ends_of_definition: Callable[[Node], _Ends] = _NAME_VALUE
    step: frozenset[str] = frozenset(("update_expression",))
    branch: frozenset[str] = frozenset(("if_statement", "else"))
    otherwise: frozenset[str] | None = None
    keeps: bool = False
    count: frozenset[str] = frozenset(("for_statement",))
    counter: str = "local_variable_declaration"
    each: frozenset[str] = frozenset()
    ends_of_each: Callable[[Node], _Ends] = _NAME_VALUE
    body: bool = False
    again: frozenset[str] = frozenset(("while_statement",))
    first: frozenset[str] = frozenset()


_NONE: frozenset[str] = frozenset()
_C_SHARP = Rules(
    ends_of_definition=_first_two,
    step=frozenset(("postfix_unary_expression",)),
    each=frozenset(("for_each_statement",)),
    ends_of_each=_fields("left", "right"),
)
RULES = {
    "python": Rules(
        assign=frozenset(("assignment", "augmented_assignment", "for_in_clause")),
        joined=True,
        define=frozenset(("default_parameter",)),
        step=_NONE,
        branch=frozenset(("if_statement",)),
        otherwise=frozenset(("elif_clause", "else_clause")),
        count=_NONE,
        each=frozenset(("for_statement",)),
        ends_of_each=_fields("left", "right"),
        body=True,
        first=frozenset(("for_in_clause",)),
    ),
    "java": Rules(each=frozenset(("enhanced_for_statement",))),
    "c-sharp": _C_SHARP,
    "c": _C_SHARP,
    "cpp": _C_SHARP,
    "javascript": Rules(
        assign=frozenset(("assignment_pattern", "augmented_assignment_expression")),
        keeps=True,
        counter="variable_declaration",
    ),
    "go": Rules(
        assign=frozenset(("assignment_statement",)),
        define=frozenset(("var_spec",)),
        step=frozenset(("inc_statement",)),
        keeps=True,
        counter="for_clause",
        again=_NONE,
    ),
    "php": Rules(
        assign=frozenset(("assignment_expression", "augmented_assignment_expression")),
        define=frozenset(("simple_parameter",)),
        ends_of_definition=_fields("name", "default_value"),
        branch=frozenset(("if_statement", "else_clause")),
        keeps=True,
        counter="assignment_expression",
        each=frozenset(("foreach_statement",)),
        ends_of_each=_variable_names,
    ),
}
"""Language -> its rules."""


def data_flow(
    tree: Tree, code: str, language: str, *, within: range | None = None, lenient: bool = False
) -> list[Edge]:
    """The edges of a text in the order of their tokens, one a token; tokens that nothing is from are left out.

    Args:
        tree: Of the text.
        code: The text.
        language: One of RULES.
        within: Bytes of the text in which a token must begin for its edge to be given; None: all.
        lenient: Whether a statement that lacks a part is only walked, instead of being an error.

    Raises:
        NoFlowError: A statement lacks a part.
        RecursionError: The text is nested too deeply.
    """
    walk = _Walk(RULES[language], tree.root_node, code, lenient=lenient)
    edges, _ = walk.walk(tree.root_node, {})
    used = {edge.place for edge in edges if edge.places} | {place for edge in edges for place in edge.places}
    merged: dict[int, Edge] = {}
    for edge in sorted(edges, key=lambda edge: edge.place):
        if edge.place in used:
            merged[edge.place] = _merge(merged.get(edge.place), edge)
    return [edge for edge in merged.values() if within is None or walk.starts[edge.place] in within]


def normalised(edges: Iterable[Edge]) -> list[tuple[str, str, tuple[str, ...]]]:
    """The edges with variables numbered in the order of their first use, sources first."""
    numbers: dict[str, str] = {}

    def number(name: str) -> str:
        return numbers.setdefault(name, f"var_{len(numbers)}")

    found = []
    for edge in edges:
        sources = tuple(number(name) for name in edge.sources)
        found.append((number(edge.name), edge.relation, sources))
    return found


def _merge(one: Edge | None, other: Edge) -> Edge:
    if one is None:
        return other
    # the package orders names as sets come, which no two of its processes agree on
    return one._replace(
        sources=sorted({*one.sources, *other.sources}), places=sorted({*one.places, *other.places})
    )


class _Walk:
    """Walks a tree; edges come as they are found, states say where each variable was set last."""

    def __init__(self, rules: Rules, root: Node, code: str, *, lenient: bool) -> None:
        self.rules = rules
        self.lenient = lenient
        lines = code.split("\n")
        self.known: dict[tuple[int, int], tuple[int, str]] = {}
        self.starts: list[int] = []
        for place, node in enumerate(tokens(root)):
            self.known[node.start_byte, node.end_byte] = (place, _text(node, lines))
            self.starts.append(node.start_byte)
        self.steps = {
            kind: step
            for kinds, step in (
                (rules.again, self._again),
                (rules.each, self._each),
                (rules.count, self._count),
                (rules.branch, self._branch),
                (rules.step, self._step),
                (rules.assign, self._assign),
                (rules.define, self._define),
            )
            for kind in kinds
        }

    def walk(self, node: Node, states: _States) -> tuple[list[Edge], _States]:
        """The edges of a node, and the states after it."""
        if is_token(node):
            return self._token(node, dict(states))
        step = self.steps.get(node.type)
        if step is not None:
            try:
                return step(node, dict(states))
            except NoFlowError:
                if not self.lenient:
                    raise
        children = node.children
        if self.rules.first:
            children = sorted(children, key=lambda child: child.type not in self.rules.first)
        return self._in_turn(children, states)

    def _token(self, node: Node, states: _States) -> tuple[list[Edge], _States]:
        place, text = self._of(node)
        if node.type == text:
            return [], states
        if text in states:
            return [Edge(text, place, COMES, [text], list(states[text]))], states
        if node.type == "identifier":
            states[text] = [place]
        return [Edge(text, place, COMES, [], [])], states

    def _define(self, node: Node, states: _States) -> tuple[list[Edge], _States]:
        name, value = self.rules.ends_of_definition(node)
        if value is None:
            edges = []
            for place, text in self._variables(name):
                edges.append(Edge(text, place, COMES, [], []))
                states[text] = [place]
            return edges, states
        edges, states = self.walk(value, states)
        return edges + self._pairs(name, value, COMES, states), states

    def _assign(self, node: Node, states: _States) -> tuple[list[Edge], _States]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if not self.rules.joined:
            edges, states = self.walk(_there(right), states)
            return edges + self._pairs(left, _there(right), COMPUTED, states), states
        if node.type == "for_in_clause":
            return self._joined([_there(left)], [node.children[-1]], states)
        return ([], states) if right is None else self._joined(*_sides(_there(left), right), states)

    def _step(self, node: Node, states: _States) -> tuple[list[Edge], _States]:
        return self._pairs(node, node, COMPUTED, states), states

    def _branch(self, node: Node, states: _States) -> tuple[list[Edge], _States]:
        edges: list[Edge] = []
        current, others = dict(states), []
        inside, closed = False, "else" in node.type or self.rules.keeps
        for child in node.children:
            closed = closed or "else" in child.type
            if self.rules.otherwise is None:
                inside = inside or child.type in self.rules.branch
            else:
                inside = child.type in self.rules.otherwise
            found, after = self.walk(child, states if inside else current)
            edges += found
            if inside:
                others.append(after)
            else:
                current = after
        others.append(current)
        if not closed or self.rules.keeps:
            others.append(states)
        union: dict[str, set[int]] = {}
        for other in others:
            for name, places in other.items():
                union.setdefault(name, set()).update(places)
        return edges, {name: sorted(places) for name, places in union.items()}

    def _count(self, node: Node, states: _States) -> tuple[list[Edge], _States]:
        edges, states = self._in_turn(node.children, states)
        counting = False
        for child in node.children:
            if counting:
                found, states = self.walk(child, states)
                edges += found
            elif child.type == self.rules.counter:
                counting = True
                update = child.child_by_field_name("update") if child.type == "for_clause" else None
                if update is not None:
                    found, states = self.walk(update, states)
                    edges += found
        return _united(edges), states

    def _each(self, node: Node, states: _States) -> tuple[list[Edge], _States]:
        name, value = self.rules.ends_of_each(node)
        edges: list[Edge] = []
        for _ in range(2):
            if self.rules.joined:
                found, states = self._joined(*_sides(_there(name), _there(value)), states)
            else:
                found, states = self.walk(_there(value), states)
                found = found + self._pairs(name, _there(value), COMPUTED, states)
            edges += found
            body = node.children[-1] if self.rules.body else _there(node.child_by_field_name("body"))
            if not self.rules.body or body.type == "block":
                found, states = self.walk(body, states)
                edges += found
        return _united(edges), states

    def _again(self, node: Node, states: _States) -> tuple[list[Edge], _States]:
        once, states = self._in_turn(node.children, states)
        twice, states = self._in_turn(node.children, states)
        return _united(once + twice), states

    def _in_turn(self, nodes: Iterable[Node], states: _States) -> tuple[list[Edge], _States]:
        edges: list[Edge] = []
        states = dict(states)
        for node in nodes:
            found, states = self.walk(node, states)
            edges += found
        return edges, states

    def _pairs(self, left: Node | None, right: Node, relation: str, states: _States) -> list[Edge]:
        """An edge from each token on the right to each on the left; all are set here."""
        edges = []
        sources = list(self._variables(right))
        for place, name in list(self._variables(left)):
            edges += [Edge(name, place, relation, [source], [at]) for at, source in sources]
            states[name] = [place]
        return edges

    def _joined(self, left: list[Node], right: list[Node], states: _States) -> tuple[list[Edge], _States]:
        edges, states = self._in_turn(right, states)
        for one, other in zip(left, right, strict=False):
            sources = list(self._variables(other))
            for place, name in self._variables(one):
                names, places = [source for _, source in sources], [at for at, _ in sources]
                edges.append(Edge(name, place, COMPUTED, names, places))
                states[name] = [place]
        return edges, states

    def _variables(self, node: Node | None) -> Iterator[tuple[int, str]]:
        """Number and text of the tokens below a node that are no fixed words."""
        for token in tokens(_there(node)):
            place, text = self._of(token)
            if token.type != text:
                yield place, text

    def _of(self, node: Node) -> tuple[int, str]:
        return self.known[node.start_byte, node.end_byte]


def _united(edges: list[Edge]) -> list[Edge]:
    """One edge for each token and relation, as loops are walked twice."""
    found: dict[tuple[str, int, str], Edge] = {}
    for edge in edges:
        key = edge[:3]
        found[key] = _merge(found.get(key), edge)
    return list(found.values())


def _sides(left: Node, right: Node) -> tuple[list[Node], list[Node]]:
    """The parts of both sides, if they are as many; else both as wholes."""
    lefts, rights = ([child for child in side.children if child.type != ","] for side in (left, right))
    if len(lefts) != len(rights):
        return [left], [right]
    return lefts or [left], rights or [right]


def _there(node: Node | None) -> Node:
    if node is None:
        raise NoFlowError("a statement lacks a part")
    return node


def _text(node: Node, lines: list[str]) -> str:
    # columns are bytes, and lines characters: what the package takes for a token after other alphabets
    (top, start), (bottom, end) = node.start_point, node.end_point
    if top == bottom:
        return lines[top][start:end]
    return "".join((lines[top][start:], *lines[top + 1 : bottom], lines[bottom][:end]))
