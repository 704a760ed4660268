"""Tests of homogeneity: golden values, brute force over all tables with the same margins, and properties."""

from __future__ import annotations

import itertools
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency, hypergeom

from codejury.stats import HomogeneityTest, StatisticsError, cmh_test, scatter_test

# Three problems, two runs.
N = np.array([[10, 10, 5], [10, 8, 7]])
C = np.array([[7, 2, 5], [3, 1, 4]])


def _by_hand(n: Any, c: Any) -> float:
    """Mantel & Haenszel's statistic of two runs, in plain sums."""
    excess = variance = 0.0
    for a, b, passed_a, passed_b in zip(*n.tolist(), *c.tolist(), strict=True):
        total, passed = a + b, passed_a + passed_b
        excess += passed_a - a * passed / total
        variance += a * b * passed * (total - passed) / (total**2 * (total - 1))
    return float(excess**2 / variance)


def _tables(row: list[int], passed: int) -> list[tuple[tuple[int, ...], float]]:
    """All tables of a problem with the same margins, with their probability."""
    every = itertools.product(*(range(size + 1) for size in row))
    chance = comb(sum(row), passed)
    return [
        (cells, prod(comb(size, cell) for size, cell in zip(row, cells, strict=True)) / chance)
        for cells in every
        if sum(cells) == passed
    ]


def test_two_runs_are_mantel_and_haenszel() -> None:
    """Without continuity correction; excess 35/18 + 1/3 + 5/4 by hand."""
    result = cmh_test(N, C)
    assert pytest.approx(_by_hand(N, C)) == result.statistic
    assert (1, 3) == (result.df, result.problems)
    assert pytest.approx(chi2.sf(result.statistic, 1)) == result.p
    assert 7 - 5 + 2 - 30 / 18 + 5 - 45 / 12 == pytest.approx(
        (_by_hand(N, C) * sum(hypergeom(*a).var() for a in ((20, 10, 10), (18, 3, 10), (12, 9, 5)))) ** 0.5
    )


def test_berkeley_admissions() -> None:
    """The published Mantel-Haenszel chi-square of UC Berkeley's six departments: 1.5246 (R: UCBAdmissions)."""
    admitted = np.array([[512, 353, 120, 138, 53, 22], [89, 17, 202, 131, 94, 24]])
    refused = np.array([[313, 207, 205, 279, 138, 351], [19, 8, 391, 244, 299, 317]])
    result = cmh_test(admitted + refused, admitted)
    assert pytest.approx(1.5246, abs=5e-5) == result.statistic
    assert pytest.approx(0.2169, abs=5e-5) == result.p


def test_one_problem_is_pearson_with_fixed_margins() -> None:
    """(N - 1) / N times Pearson's chi-square, for any number of runs, in both tests."""
    n, c = np.array([[9], [12], [20], [4]]), np.array([[3], [10], [11], [0]])
    pearson = chi2_contingency(np.hstack([c, n - c]), correction=False)
    expected = pearson.statistic * 44 / 45
    assert pytest.approx(expected) == cmh_test(n, c).statistic
    assert pytest.approx(expected) == scatter_test(n, c, draws=10).statistic
    assert 3 == cmh_test(n, c).df == scatter_test(n, c, draws=10).df


def test_moments_are_those_of_all_tables() -> None:
    """Over all tables with the same margins, by their probabilities, both statistics have mean df."""
    n = np.array([[2, 3], [3, 1], [2, 2]])
    passed = (3, 4)
    mean_cmh = mean_scatter = total = 0.0
    for (one, chance_one), (two, chance_two) in itertools.product(
        *(_tables(n[:, p].tolist(), passed[p]) for p in (0, 1))
    ):
        c = np.array([one, two]).T
        chance = chance_one * chance_two
        total += chance
        mean_cmh += chance * cmh_test(n, c).statistic
        mean_scatter += chance * scatter_test(n, c, draws=1).statistic
    assert pytest.approx(1.0) == total
    assert pytest.approx(2.0) == mean_cmh
    assert pytest.approx(4.0) == mean_scatter


@pytest.mark.parametrize("c", [[[3, 0, 2], [0, 3, 2]], [[2, 1, 1], [2, 2, 3]], [[0, 0, 1], [4, 3, 4]]])
def test_p_of_the_scatter_is_that_of_all_tables(c: list[list[int]]) -> None:
    """The exact p, of all tables, within four standard errors of the random ones."""
    n, counts = np.array([[4, 3, 4], [4, 4, 4]]), np.array(c)
    observed = scatter_test(n, counts).statistic
    exact = 0.0
    for tables in itertools.product(*(_tables(n[:, p].tolist(), int(counts[:, p].sum())) for p in range(3))):
        drawn = np.array([cells for cells, _ in tables]).T
        if scatter_test(n, drawn, draws=1).statistic > observed - 1e-9:
            exact += prod(chance for _, chance in tables)
    found = scatter_test(n, counts).p
    assert abs(found - exact) < 4 * (exact * (1 - exact) / 9_999) ** 0.5 + 2e-4
    assert found == scatter_test(n, counts).p


