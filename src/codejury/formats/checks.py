"""What every reader checks: types, ids, entry points, texts and figures."""

from __future__ import annotations

import datetime as dt
import keyword
import math
import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from codejury.formats.jsonl import Row
    from codejury.model import Sample, StdinCase

MAX_ID = 200
"""Longest id of a problem, in characters."""

MAX_COUNT = 1 << 53
"""Largest whole number that every reader of JSON keeps exactly."""

_T = TypeVar("_T")


class Described(msgspec.Struct, kw_only=True):
    """The fields of a problem that describe it, which other people's formats may have besides their own."""

    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    cluster: str | None = None
    created: str | None = None
    licence: str | None = None

    def described(self) -> dict[str, Any]:
        """These fields by name, as `Problem` takes them."""
        return {name: getattr(self, name) for name in Described.__struct_fields__}


def convert(row: Row, into: type[_T], fields: Mapping[str, Any] | None = None) -> _T:
    """A row as a struct, types checked strictly.

    Args:
        row: Where the fields stand.
        into: A msgspec struct.
        fields: What to convert instead of `row.fields`.

    Raises:
        InputError: A field is missing or has the wrong type; names file, line and field path.
    """
    try:
        return msgspec.convert(row.fields if fields is None else fields, into)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        path = path.rstrip("`").lstrip(".")
        if missing := re.fullmatch(r"Object missing required field `(.*)`", message):
            path = f"{path}.{missing[1]}" if path else missing[1]
            message = f"is missing; the row has {names(row.fields)}"
        elif unknown := re.fullmatch(r"Object contains unknown field `(.*)`", message):
            path = f"{path}.{unknown[1]}" if path else unknown[1]
            message = "unknown field; remove it or correct its name"
        raise row.error(shortened(message), path or None) from None


def check_id(row: Row, field: str, value: str) -> None:
    """Refuse an id that could leave a folder, garble a terminal or hide a difference.

    Raises:
        InputError: The id is empty, longer than `MAX_ID`, not printable, blank at an end, absolute, or has a
            backslash or a part between slashes that is empty, "." or "..".
    """
    if not value:
        raise row.error("the id is empty", field)
    if len(value) > MAX_ID:
        raise row.error(f"the id has {len(value)} characters; at most {MAX_ID} are allowed", field)
    if not value.isprintable():
        raise row.error(f"the id {value!a} has control or other unprintable characters; rename it", field)
    if value != value.strip():
        raise row.error(f"the id {value!r} begins or ends with a space; rename it", field)
    if "\\" in value or any(part in {"", ".", ".."} for part in value.split("/")):
        raise row.error(f"the id {value!r} could leave its folder; use names between single slashes", field)


def check_first(row: Row, field: str, problem_id: str, seen: dict[str, int]) -> None:
    """Refuse a second problem with the same id; notes this one's line in `seen`.

    Raises:
        InputError: As said; names the line of the first.
    """
    if problem_id in seen:
        raise row.error(f"problem {problem_id!r} is on line {seen[problem_id]} already; ids are unique", field)
    seen[problem_id] = row.line


def check_new(row: Row, field: str, problem_id: str, seen: dict[str, int]) -> None:
    """What `check_id` and `check_first` do.

    Raises:
        InputError: See there.
    """
    check_id(row, field, problem_id)
    check_first(row, field, problem_id, seen)


def check_known(row: Row, field: str, problem_id: str, known: Container[str] | None) -> None:
    """Refuse an answer to a problem that is not in `known`; None knows all.

    Raises:
        InputError: As said.
    """
    if known is not None and problem_id not in known:
        raise row.error(
            f"the problem set has no problem {problem_id!r}; choose the set that these samples answer", field
        )


