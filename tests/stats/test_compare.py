"""Comparing two runs: golden values, brute force over all permutations, statsmodels as a second opinion."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, ttest_rel
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from codejury.stats.compare import cochran_mantel_haenszel, compare_at_k, mcnemar, sign_flip_test
from codejury.stats.errors import ShortProblemsError, StatisticsError
from codejury.stats.homogeneity import cmh_test
from codejury.stats.paired import Estimator, drop_p, exact_difference, floored, pairing
from codejury.stats.passk import pass_at_k
from codejury.stats.within import variance_within

GOLDEN = (8, [4, 8, 0]), (8, [2, 7, 0])


def _run(n: int | list[int], c: list[int]) -> tuple[Any, Any]:
    return np.broadcast_to(np.array(n), len(c)), np.array(c)


def test_golden_mcnemar() -> None:
    """Discordant counts 7 and 1: 9/128 exactly."""
    assert 9 / 128 == pytest.approx(mcnemar(7, 1), rel=1e-14)
    assert mcnemar(7, 1) == mcnemar(1, 7)
    assert 2 * (1 / 2 + 8 / 2 + 1 / 2) / 256 == pytest.approx(mcnemar(7, 1, mid_p=True), rel=1e-14)


def test_mcnemar_without_flips() -> None:
    """Nothing flipped is no evidence; nor is a tie."""
    assert [1.0, 1.0] == [mcnemar(0, 0), mcnemar(0, 0, mid_p=True)]
    assert [1.0, 1.0] == [mcnemar(5, 5), mcnemar(5, 5, mid_p=True)]
    with pytest.raises(StatisticsError, match="at least 0"):
        mcnemar(-1, 2)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_agrees_with_statsmodels(lost: int, gained: int) -> None:
    """The exact p; the mid-p is that less the chance of what was seen."""
    theirs = float(their_mcnemar([[3, lost], [gained, 4]], exact=True).pvalue)
    assert min(1.0, theirs) == pytest.approx(mcnemar(lost, gained))
    if lost != gained:
        seen = float(binom.pmf(min(lost, gained), lost + gained, 0.5))
        assert theirs - seen == pytest.approx(mcnemar(lost, gained, mid_p=True), abs=1e-12)


def test_golden_cochran_mantel_haenszel() -> None:
    """(8, 4, 8, 2), (8, 8, 8, 7), (8, 0, 8, 0): T = -3/2, Var = 5/4."""
    found = cochran_mantel_haenszel(*GOLDEN[0], *GOLDEN[1])
    assert found.statistic == -1.5
    assert found.variance == pytest.approx(1.25, rel=1e-15)
    assert math.erfc(1.5 / math.sqrt(2.5)) == pytest.approx(found.p, rel=1e-12)


def test_cochran_mantel_haenszel_without_information() -> None:
    """All right or all wrong: p is 1."""
    assert cochran_mantel_haenszel(4, [4, 0], 4, [4, 0]).p == 1.0


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(2, 9), st.integers(2, 9), st.data()), min_size=1, max_size=6))
def test_cochran_mantel_haenszel_agrees_with_statsmodels_and_the_general_one(rows: list[Any]) -> None:
    """Its square over its variance is the chi-square of two runs."""
    counts = [(a, d.draw(st.integers(0, a)), b, d.draw(st.integers(0, b))) for a, b, d in rows]
    n_a, c_a, n_b, c_b = (np.array(column) for column in zip(*counts, strict=True))
    found = cochran_mantel_haenszel(n_a, c_a, n_b, c_b)
    if not found.variance:
        return
    theirs = StratifiedTable([np.array([[y, b - y], [x, a - x]]) for a, x, b, y in counts])
    assert float(theirs.test_null_odds(correction=False).statistic) == pytest.approx(
        found.statistic**2 / found.variance, abs=1e-9
    )
    assert cmh_test([n_a, n_b], [c_a, c_b]).p == pytest.approx(found.p, abs=1e-9)


def test_sign_flips_against_all_of_them() -> None:
    """Of 2^6 sign vectors, the share with a sum as far from 0."""
    d = np.array([0.5, -0.25, 0.125, 0.75, 0.5, 0.25])
    sums = [abs(float(np.dot(signs, d))) for signs in itertools.product((-1, 1), repeat=len(d))]
    exact = sum(s >= abs(d.sum()) - 1e-12 for s in sums) / len(sums)
    assert exact == pytest.approx(sign_flip_test(d, draws=200_000), abs=0.004)
    assert exact / 2 == pytest.approx(sign_flip_test(-d, draws=200_000, alternative="less"), abs=0.004)


def test_sign_flips_count_the_observed_one() -> None:
    """(1 + hits) / (1 + draws): never 0, 1 where nothing differs, the same for the same seed."""
    assert 1 / 100 == sign_flip_test(np.ones(60), draws=99)
    assert sign_flip_test([0.0, 0.0]) == 1.0
    d = np.random.default_rng(3).normal(size=30)
    assert sign_flip_test(d, seed=5) == sign_flip_test(d, seed=5)
    with pytest.raises(StatisticsError, match="one number a problem"):
        sign_flip_test([])
    with pytest.raises(StatisticsError, match="at least one"):
        sign_flip_test([1.0], draws=0)


def test_intervals_by_their_formulas() -> None:
    """Fixed suite: sqrt(sum V_A + V_B) / M; population: the paired t."""
    generator = np.random.default_rng(1)
    n, c_a, c_b = np.full(40, 10), generator.integers(0, 11, 40), generator.integers(0, 11, 40)
    found = compare_at_k((n, c_a), (n, c_b), 2)
    variance = sum(float(variance_within(10, int(c), 2).value) for c in (*c_a, *c_b))
    assert math.sqrt(variance) / 40 == pytest.approx(found.fixed_suite.se, rel=1e-12)
    assert found.fixed_suite.method == "exact"
    theirs = ttest_rel(pass_at_k(n, c_b, 2), pass_at_k(n, c_a, 2)).confidence_interval(0.95)
    assert found.population is not None
    assert (theirs.low, theirs.high) == pytest.approx((found.population.low, found.population.high))
    assert found.b - found.a == pytest.approx(found.value)


def test_clusters_count_once() -> None:
    """Problems that repeat each other give no narrower interval than one of each."""
    one = compare_at_k(_run(4, [4, 1, 2, 3]), _run(4, [2, 2, 2, 1]), 1)
    two = compare_at_k(_run(4, [4, 1, 2, 3] * 2), _run(4, [2, 2, 2, 1] * 2), 1, clusters=["a", "b", "c", "d"] * 2)
    assert one.population is not None
    assert two.population is not None
    assert one.population.se == pytest.approx(two.population.se)
    assert "t, clustered" == two.population.method
    assert one.p_population == two.p_population


def test_one_sample_a_problem() -> None:
    """sqrt(flips) / M, and McNemar's mid-p."""
    found = compare_at_k(_run(1, [1] * 7 + [0] + [1] * 12), _run(1, [0] * 7 + [1] + [1] * 12), 1)
    assert math.sqrt(8) / 20 == pytest.approx(found.fixed_suite.se)
    assert found.fixed_suite.method == "permuted"
    assert mcnemar(7, 1, mid_p=True) == pytest.approx(found.p)
    assert pytest.approx(-0.3) == found.value


