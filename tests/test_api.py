"""The Python API at the top of the package."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import codejury
from codejury.model import UsageError
from codejury.store import Store

if TYPE_CHECKING:
    from pathlib import Path

PROBLEM = {"id": "p", "prompt": "", "entry_point": "f", "reference": "def f(x):\n    return x\n"}
TESTS = {"type": "assertions", "code": ["assert f(1) == 1"]}


@pytest.fixture(name="files")
def fixture_files(tmp_path: Path) -> tuple[Path, Path]:
    """Two samples, one of them right, and their problem."""
    problems, samples = tmp_path / "problems.jsonl", tmp_path / "samples.jsonl"
    problems.write_text(json.dumps({**PROBLEM, "tests": TESTS}) + "\n")
    rows = [{"problem_id": "p", "text": f"def f(x):\n    return x + {n}\n", "kind": "solution"} for n in (0, 1)]
    samples.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return samples, problems


def test_names_are_there() -> None:
    """Everything in `__all__` can be had, and nothing else."""
    assert [] == [name for name in codejury.__all__ if getattr(codejury, name, None) is None]
    assert set(codejury.__all__) <= set(dir(codejury))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = codejury.nothing


def test_the_package_imports_nothing() -> None:
    """Importing the package alone loads no room: the command line starts fast."""
    script = "import sys, codejury; print([m for m in sys.modules if m.startswith('codejury.')])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert "['codejury._version']" == done.stdout.strip()


@pytest.mark.sandbox
def test_judge_gives_the_figures_and_keeps_the_run_where_asked(files: tuple[Path, Path], tmp_path: Path) -> None:
    """One of two samples is right: pass@1 is a half, pass@2 is 1."""
    samples, problems = files
    document = codejury.judge(samples, str(problems), ks=(1, 2), store=tmp_path / "runs.db", run="mine")
    assert {"1": 0.5, "2": 1.0} == {k: estimate.value for k, estimate in document.pass_at_k.items()}
    with Store.open(tmp_path / "runs.db", create=False) as store:
        assert ["mine"] == [info.name for info in store.runs()]


def test_errors_are_the_commands(files: tuple[Path, Path]) -> None:
    """What is wrong comes as the same one line; a misspelt setting is told by Python."""
    with pytest.raises(UsageError, match="no problem set 'nothing'"):
        codejury.judge(files[0], "nothing")
    with pytest.raises(TypeError, match="slot"):
        codejury.judge(files[0], str(files[1]), slot=1)
