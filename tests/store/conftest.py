"""A store with a small run, and builders of what goes into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import (
    Assertions,
    Job,
    Judged,
    Limits,
    Manifest,
    Outcome,
    Problem,
    ProblemSet,
    ProblemSetInfo,
    Program,
    Sample,
    Verdict,
    text_hash,
)
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Builder:
    """Makes problems, samples and verdicts that differ only where a test says so."""

    def problem_set(self, size: int = 3) -> ProblemSet:
        """Problems P/0, P/1, …; the difficulty and the cluster alternate."""
        problems = tuple(
            Problem(
                id=f"P/{i}",
                prompt=f"def f{i}(x):\n",
                entry_point=f"f{i}",
                tests=Assertions(code=("assert True",)),
                difficulty=("easy", "hard")[i % 2],
                cluster=(None, "shared")[i % 2],
            )
            for i in range(size)
        )
        return ProblemSet(name="tiny", version="1-0", problems=problems, source="test")

    def manifest(self, run: str = "first", problem_set: ProblemSet | None = None, **fields: Any) -> Manifest:
        """A manifest."""
        info = ProblemSetInfo.of(problem_set or self.problem_set())
        return Manifest(run=run, created="2026-11-01T00:00:00Z", problem_set=info, **fields)

    def pair(self, problem_id: str, index: int, source: str, rule: str = "fenced") -> tuple[Sample, Program]:
        """A sample with its program."""
        return Sample(problem_id=problem_id, index=index, text=f"answer: {source}"), Program(source, rule)

    def judged(
        self, problem: Problem, source: str, outcome: Outcome = Outcome.PASSED, key: str = "", **fields: Any
    ) -> Judged:
        """A verdict of `source` on `problem`."""
        program = text_hash(source)
        job = Job(key=key or program, problem_hash=problem.hash, program_hash=program, limits=Limits())
        values = {"integrity": "strong", "tier": "namespaces", **fields}
        return Judged(job, Verdict(outcome=outcome, **values))


@pytest.fixture
def build() -> Builder:
    """The builder."""
    return Builder()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture
def run(store: Store, build: Builder) -> int:
    """A run with two samples of P/0 that are alike and one that is not, one of P/1, none of P/2."""
    pairs = [
        build.pair("P/0", 0, "a"),
        build.pair("P/0", 1, "a", rule="whole"),
        build.pair("P/0", 2, "b"),
        build.pair("P/1", 0, "a"),
    ]
    return store.create_run(build.manifest(), build.problem_set(), pairs)
