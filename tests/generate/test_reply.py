"""What a server's answer means."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codejury.generate import Answer, Failure, Reply
from codejury.generate.reply import read_error, read_reply, retry_after

NOW = dt.datetime(2026, 11, 30, 12, 0, 0, tzinfo=dt.UTC)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(["stop", "error", "length"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "text", "index", "finish_reason", "usage", "error"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def chat(content: Any, reason: Any = "stop", **fields: Any) -> bytes:
    """A reply with one choice."""
    message = {"role": "assistant", "content": content, **fields}
    return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": reason}]}).encode()


@pytest.mark.parametrize(
    ("body", "text", "reason"),
    [
        (chat("x = 1"), "x = 1", "stop"),
        (chat("x = 1", None), "x = 1", None),
        (chat("", "length"), "", "length"),
        (chat(None, "content_filter"), "", "content_filter"),
        (chat(None, "tool_calls", tool_calls=[{"id": 1}]), "", "tool_calls"),
        (chat(None, "stop", refusal="I cannot do that."), "I cannot do that.", "stop"),
        (chat([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]), "ab", "stop"),
        (chat("a", reasoning_content="long thoughts"), "a", "stop"),
        (chat("\ud800"), "\ud800", "stop"),
        (b'{"choices": [{"text": "y", "finish_reason": "length"}]}', "y", "length"),
        (b'{"choices": [{"index": 7, "message": {"content": "z"}}], "error": null}', "z", None),
    ],
)
def test_an_answer_is_text_or_a_reason(body: bytes, text: str, reason: str | None) -> None:
    """Text of a message, of a completion, in parts, of a refusal; without text, a reason to stop."""
    assert Reply((Answer(text, reason),), 1, None, None) == read_reply(body, 1)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (chat(None, None), "no choice with a text or a finish reason"),
        (chat("", None), "no choice with a text or a finish reason"),
        (chat("half", "error"), "no choice with a text or a finish reason"),
        (b'{"choices": []}', "no choice"),
        (b'{"choices": [null, 3]}', "no choice"),
        (b'{"choices": {}}', "no list of choices"),
        (b"{}", "no list of choices"),
        (b"[]", "no JSON object"),
        (b"", "not JSON, or was cut off"),
        (chat("x")[:-3], "not JSON, or was cut off"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe\xfa", "not JSON"),
        (b'{"error": "overloaded"}', "the answer is an error: overloaded"),
        (b'{"choices": [{"index": 1, "text": "a"}, {"index": 1, "text": "b"}]}', "the same index"),
    ],
)
def test_a_failed_call_is_no_answer(body: bytes, said: str) -> None:
    """Neither text nor reason, an error with the status of success, and whatever is not the interface's form."""
    with pytest.raises(Failure, match=said) as found:
        read_reply(body, 2)
    assert "failed" == found.value.kind


def test_choices_are_ordered_cut_and_counted() -> None:
    """By their index; more than were asked for are left out, but counted; figures that cannot be are unknown."""
    choices = [{"index": i, "text": str(i), "finish_reason": "stop"} for i in (2, 0, 1)]
    body = {"choices": choices, "usage": {"prompt_tokens": 5, "completion_tokens": True}}
    found = read_reply(json.dumps(body).encode(), 2)
    assert Reply((Answer("0", "stop"), Answer("1", "stop")), 3, 5, None) == found


@given(VALUES, st.integers(1, 3))
def test_whatever_comes_is_a_reply_or_a_failure(value: Any, wanted: int) -> None:
    """No body makes the reader fail otherwise, and there are never more answers than were asked for."""
    try:
        found = read_reply(json.dumps(value).encode(), wanted)
    except Failure:
        return
    assert 1 <= len(found.answers) <= min(wanted, found.choices)


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (429, {"error": {"message": "slow\n down"}}, "busy", "HTTP 429: slow down"),
        (429, {"error": {"message": "pay", "code": "insufficient_quota"}}, "fatal", "HTTP 429: pay"),
        (503, None, "busy", "HTTP 503"),
        (529, "text", "busy", "HTTP 529: text"),
        (500, {"message": "top"}, "failed", "HTTP 500: top"),
        (504, {"detail": "late"}, "failed", "HTTP 504: late"),
        (408, {}, "failed", "HTTP 408"),
        (400, {"error": "bad"}, "refused", "HTTP 400: bad"),
        (422, {"detail": [{"loc": 1}]}, "refused", "HTTP 422"),
        (401, {"error": {"message": "x" * 300}}, "fatal", "HTTP 401: " + "x" * 197 + "..."),
        (404, {}, "fatal", "HTTP 404"),
    ],
)
def test_a_status_says_what_may_help(status: int, body: object, kind: str, said: str) -> None:
    """Waiting, trying again, leaving this problem out, or nothing."""
    found = read_error(status, {}, body, NOW)
    assert (kind, said, None) == (found.kind, found.reason, found.retry_after)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "7", "retry-after-ms": "250"}, 0.25),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    """RFC 9110, 10.2.3; what is neither says nothing."""
    assert seconds == retry_after(headers, NOW)
