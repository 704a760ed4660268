"""Two texts side by side: how one becomes the other, their trees, every metric, and what none of them says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from codejury.metrics import alignment as aligning
from codejury.metrics.scoring import Pair, get
from codejury.metrics.scoring import names as metric_names
from codejury.metrics.text import TooLargeError
from codejury.metrics.trees import LANGUAGES, FileTooLargeError, Parsed, mapping, parse, status
from codejury.metrics.trees import TooLargeError as TreesTooLargeError
from codejury.metrics.trees.flat import depths
from codejury.metrics.trees.languages import find
from codejury.model import InputError, UsageError
from codejury.pipeline.explain_pair_words import EXAMPLES, REFERENCE, Facts, how, reading
from codejury.pipeline.score import metric_row
from codejury.report.explain_pair import (
    AlignedPiece,
    EditTable,
    ExampleRow,
    ExplainMetric,
    ExplainPairDocument,
    ExplainText,
    NodeRow,
    TreesRow,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from codejury.metrics.alignment import Piece
    from codejury.metrics.trees import Tree
    from codejury.report.explain_pair import Fate

MAX_CHARACTERS = 1 << 20
"""The longest text that is explained; `score` takes longer ones."""

MAX_SIDE = 80
"""The most rows, and columns, of an edit table."""

MAX_NODES = 200
"""The most nodes of a tree that is shown."""

_EXAMPLE_METRICS = ("edit.levenshtein", "ast.dice", "ast.ted", "codebleu")


class ExplainPairSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `explain A B` is asked for.

    Attributes:
        a: The first text, or the name of a file.
        b: The second text, or the name of a file.
        prefix: The file's text before both, or the name of a file.
        suffix: The file's text after both, or the name of a file.
        language: Of both; None is that of the files' names, else Python.
        text: Whether `a`, `b`, `prefix` and `suffix` are texts even where there are files of these names.
    """

    a: str
    b: str
    prefix: str = ""
    suffix: str = ""
    language: str | None = None
    text: bool = False


def explain_pair(settings: ExplainPairSettings) -> ExplainPairDocument:
    """Explain how two texts differ, and how the metrics of them came to be.

    Raises:
        InputError: A file cannot be read, or is not UTF-8.
        UsageError: A text is too long or not Unicode, or what a metric needs is not installed.
    """
    warnings: list[str] = []
    given = {name: getattr(settings, name) for name in ("a", "b", "prefix", "suffix")}
    texts = {name: _read(name, text, as_text=settings.text, warnings=warnings) for name, text in given.items()}
    a, b, prefix, suffix = (texts[name].text for name in given)
    language = settings.language or _language_of(texts["a"].file, texts["b"].file)
    known = find(language)
    language = language if known is None else known.name
    pair = Pair(reference=a, prediction=b, prefix=prefix, suffix=suffix, language=language)
    left_out: dict[str, str] = {}
    pieces = _aligned(a, b, left_out)
    sides = _parsed(pair, left_out)
    trees = None if sides is None else _trees(*sides, left_out)
    facts = Facts(pair, sides, None if trees is None else trees.distance, pieces)
    metrics = _metrics(facts, warnings)
    return ExplainPairDocument(
        a=texts["a"],
        b=texts["b"],
        language=language,
        prefix=prefix,
        suffix=suffix,
        distance=facts.distance,
        alignment=None if pieces is None else [_piece(piece, a, b) for piece in pieces],
        table=None if pieces is None else _table(pieces, a, b, left_out),
        trees=trees,
        left_out=left_out,
        metrics=metrics,
        reading=reading(facts, trees, {metric.name: metric.value for metric in metrics}),
        reference=REFERENCE,
        examples=_examples(),
        warnings=warnings,
    )


