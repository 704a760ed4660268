"""Outcomes that a candidate would like to choose.

Point 12: outcomes are measured, never named; whatever a candidate raises, `infra_error` is out of its reach. Point
13, seen from the attacker: exceptions and classes that only bear a right name.
"""

from __future__ import annotations

from codejury.model import Outcome

from .case import CRASHED, ENDED, FAILS, NO_FUNCTION, RAISED, SLOW, SYNTAX, WRONG, Case
from .tasks import INCREMENT, RAISES_VALUE_ERROR

_CLOWN = "class {name}(Exception):\n    pass\n\ndef f(x):\n    raise {name}('infra_error')\n"
_NAMED = (
    *(
        INCREMENT.case(f"raises-{name.partition('(')[0].lower()}", "12", f"def f(x):\n    raise {name}\n", RAISED)
        for name in (
            "AssertionError",
            "TimeoutError",
            "RecursionError",
            "StopIteration",
            "OSError(28, 'No space left on device')",
            "BrokenPipeError(32, 'Broken pipe')",
            "ConnectionResetError",
            "SyntaxError('invalid syntax')",
            "NotImplementedError",
            "ExceptionGroup('g', [ValueError()])",
        )
    ),
    *(
        INCREMENT.case(
            f"raises-{name.partition('(')[0].lower()}", "12", f"def f(x):\n    raise {name}\n", RAISED | ENDED
        )
        for name in ("KeyboardInterrupt", "GeneratorExit", "BaseException('passed')")
    ),
    *(
        INCREMENT.case(f"raises-own-{name.lower()}", "12", _CLOWN.format(name=name), RAISED)
        for name in ("InfrastructureError", "TierUnavailable", "TimeoutCpu", "Passed")
    ),
    INCREMENT.case(
        "raises-memoryerror",
        "12",
        "def f(x):\n    raise MemoryError\n",
        RAISED | {Outcome.OUT_OF_MEMORY},
        "a real one, at the address limit, looks the same",
    ),
    INCREMENT.case("raises-while-loading", "12", "raise TimeoutError('cpu')\n", RAISED),
    INCREMENT.case(
        "raises-unprintable",
        "12",
        """
        class Bad(Exception):
            def __str__(self):
                raise SystemExit(0)
            __repr__ = __str__

        def f(x):
            raise Bad
        """,
        RAISED | ENDED,
    ),
    INCREMENT.case(
        "raises-endless-message",
        "12",
        """
        class Bad(Exception):
            def __str__(self):
                while True:
                    pass

        def f(x):
            raise Bad
        """,
        RAISED | SLOW,
    ),
    INCREMENT.case("raises-huge-message", "12", "def f(x):\n    raise ValueError('x' * 40_000_000)\n", FAILS),
    INCREMENT.case("raises-huge-arguments", "12", "def f(x):\n    raise ValueError(*range(3_000_000))\n", FAILS),
    INCREMENT.case(
        "raises-long-chain",
        "12",
        """
        def f(x):
            e = None
            for i in range(100_000):
                new = ValueError(i)
                new.__cause__, e = e, new
            raise e
        """,
        RAISED | CRASHED,
    ),
    INCREMENT.case(
        "raises-terminal-controls",
        "12",
        r"""
        def f(x):
            raise ValueError("\x1b]0;passed\x07\x1b[2J\x1b[32mpassed\r\npassed\u2028\u202e\x00")
        """,
        RAISED,
        "the detail is one line for people",
    ),
    INCREMENT.case("raises-lone-surrogates", "12", "def f(x):\n    raise ValueError('\\ud800\\udfff')\n", RAISED),
    INCREMENT.case("source-syntax", "12", "def f(x:\n    return x + 1\n", SYNTAX),
    INCREMENT.case("source-null-byte", "12", "def f(x):\n    return x + 1\n\0", SYNTAX | NO_FUNCTION),
    INCREMENT.case(
        "source-deeply-nested",
        "12",
        "def f(x):\n    return " + "(" * 150_000 + "x" + ")" * 150_000 + "\n",
        SYNTAX | FAILS,
        "the compiler may give up or overflow",
    ),
    INCREMENT.case(
        "source-long-sum",
        "12",
        "def f(x):\n    return x" + " - 1" * 60_000 + "\n",
        SYNTAX | FAILS,
        "the compiler may give up or overflow; the answer is wrong in any case",
    ),
    INCREMENT.case("source-empty", "12", "", NO_FUNCTION),
    INCREMENT.case("source-comment", "12", "# f = lambda x: x + 1\n", NO_FUNCTION),
)

_IMPOSTORS = (
    RAISES_VALUE_ERROR.case("raises-another", "13", "def f(x):\n    raise KeyError('no')\n", RAISED),
    RAISES_VALUE_ERROR.case("raises-other-message", "13", "def f(x):\n    raise ValueError('yes')\n", WRONG),
    RAISES_VALUE_ERROR.case(
        "raises-message-in-attribute", "13", "def f(x):\n    raise ValueError(('no',))\n", WRONG
    ),
    RAISES_VALUE_ERROR.case("returns-the-exception", "13", "def f(x):\n    return ValueError('no')\n", FAILS),
    RAISES_VALUE_ERROR.case(
        "raises-own-class-named-valueerror",
        "13",
        """
        class ValueError(Exception):
            pass

        def f(x):
            raise ValueError("no")
        """,
        RAISED,
    ),
    RAISES_VALUE_ERROR.case(
        "raises-own-class-that-claims-builtins",
        "13",
        """
        class E(Exception):
            pass

        E.__module__, E.__name__, E.__qualname__ = "builtins", "ValueError", "ValueError"

        def f(x):
            raise E("no")
        """,
        RAISED,
    ),
    RAISES_VALUE_ERROR.case(
        "raises-class-with-forged-lineage",
        "13",
        """
        class M(type):
            def mro(cls):
                return type.mro(cls)

            def __getattribute__(cls, name):
                if name in ("__mro__", "__bases__"):
                    return (ValueError, Exception)
                return type.__getattribute__(cls, name)

            def __subclasscheck__(cls, other):
                return True

        class E(Exception, metaclass=M):
            __class__ = ValueError

        def f(x):
            raise E("no")
        """,
        RAISED,
        "Python itself looks at the real bases",
    ),
    RAISES_VALUE_ERROR.case(
        "raises-after-replacing-valueerror",
        "13",
        """
        import builtins

        builtins.ValueError = KeyError

        def f(x):
            raise ValueError("no")
        """,
        RAISED,
    ),
)


CASES: tuple[Case, ...] = (*_NAMED, *_IMPOSTORS)
