"""What commands share: parsing of options, and printing."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from codejury.model.errors import InputError, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from codejury.engine import ContainerSettings
    from codejury.model import Limits
    from codejury.pipeline import Choice


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


def choice_of(
    limit: int | None,
    ids: str | None,
    tags: str | None,
    shard: str | None,
    *,
    difficulty: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Choice:
    """Which problems are asked for; raises UsageError, or InputError for a file of ids."""
    from codejury.pipeline import Choice

    for name, text in (("--ids", ids), ("--tags", tags), ("--difficulty", difficulty)):
        if text is not None and not names_of(text):
            raise UsageError(f"{name} {text!r}: give one or more, with commas")
    return Choice(
        ids=_ids_of(ids or ""),
        tags=names_of(tags or ""),
        difficulties=names_of(difficulty or ""),
        since=since,
        until=until,
        limit=limit,
        shard=_shard_of(shard),
    )


def _ids_of(text: str) -> tuple[str, ...]:
    if not text.startswith("@"):
        return names_of(text)
    path = text[1:]
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error.reason} at byte {error.start + 1}", path=path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"--ids {text}: {path or 'no file'} cannot be read: {reason}") from None
    if found := tuple(line.strip() for line in lines if line.strip()):
        return found
    raise InputError("holds no id; give one a line", path=path)


def _shard_of(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    shard, _, of = text.partition("/")
    if shard.strip().isdecimal() and of.strip().isdecimal() and 1 <= int(shard) <= int(of):
        return int(shard), int(of)
    raise UsageError(f"--shard {text!r}: take i/N with i from 1 to N, as 1/3")


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


def place_of(tier: str, image: str | None, engine: str, runtime: str | None) -> str | ContainerSettings:
    """Where programs run; raises UsageError for options of a container without one."""
    from codejury.engine import DEFAULT_IMAGE, ContainerSettings
    from codejury.sandbox import AUTO, CONTAINER

    given = {"--image": image, "--engine": None if engine == AUTO else engine, "--runtime": runtime}
    if tier == CONTAINER:
        return ContainerSettings(image=image or DEFAULT_IMAGE, engine=given["--engine"], runtime=runtime)
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"{name} {value} is for containers: add --tier {CONTAINER}, or leave it out")
    return tier


def warn_unsafe(tier: str) -> None:
    """Say what `--unsafe` means before it happens, also where nothing else is shown.

    Raises:
        UsageError: A tier is asked for as well.
    """
    from codejury.pipeline import UNSAFE
    from codejury.sandbox import AUTO

    if tier != AUTO:
        raise UsageError(f"--unsafe is no isolation, and --tier {tier} asks for some: give one of them")
    sys.stderr.write(f"codejury: warning: {UNSAFE}\n")
    sys.stderr.flush()


def check_writable(path: str | None, *, option: str = "--json") -> None:
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
        raise UsageError(f"{option} {path}: cannot be written: {error.strerror or error}") from error


def output(renderable: RenderableType) -> None:
    """Print to standard output."""
    from rich.console import Console

    Console(highlight=False, markup=False).print(renderable)
