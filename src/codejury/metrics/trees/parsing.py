"""Completions as trees, parsed in context.

The whole file is parsed: prefix, text and suffix. The tree of the text has the nodes inside its bytes, so that
`else:` with a block is an error alone and clean below its `if`. A token that the text's edge cuts counts with the
part inside.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from codejury.metrics.trees.flat import Key, Tree, build
from codejury.metrics.trees.languages import LANGUAGES, Language, find, grammar
from codejury.model import UsageError

if TYPE_CHECKING:
    import tree_sitter

Status: TypeAlias = Literal["clean", "recovered", "introduced_errors", "none"]

MAX_BYTES = 8 * 1024 * 1024
"""The largest file that is parsed."""

ERROR = "ERROR"
"""The type of a node for what the grammar has no place for."""

Place: TypeAlias = "tuple[str, int]"


class Fault(NamedTuple):
    """An error of a parse, told so that files with the same context can be compared.

    Attributes:
        kind: `ERROR`; the type of a missing token; the type of a token of the text that is loose in an error that
            reaches beyond it, as where blocks of the prefix are never closed.
        start: Where it begins: before the text, after it, counted from its end, or inside, without a number.
        end: Where it ends, told the same way.
    """

    kind: str
    start: Place
    end: Place


class FileTooLargeError(ValueError):
    """A file is beyond `MAX_BYTES`; the message says by how much."""


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A text parsed in its context.

    Attributes:
        language: Its language.
        source: The whole file in UTF-8.
        low: The first byte of the text.
        high: The first byte after it.
        tree: The nodes of the text; empty if it is bare.
        faults: The errors of the whole file, each with how often it is there.
        bare: Whether the text has no code: it is blank but for comments.
        syntax: What the parser gave, for who needs the rest of the file.
    """

    language: Language
    source: bytes
    low: int
    high: int
    tree: Tree
    faults: Counter[Fault]
    bare: bool
    syntax: tree_sitter.Tree

    @property
    def failed(self) -> bool:
        """Whether there is code and the grammar makes nothing of it. Its tree is not to be scored."""
        nothing = {ERROR, self.syntax.root_node.type}
        return not self.bare and bool(self.faults) and all(key.type in nothing for key in self.tree.keys)


def parse(prefix: str, text: str, suffix: str, language: str) -> Parsed:
    """Parse a text in its context. The last few results are remembered.

    Raises:
        UsageError: There is no grammar for the language, or it is not installed.
        FileTooLargeError: The file is beyond `MAX_BYTES`.
    """
    known = find(language)
    if known is None:
        names = ", ".join(each.name for each in LANGUAGES)
        raise UsageError(f"no grammar for language {language!r}; there is one for {names}")
    return _parse(prefix, text, suffix, known.name)


def status(reference: Parsed, prediction: Parsed) -> Status:
    """How the prediction parses, beside the reference in the same context.

    `clean` without errors in the whole file; `recovered` with errors that are in the reference's file, too;
    `introduced_errors` with others; `none` where the grammar makes nothing of the text.
    """
    if prediction.failed:
        return "none"
    if not prediction.faults:
        return "clean"
    return "introduced_errors" if introduced(reference, prediction) else "recovered"


def introduced(reference: Parsed, prediction: Parsed) -> int:
    """How many errors the prediction's file has that the reference's file has not."""
    return (prediction.faults - reference.faults).total()


@lru_cache(maxsize=4)  # a pair's two sides, for each of its metrics
def _parse(prefix: str, text: str, suffix: str, name: str) -> Parsed:
    import tree_sitter  # noqa: PLC0415 - of an extra

    language = find(name)
    assert language is not None
    before, inside, after = (part.encode("utf-8", "surrogatepass") for part in (prefix, text, suffix))
    source = before + inside + after
    if len(source) > MAX_BYTES:
        raise FileTooLargeError(f"{len(source):,} bytes to parse; at most {MAX_BYTES:,}")
    function = "language_php" if language.name == "php" and b"<?" in source else language.function
    syntax = tree_sitter.Parser(grammar(language.module, function)).parse(source)
    low, high = len(before), len(before) + len(inside)
    walk = _Walk(source, low, high, language)
    walk.run(syntax.walk())
    bare = walk.bare()
    return Parsed(
        language=language,
        source=source,
        low=low,
        high=high,
        tree=build([], []) if bare else build(walk.keys, walk.parents, walk.spans),
        faults=_faults(syntax, low, high),
        bare=bare,
        syntax=syntax,
    )


