"""Control groups of both versions, on folders that look like the kernel's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.sandbox import Group, cgroups

if TYPE_CHECKING:
    from collections.abc import Callable

LEGACY = {"memory": "/jobs/7", "pids": "/", "cpuacct": "/"}


@pytest.fixture
def mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Let the module find its mount and its own place below `tmp_path`."""

    def mount(own: str) -> Path:
        place = tmp_path / "own"
        place.write_text(own, encoding="utf-8")
        monkeypatch.setattr(cgroups, "MOUNT", tmp_path)
        monkeypatch.setattr(cgroups, "Path", lambda path: place if path == "/proc/self/cgroup" else Path(path))
        return tmp_path

    return mount


def make_legacy(root: Path, controllers: tuple[str, ...] = ("memory", "pids", "cpuacct")) -> dict[str, Path]:
    """Version 1: a tree for each controller."""
    folders = {}
    for controller in controllers:
        folder = root / controller / LEGACY[controller].lstrip("/")
        folder.mkdir(parents=True)
        (folder / "cgroup.procs").touch()
        folders[controller] = folder
    return folders


def make_unified(root: Path, given: str = "cpu memory pids") -> Path:
    """Version 2: one tree."""
    (root / "cgroup.controllers").write_text("cpu io memory pids", encoding="ascii")
    folder = root / "user.slice" / "own.scope"
    folder.mkdir(parents=True)
    (folder / "cgroup.procs").touch()
    (folder / "cgroup.subtree_control").write_text(given, encoding="ascii")
    return folder


LEGACY_OWN = "9:name=systemd:/\n8:pids:/\n4:memory:/jobs/7\n2:cpu,cpuacct:/\n0::/\n"


def test_version_1_is_found(mounted: Any) -> None:
    """Each controller below this process's own group; joint controllers are told apart."""
    folders = make_legacy(mounted(LEGACY_OWN))
    made = cgroups.Groups()
    assert (False, folders) == (made.unified, made.bases)


def test_version_1_without_a_controller(mounted: Any) -> None:
    """What is missing is left out, the rest is used."""
    folders = make_legacy(mounted(LEGACY_OWN), ("memory",))
    assert folders == cgroups.Groups().bases


def test_version_2_is_found(mounted: Any) -> None:
    """One folder for all, where memory and pids are handed on."""
    folder = make_unified(mounted("0::/user.slice/own.scope\n"))
    made = cgroups.Groups()
    assert (True, {folder}) == (made.unified, set(made.bases.values()))


@pytest.mark.parametrize("given", ["", "memory", "cpu pids"])
def test_version_2_that_is_not_handed_on(mounted: Any, given: str) -> None:
    """Without the controllers there are no groups, and no error."""
    make_unified(mounted("0::/user.slice/own.scope\n"), given)
    made = cgroups.Groups()
    assert (True, {}, None) == (made.unified, made.bases, made.make())
    assert [] == made.planned(3)


@pytest.mark.parametrize("own", ["", "0::/nowhere\n"])
def test_no_groups_at_all(mounted: Any, own: str) -> None:
    """A machine without them gives none."""
    mounted(own)
    assert cgroups.Groups().make() is None


def test_groups_are_made_as_planned(mounted: Any) -> None:
    """The keeper is told the paths before they are made."""
    make_legacy(mounted(LEGACY_OWN))
    made = cgroups.Groups()
    planned = set(made.planned(2))
    groups = [made.make(), made.make()]
    paths = {str(path) for group in groups if group is not None for path in group.paths}
    assert planned == paths
    assert 6 == len(paths)
    assert all(f"codejury-{os.getpid()}-" in path for path in paths)
    for group in groups:
        assert group is not None
        group.close()
    assert not any(Path(path).exists() for path in paths)


def test_groups_of_two_sandboxes_have_other_names(mounted: Any) -> None:
    """One process may have several."""
    make_legacy(mounted(LEGACY_OWN))
    assert not set(cgroups.Groups().planned(3)) & set(cgroups.Groups().planned(3))


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="ascii")


