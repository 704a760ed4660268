"""Control groups, version 1 and 2, where the host lets us make them: memory, processes, CPU time of a lane.

A lane joins its groups once; every child that it forks is counted there, and limited anew for each sample. Without
them, limits per process remain.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

from codejury.model import MIB
from codejury.sandbox.delegation import NEEDED, Delegation, can_delegate, delegate

MOUNT = Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "pids", "cpuacct")
_LEGACY = {
    "cpu": ("cpuacct", "cpuacct.usage"),
    "memory": ("memory", "memory.oom_control"),
    "usage": ("memory", "memory.usage_in_bytes"),
    "peak": ("memory", "memory.max_usage_in_bytes"),
    "stat": ("memory", "memory.stat"),
    "limit": ("memory", "memory.limit_in_bytes"),
    "swap": ("memory", "memory.memsw.limit_in_bytes"),
    "pids": ("pids", "pids.events"),
    "processes": ("pids", "pids.max"),
}
_UNIFIED = {
    "cpu": ("cpuacct", "cpu.stat"),
    "memory": ("memory", "memory.events"),
    "usage": ("memory", "memory.current"),
    "peak": ("memory", "memory.peak"),
    "stat": ("memory", "memory.stat"),
    "limit": ("memory", "memory.max"),
    "swap": ("memory", "memory.swap.max"),
    "pids": ("pids", "pids.events"),
    "processes": ("pids", "pids.max"),
}
_WRITTEN = ("peak", "limit", "swap", "processes")
_NAME = re.compile(r"codejury-(\d+)-[0-9a-f]+-(\d+|own)")
_STATISTIC = re.compile(rb"^(file|cache|shmem) (\d+)$", re.MULTILINE)
OVERHEAD_BYTES = MIB
"""What a sample may use above its limit: the kernel counts in batches, and a trivial program takes 0.25 MiB."""


class Group:
    """The cgroups of one lane.

    Args:
        folders: Controller -> folder; in version 2 all are the same.
        unified: Whether this is version 2.

    Attributes:
        limits_memory: Whether it counts and limits memory.
    """

    def __init__(self, folders: dict[str, Path], *, unified: bool) -> None:
        self.folders, self.unified = folders, unified
        self._files: dict[str, int] = {}
        for use, (controller, name) in (_UNIFIED if unified else _LEGACY).items():
            with contextlib.suppress(OSError, KeyError):
                self._files[use] = _open(folders[controller] / name, write=use in _WRITTEN)
        self.limits_memory = {"usage", "limit"} <= set(self._files)
        self._idle = self._idle_cache = self._idle_peak = self._most = 0
        self._reset = False

    @property
    def measures_memory(self) -> bool:
        """Whether it knows the peak of the work that began last."""
        return self.limits_memory and self._reset

    @property
    def paths(self) -> list[Path]:
        """The distinct folders."""
        return sorted(set(self.folders.values()))

    def limit(self, memory_bytes: int, processes: int) -> None:
        """Set the limits of memory and of processes, and allow no swap."""
        if self.unified:
            self._write("swap", 0)
            self._write("limit", memory_bytes)
        else:  # memory and swap together may never be less than memory alone, whichever is set first
            self._write("swap", memory_bytes)
            self._write("limit", memory_bytes)
            if not self._write("swap", memory_bytes) and "memory" in self.folders:
                _write(self.folders["memory"] / "memory.swappiness", 0)  # swap is not accounted
        self._write("processes", processes)

    def begin(self, memory_bytes: int, processes: int) -> None:
        """Limit and measure a sample from here on: what is used now, while its process waits, is not its own.

        Args:
            memory_bytes: What it may use above that.
            processes: What the whole group may have of them.
        """
        if not self.limits_memory:
            self._write("processes", processes)
            return
        self._idle, self._idle_cache = self._number("usage"), self._cache()
        self._most = memory_bytes + OVERHEAD_BYTES
        self.limit(self._idle - self._idle_cache + self._most, processes)
        # Version 1 resets to the present use; version 2 does from Linux 6.12 on, for this descriptor.
        self._reset = self._write("peak", 0)
        self._idle_peak = self._number("peak")

    def peak_bytes(self) -> int | None:
        """The most memory that was used since `begin`, above what was used then; None where it is not known.

        Files that were read on the way are left out: their pages stay, and the kernel takes them back for want of
        memory. Where the kernel cannot reset its counter, a peak below an earlier one is not known.
        """
        peak = self._number("peak")
        if not self.limits_memory or (not self._reset and peak <= self._idle_peak):
            return None
        read = self._cache() - self._idle_cache
        return min(max(peak - self._idle - read, 0), self._most)

    def cpu_s(self) -> float | None:
        """CPU seconds of all its processes so far; None where they are not counted."""
        if self.unified:
            used = self._count("cpu", rb"usage_usec (\d+)")
            return used / 1e6 if "cpu" in self._files else None
        return self._number("cpu") / 1e9 if "cpu" in self._files else None

    def kills(self) -> int:
        """How often a process was killed for want of memory so far."""
        return self._count("memory", rb"oom_kill (\d+)")

    def refused_processes(self) -> int:
        """How often a new process was refused so far."""
        return self._count("pids", rb"max (\d+)")

    def close(self) -> None:
        """Close and remove; what is not empty yet is left to the keeper."""
        for fd in self._files.values():
            os.close(fd)
        self._files = {}
        for folder in self.paths:
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _count(self, use: str, pattern: bytes) -> int:
        if use not in self._files:
            return 0
        found = re.search(pattern, os.pread(self._files[use], 4096, 0))
        return int(found[1]) if found else 0

    def _number(self, use: str) -> int:
        return int(os.pread(self._files[use], 64, 0)) if use in self._files else 0

    def _cache(self) -> int:
        """Bytes of files' pages; those of a tmpfs are memory."""
        if "stat" not in self._files:
            return 0
        counts = dict(_STATISTIC.findall(os.pread(self._files["stat"], 8192, 0)))
        return max(int(counts.get(b"file" if self.unified else b"cache", 0)) - int(counts.get(b"shmem", 0)), 0)

    def _write(self, use: str, value: int) -> bool:
        if use not in self._files:
            return False
        try:
            os.pwrite(self._files[use], b"%d" % value, 0)
        except OSError:
            return False
        return True


