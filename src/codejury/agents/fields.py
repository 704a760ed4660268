"""What importers share: their settings, files in folders, typed fields of JSON, and rollouts with their place."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codejury.formats.checks import shortened
from codejury.model import MIB, InputError, LocatedRollout, Rollout, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_BYTES = 256 * MIB
"""The largest JSON document that is read whole."""

_MOST_NOTES = 50

MAX_FILES = 2_000_000
"""Files of a folder that are looked at before it is refused."""

_HUGE = 1e300  # also ends what is not finite, and whole numbers that no float holds

SOLVED_WITHIN = 1e-6
"""A reward is a success within this of 1 (tau-bench's rule)."""


@dataclass
class Source:
    """One import: where it reads, what the user said of it, and what it has to say.

    Attributes:
        path: A file or a folder.
        agent: The agent, for sources that do not name it; goes before what they say.
        label: The rollout's label, for sources of which a file is one rollout of each task.
        report: SWE-bench reports, for sources without grades.
        score: Which of several scores or rewards tells success.
        notes: Filled while reading: what was met, by message, and how often.
    """

    path: str
    agent: str | None = None
    label: str | None = None
    report: str | None = None
    score: str | None = None
    notes: dict[str, int] = field(default_factory=dict)

    def note(self, message: str) -> None:
        """Something that the user should know; equal messages are counted, and others after many left out."""
        if message not in self.notes and len(self.notes) >= _MOST_NOTES:
            message = "more was met that is not listed"
        self.notes[message] = self.notes.get(message, 0) + 1


@dataclass(frozen=True)
class Place:
    """A file and a line, for errors."""

    path: str
    line: int | None = None

    def error(self, message: str, name: str | None = None) -> InputError:
        """An error there."""
        return InputError(message, path=self.path, line=self.line, field=name)

    def rollout(self, **values: Any) -> LocatedRollout:
        """A rollout that was read there.

        Raises:
            InputError: It contradicts itself.
        """
        try:
            return LocatedRollout(Rollout(**values), self.path, self.line)
        except ValueError as error:
            name, _, said = str(error).partition(": ")
            raise self.error(f"{said}; correct it, or leave the rollout out", name) from None


def text(place: Place, fields: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A string that is not empty; whole numbers become one. With a default, null and "" are it.

    Raises:
        InputError: It is missing without a default, empty, or something else.
    """
    value = fields.get(name)
    if default is not None and value in (None, ""):
        return default
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return value
    said = "is missing" if value is None else f"is {shortened(ascii(value))}"
    raise place.error(f"{said}; expected a text that is not empty", name)


def number(place: Place, fields: Mapping[str, Any], name: str) -> float | None:
    """A finite number, or None where it is missing or null.

    Raises:
        InputError: It is something else.
    """
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and -_HUGE < value < _HUGE:
        return float(value)
    raise place.error(f"is {shortened(ascii(value))}; expected a number", name)


def whole(place: Place, fields: Mapping[str, Any], name: str) -> int | None:
    """A whole number below 2**53, or None where it is missing or null.

    Raises:
        InputError: It is something else.
    """
    value = number(place, fields, name)
    if value is None:
        return None
    if value != int(value) or abs(value) >= 2**53:
        raise place.error(f"is {shortened(ascii(fields[name]))}; expected a whole number", name)
    return int(value)


def flag(place: Place, fields: Mapping[str, Any], name: str) -> bool | None:
    """A boolean, or None where it is missing or null.

    Raises:
        InputError: It is something else.
    """
    value = fields.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise place.error(f"is {shortened(ascii(value))}; expected true, false or null", name)


def part(place: Place, fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object, empty where it is missing or null.

    Raises:
        InputError: It is something else.
    """
    value = fields.get(name)
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise place.error(f"is {shortened(ascii(value))}; expected an object", name)


def rows(place: Place, fields: Mapping[str, Any], name: str) -> list[Any]:
    """A list, empty where it is missing or null.

    Raises:
        InputError: It is something else.
    """
    value = fields.get(name)
    if value is None:
        return []
    if isinstance(value, list):
        return value
    raise place.error(f"is {shortened(ascii(value))}; expected a list", name)


def solved(reward: float) -> bool:
    """Whether a reward is that of a success."""
    return abs(reward - 1) <= SOLVED_WITHIN


def seconds_between(fields: Mapping[str, Any], begin: str, end: str) -> float | None:
    """Seconds between two times in ISO 8601; None where one is missing, cannot be read, or is too early."""
    try:
        times = [datetime.fromisoformat(fields[name]) for name in (begin, end)]
        span = (times[1] - times[0]).total_seconds()
    except (KeyError, TypeError, ValueError):
        return None
    return span if span >= 0 else None


def calls_in(messages: object) -> int | None:
    """Calls of tools in a list of messages or steps, each with a list `tool_calls`; None where it is no list."""
    if not isinstance(messages, list) or not messages:
        return None
    calls = (message.get("tool_calls") for message in messages if isinstance(message, dict))
    return sum(len(found) for found in calls if isinstance(found, list))


def load(path: str | os.PathLike[str]) -> Any:
    """A JSON document of at most `MAX_BYTES`; NaN and infinities are let through.

    Raises:
        InputError: It cannot be read, is too large, or is no JSON in UTF-8.
    """
    name = os.fspath(path)
    try:
        with Path(name).open("rb") as stream:
            body = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    return decoded(body, name)


def decoded(body: bytes, name: str) -> Any:
    """The JSON document of some bytes; the rest as `load`."""
    if len(body) > MAX_BYTES:
        raise InputError(f"is larger than {MAX_BYTES // MIB} MiB; split it, or use .jsonl", path=name)
    try:
        return json.loads(body)
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error.reason} at byte {error.start + 1}", path=name) from None
    except json.JSONDecodeError as error:
        raise InputError(f"bad JSON at column {error.colno}: {error.msg}", path=name, line=error.lineno) from None
    except RecursionError:
        raise InputError("bad JSON: nested too deeply", path=name) from None
    except ValueError:
        raise InputError("bad JSON: a number has too many digits", path=name) from None


def load_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A JSON object; errors as `load`."""
    return as_object(load(path), os.fspath(path))


def as_object(value: object, name: str) -> dict[str, Any]:
    """The value, if it is an object.

    Raises:
        InputError: It is something else.
    """
    if isinstance(value, dict):
        return value
    raise InputError("expected a JSON object", path=name)


def files_below(root: str, name: str) -> Iterator[Path]:
    """The files of this name in a folder and all below it, in order; links are not followed.

    Raises:
        UsageError: The folder holds more than `MAX_FILES` files.
        InputError: It cannot be read.
    """
    seen = 0
    for folder, folders, files in os.walk(root, onerror=_raise):
        folders.sort()
        seen += len(files)
        if seen > MAX_FILES:
            raise UsageError(f"{root}: holds more than {MAX_FILES} files; name the run's own folder")
        found = Path(folder, name)
        if name in files and not found.is_symlink() and found.is_file():
            yield found


def _raise(error: OSError) -> None:
    raise InputError(f"cannot be read: {error.strerror or error}", path=os.fspath(error.filename or "")) from None


def named(name: str | None, model: str | None) -> str | None:
    """An agent with its model: "name (model)", or the one of them that is known."""
    if name and model and name != model:
        return f"{name} ({model})"
    return name or model or None
