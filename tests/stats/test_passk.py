"""pass@k and pass^k of single problems: golden values, brute force, properties, precision."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.stats import ShortProblemsError, StatisticsError, pass_at_k, pass_hat_k, passk

if TYPE_CHECKING:
    from collections.abc import Callable

    from codejury.stats.counts import Floats, Ints


@st.composite
def counts(draw: st.DrawFn, largest: int = 300) -> tuple[int, int, int]:
    """Valid (n, c, k)."""
    n = draw(st.integers(1, largest))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


def _exact_at(n: int, c: int, k: int) -> Fraction:
    return 1 - Fraction(math.comb(n - c, k), math.comb(n, k))


def _exact_hat(n: int, c: int, k: int) -> Fraction:
    return Fraction(math.comb(c, k), math.comb(n, k))


def _all_fail(n: int, c: int, k: int) -> tuple[int, int]:
    """C(n-c, k) / C(n, k) as numerator and denominator, with the fewest factors."""
    m, large = min(c, k), max(c, k)
    return math.perm(n - large, m), math.perm(n, m)


def _relative_error(value: float, numerator: int, denominator: int) -> float:
    """|value - numerator / denominator| over the latter, without reducing huge fractions."""
    above, below = value.as_integer_ratio()
    scale = 10**20
    return abs(above * denominator - numerator * below) * scale // (numerator * below) / scale


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (10, 2, 1, Fraction(1, 5)),
        (5, 3, 2, Fraction(9, 10)),
        (5, 3, 1, Fraction(3, 5)),
        (5, 3, 5, Fraction(1)),
        (10, 4, 5, Fraction(41, 42)),
        (5, 2, 5, Fraction(1)),
        (15, 6, 5, Fraction(137, 143)),
        (200, 3, 10, Fraction(3137, 21890)),
        (200, 3, 100, Fraction(349, 398)),
        (8, 1, 5, Fraction(5, 8)),
    ],
)
def test_golden_pass_at_k(n: int, c: int, k: int, expected: Fraction) -> None:
    """Single values, among them those of the misuse that takes tests for samples (k = 5, n = 10 and 5 and 15)."""
    assert expected == _exact_at(n, c, k)
    assert float(expected) == pytest.approx(pass_at_k(n, c, k), rel=1e-15)


def test_golden_curves() -> None:
    """All c at n = 8, k = 5, as arrays."""
    at, hat = pass_at_k(8, [0, 1, 2, 3, 4], 5), pass_hat_k(8, [4, 5, 6, 7, 8], 5)

    np.testing.assert_allclose(at, [0, 5 / 8, 25 / 28, 55 / 56, 1], rtol=1e-15, atol=0)
    np.testing.assert_allclose(hat, [0, 1 / 56, 3 / 28, 3 / 8, 1], rtol=1e-15, atol=0)


def test_golden_mean_over_problems() -> None:
    """The mean pass@1 of three problems."""
    assert pass_at_k([200, 200, 200], [150, 45, 3], 1).mean() == pytest.approx(33 / 100, rel=1e-15)


def test_golden_one_correct_in_a_million() -> None:
    """pass@10 of (1,000,000, 1), where the form with lgamma is wrong in the third digit."""
    assert pass_at_k(10**6, 1, 10) == pytest.approx(1e-5, rel=1e-14)


@pytest.mark.parametrize("n", range(1, 8))
def test_brute_force_over_all_subsets(n: int) -> None:
    """Every subset of k samples is tried, for every c and k."""
    for c in range(n + 1):
        passed = [True] * c + [False] * (n - c)
        for k in range(1, n + 1):
            draws = list(combinations(passed, k))
            assert sum(map(any, draws)) / len(draws) == pytest.approx(pass_at_k(n, c, k), rel=1e-14)
            assert sum(map(all, draws)) / len(draws) == pytest.approx(pass_hat_k(n, c, k), rel=1e-14)


def test_every_triple_up_to_30() -> None:
    """Against exact rationals, all at once: broadcasting and deduplication included."""
    triples = np.array([(n, c, k) for n in range(1, 31) for c in range(n + 1) for k in range(1, n + 1)])
    n, c, k = triples.T

    at = [float(_exact_at(*map(int, triple))) for triple in triples]
    hat = [float(_exact_hat(*map(int, triple))) for triple in triples]
    np.testing.assert_allclose(pass_at_k(n, c, k), at, rtol=5e-16, atol=0)
    np.testing.assert_allclose(pass_hat_k(n, c, k), hat, rtol=3e-15, atol=0)


def test_relative_error_up_to_a_million() -> None:
    """Full double precision of both for n from 1 to 1,000,000, however small the value."""
    rng = random.Random(20)  # noqa: S311 - seeded cases, no secrets
    worst_at = worst_hat = 0.0
    for _ in range(600):
        n = int(10 ** rng.uniform(0, 6))
        k, few = (int(10 ** rng.uniform(0, math.log10(n))) for _ in range(2))
        c = rng.choice([few, n - few, rng.randint(0, n)])
        if c > 0 and min(c, k) <= 2000:
            missed, drawn = _all_fail(n, c, k) if c + k <= n else (0, 1)
            worst_at = max(worst_at, _relative_error(pass_at_k(n, c, k), drawn - missed, drawn))
        if k <= c and min(n - c, k) <= 2000 and (value := pass_hat_k(n, c, k)) > 1e-300:
            worst_hat = max(worst_hat, _relative_error(value, *_all_fail(n, n - c, k)))

    assert worst_at <= 5e-16
    assert worst_hat <= 1e-14


def test_half_of_a_million() -> None:
    """The largest case with both c and k in the middle ends at the shortcut, on the right side."""
    n = 10**6
    assert pass_at_k(n, n // 2, n // 2) == 1.0
    assert pass_hat_k(n, n // 2, n // 2) == 0.0


def test_number_of_factors_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """pass@k multiplies at most sqrt(40 n) factors, whatever c and k."""
    largest = 0

    def counting(count: Ints, log_factors: Callable[[Ints, Ints], Floats]) -> tuple[Floats, Floats]:
        nonlocal largest
        largest = max(largest, int(count.max()))
        return original(count, log_factors)

    original = passk.sum_logs
    monkeypatch.setattr(passk, "sum_logs", counting)
    n = 10**6
    c = np.unique(np.geomspace(1, n, 200).astype(int))

    pass_at_k(n, c[:, None], c[None, ::10])

    assert 0 < largest <= math.sqrt(40 * n)


def test_pass_at_1_is_the_share() -> None:
    """pass@1 and pass^1 are c / n to the last bit."""
    c = np.arange(101)
    np.testing.assert_array_equal(c / 100, pass_at_k(100, c, 1))
    np.testing.assert_array_equal(c / 100, pass_hat_k(100, c, 1))


@given(counts())
@settings(deadline=None)
def test_bounds_and_ends(triple: tuple[int, int, int]) -> None:
    """Chances lie in [0, 1]; drawing all n samples finds a correct one if there is one."""
    n, c, k = triple
    assert 0.0 <= pass_hat_k(n, c, k) <= pass_at_k(n, c, k) <= 1.0
    assert float(c > 0) == pass_at_k(n, c, n)
    assert float(c == n) == pass_hat_k(n, c, n)
    assert math.copysign(1.0, pass_at_k(n, c, k)) == 1.0


@given(counts(10**6))
@settings(deadline=None)
def test_duality(triple: tuple[int, int, int]) -> None:
    """All of k are correct when not one of k is wrong."""
    n, c, k = triple
    assert 1 - pass_at_k(n, n - c, k) == pytest.approx(pass_hat_k(n, c, k), abs=2e-16)


@given(counts())
@settings(deadline=None)
def test_monotone(triple: tuple[int, int, int]) -> None:
    """More correct samples never hurt; a larger k helps pass@k and hurts pass^k (up to rounding)."""
    n, _, k = triple
    c, budgets = np.arange(n + 1), np.arange(1, n + 1)
    slack = 4e-16
    assert (np.diff(pass_at_k(n, c, k)) >= -slack).all()
    assert (np.diff(pass_hat_k(n, c, k)) >= -slack).all()
    assert (np.diff(pass_at_k(n, triple[1], budgets)) >= -slack).all()
    assert (np.diff(pass_hat_k(n, triple[1], budgets)) <= slack).all()


@given(st.lists(counts(), min_size=1, max_size=20), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_each_problem_by_itself(triples: list[tuple[int, int, int]], rng: random.Random) -> None:
    """Neither order nor company of a problem changes its value."""
    rng.shuffle(triples)
    n, c, k = (list(column) for column in zip(*triples, strict=True))
    assert [pass_at_k(*triple) for triple in triples] == pass_at_k(n, c, k).tolist()
    assert [pass_hat_k(*triple) for triple in triples] == pass_hat_k(n, c, k).tolist()


def test_a_million_problems() -> None:
    """Many problems with few distinct counts give what each distinct pair gives."""
    c = np.random.default_rng(1).integers(0, 201, 10**6)
    np.testing.assert_array_equal(pass_at_k(200, np.arange(201), 10)[c], pass_at_k(200, c, 10))


def test_more_factors_than_fit_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Working in blocks changes nothing, also when one row is larger than a block."""
    n, c = 500, np.arange(501)
    whole = pass_at_k(n, c, 60), pass_hat_k(n, c, 60)
    monkeypatch.setattr(passk, "_FACTORS_AT_ONCE", 25)
    np.testing.assert_array_equal(whole[0], pass_at_k(n, c, 60))
    np.testing.assert_array_equal(whole[1], pass_hat_k(n, c, 60))


