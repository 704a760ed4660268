"""From what was measured and said to an outcome: what was measured goes first."""

from __future__ import annotations

import signal
from typing import Any

import msgspec
import pytest

from codejury.judging import Request
from codejury.judging.conclusion import Facts
from codejury.judging.records import Report
from codejury.model import MIB, CheckFunction, Limits, Outcome
from codejury.sandbox import Ended

LIMITS = Limits(cpu_total_s=3.0, memory_bytes=64 * MIB)
REQUEST = Request(source="", entry_point="f", tests=CheckFunction(code=""), limits=LIMITS)
LATE = (Outcome.TIMEOUT_WALL, "more than 4 s in one test")


def facts(*, status: int | None = 0, peak: int = 0, **measured: Any) -> Facts:
    """What the host measured of a session in which nothing was wrong, but for what is given."""
    quiet = Facts(
        request=REQUEST,
        over=None,
        ended=Ended(status, 0.1, peak),
        closed_pipe=False,
        killed_for_memory=False,
        judge_killed_for_memory=False,
        refused_processes=False,
        cpu_s=0.1,
    )
    return msgspec.structs.replace(quiet, **measured)


def says(outcome: str, detail: str = "") -> Report:
    """A judge's last word."""
    return Report(outcome, detail, 1, 1, False, 0, -1, None)


PASSED, RAISED, GONE = says("passed"), says("exception", "OSError: no"), says("gone")
NO_MEMORY = says("exception", "MemoryError: ")

CASES: dict[str, tuple[Facts, Report | None, Outcome | None, str]] = {
    "passed": (facts(), PASSED, Outcome.PASSED, ""),
    "a fault of the problem": (facts(), says("problem", "its tests"), None, "its tests"),
    "no word the host may take": (facts(), says("infra_error"), Outcome.REJECTED_VALUE, "garbled"),
    "passed, over a limit of time": (facts(over=LATE), PASSED, *LATE),
    "passed, a child killed for memory": (facts(killed_for_memory=True), PASSED, Outcome.OUT_OF_MEMORY, "killed"),
    "killed for memory, then waited": (
        facts(killed_for_memory=True, over=LATE),
        GONE,
        Outcome.OUT_OF_MEMORY,
        "killed",
    ),
    "passed, a peak over the limit": (facts(peak=67 * MIB), PASSED, Outcome.OUT_OF_MEMORY, "more memory"),
    "passed, a peak at the limit": (facts(peak=66 * MIB), PASSED, Outcome.PASSED, ""),
    "over time with a peak over the limit": (facts(peak=67 * MIB, over=LATE), PASSED, *LATE),
    "no memory, much held": (facts(peak=33 * MIB), NO_MEMORY, Outcome.OUT_OF_MEMORY, "MemoryError"),
    "no memory, little held": (facts(peak=32 * MIB), NO_MEMORY, Outcome.EXCEPTION, "MemoryError"),
    "raised after a refused process": (facts(refused_processes=True), RAISED, Outcome.PROCESS_LIMIT, "OSError"),
    "passed in spite of a refused process": (facts(refused_processes=True), PASSED, Outcome.PASSED, ""),
    "exited": (facts(status=7 << 8), GONE, Outcome.EARLY_EXIT, "exit code 7"),
    "crashed": (facts(status=signal.SIGSEGV), GONE, Outcome.CRASHED, "signal 11"),
    "killed with much held": (facts(status=9, peak=33 * MIB), GONE, Outcome.OUT_OF_MEMORY, "killed"),
    "killed with little held": (facts(status=9), GONE, Outcome.CRASHED, "signal 9"),
    "out of CPU time by the kernel": (facts(status=signal.SIGXCPU, cpu_s=3.1), GONE, Outcome.TIMEOUT_CPU, "3 s"),
    "that signal by itself": (facts(status=signal.SIGXCPU, cpu_s=0.1), GONE, Outcome.CRASHED, "signal 24"),
    "lost with its lane": (facts(status=None), GONE, Outcome.OUT_OF_MEMORY, "killed"),
    "closed its pipe": (facts(closed_pipe=True), GONE, Outcome.TAMPERED, "closed"),
    "ended the judge": (facts(), None, Outcome.REJECTED_VALUE, "ended the judge"),
    "too large for the judge": (facts(judge_killed_for_memory=True), None, Outcome.OUT_OF_MEMORY, "to compare"),
}


@pytest.mark.parametrize("name", CASES)
def test_conclusions(name: str) -> None:
    """Limits first, those of memory before those of time, then how it ended, then what the judge saw."""
    measured, report, outcome, detail = CASES[name]
    found = measured.conclude(report)
    assert (outcome, True) == (found[0], detail in found[1]), found
