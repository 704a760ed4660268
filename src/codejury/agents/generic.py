"""Rollouts as rows of our own fields: JSON lines, a JSON list (CodeBench's layout) and CSV.

One row is one rollout. Rows that count something else are refused: a row for each test of a rollout, rows that
hold counts of rollouts, and chains of attempts, each of which has seen the one before.
"""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codejury.agents.fields import Place, flag, number, text, whole
from codejury.formats.checks import shortened
from codejury.formats.jsonl import read_rows
from codejury.model import STATUSES, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from codejury.agents.fields import Source
    from codejury.model import LocatedRollout

_SEE = "`codejury explain passk` shows it"

NAMES = {
    "task": ("task", "task_id", "instance_id", "problem_id"),
    "agent": ("agent", "agent_name", "model", "model_name_or_path"),
    "rollout": ("rollout", "rollout_id", "trial", "epoch", "run", "run_id"),
    "resolved": ("resolved", "success", "is_resolved", "solved"),
    "status": ("status",),
    "subtype": ("subtype",),
    "tests_passed": ("tests_passed",),
    "tests_total": ("tests_total",),
    "regressions": ("regressions", "regression_count"),
    "cost_usd": ("cost_usd", "cost"),
    "tool_calls": ("tool_calls", "tool_calls_used"),
    "latency_s": ("latency_s",),
    "latency_ms": ("latency_ms",),
    "tokens": ("tokens",),
    "patch": ("patch", "model_patch", "git_patch"),
    "code": ("code", "generated_code"),
    "security_score": ("security_score",),
    "difficulty": ("difficulty",),
    "tags": ("tags",),
    "executed": ("execution_success",),
    "attempt": ("attempt",),
}
"""What a field may be called; the first that a row has counts."""

_CALLED = {called: (name, rank) for name, names in NAMES.items() for rank, called in enumerate(names)}
_OF_ONE_TEST = ("test", "test_name", "test_id", "test_case")
_COUNTS = ("n", "c", "num_samples", "num_correct")
_MAX_FIELD = 1 << 27


def read_jsonl(source: Source) -> Iterator[LocatedRollout]:
    """The rollouts of a `.jsonl` or `.json` file, which may be compressed by gzip.

    Raises:
        InputError: A row is not one rollout, or contradicts itself or another one.
    """
    reader = _Reader(source)
    for row in read_rows(source.path):
        yield reader.rollout(Place(row.path, row.line), row.fields)


def read_csv(source: Source) -> Iterator[LocatedRollout]:
    """The rollouts of a CSV file with a header line; an empty cell is a value that is not known.

    Raises:
        InputError: As `read_jsonl`; or the file is no CSV in UTF-8.
    """
    reader = _Reader(source)
    for place, fields in _cells(source.path):
        yield reader.rollout(place, fields)


class _Reader:
    """Rows to rollouts, with what one row says of another."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._order: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._attempts: dict[tuple[str, str], str] = {}

    def rollout(self, place: Place, row: Mapping[str, Any]) -> LocatedRollout:
        fields, unknown = _by_our_names(row)
        _refuse_other_rows(place, row, fields)
        for name in unknown:
            self._source.note(f"field {shortened(ascii(name))} is not read")
        task = text(place, fields, "task")
        if (agent := self._source.agent) is None:
            if "agent" not in fields:
                raise place.error("is missing; say which agent this is with --agent", "agent")
            agent = text(place, fields, "agent")
        self._refuse_attempts(place, fields, task, agent)
        place_in_order = self._order[task, agent]
        self._order[task, agent] += 1
        label = text(place, fields, "rollout", self._source.label or str(place_in_order))
        return place.rollout(
            task=task, agent=agent, rollout=label, **self._outcome(place, fields), **_rest(place, fields)
        )

    def _refuse_attempts(self, place: Place, fields: Mapping[str, Any], task: str, agent: str) -> None:
        if (attempt := fields.get("attempt")) is None:
            return
        if self._attempts.setdefault((task, agent), str(attempt)) != str(attempt):
            raise place.error(
                f"is {attempt} here and {self._attempts[task, agent]} in a row before, of one task and agent: an "
                "attempt that has seen what became of those before is no independent rollout; give the last of "
                f"each chain as one rollout; {_SEE}",
                "attempt",
            )

    def _outcome(self, place: Place, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Status, subtype, outcome and tests."""
        passed, total = whole(place, fields, "tests_passed"), whole(place, fields, "tests_total")
        resolved = flag(place, fields, "resolved")
        status = fields.get("status")
        if status is not None and status not in STATUSES:
            raise place.error(
                f"is {shortened(ascii(status))}; take one of {', '.join(STATUSES)}, or leave it out", "status"
            )
        subtype = text(place, fields, "subtype", "") or ""
        if resolved is None and passed is not None and total and status in (None, "ok", "model_fail", "timeout"):
            resolved = passed == total
        if resolved and passed is not None and total is not None and passed < total:
            self._source.note("resolved, though not all tests passed: kept as given")
        if status is None:
            status = "missing" if resolved is None else "ok"
            if status == "ok" and flag(place, fields, "executed") is False:
                status, subtype, resolved = "model_fail", subtype or "execution", False
        if resolved is None and status in ("model_fail", "timeout"):
            resolved = False
        if status == "ok" and resolved is None:
            status = "missing"
        if status == "missing" and not subtype:
            subtype = "no_outcome"
        return {
            "status": status,
            "subtype": subtype,
            "resolved": None if status in ("infra", "missing") else resolved,
            "tests_passed": passed,
            "tests_total": total,
        }


