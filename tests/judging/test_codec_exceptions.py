"""Exceptions across the protocol: what a test can see of one is what it would have seen."""

from __future__ import annotations

import decimal
import json
import statistics
import struct
from typing import Any

import pytest


def cross(codec: Any, error: BaseException, namespace: dict[str, Any] | None = None) -> Any:
    """The exception that the other side makes of `error`."""
    writer = codec.Writer(1, {})
    text = codec.dumps(codec.write_exception(writer, error))
    reader = codec.Reader(1, {}.__getitem__, namespace)
    made = codec.make_exception(reader, codec.loads(text))
    assert [type(x) for x in writer.nodes] == [type(x) for x in reader.nodes]
    return made


def _caught(source: str) -> BaseException:
    """What a source text of ours raises."""
    try:
        exec(source, {"json": json})
    except BaseException as error:  # noqa: BLE001 - any kind is asked for
        return error
    raise AssertionError(source)


STANDARD: dict[str, tuple[BaseException, tuple[str, ...]]] = {
    "plain": (ValueError("a", 1, [2]), ()),
    "no arguments": (RuntimeError(), ()),
    "key": (KeyError("k"), ()),
    "key of numbers": (KeyError(1, 2), ()),
    "assertion": (AssertionError("why"), ()),
    "file": (FileNotFoundError(2, "No such file", "name"), ("errno", "strerror", "filename", "filename2")),
    "two files": (OSError(18, "Cross-device", "a", None, "b"), ("errno", "strerror", "filename", "filename2")),
    "system error of text": (OSError("text"), ("errno", "strerror", "filename")),
    "decode": (_caught('b"\\xff".decode()'), ("encoding", "object", "start", "end", "reason")),
    "encode": (_caught('"\\ud800".encode()'), ("encoding", "object", "start", "end", "reason")),
    "json": (_caught('json.loads("[1,")'), ("msg", "doc", "pos", "lineno", "colno")),
    "syntax": (_caught('exec("a b")'), ("msg", "filename", "lineno", "offset", "text")),
    "import": (ImportError("m", name="n", path="p"), ("msg", "name", "path")),
    "module": (_caught("import nothing_of_that_name"), ("name",)),
    "attribute": (_caught("(1).nothing"), ("name",)),
    "name": (_caught("nothing"), ("name",)),
    "unbound": (_caught("def f():\n    x\n    x = 1\nf()"), ()),
    "stop": (StopIteration(5), ("value",)),
    "exit": (SystemExit(3), ("code",)),
    "interrupt": (KeyboardInterrupt(), ()),
    "division": (_caught("1 / 0"), ()),
    "overflow": (_caught("2.0 ** 5000"), ()),
    "decimal": (decimal.InvalidOperation([decimal.ConversionSyntax]), ()),
    "statistics": (statistics.StatisticsError("no mean"), ()),
    "struct": (struct.error("bad"), ()),
    "warning": (DeprecationWarning("old"), ()),
}


@pytest.mark.parametrize(("error", "attributes"), STANDARD.values(), ids=STANDARD)
def test_standard_exceptions_are_faithful(codec: Any, error: BaseException, attributes: tuple[str, ...]) -> None:
    """Class, text and attributes are the same; arguments, too, wherever they are plain values."""
    made = cross(codec, error)
    assert type(error) is type(made)
    if not isinstance(error, decimal.DecimalException):  # its arguments are classes of a library
        assert (error.args, str(error), repr(error)) == (made.args, str(made), repr(made))
    assert [getattr(error, name) for name in attributes] == [getattr(made, name) for name in attributes]


def test_group(codec: Any) -> None:
    """A group holds its exceptions, nested ones too."""
    group = ExceptionGroup("several", [ValueError(1), ExceptionGroup("inner", [KeyError("k")])])
    made = cross(codec, group)
    assert ExceptionGroup is type(made)
    assert "several" == made.message
    assert [ValueError, ExceptionGroup] == [type(error) for error in made.exceptions]
    assert ("k",) == made.exceptions[1].exceptions[0].args
    assert made.split(KeyError)[0] is not None


def test_notes(codec: Any) -> None:
    """Notes are attributes like others."""
    error = ValueError("a")
    error.add_note("see there")
    assert ["see there"] == cross(codec, error).__notes__


