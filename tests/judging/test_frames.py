"""Frames on pipes: whole, in pieces, cut off, too large."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE = bytes(range(256)) * 4096  # 1 MiB: many times what a pipe holds


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """(read end, write end) of a pipe."""
    ends = os.pipe()
    yield ends
    for fd in ends:
        with contextlib.suppress(OSError):  # a test may have closed it
            os.close(fd)


@pytest.mark.parametrize("number", [0, 7, (1 << 32) - 1])
@pytest.mark.parametrize("body", [b"", b"x", b'["ok"]'])
def test_frame_arrives_as_it_was_sent(frames: Any, pipe: tuple[int, int], number: int, body: bytes) -> None:
    """Number and body come out of the other end, and nothing is left in the pipe."""
    frames.send(pipe[1], number, body)
    assert (number, body) == frames.receive(pipe[0], len(body))
    os.set_blocking(pipe[0], False)
    with pytest.raises(BlockingIOError):
        os.read(pipe[0], 1)


def test_frames_keep_their_order_and_borders(frames: Any, pipe: tuple[int, int]) -> None:
    """Frames that lie in the pipe together are read one by one."""
    for number in range(5):
        frames.send(pipe[1], number, b"a" * number)
    assert [(n, b"a" * n) for n in range(5)] == [frames.receive(pipe[0], 10) for _ in range(5)]


def test_large_frame_is_written_and_read_in_parts(frames: Any, pipe: tuple[int, int]) -> None:
    """A body larger than the pipe needs several writes and reads."""
    writer = threading.Thread(target=frames.send, args=(pipe[1], 9, LARGE))
    writer.start()
    assert (9, LARGE) == frames.receive(pipe[0], len(LARGE))
    writer.join()


def test_frame_may_arrive_byte_by_byte(frames: Any, pipe: tuple[int, int]) -> None:
    """The header, too, may come in pieces."""
    data = (3).to_bytes(4, "little") + (5).to_bytes(4, "little") + b"abc"

    def trickle() -> None:
        for position in range(len(data)):
            os.write(pipe[1], data[position : position + 1])
            time.sleep(0.001)  # so that the reader sees single bytes

    writer = threading.Thread(target=trickle)
    writer.start()
    assert (5, b"abc") == frames.receive(pipe[0], 3)
    writer.join()


@pytest.mark.parametrize("count", range(11))
def test_end_of_the_pipe_is_gone(frames: Any, pipe: tuple[int, int], count: int) -> None:
    """A stream that ends before its frame does, wherever, raises Gone."""
    data = (3).to_bytes(4, "little") + (5).to_bytes(4, "little") + b"abc"
    os.write(pipe[1], data[:count])
    os.close(pipe[1])
    with pytest.raises(frames.Gone):
        frames.receive(pipe[0], 100)


def test_nobody_reads(frames: Any, pipe: tuple[int, int]) -> None:
    """Writing to a pipe without a reader raises Gone, also in the middle of a frame."""
    os.close(pipe[0])
    with pytest.raises(frames.Gone):
        frames.send(pipe[1], 1, b"abc")


def test_reader_leaves_in_the_middle(frames: Any, pipe: tuple[int, int]) -> None:
    """A reader that goes away while a large frame is written ends the writing."""

    def leave() -> None:
        os.read(pipe[0], 1 << 12)
        os.close(pipe[0])

    reader = threading.Thread(target=leave)
    reader.start()
    with pytest.raises(frames.Gone):
        frames.send(pipe[1], 1, LARGE)
    reader.join()


def test_frame_over_the_limit_is_not_read(frames: Any, pipe: tuple[int, int]) -> None:
    """What is announced over the limit raises at once: nobody waits for it or makes room for it."""
    os.write(pipe[1], (0xFFFFFFFF).to_bytes(4, "little") + bytes(4))
    with pytest.raises(frames.TooLarge):
        frames.receive(pipe[0], 1 << 20)


def test_frame_of_exactly_the_limit_is_read(frames: Any, pipe: tuple[int, int]) -> None:
    """The limit itself is allowed, one byte more is not."""
    frames.send(pipe[1], 1, b"abcd")
    assert (1, b"abcd") == frames.receive(pipe[0], 4)
    frames.send(pipe[1], 1, b"abcde")
    with pytest.raises(frames.TooLarge):
        frames.receive(pipe[0], 4)
