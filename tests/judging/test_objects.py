"""Objects that stay with the program, on both sides in this process, with programs of our own."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest

SOURCE = """
class f:
    kind = "counter"

    def __init__(self, start=0):
        self.n = start

    def add(self, k=1):
        self.n += k
        return self.n

    def me(self):
        return self

    def _get(self):
        raise KeyError("no")

    gone = property(_get)

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n

    def __len__(self):
        return self.n
"""


class Spy:
    """Notes what a handle asks, and answers."""

    def __init__(self, answer: Any = None) -> None:
        self.asked: list[Any] = []
        self.answer = answer

    def __call__(self, number: int, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What is done to an object."""
        self.asked.append((number, name, args, kwargs))
        return self.answer


@pytest.fixture
def objects() -> Any:
    """The module."""
    return importlib.import_module("objects")


@pytest.fixture
def program(candidate: Any, codec: Any) -> Any:
    """A loaded program that is asked by JSON."""
    made = candidate.Candidate(-1, -1)
    made.most = 1 << 20
    assert ["ok"] == json.loads(made.load(SOURCE, "f"))
    frames = iter(range(1, 1000))

    def ask(args: list[Any], *of: Any, kwargs: Any = ()) -> Any:
        return json.loads(made.answer(next(frames), codec.dumps([args, list(kwargs), [], *of])))

    return ask


def test_objects_are_numbered_as_they_come(program: Any) -> None:
    """Each call of the class makes one more; a method acts on its own."""
    assert ["#", 0, [], []] == program([])
    assert ["#", 1, [], []] == program([5])
    assert ["=", 6, [], []] == program([], 1, "add")
    assert ["=", 3, [], []] == program([], 0, "add", kwargs=[["k", 3]])


def test_attributes_are_read_and_set(program: Any) -> None:
    """A method is told as such; a property may raise; a new value stays."""
    program([2])
    assert ["=", 2, [], []] == program([], 0, ".n")
    assert ["=", "counter", [], []] == program([], 0, ".kind")
    assert ["m", None, [], []] == program([], 0, ".add")
    assert ["=", None, [], []] == program([8], 0, "=n")
    assert ["=", 8, [], []] == program([], 0, ".n")
    assert ["!", "KeyError"] == [(reply := program([], 0, ".gone"))[0], reply[1][1]]
    assert ["!", "AttributeError"] == [(reply := program([], 0, ".other"))[0], reply[1][1]]


def test_operations_by_syntax(program: Any) -> None:
    """Length, truth, comparisons with another object; what the class lacks is a TypeError."""
    program([2])
    program([3])
    assert ["=", 2] == program([], 0, "__len__")[:2]
    assert ["=", True] == program([], 0, "__bool__")[:2]
    assert ["=", True] == program([{"h": 1}], 0, "__lt__")[:2]
    assert ["=", False] == program([{"h": 1}], 0, "__eq__")[:2]
    assert ["!", "TypeError"] == [(reply := program([1], 0, "__contains__"))[0], reply[1][1]]


def test_methods_give_no_objects(program: Any) -> None:
    """Not even the object itself: it would be compared where a plain value is expected."""
    program([])
    assert "?" == program([], 0, "me")[0]


def test_numbers_of_no_object_are_an_error_of_the_call(program: Any) -> None:
    """The judge never asks so; a shim must not end."""
    assert "!" == program([], 7, "add")[0]


def test_handle_asks_once_whether_a_name_is_a_method(objects: Any) -> None:
    """What is known to be a method is called at once, of all objects."""
    spy, methods = Spy(objects.METHOD), set[str]()
    one, two = objects.Handle(0, spy, methods), objects.Handle(1, spy, methods)
    one.add(1, k=2)
    two.add()
    assert [(0, ".add", (), {}), (0, "add", (1,), {"k": 2}), (1, "add", (), {})] == spy.asked
    assert {"add"} == methods


def test_handle_never_asks_about_plain_values(objects: Any) -> None:
    """Comparisons with anything but a handle are Python's own: nothing of the tests' values is told."""
    spy = Spy(True)
    handle = objects.Handle(0, spy, set())
    assert handle != 5
    assert not handle == [1]  # noqa: SIM201 - the operator is what is tried
    for other in (5, "a", None, [handle]):
        with pytest.raises(TypeError):
            assert handle < other
    assert [] == spy.asked
    assert handle == objects.Handle(1, spy, set())
    assert 1 == len(spy.asked)


def test_handle_has_no_special_names_to_ask(objects: Any) -> None:
    """Copying, pickling and the like find nothing."""
    spy = Spy()
    handle = objects.Handle(0, spy, set())
    assert not hasattr(handle, "__deepcopy__")
    assert not hasattr(handle, "__array__")
    assert [] == spy.asked


def test_handle_is_written_by_its_number(objects: Any, codec: Any) -> None:
    """As an argument it is a number; read where objects may not be, it is refused."""
    assert [{"h": 3}] == codec.Writer(0, {}).items([objects.Handle(3, Spy(), set())])
    with pytest.raises(ValueError, match="plain value"):
        codec.Reader(0, {}.__getitem__).value({"h": 3})
