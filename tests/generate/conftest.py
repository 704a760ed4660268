"""A server of OpenAI's interface on loopback, over real HTTP, that fails as it is told."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from codejury.cli.main import main
from codejury.generate import AskSettings
from codejury.model import Assertions, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def said(body: dict[str, Any]) -> str:
    """The prompt of a request."""
    return str(body["prompt"] if "prompt" in body else body["messages"][-1]["content"])


class Server:
    """Answers each request by what `script` says of it; each answer carries its problem's prompt and a number.

    `script` is given the number of the request and its body, and returns the name of a method, or a pair of a
    status and headers or a body.
    """

    def __init__(self) -> None:
        self.script: Callable[[int, dict[str, Any]], Any] = lambda _number, _body: "answer"
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.answers: Counter[str] = Counter()
        self.under_way = self.most = self.late_until = 0
        self.url = ""
        self.finish_reason: str | None = "stop"
        self.text: Callable[[dict[str, Any], int], str] = lambda body, number: (
            f"{said(body)}|{body.get('seed')}|{number}"
        )
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._one(reader, writer):
                    pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def end(self) -> None:
        """End all connections."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *rest = head.strip().split("\r\n")
        headers = {name.lower(): value for name, value in (item.split(": ", 1) for item in rest)}
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        number = len(self.requests)
        self.requests.append(body)
        self.headers.append(headers)
        self.paths.append(line.split(" ")[1])
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            todo = self.script(number, body)
            if isinstance(todo, str):
                return bool(await getattr(self, todo)(writer, body))
            status, extra, content = todo
            await self.send(writer, content, status, extra)
            return True
        finally:
            self.under_way -= 1

    # ---- what a request may come to

    async def answer(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """As asked."""
        await self.send(writer, self.reply(body, body.get("n", 1)))
        return True

    async def late(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """As asked, but only when there have been so many requests."""
        while len(self.requests) < self.late_until:  # noqa: ASYNC110 - simpler than an event that all requests set
            await asyncio.sleep(0.01)
        return await self.answer(writer, body)

    async def fewer(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """One choice less than asked for."""
        await self.send(writer, self.reply(body, body.get("n", 1) - 1))
        return True

    async def one(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """A single choice, however many were asked for."""
        await self.send(writer, self.reply(body, 1))
        return True

    async def more(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """Two more choices than asked for."""
        await self.send(writer, self.reply(body, body.get("n", 1) + 2))
        return True

    async def shuffled(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """The choices the other way round."""
        reply = self.reply(body, body.get("n", 1))
        reply["choices"].reverse()
        await self.send(writer, reply)
        return True

    async def twice(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """Two choices of one index."""
        reply = self.reply(body, 2)
        reply["choices"][1]["index"] = 0
        await self.send(writer, reply)
        return True

    async def unanswered(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """A choice without text and without a reason."""
        reply = self.reply(body, 1)
        reply["choices"] = [{"index": 0, "message": {"role": "assistant", "content": None}, "finish_reason": None}]
        await self.send(writer, reply)
        return True

    async def cut_json(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """A whole response whose JSON is not whole."""
        await self.send(writer, json.dumps(self.reply(body, 1))[:-9].encode())
        return True

    async def cut_off(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """A response that ends before its length."""
        data = json.dumps(self.reply(body, 1)).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        writer.write(b"Content-Length: %d\r\n\r\n" % len(data) + data[: len(data) // 2])
        await writer.drain()
        return False

    async def reset(self, writer: asyncio.StreamWriter, _body: dict[str, Any]) -> bool:
        """The connection is reset."""
        writer.transport.abort()
        return False

    async def slow(self, writer: asyncio.StreamWriter, _body: dict[str, Any]) -> bool:
        """A byte now and then, without an end."""
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
        for _ in range(1000):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)
        return False

    async def trickle(self, writer: asyncio.StreamWriter, body: dict[str, Any]) -> bool:
        """A whole answer in pieces."""
        data = json.dumps(self.reply(body, body.get("n", 1))).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        for at in range(0, len(data), 64):
            piece = data[at : at + 64]
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
            await asyncio.sleep(0)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def reply(self, body: dict[str, Any], choices: int) -> dict[str, Any]:
        """A whole reply: 10 tokens of prompt, 7 of each answer."""
        found = []
        for index in range(choices):
            text = self.text(body, self.answers[said(body)])
            self.answers[said(body)] += 1
            told = {"text": text} if "prompt" in body else {"message": {"role": "assistant", "content": text}}
            found.append({"index": index, "finish_reason": self.finish_reason, **told})
        usage = {"prompt_tokens": 10, "completion_tokens": 7 * choices, "total_tokens": 10 + 7 * choices}
        return {"object": "x", "model": "m", "choices": found, "usage": usage}

    async def send(
        self,
        writer: asyncio.StreamWriter,
        content: dict[str, Any] | bytes,
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        """A whole response."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        lines = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        await writer.drain()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests to loopback go there, whatever the machine's proxies are; and nobody's real key is used."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that answers everything until its script is changed, in a thread and event loop of its own."""
    made, loop = Server(), asyncio.new_event_loop()

    async def begin() -> asyncio.Server:
        listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
        made.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        return listening

    async def end() -> None:
        listening.close()
        await made.end()
        await listening.wait_closed()

    listening = loop.run_until_complete(begin())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def problems() -> list[Problem]:
    """Five problems whose prompts are their names."""
    return [
        Problem(id=f"p/{name}", prompt=f"P{name}", entry_point="f", tests=Assertions(code=("assert f()",)))
        for name in "abcde"
    ]


@pytest.fixture
def asked_of(server: Server) -> Callable[..., AskSettings]:
    """Settings for the server: completions, and no time to lose."""

    def make(**fields: Any) -> AskSettings:
        given = {"model": "m", "mode": "completion", "backoff_s": 0.001, "timeout_s": 5.0, "concurrency": 8}
        return AskSettings(**{"base_url": server.url, **given, **fields})

    return make


class Ended(NamedTuple):
    """How a call ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with two problems in `set.jsonl`, and nothing of the user's settings."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("CODEJURY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "120")
    rows = [
        {
            "id": f"t/{name}",
            "prompt": f"def f{name}(x):\n",
            "entry_point": f"f{name}",
            "tests": {"type": "assertions", "code": [f"assert f{name}(1) == {1 + step}"]},
            "reference": f"def f{name}(x):\n    return x + {step}\n",
        }
        for name, step in (("a", 1), ("b", 2))
    ]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


@pytest.fixture
def codejury(
    folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Ended]]:
    """Calls a command of the command line in this process, with the problems and the server's address."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def call(command: str, *arguments: object) -> Ended:
        options = ["--problems", "set.jsonl"] if command == "judge" else asking(server)
        monkeypatch.setattr(sys, "argv", ["codejury", command, *options, *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, *capsys.readouterr())

    yield call
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture
def start(folder: Path, server: Server) -> Callable[..., subprocess.Popen[str]]:
    """Starts a command in a process of its own."""

    def call(command: str, *arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "codejury", command, *asking(server), *map(str, arguments)],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return call


def asking(server: Server) -> list[str]:
    """The options that every asking needs."""
    return ["--problems", "set.jsonl", "--model", "m", "--base-url", server.url, "--out", "s.jsonl"]
