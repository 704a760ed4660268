"""One score of several: w1 Sim + w2 ASTSim + w3 Pass@k, with the parts beside it.

A likeness of texts, one of trees and the tests' word answer different questions; how much each counts is a
decision, which a scenario names. The weights are shown with every score.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Part: TypeAlias = Literal["sim", "ast", "pass"]
Policy: TypeAlias = Literal["fail", "drop", "zero"]

PARTS: tuple[Part, ...] = ("sim", "ast", "pass")
"""The parts in the order of the formula."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Weights of the parts, and what they are measured by.

    Attributes:
        sim: Weight of the likeness of texts.
        ast: Weight of the likeness of trees.
        passing: Weight of Pass@k; "pass" in files.
        sim_metric: Name of the metric of texts.
        ast_metric: Name of the metric of trees.
        k: Of Pass@k.
    """

    sim: float
    ast: float
    passing: float = msgspec.field(name="pass")
    sim_metric: str = "edit.levenshtein"
    ast_metric: str = "ast.dice"
    k: int = 1

    @property
    def weights(self) -> dict[Part, float]:
        """The weights by part."""
        return {"sim": self.sim, "ast": self.ast, "pass": self.passing}

    @property
    def needed(self) -> tuple[Part, ...]:
        """The parts with a weight above 0."""
        return tuple(part for part in PARTS if self.weights[part] > 0)


SCENARIOS: dict[str, Scenario] = {
    "line": Scenario(sim=0.7, ast=0.3, passing=0.0),
    "function": Scenario(sim=0.2, ast=0.2, passing=0.6),
    "refactor": Scenario(sim=0.2, ast=0.5, passing=0.3),
}
"""Scenarios that need no file."""


def check_scenario(name: str, scenario: Scenario, *, where: str = "") -> None:
    """Refuse weights that make no mean.

    Args:
        name: Of the scenario.
        scenario: What to check.
        where: Where it was read, for the message.

    Raises:
        UsageError: A weight is negative or no number, they do not sum to 1, or k is below 1.
    """
    place = f"{where}: " if where else ""
    for part, weight in scenario.weights.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise UsageError(f"{place}scenario {name!r}: {part} = {weight:g}: a weight is 0 or more")
    total = math.fsum(scenario.weights.values())
    if abs(total - 1) > 1e-9:
        shown = " + ".join(f"{weight:g}" for weight in scenario.weights.values())
        raise UsageError(f"{place}scenario {name!r}: sim + ast + pass = {shown} = {total:.10g}: make the sum 1")
    if scenario.k < 1:
        raise UsageError(f"{place}scenario {name!r}: k = {scenario.k}: take 1 or more")


def composite(scenario: Scenario, parts: Mapping[Part, float | None], policy: Policy) -> float | None:
    """The weighted sum of the parts.

    Args:
        scenario: Whose weights.
        parts: Values from 0 to 1; None is unscored. Parts of weight 0 do not matter.
        policy: What an unscored part does: "zero" counts it as 0, "drop" leaves all of the score out, "fail" is an
            error.

    Returns:
        0 to 1; None where it is left out.

    Raises:
        UsageError: A part is unscored, and that fails.
    """
    missing = [part for part in scenario.needed if parts.get(part) is None]
    if missing and policy == "fail":
        raise UsageError(f"unscored: {', '.join(missing)}: choose --unscored drop or zero")
    if missing and policy == "drop":
        return None
    return math.fsum(weight * (parts.get(part) or 0.0) for part, weight in scenario.weights.items())
