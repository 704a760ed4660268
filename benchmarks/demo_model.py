"""A real model from end to end: asked, killed, resumed, judged and reported, on this machine alone.

SmolLM2-135M-Instruct (see serve_model.py) answers HumanEval's first problems. The asking is ended by SIGKILL
half-way, and `codejury run` goes on: it must ask for the rest alone, and each sample must have its tokens and
finish reason.

    python benchmarks/demo_model.py --model-python PYTHON   the environment with the model's wheels
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
WAIT_S = 600.0


@contextlib.contextmanager
def serving(python: str, threads: int | None) -> Iterator[str]:
    """A server with the model; gives its base URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    more = [] if threads is None else ["--threads", str(threads)]
    command = [python, str(HERE / "serve_model.py"), "--port", str(port), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            if not (url := server.stdout.readline().strip()):
                sys.exit(f"demo_model: {python} cannot serve the model: are its wheels installed there?")
            yield url
        finally:
            server.kill()


def rows(path: Path) -> list[dict[str, Any]]:
    """The whole rows of a file, as it is now."""
    if not path.exists():
        return []
    lines = path.read_bytes().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def check(*, holds: bool, what: str) -> None:
    """Say what was checked; end where it does not hold."""
    print(f"{'ok' if holds else 'FAILED'}: {what}", flush=True)
    if not holds:
        sys.exit(1)


def killed(command: list[str], samples: Path, after: int) -> int:
    """Start asking, end it by SIGKILL when so many samples are there; gives how many were whole."""
    with subprocess.Popen([*command[:3], "generate", *command[3:], "--quiet"]) as process:
        ends = time.monotonic() + WAIT_S
        while len(rows(samples)) < after and process.poll() is None and time.monotonic() < ends:
            time.sleep(0.05)
        process.kill()
    return len(rows(samples))


def main() -> None:
    """Ask, kill, go on, judge, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--model-python", default=sys.executable, help="of the environment with the model's wheels"
    )
    parser.add_argument("--threads", type=int, help="of the model; fewer on a machine that is busy")
    parser.add_argument("--limit", type=int, default=30, help="of HumanEval's problems")
    parser.add_argument("--n", type=int, default=2, help="samples of each")
    parser.add_argument("--json", help="write the run's document there")
    given = parser.parse_args()
    total = given.limit * given.n
    with (
        tempfile.TemporaryDirectory(prefix="codejury-") as folder,
        serving(given.model_python, given.threads) as url,
    ):
        samples = Path(folder) / "smollm2.jsonl"
        document = Path(given.json or Path(folder) / "run.json")
        command = [sys.executable, "-m", "codejury", "--problems", "humaneval", "--limit", str(given.limit)]
        command += [
            "--n",
            str(given.n),
            "--model",
            "SmolLM2-135M-Instruct",
            "--base-url",
            url,
            "--out",
            str(samples),
        ]
        command += ["--temperature", "0.2", "--max-tokens", "384", "--concurrency", "2"]
        held = killed(command, samples, total // 2)
        check(holds=0 < held < total, what=f"killed by SIGKILL with {held} of {total} samples written")
        before = rows(samples)
        more = ["--resume", "--store", str(Path(folder) / "runs.db"), "--json", str(document)]
        subprocess.run([*command[:3], "run", *command[3:], *more], check=True)
        after = rows(samples)
        check(holds=before == after[:held], what="what was written is as it was")
        asked = [
            (call["problem_id"], index)
            for call in rows(Path(f"{samples}.calls.jsonl"))
            for index in call["indices"]
        ]
        check(
            holds=len(asked) == len(set(asked)) == total,
            what=f"the other {total - held} were asked for, each once",
        )
        whole = [row for row in after if row.get("finish_reason") and row.get("completion_tokens")]
        check(holds=len(whole) == total, what=f"{len(whole)} samples with tokens and finish reason")
        solved = [row["id"] for row in json.loads(document.read_text(encoding="utf-8"))["per_problem"] if row["c"]]
        check(holds=bool(solved), what=f"{len(solved)} of {given.limit} problems solved: {', '.join(solved)}")


if __name__ == "__main__":
    main()
