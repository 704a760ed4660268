"""What a regular expression found, as it crosses."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

FOUND = [
    re.search("(?P<x>b)(d)?(c)", "abcd"),
    re.match("", ""),
    re.fullmatch(rb"(a)+", b"aaa"),
    re.search("\u00e9(?P<first>.)(?P<second>.)?", "caf\u00e9!"),
    re.compile("(?P<outer>(?P<inner>b)c)").search("abcbc", 2, 5),
    re.compile("(?<=(a))b").search("ab", 1),
]


def crossed(codec: Any, value: Any) -> Any:
    """A value on the other side."""
    return codec.Reader(1, None).value(json.loads(codec.dumps(codec.Writer(1, {}).value(value))))


def assert_alike(found: re.Match[Any], match: Any) -> None:
    """Truth, groups by number and name, places."""
    assert match
    assert isinstance(match, re.Match)
    assert repr(found) == repr(match)
    for name in ("string", "regs", "pos", "endpos", "lastindex", "lastgroup"):
        assert getattr(found, name) == getattr(match, name)
    assert found.group() == match.group()
    assert found.groups() == match.groups()
    assert found.groups("-") == match.groups("-")
    assert found.groupdict() == match.groupdict()
    assert found.groupdict("-") == match.groupdict("-")
    for group in (*range(len(found.regs)), *found.re.groupindex, False):
        assert found[group] == match[group]
        assert found.start(group) == match.start(group)
        assert found.end(group) == match.end(group)
        assert found.span(group) == match.span(group)
    assert found.group(*range(len(found.regs))) == match.group(*range(len(found.regs)))
    absent: tuple[Any, ...] = (len(found.regs), -1, "y", None)
    for group in absent:
        with pytest.raises(IndexError, match="no such group"):
            match.group(group)


@pytest.mark.parametrize("found", FOUND)
def test_it_answers_as_the_original(codec: Any, found: re.Match[Any]) -> None:
    """Once crossed, and crossed again: a test may hand it on."""
    match = crossed(codec, found)
    assert_alike(found, match)
    assert_alike(found, crossed(codec, match))
    assert match == copy.deepcopy(match)


@given(text=st.text("ab-", max_size=8), data=st.data())
def test_any_match_answers_as_the_original(codec: Any, text: str, data: st.DataObject) -> None:
    """Groups that take part or not, nested, repeated, ahead and behind."""
    pattern = data.draw(st.sampled_from(["(a)|(?P<n>b)", "((a)b?)*", "(?=(a*))(-)?", "(?<=(?P<n>a))(b*)", "$"]))
    found = re.search(pattern, text)
    if found is not None:
        assert_alike(found, crossed(codec, found))


def test_equal_are_those_that_found_the_same(codec: Any) -> None:
    """So that a reference agrees with itself; a real match is equal to itself alone."""
    found = [crossed(codec, match) for match in FOUND]
    for i, one in enumerate(found):
        assert [i == j for j in range(len(found))] == [one == other for other in found]
        assert one == crossed(codec, one)
        assert hash(one) == hash(crossed(codec, one))
        assert one != FOUND[i]


def test_the_expression_stays_behind(codec: Any) -> None:
    """What would need it raises, for the reference as for a sample."""
    match = crossed(codec, FOUND[0])
    for name in ("re", "expand"):
        assert not hasattr(match, name)


def test_only_texts_and_bytes(codec: Any) -> None:
    """A match in another buffer does not cross."""
    with pytest.raises(codec.Rejected, match="value of type builtins"):
        codec.Writer(1, {}).value(re.search(b"a", bytearray(b"a")))


WHOLE: list[Any] = [[0, 1]]


@pytest.mark.parametrize(
    "body",
    [
        None,
        {},
        ["a"],
        ["a", WHOLE, [], [0, 1]],
        ["a", WHOLE, [], [0, 1], None, None],
        ["a", None, [], [0, 1], None],
        # the text
        [5, WHOLE, [], [0, 1], None],
        [["a"], WHOLE, [], [0, 1], None],
        [{"B": "61"}, WHOLE, [], [0, 1], None],
        # spans
        ["a", [], [], [0, 1], None],
        ["a", [[0]], [], [0, 1], None],
        ["a", [[0, 1.0]], [], [0, 1], None],
        ["a", [[0, True]], [], [0, 1], None],
        ["a", ["01"], [], [0, 1], None],
        ["a", [[-1, -1]], [], [0, 1], None],
        ["a", [[0, 2]], [], [0, 1], None],
        ["a", [[1, 0]], [], [0, 1], None],
        ["a", [*WHOLE, [0, 2]], [], [0, 1], None],
        ["a", [*WHOLE, [1, 0]], [], [0, 1], None],
        ["a", [*WHOLE, [-1, 0]], [], [0, 1], None],
        ["a", [*WHOLE, [-2, -2]], [], [0, 1], None],
        # names
        ["a", WHOLE, [["x", "y"]], [0, 1], None],
        ["a", WHOLE, [["x", 0]], [0, 1], None],
        ["a", WHOLE, [["x", 1]], [0, 1], None],
        ["a", [*WHOLE, [0, 1]], [[1, 1]], [0, 1], None],
        ["a", [*WHOLE, [0, 1]], [["x y", 1]], [0, 1], None],
        ["a", [*WHOLE, [0, 1]], [["x", True]], [0, 1], None],
        ["a", [*WHOLE, [0, 1]], [["x", 1], ["y", 1]], [0, 1], None],
        ["a", [*WHOLE, [0, 1]], [["x", 1], ["x", 1]], [0, 1], None],
        ["a", [*WHOLE, [0, 1]], [[[], 1]], [0, 1], None],
        # bounds
        ["a", WHOLE, [], [0], None],
        ["a", WHOLE, [], [1, 1], None],
        ["a", WHOLE, [], [0, 0], None],
        ["a", WHOLE, [], [0, 2], None],
        ["a", WHOLE, [], [-1, 1], None],
        # the last group
        ["a", WHOLE, [], [0, 1], 0],
        ["a", WHOLE, [], [0, 1], 1],
        ["a", [*WHOLE, [0, 1]], [], [0, 1], "1"],
        ["a", [*WHOLE, [0, 1]], [], [0, 1], True],
        ["a", [*WHOLE, [-1, -1]], [], [0, 1], 1],
    ],
)
def test_forged(codec: Any, body: Any) -> None:
    """What no match gives is refused."""
    with pytest.raises(codec.HOSTILE):
        codec.Reader(1, None).value({"m": body})


def test_the_text_is_not_searched_again(codec: Any) -> None:
    """A match that would take an expression of this kind for ever is read from its spans at once."""
    text = "a" * 100_000
    match = codec.Reader(1, None).value({"m": [text, [[0, 100_000], [0, 1]], [], [0, 100_000], 1]})
    assert (text, ("a",)) == (match.group(), match.groups())
