"""Plans: known numbers, from moments and from a run, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from codejury.model import UsageError
from codejury.pipeline import PlanSettings, plan
from codejury.stats.gate import Mode

if TYPE_CHECKING:
    from collections.abc import Callable

    from codejury.store import Store


def test_plan_agrees_with_the_normal_approximation() -> None:
    """2 points, mean p (1 - p) = 0.10: 2 * 0.1 * ((1.645 + 0.842) / 0.02)^2 = 3,091 samples, within 8 %."""
    document = plan(None, PlanSettings(detect=0.02, samples=(10,)))
    products = [row.problems * row.samples for row in document.needed if row.problems and row.samples]
    assert [pytest.approx(3_091, rel=0.08)] * 4 == products
    assert ["spread", "spread", "lost", "lost"] == [row.model for row in document.needed]
    given = document.given[0]
    assert (164, 10) == (given.problems, given.samples)
    assert pytest.approx(0.0275, abs=0.002) == given.effect
    assert pytest.approx(0.05, abs=0.015) == given.false_alarms


def test_chances_of_a_run(store: Store, make_run: Callable[..., int]) -> None:
    """Its problems, with its rates."""
    generator = np.random.default_rng(0)
    right = generator.binomial(8, generator.beta(1 / 3, 1 / 3, 60))
    make_run(store, "a", right.tolist(), 8)
    document = plan(store, PlanSettings(detect=0.05, run="a", samples=(4,)))
    assert "the rates of a" == document.abilities
    assert right.sum() / 480 == pytest.approx(document.mean, abs=0.01)
    assert {60} == {row.problems for row in document.given}
    make_run(store, "single", [1, 0, 1], 1)
    with pytest.raises(UsageError, match="no problem has two samples"):
        plan(store, PlanSettings(detect=0.05, run="single"))


def test_a_drop_within_the_margin_is_never_detected() -> None:
    """It is said, and nothing is needed for it."""
    document = plan(None, PlanSettings(detect=0.01, samples=(10,)))
    assert [] == document.needed
    assert "within the margin" in document.warnings[0]


@pytest.mark.slow
def test_other_modes() -> None:
    """Noninferiority needs more: the drop must be told from one by the margin."""
    settings: dict[str, Any] = {"detect": 0.04, "samples": (10,), "problems": (100,)}
    default, strict = (
        plan(None, PlanSettings(**settings, mode=mode)).needed[0].problems
        for mode in (Mode.REGRESSION, Mode.NONINFERIORITY)
    )
    assert default is not None
    assert strict is not None
    assert default < strict


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"detect": 0.0}, "--detect 0"),
        ({"detect": 0.02, "power": 0.4}, "--power 0.4"),
        ({"detect": 0.02, "problems": (0,)}, "at least 1"),
        ({"detect": 0.02, "samples": ()}, "at least 1"),
        ({"detect": 0.02, "spread": 0.3}, "at most 0.25"),
        ({"detect": 0.02, "margin": "much"}, "plan: "),
        ({"detect": 0.01, "mode": Mode.POINT}, "within the margin"),
        ({"detect": 0.02, "run": "a"}, "needs a store"),
    ],
)
def test_wrong_plans(settings: dict[str, Any], message: str) -> None:
    """Each in one line."""
    with pytest.raises(UsageError, match=message):
        plan(None, PlanSettings(**settings))
