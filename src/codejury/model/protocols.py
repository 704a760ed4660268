"""The seams between rooms: what an engine and a sink are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from codejury.model.limits import Limits
from codejury.model.verdict import Confirm, Verdict

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Sequence

    from codejury.model.problem import Problem


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A unit of judging. It names the problem and the program by hash; a worker fetches each once.

    Attributes:
        key: The verdict's key: a hash of program, tests, limits, tier, interpreter and judge version.
        problem_hash: `Problem.hash`.
        program_hash: `Program.hash`.
        limits: The problem's own limits applied.
        all_tests: Run on after a failed test.
        confirm: Which passes are confirmed in the tests' own process.
    """

    key: str
    problem_hash: str
    program_hash: str
    limits: Limits
    all_tests: bool = False
    confirm: Confirm = "auto"


class Judged(msgspec.Struct, frozen=True):
    """A job with its verdict."""

    job: Job
    verdict: Verdict


class Library(Protocol):
    """Where a worker fetches what a job names."""

    def problem(self, problem_hash: str) -> Problem:
        """The problem with this hash."""

    def program(self, program_hash: str) -> str:
        """The source of the program with this hash."""


class Engine(Protocol):
    """Many jobs over many slots: this machine's, or a cluster's."""

    tier: str

    def submit(self, jobs: AsyncIterable[Job]) -> AsyncIterator[Judged]:
        """Judge `jobs`: unordered, bounded, cancellable. Ending the iteration early ends the work under way."""


class Sink(Protocol):
    """Where verdicts go. Only the controller holds one."""

    def put(self, batch: Sequence[Judged]) -> None:
        """Keep a batch of verdicts; when this returns, they survive a crash."""
