"""Edit distances and their similarities, by rapidfuzz."""

from __future__ import annotations

from itertools import compress, count
from typing import TYPE_CHECKING, NamedTuple

from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CELLS = 1 << 36
"""Largest product of two lengths, without a common beginning and end, that is compared: some seconds."""


class TooLargeError(ValueError):
    """Two texts would take too long to compare; says how large they are."""


def levenshtein_distance(one: str, other: str) -> int:
    """The least number of insertions, deletions and substitutions of characters (Levenshtein 1966).

    Raises:
        TooLargeError: The texts are longer than `CELLS` allows.
        UsageError: rapidfuzz is not installed.
    """
    if len(one) * len(other) > CELLS:
        check_size(one, other)
    return int((_loaded or _load()).distance(one, other))


def levenshtein_similarity(one: str, other: str) -> float:
    """1 - distance / length of the longer text; 1 where both are empty. Errors as `levenshtein_distance`."""
    if len(one) * len(other) > CELLS:
        check_size(one, other)
    return (_loaded or _load()).levenshtein(one, other)


def indel_similarity(one: str, other: str) -> float:
    """2 LCS / (n + m), of the longest common subsequence; 1 where both are empty.

    It is 1 - (insertions and deletions) / (n + m): a substitution counts as one of each.

    Raises:
        TooLargeError: The texts are longer than `CELLS` allows.
        UsageError: rapidfuzz is not installed.
    """
    if len(one) * len(other) > CELLS:
        check_size(one, other)
    return (_loaded or _load()).indel(one, other)


def rounded_ratio(one: str, other: str) -> float:
    """`indel_similarity` rounded to hundredths, as fuzzywuzzy and thefuzz give it (there times 100)."""
    return round(100 * indel_similarity(one, other)) / 100


def check_size(one: str, other: str) -> None:
    """Refuse what would take minutes. What both texts begin and end with costs nothing, and does not count.

    Raises:
        TooLargeError: See `CELLS`.
    """
    head = alike(one, other)
    rest, others = one[head:], other[head:]
    tail = alike(rest[::-1], others[::-1])
    if (len(rest) - tail) * (len(others) - tail) > CELLS:
        raise TooLargeError(f"too large: {len(one):,} and {len(other):,} characters differ too much")


def alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the common beginning of two texts, or of two sequences of texts."""
    differ = next(compress(count(), map(str.__ne__, one, other)), None)
    return min(len(one), len(other)) if differ is None else differ


class _Functions(NamedTuple):
    distance: Callable[[str, str], int]
    levenshtein: Callable[[str, str], float]
    indel: Callable[[str, str], float]


def _load() -> _Functions:
    global _loaded  # noqa: PLW0603 - an import statement in each call costs as much as the distance
    try:
        from rapidfuzz.distance import Indel, Levenshtein  # noqa: PLC0415 - an extra, which only these metrics need
    except ImportError:
        raise UsageError(
            "edit metrics need the package rapidfuzz: install it with pip install 'codejury[completion]'"
        ) from None
    _loaded = _Functions(Levenshtein.distance, Levenshtein.normalized_similarity, Indel.normalized_similarity)
    return _loaded


_loaded: _Functions | None = None
