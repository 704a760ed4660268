"""Tests that are calls with expected outputs. Standard library alone; from Python 3.9 on.

Each call is made with arguments of its own, read anew from their text. Where nothing is expected yet, the outputs
are recorded: that is how the reference says what is right.
"""

from __future__ import annotations

import codec
from compare import Rules
from instrument import interprets, repeatable

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from judge import Judge

SHOWN = 100


def examine(tests: dict[str, Any]) -> tuple[str | None, bool]:
    """A name by which the oracle may act on an output, and whether a run of these tests leaves nothing behind."""
    oracle = tests["oracle"]
    acting = interprets(oracle)
    return acting, acting is None and repeatable(oracle)


def run(judge: Judge) -> None:
    """Make all calls and compare."""
    tests = judge.job["tests"]
    expected: list[str] | None = tests["expected"]
    oracle = oracle_of(tests["oracle"])
    rules = Rules(**tests["rules"])
    recorded: list[str] = []
    judge.begin_tests()
    for place, text in enumerate(tests["calls"], 1):
        if judge.job["all"] and not judge.begin(place):
            continue
        try:
            output = judge.call(tuple(value_of(text)), {})
            if expected is None:
                recorded.append(codec.dumps(codec.Writer(0, {}).value(output)))
                wrong = ""
            else:
                wanted = value_of(expected[place - 1])
                wrong = difference(oracle, rules, text, wanted, output)
        except Exception as error:
            judge.failed_test(place, *judge.judge_exception(error))
        else:
            if wrong:
                judge.failed_test(place, "wrong_answer", f"call {place}: {wrong}")
            else:
                judge.ok(place)
    if expected is None:
        judge.recorded = recorded


def difference(oracle: Callable[..., Any] | None, rules: Rules, call: str, wanted: Any, output: Any) -> str:
    """What is wrong with an output; empty for a right one."""
    right = rules.equal(wanted, output) if oracle is None else oracle(value_of(call), wanted, output)
    return "" if right else f"expected {shown(wanted)}, got {shown(output)}"


def shown(x: Any) -> str:
    """The beginning of a value's text."""
    text = repr(x)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def value_of(text: str) -> Any:
    """A value of its own, from its text."""
    return codec.Reader(0, unknown).value(codec.loads(text))


def unknown(frame: int, index: int) -> Any:
    """There are no containers of other frames here."""
    raise KeyError(frame, index)


def oracle_of(source: str) -> Callable[..., Any] | None:
    """The function `oracle` of a source, if there is one."""
    if not source:
        return None
    namespace: dict[str, Any] = {"__name__": "__oracle__"}
    exec(compile(source, "<oracle>", "exec", dont_inherit=True, optimize=0), namespace)
    found: Callable[..., Any] = namespace["oracle"]
    return found
