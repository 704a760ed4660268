"""Linux system calls that Python's standard library does not offer in every version from 3.9 on.

Runs inside the sandbox on the user's interpreter: standard library alone.
"""

from __future__ import annotations

import ctypes
import os

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT = 1, 2, 4, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2
MOUNT_SETATTR, AT_RECURSIVE, AT_FDCWD = 442, 0x8000, (1 << 64) - 100
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38

_libc = ctypes.CDLL(None, use_errno=True)
_ulong, _int = ctypes.c_ulong, ctypes.c_int


def _checked(result: int, name: str) -> int:
    if result < 0:
        errno = ctypes.get_errno()
        raise OSError(errno, f"{name}: {os.strerror(errno)}")
    return result


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


def syscall(number: int, *args: int | bytes) -> int:
    """A system call by number; integers are passed as unsigned long, bytes as pointers."""
    return _checked(
        _libc.syscall(ctypes.c_long(number), *(a if isinstance(a, bytes) else _ulong(a) for a in args)),
        f"system call {number}",
    )


def drop_capabilities() -> None:
    """Give up every capability, for good once no_new_privs is set."""
    header = (0x20080522).to_bytes(4, "little") + bytes(4)
    _checked(_libc.capset(header, bytes(24)), "capset")


# ---- seccomp

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from typing import TypeAlias

    Code: TypeAlias = list[tuple[int, int, int, int]]

ARCHITECTURES = {"x86_64": 0xC000003E}

# Refused with EPERM. Shared memory and message queues of System V and POSIX are refused, which saves an IPC
# namespace for each sample; so are sockets but for socketpair, and memfd_create, whose pages no limit of the
# process counts.
DENIED = {
    "x86_64": """
        socket 41 connect 42 accept 43 bind 49 listen 50 accept4 288 ptrace 101 process_vm_readv 310
        process_vm_writev 311 kcmp 312 pidfd_getfd 438 process_madvise 440 bpf 321 perf_event_open 298
        userfaultfd 323 seccomp 317 add_key 248 request_key 249 keyctl 250 mount 165 umount2 166 pivot_root 155
        chroot 161 fsopen 430 fsconfig 431 fsmount 432 fspick 433 move_mount 429 open_tree 428 mount_setattr 442
        io_uring_setup 425 io_uring_enter 426 io_uring_register 427 init_module 175 finit_module 313
        delete_module 176 kexec_load 246 kexec_file_load 320 reboot 169 swapon 167 swapoff 168 acct 163
        quotactl 179 quotactl_fd 443 personality 135 syslog 103 open_by_handle_at 304 name_to_handle_at 303
        setpriority 141 sched_setscheduler 144 sched_setattr 314 sched_setparam 142 sched_setaffinity 203
        ioprio_set 251 mlock 149 mlockall 151 mlock2 325 mknod 133 mknodat 259 memfd_create 319 memfd_secret 447
        vhangup 153 iopl 172 ioperm 173 settimeofday 164 clock_settime 227 adjtimex 159 clock_adjtime 305
        lookup_dcookie 212 vmsplice 278 modify_ldt 154 migrate_pages 256 move_pages 279 mbind 237
        set_mempolicy 238 fanotify_init 300 shmget 29 shmat 30 shmctl 31 semget 64 semop 65 semctl 66
        semtimedop 220 msgget 68 msgsnd 69 msgrcv 70 msgctl 71 mq_open 240 mq_unlink 241
        landlock_create_ruleset 444 landlock_add_rule 445 landlock_restrict_self 446 sethostname 170
        setdomainname 171 nfsservctl 180 uselib 134 ustat 136 sysfs 139 _sysctl 156 create_module 174
        get_kernel_syms 177 query_module 178 flock 73 inotify_init 253 inotify_init1 294 inotify_add_watch 254""",
}
# Numbers of the calls that are filtered by their arguments: clone, clone3, unshare, setns, ioctl, fcntl, and the
# last number that we know.
SPECIAL = {
    "x86_64": {"clone": 56, "clone3": 435, "unshare": 272, "setns": 308, "ioctl": 16, "fcntl": 72, "last": 462},
}

