"""A layer that the machine lacks is named, whichever it is, and nothing is left behind."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import socket
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.judging import ROLES, Observation, Request, Slot
from codejury.model import CheckFunction, InfrastructureError, Limits, Outcome, TierUnavailable
from codejury.sandbox import LaneLostError, Roles, Sandbox, Settings, describe, host

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = Limits(cpu_s=1.0, cpu_total_s=3.0)
NEEDS = pytest.mark.sandbox
ROOT_ALONE = pytest.mark.skipif(os.geteuid() != 0, reason="as an ordinary user this layer comes with another")


@pytest.fixture
def namespaces(sandbox: str) -> None:
    """Skips where there are no user namespaces: which further layer is missing cannot be tried there."""
    if sandbox != "namespaces":
        pytest.skip(f"the strongest tier here is {sandbox!r}")


@pytest.fixture
def broken(tmp_path: Path, inside_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let sandboxes start from a copy of their files to which something is added."""

    def add(file: str, text: str) -> None:
        copy = tmp_path / "inside"
        shutil.copytree(inside_folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        # at its end, but before what runs when it is a script
        before, main, after = (copy / file).read_text(encoding="utf-8").partition('if __name__ == "__main__":')
        (copy / file).write_text(f"{before}{text}\n{main}{after}", encoding="utf-8")
        monkeypatch.setattr(host, "INSIDE", copy)

    return add


def start(**changes: Any) -> Sandbox:
    """Start a sandbox that cannot be had; gives it as it was left."""
    settings = Settings(**{"interpreter": describe(), "limits": LIMITS, **changes})
    sandbox = Sandbox(settings, ROLES)
    asyncio.run(_start(sandbox))
    return sandbox


async def _start(sandbox: Sandbox) -> None:
    try:
        await sandbox.__aenter__()
    except TierUnavailable:
        assert sandbox.process is None or sandbox.process.poll() is not None
        assert all(control.fileno() < 0 for control in sandbox.controls.values())
        raise
    await sandbox.__aexit__()


FAILING = """
_real_{name} = {name}
def {name}(*args):
    if {condition}:
        raise OSError({number}, os.strerror({number}))
    return _real_{name}(*args)
"""
LAYERS = {
    "user namespaces": ("unshare", "args[0] & NEWUSER", 1),
    "user namespaces, none left": ("unshare", "args[0] & NEWUSER", 28),
    "mount namespaces": ("unshare", "args[0] == NEWNS", 1),
    "tmpfs": ("mount", "args[2] == 'tmpfs'", 1),
    "bind mounts": ("mount", "args[3] & MS_BIND", 1),
    "read-only root": ("syscall", "args[0] == 'mount_setattr'", 1),
}


@NEEDS
@pytest.mark.parametrize(
    "layer", [pytest.param(name, marks=ROOT_ALONE if name == "mount namespaces" else []) for name in LAYERS]
)
@pytest.mark.usefixtures("namespaces")
def test_missing_layer_is_named(broken: Any, layer: str) -> None:
    """Tier, layer and reason, in one line."""
    name, condition, number = LAYERS[layer]
    broken("kernel.py", FAILING.format(name=name, condition=condition, number=number))
    with pytest.raises(TierUnavailable) as caught:
        start()
    error = caught.value
    assert ("namespaces", layer.partition(",")[0]) == (error.tier, error.layer)
    assert os.strerror(number) in error.reason
    assert ("a sysctl forbids" in error.reason) == ("namespaces" in layer)
    assert str(error).startswith(f"tier 'namespaces' cannot be had: {error.layer} missing: ")
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("file", "name", "layer"), [("landlock.py", "version", "landlock"), ("kernel.py", "known_machine", "seccomp")]
)
def test_missing_layer_of_landlock_is_named(broken: Any, file: str, name: str, layer: str) -> None:
    """An old kernel, one without Landlock, a machine whose calls are not known."""
    broken(file, f"def {name}(): raise OSError(38, 'not here')")
    with pytest.raises(TierUnavailable) as caught:
        start(tier="landlock")
    assert ("landlock", layer) == (caught.value.tier, caught.value.layer)
    assert "not here" in caught.value.reason


@NEEDS
def test_old_kernels_remount_without_mount_setattr(broken: Any) -> None:
    """Before Linux 5.12 the root is made read-only mount by mount."""
    broken("kernel.py", FAILING.format(name="syscall", condition="args[0] == 'mount_setattr'", number=38))
    try:
        start()
    except TierUnavailable as error:
        pytest.skip(str(error))


@NEEDS
@pytest.mark.usefixtures("namespaces")
def test_interpreter_that_does_not_start() -> None:
    """A program that the sandbox does not show, or that ends at once."""
    own = describe()
    with pytest.raises(TierUnavailable) as caught:
        start(interpreter=msgspec.structs.replace(own, executable="/nowhere/python"))
    assert "interpreter" == caught.value.layer
    with pytest.raises(TierUnavailable) as caught:
        start(interpreter=msgspec.structs.replace(own, executable="/usr/bin/env"))
    assert "zygote" == caught.value.layer


@NEEDS
def test_role_that_cannot_be_loaded(tmp_path: Path) -> None:
    """A zygote that fails while it loads its roles ends, and the host does not wait for it."""
    (tmp_path / "bad_role.py").write_text("raise RuntimeError('mine')\n", encoding="ascii")
    sandbox = Sandbox(
        Settings(interpreter=describe(), limits=LIMITS),
        Roles(files=(str(tmp_path / "bad_role.py"),), modules={"bad": "bad_role"}),
    )
    with pytest.raises(TierUnavailable):
        asyncio.run(_start(sandbox))


