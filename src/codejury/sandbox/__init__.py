"""The wall: isolation tiers, limits, fork server."""

from codejury.sandbox.cgroups import Group
from codejury.sandbox.host import (
    Child,
    Ended,
    Lane,
    LaneLostError,
    Roles,
    Sandbox,
    Settings,
    readable,
)
from codejury.sandbox.interpreter import Interpreter, describe
from codejury.sandbox.tiers import AUTO, LAYERS, TIERS, TierChoice, choose_tier, probe

__all__ = [
    "AUTO",
    "LAYERS",
    "TIERS",
    "Child",
    "Ended",
    "Group",
    "Interpreter",
    "Lane",
    "LaneLostError",
    "Roles",
    "Sandbox",
    "Settings",
    "TierChoice",
    "choose_tier",
    "describe",
    "probe",
    "readable",
]
