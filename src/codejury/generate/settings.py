"""What a model is asked for, and what of it makes two files of answers comparable."""

from __future__ import annotations

import hashlib
import ipaddress
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from codejury.model import UsageError

Mode = Literal["chat", "completion", "fim"]
"""How a problem is put: as a message, as a text to go on with, or as a text with a hole."""

SAMPLING = ("temperature", "top_p", "max_tokens")
"""Settings of sampling that a server may refuse, so that a request can go without them."""

RESERVED = frozenset(("model", "messages", "prompt", "suffix", "n", "seed", "stop", "stream", *SAMPLING))
"""Fields of a request that have a setting of their own."""


class AskSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked for.

    Attributes:
        model: Its name, as the server knows it.
        base_url: Of the server, used as it is: `/chat/completions` or `/completions` is added, nothing else.
        n: Answers to each problem.
        mode: How a problem is put.
        temperature, top_p, max_tokens: Settings of sampling; None leaves the field out of the requests.
        seed: The sample of index i is asked for with `seed + i`; None asks without one. A request for several
            samples has the seed of the first.
        stop: Texts before which the server ends an answer.
        n_per_request: Samples in one request.
        template: Text of a chat's message with `{prompt}` in it; codejury's own if None.
        template_name: What the manifest calls it.
        system: System message of a chat; none if None.
        fim: Family of the model for mode "fim", or "auto" to tell it by the model's name.
        extra: Further fields of each request.
        concurrency: Requests under way at most.
        attempts: How often one request is sent before its answers are given up.
        timeout_s: Seconds for one request, from sending it to the whole answer.
        patience_s: Seconds without any answer, while the server says that it is busy, after which asking ends.
        backoff_s: Seconds before the second attempt, doubled for each further one.
        max_tokens_total: Tokens of prompts and answers that may be used, those of former sessions included.
        max_cost: The same in USD.
    """

    model: str
    base_url: str
    n: int = 1
    mode: Mode = "chat"
    temperature: float | None = 0.8
    top_p: float | None = 1.0
    max_tokens: int | None = 1024
    seed: int | None = None
    stop: tuple[str, ...] = ()
    n_per_request: int = 1
    template: str | None = None
    template_name: str = "codejury"
    system: str | None = None
    fim: str = "auto"
    extra: dict[str, Any] = {}
    concurrency: int = 16
    attempts: int = 8
    timeout_s: float = 600.0
    patience_s: float = 900.0
    backoff_s: float = 1.0
    max_tokens_total: int | None = None
    max_cost: float | None = None


def check_settings(settings: AskSettings) -> None:
    """Refuse what cannot be asked for.

    Raises:
        UsageError: A setting is out of its range, or two do not go together.
    """
    at_least = (("n", settings.n), ("n-per-request", settings.n_per_request), ("retries", settings.attempts))
    for name, value in (*at_least, ("concurrency", settings.concurrency), ("max-tokens", settings.max_tokens)):
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value}: take a whole number from 1")
    if not settings.model.strip() or not settings.model.isprintable():
        raise UsageError(f"--model {settings.model!r}: give the model's name as the server knows it")
    if settings.temperature is not None and not 0 <= settings.temperature <= 100:
        raise UsageError(f"--temperature {settings.temperature:g}: take a number from 0")
    if settings.top_p is not None and not 0 < settings.top_p <= 1:
        raise UsageError(f"--top-p {settings.top_p:g}: take a number above 0 and at most 1")
    if not 0 < settings.timeout_s < 1e6:
        raise UsageError(f"--timeout {settings.timeout_s:g}: take a number of seconds above 0")
    if settings.mode != "chat" and (settings.template is not None or settings.system is not None):
        raise UsageError(
            f"--template and --system are for --mode chat; mode {settings.mode!r} sends the code alone"
        )
    for key in settings.extra.keys() & RESERVED:
        raise UsageError(f"--extra {key}: is a setting of its own; see codejury generate --help")
    _check_budget(settings)
    _check_url(settings.base_url)


def _check_budget(settings: AskSettings) -> None:
    limits = {"--max-tokens-total": settings.max_tokens_total, "--max-cost": settings.max_cost}
    for name, value in limits.items():
        if value is None:
            continue
        if not value > 0:
            raise UsageError(f"{name} {value:g}: take a number above 0")
        if longest(settings) is None:
            raise UsageError(f"{name} needs the longest an answer may be: give --max-tokens")


def longest(settings: AskSettings) -> int | None:
    """The most tokens that an answer may have; None where nothing limits it."""
    other = settings.extra.get("max_completion_tokens")  # what newer models of OpenAI take instead
    return other if isinstance(other, int) and not isinstance(other, bool) else settings.max_tokens


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises for what is no port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname or not url.isprintable() or " " in url:
        # The URL itself is not said: it may hold a password.
        raise UsageError("--base-url: take an address as http://localhost:8000/v1")


def host(url: str) -> str:
    """The server's name without anything that may be secret; "loopback" for this machine."""
    name = urlsplit(url).hostname or ""
    return "loopback" if is_loopback(url) else name


def is_loopback(url: str) -> bool:
    """Whether a server is on this machine."""
    name = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def settings_hash(settings: AskSettings, prompt_hash: str, set_hash: str) -> str:
    """SHA-256 of all that an answer depends on, in hex: files of two hashes are never mixed.

    Where the server is, how many answers there are and how fast they are asked for has no part in it.
    """
    asked = (
        settings.model,
        settings.mode,
        prompt_hash,
        settings.temperature,
        settings.top_p,
        settings.max_tokens,
        settings.seed,
        settings.stop,
        settings.extra,
        set_hash,
    )
    return hashlib.sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()
