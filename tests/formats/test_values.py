"""Values as the value protocol writes them."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.formats.values import MAX_DEPTH, normal, written

INSIDE = Path(__file__).parents[2] / "src" / "codejury" / "judging" / "inside"
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.complex_numbers()
HASHABLE = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner), max_leaves=6
)
VALUES = st.recursive(
    HASHABLE | st.sets(HASHABLE, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(HASHABLE, inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def read() -> Any:
    """What the judge makes of the text of a value."""
    before = dict(sys.modules)
    sys.path.insert(0, str(INSIDE))
    try:
        spec = importlib.util.spec_from_file_location("codec", INSIDE / "codec.py")
        assert spec is not None
        assert spec.loader is not None
        codec = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(codec)
    finally:
        sys.path.remove(str(INSIDE))
        for name in sys.modules.keys() - before.keys():
            del sys.modules[name]
    return lambda text: codec.Reader(0, None).value(codec.loads(text))


@given(value=VALUES)
def test_the_judge_reads_what_was_written(read: Any, value: Any) -> None:
    """Same types at every depth, to the bit; `repr` tells them apart and takes NaN for equal to itself."""
    assert repr(value) == repr(read(json.dumps(written(value)))) or type(value) in {
        set,
        frozenset,
        dict,
        list,
        tuple,
    }
    assert _plain(value) == _plain(read(json.dumps(written(value))))


def _plain(value: Any) -> Any:
    """A form in which equal means the same types at every depth, in any order of sets; NaN equals NaN."""
    if isinstance(value, (list, tuple)):
        return type(value), [_plain(item) for item in value]
    if isinstance(value, dict):
        return dict, [(_plain(key), _plain(item)) for key, item in value.items()]
    if isinstance(value, (set, frozenset)):
        return type(value), sorted(repr(_plain(item)) for item in value)
    return type(value), repr(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, [2.5]), {"t": [1, [2.5]]}),
        ({"a": (None,)}, {"d": [["a", {"t": [None]}]]}),
        (2**63 - 1, 2**63 - 1),
        (2**63, {"i": "0x8000000000000000"}),
        (-(2**63) - 1, {"i": "-0x8000000000000001"}),
        (float("nan"), {"nan": 0}),
        (float("inf"), {"inf": 1}),
        ([float("-inf")], [{"inf": -1}]),
        (1 - 2j, {"c": [1.0, -2.0]}),
        (complex("-inf+nanj"), {"c": [{"inf": -1}, {"nan": 0}]}),
        ({3}, {"s": [3]}),
        (frozenset({3}), {"z": [3]}),
        (True, True),
    ],
)
def test_forms(value: object, expected: object) -> None:
    """The forms that docs/protocol.md says."""
    assert expected == written(value)


@given(value=VALUES)
def test_other_readers_of_json_keep_what_was_written(value: Any) -> None:
    """No infinity, NaN or large integer is left as a number; what is normal stays as it is."""
    form = written(value)
    assert form == json.loads(json.dumps(form, allow_nan=False)) == msgspec.json.decode(msgspec.json.encode(form))
    assert form == normal(form)


def test_forms_are_made_normal() -> None:
    """Numbers that JSON's readers lose get their tags, within tags, too."""
    form = {"t": [float("inf"), 1 << 63, {"c": [float("nan"), 1.0]}, "Infinity", True, None]}
    expected = {"t": [{"inf": 1}, {"i": hex(1 << 63)}, {"c": [{"nan": 0}, 1.0]}, "Infinity", True, None]}
    assert expected == normal(form)


def test_what_cannot_be_written() -> None:
    """Other types, and nesting deeper than the protocol allows."""
    value: list[Any] = []
    for _ in range(MAX_DEPTH):
        value = [value]
    assert value == written(value)
    with pytest.raises(ValueError, match="nested deeper than 200"):
        written([value])
    with pytest.raises(TypeError, match="bytes is not a plain value"):
        written([b"x"])
