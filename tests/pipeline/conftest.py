"""A store, a sandbox or the reason why there is none, and a progress that remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codejury.pipeline import Progress
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from codejury.model import Outcome


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
