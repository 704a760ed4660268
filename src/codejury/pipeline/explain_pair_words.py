"""The words of `explain A B`: how a metric's value came to be, and what the values say and do not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from codejury.metrics.text import code_lines, identifiers, language_name, lines_changed
from codejury.metrics.text.family import hole_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from codejury.metrics.alignment import Piece
    from codejury.metrics.scoring import Pair, Scored
    from codejury.metrics.trees import Parsed
    from codejury.report.explain_pair import NodeRow, TreesRow

REFERENCE = "return a + b"

EXAMPLES = (
    ("return b + a", "the same for numbers, another text for texts", True),
    ("return sum((a, b))", "the same for numbers", True),
    ("return a - b", "another number wherever b is not 0", False),
    ("return x + y", "other variables, which may not exist", False),
    ("return x - y", "other variables, and another number", False),
)
"""Predictions beside `REFERENCE`: what they do, and whether that is right for numbers."""

_SHOWN = 40
_FEW = 2


@dataclass(frozen=True)
class Facts:
    """What is known of a pair.

    Attributes:
        pair: The first text in the place of the reference, the second in that of the prediction.
        sides: Both parsed in context; None where there is no grammar.
        tree_distance: The tree edit distance, where the trees are shown.
        pieces: The alignment; None where the texts are too large.
    """

    pair: Pair
    sides: tuple[Parsed, Parsed] | None
    tree_distance: int | None
    pieces: Sequence[Piece] | None

    @property
    def distance(self) -> int | None:
        """Levenshtein's distance, as the alignment has it."""
        return None if self.pieces is None else sum(piece.cost for piece in self.pieces)


def how(name: str, scored: Scored, facts: Facts) -> str:
    """The figures that a metric's value was made of, one line; empty where its definition says all."""
    if scored.value is None:
        return ""
    note = scored.details.get("note")
    if isinstance(note, str):
        return note
    for family, words in _HOW.items():
        if name in {family, f"{family}.alpha"}:
            return words(scored.value, scored.details, facts)
    return ""


def reading(facts: Facts, trees: TreesRow | None, values: Mapping[str, float | None]) -> list[str]:
    """What the figures of a pair say, and that likeness is not correctness."""
    last = (
        "Likeness is not correctness: texts can be alike and one of them wrong, or unlike and both right. Whether"
        " B does what A does, these figures do not say; tests do (codejury judge)."
    )
    if facts.pair.reference == facts.pair.prediction:
        return ["The texts are the same, so B is as right as A, and as wrong.", last]
    return [last] if trees is None else [_difference(trees, values), last]


def _difference(trees: TreesRow, values: Mapping[str, float | None]) -> str:
    likeness = f"edit.levenshtein {_figure(values.get('edit.levenshtein'))}"
    dice = f"ast.dice {_figure(values.get('ast.dice'))}"
    if not trees.distance:
        return f"The trees are the same: white space, comments, quotes or brackets differ ({likeness}, {dice})."
    if values.get("ast.dice") == 1:
        return (
            f"The same nodes in another order or nesting: {dice}, {likeness}, exact 0. For some operators and"
            " values order matters, for others not: a + b and b + a are the same number, but not the same text."
        )
    if values.get("ast.ted.alpha") == 1:
        return (
            f"The trees are the same but for names that nothing seen defines: ast.ted.alpha 1, {dice}. Whether"
            " they name the same things, a tree does not say."
        )
    if trees.distance <= _FEW:
        of = f"{trees.distance} of {max(len(trees.a), len(trees.b))} nodes"
        verb = "differs" if trees.distance == 1 else "differ"
        changes = ", ".join(_changes(trees))
        return f"{of} {verb} ({changes}): {likeness}, {dice}. One node is enough for another result."
    return f"{trees.distance} edits between trees of {len(trees.a)} and {len(trees.b)} nodes: {likeness}, {dice}."


def _changes(trees: TreesRow) -> list[str]:
    """What a mapping changes, as `+` to `-`."""
    told = [
        f"{_told(trees.a[node.other])} to {_told(node)}"
        for node in trees.b
        if node.fate == "relabelled" and node.other is not None
    ]
    told += [f"{_told(node)} deleted" for node in trees.a if node.fate == "deleted"]
    return told + [f"{_told(node)} inserted" for node in trees.b if node.fate == "inserted"]


def _told(node: NodeRow) -> str:
    return node.type if node.text is None else short(node.text)


def _figure(value: float | None) -> str:
    return "unscored" if value is None else f"{value:.3f}"


def short(text: str) -> str:
    """A text in quotes, with what is not printable escaped; its middle left out if it is long."""
    if len(text) > _SHOWN:
        half = _SHOWN // 2
        return f"{text[:half]!r} … {text[-half:]!r}"
    return repr(text)