def test_opposite_differences_show_in_the_scatter_alone() -> None:
    """One run wins on half of the problems, the other on the rest."""
    n = np.full((2, 10), 10)
    c = np.array([[9] * 5 + [1] * 5, [1] * 5 + [9] * 5])
    assert pytest.approx(1.0) == cmh_test(n, c).p
    assert 1e-3 > scatter_test(n, c).p


def test_same_excess_everywhere_shows_in_the_first() -> None:
    """A small difference on each of many problems adds up: the scatter alone would miss it."""
    n = np.full((2, 60), 5)
    c = np.array([[3] * 60, [2] * 60])
    assert 1e-3 > cmh_test(n, c).p
    assert 0.5 < scatter_test(n, c).p


def test_false_alarms_are_as_many_as_said() -> None:
    """Of runs that are alike, about 5 % are told apart at p < 0.05, with few samples a problem too."""
    generator = np.random.default_rng(5)
    chances = generator.beta(0.5, 0.5, size=40)
    n = np.full((3, 40), 3)
    results = [
        (cmh_test(n, c).p, scatter_test(n, c, draws=199).p)
        for c in (generator.binomial(n, chances) for _ in range(400))
    ]
    alarms = (np.array(results) <= 0.05).mean(axis=0)
    assert (np.abs(alarms - 0.05) < 4 * (0.05 * 0.95 / 400) ** 0.5).all()


@pytest.mark.parametrize("test", [cmh_test, scatter_test])
def test_nothing_to_tell(test: Any) -> None:
    """All correct, none correct, or one run alone: p is 1."""
    nothing = HomogeneityTest(0.0, 0, 1.0, 0)
    assert nothing == test([[3, 3, 3], [3, 3, 0]], [[3, 0, 1], [3, 0, 0]])
    assert nothing == test([[1, 0], [0, 1]], [[1, 0], [0, 0]])


def test_runs_without_common_problems_have_fewer_degrees_of_freedom() -> None:
    """Two pairs of runs that share nothing: one contrast in each."""
    n = np.array([[5, 0], [5, 0], [0, 5], [0, 5]])
    c = np.array([[4, 0], [1, 0], [0, 2], [0, 3]])
    result = cmh_test(n, c)
    assert 2 == result.df
    assert pytest.approx(_by_hand(n[:2, :1], c[:2, :1]) + _by_hand(n[2:, 1:], c[2:, 1:])) == result.statistic


@given(st.data())
def test_order_and_labels_do_not_matter(data: st.DataObject) -> None:
    """Runs and problems in another order, and wrong for right, give the same; all is finite, p in [0, 1]."""
    runs, problems = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 5))
    n = np.array(
        data.draw(
            st.lists(
                st.lists(st.integers(0, 6), min_size=problems, max_size=problems), min_size=runs, max_size=runs
            )
        )
    )
    c = np.array([[data.draw(st.integers(0, size)) for size in row] for row in n.tolist()])
    rows, columns = data.draw(st.permutations(range(runs))), data.draw(st.permutations(range(problems)))
    for test in (cmh_test, lambda n, c: scatter_test(n, c, draws=5)):
        result = test(n, c)
        again = test(n[rows][:, columns], (n - c)[rows][:, columns])
        assert pytest.approx(result.statistic, abs=1e-9) == again.statistic
        assert (result.df, result.problems) == (again.df, again.problems)
        assert np.isfinite(result.statistic)
        assert 0 <= result.p <= 1


@pytest.mark.parametrize(
    ("n", "c", "message"),
    [
        ([1, 2], [1, 1], "one row a run"),
        ([[1, 2]], [[1, 2]], "give two runs"),
        ([[], []], [[], []], "give two runs"),
        ([[1], [2]], [[1, 1], [1, 1]], "shapes"),
        ([[1.0], [2.0]], [[1], [1]], "float64"),
        ([[1], [2]], [[2], [1]], "0 to the number of samples"),
        ([[1], [2]], [[-1], [1]], "0 to the number of samples"),
    ],
)
def test_wrong_counts_are_refused(n: Any, c: Any, message: str) -> None:
    """As by the other estimators."""
    for test in (cmh_test, scatter_test):
        with pytest.raises(StatisticsError, match=message):
            test(n, c)
    with pytest.raises(StatisticsError, match="at least one table"):
        scatter_test([[1], [1]], [[1], [0]], draws=0)
