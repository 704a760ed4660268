"""Value protocol v1: plain values between judge and candidate, as JSON.

Scalars and lists stand for themselves; everything else is an object with one key, its tag (docs/protocol.md lists
them). Exact types only: a subclass could carry behaviour. Containers that can change have an identity: within one
frame and across frames a second mention is a reference `{"*": [frame, index]}`, where `index` counts the containers
of that frame in the order in which they open.

The judge never unpickles or unmarshals what a candidate wrote. Standard library alone; from Python 3.9 on.
"""

import sys
from json.decoder import JSONDecoder
from json.encoder import JSONEncoder

MAX_DEPTH = 200
MAX_ITEMS = 100_000  # of an iterator that is read to its end
SCALARS = frozenset((int, str, float, bool, type(None)))
HOSTILE = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RecursionError,
    OverflowError,
    ArithmeticError,
)
HUGE = 1 << 8192  # integers from here on travel in hexadecimal

dumps = JSONEncoder(check_circular=False, separators=(",", ":")).encode
_scan = JSONDecoder().scan_once


class Rejected(ValueError):
    """A value that does not cross."""


def loads(text):
    """JSON of hostile origin; raises one of HOSTILE."""
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError("not JSON") from None
    if end != len(text):
        raise ValueError("trailing text")
    return value


def name_of(cls):
    """Module and qualified name of a class, as one text."""
    return f"{cls.__module__}.{cls.__qualname__}"


# ---- writing


class Writer:
    """Turns the values of one frame into JSON's types.

    Args:
        frame: The frame's number.
        known: References of containers that crossed before: id -> [frame, index].
    """

    def __init__(self, frame, known):
        self.frame, self.known, self.nodes, self.own, self.depth = frame, known, [], {}, 0

    def value(self, x):
        """JSON form of a value; raises Rejected."""
        t = type(x)
        nan = t is float and x != x
        if t in SCALARS and not nan:
            return x if t is not int or -HUGE < x < HUGE else {"i": hex(x)}
        if t is tuple:
            return {"t": self.items(x)}
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

    def content(self, x):
        """JSON form of a value, its own identity apart."""
        t = type(x)
        if t is list:
            return self.items(x)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Rejected(f"nested deeper than {MAX_DEPTH}")
        write = WRITE.get(t) or WRITE_NAMED.get(name_of(t)) or write_special(t)
        try:
            return write(self, x)
        finally:
            self.depth -= 1

    def items(self, xs):
        """A list of JSON forms."""
        types = set(map(type, xs))
        if SCALARS.issuperset(types) and not (float in types and any(x != x for x in xs)):
            if int not in types:
                return list(xs)
            return [x if type(x) is not int or -HUGE < x < HUGE else {"i": hex(x)} for x in xs]
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Rejected(f"nested deeper than {MAX_DEPTH}")
        result = [self.value(x) for x in xs]
        self.depth -= 1
        return result

    def pairs(self, x):
        """Keys and values of any kind of dict."""
        return [[self.value(k), self.value(v)] for k, v in dict.items(x)]


def write_iterator(writer, x):
    """All items of an iterator; an exception on the way is part of the value."""
    items, failure = [], None
    try:
        for item in x:
            if len(items) >= MAX_ITEMS:
                raise Rejected(f"an iterator of more than {MAX_ITEMS} items")
            items.append(item)
    except Rejected:
        raise
    except Exception as error:
        failure = write_exception(writer, error)
    return {"g": [type(x).__name__ == "generator", writer.items(items), failure]}


def write_exception(writer, error):
    """Module, name, built-in ancestors, arguments and text of an exception."""
    cls = type(error)
    builtins = sys.modules["builtins"]
    lineage = type.__dict__["__mro__"].__get__(cls)  # Python itself looks at the real one as well
    ancestors = [c.__name__ for c in lineage if getattr(builtins, c.__name__, None) is c and c is not object]
    try:
        args = writer.items(error.args)
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
                attributes.append([str(name), writer.value(value)])
        except Exception:  # it has none, or one that does not cross
            continue
    return [str(cls.__module__), str(cls.__qualname__), ancestors, args, text, attributes]


# What built-in exceptions keep outside of their arguments.
ATTRIBUTES = "errno filename filename2 name path lineno offset text msg value code doc pos colno".split()


def write_numpy(writer, x):
    """An array or scalar of numpy that holds numbers or text."""
    if x.dtype.kind not in "biufcSUmM":
        raise Rejected(f"numpy dtype {x.dtype}")
    shape = list(x.shape) if type(x).__name__ == "ndarray" else None
    return {"np": [x.dtype.str, shape, x.tobytes().hex()]}


def write_special(t):
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


