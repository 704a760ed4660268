"""Real containers, of each engine that can start one here: the wall around them, attacks, and abrupt ends."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

from codejury.engine import launch
from codejury.engine.container import ContainerEngine
from codejury.engine.launch import ContainerSettings
from codejury.model import CodejuryError, Job, Limits, Outcome, Problem, text_hash

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

pytestmark = [pytest.mark.service, pytest.mark.sandbox]

ROOT = Path(__file__).parents[2]
IMAGE = f"codejury-test-{os.getpid()}"
RUNTIMES = (None, "runc", "crun")
"""OCI runtimes to try: an engine's own choice may not fit the machine's cgroups."""

LIMITS = Limits(cpu_s=1.0, cpu_total_s=6.0)

# Says what a process of the container is and sees.
LOOK = """
import json, os, socket
def refused(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
mounts = [line.split() for line in open("/proc/self/mounts")]
print(json.dumps({
    "uid": os.getuid(), "gid": os.getgid(), "environment": dict(os.environ),
    "capabilities": [int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
    "no_new_privileges": status["NoNewPrivs"], "seccomp": status["Seccomp"],
    "interfaces": [name for _, name in socket.if_nameindex()],
    "connect": refused(lambda: socket.create_connection(("192.0.2.1", 80), 5)),
    "write": {folder: refused(lambda: open(folder + "/x", "w")) for folder in ("", "/usr", "/etc", "/tmp")},
    "disks": [place for device, place, *_ in mounts if device.startswith("/dev/") and place[:5] != "/etc/"],
}))
"""

# Judges a program that never ends, until it is killed itself.
ENDLESS = """
import asyncio, sys
from codejury.engine.container import ContainerEngine
from codejury.engine.launch import ContainerSettings
from codejury.model import Assertions, Job, Limits, Problem, text_hash

LIMITS = Limits(cpu_s=300, cpu_total_s=300)
PROBLEM = Problem(id="p", prompt="", entry_point="f", tests=Assertions(code=("assert f() == 1",)))
PROGRAM = "def f():\\n    while True:\\n        pass\\n"

class Library:
    def problem(self, digest):
        return PROBLEM
    def program(self, digest):
        return PROGRAM

async def jobs():
    yield Job(key="k", problem_hash=PROBLEM.hash, program_hash=text_hash(PROGRAM), limits=LIMITS)
    print(engine.name, engine.worker.process.pid, flush=True)

async def main():
    async with engine:
        async for _ in engine.submit(jobs()):
            pass

image, command, runtime = sys.argv[1:]
settings = ContainerSettings(image=image, engine=command, runtime=runtime or None)
engine = ContainerEngine(Library(), limits=LIMITS, settings=settings, slots=1)
asyncio.run(main())
"""


class Place(NamedTuple):
    """A container engine that starts containers here, and where it does so."""

    settings: ContainerSettings

    @property
    def command(self) -> str:
        """Of the engine."""
        return str(self.settings.engine)

    def containers(self, name: str) -> str:
        """Names of containers, running or not, that are like this one."""
        listed = [self.command, "ps", "--all", "--filter", f"name={name}", "--format", "{{.Names}}"]
        return subprocess.run(listed, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module", params=launch.ENGINES)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Each engine with an image of this machine's own interpreter; skips with the reason that it gave."""
    command = request.param
    version, reason = launch.answers(command)
    if version is None:
        pytest.skip(f"{command}: {reason}")
    script = [sys.executable, str(ROOT / "containers" / "host_image.py"), command, IMAGE]
    made = subprocess.run(script, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"{command} takes no image: {made.stderr.strip()[-500:]}")
    try:
        refused = []
        for runtime in RUNTIMES:
            settings = ContainerSettings(image=IMAGE, engine=command, runtime=runtime)
            look = _run(settings, "pass")
            if look.returncode == 0:
                yield Place(settings)
                return
            refused.append(f"{runtime or 'its own runtime'}: {look.stderr.strip()[-300:]}")
        pytest.skip(f"{command} starts no container: {'; '.join(refused)}")
    finally:
        subprocess.run([command, "rmi", "--force", IMAGE], capture_output=True, check=False)


def _run(settings: ContainerSettings, code: str) -> subprocess.CompletedProcess[str]:
    """Run a text in a container like a worker's."""
    command = launch.run_command(launch.find(settings), launch.new_name(), LIMITS, 1)
    return subprocess.run([*command[:-2], "-c", code], capture_output=True, text=True, check=False, timeout=120)


@functools.cache
def _suite() -> Any:
    """The suites of the judging room, by their path."""
    folder = ROOT / "tests" / "judging" / "suites"
    name = "engine_suites"
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_container_gives_away_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """No network, no capability, no file to write but below /tmp, nothing of our environment or disks."""
    monkeypatch.setenv("CODEJURY_SECRET", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@proxy")
    looked = _run(place.settings, LOOK)
    assert (0, "") == (looked.returncode, looked.stderr)
    seen = json.loads(looked.stdout)
    assert (launch.USER, launch.USER) == (seen["uid"], seen["gid"])
    assert [0] * 5 == seen["capabilities"]
    assert ("1", "2") == (seen["no_new_privileges"], seen["seccomp"])
    assert ["lo"] == seen["interfaces"]
    assert "OSError" == seen["connect"]
    assert ["/tmp"] == [folder for folder, refused in seen["write"].items() if refused is None]  # noqa: S108
    assert not [place for place in seen["disks"] if place != "/"], "nothing of the machine is mounted"
    assert "secret" not in looked.stdout


async def test_attacks_fail_and_right_answers_pass(place: Place) -> None:
    """The suites of the judging room: no attack passes or is an infrastructure error, right answers pass."""
    suite = _suite()
    attacks = [case for case in suite.ATTACKS if case.point != "leftover"]
    every = {case.name: case for case in (*attacks, *suite.HONEST)}
    engine = ContainerEngine(None, limits=LIMITS, settings=place.settings, slots=2)
    await engine.start()
    inner = engine.tier.partition("/")[2]
    judged = {name: case for name, case in every.items() if not (case.needs and inner == "landlock")}
    verdicts = await _judge(engine, judged)
    assert set(judged) == set(verdicts)
    assert {engine.tier} == {verdict.tier for verdict in verdicts.values()}
    expected = {
        name: case.landlock if inner == "landlock" and case.landlock else case.expect
        for name, case in judged.items()
    }
    odd = {name: str(verdict) for name, verdict in verdicts.items() if verdict.outcome not in expected[name]}
    assert {} == odd
    outcomes = Counter(verdicts[case.name].outcome for case in attacks if case.name in verdicts)
    assert sum(outcomes.values()) >= 60
    assert not {Outcome.PASSED, Outcome.INFRA_ERROR} & set(outcomes)


async def _judge(engine: ContainerEngine, cases: dict[str, Any]) -> dict[str, Any]:
    """The verdict on each case, by name."""
    problems = {name: _problem(case) for name, case in cases.items()}
    library = _Held(
        {problem.hash: problem for problem in problems.values()},
        {text_hash(case.program): case.program for case in cases.values()},
    )
    engine.library = library

    async def jobs() -> AsyncIterator[Job]:
        for name, case in cases.items():
            digest = text_hash(case.program)
            yield Job(key=name, problem_hash=problems[name].hash, program_hash=digest, limits=LIMITS)

    async with engine:
        todo = [(problem, LIMITS) for problem in library.problems.values()]
        engine.profiles = {problem.hash: profile async for problem, profile in engine.profile(todo)}
        return {judged.job.key: judged.verdict async for judged in engine.submit(jobs())}


class _Held(NamedTuple):
    """`model.Library` of what is at hand."""

    problems: dict[str, Problem]
    programs: dict[str, str]

    def problem(self, problem_hash: str) -> Problem:
        """The problem with this hash."""
        return self.problems[problem_hash]

    def program(self, program_hash: str) -> str:
        """The program with this hash."""
        return self.programs[program_hash]


def _problem(case: Any) -> Problem:
    conftest = ROOT / "tests" / "judging" / "conftest.py"
    spec = importlib.util.spec_from_file_location("engine_judging_conftest", conftest)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.get(spec.name)
    if module is None:
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    problem = module.problem_for(case)
    assert isinstance(problem, Problem)
    return problem


@pytest.mark.parametrize(
    ("whose", "sign"),
    [("controller", signal.SIGKILL), ("controller", signal.SIGINT), ("client", signal.SIGKILL)],
)
def test_nothing_outlives_its_controller(place: Place, whose: str, sign: signal.Signals) -> None:
    """Killed or interrupted in the middle of a job, or the engine's client is: the container is gone soon."""
    arguments = [IMAGE, place.command, place.settings.runtime or ""]
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as controller:
        assert controller.stdout is not None
        name, client = controller.stdout.readline().split()
        assert name in place.containers(name)
        try:
            os.kill(controller.pid if whose == "controller" else int(client), sign)
            deadline = time.monotonic() + 60
            while place.containers(name) and time.monotonic() < deadline:
                time.sleep(0.1)
            assert "" == place.containers(name)
            assert 0 != controller.wait(60)
        finally:
            controller.kill()


async def test_a_runtime_that_is_not_there(place: Place) -> None:
    """The engine's own words come in one line, and nothing is left."""
    settings = msgspec.structs.replace(place.settings, runtime="no-such-runtime")
    engine = ContainerEngine(None, limits=LIMITS, settings=settings, slots=1)
    with pytest.raises(CodejuryError, match="no-such-runtime") as caught:
        await engine.start()
    assert "\n" not in str(caught.value)
    assert "" == place.containers(engine.name)
