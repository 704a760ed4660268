"""The tiers of isolation, and which of them this machine gives.

namespaces   user, pid, mount, network, ipc, uts and cgroup namespaces, a read-only root, seccomp's deny-list
landlock     Landlock, seccomp's allow-list, one process a sample: where there are no user namespaces
none         no isolation, for programs of codejury's own
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

import msgspec

from codejury.model import TierUnavailable
from codejury.sandbox.host import INSIDE, spare_ids

TIERS = ("namespaces", "landlock")
"""Strongest first."""

CONTAINER = "container"
"""One of the tiers inside a container, which `engine` starts."""

AUTO = "auto"
"""The strongest tier that this machine gives."""

LAYERS = (
    *("user namespaces", "mounts", "pid namespaces", "network namespaces", "ipc namespaces", "uts namespaces"),
    *("cgroup namespaces", "seccomp", "landlock"),
)
"""What `probe` can try, besides "namespaces", which is all of them together."""

_NEEDED = {"namespaces": ("namespaces", "seccomp"), "landlock": ("landlock", "seccomp")}
_PROBE_S = 30.0


class TierChoice(msgspec.Struct, frozen=True):
    """A tier, and why it is not a stronger one.

    Attributes:
        tier: One of TIERS.
        note: One line; None for the strongest.
    """

    tier: str
    note: str | None = None


def choose_tier(tier: str = AUTO) -> TierChoice:
    """The tier to use: the one asked for, or the strongest that the machine gives.

    Args:
        tier: AUTO, one of TIERS, or "none"; what is named is taken without a look.

    Raises:
        TierUnavailable: The machine gives none; names what each one lacks.
    """
    return TierChoice(tier) if tier != AUTO else _strongest()


@cache
def _strongest() -> TierChoice:
    refused: list[tuple[str, str, str]] = []
    for tier in TIERS:
        missing = {layer: reason for layer, reason in probe(_NEEDED[tier]).items() if reason is not None}
        if not missing:
            note = "; ".join(f"tier {other!r} cannot be had: {layer}: {why}" for other, layer, why in refused)
            advice = "`codejury doctor` says what to do"
            return TierChoice(tier, f"isolated by tier {tier!r}: {note}; {advice}" if note else None)
        refused.append((tier, *next(iter(missing.items()))))
    _, layer, why = refused[0]
    others = "; ".join(f"tier {other!r} lacks {layer}: {why}" for other, layer, why in refused[1:])
    raise TierUnavailable(TIERS[0], layer, f"{why}; {others}; `codejury doctor` says what to do")


def landlock_version() -> int:
    """The version of Landlock's interface that the kernel has; 0 where it has none."""
    return _ask(("landlock",)).landlock


def probe(layers: tuple[str, ...]) -> dict[str, str | None]:
    """What the kernel says to each layer: None where it gives it, else its reason. Changes nothing here.

    Args:
        layers: Of LAYERS, or "namespaces" for all that this tier needs.
    """
    return _ask(layers).refused


class _Answer(msgspec.Struct, frozen=True):
    refused: dict[str, str | None]
    landlock: int = 0


def _ask(layers: tuple[str, ...]) -> _Answer:
    if not sys.platform.startswith("linux"):
        return _Answer(dict.fromkeys(layers, f"this is {platform.system()}: it exists on Linux alone"))
    command = [sys.executable, "-I", "-S", str(INSIDE / "probe.py"), ",".join(layers)]
    try:
        answer = subprocess.run(
            [*command, "1" if spare_ids() else "0"],
            capture_output=True,
            text=True,
            timeout=_PROBE_S,
            check=True,
            env={"PATH": os.defpath},
            cwd=Path(INSIDE.anchor),
        )
        return msgspec.json.decode(answer.stdout, type=_Answer)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError) as error:
        return _Answer(dict.fromkeys(layers, f"it cannot be found out: {error}"))