def test_shapes() -> None:
    """Integers give a float; arrays broadcast; numpy integers of any width are taken."""
    assert isinstance(pass_at_k(10, 2, 1), float)
    assert pass_at_k(np.array([[10], [20]]), np.array([1, 2, 3], dtype=np.uint8), 2).shape == (2, 3)
    assert pass_at_k(10, 2, [1, 5, 10]).tolist() == [pass_at_k(10, 2, k) for k in (1, 5, 10)]
    assert np.dtype(np.float64) == pass_hat_k(np.array([5], dtype=np.int8), 3, 2).dtype


def test_huge_counts() -> None:
    """Counts beyond the reach of 32 bits; two problems that a 64-bit key would take for one stay apart."""
    large = 2**32
    n, c = [2 * large, 3 * large, 2 * large], [large - 1, large - 1, 0]
    assert [c[0] / n[0], c[1] / n[1], 0.0] == pass_at_k(n, c, 1).tolist()


def test_shortcuts_come_late() -> None:
    """Just before them a chance is still told from 1, and one of 1e-300 from 0."""
    n = 10**6
    assert 0 < 1 - pass_at_k(n, 5900, 5900) < 1e-15
    assert 0 < pass_hat_k(n, n - 26_000, 26_000) < 1e-290


@pytest.mark.parametrize("function", [pass_at_k, pass_hat_k])
@pytest.mark.parametrize(
    ("n", "c", "k", "message"),
    [
        (5, 3, 0, "k = 0 at position 0: k must be at least 1"),
        (5, 3, -1, "k = -1"),
        (5, [1, 6], 1, "c = 6 correct of n = 5 samples at position 1"),
        (5, -1, 1, "c = -1"),
        (-5, 0, 1, "n = -5"),
        (5, 2.0, 1, "c must be integers, not float64"),
        (5.5, 2, 1, "n must be integers"),
        (5, 2, 1.5, "k must be integers"),
        (5, [True, False], 1, "c must be integers, not bool"),
        ("5", 2, 1, "n must be integers"),
        (5, [], 1, "c is empty: there are no problems"),
        ([], [], 1, "n is empty"),
        ([5, 5], [1, 2, 3], 1, "the shapes do not fit together: n \\(2,\\), c \\(3,\\)"),
        (2**60, 2, 1, "n must be at most 2\\*\\*53"),
    ],
)
def test_wrong_input(
    function: Callable[[object, object, object], object], n: object, c: object, k: object, message: str
) -> None:
    """Every wrong count is an error that says which, where and why; never a number."""
    with pytest.raises(StatisticsError, match=message):
        function(n, c, k)


@pytest.mark.parametrize("function", [pass_at_k, pass_hat_k])
def test_short_problems(function: Callable[[object, object, object], object]) -> None:
    """K above n is an error that names the problems, not a 1.0 and not a nan."""
    with pytest.raises(ShortProblemsError) as caught:
        function([5, 20, 0, 30], [5, 1, 0, 2], [[1], [25]])
    assert caught.value.indices == (0, 1, 2)
    assert caught.value.k == 25
