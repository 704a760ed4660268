"""What the pages show of commands is what the commands print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "docs/first-success.md", "docs/howto/own-problems.md"]
BLOCK = re.compile(r"^```(jsonl \S+|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Shown(NamedTuple):
    """A command of a page, and the output below it."""

    command: str
    output: str


def _steps(text: str, folder: Path) -> list[Shown]:
    """The commands of a page in order; its files are written to a folder."""
    steps = []
    for kind, body in BLOCK.findall(text):
        if kind != "console":
            (folder / kind.removeprefix("jsonl ")).write_text(body, encoding="utf-8")
            continue
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            steps.append(Shown(command, output))
    return steps


def _run(command: str, folder: Path) -> str:
    program, *arguments = shlex.split(command)
    runs = {"codejury": [str(Path(sys.executable).with_name("codejury"))], "python": [sys.executable]}
    done = subprocess.run(
        [*runs[program], *arguments],
        cwd=folder,
        env=os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout if done.returncode in (0, 1) else done.stdout + done.stderr


def _comparable(output: str) -> list[str]:
    """Lines without trailing blanks, without how long it took and what the demo measured.

    Which limit ends a loop varies.
    """
    output = re.sub(r"\d+(\.\d+)? (s\b|samples/s)", r"N \2", output)
    output = re.sub(r"^(synthetic-.*\d/\d+ +)\d+/\d+$", r"\1N/N", output, flags=re.MULTILINE)
    output = re.sub(r"(all its|\d+ of its) \d+ solutions", "N solutions", output)
    lines = [line.rstrip() for line in output.strip().splitlines()]
    return [line for line in lines if not line.startswith("timeout_")]


# the README shows the demo, which other tests run, too
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow if page == "README.md" else ()) for page in PAGES]
)
def test_output_is_what_the_page_shows(page: str, sandbox: str, tmp_path: Path) -> None:
    """Running a page's commands in order gives the output that it shows."""
    if sandbox != "namespaces":
        pytest.skip("the pages show the strongest tier; another one adds a note to each report")
    steps = _steps((ROOT / page).read_text(encoding="utf-8"), tmp_path)
    assert steps
    for command, output in steps:
        assert _comparable(output) == _comparable(_run(command, tmp_path)), command
