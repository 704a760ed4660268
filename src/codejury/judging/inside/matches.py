"""What a regular expression found, as a value: text, spans and names of groups, without the expression.

The expression stays with the program: to match it again could take the judge as long as the program likes. What
tests ask of a match is answered from the spans. Standard library alone; from Python 3.9 on.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from typing import Any

    Spans = tuple[tuple[int, int], ...]

NO_PART = (-1, -1)  # the span of a group that took no part


class Match:
    """Answers as `re.Match` does, but for `re` and `expand`, which need the expression.

    Two are equal if they found the same, where Python knows identity alone: an output is held against another
    run's.

    Args:
        string: The text, or bytes, that was searched.
        regs: Spans of the whole and of each group.
        names: Numbers of the named groups.
        bounds: `pos` and `endpos`.
        lastindex: Number of the last group that was closed.
    """

    def __init__(
        self, string: Any, regs: Spans, names: dict[str, int], bounds: tuple[int, int], lastindex: int | None
    ) -> None:
        self.string, self.regs, self.lastindex = string, regs, lastindex
        self.pos, self.endpos = bounds
        self._names = names

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """What `isinstance` sees."""
        return re.Match

    @property
    def lastgroup(self) -> str | None:
        """Name of the last group that was closed."""
        return next((name for name, number in self._names.items() if number == self.lastindex), None)

    def __eq__(self, other: object) -> bool:
        return type(other) is Match and self.content() == other.content()

    def __hash__(self) -> int:
        return hash((self.string, self.regs))

    def __repr__(self) -> str:
        return f"<re.Match object; span={self.span()!r}, match={self[0]!r}>"

    def __getitem__(self, group: Any) -> Any:
        begin, end = self.span(group)
        return None if begin < 0 else self.string[begin:end]

    def content(self) -> tuple[Any, ...]:
        """All that there is."""
        return self.string, self.regs, self._names, (self.pos, self.endpos), self.lastindex

    def span(self, group: Any = 0) -> tuple[int, int]:
        """Where a group begins and ends; (-1, -1) if it took no part."""
        number = self._names.get(group, group)
        if not isinstance(number, int) or not 0 <= number < len(self.regs):
            raise IndexError("no such group")
        return self.regs[number]

    def start(self, group: Any = 0) -> int:
        """Where a group begins."""
        return self.span(group)[0]

    def end(self, group: Any = 0) -> int:
        """Where a group ends."""
        return self.span(group)[1]

    def group(self, *groups: Any) -> Any:
        """The text of one group, or a tuple of those of several."""
        found = tuple(self[group] for group in groups or (0,))
        return found if len(found) > 1 else found[0]

    def groups(self, default: Any = None) -> tuple[Any, ...]:
        """The texts of all groups."""
        found = (self[number] for number in range(1, len(self.regs)))
        return tuple(default if text is None else text for text in found)

    def groupdict(self, default: Any = None) -> dict[str, Any]:
        """The texts of the named groups."""
        found = {name: self[name] for name in self._names}
        return {name: default if text is None else text for name, text in found.items()}


def content_of(found: re.Match[Any]) -> tuple[Any, ...]:
    """The same as `Match.content`, of the real thing."""
    return found.string, found.regs, dict(found.re.groupindex), (found.pos, found.endpos), found.lastindex


def read(string: Any, regs: Any, names: Any, bounds: Any, lastindex: Any) -> Match:
    """One of hostile values; raises ValueError or TypeError for what no expression can have found.

    Args:
        string: A value, already read.
        regs: JSON, as the others: a list of pairs.
        names: A list of pairs.
        bounds: A pair.
        lastindex: A number or None.
    """
    spans = tuple(pair(span) for span in regs)
    numbers = dict(map(pair, names))
    pos, endpos = pair(bounds)
    groups = range(1, len(spans))
    if (
        type(string) not in (str, bytes)
        or not spans
        or not all(map(whole, (pos, endpos, *(end for span in spans for end in span), *numbers.values())))
        or not 0 <= pos <= spans[0][0] <= spans[0][1] <= endpos <= len(string)
        or not all(span == NO_PART or 0 <= span[0] <= span[1] <= len(string) for span in spans)
        or not all(type(name) is str and name.isidentifier() and numbers[name] in groups for name in numbers)
        or len(set(numbers.values())) != len(names)
        or not (lastindex is None or (whole(lastindex) and lastindex in groups and spans[lastindex] != NO_PART))
    ):
        raise ValueError("no match of a regular expression")
    return Match(string, spans, numbers, (pos, endpos), lastindex)


def pair(x: Any) -> tuple[Any, Any]:
    """A list of two."""
    if type(x) is not list or len(x) != 2:
        raise ValueError("not a pair")
    return x[0], x[1]


def whole(x: Any) -> bool:
    """Whether this is an integer, and no bool."""
    return type(x) is int
