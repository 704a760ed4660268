"""Where values in tests come from: the program, what it is given, or the tests' own text.

A look at the text alone: names are those of the whole text, whatever function they are in, and what is not
plain to see is left out. Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Iterator

    Index = tuple[int | None, ...]
    Binding = tuple[ast.AST, Index]

MOST_DEPTH = 6
MOST_STEPS = 20_000  # of looking up names, which may stand for each other
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
RAISES = frozenset(("assertRaises", "assertRaisesRegex", "raises"))
# Where right programs may differ, what is beside the program's value only bounds it, or shapes it.
BOUNDS = (ast.In, ast.NotIn, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
BOUNDING = frozenset(
    (
        *("assertIn", "assertNotIn", "assertNotEqual", "assertIsNot", "assertNotAlmostEqual"),
        *("assertGreater", "assertGreaterEqual", "assertLess", "assertLessEqual", "assertNotRegex"),
    )
)
SHAPING = frozenset(
    (
        *("round", "sorted", "format", "divmod", "pow", "sum", "min", "max", "int", "any", "islice"),
        *("isinstance", "issubclass", "hasattr", "getattr"),
    )
)
SUMS = (ast.Add, ast.Sub)
LENIENCE = frozenset(("places", "delta", "rel_tol", "abs_tol", "rel", "abs", "rtol", "atol", "tolerance", "msg"))


class Origins:
    """Of the values of one source text.

    Args:
        tree: Of the text.
        program: Names of the program: its entry point and its modules.
        function: Name of a function of the tests that is given the entry point, where there is one.

    Attributes:
        nodes: All nodes of the tree.
        program: Names of the program and of what is imported from it.
        derived: These, and names that are bound to something that comes from it.
        given: Names of what the program is given.
    """

    def __init__(self, tree: ast.AST, program: set[str], function: str | None) -> None:
        self.nodes = list(ast.walk(tree))
        self.steps = 0
        self.program = program | self.imported(program)
        for node in self.nodes:
            if isinstance(node, FUNCTIONS) and node.name == function:
                self.program |= {argument.arg for argument in node.args.args}
        self.derived = set(self.program)
        self.bindings: dict[str, list[Binding]] = {}
        for node in self.nodes:
            self.look(node)
        self.derive()
        self.given = self.inputs()

    def expected(self, node: ast.AST, *, bounds: bool = False) -> Iterator[ast.AST]:
        """The parts of an assertion that nothing of the program has a share in, and that it is not given.

        Args:
            node: The assertion.
            bounds: Also those beside which right programs may differ: bounds, alternatives, precisions.
        """
        if isinstance(node, (ast.JoinedStr, ast.Lambda)):
            return
        if not self.mentions(node):
            yield node
            return
        if isinstance(node, ast.Call):
            if name_of(node) in RAISES:
                yield from node.args[1:2] if name_of(node) == "assertRaisesRegex" else ()
                yield from (keyword.value for keyword in node.keywords if keyword.arg == "match")
                return
            if self.calls_program(node):
                return
        if isinstance(node, ast.Subscript) or (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)):
            return
        free = not bounds and is_free(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.keyword) and child.arg in LENIENCE:
                continue
            inner = child.value if isinstance(child, ast.keyword) else child
            if isinstance(inner, (ast.expr, ast.comprehension)) and (not free or self.mentions(inner)):
                yield from self.expected(inner, bounds=bounds)

    def literals(self, node: ast.AST, depth: int = 0) -> Iterator[ast.expr]:
        """The largest parts of an expected value that are literals, also where a name stands for it."""
        if depth > MOST_DEPTH or isinstance(node, ast.JoinedStr):
            return
        key = key_of(node)
        if key is not None:
            if key not in self.given:
                for item in self.bound(key, depth):
                    yield from self.literals(item, depth + 1)
        elif isinstance(node, ast.expr) and is_literal(node):
            yield node
        elif not isinstance(node, ast.Call):
            for child in ast.iter_child_nodes(node):
                yield from self.literals(child, depth)

    def constants(self, node: ast.AST, depth: int = 0) -> Iterator[ast.expr]:
        """Constants and empty containers of an expected value, also where a name stands for it."""
        if depth > MOST_DEPTH or isinstance(node, ast.JoinedStr):
            return
        key = key_of(node)
        if key is not None:
            if key not in self.given:
                for item in self.bound(key, depth):
                    yield from self.constants(item, depth + 1)
        elif isinstance(node, ast.expr) and (isinstance(node, ast.Constant) or is_empty(node)):
            yield node
        else:
            for child in ast.iter_child_nodes(node):
                if not isinstance(node, ast.Call) or child is not node.func:
                    yield from self.constants(child, depth)

    # ---- names and what they stand for

    def bound(self, key: str, depth: int) -> Iterator[ast.AST]:
        """All that a name is bound to."""
        for value, index in self.bindings.get(key, ()):
            self.steps += 1
            if self.steps > MOST_STEPS:
                return
            yield from self.items(value, index, depth)

    def items(self, value: ast.AST, index: Index, depth: int) -> Iterator[ast.AST]:
        """`value` itself, or what is at `index` of each item of it."""
        if not index:
            yield value
            return
        place, rest = index[0], index[1:]
        for item in self.elements(value, depth):
            inner = fields(item)
            if place is None:
                yield from self.items(item, rest, depth)
            elif place < len(inner):
                yield from self.items(inner[place], rest, depth)

    def elements(self, value: ast.AST, depth: int) -> Iterator[ast.AST]:
        """The items of an iterable, as far as the text shows them."""
        if depth > MOST_DEPTH:
            return
        key = key_of(value)
        if key is not None:
            for bound in self.bound(key, depth + 1):
                yield from self.elements(bound, depth + 1)
        elif isinstance(value, (ast.List, ast.Tuple, ast.Set)):
            yield from value.elts
        elif isinstance(value, ast.Call):
            yield from self.made(value, depth)

    def made(self, call: ast.Call, depth: int) -> Iterator[ast.AST]:
        """The items of what `zip`, `enumerate` and the method `items` give."""
        name = name_of(call)
        if name == "items" and isinstance(call.func, ast.Attribute):
            for table in self.tables(call.func.value, depth):
                for key, item in zip(table.keys, table.values):  # noqa: B905 - from Python 3.10 on
                    if key is not None:
                        yield ast.Tuple([key, item], ast.Load())
        elif name in {"zip", "enumerate"}:
            columns = [list(self.elements(argument, depth + 1)) for argument in call.args]
            if name == "enumerate":
                places: list[list[ast.AST]] = [[ast.Tuple([], ast.Load())] * len(column) for column in columns[:1]]
                columns = places + columns
            for row in zip(*columns):  # noqa: B905 - from Python 3.10 on
                yield ast.Tuple([item for item in row if isinstance(item, ast.expr)], ast.Load())

    def tables(self, value: ast.AST, depth: int) -> Iterator[ast.Dict]:
        """The dictionaries that an expression may stand for."""
        key = key_of(value)
        if isinstance(value, ast.Dict):
            yield value
        elif key is not None and depth <= MOST_DEPTH:
            for bound in self.bound(key, depth + 1):
                yield from self.tables(bound, depth + 1)

    def look(self, node: ast.AST) -> None:
        """Note what a statement binds."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.bind(target, node.value, ())
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr, ast.AugAssign)) and node.value is not None:
            self.bind(node.target, node.value, ())
        elif isinstance(node, LOOPS):
            self.bind(node.target, node.iter, (None,))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self.bind(node.optional_vars, node.context_expr, (None,))
        elif isinstance(node, ast.Call) and name_of(node) == "parametrize" and len(node.args) > 1:
            names = parameters(node.args[0])
            for place, name in enumerate(names):
                index: Index = (place,) if len(names) > 1 else (None,)
                self.bindings.setdefault(name, []).append((node.args[1], index))

    def bind(self, target: ast.AST, value: ast.AST, index: Index) -> None:
        """Note that a target is bound to what is at `index` of a value."""
        key = key_of(target)
        if key is not None:
            self.bindings.setdefault(key, []).append((value, index))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for place, item in enumerate(target.elts):
                if index:  # of the items of an iterable
                    self.bind(item, value, (*index[:-1], place) if index[-1] is None else (*index, place))
                elif isinstance(value, (ast.Tuple, ast.List)) and place < len(value.elts):
                    self.bind(item, value.elts[place], ())
                else:
                    self.bind(item, value, (None,))

    # ---- what comes from the program

    def imported(self, modules: set[str]) -> set[str]:
        """Names that are imported from the program."""
        names = set()
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and node.module in modules:
                names |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.Import):
                names |= {alias.asname for alias in node.names if alias.name in modules and alias.asname}
        return names

    def derive(self) -> None:
        """Add all names that are bound to something of the program, and functions that return it."""
        functions = [node for node in self.nodes if isinstance(node, FUNCTIONS)]
        before = -1
        while before != len(self.derived):
            before = len(self.derived)
            for name, bound in self.bindings.items():
                if any(self.mentions(value) for value, _ in bound):
                    self.derived.add(name)
            for function in functions:
                returned = [node for node in ast.walk(function) if isinstance(node, (ast.Return, ast.Yield))]
                if any(self.mentions(node) for node in returned):
                    self.derived.add(function.name)

    def inputs(self) -> set[str]:
        """Names of what the program is given."""
        given = set()
        for node in self.nodes:
            if isinstance(node, ast.Call) and self.calls_program(node):
                for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                    given |= {key_of(inner) for inner in ast.walk(argument)}
        return {key for key in given if key is not None}

    def calls_program(self, call: ast.Call) -> bool:
        """Whether a call's arguments are what the program is given: it is called, or handed over to be called."""
        handed = any(isinstance(argument, ast.Name) and argument.id in self.program for argument in call.args)
        return handed or self.mentions(call.func)

    def mentions(self, node: ast.AST) -> bool:
        """Whether something of the program occurs in it."""
        return any(key_of(inner) in self.derived for inner in ast.walk(node))


