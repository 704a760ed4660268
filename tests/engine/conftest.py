"""A container engine whose worker is a plain process, and what such tests judge."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from codejury.engine import launch
from codejury.engine.container import ContainerEngine
from codejury.engine.launch import ContainerSettings
from codejury.model import Assertions, ContainerInfo, Job, Limits, Problem, text_hash

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

LIMITS = Limits(cpu_s=2.0, cpu_total_s=6.0)
PROBLEM = Problem(
    id="p",
    prompt="",
    entry_point="f",
    tests=Assertions(code=("assert f(2) == 3",)),
    reference="def f(x):\n    return x + 1\n",
)
INFO = ContainerInfo(image="an-image", image_id="0123", engine="docker 1.2", runtime=None)


class Texts:
    """`model.Library` of what is at hand."""

    def __init__(self) -> None:
        self.problems = {PROBLEM.hash: PROBLEM}
        self.programs: dict[str, str] = {}

    def problem(self, problem_hash: str) -> Problem:
        """The problem with this hash."""
        return self.problems[problem_hash]

    def program(self, program_hash: str) -> str:
        """The program with this hash."""
        return self.programs[program_hash]

    def job(self, source: str, *, key: str = "", limits: Limits = LIMITS) -> Job:
        """A job with a program."""
        digest = text_hash(source)
        self.programs[digest] = source
        return Job(key=key or source, problem_hash=PROBLEM.hash, program_hash=digest, limits=limits)

    async def jobs(self, sources: Iterable[str]) -> AsyncIterator[Job]:
        """A job with each program."""
        for source in sources:
            yield self.job(source)


@pytest.fixture
def texts() -> Texts:
    """A library with one problem and no programs."""
    return Texts()


@pytest.fixture
def removed() -> list[str]:
    """The names of containers that were removed."""
    return []


@pytest.fixture
def engine_of(monkeypatch: pytest.MonkeyPatch, texts: Texts, removed: list[str]) -> Callable[..., ContainerEngine]:
    """Makes a container engine that starts a command instead of a container: the true worker by default."""

    def make(command: Sequence[str] | None = None, **settings: Any) -> ContainerEngine:
        started = list(command or (sys.executable, "-I", "-m", "codejury.engine.worker"))
        monkeypatch.setattr(launch, "find", lambda _: INFO)
        monkeypatch.setattr(launch, "run_command", lambda *_: started)
        monkeypatch.setattr(launch, "remove", lambda _, name: removed.append(name))
        return ContainerEngine(
            texts, **{"limits": LIMITS, "settings": ContainerSettings(), "slots": 1, **settings}
        )

    return make
