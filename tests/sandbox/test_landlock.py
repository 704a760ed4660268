"""Tier "landlock": what each version of the interface takes, and what a program may do in it, for real.

This kernel takes the rulesets of older versions too, so each version up to its own is tried with real lanes.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.model import Limits, TierUnavailable
from codejury.sandbox import describe, host
from codejury.sandbox.machine import NEWEST_LANDLOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.sandbox

TRY = """
import ctypes, os, socket, sys, threading
libc = ctypes.CDLL(None, use_errno=True)

def attempt(action):
    try:
        action()
    except OSError as error:
        return os.strerror(error.errno)
    return "done"
"""
DENIED, REFUSED = "Permission denied", "Operation not permitted"


@pytest.fixture(scope="session")
def landlock(inside_module: Callable[[str], Any]) -> Any:
    """The module."""
    return inside_module("landlock")


@pytest.fixture(scope="module")
def domain(sandbox_of: Any) -> Iterator[Any]:
    """A lane of the tier that is asked directly."""
    with sandbox_of(tier="landlock") as made:
        yield made


# ---- versions


@pytest.mark.parametrize(
    ("abi", "files", "network", "scopes", "length"),
    [
        (1, 0x1FFF, 0, 0, 8),
        (2, 0x3FFF, 0, 0, 8),
        (3, 0x7FFF, 0, 0, 8),
        (4, 0x7FFF, 3, 0, 16),
        (5, 0xFFFF, 3, 0, 16),
        (6, 0xFFFF, 3, 3, 24),
        (7, 0xFFFF, 3, 3, 24),
    ],
)
def test_what_each_version_takes_away(
    landlock: Any, abi: int, files: int, network: int, scopes: int, length: int
) -> None:
    """By the kernel's documentation: accesses to files, ports of TCP, scopes, and the length of the attributes."""
    assert (files, network, scopes) == landlock.handled(abi)
    data = landlock.attributes(abi)
    assert length == len(data)
    assert files == int.from_bytes(data[:8], "little")


def test_both_sides_know_the_same_versions(landlock: Any) -> None:
    """What `doctor` calls the newest is the newest that a zygote uses."""
    assert landlock.LATEST == NEWEST_LANDLOCK


