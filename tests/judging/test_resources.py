"""Memory, time, files and processes: every limit has its own outcome, and what is measured is near the truth.

In both tiers, as root and as an ordinary user; a process for each of the four judges programs whose use is
known.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from codejury.model import MIB

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).parents[2]

RUNNER = """
import asyncio, json, os, sys
from codejury.judging import ROLES, Request, Slot
from codejury.model import CheckFunction, Limits, TierUnavailable
from codejury.sandbox import Sandbox, Settings, describe

asked = json.load(sys.stdin)
most = Limits(**asked["most"])
settings = Settings(interpreter=describe(), limits=most, tier=asked["tier"], packages=tuple(asked["packages"]))

async def main():
    async with Sandbox(settings, ROLES) as sandbox:
        slot = Slot(sandbox, most)
        seen = []
        for source, limits, tests in asked["cases"]:
            request = Request(
                source=source,
                entry_point="f",
                tests=CheckFunction(code="def check(c):\\n" + "    assert c() == 1\\n" * tests),
                limits=Limits(**(asked["most"] | limits)),
            )
            found = await slot.observe(request)
            times = [[test.wall_s, test.cpu_s] for test in found.tests]
            seen.append([str(found.outcome), found.detail, found.peak_bytes or 0, times])
        slot.close()
        return {"user": os.getuid(), "groups": sorted(sandbox.groups.bases), "seen": seen}

try:
    said = asyncio.run(main())
except TierUnavailable as error:
    said = {"skip": str(error)}
print(json.dumps(said))
"""

MOST = {
    "cpu_s": 20.0,
    "cpu_total_s": 60.0,
    "wall_factor": 10.0,  # a busy machine is no reason
    "memory_bytes": 1024 * MIB,
}


class Case(NamedTuple):
    """A program that is to return 1, what is changed of the limits for it, and how often it is asked."""

    source: str
    limits: dict[str, float]
    tests: int = 1


class Seen(NamedTuple):
    """What judging a case showed; of each test the wall and CPU seconds."""

    outcome: str
    detail: str
    peak_bytes: int
    times: list[tuple[float, float | None]]


def _ordinary() -> list[str]:
    """The command that runs an interpreter of our own version as nobody; skips where there is none."""
    if os.geteuid() != 0:
        return [sys.executable]
    setpriv = shutil.which("setpriv")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for python in (f"/usr/bin/python{version}", f"/usr/local/bin/python{version}"):
        if setpriv is not None and Path(python).exists():
            return [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", python]
    pytest.skip(f"no setpriv, or no Python {version} that an ordinary user may run")


@functools.cache
def _asked(user: str, tier: str, cases: tuple[str, ...], packages: tuple[str, ...], file_bytes: int) -> Any:
    """What the runner says of cases as JSON texts; each question is asked once."""
    command = [sys.executable] if user == "root" else _ordinary()
    paths = [str(ROOT / "src"), str(Path(pytest.__file__).parents[1])]
    done = subprocess.run(
        [*command, "-B", "-c", RUNNER],
        input=json.dumps(
            {
                "tier": tier,
                "most": MOST | {"file_bytes": file_bytes},
                "packages": packages,
                "cases": [json.loads(case) for case in cases],
            }
        ),
        capture_output=True,
        text=True,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(paths)},
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class Judge:
    """Judges cases as one user in one tier."""

    def __init__(self, user: str, tier: str) -> None:
        self.user, self.tier = user, tier

    def see(
        self, cases: dict[str, Case], packages: tuple[str, ...] = (), file_bytes: int = 2048 * MIB
    ) -> tuple[dict[str, Seen], set[str]]:
        """What each case showed, by name, and which controllers count; skips where there is no such tier."""
        texts = tuple(json.dumps(case) for case in cases.values())
        code, said, errors = _asked(self.user, self.tier, texts, packages, file_bytes)
        if "PermissionError" in errors or "No module named" in errors:
            pytest.skip(f"an ordinary user cannot read the project: {errors.splitlines()[-1]}")
        assert 0 == code, errors
        found = json.loads(said)
        if "skip" in found:
            pytest.skip(found["skip"])
        assert (self.user == "root") == (found["user"] == 0)
        return {name: Seen(*seen) for name, seen in zip(cases, found["seen"], strict=True)}, set(found["groups"])


@pytest.fixture(params=["namespaces", "landlock"])
def tier(request: pytest.FixtureRequest) -> str:
    """Both tiers."""
    return str(request.param)


@pytest.fixture(params=["root", "ordinary"])
def judge(request: pytest.FixtureRequest, tier: str) -> Judge:
    """Both tiers as root and as an ordinary user."""
    if request.param == "root" and os.geteuid() != 0:
        pytest.skip("not root")
    return Judge(str(request.param), tier)


# ---- memory

WAYS = {
    "one object": "def f():\n    kept = b'x' * N\n    return 1\n",
    "small objects": "def f():\n    kept = [b'%095d' % i for i in range(N // 136)]\n    return 1\n",
    "mapped": (
        "import mmap\ndef f():\n    kept = mmap.mmap(-1, N)\n"
        "    for i in range(0, N, 4096): kept[i] = 1\n    return 1\n"
    ),
    "while loading": "kept = b'x' * N\ndef f(): return 1\n",
    "stacks of threads": """