def key_of(node: ast.AST) -> str | None:
    """A name, or an attribute of `self` or `cls`, as one key."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}:
        return f"self.{node.attr}"
    return None


def fields(item: ast.AST) -> list[ast.expr]:
    """What a row of a table holds."""
    if isinstance(item, ast.Call) and name_of(item) == "param":
        return item.args
    return item.elts if isinstance(item, (ast.Tuple, ast.List)) else []


def name_of(call: ast.Call) -> str:
    """The last name of what is called."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_empty(node: ast.AST) -> bool:
    """Whether it is an empty container."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    return isinstance(node, ast.Call) and name_of(node) == "set" and not node.args


def is_literal(node: ast.AST) -> bool:
    """Whether an expression is a literal, perhaps of literals."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return False
    return True


def is_free(node: ast.AST) -> bool:
    """Whether right programs may differ in what an operator or a call makes equal."""
    if isinstance(node, ast.Compare):
        return any(isinstance(operator, BOUNDS) for operator in node.ops)
    if isinstance(node, ast.BinOp):
        return not isinstance(node.op, SUMS)
    return isinstance(node, ast.Call) and name_of(node) in SHAPING | BOUNDING


def parameters(node: ast.expr) -> list[str]:
    """The names that `parametrize` is given."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",") if name.strip()]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return []
