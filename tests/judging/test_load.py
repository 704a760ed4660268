"""A machine that is busy gives the verdicts of one that is idle: 400 samples, many close to a limit."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from codejury.engine import LocalEngine
from codejury.model import Assertions, Job, Limits, Outcome, Problem, TierUnavailable, Verdict, text_hash
from codejury.sandbox import describe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.slow,
    pytest.mark.skipif(
        "CODEJURY_LOAD_TESTS" not in os.environ,
        reason="it needs the machine for itself for a quarter of an hour: set CODEJURY_LOAD_TESTS=1",
    ),
]

LIMITS = Limits(cpu_s=0.5, cpu_total_s=3.0, wall_factor=3.0, memory_bytes=128 << 20)  # wall: 2.5 s
SAMPLES, BURNERS = 400, 3

PROBLEM = Problem(
    id="p",
    prompt="",
    entry_point="f",
    tests=Assertions(code=("assert f(1) == 2", "assert f(5) == 6")),
    reference="def f(x): return x + 1\n",
)


def _spins(share: float) -> str:
    """Takes this share of the CPU limit in the first test."""
    return (
        f"import time\ndef f(x):\n    end = time.process_time() + {share * LIMITS.cpu_s} * (x == 1)\n"
        "    while time.process_time() < end: pass\n    return x + 1\n"
    )


def _sleeps(share: float) -> str:
    """Sleeps for this share of the wall limit in the first test."""
    return f"import time\ndef f(x):\n    time.sleep({share * LIMITS.wall_s} * (x == 1))\n    return x + 1\n"


def _holds(share: float) -> str:
    """Holds this share of the memory limit."""
    return f"def f(x):\n    kept = b'x' * {int(share * LIMITS.memory_bytes)}\n    return x + 1\n"


THREADS = """
import threading
def f(x):
    found = []
    threads = [threading.Thread(target=lambda: found.append(x + 1)) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return found[7]
"""

KINDS: dict[str, tuple[str, Outcome]] = {
    "right": ("def f(x): return x + 1\n", Outcome.PASSED),
    "imports": ("import asyncio, decimal, json\ndef f(x): return x + 1\n", Outcome.PASSED),
    "threads": (THREADS, Outcome.PASSED),
    **{f"{share} of CPU": (_spins(share), Outcome.PASSED) for share in (0.3, 0.6, 0.7, 0.8, 0.9)},
    **{f"{share} of wall": (_sleeps(share), Outcome.PASSED) for share in (0.2, 0.5)},
    **{f"{share} of memory": (_holds(share), Outcome.PASSED) for share in (0.5, 0.9)},
    "memory": (_holds(1.1), Outcome.OUT_OF_MEMORY),
    "CPU": (_spins(1.5), Outcome.TIMEOUT_CPU),
    "wall": (_sleeps(1.5), Outcome.TIMEOUT_WALL),
    "wrong": ("def f(x): return x\n", Outcome.WRONG_ANSWER),
    "late wrong": (_spins(0.5).replace("x + 1", "x + (x == 1)"), Outcome.WRONG_ANSWER),
    "exception": ("def f(x): return x // 0\n", Outcome.EXCEPTION),
    "syntax": ("def f(x: return x\n", Outcome.SYNTAX_ERROR),
    "exits": ("import os\ndef f(x): os._exit(0)\n", Outcome.EARLY_EXIT),
    "crashes": ("import ctypes\ndef f(x): ctypes.string_at(0)\n", Outcome.CRASHED),
}


class _Texts:
    """`model.Library` of the samples."""

    def __init__(self) -> None:
        rows = [(kind, f"{KINDS[kind][0]}# {i}\n") for i, kind in zip(range(SAMPLES), _endless(), strict=False)]
        self.kinds = {text_hash(source): kind for kind, source in rows}
        self.sources = {text_hash(source): source for _, source in rows}

    def problem(self, _: str) -> Problem:
        """The only one."""
        return PROBLEM

    def program(self, program_hash: str) -> str:
        """The program with this hash."""
        return self.sources[program_hash]


def _endless() -> Iterator[str]:
    while True:
        yield from KINDS


async def _judge_all(texts: _Texts, tier: str) -> dict[str, Verdict]:
    """The verdict on each sample, by its hash."""

    async def jobs() -> AsyncIterator[Job]:
        for digest in texts.sources:
            yield Job(key=digest, problem_hash=PROBLEM.hash, program_hash=digest, limits=LIMITS)

    async with LocalEngine(texts, limits=LIMITS, interpreter=describe(), tier=tier) as engine:
        engine.profiles = {p.hash: found async for p, found in engine.profile([(PROBLEM, LIMITS)])}
        return {judged.job.key: judged.verdict async for judged in engine.submit(jobs())}


@contextlib.contextmanager
def burners(number: int) -> Iterator[None]:
    """Processes that want all the CPU time there is."""
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


@pytest.mark.parametrize("busy", [0, BURNERS])
@pytest.mark.parametrize("tier", ["namespaces", "landlock"])
def test_no_verdict_differs_under_load(tier: str, busy: int) -> None:
    """Idle or beside three that burn CPU time, each sample ends as it must; what a rerun has changed says so."""
    texts = _Texts()
    try:
        with burners(busy):
            verdicts = asyncio.run(_judge_all(texts, tier))
    except TierUnavailable as error:
        pytest.skip(str(error))
    wrong = {
        texts.kinds[digest]: v for digest, v in verdicts.items() if v.outcome is not KINDS[texts.kinds[digest]][1]
    }
    assert {} == wrong
    assert SAMPLES == len(verdicts)
    flipped = {v.flipped_from for v in verdicts.values()} - {None}
    assert flipped <= {Outcome.TIMEOUT_CPU, Outcome.TIMEOUT_WALL}
