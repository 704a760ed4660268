"""EvalPlus's rule of what a right output is, as sources of `oracle(arguments, expected, output)`.

An output is right if it is equal to the expected one. Else, where the task has a tolerance, or the expected
output is a float or a list or tuple of floats (1e-6 then), it must have the expected one's type and shape, and
each number must be within `tolerance + 1e-7 * abs(expected)` (the rule of numpy's `allclose`).

`model.Comparison` says almost the same, but its tolerance also holds for a float where an integer is expected,
however large that is: 61728394.5 would be right for 61728394, which EvalPlus counts as wrong.
"""

from __future__ import annotations

_EQUAL = "return output == expected"
_EQUAL_SETS = "return set(output) == set(expected)"
_FOUND = """\
expected = expected if isinstance(expected, bool) else expected is not None
    return output == expected if isinstance(output, bool) else expected == (output is not None)"""

_EQUALITIES = {
    **dict.fromkeys((f"Mbpp/{number}" for number in (2, 7, 111, 140, 232, 579, 769)), _EQUAL_SETS),
    **dict.fromkeys((f"Mbpp/{number}" for number in (737, 787, 794)), _FOUND),
}
"""What is equal in tasks where it is not Python's `==`: items in any order, or any value but None for True."""

_RULE = """\
ATOL = {atol!r}
TOLERANCE = ATOL or 1e-6


def equal(expected, output):
    {equality}


def near(expected, output):
    if isinstance(expected, (list, tuple)):
        same_shape = isinstance(output, (list, tuple)) and len(expected) == len(output)
        return same_shape and all(map(near, expected, output))
    if not isinstance(expected, (int, float, complex)) or not isinstance(output, (int, float, complex)):
        return False
    most = TOLERANCE + 1e-7 * abs(expected)
    return expected == output or abs(output - expected) <= most < float("inf")


def floats(value):
    if isinstance(value, (list, tuple)):
        return all(isinstance(item, float) for item in value)
    return isinstance(value, float)


def oracle(arguments, expected, output):
    if equal(expected, output):
        return True
    tolerant = ATOL or floats(expected)
    return bool(tolerant) and type(expected) is type(output) and near(expected, output)
"""

_RECOMPUTED = """\
{reference}

rule = oracle


def oracle(arguments, expected, output):
    return rule(arguments, {entry_point}(*arguments), output)
"""

_ROOT = """\
from math import pow


def oracle(arguments, expected, output):
    (coefficients,) = arguments
    return abs(sum(factor * pow(output, power) for power, factor in enumerate(coefficients))) <= {atol!r}
"""

_ROOTS = "HumanEval/32"
"""The task that asks for any root of a polynomial: the reference's own is not compared."""

RECOMPUTED = frozenset(("HumanEval/15", "HumanEval/130"))
"""Tasks whose right outputs are 147 and 124 MB together, more than can be recorded: the reference gives them anew
for each sample, where the tests run."""


def oracle(task_id: str, atol: float) -> str:
    """The source of a task's oracle.

    Args:
        task_id: Of the task; some have a rule of their own.
        atol: Its absolute tolerance, 0 for none.
    """
    if task_id == _ROOTS:
        return _ROOT.format(atol=float(atol))
    return _RULE.format(atol=float(atol), equality=_EQUALITIES.get(task_id, _EQUAL))


def recomputing(task_id: str, atol: float, reference: str, entry_point: str) -> str:
    """The source of an oracle that has the reference say what is expected.

    Args:
        task_id: Of the task.
        atol: Its absolute tolerance, 0 for none.
        reference: The whole reference program.
        entry_point: Name of its function.
    """
    return oracle(task_id, atol) + "\n\n" + _RECOMPUTED.format(reference=reference, entry_point=entry_point)
