"""Rank agreement, and whether one metric may stand in for another."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from codejury.stats import StatisticsError
from codejury.stats.ranks import Decision, kendall, spearman, stand_in

FEW = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=5)


def test_three_agents_in_the_same_order() -> None:
    """Of the 6 orders of 3 agents 2 are as far from 0: p = 1/3 is the least that there is."""
    for found in (spearman([1.0, 0.9875, 0.79], [3, 2, 1]), kendall([1.0, 0.9875, 0.79], [3, 2, 1])):
        assert ("exact", 3) == (found.method, found.pairs)
        assert pytest.approx(1.0) == found.value
        assert pytest.approx(1 / 3) == found.p


def test_one_swapped_pair_of_three() -> None:
    """Two pairs of three are discordant."""
    assert pytest.approx(-1 / 3) == kendall([1.0, 0.9875, 0.7929], [0.7, 0.8875, 0.7036]).value
    assert pytest.approx(1.0) == kendall([1.0, 0.9875, 0.7929], [0.7, 0.8875, 0.7036]).p


@settings(max_examples=30, deadline=None)
@given(FEW)
def test_exact_p_is_that_of_all_permutations(pairs: list[tuple[int, int]]) -> None:
    """Brute force over all n! orders, ties and all; the values are scipy's."""
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    for ours, theirs in ((spearman, spearmanr), (kendall, kendalltau)):
        found = ours(x, y)
        if len(set(x)) == 1 or len(set(y)) == 1:
            assert (None, None, "") == (found.value, found.p, found.method)
            continue
        values = [theirs(x, order).statistic for order in itertools.permutations(y)]
        assert found.value == pytest.approx(theirs(x, y).statistic)
        expected = np.mean([abs(value) >= abs(theirs(x, y).statistic) - 1e-9 for value in values])
        assert pytest.approx(expected) == found.p
        assert "exact" == found.method


def test_many_pairs_have_the_usual_approximations() -> None:
    """Beyond the exact orders p is scipy's."""
    generator = np.random.default_rng(1)
    x = generator.normal(size=40)
    y = x + generator.normal(size=40)
    for ours, theirs, method in (
        (spearman, spearmanr(x, y), "t"),
        (kendall, kendalltau(x, y, method="asymptotic"), "normal"),
    ):
        found = ours(x, y)
        assert pytest.approx(theirs.statistic) == found.value
        assert pytest.approx(theirs.pvalue) == found.p
        assert method == found.method


def test_ties_keep_many_pairs_exact() -> None:
    """Two ones among 30 have 435 places: two of them are as far from 0 as the highest."""
    x = np.arange(30.0)
    y = np.where(x >= 28, 1.0, 0.0)
    found = spearman(x, y)
    assert "exact" == found.method
    assert pytest.approx(2 / 435) == found.p


def test_a_ceiling_below_the_threshold_is_untestable() -> None:
    """Where all but two of 30 values are tied, even the best proxy has rho 0.432."""
    x = np.arange(30.0)
    y = np.where(x >= 28, 1.0, 0.0)
    found = stand_in(x, y)
    assert pytest.approx(0.43229, abs=1e-5) == found.ceiling == found.rho.value
    assert Decision.UNTESTABLE == found.decision


def test_decisions() -> None:
    """The bounds decide, not the estimate."""
    generator = np.random.default_rng(2)
    x = generator.normal(size=200)
    noise = generator.normal(size=200)
    tasks = np.repeat(np.arange(50), 4).tolist()
    assert Decision.YES == stand_in(x, x + 0.1 * noise, tasks).decision
    assert Decision.NO == stand_in(x, x + 5 * noise, tasks).decision
    assert Decision.UNDECIDED == stand_in(x, x + 0.95 * noise, tasks).decision
    assert Decision.UNDECIDED == stand_in(x, x, ["one task"] * 200).decision
    assert Decision.UNTESTABLE == stand_in(x, np.ones(200)).decision


def test_bounds_hold_rho_and_are_wider_over_tasks() -> None:
    """Pairs of one task that move together carry less than as many independent ones."""
    generator = np.random.default_rng(3)
    x = np.repeat(generator.normal(size=20), 5)
    y = np.repeat(generator.normal(size=20), 5) + x
    alone, clustered = stand_in(x, y), stand_in(x, y, np.repeat(np.arange(20), 5).tolist())
    for found in (alone, clustered):
        assert found.low is not None
        assert found.high is not None
        assert found.rho.value is not None
        assert found.low < found.rho.value < found.high
    assert (clustered.high or 0) - (clustered.low or 0) > (alone.high or 0) - (alone.low or 0)
    uneven = stand_in(x, y, [0, *np.repeat(np.arange(20), 5).tolist()[1:-1], "last"])
    assert uneven.low is not None


def test_wrong_input() -> None:
    """Said, not computed."""
    for x, y in (([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([1.0, float("nan")], [1.0, 2.0])):
        with pytest.raises(StatisticsError):
            spearman(x, y)
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        stand_in([1, 2], [1, 2], level=1.0)
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        stand_in([1, 2], [1, 2], threshold=0.0)
    with pytest.raises(StatisticsError, match="clusters"):
        stand_in([1, 2], [1, 2], ["a"])
