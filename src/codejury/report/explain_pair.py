"""The document of `explain A B`: how two texts differ, and how every metric of them came to be."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

Change: TypeAlias = Literal["equal", "replace", "insert", "delete"]
Fate: TypeAlias = Literal["kept", "relabelled", "deleted", "inserted"]


class ExplainText(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two texts.

    Attributes:
        text: The text itself.
        file: The file that it was read from; null where it was given itself.
        characters: Its length.
    """

    text: str
    file: str | None
    characters: int


class AlignedPiece(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of the alignment. All pieces of `a` make up the first text, all of `b` the second.

    Attributes:
        change: What becomes of it.
        a: Its characters in the first text.
        b: Its characters in the second text.
    """

    change: Change
    a: str
    b: str


class EditTable(msgspec.Struct, frozen=True, kw_only=True):
    """The table of edit distances of all beginnings of two texts, or of where they differ.

    Attributes:
        start: How many characters both texts begin with that are left out.
        a: The characters of the rows, but for the first row.
        b: The characters of the columns, but for the first column.
        cells: Row i, column j: the least edits from a[:i] to b[:j].
        path: The cells that the alignment goes through, from [0, 0] to the last.
    """

    start: int
    a: str
    b: str
    cells: list[list[int]]
    path: list[tuple[int, int]]


class NodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A node of a syntax tree.

    Attributes:
        type: Its type in the language's grammar.
        text: A leaf's text; null for a node with children.
        depth: How many nodes are above it.
        fate: What the edit mapping does with it.
        other: The place of the node of the other tree that it is mapped onto; null if there is none.
        common: Whether `ast.dice` counts it as in both trees.
    """

    type: str
    text: str | None
    depth: int
    fate: Fate
    other: int | None
    common: bool


class TreesRow(msgspec.Struct, frozen=True, kw_only=True):
    """Two syntax trees beside each other.

    Attributes:
        distance: The tree edit distance, the number of nodes that are relabelled, deleted or inserted.
        a: The nodes of the first tree, a node before its children.
        b: The nodes of the second tree.
        parse_status: How the second text parses beside the first.
    """

    distance: int
    a: list[NodeRow]
    b: list[NodeRow]
    parse_status: str


class ExplainMetric(msgspec.Struct, frozen=True, kw_only=True):
    """A metric of the pair.

    Attributes:
        name: Of the metric.
        value: The score; null if it is unscored.
        unscored: Why there is none.
        how: The figures that it was made of; empty where the definition says all.
        definition: What it is.
        low: The least value; null if there is none.
        high: The greatest value; null if there is none.
        direction: Which values are better.
        source: Where the definition comes from.
        version: Of the definition.
        details: What the metric tells besides.
    """

    name: str
    value: float | None
    unscored: str | None
    how: str
    definition: str
    low: float | None
    high: float | None
    direction: Literal["higher", "lower"]
    source: str
    version: str
    details: dict[str, Any]


class ExampleRow(msgspec.Struct, frozen=True, kw_only=True):
    """A prediction whose correctness is known, beside its likeness.

    Attributes:
        prediction: Beside the reference of the examples.
        truth: What it does.
        right: Whether it does what the reference does, for numbers.
        scores: By metric.
    """

    prediction: str
    truth: str
    right: bool
    scores: dict[str, float | None]


class ExplainPairDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What `codejury explain A B` shows.

    Attributes:
        schema: Name and version of this document.
        a: The first text, in the place of a reference.
        b: The second text, in the place of a prediction.
        language: Of both.
        prefix: The file's text before them.
        suffix: The file's text after them.
        distance: Levenshtein's, in characters; null if they are too large.
        alignment: How the first becomes the second; null if they are too large.
        table: The edit table; null if it would be too large.
        trees: Both syntax trees; null where there are none, or too large ones.
        left_out: Why `alignment`, `table` or `trees` is null, by name.
        metrics: All that are registered.
        reading: What these figures say, a line each.
        reference: Of the examples.
        examples: Predictions by which likeness and correctness can be compared.
        warnings: What to know, a line each.
    """

    schema: Literal["explain-pair/1"] = "explain-pair/1"
    a: ExplainText
    b: ExplainText
    language: str
    prefix: str
    suffix: str
    distance: int | None
    alignment: list[AlignedPiece] | None
    table: EditTable | None
    trees: TreesRow | None
    left_out: dict[str, str]
    metrics: list[ExplainMetric]
    reading: list[str]
    reference: str
    examples: list[ExampleRow]
    warnings: list[str]