def _read(name: str, given: str, *, as_text: bool, warnings: list[str]) -> ExplainText:
    """A text as it is given, or out of a file of that name."""
    told = name.upper() if len(name) == 1 else f"--{name}"
    path = None if as_text else _existing(given)
    if path is None:
        text = given
        if not as_text and _like_a_file(given):
            warnings.append(f"{told}: there is no file {given}, so it is taken for a text")
    else:
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8: {error.reason} at byte {error.start + 1}", path=given) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", path=given) from None
    if len(text) > MAX_CHARACTERS:
        raise UsageError(
            f"{told}: {len(text):,} characters are too many to explain; at most {MAX_CHARACTERS:,};"
            " score takes more"
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{told}: is not Unicode; put it into a file in UTF-8") from None
    return ExplainText(text=text, file=None if path is None else given, characters=len(text))


def _existing(given: str) -> Path | None:
    """The file that a text names; pipes are files, folders are none."""
    try:
        path = Path(given)
        return path if given.strip() and path.exists() and not path.is_dir() else None
    except (OSError, ValueError):  # too long, or with a null byte
        return None


def _like_a_file(given: str) -> bool:
    """Whether a text looks as if a file was meant: one word with the ending of a language."""
    stem, _, ending = given.rpartition(".")
    return bool(stem) and len(given.split()) == 1 and "(" not in given and ending.islower() and bool(find(ending))


def _language_of(*files: str | None) -> str:
    for file in files:
        language = None if file is None else find(Path(file).suffix.removeprefix("."))
        if language is not None:
            return language.name
    return LANGUAGES[0].name


def _aligned(a: str, b: str, left_out: dict[str, str]) -> list[Piece] | None:
    try:
        return aligning.alignment(a, b)
    except TooLargeError as error:
        left_out["alignment"] = left_out["table"] = str(error)
        return None


def _piece(piece: Piece, a: str, b: str) -> AlignedPiece:
    return AlignedPiece(change=piece.kind, a=a[piece.a_start : piece.a_end], b=b[piece.b_start : piece.b_end])


def _table(pieces: Sequence[Piece], a: str, b: str, left_out: dict[str, str]) -> EditTable | None:
    """The table of both texts; where it would be too large, of what is between their first and last difference."""
    start = end_a = end_b = 0
    if max(len(a), len(b)) <= MAX_SIDE:
        end_a, end_b = len(a), len(b)
    elif changed := [piece for piece in pieces if piece.cost]:
        start, end_a, end_b = changed[0].a_start, changed[-1].a_end, changed[-1].b_end
    else:
        left_out["table"] = "the texts are long and the same"
        return None
    if max(end_a - start, end_b - start) > MAX_SIDE:
        left_out["table"] = (
            f"too large: {len(a) + 1:,} x {len(b) + 1:,} cells, {end_a - start + 1:,} x {end_b - start + 1:,} of"
            f" them where the texts differ; at most {MAX_SIDE + 1} x {MAX_SIDE + 1}"
        )
        return None
    rows, columns = a[start:end_a], b[start:end_b]
    inside = [(i - start, j - start) for i, j in aligning.path(pieces) if i <= end_a and j <= end_b]
    return EditTable(
        start=start,
        a=rows,
        b=columns,
        cells=aligning.distances(rows, columns),
        path=[(i, j) for i, j in inside if i >= 0 and j >= 0],
    )


def _parsed(pair: Pair, left_out: dict[str, str]) -> tuple[Parsed, Parsed] | None:
    if find(pair.language) is None:
        left_out["trees"] = f"no grammar for language {pair.language!r}"
        return None
    try:
        return (
            parse(pair.prefix, pair.reference, pair.suffix, pair.language),
            parse(pair.prefix, pair.prediction, pair.suffix, pair.language),
        )
    except FileTooLargeError as error:
        left_out["trees"] = f"too large: {error}"
        return None


def _trees(reference: Parsed, prediction: Parsed, left_out: dict[str, str]) -> TreesRow | None:
    a, b = reference.tree, prediction.tree
    for name, side in (("A", reference), ("B", prediction)):
        if side.failed:
            left_out["trees"] = f"{name} does not parse"
        elif not len(side.tree):
            left_out["trees"] = f"{name} has no nodes: it is empty, comments or punctuation"
        elif len(side.tree) > MAX_NODES:
            left_out["trees"] = f"too large: {len(a):,} and {len(b):,} nodes; at most {MAX_NODES} are drawn"
    if "trees" in left_out:
        return None
    try:
        edits = mapping(a, b)
    except TreesTooLargeError as error:
        left_out["trees"] = f"too large: {error}"
        return None
    return TreesRow(
        distance=sum(edit.cost for edit in edits),
        a=_nodes(a, b, [(edit.a, edit.b, edit.cost) for edit in edits], "deleted"),
        b=_nodes(b, a, [(edit.b, edit.a, edit.cost) for edit in edits], "inserted"),
        parse_status=status(reference, prediction),
    )


def _nodes(
    tree: Tree, other: Tree, pairs: Sequence[tuple[int | None, int | None, int]], alone: Fate
) -> list[NodeRow]:
    """The nodes of a tree in pre-order; `pairs` are its nodes, those that they become, and the cost."""
    found = {own: (theirs, cost) for own, theirs, cost in pairs if own is not None}
    depth = depths(tree).tolist()
    place, places = _pre_order(tree), _pre_order(other)
    common = _common(tree, other, found)
    rows: list[NodeRow | None] = [None] * len(tree)
    for node in range(len(tree)):
        theirs, cost = found[node]
        rows[place[node]] = NodeRow(
            type=tree.key(node).type,
            text=tree.key(node).text,
            depth=depth[node],
            fate=alone if theirs is None else "relabelled" if cost else "kept",
            other=None if theirs is None else places[theirs],
            common=node in common,
        )
    return [row for row in rows if row is not None]


def _pre_order(tree: Tree) -> list[int]:
    """Of each node, its place in pre-order: after those to its left and those above."""
    return [int(place) for place in tree.left + depths(tree)]


def _common(tree: Tree, other: Tree, found: Mapping[int, tuple[int | None, int]]) -> set[int]:
    """The nodes that the other tree has as well, each as often as there; those that are kept come first."""
    there = Counter(other.key(node) for node in range(len(other)))
    common: set[int] = set()
    for node in sorted(range(len(tree)), key=lambda node: (found[node][0] is None, found[node][1], node)):
        if there[tree.key(node)]:
            there[tree.key(node)] -= 1
            common.add(node)
    return common


def _metrics(facts: Facts, warnings: list[str]) -> list[ExplainMetric]:
    rows = []
    for name in metric_names():
        try:
            metric = get(name)
        except UsageError as error:  # of a third party, and not asked for by name
            warnings.append(str(error))
            continue
        scored = metric.function(facts.pair)
        rows.append(
            ExplainMetric(
                value=scored.value,
                unscored=scored.unscored,
                how=how(name, scored, facts),
                details=scored.details,
                **msgspec.structs.asdict(metric_row(metric)),
            )
        )
    return rows


def _examples() -> list[ExampleRow]:
    """Likeness beside correctness, where that is known."""
    return [
        ExampleRow(
            prediction=prediction,
            truth=truth,
            right=right,
            scores={name: get(name).function(Pair(REFERENCE, prediction)).value for name in _EXAMPLE_METRICS},
        )
        for prediction, truth, right in EXAMPLES
    ]
