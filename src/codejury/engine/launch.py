"""Docker and Podman: which one answers, whether it has the image, and the command that starts a worker in it."""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import shutil
import subprocess
from typing import TYPE_CHECKING

import msgspec

from codejury.judging.lanes import JUDGE_BYTES, SHIMS
from codejury.model import GIB, MIB, ContainerInfo, TierUnavailable, UsageError
from codejury.sandbox import CONTAINER

if TYPE_CHECKING:
    from codejury.model import Limits

ENGINES = ("docker", "podman")
"""Commands that are tried, in this order."""

DEFAULT_IMAGE = "codejury"
"""What the Containerfile's own comment names the image."""

USER = 10001
"""Of the worker, in user and group: nobody's, whatever the image says."""

FILES = 4096
TASKS = 16384  # of all containers of that user together: the limit that counts is --pids-limit
ANSWER_S = 30.0
_PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "all_proxy")


class ContainerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where a worker runs.

    Attributes:
        image: Name of an image with codejury in it.
        engine: One of ENGINES; None for the first that answers and has the image.
        runtime: OCI runtime, as "runsc"; None for the engine's own choice.
    """

    image: str = DEFAULT_IMAGE
    engine: str | None = None
    runtime: str | None = None


def find(settings: ContainerSettings) -> ContainerInfo:
    """The engine and the image that a worker is to run in.

    Raises:
        UsageError: No engine that answers has the image.
        TierUnavailable: No engine answers.
    """
    image = settings.image
    if not image or image.startswith("-"):
        raise UsageError(f"--image {image!r}: give the name of an image, as {DEFAULT_IMAGE}")
    refused: list[str] = []
    answered: list[str] = []
    for engine in (settings.engine,) if settings.engine else ENGINES:
        version, reason = answers(engine)
        if version is None:
            refused.append(f"{engine}: {reason}")
            continue
        answered.append(engine)
        if digest := image_id(engine, image):
            return ContainerInfo(
                image=image,
                image_id=digest,
                engine=f"{engine} {version}",
                runtime=settings.runtime,
            )
    if not answered:
        raise TierUnavailable(CONTAINER, "container engine", "; ".join(refused))
    raise UsageError(
        f"--image {image}: no such image in {' or '.join(answered)}: build it in codejury's checkout with"
        f" `{answered[0]} build -t {DEFAULT_IMAGE} -f Containerfile .`, or pull it"
    )


def answers(engine: str) -> tuple[str | None, str]:
    """An engine's version, or None and why it does not answer."""
    if shutil.which(engine) is None:
        return None, "not installed"
    template = "{{.ServerVersion}}" if engine == "docker" else "{{.Version.Version}}"
    asked = _ask([engine, "info", "--format", template])
    version = asked.stdout.strip()
    if asked.returncode or not version:
        said = asked.stderr.strip().rpartition("\n")[2][:300]
        return None, said or f"`{engine} info` ended with status {asked.returncode}"
    return version, ""


def image_id(engine: str, image: str) -> str | None:
    """Digest of an engine's image, in hex; None where it has none of that name."""
    asked = _ask([engine, "image", "inspect", "--format", "{{.Id}}", image])
    return asked.stdout.strip().removeprefix("sha256:") or None if asked.returncode == 0 else None


def run_command(info: ContainerInfo, name: str, limits: Limits, width: int) -> list[str]:
    """The command that starts a worker: no network, no volume, no file that it may change but below /tmp.

    Args:
        info: Engine and image.
        name: Of the container.
        limits: The largest of any job.
        width: Samples under way at once, at most.
    """
    engine, runtime = command_of(info), []
    if info.runtime is not None:
        runtime = ["--runtime", info.runtime]
    podman = engine == "podman"
    memory = memory_bytes(limits, width)
    return [
        *(engine, *(runtime if podman else ()), "run", *(() if podman else runtime)),
        *("--rm", "--interactive", "--name", name, "--pull=never", "--log-driver=none", "--sig-proxy=false"),
        *("--network=none", "--read-only", f"--tmpfs=/tmp:rw,nosuid,nodev,noexec,size={64 * MIB},mode=1777"),
        *("--cap-drop=ALL", "--security-opt=no-new-privileges", f"--user={USER}:{USER}"),
        *(f"--memory={memory}", f"--memory-swap={memory}", f"--pids-limit={processes(limits, width)}"),
        *_ulimits(podman=podman),
        *_no_proxies(podman=podman),
        *("--workdir=/", "--entrypoint=python", info.image_id, "-I", "-m", "codejury.engine.worker"),
    ]


def new_name() -> str:
    """A name for a container: the controller's process is in it."""
    return f"codejury-{os.getpid()}-{secrets.token_hex(4)}"


def remove(info: ContainerInfo, name: str) -> None:
    """End a container and all that is in it; nothing where it is gone."""
    _ask([command_of(info), "rm", "--force", "--volumes", name])


def command_of(info: ContainerInfo) -> str:
    """The engine's command."""
    return info.engine.partition(" ")[0]


def memory_bytes(limits: Limits, width: int) -> int:
    """What a container may use: each slot's sample and judge, one pair more that clears away, and the worker."""
    return (width + 1) * (limits.memory_bytes + max(limits.memory_bytes, JUDGE_BYTES)) + GIB


def processes(limits: Limits, width: int) -> int:
    """How many processes and threads a container may have: two pairs of lanes a slot, and the worker's own."""
    return 2 * width * 2 * (limits.processes + max(SHIMS.values()) + 4) + 64


def _ulimits(*, podman: bool) -> list[str]:
    """Open files; and for Podman, whose own values may be more than it can give, those of this process."""
    if not podman:
        return [f"--ulimit=nofile={FILES}:{FILES}"]
    pairs = (("nofile", resource.RLIMIT_NOFILE, FILES), ("nproc", resource.RLIMIT_NPROC, TASKS))
    most = {name: (resource.getrlimit(which)[1], wanted) for name, which, wanted in pairs}
    values = {
        name: wanted if own == resource.RLIM_INFINITY else min(own, wanted) for name, (own, wanted) in most.items()
    }
    return [f"--ulimit={name}={value}:{value}" for name, value in values.items()]


def _no_proxies(*, podman: bool) -> list[str]:
    """Both engines pass proxies on, which may have a password in them."""
    if podman:
        return ["--http-proxy=false"]
    return [f"--env={name}=" for proxy in _PROXIES for name in (proxy, proxy.upper())]


def _ask(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run an engine's command; what cannot be run or does not answer has failed."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ANSWER_S,
            check=False,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    return subprocess.CompletedProcess(command, 1, "", f"it does not answer within {ANSWER_S:g} s")
