r"""Tries to get out of the sandbox, or to reach anything but oneself.

Class "escape" and point 8: network, files, devices, identities, namespaces, system calls that have no business in
a function, signals and scheduling of others. Each is a probe that answers rightly only if the wall has a hole, so
`passed` means a hole. Numbers of system calls are those of x86-64 and of arm64. No probe does harm where it
succeeds: kill(-1) is sent only by a process 1, which is alone in its namespace.
"""

from __future__ import annotations

from .case import WRONG, Case, source
from .tasks import INCREMENT

PROBE = source(
    """
    import ctypes, errno, os, socket, stat, sys

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    ARM = os.uname().machine == "aarch64"

    def call(x86, arm, *args):
        args = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
        return libc.syscall(ctypes.c_long(arm if ARM else x86), *args)

    def works(action):
        try:
            return action() is not False
        except (OSError, ValueError, AttributeError):
            return False

    def writes(path):
        return works(lambda: open(path, "ab").close())

    def capabilities():
        data = ctypes.create_string_buffer(24)
        call(125, 90, ctypes.create_string_buffer((0x20080522).to_bytes(4, "little") + bytes(4)), data)
        return any(data.raw)

    def others():
        own = os.getpid()
        near = range(own - 40, own + 40)
        return [pid for pid in (*range(1, 101), os.getppid(), *near) if pid > 0 and pid != own]

    """
)

