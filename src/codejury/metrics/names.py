"""The paths that mean something to the scanner, and how one leads to another.

Only these are followed; everything else is `UNKNOWN`, so that values stay small whatever the program holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codejury.metrics.dangers import DUMPS, LOADERS, RULES
from codejury.metrics.values import ANY, EXTERNAL, NONE, UNKNOWN, Const, Group, Value, elements, group, join, texts

if TYPE_CHECKING:
    from collections.abc import Callable

GLOBALS = "globals()"
TEXT_METHOD = "<text>"
GETTER = ".<get>"
ATTRGETTER = "<attrgetter>."
METHODCALLER = "<methodcaller>."

# Attributes and calls that give what comes from outside the program.
_SOURCES = frozenset({"sys.argv", "sys.stdin", "os.environ", "flask.request"})
_SOURCE_CALLS = frozenset(
    {"builtins.input", "os.getenv", "urllib.request.urlopen", "requests.get", "requests.post", "fileinput.input"}
)
_FOLLOWED = (
    "builtins.getattr",
    "builtins.globals",
    "builtins.locals",
    "builtins.vars",
    "builtins.bool",
    "builtins.dict",
    "builtins.list",
    "builtins.tuple",
    "operator.attrgetter",
    "operator.methodcaller",
    "functools.partial",
    "sys.modules",
    "ast.PyCF_ONLY_AST",
)
# Other names of the same thing.
_CANONICAL = {
    "posix": "os",
    "nt": "os",
    "__builtin__": "builtins",
    "builtins.__builtins__": "builtins",
    "six.moves.builtins": "builtins",
    "six.moves.cPickle": "cPickle",
    "asyncio.subprocess": "asyncio",
    "yaml.loader": "yaml",
    "yaml.cyaml": "yaml",
    "torch.serialization": "torch",
    "pandas.io.pickle": "pandas",
    "numpy.lib.npyio": "numpy",
    "joblib.numpy_pickle": "joblib",
    "sklearn.externals.joblib": "joblib",
}
CHANGERS = frozenset({"update", "setdefault", "append", "extend", "insert", "add"})
_GETTERS = frozenset({"get", "pop", "__getitem__", "__getattribute__"})
_TEXT_METHODS = frozenset({"format", "join", "format_map", "replace", "encode"})


def _prefixes(path: str) -> set[str]:
    parts = path.split(".")
    heads = {".".join(parts[:i]) for i in range(1, len(parts) + 1)}
    return heads | {head.removesuffix("()") for head in heads}


_VOCABULARY = frozenset().union(
    *(
        _prefixes(path)
        for path in (
            *RULES,
            *DUMPS,
            *(f"{path}()" for path in DUMPS),
            *map(str, LOADERS),
            *_SOURCES,
            *_SOURCE_CALLS,
            *_FOLLOWED,
            *_CANONICAL,
        )
    )
)

_LAST = frozenset(path.rpartition(".")[2] for path in RULES)

BUILTINS: dict[str, Value] = {
    path.removeprefix("builtins."): frozenset({_CANONICAL.get(path, path)})
    for path in _VOCABULARY
    if path.startswith("builtins.")
}

# A name that nothing binds is taken for the module that is usually meant: fragments come without their imports.
UNBOUND: dict[str, Value] = {
    path: frozenset({path, UNKNOWN}) for path in _VOCABULARY if "." not in path and "(" not in path
}
UNBOUND |= {"np": UNBOUND["numpy"], "pd": UNBOUND["pandas"]}


def module(name: str) -> Value:
    """An imported module."""
    name = _CANONICAL.get(name, name)
    return frozenset({name}) if name in _VOCABULARY else ANY


def attribute(path: str, name: str) -> Value:
    """An attribute of what has a path."""
    joined = f"{path}.{name}"
    joined = _CANONICAL.get(joined, joined)
    if joined in _SOURCES:
        return frozenset({EXTERNAL})
    if joined in _VOCABULARY:
        return frozenset({joined})
    if name in {"__dict__", "__call__"}:
        return frozenset({path})
    if name in _GETTERS and (path in _VOCABULARY or path == GLOBALS) and path not in RULES:
        return frozenset({path + GETTER})
    return ANY


def imported(source: str, name: str) -> Value:
    """What `from source import name` binds."""
    return attribute(_CANONICAL.get(source, source), name)


def attribute_of(value: Value, name: str) -> Value:
    """An attribute of a value. What is None has none, so it must be something else."""
    found: list[Value] = []
    for atom in value - {NONE}:
        if isinstance(atom, Const):
            text = atom.kind in {str, bytes} and name in _TEXT_METHODS
            found.append(frozenset({TEXT_METHOD}) if text else ANY)
        elif isinstance(atom, Group):
            whole: Value = frozenset({atom})
            found.append(whole if name in _GETTERS else group([whole]) if name == "values" else ANY)
        elif atom in {UNKNOWN, EXTERNAL}:
            found.append(frozenset({atom}))
        else:
            found.append(attribute(atom, name))
    return join(found) or ANY


def item_of(value: Value, key: Value, lookup: Callable[[str], Value]) -> Value:
    """`value[key]`; a module's names too, where the value is its dictionary.

    Args:
        value: What is subscripted.
        key: With what.
        lookup: Gives a name where the value is `globals()`.
    """
    found: list[Value] = []
    for atom in value - {NONE}:
        if isinstance(atom, Group):
            known = next(iter(key)) if len(key) == 1 and atom.exact else None
            found.append(
                atom.values[atom.keys.index(known)]
                if isinstance(known, Const) and known in atom.keys
                else elements(frozenset({atom}))
            )
        elif atom == EXTERNAL:
            found.append(frozenset({EXTERNAL}))
        elif isinstance(atom, Const) or atom == UNKNOWN:
            found.append(ANY)
        else:
            found += [_named(atom, name, lookup) for name in texts(key)]
    return join(found) or ANY


def _named(path: str, name: str, lookup: Callable[[str], Value]) -> Value:
    if path == GLOBALS:
        return lookup(name)
    return module(name) if path == "sys.modules" else attribute(path, name)


def reflects(path: str) -> bool:
    """Whether what comes out of it is taken by a name in a text."""
    return (
        path in {"builtins.getattr", "builtins", GLOBALS} or path.endswith(GETTER) or path.startswith(ATTRGETTER)
    )


def getter(head: str, wanted: list[str]) -> Value:
    """What `operator.attrgetter` or `operator.methodcaller` gives for these names."""
    return frozenset(head + name for name in wanted if name in _LAST) or ANY


def result(path: str) -> Value:
    """What calling it gives, if that does not depend on the arguments."""
    if path in _SOURCE_CALLS:
        return frozenset({EXTERNAL})
    return frozenset({f"{path}()"}) if f"{path}()" in _VOCABULARY else ANY


def exports(name: str) -> dict[str, Value]:
    """The names that `from name import *` binds, of those that are followed."""
    head = f"{_CANONICAL.get(name, name)}."
    return {
        path.removeprefix(head): attribute(head[:-1], path.removeprefix(head))
        for path in _VOCABULARY
        if path.startswith(head) and "." not in path.removeprefix(head) and "(" not in path
    }
