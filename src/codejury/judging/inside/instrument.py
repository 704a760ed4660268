"""The tests as code: every assertion counted, and whether they could act on a candidate's values.

Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    import ast
    from types import CodeType

HOOK = "__codejury__"  # the name by which instrumented tests call the judge


def compile_tests(
    context: str, parts: list[str], entry: str, all_tests: bool
) -> tuple[CodeType | None, list[CodeType]]:
    """Code of the context (None if the tests can do without it) and of the tests with every assertion counted."""
    return examine(context, parts, entry, all_tests)[0]


def examine(
    context: str, parts: list[str], entry: str, all_tests: bool
) -> tuple[tuple[CodeType | None, list[CodeType]], str | None, bool]:
    """What `compile_tests`, `interprets` and `repeatable` give, each source parsed once."""
    import ast

    def compiled(tree: ast.Module, name: str) -> CodeType:
        code: CodeType = compile(tree, name, "exec", dont_inherit=True, optimize=0)
        return code

    trees = [ast.parse(part, "<tests>") for part in parts]
    try:
        tree = ast.parse(context, "<context>")
    except SyntaxError:
        tree = ast.parse(context + "\n    pass\n", "<context>")
    acting, lasting = interprets(tree, *trees), repeatable(tree, *trees)
    used = {node.id for part in trees for node in ast.walk(part) if isinstance(node, ast.Name)}
    needed = not all(can_be_left_out(statement, used - {entry}) for statement in tree.body)
    code = compiled(tree, "<context>") if needed else None
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
        *("f_globals", "f_locals", "gi_frame"),
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
        *("operator", "pprint", "random", "re", "statistics", "string", "struct", "textwrap", "time"),
        *("typing", "typing_extensions", "unicodedata", "xml", "zlib"),
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


def interprets(*sources: str | ast.Module) -> str | None:
    """A name by which the tests may act on a candidate's value, or None.

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
                if module.partition(".")[0] not in HARMLESS_MODULES:
                    return module
    return None
