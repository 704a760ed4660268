"""Linux system calls that Python's standard library does not offer in every version from 3.9 on.

Runs inside the sandbox on the user's interpreter: standard library alone.
"""

from __future__ import annotations

import ctypes
import errno
import os

import filters
from calls import NUMBERS

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
THREAD = 0x00010000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT = 1, 2, 4, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2
AT_RECURSIVE, AT_FDCWD = 0x8000, (1 << 64) - 100
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38

# PyDLL keeps the interpreter's lock: there is one thread, and each page that a child touches is a copy of its own
_libc = ctypes.PyDLL(None, use_errno=True)
_ulong, _int = ctypes.c_ulong, ctypes.c_int


def _checked(result: int, name: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def fork() -> int:
    """Fork, for a process of one thread: `os.fork` without the work that makes other threads' locks anew.

    That work touches some sixty pages, which the kernel then copies for each child.
    """
    return _checked(_libc.fork(), "fork")


def unshare(flags: int) -> None:
    """Leave namespaces for new ones."""
    _checked(_libc.unshare(_int(flags)), "unshare")


def setns(fd: int, flags: int) -> None:
    """Enter the namespaces that `fd` stands for."""
    _checked(_libc.setns(_int(fd), _int(flags)), "setns")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """Mount; texts may be None."""
    source_, target_, kind_, data_ = (
        text.encode() if text is not None else None for text in (source, target, kind, data)
    )
    _checked(_libc.mount(source_, target_, kind_, _ulong(flags), data_), f"mount {target}")


def umount(target: str, flags: int) -> None:
    """Unmount."""
    _checked(_libc.umount2(target.encode(), _int(flags)), f"umount {target}")


def prctl(option: int, value: int) -> None:
    """The process's own switches."""
    _checked(_libc.prctl(_int(option), _ulong(value), _ulong(0), _ulong(0), _ulong(0)), "prctl")


def sethostname(name: str) -> None:
    """Name the UTS namespace."""
    _checked(_libc.sethostname(name.encode(), ctypes.c_size_t(len(name))), "sethostname")


def syscall(name: str, *args: int | bytes | None) -> int:
    """A system call by name; integers are passed as unsigned long, bytes as pointers, None as no pointer."""
    number = NUMBERS[known_machine()][name]
    values = (_ulong(a) if isinstance(a, int) else a for a in args)
    return _checked(_libc.syscall(ctypes.c_long(number), *values), name)


def drop_capabilities() -> None:
    """Give up every capability, for good once no_new_privs is set."""
    header = (0x20080522).to_bytes(4, "little") + bytes(4)
    _checked(_libc.capset(header, bytes(24)), "capset")


# ---- filters of system calls


def load_filter(code: filters.Code) -> None:
    """Set no_new_privs and load a filter; both are inherited by every child."""
    data = filters.encoded(code)
    buffer = ctypes.create_string_buffer(data, len(data))
    program = len(code).to_bytes(8, "little") + ctypes.addressof(buffer).to_bytes(8, "little")
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall("seccomp", 1, 0, program)


def known_machine() -> str:
    """The architecture, if its calls are known; raises OSError."""
    machine = os.uname().machine
    if machine not in filters.ARCHITECTURES:
        known = ", ".join(filters.ARCHITECTURES)
        raise OSError(errno.ENOSYS, f"no filter of system calls for the architecture {machine}; known are {known}")
    return machine