def _by_our_names(row: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The fields of a row that are known and not null, by our names; and the names that are not known."""
    found: dict[str, tuple[int, Any]] = {}
    unknown = []
    for called, value in row.items():
        if (known := _CALLED.get(called)) is None:
            unknown.append(called)
        elif value is not None and (known[0] not in found or known[1] < found[known[0]][0]):
            found[known[0]] = (known[1], value)
    return {name: value for name, (_, value) in found.items()}, unknown


def _refuse_other_rows(place: Place, row: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
    for name in _OF_ONE_TEST:
        if name in row and "tests_total" not in fields:
            raise place.error(
                "names a test: the tests of one rollout are not independent rollouts, and reliability@k of them "
                f"is near 1 though it failed; give one row a rollout with tests_passed and tests_total; {_SEE}",
                name,
            )
    if all(name in row for name in _COUNTS[:2]) or all(name in row for name in _COUNTS[2:]):
        if row.get(_COUNTS[0]) is not None and row.get(_COUNTS[0]) == fields.get("tests_total"):
            why = "n is tests_total, and the tests of one rollout are not independent rollouts"
        else:
            why = "the row counts rollouts instead of being one"
        raise place.error(f"{why}; give one row a rollout; {_SEE}", next(name for name in _COUNTS if name in row))


def _rest(place: Place, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a row says besides its outcome."""
    latency, milliseconds = number(place, fields, "latency_s"), number(place, fields, "latency_ms")
    if latency is None and milliseconds is not None:
        latency = milliseconds / 1000
    return {
        "regressions": whole(place, fields, "regressions"),
        "cost_usd": number(place, fields, "cost_usd"),
        "tool_calls": whole(place, fields, "tool_calls"),
        "latency_s": latency,
        "tokens": whole(place, fields, "tokens"),
        "patch": _optional(place, fields, "patch"),
        "code": _optional(place, fields, "code"),
        "security_score": number(place, fields, "security_score"),
        "difficulty": text(place, fields, "difficulty", "") or None,
        "tags": _tags(place, fields),
    }


def _optional(place: Place, fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is None or isinstance(value, str):
        return value
    raise place.error(f"is {shortened(ascii(value))}; expected a text", name)


def _tags(place: Place, fields: Mapping[str, Any]) -> tuple[str, ...]:
    value = fields.get("tags")
    if isinstance(value, str):
        value = value.split(",")
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        raise place.error(f"is {shortened(ascii(value))}; expected texts in a list", "tags")
    return tuple(sorted({tag.strip() for tag in value if tag.strip()}))


# ---- CSV: every cell is a text

_WHOLE = {"tests_passed", "tests_total", "regressions", "tool_calls", "tokens"}
_NUMBER = {"cost_usd", "latency_s", "latency_ms", "security_score"}
_FLAG = {"resolved", "executed"}
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def _cells(path: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The rows of a CSV file, with numbers and booleans where a field is one."""
    name = os.fspath(path)
    before = csv.field_size_limit(_MAX_FIELD)
    try:
        with Path(name).open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            if not reader.fieldnames:
                raise InputError("holds no line; expected a header with the names of fields", path=name)
            if len(set(reader.fieldnames)) < len(reader.fieldnames):
                raise InputError("two columns have one name; which one counts is undefined", path=name, line=1)
            for row in reader:
                place = Place(name, reader.line_num)
                if None in row or None in row.values():
                    raise place.error("has another number of cells than the header")
                yield (
                    place,
                    {key: _value(place, key, _CALLED.get(key, ("", 0))[0], cell) for key, cell in row.items()},
                )
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error.reason}", path=name) from None
    except csv.Error as error:
        raise InputError(f"is no CSV: {error}", path=name) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path=name) from None
    finally:
        csv.field_size_limit(before)


def _value(place: Place, name: str, kind: str, cell: str) -> Any:
    cell = cell if kind in ("patch", "code") else cell.strip()
    if not cell:
        return None
    try:
        if kind in _WHOLE:
            return int(cell)
        if kind in _NUMBER:
            return float(cell)
        if kind in _FLAG:
            return _FLAGS[cell.lower()]
    except (ValueError, KeyError):
        kinds = "true or false" if kind in _FLAG else "a number"
        raise place.error(f"is {shortened(ascii(cell))}; expected {kinds}, or an empty cell", name) from None
    return cell
