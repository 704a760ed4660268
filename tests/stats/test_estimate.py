"""Estimates of a run: golden values, both standard errors, degenerate runs, coverage."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.stats import (
    Estimate,
    Interval,
    ShortProblemsError,
    StatisticsError,
    estimate_pass_at_k,
    estimate_pass_hat_k,
    pass_at_k,
    variance_within,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable


def _interval(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


def test_golden_ten_tasks() -> None:
    """Two tasks of ten with one success in eight: pass@5 = 1/8, pass@1 = 1/40, pass^5 = 0."""
    c = [0, 0, 1, 0, 0, 0, 0, 0, 1, 0]
    assert estimate_pass_at_k(8, c, 5).value == pytest.approx(1 / 8, rel=1e-15)
    assert estimate_pass_at_k(8, c, 1).value == pytest.approx(1 / 40, rel=1e-15)
    assert estimate_pass_hat_k(8, c, 5).value == 0.0


def test_golden_mean() -> None:
    """The mean pass@1 of (200, 150), (200, 45), (200, 3)."""
    assert estimate_pass_at_k([200, 200, 200], [150, 45, 3], 1).value == pytest.approx(33 / 100, rel=1e-15)


def test_problems_have_equal_weight() -> None:
    """Unequal n: the mean over problems, not over samples."""
    assert estimate_pass_at_k([2, 100], [2, 0], 1).value == 0.5


def test_fixed_suite_interval() -> None:
    """sqrt(sum V) / M with the normal quantile."""
    n, c = np.array([10, 12, 20] * 20), np.array([3, 9, 10] * 20)
    interval = _interval(estimate_pass_at_k(n, c, 2).fixed_suite)
    se = math.sqrt(sum(float(variance_within(int(a), int(b), 2).value) for a, b in zip(n, c, strict=True))) / 60
    value = float(pass_at_k(n, c, 2).mean())
    assert interval.method == "exact"
    assert se == pytest.approx(interval.se, rel=1e-12)
    assert (value - 1.959963985 * se, value + 1.959963985 * se) == pytest.approx((interval.low, interval.high))


def test_population_interval() -> None:
    """The sample's standard deviation over sqrt(M), with t."""
    c = np.array([0, 2, 5, 7, 10] * 10)
    estimate = estimate_pass_at_k(10, c, 1)
    interval = _interval(estimate.population)
    se = float(np.std(c / 10, ddof=1)) / math.sqrt(50)
    assert interval.method == "t"
    assert se == pytest.approx(interval.se, rel=1e-12)
    # the quantile of t with 49 degrees of freedom
    assert 2.009575 * se == pytest.approx(interval.high - estimate.value, rel=1e-6)
    assert estimate.warnings == ()


def test_clustered_interval() -> None:
    """Miller's formula, by hand: three clusters whose deviations sum to 0.4, 0 and -0.4."""
    estimate = estimate_pass_at_k(10, [7, 7, 3, 7, 3, 3], 1, clusters=["a", "a", "b", "b", "c", "c"])
    interval = _interval(estimate.population)
    assert interval.method == "t, clustered"
    assert math.sqrt(3 / 2 * (0.4**2 + 0.4**2)) / 6 == pytest.approx(interval.se, rel=1e-12)
    # the quantile of t with 2 degrees of freedom
    half = 4.302653 * 0.1154700538
    assert half == pytest.approx(interval.high - 0.5, rel=1e-6)


def test_one_cluster_a_problem() -> None:
    """Clusters of one problem give the interval without clusters; None marks a problem with no company."""
    c = [1, 4, 6, 9]
    plain = _interval(estimate_pass_at_k(10, c, 1).population)
    for clusters in ([1, 2, 3, 4], [None] * 4, ["a", None, "b", None]):
        interval = _interval(estimate_pass_at_k(10, c, 1, clusters=clusters).population)
        assert plain.se == interval.se
        assert (plain.low, plain.high) == (interval.low, interval.high)


def test_clusters_widen() -> None:
    """Problems of one source that stand and fall together are worth less than their number."""
    c = [10, 10, 10, 0, 0, 0, 10, 10, 10, 0, 0, 0]
    plain = _interval(estimate_pass_at_k(10, c, 1).population)
    clustered = _interval(estimate_pass_at_k(10, c, 1, clusters=np.repeat([0, 1, 2, 3], 3)).population)
    assert plain.se is not None
    assert clustered.se is not None
    assert clustered.se > 1.5 * plain.se