class _Shared:
    """Our own group of version 2 while it shares out, for all sandboxes of this process."""

    delegation: Delegation | None = None
    users = 0


class Groups:
    """Makes the cgroups of one sandbox, below this process's own so that limits on us hold for them.

    Attributes:
        unified: Whether this is version 2.
        bases: Controller -> the folder in which groups are made; empty where none can be.
        delegation: What was changed for them, once they are open.
    """

    def __init__(self) -> None:
        self.unified, self.bases = _bases()
        self.prefix = f"codejury-{os.getpid()}-{secrets.token_hex(4)}"
        self.made = 0
        self.delegation: Delegation | None = None

    @property
    def available(self) -> bool:
        """Whether groups that limit memory can be made, now or once these are open."""
        base = self._to_share()
        return "memory" in self.bases or (base is not None and can_delegate(base))

    def open(self) -> None:
        """Make sure that groups can be made, and remove those that dead processes have left."""
        shared, base = _Shared.delegation, self._to_share()
        if shared is None and base is not None:
            shared = _Shared.delegation = delegate(base, f"{self.prefix}-own")
        if shared is not None:
            self.delegation = shared
            _Shared.users += 1
            self.bases = dict.fromkeys(CONTROLLERS, Path(shared.base))
        for base in set(self.bases.values()):
            _remove_orphans(base)

    def close(self) -> bool:
        """No group is made any more; whether the keeper is to put back what was changed for all sandboxes."""
        if self.delegation is None:
            return False
        self.delegation, self.bases = None, {}
        _Shared.users -= 1
        if _Shared.users == 0:
            _Shared.delegation = None
        return _Shared.users == 0

    def _to_share(self) -> Path | None:
        """Our own group where groups can only be made if it shares out; not the leaf that we moved to."""
        own = _own().get("")
        if not self.unified or self.bases or own is None or _NAME.fullmatch(Path(own).name):
            return None
        return MOUNT / own

    def planned(self, lanes: int) -> list[str]:
        """Paths of the first `lanes` groups, which the keeper removes should this process be killed."""
        return [
            str(base / f"{self.prefix}-{i}") for base in sorted(set(self.bases.values())) for i in range(lanes)
        ]

    def make(self) -> Group | None:
        """The groups of one more lane; None where there are none to be had."""
        folders = {}
        for controller, base in self.bases.items():
            folder = base / f"{self.prefix}-{self.made}"
            with contextlib.suppress(OSError):
                folder.mkdir(exist_ok=True)
                folders[controller] = folder
        self.made += 1
        return Group(folders, unified=self.unified) if folders else None


def _bases() -> tuple[bool, dict[str, Path]]:
    """Whether version 2 is in use, and the writable folder of each controller."""
    own = _own()
    legacy = {c: MOUNT / c / own[c] for c in CONTROLLERS if c in own}
    usable = {c: folder for c, folder in legacy.items() if _writable(folder)}
    if usable or not (MOUNT / "cgroup.controllers").exists():
        return False, usable
    base = MOUNT / own.get("", "")
    with contextlib.suppress(OSError):
        given = (base / "cgroup.subtree_control").read_text(encoding="utf-8").split()
        if _writable(base) and set(NEEDED) <= set(given):
            return True, dict.fromkeys(CONTROLLERS, base)
    return True, {}


def _own() -> dict[str, str]:
    """Controller -> path of our own group below its mount; version 2's stands under the empty name."""
    own: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            own.update(dict.fromkeys(controllers.split(","), path.lstrip("/")))
    return own


def _open(path: Path, *, write: bool) -> int:
    """A descriptor; one that is to be written is for reading alone where the kernel does not let it be written."""
    if write:
        with contextlib.suppress(OSError):
            return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _remove_orphans(base: Path) -> None:
    """Groups of processes that are gone."""
    with contextlib.suppress(OSError):
        for entry in base.iterdir():
            match = _NAME.fullmatch(entry.name)
            if match and not Path(f"/proc/{match[1]}").exists():
                with contextlib.suppress(OSError):
                    entry.rmdir()


def _write(path: Path, value: int) -> None:
    with contextlib.suppress(OSError):
        path.write_text(str(value), encoding="ascii")
