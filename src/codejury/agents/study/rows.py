"""Rows of the study's tables, from estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codejury.report.study import StudyRow

if TYPE_CHECKING:
    from codejury import stats


def row(
    figure: str,
    subject: str,
    *,
    printed: str | None = None,
    published: float | None = None,
    corrected: float | None = None,
    estimate: stats.Estimate | None = None,
    reason: str = "",
) -> StudyRow:
    """A row; an estimate gives `corrected` with its bounds for other tasks of this kind."""
    bounds = None if estimate is None else estimate.population
    return StudyRow(
        figure=figure,
        subject=subject,
        printed=printed,
        published=published,
        corrected=corrected if estimate is None else estimate.value,
        low=None if bounds is None else bounds.low,
        high=None if bounds is None else bounds.high,
        reason=reason,
    )


def agrees(one: StudyRow) -> bool:
    """Whether what is computed is what the paper prints, to every printed digit."""
    if one.printed is None or one.published is None:
        return False
    digits = len(one.printed.partition(".")[2])
    return f"{one.published:.{digits}f}" == one.printed
