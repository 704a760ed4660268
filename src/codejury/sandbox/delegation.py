"""Version 2 of control groups: make our own group one that shares out memory and processes, and put it back.

The kernel lets no group but the root share out controllers while it holds processes itself. So a group that was
given to us (a systemd scope or service with Delegate=yes, a container's own) is emptied first: this process and
its descendants move to a leaf below it. That is done only where nobody else is in it; strangers are never moved.

    own group            memory and pids are handed down from here on
      codejury-PID-…-own   this process, and what it starts: the keeper, the zygotes
      codejury-PID-…-0     a lane
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

NEEDED = ("memory", "pids")
"""CPU time is counted in every group of version 2; its controller would only change who runs when."""

_MOST_TRIES = 8


class Delegation(msgspec.Struct, frozen=True):
    """What was changed about our own group; the keeper puts it back (`boot.give_back`).

    Attributes:
        base: The group that shares out.
        leaf: Where our processes are meanwhile; None if they did not have to move.
        enabled: The controllers that were switched on for it.
    """

    base: str
    leaf: str | None
    enabled: tuple[str, ...]


def delegate(base: Path, leaf_name: str) -> Delegation | None:
    """Have `base`, our own group, share out memory and pids; None where it may not.

    Args:
        base: Its folder.
        leaf_name: Of the group for our own processes, if they must move.
    """
    if not can_delegate(base):
        return None
    try:
        given = _words(base / "cgroup.subtree_control")
        missing = tuple(name for name in NEEDED if name not in given)
        if missing and not _is_root(base):
            return _move_and_enable(base, base / leaf_name, missing)
        if missing:
            _say(base / "cgroup.subtree_control", " ".join(f"+{name}" for name in missing))
        return Delegation(str(base), None, missing)
    except OSError:
        return None


def can_delegate(base: Path) -> bool:
    """Whether `base` shares out memory and pids, or may be made to: nobody else is in it."""
    try:
        if not all(os.access(base / name, os.W_OK) for name in ("", "cgroup.procs", "cgroup.subtree_control")):
            return False
        if set(NEEDED) <= set(_words(base / "cgroup.subtree_control")):
            return True
        if not set(NEEDED) <= set(_words(base / "cgroup.controllers")):
            return False
        if _is_root(base):
            return True
        return _words(base / "cgroup.type") == ["domain"] and all(map(is_ours, _words(base / "cgroup.procs")))
    except OSError:
        return False


def _move_and_enable(base: Path, leaf: Path, missing: tuple[str, ...]) -> Delegation | None:
    leaf.mkdir()
    try:
        _move_all(base, leaf)
        _say(base / "cgroup.subtree_control", " ".join(f"+{name}" for name in missing))
    except OSError:
        _move_all(leaf, base)
        leaf.rmdir()
        return None
    return Delegation(str(base), str(leaf), missing)


def _move_all(source: Path, target: Path) -> None:
    """Move every process, also those that are started meanwhile.

    Raises:
        OSError: One is not ours, or the kernel refuses.
    """
    for _ in range(_MOST_TRIES):
        pids = _words(source / "cgroup.procs")
        if not pids:
            return
        for pid in pids:
            if not is_ours(pid):
                raise PermissionError(f"process {pid} is not ours")
            with contextlib.suppress(ProcessLookupError):
                _say(target / "cgroup.procs", pid)
    raise BlockingIOError(f"{source}: processes come faster than they can be moved")


def is_ours(pid: str) -> bool:
    """Whether a process is this one or descends from it, or is gone; 0 is one outside of our pid namespace."""
    number, own = int(pid), os.getpid()
    while number != own:
        if number <= 1:
            return False
        try:
            stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return _is_gone(int(pid))
        number = int(stat.rpartition(")")[2].split()[1])
    return True


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _is_root(base: Path) -> bool:
    """Whether this is the root of all groups, which may hold processes and share out."""
    return not (base / "cgroup.type").exists()


def _words(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").split()


def _say(path: Path, words: str) -> None:
    with path.open("w", encoding="ascii") as file:
        file.write(words)
