"""Test modules of unittest and pytest: the framework finds and runs the tests, and a recorder is told of each.

Standard library alone, and pytest where tests are written for it; from Python 3.9 on. Used by the judge, where the
program is a stand-in that calls the candidate, and within a candidate's own process.

    run_tests(recorder, codes, candidate, program)      for a `recorder.Recorder`: results go there

which is, for whoever records otherwise:

    tests = blank(told)
    run(kind, codes, tests, program, (module, entry), told)

`kind` is "unittest" or "pytest", `codes` what `instrument.examine` made with a `module`, `program` the module
object that tests get as `import <module>`, `entry` the name that they find in their globals besides. What the
module of the tests raises while it is loaded, `run` raises. `told` has:

    ok(line)            called by the tests' own code after each assertion that held; may raise to leave the test
    begin(line)         before each test, with the line of its definition: whether it is run at all
    passed(line)        that test passed, its fixtures included
    failed(line, error) it failed there; also for what fails outside a test. It does not raise: to end the run, it
                        has `stopped` say so
    left_out(line, error) it was skipped, or failed as it declares; `error` is what it raised, if that is known
    stopped()           whether the run is to end: nothing is begun any more, and nothing recorded
    fault(reason)       the problem is at fault; `stopped` is true from then on

After a test has begun, exactly one of `passed`, `failed`, `left_out` follows, unless the recorder stopped the run;
a `failed` besides is of what surrounds the tests. Nothing is said once `stopped` holds, but for `fault`.
The frameworks catch whatever a test raises, also a BaseException: who settles a verdict in the middle of a test
keeps it, and says `stopped`.
"""

from __future__ import annotations

import sys

from frameworks import find_and_run
from instrument import HOOK
from recorder import Stop

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any

    from frameworks import Listener
    from recorder import Recorder

TESTS = "__tests__"  # name of the tests' module
KINDS = frozenset(("unittest", "pytest"))


def run_tests(
    recorder: Recorder,
    codes: tuple[CodeType | None, list[CodeType]],
    candidate: Any,
    program: ModuleType | None = None,
) -> None:
    """Run a job's tests; outcomes go to the recorder's `sticky`, or are counted.

    Args:
        recorder: Has the job, and in its `namespace` what the tests find in their globals.
        codes: Of the context and of the tests.
        candidate: The entry point.
        program: The module that has it; a stand-in, which has nothing else, if None.

    Raises:
        Stop: The verdict was settled while the tests were loaded.
    """
    job = recorder.job
    names = job["tests"]["module"], job["entry"]
    if program is None:
        program = type(sys)(names[0])
        setattr(program, names[1], candidate)
    told = Told(recorder)
    tests = blank(told)
    tests.__dict__.update(recorder.namespace)
    recorder.namespace = tests.__dict__
    try:
        recorder.begin_tests()
        run(job["tests"]["kind"], codes, tests, program, names, told)
    except Stop:
        raise
    except BaseException as error:
        recorder.escaped(error)
    told.conclude()


class Told:
    """A recorder's ear: one result for each test, not for each assertion.

    What it finished are the assertions that held and the tests that passed, so that a sample which has fewer of
    either than the reference is seen.

    Args:
        recorder: Keeps the results.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.held = self.run = 0

    def ok(self, line: int) -> None:  # noqa: ARG002 - of no use where results are of tests
        """An assertion held."""
        if self.recorder.sticky:
            raise Stop
        self.held += 1
        self.recorder.finished += 1

    def begin(self, line: int) -> bool:
        """Whether the next test is run: not if it ended the candidate before."""
        return not self.recorder.job["all"] or self.recorder.begin(line)

    def passed(self, line: int) -> None:
        """It passed."""
        self.run += 1
        self.recorder.finished += 1
        self.recorder.inside = False
        self.recorder.note(line, "passed")

    def failed(self, line: int, error: BaseException) -> None:
        """It failed."""
        self.run += 1
        try:
            self.recorder.failed_test(line, *self.recorder.judge_exception(error))
        except Stop:  # the framework is told otherwise
            pass

    def left_out(self, line: int, error: BaseException | None) -> None:
        """It was skipped, or failed as it declares; no program may say so itself."""
        self.recorder.inside = False
        if error is not None and error is self.recorder.thrown:
            self.failed(line, error)

    def stopped(self) -> bool:
        """Whether the verdict is settled."""
        return self.recorder.sticky is not None

    def fault(self, reason: str) -> None:
        """The problem is at fault."""
        self.recorder.sticky = self.recorder.sticky or ("problem", reason)

    def conclude(self) -> None:
        """All tests are over: did they test anything?"""
        if not self.run:
            self.fault("its tests are all skipped, or expected to fail")
        elif not self.held and not self.recorder.failed:
            self.fault("its tests finish no assertion")


def blank(listener: Listener) -> ModuleType:
    """An empty module for the tests, under its name; their instrumented code finds the listener in it."""
    tests: ModuleType = type(sys)(TESTS)
    setattr(tests, HOOK, listener)
    sys.modules[TESTS] = tests
    return tests


def run(
    kind: str,
    codes: tuple[CodeType | None, list[CodeType]],
    tests: ModuleType,
    program: ModuleType,
    names: tuple[str, str],
    listener: Listener,
) -> None:
    """Load the tests, and run them all or until the listener stops.

    Args:
        kind: "unittest" or "pytest".
        codes: Of the context and of the tests.
        tests: The module that they become, as `blank` made it.
        program: The module that they test.
        names: By which they import that, and its entry point's.
        listener: Is told.
    """
    module, entry = names
    context, body = codes
    found = tests.__dict__
    sys.modules[module] = program
    if context is not None:
        exec(context, found)
    function = found[entry] = getattr(program, entry)
    for part in body:
        exec(part, found)
    if found.get(entry) is not function:
        listener.fault("its tests define the entry point anew")
    if not listener.stopped():
        find_and_run(kind, tests, listener)