_PROBES: tuple[tuple[str, str, str], ...] = (
    # network
    ("connect-metadata", "", "works(lambda: socket.create_connection(('169.254.169.254', 80), 1))"),
    ("connect-world", "", "works(lambda: socket.create_connection(('1.1.1.1', 443), 1))"),
    ("connect-world-6", "", "works(lambda: socket.create_connection(('2606:4700:4700::1111', 443), 1))"),
    (
        "connect-loopback",
        "",
        "any(works(lambda: socket.create_connection(('127.0.0.1', p), 1)) for p in (22, 80, 8080))",
    ),
    ("resolve-a-name", "", "works(lambda: socket.getaddrinfo('example.com', 443))"),
    (
        "udp-send",
        "",
        "works(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 53)))",
    ),
    ("abstract-socket", "", "works(lambda: socket.socket(socket.AF_UNIX).bind('\\0codejury-probe'))"),
    ("netlink", "", "works(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))"),
    ("raw-socket", "", "works(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))"),
    ("packet-socket", "", "works(lambda: socket.socket(17, socket.SOCK_RAW, 3))"),
    ("vsock", "", "works(lambda: socket.socket(40, socket.SOCK_STREAM))"),
    ("crypto-socket", "", "works(lambda: socket.socket(38, socket.SOCK_SEQPACKET))"),
    ("bluetooth-socket", "", "works(lambda: socket.socket(31, socket.SOCK_RAW, 1))"),
    ("other-interfaces", "", "works(lambda: any(n.startswith(('e', 'w')) for _, n in socket.if_nameindex()))"),
    # files
    (
        "write-root",
        "",
        "any(writes(p) for p in ('/probe', '/usr/probe', '/etc/probe', '/judge/probe', '/dev/probe'))",
    ),
    ("write-library", "", "any(writes(os.path.join(os.path.dirname(os.__file__), p)) for p in ('x.py', 'os.py'))"),
    ("write-interpreter", "", "writes(sys.executable or '/usr/bin/python3')"),
    (
        "make-folder",
        "",
        "any(works(lambda: os.mkdir(p)) for p in ('/probe', '/usr/probe', '/var/probe', '/run/probe'))",
    ),
    ("chmod-library", "", "works(lambda: os.chmod(os.__file__, os.stat(os.__file__).st_mode & 0o7777))"),
    ("touch-library", "", "works(lambda: os.utime(os.__file__))"),
    ("block-device", "", "works(lambda: os.mknod('/tmp/b', 0o600 | stat.S_IFBLK, os.makedev(8, 0)))"),
    ("memory-device", "", "works(lambda: os.mknod('/tmp/m', 0o600 | stat.S_IFCHR, os.makedev(1, 1)))"),
    ("hard-link", "", "works(lambda: os.link(os.__file__, '/tmp/linked'))"),
    ("link-to-shadow", "", "works(lambda: (os.symlink('/etc/shadow', '/tmp/s'), open('/tmp/s').read(1)))"),
    ("leave-by-dots", "", "any(writes('/tmp/' + '../' * 20 + p) for p in ('probe', 'usr/probe', 'old/probe'))"),
    (
        "write-runtime",
        "",
        "any(writes('/judge/' + n) for n in (os.listdir('/judge') if os.access('/judge', 5) else ()))",
    ),
    ("old-root", "", "any(os.access(p, 5) and os.listdir(p) for p in ('/old', '/.old', '/oldroot', '/put_old'))"),
    ("leave-by-descriptor", "", "any(works(lambda: os.fchdir(fd)) for fd in range(256))"),
    (
        "shared-file-lock",
        "import fcntl",
        "works(lambda: fcntl.flock(open(os.__file__), fcntl.LOCK_EX | fcntl.LOCK_NB))",
    ),
    # identity
    (
        "become-root",
        "",
        "works(lambda: os.setuid(0)) or works(lambda: os.setresuid(0, 0, 0)) or os.geteuid() == 0",
    ),
    (
        "become-another",
        "",
        "works(lambda: os.setuid(os.getuid() + 1)) or works(lambda: os.setgid(os.getgid() + 1))",
    ),
    ("groups", "", "bool(set(os.getgroups()) - {os.getgid(), 65534}) or works(lambda: os.setgroups([0]))"),
    ("low-uid", "", "os.getuid() < 1000 or os.getgid() < 1000"),
    ("not-process-1", "", "os.getpid() != 1"),
    ("capabilities", "", "capabilities()"),
    ("ambient-capability", "", "any(libc.prctl(47, 2, c, 0, 0) == 0 for c in range(41))"),
    ("new-privileges", "", "libc.prctl(39, 0, 0, 0, 0) != 1"),
    ("no-seccomp", "", "libc.prctl(21, 0, 0, 0, 0) != 2"),
    ("host-name", "", "works(lambda: socket.sethostname('probe'))"),
    ("set-clock", "import time", "works(lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()))"),
    (
        "raise-limits",
        "import resource",
        "any(works(lambda: resource.setrlimit(r, (-1, -1))) for r in (1, 4, 6, 7, 9))",
    ),
    # other processes
    ("kill-everybody", "", "works(lambda: os.kill(-1, 0))"),
    ("parent-visible", "", "os.getppid() != 0"),
    ("kill-others", "", "any(works(lambda: os.kill(p, 0)) for p in others())"),
    ("kill-groups", "", "any(works(lambda: os.killpg(p, 0)) for p in others())"),
    ("pidfd-others", "import signal", "any(works(lambda: os.pidfd_open(p)) for p in others())"),
    (
        "pidfd-inherited",
        "import signal",
        "any(works(lambda: signal.pidfd_send_signal(fd, 0)) for fd in range(256))",
    ),
    ("nice-others", "", "any(works(lambda: os.setpriority(os.PRIO_PROCESS, p, 19)) for p in others())"),
    ("nice-higher", "", "works(lambda: os.nice(-5) < 0)"),
    ("limit-others", "import resource", "any(works(lambda: resource.prlimit(p, 0, (1, 1))) for p in others())"),
    ("schedule-others", "", "any(works(lambda: os.sched_setaffinity(p, {0})) for p in others())"),
    (
        "schedule-idle-others",
        "",
        "any(works(lambda: os.sched_setscheduler(p, os.SCHED_IDLE, os.sched_param(0))) for p in others())",
    ),
    ("realtime", "", "works(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))"),
    (
        "own-signals-others",
        "import fcntl",
        "any(works(lambda: fcntl.fcntl(r, fcntl.F_SETOWN, p)) for r in os.pipe() for p in others())",
    ),
    ("memory-of-others", "", "any(works(lambda: open(f'/proc/{p}/mem', 'rb')) for p in others())"),
    ("descriptors-of-others", "", "any(works(lambda: os.listdir(f'/proc/{p}/fd')) for p in others())"),
    ("program-of-others", "", "any(works(lambda: os.readlink(f'/proc/{p}/exe')) for p in others())"),
    ("command-line-of-others", "", "any(works(lambda: open(f'/proc/{p}/cmdline')) for p in others())"),
    (
        "sends-to-sockets",
        "",
        "works(lambda: socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'', '/dev/log'))",
    ),
    (
        "signals-by-sockets",
        "import fcntl, struct",
        "any(works(lambda: fcntl.ioctl(socket.socketpair()[0], 0x8901, struct.pack('i', p))) for p in others())",
    ),
    ("outlives-its-parent", "", "libc.prctl(1, 0, 0, 0, 0) == 0 and os.getpid() != 1"),
    ("becomes-visible", "", "libc.prctl(4, 1, 0, 0, 0) == 0 and os.getpid() != 1"),
    (
        "changes-rights",
        "",
        "any(works(lambda: os.chmod(p, 0o755)) for p in ('/', os.__file__, '/dev/null'))",
    ),
    ("changes-owner", "", "any(works(lambda: os.chown(p, -1, -1)) for p in ('/', os.__file__, '/dev/null'))"),
    ("changes-times", "", "any(works(lambda: os.utime(p)) for p in ('/', os.__file__, '/dev/null'))"),
    ("changes-attributes", "", "any(works(lambda: os.setxattr(p, 'user.x', b'')) for p in ('/', os.__file__))"),
    ("session-of-others", "", "any(works(lambda: os.getsid(p)) for p in others())"),
    ("terminal", "", "any(os.isatty(fd) for fd in range(64)) or works(lambda: open('/dev/tty'))"),
    (
        "sockets-with-rights",
        "",
        "any(works(lambda: socket.socket(fileno=os.dup(fd)).getpeername()) for fd in range(3, 64))",
    ),
)

