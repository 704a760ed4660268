"""Plain values as the value protocol writes them (docs/protocol.md), for tests that are calls."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_DEPTH = 200
"""Deepest nesting that the protocol allows."""

_EXACT = 1 << 63  # readers of JSON keep smaller integers; larger ones go as text


def written(value: object, depth: int = 0) -> Any:
    """A value as JSON's types, with tags for what JSON does not have.

    Args:
        value: Numbers, texts, None, and lists, tuples, sets and dicts of them.
        depth: How deep it is nested already.

    Raises:
        ValueError: It is nested deeper than `MAX_DEPTH`.
        TypeError: It is, or holds, something else.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH}")
    write = _WRITE.get(type(value))
    if write is None:
        raise TypeError(f"{type(value).__name__} is not a plain value")
    return write(value, depth + 1)


def plain(form: Any) -> Any:
    """What other tools write for a form: tuples and sets are lists, complex numbers texts, tags what they say.

    Keys of dicts become texts where JSON needs them; tags that none of these have stay.
    """
    if isinstance(form, (list, tuple)):
        return [plain(item) for item in form]
    if not isinstance(form, dict):
        return form
    tag, held = next(iter(form.items()))
    return _PLAIN[tag](held) if tag in _PLAIN else form


def normal(form: Any) -> Any:
    """A form as a file may have it, with tags for numbers that readers of JSON lose: infinities, NaN, large ones.

    Raises:
        RecursionError: It is nested too deeply.
    """
    if isinstance(form, (list, tuple)):
        return [normal(item) for item in form]
    if isinstance(form, dict):
        return {key: normal(item) for key, item in form.items()}
    return written(form)


def _each(items: Iterable[object], depth: int) -> list[Any]:
    return [written(item, depth) for item in items]


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "i": lambda held: int(held, 16),
    "inf": lambda held: math.copysign(math.inf, held),
    "nan": lambda _: math.nan,
    "c": lambda held: str(complex(*map(plain, held))),
    **dict.fromkeys("tsz", plain),
    "d": lambda held: {_key(plain(key)): plain(item) for key, item in held},
}


def _key(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_WRITE: dict[type, Callable[[Any, int], Any]] = {
    type(None): lambda x, _: x,
    bool: lambda x, _: x,
    str: lambda x, _: x,
    int: lambda x, _: x if -_EXACT <= x < _EXACT else {"i": hex(x)},
    float: lambda x, _: x if math.isfinite(x) else {"nan": 0} if math.isnan(x) else {"inf": 1 if x > 0 else -1},
    complex: lambda x, depth: {"c": _each([x.real, x.imag], depth)},
    list: _each,
    tuple: lambda x, depth: {"t": _each(x, depth)},
    set: lambda x, depth: {"s": _each(x, depth)},
    frozenset: lambda x, depth: {"z": _each(x, depth)},
    dict: lambda x, depth: {"d": [_each(pair, depth) for pair in x.items()]},
}
