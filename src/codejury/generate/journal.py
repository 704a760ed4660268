"""The file of answers while they come: rows are only ever added, and a process may die at any byte.

Beside `samples.jsonl` stand `samples.jsonl.meta.json`, which says how the answers were made, and
`samples.jsonl.calls.jsonl`, with one row for each request: what it used, and what failed. The row of a request is
written before its answers, so that nothing that was paid for is forgotten.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import msgspec

from codejury.generate.prices import Usage
from codejury.model import InfrastructureError, InputError, Sample, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

META, CALLS = ".meta.json", ".calls.jsonl"
"""What the names of the files beside are the file's followed by."""

HASH = "settings_hash"
"""What `.meta.json` calls the hash of all that an answer depends on."""


class Call(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one request gave.

    Attributes:
        problem_id: What it asked.
        indices: Of the samples that it gave, or was to give where it failed.
        attempts: How often it was sent; waiting for a busy server is not counted.
        failed: Why it gave none.
        prompt_tokens, completion_tokens, cost_usd: Of the whole request, where they are known.
        latency_s: Seconds from sending it the last time to the whole answer.
    """

    problem_id: str
    indices: tuple[int, ...]
    attempts: int = 1
    failed: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None


class Journal:
    """A file of answers that grows. Use it as a context manager; one process at a time.

    Args:
        path: A file whose name ends in `.jsonl`.
        meta: How its answers are made, with their `HASH`.
        resume: Go on with the file if it is there.

    Attributes:
        held: Problem and index of each answer that is there.
        used: What the requests of former sessions used.
        uncounted: Requests of former sessions of which nothing is known of what they used.

    Raises:
        UsageError: The file cannot be made, is there already, is being written by another process, or its answers
            were made in another way.
        InputError: A row of it is damaged, other than the last.
    """

    def __init__(self, path: str, meta: Mapping[str, str | int | float], *, resume: bool = False) -> None:
        if not path.endswith(".jsonl"):
            raise UsageError(f"--out {path}: answers are JSON lines; name the file .jsonl")
        self.path, self.held = path, set[tuple[str, int]]()
        self.used, self.uncounted = Usage(), 0
        self._samples = _append(path)
        self._calls: IO[bytes] | None = None
        try:
            _hold(self._samples, path)
            self._begin(meta, resume=resume)
            self._calls = _append(path + CALLS)
            self._read(self._calls)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Have all rows on the disk, and let others write."""
        for file in (self._samples, self._calls):
            if file is not None and not file.closed:
                os.fsync(file.fileno())
                file.close()

    def add(self, call: Call, samples: Iterable[Sample] = ()) -> None:
        """Keep what a request gave; when this returns, it survives the end of the process.

        Raises:
            InfrastructureError: Writing failed, as on a full disk.
        """
        rows = [msgspec.to_builtins(sample) for sample in samples]
        assert self._calls is not None
        try:
            _write(self._calls, [msgspec.to_builtins(call)])
            _write(self._samples, rows)
        except OSError as error:
            raise InfrastructureError(
                f"{self.path}: writing failed: {error.strerror or error}; make room and go on with --resume"
            ) from None
        self.held.update((row["problem_id"], row["index"]) for row in rows)

    def _begin(self, meta: Mapping[str, str | int | float], *, resume: bool) -> None:
        """Refuse a file of other answers; say how these are made, before there are any."""
        path = Path(self.path)
        exists = path.is_file() and bool(path.stat().st_size)
        if exists and not resume:
            raise UsageError(f"--out {self.path}: is there already: go on with --resume, or name another file")
        before = _meta(self.path + META) if exists else None
        if not exists:
            Path(self.path + CALLS).unlink(missing_ok=True)
            _replace(self.path + META, json.dumps(meta, indent=1).encode() + b"\n")
        elif before is None:
            raise UsageError(
                f"--out {self.path}: nothing says how its answers were made: {self.path}{META} is missing;"
                " name another file"
            )
        elif before.get(HASH) != meta[HASH]:
            differ = [
                f"{name} {before.get(name, 'none')} then, {value} now"
                for name, value in {**dict.fromkeys(before, "none"), **meta}.items()
                if name != HASH and before.get(name, "none") != value
            ]
            raise UsageError(
                f"--out {self.path}: was begun with other settings ({'; '.join(differ) or 'other problems'}):"
                " resume it with the same, or name another file"
            )

    def _read(self, calls: IO[bytes]) -> None:
        """What is there; a last row that was cut off is taken away."""
        for line, raw in _rows(self._samples):
            sample = self._row(raw, Sample, self.path, line)
            key = (sample.problem_id, sample.index)
            if key in self.held:
                raise InputError(f"problem {key[0]!r} has a sample {key[1]} already", path=self.path, line=line)
            self.held.add(key)
        for line, raw in _rows(calls):
            call = self._row(raw, Call, self.path + CALLS, line)
            known = call.prompt_tokens is not None and call.completion_tokens is not None
            self.uncounted += not known and call.failed is None
            cost = call.cost_usd or 0.0
            self.used.add(Usage(call.prompt_tokens or 0, call.completion_tokens or 0, cost))

    @staticmethod
    def _row(raw: bytes, into: Callable[..., Any], path: str, line: int) -> Any:
        try:
            return msgspec.convert(json.loads(raw), into)
        except (ValueError, msgspec.ValidationError):
            raise InputError(
                "damaged: take the line away, to have it asked for again", path=path, line=line
            ) from None


def read_held(path: str) -> set[tuple[str, int]]:
    """Problem and index of each whole row of a file, which is not changed; none where there is no file."""
    try:
        lines = Path(path).read_bytes().splitlines()
    except FileNotFoundError:
        return set()
    found = set()
    for line in lines:
        with contextlib.suppress(ValueError, msgspec.ValidationError):
            sample = msgspec.convert(json.loads(line), Sample)
            found.add((sample.problem_id, sample.index))
    return found


def _append(path: str) -> IO[bytes]:
    """A file to which one can only add, without a buffer."""
    try:
        return open(path, "a+b", buffering=0)  # noqa: PTH123 - pathlib lacks the mode
    except OSError as error:
        raise UsageError(f"--out {path}: cannot be written: {error.strerror or error}") from None


def _hold(file: IO[bytes], path: str) -> None:
    """Keep other processes from writing the file, for as long as it is open."""
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise UsageError(f"--out {path}: another process is writing it: wait for its end") from None


def _rows(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, without blank ones; what stands after the last line end is completed or taken away."""
    file.seek(0)
    end = 0
    with open(file.fileno(), "rb", closefd=False) as lines:
        for number, raw in enumerate(lines, 1):
            if not raw.endswith(b"\n") and not _whole(raw):
                file.truncate(end)
                return
            end += len(raw)
            if raw.strip():
                yield number, raw
            if not raw.endswith(b"\n"):  # a row from an editor that ends no last line
                file.write(b"\n")
                return


def _whole(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except ValueError:
        return False


def _write(file: IO[bytes], rows: list[Any]) -> None:
    """Write rows in one call; after a short write, the rest."""
    data = b"".join(json.dumps(row, allow_nan=False).encode() + b"\n" for row in rows)
    while data:
        data = data[file.write(data) :]


def _meta(path: str) -> dict[str, Any] | None:
    try:
        value = json.loads(Path(path).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise InputError("cannot be read, or is not JSON", path=path) from None
    if not isinstance(value, dict):
        raise InputError("expected one JSON object", path=path)
    return value


def _replace(path: str, data: bytes) -> None:
    """Write a small file entirely or not at all."""
    draft = f"{path}.{os.getpid()}.tmp"
    try:
        with open(draft, "wb") as file:  # noqa: PTH123 - as above
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).replace(path)
    except OSError as error:
        Path(draft).unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
