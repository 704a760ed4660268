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

__all__ = [
    "Child",
    "Ended",
    "Group",
    "Interpreter",
    "Lane",
    "LaneLostError",
    "Roles",
    "Sandbox",
    "Settings",
    "describe",
    "readable",
]
