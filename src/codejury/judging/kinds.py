"""The kinds of tests, as a judge takes them: one JSON object each."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from codejury.model import CheckFunction, Inputs, StdinStdout

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
    """
    tests = request.tests
    if isinstance(tests, StdinStdout):
        limits = {name: getattr(request.limits, name) for name in ("output_bytes", "cpu_s", "cpu_total_s")}
        return {"kind": "stdio", **limits, **({} if same else _runs(tests))}
    if isinstance(tests, Inputs):
        return {"kind": "inputs", **_inputs(_Same(tests)), **_expected(tests, request.expected)}
    function = {"function": tests.function} if isinstance(tests, CheckFunction) else {}
    if request.code is not None:
        return {"kind": "code", **function}
    code = tests.code if isinstance(tests, CheckFunction) else list(tests.code)
    return {"kind": "code", **function, "context": tests.context, "code": code}


def records(tests: Tests) -> bool:
    """Whether what is expected is what the reference gives, and must be recorded first."""
    return isinstance(tests, Inputs) and tests.expected is None


def base_passed(tests: Tests, outcomes: list[bool], *, passed: bool) -> bool | None:
    """Whether a sample passed the base of its tests; None where they have no further part.

    Args:
        tests: Of the problem.
        outcomes: Whether each executed test passed, in order.
        passed: Whether the sample passed all.
    """
    if not isinstance(tests, Inputs) or not tests.plus:
        return None
    return passed or (len(outcomes) > len(tests.base) and all(outcomes[: len(tests.base)]))


class _Same:
    """Tests as a key, by identity: their values cannot be hashed."""

    def __init__(self, tests: Inputs) -> None:
        self.tests = tests

    def __hash__(self) -> int:
        return id(self.tests)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.tests is other.tests


@lru_cache(maxsize=64)
def _inputs(key: _Same) -> dict[str, Any]:
    """What is the same for all samples; each call is a text, which the judge reads anew for each use."""
    tests = key.tests
    return {
        "calls": [json.dumps(call) for call in (*tests.base, *tests.plus)],
        "rules": msgspec.to_builtins(tests.comparison),
        "oracle": tests.oracle,
    }


def _expected(tests: Inputs, recorded: tuple[str, ...] | None) -> dict[str, Any]:
    given = recorded if tests.expected is None else [json.dumps(value) for value in tests.expected]
    return {"expected": given}


def _runs(tests: StdinStdout) -> dict[str, Any]:
    cases = [[case.stdin, case.stdout] for case in tests.cases]
    return {"cases": cases, "checker": {"kind": tests.checker.kind, **msgspec.to_builtins(tests.checker)}}