@pytest.mark.parametrize("abi", range(1, 8))
def test_each_version_holds(
    abi: int, landlock: Any, sandbox_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the host is read, written, truncated or signalled, whichever version the kernel has."""
    try:
        if landlock.version() < abi:
            pytest.skip(f"this kernel has version {landlock.version()} of Landlock")
    except OSError as error:
        pytest.skip(f"no Landlock: {error}")
    copy = tmp_path / "inside"
    shutil.copytree(host.INSIDE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    text = (copy / "landlock.py").read_text(encoding="utf-8")
    (copy / "landlock.py").write_text(text.replace("LATEST = 7", f"LATEST = {abi}"), encoding="utf-8")
    monkeypatch.setattr(host, "INSIDE", copy)
    kept = Path("/var/tmp") / f"codejury-test-{os.getpid()}"  # noqa: S108 - a place that any user can reach
    kept.write_text("kept", encoding="ascii")
    kept.chmod(0o666)
    try:
        with sandbox_of(tier="landlock") as made:
            answers = made.ask(
                TRY,
                f"attempt(lambda: open({str(kept)!r}))",
                f"attempt(lambda: open({str(kept)!r}, 'a'))",
                f"attempt(lambda: os.open({str(kept)!r}, os.O_RDONLY | os.O_TRUNC))",
                f"attempt(lambda: os.truncate({str(kept)!r}, 0))",
                f"attempt(lambda: os.unlink({str(kept)!r}))",
                f"attempt(lambda: os.kill({os.getpid()}, 0))",
                "attempt(lambda: os.kill(os.getppid(), 0))",
                "attempt(lambda: socket.socket())",
                "len(os.listdir(os.path.dirname(os.__file__) + '/json')) > 2",
            )
        expected = [DENIED, DENIED, DENIED, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED, True]
        assert expected == answers
        assert "kept" == kept.read_text(encoding="ascii")
    finally:
        kept.unlink()


# ---- paths


def test_paths_around_hidden_folders(landlock: Any, tmp_path: Path) -> None:
    """All of a tree but what is hidden, by the neighbours on the way there."""
    for name in ("lib/python3/json", "lib/python3/site-packages/answers", "lib/other", "share"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "lib" / "python3" / "os.py").touch()
    (tmp_path / "lib" / "link").symlink_to(tmp_path / "lib" / "python3")
    hidden = {str(tmp_path / "lib" / "python3" / "site-packages"), "/elsewhere"}

    def around(tree: str) -> list[str]:
        return sorted(path.removeprefix(f"{tmp_path}/") for path in landlock.around(str(tmp_path / tree), hidden))

    assert ["lib/link", "lib/other", "lib/python3/json", "lib/python3/os.py"] == around("lib")
    assert ["share"] == around("share")
    assert [] == around("lib/python3/site-packages")
    assert ["lib/python3/json"] == around("lib/python3/json")


# ---- what a program can do


def test_ordinary_programs_work(domain: Any) -> None:
    """Imports that nothing had imported before, threads, an event loop, random numbers, clocks."""
    source = (
        TRY + "import asyncio, statistics, decimal, uuid, colorsys\n"
        "async def both():\n    return await asyncio.gather(asyncio.sleep(0, 1), asyncio.to_thread(lambda: 2))\n"
    )
    assert [3.5, [1, 2], 36, "done", "done"] == domain.ask(
        source,
        "statistics.mean([3, 4])",
        "asyncio.run(both())",
        "len(str(uuid.uuid4()))",
        "attempt(lambda: open('/dev/null', 'w').write('x'))",
        "attempt(lambda: open('/dev/urandom', 'rb').read(8))",
    )


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "/proc/self/environ", "/sys/kernel", "/root", "/home", "/tmp", "/", "/dev"],  # noqa: S108 - the host's
)
def test_nothing_of_the_host_is_opened(domain: Any, path: str) -> None:
    """Neither files nor folders, /tmp included."""
    assert DENIED == domain.ask(TRY, f"attempt(lambda: os.open({path!r}, os.O_RDONLY))")


@pytest.mark.parametrize(
    "action",
    [
        "os.fork()",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.execv('/bin/true', ['true'])",
        "os.chmod('/tmp', 0o777)",
        "os.mkdir('/tmp/here')",
        "os.kill(-1, 0)",
        "os.killpg(1, 0)",
        "os.setsid()",
        "os.chroot('/tmp')",
        "os.memfd_create('x')",
        "os.pidfd_open(os.getppid())",
        "os.sched_setaffinity(0, {0})",
    ],
)
def test_what_is_not_allowed_is_refused(domain: Any, action: str) -> None:
    """One answer for all of it."""
    assert REFUSED == domain.ask(TRY, f"attempt(lambda: {action})")


def test_no_socket_of_the_host_is_reached(domain: Any) -> None:
    """Landlock does not know sockets with a path: neither half of a pair may send to one, nor signal by one."""
    path = Path("/var/tmp") / f"codejury-test-{os.getpid()}.socket"  # noqa: S108 - a place that any user can reach
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(path))
        path.chmod(0o777)
        server.setblocking(False)
        try:
            answers = domain.ask(
                TRY + "import fcntl, struct\nours, _ = socket.socketpair()\n",
                f"attempt(lambda: socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'x', {str(path)!r}))",
                f"attempt(lambda: ours.sendto(b'x', {str(path)!r})) != 'done'",
                "[attempt(lambda: fcntl.ioctl(ours, n, struct.pack('i', 1))) for n in (0x8901, 0x8902)]",
            )
            with pytest.raises(BlockingIOError):
                server.recv(1)
        finally:
            path.unlink()
    assert [REFUSED, True, [REFUSED, REFUSED]] == answers


def test_no_installed_package_is_within_reach(domain: Any) -> None:
    """The folders of packages cannot be listed, nor a file in them opened."""
    found = domain.ask(
        TRY + "import glob, site\nplaces = [p for p in glob.glob(sys.prefix + '/lib/python3*/site-packages')]\n",
        "[attempt(lambda: os.listdir(p)) for p in places]",
        "'site-packages' in ' '.join(sys.path)",
    )
    assert [[DENIED] * len(found[0]), False] == found


def test_packages_that_are_named_can_be_imported(sandbox_of: Any, tmp_path: Path) -> None:
    """And their neighbours in the same folder cannot."""
    for name in ("wanted", "neighbour"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("answer = 42\n", encoding="ascii")
    tmp_path.chmod(0o755)
    own = describe()
    python = msgspec.structs.replace(own, packages=(str(tmp_path),), masks=(*own.masks, str(tmp_path)))
    with sandbox_of(tier="landlock", interpreter=python, packages=("wanted",)) as made:
        answer = made.ask(
            "import wanted\ntry:\n    import neighbour\nexcept ImportError:\n    neighbour = None\n",
            "[wanted.answer, neighbour]",
        )
    assert [42, None] == answer


def test_threads_end_with_their_process(domain: Any) -> None:
    """A program that computes on in a thread is gone when its lane has finished with it."""
    pid = domain.ask(
        TRY + "def spin():\n    while True: pass\n",
        "threading.Thread(target=spin, daemon=True).start()",
        look=lambda child: child.pid(),
    )[0]
    assert not Path(f"/proc/{pid}").exists()


def test_only_linux_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere nothing is started to find out."""
    monkeypatch.setattr(sys, "platform", "darwin")
    sandbox = host.Sandbox(host.Settings(interpreter=describe(), limits=Limits(), tier="landlock"), _roles())
    with pytest.raises(TierUnavailable, match="exists on Linux alone"):
        asyncio.run(sandbox.__aenter__())
    asyncio.run(sandbox.__aexit__())


def _roles() -> host.Roles:
    return host.Roles(files=(), modules={"candidate": "candidate"})
