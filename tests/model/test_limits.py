"""Limits: defaults, what is derived, what a problem replaces."""

from __future__ import annotations

import msgspec
import pytest

from codejury.model import GIB, MIB, LimitOverrides, Limits


def test_defaults() -> None:
    """Those that the documentation promises."""
    limits = Limits()
    assert (5.0, 30.0, GIB, MIB, 32 * MIB, 16) == (
        limits.cpu_s,
        limits.cpu_total_s,
        limits.memory_bytes,
        limits.output_bytes,
        limits.file_bytes,
        limits.processes,
    )
    assert (16.0, 91.0) == (limits.wall_s, limits.wall_total_s)


@pytest.mark.parametrize(
    "name", ["cpu_s", "cpu_total_s", "memory_bytes", "output_bytes", "value_bytes", "file_bytes", "processes"]
)
def test_limits_under_which_nothing_runs_are_refused(name: str) -> None:
    """0, and not a number."""
    with pytest.raises(ValueError, match=f"limit {name} must be"):
        Limits(**{name: 0})
    if name == "cpu_s":
        with pytest.raises(ValueError, match="limit cpu_s must be above 0"):
            Limits(cpu_s=float("nan"))


def test_overrides_replace_what_they_set() -> None:
    """The rest stays as the run has it, and unknown limits are no silent defaults."""
    run = Limits(cpu_s=1, memory_bytes=GIB)
    assert Limits(cpu_s=9, memory_bytes=GIB) == LimitOverrides(cpu_s=9).apply(run)
    assert run == LimitOverrides().apply(run)
    with pytest.raises(msgspec.ValidationError, match="unknown field `cpu`"):
        msgspec.json.decode(b'{"cpu": 1}', type=LimitOverrides)
