"""The runs of a store: listed, shown, deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codejury import stats
from codejury.model import Timing, UsageError
from codejury.pipeline.summary import INFRA_SHARE_LIMIT
from codejury.report import ProblemSetRef, RunDocument, RunRow, RunsDocument, TimingRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from codejury.model import Manifest
    from codejury.store import Counts, RunInfo, Store


def list_runs(store: Store) -> RunsDocument:
    """All runs, oldest first. Reads manifests and counts, not verdicts."""
    return RunsDocument(runs=[_row(store, info, store.manifest(info.id)) for info in store.runs()])


def show_run(store: Store, name: str) -> RunDocument:
    """What is known of a run.

    Raises:
        UsageError: There is no such run.
    """
    info = store.find_run(name)
    manifest = store.manifest(info.id)
    return RunDocument(
        run=_row(store, info, manifest),
        programs=info.programs,
        timing=TimingRow.of(Timing(wall_s=info.wall_s, samples=info.timed_samples)),
        manifest=manifest,
    )


def delete_runs(store: Store, names: Iterable[str]) -> list[str]:
    """Delete runs; none where one is unknown. Returns their names.

    Raises:
        UsageError: There is no run of a name.
    """
    infos = [store.find_run(name) for name in dict.fromkeys(names)]
    for info in infos:
        store.delete_run(info.id)
    return [info.name for info in infos]


def import_runs(store: Store, source: Store, names: Iterable[str] = (), *, new: str | None = None) -> list[str]:
    """Copy runs of another store; all or none. Returns their names here.

    Args:
        store: Where they go.
        source: Where they are.
        names: Of the runs; all of them if empty.
        new: Another name for the one run.

    Raises:
        UsageError: There is no such run, several are to have one name, or a name is taken.
    """
    chosen = list(dict.fromkeys(names)) or [info.name for info in source.runs()]
    for name in chosen:
        source.find_run(name)
    if not chosen:
        raise UsageError(f"store {source.name} has no runs")
    if new is not None and len(chosen) > 1:
        raise UsageError(f"--as {new}: one name for {len(chosen)} runs: name the one run that shall have it")
    named = {name: name if new is None else new for name in chosen}
    store.import_runs(source, named)
    return list(named.values())


def _row(store: Store, info: RunInfo, manifest: Manifest) -> RunRow:
    problem_set, counts = manifest.problem_set, store.counts(info.id)
    return RunRow(
        run=info.name,
        created=info.created,
        problem_set=ProblemSetRef(name=problem_set.name, version=problem_set.version, hash=problem_set.hash),
        model=manifest.meta.get("model"),
        temperature=manifest.meta.get("temperature"),
        samples=info.samples,
        judged=info.judged,
        problems=len(counts.problem_ids),
        pass_at_1=_pass_at_1(info, counts),
    )


def _pass_at_1(info: RunInfo, counts: Counts) -> float | None:
    """As the report says it, over problems with samples whose verdicts are all strong."""
    headline = (counts.samples > 0) & (counts.weak == 0)
    n, c = counts.n[headline], counts.c[headline]
    refused = counts.infra.sum() > INFRA_SHARE_LIMIT * info.judged
    if info.judged < info.samples or refused or not n.size or not n.all():
        return None
    return float(stats.pass_at_k(n, c, 1).mean())
