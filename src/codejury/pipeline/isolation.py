"""Which isolation programs run under, and what follows where they have none.

None is only ever used where it is asked for by name (`--unsafe`), or for codejury's own samples.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import msgspec

from codejury.model import TierUnavailable, UsageError
from codejury.sandbox import TierChoice, choose_tier

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from codejury.model import Judged

UNISOLATED = "none"
"""The tier that is none."""

UNSAFE = (
    "no isolation (--unsafe): a program can do to this machine what you can, and can read the tests and write its"
    " own verdict; so all verdicts are weak, and no figure of them is a headline"
)
"""What is said before such a run, and in each report of it."""

OWN = "no isolation, which this machine does not give: the samples are codejury's own"
"""What reports say of a demo on a machine that gives no tier."""


def choose_isolation(tier: str, *, unsafe: bool = False, own: bool = False) -> TierChoice:
    """The tier to use.

    Args:
        tier: One of `sandbox.TIERS`, `sandbox.AUTO`, or UNISOLATED.
        unsafe: The user has asked for no isolation; `tier` says nothing then.
        own: The programs are codejury's own and may run without it.

    Raises:
        UsageError: UNISOLATED for programs of others, without `unsafe`.
        TierUnavailable: The machine gives none, or programs cannot run on it even without isolation.
    """
    if not unsafe and tier != UNISOLATED:
        return choose_tier(tier)
    if not (unsafe or own):
        raise UsageError("programs run without isolation where it is asked for by name alone: give --unsafe")
    if not sys.platform.startswith("linux"):
        raise TierUnavailable(UNISOLATED, "Linux", "it starts the programs: use a Linux machine, VM or container")
    return TierChoice(UNISOLATED, UNSAFE if unsafe else OWN)


async def all_weak(results: AsyncGenerator[Judged, None]) -> AsyncGenerator[Judged, None]:
    """The same verdicts as weak ones: without isolation, a program can reach the process that judges it."""
    async with contextlib.aclosing(results):
        async for judged in results:
            verdict = msgspec.structs.replace(judged.verdict, integrity="weak")
            yield msgspec.structs.replace(judged, verdict=verdict)