def listed(tag):
    """A writer of an iterable's items below a tag."""
    return lambda w, x: {tag: w.items(list(x))}


def paired(tag):
    """A writer of a dict's pairs below a tag."""
    return lambda w, x: {tag: w.pairs(x)}


def write_type(writer, x):
    """A built-in class, by name."""
    if x.__module__ != "builtins":
        raise Rejected(f"the class {name_of(x)} is not a plain value")
    return {"y": x.__name__}


def write_defaultdict(writer, x):
    """A defaultdict; only factories that are built in can cross, others are left out."""
    factory = x.default_factory
    return {"dd": [factory.__name__ if factory in FACTORIES else None, writer.pairs(x)]}


FACTORIES = (int, float, str, list, dict, set, tuple, bool)
WRITE = {
    float: lambda w, x: {"nan": 0},
    dict: paired("d"),
    set: listed("s"),
    frozenset: listed("z"),
    bytes: lambda w, x: {"b": x.hex()},
    bytearray: lambda w, x: {"B": x.hex()},
    complex: lambda w, x: {"c": [x.real, x.imag]},
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
    *(map, filter, zip, enumerate, reversed),
):
    WRITE[_iterator] = write_iterator

WRITE_NAMED = {
    "collections.deque": lambda w, x: {"q": [w.items(list(x)), x.maxlen]},
    "collections.Counter": paired("C"),
    "collections.OrderedDict": paired("O"),
    "collections.defaultdict": write_defaultdict,
    "decimal.Decimal": lambda w, x: {"D": str(x)},
    "fractions.Fraction": lambda w, x: {"F": w.items([x.numerator, x.denominator])},
    "array.array": lambda w, x: {"a": [x.typecode, w.items(x.tolist())]},
    "datetime.date": lambda w, x: {"date": x.isoformat()},
    "datetime.time": lambda w, x: {"time": plain_zone(x)},
    "datetime.datetime": lambda w, x: {"datetime": plain_zone(x)},
    "datetime.timedelta": lambda w, x: {"delta": [x.days, x.seconds, x.microseconds]},
    **{f"itertools.{name}": write_iterator for name in (
        "accumulate batched chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse"
        " groupby islice pairwise permutations product repeat starmap takewhile zip_longest _tee"
    ).split()},
}  # fmt: skip
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


def plain_zone(x):
    """ISO text of a time; its zone must be none or a fixed offset."""
    zone = x.tzinfo
    if zone is not None and name_of(type(zone)) != "datetime.timezone":
        raise Rejected(f"a time zone of type {name_of(type(zone))}")
    return [x.isoformat(), x.fold]


# ---- reading


class Reader:
    """Makes values of one frame's JSON.

    Args:
        frame: The frame's number.
        lookup: Gives the container of an earlier frame: (frame, index) -> object; raises KeyError.
        namespace: Where enumerations and exceptions of the problem may be defined.
    """

    def __init__(self, frame, lookup, namespace=None):
        self.frame, self.lookup, self.nodes = frame, lookup, []
        self.namespace = {} if namespace is None else namespace

    def value(self, x):
        """The value of a JSON form; hostile input raises one of HOSTILE."""
        t = type(x)
        if t is list:
            self.nodes.append(x)
            return self.fill(x)
        if t is dict:
            ((tag, body),) = x.items()
            return READ[tag](self, body, True)
        return x

    def content(self, x):
        """The value of a JSON form whose own identity is known already."""
        if type(x) is list:
            return self.fill(x)
        if type(x) is dict:
            ((tag, body),) = x.items()
            return READ[tag](self, body, False)
        raise ValueError("not a container")

    def fill(self, xs):
        """The items of a list, in place."""
        for i, x in enumerate(xs):
            if type(x) is list or type(x) is dict:
                xs[i] = self.value(x)
        return xs

    def each(self, xs):
        """The items of a list, checked to be one."""
        if type(xs) is not list:
            raise ValueError("not a list")
        return self.fill(xs)

    def opened(self, container, new):
        """Give a container its place among the frame's containers."""
        if new:
            self.nodes.append(container)
        return container

    def pairs_into(self, target, pairs):
        """Fill a kind of dict."""
        for k, v in pairs:
            key = self.value(k)
            dict.__setitem__(target, key, self.value(v))
        return target


def read_reference(reader, body, new):
    """A container that was mentioned before."""
    frame, index = body
    if type(frame) is not int or type(index) is not int or index < 0:
        raise ValueError("reference")
    return reader.nodes[index] if frame == reader.frame else reader.lookup(frame, index)


def read_set(reader, body, new):
    """A set; its identity opens before its items."""
    result = reader.opened(set(), new)
    result.update(reader.each(body))
    return result


