"""Sandboxes for tests, and a way to ask programs of our own inside of one."""

from __future__ import annotations

import asyncio
import importlib
import select
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.judging import ROLES
from codejury.model import MIB, Limits, TierUnavailable
from codejury.sandbox import Child, Sandbox, Settings, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMITS = Limits(cpu_s=2.0, cpu_total_s=4.0, memory_bytes=128 * MIB, file_bytes=4 * MIB)
ANSWER_S = 30.0  # generous: the machine may be busy


class Inside:
    """A sandbox whose candidate lane is asked directly, without a judge."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.lane = sandbox.lane("candidate", LIMITS)
        self.codec, self.frames = importlib.import_module("codec"), importlib.import_module("frames")

    def ask(
        self,
        source: str,
        *texts: str,
        look: Callable[[Child], Any] | None = None,
        then: Callable[[], None] = lambda: None,
    ) -> Any:
        """What a fresh child answers: the values of expressions after `source` was run there.

        Args:
            source: Program text; it is loaded first.
            texts: Expressions, evaluated one after the other in one process.
            look: Called with the child while it waits; its result is put before the answers.
            then: Called after the last answer, while the child is still there.
        """
        return asyncio.run(self._ask(source, texts, look, then))

    async def _ask(
        self,
        source: str,
        texts: tuple[str, ...],
        look: Callable[[Child], Any] | None,
        then: Callable[[], None],
    ) -> Any:
        child = await self.lane.take()
        program = f"{source}\ndef __ask__(__text__): return eval(__text__)\n"
        try:
            loaded = self._exchange(child, [program, "__ask__", MIB, []])
            assert ["ok"] == loaded, loaded
            seen = [] if look is None else [look(child)]
            for text in texts:
                kind, value, *_ = self._exchange(child, [[text], [], []])
                assert "=" == kind, (text, value)
                seen.append(self.codec.Reader(0, {}.__getitem__).value(value))
            then()
        finally:
            await self.lane.finish()
        return seen[0] if len(seen) == 1 else seen

    def _exchange(self, child: Child, body: Any) -> Any:
        requests, replies = child.fds
        self.frames.send(requests, 1, self.codec.dumps(body).encode())
        ready, _, _ = select.select([replies], [], [], ANSWER_S)
        assert ready, "no answer"
        _, reply = self.frames.receive(replies, MIB)
        return self.codec.loads(reply.decode())


@contextmanager
def open_sandbox(**settings: Any) -> Iterator[Inside]:
    """A sandbox; skips where the machine gives no tier."""
    settings.setdefault("interpreter", describe())
    sandbox = Sandbox(Settings(limits=LIMITS, **settings), ROLES)
    try:
        asyncio.run(sandbox.__aenter__())
    except TierUnavailable as error:
        pytest.skip(str(error))
    made = Inside(sandbox)
    try:
        yield made
    finally:
        made.lane.close()
        asyncio.run(sandbox.__aexit__())


@pytest.fixture(scope="session")
def inside() -> Iterator[Inside]:
    """A sandbox with the interpreter that runs the tests."""
    with open_sandbox() as made:
        yield made


@pytest.fixture(scope="session")
def sandbox_of() -> Any:
    """Open further sandboxes, with settings of their own."""
    return open_sandbox


@pytest.fixture(scope="session")
def inside_module(inside_folder: Path) -> Callable[[str], Any]:
    """Import one of the files that start a sandbox; they find each other by bare name."""

    def load(name: str) -> Any:
        sys.path.insert(0, str(inside_folder))
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(str(inside_folder))

    return load


@pytest.fixture(scope="session")
def inside_folder() -> Path:
    """The folder of the files that start a sandbox."""
    return Path(__file__).parents[2] / "src" / "codejury" / "sandbox" / "inside"
