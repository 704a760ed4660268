"""Whether tests look at more of a program than its values: a pass is then confirmed in the program's own process.

Values cross between processes with their exact types, their identity within a call, and what a call changed.
What does not cross as it was: functions and classes with their names, signatures and documentation, objects
behind handles, iterators that are not read to their end, the identity of what has no content. Standard library
alone; from Python 3.9 on.
"""

from __future__ import annotations

import ast

CALLS = frozenset(
    (
        *("id", "type", "isinstance", "issubclass", "hasattr", "callable", "hash", "dir", "vars", "getattr"),
        *("next", "iter", "super", "memoryview"),
    )
)
MODULES = frozenset(
    (
        *("copy", "copyreg", "gc", "inspect", "pickle", "pydoc", "sys", "types", "warnings", "weakref"),
        *("asyncio", "concurrent", "contextlib", "threading"),
    )
)
SINGLETONS = (None, True, False, ...)


def observes(*sources: str) -> str | None:
    """What shows that tests could see more than values cross: a name, or None."""
    for source in sources:
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            found = of_node(node)
            if found is not None:
                return found
    return None


def of_node(node: ast.AST) -> str | None:
    """What one node shows."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
        return node.func.id
    if isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr.endswith("__"):
        return node.attr
    if isinstance(node, ast.Compare):
        for operator, other in zip(node.ops, node.comparators):  # noqa: B905 - from Python 3.10 on
            single = isinstance(other, ast.Constant) and any(other.value is each for each in SINGLETONS)
            if isinstance(operator, (ast.Is, ast.IsNot)) and not single:
                return "is"
    modules = []
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        modules = [node.module or ""]
    for module in modules:
        if module.partition(".")[0] in MODULES:
            return module
    return None
