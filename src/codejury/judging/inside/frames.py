"""Frames of value protocol v1 on a pair of pipes. Standard library alone; from Python 3.9 on.

A frame is a length (4 bytes, little-endian, of what follows the 8 bytes of header), a number (4 bytes) and a body.
A request's number is drawn at random; its reply carries the same.
"""

from __future__ import annotations

import os


class Gone(Exception):  # noqa: N818 - says of the other side what happened to it
    """The other side closed the pipe."""


class TooLarge(Exception):  # noqa: N818 - says of a frame what is wrong with it
    """A frame over the limit was announced."""


def read_exactly(fd: int, count: int) -> bytes:
    """`count` bytes; raises Gone at the end of the stream."""
    data = os.read(fd, min(count, 1 << 20)) if count else b""
    if len(data) == count:
        return data
    parts, have = [data], len(data)
    while have < count:
        if not parts[-1]:
            raise Gone
        parts.append(os.read(fd, min(count - have, 1 << 20)))
        have += len(parts[-1])
    return b"".join(parts)


def receive(fd: int, most: int) -> tuple[int, bytes]:
    """One frame: (sequence number, body)."""
    header = read_exactly(fd, 8)
    length = int.from_bytes(header[:4], "little")
    if length > most:
        raise TooLarge
    return int.from_bytes(header[4:], "little"), read_exactly(fd, length)


def send(fd: int, number: int, body: bytes) -> None:
    """Write one frame; raises Gone if nobody reads."""
    data = len(body).to_bytes(4, "little") + number.to_bytes(4, "little") + body
    try:
        sent = os.write(fd, data)
        while sent < len(data):
            sent += os.write(fd, memoryview(data)[sent:])
    except OSError as error:
        raise Gone from error
