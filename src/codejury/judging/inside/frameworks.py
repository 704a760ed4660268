"""The frameworks: how unittest and pytest find and run the tests of a module, and what they say of each.

`suites` says what a listener is told. Standard library alone, and pytest where tests are written for it; from
Python 3.9 on.
"""

# ruff: noqa: ARG002, N802 - methods that unittest and pytest call, by their names

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, ModuleType
    from typing import Any, Protocol

    class Listener(Protocol):
        """What is told of the tests; `suites` says when."""

        def ok(self, line: int) -> None:
            """An assertion held."""

        def begin(self, line: int) -> bool:
            """Whether the next test is run."""

        def passed(self, line: int) -> None:
            """It passed."""

        def failed(self, line: int, error: BaseException) -> None:
            """It failed."""

        def left_out(self, line: int, error: BaseException | None) -> None:
            """It was skipped, or failed as it declares."""

        def stopped(self) -> bool:
            """Whether the run is to end."""

        def fault(self, reason: str) -> None:
            """The problem is at fault."""


FILE = "<tests>"  # of the tests' code
COROUTINE = 0x80  # a flag of code
NOT_RUN = 0x20 | COROUTINE | 0x200  # code with one of these does nothing when it is called
ASYNC = "IsolatedAsyncioTestCase"
# Parts of pytest that these tests have no use for, or that write; a name that a version does not know is none.
UNUSED_PLUGINS = (
    *("cacheprovider", "terminal", "terminalprogress", "faulthandler", "junitxml", "pastebin", "doctest"),
    *("setuponly", "setupplan", "stepwise", "nose", "threadexception", "unraisableexception"),
    *("reports", "pytester_assertions"),
)
NO_TESTS, ENDED_WELL = 5, (0, 1, 5)  # statuses of pytest


def find_and_run(kind: str, tests: ModuleType, listener: Listener) -> None:
    """Find the tests of a module that is loaded, and run them all or until the listener stops."""
    import unittest.case

    unittest.case.difflib = NoDifference  # type: ignore[attr-defined] # what it imports itself
    (run_unittest if kind == "unittest" else run_pytest)(tests, Progress(listener))


class Progress:
    """Which test is under way, and whether what became of it has been said.

    Args:
        listener: Is told.
    """

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.line = 0
        self.running = False  # a test or its fixtures
        self.open = False  # its result has not been said
        self.succeeded = self.skipped = False
        self.reason: BaseException | None = None  # why it is skipped
        self.last: BaseException | None = None  # what failed last
        self.around_skips = False  # the class or module that the test is in

    def begin(self, function: Any, *, awaited: bool = False) -> bool:
        """Begin a test; whether it is to be run."""
        code = code_of(function)
        self.line = code.co_firstlineno if code is not None and code.co_filename == FILE else 0
        if code is not None and code.co_flags & (NOT_RUN & ~COROUTINE if awaited else NOT_RUN):
            self.listener.fault(f"its test {code.co_name!r} is async or a generator: it would not be run")
            return False
        self.succeeded = self.skipped = False
        self.reason = None
        self.running = self.open = self.listener.begin(self.line)
        return self.running

    def failed(self, error: BaseException) -> None:
        """The test failed, or what surrounds the tests; of a test, the first failure alone is its result."""
        if self.listener.stopped() or (self.running and not self.open):
            return
        self.open, self.last = False, error
        self.listener.failed(line_of(error) or self.line, error)

    def skip(self, error: BaseException | None) -> None:
        """The test is skipped, or failed as it declares."""
        self.skipped, self.reason = True, error

    def end(self) -> None:
        """The test is over, and so are its fixtures."""
        if self.open and not self.listener.stopped():
            self.open = False
            if self.skipped or self.around_skips:
                self.listener.left_out(self.line, self.reason)
            elif self.succeeded:
                self.listener.passed(self.line)
            else:
                error = self.last or RuntimeError("the test ended without a result")
                self.listener.failed(line_of(error) or self.line, error)
        self.running = self.open = False


def code_of(function: Any) -> CodeType | None:
    """The code of a function, below its decorators."""
    for _ in range(100):
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            break
        function = inner
    code: CodeType | None = getattr(function, "__code__", None)
    return code


def line_of(error: BaseException) -> int:
    """The line of the tests that an exception passed through last."""
    line, trace = 0, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


# ---- unittest


def run_unittest(tests: ModuleType, progress: Progress) -> None:
    """Run what the loader of unittest finds in a module."""
    import unittest

    found = list(flat(unittest.TestLoader().loadTestsFromModule(tests)))
    if not found:
        progress.listener.fault("its tests define no test")
        return
    suite = type("Suite", (Begun, unittest.TestSuite), {"progress": progress})(found)
    try:
        result = type(
            "Result", (Results, unittest.TestResult), {"progress": progress, "case": unittest.TestCase}
        )()
        result.failfast = True  # a test ends at its first `subTest` that fails
        suite(result)
    except BaseException:  # also what a class's fixture raised when the run had been stopped
        if not progress.listener.stopped():
            raise
    progress.end()


def flat(suite: Any) -> Iterator[Any]:
    """The tests of a suite of suites."""
    for test in suite:
        if hasattr(test, "__iter__"):
            yield from flat(test)
        else:
            yield test


class Begun:
    """What a suite does before each of its tests."""

    progress: Progress
    _tests: list[Any]
    _cleanup = False  # by position, and not all of them are given out

    def __iter__(self) -> Iterator[Any]:
        for test in self._tests:
            self.progress.end()  # of the one before, where its class or module did not come up
            if self.progress.listener.stopped():
                return
            awaited = ASYNC in [base.__name__ for base in type(test).__mro__]
            function = getattr(test, getattr(test, "_testMethodName", "run"), None)
            if self.progress.begin(function, awaited=awaited):
                yield test


