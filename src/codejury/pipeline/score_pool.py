"""Scoring pairs on all cores: in order, and never more of them in memory than are under way."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from codejury.metrics.scoring import Pair, get
from codejury.model import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from codejury.formats import PairRow

ALONE = 256
"""Up to so many pairs are scored without further processes, which take longer to start."""

_CHUNK_PAIRS = 64
_CHUNK_CHARACTERS = 1 << 20
_AHEAD = 3  # chunks for each process


class Value(NamedTuple):
    """A metric's value for a pair, or the reason why there is none."""

    value: float | None
    reason: str | None


Values: TypeAlias = tuple[Value, ...]


def scored(
    rows: Iterable[PairRow], names: Sequence[str], *, total: int, jobs: int
) -> Iterator[tuple[PairRow, Values]]:
    """The rows with the values of metrics, in the order of the rows.

    Args:
        rows: Read as they are needed.
        names: Of the metrics.
        total: How many rows there will be.
        jobs: Processes; 1 scores here.

    Raises:
        UsageError: A metric is not known, or needs what is not installed.
        InfrastructureError: A process was killed.
    """
    if jobs == 1 or total <= ALONE:
        for row in rows:
            yield row, score(row, names)
        return
    # no fork: this process may have threads
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_begin) as pool:
        waiting: deque[tuple[list[PairRow], Future[list[Values]]]] = deque()
        try:
            for chunk in _chunks(iter(rows)):
                waiting.append((chunk, pool.submit(_score_chunk, chunk, tuple(names))))
                if len(waiting) >= _AHEAD * jobs:
                    yield from _done(*waiting.popleft())
            while waiting:
                yield from _done(*waiting.popleft())
        except BrokenProcessPool:
            raise InfrastructureError(
                "a scoring process was killed, which the system does when memory is short: use fewer --jobs"
            ) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def score(row: PairRow, names: Sequence[str]) -> Values:
    """The values of metrics for one pair."""
    pair = Pair(
        reference=row.reference,
        prediction=row.prediction,
        prefix=row.prefix,
        suffix=row.suffix,
        language=row.language,
        original=row.original,
        final=row.final,
    )
    found = (get(name).function(pair) for name in names)
    return tuple(Value(each.value, each.unscored) for each in found)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the controller ends its processes


def _score_chunk(rows: list[PairRow], names: tuple[str, ...]) -> list[Values]:
    return [score(row, names) for row in rows]


def _done(rows: list[PairRow], future: Future[list[Values]]) -> Iterator[tuple[PairRow, Values]]:
    return zip(rows, future.result(), strict=True)


def _chunks(rows: Iterator[PairRow]) -> Iterator[list[PairRow]]:
    while first := list(islice(rows, 1)):
        size = 0
        for row in rows:
            first.append(row)
            size += len(row.prefix) + len(row.reference) + len(row.prediction) + len(row.suffix)
            if len(first) >= _CHUNK_PAIRS or size >= _CHUNK_CHARACTERS:
                break
        yield first
