"""Writing documents: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


def encode_json(document: msgspec.Struct | Mapping[str, object]) -> bytes:
    """A document as indented JSON in UTF-8, with a newline at its end.

    Raises:
        UsageError: It holds text that is not Unicode.
    """
    try:
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the document holds text that is not Unicode ({error}): see names and metadata"
        ) from error


def write_json(document: msgspec.Struct | Mapping[str, object], path: str | os.PathLike[str]) -> None:
    """Write a document.

    A reader sees the old file or the new one, never a part: it is written beside its place and then renamed.

    Args:
        document: A struct of `codejury.report.document`, or a JSON Schema.
        path: "-" is standard output. Devices and pipes are written directly.

    Raises:
        UsageError: The folder does not exist, the disk is full, or the place cannot be written.
    """
    write_bytes(encode_json(document), path)


def write_bytes(body: bytes, path: str | os.PathLike[str]) -> None:
    """Write a file as `write_json` does, with the same errors."""
    if os.fspath(path) == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
        return
    try:
        _replace(Path(path).resolve(), body)  # through a symbolic link, which then stays one
    except OSError as error:
        raise UsageError(f"{os.fspath(path)} cannot be written: {error.strerror or error}") from error


def _replace(path: Path, body: bytes) -> None:
    if path.exists() and not path.is_file():
        path.write_bytes(body)
        return
    part = path.with_name(f".{path.name[:200]}.{secrets.token_hex(6)}.part")
    try:
        with part.open("xb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(path.stat().st_mode & 0o7777)
        part.replace(path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
