"""Whether an output is the expected one, by rules that a problem declares.

Both are plain values that the codec made, so nothing of a program decides here. Shapes are compared before
numbers; every rule holds at every depth. What takes too much work raises ValueError. Standard library alone; from
Python 3.9 on.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from typing import Any, TypeGuard

MOST_WORK = 1_000_000  # pairs of items that are held against each other for one output
PLAIN = frozenset((int, str, bool, type(None), bytes, bytearray, range, type, type(...)))
SCALARS = frozenset((int, str, bool, type(None), float))
NUMBERS = frozenset((bool, int, float, complex))
KEYS, VALUES, ITEMS = map(type, ({}.keys(), {}.values(), {}.items()))
SETS = frozenset((set, frozenset, KEYS, ITEMS))


class Rules:
    """How outputs are compared.

    Args:
        types: "exact": the types are the same at every depth, a bool is no int; "python": what Python calls equal
            is equal (`1 == 1.0 == True`), but a list is no tuple.
        order: "ordered"; "unordered": the items of the outermost collection in any order, each as often; "set":
            each distinct item at least once. Where types are "python", that collection may be of another type.
        rel_tol, abs_tol: Floats may differ by `abs_tol + rel_tol * abs(expected)`; so may a float from an integer
            where types are "python". A bool never differs.
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
        self.tolerant = rel_tol > 0 or abs_tol > 0
        self.work = 0
        self.read: dict[int, tuple[Any, list[Any]]] = {}  # iterators by identity, and what they gave
        self.buckets: dict[int, tuple[Any, int]] = {}  # containers by identity, and their buckets

    def equal(self, expected: Any, output: Any) -> bool:
        """Whether `output` is right.

        Raises:
            ValueError: Comparing takes too much work.
            RecursionError: The values nest too deep, or hold themselves.
        """
        if type(expected) is type(output) and type(expected) in PLAIN:
            return bool(expected == output)
        self.work, self.read, self.buckets = 0, {}, {}
        if self.order != "ordered" and is_collection(expected) and is_collection(output):
            if self.exact and type(expected) is not type(output):
                return False
            one, other = self.items(expected), self.items(output)
            return self.matched(one, other) if self.order == "unordered" else self.covered(one, other)
        return self.same(expected, output)

    # ---- in order

    def same(self, expected: Any, output: Any) -> bool:
        """Whether two values are equal, in order."""
        kind = type(expected)
        if kind is not type(output):
            return self.same_errors(expected, output) or (not self.exact and self.alike(expected, output))
        if kind in PLAIN:
            return bool(expected == output)
        if kind is float or kind is complex:
            return self.close(expected, output)
        if kind is list or isinstance(expected, tuple) or kind.__name__ in ("deque", "array"):
            return self.same_items(expected, output)
        return self.same_kind(expected, output)

    def same_items(self, expected: Any, output: Any) -> bool:
        """Whether two sequences have equal items."""
        if len(expected) != len(output):
            return False
        plain = self.nan and all_of(SCALARS, expected) and all_of(SCALARS, output) and expected == output
        if plain and (not self.exact or [*map(type, expected)] == [*map(type, output)]):
            return True
        return all(map(self.same, expected, output))

    def same_kind(self, expected: Any, output: Any) -> bool:
        """Whether two values of one type are equal, which is not that of a scalar or a sequence."""
        kind = type(expected)
        if isinstance(expected, dict):
            return self.same_pairs(expected, output)
        if kind in SETS:
            return self.same_members(expected, output)
        if kind is VALUES or is_iterator(expected):
            return self.same_items(self.items(expected), self.items(output))
        if is_numpy(expected):
            return self.same_arrays(expected, output)
        return self.same_errors(expected, output) or self.same_leaf(expected, output)

    def alike(self, expected: Any, output: Any) -> bool:
        """Whether values of two types are what Python calls equal."""
        if type(expected) in NUMBERS and type(output) in NUMBERS:
            return self.close(expected, output)
        if is_numpy(expected) or is_numpy(output):  # an array is none of its items, nor a list of them
            one, other = number(expected), number(output)
            return not is_numpy(one) and not is_numpy(other) and self.same(one, other)
        if is_mapping(expected) and is_mapping(output):
            return self.same_pairs(dict(expected), dict(output))
        if type(expected) in SETS and type(output) in SETS:
            return self.same_members(expected, output)
        for kind in (is_tuple, is_iterator):
            if kind(expected) and kind(output):
                return self.same_items(self.items(expected), self.items(output))
        return not is_collection(expected) and not is_collection(output) and self.same_leaf(expected, output)

    def same_leaf(self, expected: Any, output: Any) -> bool:
        """Whether Python calls two values equal that hold no others."""
        try:
            if expected == output:
                return True
        except (ArithmeticError, TypeError):  # a Decimal that signals, or beside an integer of numpy
            pass
        return self.nan and type(expected) is type(output) and is_nan(expected) and is_nan(output)

    def same_errors(self, expected: Any, output: Any) -> bool:
        """Whether two exceptions have classes of one name and equal arguments; Python knows identity alone."""
        if not isinstance(expected, BaseException) or not isinstance(output, BaseException):
            return False
        return type(expected).__name__ == type(output).__name__ and self.same(expected.args, output.args)

    def same_arrays(self, expected: Any, output: Any) -> bool:
        """Whether two arrays or scalars of numpy are equal."""
        if expected.shape != output.shape or (self.exact and expected.dtype != output.dtype):
            return False
        one, other = expected.tolist(), output.tolist()
        if expected.shape:
            return self.same_items(one, other)
        if is_numpy(one) or is_numpy(other):  # beyond Python's own numbers
            return self.same_leaf(one, other) or (self.tolerant and self.close(complex(one), complex(other)))
        return self.same(one, other)

    def same_pairs(self, expected: Any, output: Any) -> bool:
        """Whether two dicts have equal keys with equal values; in the same order if both are OrderedDicts."""
        name = type(expected).__name__
        if name == "OrderedDict":
            return self.same_items([*expected.items()], [*output.items()])
        if name == "Counter":  # what is not counted is counted as none
            expected, output = {**dict.fromkeys(output, 0), **expected}, {**dict.fromkeys(expected, 0), **output}
        if len(expected) != len(output):
            return False
        own = {key: (key, value) for key, value in output.items()}
        missing: tuple[Any, Any] = (None, None)
        for key, value in expected.items():
            found, of_found = own.get(key, missing)
            if not (key in own and self.same(key, found) and self.same(value, of_found)):
                break
        else:
            return True
        # A key that is not found by its hash may be as near as it may be, or a NaN.
        by_hash = all_of(PLAIN, expected) and all_of(PLAIN, output)
        return not by_hash and self.matched([*expected.items()], [*output.items()])

    def same_members(self, expected: Any, output: Any) -> bool:
        """Whether two sets have equal members."""
        if len(expected) != len(output):
            return False
        if type(expected) is not ITEMS and type(output) is not ITEMS:  # their members may have no hash
            own = {member: member for member in output}
            if all(member in own and self.same(member, own[member]) for member in expected):
                return True
        by_hash = all_of(PLAIN, expected) and all_of(PLAIN, output)
        return not by_hash and self.matched([*expected], [*output])

    def items(self, x: Any) -> Any:
        """The items of a collection; an iterator is read once, and what ends it with an exception is its last."""
        if not is_iterator(x):
            return x if type(x) is list or type(x) is tuple else list(x)
        if id(x) not in self.read:
            items: list[Any] = []
            try:
                items.extend(x)
            except Exception as error:
                items.append(error)
            self.read[id(x)] = x, items
        return self.read[id(x)][1]

    # ---- numbers

    def close(self, expected: Any, output: Any) -> bool:
        """Whether two numbers are equal, or as near as they may be."""
        if expected == output:
            return True
        kinds = {type(expected), type(output)}
        if complex in kinds:
            return self.close_complex(complex_of(expected), complex_of(output))
        if expected != expected or output != output:  # noqa: PLR0124 - NaN alone differs from itself
            return self.nan and expected != expected and output != output  # noqa: PLR0124
        return self.tolerant and float in kinds and bool not in kinds and self.near(expected, output)

    def close_complex(self, expected: complex | None, output: complex | None) -> bool:
        """The same for complex numbers; where a part is not finite, part by part."""
        if expected is None or output is None:
            return False
        parts = (expected.real, output.real), (expected.imag, output.imag)
        if all(map(math.isfinite, (*parts[0], *parts[1]))):
            return self.tolerant and self.near(expected, output)
        return all(self.close(one, other) for one, other in parts)

    def near(self, expected: Any, output: Any) -> bool:
        """Whether two finite or infinite numbers differ no more than they may."""
        try:
            difference, most = abs(output - expected), self.abs_tol + self.rel_tol * abs(expected)
        except OverflowError:  # an integer beyond floats
            return False
        return math.isfinite(difference) and difference <= most

    # ---- in any order

    def matched(self, expected: Any, output: Any) -> bool:
        """Whether the items can be paired, each with an equal one."""
        if len(expected) != len(output):
            return False
        groups = self.grouped(expected, output)
        return all(len(one) == len(other) for one, other in groups) and all(
            self.paired(one, other) for one, other in groups
        )

    def covered(self, expected: Any, output: Any) -> bool:
        """Whether each item has an equal one on the other side."""
        return all(self.both_covered(one, other) for one, other in self.grouped(expected, output))

    def both_covered(self, expected: list[Any], output: list[Any]) -> bool:
        """The same for items of one bucket."""
        if not expected or not output:
            return False
        if self.are_intervals(expected, output):
            one, other = sorted(expected), sorted(output)
            return all(any(self.same(x, y) for y in neighbours(other, x)) for x in one) and all(
                any(self.same(x, y) for x in neighbours(one, y)) for y in other
            )
        return all(any(self.tried(x, y) for y in output) for x in expected) and all(
            any(self.tried(x, y) for x in expected) for y in output
        )

    def are_intervals(self, expected: list[Any], output: list[Any]) -> bool:
        """Whether what is near to a number is an interval whose ends grow with the number: then order decides."""
        kinds, others = set(map(type, expected)), set(map(type, output))
        pure = {float} in (kinds, others) or kinds == others == {int}  # integers differ from each other at once
        if self.rel_tol > 1 or not pure or not kinds | others <= {int, float}:
            return False
        return all(x == x for x in (*expected, *output))  # noqa: PLR0124 - no NaN

    def grouped(self, expected: Any, output: Any) -> list[tuple[list[Any], list[Any]]]:
        """The items of both sides by their bucket."""
        groups: dict[int, tuple[list[Any], list[Any]]] = {}
        for side, items in enumerate((expected, output)):
            for x in items:
                groups.setdefault(self.bucket(x), ([], []))[side].append(x)
        return list(groups.values())

    def paired(self, expected: list[Any], output: list[Any]) -> bool:
        """Whether as many items can be paired: as they come, sorted, or as a matching in a graph."""
        if all(map(self.same, expected, output)):
            return True
        try:
            one, other = sorted(expected), sorted(output)
        except (TypeError, ValueError, ArithmeticError):
            pass
        else:
            if all(map(self.same, one, other)):
                return True
            if self.are_intervals(one, other):
                return False
        return self.can_be_matched(expected, output)

    def can_be_matched(self, expected: list[Any], output: list[Any]) -> bool:
        """Whether there is a perfect matching, by augmenting paths: near is not transitive."""
        taken: dict[int, int] = {}  # place in output -> place in expected
        mate: dict[int, int] = {}  # the other way round
        for start in range(len(expected)):
            came, todo = {}, [start]  # place in output -> the place in expected from which it was reached
            free: int | None = None
            while todo and free is None:
                i = todo.pop()
                for j, x in enumerate(output):
                    if j not in came and self.tried(expected[i], x):
                        came[j] = i
                        if j not in taken:
                            free = j
                            break
                        todo.append(taken[j])
            if free is None:
                return False
            while free is not None:
                taken[free] = i = came[free]
                former = mate.get(i)
                mate[i], free = free, former
        return True

    def tried(self, expected: Any, output: Any) -> bool:
        """Whether two items are equal, where there may be many pairs of them."""
        self.work += 1
        if self.work > MOST_WORK:
            raise ValueError(f"more than {MOST_WORK} pairs of items to compare in any order")
        return self.same(expected, output)

    def bucket(self, x: Any) -> int:
        """A number that equal values share; it keeps most values that differ apart."""
        x = x if self.exact else number(x)
        kind = type(x)
        if kind in NUMBERS:
            near = self.tolerant and (not self.exact or kind is float or kind is complex)
            if near or x != x:  # noqa: PLR0124 - NaN alone differs from itself
                return 0
            return hash((kind, x)) if self.exact else hash(x)
        if x is None or isinstance(x, str):
            return hash(x)
        if not is_container(x):
            return self.bucket_of_leaf(x)
        if id(x) not in self.buckets:  # what is held twice is looked at once
            self.buckets[id(x)] = x, self.bucket_of(x)
        return self.buckets[id(x)][1]

    def bucket_of_leaf(self, x: Any) -> int:
        """The same for what is no number and holds no others."""
        if isinstance(x, BaseException):
            return hash(type(x).__name__)
        if type(x) in (bytes, bytearray):
            return hash(bytes(x))
        if self.tolerant or is_numpy(x) or is_nan(x):
            return 0
        return hash(x)

    def bucket_of(self, x: Any) -> int:
        """The same for a container."""
        if is_mapping(x):
            zero = self.bucket(0)  # which a Counter may leave out
            pairs = [(self.bucket(key), self.bucket(value)) for key, value in x.items()]
            return hash(("dict", sum(hash(pair) for pair in pairs if pair[1] != zero)))
        if type(x) in SETS:
            return hash(("set", len(x), sum(map(self.bucket, x))))
        name = "tuple" if isinstance(x, tuple) else "array" if is_numpy(x) else type(x).__name__
        items = x.ravel().tolist() if is_numpy(x) else self.items(x)
        return hash((name if not is_iterator(x) else "iterator", *map(self.bucket, items)))


