"""From what the host measured and the judge said to an outcome: what was measured goes first."""

from __future__ import annotations

import os
import signal

import msgspec

from codejury.judging.records import Report, Request
from codejury.model import MIB, Outcome
from codejury.sandbox import Ended

# Outcomes that a judge may tell, by name.
TELLABLE = {outcome.value: outcome for outcome in Outcome if outcome not in (Outcome.INFRA_ERROR, Outcome.MISSING)}

MEASURED_OVER = 2 * MIB
"""What a measured peak may be over the limit: the kernel counts in batches, and a trivial program takes some."""

KILLED_FOR_MEMORY = Outcome.OUT_OF_MEMORY, "killed at the memory limit"


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What the host measured of one session."""

    request: Request
    over: tuple[Outcome, str] | None
    ended: Ended
    closed_pipe: bool
    killed_for_memory: bool
    judge_killed_for_memory: bool
    refused_processes: bool
    cpu_s: float

    def conclude(self, report: Report | None) -> tuple[Outcome | None, str]:
        """Outcome (None: the problem's fault) and detail."""
        over = self._over()
        if over:
            return over
        if report is None:
            return self._judge_ended()
        if report.outcome == "gone":
            return self._gone()
        if report.outcome == "problem":
            return None, report.detail
        return self._reported(report)

    def _over(self) -> tuple[Outcome, str] | None:
        """The limit that was passed, whatever was said."""
        if self.killed_for_memory:
            return KILLED_FOR_MEMORY
        if self.over:
            return self.over
        if self.ended.peak_bytes > self.request.limits.memory_bytes + MEASURED_OVER:
            return Outcome.OUT_OF_MEMORY, "used more memory than the limit"
        return None

    def _reported(self, report: Report) -> tuple[Outcome, str]:
        """What the judge saw, by what the host measured."""
        outcome = TELLABLE.get(report.outcome)
        if outcome is None:
            return Outcome.REJECTED_VALUE, "the judge's report is garbled"
        if outcome is not Outcome.PASSED:
            if report.detail.startswith("MemoryError") and self._large():
                return Outcome.OUT_OF_MEMORY, report.detail
            if self.refused_processes and outcome is Outcome.EXCEPTION:
                return Outcome.PROCESS_LIMIT, report.detail
        return outcome, report.detail

    def _large(self) -> bool:
        return self.ended.peak_bytes > self.request.limits.memory_bytes // 2

    def _judge_ended(self) -> tuple[Outcome, str]:
        """The judge ended without a word: on the values that it was given."""
        if self.judge_killed_for_memory:
            return Outcome.OUT_OF_MEMORY, "its values took more memory than the limit to compare"
        return Outcome.REJECTED_VALUE, "its values ended the judge"

    def _gone(self) -> tuple[Outcome, str]:
        """The candidate ended, or closed its pipe, before it had answered."""
        if self.closed_pipe:
            return Outcome.TAMPERED, "closed its pipe to the judge"
        status = self.ended.status
        if status is None:
            return KILLED_FOR_MEMORY
        if os.WIFEXITED(status):
            return Outcome.EARLY_EXIT, f"exit code {os.WEXITSTATUS(status)}"
        number = os.WTERMSIG(status)
        if number in (signal.SIGXCPU, signal.SIGKILL) and self.cpu_s > self.request.limits.cpu_total_s:
            return Outcome.TIMEOUT_CPU, f"more than {self.request.limits.cpu_total_s:g} s of CPU in all"
        if number == signal.SIGKILL and self._large():
            return KILLED_FOR_MEMORY
        return Outcome.CRASHED, f"signal {number}"