def test_nothing_differs_is_no_certainty() -> None:
    """Two equal runs without spread: an interval of the problems as effective n, never of no width."""
    found = compare_at_k(_run(4, [4, 0] * 20), _run(4, [4, 0] * 20), 1)
    assert found.value == 0.0
    assert 1 - 0.025 ** (1 / 40) == pytest.approx(found.fixed_suite.high)
    assert found.population is not None
    assert 1 - 0.025 ** (1 / 40) == pytest.approx(found.population.high)
    assert 1.0 == pytest.approx(found.p)
    assert found.p_population == 1.0


def test_permuted_standard_error_is_that_of_all_labellings() -> None:
    """Over every way to give the samples of each problem to the runs, the difference has this variance."""
    n_a, n_b, passed = np.array([2, 3]), np.array([3, 1]), np.array([2, 3])
    pairs = pairing(n_a, n_b, 1)
    ways = []
    for total, m, first in zip(n_a + n_b, passed, n_a, strict=True):
        samples = [1] * m + [0] * (total - m)
        ways.append([sum(samples[i] for i in chosen) for chosen in itertools.combinations(range(total), first)])
    differences = [
        float(pairs.difference(np.array(c_a), passed - np.array(c_a))) for c_a in itertools.product(*ways)
    ]
    assert float(np.std(differences)) == pytest.approx(
        float(pairs.se_permuted(np.array([1, 2]), np.array([1, 1])))
    )


def test_pass_hat_k() -> None:
    """pass^k is compared by its own estimate and variance."""
    n, c_a, c_b = np.full(3, 8), np.array([8, 6, 0]), np.array([7, 6, 2])
    found = compare_at_k((n, c_a), (n, c_b), 2, estimator=Estimator.PASS_HAT_K)
    exact = exact_difference(pairing(n, n, 2, Estimator.PASS_HAT_K), c_a, c_b)
    assert (Fraction(21, 28) - 1 + Fraction(1, 28)) / 3 == exact
    assert float(exact) == pytest.approx(found.value)


def test_many_draws_are_decided_as_each_alone() -> None:
    """The functions on shape (trials, M) give what they give on each row."""
    generator = np.random.default_rng(2)
    for size, k in ((1, 1), (5, 1), (5, 2)):
        n = np.full(12, size)
        pairs = pairing(n, n, k)
        c_a, c_b = generator.integers(0, size + 1, (2, 50, 12))
        together = drop_p(pairs, c_a, c_b)
        assert [float(drop_p(pairs, a, b)) for a, b in zip(c_a, c_b, strict=True)] == together.tolist()


def test_floor_is_clopper_and_pearson() -> None:
    """A standard error of 0 stands for the bound 1 - alpha^(1/M)."""
    se = float(floored(np.array(0.0), 164, 0.05))
    assert 1 - 0.05 ** (1 / 164) == pytest.approx(1.6448536269514722 * se)
    assert 0.25 == float(floored(np.array(0.25), 164, 0.05))


def test_wrong_input_is_refused() -> None:
    """Shapes, levels, k above n."""
    with pytest.raises(StatisticsError, match="same problems"):
        compare_at_k(_run(2, [1, 2]), _run(2, [1]), 1)
    with pytest.raises(StatisticsError, match="one number a problem"):
        compare_at_k((np.array([2, 2]), np.array([[1], [2]])), _run(2, [1, 1]), 1)
    with pytest.raises(StatisticsError, match="confidence level"):
        compare_at_k(_run(2, [1]), _run(2, [1]), 1, level=1.0)
    with pytest.raises(ShortProblemsError) as short:
        compare_at_k(_run([5, 2], [1, 2]), _run(5, [1, 1]), 3)
    assert (1,) == short.value.indices
