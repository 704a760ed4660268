"""Which layers of isolation this machine gives: each is tried in a process of its own, which then ends.

Run as `python -I -S probe.py NAMES PRIVILEGED`: the layers' names with commas, "1" where ids of the sandbox's own
are to spare. Prints JSON: "refused", name -> null or what the kernel said, and "landlock", the version of its
interface. Standard library alone.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import filters
import kernel
import landlock

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = {
    "pid namespaces": kernel.NEWPID,
    "network namespaces": kernel.NEWNET,
    "ipc namespaces": kernel.NEWIPC,
    "uts namespaces": kernel.NEWUTS,
    "cgroup namespaces": kernel.NEWCGROUP,
}
ALL = kernel.NEWNS | kernel.NEWPID | kernel.NEWNET | kernel.NEWIPC | kernel.NEWUTS | kernel.NEWCGROUP


def main(names: list[str], *, privileged: bool) -> dict[str, str | None]:
    """Try layers by name."""
    layers: dict[str, Callable[[], object]] = {
        "user namespaces": lambda: kernel.unshare(kernel.NEWUSER),
        "mounts": lambda: mount(kernel.NEWUSER | kernel.NEWNS, privileged=privileged),
        **{name: partial(kernel.unshare, kernel.NEWUSER | flag) for name, flag in KINDS.items()},
        "namespaces": lambda: settle(kernel.NEWUSER | ALL, privileged=privileged),
        "seccomp": lambda: kernel.load_filter(filters.deny_list(kernel.known_machine())),
        "landlock": landlock.version,
    }
    return {name: refusal(layers[name]) for name in names}


def mount(flags: int, *, privileged: bool) -> None:
    """Mount something in a mount namespace of one's own, the way the sandbox does."""
    if privileged:
        kernel.unshare(kernel.NEWNS)
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        kernel.mount("tmpfs", "/tmp", "tmpfs", kernel.MS_NOSUID)  # noqa: S108 - covered, not used
    kernel.unshare(flags)
    kernel.mount("tmpfs", "/tmp", "tmpfs", kernel.MS_NOSUID)  # noqa: S108 - covered, not used


def settle(flags: int, *, privileged: bool) -> None:
    """Take namespaces, name one and enter one: a container's filter may let through the first alone."""
    mount(flags, privileged=privileged)
    kernel.sethostname("sandbox")
    kernel.setns(kernel.syscall("pidfd_open", os.getpid(), 0), kernel.NEWUTS)


def landlock_version() -> int:
    """The version of Landlock's interface; 0 for none."""
    try:
        return landlock.version()
    except OSError:
        return 0


def refusal(attempt: Callable[[], object]) -> str | None:
    """What the kernel said to an attempt in a process of its own; None if it let it."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            attempt()
        except BaseException as error:
            os.write(theirs, str(getattr(error, "strerror", None) or error).encode()[:1000] or b"refused")
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return said or (f"ended with status {status}" if status else None)


if __name__ == "__main__":
    refused = main(sys.argv[1].split(","), privileged=sys.argv[2] == "1")
    sys.stdout.write(json.dumps({"refused": refused, "landlock": landlock_version()}))