def test_version_1_limits_and_counters(tmp_path: Path) -> None:
    """Files of version 1, by name and unit."""
    folders = make_legacy(tmp_path)
    _write(folders["memory"], memory__limit_in_bytes="", memory__memsw__limit_in_bytes="")
    _write(folders["memory"], memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 3\n")
    _write(folders["pids"], pids__max="", pids__events="max 5\n")
    _write(folders["cpuacct"], cpuacct__usage="2500000000\n")
    group = Group(folders, unified=False)
    group.limit(1 << 20, 18)
    assert "1048576" == (folders["memory"] / "memory.limit_in_bytes").read_text()
    assert "1048576" == (folders["memory"] / "memory.memsw.limit_in_bytes").read_text()
    assert "18" == (folders["pids"] / "pids.max").read_text()
    assert (2.5, 3, 5) == (group.cpu_s(), group.kills(), group.refused_processes())
    _write(folders["cpuacct"], cpuacct__usage="3000000000\n")
    _write(folders["memory"], memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 4\n")
    assert (3.0, 4) == (group.cpu_s(), group.kills())
    group.close()


def test_version_2_limits_and_counters(tmp_path: Path) -> None:
    """Files of version 2, by name and unit."""
    _write(tmp_path, memory__max="", memory__swap__max="", pids__max="")
    _write(tmp_path, cpu__stat="usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\n")
    _write(tmp_path, memory__events="low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 0\n")
    _write(tmp_path, pids__events="max 7\n")
    group = Group(dict.fromkeys(cgroups.CONTROLLERS, tmp_path), unified=True)
    group.limit(1 << 20, 18)
    assert ["1048576", "0", "18"] == [
        (tmp_path / name).read_text() for name in ("memory.max", "memory.swap.max", "pids.max")
    ]
    assert (1.5, 1, 7) == (group.cpu_s(), group.kills(), group.refused_processes())
    assert [tmp_path] == group.paths
    group.close()


def test_counters_that_are_not_there(tmp_path: Path) -> None:
    """A controller that is missing counts nothing; CPU time is then unknown, not zero."""
    group = Group({"pids": tmp_path}, unified=False)
    group.limit(1, 1)
    assert (None, 0, 0) == (group.cpu_s(), group.kills(), group.refused_processes())
    group.close()


def test_swap_that_is_not_accounted(tmp_path: Path) -> None:
    """A kernel without swap accounting lacks that file; the memory limit holds, and nothing is swapped out."""
    _write(tmp_path, memory__limit_in_bytes="", memory__swappiness="60")
    group = Group({"memory": tmp_path}, unified=False)
    group.limit(4096, 1)
    assert ["4096", "0"] == [
        (tmp_path / f"memory.{name}").read_text() for name in ("limit_in_bytes", "swappiness")
    ]
    group.close()


MEMORY = {
    False: {
        "usage": "memory.usage_in_bytes",
        "peak": "memory.max_usage_in_bytes",
        "limit": "memory.limit_in_bytes",
        "stat": "cache",
    },
    True: {"usage": "memory.current", "peak": "memory.peak", "limit": "memory.max", "stat": "file"},
}


class FakeMemory:
    """Files of a group that counts memory, as the kernel would have them."""

    def __init__(self, folder: Path, *, unified: bool) -> None:
        self.folder, self.names = folder, MEMORY[unified]
        for name in (*list(self.names.values())[:3], "memory.stat"):
            (folder / name).touch()
        self.group = Group(dict.fromkeys(cgroups.CONTROLLERS, folder), unified=unified)

    def shows(self, *, usage: int, peak: int, files: int = 0, shared: int = 0) -> None:
        """What the kernel counts, in MiB; pages of a tmpfs (`shared`) are among those of files."""
        (self.folder / self.names["usage"]).write_text(f"{usage << 20}\n")
        (self.folder / self.names["peak"]).write_text(f"{peak << 20}\n")
        text = f"{self.names['stat']} {files + shared << 20}\nrss 5\nmapped_file 7\nshmem {shared << 20}\n"
        (self.folder / "memory.stat").write_text(text)

    @property
    def limit(self) -> int:
        """The limit that was set, in MiB."""
        return int((self.folder / self.names["limit"]).read_text()) >> 20


@pytest.mark.parametrize("unified", [False, True])
def test_what_a_sample_uses(tmp_path: Path, *, unified: bool) -> None:
    """Limit and peak are above what the lane used before, without files' pages, which the kernel can take back."""
    memory = FakeMemory(tmp_path, unified=unified)
    memory.shows(usage=30, peak=99, files=20, shared=4)
    memory.group.begin(100 << 20, 18)
    assert 10 + 100 + 1 == memory.limit
    memory.shows(usage=60, peak=75, files=25, shared=9)
    assert (75 - 30 - 5) << 20 == memory.group.peak_bytes()
    memory.shows(usage=60, peak=500)
    assert 101 << 20 == memory.group.peak_bytes()  # no group ever held more than its limit
    memory.shows(usage=10, peak=20, files=20)
    assert 0 == memory.group.peak_bytes()
    memory.group.close()


def test_a_peak_that_cannot_be_reset(tmp_path: Path) -> None:
    """Before Linux 6.12 only a peak above all earlier ones is known."""
    (tmp_path / "memory.peak").touch(mode=0o444)
    memory = FakeMemory(tmp_path, unified=True)
    memory.shows(usage=10, peak=50)
    memory.group._files["peak"] = os.open(tmp_path / "memory.peak", os.O_RDONLY)  # root may write any file
    memory.group.begin(100 << 20, 18)
    assert not memory.group.measures_memory
    memory.shows(usage=10, peak=50)
    assert None is memory.group.peak_bytes()
    memory.shows(usage=10, peak=51)
    assert 41 << 20 == memory.group.peak_bytes()
    memory.group.close()


def test_memory_that_is_not_counted(tmp_path: Path) -> None:
    """Without the controller no peak is known; processes are limited all the same."""
    _write(tmp_path, pids__max="")
    group = Group({"pids": tmp_path}, unified=False)
    group.begin(1 << 20, 7)
    assert ("7", None, False) == ((tmp_path / "pids.max").read_text(), group.peak_bytes(), group.measures_memory)
    group.close()


def test_orphans_are_removed(mounted: Any) -> None:
    """Groups of processes that are gone are; those of living ones, and others' folders, are not."""
    gone = next(pid for pid in range(4_000_000, 4_194_304) if not Path(f"/proc/{pid}").exists())
    folders = make_legacy(mounted(LEGACY_OWN))
    names = {
        f"codejury-{gone}-0123abcd-0": False,
        f"codejury-{gone}-0123abcd-17": False,
        f"codejury-{gone}-0123abcd-own": False,
        f"codejury-{os.getpid()}-0123abcd-0": True,
        f"codejury-{os.getppid()}-0123abcd-0": True,
        f"codejury-{gone}-0123abcd-0.scope": True,
        f"codejury-{gone}": True,
        f"other-{gone}-0123abcd-0": True,
    }
    for folder in folders.values():
        for name in names:
            (folder / name).mkdir()
    cgroups.Groups().open()
    for folder in folders.values():
        assert names == {name: (folder / name).exists() for name in names}
