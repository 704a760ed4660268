"""What samples carry beside their text, in sums by problem: tokens, cost, latency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from codejury.store.tables import problems, samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from codejury.store.database import Database

MEASURES = {
    "tokens": "completion_tokens",
    "prompt_tokens": "prompt_tokens",
    "cost": "cost_usd",
    "latency": "latency_s",
}
"""Names of what can be measured, with the column of each."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Sums over the samples of each problem, in the order of the set.

    Attributes:
        problem_ids: Ids.
        samples: Samples; shape (problems,), as all arrays here.
        carried: Those that carry the measure.
        total: Sum over these.
        squares: Sum of squares over these.
    """

    problem_ids: tuple[str, ...]
    samples: NDArray[np.int64]
    carried: NDArray[np.int64]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]


def measured(database: Database, run: int, name: str) -> Measured:
    """See `Store.measured`."""
    column = samples.c[MEASURES[name]]
    query = (
        select(
            problems.c.problem_id,
            func.count(),
            func.count(column),
            func.coalesce(func.sum(column), 0),
            func.coalesce(func.sum(column * column), 0),
        )
        .join_from(
            problems,
            samples,
            (problems.c.run_id == samples.c.run_id) & (problems.c.position == samples.c.position),
        )
        .where(problems.c.run_id == run)
        .group_by(problems.c.position, problems.c.problem_id)
        .order_by(problems.c.position)
    )
    with database.read() as connection:
        rows = connection.execute(query).all()
    ids, *columns = zip(*rows, strict=True) if rows else ((),) * 5
    return Measured(
        tuple(ids),
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1], dtype=np.int64),
        np.array(columns[2], dtype=np.float64),
        np.array(columns[3], dtype=np.float64),
    )
