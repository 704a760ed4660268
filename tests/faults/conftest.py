"""Faults: the command in a process of its own, what it leaves behind, and a disk that can be full."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[[list[str]], "Controller"]

LONG_S = 60.0
"""Longer than anything here takes; only a test that fails waits for so long."""

VOLUME_MIB = 64

# The command as it is, but for one byte in a file for each verdict that it has come to, written before it is kept:
# these survive a kill, so that what is judged twice can be counted.
COMMAND = """
import os, sys
counter = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_APPEND)
from codejury.cli.progress import TerminalProgress
step = TerminalProgress.step
def counted(self, outcome):
    if outcome is not None:
        os.write(counter, b".")
    step(self, outcome)
TerminalProgress.step = counted
from codejury.cli.main import main
main()
"""


class Volume:
    """A folder; on a small disk of its own where one could be had.

    Args:
        folder: The folder.
        small: Whether it is a disk of its own, which `fill` can fill.
    """

    def __init__(self, folder: Path, *, small: bool) -> None:
        self.folder, self.small = folder, small
        self.ballast = folder / "ballast"

    def fill(self) -> None:
        """Leave no byte free; once more, where some has become free."""
        with self.ballast.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while file.write(bytes(size)) == size:
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def free(self) -> None:
        """Give the space back."""
        self.ballast.unlink(missing_ok=True)


@pytest.fixture
def volume(tmp_path: Path) -> Iterator[Volume]:
    """A folder for a store: a small tmpfs for root where it may mount one, else without a disk of its own."""
    folder = tmp_path / "volume"
    folder.mkdir()
    mount, options = shutil.which("mount"), f"size={VOLUME_MIB}m"
    small = False
    if mount is not None and os.geteuid() == 0:
        command = [mount, "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        small = subprocess.run(command, capture_output=True, check=False).returncode == 0
    yield Volume(folder, small=small)
    if small:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)  # noqa: S607 - as mount was found


class Controller:
    """The command in a process of its own; its output goes to files, which no descendant keeps open.

    Args:
        folder: Where it runs and its output goes.
        arguments: Of the command.
    """

    def __init__(self, folder: Path, arguments: list[str]) -> None:
        self.counter = folder / "judged"
        self.counter.touch()
        self.before = self.counter.stat().st_size
        self.errors = folder / "stderr"
        with (folder / "stdout").open("wb") as out, self.errors.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-c", COMMAND, str(self.counter), *arguments],
                cwd=folder,
                env={**os.environ, "PYTHONFAULTHANDLER": "1"},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self.family: dict[int, int] = {}
        self.mounts = mounts()

    @property
    def pid(self) -> int:
        """Its number."""
        return self.process.pid

    @property
    def judged(self) -> int:
        """Verdicts that it has come to, kept or not."""
        return self.counter.stat().st_size - self.before

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    @property
    def listens(self) -> bool:
        """Whether it has its handlers of signals by now; until then, it is an interpreter that starts."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self.pid}/status").read_text(encoding="ascii").splitlines():
                if line.startswith("SigCgt:"):
                    return bool(int(line.split()[1], 16) >> (signal.SIGTERM - 1) & 1)
        return False

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def wait(self) -> tuple[int, str]:
        """Exit code and standard error of a process that ends by itself; one that hangs tells where."""
        try:
            code = self.process.wait(LONG_S)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGABRT)
            code = self.process.wait()
        return code, self.errors.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> None:
        """Kill it alone, and remember whom it leaves behind."""
        self.family = descendants(self.pid)
        self.signal(signal.SIGKILL)
        self.process.wait()

    def left_after(self, seconds: float) -> list[str]:
        """What is left of it after its end, at last after `seconds`."""
        deadline = time.monotonic() + seconds
        while (left := self._left()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return left

    def _left(self) -> list[str]:
        """Processes, cgroups and mounts."""
        mark = f"codejury-{self.pid}-".encode()
        found = []
        for pid, (_, state, start) in processes().items():
            if state not in "ZX" and (self.family.get(pid) == start or mark in _command(pid)):
                found.append(f"process {pid} ({state}): {_command(pid)[:80]!r}")
        for folder, names, _ in os.walk("/sys/fs/cgroup"):  # it passes over folders that go meanwhile
            found += [f"cgroup {folder}/{name}" for name in names if name.encode().startswith(mark)]
        return found + [f"mount {mount}" for mount in mounts() - self.mounts]

    def freeze(self) -> None:
        """Stop all its descendants and then itself, as pausing a container does: samples stay under way."""
        going: list[int] = []
        for _ in range(200):
            now = processes()
            family = [pid for pid in descendants(self.pid) if pid in now]
            going = [pid for pid in family if now[pid][1] not in "TtZX"] or [self.pid]
            if now.get(self.pid, (0, "Z", 0))[1] in "TtZX":
                return
            for pid in going:
                _send(pid, signal.SIGSTOP)
        raise AssertionError(f"processes that do not stop: {going}")

    def thaw(self, *, controller_first: bool) -> None:
        """Let all of them go on."""
        rest = list(descendants(self.pid))
        for pid in (self.pid, *rest) if controller_first else (*rest, self.pid):
            _send(pid, signal.SIGCONT)


def processes() -> dict[int, tuple[int, str, int]]:
    """All processes: number -> parent, state, start time."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
                fields = stat.rpartition(")")[2].split()
                found[int(folder.name)] = int(fields[1]), fields[0], int(fields[19])
    return found


def descendants(pid: int) -> dict[int, int]:
    """The processes below one, parents first: number -> start time, which together are one process's for ever."""
    now = processes()
    children: dict[int, list[int]] = {}
    for child, (parent, _, _) in now.items():
        children.setdefault(parent, []).append(child)
    found: list[int] = []
    new = [pid]
    while new:
        new = [child for parent in new for child in children.get(parent, [])]
        found += new
    return {child: now[child][2] for child in found}


def mounts() -> set[str]:
    """Mounts that this process sees, but for those of tests."""
    lines = Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if "/pytest-" not in line}


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


@pytest.fixture
def controller(tmp_path: Path) -> Iterator[Start]:
    """Starts the command; what a test that fails leaves running is ended."""
    started: list[Controller] = []

    def start(arguments: list[str]) -> Controller:
        started.append(Controller(tmp_path, arguments))
        return started[-1]

    yield start
    for one in started:
        if one.running:
            one.thaw(controller_first=False)
            one.kill()
