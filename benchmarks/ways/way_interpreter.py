"""One interpreter a program, from its start: plain, or in bubblewrap's namespaces. The exit status is believed."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

job = json.loads(sys.argv[1])
PYTHON = (sys.executable, "-I", "-S", "-")
WALL = (
    *("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),  # noqa: S108 - the sandbox's own
)


def passes(program: str) -> bool:
    """Whether the interpreter ends with 0."""
    command = [*WALL, *PYTHON] if job["bwrap"] else [*PYTHON]
    try:
        done = subprocess.run(
            command, input=program.encode(), timeout=job["seconds"], capture_output=True, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


started = time.perf_counter()
programs = json.loads(Path(job["programs"]).read_text())
with ThreadPoolExecutor(job["slots"]) as pool:
    results = list(pool.map(passes, programs))
print(json.dumps([time.perf_counter() - started, len(results), sum(results)]))
