"""CPU limits by what the reference takes on this machine: a right answer may be four times as slow, and no less.

A limit in seconds means more on a fast machine than on a slow one. So references are timed first, and where one
takes more than a quarter of a limit, that limit is raised for the samples of its problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from codejury.judging.profiles import Profile
    from codejury.model import Limits

FACTOR = 4.0
"""A limit of CPU time is at least so many times what the reference takes."""


def of_reference(limits: Limits) -> Limits:
    """What a reference may take while it is timed: longer than any sample whose limits are not raised."""
    return _with_times(limits, FACTOR * limits.cpu_s, FACTOR * limits.cpu_total_s)


def raised(limits: Limits, reference: Profile | None) -> Limits:
    """The limits of a problem's samples: never below `FACTOR` times what its reference took, if that passes."""
    if reference is None or not reference.sound:
        return limits
    cpu_s = max(limits.cpu_s, FACTOR * reference.slowest_cpu_s)
    total_s = max(limits.cpu_total_s, FACTOR * reference.all_cpu_s)
    return _with_times(limits, cpu_s, total_s)


def _with_times(limits: Limits, cpu_s: float, cpu_total_s: float) -> Limits:
    if (cpu_s, cpu_total_s) == (limits.cpu_s, limits.cpu_total_s):
        return limits
    return msgspec.structs.replace(limits, cpu_s=cpu_s, cpu_total_s=cpu_total_s)
