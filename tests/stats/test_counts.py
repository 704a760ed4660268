"""The reduction of many problems to few distinct ones, and the checks that depend on settings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.stats import ShortProblemsError, StatisticsError
from codejury.stats.counts import checked_counts, distinct


@given(
    st.lists(st.tuples(st.integers(-3, 9), st.integers(0, 4)), min_size=1, max_size=60),
    st.sampled_from([1, 10, 2**40]),
)
def test_distinct_gives_the_input_back(pairs: list[tuple[int, int]], scale: int) -> None:
    """By a table (small spans), by sorting (large ones) and without either: the columns are restored."""
    first, second = (np.array(column) * scale for column in zip(*pairs, strict=True))
    columns, index = distinct(first, second)
    np.testing.assert_array_equal(first, columns[0][index])
    np.testing.assert_array_equal(second, columns[1][index])
    if scale < 2**40:
        assert len(set(pairs)) == len(columns[0])


def test_budgets_beyond_n() -> None:
    """Only where the caller allows them; none at all is fine, too."""
    n, c, k = checked_counts(5, [1, 2], 9, beyond=True)
    assert (n.tolist(), c.tolist(), k.tolist()) == ([5, 5], [1, 2], [9, 9])
    assert len(checked_counts(5, [1, 2])) == 2
    with pytest.raises(ShortProblemsError):
        checked_counts(5, [1, 2], 9)
    with pytest.raises(StatisticsError, match="k = 0"):
        checked_counts(5, [1, 2], 0, beyond=True)
