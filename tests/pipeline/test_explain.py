"""`explain passk`: golden figures, agreement of simulation and enumeration, runs, refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import UsageError
from codejury.pipeline import ExplainSettings, explain_passk
from codejury.pipeline.explain import misuses

if TYPE_CHECKING:
    from collections.abc import Callable

    from codejury.store import Store

FORMS = ["first_k", "with_replacement", "pass_at_k"]


def test_forms_of_counts() -> None:
    """Golden: pass@5 of (10, 4) is 41/42, and 1 - 0.6^5 is 0.92224."""
    document = explain_passk(None, ExplainSettings(n=10, k=5, counts=(4, 10, 0), trials=100))
    assert [0, 4, 10] == [row.c for row in document.counts]
    assert [0.0, float(Fraction(41, 42)), 1.0] == pytest.approx(
        [row.pass_at_k for row in document.counts], rel=1e-15
    )
    assert [0.0, 0.92224, 1.0] == pytest.approx([row.with_replacement for row in document.counts], rel=1e-14)
    assert all(row.first_k == row.pass_at_k for row in document.counts)
    assert (10, 5, None, 100, 0) == (document.n, document.k, document.run, document.trials, document.seed)


def test_moments_by_hand() -> None:
    """By hand for n = 2, k = 2, p = 1/2: c is 0, 1, 2 with chances 1/4, 1/2, 1/4; the truth is 3/4."""
    document = explain_passk(None, ExplainSettings(n=2, k=2, abilities="0.5", trials=4000))
    assert 0.75 == pytest.approx(document.truth, rel=1e-15)
    rows = document.over_abilities
    assert FORMS == list(rows)
    # the unbiased form is then the OR itself: 0, 1, 1; the other one 0, 3/4, 1
    expected = {"first_k": (0.75, 3 / 16), "pass_at_k": (0.75, 3 / 16), "with_replacement": (0.625, 9 / 64)}
    for form, (mean, variance) in expected.items():
        row = rows[form]
        assert (mean, variance) == pytest.approx((row.mean, row.variance), rel=1e-13)
        assert mean - 0.75 == pytest.approx(row.bias, abs=1e-15)
        assert (variance / 4000) ** 0.5 == pytest.approx(row.error, rel=1e-13)
        assert abs(row.simulated_bias - row.bias) <= 4 * row.error


@pytest.mark.parametrize("abilities", ["beta:0.5,0.5", "beta:0.1,1.9", "0.02,0.3,0.3,1"])
def test_simulation_is_near_enumeration(abilities: str) -> None:
    """Over the abilities together, and at each that is drawn, whose truths are spread evenly."""
    document = explain_passk(None, ExplainSettings(n=20, k=10, abilities=abilities))
    rows = list(document.over_abilities.values())
    rows += [form for row in document.by_ability for form in row.forms.values()]
    for row in rows:
        assert abs(row.simulated_mean - row.mean) <= 5 * row.error + 1e-12
        assert row.variance == pytest.approx(row.simulated_variance, abs=5 * row.error + 1e-12)
    assert [place / 30 for place in range(1, 30)] == pytest.approx([row.truth for row in document.by_ability])
    for one in document.by_ability:
        assert 1 - (1 - one.p) ** 10 == pytest.approx(one.truth, rel=1e-12)
        assert 0.0 == pytest.approx(one.forms["pass_at_k"].bias, abs=1e-12)
        assert one.forms["with_replacement"].bias < 0
        assert one.forms["pass_at_k"].variance < one.forms["first_k"].variance


def test_misuses_are_the_golden_ones() -> None:
    """Tests as samples at k = 5: 41/42, 1, 137/143; and the others by hand."""
    rows = misuses()
    tests = [row.figure for row in rows if row.name == "tests counted as samples"]
    assert [float(Fraction(41, 42)), 1.0, float(Fraction(137, 143))] == pytest.approx(tests, rel=1e-15)
    others = {row.name: (row.figure, row.honest) for row in rows}
    assert (1 - 0.9**5, 1 - 0.9**10) == pytest.approx(others["k > n"], rel=1e-12)
    assert (0.00024**0.5, 0.0024**0.5) == pytest.approx(others["temperature 0 with k > 1"], rel=1e-12)
    assert (float(1 - Fraction(252, 15504)), 0.5) == pytest.approx(others["pooled attempts"], rel=1e-14)
    assert (1.0, None) == others["dependent attempts"]


def test_of_a_run(store: Store, make_run: Callable[..., int]) -> None:
    """Its counts, its smallest n, and its rates as abilities."""
    make_run(store, "mine", [4, 1, 0], [4, 5, 4])
    document = explain_passk(store, ExplainSettings(run="mine", k=2, trials=100))
    assert (4, "mine", 3) == (document.n, document.run, document.problems)
    assert document.run_means is not None
    unbiased = (1 + 0.4 + 0) / 3
    assert {"first_k": unbiased, "with_replacement": (1 + 0.36 + 0) / 3, "pass_at_k": unbiased} == pytest.approx(
        document.run_means, rel=1e-14
    )
    rates = [4.5 / 5, 1.5 / 6, 0.5 / 5]
    assert sum(1 - (1 - p) ** 2 for p in rates) / 3 == pytest.approx(document.truth, rel=1e-14)
    assert ["problems have 4 to 5 samples; the forms are simulated with one n for all"] == document.warnings


def test_of_a_run_that_cannot_answer(store: Store, make_run: Callable[..., int]) -> None:
    """Short problems, copies, dependent attempts, no such run."""
    make_run(store, "short", [4, 1], [4, 5])
    make_run(store, "cold", [4, 0], meta={"temperature": "0"})
    make_run(store, "chain", [4, 0], meta={"attempts": "dependent"})
    for run, message in (
        ("short", "pass@5 needs 5 samples of each problem, and 1 of 2 problems have fewer: take a smaller k"),
        ("cold", r"pass@5 at temperature 0 \(cold\)"),
        ("chain", r"pass@5 of dependent attempts \(chain\)"),
        ("none", "none"),
    ):
        with pytest.raises(UsageError, match=message):
            explain_passk(store, ExplainSettings(run=run, k=5))
    with pytest.raises(UsageError, match="needs a store"):
        explain_passk(None, ExplainSettings(run="short"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"n": 0}, "--n 0: take 1 to 10000"),
        ({"n": 20_000}, "--n 20000"),
        ({"k": 0}, "--k 0: take at least 1"),
        ({"n": 5}, "pass@10 needs 10 samples of each problem, and n is 5: fewer say nothing of 10 tries"),
        ({"counts": (3, 21)}, "--c 21: of 20 samples 0 to 20 can be right"),
        ({"trials": 1}, "--trials 1"),
        ({"seed": -1}, "--seed -1"),
        ({"abilities": "beta:1"}, "--abilities beta:1: take beta:A,B"),
        ({"abilities": "beta:1,0"}, "--abilities beta:1,0"),
        ({"abilities": "gamma:1,2"}, "--abilities gamma:1,2"),
        ({"abilities": "0.5,1.5"}, "--abilities 0.5,1.5"),
        ({"abilities": ""}, "--abilities : take"),
        ({"abilities": "nan"}, "--abilities nan"),
    ],
)
def test_wrong_call(fields: dict[str, Any], message: str) -> None:
    """One line each."""
    with pytest.raises(UsageError, match=message):
        explain_passk(None, ExplainSettings(**fields))


def test_k_of_1_is_said_to_teach_nothing() -> None:
    """All forms that use all samples agree there."""
    document = explain_passk(None, ExplainSettings(k=1, trials=10))
    assert document.warnings[0].startswith("k = 1")
    rows = document.over_abilities
    assert rows["with_replacement"].mean == pytest.approx(rows["pass_at_k"].mean, rel=1e-13)
