"""Calls of the command line, in this process and in one of its own, in an empty folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from codejury.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Ended(NamedTuple):
    """How a call ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with nothing of the user's settings, and a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("CODEJURY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def codejury(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Callable[..., Ended]]:
    """Calls the command in this process."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["codejury", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, *capsys.readouterr())

    yield call
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture
def start(folder: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts the command in a process of its own."""

    def call(*arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", "from codejury.cli.main import main; main()", *map(str, arguments)],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return call


@pytest.fixture
def tiny(folder: Path) -> Path:
    """Files `set.jsonl`, two problems, and `samples.jsonl`, with two samples of one and three of the other."""
    problems = [
        {
            "id": f"t/{name}",
            "prompt": "def f(x):\n",
            "entry_point": "f",
            "tests": {
                "type": "assertions",
                "code": [f"assert f(1) == {1 + step}", f"assert f(41) == {41 + step}"],
            },
            "reference": f"def f(x):\n    return x + {step}\n",
        }
        for name, step in (("a", 1), ("b", 2))
    ]
    answers = [("t/a", 1), ("t/a", 0), ("t/b", 2), ("t/b", 2), ("t/b", 1)]
    samples = [{"task_id": name, "completion": f"    return x + {step}\n"} for name, step in answers]
    for file, rows in (("set.jsonl", problems), ("samples.jsonl", samples)):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder
