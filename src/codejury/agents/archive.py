"""ZIP archives from strangers, read member by member and never unpacked into files.

Nothing is believed before it is checked: how large the directory is, what members are called, how large they say
they are, and how large they turn out to be. A member that is compressed by zstd is read with the standard library
from Python 3.14 on, before that with backports.zstd.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any, Self

from codejury.agents.fields import MAX_BYTES
from codejury.model import MIB, InputError, UsageError

if TYPE_CHECKING:
    from types import TracebackType

MAX_MEMBERS = 250_000
MAX_DIRECTORY = 32 * MIB
"""The longest list of members: at 46 bytes and a name each, and read whole by the standard library."""

MAX_RATIO = 1000
"""How many times larger than the archive all members together may say they are."""

ZSTANDARD = 93
"""The compression's number in ZIP; `zipfile` knows it from Python 3.14 on."""

_CHUNK = 1 << 20
_END, _END64, _LOCATOR64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTANDARD)


class Archive:
    """An archive whose members have been checked; use it as a context manager.

    Args:
        path: The file.

    Raises:
        InputError: It is no ZIP, or one that a program would not write: too many members, names that lead out of
            a folder, links, encryption, sizes out of all proportion.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._stream = open(path, "rb")  # noqa: PTH123, SIM115 - closed by `close`
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
        try:
            self._size = os.fstat(self._stream.fileno()).st_size
            self._check_directory()
            self._zip = zipfile.ZipFile(self._stream)
            self._members = {info.filename: info for info in self._zip.infolist()}
            self._check_members()
        except (zipfile.BadZipFile, struct.error, NotImplementedError, OSError, ValueError, EOFError) as error:
            self._stream.close()
            raise self._error(f"is no sound ZIP archive ({error}); copy it again") from None
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
        self._stream.close()

    def names(self) -> list[str]:
        """The members that are files, in the archive's order."""
        return [name for name, info in self._members.items() if not info.is_dir()]

    def read(self, name: str) -> bytes:
        """A member's content.

        Raises:
            InputError: It is larger than `MAX_BYTES`, damaged, or there is none of this name.
            UsageError: It is compressed by zstd, and nothing here can read that.
        """
        info = self._members.get(name)
        if info is None:
            raise self._error(f"has no member {name}; was it written to the end?")
        if info.file_size > MAX_BYTES:
            raise self._error(f"its member {name[:80]} is larger than {MAX_BYTES // MIB} MiB")
        try:
            body = self._zstd(info) if info.compress_type == ZSTANDARD else self._plain(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, struct.error) as error:
            raise self._error(f"its member {name[:80]} is damaged ({error}); copy it again") from None
        if len(body) != info.file_size or zlib.crc32(body) != info.CRC:
            raise self._error(f"its member {name[:80]} is not what the directory says; copy it again")
        return body

    def _error(self, message: str) -> InputError:
        printable = message.encode("ascii", "backslashreplace").decode()
        return InputError(printable, path=self._path)

    def _plain(self, info: zipfile.ZipInfo) -> bytes:
        with self._zip.open(info) as member:
            return member.read(info.file_size + 1)

    def _zstd(self, info: zipfile.ZipInfo) -> bytes:
        """As `zipfile` does it from Python 3.14 on; read here, so that every Python does the same."""
        decompressor, error = _decompressor()
        self._stream.seek(info.header_offset)
        header = self._stream.read(30)
        if len(header) < 30 or not header.startswith(b"PK\x03\x04"):
            raise zipfile.BadZipFile("its header is missing")
        name_length, extra_length = struct.unpack_from("<HH", header, 26)
        self._stream.seek(info.header_offset + 30 + name_length + extra_length)
        left, found = info.compress_size, bytearray()
        try:
            while not decompressor.eof and len(found) <= info.file_size:
                chunk = b""
                if decompressor.needs_input:
                    chunk = self._stream.read(min(_CHUNK, left))
                    left -= len(chunk)
                    if not chunk:
                        raise zipfile.BadZipFile("it ends too early")
                found += decompressor.decompress(chunk, info.file_size + 1 - len(found))
        except error as problem:
            raise zipfile.BadZipFile(str(problem)) from None
        return bytes(found)

    def _check_directory(self) -> None:
        """The length of the list of members, before the standard library reads it whole."""
        count, length = _directory(self._stream, self._size)
        if count > MAX_MEMBERS or length > MAX_DIRECTORY:
            raise self._error(
                f"says it has {count} members in a directory of {length} bytes; at most {MAX_MEMBERS} in "
                f"{MAX_DIRECTORY} are read"
            )

    def _check_members(self) -> None:
        infos = self._zip.infolist()
        if len(infos) > MAX_MEMBERS:
            raise self._error(f"has {len(infos)} members; at most {MAX_MEMBERS} are read")
        if len(infos) > len(self._members):
            raise self._error("has two members of one name; which one counts is undefined")
        for info in infos:
            if reason := _objection(info):
                raise self._error(f"its member {info.filename[:80]!a} {reason}; no log of Inspect has such a one")
        if sum(info.file_size for info in infos) > MAX_RATIO * self._size:
            raise self._error(f"says that its members are over {MAX_RATIO} times larger than itself")


def _objection(info: zipfile.ZipInfo) -> str | None:
    """Why a member is not read."""
    name = info.orig_filename
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in name or "\\" in name:
        return "has a name that leads elsewhere"
    if info.flag_bits & 0x1:
        return "is encrypted"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or a device"
    if info.compress_type not in _METHODS:
        return f"is compressed by method {info.compress_type}"
    return None


def _directory(stream: IO[bytes], size: int) -> tuple[int, int]:
    """Number of members and length of their list, as the archive's end says."""
    tail_size = min(size, 22 + 0xFFFF)
    stream.seek(size - tail_size)
    tail = stream.read(tail_size)
    at = len(tail) - 22 if tail[-22:].startswith(_END) else tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        raise zipfile.BadZipFile("its end is missing")
    count, length = struct.unpack_from("<HI", tail, at + 10)
    if at >= 20 and tail[at - 20 : at - 16] == _LOCATOR64:
        stream.seek(struct.unpack_from("<Q", tail, at - 12)[0])
        record = stream.read(56)
        if not record.startswith(_END64):
            # what `zipfile` looks for is right before the locator
            stream.seek(max(0, size - tail_size + at - 20 - 56))
            record = stream.read(56)
        if record.startswith(_END64):
            count, length = struct.unpack_from("<QQ", record, 32)
    return count, length


def _decompressor() -> tuple[Any, type[Exception]]:
    """A decompressor of zstd, and what it raises.

    Raises:
        UsageError: There is none here.
    """
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore] # noqa: PLC0415 - from 3.14 on
    except ImportError:
        try:
            from backports import zstd  # noqa: PLC0415 - needed by few
        except ImportError:
            raise UsageError(
                "this .eval log is compressed by zstd, and this Python cannot read that: install codejury[agents]"
            ) from None
    return zstd.ZstdDecompressor(), zstd.ZstdError
