"""What an expression may stand for, as far as a scanner can see without running anything.

A value is a set of atoms, one for each thing that the expression may be. An empty set is a name that nothing has
bound. An atom is

- a path such as `os.system`, or `pickle.Unpickler()` for what a call gives, if the vocabulary has it;
- a constant;
- a group: the elements of a display, of which some, all or none have a known key;
- `UNKNOWN`, or `EXTERNAL` for text from outside the program.
"""

from __future__ import annotations

import ast
import itertools
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

UNKNOWN = "?"
EXTERNAL = "<external>"
MAX_ATOMS = 16
MAX_ELEMENTS = 16
MAX_TEXT = 4096
MAX_FOLDS = 16


class Const(NamedTuple):
    """A constant. The kind comes first: `True` is not 1, and text is never compared with bytes."""

    kind: type
    value: object


class Group(NamedTuple):
    """A list, tuple, set or dictionary.

    Attributes:
        keys: Of the values, positions in a sequence; none where they are not known.
        values: The elements; one value for all of them where the keys are not known.
        depth: 1 for a group without groups.
    """

    keys: tuple[Const, ...]
    values: tuple[Value, ...]
    depth: int = 1

    @property
    def exact(self) -> bool:
        """Whether each element and its key is known."""
        return len(self.keys) == len(self.values)

    @property
    def sequence(self) -> bool:
        """Whether the keys are 0, 1, 2 and so on."""
        return self.exact and self.keys == tuple(Const(int, i) for i in range(len(self.keys)))


Atom: TypeAlias = "str | Const | Group"
Value: TypeAlias = "frozenset[Atom]"

EMPTY: Value = frozenset()
ANY: Value = frozenset({UNKNOWN})
NONE = Const(type(None), None)


def constant(value: object) -> Value:
    """The value that is this constant."""
    return frozenset({Const(type(value), value)})


def join(values: Iterable[Value]) -> Value:
    """What is one of these. Constants and groups beyond a fixed number are forgotten, paths never."""
    atoms = EMPTY.union(*values)
    if len(atoms) <= MAX_ATOMS:
        return atoms
    if sum(not isinstance(atom, str) for atom in atoms) <= MAX_ATOMS:
        return atoms
    return frozenset(atom for atom in atoms if isinstance(atom, str)) | ANY


def group(values: Sequence[Value], keys: Sequence[Const] | None = None) -> Value:
    """A display of these elements.

    Args:
        values: The elements.
        keys: Theirs, as many; None where they are not known.
    """
    if keys is None or len(values) > MAX_ELEMENTS:
        keys, values = (), (join(values),)
    depth = 1 + max((a.depth for value in values for a in value if isinstance(a, Group)), default=0)
    if depth > 2:
        return ANY
    return frozenset({Group(tuple(keys), tuple(value or ANY for value in values), depth)})


def sequence(values: Sequence[Value]) -> Value:
    """A list or tuple of these elements."""
    return group(values, [Const(int, i) for i in range(len(values))] if len(values) <= MAX_ELEMENTS else None)


def elements(value: Value) -> Value:
    """What iterating over it, or a subscript that is not known, may give."""
    found: list[Value] = []
    for atom in value:
        if isinstance(atom, Group):
            found.extend(atom.values)
        else:
            found.append(frozenset({EXTERNAL}) if atom == EXTERNAL else ANY)
    return join(found)


def only_sequence(value: Value) -> Group | None:
    """The sequence that this value is, if it can be nothing else."""
    if len(value) != 1:
        return None
    (atom,) = value
    return atom if isinstance(atom, Group) and atom.sequence else None


def harmless(value: Value) -> bool:
    """Whether it is made of constants alone."""

    def atom_is(atom: Atom) -> bool:
        if isinstance(atom, Group):
            return all(map(harmless, atom.values))
        return isinstance(atom, Const)

    return bool(value) and all(map(atom_is, value))


def external(value: Value) -> bool:
    """Whether text from outside may be in it."""
    return any(any(map(external, atom.values)) if isinstance(atom, Group) else atom == EXTERNAL for atom in value)


def truth(value: Value) -> bool | None:
    """Whether it is true; None where that depends, or is not known."""
    answers = {_atom_truth(atom) for atom in value}
    return answers.pop() if len(answers) == 1 else None


def _atom_truth(atom: Atom) -> bool | None:
    if isinstance(atom, Const):
        return bool(atom.value)
    if isinstance(atom, Group):
        return bool(atom.values) if atom.exact else None
    return None if atom in (UNKNOWN, EXTERNAL) or atom.endswith("()") else True


def texts(value: Value) -> list[str]:
    """The texts that it may be, in order."""
    return sorted(atom.value for atom in value if isinstance(atom, Const) and isinstance(atom.value, str))


def add(left: Value, right: Value) -> Value:
    """`left + right`: of texts, bytes, integers and sequences."""
    if len(left) == len(right) == 1:
        first, second = only_sequence(left), only_sequence(right)
        if first is not None and second is not None:
            return sequence(first.values + second.values)
    if 0 < len(left) * len(right) <= MAX_FOLDS:
        sums = [_add_atoms(a, b) for a, b in itertools.product(left, right)]
        return join(sums)
    return mix(left, right)


def _add_atoms(left: Atom, right: Atom) -> Value:
    if isinstance(left, Const) and isinstance(right, Const) and left.kind is right.kind:
        a, b = left.value, right.value
        if isinstance(a, str) and isinstance(b, str):
            return constant(a + b) if len(a) + len(b) <= MAX_TEXT else ANY
        if isinstance(a, bytes) and isinstance(b, bytes):
            return constant(a + b) if len(a) + len(b) <= MAX_TEXT else ANY
    if isinstance(left, Group) and isinstance(right, Group):
        return group([*left.values, *right.values])
    return mix(frozenset({left}), frozenset({right}))


def mix(*values: Value) -> Value:
    """What is made of these in a way that cannot be followed: from outside if one of them is."""
    return frozenset({EXTERNAL}) if any(map(external, values)) else ANY


def negate(value: Value) -> Value:
    """`not value`."""
    answer = truth(value)
    return ANY if answer is None else constant(not answer)


def compare(operator: ast.cmpop, left: Value, right: Value) -> Value:
    """`left operator right`, of two constants of one type, for equality and identity."""
    if len(left) == len(right) == 1:
        (a,), (b,) = left, right
        if isinstance(a, Const) and isinstance(b, Const) and a.kind is b.kind:
            if isinstance(operator, (ast.Eq, ast.Is)):
                return constant(a.value == b.value)
            if isinstance(operator, (ast.NotEq, ast.IsNot)):
                return constant(a.value != b.value)
    return ANY


def constant_text(value: Value | None) -> str | None:
    """The one text that a value is."""
    if value is not None and len(value) == 1:
        (atom,) = value
        if isinstance(atom, Const) and isinstance(atom.value, str):
            return atom.value
    return None
