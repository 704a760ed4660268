"""Shares of tests by problem and in one pot: a pilot of five tasks, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.stats import StatisticsError, macro_rate, pooled_rate

# (FAIL_TO_PASS passed, total, PASS_TO_PASS passed, total) of five tasks of SWE-bench; arXiv 2608.14711's pilot
PILOT = ((2, 2, 13, 13), (0, 1, 20, 20), (0, 2, 644, 644), (0, 4, 63, 68), (0, 1, 2, 9))


def test_pilot_of_five_tasks() -> None:
    """One of five is resolved, while four fifths of the tests pass by the mean, and nine tenths pooled."""
    resolved = [int(fixed == broken and kept == whole) for fixed, broken, kept, whole in PILOT]
    passed = [fixed + kept for fixed, _, kept, _ in PILOT]
    total = [broken + whole for _, broken, _, whole in PILOT]
    regressed = [whole - kept for _, _, kept, whole in PILOT]
    assert Fraction(1, 5) == Fraction(macro_rate(resolved, 1)).limit_denominator(1000)
    assert float(Fraction(1091869, 1356600)) == pytest.approx(macro_rate(passed, total), rel=1e-15)
    assert float(Fraction(277, 1800)) == pytest.approx(macro_rate(regressed, total), rel=1e-15)
    assert float(Fraction(744, 764)) == pytest.approx(pooled_rate(passed, total), rel=1e-15)


@given(st.lists(st.integers(1, 50).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1))
def test_exact_means(rows: list[tuple[int, int]]) -> None:
    """Against rationals."""
    parts, wholes = zip(*rows, strict=True)
    exact = sum((Fraction(part, whole) for part, whole in rows), Fraction(0)) / len(rows)
    assert float(exact) == pytest.approx(macro_rate(parts, wholes), rel=1e-13, abs=1e-15)
    pooled = Fraction(sum(parts), sum(wholes))
    assert float(pooled) == pytest.approx(pooled_rate(parts, wholes), rel=1e-13, abs=1e-15)


@pytest.mark.parametrize(
    ("part", "whole", "message"),
    [
        ([], [], "no problems"),
        ([0], [0], "0 of 0 tests at position 0"),
        ([1, 3], [1, 2], "3 of 2 tests at position 1"),
    ],
)
def test_what_is_no_share(part: list[int], whole: list[int], message: str) -> None:
    """Nothing, a problem without tests, more than there are."""
    with pytest.raises(StatisticsError, match=message):
        macro_rate(part, whole)
    with pytest.raises(StatisticsError, match=message):
        pooled_rate(part, whole)
