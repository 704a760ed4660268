"""Files of other harnesses, in their real layout, made of a few rows."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from codejury.agents.fields import Source
from codejury.agents.importers import importer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from codejury.model import Rollout


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[Mapping[str, Any]], Path]:
    """Writes files below a folder: texts as they are, all else as JSON; returns the folder."""

    def write(files: Mapping[str, Any]) -> Path:
        for name, content in files.items():
            file = tmp_path / "in" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return tmp_path / "in"

    return write


@pytest.fixture
def read() -> Callable[..., list[Rollout]]:
    """Reads all rollouts of a source; a Source may be given for its notes."""

    def run(name: str, path: Path, source: Source | None = None, **settings: Any) -> list[Rollout]:
        source = source or Source(str(path), **settings)
        return [located.rollout for located in importer(name).read(source)]

    return run


def lines(rows: list[dict[str, Any]]) -> str:
    """JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def jsonl() -> Callable[[list[dict[str, Any]]], str]:
    """`lines`."""
    return lines


def _zstd_archive(path: Path, members: Mapping[str, bytes]) -> None:
    """A ZIP whose members are compressed by method 93, as Inspect writes it; `zipfile` cannot before 3.14."""
    zstd = pytest.importorskip("backports.zstd")
    body, directory = bytearray(), bytearray()
    for name, content in members.items():
        packed, raw = zstd.compress(content), name.encode()
        common = struct.pack(
            "<HHHHHIIIHH", 63, 0, 93, 0, 33, zlib.crc32(content), len(packed), len(content), len(raw), 0
        )
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + common
        directory += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + raw
        body += b"PK\x03\x04" + common + raw + packed
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(bytes(body + directory + end))


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., Path]:
    """Writes an `.eval` archive of JSON members; returns its path."""

    def write(members: Mapping[str, Any], name: str = "log.eval", *, zstd: bool = False) -> Path:
        path = tmp_path / name
        bodies = {
            key: value if isinstance(value, bytes) else json.dumps(value).encode()
            for key, value in members.items()
        }
        if zstd:
            _zstd_archive(path, bodies)
            return path
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
            for key, body in bodies.items():
                opened.writestr(key, body)
        return path

    return write
