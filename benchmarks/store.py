"""A store of a million verdicts: `python benchmarks/store.py [--runs N] [--problems N] [--samples N]`.

The store is filled as judging fills it: samples are streamed in by `Store.create_run`, and verdicts go through the
sink in batches of 64, the size that `codejury judge` commits. Every sample is a program of its own, as in the
worst case. Then each reading is timed in a fresh process, imports left out, with the peak of that process's
memory, imports included:

    open        a store of today's schema
    list        all runs
    counts      of one run, as are all that follow
    tally
    flips
    report      `codejury.pipeline.summarise`, with all that it reads
    pending     how many programs are left to judge
    verdicts    every verdict, streamed
    upgrade     the store as the schema before had it, to today's
    delete      one run

Listing, counting and reporting must not depend on the number of verdicts: the run fails if one of them takes
longer than `LIMIT_S`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from codejury.model import (
    Assertions,
    Job,
    Judged,
    Limits,
    Manifest,
    Outcome,
    Problem,
    ProblemSet,
    ProblemSetInfo,
    Program,
    Sample,
    TestResult,
    Verdict,
)
from codejury.pipeline import summarise
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BATCH = 64
LIMIT_S = 1.0
QUICK = ("open", "list", "counts", "tally", "flips", "report", "pending")
OTHERS = ("verdicts", "upgrade", "delete")
OUTCOMES = (Outcome.PASSED, Outcome.WRONG_ANSWER, Outcome.EXCEPTION, Outcome.TIMEOUT_CPU, Outcome.SYNTAX_ERROR)
WEIGHTS = (50, 35, 10, 4, 1)


def main() -> int:
    """Print the table; 1 if a reading that should not depend on the number of verdicts was slow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--samples", type=int, default=1000, help="of each problem in each run")
    parser.add_argument("--keep", type=Path, help="make the store here and keep it; without one run in the end")
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        what, path = options.measure
        started = time.perf_counter()
        MEASURES[what](path)
        _print_measure(started)
        return 0
    with tempfile.TemporaryDirectory(prefix="codejury-bench-") as folder:
        path = options.keep or Path(folder) / "runs.db"
        _fill(path, options.runs, options.problems, options.samples)
        print(f"{path.stat().st_size / 1e6:.0f} MB; seconds and peak memory of a process each")
        seconds = {what: _measure(what, path) for what in (*QUICK, *OTHERS)}
    slow = [what for what in QUICK if seconds[what] > LIMIT_S]
    if slow:
        sys.stderr.write(f"longer than {LIMIT_S} s: {', '.join(slow)}\n")
    return bool(slow)


def _fill(path: Path, runs: int, problems: int, samples: int) -> None:
    """Make the runs, and say how long reading the samples and writing the verdicts took."""
    problem_set = _problem_set(problems)
    read = written = 0.0
    with Store.open(path) as store:
        for number in range(runs):
            manifest = Manifest(
                run=f"run {number}", created="2026-11-01T00:00:00Z", problem_set=ProblemSetInfo.of(problem_set)
            )
            started = time.perf_counter()
            run = store.create_run(manifest, problem_set, _pairs(number, problem_set, samples))
            read += time.perf_counter() - started
            started = time.perf_counter()
            _judge(store, run, number)
            written += time.perf_counter() - started
    total = runs * problems * samples
    print(f"{total} samples in {runs} runs of {problems} problems; peak of this process {_peak_mb():.0f} MB")
    print(f"{'samples read':14s} {read:8.1f} s {total / read:10.0f} a second")
    print(f"{'verdicts kept':14s} {written:8.1f} s {total / written:10.0f} a second, batches of {BATCH}")


def _problem_set(size: int) -> ProblemSet:
    return ProblemSet(
        name="bench",
        version="1-0",
        problems=tuple(
            Problem(
                id=f"Bench/{place}",
                prompt=f"def f{place}(x):\n",
                entry_point=f"f{place}",
                tests=Assertions(code=(f"assert f{place}(1) == 1",)),
                difficulty=("easy", "medium", "hard")[place % 3],
            )
            for place in range(size)
        ),
    )


def _pairs(number: int, problem_set: ProblemSet, samples: int) -> Iterator[tuple[Sample, Program]]:
    body = "".join(f"    value{line} = sorted(x for x in range({line}))\n" for line in range(8))
    for index in range(samples):  # as generators write them: a sample of each problem, again and again
        for problem in problem_set.problems:
            source = f"{problem.prompt}{body}    return {index} + {number}\n"
            text = f"Here is a function:\n```python\n{source}```\n"
            yield Sample(problem_id=problem.id, index=index, text=text), Program(source, "fenced")


def _judge(store: Store, run: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - figures for a benchmark
    limits = Limits()
    sink = store.sink(run)
    batch: list[Judged] = []
    for problem_hash, _, digest in store.pending(run):
        outcome = chance.choices(OUTCOMES, WEIGHTS)[0]
        verdict = Verdict(
            outcome=outcome,
            integrity="strong",
            tier="namespaces",
            tests=tuple(TestResult(line, Outcome.PASSED, 0.001) for line in range(1, 8)),
            detail="" if outcome is Outcome.PASSED else "line 3: expected 1",
            cpu_s=chance.random(),
            wall_s=chance.random(),
            flipped_from=Outcome.TIMEOUT_WALL if chance.random() < 0.0001 else None,
        )
        job = Job(key=digest, problem_hash=problem_hash, program_hash=digest, limits=limits)
        batch.append(Judged(job, verdict))
        if len(batch) == BATCH:
            sink.put(batch)
            batch = []
    sink.put(batch)


def _measure(what: str, path: Path) -> float:
    """Print a line of the table."""
    command = [sys.executable, __file__, "--measure", what, str(path)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seconds, peak = json.loads(done.stdout)
    print(f"{what:14s} {seconds:8.3f} s {peak:10.0f} MB", flush=True)
    return float(seconds)


def _print_measure(started: float) -> None:
    print(json.dumps([time.perf_counter() - started, _peak_mb()]))


def _peak_mb() -> float:
    # Not getrusage: a process begins with its parent's peak there.
    lines = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines["VmHWM"].removesuffix("kB")) / 1024


def _of_first_run(action: Callable[[Store, int], object]) -> Callable[[str], None]:
    def measured(path: str) -> None:
        with Store.open(path, create=False) as store:
            action(store, store.runs()[0].id)

    return measured


def _open(path: str) -> None:
    Store.open(path, create=False).close()


def _upgrade(path: str) -> None:
    """From the store as schema 1 had it."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE outcome_counts")
        connection.execute("PRAGMA user_version = 1")
    _open(path)


MEASURES: dict[str, Callable[[str], None]] = {
    "open": _open,
    "list": _of_first_run(lambda store, _: store.runs()),
    "counts": _of_first_run(lambda store, run: store.counts(run)),
    "tally": _of_first_run(lambda store, run: store.tally(run)),
    "flips": _of_first_run(lambda store, run: store.flips(run)),
    "report": _of_first_run(lambda store, _: summarise(store, store.runs()[0].name)),
    "pending": _of_first_run(lambda store, run: store.count_pending(run)),
    "verdicts": _of_first_run(lambda store, run: sum(1 for _ in store.verdicts(run))),
    "upgrade": _upgrade,
    "delete": _of_first_run(lambda store, run: store.delete_run(run)),
}


if __name__ == "__main__":
    sys.exit(main())
