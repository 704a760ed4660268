"""Value protocol v1, written: plain values become JSON's types. Standard library alone; from Python 3.9 on."""

from __future__ import annotations

import re
import sys
from math import isfinite

import matches

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

MAX_DEPTH = 200
MAX_ITEMS = 100_000  # of an iterator that is read to its end
SCALARS = frozenset((int, str, float, bool, type(None)))
HUGE = 1 << 8192  # integers from here on travel in hexadecimal
# Between two halves of a pair: JSON would join them to one character, and so repair a wrong program.
HALVES = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")


# The frame of what is written to be compared with itself later, never sent: iterators are left unread.
COMPARED = -1


class Rejected(ValueError):  # noqa: N818 - says of a value what happened to it
    """A value that does not cross."""


def name_of(cls: type) -> str:
    """Module and qualified name of a class, as one text."""
    return f"{cls.__module__}.{cls.__qualname__}"


class Writer:
    """Turns the values of one frame into JSON's types.

    Args:
        frame: The frame's number.
        known: References of containers that crossed before: id -> [frame, index].
    """

    def __init__(self, frame: int, known: dict[int, list[int]]) -> None:
        self.frame, self.known, self.depth = frame, known, 0
        self.nodes: list[Any] = []  # containers in the order in which they opened
        self.own: dict[int, int] = {}  # id -> position among them

    def value(self, x: Any) -> Any:
        """JSON form of a value; raises Rejected."""
        t = type(x)
        if t is str:
            return x if x.isascii() or not HALVES.search(x) else {"u": HALVES.split(x)}
        if t in SCALARS and (t is not float or isfinite(x)):
            return x if t is not int or -HUGE < x < HUGE else {"i": hex(x)}
        if t is tuple:
            return {"t": self.items(x)}
        nan = t is float and x != x  # noqa: PLR0124 - NaN alone differs from itself
        identity = nan or t in MUTABLE or (t.__name__ in NAMED_MUTABLE and name_of(t) in MUTABLE_NAMES)
        if identity:
            key = id(x)
            if key in self.own:
                return {"*": [self.frame, self.own[key]]}
            if key in self.known:
                return {"*": self.known[key]}
            self.own[key] = len(self.nodes)
            self.nodes.append(x)
        return self.content(x)

    def content(self, x: Any) -> Any:
        """JSON form of a value, its own identity apart."""
        t = type(x)
        if t is list:
            return self.items(x)
        write = WRITE.get(t) or WRITE_NAMED.get(name_of(t)) or write_special(t)
        self.depth += 1
        try:
            if self.depth > MAX_DEPTH:
                raise Rejected(f"nested deeper than {MAX_DEPTH}")
            return write(self, x)
        finally:
            self.depth -= 1

    def items(self, xs: list[Any] | tuple[Any, ...]) -> list[Any]:
        """A list of JSON forms."""
        types = set(map(type, xs))
        plain = SCALARS.issuperset(types) and (float not in types or all_finite(xs, types))
        if plain and not (str in types and any(map(has_halves, xs))):
            if int not in types:
                return list(xs)
            return [x if type(x) is not int or -HUGE < x < HUGE else {"i": hex(x)} for x in xs]
        self.depth += 1
        try:
            if self.depth > MAX_DEPTH:
                raise Rejected(f"nested deeper than {MAX_DEPTH}")
            return [self.value(x) for x in xs]
        finally:
            self.depth -= 1

    def pairs(self, x: dict[Any, Any]) -> list[list[Any]]:
        """Keys and values of any kind of dict."""
        return [[self.value(k), self.value(v)] for k, v in dict.items(x)]

    def attempt(self, write: Callable[[Any], Any], x: Any) -> Any:
        """What `write` makes of a value; if it raises, the containers that it had opened are closed again."""
        opened = len(self.nodes)
        try:
            return write(x)
        except BaseException:
            for node in self.nodes[opened:]:
                del self.own[id(node)]
            del self.nodes[opened:]
            raise


def all_finite(xs: Iterable[Any], types: set[type]) -> bool:
    """Whether no scalar of these is a NaN or an infinity."""
    if len(types) == 1:
        return all(map(isfinite, xs))
    return all(isfinite(x) for x in xs if type(x) is float)


def has_halves(x: Any) -> bool:
    """Whether a value is a text in which two halves of a surrogate pair follow each other."""
    return type(x) is str and not x.isascii() and HALVES.search(x) is not None


