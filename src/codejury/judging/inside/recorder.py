"""Tests that run: what instrumented tests call, and what becomes of an assertion that fails.

The judge is such a recorder, and so is the shim that runs tests in the candidate's own process. Standard library
alone; from Python 3.9 on.
"""

from __future__ import annotations

import binascii
import marshal
import time

from instrument import HOOK

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, NoReturn

FLUSH_S = 0.02


class Stop(BaseException):
    """Leaves the tests: the verdict is settled. No test can catch it with `except Exception`."""


class Problem(BaseException):
    """The problem's own fault."""


def raise_problem(reason: str) -> NoReturn:
    """Say that the problem, not the candidate, is at fault."""
    raise Problem(reason)


class Recorder:
    """What tests showed so far.

    Args:
        job: Its `entry`, `all`, `skip` and `tests` count here.

    Attributes:
        tests: `[line, outcome, microseconds]` each, since the last report.
        finished: Assertions that held.
        sticky: Outcome and detail, once settled; no test can change it.
    """

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.namespace: dict[str, Any] = {}
        self.finished, self.failed = 0, 0
        self.tests: list[list[Any]] = []
        self.sequence = 0
        self.inside = False  # an assertion that can be left out is being run
        self.sticky: tuple[str, str] | None = None
        self.first_failure: tuple[str, str] | None = None
        self.thrown: BaseException | None = None  # by the candidate, into the tests
        self.started = self.flushed = time.monotonic()

    def report(self, message: dict[str, Any]) -> None:
        """Tell results so far."""
        raise NotImplementedError

    # ---- running

    def run_tests(self, code: tuple[CodeType | None, list[CodeType]], candidate: Any) -> None:
        """Run context and tests on the candidate's function; outcomes go to `sticky` or are counted."""
        context, body = code
        ns = self.namespace
        ns["__name__"] = "__tests__"
        ns[HOOK] = self
        function = self.job["tests"].get("function")
        try:
            if context is not None:
                exec(context, ns)
            ns[self.job["entry"]] = candidate
            self.begin_tests()
            for part in body:
                exec(part, ns)
            if ns.get(self.job["entry"]) is not candidate:
                raise_problem("its tests define the entry point anew")
            if function:
                if not callable(ns.get(function)):
                    raise_problem(f"its tests define no function {function!r}")
                result = ns[function](candidate)
                if hasattr(result, "__await__") or hasattr(result, "__next__"):
                    raise_problem(f"the function {function!r} of its tests is async or a generator")
        except Problem as error:
            self.sticky = "problem", str(error)
        except Stop:
            raise
        except BaseException as error:
            self.escaped(error)

    def begin_tests(self) -> None:
        """The program is loaded: time counts for the tests from here on."""
        self.started = time.monotonic()

    def failed_test(self, line: int, outcome: str, detail: str) -> None:
        """A test failed: the tests end here, or go on where all are asked for."""
        if self.sticky:
            raise Stop
        self.inside = False
        self.note(line, outcome)
        if not self.job["all"]:
            self.sticky = outcome, detail
            raise Stop
        if not self.failed:
            self.first_failure = outcome, detail
        self.failed += 1

    def escaped(self, error: BaseException) -> None:
        """An exception left the tests: one test has failed."""
        if self.sticky:
            return
        outcome, detail = self.judge_exception(error)
        self.note(self.line_of(error), outcome)
        self.sticky = outcome, detail

    def judge_exception(self, error: BaseException) -> tuple[str, str]:
        """Outcome and detail of an exception that came out of an assertion."""
        detail = f"{type(error).__name__}: {text_of(error)}"
        if isinstance(error, MemoryError) and error is not self.thrown:
            return "out_of_memory", detail
        if error is self.thrown:
            return ("early_exit" if isinstance(error, SystemExit) else "exception"), detail
        return "wrong_answer", detail

    def line_of(self, error: BaseException) -> int:
        """The line of the tests that an exception passed through last."""
        line, trace = 0, error.__traceback__
        while trace:
            if trace.tb_frame.f_code.co_filename == "<tests>":
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    # ---- what instrumented tests call

    def begin(self, line: int) -> bool:
        """Before an assertion, when all tests are asked for: whether it is run at all."""
        self.sequence += 1
        if self.sequence - 1 in self.job["skip"]:
            self.note(line, "skipped")
            return False
        self.inside = True
        return True

    def ok(self, line: int) -> None:
        """An assertion held."""
        if self.sticky:
            raise Stop
        self.finished += 1
        self.inside = False
        self.note(line, "passed")

    def not_ok(self, line: int, error: Exception) -> None:
        """An assertion failed, and the tests go on."""
        self.failed_test(line, *self.judge_exception(error))

    def note(self, line: int, outcome: str) -> None:
        """Keep one test's result; pass results on now and then, so that the host can tell where time goes."""
        now = time.monotonic()
        self.tests.append([line, outcome, int((now - self.started) * 1e6)])
        self.started = now
        if now - self.flushed > FLUSH_S:
            self.report({"tests": self.tests})
            self.tests, self.flushed = [], now


def text_of(error: BaseException) -> str:
    """An exception's text, which may ask the candidate for that of an object."""
    try:
        return str(error)[:300]
    except BaseException:
        return ""


def packed(code: tuple[CodeType | None, list[CodeType]]) -> str:
    """Code of context and tests as a text, for an interpreter of the same version."""
    return binascii.b2a_base64(marshal.dumps(code)).decode()


def unpacked(text: str) -> tuple[CodeType | None, list[CodeType]]:
    """What `packed` was given."""
    code: tuple[CodeType | None, list[CodeType]] = marshal.loads(binascii.a2b_base64(text))
    return code
