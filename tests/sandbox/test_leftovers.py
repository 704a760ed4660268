"""Nothing survives: after a run, an error, a kill of the controller; as root and as an ordinary user."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.judging import ROLES, Request, Slot
from codejury.model import CheckFunction, Limits, Outcome, TierUnavailable
from codejury.sandbox import Sandbox, Settings, cgroups, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).parents[2]
LIMITS = Limits(cpu_s=1.0, cpu_total_s=3.0, wall_factor=20.0)  # a busy machine is no reason
PATIENCE_S = 6.0  # three times what it may take
DAEMONS = """
import os, time
def f():
    for _ in range(3):
        if not os.fork():
            os.setsid()
            os.fork()
            time.sleep(600)
    open("/tmp/left", "w").close()
    return 1
"""
THREADS = """
import threading, time
def f():
    for _ in range(3):
        threading.Thread(target=time.sleep, args=(600,)).start()
    return 1
"""
LEAVING = {"namespaces": DAEMONS, "landlock": THREADS}
ALIVE = {"namespaces": 6, "landlock": 5}  # at least so many processes while one program sleeps
TESTS = "def check(c):\n    assert c() == 1\n"
HANGING = "import time\ndef f(): time.sleep(600)\n"


@pytest.fixture(params=list(LEAVING))
def tier(request: pytest.FixtureRequest) -> str:
    """Each tier; a program leaves what it can there: descendants, or threads."""
    return str(request.param)


@pytest.fixture
def marker() -> int:
    """A hash seed by which the processes of one sandbox are known: it stands in their environment."""
    return secrets.randbelow(4_000_000_000) + 100_000_000


@pytest.fixture(autouse=True)
def nothing_left(marker: int) -> Iterator[None]:
    """After each test: no process of its sandbox, no mount and no group that was not there before."""
    mounts, groups = _mounts(), _groups()
    yield
    assert _soon(lambda: not processes(marker)), processes(marker)
    assert _soon(lambda: not _groups() - groups), _groups() - groups
    assert not _mounts() - mounts


def processes(marker: int) -> list[int]:
    """Processes whose environment holds the hash seed."""
    wanted, found = f"PYTHONHASHSEED={marker}\0".encode(), []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if wanted in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def _mounts() -> set[str]:
    """Mounts of this machine but for those that other tests make in their own folders."""
    lines = Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if not line.split()[1].startswith(f"{tempfile.gettempdir()}/")}


def _groups() -> set[str]:
    """Groups of this process and of those that it starts; others may be judging at the same time."""
    living = {f"codejury-{folder.name}-" for folder in Path("/proc").iterdir() if folder.name.isdigit()}
    living.discard(f"codejury-{os.getpid()}-")
    _, bases = cgroups._bases()
    names = {str(path) for base in set(bases.values()) for path in base.glob("codejury-*")}
    return {name for name in names if not any(Path(name).name.startswith(prefix) for prefix in living)}


def _soon(holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold in good time."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def run(
    marker: int,
    *sources: str,
    tier: str = "namespaces",
    then: Callable[[], None] = lambda: None,
    **limits: Any,
) -> list[Any]:
    """The outcomes of programs in one sandbox, and what `then` does before it is closed."""
    own = Limits(**{**{name: getattr(LIMITS, name) for name in Limits.__struct_fields__}, **limits})
    settings = Settings(interpreter=describe(), limits=own, hash_seed=marker, tier=tier)

    async def work() -> list[Any]:
        async with Sandbox(settings, ROLES) as sandbox:
            slot = Slot(sandbox, own)
            try:
                tests = CheckFunction(code=TESTS)
                seen = [
                    (await slot.observe(Request(source=s, entry_point="f", tests=tests, limits=own))).outcome
                    for s in sources
                ]
                then()
                return seen
            finally:
                slot.close()

    try:
        return asyncio.run(work())
    except TierUnavailable as error:
        pytest.skip(str(error))


def test_after_a_run(marker: int, tier: str) -> None:
    """Daemons, threads, files and groups are gone when the sandbox is closed; until then there were some."""
    _, bases = cgroups._bases()
    seen: list[bool] = []
    programs = [LEAVING[tier]] * 2
    assert [Outcome.PASSED] * 2 == run(marker, *programs, tier=tier, then=lambda: seen.append(bool(_groups())))
    assert [bool(bases)] == seen


def test_while_the_sandbox_is_open(marker: int) -> None:
    """A sample's processes end with its verdict, not with the sandbox: those that wait are as many as before."""
    counts = []

    def count() -> None:
        counts.append(len(processes(marker)))

    run(marker, "def f(): return 1\n", then=count)
    run(marker, *[DAEMONS] * 5, then=count)
    assert counts[0] > 0
    assert counts[1] < counts[0] + 6  # each lane may have one more on its way; one sample would leave six


