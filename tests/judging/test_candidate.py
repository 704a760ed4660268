"""The candidate's side, in this process, with programs of our own: replies, updates, what is kept."""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST = 1 << 20


class Conversation:
    """A candidate that is asked directly, frame by frame."""

    def __init__(self, module: Any, source: str, most: int) -> None:
        self.candidate = module.Candidate(-1, -1)
        self.candidate.most = most
        self.loaded = json.loads(self.candidate.load(source, "f"))
        self.number = 0

    def call(self, *args: Any, updates: Any = (), **kwargs: Any) -> Any:
        """The reply to a call; arguments are JSON forms."""
        self.number += 1
        body = json.dumps([list(args), [[name, value] for name, value in kwargs.items()], list(updates)])
        return json.loads(self.candidate.answer(self.number, body))


@pytest.fixture
def start(candidate: Any) -> Iterator[Callable[..., Conversation]]:
    """Load a program whose entry point is `f`; state that it leaves is taken back."""
    state = random.getstate()
    yield lambda source, most=MOST: Conversation(candidate, source, most)
    sys.modules.pop(candidate.MODULE, None)
    random.setstate(state)


# ---- loading


def test_program_is_loaded(start: Callable[..., Conversation]) -> None:
    """A program that defines the entry point is ready."""
    assert ["ok"] == start("def f(): pass").loaded


@pytest.mark.parametrize("entry", ["f = 5", "class f: pass", "import math as f", "f = lambda: 0"])
def test_any_binding_is_an_entry_point(start: Callable[..., Conversation], entry: str) -> None:
    """What is bound to the name is called, whatever it is."""
    assert ["ok"] == start(entry).loaded


def test_missing_entry_point(start: Callable[..., Conversation]) -> None:
    """A program without the name says so; the built-in names are no substitute."""
    assert ["missing", "f"] == start("def g(): pass").loaded


@pytest.mark.parametrize(
    ("source", "kind"),
    [("def f(:", "SyntaxError"), ("  x = 1\n y = 2", "IndentationError"), ("f = '\0'", None), ("return 1", None)],
)
def test_syntax_error(start: Callable[..., Conversation], source: str, kind: str | None) -> None:
    """What does not compile is told apart from what raises."""
    loaded = start(source).loaded
    assert "syntax" == loaded[0]
    assert kind in (None, loaded[1])
    assert loaded[2]


def test_syntax_error_that_the_program_raises(start: Callable[..., Conversation]) -> None:
    """Raising SyntaxError is raising."""
    loaded = start("raise SyntaxError('mine')").loaded
    assert ["!", "SyntaxError"] == [loaded[0], loaded[1][1]]


@pytest.mark.parametrize("error", ["ValueError('a')", "SystemExit(3)", "KeyboardInterrupt()"])
def test_program_that_raises_while_it_loads(start: Callable[..., Conversation], error: str) -> None:
    """Whatever the module's body raises is told."""
    loaded = start(f"raise {error}").loaded
    assert ["!", error.partition("(")[0]] == [loaded[0], loaded[1][1]]


def test_assertions_of_the_program_are_compiled(start: Callable[..., Conversation]) -> None:
    """The program's own assertions hold, however this interpreter was started."""
    assert "AssertionError" == start("def f():\n    assert False\n").call()[1][1]


def test_program_sees_no_future_of_ours(start: Callable[..., Conversation]) -> None:
    """Future statements of the judge's files do not reach the program."""
    assert ["=", {"y": "int"}] == start("def f(x: int): return f.__annotations__['x']").call(1)[:2]


def test_module_is_registered(start: Callable[..., Conversation]) -> None:
    """Dataclasses, pickling and inspection find the module and its text."""
    source = (
        "from __future__ import annotations\nimport dataclasses, inspect, pickle, sys\n"
        "@dataclasses.dataclass\nclass Point:\n    x: int = 0\n"
        "def f():\n    copy = pickle.loads(pickle.dumps(Point(3)))\n"
        "    return [copy.x, __name__ in sys.modules, inspect.getsource(Point).splitlines()[1]]\n"
    )
    assert [3, True, "class Point:"] == start(source).call()[1]


