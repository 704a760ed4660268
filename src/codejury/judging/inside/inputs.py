"""Tests that are calls with expected outputs. Standard library alone; from Python 3.9 on.

Each call is made with arguments of its own, sent as their text stands in the problem: what a program does to them
is seen by nobody. Where nothing is expected yet, the outputs are recorded: that is how the reference says what is
right.
"""

from __future__ import annotations

import codec
import objects
from compare import Rules
from instrument import interprets, repeatable

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from judge import Judge

    Oracle = Callable[[Any, Any, Any], Any]

SHOWN = 100  # characters of a value
WIDTH, DEPTH = 10, 4  # items and levels of a value that are looked at for these
MOST_RECORDED = 32 << 20  # characters of all outputs of a reference


class Fault(Exception):  # noqa: N818 - says of a problem what is wrong with it
    """The problem's own fault."""


class Calls:
    """A problem's calls: kept for the next sample of the same problem, so that each text is read once.

    Args:
        tests: As they come with a job: "calls" and "expected" (None while the reference says it) are texts of the
            value protocol; "base" of the calls come before the further ones.
    """

    def __init__(self, tests: dict[str, Any]) -> None:
        self.texts: list[str] = tests["calls"]
        self.expected: list[str] | None = tests["expected"]
        self.base: int = tests["base"]
        self.rules = Rules(**tests["rules"])
        self.oracle: str = tests["oracle"]
        self.code: CodeType | None = None
        self.known: dict[int, Any] = {}  # expected outputs by their place: comparing leaves them as they are
        if self.expected is not None and len(self.expected) != len(self.texts):
            raise Fault(f"it has {len(self.expected)} expected outputs for {len(self.texts)} calls")

    def wanted(self, place: int) -> Any:
        """The expected output of a call; `place` counts from 1."""
        if place in self.known:
            return self.known[place]
        text = self.expected[place - 1] if self.expected is not None else "null"
        try:
            value = value_of(text)
        except codec.HOSTILE as error:
            raise Fault(f"its expected output {place} cannot be read: {brief(error)}") from None
        if not self.oracle and '{"g":' not in text:  # an oracle may change what it gets; iterators are read once
            self.known[place] = value
        return value

    def load_oracle(self) -> Oracle | None:
        """The function `oracle`, from a run of its source for this sample alone."""
        if not self.oracle:
            return None
        namespace: dict[str, Any] = {"__name__": "__oracle__"}
        try:
            if self.code is None:
                self.code = compile(self.oracle, "<oracle>", "exec", dont_inherit=True, optimize=0)
            exec(self.code, namespace)
        except BaseException as error:
            raise Fault(f"its oracle cannot be loaded: {brief(error)}") from None
        if not callable(namespace.get("oracle")):
            raise Fault("its oracle defines no function 'oracle'")
        found: Oracle = namespace["oracle"]
        return found


former: Calls | None = None  # those of the sample before


def examine(tests: dict[str, Any]) -> tuple[str | None, bool]:
    """A name by which the oracle may act on an output, and whether a run of these tests leaves nothing behind."""
    oracle = tests["oracle"]
    acting = interprets(oracle)
    return acting, acting is None and repeatable(oracle)


def run(judge: Judge) -> None:
    """Make all calls and compare."""
    complete = False
    try:
        run_calls(judge, calls_of(judge.job["tests"]))
        complete = not judge.failed
    except Fault as error:
        judge.sticky = judge.sticky or ("problem", str(error))
    finally:
        if not complete:
            judge.recorded = None


def calls_of(tests: dict[str, Any]) -> Calls:
    """The calls of a job; one that has none is about those of the sample before."""
    global former  # noqa: PLW0603 - a process judges samples of one problem
    if former is None or "calls" in tests:
        former = Calls(tests)
    return former


def run_calls(judge: Judge, calls: Calls) -> None:
    """Make all calls and compare; raises Fault."""
    oracle = calls.load_oracle()
    judge.recorded = [] if calls.expected is None else None
    judge.begin_tests()
    for place, text in enumerate(calls.texts, 1):
        judge.place = place
        if place == calls.base + 1:  # whatever comes, it is known that the base passed
            judge.report({"tests": judge.tests})
            judge.tests = []
        if judge.job["all"] and not judge.begin(place):
            continue
        try:
            wrong = difference(judge, calls, oracle, call(judge, text))
        except Fault:
            raise
        except Exception as error:
            judge.failed_test(place, *judge.judge_exception(error))
        else:
            if wrong:
                judge.failed_test(place, "wrong_answer", f"call {place}: {wrong}")
            else:
                judge.ok(place)
    if judge.recorded is not None:
        check_recorded(judge, judge.recorded)
    judge.changed = False  # no test looks at arguments


def check_recorded(judge: Judge, recorded: list[str]) -> None:
    """Raise Fault for outputs that no sample can be held against."""
    if sum(map(len, recorded)) > MOST_RECORDED:
        raise Fault(f"the outputs of its reference take more than {MOST_RECORDED >> 20} MiB")
    if judge.changed and set(recorded) == {"null"}:
        raise Fault("its reference returns nothing and changes its arguments, which no test looks at")


# ---- calls


