"""The document of `compare` and its view."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import pytest
from rich.console import Console

from codejury.report import (
    CompareDocument,
    ComparedRun,
    Comparison,
    DetectableRow,
    Difference,
    Dropped,
    Estimate,
    Flipped,
    Interval,
    McNemar,
    ProblemSetRef,
    Range,
    SliceDifference,
    Sweep,
    SweepBest,
    SweepRow,
    Waived,
    encode_json,
)
from codejury.report.comparison_view import compare_report, detectable_text, p_text

if TYPE_CHECKING:
    from rich.console import RenderableType

GOLDEN = Path(__file__).parent / "golden"
SET = ProblemSetRef(name="humaneval", version="1-0", hash="0123")


def _interval(value: float, half: float, method: str) -> Interval:
    return Interval(se=half / 2, low=value - half, high=value + half, method=method)


def _estimate(value: float) -> Estimate:
    return Estimate(
        value=value,
        fixed_suite=_interval(value, 0.03125, "exact"),
        population=_interval(value, 0.0625, "t, clustered"),
    )


def _difference(value: float, p: float) -> Difference:
    return Difference(
        a=0.5,
        b=0.5 + value,
        value=value,
        fixed_suite=_interval(value, 0.03125, "exact"),
        population=_interval(value, 0.0625, "t"),
        p=p,
        p_holm=min(1.0, 2 * p),
        p_population=0.0625,
    )


def _run(name: str, value: float) -> ComparedRun:
    return ComparedRun(
        run=name,
        problem_set=SET,
        n=Range(min=4, max=5),
        pass_at_k={"1": _estimate(value), "4": _estimate(value + 0.25)},
        meta={"model": "m", "temperature": "0.8"},
    )


def _comparison(name: str, value: float, p: float) -> Comparison:
    slices: list[tuple[Literal["difficulty", "tag"], str]] = [("difficulty", "hard")]
    slices += [("tag", f"tag {i}") for i in range(12)]
    flips = [Flipped(id=f"HumanEval/{i} [b]x[/b]", n_a=5, c_a=4, n_b=5, c_b=1) for i in range(12)]
    return Comparison(
        run=name,
        pass_at_k={"1": _difference(value, p), "4": _difference(value / 2, 0.5)},
        pass_hat_k={"1": _difference(value, p), "4": _difference(value, 0.25)},
        mcnemar=McNemar(lost=7, gained=1, p_exact=9 / 128, p_mid=0.0390625),
        lost=flips,
        gained=flips[:1],
        slices=[
            SliceDifference(
                kind=kind,
                name=label,
                problems=10,
                a=0.5,
                b=0.25,
                value=-0.25,
                fixed_suite=_interval(-0.25, 0.125, "exact"),
                p=0.00001,
                q=0.0001,
            )
            for kind, label in slices
        ],
        detectable=[
            DetectableRow(model="spread", effect=0.03125, power=0.8),
            DetectableRow(model="lost", effect=None, power=0.5),
        ],
    )


@pytest.fixture
def document() -> CompareDocument:
    """Two runs against a third, with everything that a document can hold; what could be hostile is."""
    return CompareDocument(
        baseline="base",
        runs=[_run("base", 0.5), _run("one [red]", 0.4375), _run("two", 0.5625)],
        level=0.95,
        problems=160,
        dropped=[Dropped(run="two", reason="weak verdicts", ids=["HumanEval/7"])],
        waived=[Waived(condition="temperature", values={"base": "0.8", "one [red]": "0.2", "two": "0.8"})],
        unverified=["prompt_hash"],
        include_weak=False,
        comparisons=[_comparison("one [red]", -0.0625, 0.0078125), _comparison("two", 0.0625, 0.0625)],
        sweep=Sweep(
            condition="temperature",
            rows=[
                SweepRow(value="0", run="base", pass_at_k={"1": _estimate(0.5)}),
                SweepRow(value="0.8", run="two", pass_at_k={"1": _estimate(0.5625), "4": _estimate(0.8125)}),
            ],
            best={
                "1": SweepBest(value="0.8", run="two", estimate=_estimate(0.5625), ties=["0"]),
                "4": SweepBest(value="0.8", run="two", estimate=_estimate(0.8125), ties=[]),
            },
        ),
        warnings=["waived: temperature differs: 0.8 (base), 0.2 (one [red])", "a note with \x1b[31mescapes"],
    )


def _show(shown: RenderableType) -> str:
    file = io.StringIO()
    Console(file=file, width=80, no_color=True, legacy_windows=False).print(shown)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def test_compare_document_is_as_published(document: CompareDocument) -> None:
    """The golden file is the contract with those who read documents, and can be read back."""
    body = encode_json(document)
    assert (GOLDEN / "compare.json").read_bytes() == body
    assert document == msgspec.json.decode(body, type=CompareDocument)


def test_compare_report_is_as_published(document: CompareDocument) -> None:
    """At 80 columns."""
    assert (GOLDEN / "compare.txt").read_text("utf-8") == _show(compare_report(document))


def test_waivers_are_in_the_view(document: CompareDocument) -> None:
    """And no line is wider than the terminal."""
    text = _show(compare_report(document))
    assert "! waived: temperature differs" in text
    assert max(map(len, text.splitlines())) <= 80


def test_small_numbers_are_said() -> None:
    """Digits that mean something."""
    assert ["< 0.0001", "0.012", "0.12", "1.00"] == [p_text(p) for p in (1e-9, 0.0123, 0.123, 1.0)]
    assert (
        "none; a drop to 0 would be found in 50 of 100 cases"
        in detectable_text([DetectableRow(model="lost", effect=None, power=0.5)])[0]
    )
