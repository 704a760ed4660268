"""The file beside a file of samples that says how they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codejury.formats import read_meta
from codejury.formats.meta import MAX_BYTES
from codejury.model import InputError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Where the samples are, which are not looked at."""
    return tmp_path / "s.jsonl.gz"


def _beside(samples: Path) -> Path:
    return samples.with_name(f"{samples.name}.meta.json")


def test_values_are_text_as_written(samples: Path) -> None:
    """Numbers keep their digits, booleans their JSON names."""
    _beside(samples).write_text(
        '{"model": "mine", "temperature": 0.80, "top_p": 1, "seed": 12345678901234567890123, "eos": true,'
        ' "chat": false, "e": 1e-3, "empty": ""}',
        encoding="utf-8",
    )
    assert {
        "model": "mine",
        "temperature": "0.80",
        "top_p": "1",
        "seed": "12345678901234567890123",
        "eos": "true",
        "chat": "false",
        "e": "1e-3",
        "empty": "",
    } == read_meta(samples)


def test_exact_name_goes_before_the_one_without_gz(samples: Path) -> None:
    """Without either there is nothing; a byte order mark is no harm."""
    assert {} == read_meta(samples)
    samples.with_name("s.jsonl.meta.json").write_text('{"from": "plain"}', encoding="utf-8-sig")
    assert {"from": "plain"} == read_meta(samples)
    assert {"from": "plain"} == read_meta(str(samples.with_suffix("")))
    _beside(samples).write_text('{"from": "exact"}', encoding="utf-8")
    assert {"from": "exact"} == read_meta(samples)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", r"s.jsonl.gz.meta.json:1: bad JSON at column 1: Expecting value"),
        (b'{"a": 1,\n "b": }', r"meta.json:2: bad JSON at column 7"),
        (b"[1]", r"meta.json: expected one JSON object"),
        (b"3", r"meta.json: expected one JSON object"),
        (b'{"a": null}', r"meta.json: field 'a': expected a text, a number, true or false, got null"),
        (b'{"a": {"b": 1}}', r"field 'a': .*, got an object"),
        (b'{"stop": ["x"]}', r"field 'stop': .*, got a list"),
        (b'{"a": NaN}', r"meta.json: bad JSON: NaN is no number of JSON"),
        (b'{"a": 1, "a": 2}', r"field 'a': the key occurs twice"),
        (b'{" a": 1}', r"field ' a': a key is printable text"),
        (b'{"": 1}', r"field '': a key is printable text"),
        (b'{"a\\n": 1}', r"a key is printable text"),
        (b'{"a": "\\ud800"}', r"field 'a': has half of a surrogate pair"),
        (b'{"\\ud800": 1}', r"a key is printable text"),
        (b'{"a": "\xff"}', r"meta.json: not UTF-8: invalid start byte at byte 8"),
        (b"[" * 100_000, r"meta.json: bad JSON: nested too deeply"),
        (b" " * (MAX_BYTES + 1), r"meta.json: more than 1 MiB"),
    ],
)
def test_malformed_is_refused(samples: Path, body: bytes, message: str) -> None:
    """Path, and line or field."""
    _beside(samples).write_bytes(body)
    with pytest.raises(InputError, match=message) as caught:
        read_meta(samples)
    assert 2 == caught.value.exit_code


def test_what_cannot_be_read_is_refused(samples: Path) -> None:
    """A folder, and a link that leads nowhere, of this name are no absent file."""
    _beside(samples).mkdir()
    with pytest.raises(InputError, match=r"meta.json: cannot be read: Is a directory"):
        read_meta(samples)
    _beside(samples).rmdir()
    _beside(samples).symlink_to("nowhere")
    with pytest.raises(InputError, match=r"meta.json: cannot be read: No such file"):
        read_meta(samples)