def test_plug_in_is_labelled() -> None:
    """One problem below n = 2k makes the label weaker, and the warning counts it."""
    estimate = estimate_pass_at_k([20] * 30 + [12], [10] * 30 + [6], 10)
    assert _interval(estimate.fixed_suite).method == "plug-in"
    assert any("1 of 31 problems have n < 2k" in warning for warning in estimate.warnings)


def test_all_of_164_with_one_sample() -> None:
    """164 of 164: bound 0.977 for other problems; of a rerun one sample per problem tells nothing."""
    estimate = estimate_pass_at_k(1, [1] * 164, 1)
    population = _interval(estimate.population)
    assert estimate.value == 1.0
    assert (population.se, population.method, population.high) == (None, "wilson", 1.0)
    assert round(population.low, 3) == 0.977
    assert estimate.fixed_suite is None
    assert any("164 of 164 problems have one sample" in warning for warning in estimate.warnings)


@pytest.mark.parametrize("c", [0, 5, 10])
def test_zero_spread_is_never_plus_minus_zero(c: int) -> None:
    """Equal problems: the interval between problems is binomial, of width above 0, without a standard error."""
    estimate = estimate_pass_at_k(10, [c] * 7, 1)
    population = _interval(estimate.population)
    assert population.se is None
    assert population.method in ("wilson", "clopper-pearson")
    assert population.low <= estimate.value <= population.high
    assert population.high - population.low > 0.3
    fixed_suite = _interval(estimate.fixed_suite)
    assert (fixed_suite.se is None) == (c != 5)
    assert fixed_suite.high > fixed_suite.low


