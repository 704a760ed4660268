"""Value protocol v1, read: values are made of JSON's types, which may be hostile.

Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import sys

import matches
from writing import FACTORIES

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias, TypeGuard

    Read: TypeAlias = Callable[["Reader", Any, bool], Any]


class Reader:
    """Makes values of one frame's JSON.

    Args:
        frame: The frame's number.
        lookup: Gives the container of an earlier frame: (frame, index) -> object; raises KeyError.
        namespace: Where enumerations and exceptions of the problem may be defined.
        held: Gives the object with a number, where objects may be mentioned.
    """

    def __init__(
        self,
        frame: int,
        lookup: Callable[[int, int], Any],
        namespace: dict[str, Any] | None = None,
        held: Callable[[int], Any] | None = None,
    ) -> None:
        self.frame, self.lookup, self.held = frame, lookup, held
        self.nodes: list[Any] = []  # containers in the order in which they opened
        self.namespace = {} if namespace is None else namespace

    def value(self, x: Any) -> Any:
        """The value of a JSON form; hostile input raises one of HOSTILE."""
        t = type(x)
        if t is list:
            self.nodes.append(x)
            return self.fill(x)
        if t is dict:
            ((tag, body),) = x.items()
            return READ[tag](self, body, True)
        return x

    def content(self, x: Any) -> Any:
        """The value of a JSON form whose own identity is known already."""
        if type(x) is list:
            return self.fill(x)
        if type(x) is dict:
            ((tag, body),) = x.items()
            return READ[tag](self, body, False)
        raise ValueError("not a container")

    def fill(self, xs: list[Any]) -> list[Any]:
        """The items of a list, in place."""
        for i, x in enumerate(xs):
            if type(x) is list or type(x) is dict:
                xs[i] = self.value(x)
        return xs

    def each(self, xs: Any) -> list[Any]:
        """The items of a list, checked to be one."""
        if type(xs) is not list:
            raise ValueError("not a list")
        return self.fill(xs)

    def opened(self, container: Any, new: bool) -> Any:
        """Give a container its place among the frame's containers."""
        if new:
            self.nodes.append(container)
        return container

    def pairs_into(self, target: Any, pairs: Any) -> Any:
        """Fill a kind of dict."""
        for k, v in pairs:
            key = self.value(k)
            dict.__setitem__(target, key, self.value(v))
        return target


def read_reference(reader: Reader, body: Any, new: bool) -> Any:
    """A container that was mentioned before."""
    frame, index = body
    if type(frame) is not int or type(index) is not int or index < 0:
        raise ValueError("reference")
    return reader.nodes[index] if frame == reader.frame else reader.lookup(frame, index)


def read_held(reader: Reader, body: Any, new: bool) -> Any:
    """An object that stays with the program: only the program's own side has it."""
    if reader.held is None:
        raise ValueError("an object where a plain value is needed")
    return reader.held(body)


def read_set(reader: Reader, body: Any, new: bool) -> Any:
    """A set; its identity opens before its items."""
    result = reader.opened(set(), new)
    result.update(reader.each(body))
    return result


def read_deque(reader: Reader, body: Any, new: bool) -> Any:
    """A deque."""
    from collections import deque

    items, maxlen = body
    result = reader.opened(deque(maxlen=maxlen), new)
    result.extend(reader.each(items))
    return result


def read_defaultdict(reader: Reader, body: Any, new: bool) -> Any:
    """A defaultdict with a built-in factory, or none."""
    from collections import defaultdict

    name, pairs = body
    factory = {f.__name__: f for f in FACTORIES}[name] if name else None
    return reader.pairs_into(reader.opened(defaultdict(factory), new), pairs)


def read_kind_of_dict(name: str) -> Read:
    """A reader of a class of collections that is a dict."""

    def read(reader: Reader, body: Any, new: bool) -> Any:
        import collections

        result = reader.opened(getattr(collections, name)(), new)
        for k, v in body:
            key = reader.value(k)
            result[key] = reader.value(v)
        return result

    return read


def read_array(reader: Reader, body: Any, new: bool) -> Any:
    """An array.array."""
    from array import array

    code, items = body
    result = reader.opened(array(code), new)
    result.extend(reader.each(items))
    return result


