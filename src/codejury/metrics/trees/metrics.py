"""The metrics of trees for the registry: a pair's two sides parsed in their context, then compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codejury.metrics.scoring import Metric, Pair, Scored
from codejury.metrics.trees import likeness
from codejury.metrics.trees.alpha import alpha
from codejury.metrics.trees.languages import find
from codejury.metrics.trees.parsing import FileTooLargeError, Parsed, introduced, parse, status
from codejury.metrics.trees.ted import TooLargeError
from codejury.metrics.trees.validity import python_valid

if TYPE_CHECKING:
    from collections.abc import Callable

    from codejury.metrics.trees.flat import Tree

ARTICLE = "https://en.wikipedia.org/wiki/S%C3%B8rensen%E2%80%93Dice_coefficient"
ZHANG_SHASHA = "Zhang and Shasha, SIAM J. Comput. 18 (1989)"


def parse_status(pair: Pair) -> Scored:
    """1 if the prediction parses as well as the reference, 0 if not; `details` has the status."""
    sides = _parse(pair)
    if isinstance(sides, Scored):
        return sides
    reference, prediction = sides
    details = _details(reference, prediction)
    return Scored(float(details["parse_status"] in {"clean", "recovered"}), None, details)


def scorer(compare: Callable[[Tree, Tree], float], *, renamed: bool = False) -> Callable[[Pair], Scored]:
    """The metric of a pair that compares two trees.

    Args:
        compare: Of two trees that are not empty, how alike they are.
        renamed: Whether local names do not matter.
    """

    def score(pair: Pair) -> Scored:
        sides = _parse(pair)
        if isinstance(sides, Scored):
            return sides
        reference, prediction = sides
        details = _details(reference, prediction)
        early = _without_tree(reference, prediction, details)
        if early is not None:
            return early
        one, two = (alpha(side) if renamed else side.tree for side in sides)
        try:
            return Scored(compare(one, two), None, details)
        except TooLargeError as error:
            return Scored(None, f"too large: {error}", details)

    return score


def _parse(pair: Pair) -> tuple[Parsed, Parsed] | Scored:
    if find(pair.language) is None:
        return Scored(None, f"no grammar for language {pair.language!r}")
    try:
        reference, prediction = (
            parse(pair.prefix, text, pair.suffix, pair.language) for text in (pair.reference, pair.prediction)
        )
    except FileTooLargeError as error:
        return Scored(None, f"too large: {error}")
    return reference, prediction


def _details(reference: Parsed, prediction: Parsed) -> dict[str, Any]:
    return {
        "parse_status": status(reference, prediction),
        "introduced_errors": introduced(reference, prediction),
        "reference_errors": reference.faults.total(),
        "nodes": [len(reference.tree), len(prediction.tree)],
    }


def _without_tree(reference: Parsed, prediction: Parsed, details: dict[str, Any]) -> Scored | None:
    """The score where a side has no nodes; None where both have."""
    if reference.failed:
        return Scored(None, "the reference does not parse", details)
    if prediction.failed:
        return Scored(None, "the prediction does not parse", details)
    if len(reference.tree) and len(prediction.tree):
        return None
    if reference.bare and prediction.bare:
        return Scored(1.0, None, {**details, "note": "neither side has code"})
    if not len(reference.tree):
        return Scored(None, "the reference has no nodes: only comments or punctuation", details)
    return Scored(
        0.0, None, {**details, "note": "the prediction has no nodes: it is empty, comments or punctuation"}
    )


def _metric(name: str, definition: str, function: Callable[[Pair], Scored], source: str = ARTICLE) -> Metric:
    return Metric(name, definition, (0.0, 1.0), "higher", source, "1", function)


_LOCAL = "; local names renamed by first occurrence"
_DICE = "2 |common| / (|T1| + |T2|) over multisets of syntax nodes: type, and text of leaves"
_SUBTREE = "2 |common| / (|T1| + |T2|) over multisets of whole subtrees, one for each node"
_TED = "1 - TED / (n + m), tree edit distance with unit costs over trees of n and m nodes"

METRICS = (
    _metric("ast.dice", _DICE, scorer(likeness.dice)),
    _metric("ast.dice.alpha", _DICE + _LOCAL, scorer(likeness.dice, renamed=True)),
    _metric("ast.dice.types", "2 |common| / (|T1| + |T2|) over sets of node types", scorer(likeness.dice_types)),
    _metric("ast.subtree", _SUBTREE, scorer(likeness.dice_subtrees)),
    _metric("ast.subtree.alpha", _SUBTREE + _LOCAL, scorer(likeness.dice_subtrees, renamed=True)),
    _metric("ast.ted", _TED, scorer(likeness.ted_similarity), ZHANG_SHASHA),
    _metric("ast.ted.alpha", _TED + _LOCAL, scorer(likeness.ted_similarity, renamed=True), ZHANG_SHASHA),
    _metric(
        "parse_status",
        "1 if the file with the prediction has no parse errors that the reference's file has not",
        parse_status,
        "https://tree-sitter.github.io/tree-sitter/",
    ),
    _metric(
        "valid.python",
        "1 if Python compiles prefix, prediction and suffix together",
        python_valid,
        "https://docs.python.org/3/library/functions.html#compile",
    ),
)
"""What this family registers."""
