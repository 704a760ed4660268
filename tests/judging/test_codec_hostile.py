"""Bytes of hostile origin: they give a value or one of the expected errors, in time and memory of their size."""

from __future__ import annotations

import json
import tracemalloc
import warnings
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

TAGS = (
    *(
        "*",
        "inf",
        "nan",
        "i",
        "u",
        "x",
        "t",
        "d",
        "s",
        "z",
        "b",
        "B",
        "c",
        "r",
        "k",
        "y",
        "vk",
        "vv",
        "vi",
        "g",
        "q",
    ),
    *("q", "C", "O", "dd", "D", "F", "a", "date", "time", "datetime", "delta", "nt", "e", "np", "m", "zz"),
    "__class__",
)
EARLIER = {(2, 0): [1]}  # containers of former frames


def read(codec: Any, form: Any) -> None:
    """Read a form as the judge does: what comes out is a value, or an error that it expects."""
    reader = codec.Reader(3, lambda *key: EARLIER[key], {"json": json, "X": ValueError})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy, on odd dtypes
        try:
            reader.value(codec.loads(json.dumps(form)))
        except codec.HOSTILE:
            return


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 300)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(
        ["i4", "O", "V8", "U2", "i,(", "d", "u", "ValueError", "Exception", "mro", "int", "X", "1e9"]
    )
)
FORMS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.sampled_from(TAGS), inner, min_size=1, max_size=1)
    ),
    max_leaves=20,
)

VALID: tuple[Any, ...] = (
    [1, 2.5, "a", None, True],
    {"d": [["a", {"t": [1, 2]}], [{"z": [1]}, {"s": [2]}]]},
    {"q": [[1, 2], 5]},
    {"dd": ["int", [["a", 1]]]},
    {"C": [["a", 1]]},
    {"O": [["a", 1]]},
    {"a": ["d", [1.5]]},
    {"D": "1.10"},
    {"F": [1, 3]},
    {"date": "2024-01-02"},
    {"time": ["01:02:00", 0, None]},
    {"datetime": ["2024-01-02T03:04:00", 1, [0, 3600, 0]]},
    {"delta": [1, 2, 3]},
    {"nt": ["P", ["x", "y"], [1, 2]]},
    {"e": ["X", "A", 1, "int"]},
    {"g": [True, [1], ["builtins", "KeyError", ["KeyError"], ["k"], "'k'", []]]},
    {"x": ["m", "E", ["ValueError"], [[1]], "t", [["a", [1]]]]},
    {"np": ["<i4", [2], "0100000002000000"]},
    {"c": [1.0, {"inf": -1}]},
    {"r": [0, {"i": "0xff"}, 1]},
    {"vk": [1]},
    {"vv": [1]},
    {"vi": [{"t": [1, 2]}]},
    {"b": "00ff"},
    {"B": "00ff"},
    {"y": "int"},
    {"m": ["abc", [[1, 2], [1, 2], [-1, -1]], [["x", 1]], [0, 3], 1]},
    [[1], {"*": [3, 1]}],
    {"*": [2, 0]},
)


