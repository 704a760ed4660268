"""EvalPlus's rule of what a right output is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.formats.oracles import oracle, recomputing

FLOATS = st.floats(-1e9, 1e9) | st.sampled_from([0.0, float("inf"), -float("inf")])


def made(task_id: str = "T/0", atol: float = 0.0) -> Any:
    """The oracle of a task, as the judge makes it."""
    return run(oracle(task_id, atol))


def run(source: str) -> Any:
    """The function of a source of ours."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "<oracle>", "exec"), namespace)
    return namespace["oracle"]


@pytest.mark.parametrize(
    ("expected", "output", "right"),
    [
        (1, 1, True),
        (1, True, True),
        (1, 1.0, True),
        ([1], (1,), False),
        (61728394, 61728394.5, False),  # no tolerance where an integer is expected
        (0, 1e-9, False),
        (1.0, 1.0 + 9e-7, True),
        (1.0, 1.0 + 2e-6, False),
        (1e9, 1e9 + 99, True),  # relative
        (1e9, 1e9 + 101, False),
        (0.5, "0.5", False),
        (1.0000001, 1, False),  # near, and of another type
        ([0.1, 0.2], [0.1, 0.2 + 1e-8], True),
        ([0.1, 0.2], (0.1, 0.2 + 1e-8), False),
        ([0.1, 0.2], [0.1], False),
        ([0.1], [[0.1 + 1e-9]], False),
        ([[0.1]], [[0.1 + 1e-9]], False),  # a list of lists is no list of floats
        ([1, 0.1], [1, 0.1 + 1e-9], False),
        ({"a": 0.1}, {"a": 0.1 + 1e-9}, False),
        (float("inf"), 5.0, False),
        (5.0, float("inf"), False),
        (float("inf"), float("inf"), True),
        (1.0, float("nan"), False),
        (None, None, True),
        (1.0, None, False),
    ],
)
def test_without_a_tolerance(expected: Any, output: Any, *, right: bool) -> None:
    """Equal, or floats that are near."""
    assert right is made()([], expected, output)


@pytest.mark.parametrize(
    ("expected", "output", "right"),
    [
        (1.0, 1.00009, True),
        (1.0, 1.0002, False),
        ([[1.0], [2.0]], [[1.0], [2.00009]], True),
        ([[1.0], [2.0]], [[1.0, 1.0], [2.0, 2.0]], False),  # numpy would spread [1.0] over both
        ([(1.0, "a")], [(1.00001, "a")], False),
        (1j, 1.00001j, True),
        (1.0, 1, True),
        (2.00001, 2, False),
    ],
)
def test_with_a_tolerance(expected: Any, output: Any, *, right: bool) -> None:
    """At every depth of lists and tuples, shapes first."""
    assert right is made(atol=1e-4)([], expected, output)


@given(expected=FLOATS, output=FLOATS, atol=st.sampled_from([0.0, 1e-6, 1e-4]))
def test_single_floats_as_numpy_has_it(expected: float, output: float, atol: float) -> None:
    """The same verdict as `allclose`, which EvalPlus calls."""
    right = expected == output or bool(np.allclose(output, expected, rtol=1e-7, atol=atol or 1e-6))
    assert right is made(atol=atol)([], expected, output)


@pytest.mark.parametrize("number", [2, 7, 111, 140, 232, 579, 769])
def test_items_in_any_order(number: int) -> None:
    """Tasks that ask for a set, whatever container it comes in."""
    judge = made(f"Mbpp/{number}")
    assert judge([], (4, 5), [5, 4, 4])
    assert judge([], [4, 5], {4, 5})
    assert judge([], [4, 5], dict.fromkeys([5, 4]).keys())
    assert not judge([], [4, 5], [4])
    assert not judge([], [4], [4, 5])
    with pytest.raises(TypeError):
        judge([], [4], None)


@pytest.mark.parametrize("number", [737, 787, 794])
def test_a_match_or_true(number: int) -> None:
    """Tasks where any value but None says that something was found; so may the reference's."""
    judge = made(f"Mbpp/{number}")
    for found, not_found in [(True, False), ("a match", None)]:
        assert judge([], found, True)
        assert judge([], found, "a match")
        assert not judge([], found, None)
        assert not judge([], found, False)
        assert judge([], not_found, False)
        assert judge([], not_found, None)
        assert not judge([], not_found, True)
        assert not judge([], not_found, "a match")


def test_any_root() -> None:
    """HumanEval/32: a root of the polynomial, not the reference's one."""
    judge = made("HumanEval/32", 1e-4)
    for output, right in [
        (1.0, True),
        (2.00001, True),
        (2, True),
        (1.5, False),
        (-1.0, False),
        (float("nan"), False),
    ]:
        assert right is judge([[2, -3, 1]], 1.0, output)  # (x - 1)(x - 2)
    for other in (None, "1", 1 + 0j):
        with pytest.raises(TypeError):
            judge([[2, -3, 1]], 1.0, other)


def test_the_reference_says_it_anew() -> None:
    """The expected output is what the reference gives for the arguments, by the same rule."""
    judge = run(recomputing("T/0", 0, "def half(x):\n    return x / 2  # {no} field\n", "half"))
    assert judge([3], None, 1.5)
    assert judge([3], None, 1.5 + 1e-8)
    assert not judge([3], None, None)