class RefusedError(ValueError):
    """An exception with a constructor of its own."""

    def __init__(self, code: int, *, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code, self.reason = code, reason


class BothError(KeyError, AttributeError):
    """Below two built-in classes."""

    def __str__(self) -> str:
        return "both"


def test_own_class_of_the_program(codec: Any) -> None:
    """A class that the tests do not know keeps name, ancestors, text, arguments and attributes."""
    made = cross(codec, RefusedError(7, reason="late"))
    assert "RefusedError" == type(made).__name__
    assert isinstance(made, ValueError)
    assert ("7: late", ("7: late",), 7, "late") == (
        str(made),
        made.args,
        *(getattr(made, name) for name in ("code", "reason")),
    )


def test_class_that_the_tests_define(codec: Any) -> None:
    """The tests' own class of that name is raised, whatever its constructor asks for."""
    made = cross(codec, RefusedError(7, reason="late"), {"RefusedError": RefusedError})
    assert RefusedError is type(made)
    assert ("7: late", 7, "late") == (str(made), made.code, made.reason)


def test_several_ancestors(codec: Any) -> None:
    """Every handler that would have caught the original catches the copy, and no other."""
    made = cross(codec, BothError("k"))
    assert isinstance(made, KeyError)
    assert isinstance(made, AttributeError)
    assert not isinstance(made, ValueError)
    assert "both" == str(made)


def test_class_that_calls_itself_built_in(codec: Any) -> None:
    """A class is what its ancestors make it, not what it is called."""
    forged = type("ValueError", (KeyError,), {"__module__": "builtins"})
    made = cross(codec, forged("k"))
    assert isinstance(made, KeyError)
    assert not isinstance(made, ValueError)


def test_class_with_a_forged_lineage(codec: Any) -> None:
    """What `isinstance` or `__mro__` of the class say is not asked: Python's own handlers do not ask either."""

    class Meta(type):
        __mro__ = (ValueError, Exception, BaseException, object)

        def __instancecheck__(cls, instance: object) -> bool:
            return True

    made = cross(codec, Meta("Forged", (Exception,), {})())
    assert not isinstance(made, ValueError)
    assert isinstance(made, Exception)


@pytest.mark.parametrize(
    ("ancestors", "expected"),
    [
        (["ValueError", "Exception", "BaseException"], ValueError),
        (["int", "ValueError"], ValueError),
        (["object", "print", "nothing"], Exception),
        ([], Exception),
        (["OSError", "SyntaxError"], OSError),  # no class can have both layouts
        (["BaseException"], BaseException),
    ],
)
def test_lineage_of_hostile_origin(codec: Any, ancestors: list[str], expected: type[BaseException]) -> None:
    """Ancestors that are no exceptions are left out; without any it is an Exception."""
    made = codec.make_exception(codec.Reader(1, {}.__getitem__), ["m", "Own", ancestors, [], "text", []])
    assert "Own" == type(made).__name__
    assert isinstance(made, expected)
    assert "text" == str(made)


@pytest.mark.parametrize(
    "name", ["__class__", "__dict__", "__traceback__", "__cause__", "args", "with_traceback", ""]
)
def test_attributes_of_hostile_origin(codec: Any, name: str) -> None:
    """Whatever an attribute is called, an exception comes out that can be raised."""
    body = ["builtins", "ValueError", ["ValueError"], ["a"], "a", [[name, {"y": "KeyError"}]]]
    made = codec.make_exception(codec.Reader(1, {}.__getitem__), body)
    with pytest.raises(ValueError):  # noqa: PT011 - its text may have been overwritten
        raise made


def test_names_of_the_tests_that_are_no_exceptions(codec: Any) -> None:
    """A name by which the tests call something else does not become an exception."""
    made = cross(codec, RefusedError(1, reason=""), {"RefusedError": int})
    assert isinstance(made, ValueError)
    assert "RefusedError" == type(made).__name__


def test_arguments_that_do_not_cross(codec: Any) -> None:
    """The text stands for them, and identities stay right after them."""

    class BadError(Exception):
        def __init__(self) -> None:
            super().__init__([1], lambda: 0)
            self.items = [5]
            self.same = self.items
            self.skipped = [[3], print]
            self.last: dict[str, int] = {}

    made = cross(codec, error := BadError())
    assert str(error) == str(made)
    assert [5] == made.items
    assert made.same is made.items
    assert not hasattr(made, "skipped")
    assert {} == made.last


def test_many_attributes_that_do_not_cross(codec: Any) -> None:
    """They leave no trace: what follows them may nest as deep as ever."""
    error = ValueError()
    for number in range(codec.MAX_DEPTH):
        setattr(error, f"a{number}", [[print]])
    error.last = [[[1]]]  # type: ignore[attr-defined]
    assert [[[1]]] == cross(codec, error).last


def test_exception_whose_text_raises(codec: Any) -> None:
    """An exception that cannot be printed still crosses."""

    class SilentError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert "" == str(cross(codec, SilentError()))


def test_long_text_is_cut(codec: Any) -> None:
    """The text has a limit of its own, arguments do not."""
    made = cross(codec, ValueError("a" * 5000))
    assert ("a" * 5000,) == made.args


@pytest.mark.parametrize("error", [KeyError("k"), OSError(2, "m", "f"), ValueError([1])], ids=repr)
def test_exception_as_a_value(codec: Any, error: Exception) -> None:
    """A function may return an exception."""
    made = codec.Reader(1, {}.__getitem__).value(codec.loads(codec.dumps(codec.Writer(1, {}).value([error]))))[0]
    assert (type(error), repr(error)) == (type(made), repr(made))
