"""The shim that runs tests in the candidate's own process: the look at functions, and what becomes of errors."""

from __future__ import annotations

import builtins
import importlib
import math
import sys
import unittest
from typing import Any

import pytest


@pytest.fixture(scope="module")
def inprocess() -> Any:
    """The loose file of the candidate's side."""
    return importlib.import_module("inprocess")


def test_nothing_has_changed(inprocess: Any) -> None:
    """Modules that come and names that are new are no change, nor is what was put back."""
    before = inprocess.functions()
    name = "codejury_made_up_module"
    sys.modules[name] = type(sys)(name)
    plain, math.sqrt = math.sqrt, math.exp
    math.sqrt = plain
    math.made_up = len  # type: ignore[attr-defined]
    try:
        assert inprocess.changed(before) is None
    finally:
        del sys.modules[name], math.made_up  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("place", "name", "expected"),
    [
        (builtins, "sorted", "sorted"),
        (builtins, "ValueError", "ValueError"),
        (math, "isclose", "math.isclose"),
        (unittest.TestCase, "assertEqual", "unittest.TestCase.assertEqual"),
        (unittest.TestCase, "failureException", "unittest.TestCase.failureException"),
    ],
)
def test_another_function(
    inprocess: Any, monkeypatch: pytest.MonkeyPatch, place: Any, name: str, expected: str
) -> None:
    """A function, class or framework's method that is another one now is named."""
    before = inprocess.functions()
    with monkeypatch.context() as patched:
        patched.setattr(place, name, type("Other", (), {}))
        found = inprocess.changed(before)
    assert found in (expected, expected.replace("unittest.", "unittest.case."))
    assert inprocess.changed(before) is None


def test_missing_function_and_module(inprocess: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no longer there has changed, too."""
    before = {("math", "isclose"): id(math.isclose)}
    with monkeypatch.context() as patched:
        patched.delattr(math, "isclose")
        assert "math.isclose" == inprocess.changed(before)
    with monkeypatch.context() as patched:
        patched.delitem(sys.modules, "math")
        assert "math.isclose" == inprocess.changed(before)
    assert inprocess.changed(before) is None


@pytest.mark.parametrize("name", ["settrace", "setprofile"])
def test_what_follows_each_step(inprocess: Any, name: str) -> None:
    """A trace or a profile function that is left counts as a change."""
    former = getattr(sys, f"get{name[3:]}")()
    getattr(sys, name)(lambda *_: None)
    try:
        found = inprocess.changed({})
    finally:
        getattr(sys, name)(former)
    assert "the tracing of calls" == found


def test_zygote_is_left_out(inprocess: Any) -> None:
    """Modules of codejury's own that change as they run are not looked at."""
    assert not {name for name, _ in inprocess.functions()} & inprocess.OWN


def failed_of_pytest() -> BaseException:
    """What pytest raises where nothing was raised."""
    with pytest.raises(pytest.fail.Exception) as raised:
        pytest.fail("DID NOT RAISE")
    return raised.value


class SpeechlessError(Exception):
    """Has no text."""

    def __str__(self) -> str:
        """Never comes to an end."""
        raise SystemExit


@pytest.mark.parametrize(
    ("error", "outcome", "detail"),
    [
        (AssertionError("no"), "wrong_answer", "AssertionError: no"),
        (failed_of_pytest(), "wrong_answer", "Failed: DID NOT RAISE"),
        (ValueError("x" * 999), "exception", "ValueError: " + "x" * 300),
        (KeyboardInterrupt(), "exception", "KeyboardInterrupt: "),
        (SystemExit(0), "early_exit", "SystemExit: 0"),
        (MemoryError(), "out_of_memory", "MemoryError: "),
        (SpeechlessError(), "exception", "SpeechlessError: "),
    ],
    ids=lambda value: type(value).__name__,
)
def test_judge_exception(inprocess: Any, error: BaseException, outcome: str, detail: str) -> None:
    """Failed assertions are wrong answers, whoever raised them; all else is an exception of the program."""
    run = inprocess.Run({"tests": {}}, None, 7)
    assert (outcome, detail) == run.judge_exception(error)


def test_report_has_the_number(inprocess: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every message goes out under the number of the request that brought the tests."""
    sent: list[Any] = []
    monkeypatch.setattr(inprocess.frames, "send", lambda *frame: sent.append(frame))
    run = inprocess.Run({"tests": {}}, type("Candidate", (), {"replies": 5}), 7)
    run.report({"tests": [[1, "passed", 2]], "end": ["passed", "é", 1]})
    assert [(5, 7, b'{"tests":[[1,"passed",2]],"end":["passed","\\u00e9",1]}')] == sent
