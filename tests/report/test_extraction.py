"""The document of samples under several extractors, and its view."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
from rich.console import Console

from codejury.report import Estimate, Interval, ProblemSetRef, encode_json
from codejury.report.extraction import ExtractionDocument, ExtractionRow, extraction_report

GOLDEN = Path(__file__).parent / "golden"


def _row(extractor: str, value: float, **changes: object) -> ExtractionRow:
    interval = Interval(se=0.03, low=value - 0.0625, high=value + 0.0625, method="t")
    fields = {
        "extractor": extractor,
        "run": f"mine.{extractor.partition(' ')[0]}",
        "pass_at_k": {"1": Estimate(value=value, fixed_suite=None, population=interval)},
        "differing": 0,
        "empty": 0,
        "rules": {"fence": 164},
        "flags": {},
    }
    return ExtractionRow(**(fields | changes))  # type: ignore[arg-type]


DOCUMENT = ExtractionDocument(
    problem_set=ProblemSetRef(name="humaneval", version="1-0", hash="ab"),
    samples=164,
    level=0.95,
    rows=[
        _row("auto 1", 0.75, flags={"cut-off": 3, "thinking": 160, "trimmed": 41}),
        _row("last-fence 1", 0.5, differing=57, empty=2),
        _row("first-fence [b]1[/b]", 0.25, pass_at_k={}, differing=60),
    ],
    warnings=["answers: 3 cut off within their code (extractor auto 1)"],
)


def test_document_is_as_published() -> None:
    """The golden file is the contract; it can be read back."""
    encoded = encode_json(DOCUMENT)
    assert (GOLDEN / "extraction.json").read_bytes() == encoded
    assert DOCUMENT == msgspec.json.decode(encoded, type=ExtractionDocument)


def test_view_is_as_published() -> None:
    """It fits in 80 columns, and names stand as they are."""
    shown = io.StringIO()
    Console(file=shown, width=80, highlight=False, markup=False).print(extraction_report(DOCUMENT))
    lines = [line.rstrip() for line in shown.getvalue().splitlines()]
    assert (GOLDEN / "extraction.txt").read_text(encoding="utf-8").splitlines() == lines
