"""Filters of system calls (seccomp), as classic BPF instructions `(code, jump if true, jump if false, constant)`.

    deny_list    tier "namespaces": what the namespaces and the missing capabilities leave
    allow_list   tier "landlock", a lane: all that a Python program without files, network and processes needs
    own_alone    tier "landlock", a child: no process but itself

Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

from calls import LAST, NUMBERS

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from typing import TypeAlias

    Code: TypeAlias = list[tuple[int, int, int, int]]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Refused with EPERM. Shared memory and message queues of System V and POSIX are refused, which saves an IPC
# namespace for each sample; so are sockets but for socketpair, and memfd_create, whose pages no limit of the
# process counts.
_DENIED = """
    socket connect accept bind listen accept4 ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd
    process_madvise bpf perf_event_open userfaultfd seccomp add_key request_key keyctl mount umount2
    pivot_root chroot fsopen fsconfig fsmount fspick move_mount open_tree mount_setattr io_uring_setup
    io_uring_enter io_uring_register init_module finit_module delete_module kexec_load kexec_file_load reboot
    swapon swapoff acct quotactl quotactl_fd personality syslog open_by_handle_at name_to_handle_at
    setpriority sched_setscheduler sched_setattr sched_setparam sched_setaffinity ioprio_set mlock mlockall
    mlock2 mknod mknodat memfd_create memfd_secret vhangup iopl ioperm settimeofday clock_settime adjtimex
    clock_adjtime lookup_dcookie vmsplice modify_ldt migrate_pages move_pages mbind set_mempolicy
    fanotify_init shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open
    mq_unlink landlock_create_ruleset landlock_add_rule landlock_restrict_self sethostname setdomainname
    nfsservctl uselib ustat sysfs _sysctl create_module get_kernel_syms query_module flock inotify_init
    inotify_init1 inotify_add_watch
"""
DENIED = _DENIED.split()

# Nothing that changes a file, its owner or its rights; no socket but a pair; no other process.
_ALLOWED = """
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 close close_range lseek open
    openat pipe pipe2 stat lstat fstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink
    readlinkat getdents getdents64 getcwd chdir fchdir umask dup dup2 dup3 fsync fdatasync ftruncate sendfile
    fadvise64 readahead poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait
    epoll_pwait2 eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4 sendto
    recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown getsockopt setsockopt getsockname getpeername mmap
    mprotect munmap brk mremap msync mincore madvise membarrier futex futex_waitv futex_wake futex_wait
    futex_requeue set_robust_list get_robust_list set_tid_address rseq gettid sched_yield exit exit_group
    arch_prctl rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend
    sigaltstack restart_syscall pause kill tgkill nanosleep clock_nanosleep clock_gettime clock_getres
    gettimeofday time times getitimer setitimer alarm timer_create timer_settime timer_gettime
    timer_getoverrun timer_delete getpid getppid getuid geteuid getgid getegid getresuid getresgid getgroups
    getpgrp getpgid getsid setsid capget uname sysinfo getrlimit setrlimit prlimit64 getrusage getcpu
    sched_getaffinity sched_getscheduler sched_getparam sched_get_priority_max sched_get_priority_min
    sched_rr_get_interval getpriority getrandom wait4 waitid pidfd_open seccomp
