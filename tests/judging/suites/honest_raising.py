"""Right answers that raise as wanted: subclasses, arguments, attributes, causes (point 13)."""

from __future__ import annotations

from .case import PASSED, Case, task

_RAISING = (
    ("valueerror-subclass", "class Bad(ValueError):\n    pass\n", "Bad('no')", "ValueError", "str(e) == 'no'"),
    (
        "deep-subclass",
        "class A(LookupError): pass\nclass B(A, ValueError): pass\n",
        "B('no')",
        "ValueError",
        "True",
    ),
    ("keyerror-arguments", "", "KeyError('k', 2)", "LookupError", "e.args == ('k', 2)"),
    ("keyerror-text", "", "KeyError('k')", "KeyError", "str(e) == \"'k'\""),
    ("oserror", "", "FileNotFoundError(2, 'gone', '/x')", "OSError", "(e.errno, e.filename) == (2, '/x')"),
    ("unicode", "", "b'\\xff'.decode()", "UnicodeDecodeError", "(e.start, e.object) == (0, b'\\xff')"),
    ("json", "import json\n", "json.loads('[')", "ValueError", "'Expecting value' in str(e)"),
    ("stop-iteration", "", "next(iter(()))", "StopIteration", "e.value is None"),
    ("zero-division", "", "1 / 0", "ArithmeticError", "'zero' in str(e)"),
    ("index", "", "[][1]", "IndexError", "'range' in str(e)"),
    ("type", "", "1 + 'a'", "TypeError", "'unsupported' in str(e)"),
    ("name", "", "no_such_name", "NameError", "e.name == 'no_such_name'"),
    ("attribute", "", "(1).missing", "AttributeError", "'missing' in str(e)"),
    ("recursion", "", "f(x)", "RecursionError", "True"),
    ("timeout", "", "TimeoutError('late')", "OSError", "str(e) == 'late'"),
    ("not-implemented", "", "NotImplementedError", "RuntimeError", "e.args == ()"),
    ("assertion", "", "AssertionError('x > 0')", "AssertionError", "'x > 0' in str(e)"),
    ("decimal", "from decimal import Decimal\n", "Decimal(1) / 0", "ZeroDivisionError", "True"),
    (
        "arguments-of-any-type",
        "",
        "ValueError([1], {'a': (2,)}, None)",
        "ValueError",
        "e.args == ([1], {'a': (2,)}, None)",
    ),
    ("from-a-cause", "", "ValueError('outer') from KeyError('inner')", "ValueError", "str(e) == 'outer'"),
)
_RAISE = tuple(
    task(
        f"def check(candidate):\n    caught = None\n    try:\n        candidate(0)\n    except {wanted} as e:\n"
        f"        caught = {condition}\n    assert caught\n",
        f"{before}\ndef f(x):\n    raise {value}\n",
    ).case(
        f"raises-{name}-as-wanted", "13", f"{before}\ndef f(x):\n    if x < 1:\n        raise {value}\n", PASSED
    )
    for name, before, value, wanted, condition in _RAISING
)
_ERROR = task(
    """
    def check(candidate):
        error = None
        try:
            candidate(3)
        except ValueError as e:
            error = e
        assert error is not None
        assert (error.code, str(error)) == (3, "code 3")
    """,
    """
    class CodeError(ValueError):
        def __init__(self, code):
            super().__init__(f"code {code}")
            self.code = code

    def f(x):
        raise CodeError(x)
    """,
).case(
    "raises-with-own-constructor-and-attribute",
    "13",
    """
    class Failure(ValueError):
        def __init__(self, *, code, **more):
            self.code = code

        def __str__(self):
            return f"code {self.code}"

    def f(x):
        raise Failure(code=x, hint="none")
    """,
    PASSED,
    "its arguments alone do not make it again",
)


CASES: tuple[Case, ...] = (*_RAISE, _ERROR)
