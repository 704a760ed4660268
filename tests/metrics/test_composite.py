"""The composite: weights that make a mean, and unscored parts by policy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.metrics import scoring
from codejury.metrics.composite import PARTS, SCENARIOS, Scenario, check_scenario, composite
from codejury.model import UsageError

SHARE = st.floats(0, 1)


@given(SHARE, SHARE, SHARE, st.sampled_from(list(SCENARIOS.values())))
def test_it_is_the_weighted_sum(sim: float, ast: float, passed: float, scenario: Scenario) -> None:
    """w1 Sim + w2 ASTSim + w3 Pass@k, from 0 to 1."""
    found = composite(scenario, {"sim": sim, "ast": ast, "pass": passed}, "fail")
    assert found == pytest.approx(scenario.sim * sim + scenario.ast * ast + scenario.passing * passed)
    assert found is not None
    assert 0 <= found <= 1 + 1e-12


def test_scenarios_lean_where_they_should() -> None:
    """Line on Sim, function on Pass@k, refactor on ASTSim; all are sound, and their metrics exist."""
    for name, leaning in (("line", "sim"), ("function", "pass"), ("refactor", "ast")):
        scenario = SCENARIOS[name]
        check_scenario(name, scenario)
        assert leaning == max(PARTS, key=lambda part: scenario.weights[part])
        assert {scenario.sim_metric, scenario.ast_metric} <= set(scoring.names())


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            (0.5, 0.5, 0.5),
            r"codejury.toml: scenario 'x': sim \+ ast \+ pass = 0.5 \+ 0.5 \+ 0.5 = 1.5: make the sum 1",
        ),
        ((1.5, -0.5, 0.0), r"scenario 'x': ast = -0.5: a weight is 0 or more"),
        ((float("nan"), 1.0, 0.0), "sim = nan: a weight is 0 or more"),
    ],
)
def test_other_weights_are_refused(weights: tuple[float, float, float], message: str) -> None:
    """The message has the weights, and what to do."""
    sim, ast, passing = weights
    with pytest.raises(UsageError, match=message):
        check_scenario("x", Scenario(sim=sim, ast=ast, passing=passing), where="codejury.toml")
    with pytest.raises(UsageError, match="k = 0: take 1 or more"):
        check_scenario("x", Scenario(sim=1, ast=0, passing=0, k=0))


def test_unscored_parts_by_policy() -> None:
    """An error, left out, or 0; of weight 0 it does not matter."""
    scenario, parts = Scenario(sim=0.5, ast=0.5, passing=0.0), {"sim": 1.0, "ast": None, "pass": None}
    with pytest.raises(UsageError, match="unscored: ast: choose --unscored drop or zero"):
        composite(scenario, parts, "fail")  # type: ignore[arg-type]
    assert None is composite(scenario, parts, "drop")  # type: ignore[arg-type]
    assert 0.5 == composite(scenario, parts, "zero")  # type: ignore[arg-type]
    assert 0.5 == composite(scenario, {"sim": 1.0, "ast": 0.0}, "fail")