@NEEDS
@pytest.mark.parametrize(
    ("tier", "file", "name"),
    [
        ("namespaces", "kernel.py", "load_filter"),
        ("namespaces", "kernel.py", "prctl"),
        ("landlock", "kernel.py", "load_filter"),
        ("landlock", "landlock.py", "restrict"),
        ("landlock", "landlock.py", "ruleset"),
        ("landlock", "filters.py", "own_alone"),
    ],
)
def test_layer_of_a_lane(broken: Any, sandbox: str, tier: str, file: str, name: str) -> None:
    """What a lane or child cannot have is told when it is asked for, and no program runs without it."""
    if sandbox == "landlock" != tier:
        pytest.skip(f"the strongest tier here is {sandbox!r}")
    broken(file, f"def {name}(*args, **_): raise OSError(1, 'no {name} here')")
    settings = Settings(interpreter=describe(), limits=LIMITS, tier=tier)

    async def run() -> None:
        async with Sandbox(settings, ROLES) as opened:
            slot = Slot(opened, LIMITS)
            request = Request(source="", entry_point="f", tests=CheckFunction(code=""), limits=LIMITS)
            try:
                observed.append(await slot.observe(request))
            finally:
                slot.close()

    observed: list[Observation] = []
    message = f"no {name} here|no lanes|the interpreter ended"
    if name == "own_alone":  # of a child: it ends, and nothing passes
        asyncio.run(run())
        assert {one.outcome for one in observed} <= {Outcome.CRASHED, Outcome.REJECTED_VALUE}
    else:
        with pytest.raises(InfrastructureError, match=message):
            asyncio.run(run())
        assert not observed


def test_other_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere there are no namespaces, and nothing is started to find out."""
    monkeypatch.setattr(sys, "platform", "darwin")
    sandbox = Sandbox(Settings(interpreter=describe(), limits=LIMITS), ROLES)
    with pytest.raises(TierUnavailable, match="exists on Linux alone"):
        asyncio.run(sandbox.__aenter__())
    assert sandbox.process is None
    asyncio.run(sandbox.__aexit__())


def test_tier_none_runs_programs_of_our_own() -> None:
    """Where the machine gives no tier, the demo's programs run without isolation, in the same way."""
    source = "def f(x, seen=[]):\n    seen.append(x)\n    return seen\n"
    tests = CheckFunction(code="def check(c):\n    assert c(1) == [1]\n    assert c(2) == [1, 2]\n")

    async def run() -> list[Outcome | None]:
        async with Sandbox(Settings(interpreter=describe(), limits=LIMITS, tier="none"), ROLES) as sandbox:
            slot = Slot(sandbox, LIMITS)
            request = Request(source=source, entry_point="f", tests=tests, limits=LIMITS)
            wrong = msgspec.structs.replace(request, source="def f(x): return x\n")
            try:
                return [(await slot.observe(one)).outcome for one in (request, wrong, request)]
            finally:
                slot.close()

    assert [Outcome.PASSED, Outcome.WRONG_ANSWER, Outcome.PASSED] == asyncio.run(run())


@pytest.mark.parametrize("note", [b"error mount: why", b"something else"])
async def test_lane_that_says_something_else(note: bytes) -> None:
    """Whatever a lane says instead of a child ends it, with its own words."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    lane = host.Lane(ours, None)
    theirs.send(note)
    with pytest.raises(LaneLostError, match=note.decode()):
        await lane.take()
    lane.close()
    theirs.close()


async def test_lane_that_ended() -> None:
    """So does its end."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    lane = host.Lane(ours, None)
    with pytest.raises(LaneLostError, match="a lane of the sandbox ended"):
        await lane.take()
    lane.close()


async def test_waiting_for_a_descriptor() -> None:
    """Whether it can be read in time."""
    read, write = os.pipe()
    assert not await host.readable(read, 0.01)
    os.write(write, b"x")
    assert await host.readable(read, 5.0)
    os.close(write)
    os.close(read)


# ---- the keeper's own functions


@pytest.fixture(scope="session")
def boot(inside_folder: Path) -> Any:
    """The script that builds the sandbox, as a module."""
    spec = importlib.util.spec_from_file_location("sandbox_boot", inside_folder / "boot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.path[:]
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


def test_groups_are_removed_by_the_keeper(boot: Any, tmp_path: Path) -> None:
    """An empty folder is removed, a missing one is none; a full one is given up after a while."""
    empty, full = tmp_path / "empty", tmp_path / "full"
    empty.mkdir()
    (full / "inner").mkdir(parents=True)
    for path in (empty, tmp_path / "missing", full):
        boot.remove_cgroup(str(path))
    assert [False, True] == [empty.exists(), full.exists()]


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone has spare ids")
def test_spare_ids_of_root() -> None:
    """As many as there are lanes, within what this namespace maps."""
    ids = host.spare_ids()
    if ids is None:
        pytest.skip("this user namespace maps too few ids")
    first, count = ids
    assert count == host.UIDS
    assert first >= 0
    assert first + count <= 1 << 32


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 0 4294967295\n", [host.FIRST_UID, host.UIDS]),
        ("0 100000 65536\n", [65536 - host.UIDS, host.UIDS]),
        ("0 1000 1\n", None),
        ("0 1000 1\n1 100000 65536\n", [65537 - host.UIDS, host.UIDS]),
        ("", None),
    ],
)
def test_spare_ids_by_map(text: str, expected: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At the end of the first range that is large enough; none in a container that maps a few."""
    (tmp_path / "map").write_text(text, encoding="ascii")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(host, "Path", lambda _: tmp_path / "map")
    assert expected == host.spare_ids()


def test_ordinary_users_have_no_spare_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have their own."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert host.spare_ids() is None
