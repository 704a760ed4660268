"""Progress of long work: a live line on a terminal, else one line every 30 seconds; always on standard error."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from codejury.pipeline import Progress

if TYPE_CHECKING:
    from codejury.model import Outcome

EVERY_S = 30.0


class TerminalProgress(Progress):
    """Use it as a context manager.

    Args:
        quiet: Say nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Console(stderr=True)
        self.live = self.console.is_terminal and not quiet
        self.quiet = quiet
        self.bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[outcomes]}"),
            console=self.console,
            transient=True,
        )
        self.task = self.bar.add_task("", total=None, rate="", outcomes="", visible=False)
        self.name, self.total, self.done = "", 0, 0
        self.outcomes: Counter[str] = Counter()
        self.started = self.said = time.monotonic()

    def __enter__(self) -> Self:
        if self.live:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            self.bar.stop()

    def stage(self, name: str, total: int) -> None:
        """Begin a stage."""
        self.name, self.total, self.done = name, total, 0
        self.outcomes.clear()
        self.started = self.said = time.monotonic()
        if self.live:
            self.bar.reset(self.task, description=name, total=total, visible=True, rate="", outcomes="")

    def step(self, outcome: Outcome | None) -> None:
        """One more step is done."""
        self.done += 1
        if outcome is not None:
            self.outcomes[outcome.value] += 1
        now = time.monotonic()
        if self.live:
            if now - self.said > 0.1 or self.done == self.total:
                self.said = now
                self.bar.update(self.task, completed=self.done, rate=self._rate(now), outcomes=self._outcomes())
        elif not self.quiet and now - self.said >= EVERY_S:
            self.said = now
            left = (self.total - self.done) * (now - self.started) / self.done
            line = (
                f"{self.name}: {self.done}/{self.total}, {self._rate(now)}, {left:.0f} s left; {self._outcomes()}"
            )
            sys.stderr.write(line + "\n")
            sys.stderr.flush()

    def _rate(self, now: float) -> str:
        return f"{self.done / max(now - self.started, 1e-9):.0f}/s"

    def _outcomes(self) -> str:
        return ", ".join(f"{name} {count}" for name, count in self.outcomes.most_common(4))
