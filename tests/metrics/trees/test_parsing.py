"""Parsing in context: which nodes are a text's, what counts as a failure, how errors are put beside others."""

from __future__ import annotations

import argparse
import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.metrics.trees import parsing
from codejury.metrics.trees.flat import Key, Tree
from codejury.metrics.trees.parsing import FileTooLargeError, Parsed, introduced, parse, status
from codejury.model import UsageError


def keys(parsed: Parsed) -> list[Key]:
    """The keys of a text's nodes in post-order."""
    return [parsed.tree.key(node) for node in range(len(parsed.tree))]


def test_nodes_of_a_whole_file() -> None:
    """`return a + b` alone has seven nodes: the file, the statement, the sum, and four tokens."""
    expected = [
        Key("return", "return"),
        Key("identifier", "a"),
        Key("+", "+"),
        Key("identifier", "b"),
        Key("binary_operator"),
        Key("return_statement"),
        Key("module"),
    ]
    assert expected == keys(parse("", "return a + b", "", "python"))


def test_a_fragment_is_clean_in_context() -> None:
    """`else:` with a block is an error alone; below its `if` it is clean, and only its own nodes count."""
    fragment = "else:\n    return 1\n"
    assert parse("", fragment, "", "python").faults
    inside = parse("def f(a):\n  if a:\n    return 2\n  ", "else:\n    return 1", "\n\nx = 3\n", "python")
    assert not inside.faults
    expected = [
        Key("else", "else"),
        Key("return", "return"),
        Key("integer", "1"),
        Key("return_statement"),
        Key("block"),
        Key("else_clause"),
    ]
    assert expected == keys(inside)
    assert all(
        inside.low <= start < end <= inside.high
        for start, end in zip(inside.tree.start, inside.tree.end, strict=True)
    )


def test_cut_tokens_count_with_their_part() -> None:
    """A name that begins in the prefix, or goes on in the suffix, counts with what the text has of it."""
    assert [Key("identifier", "o")] == keys(parse("x = fo", "o", "\n", "python"))
    assert Key("identifier", "ba") in keys(parse("x = ", "foo + ba", "r\n", "python"))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 4000), st.integers(0, 400))
def test_nodes_are_those_of_the_whole_file_in_its_range(start: int, length: int) -> None:
    """Parsed in context, the inner nodes are exactly the whole file's that lie inside the text's bytes."""
    source = inspect.getsource(argparse.HelpFormatter)[:5000]
    whole = parse("", source, "", "python").tree
    part = parse(source[:start], source[start : start + length], source[start + length :], "python")

    def inner(tree: Tree) -> list[tuple[Key, int, int]]:
        spans = zip(tree.start.tolist(), tree.end.tolist(), strict=True)
        return [
            (tree.key(node), low, high)
            for node, (low, high) in enumerate(spans)
            if part.low <= low and high <= part.high and (part.high > part.low)
        ]

    assert (inner(whole) if not part.bare else []) == inner(part.tree)


def test_line_ends_do_not_matter() -> None:
    """Text with CR LF has the tree of the text with LF, inside strings too."""
    text = "def f():\n    x = '''a\n    b'''\n    return x\n"
    assert keys(parse("", text, "", "python")) == keys(parse("", text.replace("\n", "\r\n"), "", "python"))


def test_text_between_tokens_counts() -> None:
    """What a node has beside its children is part of its key: a string's text around an escape sequence."""
    assert Key("string_content", "abc") in keys(parse("", "x = 'ab\\tc'", "", "python"))
    assert Key("string_content", "abd") in keys(parse("", "x = 'ab\\td'", "", "python"))


@pytest.mark.parametrize("text", ["", "  \n", "# nothing\n", "#a\n\n# b"])
def test_bare_texts_have_no_tree(text: str) -> None:
    """A blank text, or one of comments, has no nodes, and that is no failure."""
    parsed = parse("", text, "", "python")
    assert (True, False, 0) == (parsed.bare, parsed.failed, len(parsed.tree))


@pytest.mark.parametrize("text", ["\x00\x01\x02", "€ € €", "?¿?"])
def test_no_structure_is_a_failure(text: str) -> None:
    """Where the grammar knows no token, the parse has failed: its tree is not scored."""
    parsed = parse("", text, "", "python")
    assert parsed.failed
    assert "none" == status(parse("", "return 1", "", "python"), parsed)


C_HEAD = "int f(int a) {\n  if (a) {\n    return "
"""The start of a C file whose blocks nothing closes, as where a model sees no suffix."""


@pytest.mark.parametrize(
    ("prefix", "reference", "prediction", "suffix", "language", "expected"),
    [
        ("", "return 1", "return 2", "", "python", "clean"),
        ("", "return 1", "return (", "", "python", "introduced_errors"),
        (C_HEAD, "a + 1;", "a - 1;", "", "c", "recovered"),
        (C_HEAD, "a + 1;", "a - ;", "", "c", "introduced_errors"),
        ("x = (\n", "1)", "2)", "\ny = = 3\n", "python", "recovered"),
        ("", "return (", "return 1", "", "python", "clean"),
    ],
)
def test_status_is_relative_to_the_reference(
    prefix: str, reference: str, prediction: str, suffix: str, language: str, expected: str
) -> None:
    """Errors that the reference's file has too are not the prediction's."""
    one, two = (parse(prefix, text, suffix, language) for text in (reference, prediction))
    assert expected == status(one, two)
    assert (expected == "introduced_errors") == bool(introduced(one, two))


def test_unknown_language_is_told() -> None:
    """The error lists what is known."""
    with pytest.raises(UsageError, match=r"no grammar for language 'cobol'; there is one for python, javascript"):
        parse("", "", "", "cobol")


def test_too_large_files_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beyond the cap is refused with its size."""
    monkeypatch.setattr(parsing, "MAX_BYTES", 10)
    with pytest.raises(FileTooLargeError, match="11 bytes to parse; at most 10"):
        parse("a = 1\n", "b = 2", "", "python")
