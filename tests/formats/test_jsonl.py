"""Rows of JSON in files."""

from __future__ import annotations

import errno
import gzip
import io
import json
import math
import os
import resource
import stat
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.formats import Row, jsonl, read_rows, write_rows
from codejury.model import InfrastructureError, InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Half of a surrogate pair is text in Python and in JSON, and some models write it; two halves side by side would
# rightly be read as one character.
TEXT = st.one_of(st.text(), st.sampled_from(["\ud800", "a\udfff", "\0", "\u2028", "\r\n", "\x85"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ROWS = st.lists(st.dictionaries(TEXT, VALUES, max_size=4), min_size=1, max_size=6)


def put(path: Path, data: bytes) -> Path:
    """Write `data`, compressed if the name says so."""
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def fields_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a file."""
    return [row.fields for row in read_rows(path)]


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
@CALM
@given(rows=ROWS)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, rows: list[dict[str, Any]]
) -> None:
    """Any JSON objects survive a round trip, one a line."""
    path = tmp_path_factory.mktemp("rows") / name
    assert len(rows) == write_rows(path, rows)
    read = list(read_rows(path))
    assert rows == [row.fields for row in read]
    assert list(range(1, len(rows) + 1)) == [row.line for row in read]


@pytest.mark.parametrize("name", ["r.json", "r.json.gz"])
@CALM
@given(rows=ROWS, indent=st.sampled_from([None, 0, 2]))
def test_a_list_is_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, rows: list[dict[str, Any]], indent: int | None
) -> None:
    """A list of objects is read however it is laid out."""
    path = put(tmp_path_factory.mktemp("rows") / name, json.dumps(rows, indent=indent).encode())
    assert rows == fields_of(path)


def test_lines_are_numbered_as_an_editor_numbers_them(tmp_path: Path) -> None:
    """Blank lines count, and the objects of a list are where they begin."""
    lines = put(tmp_path / "a.jsonl", b'\n{"a": 1}\n  \t\n\r\n{"a": 2}\r\n{"a": 3}')
    listed = put(tmp_path / "a.json", b'\n[\n {"a":\n 1}\n,\n\n {"a": 2}, {"a": 3}]\n')
    expected = [{"a": 1}, {"a": 2}, {"a": 3}]
    assert [Row(str(lines), at, row) for at, row in zip((2, 5, 6), expected, strict=True)] == list(
        read_rows(lines)
    )
    assert [Row(str(listed), at, row) for at, row in zip((3, 7, 7), expected, strict=True)] == list(
        read_rows(listed)
    )


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_a_byte_order_mark_is_no_content(tmp_path: Path, name: str) -> None:
    """Editors of other systems put one at the start."""
    data = b'\xef\xbb\xbf{"a": 1}' if name == "a.jsonl" else b'\xef\xbb\xbf[{"a": 1}]'
    assert [{"a": 1}] == fields_of(put(tmp_path / name, data))


def test_unusual_numbers_are_read(tmp_path: Path) -> None:
    """Python's json writes NaN and infinities, as in log probabilities that nobody uses here."""
    [row] = fields_of(put(tmp_path / "a.jsonl", b'{"a": -Infinity, "b": NaN}'))
    assert float("-inf") == row["a"]
    assert math.isnan(row["b"])


def test_reading_streams(tmp_path: Path) -> None:
    """A row is given before the next is read: an error behind it comes later."""
    rows = read_rows(put(tmp_path / "a.jsonl", b'{"a": 1}\nnonsense\n'))
    assert {"a": 1} == next(rows).fields
    with pytest.raises(InputError):
        next(rows)


def test_a_line_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line, or a list, that would fill the memory is refused; a long file of short lines is not."""
    monkeypatch.setattr(jsonl, "MAX_BYTES", 20)
    good = put(tmp_path / "a.jsonl.gz", b'{"a": 1}\n' * 100)
    assert 100 == len(fields_of(good))
    for name, line in [("b.jsonl.gz", ":2"), ("b.json", "")]:
        path = put(tmp_path / name, b'{"a": 1}\n' + b" " * 100)
        with pytest.raises(InputError, match="MiB in") as caught:
            fields_of(path)
        assert str(caught.value).startswith(f"{path}{line}: ")


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    """A compressed file holds no time and no name of its own, and other tools read it."""
    rows = [{"text": "def f(): pass\n" * 50, "n": n} for n in range(40)]
    write_rows(tmp_path / "a.jsonl.gz", rows)
    write_rows(tmp_path / "b.jsonl.gz", rows)
    data = (tmp_path / "a.jsonl.gz").read_bytes()
    assert data == (tmp_path / "b.jsonl.gz").read_bytes()
    assert b"\0\0\0\0" == data[4:8]
    assert rows == [json.loads(line) for line in gzip.decompress(data).splitlines()]


def failing_rows() -> Iterator[dict[str, int]]:
    """Two rows, then the source fails."""
    yield {"a": 1}
    yield {"a": 2}
    raise OSError(errno.ECONNRESET, "the model went away")


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_source_that_fails_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    """What was there stays, nothing is left beside it, and the source's own error is told."""
    path = put(tmp_path / name, b'{"old": 1}\n')
    with pytest.raises(OSError, match="the model went away"):
        write_rows(path, failing_rows())
    assert [{"old": 1}] == fields_of(path)
    assert [path] == list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    """Writes that the kernel refuses, here beyond a limit on files, leave what was there."""
    path = put(tmp_path / name, b'{"old": 1}\n')
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))
    try:
        with pytest.raises(InfrastructureError, match="what was there is unharmed") as caught:
            write_rows(path, ({"noise": os.urandom(500).hex()} for _ in range(100)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert f"{path}: writing failed: File too large; what was there is unharmed" == str(caught.value)
    assert [{"old": 1}] == fields_of(path)
    assert [path] == list(tmp_path.iterdir())


def test_a_disk_that_is_full_at_the_end_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems say only at the last moment that they are full."""
    path = put(tmp_path / "a.jsonl", b'{"old": 1}\n')

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InfrastructureError, match="No space left on device"):
        write_rows(path, [{"new": 1}])
    assert [{"old": 1}] == fields_of(path)
    assert [path] == list(tmp_path.iterdir())


def test_a_replaced_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    """Private files stay private, and a link still points to the file."""
    path = put(tmp_path / "a.jsonl", b'{"old": 1}\n')
    path.chmod(0o600)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    write_rows(link, [{"new": 1}])
    assert link.is_symlink()
    assert [{"new": 1}] == fields_of(path)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    """Each is a usage error that names the place."""
    (tmp_path / "folder.jsonl").mkdir()
    for name, reason in [
        ("a.txt", "name it .jsonl or .jsonl.gz"),
        ("a.json", "name it .jsonl or .jsonl.gz"),
        ("none/a.jsonl", "No such file or directory"),
        ("folder.jsonl", "not a regular file"),
    ]:
        with pytest.raises(UsageError, match=reason) as caught:
            write_rows(tmp_path / name, [{"a": 1}])
        assert str(caught.value).startswith(f"{tmp_path / name}: ")


def test_numbers_that_json_lacks_are_not_written(tmp_path: Path) -> None:
    """Other readers would choke on them."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_rows(tmp_path / "a.jsonl", [{"a": float("nan")}])
    assert [] == list(tmp_path.iterdir())


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    """Missing files, folders, loops of links and strange names each have one line."""
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    (tmp_path / "a.txt").write_text("{}")
    for name, message in [
        ("none.jsonl", "no such file; check the path"),
        ("folder.jsonl", "is a folder; name a .jsonl, .jsonl.gz or .json file"),
        ("loop.jsonl", "cannot be opened: Too many levels of symbolic links"),
        ("a\0.jsonl", "cannot be opened: embedded null byte"),
        ("a.txt", "unknown kind of file; its name must end in .jsonl, .json, .jsonl.gz or .json.gz"),
    ]:
        with pytest.raises(InputError) as caught:
            next(read_rows(f"{tmp_path}/{name}"))
        assert f"{tmp_path}/{name}: {message}" == str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    """Permissions are told as the system tells them."""
    path = put(tmp_path / "a.jsonl", b"{}")
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be opened: Permission denied"):
        next(read_rows(path))


def test_a_device_that_fails_while_it_is_read(tmp_path: Path) -> None:
    """An error of reading names the line that it hit."""
    path = tmp_path / "a.jsonl"
    path.symlink_to("/proc/self/mem")  # its first page is never mapped
    with pytest.raises(InputError) as caught:
        next(read_rows(path))
    assert f"{path}:1: cannot be read: Input/output error" == str(caught.value)


def test_damaged_gzip(tmp_path: Path) -> None:
    """Cut off, flipped and foreign bytes name the line that could not be read; the lines before it are given."""
    sound = io.BytesIO()
    with gzip.GzipFile(fileobj=sound, mode="wb", mtime=0) as stream:
        for _ in range(3):
            stream.write(b'{"a": 1}\n')
            stream.flush()
    data = sound.getvalue()
    for broken, line, message in [
        (data[:-12], 4, "the gzip file is cut off or damaged"),
        (data[:-4] + b"\0\0\0\0", 4, "not a sound gzip file"),
        (b'{"a": 1}\n', 1, "not a sound gzip file (Not a gzipped file"),
        (data[:10] + b"\xff" * 20, 1, "the gzip file is cut off or damaged"),
    ]:
        path = tmp_path / "a.jsonl.gz"
        path.write_bytes(broken)
        given_rows: list[int] = []
        with pytest.raises(InputError) as caught:
            given_rows.extend(row.line for row in read_rows(path))
        assert list(range(1, line)) == given_rows
        assert str(caught.value).startswith(f"{path}:{line}: {message}")
