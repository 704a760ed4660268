"""What the readers of other people's samples share: which problem is answered, and by what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from codejury.formats import checks, drawn
from codejury.formats.jsonl import Row, kind_of
from codejury.model import InputError, Problem, Sample

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

Kind: TypeAlias = Literal["completion", "solution", "chat"]
"""What an answer is: see `Sample.kind`."""

_WORD = re.compile(r"[^\W\d]\w*")


class Answers:
    """Makes samples of the answers of one file or folder, and checks what holds in all formats.

    Args:
        known: Ids of the problems that may be answered, or the problems by id; None allows all.
        allow_empty: Keep answers of no characters.
        notes: What to know of all samples is added here by `close`, a line each.
    """

    def __init__(self, known: Container[str] | None, *, allow_empty: bool, notes: list[str] | None) -> None:
        self.known, self.allow_empty = known, allow_empty
        self._notes = [] if notes is None else notes
        self._counts: Counter[str] = Counter()
        self._first: dict[str, tuple[str, int]] = {}
        self._seen: set[tuple[str, int]] = set()
        self._indexed: bool | None = None
        self._drawn = drawn.Drawn()

    def problem_id(self, row: Row, field: str, value: object) -> str:
        """The id of a problem that a row names, checked. A number N is `Mbpp/N`, as in files of MBPP.

        Raises:
            InputError: It is no id, or none that is known.
        """
        if isinstance(value, int) and not isinstance(value, bool):
            value = f"Mbpp/{value}"
        if not isinstance(value, str):
            raise row.error(f"Expected a text, got {kind_of(value)}", field)
        checks.check_id(row, field, value)
        checks.check_known(row, field, value, self.known)
        return value

    def once(self, row: Row, field: str, problem_id: str) -> None:
        """Refuse a problem whose answers stood in a row before.

        Raises:
            InputError: As said; names where the first are.
        """
        if problem_id in self._first:
            path, line = self._first[problem_id]
            place = f"line {line}" if path == row.path else path
            raise row.error(
                f"the answers to {problem_id!r} are on {place} already; counted twice they would move figures",
                field,
            )
        self._first[problem_id] = row.path, row.line

    def listed(self, row: Row, field: str, problem_id: str, texts: object, kind: Kind) -> Iterator[Sample]:
        """The samples of a list of answers to one problem.

        Raises:
            InputError: It is no list, or holds something else than answers.
        """
        if not isinstance(texts, list):
            raise row.error(f"Expected a list of texts, got {kind_of(texts)}", field)
        for place, text in enumerate(texts):
            yield self.sample(row, f"{field}[{place}]", problem_id, text, kind)

    def sample(
        self,
        row: Row,
        field: str,
        problem_id: str,
        text: object,
        kind: Kind,
        *,
        index: int | None = None,
        **facts: Any,
    ) -> Sample:
        """One sample.

        Args:
            row: Where it stands; its fields may say how it was drawn (`drawn.SETTINGS`).
            field: Of the answer.
            problem_id: What it answers.
            text: The answer.
            kind: What the answer is.
            index: Which of the problem's samples it is; counted if None.
            facts: Further fields of the sample.

        Raises:
            InputError: The text is none, or empty; a fact is none; the index was there before, or some answers
                have one and others none.
        """
        if not isinstance(text, str):
            raise row.error(f"Expected a text, got {kind_of(text)}: an answer that is missing is no answer", field)
        checks.check_answer(row, field, text, allow_empty=self.allow_empty)
        number = self._counts[problem_id] if index is None else index
        self._counts[problem_id] += 1
        if self._indexed is None:
            self._indexed = index is not None
        if self._indexed is not (index is not None):
            raise row.error("some answers say which sample they are, and others do not: number all or none", field)
        if index is not None:
            if (problem_id, index) in self._seen:
                raise row.error(f"problem {problem_id!r} has a sample {index} already", field)
            self._seen.add((problem_id, index))
        sample = checks.convert(
            row,
            Sample,
            {"problem_id": problem_id, "index": number, "text": text, "kind": kind, **facts},
        )
        checks.check_encodable(row, {"finish_reason": sample.finish_reason})
        checks.check_figures(row, sample)
        self._drawn.add(row, problem_id)
        return sample

    def note(self, line: str) -> None:
        """Something to know of all samples."""
        self._notes.append(line)

    def close(self, drawn_with: dict[str, Any] | None = None) -> None:
        """Add what all samples tell to the notes, and how they were drawn to `drawn_with`."""
        self._notes += self._drawn.notes()
        if drawn_with is not None:
            drawn_with |= self._drawn.settings

    def check_prompt(self, row: Row, field: str, problem_id: str, prompt: object) -> None:
        """Refuse an answer to another prompt than the known problem's, as to that of another language.

        Raises:
            InputError: As said.
        """
        problem = self.known.get(problem_id) if isinstance(self.known, Mapping) else None
        if isinstance(problem, Problem) and isinstance(prompt, str) and prompt.strip() != problem.prompt.strip():
            raise row.error(
                f"the answers were given to another prompt than that of {problem_id!r} in the problem set; choose"
                " the set, and the language, that these samples answer",
                field,
            )


class Placed:
    """The problems that lists answer which name none: the i-th list is of the i-th problem.

    Args:
        row: The first list, for errors.
        known: The problem set: its ids in order, or its problems by id.
        by_id: Whether the lists are in the order of ids as texts, instead of the set's.
    """

    def __init__(self, row: Row, known: Container[str] | None, *, by_id: bool) -> None:
        if not isinstance(known, Mapping | Sequence) or isinstance(known, str):
            raise row.error(
                "lists of answers name no problems: say which problem set they answer, with --problems"
            )
        self.ids: list[str] = sorted(known) if by_id else list(known)
        self._names = {}
        if isinstance(known, Mapping):
            self._names = {name: p.entry_point for name, p in known.items() if isinstance(p, Problem)}
        self._all = {name for name in self._names.values() if name}
        self._own = self._others = self._placed = 0

    def problem_id(self, row: Row) -> str:
        """The problem that the next list answers.

        Raises:
            InputError: There is none left.
        """
        if self._placed == len(self.ids):
            raise row.error(
                f"is list {self._placed + 1} of answers, and the set has {len(self.ids)} problems: {_SAME}"
            )
        self._placed += 1
        return self.ids[self._placed - 1]

    def look(self, problem_id: str, texts: list[Any]) -> None:
        """See which functions the answers to a problem name: its own, or that of another problem alone."""
        words = set(_WORD.findall("\n".join(text for text in texts if isinstance(text, str))))
        own = self._names.get(problem_id)
        if own in words:
            self._own += 1
        elif words & self._all:
            self._others += 1

    def close(self, path: str) -> None:
        """Refuse lists that are too few, or that answer other problems than those of their places.

        Raises:
            InputError: As said.
        """
        if self._placed < len(self.ids):
            raise InputError(
                f"holds {self._placed} lists of answers, and the set has {len(self.ids)} problems: {_SAME}",
                path=path,
            )
        if self._others > self._own:
            raise InputError(
                f"{self._others} of {self._placed} lists name the function of another problem and not their own:"
                " this is another problem set, or another order of it",
                path=path,
            )


_SAME = "lists name no problems, so there must be one for each, in order; choose the set that was asked"