def check_entry_point(row: Row, value: str, *, field: str = "entry_point", language: str = "python") -> None:
    """Refuse an entry point that cannot be the name of a function.

    Raises:
        InputError: As said.
    """
    if language == "python":
        named = value.isidentifier() and not keyword.iskeyword(value)
    else:
        named = value.isprintable() and bool(value) and not any(c.isspace() for c in value)
    if not named:
        raise row.error(f"{shortened(ascii(value))} cannot be the name of a {language} function", field)


def check_language(row: Row, language: str) -> None:
    """Refuse a language that is not written as a lower-case name.

    Raises:
        InputError: As said.
    """
    if not re.fullmatch(r"[a-z][a-z0-9+#._-]*", language):
        raise row.error(f"{shortened(ascii(language))} is not a lower-case name of a language", "language")


def check_date(row: Row, field: str, value: str | None) -> None:
    """Refuse what is not a date as YYYY-MM-DD.

    Raises:
        InputError: As said.
    """
    if value is None:
        return
    try:
        written = dt.date.fromisoformat(value).isoformat()
    except ValueError:
        written = ""
    if written != value:
        raise row.error(f"{shortened(ascii(value))} is not a date as 2024-12-31", field)


def check_filled(row: Row, field: str, value: str) -> None:
    """Refuse tests without code: they would accept every answer.

    Raises:
        InputError: `value` is blank.
    """
    if not value.strip():
        raise row.error("is empty: tests without code would accept every answer", field)


def check_cases(row: Row, field: str, cases: Sequence[StdinCase]) -> None:
    """Refuse runs of a program that one which does nothing would pass.

    Raises:
        InputError: There are none, or none of them expects output.
    """
    if not cases:
        raise row.error("has no cases; give at least one", field)
    if not any(case.stdout.strip() for case in cases):
        raise row.error("expect no output: a program that does nothing would pass", field)


def check_answer(row: Row, field: str, text: str, *, allow_empty: bool) -> None:
    """Refuse an answer of no characters, which more often is a failed call than an answer.

    White space is an answer that the model gave: it passes, and is judged as no_code.

    Raises:
        InputError: `text` is empty and `allow_empty` does not hold.
    """
    if not text and not allow_empty:
        raise row.error("is empty; --allow-empty keeps empty answers, to be judged as no_code", field)


def check_encodable(row: Row, fields: Mapping[str, object]) -> None:
    """Refuse text that UTF-8 cannot hold, as half of a surrogate pair.

    Args:
        row: Where the fields stand.
        fields: Field names with strings, or with values of strings.

    Raises:
        InputError: As said; names the field.
    """
    for field, value in fields.items():
        try:
            msgspec.json.encode(value)
        except UnicodeEncodeError:
            raise row.error(
                "has half of a surrogate pair, which is no character; correct the text", field
            ) from None


def check_figures(row: Row, sample: Sample) -> None:
    """Refuse token counts, costs and times that cannot be.

    Raises:
        InputError: A figure is negative, not finite, or a count is above `MAX_COUNT`; names the field.
    """
    for field in ("prompt_tokens", "completion_tokens", "cost_usd", "latency_s"):
        value = getattr(sample, field)
        if value is not None and not (math.isfinite(value) and 0 <= value <= MAX_COUNT):
            raise row.error(f"must be a number from 0 to {MAX_COUNT}, got {value:.6g}", field)


def missing_ids(expected: Iterable[str], answered: Container[str]) -> list[str]:
    """The ids of `expected` that are not in `answered`, in their order; the caller decides what they mean."""
    return [problem_id for problem_id in expected if problem_id not in answered]


def names(fields: Iterable[str]) -> str:
    """Field names for a message: at most 16, unprintable characters escaped."""
    listed = list(fields)
    shown = ", ".join(ascii(name)[1:-1][:40] for name in listed[:16])
    return f"{shown}, and {len(listed) - 16} more" if len(listed) > 16 else shown or "no fields"


def shortened(text: str) -> str:
    """A text for a message: at most 200 characters."""
    return text if len(text) <= 200 else text[:197] + "..."
