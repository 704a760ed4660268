"""Runs in a container, whose worker is a plain process here: what manifests say, and going on with a run."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from codejury.cli.common import place_of as place_of_options
from codejury.engine import ContainerSettings, launch
from codejury.formats import write_problems, write_samples
from codejury.model import (
    Assertions,
    ContainerInfo,
    Limits,
    Machine,
    Manifest,
    Outcome,
    Problem,
    ProblemSet,
    ProblemSetInfo,
    Sample,
    UsageError,
)
from codejury.pipeline import JudgeSettings, StrengthSettings, check, judge, strength
from codejury.pipeline.engines import place_of

if TYPE_CHECKING:
    from pathlib import Path

    from codejury.store import Store

PROBLEM = Problem(
    id="t/1",
    prompt="",
    entry_point="f",
    tests=Assertions(code=("assert f(2) == 3",)),
    reference="def f(x):\n    return x + 1\n",
)
INFO = ContainerInfo(image="mine", image_id="0123456789abcdef", engine="docker 1.2", runtime="runsc")
PLACE = ContainerSettings(image="mine", engine="docker", runtime="runsc")


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, sandbox: str) -> str:
    """Start a plain process wherever a container is asked for; the tier that results."""
    command = [sys.executable, "-I", "-m", "codejury.engine.worker"]
    monkeypatch.setattr(launch, "find", lambda _: INFO)
    monkeypatch.setattr(launch, "run_command", lambda *_: command)
    return f"container/{sandbox}"


@pytest.fixture
def settings(tmp_path: Path) -> JudgeSettings:
    """Of a run in a container, with one right and one wrong sample."""
    problems, samples = tmp_path / "tiny.jsonl", tmp_path / "samples.jsonl"
    write_problems(problems, [PROBLEM])
    sources = ["def f(x):\n    return x + 1\n", "def f(x):\n    return x\n"]
    write_samples(samples, [Sample(problem_id="t/1", index=i, text=text) for i, text in enumerate(sources)])
    limits = Limits(cpu_s=2.0, cpu_total_s=6.0)
    return JudgeSettings(samples=str(samples), problems=str(problems), run="r", limits=limits, slots=1, tier=PLACE)


@pytest.mark.sandbox
def test_a_run_in_a_container(
    worker: str, store: Store, settings: JudgeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its manifest has the container; it is resumed there without being told, and in no other image."""
    asyncio.run(judge(store, settings))
    run = store.find_run("r")
    manifest = store.manifest(run.id)
    assert (INFO, worker, Machine.here()) == (manifest.container, manifest.tier, manifest.machine)
    outcomes = [found.outcome for found in store.verdicts(run.id)]
    assert [Outcome.PASSED, Outcome.WRONG_ANSWER] == outcomes
    again = msgspec.structs.replace(settings, resume=True, tier="auto")
    assert "r" == asyncio.run(judge(store, again))
    other = msgspec.structs.replace(INFO, image_id="fedcba9876543210")
    monkeypatch.setattr(launch, "find", lambda _: other)
    with pytest.raises(UsageError, match="container image 0123456789ab then, fedcba987654 now"):
        asyncio.run(judge(store, again))


@pytest.mark.sandbox
async def test_sets_in_a_container(worker: str) -> None:
    """A set is checked and measured there as well."""
    tiny = ProblemSet(name="tiny", version="1-0", problems=(PROBLEM,))
    checked = await check(tiny, slots=1, tier=PLACE)
    assert (worker, True) == (checked.tier, checked.ok)
    measured = await strength(tiny, StrengthSettings(slots=1, tier=PLACE))
    assert (worker, 0) == (measured.tier, measured.total.infra_errors)


def test_where_a_run_was_begun() -> None:
    """The image by its name: another of that name is told by its digest."""
    tiny = ProblemSetInfo(name="tiny", version="1-0", hash="0")
    plain = Manifest(run="r", created="", problem_set=tiny, tier="landlock")
    assert "landlock" == place_of(plain)
    assert PLACE == place_of(msgspec.structs.replace(plain, tier="container/landlock", container=INFO))


def test_options_of_a_container() -> None:
    """They need the tier; without them the image and the engine have defaults."""
    assert ContainerSettings(image="codejury") == place_of_options("container", None, "auto", None)
    assert PLACE == place_of_options("container", "mine", "docker", "runsc")
    assert "landlock" == place_of_options("landlock", None, "auto", None)
    for image, engine, runtime in (("mine", "auto", None), (None, "podman", None), (None, "auto", "runsc")):
        with pytest.raises(UsageError, match="is for containers: add --tier container"):
            place_of_options("auto", image, engine, runtime)


async def test_no_isolation_and_a_container_exclude_each_other(store: Store, settings: JudgeSettings) -> None:
    """One of them is asked for."""
    with pytest.raises(UsageError, match="give one of them"):
        await judge(store, msgspec.structs.replace(settings, unsafe=True))
