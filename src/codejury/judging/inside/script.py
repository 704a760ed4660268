"""Programs that are run as a whole: one process for each run, whose descriptors 0, 1 and 2 are pipes of its own.

This process is a shim that never runs the program: it compiles it, and forks a process for each run, which finds
every other descriptor closed. So nothing that a program does reaches the judge but its output and how it ended.

Frame 0 is `[source, most bytes of output, CPU seconds of a run, limits]`, answered by `["ok"]` or `["syntax",
type, text]`. Each further one is an input as it will be read, answered by `[end, number, microseconds of CPU,
output, errors]`: "exit" with a status, "signal" with its number, or "output" for more output than there may be;
output in base64, and the last of what was written to standard error as text.

A run ends with its first process. What that has written by then counts; descendants are killed, and what they may
write later is not read. Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import binascii
import builtins
import fcntl
import os
import resource
import select
import signal
import sys
import termios

import codec
import frames
import program

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any, NoReturn

WRITES = FORKS = LATE = True
FILE = "/tmp/main.py"  # noqa: S108 - no such file: tracebacks ask the loader
PIECE = 1 << 16
MOST_ERRORS = 2000
"""Bytes of standard error that are kept: the last."""


def channel() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two pipes: requests to the shim, replies from it. (own ends, the judge's ends)."""
    request_read, request_write = os.pipe()
    reply_read, reply_write = os.pipe()
    return (request_read, reply_write), (request_write, reply_read)


