"""docs/protocol.md says what the code does: every tag, its examples, and a whole exchange."""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import enum
import fractions
import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy  # noqa: ICN001 - the page's examples name it so
import pytest

ROOT = Path(__file__).parents[2]
INSIDE = ROOT / "src" / "codejury" / "judging" / "inside"
TEXT = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")


def _load(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A file of the sandbox as a module, under the name by which the other files import it."""
    spec = importlib.util.spec_from_file_location(name, INSIDE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def codec(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The codec that both sides use."""
    return _load("codec", monkeypatch)


def _section(title: str) -> str:
    _, _, rest = TEXT.partition(f"\n## {title}\n")
    assert rest, f"no section {title!r}"
    return rest.partition("\n## ")[0]


def _rows(section: str) -> list[list[str]]:
    """The cells of the rows of a section's table, code marks removed; without the heading."""
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def _examples() -> list[tuple[str, str]]:
    return [(row[0], row[1].strip("`")) for row in _rows(_section("Values"))]


EXAMPLES = _examples()
TAG = re.compile(r'\{"([^"]+)":')


class Colour(enum.Enum):
    """The enumeration of the page's example."""

    RED = 1


def _value(example: str) -> Any:
    """What an example in Python stands for."""
    names: dict[str, Any] = {
        "x": [1],
        "Colour": Colour,
        "Point": collections.namedtuple("Point", "x y"),  # noqa: PYI024 - the page's example is an untyped one
        "numpy": numpy,
        "re": re,
        "array": array.array,
    }
    for module in (collections, dt, decimal, fractions):
        names |= vars(module)
    expression = re.match(r"`(.*?)`", example)
    assert expression is not None, example
    return eval(expression[1], names)  # noqa: S307 - the page's own examples


def test_every_tag_is_named(codec: Any) -> None:
    """The table of values has each tag that can be read, and no other."""
    named = {key for text in [*(text for _, text in EXAMPLES), _section("Objects")] for key in TAG.findall(text)}
    assert set(codec.READ) == named


@pytest.mark.parametrize(("example", "text"), EXAMPLES, ids=[text[:24] for _, text in EXAMPLES])
def test_example_is_written_and_read_as_said(codec: Any, example: str, text: str) -> None:
    """A value is written as its row says, and what the row says is read as a value that is written the same."""
    written = codec.Writer(0, {}).value(_value(example))
    if text.endswith('…"}'):
        assert codec.dumps(written).startswith(text.replace(" ", "").removesuffix('…"}'))
        return
    assert json.loads(text) == json.loads(codec.dumps(written))
    value = codec.Reader(0, {}.__getitem__, {"Colour": Colour}).value(json.loads(text))
    assert written == codec.Writer(0, {}).value(value)


def test_containers_with_identity_are_those_named(codec: Any) -> None:
    """The tags with an identity are those of the containers that the codec numbers."""
    paragraph = _section("Identity").partition("\n\n**")[0]
    named = set(re.findall(r"`(\w+)`", paragraph.partition("numbered")[0]))
    numbered = set()
    for example, text in EXAMPLES:
        writer = codec.Writer(0, {})
        writer.value(_value(example))
        if len(writer.nodes) == 1 and text.startswith("{"):
            numbered |= set(re.findall(r'\{"([^"]+)":', text))
    assert numbered == named


def test_limits_are_those_said(codec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Depth, items of an iterator, kept containers and large integers."""
    _load("frames", monkeypatch)
    candidate = _load("candidate", monkeypatch)
    assert f"at most {codec.MAX_DEPTH} deep" in TEXT
    assert f"at most {codec.MAX_ITEMS:,} items" in TEXT
    assert f"at most {candidate.MOST_KEPT:,}" in TEXT
    assert 1 << 8192 == codec.HUGE


def test_operations_on_objects_are_those_said(codec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page names what a handle can do by syntax."""
    objects = _load("objects", monkeypatch)
    named = re.findall(r"`(__\w+__)`", _section("Objects"))
    assert sorted(objects.SPECIAL) == sorted(named)


def test_exchange_is_what_happens(codec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The candidate's side gives the replies of the exchange to its requests."""
    del codec
    _load("frames", monkeypatch)
    module = _load("candidate", monkeypatch)
    bodies = [row[1].strip("`") for row in _rows(_section("An exchange"))]
    source, entry, most = json.loads(bodies[0])
    candidate = module.Candidate(0, 0)
    candidate.most = most
    try:
        assert json.loads(bodies[1]) == json.loads(candidate.load(source, entry))
        for number, (request, reply) in enumerate(zip(bodies[2::2], bodies[3::2], strict=True), 1):
            assert json.loads(reply) == json.loads(candidate.answer(number, request))
    finally:
        sys.modules.pop(module.MODULE, None)


def test_frame_on_the_pipe_is_as_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Length, number and body of the frame that the page spells out."""
    frames = _load("frames", monkeypatch)
    spelled = re.search(r"is `((?:[0-9a-f]{2} ?)+)`", _section("An exchange"))
    assert spelled is not None
    path = tmp_path / "pipe"
    with path.open("wb") as file:
        frames.send(file.fileno(), 7, b'["ok"]')
    assert bytes.fromhex(spelled[1]) == path.read_bytes()