def all_of(types: frozenset[Any], items: Any) -> bool:
    """Whether all items are of these types."""
    return types.issuperset(map(type, items))


def neighbours(numbers: list[float], x: float) -> list[float]:
    """Of sorted numbers, the nearest below `x` and the nearest from `x` on."""
    from bisect import bisect_left

    place = bisect_left(numbers, x)
    return numbers[max(place - 1, 0) : place + 1]


def is_mapping(x: Any) -> TypeGuard[dict[Any, Any]]:
    """Whether this is a kind of dict."""
    return isinstance(x, dict)


def is_tuple(x: Any) -> TypeGuard[tuple[Any, ...]]:
    """Whether this is a tuple, with names or without."""
    return isinstance(x, tuple)


def is_iterator(x: Any) -> bool:
    """Whether this is an iterator."""
    return hasattr(x, "__next__")


def is_numpy(x: Any) -> bool:
    """Whether this is an array or a scalar of numpy."""
    return hasattr(x, "dtype") and hasattr(x, "tolist")


def is_collection(x: Any) -> bool:
    """Whether this holds items, which may be compared in any order; not so a dict or an array of numpy."""
    kind = type(x)
    return kind in (list, tuple, VALUES) or kind in SETS or kind.__name__ == "deque" or is_iterator(x)


def is_container(x: Any) -> bool:
    """Whether this holds other values."""
    if is_collection(x) or is_mapping(x) or is_tuple(x) or type(x).__name__ == "array":
        return True
    return is_numpy(x) and bool(x.shape)


def is_nan(x: Any) -> bool:
    """Whether this is a Decimal, or a date of numpy, that stands for none."""
    try:
        return bool(x != x)  # noqa: PLR0124 - that alone differs from itself
    except ArithmeticError:  # one that signals
        return True


def number(x: Any) -> Any:
    """Python's own number for a scalar of numpy; anything else as it is."""
    if is_numpy(x) and type(x).__name__ != "ndarray" and x.dtype.kind in "biufcSU":
        return x.tolist()
    return x


def complex_of(x: Any) -> complex | None:
    """A number as a complex one; None beyond floats."""
    try:
        return complex(x)
    except OverflowError:
        return None
