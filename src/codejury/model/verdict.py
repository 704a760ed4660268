"""Verdicts: what judging a sample gave."""

from __future__ import annotations

import enum
from typing import Literal

import msgspec


class Outcome(enum.StrEnum):
    """How a sample, or one of its tests, ended. Outcomes are measured, never taken from what a candidate says."""

    PASSED = "passed"
    WRONG_ANSWER = "wrong_answer"
    EXCEPTION = "exception"
    SYNTAX_ERROR = "syntax_error"
    COMPILE_ERROR = "compile_error"
    NO_CODE = "no_code"
    REJECTED_VALUE = "rejected_value"
    CRASHED = "crashed"
    TIMEOUT_CPU = "timeout_cpu"
    TIMEOUT_WALL = "timeout_wall"
    TIMEOUT_COMPILE = "timeout_compile"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    PROCESS_LIMIT = "process_limit"
    EARLY_EXIT = "early_exit"
    TAMPERED = "tampered"
    INFRA_ERROR = "infra_error"
    MISSING = "missing"


Integrity = Literal["strong", "weak"]

Confirm = Literal["auto", "all", "none"]
"""Which passes by values are confirmed in the tests' own process: see `codejury.judging.judge`."""


class TestResult(msgspec.Struct, frozen=True, array_like=True):
    """One test, that is one assertion that was executed.

    Attributes:
        line: 1-based line in the tests' source; 0 where the source has none.
        outcome: How it ended.
        wall_s: Wall seconds from the end of the test before to its own end, the candidate's calls included.
        cpu_s: CPU seconds of the candidate's processes, with up to 20 ms of quicker tests before it. None for a
            test that took less than 20 ms, whose CPU time is not told from that of its neighbours.
    """

    line: int
    outcome: Outcome
    wall_s: float
    cpu_s: float | None = None


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What judging one sample gave.

    Attributes:
        outcome: Of the sample: passed only if every test passed and nothing was left out.
        integrity: "strong" if tests and expected values were out of the candidate's reach.
        tier: The isolation tier that it ran in.
        tests: The tests that were executed, in order; up to the first failure unless all were asked for.
        detail: One line for people; may hold text of the candidate.
        cpu_s: CPU seconds of the candidate's processes.
        wall_s: Wall seconds from handing over the program to the verdict.
        peak_bytes: The most memory that its processes held at once, above what the waiting one held before; None
            where it was not measured.
        flipped_from: The outcome of a first try that a rerun alone did not repeat.
        base_passed: Whether it passed the base of its tests, where they have a further part; None where not.
    """

    outcome: Outcome
    integrity: Integrity
    tier: str
    tests: tuple[TestResult, ...] = ()
    detail: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_bytes: int | None = None
    flipped_from: Outcome | None = None
    base_passed: bool | None = None

    @property
    def passed(self) -> bool:
        """Whether the sample counts as correct."""
        return self.outcome is Outcome.PASSED

    def reward(self, mode: Literal["all", "fraction"] = "all") -> float | None:
        """The verdict as a training reward.

        Args:
            mode: "all": 1.0 if the sample passed, else 0.0. "fraction": the share of executed tests that passed,
                and 1.0 only if the sample passed; judge with all tests for it.

        Returns:
            A number from 0 to 1, or None where the infrastructure failed and nothing is known of the sample.
        """
        if self.outcome in (Outcome.INFRA_ERROR, Outcome.MISSING):
            return None
        if mode == "all" or self.passed or not self.tests:
            return float(self.passed)
        passed = sum(t.outcome is Outcome.PASSED for t in self.tests)
        return min(passed / len(self.tests), 1 - 1 / (len(self.tests) + 1))