def test_zero_spread_up_to_rounding() -> None:
    """The same share from different counts is no spread either."""
    n = np.array([3, 6, 9, 12, 15, 18, 21])
    assert _interval(estimate_pass_at_k(n, n // 3, 1).population).se is None


def test_clusters_that_cancel() -> None:
    """Clusters with equal means have no spread, though their problems do."""
    population = _interval(estimate_pass_at_k(10, [2, 8, 2, 8, 2, 8], 1, clusters=list("aabbcc")).population)
    assert (population.se, population.method) == (None, "clopper-pearson")


def test_all_or_nothing_problems() -> None:
    """No spread within any problem, some between them: binomial for a rerun, t for other problems."""
    estimate = estimate_pass_at_k(10, [0, 10] * 20, 1)
    assert _interval(estimate.fixed_suite).se is None
    assert _interval(estimate.population).method == "t"
    assert any(warning.startswith("fixed suite: no spread") for warning in estimate.warnings)


def test_one_problem() -> None:
    """One problem has a spread of its own, and tells nothing of others; the reason is given."""
    estimate = estimate_pass_at_k(10, 7, 1)
    assert estimate.value == 0.7
    assert _interval(estimate.fixed_suite).se == pytest.approx(math.sqrt(0.21 / 9))
    assert estimate.population is None
    assert any("one problem tells nothing" in warning for warning in estimate.warnings)


def test_one_cluster() -> None:
    """Nor does one source tell of others."""
    estimate = estimate_pass_at_k(10, [1, 5], 1, clusters=["a", "a"])
    assert estimate.population is None
    assert any("one cluster tells nothing" in warning for warning in estimate.warnings)


@pytest.mark.parametrize(("c", "low"), [([1] * 40, True), ([9] * 40, True), ([1, 4] * 40, False)])
def test_low_coverage_warning(c: list[int], low: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Warned of when problems * min(p, 1 - p) is below 10."""
    warnings = estimate_pass_at_k(10, c, 1).warnings
    assert low == any("coverage is known to be low" in warning for warning in warnings)


@pytest.mark.parametrize("estimate", [estimate_pass_at_k, estimate_pass_hat_k])
def test_wrong_input(estimate: Callable[..., Estimate]) -> None:
    """No problems, short problems and wrong settings are errors, never a number."""
    cases: list[tuple[Any, Any, Any, dict[str, Any], str]] = [
        ([], [], 1, {}, "no problems"),
        (5, [], 1, {}, "no problems"),
        (5, [1], [1, 2], {}, "k must be one integer"),
        ([[5, 5]], [[1, 2]], 1, {}, "one number per problem"),
        (5, [1, 2], 1, {"clusters": ["a"]}, "1 clusters for 2 problems"),
        (5, [1, 2], 1, {"level": 1.0}, "level = 1.0"),
        (5, [1, 2], 1, {"level": 95}, "level = 95"),
        (5, [1, 2], 1, {"level": math.nan}, "level = nan"),
    ]
    for n, c, k, options, message in cases:
        with pytest.raises(StatisticsError, match=message):
            estimate(n, c, k, **options)
    with pytest.raises(ShortProblemsError) as caught:
        estimate(5, [1, 2], 6)
    assert caught.value.indices == (0, 1)


@given(
    st.lists(
        st.integers(2, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), min_size=1, max_size=30
    ),
    st.sampled_from([1, 2]),
    st.sampled_from([0.5, 0.95, 0.999]),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_any_run(pairs: list[tuple[int, int]], k: int, level: float, rng: random.Random) -> None:
    """Intervals hold the value, stay in [0, 1], have a width, widen with the level, and ignore the order."""
    n, c = zip(*pairs, strict=True)
    estimate = estimate_pass_at_k(n, c, k, level=level)
    wider = estimate_pass_at_k(n, c, k, level=0.9999)
    for interval, wide in ((estimate.fixed_suite, wider.fixed_suite), (estimate.population, wider.population)):
        if interval is None:
            continue
        assert 0 <= interval.low <= estimate.value <= interval.high <= 1
        assert interval.low < interval.high
        assert _interval(wide).high - _interval(wide).low >= interval.high - interval.low
    shuffled = pairs.copy()
    rng.shuffle(shuffled)
    n, c = zip(*shuffled, strict=True)
    again = estimate_pass_at_k(n, c, k, level=level)
    assert estimate.value == pytest.approx(again.value, rel=1e-14)
    assert (estimate.population is None) == (again.population is None)
    if estimate.population and again.population:
        assert estimate.population.low == pytest.approx(again.population.low, abs=1e-12)


@given(st.lists(st.integers(0, 12), min_size=2, max_size=30), st.integers(1, 12))
@settings(deadline=None)
def test_pass_hat_k_mirrors_pass_at_k(correct: list[int], k: int) -> None:
    """pass^k of c is 1 - pass@k of n - c, with the same standard errors and mirrored bounds."""
    hat = estimate_pass_hat_k(12, correct, k)
    at = estimate_pass_at_k(12, [12 - c for c in correct], k)
    assert 1 - at.value == pytest.approx(hat.value, abs=1e-14)
    for ours, mirror in ((hat.fixed_suite, at.fixed_suite), (hat.population, at.population)):
        assert (1 - _interval(mirror).high, 1 - _interval(mirror).low) == pytest.approx(
            (_interval(ours).low, _interval(ours).high), abs=1e-9
        )


def test_serialised() -> None:
    """An estimate is written as the documents show it, and read back."""
    estimate = estimate_pass_at_k(10, [3, 5, 5, 9], 1)
    document = msgspec.json.encode(estimate)
    assert estimate == msgspec.json.decode(document, type=Estimate)
    assert list(msgspec.json.decode(document)["fixed_suite"]) == ["se", "low", "high", "method"]


def test_coverage() -> None:
    """In seeded runs of 60 problems with abilities Beta(0.5, 0.5) both 95 % intervals hold their truth.

    900 runs: 0.93 is 2.7 standard errors below 0.95.
    """
    rng = np.random.default_rng(11)
    abilities = rng.beta(0.5, 0.5, 60)
    held_fixed = held_population = 0
    for _ in range(900):
        fixed = _interval(estimate_pass_at_k(8, rng.binomial(8, abilities), 2).fixed_suite)
        held_fixed += fixed.low <= float(np.mean(1 - (1 - abilities) ** 2)) <= fixed.high
        drawn = rng.binomial(2, rng.beta(0.5, 0.5, 60))
        population = _interval(estimate_pass_at_k(2, drawn, 1).population)
        held_population += population.low <= 0.5 <= population.high
    assert held_fixed / 900 >= 0.93
    assert held_population / 900 >= 0.93
