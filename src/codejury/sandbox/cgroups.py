"""Control groups, version 1 and 2, where the host lets us make them: memory, processes, CPU time of a lane.

A lane joins its groups once; every child that it forks is counted there. Without them, limits per process remain.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "pids", "cpuacct")
_LEGACY = {
    "cpu": ("cpuacct", "cpuacct.usage"),
    "memory": ("memory", "memory.oom_control"),
    "pids": ("pids", "pids.events"),
}
_UNIFIED = {
    "cpu": ("cpuacct", "cpu.stat"),
    "memory": ("memory", "memory.events"),
    "pids": ("pids", "pids.events"),
}
_NAME = re.compile(r"codejury-(\d+)-[0-9a-f]+-\d+")


class Group:
    """The cgroups of one lane.

    Args:
        folders: Controller -> folder; in version 2 all are the same.
        unified: Whether this is version 2.
    """

    def __init__(self, folders: dict[str, Path], *, unified: bool) -> None:
        self.folders, self.unified = folders, unified
        self._files: dict[str, int] = {}
        for use, (controller, name) in (_UNIFIED if unified else _LEGACY).items():
            with contextlib.suppress(OSError, KeyError):
                self._files[use] = os.open(folders[controller] / name, os.O_RDONLY | os.O_CLOEXEC)

    @property
    def paths(self) -> list[Path]:
        """The distinct folders."""
        return sorted(set(self.folders.values()))

    def limit(self, memory_bytes: int, processes: int) -> None:
        """Set the limits of memory, swap and processes."""
        memory, pids = self.folders.get("memory"), self.folders.get("pids")
        if memory and self.unified:
            _write(memory / "memory.max", memory_bytes)
            _write(memory / "memory.swap.max", 0)
        elif memory:
            _write(memory / "memory.limit_in_bytes", memory_bytes)
            _write(memory / "memory.memsw.limit_in_bytes", memory_bytes)
        if pids:
            _write(pids / "pids.max", processes)

    def cpu_s(self) -> float | None:
        """CPU seconds of all its processes so far; None where they are not counted."""
        if self.unified:
            used = self._count("cpu", rb"usage_usec (\d+)")
            return used / 1e6 if "cpu" in self._files else None
        return int(os.pread(self._files["cpu"], 64, 0)) / 1e9 if "cpu" in self._files else None

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


class Groups:
    """Makes the cgroups of one sandbox, below this process's own so that limits on us hold for them."""

    def __init__(self) -> None:
        self.unified, self.bases = _bases()
        self.prefix = f"codejury-{os.getpid()}-{secrets.token_hex(4)}"
        self.made = 0
        for base in set(self.bases.values()):
            _remove_orphans(base)

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
    own: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            own.update(dict.fromkeys(controllers.split(","), path.lstrip("/")))
    legacy = {c: MOUNT / c / own[c] for c in CONTROLLERS if c in own}
    usable = {c: folder for c, folder in legacy.items() if _writable(folder)}
    if usable or not (MOUNT / "cgroup.controllers").exists():
        return False, usable
    base = MOUNT / own.get("", "")
    with contextlib.suppress(OSError):
        given = (base / "cgroup.subtree_control").read_text(encoding="utf-8").split()
        if _writable(base) and {"memory", "pids"} <= set(given):
            return True, dict.fromkeys(CONTROLLERS, base)
    return True, {}


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
