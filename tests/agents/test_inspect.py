"""Inspect's logs, and archives that mean harm."""

from __future__ import annotations

import json
import struct
import sys
import zipfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from codejury.agents import archive as archives
from codejury.agents.archive import Archive
from codejury.agents.fields import Source
from codejury.model import InputError, Rollout, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Write = Any
Read = Any

HEADER = {
    "version": 2,
    "status": "success",
    "eval": {"eval_id": "E1", "run_id": "R1", "task": "ctf", "model": "openai/gpt-4o"},
}


def _sample(identity: str | int, epoch: int = 1, value: Any = "C", **fields: Any) -> dict[str, Any]:
    usage = {"openai/gpt-4o": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}}
    base = {"id": identity, "epoch": epoch, "input": "x", "target": "y", "model_usage": usage, "total_time": 1.5}
    scores = {} if value is None else {"scores": {"match": {"value": value}}}
    return base | scores | fields


def _log(samples: list[dict[str, Any]], header: dict[str, Any] | None = None) -> dict[str, Any]:
    messages = [{"role": "user"}, {"role": "assistant", "tool_calls": [{"id": "1"}, {"id": "2"}]}]
    members: dict[str, Any] = {"_journal/start.json": {"version": 2, "eval": HEADER["eval"]}}
    for sample in samples:
        members[f"samples/{sample['id']}_epoch_{sample['epoch']}.json"] = sample | {"messages": messages}
    return members | {"summaries.json": samples, "reductions.json": [], "header.json": header or HEADER}


@pytest.mark.parametrize("zstd", [False, True])
def test_archive(archive: Write, read: Read, zstd: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """An epoch is a rollout, whichever way the members are compressed."""
    samples = [_sample("a", 1), _sample("a", 2, "I"), _sample(7, 1, 0.5)]
    found = read("inspect", archive(_log(samples), zstd=zstd))
    assert (
        Rollout(
            task="ctf/a",
            agent="openai/gpt-4o",
            rollout="E1#1",
            resolved=True,
            tool_calls=2,
            latency_s=1.5,
            tokens=5,
        )
        == found[0]
    )
    assert [("ctf/a", "E1#1", True), ("ctf/a", "E1#2", False), ("ctf/7", "E1#1", False)] == [
        (r.task, r.rollout, r.resolved) for r in found
    ]


def test_plain_json_log(tmp_path: Path, read: Read) -> None:
    """The same fields; the whole samples are in the one document."""
    samples = [_sample("a", limit={"type": "token", "limit": 5}, messages=[{"tool_calls": [{}]}])]
    file = tmp_path / "log.json"
    file.write_text(json.dumps(HEADER | {"samples": samples}))
    (found,) = read("inspect", file)
    assert ("timeout", "token", True, 1) == (found.status, found.subtype, found.resolved, found.tool_calls)


def test_folder_of_repeated_runs(archive: Write, read: Read, tmp_path: Path) -> None:
    """Logs of one evaluation are told apart by their own ids."""
    archive(_log([_sample("a")]), "one.eval")
    again = HEADER | {"eval": HEADER["eval"] | {"eval_id": "E2"}}  # type: ignore[operator]
    archive(_log([_sample("a")], again), "two.eval")
    assert ["E1#1", "E2#1"] == [r.rollout for r in read("inspect", tmp_path)]


def test_log_that_was_not_finished(archive: Write, read: Read) -> None:
    """What the journal has is read, part by part, and the user is told."""
    members = {
        "_journal/start.json": {"version": 2, "eval": HEADER["eval"]},
        "_journal/summaries/10.json": [_sample("c")],
        "_journal/summaries/2.json": [_sample("b")],
        "_journal/summaries/1.json": [_sample("a")],
    }
    source = Source(str(archive(members)))
    assert ["ctf/a", "ctf/b", "ctf/c"] == [r.task for r in read("inspect", None, source)]
    assert "a log that was not finished: samples that are not in it are not counted" in source.notes


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        (_sample("a", value="P"), ("ok", "", False)),
        (_sample("a", value="N"), ("ok", "", False)),
        (_sample("a", value=1), ("ok", "", True)),
        (_sample("a", value=True), ("ok", "", True)),
        (_sample("a", value=0.99), ("ok", "", False)),
        (_sample("a", value=float("nan")), ("missing", "unscored", None)),
        (_sample("a", value=None), ("missing", "unscored", None)),
        (_sample("a", value=None, error="boom"), ("infra", "error", None)),
        (_sample("a", value=None, limit="time"), ("timeout", "time", False)),
        (_sample("a", value="C", limit="message"), ("timeout", "message", True)),
        (_sample("a", value="C", limit="operator"), ("missing", "operator", None)),
    ],
)
def test_outcome_of_a_sample(archive: Write, read: Read, sample: dict[str, Any], expected: Any) -> None:
    """NaN is unscored, an error is no failure of the model, a partial answer is no success."""
    (found,) = read("inspect", archive(_log([sample])))
    assert expected == (found.status, found.subtype, found.resolved)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"summaries.json": []}, "has no member _journal/start.json; was it written to the end"),
        ({"header.json": HEADER}, "has no summaries.json"),
        ({"header.json": HEADER, "summaries.json": {}}, "summaries.json: expected a list of samples"),
        ({"header.json": HEADER, "summaries.json": [3]}, r"\[0\]: expected a JSON object"),
        (
            {"header.json": {"status": "success"}, "summaries.json": []},
            "'eval': is missing; is this a log of Inspect",
        ),
        ({"header.json": b"{", "summaries.json": []}, "header.json:1: bad JSON"),
        ({"header.json": b"\xff\xfe\xff", "summaries.json": []}, "header.json: .*"),
        ({"header.json": HEADER, "summaries.json": [{"epoch": 1}]}, "'id': is missing"),
        (_log([_sample("a", value=[1])]), r"'scores\.match': is \[1\]; expected C, I, P, N"),
        (_log([_sample("a", value="X")]), r"'scores\.match': is 'X'"),
        (_log([_sample("a", scores={"x": {"value": 1}, "y": {"value": 0}})]), "has x, y: say which one .*--score"),
    ],
)
def test_malformed_logs(archive: Write, read: Read, members: dict[str, Any], message: str) -> None:
    """One line with the log."""
    with pytest.raises(InputError, match=message) as raised:
        read("inspect", archive(members))
    assert "\n" not in str(raised.value)