def write_iterator(writer: Writer, x: Iterable[Any]) -> Any:
    """All items of an iterator; an exception on the way is part of the value."""
    if writer.frame == COMPARED:
        return {"g": id(x)}
    items: list[Any] = []
    raised: Exception | None = None
    try:
        for item in x:
            items.append(item)
            if len(items) > MAX_ITEMS:
                break
    except Exception as error:
        raised = error
    if len(items) > MAX_ITEMS:
        raise Rejected(f"an iterator of more than {MAX_ITEMS} items")
    written = writer.items(items)  # before the exception: both sides count containers in the order of the frame
    failure = write_exception(writer, raised) if raised is not None else None
    raised = None  # its traceback holds this frame, and the iterator's
    return {"g": [type(x).__name__ == "generator", written, failure]}


def write_exception(writer: Writer, error: BaseException) -> list[Any]:
    """Module, name, built-in ancestors, arguments and text of an exception."""
    cls = type(error)
    builtins = sys.modules["builtins"]
    # Python itself looks at the real lineage as well.
    lineage: tuple[type, ...] = type.__dict__["__mro__"].__get__(cls)
    ancestors = [c.__name__ for c in lineage if getattr(builtins, c.__name__, None) is c and c is not object]
    args: list[Any] | None
    try:
        args = writer.attempt(writer.items, error.args)
    except Rejected:
        args = None
    try:
        text = str(error)[:1000]
    except Exception:
        text = ""
    attributes = []
    for name in (*ATTRIBUTES, *getattr(error, "__dict__", ())):
        try:
            value = getattr(error, name)
            if value is not None:
                attributes.append([str(name), writer.attempt(writer.value, value)])
        except Exception:  # noqa: S112 - it has none, or one that does not cross
            continue
    return [str(cls.__module__), str(cls.__qualname__), ancestors, args, text, attributes]


# What built-in exceptions keep outside of their arguments.
ATTRIBUTES = (
    *("errno", "filename", "filename2", "name", "path", "lineno", "offset"),
    *("text", "msg", "value", "code", "doc", "pos", "colno"),
)


def write_numpy(writer: Writer, x: Any) -> Any:
    """An array or scalar of numpy that holds numbers or text."""
    if x.dtype.kind not in "biufcSUmM":
        raise Rejected(f"numpy dtype {x.dtype}")
    shape = list(x.shape) if type(x).__name__ == "ndarray" else None
    return {"np": [x.dtype.str, shape, x.tobytes().hex()]}


def write_special(t: type) -> Callable[[Writer, Any], Any]:
    """The writer of a type that is known by its kind, not its name; raises Rejected."""
    enum = sys.modules.get("enum")
    if enum and issubclass(type(t), enum.EnumMeta):
        mixin = "int" if issubclass(t, int) else "str" if issubclass(t, str) else ""
        return lambda w, x: {"e": [t.__qualname__, x.name, w.value(x.value), mixin]}
    if t.__bases__ == (tuple,) and hasattr(t, "_fields"):
        return lambda w, x: {"nt": [t.__name__, list(map(str, t._fields)), w.items(list(tuple.__iter__(x)))]}
    if issubclass(t, BaseException) and getattr(sys.modules["builtins"], t.__name__, None) is t:
        return lambda w, x: {"x": write_exception(w, x)}
    if t.__module__ == "numpy":
        numpy = sys.modules["numpy"]
        if t is numpy.ndarray or issubclass(t, numpy.generic):
            return write_numpy
    raise Rejected(f"a value of type {name_of(t)} is not a plain value")


def listed(tag: str) -> Callable[[Writer, Any], Any]:
    """A writer of an iterable's items below a tag."""
    return lambda w, x: {tag: w.items(list(x))}


def paired(tag: str) -> Callable[[Writer, Any], Any]:
    """A writer of a dict's pairs below a tag."""
    return lambda w, x: {tag: w.pairs(x)}


def write_match(writer: Writer, x: Any) -> Any:
    """What a regular expression found: text, spans, names of groups, where it was searched, the last group."""
    string, regs, names, bounds, last = matches.content_of(x) if type(x) is re.Match else x.content()
    if type(string) not in (str, bytes):
        raise Rejected(f"a match in a value of type {name_of(type(string))}")
    return {"m": [writer.value(string), list(map(list, regs)), list(map(list, names.items())), list(bounds), last]}


def write_type(writer: Writer, x: type) -> Any:
    """A built-in class, by name."""
    if vars(sys.modules["builtins"]).get(x.__name__) is not x:
        raise Rejected(f"the class {name_of(x)} is not a plain value")
    return {"y": x.__name__}