def test_after_every_kind_of_end(marker: int, tier: str) -> None:
    """Time, memory, crashes and exits leave nothing either."""
    leave = "os.fork()" if tier == "namespaces" else "__import__('threading').Thread(target=input).start()"
    ends = {
        "while True: pass\n": Outcome.TIMEOUT_CPU,
        "import ctypes\nctypes.string_at(0)\n": Outcome.CRASHED,
        f"import os\n{leave}\nos._exit(0)\n": Outcome.EARLY_EXIT,
        LEAVING[tier].replace("return 1", "while True: pass"): Outcome.TIMEOUT_CPU,
    }
    assert list(ends.values()) == run(marker, *ends, tier=tier, cpu_s=0.3)


def test_after_an_error(marker: int) -> None:
    """An exception in the controller closes the sandbox as its end would."""

    def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        run(marker, DAEMONS, then=fail)


def test_after_a_cancellation(marker: int, tier: str) -> None:
    """A session that is cancelled ends what it had under way."""
    settings = Settings(interpreter=describe(), limits=LIMITS, hash_seed=marker, tier=tier)

    async def work() -> None:
        async with Sandbox(settings, ROLES) as sandbox:
            slot = Slot(sandbox, LIMITS)
            request = Request(source=HANGING, entry_point="f", tests=CheckFunction(code=TESTS), limits=LIMITS)
            try:
                await asyncio.wait_for(slot.observe(request), 0.3)
            finally:
                slot.close()

    try:
        with pytest.raises(asyncio.TimeoutError):
            asyncio.run(work())
    except TierUnavailable as error:
        pytest.skip(str(error))


CONTROLLER = """
import asyncio, sys
from codejury.judging import ROLES, Request, Slot
from codejury.model import CheckFunction, Limits, TierUnavailable
from codejury.sandbox import Sandbox, Settings, describe

limits = Limits(cpu_s=30.0, cpu_total_s=60.0)
source, tests, marker, tier = sys.argv[1:5]
settings = Settings(interpreter=describe(), limits=limits, hash_seed=int(marker), tier=tier)

async def main():
    async with Sandbox(settings, ROLES) as sandbox:
        slot = Slot(sandbox, limits)
        request = Request(source=source, entry_point="f", tests=CheckFunction(code=tests), limits=limits)
        session = asyncio.ensure_future(slot.observe(request))
        await asyncio.sleep(0.3)
        print("under way", flush=True)
        await session

try:
    asyncio.run(main())
except TierUnavailable as error:
    print("skip", error, flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_after_a_kill_of_the_controller(marker: int, tier: str, number: int) -> None:
    """The kernel ends the zygote and all below it; the keeper, which outlives it, removes the groups."""
    source = LEAVING[tier].replace("return 1", "time.sleep(600)")
    controller = subprocess.Popen(
        [sys.executable, "-c", CONTROLLER, source, TESTS, str(marker), tier], stdout=subprocess.PIPE, text=True
    )
    with controller:
        assert controller.stdout is not None
        said = controller.stdout.readline()
        if said.startswith("skip"):
            pytest.skip(said)
        assert "under way\n" == said
        assert len(processes(marker)) >= ALIVE[tier]
        controller.send_signal(number)
        controller.wait()
    assert _soon(lambda: not processes(marker))


def test_after_a_kill_of_the_zygote(marker: int, tier: str) -> None:
    """A zygote that is killed takes its lanes along; the controller sees it and closes in peace."""
    script = {"namespaces": b"/judge/zygote.py", "landlock": b"plain.py"}[tier]

    def kill() -> None:
        for pid in processes(marker):
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if script in command:
                os.kill(pid, signal.SIGKILL)
                return

    assert [Outcome.PASSED] == run(marker, "def f(): return 1\n", tier=tier, then=kill)


# ---- as an ordinary user

ORDINARY = """
import asyncio, json, os, sys
from codejury.judging import ROLES, Request, Slot
from codejury.model import CheckFunction, Limits, TierUnavailable
from codejury.sandbox import Sandbox, Settings, describe

