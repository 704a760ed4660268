"""Scores of pairs, or of a run's programs against their references."""

from __future__ import annotations

import fnmatch
import math
import os
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from codejury import sets
from codejury.engine import usable_cores
from codejury.formats import count_pairs, read_pairs, read_samples, write_rows
from codejury.metrics.composite import SCENARIOS, Policy, Scenario, check_scenario
from codejury.metrics.scoring import get
from codejury.metrics.scoring import names as known_metrics
from codejury.metrics.text import PRESETS
from codejury.metrics.truncation import Level
from codejury.model import Outcome, UsageError
from codejury.pipeline.completion_pairs import is_whole, pair_of, sample_pairs, told, truncated
from codejury.pipeline.score_pool import scored
from codejury.pipeline.score_summary import Scores
from codejury.report import ScoreDocument, ScoreMetric

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from codejury.formats import PairRow
    from codejury.metrics.scoring import Metric
    from codejury.pipeline.completion_pairs import Cut
    from codejury.pipeline.references import Progress
    from codejury.pipeline.score_pool import Values
    from codejury.store import Store

DEFAULT_METRICS = ("exact", "edit.levenshtein", "edit.indel", "identifier.f1", "ast.dice", "parse_status")
"""What is scored where nothing is asked for."""

_FEW = 30


class ScoreSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `score` is asked for.

    Attributes:
        pairs: A file of pairs; None for a run.
        run: Name of a run in the store; None for a file.
        problems: A problem set, if the file holds samples of its problems instead of pairs; None for pairs.
        truncate: Where predictions are cut before they are scored; None for not at all.
        metrics: Names of metrics; `*` stands for anything, "all" for all.
        presets: Peers by whose rules to score, each beside its corrected form.
        scenario: Name of the composite's weights; None for no composite.
        scenarios: Scenarios of the user's own, by name.
        policy: What unscored parts of the composite do.
        language: Of pairs that do not name one.
        out: Where each pair's scores go, as JSON lines.
        jobs: Processes; None is one for each usable core.
        level: Confidence level of the intervals.
    """

    pairs: str | None = None
    run: str | None = None
    problems: str | None = None
    truncate: Level | None = None
    metrics: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()
    scenario: str | None = None
    scenarios: dict[str, Scenario] = {}
    policy: Policy = "fail"
    language: str | None = None
    out: str | None = None
    jobs: int | None = None
    level: float = 0.95


def score(store: Store | None, settings: ScoreSettings, progress: Progress) -> ScoreDocument:
    """Score pairs as they are read, on all cores.

    Args:
        store: Where the run is; None for a file of pairs.
        settings: What to score, and how.
        progress: Told of each pair.

    Raises:
        UsageError: There is no such metric, preset, scenario or run; a row is no pair; what a metric needs is not
            installed; a part of the composite is unscored, and that fails.
        InfrastructureError: A scoring process was killed, or the output cannot be written.
    """
    if (settings.pairs is None) == (settings.run is None):
        raise UsageError("give a file of pairs, or a run with --run, not both")
    if settings.problems is not None and settings.run is not None:
        raise UsageError("--problems is for a file of samples: a run has its problems")
    if not 0 < settings.level < 1:
        raise UsageError(f"--level {settings.level:g}: a confidence level lies between 0 and 1, as 0.95")
    scenario = _scenario(settings)
    metrics = [get(name) for name in _chosen(settings, scenario)]
    warnings: list[str] = []
    total, rows = _rows(store, settings, warnings)
    cuts: dict[str, Cut] | None = None if settings.out is None else {}
    if settings.truncate is not None:
        plain = settings.run is None and settings.problems is None
        rows = truncated(rows, settings.truncate, cuts, warnings, wholes=plain)
    scores = Scores(metrics)
    progress.stage("scoring", total)
    found = _taken(
        scored(rows, [metric.name for metric in metrics], total=total, jobs=settings.jobs or usable_cores()),
        scores,
        progress,
    )
    if settings.out is None:
        for _ in found:
            pass
    else:
        write_rows(settings.out, (_line(row, values, metrics, cuts) for row, values in found))
    return _document(settings, scores, scenario, warnings)


def _rows(store: Store | None, settings: ScoreSettings, warnings: list[str]) -> tuple[int, Iterator[PairRow]]:
    """How many pairs there will be, and the pairs."""
    if settings.pairs is not None and settings.problems is not None:
        problems = sets.load(settings.problems)
        known = problems.by_id()
        total = sum(1 for _ in read_samples(settings.pairs, known=known, allow_empty=True))
        return total, sample_pairs(settings.pairs, problems, warnings)
    if settings.pairs is not None:
        return count_pairs(settings.pairs), read_pairs(settings.pairs, language=settings.language)
    if settings.run is not None and store is not None:
        return store.find_run(settings.run).judged, run_pairs(store, settings.run, warnings)
    raise UsageError(f"run {settings.run!r}: give the store that it is in")


def run_pairs(store: Store, name: str, warnings: list[str]) -> Iterator[PairRow]:
    """The judged samples of a run, each beside its problem's reference.

    A program that begins with the problem's prompt and ends with its suffix, as the reference does, is compared in
    the hole between them; any other as a whole.

    Args:
        store: Where the run is.
        name: Of the run.
        warnings: What to know is added here when the last is read.

    Raises:
        UsageError: There is no such run, or none of its problems has a reference.
    """
    run = store.find_run(name).id
    problems = {problem.id: problem for problem in store.problems(run)}
    if all(problem.reference is None for problem in problems.values()):
        raise UsageError(f"run {name!r}: no problem has a reference to compare with")
    library = store.library(run)
    skipped = whole = total = 0
    for verdict in store.verdicts(run):
        problem = problems[verdict.problem_id]
        if problem.reference is None:
            skipped += 1
            continue
        passed = None if verdict.outcome is Outcome.INFRA_ERROR else verdict.outcome is Outcome.PASSED
        row = pair_of(problem, verdict.index, library.program(verdict.program_hash), passed=passed)
        total += 1
        whole += is_whole(row, problem)
        yield row
    warnings += told(skipped, whole, total)


def _scenario(settings: ScoreSettings) -> Scenario | None:
    if settings.scenario is None:
        return None
    known = SCENARIOS | settings.scenarios
    if settings.scenario not in known:
        raise UsageError(f"no scenario {settings.scenario!r}: known are {', '.join(sorted(known))}")
    check_scenario(settings.scenario, known[settings.scenario])
    return known[settings.scenario]


def _chosen(settings: ScoreSettings, scenario: Scenario | None) -> list[str]:
    """The metrics that are asked for, each once; errors name what there is."""
    chosen: list[str] = []
    for name in settings.metrics:
        pattern = "*" if name == "all" else name
        matching = fnmatch.filter(known_metrics(), pattern) if "*" in pattern else [get(name).name]
        if not matching:
            raise UsageError(f"no metric is called {name!r}: see codejury metrics list")
        chosen += matching
    for name in settings.presets:
        if name not in PRESETS:
            raise UsageError(f"no preset {name!r}: known are {', '.join(PRESETS)}")
        preset = PRESETS[name]
        chosen += chain.from_iterable(zip(preset.metrics, preset.corrected, strict=True))
    if scenario is not None:
        wanted = {"sim": scenario.sim_metric, "ast": scenario.ast_metric}
        chosen += [wanted[part] for part in scenario.needed if part in wanted]
    return list(dict.fromkeys(chosen or DEFAULT_METRICS))


def _taken(
    found: Iterator[tuple[PairRow, Values]], scores: Scores, progress: Progress
) -> Iterator[tuple[PairRow, Values]]:
    for row, values in found:
        scores.add(row, values)
        progress.step(None)
        yield row, values


def _line(
    row: PairRow, values: Values, metrics: Sequence[Metric], cuts: dict[str, Cut] | None
) -> Mapping[str, object]:
    named = list(zip((metric.name for metric in metrics), values, strict=True))
    cut = None if cuts is None else cuts.pop(row.id, None)
    return {
        "id": row.id,
        "scores": {name: value.value for name, value in named},
        "unscored": {name: value.reason for name, value in named if value.reason is not None},
        **({} if cut is None else {"cut": msgspec.structs.asdict(cut)}),
    }


def _document(
    settings: ScoreSettings, scores: Scores, scenario: Scenario | None, warnings: list[str]
) -> ScoreDocument:
    overall = scores.overall(settings.level)
    if 1 < scores.problems < _FEW:
        warnings.append(f"{scores.problems} problems are few: the intervals are rough")
    if scores.problems == 1:
        warnings.append("one problem tells nothing of others: there are no intervals")
    return ScoreDocument(
        source=os.fspath(settings.pairs) if settings.pairs is not None else settings.run or "",
        kind="pairs" if settings.pairs is not None else "run",
        pairs=len(scores),
        problems=scores.problems,
        level=settings.level,
        metrics=[metric_row(metric) for metric in scores.metrics],
        presets=list(settings.presets),
        overall=overall,
        by_language=scores.by_language(settings.level),
        by_tag=scores.by_tag(settings.level),
        composite=None
        if scenario is None
        else scores.composite(settings.scenario or "", scenario, settings.policy, settings.level),
        warnings=warnings,
    )


def metric_row(metric: Metric) -> ScoreMetric:
    """What a metric is, as documents say it."""
    low, high = (bound if math.isfinite(bound) else None for bound in metric.range)
    return ScoreMetric(
        name=metric.name,
        definition=metric.definition,
        low=low,
        high=high,
        direction=metric.direction,
        source=metric.source,
        version=metric.version,
    )
