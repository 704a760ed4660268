"""Pairs: a prediction beside its reference, one a row, for `codejury score`.

A row is `{prefix, suffix, reference, prediction, language}`; reference and prediction are required, and so is the
language, unless the whole file has one. `id`, `problem`, `tags`, `original`, `final` and `passed` are read where a
row has them. Other fields are ignored, unless they look like one of these misspelt.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import msgspec

from codejury.formats import checks
from codejury.formats.jsonl import read_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from codejury.formats.jsonl import Row


class PairRow(msgspec.Struct, frozen=True, kw_only=True):
    """One pair of a file.

    Attributes:
        reference: The text that was right.
        prediction: The text to be scored.
        prefix: The file's text before the hole.
        suffix: The file's text after the hole.
        language: Name of the programming language.
        id: Of the pair, unique in the file; "row 3" where the third row has none.
        problem: What the pair is an answer to, where several pairs are.
        tags: Free labels.
        original: What stood in the hole before the edit.
        final: What stands in the hole in the end.
        passed: Whether the file with the prediction passed its tests, where that is known.
    """

    reference: str
    prediction: str
    prefix: str = ""
    suffix: str = ""
    language: str = ""
    id: str = ""
    problem: str = ""
    tags: tuple[str, ...] = ()
    original: str | None = None
    final: str | None = None
    passed: bool | None = None


_FIELDS = PairRow.__struct_fields__


def read_pairs(path: str | os.PathLike[str], *, language: str | None = None) -> Iterator[PairRow]:
    """The pairs of a file, one at a time.

    Args:
        path: See `read_rows`.
        language: Of rows that do not name one.

    Raises:
        InputError: The file cannot be read, or a row is no pair, repeats an id, or has no language. Raised while
            iterating.
    """
    seen: dict[str, int] = {}
    for number, row in enumerate(read_rows(path), 1):
        _refuse_misspelt(row)
        pair = checks.convert(row, PairRow)
        name = pair.id if "id" in row.fields else f"row {number}"
        if "id" in row.fields:
            checks.check_id(row, "id", pair.id)
        if name in seen:
            raise row.error(
                f"pair {name!r} is on line {seen[name]} already; ids are unique: put what pairs share into"
                " 'problem'",
                "id",
            )
        seen[name] = row.line
        if not (pair.language or language):
            raise row.error("is missing; name the language in each row, or for all with --language", "language")
        yield msgspec.structs.replace(pair, id=name, language=pair.language or language)


def count_pairs(path: str | os.PathLike[str]) -> int:
    """How many rows a file has.

    Raises:
        InputError: It cannot be read as rows.
    """
    return sum(1 for _ in read_rows(path))


def _refuse_misspelt(row: Row) -> None:
    for field in row.fields.keys() - set(_FIELDS):
        if near := difflib.get_close_matches(field, _FIELDS, n=1, cutoff=0.85):
            raise row.error(f"is not known; is {near[0]!r} meant?", field)
