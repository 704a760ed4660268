"""Edit distances and their similarities, by rapidfuzz."""

from __future__ import annotations

from itertools import compress, count
from typing import TYPE_CHECKING

from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

CELLS = 1 << 36
"""Largest product of two lengths, without a common beginning and end, that is compared: some seconds."""

_PLAIN = 1 << 13  # below, a product is never too large


class TooLargeError(ValueError):
    """Two texts would take too long to compare; says how large they are."""


def levenshtein_distance(one: str, other: str) -> int:
    """The least number of insertions, deletions and substitutions of characters (Levenshtein 1966).

    Raises:
        TooLargeError: The texts are longer than `CELLS` allows.
        UsageError: rapidfuzz is not installed.
    """
    check_size(one, other)
    return int(_distance().Levenshtein.distance(one, other))


def levenshtein_similarity(one: str, other: str) -> float:
    """1 - distance / length of the longer text; 1 where both are empty. Errors as `levenshtein_distance`."""
    longer = max(len(one), len(other))
    return 1 - levenshtein_distance(one, other) / longer if longer else 1.0


def indel_similarity(one: str, other: str) -> float:
    """2 LCS / (n + m), of the longest common subsequence; 1 where both are empty.

    It is 1 - (insertions and deletions) / (n + m): a substitution counts as one of each.

    Raises:
        TooLargeError: The texts are longer than `CELLS` allows.
        UsageError: rapidfuzz is not installed.
    """
    check_size(one, other)
    return float(_distance().Indel.normalized_similarity(one, other))


def rounded_ratio(one: str, other: str) -> float:
    """`indel_similarity` rounded to hundredths, as fuzzywuzzy and thefuzz give it (there times 100)."""
    return round(100 * indel_similarity(one, other)) / 100


def check_size(one: str, other: str) -> None:
    """Refuse what would take minutes. What both texts begin and end with costs nothing, and does not count.

    Raises:
        TooLargeError: See `CELLS`.
    """
    if len(one) * len(other) <= CELLS or max(len(one), len(other)) < _PLAIN:
        return
    head = alike(one, other)
    rest, others = one[head:], other[head:]
    tail = alike(rest[::-1], others[::-1])
    if (len(rest) - tail) * (len(others) - tail) > CELLS:
        raise TooLargeError(f"too large: {len(one):,} and {len(other):,} characters differ too much")


def alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the common beginning of two texts, or of two sequences of texts."""
    differ = next(compress(count(), map(str.__ne__, one, other)), None)
    return min(len(one), len(other)) if differ is None else differ


def _distance() -> ModuleType:
    global _loaded  # noqa: PLW0603 - an import statement in each call costs as much as the distance
    if _loaded is None:
        try:
            from rapidfuzz import distance  # noqa: PLC0415 - an extra, which only these metrics need
        except ImportError:
            raise UsageError(
                "edit metrics need the package rapidfuzz: install it with pip install 'codejury[completion]'"
            ) from None
        _loaded = distance
    return _loaded


_loaded: ModuleType | None = None
