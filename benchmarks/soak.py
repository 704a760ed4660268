"""Many programs through one jury: `python benchmarks/soak.py [--programs N] [--slots N]`.

Distinct programs, mixed as follows: right 49 %, wrong 30 %, raising 10 %, crashing 4 %, leaving early 3 %, fork
bombs 2.5 %, memory hogs 1 %, and 0.5 % that never end, at a CPU limit of 0.2 s. Every tenth part of the way it
prints the rate, the controller's memory and its descriptors; at the end what is left over: processes, descriptors,
cgroups.

Fails if a verdict is not what its program deserves, if memory grows by 5 MB or more in 100,000 programs over the
last four fifths of the way and by 2 MB in all, if descriptors grow, or if anything is left over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from codejury.model import MIB, Assertions, Limits, Outcome, Problem, ProblemSet
from codejury.pipeline import AsyncJury, JurySettings

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITS = Limits(cpu_s=0.2, cpu_total_s=1.0, memory_bytes=64 * MIB, processes=8)
PROBLEM = Problem(
    id="soak",
    prompt="",
    entry_point="f",
    reference="def f(x):\n    return x + 1\n",
    tests=Assertions(code=("assert f(1) == 2", "assert f(41) == 42")),
)
BOMB = """import os
def f(x):
    for _ in range(50):
        try:
            os.fork()
        except OSError:
            break
    return 0
"""
KINDS: tuple[tuple[int, str, frozenset[Outcome]], ...] = (
    (490, "def f(x):\n    return x + 1\n", frozenset((Outcome.PASSED,))),
    (300, "def f(x):\n    return x + 2\n", frozenset((Outcome.WRONG_ANSWER,))),
    (100, "def f(x):\n    raise KeyError(x)\n", frozenset((Outcome.EXCEPTION,))),
    (
        40,
        "import os, signal\ndef f(x):\n    os.kill(os.getpid(), 11)\n    os.abort()\n",
        frozenset((Outcome.CRASHED,)),
    ),
    (30, "import os\ndef f(x):\n    os._exit(0)\n", frozenset((Outcome.EARLY_EXIT,))),
    (25, BOMB, frozenset((Outcome.WRONG_ANSWER, Outcome.TAMPERED, Outcome.PROCESS_LIMIT))),
    (
        10,
        "def f(x):\n    return len(bytearray(200 << 20))\n",
        frozenset((Outcome.OUT_OF_MEMORY, Outcome.EXCEPTION)),
    ),
    (5, "def f(x):\n    while True:\n        pass\n", frozenset((Outcome.TIMEOUT_CPU,))),
)
"""Programs in a thousand, with what they deserve."""

UNDER_WAY = 64


def main() -> int:
    """Print how it goes; 1 if it does not go well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=200_000)
    parser.add_argument("--slots", type=int, default=0, help="the usable cores by default")
    options = parser.parse_args()
    before = left_over()
    problems = asyncio.run(soak(options.programs, options.slots or None))
    after = left_over()
    problems += [
        f"{name}: {after[name]} left, {before[name]} before" for name in before if after[name] > before[name]
    ]
    for problem in problems:
        print(f"! {problem}")
    print("nothing left over, nothing grown" if not problems else "not sound")
    return int(bool(problems))


async def soak(count: int, slots: int | None) -> list[str]:
    """Judge so many programs; what went wrong."""
    wrong: Counter[str] = Counter()
    marks: list[tuple[int, float, int]] = []
    started = time.monotonic()
    async with AsyncJury(
        ProblemSet(name="soak", version="1-0", problems=(PROBLEM,)), JurySettings(slots=slots, limits=LIMITS)
    ) as jury:
        await jury.prepare()
        todo = programs(count)
        done = 0

        async def work() -> None:
            nonlocal done
            for source, deserved in todo:
                verdict = await jury.judge("soak", source)
                if verdict.outcome not in deserved:
                    wrong[f"{verdict.outcome} for {min(deserved)}: {verdict.detail[:80]}"] += 1
                done += 1
                if done % max(count // 10, 1) == 0:
                    marks.append((done, memory_mb(), descriptors()))
                    rate = done / (time.monotonic() - started)
                    print(
                        f"{done:8d} programs  {rate:6.0f}/s  {marks[-1][1]:7.1f} MB  {marks[-1][2]:4d} descriptors"
                    )

        await asyncio.gather(*(work() for _ in range(UNDER_WAY)))
    problems = [f"{number} times {what}" for what, number in wrong.most_common(5)]
    steady = marks[len(marks) // 5 :]
    if len(steady) > 1:
        slope = (steady[-1][1] - steady[0][1]) / (steady[-1][0] - steady[0][0]) * 100_000
        print(f"memory grows by {slope:.2f} MB in 100,000 programs")
        if slope >= 5 and steady[-1][1] - steady[0][1] >= 2:
            problems.append(f"memory grows by {slope:.1f} MB in 100,000 programs")
        if steady[-1][2] > steady[0][2] + 8:
            problems.append(f"descriptors grow from {steady[0][2]} to {steady[-1][2]}")
    return problems


def programs(count: int) -> Iterator[tuple[str, frozenset[Outcome]]]:
    """So many distinct programs in the mix of `KINDS`, well shuffled."""
    mix = [kind for kind in KINDS for _ in range(kind[0])]
    for number in range(count):
        _, source, deserved = mix[number * 617 % len(mix)]
        yield f"{source}# {number}\n", deserved


def memory_mb() -> float:
    """The controller's resident memory."""
    kib = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(kib[1]) / 1024 if kib else 0.0


def descriptors() -> int:
    """The controller's open descriptors."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count, often


def left_over() -> dict[str, int]:
    """Descriptors, child processes, and cgroups of this process."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
    groups = list(Path("/sys/fs/cgroup").glob(f"**/codejury-{os.getpid()}-*"))
    return {"descriptors": descriptors(), "processes": len(children), "cgroups": len(groups)}


if __name__ == "__main__":
    sys.exit(main())