"""
ALLOWED = _ALLOWED.split()

_LOAD, _JUMP, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_SET, _RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x06
ALLOW, EPERM, EACCES, ENOSYS, KILL = 0x7FFF0000, 0x00050001, 0x0005000D, 0x00050026, 0x80000000
DONE = 0x00050000  # the call is not made, and its caller told that it was
NEWPID, THREAD = 0x20000000, 0x00010000
_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x80
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
# A lock on a file that all samples see would be a signal between them: record locks are granted, but not taken.
_LOCKS = (6, 7, 37, 38)
_OTHERS_SIGNALS = (8, 10, 15, 1024, 1026)  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY
# ioctl: typing into a terminal; whom a socket signals, which would be a way to signal others.
_FIOSETOWN, _SIOCSPGRP = 0x8901, 0x8902
_OF_DEVICES = dict.fromkeys((_TIOCSTI, _TIOCLINUX, _FIOSETOWN, _SIOCSPGRP), EPERM)
_OF_FILES = {**dict.fromkeys(_LOCKS, DONE), **dict.fromkeys(_OTHERS_SIGNALS, EPERM)}
AF_UNIX = 1
# SOCK_STREAM with SOCK_NONBLOCK and SOCK_CLOEXEC or without: a pair of datagram sockets could send to any address.
_STREAMS = (0x1, 0x801, 0x80001, 0x80801)
TRUNCATE = 0x200
# prctl: death signal, dumpable (get, set), name (set, get), seccomp (get), capability (read), timer slack (get),
# no_new_privs (set, get), names of memory areas. A child needs two of them on its way, and is refused them then.
_SWITCHES = (1, 3, 4, 15, 16, 21, 23, 30, 38, 39, 0x53564D41)
_SWITCHES_ON_THE_WAY = (1, 4)
# Calls whose first argument is a process: 0 is oneself, or one's own group.
_OF_A_PROCESS = (
    *("kill", "prlimit64", "getsid", "getpgid", "sched_getaffinity", "sched_getscheduler", "sched_getparam"),
    "sched_rr_get_interval",
)


def deny_list(machine: str) -> Code:
    """EPERM for DENIED and for new namespaces; ENOSYS for clone3, whose flags lie in memory, and unknown numbers.

    unshare and setns pass for exactly CLONE_NEWPID: a lane needs them, and a candidate, which has no capability,
    is refused by the kernel.
    """
    n = NUMBERS[machine]
    return [
        *_beginning(machine),
        *_if_call(n["clone"], [*_argument(0), (_JUMP_SET, 0, 1, _NAMESPACES), _gives(EPERM), _gives(ALLOW)]),
        *_if_call(n["ioctl"], _by_argument(1, _OF_DEVICES, ALLOW)),
        *_if_call(n["fcntl"], _by_argument(1, _OF_FILES, ALLOW)),
        *_if_call(n["unshare"], _by_argument(0, {NEWPID: ALLOW}, EPERM)),
        *_if_call(n["setns"], _by_argument(1, {NEWPID: ALLOW}, EPERM)),
        *_search(sorted(n[name] for name in DENIED if name in n), EPERM, ALLOW),
    ]


def allow_list(machine: str, *, truncate: bool) -> Code:
    """ALLOWED, some of it by its arguments; EPERM for what else is known, ENOSYS for clone3 and unknown numbers.

    Args:
        machine: As `uname -m` names it.
        truncate: Whether opening a file to truncate it is refused here, where Landlock does not know it yet.
    """
    n = NUMBERS[machine]
    streams = _by_argument(1, dict.fromkeys(_STREAMS, ALLOW), EPERM)
    opens: Code = []
    if truncate:
        for name, place in (("open", 1), ("openat", 2)):
            if name in n:
                check = [*_argument(place), (_JUMP_SET, 0, 1, TRUNCATE), _gives(EACCES), _gives(ALLOW)]
                opens += _if_call(n[name], check)
    return [
        *_beginning(machine),
        *_if_call(n["clone"], [*_argument(0), (_JUMP_SET, 0, 1, _NAMESPACES), _gives(EPERM), _gives(ALLOW)]),
        *_if_call(n["ioctl"], _by_argument(1, _OF_DEVICES, ALLOW)),
        *_if_call(n["fcntl"], _by_argument(1, _OF_FILES, ALLOW)),
        *_if_call(n["prctl"], _by_argument(0, dict.fromkeys(_SWITCHES, ALLOW), EPERM)),
        *_if_call(n["socketpair"], [*_argument(0), (_JUMP_EQUAL, 1, 0, AF_UNIX), _gives(EPERM), *streams]),
        *opens,
        *_search(sorted(n[name] for name in ALLOWED if name in n), ALLOW, EPERM),
    ]


def own_alone(machine: str, pid: int) -> Code:
    """On top of `allow_list`, for one process: threads but no processes, signals and limits for itself alone."""
    n = NUMBERS[machine]
    return [
        (_LOAD, 0, 0, 0),
        *_if_call(n["clone"], [*_argument(0), (_JUMP_SET, 0, 1, THREAD), _gives(ALLOW), _gives(EPERM)]),
        *_if_call(n["tgkill"], _by_argument(0, {pid: ALLOW}, EPERM)),
        *(x for name in _OF_A_PROCESS for x in _if_call(n[name], _by_argument(0, {0: ALLOW, pid: ALLOW}, EPERM))),
        *_if_call(n["prctl"], _by_argument(0, dict.fromkeys(_SWITCHES_ON_THE_WAY, EPERM), ALLOW)),
        *_search(sorted(n[name] for name in ("pidfd_open", "seccomp", "setsid")), EPERM, ALLOW),
    ]


def encoded(code: Code) -> bytes:
    """Instructions as the kernel takes them."""
    return b"".join(
        op.to_bytes(2, "little") + bytes((jt, jf)) + (k & 0xFFFFFFFF).to_bytes(4, "little")
        for op, jt, jf, k in code
    )


def _beginning(machine: str) -> Code:
    """Another architecture's call is the end; the number is loaded; clone3 and unknown numbers are not there."""
    return [
        (_LOAD, 0, 0, 4),
        (_JUMP_EQUAL, 1, 0, ARCHITECTURES[machine]),
        _gives(KILL),
        (_LOAD, 0, 0, 0),
        (_JUMP_EQUAL, 0, 1, NUMBERS[machine]["clone3"]),
        _gives(ENOSYS),
        (_JUMP_GREATER_EQUAL, 0, 1, LAST + 1),
        _gives(ENOSYS),
    ]


def _gives(answer: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, answer)


def _argument(place: int) -> Code:
    """Load the lower half of an argument."""
    return [(_LOAD, 0, 0, 16 + 8 * place)]


def _if_call(number: int, then: Code) -> Code:
    """Code for one call, which ends in a return; any other goes on behind it."""
    return [(_JUMP_EQUAL, 0, len(then), number), *then]


def _by_argument(place: int, answers: dict[int, int], other: int) -> Code:
    checks = [x for value, answer in answers.items() for x in ((_JUMP_EQUAL, 0, 1, value), _gives(answer))]
    return [*_argument(place), *checks, _gives(other)]


def _search(numbers: list[int], found: int, other: int) -> Code:
    """Binary search of the call's number."""
    if len(numbers) <= 2:
        leaves = [x for number in numbers for x in ((_JUMP_EQUAL, 0, 1, number), _gives(found))]
        return [*leaves, _gives(other)]
    middle = len(numbers) // 2
    low, high = _search(numbers[:middle], found, other), _search(numbers[middle:], found, other)
    if len(low) <= 255:
        return [(_JUMP_GREATER_EQUAL, len(low), 0, numbers[middle]), *low, *high]
    return [(_JUMP_GREATER_EQUAL, 0, 1, numbers[middle]), (_JUMP, 0, 0, len(low)), *low, *high]
