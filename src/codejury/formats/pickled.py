"""Texts that were compressed and pickled, as LiveCodeBench hides its tests. Nothing is unpickled.

A pickle is a program, and to run it is to trust its author. The operations of a pickled text are few, so they are
read as data here, and any other is refused.
"""

from __future__ import annotations

import base64
import binascii
import pickletools
import zlib

from codejury.model import MIB

MAX_BYTES = 256 * MIB
"""The longest text, after decompression."""

_TEXTS = frozenset(("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"))
_BESIDE = frozenset(("PROTO", "FRAME", "MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT", "STOP"))


def hidden_text(encoded: str) -> str:
    """The text in base64 of zlib of a pickle of it.

    Raises:
        ValueError: It is none of these, is longer than `MAX_BYTES`, or the pickle is of anything but one text.
    """
    try:
        packed = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("is neither JSON nor base64") from None
    return _text_of_pickle(_decompressed(packed))


def _decompressed(packed: bytes) -> bytes:
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, MAX_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"is not compressed by zlib: {error}") from None
    if len(data) > MAX_BYTES:
        raise ValueError(f"decompresses to more than {MAX_BYTES // MIB} MiB")
    if not stream.eof:
        raise ValueError("is cut off: the compressed data do not end")
    return data


def _text_of_pickle(data: bytes) -> str:
    found = []
    try:
        for operation, argument, _ in pickletools.genops(data):
            if operation.name in _TEXTS:
                found.append(argument)
            elif operation.name not in _BESIDE:
                raise ValueError(f"holds a pickle of more than a text ({operation.name}); nothing of it was run")
    except (OverflowError, MemoryError, EOFError, IndexError) as error:
        raise ValueError(f"holds a damaged pickle: {error}") from None
    if len(found) != 1:
        raise ValueError(f"holds a pickle of {len(found)} texts, not of one")
    return str(found[0])
