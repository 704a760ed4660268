"""The document of the study, its view and its figures."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from codejury.report import encode_json
from codejury.report.study import Experiment, ProxyPair, StudyDocument, StudyRow, ThresholdRow
from codejury.report.study_svg import study_figures
from codejury.report.study_view import study_report

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"


def _experiment(name: str, *rows: StudyRow) -> Experiment:
    return Experiment(
        id=name,
        title=f"Title of {name}",
        hypothesis="" if name == "E0" else name.replace("E", "H"),
        claim="a claim",
        published_says="confirmed",
        corrected_says="not so",
        rows=list(rows),
    )


def _row(figure: str, subject: str, published: float | None, corrected: float | None, **more: float) -> StudyRow:
    return StudyRow(
        figure=figure,
        subject=subject,
        printed=None if published is None else f"{published:.3f}",
        published=published,
        corrected=corrected,
        reason=f"why {figure} of {subject} [b]" if figure == "told apart" else f"why {figure}",
        low=more.get("low"),
        high=more.get("high"),
    )


DOCUMENT = StudyDocument(
    paper="arXiv 2608.14711",
    k=5,
    level=0.95,
    recorded="figures",
    experiments=[
        _experiment(
            "E0", _row("pass@1", "a & b", 0.625, 0.0, low=0.0, high=0.25), _row("pass@5", "a & b", 0.875, None)
        ),
        _experiment("E1", _row("pass@5", "A, 4 of 10 tests", 0.96875, None)),
        _experiment("E2", _row("test-count pass@5", "a & b", 0.9375, 0.125, low=0.0, high=0.3125)),
        _experiment(
            "E3",
            _row("Spearman's rho", "2 pairs", 0.4375, 0.3125),
            _row("p of rho = 0", "2 pairs", 0.03125, 0.125),
            _row("largest rho that could be", "1 of 2 pairs", None, 0.5),
        ),
        _experiment("E4", _row("told apart", "one", 1.0, 0.75), _row("told apart", "two", 1.0, 0.5)),
    ],
    pairs=[
        ProxyPair(task=0, agent="a & b", published_proxy=0.5, proxy=0.25, reliability=0.625),
        ProxyPair(task=1, agent="a & b", published_proxy=0.5, proxy=0.75, reliability=0.0),
    ],
    thresholds=[
        ThresholdRow(threshold=0.75, withdrawn=0, reliability={"a & b": 1.0}, tau=1.0, p=0.5),
        ThresholdRow(threshold=1.0, withdrawn=3, reliability={"a & b": 0.5}, tau=None, p=None),
    ],
    printed=8,
    reproduced=8,
)


def _shown(document: StudyDocument) -> str:
    stream = io.StringIO()
    Console(file=stream, width=80, markup=False, highlight=False).print(study_report(document))
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def test_document_is_as_published() -> None:
    """The golden file is the contract with those who read documents, and can be read back."""
    assert (GOLDEN / "study-beyond-passk.json").read_bytes() == encode_json(DOCUMENT)
    assert DOCUMENT == msgspec.json.decode(encode_json(DOCUMENT), type=StudyDocument)


def test_view_at_80_columns() -> None:
    """Each reason once; no line is longer than the terminal."""
    text = _shown(DOCUMENT)
    assert (GOLDEN / "study-beyond-passk.txt").read_text(encoding="utf-8") == text
    assert 80 >= max(map(len, text.splitlines()))


@pytest.mark.parametrize("name", ["baseline.svg", "suite-size.svg", "inflation.svg", "proxy.svg"])
def test_figures_can_be_read_without_being_seen(name: str) -> None:
    """Well-formed, with a title and a description that hold the figures, no scripts and nothing from elsewhere."""
    figures = study_figures(DOCUMENT)
    assert 4 == len(figures)
    root = ET.fromstring(figures[name])  # noqa: S314 - our own text
    assert "img" == root.get("role")
    labels = {part.get("id"): part.text or "" for part in root if part.get("id")}
    assert (root.get("aria-labelledby") or "").split() == list(labels)
    assert labels["title"].startswith("Experiment ")
    said = {"baseline.svg": "0.875, 0.625, 0.000", "suite-size.svg": "0.9688", "inflation.svg": "0.938 and 0.125"}
    assert said.get(name, "2 points by agent") in labels["description"]
    assert {f"{SVG}{tag}" for tag in ("title", "desc", "style", "rect", "path", "text", "circle")} >= {
        part.tag for part in root
    }
    assert "prefers-color-scheme: dark" in figures[name]


def test_bars_and_points_are_where_their_values_are() -> None:
    """A bar's height and a point's place are proportional to the value, on a scale of 240 units."""
    figures = study_figures(DOCUMENT)
    root = ET.fromstring(figures["inflation.svg"])  # noqa: S314 - our own text
    bars = [part for part in root if (part.get("class") or "").startswith("bar")]
    assert [0.9375 * 240, 0.125 * 240] == [pytest.approx(float(bar.get("height") or 0)) for bar in bars[:2]]
    marks = [part for part in ET.fromstring(figures["proxy.svg"]) if part.get("class") == "s0"]  # noqa: S314
    places = [(part.get("d") or "").removeprefix("M").split("h")[0].split() for part in marks[:2]]
    assert [["215.0", "164.0"], ["535.0", "314.0"]] == places