def write_defaultdict(writer: Writer, x: Any) -> Any:
    """A defaultdict; only factories that are built in can cross, others are left out."""
    factory = x.default_factory
    return {"dd": [factory.__name__ if factory in FACTORIES else None, writer.pairs(x)]}


ITERTOOLS = (
    *("accumulate", "batched", "chain", "combinations", "combinations_with_replacement", "compress", "count"),
    *("cycle", "dropwhile", "filterfalse", "groupby", "islice", "pairwise", "permutations", "product"),
    *("repeat", "starmap", "takewhile", "zip_longest", "_tee"),
)
COLLECTIONS = (
    *("collections._deque_iterator", "collections._deque_reverse_iterator"),
    *("_collections._deque_iterator", "_collections._deque_reverse_iterator"),
    "builtins.odict_iterator",
)
FACTORIES = (int, float, str, list, dict, set, tuple, bool)
WRITE: dict[type, Callable[[Writer, Any], Any]] = {
    float: lambda w, x: {"inf": 1 if x > 0 else -1} if x == x else {"nan": 0},  # noqa: PLR0124 - NaN
    dict: paired("d"),
    set: listed("s"),
    frozenset: listed("z"),
    bytes: lambda w, x: {"b": x.hex()},
    bytearray: lambda w, x: {"B": x.hex()},
    complex: lambda w, x: {"c": w.items([x.real, x.imag])},
    range: lambda w, x: {"r": w.items([x.start, x.stop, x.step])},
    type: write_type,
    type(Ellipsis): lambda w, x: {"k": "..."},
    type({}.keys()): listed("vk"),
    type({}.values()): listed("vv"),
    type({}.items()): listed("vi"),
}
for _iterator in (
    *map(
        type, (iter([]), iter(()), iter({}), iter({}.values()), iter({}.items()), iter(""), iter(set()), iter(b""))
    ),
    *map(type, (iter(range(0)), iter(range(1 << 70)), reversed([]), (_ for _ in ()), iter(bytearray()))),
    *map(type, (iter("\u00e9"), reversed({}), reversed({}.values()), reversed({}.items()))),
    *(map, filter, zip, enumerate, reversed),
):
    WRITE[_iterator] = write_iterator

WRITE_NAMED: dict[str, Callable[[Writer, Any], Any]] = {
    "collections.deque": lambda w, x: {"q": [w.items(list(x)), x.maxlen]},
    "collections.Counter": paired("C"),
    "collections.OrderedDict": paired("O"),
    "collections.defaultdict": write_defaultdict,
    "decimal.Decimal": lambda w, x: {"D": str(x)},
    "fractions.Fraction": lambda w, x: {"F": w.items([x.numerator, x.denominator])},
    "array.array": lambda w, x: {"a": [x.typecode, w.items(x.tolist())]},
    "re.Match": write_match,
    "datetime.date": lambda w, x: {"date": x.isoformat()},
    "datetime.time": lambda w, x: {"time": plain_zone(x)},
    "datetime.datetime": lambda w, x: {"datetime": plain_zone(x)},
    "datetime.timedelta": lambda w, x: {"delta": [x.days, x.seconds, x.microseconds]},
    "matches.Match": write_match,
    **dict.fromkeys(map("itertools.{}".format, ITERTOOLS), write_iterator),
    **dict.fromkeys(COLLECTIONS, write_iterator),
    "builtins.odict_keys": listed("vk"),
    "builtins.odict_values": listed("vv"),
    "builtins.odict_items": listed("vi"),
}
MUTABLE = frozenset((list, dict, set, bytearray))
MUTABLE_NAMES = frozenset(
    (
        "collections.deque",
        "collections.Counter",
        "collections.OrderedDict",
        "collections.defaultdict",
        "array.array",
    )
)
NAMED_MUTABLE = frozenset(name.split(".")[1] for name in MUTABLE_NAMES)


def plain_zone(x: Any) -> list[Any]:
    """ISO text of a time without its zone, fold, and the zone: none, or a fixed offset and its name."""
    zone = x.tzinfo
    if zone is None:
        return [x.isoformat(), x.fold, None]
    if name_of(type(zone)) != "datetime.timezone":
        raise Rejected(f"a time zone of type {name_of(type(zone))}")
    offset, *name = zone.__getinitargs__()
    parts = [offset.days, offset.seconds, offset.microseconds, *name]
    return [x.replace(tzinfo=None).isoformat(), x.fold, parts]
