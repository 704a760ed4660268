"""Writing documents whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from codejury.model import UsageError
from codejury.report import encode_json, write_json


def test_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    """JSON with a newline at its end, readable as any new file, and nothing beside it."""
    path, usual = tmp_path / "out.json", tmp_path / "usual"
    usual.touch()
    write_json({"a": ["é", 1]}, path)
    assert '{\n  "a": [\n    "é",\n    1\n  ]\n}\n' == path.read_text("utf-8")
    assert stat.S_IMODE(usual.stat().st_mode) == stat.S_IMODE(path.stat().st_mode)
    assert {path, usual} == set(tmp_path.iterdir())


def test_old_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    """Also through a symbolic link, which stays one."""
    path, link = tmp_path / "out.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_json({}, link)
    assert ("{}\n", 0o600, True) == (path.read_text(), stat.S_IMODE(path.stat().st_mode), link.is_symlink())


def test_dash_is_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """For pipes."""
    write_json({"a": 1}, "-")
    assert b'{\n  "a": 1\n}\n' == capfdbinary.readouterr().out


def test_devices_stay_devices() -> None:
    """A device is written, not replaced."""
    write_json({}, os.devnull)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_missing_folder_is_one_line(tmp_path: Path) -> None:
    """Names the file and the reason."""
    with pytest.raises(UsageError, match=r"typo/out\.json cannot be written: No such file or directory"):
        write_json({}, tmp_path / "typo" / "out.json")


def test_folder_in_the_place_is_one_line(tmp_path: Path) -> None:
    """A folder is not replaced."""
    with pytest.raises(UsageError, match="cannot be written: Is a directory"):
        write_json({}, tmp_path)


def test_full_disk_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was there is still there, whole, and the part is gone."""
    path = tmp_path / "out.json"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"out\.json cannot be written: No space left on device"):
        write_json({"new": "x" * 1000}, path)
    assert ("old", [path]) == (path.read_text(), list(tmp_path.iterdir()))


def test_full_device_is_one_line() -> None:
    """The real error of the kernel."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(UsageError, match="/dev/full cannot be written: No space left on device"):
        write_json({}, "/dev/full")


def test_text_that_is_no_unicode_is_one_line() -> None:
    """As undecodable bytes of a command line."""
    with pytest.raises(UsageError, match="not Unicode"):
        encode_json({"model": "\udc80"})
