"""Limits of one sample, with the defaults of the design."""

from __future__ import annotations

import msgspec

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one sample may use.

    Attributes:
        cpu_s: CPU seconds per test.
        cpu_total_s: CPU seconds per sample, loading included.
        wall_factor: A test's wall time is limited to `wall_factor * cpu_s + wall_extra_s` seconds.
        wall_extra_s: See `wall_factor`.
        memory_bytes: Memory of all processes of the sample together, where a memory cgroup can be had;
            always of each process.
        output_bytes: What is kept of standard output and error. The output of a function that is called is
            discarded unread, so it has no limit there.
        value_bytes: One value that crosses from the candidate to the judge.
        file_bytes: Everything that the sample may write, and each file.
        processes: Processes and threads of the sample together.
    """

    cpu_s: float = 5.0
    cpu_total_s: float = 30.0
    wall_factor: float = 3.0
    wall_extra_s: float = 1.0
    memory_bytes: int = GIB
    output_bytes: int = MIB
    value_bytes: int = 16 * MIB
    file_bytes: int = 32 * MIB
    processes: int = 16

    def __post_init__(self) -> None:
        """Reject limits under which nothing can run."""
        for name in ("cpu_s", "cpu_total_s", "memory_bytes", "output_bytes", "value_bytes", "file_bytes"):
            if not getattr(self, name) > 0:
                raise ValueError(f"limit {name} must be above 0")
        if self.processes < 1:
            raise ValueError("limit processes must be at least 1")

    @property
    def wall_s(self) -> float:
        """Wall seconds per test."""
        return self.wall_factor * self.cpu_s + self.wall_extra_s

    @property
    def wall_total_s(self) -> float:
        """Wall seconds per sample."""
        return self.wall_factor * self.cpu_total_s + self.wall_extra_s


class LimitOverrides(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Limits that a problem or a problem set sets for itself; what is None stays as the run has it."""

    cpu_s: float | None = None
    cpu_total_s: float | None = None
    memory_bytes: int | None = None
    value_bytes: int | None = None
    file_bytes: int | None = None
    processes: int | None = None

    def apply(self, limits: Limits) -> Limits:
        """`limits` with the fields replaced that this problem sets."""
        own = {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}
        return msgspec.structs.replace(limits, **own)
