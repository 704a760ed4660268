"""The document of `explain passk`, its view and its picture."""

from __future__ import annotations

import io
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import msgspec
import pytest
from rich.console import Console

from codejury.report import (
    AbilityRow,
    CountsRow,
    ExplainPasskDocument,
    FormRow,
    MisuseRow,
    encode_json,
)
from codejury.report.explain_svg import passk_svg
from codejury.report.explain_view import FORM_NAMES, Picture, passk_report

if TYPE_CHECKING:
    from rich.console import RenderableType

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"


def _row(mean: float, bias: float, variance: float, off: float = 0.001) -> FormRow:
    return FormRow(
        mean=mean,
        bias=bias,
        variance=variance,
        simulated_mean=mean + off,
        simulated_bias=bias + off,
        simulated_variance=variance * 1.0625,
        error=0.0015,
    )


def _forms(truth: float) -> dict[str, FormRow]:
    spread = truth * (1 - truth)
    return {
        "first_k": _row(truth, 0.0, spread),
        "with_replacement": _row(truth - spread / 4, -spread / 4, spread / 8),
        "pass_at_k": _row(truth, -0.0, spread / 4),
    }


DOCUMENT = ExplainPasskDocument(
    n=20,
    k=10,
    run="mine [b]x[/b]",
    abilities="the rates of mine [b]x[/b]",
    problems=3,
    trials=10_000,
    seed=7,
    counts=[
        CountsRow(n=20, c=0, first_k=0.0, with_replacement=0.0, pass_at_k=0.0),
        CountsRow(n=20, c=1, first_k=0.5, with_replacement=0.40125, pass_at_k=0.5),
        CountsRow(n=20, c=20, first_k=1.0, with_replacement=1.0, pass_at_k=1.0),
    ],
    run_means={"first_k": 0.5, "with_replacement": 0.4375, "pass_at_k": 0.5},
    truth=0.75,
    over_abilities=_forms(0.75),
    by_ability=[AbilityRow(p=place / 40, truth=place / 30, forms=_forms(place / 30)) for place in range(1, 30)],
    misuses=[
        MisuseRow(name="tests", example="one", figure=0.976, honest=0.0, instead="pass@1"),
        MisuseRow(name="tests", example="two", figure=1.0, honest=0.0, instead="pass@1"),
        MisuseRow(name="chain", example="three", figure=1.0, honest=None, instead="nothing"),
    ],
    warnings=["a warning"],
)


def _shown(what: RenderableType, width: int = 80, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    Console(file=file, width=width, legacy_windows=False, highlight=False, markup=False).print(what)
    return raw.getvalue().decode(encoding)


def test_document_is_as_published() -> None:
    """The golden file is the contract; it can be read back."""
    body = encode_json(DOCUMENT)
    assert (GOLDEN / "explain-passk.json").read_bytes() == body
    assert DOCUMENT == msgspec.json.decode(body, type=ExplainPasskDocument)


def test_view_is_as_published() -> None:
    """At 80 columns, without colour; nothing is cut off."""
    text = "".join(f"{line.rstrip()}\n" for line in _shown(passk_report(DOCUMENT)).splitlines())
    assert (GOLDEN / "explain-passk.txt").read_text(encoding="utf-8") == text
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


def test_picture_tells_the_values() -> None:
    """The height of a column is its value over the largest of all forms, in eighths of four lines."""
    lines = _shown(Picture(DOCUMENT)).splitlines()
    blocks = " ▁▂▃▄▅▆▇█"
    for place, form in enumerate(FORM_NAMES):
        chart = lines[2 + 6 * place : 6 + 6 * place]
        for start, of in ((9, _too_low), (48, _spread)):
            top = max(of(row.forms[name]) for row in DOCUMENT.by_ability for name in FORM_NAMES)
            for column, row in enumerate(DOCUMENT.by_ability):
                cells = [line[start + column : start + column + 1] or " " for line in chart]
                assert round(32 * of(row.forms[form]) / top) == sum(map(blocks.index, cells))


def _too_low(row: FormRow) -> float:
    return max(0.0, -row.bias)


def _spread(row: FormRow) -> float:
    return math.sqrt(row.variance)


def test_picture_in_ascii() -> None:
    """Where the terminal has no more."""
    text = _shown(Picture(DOCUMENT), encoding="ascii")
    assert text.isascii()
    assert "#" in text


def test_svg() -> None:
    """Well-formed and self-contained; title, axes, labels, a line and marks of each form, all within the frame."""
    text = passk_svg(DOCUMENT)
    root = ET.fromstring(text)  # noqa: S314 - our own text
    assert ["0", "0", "760", "400"] == root.attrib["viewBox"].split()
    said = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert "Three forms of pass@10 from n = 20 samples" == root.findtext(f"{SVG}title")
    for label in (*FORM_NAMES.values(), "bias, points", "standard deviation, points", "true pass@k of a problem"):
        assert label in said
    assert any("10000 trials of each ability, seed 7" in text for text in said)
    assert "prefers-color-scheme: dark" in text
    assert not re.search(r"href|url\(|<script|@import", text)
    classes = [element.attrib.get("class", "") for element in root.iter()]
    for form in FORM_NAMES:
        assert 3 == classes.count(f"line {form}")  # two panels and the legend
        assert 21 == classes.count(f"mark {form}")
    for element in root.iter():
        for name, end in (("x", 760), ("cx", 760), ("y", 400), ("cy", 400)):
            assert 0 <= float(element.attrib.get(name, 0)) <= end


def test_svg_puts_points_where_they_belong() -> None:
    """The line of the OR's standard deviation: 50 points in the middle, by the ticks of 0 and 20."""
    root = ET.fromstring(passk_svg(DOCUMENT))  # noqa: S314 - our own text
    lines = [element for element in root.iter(f"{SVG}path") if element.attrib.get("class") == "line first_k"]
    points = [tuple(map(float, point.split())) for point in lines[1].attrib["d"].removeprefix("M").split("L")]
    right = [element for element in root.iter(f"{SVG}text") if float(element.attrib["x"]) > 400]
    ticks = {element.text: float(element.attrib["y"]) - 4 for element in right}
    fifty = ticks["0"] + 2.5 * (ticks["20"] - ticks["0"])
    assert (430 + 300 * 0.5, fifty) == pytest.approx(points[14], abs=0.3)
    assert 29 == len(points)


def test_svg_without_bias() -> None:
    """An axis of nothing but rounding has ticks all the same."""
    flat = {form: _row(0.5, 0.0, 0.0, 0.0) for form in FORM_NAMES}
    rows = [msgspec.structs.replace(row, forms=flat) for row in DOCUMENT.by_ability]
    ET.fromstring(passk_svg(msgspec.structs.replace(DOCUMENT, by_ability=rows)))  # noqa: S314 - our own
