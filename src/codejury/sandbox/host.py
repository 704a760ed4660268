"""The host's side of the sandbox: starts a zygote, asks it for lanes, takes their children.

Sandbox   one zygote with its namespaces and cgroups
Lane      a place where children of one role run, one at a time
Child     a process that waits for its work: a pidfd and the ends of its channel
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

from codejury.model import MIB, InfrastructureError, Limits, TierUnavailable
from codejury.sandbox.cgroups import Group, Groups
from codejury.sandbox.interpreter import Interpreter

INSIDE = Path(__file__).parent / "inside"
PRELOAD = (
    "typing",
    "math",
    "collections",
    "re",
    "heapq",
    "bisect",
    "itertools",
    "functools",
    "string",
    "copy",
    "operator",
    "random",
    "datetime",
)
FIRST_UID, UIDS = 1_900_000_000, 4096
MOST_LANES = 512
START_TIMEOUT_S = 60.0
BACKSTOP = 16  # the host keeps the limits of CPU time; the kernel's own is above what any of them is raised to
LANE_BYTES = 64 * MIB  # what a lane may use before its child's work begins: it needs a few of them


class Roles(msgspec.Struct, frozen=True):
    """The programs that lanes run.

    Attributes:
        files: Python files that are shown to the sandbox as /judge/NAME.
        modules: Role name -> module name among them.
    """

    files: tuple[str, ...]
    modules: dict[str, str]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a sandbox is started with; nothing of it depends on a problem or program.

    Attributes:
        interpreter: Runs candidates and tests.
        limits: The largest limits of any sample that will run in it.
        packages: Import names of installed packages to show.
        tier: "namespaces", "landlock", or "none" for programs of our own on machines that give neither.
        hash_seed: PYTHONHASHSEED of the zygote.
    """

    interpreter: Interpreter
    limits: Limits
    packages: tuple[str, ...] = ()
    tier: str = "namespaces"
    hash_seed: int = 0


class Ended(msgspec.Struct, frozen=True):
    """How a child ended, measured from outside.

    Attributes:
        status: Wait status; None if the lane was lost with it.
        cpu_s: CPU seconds of the child and the descendants that it waited for.
        peak_bytes: The most memory that was in use since `Lane.begin`, above what was used then and without pages
            of files: by all processes together where a cgroup counts it, else by one of them. 0 where unknown.
    """

    status: int | None
    cpu_s: float
    peak_bytes: int


class Resident(NamedTuple):
    """A process's resident set in bytes, and how much of it are pages of files."""

    whole: int
    files: int


