"""The errors: what they say, and that they survive a process boundary."""

from __future__ import annotations

import pickle

from codejury.stats import NotSamplesError, ShortProblemsError, StatisticsError


def test_they_are_value_errors() -> None:
    """A caller that knows nothing of this room catches ValueError."""
    assert issubclass(StatisticsError, ValueError)
    assert issubclass(ShortProblemsError, StatisticsError)
    assert issubclass(NotSamplesError, StatisticsError)


def test_message_names_the_problems() -> None:
    """One line: what, where, what to do; the first ten of many."""
    assert str(ShortProblemsError([4], 10)).startswith(
        "k = 10 needs at least 10 samples of each problem; 1 problem has fewer, at position 4: draw more samples"
    )
    assert str(ShortProblemsError([4], 10)).endswith("say nothing of 10 tries: `codejury explain passk` shows it")
    assert "12 problems have fewer, at position 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...:" in str(
        ShortProblemsError(range(12), 3)
    )


def test_pickled() -> None:
    """Positions and k are kept."""
    error = pickle.loads(pickle.dumps(ShortProblemsError([1, 2], 5)))  # noqa: S301 - our own bytes
    assert (error.indices, error.k) == ((1, 2), 5)
