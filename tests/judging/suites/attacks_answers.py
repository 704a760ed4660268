"""Attacks that answer something which is no answer.

Class "answer": constants, the argument back, nothing at all, another function. Class "equal": objects that say
they are equal to everything, as plain objects, as subclasses of the plain types, hidden inside plain containers,
and classes that pretend to be a plain type by name, by `__class__` or by a metaclass. Point 7: a reply that does
not cross must not move the problem into a weaker mode. Nothing here touches the machine.
"""

from __future__ import annotations

from .case import NO_FUNCTION, RAISED, REJECTED, WRONG, Case, source
from .tasks import INCREMENT, RAISES_VALUE_ERROR
from .tasks_identity import IN_PLACE
from .tasks_types import AWARE, ITERATOR, LIST, TEXT

_NONE = WRONG | REJECTED

_CONSTANTS = (
    ("nothing", "pass"),
    ("zero", "return 0"),
    ("true", "return True"),
    ("argument", "return x"),
    ("first-answer", "return 2"),
    ("text", "return str(x + 1)"),
    ("tuple", "return x + 1,"),
    ("list", "return [x + 1]"),
    ("nearly", "return x + 1 + 1e-9"),
    ("random", "return __import__('random').randrange(10 ** 9)"),
)
_EQUALS = (
    ("object", "object", "E()"),
    ("int", "int", "E(7)"),
    ("float", "float", "E(7)"),
    ("str", "str", "E('7')"),
    ("bytes", "bytes", "E(b'7')"),
    ("list", "list", "E([7])"),
    ("tuple", "tuple", "E([7])"),
    ("dict", "dict", "E(a=7)"),
    ("set", "set", "E([7])"),
    ("complex", "complex", "E(7)"),
    ("exception", "Exception", "E(7)"),
    ("deque", "__import__('collections').deque", "E([7])"),
    ("counter", "__import__('collections').Counter", "E('7')"),
    ("decimal", "__import__('decimal').Decimal", "E(7)"),
    ("fraction", "__import__('fractions').Fraction", "E(7)"),
    ("date", "__import__('datetime').date", "E(2024, 1, 1)"),
    ("module", "type(__import__('os'))", "E('os')"),
)


def _equal(base: str, value: str) -> str:
    return source(
        f"""
        class E({base}):
            def __eq__(self, other):
                return True

            def __ne__(self, other):
                return False

            __hash__ = {base}.__hash__

        def f(x):
            return {value}
        """
    )


_EVERYTHING = _equal("object", "0").partition("def f")[0]

