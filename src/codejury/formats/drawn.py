"""Whether the rows of a file are samples: independent answers of one model at one setting, not tests."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from codejury.formats.checks import shortened

if TYPE_CHECKING:
    from codejury.formats.jsonl import Row

TESTS = ("tests_total", "tests_passed")
"""Fields of rows that count tests, as those of agents' rollouts."""

SETTINGS = ("model", "temperature", "top_p")
"""Fields of rows that say how a sample was made, where a file has them; its samples have one of each."""

_SEE = "`codejury explain passk` shows it"


def refuse_tests(row: Row) -> None:
    """Refuse a row without an answer that counts tests: the tests of one rollout are no samples.

    Raises:
        InputError: The row has a field of `TESTS`.
    """
    for field in TESTS:
        if field in row.fields:
            raise row.error(
                "counts tests, and the row has no answer: the tests of one rollout are not independent samples, "
                "and pass@k of them is near 1 though it failed; give a row with an answer for each sample; "
                f"{_SEE}",
                field,
            )


class Drawn:
    """What the rows of a file of samples say of how they were drawn, as they are read."""

    def __init__(self) -> None:
        self._settings: dict[str, tuple[object, int]] = {}
        self._samples: Counter[str] = Counter()
        self._tests: dict[str, Any] = {}

    def add(self, row: Row, problem: str) -> None:
        """One more sample of a problem.

        Raises:
            InputError: It was made by another model or with another setting than a row before.
        """
        for field in SETTINGS:
            if (value := row.fields.get(field)) is None:
                continue
            first, line = self._settings.setdefault(field, (value, row.line))
            if value != first:
                one, other = (shortened(ascii(it)) for it in (value, first))
                raise row.error(
                    f"is {one} here and {other} on line {line}: pooled samples of several models or settings are "
                    f"not k tries of any of them; give each its own file; {_SEE}",
                    field,
                )
        self._samples[problem] += 1
        self._tests[problem] = row.fields.get(TESTS[0])

    @property
    def settings(self) -> dict[str, Any]:
        """What rows say of `SETTINGS`."""
        return {field: value for field, (value, _) in self._settings.items()}

    def notes(self) -> list[str]:
        """What to know of all rows: problems have as many samples as tests, more than one."""
        if dict(self._samples) != self._tests or max(self._samples.values(), default=1) < 2:
            return []
        return [f"n equals {TESTS[0]} for every problem: are the samples independent answers, or tests of one?"]
