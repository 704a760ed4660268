"""The same samples under several extractors: one run each, and their figures side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from codejury import extract
from codejury.model import UsageError, text_hash
from codejury.pipeline.asked import JudgeSettings, default_run_name
from codejury.pipeline.judge import judge
from codejury.report.extraction import ExtractionDocument, ExtractionRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.pipeline.references import Progress
    from codejury.report import JudgeDocument
    from codejury.store import Store

_NO_PROGRAM = text_hash("")


def extractor_runs(settings: JudgeSettings, extractors: Sequence[str]) -> list[JudgeSettings]:
    """The settings of a run for each extractor: the first has the run's name, the others also their extractor's.

    Raises:
        UsageError: None is named, one is unknown, or one is named twice.
    """
    if not extractors:
        raise UsageError(f"no extractor is named; take of {', '.join(extract.EXTRACTORS)}")
    if twice := [name for name in extractors if extractors.count(name) > 1]:
        raise UsageError(f"extractor {twice[0]!r} is named twice: name each once")
    name = settings.run
    if name is None and not settings.resume:
        name = default_run_name(settings.samples)
    return [
        msgspec.structs.replace(
            settings, run=f"{name}.{one}" if place else name, extractor=extract.extractor(one).name
        )
        for place, one in enumerate(extractors)
    ]


async def judge_under_each(store: Store, runs: Sequence[JudgeSettings], progress: Progress | None = None) -> None:
    """Judge the runs of `extractor_runs`, one after the other.

    Where they are to be resumed, those after the first that were not begun are begun.

    Raises:
        UsageError: As `judge`; before anything is judged where the name of any run is taken.
    """
    known = {info.name for info in store.runs()}
    if not runs[0].resume and (taken := [run.run for run in runs if run.run in known]):
        raise UsageError(
            f"run {taken[0]!r} is already in store {store.name}: go on with --resume, or give another name with"
            " --run"
        )
    for place, run in enumerate(runs):
        if place and run.run not in known:
            run = msgspec.structs.replace(run, resume=False, retry_infra=False)  # noqa: PLW2901 - was not begun
        await judge(store, run, progress)


def compare_extractors(store: Store, documents: Sequence[JudgeDocument]) -> ExtractionDocument:
    """The figures of runs of the same samples that were judged under several extractors.

    Args:
        store: Where they are.
        documents: Of the runs, as `summarise` makes them; programs are compared with those of the first.
    """
    first = documents[0]
    return ExtractionDocument(
        problem_set=first.problem_set,
        samples=first.samples,
        level=first.level,
        rows=[_row(store, first.run, document) for document in documents],
        warnings=list(dict.fromkeys(warning for document in documents for warning in document.warnings)),
    )


def _row(store: Store, first: str, document: JudgeDocument) -> ExtractionRow:
    run = store.find_run(document.run).id
    manifest = store.manifest(run)
    differing = empty = 0
    # All samples of both are judged, and both have them in one order.
    for before, now in zip(store.verdicts(store.find_run(first).id), store.verdicts(run), strict=False):
        differing += before.program_hash != now.program_hash
        empty += now.program_hash == _NO_PROGRAM
    return ExtractionRow(
        extractor=manifest.extractor,
        run=document.run,
        pass_at_k=document.pass_at_k,
        differing=differing,
        empty=empty,
        rules=manifest.rules,
        flags=manifest.flags,
    )
