"""What a machine is found to be, and what its owner is told to do."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from codejury.sandbox.machine import Surroundings, advice, surroundings

if TYPE_CHECKING:
    from pathlib import Path


def here(**changes: Any) -> Surroundings:
    """An ordinary Linux machine that refuses user namespaces, but for what is changed."""
    settings = {
        "system": "Linux",
        "kernel": "6.8.0-45-generic",
        "arch": "x86_64",
        "root": False,
        "container": None,
        "wsl": 0,
        "settings": {"user.max_user_namespaces": 15000},
    }
    return Surroundings(**{**settings, **changes})


def made(root: Path, *files: str, **settings: int) -> Path:
    """A tree of files as a machine has them."""
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).touch()
    for name, value in settings.items():
        path = root / "proc" / "sys" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n", encoding="ascii")
    return root


@pytest.mark.parametrize(
    ("files", "container"),
    [
        ((), None),
        ((".dockerenv",), "docker"),
        (("run/.containerenv",), "podman"),
        (("dev/.lxc",), "lxc"),
        ((".dockerenv", "var/run/secrets/kubernetes.io"), "kubernetes"),
    ],
)
def test_containers_are_told_by_their_marks(
    files: tuple[str, ...], container: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kubernetes goes before the engine that it uses."""
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert container == surroundings(made(tmp_path, *files)).container


def test_settings_of_the_kernel(tmp_path: Path) -> None:
    """Those that exist, as numbers; what is no number is left out."""
    root = made(tmp_path, "proc/sys/kernel/unprivileged_userns_clone", user__max_user_namespaces=0)
    assert {"user.max_user_namespaces": 0} == surroundings(root).settings


@pytest.mark.parametrize(
    ("release", "wsl"),
    [
        ("4.4.0-19041-Microsoft", 1),
        ("5.15.153.1-microsoft-standard-WSL2", 2),
        ("4.19.84-microsoft-standard", 2),
        ("6.1.0-18-amd64", 0),
    ],
)
def test_windows_subsystem_by_its_kernel(
    release: str, wsl: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both versions name themselves in the release."""
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(release=release, machine="x86_64"))
    found = surroundings(tmp_path)
    assert (wsl, release) == (found.wsl, found.kernel)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"system": "Darwin"}, "Linux virtual machine or container"),
        ({"wsl": 1}, "wsl --set-version"),
        ({"settings": {"user.max_user_namespaces": 0}}, "sysctl -w user.max_user_namespaces=15000"),
        ({"settings": {"kernel.unprivileged_userns_clone": 0}}, "kernel.unprivileged_userns_clone=1"),
        ({"settings": {"kernel.apparmor_restrict_unprivileged_userns": 1}}, "/etc/apparmor.d/codejury"),
        ({"container": "docker"}, "--security-opt seccomp=unconfined"),
        ({"container": "podman"}, "--security-opt seccomp=unconfined"),
        ({"container": "kubernetes"}, "seccompProfile"),
        ({"container": "lxc"}, "security.nesting"),
        ({"container": "docker", "settings": {"user.max_user_namespaces": 0}}, "sysctl"),
        ({}, "CONFIG_USER_NS"),
    ],
)
def test_advice_on_user_namespaces(changes: dict[str, Any], said: str) -> None:
    """Docker, Kubernetes, Ubuntu's AppArmor rule, sysctls, macOS, WSL: each by its own way."""
    text = advice("user namespaces", here(**changes))
    assert said in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kernel": "5.10.0-28-amd64"}, "5.13"),
        ({}, "kernel parameter lsm="),
        ({"container": "docker"}, "update the container engine"),
    ],
)
def test_advice_on_landlock(changes: dict[str, Any], said: str) -> None:
    """An old kernel, one started without it, an old container engine."""
    assert said in advice("landlock", here(**changes))


def test_advice_on_the_rest() -> None:
    """Architectures that are known; where memory is limited for each process alone."""
    assert "x86_64 and aarch64" in advice("seccomp", here(arch="riscv64"))
    assert "address space alone" in advice("memory limit", here())


@pytest.mark.parametrize(("kernel", "release"), [("6.18.44-x", (6, 18)), ("5.4", (5, 4)), ("odd", ())])
def test_release_as_numbers(kernel: str, release: tuple[int, ...]) -> None:
    """Enough to compare."""
    assert release == here(kernel=kernel).release
