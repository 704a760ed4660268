"""The PyPI package codebleu in an environment of its own, below benchmarks/out: it pins an old tree-sitter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

FOLDER = Path(__file__).parent / "out" / "codebleu"
PACKAGES = (
    "codebleu==0.7.0",
    *(f"tree-sitter-{name}<0.23" for name in ("python", "java", "javascript", "go", "cpp")),
)
_SCRIPT = """
import json, logging, sys, time
logging.disable(logging.CRITICAL)
from codebleu import calc_codebleu
rows = json.load(sys.stdin)
calc_codebleu(["a = 1"], ["a = 1"], "python")
begun = time.perf_counter()
found = [calc_codebleu([reference], [prediction], language) for language, reference, prediction in rows]
json.dump({"seconds": time.perf_counter() - begun, "scores": found}, sys.stdout)
"""


def interpreter() -> Path:
    """The environment's interpreter; the first call makes it and installs the package.

    Raises:
        RuntimeError: The package cannot be installed; the message has the installer's last line.
    """
    python, stamp = FOLDER / "bin" / "python", FOLDER / ".installed"
    if not stamp.exists():
        venv.create(FOLDER, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *PACKAGES]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            raise RuntimeError(f"codebleu cannot be installed: {last}")
        stamp.touch()
    return python


def scores(rows: list[tuple[str, str, str]], *, seed: int = 0) -> tuple[list[dict[str, float]], float]:
    """What the package gives for rows of language, reference and prediction, and the seconds that it took.

    Args:
        rows: One call of the package each.
        seed: Of Python's hashes: the order of sets, and with it some of the package's scores, depends on it.

    Raises:
        RuntimeError: The package cannot be installed, or fails.
    """
    done = subprocess.run(
        [str(interpreter()), "-c", _SCRIPT],
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
    )
    if done.returncode:
        raise RuntimeError(f"codebleu failed: {done.stderr.strip().splitlines()[-1]}")
    found = json.loads(done.stdout)
    return found["scores"], found["seconds"]


if __name__ == "__main__":
    sys.stdout.write(f"{interpreter()}\n")
