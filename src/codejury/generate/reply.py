"""What a server answers: its samples, or why there are none and what that means for the request.

A choice is an answer if it has text or says why the model stopped. One without either is a failed call, never an
empty answer; one with a finish reason and no text is the model's own: it had nothing to say, or used its tokens up
before it said it.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["busy", "failed", "unreachable", "refused", "fatal"]
"""What a failure means: the server wants less ("busy"), the attempt failed, there was not even a connection, this
problem is not taken, or nothing that is asked of this server in this way will be answered."""

MAX_SAID = 200
"""Characters of a server's message that are kept."""

MAX_COUNT = 1 << 53
"""Largest count that every reader of JSON keeps exactly."""

_STATUS: dict[int, Kind] = {
    401: "fatal",
    402: "fatal",
    403: "fatal",
    404: "fatal",
    405: "fatal",
    408: "failed",
    409: "failed",
    425: "failed",
    429: "busy",
    503: "busy",
    529: "busy",
}
_OUT_OF_MONEY = frozenset(("insufficient_quota", "billing_hard_limit_reached", "credit_balance_too_low"))


class Failure(Exception):  # noqa: N818 - an attempt's end, not a mistake
    """An attempt gave no answer.

    Args:
        reason: Why, for a user.
        kind: What it means.
        retry_after: Seconds that the server asks to wait.
    """

    def __init__(self, reason: str, kind: Kind = "failed", retry_after: float | None = None) -> None:
        self.reason, self.kind, self.retry_after = reason, kind, retry_after
        super().__init__(reason)


class Answer(msgspec.Struct, frozen=True):
    """One answer of a model.

    Attributes:
        text: As the server sent it.
        finish_reason: Why the model stopped, where the server says it.
    """

    text: str
    finish_reason: str | None


class Reply(msgspec.Struct, frozen=True):
    """What a request gave.

    Attributes:
        answers: At most as many as were asked for, at least one.
        choices: How many the server sent.
        prompt_tokens: Of the prompt, once.
        completion_tokens: Of all choices together.
    """

    answers: tuple[Answer, ...]
    choices: int
    prompt_tokens: int | None
    completion_tokens: int | None


def read_reply(content: bytes, wanted: int) -> Reply:
    """The answers in a response's body, of `/chat/completions` or `/completions`.

    Args:
        content: The body.
        wanted: How many answers were asked for. More are cut off; fewer are fewer.

    Raises:
        Failure: There are none, or the body is not what it should be.
    """
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise Failure("the answer is not JSON, or was cut off") from None
    if not isinstance(value, dict):
        raise Failure("the answer is no JSON object")
    if value.get("error"):
        raise _told(value["error"])
    choices = value.get("choices")
    if not isinstance(choices, list):
        raise Failure("the answer has no list of choices")
    found = [answer for choice in _ordered(choices) if (answer := _answer(choice)) is not None]
    if not found:
        raise Failure("the answer has no choice with a text or a finish reason")
    usage = value.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    prompt_tokens, completion_tokens = (_count(usage.get(f"{name}_tokens")) for name in ("prompt", "completion"))
    return Reply(tuple(found[:wanted]), len(choices), prompt_tokens, completion_tokens)


def read_error(status: int, headers: Mapping[str, str], body: object, now: dt.datetime) -> Failure:
    """What a response with an error's status means.

    Args:
        status: Of HTTP.
        headers: Of the response, found in any case.
        body: The decoded body, or its text.
        now: The time, with its zone.
    """
    error = body.get("error", body) if isinstance(body, dict) else body
    code, said = _code(error), _said(error)
    kind: Kind = _STATUS.get(status, "failed" if status >= 500 else "refused")
    if code in _OUT_OF_MONEY:
        kind = "fatal"
    return Failure(f"HTTP {status}" + (f": {said}" if said else ""), kind, retry_after(headers, now))


def retry_after(headers: Mapping[str, str], now: dt.datetime) -> float | None:
    """Seconds that a server asks to wait, by `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), or by
    `retry-after-ms`; None where it does not say.
    """  # noqa: D205 - one sentence
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) / unit
        except ValueError:
            seconds = _until(text, now)
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _until(text: str, now: dt.datetime) -> float:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return math.nan
    return (date.replace(tzinfo=date.tzinfo or dt.UTC) - now).total_seconds()


def _ordered(choices: list[Any]) -> list[Any]:
    """Choices by their index, where they have one each."""
    indices = [choice.get("index") if isinstance(choice, dict) else None for choice in choices]
    numbers = [index for index in indices if isinstance(index, int)]
    if len(set(numbers)) < len(numbers):
        raise Failure("two choices of the answer have the same index")
    if len(numbers) < len(choices):
        return choices
    return [choice for _, choice in sorted(zip(numbers, choices, strict=True), key=lambda pair: pair[0])]


def _answer(choice: Any) -> Answer | None:
    """What a choice says; None where it is no answer."""
    if not isinstance(choice, dict):
        return None
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    reason = choice.get("finish_reason")
    reason = reason if isinstance(reason, str) and reason else None
    if choice.get("error") or reason == "error":  # how gateways tell that the call behind them failed
        return None
    text = _text(message.get("content")) or _text(choice.get("text")) or _text(message.get("refusal"))
    if not text and reason is None:
        return None
    return Answer(text, reason and reason.encode("utf-8", "backslashreplace").decode())


def _text(content: object) -> str:
    """A message's content, which may come in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _count(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and isinstance(value, int) and 0 <= value <= MAX_COUNT else None


def _told(error: object) -> Failure:
    """An error that came with the status of success, as gateways send it."""
    code = _code(error)
    status = int(code) if code.isdecimal() and len(code) == 3 else 500
    found = read_error(status, {}, {"error": error}, dt.datetime.now(dt.UTC))
    said = _said(error)
    return Failure("the answer is an error" + (f": {said}" if said else ""), found.kind)


def _code(error: object) -> str:
    code = error.get("code") or error.get("type") if isinstance(error, dict) else None
    return str(code) if isinstance(code, str | int) else ""


def _said(error: object) -> str:
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail")
    text = " ".join(error.split()) if isinstance(error, str) else ""
    return text if len(text) <= MAX_SAID else text[: MAX_SAID - 3] + "..."
