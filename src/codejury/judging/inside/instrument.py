"""The tests as code: every assertion counted, and whether they could act on a candidate's values.

Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    import ast
    from types import CodeType
    from typing import Any

HOOK = "__codejury__"  # the name by which instrumented tests call the judge


def compile_tests(
    context: str, parts: list[str], entry: str, all_tests: bool
) -> tuple[CodeType | None, list[CodeType]]:
    """Code of the context (None if the tests can do without it) and of the tests with every assertion counted."""
    return examine(context, parts, entry, all_tests)[0]


def examine(
    context: str, parts: list[str], entry: str, all_tests: bool, module: str | None = None
) -> tuple[tuple[CodeType | None, list[CodeType]], str | None, bool]:
    """What `compile_tests`, `interprets` and `repeatable` give, each source parsed once.

    Args:
        context: Source that runs before the tests.
        parts: The tests' sources.
        entry: Name of the entry point.
        all_tests: Whether each assertion is guarded, so that the tests can go on where one fails.
        module: For a module of unittest's or pytest's tests, the name by which they import the program. A failed
            assertion ends its test there, and the methods that assert are counted, too.
    """
    import ast

    def compiled(tree: ast.Module, name: str) -> CodeType:
        code: CodeType = compile(tree, name, "exec", dont_inherit=True, optimize=0)
        return code

    trees = [ast.parse(part, "<tests>") for part in parts]
    try:
        tree = ast.parse(context, "<context>")
    except SyntaxError:
        tree = ast.parse(context + "\n    pass\n", "<context>")
    acting, lasting = interprets(tree, *trees, own=module), module is None and repeatable(tree, *trees)
    used = {node.id for part in trees for node in ast.walk(part) if isinstance(node, ast.Name)}
    needed = not all(can_be_left_out(statement, used - {entry}) for statement in tree.body)
    code = compiled(tree, "<context>") if needed else None
    if module is not None:
        all_tests = False
        trees = [count_methods(part) for part in trees]
    made = code, [compiled(instrument(part, all_tests), "<tests>") for part in trees]
    return made, acting, lasting and acting is None


def can_be_left_out(statement: ast.stmt, used: set[str]) -> bool:
    """Whether a statement of the context only binds names that the tests do not use."""
    import ast

    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return not statement.decorator_list and statement.name not in used
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        names = {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
        return "*" not in names and not names & used
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def instrument(source: str | ast.Module, all_tests: bool) -> ast.Module:
    """The tests' syntax tree with a call after each assertion, or, for all tests, with a guard around each.

    An assertion in the body of a `try` with handlers or of a `with` is never guarded, nor is one in a function
    that is named there: the tests themselves may say what follows from its failure.
    """
    import ast

    def call(name: str, line: int, *extra: ast.expr) -> ast.Call:
        function = ast.Attribute(ast.Name(HOOK, ast.Load()), name, ast.Load())
        return ast.Call(function, [ast.Constant(line), *extra], [])

    def hook(name: str, line: int, *extra: ast.expr) -> ast.stmt:
        return ast.Expr(call(name, line, *extra))

    def counted(node: ast.Assert) -> list[ast.stmt]:
        return [node, hook("ok", node.lineno)]

    def guarded(node: ast.Assert) -> list[ast.stmt]:
        name = HOOK + "error"
        handler = ast.ExceptHandler(
            ast.Name("Exception", ast.Load()), name, [hook("not_ok", node.lineno, ast.Name(name, ast.Load()))]
        )
        attempt = ast.Try([node], [handler], [hook("ok", node.lineno)], [])
        return [ast.If(call("begin", node.lineno), [attempt], [])]

    def visit(node: ast.AST, guard: bool) -> None:
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            statements = getattr(node, field, None)
            if not isinstance(statements, list):
                continue
            apart = node in watched or getattr(node, "name", "") in exposed
            inner = guard and not (apart and field == "body")
            new: list[ast.stmt] = []
            for statement in statements:
                if isinstance(statement, ast.Assert):
                    new += guarded(statement) if inner else counted(statement)
                else:
                    visit(statement, inner)
                    new.append(statement)
            setattr(node, field, new)

    tree = ast.parse(source, "<tests>") if isinstance(source, str) else source
    watched = {node for node in ast.walk(tree) if is_watched(node)}
    exposed = named_by(watched, tree)
    visit(tree, all_tests)
    return ast.fix_missing_locations(tree)


# Blocks that assert what is raised in them, and how many arguments they have where they are no call of it.
RAISING = {
    **dict.fromkeys(("assertRaises", "assertWarns", "raises", "warns"), 1),
    **dict.fromkeys(("assertRaisesRegex", "assertWarnsRegex", "assertLogs", "assertNoLogs"), 2),
    "deprecated_call": 0,
}


def count_methods(tree: ast.Module) -> ast.Module:
    """The tests' syntax tree with a call after each call that asserts: `assert…(…)`, and `raises` and its like.

    Those that a `with` begins count after its block.
    """
    import ast

    def hook(line: int) -> ast.Call:
        return ast.Call(ast.Attribute(ast.Name(HOOK, ast.Load()), "ok", ast.Load()), [ast.Constant(line)], [])

    class Counting(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.expr:
            """What the call gives, and the hook behind it."""
            self.generic_visit(node)
            name = name_of(node)
            if not name.startswith("assert") and name not in RAISING:
                return node
            if name in RAISING and len(node.args) <= RAISING[name]:
                return node  # a block's
            pair = ast.Tuple([node, hook(node.lineno)], ast.Load())
            return ast.copy_location(ast.Subscript(pair, ast.Constant(0), ast.Load()), node)

        def visit_With(self, node: Any) -> Any:
            """The block, and the hook behind it where it asserts."""
            self.generic_visit(node)
            asserting = [
                item.context_expr
                for item in node.items
                if isinstance(item.context_expr, ast.Call) and name_of(item.context_expr) in RAISING
            ]
            return [node, *(ast.copy_location(ast.Expr(hook(call.lineno)), node) for call in asserting)]

        visit_AsyncWith = visit_With  # noqa: N815 - a visitor's name

    counted: ast.Module = Counting().visit(tree)
    return ast.fix_missing_locations(counted)


def name_of(call: ast.Call) -> str:
    """The last name of what is called."""
    function: Any = call.func
    return str(getattr(function, "attr", getattr(function, "id", "")))


def is_watched(node: ast.AST) -> bool:
    """Whether what is raised in the body of a statement may end there."""
    import ast

    return bool(getattr(node, "handlers", None)) or isinstance(node, (ast.With, ast.AsyncWith))


def named_by(statements: set[ast.AST], tree: ast.Module) -> set[str]:
    """Names of functions that the bodies of these statements may call, themselves or through others."""
    import ast

    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    named: set[str] = set()
    todo = list(statements)
    while todo:
        inner = [node for statement in todo.pop().body for node in ast.walk(statement)]  # type: ignore[attr-defined]
        names = {node.id for node in inner if isinstance(node, ast.Name)}
        names |= {node.attr for node in inner if isinstance(node, ast.Attribute)}
        todo += [function for function in functions if function.name in names - named]
        named |= names
    return named & {function.name for function in functions}


# What turns a text into code, reaches files and commands, or finds a name by a text.
ACTING_NAMES = frozenset(
    (
        *("eval", "exec", "compile", "open", "input", "breakpoint", "__import__"),
        *("getattr", "setattr", "delattr", "globals", "locals", "vars", "__builtins__"),
    )
)
ACTING_ATTRIBUTES = frozenset(
    (
        *("__globals__", "__subclasses__", "__builtins__", "__code__", "__dict__"),
        *("f_globals", "f_locals", "gi_frame", "importorskip"),
    )
)
STATELESS_MODULES = frozenset(
    (
        "__future__",
        "bisect",
        "cmath",
        "collections",
        "copy",
        "functools",
        "heapq",
        "itertools",
        "math",
        "operator",
        "random",
        "re",
        "string",
        "typing",
    )
)  # fmt: skip - the state of random is put back
HARMLESS_MODULES = frozenset(
    (
        *("__future__", "abc", "array", "base64", "binascii", "bisect", "calendar", "cmath", "collections"),
        *("contextlib", "copy", "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions"),
        *("functools", "hashlib", "heapq", "itertools", "json", "keyword", "math", "numbers", "numpy"),
        *("operator", "pprint", "pytest", "random", "re", "statistics", "string", "struct", "textwrap"),
        *("time", "typing", "typing_extensions", "unicodedata", "unittest", "warnings", "xml", "zlib"),
    )
)


def repeatable(*sources: str | ast.Module) -> bool:
    """Whether a run of the tests leaves nothing behind in its process, so that the next finds it as the first did.

    Only modules without state of their own, no attribute of anything set or deleted, nothing printed.
    """
    import ast

    for source in sources:
        try:
            tree = ast.parse(source) if isinstance(source, str) else source
        except SyntaxError:
            return False
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                return False
            if isinstance(node, ast.Import) and not {alias.name for alias in node.names} <= STATELESS_MODULES:
                return False
            if isinstance(node, ast.ImportFrom) and node.module not in STATELESS_MODULES:
                return False
    return True


def interprets(*sources: str | ast.Module, own: str | None = None) -> str | None:
    """A name by which the tests may act on a candidate's value, or None; `own` is a name of the program's module.

    Such tests let a text of the candidate become code, a file or a command where the judge runs: what they say of
    it is weak.
    """
    import ast

    for source in sources:
        try:
            tree = ast.parse(source) if isinstance(source, str) else source
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in ACTING_NAMES:
                return node.id
            if isinstance(node, ast.Attribute) and node.attr in ACTING_ATTRIBUTES:
                return node.attr
            modules: list[str] = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            for module in modules:
                if module.partition(".")[0] not in HARMLESS_MODULES and module != own:
                    return module
    return None
