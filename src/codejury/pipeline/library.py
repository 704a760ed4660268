"""Problems and programs at hand, for an engine that judges without a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codejury.model import text_hash

if TYPE_CHECKING:
    from codejury.model import Problem


class HeldLibrary:
    """`model.Library` of what is in memory.

    Attributes:
        problems: By hash.
        sources: Programs by hash.
    """

    def __init__(self) -> None:
        self.problems: dict[str, Problem] = {}
        self.sources: dict[str, str] = {}

    def problem(self, problem_hash: str) -> Problem:
        """The problem with this hash."""
        return self.problems[problem_hash]

    def program(self, program_hash: str) -> str:
        """The program with this hash."""
        return self.sources[program_hash]

    def add(self, source: str) -> str:
        """Keep a program; returns its hash."""
        digest = text_hash(source)
        self.sources[digest] = source
        return digest
