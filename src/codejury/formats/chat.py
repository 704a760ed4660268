"""Samples that are answers of a chat, in prose and code, in the shapes of OpenAI's API.

A row names its problem by `task_id`, or by `custom_id` as the results of a batch do, where `ID#3` is sample 3 of
problem ID; and it has its answer in one of

- `messages`, whose last is the assistant's;
- `choices`, as a response has them, which may be several answers;
- `response`, a response, a batch's `{status_code, body}` around one, or plain text.

`finish_reason`, `usage` and `model` are taken from the response, or else from the row; so are `prompt_tokens`,
`completion_tokens`, `cost_usd` and `latency_s`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from codejury.formats import checks, drawn
from codejury.formats.jsonl import Row, kind_of, write_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from codejury.formats.answers import Answers
    from codejury.model import Sample

FIELDS = ("messages", "choices", "response")
"""Fields of a row that may hold the answer."""

_FACTS = ("finish_reason", "prompt_tokens", "completion_tokens", "cost_usd", "latency_s")


def samples(rows: Iterable[Row], answers: Answers) -> Iterator[Sample]:
    """The samples of rows of chats. A call that failed gave no sample, and is told in a note.

    Raises:
        InputError: A row is none, answers an unknown problem, has no answer, or is of another model or setting
            than one before.
    """
    failed: list[int] = []
    for row in rows:
        field = "task_id" if "task_id" in row.fields else "custom_id"
        if field not in row.fields:
            found = checks.names(row.fields)
            raise row.error(f"is missing, as is custom_id; the row has {found}", "task_id")
        name, index = _numbered(row.fields[field]) if field == "custom_id" else (row.fields[field], None)
        problem_id = answers.problem_id(row, field, name)
        body, place = row.fields, ""
        if isinstance(response := row.fields.get("response"), dict):
            body, place = response, "response."
            if {"status_code", "body"} & body.keys():
                if body.get("status_code") != _FINE:
                    failed.append(row.line)
                    continue
                body, place = _object(row, body.get("body"), "response.body"), "response.body."
        elif row.fields.get("error") and not row.fields.get("choices"):
            failed.append(row.line)
            continue
        yield from _answered(row, body, place, (problem_id, index), answers)
    if failed:
        answers.note(f"{len(failed)} calls failed and gave no sample, the first on line {failed[0]}")


_FINE = 200  # the status of a call that gave an answer


def write_samples(path: str | os.PathLike[str], given: Iterable[Sample]) -> int:
    """Write samples as `{task_id, messages}`; returns how many. The index is left to the order of the file."""

    def row(sample: Sample) -> dict[str, Any]:
        facts = {name: value for name in _FACTS if (value := getattr(sample, name)) is not None}
        messages = [{"role": "assistant", "content": sample.text}]
        return {"task_id": sample.problem_id, "messages": messages, **facts}

    return write_rows(path, map(row, given))


def _numbered(name: object) -> tuple[object, int | None]:
    """The problem's id and the sample's index in a `custom_id`, which is unique in a batch."""
    if isinstance(name, str) and (found := re.fullmatch(r"(.+)#([0-9]{1,9})", name)):
        return found[1], int(found[2])
    return name, None


def _answered(
    row: Row, body: Mapping[str, Any], place: str, key: tuple[str, int | None], answers: Answers
) -> Iterator[Sample]:
    problem_id, index = key
    said = Row(row.path, row.line, {name: body.get(name, row.fields.get(name)) for name in drawn.SETTINGS})
    facts = {name: row.fields[name] for name in _FACTS if row.fields.get(name) is not None}
    if "choices" in body:
        choices = body["choices"]
        if not isinstance(choices, list) or not choices:
            raise row.error(f"Expected a list of choices, got {_what(choices)}", f"{place}choices")
        if len(choices) == 1:
            facts |= _usage(row, body, place)
        else:  # these tokens are of all of them together, and the index is the request's
            index = None
        for number, choice in enumerate(choices):
            field = f"{place}choices[{number}]"
            given = _object(row, choice, field)
            message = _object(row, given.get("message"), f"{field}.message")
            reason = given.get("finish_reason")
            own = facts if reason is None else facts | {"finish_reason": reason}
            yield _sample(said, message, f"{field}.message", (problem_id, index), answers, own)
    elif "messages" in body:
        messages = body["messages"]
        if not isinstance(messages, list) or not messages:
            raise row.error(f"Expected a list of messages, got {_what(messages)}", f"{place}messages")
        field = f"{place}messages[{len(messages) - 1}]"
        message = _object(row, messages[-1], field)
        if message.get("role") != "assistant":
            raise row.error("the last message is not the assistant's: there is no answer", f"{field}.role")
        yield _sample(said, message, field, key, answers, facts)
    elif not place and "response" in body:
        yield answers.sample(said, "response", problem_id, body["response"], "chat", index=index, **facts)
    else:
        found = checks.names(body)
        raise row.error(
            f"is missing; an answer stands in {', '.join(FIELDS)}; there is {found}", f"{place}choices"
        )


def _sample(
    row: Row,
    message: Mapping[str, Any],
    field: str,
    key: tuple[str, int | None],
    answers: Answers,
    facts: Mapping[str, Any],
) -> Sample:
    """The sample of an assistant's message. One without content, as a refusal, is an empty answer."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    if content is None and answers.allow_empty:
        content = ""
    if content is None:
        raise row.error(
            "is null: the model gave no text; --allow-empty keeps it as an empty answer", f"{field}.content"
        )
    return answers.sample(row, f"{field}.content", key[0], content, "chat", index=key[1], **facts)


def _usage(row: Row, body: Mapping[str, Any], place: str) -> dict[str, Any]:
    usage = body.get("usage")
    if usage is None:
        return {}
    found = _object(row, usage, f"{place}usage")
    return {name: found[name] for name in ("prompt_tokens", "completion_tokens") if found.get(name) is not None}


def _object(row: Row, value: object, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise row.error(f"Expected an object, got {kind_of(value)}", field)
    return value


def _what(value: object) -> str:
    return "an empty one" if value == [] else kind_of(value)