class Child(msgspec.Struct):
    """A process that waits for its work.

    Attributes:
        pidfd: Refers to it.
        fds: The host's ends of its channel; who takes them over sets this to ().
    """

    pidfd: int
    fds: tuple[int, ...]

    def kill(self) -> None:
        """End it and, with its pid namespace, all its descendants."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def pid(self) -> int | None:
        """Its number in our own pid namespace."""
        with contextlib.suppress(OSError, ValueError):
            for line in Path(f"/proc/self/fdinfo/{self.pidfd}").read_text(encoding="ascii").splitlines():
                if line.startswith("Pid:"):
                    pid = int(line.split()[1])
                    return pid if pid > 0 else None
        return None

    def resident(self) -> Resident | None:
        """Its memory now, with the pages that it shares with its zygote; None where that is not known."""
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{self.pid()}/status").read_text(encoding="utf-8", errors="replace")
            kib = {name: int(number) for name, number in re.findall(r"(?m)^(VmRSS|RssFile):\s+(\d+)", text)}
            if len(kib) == 2:
                return Resident(kib["VmRSS"] << 10, kib["RssFile"] << 10)
        return None

    def close(self) -> None:
        """Close the descriptors."""
        for fd in (self.pidfd, *self.fds):
            os.close(fd)
        self.pidfd, self.fds = -1, ()


class LaneLostError(InfrastructureError):
    """A lane ended: killed by the memory limit of its cgroup, or retired."""


class Lane:
    """A place where children of one role run, one at a time.

    Args:
        control: The host's end of its control socket.
        group: Its cgroups, where there are any.
        own: Processes of the lane itself that are in them.
    """

    def __init__(self, control: socket.socket, group: Group | None, own: int = 0) -> None:
        self.control, self.group, self.own = control, group, own
        self.child: Child | None = None
        self.idle: Resident | None = None  # the child before its work, where no cgroup measures it
        self.least_files: int | None = None  # pages of files that any child so far has come to hold at its work
        self.ending = False  # the last child was let go, and its note is still to come

    async def take(self) -> Child:
        """The child that waits for its work; raises LaneLostError."""
        if self.ending:
            await self.finish()
        if self.child is None:
            note, fds = await self._receive()
            if note != b"new" or not fds:
                raise LaneLostError(note.decode(errors="replace"))
            self.child = Child(fds[0], tuple(fds[1:]))
        return self.child

    def begin(self, memory_bytes: int, processes: int) -> None:
        """Limit and measure the work that the present child gets now, where there are cgroups.

        Args:
            memory_bytes: What all processes of the work may use together, above what its child uses now.
            processes: How many it may have, threads included.
        """
        if self.group is not None:
            self.group.begin(memory_bytes, processes + self.own)
        measured = self.group is not None and self.group.measures_memory
        self.idle = self.child.resident() if self.child is not None and not measured else None

    async def finish(self) -> Ended:
        """Kill the present child; returns when all its processes are gone.

        Raises:
            LaneLostError: How it ended is not known.
        """
        last = self.child.resident() if self.idle is not None and self.child is not None else None
        self.let_go()
        note, _ = await self._receive()
        self.ending = False
        return self._ended(note, last)

    def let_go(self) -> None:
        """Kill the present child and do not wait for its end: `take` does, later."""
        if self.child is not None:
            self.child.kill()
            self.child.close()
            self.child = None
            self.ending = True

    async def ended(self, seconds: float) -> bool:
        """Whether the present child ends by itself within `seconds`."""
        assert self.child is not None
        return await readable(self.child.pidfd, seconds)

    def close(self) -> None:
        """Give the lane up."""
        self.let_go()
        self.control.close()
        if self.group is not None:
            self.group.close()

    async def _receive(self) -> tuple[bytes, list[int]]:
        """The next message of the lane with its descriptors."""
        try:
            note, fds = _received(self.control)
        except BlockingIOError:
            await readable(self.control.fileno(), None)
            note, fds = _received(self.control)
        if not note or note.startswith(b"error"):
            raise LaneLostError(note.decode(errors="replace") or "a lane of the sandbox ended")
        return note, fds

    def _ended(self, note: bytes, last: Resident | None) -> Ended:
        status, user_us, system_us, peak_kib = map(int, note.split()[:4])
        peak = self.group.peak_bytes() if self.group is not None else None
        if peak is None and self.idle is not None:
            if last is not None:
                files = last.files - self.idle.files
                self.least_files = files if self.least_files is None else min(files, self.least_files)
            else:  # it has ended: at least those of the interpreter's own libraries are no memory of its
                files = self.least_files or 0
            peak = max((peak_kib << 10) - self.idle.whole - files, 0)
        return Ended(status, (user_us + system_us) / 1e6, peak or 0)


class Sandbox:
    """One zygote with its namespaces and cgroups. Use it as an asynchronous context manager."""

    def __init__(self, settings: Settings, roles: Roles) -> None:
        self.settings, self.roles = settings, roles
        self.groups = Groups()
        pairs = {role: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for role in roles.modules}
        self.controls = {role: mine for role, (mine, _) in pairs.items()}
        self._theirs = [theirs for _, theirs in pairs.values()]
        self.process: subprocess.Popen[bytes] | None = None
        self.own_ids = False  # whether its lanes have users of their own
        self.lanes = 0

    def start(self) -> None:
        """Begin to start the zygote, which takes a while; whoever enters the context waits for it."""
        tier = self.settings.tier
        if tier != "none" and not sys.platform.startswith("linux"):
            for end in (*self.controls.values(), *self._theirs):
                end.close()
            raise TierUnavailable(tier, "Linux", "it exists on Linux alone: use a Linux machine or VM")
        self.groups.open()
        self._start(self._options())
        for theirs in self._theirs:
            theirs.close()

    async def __aenter__(self) -> Self:
        """Start the zygote, or wait for it; raises TierUnavailable with the missing layer."""
        if self.process is None:
            self.start()
        for control in self.controls.values():
            message = "error zygote: no answer"
            if await readable(control.fileno(), START_TIMEOUT_S):
                message = control.recv(4096).decode(errors="replace")
            if message != "ready":
                await self.__aexit__()
                layer, _, reason = message.removeprefix("error ").partition(": ")
                raise TierUnavailable(
                    self.settings.tier, layer or "zygote", reason or "the interpreter ended while it started"
                )
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the zygote; the kernel ends everything below it."""
        self._release_groups()
        for control in self.controls.values():
            control.close()
        if self.process is not None:
            try:
                await asyncio.to_thread(self.process.wait, 10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def _release_groups(self) -> None:
        """Tell the keeper whether to put our own group back: not while other sandboxes of this process use it.

        Should this process be killed, it says nothing, and the keeper puts it back.
        """
        last = self.groups.close()
        said = self.process.stdin if self.process is not None else None
        if said is not None:
            with contextlib.suppress(OSError, ValueError):  # it has ended, or was told before
                said.write(b"" if last else b".")
                said.close()

    def lane(self, role: str, limits: Limits) -> Lane:
        """One more lane; each has a uid and cgroups of its own.

        Args:
            role: What its children play.
            limits: The largest of any work that they get.
        """
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        group, own = self.groups.make(), 2 if self.settings.tier == "namespaces" else 1
        fds = [theirs.fileno()]
        if group is not None:
            group.limit(limits.memory_bytes + LANE_BYTES, limits.processes + own)
            fds += [os.open(path / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for path in group.paths]
        uid = 1000 + self.lanes % (UIDS - 1000)
        self.lanes += 1
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
        self.controls[role].sendmsg([b"%d %d" % (uid, address_bytes(limits.memory_bytes))], ancillary)
        theirs.close()
        for fd in fds[1:]:
            os.close(fd)
        return Lane(mine, group, own)

    def process_limit(self, processes: int) -> int:
        """RLIMIT_NPROC of a sample that may have so many processes; 0 for none.

        It counts all processes of a user: none can be set where those of others are among them. Kernels before
        5.14 count over all namespaces. Where a cgroup counts, that one is to refuse first, since it can tell.
        """
        tier = self.settings.tier
        release = tuple(int(part) for part in os.uname().release.split(".")[:2] if part.isdigit())
        if tier == "none" or (not self.own_ids and (tier == "landlock" or release < (5, 14))):
            return 0
        # an ordinary user's lane counts with its two processes
        return processes + 2 + (2 if self.groups.bases else 0)

    def _start(self, options: dict[str, object]) -> None:
        fds = [theirs.fileno() for theirs in self._theirs]
        boot = [sys.executable, "-I", "-S", str(INSIDE / "boot.py")]
        self.process = subprocess.Popen(
            [*boot, ",".join(map(str, fds)), json.dumps(options)],
            pass_fds=fds,
            env={"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": str(self.settings.hash_seed)},
            stdin=subprocess.PIPE if self.groups.delegation is not None else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _options(self) -> dict[str, object]:
        limits = self.settings.limits
        packages = self.settings.interpreter.find_packages(self.settings.packages)
        tier = self.settings.tier
        ids = spare_ids() if tier != "none" else None
        if tier == "landlock" and not _open_to_others(self.settings.interpreter, packages):
            ids = None  # another user could not read them: there are no mounts to show them by
        self.own_ids = ids is not None
        counted = bool(self.groups.bases)
        return {
            "tier": tier,
            "ids": ids,
            "python": msgspec.to_builtins(self.settings.interpreter),
            "packages": packages,
            "shown": list(self.settings.packages),
            "search": ["/packages"] if tier == "namespaces" else sorted({str(Path(p).parent) for p in packages}),
            "folder": str(INSIDE),
            "files": list(self.roles.files),
            "roles": self.roles.modules,
            "preload": PRELOAD,
            "hash_seed": self.settings.hash_seed,
            "cgroups": self.groups.planned(MOST_LANES) if counted else [],
            "delegation": msgspec.to_builtins(self.groups.delegation),
            "limits": {
                "file_bytes": limits.file_bytes,
                "processes": self.process_limit(limits.processes),
                "cpu_seconds": int(BACKSTOP * limits.cpu_total_s) + 2,
            },
        }


def address_bytes(memory_bytes: int) -> int:
    """Address space of a process that may use so much memory.

    A backstop alone, which must not be in the way: threads reserve stacks and arenas that they hardly use, and a
    program that asks for little more than its limit in one piece is to be measured, not refused.
    """
    return memory_bytes + memory_bytes // 4 + 256 * MIB


def spare_ids() -> list[int] | None:
    """[first, count] of ids for the sandbox as root; None for an ordinary user, who has only his own."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(OSError, ValueError):
        ranges = [line.split() for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()]
        for first, _, count in ranges:
            end = int(first) + int(count)
            if int(count) >= 2 * UIDS:
                return [min(FIRST_UID, end - UIDS), UIDS]
    return None


def _open_to_others(interpreter: Interpreter, packages: list[str]) -> bool:
    """Whether any user may read the interpreter and the packages."""
    places = [Path(path).resolve() for path in (interpreter.executable, *interpreter.trees, *packages)]
    folders = {folder for place in places for folder in place.parents}
    return all(folder.stat().st_mode & 0o001 for folder in folders) and all(
        place.stat().st_mode & 0o004 for place in places
    )


async def readable(fd: int, seconds: float | None) -> bool:
    """Wait until `fd` can be read, at most `seconds` (None: for ever); whether it can."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[bool] = loop.create_future()
    handle = loop.call_later(seconds, _settle, future, False) if seconds is not None else None
    loop.add_reader(fd, _settle, future, True)
    try:
        return await future
    finally:
        loop.remove_reader(fd)
        if handle is not None:
            handle.cancel()


def _settle(future: asyncio.Future[bool], value: bool) -> None:  # noqa: FBT001 - a callback's only argument
    if not future.done():
        future.set_result(value)


def _received(control: socket.socket) -> tuple[bytes, list[int]]:
    """A message with its descriptors, without waiting; `socket.recv_fds` of Python 3.11 ignores its flags."""
    fds = array.array("i")
    flags = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
    note, ancillary, _, _ = control.recvmsg(4096, socket.CMSG_SPACE(8 * fds.itemsize), flags)
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
    return note, list(fds)