# ---- calls


def test_positional_and_keyword_arguments(start: Callable[..., Conversation]) -> None:
    """Both arrive as they were sent."""
    program = start("def f(*args, **kwargs): return [list(args), kwargs]")
    assert ["=", [[1, {"*": [2, 0]}], {"d": [["b", {"t": [3]}], ["a", None]]}], [], []] == program.call(
        1, [2], b={"t": [3]}, a=None
    )


def test_wrong_arguments_are_a_type_error(start: Callable[..., Conversation]) -> None:
    """A function that does not take them raises as it would anywhere."""
    assert "TypeError" == start("def f(x): return x").call()[1][1]


def test_result_that_is_not_plain(start: Callable[..., Conversation]) -> None:
    """A value that does not cross is told with its reason."""
    reply = start("def f(): return lambda: 0").call()
    assert "?" == reply[0]
    assert "function" in reply[1]
    assert len(reply) == 2


def test_value_that_raises_while_it_is_read(start: Callable[..., Conversation]) -> None:
    """An iterator that exits while it is read ends nothing."""
    program = start("def f(end):\n    if end:\n        return 1\n    return (exit() for _ in 'a')\n")
    reply = program.call(False)
    assert "?" == reply[0]
    assert "=" == program.call(True)[0]


def test_mutated_argument_is_an_update(start: Callable[..., Conversation]) -> None:
    """A changed argument is told with its new content, on frame and index of its own."""
    reply = start("def f(x): x.append(4)").call([1, 2])
    assert ["=", None, [[2, 0, [1, 2, 4]]], []] == reply


def test_untouched_arguments_are_not_told(start: Callable[..., Conversation]) -> None:
    """Reading is no change, nor is a change that is taken back."""
    program = start("def f(x):\n    x.append(0)\n    x.pop()\n    return sum(x)\n")
    assert ["=", 3, [], []] == program.call([1, 2])


@pytest.mark.parametrize(
    ("argument", "change", "index", "content"),
    [
        ([[1], [2]], "x[1].append(3)", 2, [2, 3]),
        ({"d": [["a", 1]]}, "x['b'] = 2", 0, {"d": [["a", 1], ["b", 2]]}),
        ({"d": [["a", 1], ["b", 2]]}, "x['a'] = x.pop('a')", 0, {"d": [["b", 2], ["a", 1]]}),
        ({"s": [1]}, "x.discard(1)", 0, {"s": []}),
        ({"B": "00"}, "x[0] = 255", 0, {"B": "ff"}),
        ({"q": [[1, 2], None]}, "x.rotate()", 0, {"q": [[2, 1], None]}),
        ({"a": ["i", [1]]}, "x[0] = 7", 0, {"a": ["i", [7]]}),
        ({"dd": ["int", []]}, "x['k']", 0, {"dd": ["int", [["k", 0]]]}),
        ({"t": [1, [2]]}, "x[1].clear()", 0, []),
        ([1], "x[0] = True", 0, [True]),
        ([1], "x[0] = 1.0", 0, [1.0]),
    ],
)
def test_changes_of_any_container_are_told(
    start: Callable[..., Conversation], argument: Any, change: str, index: int, content: Any
) -> None:
    """Containers within others, of any type; a change of an item's type or of the order is one."""
    updates = start(f"def f(x):\n    {change}\n").call(argument)[2]
    assert repr(content) == repr({i: new for _, i, new in updates}[index])


def test_change_before_an_exception_is_told(start: Callable[..., Conversation]) -> None:
    """A function that changes its argument and then raises has changed it."""
    reply = start("def f(x):\n    x.clear()\n    raise KeyError('k')\n").call([1])
    assert ["!", "KeyError", [[2, 0, []]]] == [reply[0], reply[1][1], reply[2]]