def test_score_is_named(archive: Write, read: Read) -> None:
    """Where a log has several."""
    log = archive(_log([_sample("a", scores={"x": {"value": 1}, "y": {"value": 0}})]))
    assert [(True,), (False,)] == [tuple(r.resolved for r in read("inspect", log, score=name)) for name in "xy"]


# ---- archives that mean harm


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "a/../../b", "..\\b", "C:/x", "a\\b", "\\\\host\\share"],
)
def test_names_that_lead_elsewhere(archive: Write, read: Read, name: str, tmp_path: Path) -> None:
    """Refused before anything is read; nothing is ever unpacked."""
    path = archive(_log([_sample("a")]) | {name: {}})
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="has a name that leads elsewhere"):
        read("inspect", path)
    assert before == sorted(tmp_path.rglob("*"))


def _entry(path: Path, change: Callable[[zipfile.ZipInfo], None], body: bytes = b"{}") -> Path:
    with zipfile.ZipFile(path, "w") as opened:
        info = zipfile.ZipInfo("header.json")
        change(info)
        opened.writestr(info, body)
    return path


def test_links_are_refused(tmp_path: Path) -> None:
    """A symbolic link, as `ln -s` and `zip -y` make one."""

    def link(info: zipfile.ZipInfo) -> None:
        info.create_system, info.external_attr = 3, 0o120777 << 16

    with pytest.raises(InputError, match="is a link or a device"):
        Archive(str(_entry(tmp_path / "x.eval", link, b"/etc/passwd")))


def _patched(path: Path, offset: int, replaced: bytes) -> Path:
    """An archive with some bytes of its directory's first entry replaced."""
    body = bytearray(path.read_bytes())
    at = body.rfind(b"PK\x01\x02") + offset
    body[at : at + len(replaced)] = replaced
    path.write_bytes(bytes(body))
    return path


