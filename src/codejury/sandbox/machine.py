"""What kind of machine this is, and what its owner can do where it lacks a layer of isolation."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from pathlib import Path

import msgspec

NEWEST_LANDLOCK = 7
"""The version of Landlock's interface that tier "landlock" knows; a newer kernel is used as this one."""

_CONTAINERS = (
    ("docker", ".dockerenv"),
    ("podman", "run/.containerenv"),
    ("lxc", "dev/.lxc"),
)


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """A machine, as far as isolation depends on it.

    Attributes:
        system: As `uname` names it: "Linux", "Darwin".
        kernel: Release of the kernel.
        arch: "x86_64", "aarch64".
        root: Whether this process is root.
        container: "docker", "podman", "lxc", "kubernetes", or None for none that is known.
        wsl: 1 or 2 where this is the Windows subsystem for Linux, else 0.
        settings: Of the kernel, by name, where they exist: those that bear on user namespaces.
    """

    system: str
    kernel: str
    arch: str
    root: bool
    container: str | None
    wsl: int
    settings: dict[str, int]

    @property
    def release(self) -> tuple[int, ...]:
        """The kernel's release as numbers, as (6, 1)."""
        parts = self.kernel.split("-")[0].split(".")[:2]
        return tuple(int(part) for part in parts if part.isdigit())


SETTINGS = (
    "user.max_user_namespaces",
    "kernel.unprivileged_userns_clone",
    "kernel.apparmor_restrict_unprivileged_userns",
)


def surroundings(root: Path = Path("/")) -> Surroundings:
    """This machine; `root` is where its files are looked for."""
    names = os.uname()
    release = names.release
    settings: dict[str, int] = {}
    for name in SETTINGS:
        with contextlib.suppress(OSError, ValueError):
            path = root / "proc" / "sys" / name.replace(".", "/")
            settings[name] = int(path.read_text(encoding="ascii"))
    wsl = 0
    if "microsoft" in release.lower():
        wsl = 2 if "wsl2" in release.lower() or "microsoft-standard" in release else 1
    return Surroundings(
        system=platform.system(),
        kernel=release,
        arch=names.machine,
        root=os.geteuid() == 0,
        container=_container(root),
        wsl=wsl,
        settings=settings,
    )


def _container(root: Path) -> str | None:
    if "KUBERNETES_SERVICE_HOST" in os.environ or (root / "var/run/secrets/kubernetes.io").exists():
        return "kubernetes"
    return next((name for name, mark in _CONTAINERS if (root / mark).exists()), None)


def advice(layer: str, here: Surroundings) -> str:
    """What to do where a layer is missing, in one or two sentences.

    Args:
        layer: Of `tiers.LAYERS`, or "memory limit".
        here: The machine.
    """
    if here.system != "Linux":
        return (
            "Judge with --tier container, or run codejury in a Linux virtual machine or container: isolation is"
            " the Linux kernel's. On macOS, Docker Desktop, Podman, Lima and OrbStack all bring one."
        )
    if layer == "seccomp":
        return "Known architectures are x86_64 and aarch64; the kernel needs CONFIG_SECCOMP_FILTER."
    if layer == "landlock":
        return _landlock(here)
    if layer == "memory limit":
        return (
            "Each process is limited by its address space alone. Run codejury in a cgroup of its own, as by"
            " `systemd-run --user --scope -p Delegate=yes codejury …`, or as root where cgroups can be written."
        )
    return _namespaces(here)


def _landlock(here: Surroundings) -> str:
    if here.release < (5, 13):
        return "Landlock needs Linux 5.13 or later: use a newer kernel."
    if here.container:
        return (
            "The container's seccomp profile may be older than Landlock: update the container engine. Else add"
            " landlock to the host's kernel parameter lsm=."
        )
    return "Add landlock to the kernel parameter lsm= (its list is in /sys/kernel/security/lsm) and reboot."


def _namespaces(here: Surroundings) -> str:
    if here.wsl == 1:
        return "WSL 1 has no namespaces: move the distribution to WSL 2 with `wsl --set-version NAME 2`."
    if here.settings.get("user.max_user_namespaces") == 0:
        return "They are switched off: `sysctl -w user.max_user_namespaces=15000` as root."
    if here.settings.get("kernel.unprivileged_userns_clone") == 0:
        return "They are for root alone: `sysctl -w kernel.unprivileged_userns_clone=1` as root."
    return _in_container(here.container) if here.container else _by_security_module(here)


def _in_container(container: str) -> str:
    calls = "clone, unshare, setns, mount, umount2, pivot_root and mount_setattr"
    if container == "kubernetes":
        return (
            "Give the container securityContext: seccompProfile: type: Unconfined (or a Localhost profile that"
            f" allows {calls}), and on nodes with AppArmor an appArmorProfile of type Unconfined."
        )
    if container == "lxc":
        return "Allow nesting: `lxc config set NAME security.nesting true`."
    return (
        f"Start the container with --security-opt seccomp=unconfined (or a profile that allows {calls}) and"
        " --security-opt apparmor=unconfined; --privileged is not needed."
    )


def _by_security_module(here: Surroundings) -> str:
    if here.settings.get("kernel.apparmor_restrict_unprivileged_userns"):
        return (
            "AppArmor takes their rights away (Ubuntu from 23.10 on). As root, either write a profile for the"
            f" interpreter to /etc/apparmor.d/codejury, `abi <abi/4.0>, include <tunables/global> profile codejury"
            f" {os.path.realpath(sys.executable)} flags=(unconfined) {{ userns, }}`, and load it with"
            " `apparmor_parser -r`, or `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`."
        )
    return "The kernel refuses them: it may be built without CONFIG_USER_NS, or a security module forbids them."
