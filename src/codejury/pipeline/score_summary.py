"""Means of scores over all pairs, by language and by tag, and the composite."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from codejury.metrics.composite import PARTS, Part, Policy, Scenario, composite
from codejury.model import UsageError
from codejury.report import CompositePart, CompositeScore, Interval, ScoreSummary
from codejury.stats import bootstrap_interval, pass_at_k

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from codejury.formats import PairRow
    from codejury.metrics.scoring import Metric
    from codejury.pipeline.score_pool import Values

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

BOOTSTRAPPED = 500
"""Up to so many problems the interval is the bootstrap's, beyond it Student's t: there both agree."""


class Scores:
    """What is kept of each pair: a number for each metric, and to which groups it belongs.

    Args:
        metrics: In the order of the values.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = tuple(metrics)
        self.values = [array("d") for _ in metrics]
        self.reasons = [array("l") for _ in metrics]
        self.problem, self.language, self.passed = array("l"), array("l"), array("d")
        self.tags: dict[str, array[int]] = {}
        self._names: dict[str, dict[str, int]] = {"problem": {}, "language": {}, "reason": {}}

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.problem)

    def add(self, row: PairRow, values: Values) -> None:
        """Take a pair."""
        for place, value in enumerate(values):
            self.values[place].append(math.nan if value.value is None else value.value)
            self.reasons[place].append(-1 if value.reason is None else self._number("reason", value.reason))
        for tag in dict.fromkeys(row.tags):
            self.tags.setdefault(tag, array("l")).append(len(self))
        self.language.append(self._number("language", row.language))
        self.passed.append(math.nan if row.passed is None else row.passed)
        self.problem.append(self._number("problem", row.problem or row.id))

    @property
    def problems(self) -> int:
        """The number of problems."""
        return len(self._names["problem"])

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in the order of their first pair."""
        return tuple(self._names["language"])

    def overall(self, level: float) -> dict[str, ScoreSummary]:
        """Each metric over all pairs."""
        return self._summaries(np.arange(len(self)), level)

    def by_language(self, level: float) -> dict[str, dict[str, ScoreSummary]]:
        """Each metric by language; empty where all pairs have one."""
        languages = np.asarray(self.language)
        if len(self.languages) < 2:
            return {}
        return {
            name: self._summaries(np.flatnonzero(languages == number), level)
            for name, number in self._names["language"].items()
        }

    def by_tag(self, level: float) -> dict[str, dict[str, ScoreSummary]]:
        """Each metric by tag; a pair counts in each of its tags."""
        return {tag: self._summaries(np.asarray(rows), level) for tag, rows in sorted(self.tags.items())}

    def composite(self, name: str, scenario: Scenario, policy: Policy, level: float) -> CompositeScore:
        """Sim, ASTSim and Pass@k in one, for each problem and then over problems.

        A likeness of a problem is the mean of its pairs'. It is unscored where one of its pairs' is, as the scored
        ones may be the easy ones; with policy "zero" that pair counts 0.

        Raises:
            UsageError: A part of a problem is unscored, and that fails.
        """
        problem = np.asarray(self.problem)
        columns: dict[Part, list[float | None]] = {
            "sim": self._means(scenario.sim_metric, problem, policy),
            "ast": self._means(scenario.ast_metric, problem, policy),
            "pass": self._passes(problem, scenario.k),
        }
        needed = scenario.needed
        if policy == "fail":
            self._refuse(name, {part: columns[part] for part in needed})
        scores = [
            composite(scenario, dict(zip(PARTS, parts, strict=True)), policy)
            for parts in zip(*(columns[part] for part in PARTS), strict=True)
        ]
        kept_places = [place for place, score in enumerate(scores) if score is not None]
        kept = np.array([score for score in scores if score is not None])
        measures = {"sim": scenario.sim_metric, "ast": scenario.ast_metric, "pass": f"pass@{scenario.k}"}
        return CompositeScore(
            scenario=name,
            policy=policy,
            parts=[
                CompositePart(
                    part=part,
                    metric=measures[part],
                    weight=scenario.weights[part],
                    mean=_mean(
                        [
                            columns[part][place] or 0.0
                            for place in kept_places
                            if part in needed or columns[part][place] is not None  # what has no weight is not zero
                        ]
                    ),
                    unscored=sum(value is None for value in columns[part]),
                )
                for part in PARTS
            ],
            value=_mean(kept),
            interval=mean_interval(kept, np.arange(len(kept)), (0.0, 1.0), level),
            problems=len(kept),
            dropped=len(scores) - len(kept),
        )

    def _refuse(self, name: str, columns: dict[Part, list[float | None]]) -> None:
        ids = list(self._names["problem"])
        for part, values in columns.items():
            if missing := [place for place, value in enumerate(values) if value is None]:
                raise UsageError(
                    f"scenario {name!r}: {part} is unscored in {len(missing)} of {len(values)} problems, first"
                    f" {ids[missing[0]]!r}: choose --unscored drop or zero, or a scenario without {part}"
                )

    def _means(self, metric: str, problem: Places, policy: Policy) -> list[float | None]:
        known = [each.name for each in self.metrics]
        if metric not in known:
            return [None] * self.problems
        values = np.asarray(self.values[known.index(metric)])
        if policy == "zero" and not np.isnan(values).all():
            values = np.nan_to_num(values, nan=0.0)
        sums, sizes = np.bincount(problem, weights=values), np.bincount(problem)
        return [None if math.isnan(value) else float(value) for value in sums / sizes]

    def _passes(self, problem: Places, k: int) -> list[float | None]:
        passed = np.asarray(self.passed)
        known = ~np.isnan(passed)
        n = np.bincount(problem[known], minlength=self.problems)
        c = np.bincount(problem[known], weights=passed[known], minlength=self.problems).astype(int)
        return [
            float(pass_at_k(int(tried), int(right), k)) if tried >= k else None
            for tried, right in zip(n, c, strict=True)
        ]

    def _number(self, kind: str, name: str) -> int:
        names = self._names[kind]
        return names.setdefault(name, len(names))

    def _summaries(self, rows: Places, level: float) -> dict[str, ScoreSummary]:
        clusters = np.asarray(self.problem)[rows]
        names = list(self._names["reason"])
        found = {}
        for metric, values, reasons in zip(self.metrics, self.values, self.reasons, strict=True):
            chosen = np.asarray(values)[rows]
            there = ~np.isnan(chosen)
            why = Counter(np.asarray(reasons)[rows][~there].tolist())
            found[metric.name] = ScoreSummary(
                scored=int(there.sum()),
                unscored=int((~there).sum()),
                reasons={names[number]: count for number, count in why.most_common()},
                mean=_mean(chosen[there]),
                interval=mean_interval(chosen[there], clusters[there], metric.range, level),
            )
        return found


def mean_interval(values: Floats, clusters: Places, bounds: tuple[float, float], level: float) -> Interval | None:
    """The interval of a mean over other problems of the kind.

    Args:
        values: A number for each pair.
        clusters: The number of each pair's problem; pairs of one problem are no independent evidence.
        bounds: The least and the greatest value that there can be.
        level: Confidence level.

    Returns:
        The bootstrap's (BCa) over problems, or, where all values are alike, a binomial one; beyond BOOTSTRAPPED
        problems, or without finite bounds, that of Student's t with the standard error of clusters. None for fewer
        than two problems.
    """
    _, groups = np.unique(clusters, return_inverse=True)
    count = int(groups.max()) + 1 if len(values) else 0
    if count < 2:
        return None
    low, high = bounds
    bounded = math.isfinite(low) and math.isfinite(high)
    if bounded and (count <= BOOTSTRAPPED or np.ptp(values) == 0):
        scaled = np.clip((values - low) / (high - low), 0.0, 1.0)
        found = bootstrap_interval(scaled, clusters=None if count == len(values) else groups.tolist(), level=level)
        span = high - low
        return Interval(
            se=None if found.se is None else found.se * span,
            low=low + span * found.low,
            high=low + span * found.high,
            method=found.method,
        )
    mean = float(values.mean())
    apart = np.bincount(groups, weights=values - mean)
    se = math.sqrt(count / (count - 1) * float((apart**2).sum())) / len(values)
    half = se * _quantile(count - 1, level)
    method = "t" if count == len(values) else "t, clustered"
    return Interval(se=se, low=max(low, mean - half), high=min(high, mean + half), method=method)


def _quantile(df: int, level: float) -> float:
    from scipy import special  # noqa: PLC0415 - it takes long to load, and few figures need it

    return float(special.stdtrit(df, (1 + level) / 2))


def _mean(values: Floats | Iterable[float]) -> float | None:
    found = np.asarray(list(values), dtype=np.float64)
    return float(found.mean()) if len(found) else None
