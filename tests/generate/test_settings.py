"""What may be asked for, and what makes answers comparable."""

from __future__ import annotations

from typing import Any

import pytest

from codejury.generate import AskSettings, check_settings, host, longest, settings_hash
from codejury.generate.settings import is_loopback
from codejury.model import UsageError

URL = "http://localhost:8000/v1"


def asked(**fields: Any) -> AskSettings:
    """Settings of no server."""
    return AskSettings(**{"model": "m", "base_url": URL, **fields})


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"n": 0}, "--n 0"),
        ({"n_per_request": 0}, "--n-per-request 0"),
        ({"attempts": 0}, "--retries 0"),
        ({"concurrency": 0}, "--concurrency 0"),
        ({"max_tokens": 0}, "--max-tokens 0"),
        ({"model": " "}, "--model"),
        ({"temperature": -0.1}, "--temperature -0.1"),
        ({"temperature": float("nan")}, "--temperature nan"),
        ({"top_p": 0.0}, "--top-p 0"),
        ({"timeout_s": 0.0}, "--timeout 0"),
        ({"mode": "fim", "system": "s"}, "--template and --system are for --mode chat"),
        ({"extra": {"temperature": 1}}, "--extra temperature: is a setting of its own"),
        ({"max_cost": 0.0}, "--max-cost 0"),
        ({"max_tokens_total": 100, "max_tokens": None}, "--max-tokens-total needs the longest"),
        ({"base_url": "localhost:8000"}, "--base-url"),
        ({"base_url": "http://host:port/v1"}, "--base-url"),
        ({"base_url": "http://host/a b"}, "--base-url"),
        ({"base_url": "ftp://secret@host"}, "--base-url"),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any], said: str) -> None:
    """In one line that names the option, and never says the address, which may hold a password."""
    with pytest.raises(UsageError, match=said) as found:
        check_settings(asked(**fields))
    assert "secret" not in str(found.value)


def test_what_can_be_is_taken() -> None:
    """Greedy sampling, settings that are left out, the longest answer under its other name."""
    check_settings(asked(temperature=0.0))
    settings = asked(
        temperature=None,
        top_p=None,
        max_tokens=None,
        extra={"max_completion_tokens": 9, "reasoning_effort": "low"},
        max_tokens_total=100,
    )
    check_settings(settings)
    assert 9 == longest(settings)


@pytest.mark.parametrize(
    ("url", "name", "here"),
    [
        ("http://localhost:8000/v1", "loopback", True),
        ("http://127.3.2.1/v1", "loopback", True),
        ("http://[::1]:80/v1", "loopback", True),
        ("https://user:secret@api.example.org:8443/secret/v1?key=secret", "api.example.org", False),
    ],
)
def test_of_an_address_the_host_alone_is_told(url: str, name: str, *, here: bool) -> None:
    """User, password, port, path and query stay with the user."""
    assert name == host(url)
    assert here == is_loopback(url)


def test_the_hash_is_of_what_answers_depend_on() -> None:
    """Another model, sampling, seed, prompt, set or further field; not the server, the number or the speed."""
    same: list[dict[str, Any]] = [
        {},
        {"n": 5},
        {"base_url": "http://other/v1"},
        {"concurrency": 1},
        {"n_per_request": 3},
        {"max_cost": 1.0},
    ]
    others: list[dict[str, Any]] = [
        {"model": "n"},
        {"temperature": 0.7},
        {"temperature": None},
        {"top_p": 0.9},
        {"max_tokens": 1},
        {"seed": 1},
        {"stop": ("a",)},
        {"extra": {"top_k": 1}},
        {"mode": "completion"},
    ]
    assert 1 == len({settings_hash(asked(**way), "prompt", "set") for way in same})
    hashes = {settings_hash(asked(**way), "prompt", "set") for way in [{}, *others]}
    hashes |= {settings_hash(asked(), "other", "set"), settings_hash(asked(), "prompt", "other")}
    assert len(others) + 3 == len(hashes)
