"""How the forms of pass@k behave: against enumeration of all outcomes, and simulation against both."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from codejury.stats import ShortProblemsError, StatisticsError, naive_first_k, naive_with_replacement, pass_at_k
from codejury.stats.forms import Form, exact_moments, simulated_moments, true_pass_at_k

ABILITIES = [0.0, 0.03, 0.2, 0.5, 0.9, 1.0]


def test_truth() -> None:
    """1 - (1 - p)**k, also where it is tiny, 0 or 1."""
    assert [0.0, 1 - 0.8**3, 1.0] == pytest.approx(true_pass_at_k([0.0, 0.2, 1.0], 3).tolist(), rel=1e-15)
    assert 3e-15 == pytest.approx(float(true_pass_at_k(1e-15, 3)), rel=1e-12)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 1), (6, 3), (7, 7)])
def test_exact_moments_are_those_of_all_outcomes(n: int, k: int) -> None:
    """All 2**n outcomes with their chances, each form computed on the samples themselves."""
    table = np.array(list(itertools.product([False, True], repeat=n)))
    c = table.sum(axis=1)
    values = {
        Form.FIRST_K: naive_first_k(table, k),
        Form.WITH_REPLACEMENT: naive_with_replacement(n, c, k),
        Form.PASS_AT_K: np.asarray(pass_at_k(n, c, k)),
    }
    found = exact_moments(n, k, ABILITIES)
    for place, p in enumerate(ABILITIES):
        chance = p**c * (1 - p) ** (n - c)
        for form, of in values.items():
            mean = math.fsum(chance * of)
            assert mean == pytest.approx(found[form].mean[place], abs=1e-14)
            assert math.fsum(chance * (of - mean) ** 2) == pytest.approx(found[form].variance[place], abs=1e-14)


def test_what_it_teaches() -> None:
    """Two forms are right on average, one of them far noisier; the third is biased low, the same at k = 1."""
    found, truth = exact_moments(20, 10, ABILITIES[1:-1]), true_pass_at_k(ABILITIES[1:-1], 10)
    np.testing.assert_allclose(truth, found[Form.PASS_AT_K].mean, rtol=1e-13)
    np.testing.assert_allclose(truth, found[Form.FIRST_K].mean, rtol=1e-13)
    assert (found[Form.WITH_REPLACEMENT].mean < truth).all()
    assert (found[Form.PASS_AT_K].variance < found[Form.FIRST_K].variance).all()
    single = exact_moments(20, 1, [0.3])
    assert single[Form.WITH_REPLACEMENT].mean == pytest.approx(single[Form.PASS_AT_K].mean, rel=1e-13)
    whole = exact_moments(10, 10, [0.1])  # n = k: all samples are the first k
    assert whole[Form.PASS_AT_K].variance == pytest.approx(whole[Form.FIRST_K].variance, rel=1e-12)


@pytest.mark.parametrize(("n", "k"), [(20, 10), (8, 8), (5, 2)])
def test_simulation_agrees_with_enumeration(n: int, k: int) -> None:
    """Within 5 standard errors of the mean, and a variance within 5 of its own, at a fixed seed."""
    trials = 20_000
    exact, drawn = exact_moments(n, k, ABILITIES), simulated_moments(n, k, ABILITIES, trials=trials, seed=3)
    for form in Form:
        error = np.sqrt(exact[form].variance / trials)
        assert (abs(drawn[form].mean - exact[form].mean) <= 5 * error + 1e-12).all()
        # values within [0, 1]: the fourth central moment is at most the variance
        spread = np.sqrt(exact[form].variance / trials)
        assert (abs(drawn[form].variance - exact[form].variance) <= 5 * spread + 1e-12).all()


@pytest.mark.parametrize(("n", "k"), [(20, 10), (200, 100), (10_000, 100)])
def test_moments_stay_in_their_range(n: int, k: int) -> None:
    """Also where rounding would take a chance above 1: no variance is negative or nan."""
    for moments in exact_moments(n, k, [*np.linspace(0, 1, 60), 1e-12, 1 - 1e-12]).values():
        assert ((moments.mean >= 0) & (moments.mean <= 1)).all()
        assert ((moments.variance >= 0) & (moments.variance <= 0.25 + 1e-12)).all()


def test_simulation_is_that_of_its_seed() -> None:
    """The same seed gives the same, another one does not."""
    one, same, other = (simulated_moments(6, 2, [0.3], trials=50, seed=s) for s in (1, 1, 2))
    assert one[Form.PASS_AT_K].mean == same[Form.PASS_AT_K].mean
    assert one[Form.PASS_AT_K].mean != other[Form.PASS_AT_K].mean


def test_wrong_input() -> None:
    """Abilities that are none, k above n, too few trials."""
    bad: list[Any] = [[], [0.5, 1.1], [-0.1], 0.5, [math.nan]]
    for abilities in bad:
        with pytest.raises(StatisticsError, match="from 0 to 1"):
            exact_moments(3, 2, abilities)
    for moments in (exact_moments, lambda *a: simulated_moments(*a, trials=10, seed=0)):
        with pytest.raises(ShortProblemsError):
            moments(3, 4, [0.5])
    for trials, seed in ((1, 0), (10, -1)):
        with pytest.raises(StatisticsError, match="at least 2 trials"):
            simulated_moments(3, 2, [0.5], trials=trials, seed=seed)
