"""CodeBLEU as the PyPI package `codebleu` 0.7.0 computes it, its faults included."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from typing import TYPE_CHECKING

from codejury.metrics.codebleu.flow import NoFlowError, data_flow, normalised
from codejury.metrics.codebleu.grammars import parse
from codejury.metrics.codebleu.ngrams import bleu, weighted_bleu
from codejury.metrics.codebleu.words import KEYWORDS
from codejury.metrics.text.edits import TooLargeError

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_COMMENT_OR_STRING = re.compile(
    r"//.*?$|/\*.*?\*/|'(?:\\.|[^\\'])*'|\"(?:\\.|[^\\\"])*\"", re.DOTALL | re.MULTILINE
)

MAX_DEPTH = 1_000
MAX_BYTES = 1 << 22
"""Largest sum of the bytes of all inner nodes that are written out."""

LANGUAGES = tuple(KEYWORDS)
"""The package's languages for which this has its rules."""


def codebleu_parts(prediction: str, reference: str, language: str) -> dict[str, float]:
    """The four parts and their mean, by the package's names.

    Faults that are kept: without a flow of data that matches, that part counts as 1, so that an empty prediction
    has 0.25; orders of n-grams that short texts cannot have count against them; the weighted n-grams' penalty for
    brevity takes every reference for two tokens long, and a reference of light words cannot be matched wholly;
    operators are no part of trees, and a tree that the reference has twice matches one that the prediction has
    once; tokens are what white space separates.

    Args:
        prediction: A program, or a part of one: it is parsed alone.
        reference: The same.
        language: One of LANGUAGES.

    Raises:
        UsageError: tree-sitter or the language's grammar is not installed.
        TooLargeError: A text is nested too deeply.
    """
    one, other = prediction.strip(), reference.strip()
    words, wanted = one.split(), other.split()
    parts = {
        "ngram_match_score": bleu(words, wanted),
        "weighted_ngram_match_score": weighted_bleu(words, wanted, KEYWORDS[language], compat=True),
    }
    one, other = without_comments(one, language), without_comments(other, language)
    wanted_trees = _inner_trees(parse(other, language))
    known = set(_inner_trees(parse(one, language)))
    parts["syntax_match_score"] = sum(tree in known for tree in wanted_trees) / len(wanted_trees)
    mine, right = (Counter(_flow(text, language)) for text in (one, other))
    flow = (mine & right).total() / right.total() if right else 0.0
    mean = (sum(parts.values()) + (flow or 1.0)) / 4
    return {"codebleu": mean, **parts, "dataflow_match_score": flow}


def without_comments(source: str, language: str) -> str:
    """A text without comments and empty lines; in Python also without strings that stand as statements."""
    try:
        kept = _python(source) if language == "python" else _COMMENT_OR_STRING.sub(_space, source)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return source
    return "\n".join(line for line in kept.split("\n") if line.strip())


def _space(match: re.Match[str]) -> str:
    return " " if match[0].startswith("/") else match[0]


def _python(source: str) -> str:
    parts: list[str] = []
    before, last, column = tokenize.INDENT, -1, 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (line, start), (last_line, end) = token.start, token.end
        if line > last:
            column = 0
        parts.append(" " * max(0, start - column))
        statement = before in (tokenize.INDENT, tokenize.NEWLINE) or not start
        if token.type != tokenize.COMMENT and not (token.type == tokenize.STRING and statement):
            parts.append(token.string)
        before, last, column = token.type, last_line, end
    return "".join(parts)


def _inner_trees(tree: Tree) -> list[str]:
    """The root, and every node below it that has children, as tree-sitter writes them: named nodes alone."""
    found: list[Node] = []
    below = [(tree.root_node, 1)]
    size = 0
    while below:
        node, depth = below.pop()
        found.append(node)
        size += node.end_byte - node.start_byte
        # writing recurses in C, and of a chain of n nodes takes n * n
        if depth > MAX_DEPTH or size > MAX_BYTES:
            raise TooLargeError("too large: its syntax trees take too long to write out")
        below += [(child, depth + 1) for child in node.children if child.child_count]
    return [str(node) for node in found]


def _flow(code: str, language: str) -> list[tuple[str, str, tuple[str, ...]]]:
    try:
        return normalised(data_flow(parse(code, language), code, language))
    except (NoFlowError, RecursionError):
        return []