def play(requests: int, replies: int, confine: Callable[[], None], clean: Callable[[], None]) -> NoReturn:
    """Run the program whenever the judge asks for it, until the judge closes the pipe.

    Args:
        requests: Where the judge's requests come from.
        replies: Where the replies go.
        confine: The last step of a process before it may turn hostile.
        clean: Removes what a run has left in /tmp.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        Shim(requests, replies, confine, clean, alone=os.getpid() == 1).run()
    except frames.Gone:
        pass
    os._exit(0)


class Shim:
    """One program, run as often as it is asked for.

    Args:
        requests, replies, confine, clean: See `play`.
        alone: Whether this is the first process of its own pid namespace, which all others there descend from.
    """

    def __init__(
        self,
        requests: int,
        replies: int,
        confine: Callable[[], None],
        clean: Callable[[], None],
        *,
        alone: bool,
    ) -> None:
        self.requests, self.replies, self.alone = requests, replies, alone
        self.confine, self.clean = confine, clean
        self.source, self.most, self.cpu_s = "", 0, 0.0
        self.code: CodeType | None = None
        self.limits: list[tuple[str, int]] = []

    def run(self) -> NoReturn:
        """Compile, then run for ever."""
        nonce, body = frames.receive(self.requests, 1 << 31)
        self.source, self.most, self.cpu_s, self.limits = codec.loads(body.decode())
        frames.send(self.replies, nonce, codec.dumps(self.compile()).encode())
        while True:
            nonce, given = frames.receive(self.requests, 1 << 31)
            reply = self.once(given)
            frames.send(self.replies, nonce, codec.dumps(reply).encode())

    def compile(self) -> list[str]:
        """Make the program's code; the reply to frame 0."""
        try:
            # a file may begin with a byte order mark, a text may not
            text = self.source.removeprefix("\ufeff")
            self.code = compile(text, FILE, "exec", dont_inherit=True, optimize=0)
        except BaseException as error:
            return ["syntax", type(error).__name__, str(error)[:1000]]
        return ["ok"]

    def once(self, given: bytes) -> list[Any]:
        """One run with this input; the reply to it."""
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                self.become(stdin[0], stdout[1], stderr[1])
            finally:
                os._exit(71)
        for fd in (stdin[0], stdout[1], stderr[1]):
            os.close(fd)
        run = Run(given, stdin[1], stdout[0], stderr[0], self.most)
        pidfd = os.pidfd_open(pid)
        run.attend(pidfd)
        os.close(pidfd)
        self.end_all(pid)
        _, status, use = os.wait4(pid, 0)
        if self.alone:
            reap()
        run.finish()
        self.clean()
        if run.over():
            end, number = "output", self.most
        elif os.WIFSIGNALED(status):
            end, number = "signal", os.WTERMSIG(status)
        else:
            end, number = "exit", os.WEXITSTATUS(status)
        cpu_us = int((use.ru_utime + use.ru_stime) * 1e6)
        output = binascii.b2a_base64(run.output, newline=False).decode()
        return [end, number, cpu_us, output, run.errors[-MOST_ERRORS:].decode(errors="replace")]

    def end_all(self, pid: int) -> None:
        """Kill a run's processes: all that descend from this one, or, without a namespace, its session's."""
        for kill, target in ((os.kill, -1),) if self.alone else ((os.kill, pid), (os.killpg, pid)):
            try:
                kill(target, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # there is none, or none that is left
                pass

    def become(self, *own: int) -> NoReturn:
        """Go on as a run of the program, whose pipes are `own`."""
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, fd in enumerate(own):
            os.dup2(fd, number)
        os.closerange(3, 4096)
        for name, value in self.limits:  # of this sample, below those of the lane
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
        seconds, most = int(self.cpu_s) + 1, resource.getrlimit(resource.RLIMIT_CPU)[1]
        if most == resource.RLIM_INFINITY or seconds < most:  # a backstop where no cgroup counts
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        code, source = self.code, self.source
        assert code is not None
        self.confine()
        program.run(code, source, FILE)


def reap() -> None:
    """Wait for the end of all descendants."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


class Run:
    """The shim's ends of one run's pipes.

    Args:
        given: What the run gets to read.
        stdin, stdout, stderr: Descriptors.
        most: Bytes of output that there may be.
    """

    def __init__(self, given: bytes, stdin: int, stdout: int, stderr: int, most: int) -> None:
        self.stdin, self.stdout, self.stderr, self.most = stdin, stdout, stderr, most
        self.rest = memoryview(given)
        self.output, self.errors = bytearray(), bytearray()
        self.left: dict[int, int] = {}  # bytes in the pipes when the first process had ended
        self.poll = select.poll()
        self.open: set[int] = set()
        for fd, event in ((stdin, select.POLLOUT), (stdout, select.POLLIN), (stderr, select.POLLIN)):
            os.set_blocking(fd, False)
            self.poll.register(fd, event)
            self.open.add(fd)
        if not given:
            self.close(stdin)

    def attend(self, pidfd: int) -> None:
        """Feed and read until the first process has ended, or has written too much."""
        self.poll.register(pidfd, select.POLLIN)
        while not self.over():
            ready = {fd for fd, _ in self.poll.poll()}
            if self.stdin in ready:
                self.feed()
            if self.stderr in ready:
                self.read(self.stderr, self.errors, PIECE)
                del self.errors[:-MOST_ERRORS]
            if pidfd in ready:
                self.left = {fd: waiting(fd) for fd in (self.stdout, self.stderr) if fd in self.open}
                return
            if self.stdout in ready:
                self.read(self.stdout, self.output, PIECE)

    def finish(self) -> None:
        """Read what was in the pipes when the first process had ended; descendants add nothing to it."""
        for fd, into in ((self.stdout, self.output), (self.stderr, self.errors)):
            end = len(into) + self.left.get(fd, 0)
            while len(into) < end:
                self.read(fd, into, end - len(into))
        for fd in tuple(self.open):
            self.close(fd)

    def over(self) -> bool:
        """Whether there is too much output."""
        return len(self.output) > self.most

    def feed(self) -> None:
        """Write more of the input; a program need not read it."""
        try:
            self.rest = self.rest[os.write(self.stdin, self.rest[:PIECE]) :]
        except BlockingIOError:
            return
        except OSError:
            self.rest = self.rest[:0]
        if not self.rest:
            self.close(self.stdin)

    def read(self, fd: int, into: bytearray, most: int) -> None:
        """Read what is there, once."""
        try:
            data = os.read(fd, most)
        except BlockingIOError:
            return
        into += data
        if not data:
            self.close(fd)

    def close(self, fd: int) -> None:
        """Close one end."""
        self.poll.unregister(fd)
        self.open.discard(fd)
        os.close(fd)


def waiting(fd: int) -> int:
    """Bytes in a pipe."""
    return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, bytes(4)), sys.byteorder)


def warm_up() -> None:
    """Play the whole part a few times, so that children find caches filled and code specialised."""
    add_site_names()
    source = "import sys\nfor line in sys.stdin:\n    print(sum(map(int, line.split())))\n"
    for _ in range(8):
        requests, replies = os.pipe(), os.pipe()
        for number, body in enumerate((codec.dumps([source, 1 << 20, 1.0, []]).encode(), b"1 2\n3\n")):
            frames.send(requests[1], number, body)
        os.close(requests[1])
        try:
            Shim(requests[0], replies[1], nothing, nothing, alone=False).run()
        except frames.Gone:
            pass
        for fd in (requests[0], *replies):
            os.close(fd)


def nothing() -> None:
    """Do nothing."""


def add_site_names() -> None:
    """The builtins that an interpreter has from `site`, which a zygote starts without."""
    import _sitebuiltins

    for name in ("exit", "quit"):
        setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))
    builtins.help = _sitebuiltins._Helper()  # noqa: SLF001 - as site does
