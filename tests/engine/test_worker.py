"""The worker as a process: its first word, its end, and what it does with rubbish."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from codejury.engine.wire import PROTOCOL, Begin, Greeting, Setup, read_greeting
from codejury.judging import JUDGE_VERSION
from codejury.model import Limits


def _said(*told: bytes) -> tuple[int, list[bytes], str]:
    """Exit status, frames and standard error of a worker that was told this."""
    command = [sys.executable, "-I", "-m", "codejury.engine.worker"]
    ended = subprocess.run(command, input=b"".join(told), capture_output=True, timeout=120, check=False)
    frames, rest = [], ended.stdout
    while rest:
        size = int.from_bytes(rest[:4], "little")
        frames.append(rest[4 : 4 + size])
        rest = rest[4 + size :]
    return ended.returncode, frames, ended.stderr.decode()


def _frame(message: msgspec.Struct | bytes) -> bytes:
    data = message if isinstance(message, bytes) else msgspec.json.encode(message)
    return len(data).to_bytes(4, "little") + data


SETUP = Setup(limits=Limits(), slots=1, most_slots=1)


def test_it_greets_and_ends_with_its_input() -> None:
    """Its versions come first, in a form that a later version can read; nothing to do is no error."""
    status, frames, said = _said()
    assert (0, "") == (status, said)
    greeting = read_greeting(frames[0])
    assert [greeting] == [Greeting.here(), *map(read_greeting, frames[1:])]
    assert (JUDGE_VERSION, PROTOCOL) == (greeting.judge, greeting.protocol)


@pytest.mark.sandbox
def test_it_is_ready_and_ends_with_its_input(sandbox: str) -> None:
    """The end of the input ends everything, with status 0."""
    status, frames, said = _said(_frame(SETUP))
    assert (0, 2, "") == (status, len(frames), said)
    assert {"is": "Ready", "tier": sandbox, "slots": 1}.items() <= msgspec.json.decode(frames[1]).items()


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ((b"\xff\xff\xff\xff",), "a frame of 4294967295 bytes was announced"),
        ((b"\x05\x00\x00\x00ab",), "a frame was broken off"),
        ((_frame(b"rubbish"),), "JSON is malformed"),
        ((_frame(Begin(round=1)),), "a setup comes first, not Begin"),
    ],
)
def test_rubbish_ends_it(told: tuple[bytes, ...], message: str) -> None:
    """Status 1 and one line on standard error, for whoever shows it."""
    status, frames, said = _said(*told)
    assert (1, 1) == (status, len(frames))
    assert message in said
    assert 1 == said.count("\n")


@pytest.mark.sandbox
def test_a_second_setup_ends_it(sandbox: str) -> None:
    """It is set up once."""
    status, _, said = _said(_frame(SETUP), _frame(SETUP))
    assert 1 == status
    assert "a second setup" in said
