"""Rollouts of agents: imported into a store, listed, deleted."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from codejury._version import __version__
from codejury.agents.fields import Source
from codejury.agents.importers import importer
from codejury.agents.patches import scanned
from codejury.model import RolloutManifest, UsageError
from codejury.report.rollouts import RolloutRunRow, RolloutRunsDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from codejury.model import LocatedRollout
    from codejury.store import RolloutRunInfo, Store


@dataclass(frozen=True)
class ImportSettings:
    """How rollouts are imported.

    Attributes:
        format: Name of the importer.
        paths: Files or folders, of one run.
        run: Its name.
        agent: The agent, for sources that do not name it; goes before what they say.
        label: The rollout's label, for sources of which a file is one rollout of each task.
        report: SWE-bench reports, for sources without grades.
        score: Which of several scores or rewards tells success.
        scan: Look for dangerous calls in code and patches.
    """

    format: str
    paths: tuple[str, ...]
    run: str
    agent: str | None = None
    label: str | None = None
    report: str | None = None
    score: str | None = None
    scan: bool = True


def import_rollouts(
    store: Store, settings: ImportSettings, progress: Callable[[int], None] | None = None
) -> RolloutRunsDocument:
    """Keep the rollouts of files or folders as a run; entirely or not at all, and never held in memory.

    Args:
        store: Where they go.
        settings: What is imported.
        progress: Called now and then with the number of rollouts so far.

    Raises:
        UsageError: There is no such format, no rollout, or the name is taken.
        InputError: A file has another layout, or a rollout occurs twice.
    """
    reader = importer(settings.format)
    for path in settings.paths:
        if not Path(path).exists():
            raise UsageError(f"{path}: no such file or folder; check the path")
    sources = [
        Source(path, settings.agent, settings.label, settings.report, settings.score) for path in settings.paths
    ]
    manifest = RolloutManifest(
        run=settings.run,
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        format=settings.format,
        source=", ".join(Path(path).resolve().name for path in settings.paths),
        versions={"codejury": __version__, "python": platform.python_version()},
    )

    def located() -> Iterator[LocatedRollout]:
        count = 0
        for source in sources:
            for item in reader.read(source):
                yield scanned(item) if settings.scan else item
                count += 1
                if progress is not None and not count % 1000:
                    progress(count)

    def complete() -> RolloutManifest:
        totals: dict[str, int] = {}
        for source in sources:
            for message, times in source.notes.items():
                totals[message] = totals.get(message, 0) + times
        notes = [message if times == 1 else f"{message} ({times} times)" for message, times in totals.items()]
        return msgspec.structs.replace(manifest, notes=tuple(notes))

    run = store.rollouts.create(manifest, located(), complete=complete)
    return RolloutRunsDocument(runs=[_row(store, info) for info in store.rollouts.runs() if info.id == run])


def list_rollouts(store: Store) -> RolloutRunsDocument:
    """All runs of rollouts, oldest first."""
    return RolloutRunsDocument(runs=[_row(store, info) for info in store.rollouts.runs()])


def delete_rollouts(store: Store, names: Iterable[str]) -> list[str]:
    """Delete runs of rollouts; none where one is unknown. Returns their names.

    Raises:
        UsageError: There is no run of a name.
    """
    infos = [store.rollouts.find(name) for name in dict.fromkeys(names)]
    for info in infos:
        store.rollouts.delete(info.id)
    return [info.name for info in infos]


def _row(store: Store, info: RolloutRunInfo) -> RolloutRunRow:
    manifest = store.rollouts.manifest(info.id)
    return RolloutRunRow(
        run=info.name,
        created=info.created,
        format=manifest.format,
        source=manifest.source,
        rollouts=info.rollouts,
        tasks=info.tasks,
        agents=info.agents,
        notes=list(manifest.notes),
    )