def test_change_through_a_keyword_is_told(start: Callable[..., Conversation]) -> None:
    """Keyword arguments are arguments."""
    assert [[2, 0, [1]]] == start("def f(*, x): x.append(1)").call(x=[])[2]


def test_result_that_is_the_argument(start: Callable[..., Conversation]) -> None:
    """The result mentions the argument; a copy does not."""
    assert {"*": [2, 0]} == start("def f(x): return x").call([1])[1]
    assert [1] == start("def f(x): return x[:]").call([1])[1]
    assert [{"*": [2, 1]}, {"*": [2, 1]}] == start("def f(x): return x * 2").call([[1]])[1]


def test_aliases_within_a_result(start: Callable[..., Conversation]) -> None:
    """Rows that are one object are one."""
    assert [[0, 0], {"*": [3, 1]}] == start("def f(): return [[0] * 2] * 2").call()[1]


def test_argument_that_is_put_into_another(start: Callable[..., Conversation]) -> None:
    """A change may hold references to arguments."""
    reply = start("def f(x, y): x.append(y)").call([], [5])
    assert [[2, 0, [{"*": [2, 1]}]], [2, 1, [5]]] == reply[2]


# ---- what is kept


def test_mutable_default_is_kept(start: Callable[..., Conversation]) -> None:
    """A result that the program still holds is kept, and its next change is told."""
    program = start("def f(x, seen=[]):\n    seen.append(x)\n    return seen\n")
    assert ["=", [1], [], [[3, 0]]] == program.call(1)
    assert ["=", {"*": [3, 0]}, [[3, 0, [1, 2]]], [[3, 0]]] == program.call(2)


def test_change_by_the_tests_reaches_the_program(start: Callable[..., Conversation]) -> None:
    """What the tests did to a kept container is applied before the call, and is no change of the program."""
    program = start("def f(seen=[]): return seen")
    program.call()
    assert ["=", {"*": [3, 0]}, [], [[3, 0]]] == program.call(updates=[[3, 0, [9]]])
    assert [9] == program.candidate.function()


def test_argument_that_is_stored_is_kept(start: Callable[..., Conversation]) -> None:
    """So is an argument; a later change of it is told in the call that makes it."""
    program = start("kept = []\ndef f(x=None): kept[0].append(1) if x is None else kept.append(x)\n")
    assert [[2, 0]] == program.call([])[3]
    assert ["=", None, [[2, 0, [1]]], [[2, 0]]] == program.call()


@pytest.mark.parametrize(
    "holder",
    ["kept.append((x,))", "kept.append({'a': x})", "f.x = x", "kept.append(lambda: x)", "globals().update(y=x)"],
)
def test_kept_however_it_is_held(start: Callable[..., Conversation], holder: str) -> None:
    """In a tuple, a dict, an attribute, a closure, a global name."""
    program = start(f"kept = []\ndef f(x):\n    {holder}\n    x.append(0)\n    return 1\n")
    assert [[2, 0]] == program.call([])[3]


def test_what_is_reached_is_kept_as_well(start: Callable[..., Conversation]) -> None:
    """Whoever holds a list holds what lies in it; what lies around it is not held."""
    program = start("kept = []\ndef f(x):\n    kept.append(x[0])\n")
    assert [[2, 1], [2, 2]] == program.call([[[1]], [2]])[3]


def test_what_nobody_holds_is_forgotten(start: Callable[..., Conversation]) -> None:
    """Arguments and results that the program has let go are not kept, cycles included."""
    program = start("def f(x):\n    y = [x]\n    y.append(y)\n    return y\n")
    assert [] == program.call([1])[3]
    assert {} == program.candidate.kept


def test_what_is_let_go_later_is_forgotten_then(start: Callable[..., Conversation]) -> None:
    """A container that is no longer held leaves the list, and its memory is free."""
    program = start(
        "kept = []\ndef f(x=None):\n    if x is None:\n        kept.clear()\n    else:\n        kept.append(x)\n"
    )
    assert [[2, 0]] == program.call([])[3]
    assert [] == program.call()[3]
    assert {} == program.candidate.kept


