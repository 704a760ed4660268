"""A real language model, asked over loopback: `make demo-model` makes the environment that serves it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVER = Path(os.environ.get("CODEJURY_MODEL_PYTHON", ROOT / "benchmarks" / "out" / "model" / "bin" / "python"))


@pytest.mark.service
@pytest.mark.skipif(
    not SERVER.exists(), reason="no environment with the model's wheels; `make demo-model` makes it"
)
def test_a_real_model_is_asked_killed_resumed_and_judged(sandbox: str, tmp_path: Path) -> None:
    """Each check of the demo holds: something is solved, and nothing is asked for twice."""
    document = tmp_path / "run.json"
    ended = subprocess.run(
        [
            sys.executable,
            ROOT / "benchmarks" / "demo_model.py",
            "--model-python",
            SERVER,
            "--threads",
            "1",
            "--json",
            document,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == ended.returncode, ended.stdout + ended.stderr
    assert 5 == ended.stdout.count("ok: ")
    found = json.loads(document.read_text(encoding="utf-8"))
    assert (60, sandbox, 0) == (found["samples"], found["tier"], found["infra_errors"])