_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _EPERM, _ENOSYS, _KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
_NAMESPACE_FLAGS = NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET | 0x80
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_DONE = 0x00050000  # the call is not made, and its caller told that it was
# A lock on a file that all samples see would be a signal between them: record locks are granted, but not taken.
_LOCKS = (6, 7, 37, 38)
_OTHERS_SIGNALS = (8, 10, 15, 1024, 1026)  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY


def seccomp_filter(machine: str) -> Code:
    """The filter as classic BPF instructions `(code, jump if true, jump if false, constant)`.

    EPERM for DENIED and for new namespaces; ENOSYS for clone3, whose flags lie in memory, and for numbers that
    we do not know. unshare and setns pass for exactly CLONE_NEWPID: a lane needs them, and a candidate, which
    has no capability, is refused by the kernel.
    """
    n = SPECIAL[machine]

    def refuse_any(numbers: list[int]) -> Code:
        if len(numbers) <= 2:
            leaves = [x for nr in numbers for x in ((_JUMP_EQUAL, 0, 1, nr), (_RETURN, 0, 0, _EPERM))]
            return [*leaves, (_RETURN, 0, 0, _ALLOW)]
        low = refuse_any(numbers[: len(numbers) // 2])
        high = refuse_any(numbers[len(numbers) // 2 :])
        return [(_JUMP_GREATER_EQUAL, len(low), 0, numbers[len(numbers) // 2]), *low, *high]

    def only_newpid(nr: int, arg: int) -> Code:
        return [
            (_JUMP_EQUAL, 0, 4, nr),
            (_LOAD, 0, 0, 16 + 8 * arg),
            (_JUMP_EQUAL, 0, 1, NEWPID),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _EPERM),
        ]

    def by_second_argument(nr: int, answers: list[tuple[int, int]]) -> Code:
        checks = [x for value, answer in answers for x in ((_JUMP_EQUAL, 0, 1, value), (_RETURN, 0, 0, answer))]
        return [(_JUMP_EQUAL, 0, len(checks) + 2, nr), (_LOAD, 0, 0, 24), *checks, (_RETURN, 0, 0, _ALLOW)]

    denied = sorted(int(number, 0) for number in DENIED[machine].split()[1::2])
    return [
        (_LOAD, 0, 0, 4),
        (_JUMP_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        (_JUMP_EQUAL, 0, 1, n["clone3"]),
        (_RETURN, 0, 0, _ENOSYS),
        (_JUMP_GREATER_EQUAL, 0, 1, n["last"] + 1),
        (_RETURN, 0, 0, _ENOSYS),
        (_JUMP_EQUAL, 0, 4, n["clone"]),
        (_LOAD, 0, 0, 16),
        (_JUMP_SET, 0, 1, _NAMESPACE_FLAGS),
        (_RETURN, 0, 0, _EPERM),
        (_RETURN, 0, 0, _ALLOW),
        *by_second_argument(n["ioctl"], [(_TIOCSTI, _EPERM), (_TIOCLINUX, _EPERM)]),
        *by_second_argument(n["fcntl"], [*((c, _DONE) for c in _LOCKS), *((c, _EPERM) for c in _OTHERS_SIGNALS)]),
        *only_newpid(n["unshare"], 0),
        *only_newpid(n["setns"], 1),
        *refuse_any(denied),
    ]


def load_seccomp() -> None:
    """Set no_new_privs and load the filter; both are inherited by every child."""
    machine = os.uname().machine
    if machine not in ARCHITECTURES:
        raise OSError(f"no seccomp filter for the architecture {machine!r}")
    code = seccomp_filter(machine)
    data = b"".join(
        op.to_bytes(2, "little") + bytes((jt, jf)) + (k & 0xFFFFFFFF).to_bytes(4, "little")
        for op, jt, jf, k in code
    )
    buffer = ctypes.create_string_buffer(data, len(data))
    program = len(code).to_bytes(8, "little") + ctypes.addressof(buffer).to_bytes(8, "little")
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall(317, 1, 0, program)
