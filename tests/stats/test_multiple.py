"""Adjusted p: golden values, statsmodels as a second opinion, properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from codejury.stats.errors import StatisticsError
from codejury.stats.multiple import benjamini_hochberg, holm

PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_holm_by_hand() -> None:
    """Steps of 4, 3, 2, 1 that never go down."""
    assert [0.03, 0.06, 0.06, 0.02] == pytest.approx(holm([0.01, 0.04, 0.03, 0.005]).tolist())
    assert [1.0, 1.0] == holm([0.6, 0.7]).tolist()
    assert [] == holm([]).tolist()


def test_benjamini_hochberg_by_hand() -> None:
    """The same p, by m / rank."""
    assert [0.02, 0.04, 0.04, 0.02] == pytest.approx(benjamini_hochberg([0.01, 0.04, 0.03, 0.005]).tolist())
    assert [] == benjamini_hochberg([]).tolist()


@pytest.mark.slow
@given(PROBABILITIES)
def test_both_agree_with_statsmodels(p: list[float]) -> None:
    """To rounding."""
    assert multipletests(p, method="holm")[1].tolist() == pytest.approx(holm(p).tolist())
    assert multipletests(p, method="fdr_bh")[1].tolist() == pytest.approx(benjamini_hochberg(p).tolist())


@given(PROBABILITIES)
def test_holm_is_the_stricter_one(p: list[float]) -> None:
    """Raw <= BH <= Holm <= 1, in the order of the input."""
    strict, mild = holm(p), benjamini_hochberg(p)
    assert (strict <= 1).all()
    assert (mild <= strict + 1e-12).all()
    assert (np.asarray(p) <= mild + 1e-12).all()


def test_what_is_no_probability_is_refused() -> None:
    """Outside [0, 1], not a number, or a table."""
    for wrong in ([0.5, 1.5], [-0.1], [float("nan")]):
        with pytest.raises(StatisticsError, match="no probability"):
            holm(wrong)
    with pytest.raises(StatisticsError, match="one dimension"):
        benjamini_hochberg([[0.1]])
