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

from codejury.metrics.trees.flat import Key, Tree, assemble, build
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
    language = find(name)
    assert language is not None
    before, inside, after = (part.encode("utf-8", "surrogatepass") for part in (prefix, text, suffix))
    source = before + inside + after
    if len(source) > MAX_BYTES:
        raise FileTooLargeError(f"{len(source):,} bytes to parse; at most {MAX_BYTES:,}")
    function = "language_php" if language.name == "php" and b"<?" in source else language.function
    loaded = grammar(language.module, function)
    import tree_sitter  # noqa: PLC0415 - of an extra, which `grammar` has asked for

    syntax = tree_sitter.Parser(loaded).parse(source)
    low, high = len(before), len(before) + len(inside)
    walk = _Walk(source, low, high, language)
    walk.run(syntax.walk())
    bare = walk.bare()
    return Parsed(
        language=language,
        source=source,
        low=low,
        high=high,
        tree=build([], []) if bare else walk.tree(),
        faults=_faults(syntax, low, high),
        bare=bare,
        syntax=syntax,
    )


class _Walk:
    """Collects a text's nodes in pre-order, without recursion."""

    def __init__(self, source: bytes, low: int, high: int, language: Language) -> None:
        self.source, self.low, self.high, self.language = source, low, high, language
        self._numbers: dict[tuple[str, bytes | None], int] = {}
        self._keys: dict[Key, int] = {}
        self._labels: list[int] = []
        self._parents: list[int] = []
        self._depths: list[int] = []
        self._spans: list[tuple[int, int]] = []
        self._comments: list[tuple[int, int]] = []
        self._gaps: dict[int, bytes] = {}

    def tree(self) -> Tree:
        """The nodes that were visited."""
        return assemble(tuple(self._keys), self._labels, self._parents, self._depths, self._spans)

    def bare(self) -> bool:
        """Whether nothing is left of the text without its comments."""
        place, left = self.low, []
        for start, end in self._comments:
            left.append(self.source[place:start])
            place = end
        return not b"".join([*left, self.source[place : self.high]]).strip()

    def run(self, cursor: tree_sitter.TreeCursor) -> None:  # noqa: C901 - one flat loop: here time is spent
        """Visit the nodes of a file that the text touches."""
        low, high, comments = self.low, self.high, self.language.comments
        above, kind = -1, ""  # the kept node that is next above, and the type of the parent
        covered: int | None = None  # how far the children of the parent reach, if it is kept
        depth = 0
        waiting: list[tuple[int, str, int | None, int]] = []
        while True:
            node = cursor.node
            assert node is not None
            start, end = node.byte_range
            if covered is not None:
                if start > covered:
                    self._gap(above, covered, start)
                covered = max(covered, end)
            if end > low and start < high and start < end:
                own = node.type
                if own in comments:
                    self._comments.append((max(start, low), min(end, high)))
                elif cursor.goto_first_child():
                    waiting.append((above, kind, covered, end))
                    kept = start >= low and end <= high
                    if kept:
                        above = self._add(own, None, above, depth, (start, end))
                        depth += 1
                    kind, covered = own, start if kept else None
                    continue
                else:
                    text = self._text(node, own, kind)
                    if text:
                        self._add(own, text, above, depth, (start, end))
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                own, last = kind, covered
                number = above
                above, kind, covered, end = waiting.pop()
                if last is not None:
                    depth -= 1
                    self._close(number, own, last, end)

    def _add(self, kind: str, text: bytes | None, above: int, depth: int, span: tuple[int, int]) -> int:
        self._labels.append(self._number(kind, text))
        self._parents.append(above)
        self._depths.append(depth)
        self._spans.append(span)
        return len(self._labels) - 1

    def _number(self, kind: str, text: bytes | None) -> int:
        """The number of a key; line ends are alike."""
        number = self._numbers.get((kind, text))
        if number is None:
            told = None if text is None else text.replace(b"\r\n", b"\n").decode("utf-8", "backslashreplace")
            number = self._numbers[kind, text] = self._keys.setdefault(Key(kind, told), len(self._keys))
        return number

    def _text(self, node: tree_sitter.Node, kind: str, above: str) -> bytes:
        """The text of a leaf inside the completion; empty if the leaf does not count."""
        language = self.language
        text = self.source[max(node.start_byte, self.low) : min(node.end_byte, self.high)]
        if kind in language.quotes:
            return text.strip(b"\"'")
        if node.is_named:
            return text
        if text not in language.punctuation:
            return text if text.strip() else b""
        return text if f"{above}.{text.decode()}" in language.meaningful else b""

    def _gap(self, number: int, start: int, end: int) -> None:
        """Note what a kept node has between its children: in some grammars, a part of its meaning."""
        gap = self.source[start:end]
        if gap.strip(b" \t\r\n;,\\"):
            self._gaps[number] = self._gaps.get(number, b"") + gap

    def _close(self, number: int, kind: str, covered: int, end: int) -> None:
        """The last child of a kept node has been visited."""
        if end > covered:
            self._gap(number, covered, end)
        if number in self._gaps:
            gap = self._gaps.pop(number)
            self._labels[number] = self._number(kind, gap.strip() if kind == ERROR else gap)


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