class NoDifference:
    """In the place of difflib, whose work on long values that differ takes minutes; nobody reads its result."""

    @staticmethod
    def ndiff(*_: Any) -> tuple[str, ...]:
        """No lines."""
        return ()

    unified_diff = context_diff = ndiff


class Results:
    """What a result is told; where a class or a module does not come up, `test` stands for that."""

    progress: Progress
    case: type
    failfast: bool
    shouldStop = False  # noqa: N815 - unittest's name

    def startTest(self, test: Any) -> None:
        """A test begins; its class and its module have."""
        self.progress.around_skips = False

    def stopTest(self, test: Any) -> None:
        """A test is over."""
        self.progress.end()
        self.shouldStop = self.progress.listener.stopped()

    def addSuccess(self, test: Any) -> None:
        """Nothing was raised."""
        self.progress.succeeded = True

    def addError(self, test: Any, err: Any) -> None:
        """Something was raised."""
        self.progress.failed(err[1])
        self.shouldStop = self.progress.listener.stopped()

    addFailure = addError  # noqa: N815 - unittest's name

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        """A part of a test is over."""
        if err is not None:
            self.addError(test, err)

    def addSkip(self, test: Any, reason: str) -> None:
        """A test, a part of it, a class or a module is skipped."""
        self.progress.skip(sys.exc_info()[1])  # from Python 3.11 on, the exception that is being handled
        self.progress.around_skips = not isinstance(test, self.case)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        """A test failed, as it declares."""
        self.progress.skip(err[1])

    def addUnexpectedSuccess(self, test: Any) -> None:
        """A test did not fail, as it declares."""
        self.progress.failed(AssertionError("an unexpected success"))


# ---- pytest


def run_pytest(tests: ModuleType, progress: Progress) -> None:
    """Run what pytest finds in a module: without files, plugins of others, output, or rewritten assertions."""
    import pytest

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for function, options in (
        (Plugin.pytest_collection, {"tryfirst": True}),
        (Plugin.pytest_runtest_protocol, {"tryfirst": True}),
        (Plugin.report, {"specname": "pytest_runtest_makereport"}),
        (Plugin.pytest_runtest_makereport, {"tryfirst": True, "hookwrapper": True}),
    ):
        pytest.hookimpl(**options)(function)
    module = type("Module", (pytest.Module,), {"_getobj": lambda self: tests})
    plugin = Plugin(module, pytest.TestReport, pytest.skip.Exception, progress)
    arguments = ["-c", os.devnull, "--rootdir=/", "--noconftest", "--assert=plain", "--capture=no"]
    arguments += ["-pno:" + name for name in UNUSED_PLUGINS]
    listener = progress.listener
    status: int = -1
    try:
        status = pytest.main(arguments, plugins=[plugin])
    except BaseException:  # also what a fixture's end raised when the run had been stopped
        if not listener.stopped():
            raise
    progress.end()
    if listener.stopped():
        return
    if plugin.found == 0 and status == NO_TESTS:
        listener.fault("its tests define no test")
    elif plugin.seen < plugin.found or status not in ENDED_WELL:
        progress.failed(RuntimeError(f"pytest ended with status {status} after {plugin.seen} tests"))


class Plugin:
    """What gives pytest its module, and takes its results.

    Args:
        module: A kind of node that is a module in memory.
        report: A kind of report on one phase of a test.
        skip: The exception of a test that is skipped.
        progress: Is told.
    """

    def __init__(self, module: Any, report: Any, skip: Any, progress: Progress) -> None:
        self.module, self.kind, self.skip, self.progress = module, report, skip, progress
        self.found = self.seen = 0

    def pytest_collection(self, session: Any) -> bool:
        """Collect the module, and nothing of any file."""
        import pathlib

        module = self.module.from_parent(session, path=pathlib.Path(os.__file__))  # any file that there is
        session.items = list(session.genitems(module))
        session.testscollected = self.found = len(session.items)
        return True

    def pytest_collectreport(self, report: Any) -> None:
        """A part of the module was collected, or could not be."""
        if report.failed:
            self.progress.failed(RuntimeError(f"pytest cannot collect: {report.longrepr}"[:300]))

    def pytest_runtest_protocol(self, item: Any) -> bool | None:
        """Before a test; True where pytest is not to run it."""
        self.seen += 1
        run = not self.progress.listener.stopped() and self.progress.begin(getattr(item, "obj", None))
        self.stop(item)
        return None if run else True

    def report(self, item: Any, call: Any) -> Any:
        """A report without a text, which would ask the program what its objects look like."""
        error = call.excinfo and call.excinfo.value
        outcome = "skipped" if isinstance(error, self.skip) else "failed" if error is not None else "passed"
        return self.kind(item.nodeid, (os.__file__, 0, item.name), {}, outcome, None, call.when)

    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        """After a phase of a test, or a part of one: what pytest makes of it, marks included."""
        outcome: Any = yield
        report = outcome.get_result()
        error = call.excinfo and call.excinfo.value
        if report.failed:
            self.progress.failed(error or AssertionError("an unexpected success"))
        elif report.skipped:
            self.progress.skip(error)
        elif report.when == "call":
            self.progress.succeeded = True
        self.stop(item)

    def pytest_runtest_logfinish(self) -> None:
        """A test is over."""
        self.progress.end()

    def stop(self, item: Any) -> None:
        """End the run where the listener says so."""
        if self.progress.listener.stopped():
            item.session.shouldstop = "the verdict is settled"
