"""Docker and Podman as commands: which one is taken, what a container is started with."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec
import pytest

from codejury.engine import launch
from codejury.engine.launch import ContainerSettings
from codejury.model import GIB, MIB, ContainerInfo, Limits, TierUnavailable, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DOCKER = ContainerInfo(image="codejury", image_id="0a1b", engine="docker 20.10")
PODMAN = ContainerInfo(image="codejury", image_id="0a1b", engine="podman 4.3.1")
LIMITS = Limits(memory_bytes=GIB, processes=16)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts engines on the path that say what they are told to."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def install(name: str, *, version: str = "", image: str = "", complaint: str = "") -> None:
        file = tmp_path / name
        file.write_text(
            '#!/bin/sh\ncase "$1 $2" in\n'
            f"info*) echo {shlex.quote(version)}; test -n {shlex.quote(version)} && exit 0;;\n"
            f'"image inspect") echo {shlex.quote(image)}; test -n {shlex.quote(image)} && exit 0;;\n'
            f"esac\necho first >&2\necho {shlex.quote(complaint)} >&2\nexit 125\n"
        )
        file.chmod(0o755)

    for name in launch.ENGINES:
        install(name, complaint=f"no {name} here")
    return install


def test_the_first_engine_that_has_the_image_is_taken(installed: Callable[..., None]) -> None:
    """One that answers without the image is passed over; one that is named is the only one that is asked."""
    installed("docker", version="20.10")
    installed("podman", version="4.3.1", image="sha256:0a1b")
    assert PODMAN == launch.find(ContainerSettings())
    with pytest.raises(
        UsageError, match=r"--image codejury: no such image in docker: build it .*`docker build -t codej"
    ):
        launch.find(ContainerSettings(engine="docker"))
    installed("docker", version="20.10", image="sha256:0a1b")
    assert DOCKER == launch.find(ContainerSettings())
    named = ContainerSettings(engine="podman", runtime="runsc")
    assert msgspec.structs.replace(PODMAN, runtime="runsc") == launch.find(named)


def test_no_engine_answers(installed: Callable[..., None], tmp_path: Path) -> None:
    """The tier cannot be had; each engine's own last words say why."""
    (tmp_path / "podman").unlink()
    with pytest.raises(TierUnavailable, match="docker: no docker here; podman: not installed") as caught:
        launch.find(ContainerSettings())
    assert ("container", "container engine") == (caught.value.tier, caught.value.layer)


@pytest.mark.parametrize("image", ["", "-v/:/host", "--privileged"])
def test_an_image_is_no_option(image: str) -> None:
    """A name that an engine would take for an option is refused."""
    with pytest.raises(UsageError, match="give the name of an image"):
        launch.find(ContainerSettings(image=image))


@pytest.mark.parametrize("info", [DOCKER, PODMAN])
def test_what_a_container_is_started_with(info: ContainerInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    """No network, nothing to write to but /tmp, no rights, no volume, nothing of the environment, no log."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    command = launch.run_command(info, "a-name", LIMITS, 2)
    assert [info.engine.split()[0], "run", "--rm", "--interactive"] == command[:4]
    memory = 3 * 2 * GIB + GIB
    expected = {
        *("--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--pull=never"),
        *("--user=10001:10001", f"--memory={memory}", f"--memory-swap={memory}", "--log-driver=none"),
        *(f"--tmpfs=/tmp:rw,nosuid,nodev,noexec,size={64 * MIB},mode=1777", "--entrypoint=python"),
    }
    assert expected <= set(command)
    assert ["0a1b", "-I", "-m", "codejury.engine.worker"] == command[-4:]
    assert not [word for word in command if word.startswith(("-v", "--volume", "--mount", "--env-file"))]
    assert "secret" not in " ".join(command)
    environment = [word for word in command if word.startswith(("-e", "--env")) and "entrypoint" not in word]
    assert all(word.endswith("=") for word in environment), "variables are emptied, none is set"
    assert ("--http-proxy=false" in command) is (info is PODMAN)
    assert ("--env=HTTPS_PROXY=" in environment) is (info is DOCKER)


def test_a_runtime_is_passed_on() -> None:
    """Docker takes it of a container, Podman before its command."""
    docker = launch.run_command(msgspec.structs.replace(DOCKER, runtime="runsc"), "a-name", LIMITS, 1)
    assert ["docker", "run", "--runtime", "runsc"] == docker[:4]
    podman = launch.run_command(msgspec.structs.replace(PODMAN, runtime="runsc"), "a-name", LIMITS, 1)
    assert ["podman", "--runtime", "runsc", "run"] == podman[:4]


def test_containers_limits_hold_all_that_may_run() -> None:
    """Each slot's sample and judge and one pair more, by the larger of a judge's memory and a sample's."""
    small = msgspec.structs.replace(LIMITS, memory_bytes=256 * MIB)
    assert 5 * (256 + 512) * MIB + GIB == launch.memory_bytes(small, 4)
    assert launch.processes(LIMITS, 4) > 2 * 4 * 2 * LIMITS.processes


def test_names_differ() -> None:
    """Two engines of a process have containers of their own."""
    assert launch.new_name() != launch.new_name()