class _Open(NamedTuple):
    """A node whose children are being looked at: its number if it is kept, else that of the kept one above."""

    number: int
    kept: bool
    type: str
    end: int


class _Walk:
    """Collects a text's nodes in pre-order, without recursion."""

    def __init__(self, source: bytes, low: int, high: int, language: Language) -> None:
        self.source, self.low, self.high, self.language = source, low, high, language
        self.keys: list[Key] = []
        self.parents: list[int] = []
        self.spans: list[tuple[int, int]] = []
        self._open: list[_Open] = []
        self._covered: list[int] = []
        self._gaps: dict[int, bytes] = {}
        self._comments: list[tuple[int, int]] = []

    def run(self, cursor: tree_sitter.TreeCursor) -> None:
        """Visit the nodes of a file that the text touches."""
        while True:
            node = cursor.node
            assert node is not None
            if self._enter(node, cursor):
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                self._leave()

    def bare(self) -> bool:
        """Whether nothing is left of the text without its comments."""
        place, left = self.low, []
        for start, end in self._comments:
            left.append(self.source[place:start])
            place = end
        return not b"".join([*left, self.source[place : self.high]]).strip()

    def _enter(self, node: tree_sitter.Node, cursor: tree_sitter.TreeCursor) -> bool:
        """Take a node; whether the cursor went down to its first child."""
        start, end = node.byte_range
        self._cover(start, end)
        if start == end or end <= self.low or start >= self.high:
            return False
        kind = node.type
        if kind in self.language.comments:
            self._comments.append((max(start, self.low), min(end, self.high)))
            return False
        above = self._open[-1].number if self._open else -1
        kept = start >= self.low and end <= self.high
        if cursor.goto_first_child():
            number = self._add(Key(kind), above, start, end) if kept else above
            self._open.append(_Open(number, kept, kind, end))
            self._covered.append(start)
            return True
        text = self.source[max(start, self.low) : min(end, self.high)].decode("utf-8", "backslashreplace")
        if not self._pure(text, node.is_named):
            self._add(Key(kind, text.replace("\r\n", "\n")), above, start, end)
        return False

    def _pure(self, text: str, named: bool) -> bool:  # noqa: FBT001 - the node's own property
        """Whether a leaf is pure punctuation."""
        if text not in self.language.punctuation:
            return not named and not text.strip()
        return not self._open or f"{self._open[-1].type}.{text}" not in self.language.meaningful

    def _add(self, key: Key, above: int, start: int, end: int) -> int:
        self.keys.append(key)
        self.parents.append(above)
        self.spans.append((start, end))
        return len(self.keys) - 1

    def _cover(self, start: int, end: int) -> None:
        """Note what a kept node has between its children: in some grammars, a part of its meaning."""
        if not self._open:
            return
        covered, above = self._covered[-1], self._open[-1]
        if above.kept and start > covered:
            gap = self.source[covered:start]
            if gap.strip(b" \t\r\n;,\\"):
                self._gaps[above.number] = self._gaps.get(above.number, b"") + gap
        self._covered[-1] = max(covered, end)

    def _leave(self) -> None:
        above = self._open[-1]
        self._cover(above.end, above.end)
        self._open.pop()
        self._covered.pop()
        if above.kept and above.number in self._gaps:
            gap = self._gaps.pop(above.number).decode("utf-8", "backslashreplace").replace("\r\n", "\n")
            self.keys[above.number] = Key(above.type, gap.strip() if above.type == ERROR else gap)


def _faults(syntax: tree_sitter.Tree, low: int, high: int) -> Counter[Fault]:
    """The errors of a file; only branches that have some are looked at."""

    def place(byte: int) -> Place:
        if byte <= low:
            return "before", byte
        return ("after", byte - high) if byte >= high else ("inside", 0)

    found: Counter[Fault] = Counter()
    cursor = syntax.walk()
    around = [False]  # of the nodes above: whether it is an error that reaches beyond the text
    while True:
        node = cursor.node
        assert node is not None
        start, end = node.byte_range
        within = low <= start < end <= high
        loose = around[-1] and within and not node.child_count and not node.is_extra
        if node.is_error or node.is_missing or loose:
            found[Fault(node.type, place(start), place(end))] += 1
        if node.has_error and cursor.goto_first_child():
            around.append(node.is_error and not within)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
            around.pop()