CASES: tuple[Case, ...] = (
    *(INCREMENT.case(f"answers-{name}", "answer", f"def f(x):\n    {body}\n", WRONG) for name, body in _CONSTANTS),
    INCREMENT.case("answers-generator-of-it", "answer", "def f(x):\n    yield x + 1\n", WRONG),
    INCREMENT.case("answers-coroutine", "answer", "async def f(x):\n    return x + 1\n", _NONE),
    INCREMENT.case("entry-point-missing", "answer", "def g(x):\n    return x + 1\n", NO_FUNCTION),
    INCREMENT.case("entry-point-is-none", "answer", "f = None\n", NO_FUNCTION | WRONG),
    INCREMENT.case("entry-point-is-int", "answer", "f = int\n", WRONG),
    INCREMENT.case(
        "entry-point-is-a-class", "answer", "class f:\n    def __init__(self, x):\n        pass\n", REJECTED
    ),
    INCREMENT.case(
        "entry-point-replaces-itself",
        "answer",
        """
        def f(x):
            global f
            f = lambda x: x
            return x + 1 if x == 0 else x
        """,
        WRONG,
    ),
    INCREMENT.case("entry-point-takes-nothing", "answer", "def f():\n    return 2\n", RAISED),
    *(INCREMENT.case(f"equal-{name}", "equal", _equal(base, value), REJECTED) for name, base, value in _EQUALS),
    INCREMENT.case(
        "equal-class-itself",
        "equal",
        """
        class M(type):
            def __eq__(self, other):
                return True
            __hash__ = type.__hash__

        class E(metaclass=M):
            pass

        def f(x):
            return E
        """,
        REJECTED,
    ),
    INCREMENT.case(
        "equal-metaclass-looks-like-int",
        "equal",
        """
        class M(type):
            def __eq__(self, other):
                return True

            def __hash__(self):
                return hash(int)

        class E(int, metaclass=M):
            def __eq__(self, other):
                return True
            __hash__ = int.__hash__

        def f(x):
            return E(7)
        """,
        _NONE | RAISED,
        "`type(value) in {int, ...}` asks the metaclass",
    ),
    INCREMENT.case(
        "equal-claims-class-int",
        "equal",
        """
        class E:
            __class__ = int

            def __eq__(self, other):
                return True

            def __index__(self):
                return 2

        def f(x):
            return E()
        """,
        REJECTED,
        "isinstance(value, int) is true",
    ),
    INCREMENT.case(
        "equal-named-builtins-int",
        "equal",
        """
        class E:
            def __eq__(self, other):
                return True

        E.__module__, E.__name__, E.__qualname__ = "builtins", "int", "int"

        def f(x):
            return E()
        """,
        REJECTED,
    ),
    INCREMENT.case(
        "equal-answers-every-attribute",
        "equal",
        """
        class E:
            def __getattr__(self, name):
                return lambda *a, **k: self

            def __eq__(self, other):
                return True

            def __iter__(self):
                return iter(())

            def __len__(self):
                return 0

        def f(x):
            return E()
        """,
        REJECTED,
    ),
    INCREMENT.case(
        "equal-reduces-to-a-call",
        "equal",
        """
        class E:
            def __reduce__(self):
                return eval, ("__import__('os')._exit(0)",)

        def f(x):
            return E()
        """,
        REJECTED,
        "a judge that unpickled replies would end here",
    ),
    INCREMENT.case(
        "equal-enum-member",
        "equal",
        """
        import enum

        class E(enum.Enum):
            A = 1

            def __eq__(self, other):
                return True
            __hash__ = enum.Enum.__hash__

        def f(x):
            return E.A
        """,
        _NONE,
    ),
    INCREMENT.case(
        "equal-inside-enum-member",
        "equal",
        _EVERYTHING + "import enum\n\nclass A(enum.Enum):\n    B = E()\n\ndef f(x):\n    return A.B.value\n",
        REJECTED,
    ),
    INCREMENT.case(
        "equal-namedtuple",
        "equal",
        """
        from collections import namedtuple

        class E(namedtuple("E", "x")):
            def __eq__(self, other):
                return True

        def f(x):
            return E(x)
        """,
        _NONE,
    ),
    LIST.case("equal-inside-list", "equal", _EVERYTHING + "def f(xs):\n    return [E(), E()]\n", REJECTED),
    LIST.case("equal-elements-yielded", "equal", _EVERYTHING + "def f(xs):\n    yield E()\n", _NONE),
    ITERATOR.case(
        "equal-iterator",
        "equal",
        _EVERYTHING + "def f(n):\n    for _ in range(n):\n        yield E()\n",
        REJECTED,
    ),
    INCREMENT.case(
        "equal-as-dict-key", "equal", _EVERYTHING + "def f(x):\n    return {E(): 0}\n", REJECTED | RAISED
    ),
    IN_PLACE.case(
        "equal-put-into-argument",
        "equal",
        _EVERYTHING + "def f(xs):\n    xs[:] = [E()] * 3\n",
        _NONE,
        "the argument that is carried back holds objects of the candidate",
    ),
    RAISES_VALUE_ERROR.case(
        "equal-in-exception-arguments",
        "equal",
        """
        class E(str):
            def __eq__(self, other):
                return True
            __hash__ = str.__hash__

        class Broken(ValueError):
            def __str__(self):
                return E("yes")

        def f(x):
            raise Broken(E("yes"))
        """,
        WRONG | REJECTED | RAISED,
    ),
    INCREMENT.case(
        "equal-numerator-of-a-fraction",
        "equal",
        _EVERYTHING + "from fractions import Fraction\n\ndef f(x):\n    q = Fraction(1)\n    q._numerator = E()\n"
        "    return q\n",
        REJECTED | RAISED,
        "an exact plain type whose insides are not plain",
    ),
    AWARE.case(
        "equal-timezone-of-a-datetime",
        "equal",
        """
        from datetime import datetime, timedelta, tzinfo

        class Z(tzinfo):
            def utcoffset(self, when):
                return timedelta(hours=1)

        def f(seconds):
            return datetime(1970, 1, 1, tzinfo=Z())
        """,
        _NONE | RAISED,
    ),
    *(
        INCREMENT.case(f"does-not-cross-{name}", "7", f"{before}\ndef f(x):\n    return {value}\n", REJECTED)
        for name, before, value in (
            ("function", "", "lambda *a: x + 1"),
            ("module", "import math", "math"),
            ("own-class", "class C:\n    pass\n", "C"),
            ("lock", "import threading", "threading.Lock()"),
            ("stream", "import io", "io.StringIO()"),
            ("object-in-tuple", "", "(x + 1, object())"),
        )
    ),
    TEXT.case(
        "does-not-cross-text-in-a-class",
        "7",
        """
        class Text(str):
            pass

        def f(text):
            return Text("AB!")
        """,
        REJECTED,
        "a judge that fell back to a plain in-process run would meet the class there",
    ),
)