@pytest.mark.parametrize(
    ("offset", "replaced", "message"),
    [
        (8, b"\x01\x00", "is encrypted"),
        (10, b"\x0c\x00", "is compressed by method 12"),
        (24, struct.pack("<I", 10**9), "over 1000 times larger than itself"),
    ],
)
def test_directory_that_lies(tmp_path: Path, offset: int, replaced: bytes, message: str) -> None:
    """Encryption, unknown compression, a size out of all proportion."""
    path = _patched(_entry(tmp_path / "x.eval", lambda _: None), offset, replaced)
    with pytest.raises(InputError, match=message):
        Archive(str(path))


def test_member_that_is_larger_than_it_says(tmp_path: Path) -> None:
    """It is read up to what it says, and refused."""
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("header.json", b" " * 5_000_000)
    _patched(path, 24, struct.pack("<I", 1000))
    with Archive(str(path)) as opened, pytest.raises(InputError, match=r"header\.json is"):
        opened.read("header.json")


def test_zstd_member_that_is_larger_than_it_says(archive: Write) -> None:
    """The same for a member by zstd: what is decompressed is bounded by what the directory says."""
    path = archive({"header.json": b" " * 50_000_000}, zstd=True)
    _patched(path, 24, struct.pack("<I", 1000))
    with Archive(str(path)) as opened, pytest.raises(InputError, match="not what the directory says"):
        opened.read("header.json")


def test_zip_bomb_is_refused_by_its_size(archive: Write) -> None:
    """300 MB of blanks in a few kilobytes."""
    path = archive({"header.json": b" " * 300_000_000}, zstd=True)
    with pytest.raises(InputError, match="over 1000 times larger"):
        Archive(str(path))


def test_million_members(tmp_path: Path) -> None:
    """Refused by what the end says, before the list of members is read."""
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 10**6, 10**6, 10**8, 0)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, 0, 1)
    path = tmp_path / "x.eval"
    path.write_bytes(record + locator + end)
    with pytest.raises(InputError, match="says it has 1000000 members"):
        Archive(str(path))


def test_many_members_that_the_end_hides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The members are counted, too."""
    monkeypatch.setattr(archives, "MAX_MEMBERS", 10)
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as opened:
        for number in range(11):
            opened.writestr(str(number), b"")
    body = bytearray(path.read_bytes())
    body[-14:-10] = struct.pack("<HH", 1, 1)
    path.write_bytes(bytes(body))
    with pytest.raises(InputError, match=r"has 11 members|no sound ZIP"):
        Archive(str(path))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(tmp_path: Path) -> None:
    """Which one counts is undefined."""
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("header.json", b"{}")
        opened.writestr("header.json", b"[]")
    with pytest.raises(InputError, match="two members of one name"):
        Archive(str(path))


@pytest.mark.parametrize("body", [b"", b"PK", b"PK\x05\x06", b"x" * 1000, b"PK\x05\x06" + b"\xff" * 18])
def test_no_archive(tmp_path: Path, body: bytes) -> None:
    """One clear line, whatever the bytes."""
    path = tmp_path / "x.eval"
    path.write_bytes(body)
    with pytest.raises(InputError, match=r"no sound ZIP|says it has"):
        Archive(str(path))


def test_archive_that_is_cut_anywhere(archive: Write, read: Read) -> None:
    """Every cut is refused or read, never anything else."""
    path = archive(_log([_sample("a")]))
    whole = path.read_bytes()
    for end in range(0, len(whole), 41):
        path.write_bytes(whole[:end])
        with pytest.raises(InputError):
            read("inspect", path)


def test_bytes_that_are_changed(archive: Write, read: Read) -> None:
    """A changed byte is refused, or does not matter."""
    path = archive(_log([_sample("a")]), zstd=True)
    whole = path.read_bytes()
    for at in range(0, len(whole), 17):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with suppress(InputError):
            assert 1 == len(read("inspect", path))


def test_zstd_is_asked_for_by_name(archive: Write, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extra is not installed."""
    path = archive(_log([_sample("a")]), zstd=True)
    for name in ("compression", "backports", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=r"install codejury\[agents\]"):
        read("inspect", path)
