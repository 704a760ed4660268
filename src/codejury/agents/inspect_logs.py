"""Inspect's logs: `.eval` archives and plain `.json`; a sample's epoch is a rollout."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from codejury.agents.archive import Archive
from codejury.agents.fields import (
    Place,
    as_object,
    calls_in,
    decoded,
    load_object,
    number,
    part,
    rows,
    solved,
    text,
)
from codejury.formats.checks import shortened
from codejury.model import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from codejury.agents.fields import Source
    from codejury.model import LocatedRollout, RolloutStatus

_LETTERS = {"C": True, "I": False, "P": False, "N": False}
"""Correct, incorrect, partial and no answer; a partial answer is no success."""

_NO_BUDGET = ("time", "working", "message", "token", "context", "cost")


def read(source: Source) -> Iterator[LocatedRollout]:
    """The samples of one log, or of all logs in a folder.

    The task is "EVAL/SAMPLE", and the label "LOG#EPOCH" with the log's own id, so that repeated runs of one
    evaluation are told apart, and one that was copied is met twice.

    Raises:
        InputError: A log has another layout, or scores of which `--score` names none.
        UsageError: There is no log.
    """
    for file in _logs(source.path):
        if file.suffix == ".eval":
            yield from _archive(source, file)
        else:
            document = load_object(file)
            yield from _samples(source, str(file), document, rows(Place(str(file)), document, "samples"), None)


def _logs(path: str) -> list[Path]:
    place = Path(path)
    if not place.is_dir():
        return [place]
    found = sorted(
        file
        for file in place.iterdir()
        if file.suffix in (".eval", ".json") and file.is_file() and not file.is_symlink()
    )
    if not found:
        raise UsageError(f"{path}: holds no log of Inspect; they end in .eval or .json")
    return found


def _archive(source: Source, file: Path) -> Iterator[LocatedRollout]:
    name = str(file)
    with Archive(name) as archive:
        members = archive.names()
        head = "header.json" if "header.json" in members else "_journal/start.json"
        header = as_object(decoded(archive.read(head), f"{name}/{head}"), f"{name}/{head}")
        yield from _samples(source, name, header, _summaries(archive, name, members), archive)


def _summaries(archive: Archive, name: str, members: list[str]) -> Iterator[Any]:
    """Of the whole log, or of the parts that were written before it broke off."""
    parts = ["summaries.json"]
    if parts[0] not in members:
        journal = "_journal/summaries/"
        parts = sorted(
            (member for member in members if member.startswith(journal) and member.endswith(".json")),
            key=lambda member: (len(member), member),
        )
        if not parts:
            raise InputError("has no summaries.json, and nothing in _journal/summaries", path=name)
    for member in parts:
        listed = decoded(archive.read(member), f"{name}/{member}")
        if not isinstance(listed, list):
            raise InputError("expected a list of samples", path=f"{name}/{member}")
        yield from listed


def _samples(
    source: Source, name: str, header: Mapping[str, Any], samples: Iterable[Any], archive: Archive | None
) -> Iterator[LocatedRollout]:
    place = Place(name)
    spec = part(place, header, "eval")
    if not spec:
        raise place.error("is missing; is this a log of Inspect?", "eval")
    status = header.get("status")
    if archive is None or status is not None:
        if status not in ("success", None):
            source.note(f"a log with status {status}: samples that are not in it are not counted")
    else:
        source.note("a log that was not finished: samples that are not in it are not counted")
    task, agent = text(place, spec, "task"), source.agent or text(place, spec, "model")
    log = next((str(spec[key]) for key in ("eval_id", "run_id", "task_id") if spec.get(key)), Path(name).stem)
    for at, value in enumerate(samples):
        here = Place(f"{name}[{at}]")
        sample = as_object(value, here.path)
        epoch = text(here, sample, "epoch", "1")
        identity = text(here, sample, "id")
        calls = calls_in(sample.get("messages")) if archive is None else _calls(source, archive, identity, epoch)
        usage = part(here, sample, "model_usage").values()
        tokens = [number(here, one, "total_tokens") or 0 for one in usage if isinstance(one, dict)]
        yield here.rollout(
            task=f"{task}/{identity}",
            agent=agent,
            rollout=f"{log}#{epoch}",
            latency_s=number(here, sample, "total_time"),
            tokens=int(sum(tokens)) if tokens else None,
            tool_calls=calls,
            **_outcome(source, here, sample),
        )


def _outcome(source: Source, place: Place, sample: Mapping[str, Any]) -> dict[str, Any]:
    limit = _limit(sample.get("limit"))
    value = _value(source, place, part(place, sample, "scores"))
    if limit == "operator":
        return {"status": "missing", "subtype": "operator", "resolved": None}
    status: RolloutStatus = "timeout" if limit in _NO_BUDGET else "ok"
    if value is not None:
        return {"status": status, "subtype": limit, "resolved": value}
    if status == "timeout":
        return {"status": status, "subtype": limit, "resolved": False}
    if sample.get("error"):
        return {"status": "infra", "subtype": "error", "resolved": None}
    return {"status": "missing", "subtype": "unscored", "resolved": None}


def _limit(value: object) -> str:
    """The kind of limit that ended a sample: a text in summaries, an object in whole samples."""
    if isinstance(value, dict):
        value = value.get("type")
    return value if isinstance(value, str) else ""


def _value(source: Source, place: Place, scores: Mapping[str, Any]) -> bool | None:
    names = list(scores) if source.score is None else [name for name in scores if name == source.score]
    if len(names) > 1:
        raise place.error(f"has {', '.join(sorted(names))}: say which one tells success with --score", "scores")
    if not names:
        return None
    score = scores[names[0]]
    value = score.get("value") if isinstance(score, dict) else score
    if isinstance(value, str) and value in _LETTERS:
        if value == "P":
            source.note("partial answers: counted as not resolved")
        return _LETTERS[value]
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return solved(value)
    raise place.error(
        f"is {shortened(ascii(value))}; expected C, I, P, N, a number or true or false", f"scores.{names[0]}"
    )


class _Message(msgspec.Struct):
    tool_calls: list[msgspec.Raw] | None = None


class _Sample(msgspec.Struct):
    messages: list[_Message] = []


def _calls(source: Source, archive: Archive, identity: str, epoch: str) -> int | None:
    """Calls of tools in a sample's messages; None where its member is not there or cannot be read."""
    member = f"samples/{identity}_epoch_{epoch}.json"
    try:
        sample = msgspec.json.decode(archive.read(member), type=_Sample)
    except (InputError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        source.note("samples without messages that can be read: their calls of tools are not known")
        return None
    return sum(len(message.tool_calls or ()) for message in sample.messages) if sample.messages else None
