"""Groups of version 2 in a group that was given to us: on folders that look like the kernel's, and for real.

For real where a kernel has version 2 mounted and some controller is free: which one does not matter for moving
processes, sharing out and putting back. Memory and processes of version 2 are tested on folders.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from codejury.sandbox import cgroups, delegation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STRANGER = os.getppid()


class Tree:
    """A group of version 2 as folders: what is written to it has the kernel's effect."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.base = root / "own.scope"
        self.base.mkdir()
        self.refuses = ""
        for name, text in {
            "procs": "",
            "subtree_control": "",
            "type": "domain",
            "controllers": "cpu memory pids",
        }.items():
            (self.base / f"cgroup.{name}").write_text(text, encoding="ascii")
        monkeypatch.setattr(delegation, "_say", self.say)

    def holds(self, *pids: int) -> None:
        """Put processes into it."""
        (self.base / "cgroup.procs").write_text("".join(f"{pid}\n" for pid in pids), encoding="ascii")

    def say(self, path: Path, words: str) -> None:
        """What the kernel does when `words` are written to a file of the group or of one below it."""
        if path.name == "cgroup.procs":
            for folder in (self.base, *(entry for entry in self.base.iterdir() if entry.is_dir())):
                procs = folder / "cgroup.procs"
                pids = [pid for pid in procs.read_text().split() if pid != words] if procs.exists() else []
                procs.write_text("".join(f"{pid}\n" for pid in (*pids, *[words] * (procs == path))))
        elif self.refuses:
            raise PermissionError(self.refuses)
        else:
            path.write_text(words.replace("+", ""), encoding="ascii")

    def state(self) -> dict[str, list[str]]:
        """Processes by group, and what is shared out."""
        groups = [self.base, *(entry for entry in self.base.iterdir() if entry.is_dir())]
        found = {group.name: (group / "cgroup.procs").read_text().split() for group in groups}
        return {**found, "shared": (self.base / "cgroup.subtree_control").read_text().split()}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """A group that was given to us."""
    return Tree(tmp_path, monkeypatch)


@pytest.fixture
def child() -> Iterator[int]:
    """A process that this one has started."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process.pid
        process.kill()


def test_own_group_is_emptied_and_shares_out(tree: Tree, child: int) -> None:
    """This process and what it started move to the leaf; CPU time needs no controller."""
    tree.holds(os.getpid(), child)
    made = delegation.delegate(tree.base, "leaf")
    assert delegation.Delegation(str(tree.base), str(tree.base / "leaf"), ("memory", "pids")) == made
    moved = [str(os.getpid()), str(child)]
    assert {"own.scope": [], "leaf": moved, "shared": ["memory", "pids"]} == tree.state()


@pytest.mark.parametrize("stranger", [STRANGER, 1, 0])
def test_strangers_are_not_moved(tree: Tree, stranger: int) -> None:
    """A shell, another's process, one outside of our pid namespace: then nothing is touched."""
    tree.holds(os.getpid(), stranger)
    before = tree.state()
    assert (False, None) == (delegation.can_delegate(tree.base), delegation.delegate(tree.base, "leaf"))
    assert before == tree.state()


def test_what_the_kernel_refuses_is_put_back(tree: Tree) -> None:
    """Processes are home again, and the leaf is gone but for the files that a folder here has."""
    tree.holds(os.getpid())
    tree.refuses = "no"
    assert None is delegation.delegate(tree.base, "leaf")
    state = tree.state()
    assert ([str(os.getpid())], []) == (state["own.scope"], state["shared"])
    assert [] == state.get("leaf", [])


@pytest.mark.parametrize(
    ("name", "text", "works"),
    [
        ("subtree_control", "cpu memory pids", True),
        ("subtree_control", "memory", True),
        ("controllers", "cpu io pids", False),
        ("type", "threaded", False),
    ],
)
def test_what_a_group_must_have(tree: Tree, name: str, text: str, *, works: bool) -> None:
    """Memory and pids must have come down to it, and it must be one of processes."""
    tree.holds(os.getpid())
    (tree.base / f"cgroup.{name}").write_text(text, encoding="ascii")
    assert works == delegation.can_delegate(tree.base)
    made = delegation.delegate(tree.base, "leaf")
    assert works == (made is not None)
    if made is not None:
        expected = {"cpu memory pids": (), "memory": ("pids",)}[text]
        assert (expected, bool(expected)) == (made.enabled, made.leaf is not None)


def test_the_root_shares_out_as_it_is(tree: Tree) -> None:
    """It may hold processes, of whomever."""
    tree.holds(os.getpid(), STRANGER)
    (tree.base / "cgroup.type").unlink()
    made = delegation.delegate(tree.base, "leaf")
    assert delegation.Delegation(str(tree.base), None, ("memory", "pids")) == made


def test_who_is_ours(child: int) -> None:
    """This process, its descendants, and whoever is gone."""
    gone = next(pid for pid in range(4_000_000, 4_194_304) if not Path(f"/proc/{pid}").exists())
    assert [True, True, True, False, False] == [
        delegation.is_ours(str(pid)) for pid in (os.getpid(), child, gone, 1, STRANGER)
    ]