def call(judge: Judge, text: str) -> Any:
    """One call with the arguments that a text says. Returns what it returns, and raises what it raises."""
    if judge.job["scan"]:  # the reference's own run, or that of a sample which has none to show it
        try:
            arguments_of(text)
        except codec.HOSTILE as error:
            raise Fault(f"the arguments of call {judge.place} cannot be read: {brief(error)}") from None
    if '{"*":' in text:  # a list within twice: it is numbered by the frame that it goes with
        return plain(judge, judge.call(tuple(arguments_of(text)), {}))
    frame = 2 * judge.number
    judge.calls += 1
    reply = judge.exchange(f"[{text},[],[]]".encode())
    try:
        if reply[0] == "=" and not reply[2] and not reply[3] and not judge.kept:
            return codec.Reader(frame + 1, lambda of, index: argument(frame, text, of, index)).value(reply[1])
        raised, value = judge.value_of(reply, frame, nodes_of(text), ())
    except codec.HOSTILE as error:
        judge.settle("rejected_value", brief(error))
    if not raised:
        return plain(judge, value)
    if not isinstance(value, Exception):
        judge.settle("early_exit" if isinstance(value, SystemExit) else "exception", brief(value))
    judge.thrown = value
    raise value


def plain(judge: Judge, output: Any) -> Any:
    """An output that is no object which stays with the program."""
    if type(output) is objects.Handle:
        judge.settle("rejected_value", "an object, where calls are compared by their plain outputs")
    return output


def arguments_of(text: str) -> list[Any]:
    """A call's arguments. The list of them is none of the containers that are numbered."""
    return codec.Reader(0, unknown).each(codec.loads(text))


def nodes_of(text: str) -> list[Any]:
    """The containers of a call's arguments, in the order in which they open."""
    reader = codec.Reader(0, unknown)
    reader.each(codec.loads(text))
    return reader.nodes


def argument(frame: int, text: str, of: int, index: int) -> Any:
    """A container of this call's arguments, as an output mentions it."""
    if of != frame:
        raise KeyError(of, index)
    return nodes_of(text)[index]


def value_of(text: str) -> Any:
    """A value of its own, from its text."""
    return codec.Reader(0, unknown).value(codec.loads(text))


def unknown(frame: int, index: int) -> Any:
    """There are no containers of other frames here."""
    raise KeyError(frame, index)


def written(judge: Judge, output: Any) -> str:
    """The text of an output."""
    try:
        return codec.dumps(codec.Writer(0, {}).value(output))
    except codec.Rejected as error:
        judge.settle("rejected_value", brief(error))


# ---- right or wrong


def difference(judge: Judge, calls: Calls, oracle: Oracle | None, output: Any) -> str:
    """What is wrong with an output; empty for a right one, and for one that is recorded."""
    if judge.recorded is not None:
        judge.recorded.append(written(judge, output))
        return ""
    wanted = calls.wanted(judge.place)
    if oracle is not None:
        return asked(judge, oracle, calls.texts[judge.place - 1], wanted, output)
    if calls.rules.equal(wanted, output):
        return ""
    if judge.job["tests"]["own"]:
        return f"its reference disagrees with itself: it gave {shown(wanted)}, then {shown(output)}"
    return f"expected {shown(wanted)}, got {shown(output)}"


def asked(judge: Judge, oracle: Oracle, text: str, wanted: Any, output: Any) -> str:
    """The same as the oracle says it. One that fails on what the reference gives is at fault itself."""
    if judge.kept:  # an oracle may change what it gets, and the program may return this one again
        output = value_of(written(judge, output))
    try:
        right = oracle(arguments_of(text), wanted, output)
        verdict = bool(right) if type(right).__name__ in ("bool", "bool_") else None
    except MemoryError:
        raise
    except BaseException as error:
        failed = f"its oracle raised {brief(error)}"
    else:
        if verdict is not None:
            return "" if verdict else f"the oracle says no to {shown(output)}"
        failed = f"its oracle gave a {type(right).__name__}, not True or False"
    if judge.job["scan"]:
        raise Fault(f"{failed} (call {judge.place})")
    return failed


def brief(error: BaseException) -> str:
    """Kind and text of an exception."""
    try:
        return f"{type(error).__name__}: {str(error)[:300]}"
    except Exception:
        return type(error).__name__


def shown(x: Any, depth: int = DEPTH) -> str:
    """The beginning of a value's text: no more of it is looked at than is shown, however large it is."""
    if not depth:
        return "…"
    if type(x) in (str, bytes):
        text = repr(x[: SHOWN + 1])
    elif isinstance(x, dict):
        pairs = [f"{shown(k, depth - 1)}: {shown(v, depth - 1)}" for k, v in first(x.items())]
        text = named(x, dict, "{" + ", ".join(pairs) + "}")
    elif isinstance(x, (list, tuple, set, frozenset)) or type(x).__name__ in (
        "deque",
        "dict_values",
        "dict_items",
    ):
        items = ", ".join(shown(item, depth - 1) for item in first(x))
        text = f"[{items}]" if type(x) is list else named(x, tuple, f"({items})")
    elif isinstance(x, BaseException):
        text = type(x).__name__ + shown(x.args, depth)
    else:
        try:
            text = repr(x)
        except Exception:  # an integer of too many digits
            text = f"a large {type(x).__name__}"
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def first(items: Any) -> list[Any]:
    """The first few items."""
    return [item for _, item in zip(range(WIDTH), items)]  # noqa: B905 - Python 3.9 knows no strict


def named(x: Any, kind: type, text: str) -> str:
    """A text with the type's name before it, where it is not of that kind."""
    return text if type(x) is kind else type(x).__name__ + text