def read_deque(reader, body, new):
    """A deque."""
    from collections import deque

    items, maxlen = body
    result = reader.opened(deque([], maxlen), new)
    result.extend(reader.each(items))
    return result


def read_defaultdict(reader, body, new):
    """A defaultdict with a built-in factory, or none."""
    from collections import defaultdict

    name, pairs = body
    factory = {f.__name__: f for f in FACTORIES}[name] if name else None
    return reader.pairs_into(reader.opened(defaultdict(factory), new), pairs)


def read_kind_of_dict(name):
    """A reader of a class of collections that is a dict."""

    def read(reader, body, new):
        import collections

        result = reader.opened(getattr(collections, name)(), new)
        for k, v in body:
            key = reader.value(k)
            result[key] = reader.value(v)
        return result

    return read


def read_array(reader, body, new):
    """An array.array."""
    from array import array

    code, items = body
    result = reader.opened(array(code), new)
    result.extend(reader.each(items))
    return result


def read_number(kind):
    """A reader of Decimal and Fraction."""

    def read(reader, body, new):
        import decimal
        import fractions

        return decimal.Decimal(body) if kind == "D" else fractions.Fraction(*reader.each(body))

    return read


def read_time(kind):
    """A reader of the datetime module's classes."""

    def read(reader, body, new):
        import datetime

        if kind == "timedelta":
            return datetime.timedelta(*body)
        cls = getattr(datetime, kind)
        if kind == "date":
            return cls.fromisoformat(body)
        text, fold = body
        return cls.fromisoformat(text).replace(fold=fold)

    return read


_namedtuples = {}


def read_namedtuple(reader, body, new):
    """A tuple with names; the class is made anew from its fields."""
    from collections import namedtuple

    name, fields, values = body
    key = (name, *fields)
    if key not in _namedtuples:
        _namedtuples[key] = namedtuple(name, fields)
    return _namedtuples[key](*reader.each(values))


_enums = {}


def read_enum(reader, body, new):
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


def read_iterator(reader, body, new):
    """An iterator over items that were read to their end."""
    is_generator, items, failure = body
    items = reader.each(items)
    error = make_exception(reader, failure) if failure else None
    if not is_generator and error is None:
        return iter(items)

    def generate():
        yield from items
        if error is not None:
            raise error

    return generate()


def read_range(reader, body, new):
    """A range."""
    return range(*reader.each(body))


def read_numpy(reader, body, new):
    """An array or scalar of numpy."""
    import numpy

    dtype, shape, data = body
    if numpy.dtype(dtype).kind not in "biufcSUmM":
        raise ValueError("dtype")
    flat = numpy.frombuffer(bytes.fromhex(data), dtype=dtype)
    return flat[0] if shape is None else flat.reshape(shape).copy()


READ = {
    "*": read_reference,
    "nan": lambda r, b, new: r.opened(float("nan"), new),
    "i": lambda r, b, new: int(b, 16),
    "x": lambda r, b, new: make_exception(r, b),
    "t": lambda r, b, new: tuple(r.each(b)),
    "d": lambda r, b, new: r.pairs_into(r.opened({}, new), b),
    "s": read_set,
    "z": lambda r, b, new: frozenset(r.each(b)),
    "b": lambda r, b, new: bytes.fromhex(b),
    "B": lambda r, b, new: r.opened(bytearray.fromhex(b), new),
    "c": lambda r, b, new: complex(*b),
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
}


def replace(old, new):
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


def make_exception(reader, body):
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
        except Exception:  # read-only here
            continue
    return error


def similar_class(name, bases, text):
    """A class of that name below the nearest built-in ancestors, whose text is the one that was sent."""
    nearest = [c for c in bases if not any(d is not c and issubclass(d, c) for d in bases)]
    body = {"__str__": lambda self: text}
    try:
        return type(name, tuple(nearest) or (Exception,), body)
    except TypeError:  # their layouts conflict
        return type(name, (nearest[0],), body)


def instance(cls, args, text):
    """An exception of a class, whatever its constructor asks for."""
    args = (text,) if args is None else tuple(args)
    try:
        return cls(*args)
    except Exception:
        try:
            error = cls.__new__(cls, *args)
        except Exception:
            error = Exception.__new__(similar_class(cls.__name__, [Exception], text))
        error.args = args
        return error


def is_exception(cls):
    """Whether this is a class of exceptions."""
    return isinstance(cls, type) and issubclass(cls, BaseException)


LIBRARY = frozenset(
    "json.decoder decimal fractions struct zlib binascii statistics datetime re sre_constants asyncio queue"
    " concurrent.futures._base concurrent.futures string csv _csv graphlib".split()
)