def test_sandboxes_of_one_process_share(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second takes what the first has made, and the last one's keeper puts it back."""
    tree.holds(os.getpid())
    (tmp_path / "cgroup.controllers").touch()
    monkeypatch.setattr(cgroups, "MOUNT", tmp_path)
    monkeypatch.setattr(cgroups, "_own", lambda: {"": "own.scope"})
    first, second = cgroups.Groups(), cgroups.Groups()
    assert first.available
    first.open()
    monkeypatch.setattr(cgroups, "_own", lambda: {"": f"own.scope/{first.prefix}-own"})
    third = cgroups.Groups()
    third.open()
    assert {tree.base} == set(first.bases.values()) == set(third.bases.values())
    assert second.bases == {}
    assert [False, True, False] == [first.close(), third.close(), third.close()]
    again = cgroups.Groups()
    again.open()  # before the keeper has put it back: nothing is made below the leaf
    assert {} == again.bases


# ---- for real

MOUNTS = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
RUN = """
import asyncio, os, sys
from pathlib import Path
from codejury.judging import ROLES, Request, Slot
from codejury.model import CheckFunction, Limits, TierUnavailable
from codejury.sandbox import Sandbox, Settings, cgroups, delegation, describe, choose_tier

mount, base, controller = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
(base / "cgroup.procs").write_text("0")
cgroups.MOUNT = mount
delegation.NEEDED = cgroups.NEEDED = (controller,)
limits = Limits(cpu_s=5.0, wall_factor=20.0)
spin = "import time\\ndef f():\\n    while time.process_time() < 0.3: pass\\n    return 1\\n"
request = Request(
    source=spin, entry_point="f", tests=CheckFunction(code="def check(c):\\n    assert c() == 1\\n"), limits=limits
)

async def judged():
    async with Sandbox(Settings(interpreter=describe(), limits=limits, tier=choose_tier().tier), ROLES) as sandbox:
        slot = Slot(sandbox, limits)
        seen = await slot.observe(request)
        group = slot.lanes.candidates.group
        print(seen.outcome, seen.cpu_s > 0.25, group is not None and group.cpu_s() > 0.25, flush=True)
        print(Path("/proc/self/cgroup").read_text().rpartition("0::")[2].strip(), flush=True)
        if sys.argv[4] == "hang":
            await asyncio.sleep(60)
        slot.close()
try:
    asyncio.run(judged())
    asyncio.run(judged())
except TierUnavailable as error:
    print("skip", error)
print(Path("/proc/self/cgroup").read_text().rpartition("0::")[2].strip(), flush=True)
"""


@pytest.fixture
def real() -> Iterator[tuple[Path, Path, str]]:
    """Mount, a fresh group of version 2, and a controller that came down to it; skips where there is none."""
    for mount in map(Path, MOUNTS):
        base = mount / f"test-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            free = (mount / "cgroup.controllers").read_text().split()
            shared = (mount / "cgroup.subtree_control").read_text().split()
            base.mkdir()
        except OSError:
            continue
        usable = [name for name in free if name in (*shared, "hugetlb", "misc")]
        if not usable:
            base.rmdir()
            continue
        added = usable[0] not in shared
        if added:
            (mount / "cgroup.subtree_control").write_text(f"+{usable[0]}")
        yield mount, base, usable[0]
        assert _soon(partial(_is_empty, base))
        assert [] == [entry.name for entry in base.iterdir() if entry.is_dir()]
        assert "" == (base / "cgroup.subtree_control").read_text().strip()
        base.rmdir()
        if added:
            (mount / "cgroup.subtree_control").write_text(f"-{usable[0]}")
        return
    pytest.skip("no group of version 2 with a free controller can be made here")


def _is_empty(group: Path) -> bool:
    return not (group / "cgroup.procs").read_text()


def _soon(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20.0
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.sandbox
@pytest.mark.parametrize("way", ["ends", "hang"])
def test_for_real(real: tuple[Path, Path, str], way: str) -> None:
    """Judged from a leaf, counted in a lane's group, home again at the end; killed, the keeper leaves nothing."""
    mount, base, controller = real
    command = [sys.executable, "-c", RUN, str(mount), str(base), controller, way]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        if said.startswith("skip"):
            pytest.skip(said)
        assert "passed True True\n" == said
        leaf = process.stdout.readline().strip()
        assert Path(f"/{base.name}") == Path(leaf).parent
        assert leaf.endswith("-own")
        if way == "hang":
            assert [controller] == (base / "cgroup.subtree_control").read_text().split()
            process.send_signal(signal.SIGKILL)
            assert -signal.SIGKILL == process.wait()
            assert _soon(lambda: not any(entry.is_dir() for entry in base.iterdir()))
        else:
            assert ["passed True True", True, f"/{base.name}"] == [
                process.stdout.readline().strip(),
                process.stdout.readline().strip().endswith("-own"),
                process.stdout.readline().strip(),
            ]
