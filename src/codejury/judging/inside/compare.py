"""Whether an output is the expected one, by rules that a problem declares.

Both are plain values that the codec made, so nothing of a program decides here. Shapes are compared before
numbers; every rule holds at every depth. Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from typing import Any

NUMBERS = (bool, int, float, complex)
SEQUENCES = (list, tuple)
MAX_MATCHED = 5000  # items that are compared each with each
MAX_PAIRED = 500  # the same, where floats may differ


class Rules:
    """How outputs are compared.

    Args:
        types: "exact": the types are the same at every depth, a bool is no int; "python": what Python calls equal
            is equal (`1 == 1.0 == True`), but a list is no tuple.
        order: "ordered"; "unordered": the items of the outermost list or tuple in any order; "set": each distinct
            item at least once.
        rel_tol, abs_tol: Floats may differ by `abs_tol + rel_tol * abs(expected)`; so may a float from an integer
            where types are "python".
        nan_equal: Whether a NaN is equal to a NaN.
    """

    def __init__(
        self,
        types: str = "exact",
        order: str = "ordered",
        rel_tol: float = 0.0,
        abs_tol: float = 0.0,
        *,
        nan_equal: bool = True,
    ) -> None:
        self.exact, self.order, self.nan = types == "exact", order, nan_equal
        self.rel_tol, self.abs_tol = rel_tol, abs_tol

    def equal(self, expected: Any, output: Any) -> bool:
        """Whether `output` is right."""
        if self.order == "ordered":
            return self.same(expected, output)
        if type(expected) not in SEQUENCES and type(expected) not in (set, frozenset):
            return self.same(expected, output)
        if self.exact and type(expected) is not type(output):
            return False
        if type(output) not in SEQUENCES and type(output) not in (set, frozenset):
            return False
        if self.order == "set":
            return self.covered(output, expected) and self.covered(expected, output)
        return len(expected) == len(output) and self.matched(list(expected), list(output))

    def same(self, expected: Any, output: Any) -> bool:
        """Whether two values are equal, in order."""
        kind, other = type(expected), type(output)
        if kind in NUMBERS and other in NUMBERS:
            return (kind is other or not self.exact) and self.close(expected, output)
        if kind is not other:
            return not self.exact and self.alike(expected, output)
        if isinstance(expected, dict):
            return self.same_items(expected, output)
        if kind in (set, frozenset):
            return self.same_members(expected, output)
        if kind in SEQUENCES or kind.__name__ in ("deque", "array"):
            return len(expected) == len(output) and all(map(self.same, expected, output))
        return self.same_rest(expected, output)

    def same_rest(self, expected: Any, output: Any) -> bool:
        """Whether two values of one type are equal that hold no others, or are numpy's."""
        if hasattr(expected, "shape") and hasattr(expected, "tolist"):
            alike: bool = (expected.shape, expected.dtype) == (output.shape, output.dtype)
            return alike and self.same(expected.tolist(), output.tolist())
        both_nan = expected != expected and output != output  # noqa: PLR0124 - as of Decimal
        return bool(expected == output) or (self.nan and both_nan)

    def same_members(self, expected: Any, output: Any) -> bool:
        """Whether two sets have equal members."""
        if len(expected) != len(output):
            return False
        if not self.exact and expected == output:
            return True
        return self.matched(list(expected), list(output))

    def same_items(self, expected: Any, output: Any) -> bool:
        """Whether two dicts have the same keys with equal values; in the same order for an OrderedDict."""
        if expected.keys() != output.keys():
            return False
        if type(expected).__name__ == "OrderedDict" and list(expected) != list(output):
            return False
        if self.exact:
            own = {key: key for key in output}
            if not all(self.same(key, own[key]) for key in expected):
                return False
        return all(self.same(value, output[key]) for key, value in expected.items())

    def alike(self, expected: Any, output: Any) -> bool:
        """Whether values of two types are what Python calls equal."""
        if type(expected) in SEQUENCES and type(output) in SEQUENCES:
            return False
        if isinstance(expected, dict) and isinstance(output, dict):
            return self.same_items(dict(expected), dict(output))
        return bool(expected == output)

    def close(self, expected: Any, output: Any) -> bool:
        """Whether two numbers are equal, or as near as they may be."""
        if expected == output:
            return True
        if expected != expected or output != output:  # noqa: PLR0124 - NaN alone differs from itself
            return self.nan and expected != expected and output != output  # noqa: PLR0124
        if not self.tolerant() or not (
            isinstance(expected, (float, complex)) or isinstance(output, (float, complex))
        ):
            return False
        try:
            difference, most = abs(output - expected), self.abs_tol + self.rel_tol * abs(expected)
        except OverflowError:  # an integer beyond floats
            return False
        return math.isfinite(difference) and difference <= most

    def tolerant(self) -> bool:
        """Whether floats may differ at all."""
        return self.rel_tol > 0 or self.abs_tol > 0

    def matched(self, expected: list[Any], output: list[Any]) -> bool:
        """Whether the items can be paired, each with an equal one."""
        if self.tolerant():
            return self.paired(expected, output)
        check_number(expected, MAX_MATCHED)
        rest = list(output)
        for item in expected:  # equality is transitive here, so any equal item will do
            place = next((j for j, other in enumerate(rest) if self.same(item, other)), None)
            if place is None:
                return False
            del rest[place]
        return True

    def paired(self, expected: list[Any], output: list[Any]) -> bool:
        """The same where floats may differ: near is not transitive, so pairs are found by augmenting paths."""
        if all(type(x) in (int, float) and x == x for x in (*expected, *output)):  # noqa: PLR0124 - no NaN
            return all(map(self.same, sorted(expected), sorted(output)))
        check_number(expected, MAX_PAIRED)
        partner: dict[int, int] = {}  # place in output -> place in expected

        def place(i: int, seen: set[int]) -> bool:
            for j, x in enumerate(output):
                if j not in seen and self.same(expected[i], x):
                    seen.add(j)
                    if j not in partner or place(partner[j], seen):
                        partner[j] = i
                        return True
            return False

        return all(place(i, set()) for i in range(len(expected)))

    def covered(self, items: Any, by: Any) -> bool:
        """Whether each of `items` is equal to one of the others."""
        check_number(items, MAX_MATCHED)
        check_number(by, MAX_MATCHED)
        return all(any(self.same(other, item) for other in by) for item in items)


def check_number(items: Any, most: int) -> None:
    """Raise ValueError where there are too many items to be compared in any order."""
    if len(items) > most:
        raise ValueError(f"more than {most} items cannot be compared in any order")
