"""What an edit changed: n-grams, lines and tokens that it shares with the edit that was right.

The texts are those around a hole. What stands before and after it is common to the base (the hole as it was), the
prediction and the reference, and only the few characters of it that touch the hole can change a result, so that a
long file costs nothing. The definitions are those of Zed's evaluation of edit predictions
(crates/edit_prediction_metrics); where they differ, the functions say how.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from codejury.metrics.text.edits import TooLargeError, alike
from codejury.metrics.text.lexing import lines
from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ORDERS = range(1, 7)
BETA = 2.0
MAX_CHARACTERS = 1 << 21
"""Longest text whose n-grams are counted."""
MAX_CELLS = 1 << 30
"""Largest product of numbers of tokens that are aligned: 128 MiB of bits."""

_SPACE = re.compile(r"\s+")
_TOKENS = re.compile(
    r"[\r\n]+|[^\S\r\n]+|\w+"
    r"|>>>=|<<=|>>=|\.\.\.|\.\.=|\?\?=|\*\*=|>>>|::|->|=>|==|!=|<=|>=|&&|\|\||<<|>>|\.\.|[-+*/%&|^]="
    r"|\+\+|--|\*\*|\?\?|\?\.|:=|<-|//|/\*|\*/|[\s\S]"
)
_WORD_BEFORE, _WORD_AFTER = re.compile(r"(?:\w+|\s+)\Z"), re.compile(r"\w+|\s+")


class Hole(NamedTuple):
    """The text before and after an edit, and what stood between them."""

    prefix: str = ""
    suffix: str = ""
    base: str = ""


class Agreement(NamedTuple):
    """How far two sets of changes agree: shares of the predicted ones, of the right ones, and their mean F."""

    precision: float
    recall: float
    f: float


def chrf_delta(prediction: str, reference: str, hole: Hole = Hole()) -> float:  # noqa: B008 - immutable
    """Character n-gram F-score (chrF) of the n-grams that two edits change: orders 1 to 6, beta 2, no white space.

    An edit's changes are the n-grams that it has more often than the base, and, as others, those that it has less
    often; only the former where the base is empty, as each insertion parts the same text. Of each order, precision
    is the share of the prediction's changes that are the reference's, recall the reverse; both are averaged over
    the orders in which both have changes, and give F = (1 + beta**2) P R / (beta**2 P + R). With nothing around
    an empty hole that is sacrebleu's chrF / 100 (Popovic 2015).

    Zed counts an order without changes as 1, so that `a` against `b` would have 5/6; here they are left out.

    Returns:
        0 to 1; 1 for equal edits.

    Raises:
        TooLargeError: A text is longer than `MAX_CHARACTERS`.
    """
    longest = max(len(prediction), len(reference), len(hole.base))
    if longest > MAX_CHARACTERS:
        raise TooLargeError(f"too large: {longest:,} characters, and n-grams are counted of {MAX_CHARACTERS:,}")
    margin = ORDERS[-1] - 1
    head, tail = _last_dense(hole.prefix, margin), _first_dense(hole.suffix, margin)
    base, one, other = (head + _dense(text) + tail for text in (hole.base, prediction, reference))
    if one == other:
        return 1.0
    precision = recall = 0.0
    orders = 0
    for order in ORDERS:
        before = Counter(_grams(base, order))
        mine, right = (_changes(before, _grams(text, order), edit=bool(hole.base)) for text in (one, other))
        if not mine.total or not right.total:
            continue
        common = mine.common(right)
        precision += common / mine.total
        recall += common / right.total
        orders += 1
    return _f(precision / orders, recall / orders, BETA) if orders else 0.0


def lines_changed(prediction: str, reference: str, hole: Hole = Hole()) -> Agreement:  # noqa: B008 - immutable
    """Precision, recall and F1 of changed lines: the lines that an edit adds and those that it takes away.

    Lines count as often as they occur, in any order, with their white space. The first and the last line of an
    edit are whole lines, with what stands before and after the hole. Equal edits agree wholly, also where they
    change nothing; of two edits of which one changes nothing, precision, recall and F1 are 0. Where the hole was
    empty, the line that it stood in does not count as taken away: every insertion does that.
    """
    head, tail = lines(hole.prefix[-_LINE:])[-1], lines(hole.suffix[:_LINE])[0]
    base = Counter(lines(head + hole.base + tail))
    mine, right = (
        _changes(base, lines(head + text + tail), edit=bool(hole.base)) for text in (prediction, reference)
    )
    if mine == right:
        return Agreement(1.0, 1.0, 1.0)
    common = mine.common(right)
    precision, recall = common / max(1, mine.total), common / max(1, right.total)
    return Agreement(precision, recall, _f(precision, recall, 1.0))


def kept(prediction: str, final: str, hole: Hole = Hole()) -> float | None:  # noqa: B008 - immutable
    """The share of what an edit changed that is still changed so in the final text, in characters.

    Tokens of the prediction that are not in its longest common subsequence with the base are new; those of them in
    the longest common subsequence with the final text's new tokens are kept. Tokens of the base that both leave
    out are rightly deleted; an empty base has none. The share is (kept + rightly deleted) / (new + deleted). Words
    are whole tokens, runs of white space, too.

    Zed gives 0 to final texts that differ in length by more than 512 characters; they are compared here.

    Returns:
        0 to 1; None where the prediction changes nothing and the final text does: there is nothing to keep.

    Raises:
        TooLargeError: The product of the numbers of tokens is above `MAX_CELLS`.
        UsageError: rapidfuzz is not installed.
    """
    head, tail = _WORD_BEFORE.search(hole.prefix[-_LINE:]), _WORD_AFTER.match(hole.suffix[:_LINE])
    around = (head[0] if head else "", tail[0] if tail else "")
    base, mine, last = (_TOKENS.findall(around[0] + text + around[1]) for text in (hole.base, prediction, final))
    if mine == last:
        return 1.0
    in_mine, of_base = _common(mine, base)
    in_last, of_base_last = _common(last, base)
    new = [token for token, old in zip(mine, in_mine, strict=True) if not old]
    added = [token for token, old in zip(last, in_last, strict=True) if not old]
    deleted = [bool(hole.base) and not left for left in of_base]
    rightly = [gone and not left for gone, left in zip(deleted, of_base_last, strict=True)]
    still, _ = _common(new, added)
    changed = _size(new) + _size(base, deleted)
    return (_size(new, still) + _size(base, rightly)) / changed if changed else None


_LINE = 1 << 16  # a longer line around a hole is cut


def _f(precision: float, recall: float, beta: float) -> float:
    below = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / below if below else 0.0


def _dense(text: str) -> str:
    return _SPACE.sub("", text)


def _last_dense(text: str, size: int) -> str:
    return _dense(text[-_LINE:])[-size:]


def _first_dense(text: str, size: int) -> str:
    return _dense(text[:_LINE])[:size]


def _grams(text: str, order: int) -> list[str]:
    return [text[at : at + order] for at in range(len(text) - order + 1)]


class _Changes(NamedTuple):
    """What an edit has more often than the base, and what less often."""

    added: Mapping[str, int]
    gone: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.added.values()) + sum(self.gone.values())

    def common(self, other: _Changes) -> int:
        return _shared(self.added, other.added) + _shared(self.gone, other.gone)


def _changes(base: Counter[str], after: Sequence[str], *, edit: bool) -> _Changes:
    """The changes; an insertion takes nothing away."""
    added, gone = Counter(after), {}
    for part, count in base.items():
        left = added.pop(part, 0) - count
        if left > 0:
            added[part] = left
        elif left and edit:
            gone[part] = -left
    return _Changes(added, gone)


def _shared(one: Mapping[str, int], other: Mapping[str, int]) -> int:
    if len(one) > len(other):
        one, other = other, one
    return sum(min(count, other[part]) for part, count in one.items() if part in other)


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Of both sequences, what belongs to a longest common subsequence; a common beginning and end always does."""
    head = alike(one, other)
    rest, others = one[head:], other[head:]
    tail = alike(rest[::-1], others[::-1])
    rest, others = rest[: len(rest) - tail], others[: len(others) - tail]
    if len(rest) * len(others) > MAX_CELLS:
        raise TooLargeError(f"too large: {len(one):,} and {len(other):,} tokens to align")
    here, there = ([True] * head + [False] * len(part) + [True] * tail for part in (rest, others))
    for block in _lcs().opcodes(rest, others) if rest and others else ():
        if block.tag == "equal":
            same = [True] * (block.src_end - block.src_start)
            here[head + block.src_start : head + block.src_end] = same
            there[head + block.dest_start : head + block.dest_end] = same
    return here, there


def _lcs() -> Any:
    try:
        from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - an extra, which only these metrics need
    except ImportError:
        raise UsageError(
            "kept needs the package rapidfuzz: install it with pip install 'codejury[completion]'"
        ) from None
    return LCSseq


def _size(tokens: Sequence[str], mask: Sequence[bool] | None = None) -> int:
    if mask is None:
        return sum(map(len, tokens))
    return sum(len(token) for token, counts in zip(tokens, mask, strict=True) if counts)
