"""What commands share: parsing of options, and printing."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from codejury.model.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from codejury.model import Limits


def limits_of(cpu: float, cpu_total: float, memory: int) -> Limits:
    """Limits from their options; raises UsageError."""
    from codejury.model import MIB, Limits

    for name, value in (("--cpu", cpu), ("--cpu-total", cpu_total)):
        if not 0 < value < 1e6:
            raise UsageError(f"{name} {value:g}: take a number of seconds above 0")
    return Limits(cpu_s=cpu, cpu_total_s=max(cpu, cpu_total), memory_bytes=memory * MIB)


def ks_of(text: str | None) -> tuple[int, ...] | None:
    """The k of an option as `1,10,100`, sorted; raises UsageError."""
    if text is None:
        return None
    try:
        return tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise UsageError(f"--k {text!r}: take whole numbers with commas, as 1,10,100") from None


def names_of(text: str) -> tuple[str, ...]:
    """Names that stand with commas between them."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def meta_of(items: list[str]) -> dict[str, str]:
    """Pairs of `KEY=VALUE`; raises UsageError."""
    meta: dict[str, str] = {}
    for item in items:
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key:
            raise UsageError(f"--meta {item!r}: take KEY=VALUE, as temperature=0.8")
        if meta.setdefault(key, value) != value:
            raise UsageError(f"--meta {item!r}: {key} is {meta[key]!r} already: give it once")
    return meta


def check_writable(path: str | None) -> None:
    """Find out now, not after hours of judging, that a document cannot be written."""
    if path is None or path == "-":
        return
    place = Path(path)
    try:
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not place.exists() or place.is_file():
            tempfile.TemporaryFile(dir=place.resolve().parent).close()
    except OSError as error:
        raise UsageError(f"--json {path}: cannot be written: {error.strerror or error}") from error


def output(renderable: RenderableType) -> None:
    """Print to standard output."""
    from rich.console import Console

    Console(highlight=False, markup=False).print(renderable)
