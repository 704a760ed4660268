"""A million rollouts: `python benchmarks/rollouts.py [--agents N] [--tasks N] [--rollouts N]`.

Rows of CodeBench's fields are written to a file of JSON lines, which is then imported and reported, each in a
fresh process whose time and peak memory are measured, modules included. The run fails if one of them needs more
than `LIMIT_MIB`. Rollouts have a short program each, a hundred different ones, which are scanned as usual.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from codejury.pipeline.rollout_report import ReportSettings, report_rollouts
from codejury.pipeline.rollouts import ImportSettings, import_rollouts
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_MIB = 1024
TESTS = 10


def main() -> int:
    """Print the table; 1 if the memory was more than the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=5)
    parser.add_argument("--tasks", type=int, default=2000, help="of each agent")
    parser.add_argument("--rollouts", type=int, default=100, help="of each task and agent")
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        what, folder = options.measure
        _measure(what, Path(folder))
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "rows.jsonl").open("w") as stream:
            count = sum(stream.write(line) > 0 for line in _lines(options.agents, options.tasks, options.rollouts))
        print(f"{count} rollouts, {(folder / 'rows.jsonl').stat().st_size / 2**20:.0f} MiB of rows")
        worst = 0.0
        for what in ("import", "report"):
            command = [sys.executable, __file__, "--measure", what, name]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds, mib, said = json.loads(done.stdout)
            worst = max(worst, mib)
            print(f"{what:8} {seconds:8.1f} s {mib:8.0f} MiB   {said}")
        print(f"store    {(folder / 'runs.db').stat().st_size / 2**20:19.0f} MiB")
    return int(worst > LIMIT_MIB)


def _lines(agents: int, tasks: int, rollouts: int) -> Iterator[str]:
    """Rows by task, agent and rollout."""
    generator = random.Random(1)  # noqa: S311 - no secret
    for task in range(tasks):
        for agent in range(agents):
            ability = generator.random()
            for rollout in range(rollouts):
                passed = TESTS if generator.random() < ability else generator.randrange(TESTS)
                row = {
                    "task": f"task-{task}",
                    "agent": f"agent-{agent}",
                    "rollout": rollout,
                    "tests_passed": passed,
                    "tests_total": TESTS,
                    "regression_count": generator.randint(0, TESTS - passed),
                    "tool_calls_used": generator.randint(1, 30),
                    "cost_usd": round(generator.uniform(0.001, 0.5), 4),
                    "latency_ms": round(generator.uniform(500, 5000)),
                    "generated_code": f"def f(x):\n    return x + {generator.randrange(100)}\n",
                    "difficulty": ("easy", "medium", "hard")[task % 3],
                }
                yield json.dumps(row) + "\n"


def _measure(what: str, folder: Path) -> None:
    started = time.perf_counter()
    with Store.open(folder / "runs.db") as store:
        if what == "import":
            document = import_rollouts(store, ImportSettings("jsonl", (str(folder / "rows.jsonl"),), "big"))
            said = f"{document.runs[0].rollouts} rollouts"
        else:
            report = report_rollouts(store, "big", ReportSettings(ks=(1, 10)))
            said = f"pass@1 {report.agents[0].figures.resolve_rate.value:.3f}, {len(report.agents)} agents"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([time.perf_counter() - started, peak, said]))


if __name__ == "__main__":
    sys.exit(main())
