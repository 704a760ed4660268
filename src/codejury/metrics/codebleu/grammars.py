"""Parsing alone, without context, and the tokens of CodeBLEU's data flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codejury.metrics.trees.languages import find, grammar
from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Tree

# a text that is one token, however many parts the grammar gives it
STRINGS = frozenset(("string_literal", "string", "character_literal"))


def parse(code: str, language: str) -> Tree:
    """The syntax tree of a text; lone surrogates are bytes that no token holds.

    Raises:
        UsageError: tree-sitter or the language's grammar is not installed.
    """
    known = find(language)
    if known is None:
        raise UsageError(f"no grammar for language {language!r}")
    loaded = grammar(known.module, known.function)
    from tree_sitter import Parser  # noqa: PLC0415 - an extra, whose absence `grammar` tells

    return Parser(loaded).parse(code.encode("utf-8", "surrogatepass"))


def is_token(node: Node) -> bool:
    """Whether the node is a token of CodeBLEU's data flow: a leaf or a string, no comment."""
    return (not node.child_count or node.type in STRINGS) and node.type != "comment"


def tokens(node: Node) -> Iterator[Node]:
    """The tokens below a node, in their order."""
    below = [node]
    while below:
        node = below.pop()
        if is_token(node):
            yield node
        else:
            below += reversed(node.children)