def positions(form: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something can be put in the place of something else."""
    children = form.items() if isinstance(form, dict) else enumerate(form) if isinstance(form, list) else ()
    return [path, *(p for key, child in children for p in positions(child, (*path, key)))]


def replaced(form: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The form with something else at one position."""
    if not path:
        return new
    copy = form.copy()
    copy[path[0]] = replaced(form[path[0]], path[1:], new)
    return copy


@given(text=st.text() | st.binary().map(lambda b: b.decode("latin-1")))
@example(text="")
@example(text="nul")
@example(text="1 2")
@example(text="[" * 100_000)
@example(text='{"a":' * 100_000)
@example(text="9" * 100_000)
def test_any_text_is_parsed_or_refused(codec: Any, text: str) -> None:
    """Text that is no JSON raises one of the expected errors."""
    try:
        codec.loads(text)
    except codec.HOSTILE:
        return


@settings(max_examples=400, deadline=None)
@given(form=FORMS)
@example(form={"e": ["X", "mro", 1, ""]})
@example(form={"e": ["Y", "__init__", 1, ""]})
@example(form={"e": ["Y", "_value_", 1, ""]})
@example(form={"e": ["Y", "a", "abc", "int"]})
@example(form={"e": ["Y", "a", [1], "int"]})
@example(form={"np": ["i,(", [1], "00"]})
@example(form={"np": ["O", [1], "0000000000000000"]})
@example(form={"np": ["V8", [1], "0000000000000000"]})
@example(form={"np": ["S0", [1], ""]})
@example(form={"nt": ["a b", ["x"], [1]]})
@example(form={"nt": ["P", ["x; import os"], [1]]})
@example(form={"nt": [["P"], ["x"], [1]]})
@example(form={"F": [1, 0]})
@example(form={"r": [0, 1, 0]})
@example(form={"q": [[1], -1]})
@example(form={"delta": [1e300, 0, 0]})
@example(form={"y": "__import__"})
@example(form={"y": "print"})
@example(form={"inf": 0})
@example(form={"inf": [1]})
@example(form={"c": [[], 1]})
@example(form={"*": [3, 10**30]})
@example(form={"*": [True, 0]})
@example(form={"*": [2, -1]})
@example(form={"s": [{"*": [3, 0]}]})
@example(form={"x": ["m", "E" * 10, ["ValueError"], [], "t", [["__class__", {"y": "int"}]]]})
@example(form={"x": ["m", "\0", ["ValueError"], [], "t", []]})
def test_any_form_is_read_or_refused(codec: Any, form: Any) -> None:
    """Tags with bodies of any shape raise one of the expected errors, or give a value."""
    read(codec, form)


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_changed_forms_are_read_or_refused(codec: Any, data: st.DataObject) -> None:
    """Forms that are almost right reach further into the reader."""
    form = data.draw(st.sampled_from(VALID))
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(positions(form)))
        form = replaced(form, path, data.draw(FORMS))
    read(codec, form)


@pytest.mark.parametrize("form", VALID, ids=json.dumps)
def test_unchanged_forms_are_read(codec: Any, form: Any) -> None:
    """The forms that the test above changes are right themselves."""
    codec.Reader(3, lambda *key: EARLIER[key]).value(codec.loads(json.dumps(form)))


@pytest.mark.parametrize(
    "text",
    [
        '{"F":["1e3000000"]}',
        '{"F":["1e3000000","7"]}',
        '{"D":"1e999999999"}',
        '{"q":[[],999999999999]}',
        '{"r":[0,1000000000000,1]}',
        '{"np":["U1000000",[0],""]}',
        '{"np":["i4",[0,1000000000],""]}',
        '{"np":["i4",[-1,1000000000],""]}',
        '{"a":["d",[]]}',
        '{"delta":[999999999,0,0]}',
        "[" + ",".join(['{"*":[3,0]}'] * 1000) + "]",
    ],
    ids=lambda text: text[:24],
)
def test_little_text_takes_little_memory(codec: Any, text: str) -> None:
    """No form says with a few bytes that many are to be made."""
    tracemalloc.start()
    try:
        codec.Reader(3, {}.__getitem__).value(codec.loads(text))
    except codec.HOSTILE:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 1 << 20


def test_deep_nesting_is_refused(codec: Any) -> None:
    """Values within values without end raise, and do not end the process."""
    for opening, closing in (("[", "]"), ('{"t":[', "]}"), ('{"d":[[1,', "]]}"), ('{"s":[', "]}")):
        text = opening * 50_000 + "1" + closing * 50_000
        with pytest.raises(codec.HOSTILE):
            codec.Reader(3, {}.__getitem__).value(codec.loads(text))