def _first_difference(one: Sequence[str], other: Sequence[str], unit: str) -> str:
    """Where two sequences begin to differ."""
    if one == other:
        return f"{len(one):,} {unit}s on each side, all equal"
    place = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if place is None:
        place = min(len(one), len(other))
    sides = [short(side[place]) if place < len(side) else "the end" for side in (one, other)]
    return f"{unit} {place + 1:,} is {sides[0]} in A and {sides[1]} in B"


def _characters(_: float, __: dict[str, Any], facts: Facts) -> str:
    return _first_difference(facts.pair.reference, facts.pair.prediction, "character")


def _stripped(_: float, __: dict[str, Any], facts: Facts) -> str:
    return _first_difference(facts.pair.reference.strip(), facts.pair.prediction.strip(), "character")


def _words(_: float, __: dict[str, Any], facts: Facts) -> str:
    return _first_difference(facts.pair.reference.split(), facts.pair.prediction.split(), "word")


def _lines(_: float, __: dict[str, Any], facts: Facts) -> str:
    language = language_name(facts.pair.language)
    if language is None:
        return ""
    texts = (facts.pair.reference, facts.pair.prediction)
    one, other = (code_lines(text, language, before=facts.pair.prefix) for text in texts)
    return _first_difference(one, other, "line")


def _identifiers(_: float, __: dict[str, Any], facts: Facts) -> str:
    language = language_name(facts.pair.language)
    if language is None:
        return ""
    texts = (facts.pair.reference, facts.pair.prediction)
    one, other = (identifiers(text, language, before=facts.pair.prefix) for text in texts)
    return _first_difference(one, other, "identifier")


def _levenshtein(_: float, __: dict[str, Any], facts: Facts) -> str:
    longer = max(len(facts.pair.reference), len(facts.pair.prediction))
    return f"1 - {facts.distance:,} / {longer:,}" if longer and facts.distance is not None else ""


def _indel(value: float, _: dict[str, Any], facts: Facts) -> str:
    n, m = len(facts.pair.reference), len(facts.pair.prediction)
    common = round(value * (n + m) / 2)
    return f"2 x {common:,} / ({n:,} + {m:,}), {common:,} the longest common subsequence" if n + m else ""


def _identifier_f1(_: float, details: dict[str, Any], __: Facts) -> str:
    if not details["reference"] + details["prediction"]:
        return "neither side has identifiers"
    return f"2 x {details['common']} / ({details['reference']} + {details['prediction']})"


def _changed(_: float, __: dict[str, Any], facts: Facts) -> str:
    found = lines_changed(facts.pair.prediction, facts.pair.reference, hole_of(facts.pair))
    return f"F1 of precision {found.precision:.3f} and recall {found.recall:.3f}"


def _dice(value: float, details: dict[str, Any], _: Facts) -> str:
    n, m = details["nodes"]
    return f"2 x {round(value * (n + m) / 2):,} / ({n:,} + {m:,}) nodes"


def _types(value: float, _: dict[str, Any], facts: Facts) -> str:
    if facts.sides is None:
        return ""
    n, m = (len({key.type for key in side.tree.keys}) for side in facts.sides)
    return f"2 x {round(value * (n + m) / 2):,} / ({n:,} + {m:,}) types"


def _subtree(value: float, details: dict[str, Any], _: Facts) -> str:
    n, m = details["nodes"]
    return f"2 x {round(value * (n + m) / 2):,} / ({n:,} + {m:,}) subtrees"


def _ted(value: float, details: dict[str, Any], _: Facts) -> str:
    n, m = details["nodes"]
    return f"1 - {round((1 - value) * (n + m)):,} / ({n:,} + {m:,}) nodes"


def _status(_: float, details: dict[str, Any], __: Facts) -> str:
    return f"{details['parse_status']}: {details['introduced_errors']:,} errors that A has not"


def _valid(_: float, details: dict[str, Any], __: Facts) -> str:
    return f"Python {details['python']}: {details.get('error', 'it compiles')}"


def _parts(_: float, details: dict[str, Any], __: Facts) -> str:
    told = (
        f"{name} {value:.3f}" if isinstance(value, float) else f"{name} none"
        for name, value in details.items()
        if name != "codebleu" and (value is None or isinstance(value, float))
    )
    return "mean of " + ", ".join(told)


_HOW: dict[str, Callable[[float, dict[str, Any], Facts], str]] = {
    "exact": _characters,
    "exact.strip": _stripped,
    "exact.tokens": _words,
    "exact.lines": _lines,
    "edit.levenshtein": _levenshtein,
    "edit.indel": _indel,
    "identifier.exact": _identifiers,
    "identifier.f1": _identifier_f1,
    "lines.changed": _changed,
    "ast.dice": _dice,
    "ast.dice.types": _types,
    "ast.subtree": _subtree,
    "ast.ted": _ted,
    "parse_status": _status,
    "valid.python": _valid,
    "codebleu": _parts,
    "codebleu.compat": _parts,
}
"""By the name of a metric, or of one that has a form with renamed variables."""