def test_kept_containers_are_bounded(start: Callable[..., Conversation], candidate: Any) -> None:
    """Of very many, the newest are kept."""
    program = start("kept = []\ndef f(x):\n    kept.append(x)\n")
    for _ in range(3):
        reply = program.call([[] for _ in range(candidate.MOST_KEPT)])
        assert candidate.MOST_KEPT == len(reply[3])
    assert [6, candidate.MOST_KEPT] == reply[3][-1]
    assert candidate.MOST_KEPT == len(program.candidate.kept)


def test_mention_of_a_forgotten_container_raises(start: Callable[..., Conversation]) -> None:
    """The judge mentions only what is kept; anything else ends the conversation."""
    with pytest.raises(KeyError):
        start("def f(x): pass").call({"*": [9, 9]})


def test_cache_of_results(start: Callable[..., Conversation]) -> None:
    """A memoised list comes back as the same object, changed or not."""
    program = start("from functools import cache\n@cache\ndef f(n): return [n]\n")
    assert ["=", [1], [], [[3, 0]]] == program.call(1)
    assert ["=", {"*": [3, 0]}, [], [[3, 0]]] == program.call(1)
    assert ["=", [2], [], [[3, 0], [7, 0]]] == program.call(2)


def test_no_garbage_is_needed(start: Callable[..., Conversation]) -> None:
    """Who holds what is found out with the collector switched off, as it is in a judge."""
    gc.disable()
    try:
        assert [[2, 0]] == start("kept = []\ndef f(x): kept.append(x)").call([])[3]
        assert [] == start("def f(x): return [x]").call([])[3]
    finally:
        gc.enable()


def test_generator_that_failed_holds_nothing(start: Callable[..., Conversation]) -> None:
    """What a generator had in its hands when it raised is held by nobody afterwards."""
    source = "def items(x):\n    y = [x]\n    yield y\n    raise KeyError\ndef f(x): return items(x)\n"
    gc.disable()
    try:
        assert [] == start(source).call([1])[3]
    finally:
        gc.enable()


# ---- through pipes


@pytest.fixture
def piped(candidate: Any, frames: Any) -> Iterator[Callable[[list[Any]], list[tuple[int, Any]]]]:
    """Send bodies through pipes, with numbers that count down from 900, and collect the replies."""
    state = random.getstate()

    def talk(bodies: list[Any]) -> list[tuple[int, Any]]:
        requests, replies = os.pipe(), os.pipe()

        def serve() -> None:
            with pytest.raises(frames.Gone):
                candidate.Candidate(requests[0], replies[1]).run()

        thread = threading.Thread(target=serve)
        thread.start()
        answers = []
        for position, body in enumerate(bodies):
            frames.send(requests[1], 900 - position, json.dumps(body).encode())
            number, reply = frames.receive(replies[0], 1 << 24)
            answers.append((number, json.loads(reply)))
        os.close(requests[1])
        thread.join()
        for fd in (requests[0], *replies):
            os.close(fd)
        return answers

    yield talk
    sys.modules.pop(candidate.MODULE, None)
    random.setstate(state)


def test_numbers_are_echoed(piped: Any) -> None:
    """Each reply has its request's number; the end of the requests is the end."""
    answers = piped([["def f(x): return x + 1", "f", MOST, []], [[1], [], []], [[2], [], []]])
    assert [(900, ["ok"]), (899, ["=", 2, [], []]), (898, ["=", 3, [], []])] == answers


def test_reply_over_the_limit(piped: Any) -> None:
    """A reply that is too long is replaced by its size; shorter ones follow."""
    answers = piped([["def f(n): return 'a' * n", "f", 1000, []], [[5000], [], []], [[5], [], []]])
    assert ["?", "a reply of 5014 bytes", "size"] == answers[1][1]
    assert ["=", "aaaaa", [], []] == answers[2][1]
