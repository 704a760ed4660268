"""Tests in the candidate's own process, for problems whose tests need the program itself and not only values.

The program is loaded first; only then do the tests come. What is said here proves little, since the program can
say it as well: see `controls`. What standard functions were before the program is loaded is compared
afterwards.

Messages, all under the number of the request that brought the tests: `{"tests": […]}` now and then, and at last
the same with `end`: `[outcome, detail, finished assertions]`. Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import builtins
import os
import sys
import types

import codec
import frames
import recorder
import suites

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from candidate import Candidate

    Known = dict[tuple[str, str], int]

FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, type)
OWN = frozenset(("__main__", "boot", "zygote", "kernel", "plain", "filters", "calls", "landlock"))


def play(candidate: Candidate, number: int, source: str, entry: str, kind: str) -> NoReturn:
    """Load a program, take its tests, run them, report.

    Args:
        candidate: Holds the pipes.
        number: Of the request that brought the program.
        source: The program.
        entry: Name of its entry point.
        kind: Of the tests; their framework is imported before the program is loaded.
    """
    if kind in suites.KINDS:
        __import__(kind)
    before = functions()
    frames.send(candidate.replies, number, candidate.load(source, entry))
    number, body = frames.receive(candidate.requests, 1 << 31)
    run = Run(codec.loads(body.decode()), candidate, number)
    run.run()
    if run.sticky is None or run.sticky[0] not in ("tampered", "problem"):
        altered = changed(before)
        if altered:
            run.sticky = "tampered", f"changed {altered}, which is not its own"
    outcome, detail = run.sticky or ("passed", "")
    run.report({"tests": run.tests, "end": [outcome, detail[:1000], run.finished]})
    frames.receive(candidate.requests, 0)  # its pipe stays open until the judge has closed its own
    os._exit(0)


class Run(recorder.Recorder):
    """One run of the tests.

    Args:
        job: As the judge sends it.
        candidate: Has loaded the program.
        number: Of the request.
    """

    def __init__(self, job: dict[str, Any], candidate: Candidate, number: int) -> None:
        super().__init__(job)
        self.candidate, self.number = candidate, number

    def judge_exception(self, error: BaseException) -> tuple[str, str]:
        """Outcome and detail of an exception that came out of an assertion."""
        detail = f"{type(error).__name__}: {recorder.text_of(error)}"
        if isinstance(error, MemoryError):
            return "out_of_memory", detail
        if isinstance(error, SystemExit):
            return "early_exit", detail
        failed = getattr(sys.modules.get("_pytest.outcomes"), "Failed", AssertionError)
        return "wrong_answer" if isinstance(error, (AssertionError, failed)) else "exception", detail

    def report(self, message: dict[str, Any]) -> None:
        """One message to the judge."""
        frames.send(self.candidate.replies, self.number, codec.dumps(message).encode())

    def run(self) -> None:
        """Run the tests; what comes of it is in `sticky`."""
        loaded = self.candidate.function
        program = sys.modules[self.candidate.module]
        try:
            for name in self.job["names"]:
                if name in program.__dict__:
                    self.namespace[name] = program.__dict__[name]
            code = recorder.unpacked(self.job["code"])
            if self.job["tests"]["kind"] in suites.KINDS:
                suites.run_tests(self, code, loaded, program)
            else:
                self.run_tests(code, loaded)
        except recorder.Stop:
            pass
        except MemoryError:
            self.sticky = self.sticky or ("out_of_memory", "out of memory")
        if self.sticky is None and self.failed:
            self.sticky = self.first_failure


def functions() -> Known:
    """Identities of the functions and classes of all loaded modules, and of what the frameworks' classes have."""
    found: Known = {}
    for name, module in list(sys.modules.items()):
        if name not in OWN:
            for key, value in list(getattr(module, "__dict__", {}).items()):
                if isinstance(value, FUNCTIONS):
                    found[name, key] = id(value)
                    if isinstance(value, type) and name.partition(".")[0] in ("unittest", "pytest", "_pytest"):
                        for attribute, inner in list(value.__dict__.items()):
                            if isinstance(inner, FUNCTIONS):
                                found[name, f"{key}.{attribute}"] = id(inner)
    return found


def changed(before: Known) -> str | None:
    """The first of these functions that is another one now, or what follows each step; None for none."""
    modules = sys.modules
    if sys.gettrace() is not None or sys.getprofile() is not None:
        return "the tracing of calls"
    for (name, path), identity in before.items():
        found: Any = modules.get(name)
        for part in path.split("."):
            found = found.__dict__.get(part) if found is not None else None
        if id(found) != identity:
            return f"{name}.{path}" if name != builtins.__name__ else path
    return None
