"""Documents on a terminal of 80 columns without colour: golden texts, and what must never get through."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from codejury.model import Assertions, Problem
from codejury.report.terminal import (
    judge_report,
    printable,
    problem_table,
    sets_check_report,
    sets_strength_report,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from codejury.report import JudgeDocument, SetsCheckDocument, SetsStrengthDocument

GOLDEN = Path(__file__).parent / "golden"


def _show(shown: RenderableType, *, width: int = 80, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    Console(file=file, width=width, no_color=True, legacy_windows=False).print(shown)
    file.flush()
    return "\n".join(line.rstrip() for line in raw.getvalue().decode(encoding).splitlines()) + "\n"


def test_judge_report_is_as_published(judge_document: JudgeDocument) -> None:
    """Figures with their meaning, tally, warnings."""
    assert (GOLDEN / "judge.txt").read_text("utf-8") == _show(judge_report(judge_document))


def test_unfinished_run_is_shown_without_figures(judge_document: JudgeDocument) -> None:
    """How far it is, and its verdicts."""
    document = msgspec.structs.replace(
        judge_document,
        judged=400,
        partial=True,
        pass_at_k={},
        pass_at_k_base={},
        by_difficulty={},
        weak=None,
        warnings=["partial: 400 of 820 samples are judged"],
    )
    text = _show(judge_report(document))
    assert "400 of 820 samples judged" in text
    assert "pass@" not in text
    assert "! partial: 400 of 820" in text


def test_sets_check_is_as_published(sets_check_document: SetsCheckDocument) -> None:
    """References, probes, and what should not be."""
    assert (GOLDEN / "sets-check.txt").read_text("utf-8") == _show(sets_check_report(sets_check_document))


def test_sound_set_says_so(sets_check_document: SetsCheckDocument) -> None:
    """In words."""
    assert "The set is sound." in _show(sets_check_report(msgspec.structs.replace(sets_check_document, ok=True)))


def test_many_failures_are_cut(sets_check_document: SetsCheckDocument) -> None:
    """Ten and how many more."""
    many = msgspec.structs.replace(sets_check_document, failures=sets_check_document.failures * 6)
    assert "and 2 more" in _show(sets_check_report(many))


def test_sets_strength_is_as_published(sets_strength_document: SetsStrengthDocument) -> None:
    """Problems with their scores, what survives, what is wrong."""
    assert (GOLDEN / "sets-strength.txt").read_text("utf-8") == _show(sets_strength_report(sets_strength_document))


def test_last_line_of_sets_strength(sets_strength_document: SetsStrengthDocument) -> None:
    """What decides the exit code, in words."""
    replace, document = msgspec.structs.replace, sets_strength_document
    total = replace(document.total, infra_errors=0)
    for changed, line in (
        (replace(document, below=[]), "The set has errors."),
        (replace(document, below=[], faults=[]), "Not all mutants are judged."),
        (
            replace(document, below=[], faults=[], total=total, min_score=0.875, ok=True),
            "Each problem's score is at least 87.5 %.",
        ),
    ):
        assert line == _show(sets_strength_report(changed)).splitlines()[-1]


def test_problem_table_is_as_published() -> None:
    """Long ids fold, nothing is cut off."""
    tests = Assertions(code=("assert f()",))
    problems = [
        Problem(
            id="starter/0", prompt="", entry_point="merge_sort", tests=tests, difficulty="easy", reference="x"
        ),
        Problem(id="set/" + "long" * 10, prompt="", entry_point="[b]", tests=tests, tags=("graphs", "heaps")),
    ]
    assert (GOLDEN / "problems.txt").read_text("utf-8") == _show(problem_table(problems))


@pytest.mark.parametrize("width", [80, 100, 200])
def test_lines_fit(judge_document: JudgeDocument, width: int) -> None:
    """No line is wider than the terminal, and no figure is cut with an ellipsis."""
    text = _show(judge_report(judge_document), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text


def test_ascii_terminals_get_ascii(judge_document: JudgeDocument) -> None:
    """Bars and lines where the encoding has no others."""
    assert "####" in _show(judge_report(judge_document), encoding="ascii")


@given(st.text(st.characters(exclude_categories=())))
def test_printable_has_no_control_characters(text: str) -> None:
    """Whatever a candidate writes: no escape sequence, no second line, encodable."""
    shown = printable(text)
    assert all(char.isprintable() for char in shown)
    shown.encode()