def read_number(kind: str) -> Read:
    """A reader of Decimal and Fraction."""

    def read(reader: Reader, body: Any, new: bool) -> Any:
        import decimal
        import fractions

        if kind == "D":
            return decimal.Decimal(body)
        numerator, denominator = reader.each(body)
        if type(numerator) is not int or type(denominator) is not int:
            raise ValueError("not a fraction of integers")  # the number of a short text may be endless
        return fractions.Fraction(numerator, denominator)

    return read


def read_time(kind: str) -> Read:
    """A reader of the datetime module's classes."""

    def read(reader: Reader, body: Any, new: bool) -> Any:
        import datetime as dt

        if kind == "timedelta":
            return dt.timedelta(*body)
        cls = getattr(dt, kind)
        if kind == "date":
            return cls.fromisoformat(body)
        text, fold, zone = body
        if zone is not None:
            days, seconds, microseconds, *name = zone
            zone = dt.timezone(dt.timedelta(days, seconds, microseconds), *name)
        return cls.fromisoformat(text).replace(fold=fold, tzinfo=zone)

    return read


_namedtuples: dict[tuple[Any, ...], Any] = {}


def read_namedtuple(reader: Reader, body: Any, new: bool) -> Any:
    """A tuple with names; the class is made anew from its fields."""
    from collections import namedtuple

    name, fields, values = body
    key = (name, *fields)
    if key not in _namedtuples:
        _namedtuples[key] = namedtuple(name, fields, rename=True)  # noqa: PYI024 - known at run time alone
    return _namedtuples[key](*reader.each(values))


_enums: dict[tuple[Any, ...], Any] = {}


def read_enum(reader: Reader, body: Any, new: bool) -> Any:
    """A member of an enumeration: the problem's own where it defines the class, else one made anew."""
    import enum

    name, member, value, mixin = body
    value = reader.value(value)
    own = reader.namespace.get(name)
    if isinstance(own, enum.EnumMeta):
        return own[member]
    key = (name, member, repr(value), mixin)
    if key not in _enums:
        kind = {"int": int, "str": str, "": None}[mixin]
        _enums[key] = enum.Enum(name.rpartition(".")[2], {member: value}, type=kind)
    return _enums[key][member]


def read_iterator(reader: Reader, body: Any, new: bool) -> Any:
    """An iterator over items that were read to their end."""
    is_generator, items, failure = body
    items = reader.each(items)
    error = make_exception(reader, failure) if failure else None
    if not is_generator and error is None:
        return iter(items)

    def generate() -> Iterator[Any]:
        yield from items
        if error is not None:
            raise error

    return generate()


def read_range(reader: Reader, body: Any, new: bool) -> Any:
    """A range."""
    return range(*reader.each(body))


def read_numpy(reader: Reader, body: Any, new: bool) -> Any:
    """An array or scalar of numpy."""
    import numpy as np

    dtype, shape, data = body
    if np.dtype(dtype).kind not in "biufcSUmM":
        raise ValueError("dtype")
    flat = np.frombuffer(bytes.fromhex(data), dtype=dtype)
    return flat[0] if shape is None else flat.reshape(shape).copy()


def read_match(reader: Reader, body: Any, new: bool) -> Any:
    """What a regular expression found."""
    string, *rest = body
    return matches.read(reader.value(string), *rest)