import ctypes, threading
libc = ctypes.CDLL(None)
libc.pthread_self.restype = ctypes.c_void_p
def touch(size, gate):
    attributes, start, length = ctypes.create_string_buffer(64), ctypes.c_void_p(), ctypes.c_size_t()
    libc.pthread_getattr_np(ctypes.c_void_p(libc.pthread_self()), attributes)
    libc.pthread_attr_getstack(attributes, ctypes.byref(start), ctypes.byref(length))
    ctypes.memset(start.value + (1 << 16), 1, size)  # below all frames, above the guard
    gate.wait()
def f():
    size = N // 7
    threading.stack_size((size >> 20) + 2 << 20)
    gate = threading.Barrier(7)
    threads = [threading.Thread(target=touch, args=(size, gate)) for _ in range(7)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return 1
""",
}
SHARED_WAYS = {
    "children": """
import os
def f():
    pipes = [os.pipe() for _ in range(2)]
    done = os.pipe()
    for ready, _ in pipes:
        if not os.fork():
            kept = b'x' * (N // 2)
            os.write(done[1], b'.')
            os.read(ready, 1)
            os._exit(0)
    for _ in pipes: os.read(done[0], 1)
    for _, write in pipes: os.write(write, b'.')
    return 1 if all(os.wait()[1] == 0 for _ in pipes) else 2
""",
    "files": """
def f():
    for i in range(8):
        with open(f'/tmp/{i}', 'wb') as file:
            for _ in range(N // 8 >> 16): file.write(b'x' * (1 << 16))
    return 1
""",
}
"""Memory of which no single process has all."""

UNDER, OVER = 0.9, 1.1


def memory_cases(ways: dict[str, str], limit_mib: int) -> dict[str, Case]:
    """Programs that use 10 % less and 10 % more than a limit."""
    return {
        f"{way}, {share:g}": Case(
            f"N = {int(share * limit_mib) << 20}\n{source}", {"memory_bytes": limit_mib << 20}
        )
        for way, source in ways.items()
        for share in (UNDER, OVER)
    }


@pytest.mark.parametrize("limit_mib", [64, *(pytest.param(mib, marks=pytest.mark.slow) for mib in (256, 1024))])
def test_memory_within_ten_percent(judge: Judge, limit_mib: int) -> None:
    """10 % below the limit passes, 10 % above is out of memory, whatever holds it; what was used is told."""
    cases = memory_cases(WAYS, limit_mib)
    seen, _ = judge.see(cases)
    expected = {name: "passed" if name.endswith("0.9") else "out_of_memory" for name in cases}
    assert expected == {name: found.outcome for name, found in seen.items()}, seen
    truth = int(UNDER * limit_mib) << 20
    peaks = {name: found.peak_bytes / truth for name, found in seen.items() if name.endswith("0.9")}
    assert all(0.9 < share < 1.1 for share in peaks.values()), peaks


@pytest.mark.parametrize("limit_mib", [64, *(pytest.param(mib, marks=pytest.mark.slow) for mib in (256, 1024))])
def test_memory_that_no_process_has_alone(judge: Judge, limit_mib: int) -> None:
    """Children and files count together where a cgroup counts; without one, each process has its own limit."""
    if judge.tier == "landlock":
        pytest.skip("no processes and no files in this tier")
    cases = memory_cases(SHARED_WAYS, limit_mib)
    seen, groups = judge.see(cases)
    over = "out_of_memory" if "memory" in groups else "passed"
    expected = {name: "passed" if name.endswith("0.9") else over for name in cases}
    assert expected == {name: found.outcome for name, found in seen.items()}, seen
    if "memory" in groups:
        truth = int(UNDER * limit_mib) << 20
        peaks = {name: found.peak_bytes / truth for name, found in seen.items() if name.endswith("0.9")}
        assert all(0.9 < share < 1.1 for share in peaks.values()), peaks


def test_memory_of_numpy() -> None:
    """An array's, where the packages are shown: only our own interpreter has it for sure."""
    pytest.importorskip("numpy")
    if os.geteuid() != 0:
        pytest.skip("not root")
    source = "import numpy\ndef f():\n    kept = numpy.ones(N // 8)\n    return 1\n"
    seen, _ = Judge("root", "namespaces").see(memory_cases({"array": source}, 512), ("numpy",))
    assert ["passed", "out_of_memory"] == [found.outcome for found in seen.values()], seen


# What is measured beside the program's own: by a cgroup batches of the kernel's and a process on its way, by
# resident sets: pages of the interpreter's files, where the process ended before they were counted.
SMALL = {True: 2 * MIB, False: 5 * MIB}


def test_measured_peaks(judge: Judge) -> None:
    """Within 10 % of what a program holds, or a little for small ones, whatever the sample before it held."""
    sizes = [1, 400, 4, 100, 16, 1, 40]
    cases = {f"{i}": Case(f"N = {size << 20}\n{WAYS['one object']}", {}) for i, size in enumerate(sizes)}
    seen, groups = judge.see(cases)
    assert {"passed"} == {found.outcome for found in seen.values()}, seen
    for size, found in zip(sizes, seen.values(), strict=True):
        truth = size << 20
        assert abs(found.peak_bytes - truth) <= max(truth // 10, SMALL["memory" in groups]), (size, found)


# ---- every limit has its own outcome

FORKS = """
import os, time
def f():
    while True:
        if not os.fork(): time.sleep(60)
"""
THREADS = """
import threading, time
def f():
    for _ in range(40): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return 1
"""
LARGE = """
def f():
    with open('/tmp/x', 'wb') as file: file.write(bytes(9 << 20))
    return 1
"""
FULL = """
def f():
    for i in range(9):
        with open(f'/tmp/{i}', 'wb') as file: file.write(bytes(1 << 20))
    return 1
"""
HANDLED = """
def f():
    try:
        with open('/tmp/x', 'wb') as file: file.write(bytes(9 << 20))
    except OSError:
        return 1
"""

LIMITS: dict[str, tuple[Case, str, str]] = {
    "CPU of a test": (
        Case("def f():\n    while True: pass\n", {"cpu_s": 0.5}),
        "timeout_cpu",
        "0.5 s of CPU in one test",
    ),
    "CPU in all": (
        Case(
            "import time\ndef f():\n    end = time.process_time() + 0.3\n"
            "    while time.process_time() < end: pass\n    return 1\n",
            {"cpu_s": 1.0, "cpu_total_s": 1.2},
            9,
        ),
        "timeout_cpu",
        "1.2 s of CPU in all",
    ),
    "CPU of compiling": (
        Case("x = 1\n" * 400_000 + "def f(): return 1\n", {"cpu_s": 0.2}),
        "timeout_cpu",
        "0.2 s of CPU in one test",
    ),
    "wall": (
        Case("import time\ndef f(): time.sleep(60)\n", {"cpu_s": 0.5, "wall_factor": 1.0, "wall_extra_s": 0.5}),
        "timeout_wall",
        "1 s in one test",
    ),
    "memory": (
        Case(
            "def f():\n    kept = []\n    while True: kept.append(bytearray(b'x') * (1 << 20))\n",
            {"memory_bytes": 64 * MIB},
        ),
        "out_of_memory",
        "",
    ),
    "value": (Case("def f(): return 'a' * 2_000_000\n", {"value_bytes": MIB}), "output_limit", "bytes"),
}


def test_every_limit_has_its_outcome(judge: Judge) -> None:
    """Also where nothing but limits of each process is to be had."""
    seen, _ = judge.see({name: case for name, (case, _, _) in LIMITS.items()})
    expected = {name: (outcome, True) for name, (_, outcome, _) in LIMITS.items()}
    assert expected == {name: (found.outcome, LIMITS[name][2] in found.detail) for name, found in seen.items()}, (
        seen
    )


def test_too_many_processes_or_threads(judge: Judge) -> None:
    """A refusal is known where a cgroup counts it; else the exception is all that is seen of it.

    Without user ids to spare and without a cgroup, nothing but memory bounds the threads of tier "landlock".
    """
    few: dict[str, float] = {"processes": 8, "memory_bytes": 256 * MIB}
    cases = {"threads": Case(THREADS, few)}
    if judge.tier == "namespaces":
        cases["forks"] = Case(FORKS, few)
    seen, groups = judge.see(cases)
    if "pids" in groups:
        expected = "process_limit"
    elif judge.tier == "landlock":
        expected = "passed"
    else:
        expected = "exception"
    assert dict.fromkeys(cases, expected) == {name: found.outcome for name, found in seen.items()}, seen


def test_files_that_are_too_large(judge: Judge) -> None:
    """The program sees an OSError, as on a full disk, and may live with it; else it is an exception of its own."""
    cases = {"large": Case(LARGE, {}), "many": Case(FULL, {}), "handled": Case(HANDLED, {})}
    seen, _ = judge.see(cases, file_bytes=8 * MIB)
    expected = {"large": "exception", "many": "exception", "handled": "passed"}
    assert expected == {name: found.outcome for name, found in seen.items()}, seen
    why = (
        ("OSError: [Errno 27]", "OSError: [Errno 28]") if judge.tier == "namespaces" else ("PermissionError",) * 2
    )
    assert [True, True] == [seen[name].detail.startswith(why[i]) for i, name in enumerate(("large", "many"))], seen


def test_cpu_and_wall_time_of_tests(judge: Judge) -> None:
    """Both are told of each slow test: one that sleeps takes no CPU time, one that spins does."""
    source = """
import time
calls = 0
def f():
    global calls
    calls += 1
    if calls in (2, 4):  # the last, so that the process is there while the controller looks at its clock
        time.sleep(0.3)
    if calls == 3:
        end = time.process_time() + 0.4
        while time.process_time() < end: pass
    return 1
"""
    seen, _ = judge.see({"times": Case(source, {}, 4)})
    found = seen["times"]
    assert "passed" == found.outcome
    wall, cpu = zip(*found.times, strict=True)
    assert wall[1] >= 0.3
    assert wall[2] >= 0.4
    assert cpu[1] < 0.1
    assert pytest.approx(0.4, abs=0.1) == cpu[2]
    assert cpu[3] is None or cpu[3] < 0.1
