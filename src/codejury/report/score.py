"""The document of `score`."""

from __future__ import annotations

from typing import Literal

import msgspec

from codejury.report.document import Interval


class ScoreMetric(msgspec.Struct, frozen=True, kw_only=True):
    """What a metric of the document is.

    Attributes:
        name: Its name.
        definition: One line.
        low: The least value that it can take; null where there is none.
        high: The greatest one; null likewise.
        direction: Which values are better.
        source: Where the definition comes from.
        version: Of the definition: another version's values are not comparable.
    """

    name: str
    definition: str
    low: float | None
    high: float | None
    direction: Literal["higher", "lower"]
    source: str
    version: str


class ScoreSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A metric over some pairs.

    Attributes:
        scored: Pairs with a value.
        unscored: Pairs without one; in no mean.
        reasons: Of these, how many by reason.
        mean: Over the scored pairs; null where there is none.
        interval: Would other problems of this kind differ? null where these cannot tell.
    """

    scored: int
    unscored: int
    reasons: dict[str, int]
    mean: float | None
    interval: Interval | None


class CompositePart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a composite score.

    Attributes:
        part: Which.
        metric: Name of the metric; "pass@k" with its k for the tests' word.
        weight: What it counts; all weights sum to 1.
        mean: Over the problems of the composite; what counts as 0 there does here.
        unscored: Problems in which it is not scored for some or all pairs.
    """

    part: Literal["sim", "ast", "pass"]
    metric: str
    weight: float
    mean: float | None
    unscored: int


class CompositeScore(msgspec.Struct, frozen=True, kw_only=True):
    """Sim, ASTSim and Pass@k in one.

    Attributes:
        scenario: Name of the weights.
        policy: What unscored parts do: "drop" leaves their problem out, "zero" counts 0, "fail" is an error.
        parts: The parts with their weights.
        value: Mean over problems; null where none is scored.
        interval: Would other problems of this kind differ?
        problems: Problems in the mean.
        dropped: Problems that are left out.
    """

    scenario: str
    policy: Literal["fail", "drop", "zero"]
    parts: list[CompositePart]
    value: float | None
    interval: Interval | None
    problems: int
    dropped: int


class ScoreDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury score` found.

    Attributes:
        schema: Name and version of this document.
        source: The file, or the run.
        kind: Which of both.
        pairs: Number of pairs.
        problems: Number of problems that they answer.
        level: Confidence level of the intervals.
        metrics: What the metrics are, in their order.
        presets: Peers whose rules were asked for.
        overall: Each metric over all pairs.
        by_language: Each metric by language, where there are several.
        by_tag: Each metric over the pairs with a tag.
        composite: One score of several, where a scenario was asked for.
        warnings: What to know before quoting the figures, a line each.
    """

    schema: Literal["score/1"] = "score/1"
    source: str
    kind: Literal["pairs", "run"]
    pairs: int
    problems: int
    level: float
    metrics: list[ScoreMetric]
    presets: list[str]
    overall: dict[str, ScoreSummary]
    by_language: dict[str, dict[str, ScoreSummary]]
    by_tag: dict[str, dict[str, ScoreSummary]]
    composite: CompositeScore | None
    warnings: list[str]
