"""BLEU, and its variant in which keywords weigh more (Papineni et al. 2002; Ren et al. 2020, arXiv 2009.10297)."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

ORDERS = 4
EPSILON = 0.1
OTHERS = 0.2
"""Weight of tokens that are no keywords."""


def bleu(prediction: Sequence[str], reference: Sequence[str], orders: int = ORDERS) -> float:
    """The geometric mean of clipped n-gram precisions, times the penalty for brevity.

    An order without a match counts EPSILON matches (smoothing 1 of Chen and Cherry 2014).

    Args:
        prediction: Tokens.
        reference: Tokens.
        orders: 1 to this one.
    """
    matches = []
    for order in range(1, orders + 1):
        found = _grams(prediction, order)
        common = (found & _grams(reference, order)).total()
        matches.append((common, max(1, found.total())))
    return _mean(matches, len(prediction), len(reference))


def weighted_bleu(
    prediction: Sequence[str],
    reference: Sequence[str],
    keywords: Container[str],
    orders: int = ORDERS,
    *,
    compat: bool = False,
) -> float:
    """The same of recalls, in whose order 1 keywords weigh 1 and other tokens OTHERS.

    Args:
        prediction: Tokens.
        reference: Tokens.
        keywords: What weighs 1.
        orders: 1 to this one.
        compat: As the PyPI package: the penalty for brevity takes the reference for two tokens long, and a
            reference whose words weigh less than 1 is taken to weigh 1.
    """
    matches: list[tuple[float, float]] = []
    for order in range(1, orders + 1):
        wanted = _grams(reference, order)
        common = wanted & _grams(prediction, order)
        if order == 1:
            whole = _weight(wanted, keywords)
            matches.append((_weight(common, keywords), max(1, whole) if compat or not whole else whole))
        else:
            matches.append((common.total(), max(1, wanted.total())))
    return _mean(matches, len(prediction), 2 if compat else len(reference))


def _grams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def _weight(grams: Counter[tuple[str, ...]], keywords: Container[str]) -> float:
    return sum(count * (1 if gram[0] in keywords else OTHERS) for gram, count in grams.items())


def _mean(matches: Iterable[tuple[float, float]], length: int, wanted: int) -> float:
    pairs = list(matches)
    if not length or not pairs or not pairs[0][0]:
        return 0.0
    logs = math.fsum(math.log((hits or EPSILON) / of) for hits, of in pairs) / len(pairs)
    return math.exp(logs) * (1.0 if length > wanted else math.exp(1 - wanted / length))