_CALLS: tuple[tuple[str, int, int, str], ...] = (
    ("unshare-user", 272, 97, "0x10000000"),
    ("unshare-mount", 272, 97, "0x00020000"),
    ("unshare-net", 272, 97, "0x40000000"),
    ("unshare-pid", 272, 97, "0x20000000"),
    ("unshare-cgroup", 272, 97, "0x02000000"),
    ("clone-user", 56, 220, "0x10000011, 0, 0, 0, 0"),
    ("clone3-user", 435, 435, "ctypes.create_string_buffer((0x10000000).to_bytes(8, 'little') + bytes(80)), 88"),
    ("mount-tmpfs", 165, 40, "b'none', b'/tmp', b'tmpfs', 0, None"),
    ("mount-proc", 165, 40, "b'proc', b'/tmp', b'proc', 0, None"),
    ("remount-writable", 165, 40, "b'none', b'/', None, 32 | 4096, None"),
    ("unmount-tmp", 166, 39, "b'/tmp', 2"),
    ("fsopen", 430, 430, "b'tmpfs', 0"),
    ("open-tree", 428, 428, "-100, b'/', 1"),
    ("chroot", 161, 51, "b'/tmp'"),
    ("ptrace", 101, 117, "0, 0, 0, 0"),
    (
        "bpf",
        321,
        280,
        "0, ctypes.create_string_buffer(b'\\2\\0\\0\\0\\4\\0\\0\\0\\4\\0\\0\\0\\1' + bytes(59)), 72",
    ),
    ("io-uring", 425, 425, "4, ctypes.create_string_buffer(120)"),
    (
        "perf",
        298,
        241,
        "ctypes.create_string_buffer(b'\\1\\0\\0\\0\\x70' + bytes(35) + b'\\x60' + bytes(71)), 0, -1, -1, 0",
    ),
    ("add-key", 248, 217, "b'user', b'codejury', b'x', 1, -2"),
    ("keyring", 250, 219, "0, -3, 1"),
    ("userfaultfd", 323, 282, "1"),
    ("kernel-log", 103, 116, "3, ctypes.create_string_buffer(4096), 4096"),
    ("fanotify", 300, 262, "0, 0"),
    ("x32-socket", 1 << 30 | 41, 500, "1, 1, 0"),
)

_POINTS = {
    "shared-file-lock": "9",
    **dict.fromkeys(
        ("nice-others", "nice-higher", "limit-others", "schedule-others", "schedule-idle-others", "realtime"), "8"
    ),
    **dict.fromkeys(("own-signals-others", "kill-others", "raise-limits"), "8"),
}

CASES: tuple[Case, ...] = (
    *(
        INCREMENT.case(
            f"hole-{name}",
            _POINTS.get(name, "escape"),
            f"{before}\ndef f(x):\n    return x + 1 if ({hole}) else 0\n",
            WRONG,
            prelude=PROBE,
        )
        for name, before, hole in _PROBES
    ),
    *(
        INCREMENT.case(
            f"call-{name}",
            "escape",
            f"""
            def f(x):
                result = call({x86}, {arm}, {args})
                if result == 0 and "clone" in {name!r}:
                    os._exit(0)
                return x + 1 if result >= 0 else 0
            """,
            WRONG,
            prelude=PROBE,
        )
        for name, x86, arm, args in _CALLS
    ),
)
