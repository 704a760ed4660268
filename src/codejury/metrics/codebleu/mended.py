"""CodeBLEU with its faults mended."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from codejury.metrics.codebleu.flow import RULES, data_flow, normalised
from codejury.metrics.codebleu.ngrams import ORDERS, bleu, weighted_bleu
from codejury.metrics.scoring import Scored
from codejury.metrics.text.lexing import code_tokens
from codejury.metrics.text.words import KEYWORDS
from codejury.metrics.trees.parsing import FileTooLargeError, Parsed, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codejury.metrics.scoring import Pair
    from codejury.metrics.trees.flat import Tree


def codebleu(pair: Pair, language: str) -> Scored:
    """The mean of the parts that the reference has: n-grams, weighted n-grams, syntax, data flow.

    Args:
        pair: What to compare.
        language: Its language, one of `metrics.text.LANGUAGES`.

    Returns:
        0 to 1, and the parts in the details; a part is None where the reference has nothing that it could match.
        Unscored: the reference has no code, a text does not parse, or a text is too large or too deep.
    """
    try:
        sides = [parse(pair.prefix, text, pair.suffix, language) for text in (pair.prediction, pair.reference)]
        return _of(pair, language, *sides)
    except FileTooLargeError as error:
        return Scored(None, f"too large: {error}")
    except RecursionError:
        return Scored(None, "too large: nested too deeply")


def _of(pair: Pair, language: str, mine: Parsed, right: Parsed) -> Scored:
    words, wanted = (code_tokens(text, language, before=pair.prefix) for text in (pair.prediction, pair.reference))
    if not wanted:
        return Scored(None, "the reference has no code") if words else Scored(1.0)
    if not words:
        return Scored(0.0, None, {"note": "the prediction has no code"})
    for side, parsed in (("reference", right), ("prediction", mine)):
        if parsed.failed:
            return Scored(None, f"the {side} does not parse")
    # a text has no n-grams longer than itself
    orders = min(ORDERS, len(wanted))
    parts = {
        "ngrams": bleu(words, wanted, orders),
        "weighted_ngrams": weighted_bleu(words, wanted, KEYWORDS[language], orders),
        "syntax": _recall(*_subtrees(mine.tree, right.tree)),
        "data_flow": _recall(_flow(mine, language), _flow(right, language)),
    }
    scored = [value for value in parts.values() if value is not None]
    return Scored(sum(scored) / len(scored), None, dict(parts))


def _recall(mine: Counter[object], right: Counter[object]) -> float | None:
    return (mine & right).total() / right.total() if right else None


def _subtrees(*trees: Tree) -> Iterator[Counter[object]]:
    """The inner nodes of each tree by form: types all the way down; operators and keywords are types."""
    forms: dict[object, int] = {}
    for tree in trees:
        types = [key.type for key in tree.keys]
        below: list[list[int]] = [[] for _ in range(len(tree))]
        inner: Counter[object] = Counter()
        for node, (label, parent) in enumerate(zip(tree.label.tolist(), tree.parent.tolist(), strict=True)):
            form = forms.setdefault((types[label], *below[node]), len(forms))
            if below[node]:
                inner[form] += 1
            if parent >= 0:
                below[parent].append(form)
        yield inner


def _flow(parsed: Parsed, language: str) -> Counter[object]:
    if language not in RULES:
        return Counter()
    code = parsed.source.decode("utf-8", "surrogatepass")
    edges = data_flow(parsed.syntax, code, language, within=range(parsed.low, parsed.high), lenient=True)
    return Counter(normalised(edges))
