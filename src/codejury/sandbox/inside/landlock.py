"""Landlock: which files a process may still open, where there are no namespaces to hide them.

Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import os
import stat

import kernel

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
BIND_TCP, CONNECT_TCP = 1 << 0, 1 << 1
ABSTRACT_UNIX_SOCKET, SIGNAL = 1 << 0, 1 << 1
LATEST = 7
_VERSION = 1  # flag of landlock_create_ruleset: give the version alone
_PATH_BENEATH = 1
_QUIET = 1  # flag of landlock_restrict_self from version 7 on: refusals do not fill the system's audit log


def version() -> int:
    """The version of Landlock's interface that the kernel has; raises OSError where it has none."""
    return kernel.syscall("landlock_create_ruleset", None, 0, _VERSION)


def handled(abi: int) -> tuple[int, int, int]:
    """What a ruleset of this version takes away: accesses to files, to the network, scopes beyond the sandbox.

    Version 1 knows 13 accesses to files; 2 adds REFER, 3 TRUNCATE, 4 TCP ports, 5 IOCTL_DEV, 6 the scopes of
    abstract sockets and signals; 7 adds flags for the audit log alone. A later version is used as 7.
    """
    files = (1 << 13) - 1
    for since, access in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        files |= access if abi >= since else 0
    return files, BIND_TCP | CONNECT_TCP if abi >= 4 else 0, ABSTRACT_UNIX_SOCKET | SIGNAL if abi >= 6 else 0


def attributes(abi: int) -> bytes:
    """The ruleset's attributes, in the length that this version takes."""
    files, network, scopes = handled(abi)
    return b"".join(
        x.to_bytes(8, "little") for x in (files, network, scopes)[: 1 if abi < 4 else 2 if abi < 6 else 3]
    )


def ruleset(abi: int, allowed: dict[str, int]) -> int:
    """A ruleset as a descriptor.

    Args:
        abi: The version.
        allowed: Path -> accesses to it and to everything below it; what is not there is left out.
    """
    data = attributes(abi)
    made = kernel.syscall("landlock_create_ruleset", data, len(data), 0)
    for path, accesses in allowed.items():
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        possible = -1 if stat.S_ISDIR(os.fstat(fd).st_mode) else EXECUTE | WRITE_FILE | READ_FILE
        rule = (accesses & possible).to_bytes(8, "little") + fd.to_bytes(4, "little")
        kernel.syscall("landlock_add_rule", made, _PATH_BENEATH, rule, 0)
        os.close(fd)
    return made


def restrict(abi: int, made: int) -> None:
    """Apply a ruleset to this process, for good, and to all that it will start. Sets no_new_privs."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.syscall("landlock_restrict_self", made, _QUIET if abi >= 7 else 0)


def around(tree: str, hidden: set[str]) -> list[str]:
    """Paths that together are all of `tree` but for the folders `hidden`, which may lie below it.

    A rule cannot take away what another gives, so each neighbour on the way to a hidden folder is named.
    """
    inside = {path for path in hidden if path == tree or path.startswith(tree + "/")}
    if tree in inside:
        return []
    if not inside:
        return [tree]
    found: list[str] = []
    with os.scandir(tree) as entries:
        for entry in entries:
            found += around(entry.path, inside) if entry.is_dir(follow_symlinks=False) else [entry.path]
    return found
