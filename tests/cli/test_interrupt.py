"""Breaking a run off with a signal, and going on with it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("sandbox")]

SAMPLES = 30
LONG_S = 60.0
"""Longer than anything here takes; only a test that fails waits for so long."""


@pytest.fixture
def slow(folder: Path) -> Path:
    """Files of one problem and of samples that take a tenth of a second each, one in three wrong."""
    problem = {
        "id": "t/a",
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "tests": {"type": "assertions", "code": ["assert f(1) == 2"]},
        "reference": "def f(x):\n    return x + 1\n",
    }
    answer = "    import time\n    time.sleep(0.1)\n    return x + {step}  # {i}\n"
    samples = [{"task_id": "t/a", "completion": answer.format(step=min(i % 3, 1), i=i)} for i in range(SAMPLES)]
    (folder / "set.jsonl").write_text(json.dumps(problem) + "\n", encoding="utf-8")
    (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in samples), encoding="utf-8")
    return folder


def _judged(folder: Path, run: str) -> int:
    """Samples of a run that are judged and kept; 0 where there is no run yet."""
    path = folder / ".codejury" / "runs.db"
    if not path.exists():
        return 0
    with Store.open(path) as store:
        return next((info.judged for info in store.runs() if info.name == run), 0)


def _wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def _end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Code and output of a process that is to end by itself, its descendants included: they hold its output."""
    out, err = process.communicate(timeout=LONG_S)
    return process.returncode, out, err


def _document(text: str) -> dict[str, Any]:
    """What of a document does not depend on time."""
    document: dict[str, Any] = json.loads(text)
    return {name: value for name, value in document.items() if name not in ("run", "timing")}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_keeps_what_is_judged(
    start: Callable[..., subprocess.Popen[str]], slow: Path, number: signal.Signals
) -> None:
    """Exit code 130 and how to go on; going on gives the figures of an undisturbed run."""
    call = ("judge", "samples.jsonl", "--problems", "set.jsonl", "--slots", "1", "--json", "-", "--run")
    process = start(*call, "mine")
    _wait_for(lambda: _judged(slow, "mine") > 0 or process.poll() is not None)
    process.send_signal(number)
    code, out, err = _end(process)
    assert (130, "") == (code, out), err
    kept = _judged(slow, "mine")
    assert 0 < kept < SAMPLES
    expected = (
        rf"\n?codejury: interrupted: {kept} of {SAMPLES} samples of run 'mine' are judged and kept;"
        r" go on with the same command and --run mine --resume\n"
    )
    assert re.fullmatch(expected, err)
    code, resumed, err = _end(start(*call, "mine", "--resume"))
    assert (0, "") == (code, err)
    code, undisturbed, err = _end(start(*call, "undisturbed"))
    assert (0, "") == (code, err)
    assert _document(undisturbed) == _document(resumed)
    assert {"passed": 20, "wrong_answer": 10} == json.loads(resumed)["verdicts"]


def test_terminate_works_in_the_background(start: Callable[..., subprocess.Popen[str]], slow: Path) -> None:
    """A shell starts background jobs with SIGINT ignored: SIGTERM must end them all the same."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start("judge", "samples.jsonl", "--problems", "set.jsonl", "--slots", "1", "--run", "mine")
    finally:
        signal.signal(signal.SIGINT, before)
    _wait_for(lambda: _judged(slow, "mine") > 0 or process.poll() is not None)
    process.terminate()
    code, out, err = _end(process)
    assert (130, "") == (code, out)
    assert "go on with the same command and --run mine --resume" in err


LAST_WORD = """
import os, signal, sys
from codejury.cli import main

class Loud:
    def write(self, text):
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(os.getpid(), number)
        return sys.__stderr__.write(text)

    def flush(self):
        sys.__stderr__.flush()

sys.stderr = Loud()
main._fail("the disk is full", 3)
"""


def test_impatience_does_not_spoil_the_last_word() -> None:
    """A second Ctrl-C while the last line is written changes neither it nor the exit code."""
    done = subprocess.run([sys.executable, "-c", LAST_WORD], capture_output=True, text=True, check=False)
    assert (3, "codejury: the disk is full\n") == (done.returncode, done.stderr)
