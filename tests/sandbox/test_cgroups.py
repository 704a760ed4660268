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
    _write(tmp_path, memory__max="max", memory__swap__max="max", pids__max="max")
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
    """A kernel without swap accounting refuses that file; the memory limit holds all the same."""
    folder = tmp_path / "memory"
    (folder / "memory.memsw.limit_in_bytes").mkdir(parents=True)
    group = Group({"memory": folder}, unified=False)
    group.limit(4096, 1)
    assert "4096" == (folder / "memory.limit_in_bytes").read_text()
    group.close()


def test_orphans_are_removed(mounted: Any) -> None:
    """Groups of processes that are gone are; those of living ones, and others' folders, are not."""
    gone = next(pid for pid in range(4_000_000, 4_194_304) if not Path(f"/proc/{pid}").exists())
    folders = make_legacy(mounted(LEGACY_OWN))
    names = {
        f"codejury-{gone}-0123abcd-0": False,
        f"codejury-{gone}-0123abcd-17": False,
        f"codejury-{os.getpid()}-0123abcd-0": True,
        f"codejury-{os.getppid()}-0123abcd-0": True,
        f"codejury-{gone}-0123abcd-0.scope": True,
        f"codejury-{gone}": True,
        f"other-{gone}-0123abcd-0": True,
    }
    for folder in folders.values():
        for name in names:
            (folder / name).mkdir()
    cgroups.Groups()
    for folder in folders.values():
        assert names == {name: (folder / name).exists() for name in names}
