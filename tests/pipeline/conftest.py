"""A store, a sandbox or the reason why there is none, and a progress that remembers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from codejury.judging import ROLES
from codejury.model import Limits, Outcome, TierUnavailable
from codejury.pipeline import Progress
from codejury.sandbox import Sandbox, Settings, describe
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Heard(Progress):
    """Remembers the stages, with their sizes, and the outcomes."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int]] = []
        self.outcomes: list[Outcome | None] = []

    def stage(self, name: str, total: int) -> None:
        """Remember it."""
        self.stages.append((name, total))

    def step(self, outcome: Outcome | None) -> None:
        """Remember it."""
        self.outcomes.append(outcome)


@pytest.fixture
def heard() -> Heard:
    """What the pipeline tells of itself."""
    return Heard()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(tmp_path / "runs.db") as opened:
        yield opened


@pytest.fixture(scope="session")
def sandbox() -> None:
    """Skips, with the reason, where the machine gives no isolation tier."""

    async def probe() -> None:
        async with Sandbox(Settings(interpreter=describe(), limits=Limits()), ROLES):
            pass

    try:
        asyncio.run(probe())
    except TierUnavailable as error:
        pytest.skip(str(error))