limits = Limits(cpu_s=1.0, cpu_total_s=3.0, wall_factor=20.0, memory_bytes=128 << 20)
sources, tests, marker = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])

async def main():
    async with Sandbox(Settings(interpreter=describe(), limits=limits, hash_seed=marker), ROLES) as sandbox:
        slot = Slot(sandbox, limits)
        seen = []
        for source in sources:
            request = Request(source=source, entry_point="f", tests=CheckFunction(code=tests), limits=limits)
            seen.append((await slot.observe(request)).outcome)
        slot.close()
    return seen

try:
    print(json.dumps({"uid": os.getuid(), "outcomes": asyncio.run(main())}))
except TierUnavailable as error:
    print(json.dumps({"skip": str(error)}))
"""

FACTS = """
import ctypes, os, socket
def refused(function, *args):
    try: function(*args)
    except OSError: return True
    return False
def f():
    prctl = ctypes.CDLL(None).prctl
    facts = [
        os.getpid() == 1,
        os.getuid() != 0,
        prctl(21, 0, 0, 0, 0) == 2,
        prctl(39, 0, 0, 0, 0) == 1,
        refused(socket.socket),
        refused(os.mkdir, "/x"),
        refused(os.setuid, 0),
        not os.path.exists("/proc/self"),
        os.listdir("/tmp") == [],
    ]
    return 1 if all(facts) else facts
"""


def _ordinary() -> list[str]:
    """The command that runs an interpreter of our own version as nobody; skips where there is none."""
    if os.geteuid() != 0:
        return [sys.executable]
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("setpriv is not installed")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for python in (f"/usr/bin/python{version}", f"/usr/local/bin/python{version}"):
        if Path(python).exists():
            return [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", python]
    pytest.skip(f"no Python {version} that an ordinary user may run")


def test_as_an_ordinary_user(marker: int) -> None:
    """The same walls and the same outcomes without root, and nothing left."""
    packages = Path(pytest.__file__).parents[1]
    ends = {
        FACTS: "passed",
        DAEMONS: "passed",
        "def f(): return 2\n": "wrong_answer",
        "def f():\n    while True: pass\n": "timeout_cpu",
        "import os\ndef f(): os._exit(0)\n": "early_exit",
        "def f():\n    kept = []\n    while True: kept.append(bytearray(b'x') * (1 << 22))\n": "out_of_memory",
        FACTS + "#\n": "passed",
    }
    command = [*_ordinary(), "-B", "-c", ORDINARY, json.dumps(list(ends)), TESTS, str(marker)]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT / 'src'}:{packages}"}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd="/", env=environment, timeout=120, check=False
    )
    if done.returncode == 127 and "setres" in done.stderr:
        pytest.skip(f"no other user to be had here: {done.stderr.strip()}")
    if "PermissionError" in done.stderr or "No module named" in done.stderr:
        pytest.skip(f"an ordinary user cannot read the project: {done.stderr.splitlines()[-1]}")
    assert 0 == done.returncode, done.stderr
    seen = json.loads(done.stdout)
    if "skip" in seen:
        pytest.skip(seen["skip"])
    assert 0 != seen["uid"]
    assert list(ends.values()) == seen["outcomes"]
