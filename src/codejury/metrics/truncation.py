"""Where a completion ends: its first line or statement, or the block or function that it begins in.

Models write on; what is scored should end where an editor would end it. There is one definition for all
languages, on the syntax tree of prefix + completion + suffix, and it never looks at a reference: its length would
tell where to stop.

- `line`: up to the end of the first line that is not blank.
- `statement`: up to the end of the innermost statement that holds the first token, with its blocks and its `;`.
- `block`: up to the end of the innermost block that the completion begins in; if it begins in none, up to the end
  of the first statement that has one.
- `function`: the same with functions, of which one that begins with the completion is not around it. A function
  that is part of a statement ends with the statement.

Comments are no tokens. Brackets, `;` and words as `end` that close what the completion did not open are kept,
unless the suffix begins with them and the file has fewer errors without. Where what follows is blank, nothing is
cut. Where the grammar makes nothing of the first statement, brackets and line ends decide, as for
`first_statement`. A block or function that is never closed is not cut.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from codejury.metrics.text.lexing import language_name
from codejury.metrics.text.statements import first_statement
from codejury.metrics.trees.languages import find
from codejury.metrics.trees.parsing import ERROR, FileTooLargeError, Parsed, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tree_sitter import Node


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


Level: TypeAlias = Literal["line", "statement", "block", "function"]

LEVELS: tuple[Level, ...] = get_args(Level)
"""What a completion can be cut to."""

MAX_PASSES = 16
"""How often at most a completion is cut again: what follows a cut can change how the rest parses."""

_LINE = re.compile(r"\s*\S[^\r\n]*")
_CLOSERS = re.compile(r"[)\]};]|(?:end|fi|done|esac)\b")
_MOST_CLOSERS = 64
_STATEMENT = re.compile(r"(statement|declaration|definition|_item)$")
_HOLDERS = _words(
    "accessor_list annotation_type_body begin begin_block block block_body body_statement case_item case_statement"
    " class_body class_static_block colon_block communication_case compound_statement constructor_body"
    " declaration_list default_case default_statement do do_block do_group elif_clause else else_clause"
    " end_block ensure enum_body_declarations expression_case field_declaration_list if_statement interface_body"
    " match_block module_body preproc_elif preproc_elifdef preproc_else preproc_if preproc_ifdef statement_block"
    " statement_list subshell switch_block switch_block_statement_group switch_body switch_case switch_default"
    " switch_section then type_case"
)
"""Types whose children without a field of their own are statements, in any of the grammars."""

_STATEMENT_FIELDS = (None, "body", "member")
_CLOSING = ("}", ")", "end", "fi", "done")
_EXPRESSIONS = frozenset(("arrow_function", "function_expression", "generator_function", "func_literal"))


class Truncation(NamedTuple):
    """A completion up to where it was cut.

    Attributes:
        text: What is kept, a beginning of the completion.
        cut: What was cut off; empty if nothing was.
        byte: How many bytes of the completion, in UTF-8, are kept.
        end: What ends there: "line", or the type of the syntax node; empty if nothing was cut.
        reason: Why the completion could not be looked at, one phrase; None where it was.
    """

    text: str
    cut: str
    byte: int
    end: str
    reason: str | None = None


class _Found(NamedTuple):
    """An end: a byte of the file, and what ends there."""

    byte: int
    end: str


class _Step(NamedTuple):
    """A node on the way from the root, with the field that it has in its parent."""

    node: Node
    field: str | None


def truncate(
    completion: str, level: Level, *, prefix: str = "", suffix: str = "", language: str = "python"
) -> Truncation:
    """Cut a completion; see the module for what the levels are. A truncated completion stays as it is.

    Args:
        completion: The text in the hole.
        level: What to cut it to.
        prefix: The file's text before the hole.
        suffix: The file's text after the hole.
        language: Name or alias of the programming language; "line" needs none.

    Raises:
        UsageError: The language's grammar is not installed.
    """
    kept, end = completion, ""
    for _ in range(MAX_PASSES):
        found = _line(kept) if level == "line" else _by_syntax(kept, level, prefix, suffix, language)
        if isinstance(found, str):
            return Truncation(completion, "", _size(completion), "", found)
        if found is None:
            break
        kept, end = found
    return Truncation(kept, completion[len(kept) :], _size(kept), end)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _line(text: str) -> tuple[str, str] | None:
    found = _LINE.match(text)
    return None if found is None or not text[found.end() :].strip() else (found[0], "line")


def _by_syntax(text: str, level: Level, prefix: str, suffix: str, language: str) -> tuple[str, str] | str | None:
    """A shorter text and what ends it; None if there is nothing to cut; a reason if it cannot be told."""
    if find(language) is None:
        return f"no grammar for language {language[:40]!r}"
    try:
        parsed = parse(prefix, text, suffix, language)
    except FileTooLargeError as error:
        return f"too large: {error}"
    path = _first_token(parsed)
    if not path:
        return None
    found = {"statement": _statement_end, "block": _block_end, "function": _function_end}[level](parsed, path)
    if found is not None:
        kept = _decoded(parsed, found.byte)
        end = found.end
    elif level == "statement" and (name := language_name(language)):
        kept, end = first_statement(text, name, before=prefix), "statement"
    else:
        return None
    if not text[len(kept) :].strip():
        return None
    return _unrepeated(kept, prefix, suffix, language), end


def _decoded(parsed: Parsed, byte: int) -> str:
    """The text up to a byte of the file; a character is never parted."""
    while byte < parsed.high and parsed.source[byte] & 0xC0 == 0x80:
        byte += 1
    return parsed.source[parsed.low : byte].decode("utf-8", "surrogatepass")


def _first_token(parsed: Parsed) -> list[_Step]:
    """The way from the root to the first token inside the text that is no comment; empty if there is none."""

    def counts(step: _Step) -> bool:
        node = step.node
        part = parsed.source[max(node.start_byte, parsed.low) : min(node.end_byte, parsed.high)]
        return not node.child_count and bool(part.strip())

    return next((path for path in _walk(parsed) if counts(path[-1])), [])


def _walk(parsed: Parsed) -> Iterator[list[_Step]]:
    """The nodes that the text touches, in pre-order, each as the way to it; always the same list."""
    cursor = parsed.syntax.walk()
    path: list[_Step] = []
    while True:
        node = cursor.node
        assert node is not None
        path.append(_Step(node, cursor.field_name))
        inside = node.end_byte > parsed.low and node.start_byte < parsed.high
        if inside and node.type not in parsed.language.comments:
            yield path
            if cursor.goto_first_child():
                continue
        path.pop()
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            path.pop()


def _statement(path: Sequence[_Step]) -> Node | None:
    """The innermost statement on a way; None where the parser gave up there."""
    for place in range(len(path) - 1, 0, -1):
        parent, (node, field) = path[place - 1].node, path[place]
        if not node.is_named or field not in _STATEMENT_FIELDS:
            continue
        if parent.type == ERROR:
            if _STATEMENT.search(node.type):
                return node
        elif place == 1 or parent.type in _HOLDERS:
            return None if node.type == ERROR else node
    return None


def _statement_end(_: Parsed, path: Sequence[_Step]) -> _Found | None:
    node = _statement(path)
    return None if node is None else _Found(_after(node), node.type)


def _after(node: Node) -> int:
    """The end of a statement, with the `;` and the here-document that are beside it in the tree."""
    end, beside = node.end_byte, node.next_sibling
    while beside is not None and beside.type in (";", "heredoc_body"):
        end, beside = beside.end_byte, beside.next_sibling
    return end


def _block_end(parsed: Parsed, path: Sequence[_Step]) -> _Found | None:
    for place in range(len(path) - 1, 1, -1):
        block, node = path[place - 1].node, path[place].node
        opens = not node.is_named and node.type.isalpha() and node.start_byte == block.start_byte
        if block.type in _HOLDERS and not opens:
            return _Found(_closed(block), block.type)
    return _opened(parsed, path, lambda steps: len(steps) > 1 and steps[-1].node.type in _HOLDERS)


def _closed(block: Node) -> int:
    """The end of a block, with the word or brace that closes it, which may stand beside it in the tree."""
    own = block.child_count and block.children[-1].type in _CLOSING
    beside = block.next_sibling
    return beside.end_byte if not own and beside is not None and beside.type in _CLOSING else block.end_byte


def _function_end(parsed: Parsed, path: Sequence[_Step]) -> _Found | None:
    scopes = parsed.language.scopes
    for place in range(len(path) - 1, 0, -1):
        node = path[place].node
        if node.type in scopes and node.start_byte < parsed.low:
            statement = _statement(path[: place + 1])
            return _Found(_after(statement or node), node.type)

    def named(steps: Sequence[_Step]) -> bool:
        kind = steps[-1].node.type
        return kind in scopes and (kind not in _EXPRESSIONS or steps[-2].node.type == "variable_declarator")

    return _opened(parsed, path, named)


def _opened(parsed: Parsed, first: Sequence[_Step], wanted: Callable[[Sequence[_Step]], bool]) -> _Found | None:
    """The end of the first statement with a wanted node that begins in the text."""
    if any(step.node.type == ERROR for step in first):
        return None  # what is around the text was not understood: it may begin in a block all the same
    start = first[-1].node.start_byte
    for path in _walk(parsed):
        if path[-1].node.start_byte >= start and wanted(path):
            statement = _statement(path)
            return None if statement is None else _Found(_after(statement), path[-1].node.type)
    return None


def _unrepeated(kept: str, prefix: str, suffix: str, language: str) -> str:
    """Without the closing tokens at its end that the suffix has, too, if the file has fewer errors so."""
    last, places = _closers(kept, backwards=True)
    first, _ = _closers(suffix, backwards=False)
    common = next((n for n in range(min(len(last), len(first)), 0, -1) if last[:n][::-1] == first[:n]), 0)
    if not common:
        return kept
    shorter = kept[: places[common - 1]].rstrip()
    if not shorter:
        return kept
    errors, fewer = (_errors(parse(prefix, text, suffix, language)) for text in (kept, shorter))
    return shorter if fewer < errors else kept


def _errors(parsed: Parsed) -> int:
    """The errors of a file whose suffix begins with a closing token; also if that is taken for a name."""
    after = parsed.source[parsed.high :]
    at = parsed.high + len(after) - len(after.lstrip())
    leaf = parsed.syntax.root_node.descendant_for_byte_range(at, at + 1)
    is_name = leaf is not None and leaf.is_named and not leaf.child_count
    return parsed.faults.total() + is_name


def _closers(text: str, *, backwards: bool) -> tuple[list[str], list[int]]:
    """The closing tokens at the beginning or end of a text, from the edge inwards, and where each begins."""
    found: list[str] = []
    places: list[int] = []
    low, high = 0, len(text)
    while low < high and len(found) < _MOST_CLOSERS:
        if text[high - 1 if backwards else low].isspace():
            low, high = (low, high - 1) if backwards else (low + 1, high)
            continue
        match = _last_closer(text, high) if backwards else _CLOSERS.match(text, low)
        if match is None:
            break
        found.append(match[0])
        places.append(match.start())
        low, high = (low, match.start()) if backwards else (match.end(), high)
    return found, places


def _last_closer(text: str, high: int) -> re.Match[str] | None:
    for size in (1, 4, 3, 2):
        start = high - size
        match = _CLOSERS.match(text, start, high) if start >= 0 else None
        if match and match.end() == high and (size == 1 or not re.match(r"\w", text[start - 1 : start])):
            return match
    return None
