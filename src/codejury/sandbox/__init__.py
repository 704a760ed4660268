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
    address_bytes,
    readable,
)
from codejury.sandbox.interpreter import Interpreter, describe
from codejury.sandbox.tiers import AUTO, CONTAINER, LAYERS, TIERS, TierChoice, choose_tier, landlock_version, probe

__all__ = [
    "AUTO",
    "CONTAINER",
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
    "address_bytes",
    "choose_tier",
    "describe",
    "landlock_version",
    "probe",
    "readable",
]
