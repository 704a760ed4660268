"""Objects that stay with the program: the tests hold a handle, and what they do with it crosses as plain values.

Only what the entry point itself returned can be a handle, so no method can slip one in where a plain value is
asked, and have its own code decide a comparison. Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import operator

from writing import WRITE

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    Ask: TypeAlias = Callable[[int, str, tuple[Any, ...], dict[str, Any]], Any]

READ_ATTRIBUTE, SET_ATTRIBUTE = ".", "="  # before a name: the attribute is not called
METHOD = object()
"""What reading an attribute gives where it can be called."""

# What a handle does by syntax; the program does it to the object.
SPECIAL: dict[str, Callable[..., Any]] = {
    "__bool__": bool,
    "__len__": len,
    "__contains__": operator.contains,
    "__getitem__": operator.getitem,
    "__setitem__": operator.setitem,
    "__delitem__": operator.delitem,
    "__iter__": list,
    "__next__": next,
    "__call__": lambda x, *args, **kwargs: x(*args, **kwargs),
    "__str__": str,
    "__repr__": repr,
    "__eq__": operator.eq,
    "__ne__": operator.ne,
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}
COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")


def operation(x: Any, name: str) -> Callable[..., Any]:
    """What a request names, as a function of its arguments."""
    special = SPECIAL.get(name)
    if special is not None:
        return lambda *args, **kwargs: special(x, *args, **kwargs)
    if name[0] == READ_ATTRIBUTE:
        return lambda: read(x, name[1:])
    if name[0] == SET_ATTRIBUTE:
        return lambda value: setattr(x, name[1:], value)
    method: Callable[..., Any] = getattr(x, name)
    return method


def read(x: Any, name: str) -> Any:
    """An attribute's value, or METHOD."""
    value = getattr(x, name)
    return METHOD if callable(value) else value


class Handle:
    """An object of the program, as the tests hold it.

    Args:
        number: By which the program knows it.
        ask: Has the program do something to it.
        methods: Names that are known to be methods.
    """

    __slots__ = ("__weakref__", "_ask", "_methods", "_number")

    def __init__(self, number: int, ask: Ask, methods: set[str]) -> None:
        for name, value in (("_number", number), ("_ask", ask), ("_methods", methods)):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        number, ask, methods = self._number, self._ask, self._methods
        if name not in methods:
            value = ask(number, READ_ATTRIBUTE + name, (), {})
            if value is not METHOD:
                return value
            methods.add(name)

        def method(*args: Any, **kwargs: Any) -> Any:
            return ask(number, name, args, kwargs)

        method.__name__ = method.__qualname__ = name
        return method

    def __setattr__(self, name: str, value: Any) -> None:
        self._ask(self._number, SET_ATTRIBUTE + name, (value,), {})

    def __iter__(self) -> Iterator[Any]:
        items = self._ask(self._number, "__iter__", (), {})
        if type(items) is not list:
            raise TypeError("not items")
        return iter(items)

    __hash__ = object.__hash__


def asking(name: str) -> Callable[..., Any]:
    """A method of Handle that has the program do the same."""

    def special(self: Handle, *args: Any, **kwargs: Any) -> Any:
        return self._ask(self._number, name, args, kwargs)

    return special


def comparing(name: str) -> Callable[[Handle, Any], Any]:
    """A comparison: only of two handles, so that the program never answers for a plain value."""

    def special(self: Handle, other: Any) -> Any:
        if type(other) is not Handle:
            return NotImplemented
        return self._ask(self._number, name, (other,), {})

    return special


for _name in SPECIAL:
    if _name not in vars(Handle):
        setattr(Handle, _name, comparing(_name) if _name in COMPARISONS else asking(_name))
WRITE[Handle] = lambda w, x: {"h": x._number}  # noqa: SLF001 - its writer
