"""Rows of JSON in files: streaming in, atomically out.

Files end in `.jsonl` (one object a line) or `.json` (one list of objects, or one object), and may be compressed by
gzip, which is told by a further `.gz`.
"""

from __future__ import annotations

import codecs
import gzip
import itertools
import json
import os
import secrets
import shutil
import zlib
from collections import Counter
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from codejury.model import MIB, InfrastructureError, InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

MAX_BYTES = 256 * MIB
"""The longest line of a `.jsonl` file, and the longest `.json` file, after decompression."""

_SPACE = " \t\r\n"

_Stream: TypeAlias = "IO[bytes] | gzip.GzipFile"


class Row(NamedTuple):
    """One JSON object of a file.

    Attributes:
        path: The file, as the caller named it.
        line: 1-based line on which the object begins.
        fields: The object.
    """

    path: str
    line: int
    fields: dict[str, Any]

    def error(self, message: str, field: str | None = None) -> InputError:
        """An error that names this row's file and line, and a field by at most 80 characters."""
        return InputError(message, path=self.path, line=self.line, field=field[:80] if field else field)


class Entry(NamedTuple):
    """One JSON value of a file, of any kind.

    Attributes:
        path: The file, as the caller named it.
        line: 1-based line on which the value begins.
        value: As Python's `json` has it.
    """

    path: str
    line: int
    value: Any

    @property
    def row(self) -> Row:
        """The value as a row.

        Raises:
            InputError: It is no object.
        """
        if not isinstance(self.value, dict):
            got = kind_of(self.value)
            raise InputError(f"expected a JSON object, got {got}", path=self.path, line=self.line)
        return Row(self.path, self.line, self.value)


def read_rows(path: str | os.PathLike[str]) -> Generator[Row, None, None]:
    """The objects of a file, read as they are asked for; blank lines are skipped.

    A `.jsonl` file is never held whole. `NaN` and infinities, which Python's `json` writes, are accepted here; who
    uses a number checks it.

    Args:
        path: A file whose name ends in `.jsonl`, `.jsonl.gz`, `.json` or `.json.gz`.

    Raises:
        InputError: The file cannot be read, holds no row, or holds something else than JSON objects in UTF-8 with
            distinct keys. Names file and line.
    """
    with closing(read_entries(path)) as entries:
        for entry in entries:
            yield entry.row


def read_entries(path: str | os.PathLike[str]) -> Generator[Entry, None, None]:
    """The values of a file, as `read_rows` reads them, of whatever kind they are.

    Raises:
        InputError: See `read_rows`.
    """
    name = os.fspath(path)
    holds_rows = False
    with ExitStack() as stack:
        stream = _open(name, stack)
        listed = name.removesuffix(".gz").endswith(".json")
        for entry in _entries_of_list(stream, name) if listed else _entries_of_lines(stream, name):
            holds_rows = True
            yield entry
    if not holds_rows:
        raise InputError("holds no row; check that it was written to the end", path=name)


def write_rows(path: str | os.PathLike[str], rows: Iterable[Mapping[str, Any]]) -> int:
    """Write one JSON object a line, as the rows come; the file appears, or is replaced, only when it is complete.

    The same rows give the same bytes. Characters outside ASCII are escaped, so that any text survives.

    Args:
        path: A file whose name ends in `.jsonl` or `.jsonl.gz` (compressed).
        rows: Objects that `json` can write.

    Returns:
        The number of rows written.

    Raises:
        UsageError: The name has another ending, or the folder cannot be written to.
        InfrastructureError: Writing failed, as on a full disk; what was there before is unharmed.
        ValueError: A row holds NaN or an infinity, which JSON lacks.
    """
    name = os.fspath(path)
    if not name.endswith((".jsonl", ".jsonl.gz")):
        raise UsageError(f"{name}: cannot write this kind of file; name it .jsonl or .jsonl.gz")
    count = 0
    with _replacing(name) as write:
        for row in rows:
            write(json.dumps(row, allow_nan=False).encode() + b"\n")
            count += 1
    return count


def write_value(path: str | os.PathLike[str], value: object) -> None:
    """Write one JSON value; the file appears, or is replaced, only when it is complete.

    Args:
        path: A file whose name ends in `.json` or `.json.gz` (compressed).
        value: What `json` can write. NaN and infinities are written as Python's `json` reads them.

    Raises:
        UsageError: The name has another ending, or the folder cannot be written to.
        InfrastructureError: Writing failed, as on a full disk; what was there before is unharmed.
    """
    name = os.fspath(path)
    if not name.endswith((".json", ".json.gz")):
        raise UsageError(f"{name}: cannot write this kind of file; name it .json or .json.gz")
    with _replacing(name) as write:
        write(json.dumps(value).encode() + b"\n")


def kind_of(value: object) -> str:
    """What a JSON value is, for messages: "a list", "null"."""
    return _JSON_NAMES[type(value)]


def _open(name: str, stack: ExitStack) -> _Stream:
    try:
        stream = stack.enter_context(Path(name).open("rb"))  # noqa: SIM115 - the stack closes it
    except FileNotFoundError:
        raise InputError("no such file; check the path", path=name) from None
    except IsADirectoryError:
        raise InputError("is a folder; name a .jsonl, .jsonl.gz or .json file", path=name) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be opened: {_reason(error)}", path=name) from None
    plain = name.removesuffix(".gz")
    if not plain.endswith((".jsonl", ".json")):
        raise InputError(
            "unknown kind of file; its name must end in .jsonl, .json, .jsonl.gz or .json.gz", path=name
        )
    if plain == name:
        return stream
    return stack.enter_context(gzip.open(stream, "rb"))