INFINITIES = {1: float("inf"), -1: float("-inf")}
READ: dict[str, Read] = {
    "*": read_reference,
    "h": read_held,
    "inf": lambda r, b, new: INFINITIES[b],
    "nan": lambda r, b, new: r.opened(float("nan"), new),
    "i": lambda r, b, new: int(b, 16),
    "u": lambda r, b, new: "".join(b),
    "x": lambda r, b, new: make_exception(r, b),
    "t": lambda r, b, new: tuple(r.each(b)),
    "d": lambda r, b, new: r.pairs_into(r.opened({}, new), b),
    "s": read_set,
    "z": lambda r, b, new: frozenset(r.each(b)),
    "b": lambda r, b, new: bytes.fromhex(b),
    "B": lambda r, b, new: r.opened(bytearray.fromhex(b), new),
    "c": lambda r, b, new: complex(*r.each(b)),
    "r": read_range,
    "k": lambda r, b, new: Ellipsis,
    "y": lambda r, b, new: {t.__name__: t for t in vars(__import__("builtins")).values() if type(t) is type}[b],
    "vk": lambda r, b, new: dict.fromkeys(r.each(b)).keys(),
    "vv": lambda r, b, new: dict(enumerate(r.each(b))).values(),
    "vi": lambda r, b, new: dict(r.each(b)).items(),
    "g": read_iterator,
    "q": read_deque,
    "C": read_kind_of_dict("Counter"),
    "O": read_kind_of_dict("OrderedDict"),
    "dd": read_defaultdict,
    "D": read_number("D"),
    "F": read_number("F"),
    "a": read_array,
    "date": read_time("date"),
    "time": read_time("time"),
    "datetime": read_time("datetime"),
    "delta": read_time("timedelta"),
    "nt": read_namedtuple,
    "e": read_enum,
    "np": read_numpy,
    "m": read_match,
}


def replace(old: Any, new: Any) -> None:
    """Give a container the content of another of the same type, keeping its identity."""
    t = type(old)
    if t is not type(new):
        raise ValueError("a container changed its type")
    if t is float:
        return
    if t is list or t is bytearray or t.__name__ == "array":
        old[:] = new
    elif t is set or issubclass(t, dict):
        old.clear()
        old.update(new)
        if t.__name__ == "defaultdict":
            old.default_factory = new.default_factory
    else:
        old.clear()
        old.extend(new)


def make_exception(reader: Reader, body: Any) -> Any:
    """An exception as faithful as it can be made: the problem's class, the built-in one, or one made anew.

    A class that is not built in becomes a subclass, of the same name, of its built-in ancestors.
    """
    import builtins

    module, name, ancestors, args, text, attributes = body
    args = None if args is None else reader.each(args)
    attributes = [(str(key), reader.value(value)) for key, value in attributes]
    bases = [c for c in (getattr(builtins, a, None) for a in ancestors) if is_exception(c)]
    own = reader.namespace.get(name)
    library = getattr(sys.modules.get(module), name, None) if module in LIBRARY else None
    if module == "builtins" and bases and bases[0].__name__ == name:
        cls = bases[0]
    elif is_exception(own):
        cls = own
    elif is_exception(library):
        cls = library
    else:
        cls = similar_class(name.rpartition(".")[2], bases, text)
    error = instance(cls, args, text)
    for key, value in attributes:
        try:
            setattr(error, key, value)
        except Exception:  # noqa: S112 - read-only here
            continue
    return error


def similar_class(name: str, bases: list[type[BaseException]], text: Any) -> type[BaseException]:
    """A class of that name below the nearest built-in ancestors, whose text is the one that was sent."""
    nearest = [c for c in bases if not any(d is not c and issubclass(d, c) for d in bases)]
    body = {"__str__": lambda self: text}
    try:
        return type(name, tuple(nearest) or (Exception,), body)
    except TypeError:  # their layouts conflict
        return type(name, (nearest[0],), body)


def instance(cls: type[BaseException], args: list[Any] | None, text: Any) -> BaseException:
    """An exception of a class, whatever its constructor asks for."""
    given = (text,) if args is None else tuple(args)
    try:
        return cls(*given)
    except Exception:
        try:
            error = cls.__new__(cls, *given)
        except Exception:
            error = Exception.__new__(similar_class(cls.__name__, [Exception], text))
        error.args = given
        return error


def is_exception(cls: Any) -> TypeGuard[type[BaseException]]:
    """Whether this is a class of exceptions."""
    return isinstance(cls, type) and issubclass(cls, BaseException)


LIBRARY = frozenset(
    (
        *("json.decoder", "decimal", "fractions", "struct", "zlib", "binascii", "statistics", "datetime", "re"),
        *("sre_constants", "asyncio", "queue", "concurrent.futures._base", "concurrent.futures", "string"),
        *("csv", "_csv", "graphlib"),
    )
)
