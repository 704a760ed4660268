"""The connection to a server of OpenAI's interface: one request, one reply, no retries."""

from __future__ import annotations

import asyncio
import datetime as dt
import re
from typing import TYPE_CHECKING, Any, Protocol, Self
from urllib.parse import parse_qsl, urlsplit

from codejury.generate.reply import Failure, read_error, read_reply
from codejury.generate.settings import is_loopback
from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from codejury.generate.prompts import Prompt
    from codejury.generate.reply import Kind, Reply
    from codejury.generate.settings import AskSettings

HIDDEN = "[key]"
"""What stands where a server repeats the key."""


class Key:
    """A secret. It says itself to nobody: it is asked for by `reveal`.

    Args:
        value: The secret; empty where there is none.
    """

    def __init__(self, value: str = "") -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Key(…)" if self._value else "Key()"

    def __bool__(self) -> bool:
        return bool(self._value)

    def reveal(self) -> str:
        """The secret itself, for the one header that holds it."""
        return self._value

    def hide(self, text: str) -> str:
        """A text without the secret."""
        return text.replace(self._value, HIDDEN) if self._value else text


def read_key(environment: Mapping[str, str], name: str, base_url: str) -> Key:
    """The key in a variable of the environment.

    A server on this machine, and an address with a password in it, need none.

    Args:
        environment: As `os.environ`.
        name: Of the variable.
        base_url: Of the server.

    Raises:
        UsageError: There is no key, or it is none that a header can hold. The message does not hold it.
    """
    value = environment.get(name, "").strip()
    if not value:
        if is_loopback(base_url) or "@" in urlsplit(base_url).netloc:
            return Key()
        raise UsageError(f"no key: set the environment variable {name}, or name another by --key-env")
    if not re.fullmatch(r"[!-~]+", value):
        raise UsageError(
            f"the key in the environment variable {name} has a space or a character that is not ASCII"
        )
    return Key(value)


class Client(Protocol):
    """Whoever answers requests; tests have their own."""

    async def ask(self, prompt: Prompt, wanted: int, seed: int | None) -> Reply:
        """One request for `wanted` answers; raises Failure."""


class OpenAIClient:
    """A server of OpenAI's interface. Use it as an asynchronous context manager.

    Args:
        settings: Address, model, sampling.
        stop: Stop words.
        key: The server's key.

    Raises:
        UsageError: The package openai is not installed.
    """

    def __init__(self, settings: AskSettings, stop: tuple[str, ...], key: Key) -> None:
        try:
            import openai  # noqa: PLC0415 - an extra, and slow to import
        except ImportError:
            raise UsageError("asking a model needs the package openai: pip install 'codejury[generate]'") from None
        self._errors = openai
        self._settings, self._stop, self._key = settings, stop, key
        address = urlsplit(settings.base_url)
        self._openai = openai.AsyncOpenAI(
            api_key=key.reveal() or "none",
            base_url=address._replace(query="", fragment="").geturl(),
            default_query=dict(parse_qsl(address.query, keep_blank_values=True)),  # else paths are added behind it
            timeout=settings.timeout_s,
            max_retries=0,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all connections."""
        await self._openai.close()

    async def ask(self, prompt: Prompt, wanted: int, seed: int | None) -> Reply:
        """See `Client.ask`. Messages of the server are said without the key."""
        try:
            async with asyncio.timeout(self._settings.timeout_s):  # also where a byte comes now and then
                content = await self._send(prompt, self._body(prompt, wanted, seed))
            return read_reply(content, wanted)
        except TimeoutError:
            raise Failure(f"no whole answer within {self._settings.timeout_s:g} s") from None
        except self._errors.APITimeoutError:
            raise Failure(f"no whole answer within {self._settings.timeout_s:g} s") from None
        except self._errors.APIStatusError as error:
            found = read_error(error.status_code, error.response.headers, error.body, dt.datetime.now(dt.UTC))
        except self._errors.OpenAIError as error:
            cause = type(error.__cause__ or error).__name__  # its message may hold the address
            kind: Kind = "unreachable" if cause.startswith("Connect") else "failed"
            found = Failure(f"the connection failed ({cause})", kind)
        except Failure as failure:
            found = failure
        raise Failure(self._key.hide(found.reason), found.kind, found.retry_after) from None

    def _body(self, prompt: Prompt, wanted: int, seed: int | None) -> dict[str, Any]:
        settings = self._settings
        fields = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "max_tokens": settings.max_tokens,
            "seed": seed,
            "stop": list(self._stop) or None,
            "n": wanted if wanted > 1 else None,
        }
        body = {name: value for name, value in fields.items() if value is not None}
        return {"model": settings.model, **prompt.body, **body}

    async def _send(self, prompt: Prompt, body: dict[str, Any]) -> bytes:
        """Send a request; the bytes of the response, since its reader here is stricter than the package's."""
        resource: Any = self._openai.chat.completions if prompt.kind == "chat" else self._openai.completions
        response = await resource.with_raw_response.create(
            **body,
            extra_body=self._settings.extra or None,
            extra_headers=None if self._key else {"Authorization": self._errors.Omit()},
        )
        content: bytes = response.http_response.content
        return content
