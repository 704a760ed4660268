"""The misuse that takes tests for rollouts: refused where it is certain, warned of where it may be."""

from __future__ import annotations

from fractions import Fraction

import pytest

from codejury.stats import NotSamplesError, StatisticsError, check_rollouts, pass_at_k


@pytest.mark.parametrize(
    ("tests", "passed", "figure"), [(10, 4, Fraction(41, 42)), (5, 2, Fraction(1)), (15, 6, Fraction(137, 143))]
)
def test_tests_of_one_rollout_are_refused(tests: int, passed: int, figure: Fraction) -> None:
    """One rollout that failed, where the misuse would say nearly 1."""
    assert float(figure) == pytest.approx(pass_at_k(tests, passed, 5), rel=1e-15)
    with pytest.raises(
        NotSamplesError, match=f"n = {tests} of a task with 1 rollout, at position 0: n is the num"
    ):
        check_rollouts(tests, 1, tests)


def test_more_than_there_are() -> None:
    """Also where the number is another one; the tasks are named, the first ten."""
    with pytest.raises(
        NotSamplesError, match=r"n = 4 of a task with 3 rollouts, at position 1: n counts indep.*passk"
    ):
        check_rollouts([3, 4], 3, [7, 4 + 1])
    with pytest.raises(NotSamplesError, match=r"position 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \.\.\.: "):
        check_rollouts([2] * 12, 1)


def test_equal_by_chance_is_a_warning() -> None:
    """Eight rollouts of tasks with eight tests each."""
    assert ("n equals the number of tests of every task: is it the number of rollouts?",) == check_rollouts(
        8, 8, 8
    )
    assert () == check_rollouts([8, 8], 8, [8, 9])
    assert () == check_rollouts(1, 1, 1)
    assert () == check_rollouts([3, 2], [3, 5])


def test_wrong_input() -> None:
    """As everywhere."""
    with pytest.raises(StatisticsError, match=r"n has shape \(2,\), rollouts \(3,\)"):
        check_rollouts([1, 2], [1, 2, 3])
    with pytest.raises(StatisticsError, match="empty"):
        check_rollouts([], 1)
