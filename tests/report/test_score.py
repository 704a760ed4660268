"""The document of `score`, and how it and metrics are shown."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from rich.console import Console

from codejury.report import (
    CompositePart,
    CompositeScore,
    Interval,
    ScoreDocument,
    ScoreMetric,
    ScoreSummary,
    encode_json,
)
from codejury.report.score_view import metric_report, metrics_report, score_report

if TYPE_CHECKING:
    from rich.console import RenderableType

GOLDEN = Path(__file__).parent / "golden"
NEAR = Interval(se=0.03125, low=0.5625, high=0.6875, method="bootstrap, bca")


def _summary(mean: float | None, unscored: int = 0, interval: Interval | None = NEAR) -> ScoreSummary:
    reasons = {"the reference does not parse": 2, "too large": 1, "a": 1, "b[/b]": 1} if unscored else {}
    return ScoreSummary(scored=10 - unscored, unscored=unscored, reasons=reasons, mean=mean, interval=interval)


def _metric(name: str, high: float | None = 1.0) -> ScoreMetric:
    return ScoreMetric(
        name=name,
        definition="1 - distance / length [b]of the longer[/b]",
        low=0.0,
        high=high,
        direction="higher",
        source="Levenshtein 1966",
        version="1",
    )


@pytest.fixture
def document() -> ScoreDocument:
    """Everything that a document can hold; what could be hostile is."""
    return ScoreDocument(
        source="pairs [red].jsonl",
        kind="pairs",
        pairs=10,
        problems=8,
        level=0.95,
        metrics=[_metric("edit.levenshtein"), _metric("ast.dice")],
        presets=["lca"],
        overall={"edit.levenshtein": _summary(0.625), "ast.dice": _summary(0.75, 5)},
        by_language={
            "python": {"edit.levenshtein": _summary(0.625), "ast.dice": _summary(0.75)},
            "cobol\x1b[31m": {
                "edit.levenshtein": _summary(0.5, interval=None),
                "ast.dice": _summary(None, 10, None),
            },
        },
        by_tag={"[b]add": {"edit.levenshtein": _summary(0.5), "ast.dice": _summary(0.25)}},
        composite=CompositeScore(
            scenario="line",
            policy="drop",
            parts=[
                CompositePart(part="sim", metric="edit.levenshtein", weight=0.7, mean=0.625, unscored=0),
                CompositePart(part="ast", metric="ast.dice", weight=0.3, mean=0.75, unscored=3),
                CompositePart(part="pass", metric="pass@1", weight=0.0, mean=0.0, unscored=8),
            ],
            value=0.6625,
            interval=Interval(se=0.03125, low=0.59375, high=0.71875, method="bootstrap, bca"),
            problems=5,
            dropped=3,
        ),
        warnings=["8 problems are few: the intervals are rough"],
    )


def _show(shown: RenderableType) -> str:
    file = io.StringIO()
    Console(file=file, width=80, no_color=True, legacy_windows=False, markup=False).print(shown)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def test_document_is_as_published(document: ScoreDocument) -> None:
    """The golden file is the contract with those who read documents, and can be read back."""
    assert (GOLDEN / "score.json").read_bytes() == encode_json(document)
    assert document == msgspec.json.decode(encode_json(document), type=ScoreDocument)


def test_document_on_a_terminal(document: ScoreDocument) -> None:
    """Means with intervals and counts, reasons, groups, the composite with its parts; 80 columns, nothing acts."""
    assert (GOLDEN / "score.txt").read_text(encoding="utf-8") == _show(score_report(document))


def test_one_language_and_no_composite(document: ScoreDocument) -> None:
    """What there is not is not shown."""
    bare = msgspec.structs.replace(document, by_language={}, by_tag={}, composite=None, overall={}, warnings=[])
    shown = _show(score_report(bare))
    assert "pairs [red].jsonl: 10 pairs of 8 problems" in shown
    for absent in ("language", "tag", "Composite", "Unscored", "!"):
        assert absent not in shown


def test_many_tags_are_cut(document: ScoreDocument) -> None:
    """The ten with the most pairs, in their order, and how many more there are."""
    tags = {f"tag{number:02}": {"exact": _summary(0.5, unscored=5 * (number > 5))} for number in range(13)}
    few = msgspec.structs.replace(tags["tag03"]["exact"], scored=1)
    tags["tag03"] = {"exact": few}
    shown = _show(score_report(msgspec.structs.replace(document, by_tag=tags)))
    assert "and 3 more, in the document" in shown
    assert "tag03" not in shown
    assert shown.index("tag00") < shown.index("tag01") < shown.index("tag09")


def test_metrics_on_a_terminal() -> None:
    """A list, and all of one; a bound that is not there is said."""
    assert "edit.levenshtein  1 - distance" in _show(metrics_report([_metric("edit.levenshtein")]))
    shown = _show(metric_report(_metric("my.count", high=None)))
    for line in ("range       0 to unbounded", "direction   higher is better", "source      Levenshtein 1966"):
        assert line in shown