def _entries_of_lines(stream: _Stream, name: str) -> Iterator[Entry]:
    for number in itertools.count(1):
        raw = _take(stream.readline, name, number)
        if not raw:
            return
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if raw.strip():
            text = _decode(raw, name, number)
            try:
                value = _DECODER.decode(text)
            except (ValueError, RecursionError) as error:
                _refuse_json(error, name, number)
            yield Entry(name, number, value)


def _entries_of_list(stream: _Stream, name: str) -> Iterator[Entry]:
    raw = _take(stream.read, name, None).removeprefix(codecs.BOM_UTF8)
    text = _decode(raw, name, 1)
    at = _skip_space(text, 0)
    if at == len(text):
        return
    line = 1 + text.count("\n", 0, at)
    if text[at] != "[":
        yield _only_value(text, at, line, name)
        return
    start, at = at, _skip_space(text, at + 1)
    closed = text.startswith("]", at)
    while not closed:
        line += text.count("\n", start, at)
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            _refuse_json(error, name, error.lineno if isinstance(error, json.JSONDecodeError) else line)
        yield Entry(name, line, value)
        start, at = at, _skip_space(text, end)
        closed = text.startswith("]", at)
        if not closed:
            if not text.startswith(",", at):
                line += text.count("\n", start, at)
                raise InputError("bad JSON: expected ',' or ']' after an object of the list", path=name, line=line)
            at = _skip_space(text, at + 1)
    rest = _skip_space(text, at + 1)
    if rest < len(text):
        line += text.count("\n", start, rest)
        raise InputError("bad JSON: there is more after the list", path=name, line=line)


def _only_value(text: str, at: int, line: int, name: str) -> Entry:
    """The one object of a file that is no list."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as error:
        _refuse_json(error, name, error.lineno if isinstance(error, json.JSONDecodeError) else line)
    rest = _skip_space(text, end)
    if not isinstance(value, dict) or rest < len(text):
        more = line + text.count("\n", at, min(rest, len(text) - 1))
        message = "expected a list of objects, or one object; a file with one object a line is named .jsonl"
        raise InputError(message, path=name, line=more if isinstance(value, dict) else line)
    return Entry(name, line, value)


def _take(read: Callable[[int], bytes], name: str, line: int | None) -> bytes:
    try:
        raw = read(MAX_BYTES + 1)
    except gzip.BadGzipFile as error:
        raise InputError(
            f"not a sound gzip file ({error}); copy it again or drop .gz", path=name, line=line
        ) from None
    except (EOFError, zlib.error) as error:
        raise InputError(
            f"the gzip file is cut off or damaged ({error}); copy it again", path=name, line=line
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read: {_reason(error)}", path=name, line=line) from None
    if len(raw) > MAX_BYTES:
        unit = "one line" if line else "a .json file"
        raise InputError(
            f"more than {MAX_BYTES // MIB} MiB in {unit}; use .jsonl with shorter lines", path=name, line=line
        )
    return raw


def _decode(raw: bytes, name: str, line: int) -> str:
    if raw.startswith(b"\x1f\x8b"):
        raise InputError("is compressed by gzip; its name must end in .gz", path=name, line=line)
    if (at := raw.find(0)) >= 0:
        line += raw.count(b"\n", 0, at)
        raise InputError("holds a NUL byte: damaged, or not text in UTF-8", path=name, line=line)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line += raw.count(b"\n", 0, error.start)
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise InputError(f"not UTF-8: {error.reason} at byte {column} of the line", path=name, line=line) from None


_JSON_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


class _DuplicateKeyError(ValueError):
    """A key occurs twice in one object."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__("the key occurs twice in one object; which one counts is undefined")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _DuplicateKeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return fields


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct)


def _refuse_json(error: Exception, name: str, line: int) -> NoReturn:
    if isinstance(error, _DuplicateKeyError):
        raise Row(name, line, {}).error(str(error), error.key) from None
    if isinstance(error, json.JSONDecodeError):
        problem = error.msg.removesuffix(" starting at").removesuffix(" at")
        raise InputError(f"bad JSON at column {error.colno}: {problem}", path=name, line=line) from None
    if isinstance(error, RecursionError):
        raise InputError("bad JSON: nested too deeply", path=name, line=line) from None
    raise InputError("bad JSON: a number has too many digits", path=name, line=line) from None


@contextmanager
def _replacing(name: str) -> Iterator[Callable[[bytes], None]]:
    # Through a link, the file that it points to is replaced, not the link.
    target = Path(name).resolve()
    draft = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.tmp")
    if target.exists() and not target.is_file():
        raise UsageError(f"{name}: is not a regular file; name another output")
    try:
        raw = draft.open("xb")
    except OSError as error:
        raise UsageError(f"{name}: cannot be written: {_reason(error)}") from None
    # zlib writes gzip's header without a name and a time: the same rows give the same bytes.
    packer = zlib.compressobj(wbits=31) if name.endswith(".gz") else None

    def write(data: bytes) -> None:
        with _writing(name):
            raw.write(packer.compress(data) if packer else data)

    try:
        yield write
        with _writing(name):
            if packer:
                raw.write(packer.flush())
            raw.flush()
            os.fsync(raw.fileno())
            raw.close()
            if target.exists():
                shutil.copymode(target, draft)
            draft.replace(target)
    except BaseException:
        with suppress(OSError):
            raw.close()  # tries to write what is left, so it fails again on a full disk
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def _writing(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InfrastructureError(
            f"{name}: writing failed: {_reason(error)}; what was there is unharmed"
        ) from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
