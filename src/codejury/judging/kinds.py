"""The kinds of tests, as a judge takes them: one JSON object each."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from codejury.model import (
    Assertions,
    CheckFunction,
    Inputs,
    Outcome,
    Pytest,
    Script,
    StdinStdout,
    Unittest,
    Unjudged,
)

if TYPE_CHECKING:
    from codejury.judging.records import Request
    from codejury.model import Tests


def role(tests: Tests) -> str:
    """The role that programs play before these tests: a function that is called, or a script that is run."""
    return "script" if isinstance(tests, StdinStdout) else "candidate"


def payload(request: Request, *, same: bool = False) -> dict[str, Any]:
    """The tests of a request; what was compiled before is not sent as source again.

    Args:
        request: What is asked.
        same: Whether the judge has these tests from the sample before.

    Raises:
        TypeError: They are of a kind that is not judged; `Problem.obstacle` says so before.
    """
    tests = request.tests
    if isinstance(tests, StdinStdout):
        limits = {name: getattr(request.limits, name) for name in ("output_bytes", "cpu_s", "cpu_total_s")}
        return {"kind": "stdio", **limits, **({} if same else _runs(tests))}
    if isinstance(tests, Inputs):
        calls = {} if same else {**_calls(_Same(tests)), "expected": _expected(_Same(tests), request)}
        own = request.scan and request.expected is not None  # the reference is held against its own outputs
        return {"kind": "inputs", "own": own, "oracle": tests.oracle, **calls}
    if isinstance(tests, Script | Unjudged):
        raise TypeError(f"tests of type {tests.__struct_config__.tag!r} are not judged")
    about = _about(tests)
    if request.code is not None:
        return about
    code = list(tests.code) if isinstance(tests, Assertions) else tests.code
    return {**about, "context": tests.context, "code": code}


def has_source(tests: Tests) -> bool:
    """Whether tests are source that can run in the program's own process as well."""
    return isinstance(tests, CheckFunction | Assertions | Unittest | Pytest)


def _about(tests: CheckFunction | Assertions | Unittest | Pytest) -> dict[str, Any]:
    if isinstance(tests, CheckFunction):
        return {"kind": "code", "function": tests.function}
    if isinstance(tests, Assertions):
        return {"kind": "code"}
    return {"kind": tests.__struct_config__.tag, "module": tests.module}


def records(tests: Tests) -> bool:
    """Whether what is expected is what the reference gives, and must be recorded first."""
    return isinstance(tests, Inputs) and tests.expected is None


def base_passed(tests: Tests, passed: list[bool], outcome: Outcome) -> bool | None:
    """Whether a sample passed the base of its tests; None where they have no further part.

    Args:
        tests: Of the problem.
        passed: Whether each executed test passed, in order.
        outcome: Of the sample. What it did in a further test does not count, unless it is `tampered`.
    """
    size = len(tests.base) if isinstance(tests, Inputs) and tests.plus else 0
    if not size:
        return None
    return outcome is not Outcome.TAMPERED and len(passed) >= size and all(passed[:size])


class _Same:
    """Tests as a key, by identity: their values cannot be hashed."""

    def __init__(self, tests: Inputs) -> None:
        self.tests = tests

    def __hash__(self) -> int:
        return id(self.tests)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.tests is other.tests


@lru_cache(maxsize=64)
def _calls(key: _Same) -> dict[str, Any]:
    """What is the same for all samples; each call is a text, which goes to the candidate as it stands."""
    tests = key.tests
    return {
        "calls": [_text(call) for call in (*tests.base, *tests.plus)],
        "base": len(tests.base),
        "rules": msgspec.to_builtins(tests.comparison),
    }


def _expected(key: _Same, request: Request) -> list[str] | tuple[str, ...] | None:
    return request.expected if records(key.tests) else _given(key)


@lru_cache(maxsize=64)
def _given(key: _Same) -> list[str]:
    return [_text(value) for value in key.tests.expected or ()]


_text = json.JSONEncoder(separators=(",", ":")).encode


def _runs(tests: StdinStdout) -> dict[str, Any]:
    cases = [[case.stdin, case.stdout] for case in tests.cases]
    return {"cases": cases, "checker": {"kind": tests.checker.kind, **msgspec.to_builtins(tests.checker)}}
