"""A controller's side of the talk with a worker: its process, its greeting, questions and checked answers.

Whatever runs beside a worker is hostile, so what it says is checked: the form of every frame here, and that it
answers what it was asked, once, where the question is. Anything else, and its end, is an InfrastructureError.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from codejury.engine.wire import (
    WINDOW,
    Cancel,
    Channel,
    Finished,
    FrameError,
    Greeting,
    Judgment,
    More,
    Ready,
    Refused,
    Setup,
    Shown,
    read_greeting,
    read_to_controller,
)
from codejury.model import InfrastructureError, Job, TierUnavailable, UsageError
from codejury.sandbox import CONTAINER, TIERS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from typing import IO

START_S = 180.0
"""Seconds until a worker must be ready: an engine may have to unpack an image."""

END_S = 15.0
"""Seconds that a worker gets to end by itself when its standard input has ended."""

_MOST_SAID = 1000  # characters of a message, and bytes of standard error


class Conversation:
    """A worker's process and what is said with it, one round at a time.

    Args:
        place: Where the worker is, for messages.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self.process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._reader: asyncio.Task[None] | None = None
        self._last_words: asyncio.Task[bytes] | None = None
        self._round: Round | None = None
        self._rounds = 0
        self._fault: InfrastructureError | None = None

    async def start(self, command: Sequence[str], setup: Setup) -> Ready:
        """Start a worker by a command, and wait until it is ready; `close` also what has failed here.

        Raises:
            UsageError: The worker lacks the interpreter or a package.
            TierUnavailable: It gives no isolation.
            InfrastructureError: It does not start, or has another version of codejury.
        """
        self.process = process = await asyncio.to_thread(_popen, command)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._last_words = asyncio.create_task(_last_words(process.stderr))
        self._channel = await Channel.open(process.stdout, process.stdin)
        try:
            async with asyncio.timeout(START_S):
                ready = await self._meet(self._channel, setup)
        except TimeoutError:
            raise InfrastructureError(f"{self.place} is not ready after {START_S:g} s") from None
        except (FrameError, msgspec.MsgspecError) as error:
            raise self.nonsense(str(error)) from None
        except OSError:
            raise await self._ended() from None
        self._reader = asyncio.create_task(self._read(self._channel))
        return ready

    async def close(self) -> int | None:
        """End the worker's standard input, and so the worker; its exit status, None if it does not end."""
        process = self.process
        if process is None:
            return 0
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        if self._channel is not None:
            await self._channel.close(drop=True)
        try:
            return await asyncio.to_thread(_wait, process)
        finally:
            if self._last_words is not None:
                self._last_words.cancel()
                await asyncio.gather(self._last_words, return_exceptions=True)

    @contextlib.asynccontextmanager
    async def round(self) -> AsyncGenerator[Round, None]:
        """A round of questions and answers; what is left of it is given up at the end."""
        if self._fault is not None:
            raise self._fault
        self._rounds += 1
        now = self._round = Round(self._rounds)
        try:
            yield now
        finally:
            self._round = None
            now.discard()
            if not now.finished and self._fault is None:
                with contextlib.suppress(InfrastructureError):
                    await self.send(Cancel())

    async def send(self, message: msgspec.Struct) -> None:
        """Send one frame; raises InfrastructureError."""
        assert self._channel is not None
        try:
            await self._channel.send(message)
        except FrameError as error:
            raise InfrastructureError(f"{type(message).__name__.lower()}: {error}") from None
        except OSError:
            raise self._fault or await self._ended() from None

    def nonsense(self, what: str) -> InfrastructureError:
        """The error of a worker that does not do as it should; it is not listened to any more."""
        self._fault = InfrastructureError(f"{self.place} breaks the protocol: {line_of(what)}")
        return self._fault

    async def _meet(self, channel: Channel, setup: Setup) -> Ready:
        """Greetings, setup, and what a worker makes of it."""
        frame = await channel.receive()
        if frame is None:
            raise await self._ended()
        there, here = read_greeting(frame), Greeting.here()
        if there != here:
            raise InfrastructureError(f"{self.place} has {line_of(str(there))}, and this is {here}: build it anew")
        await channel.send(setup)
        frame = await channel.receive()
        if frame is None:
            raise await self._ended()
        said = read_to_controller(frame)
        if isinstance(said, Refused):
            raise self._refusal(said)
        if not isinstance(said, Ready) or said.tier not in TIERS or said.slots < 1:
            raise FrameError("it does not say that it is ready")
        if not set(setup.packages) <= set(said.packages) <= {*setup.packages, *setup.optional}:
            raise FrameError("it shows other packages than it was told to")
        return said

    def _refusal(self, said: Refused) -> UsageError | InfrastructureError:
        message = f"{line_of(said.message)} (in {self.place})"
        if said.kind == "tier":
            return TierUnavailable(CONTAINER, f"isolation inside: {line_of(said.layer)}", message)
        return UsageError(message) if said.kind == "usage" else InfrastructureError(message)

    async def _read(self, channel: Channel) -> None:
        """Give answers to their round, until the worker says no more."""
        try:
            while (frame := await channel.receive()) is not None:
                await self._hear(frame)
            fault = await self._ended()
        except (FrameError, msgspec.MsgspecError, ValueError) as error:  # a ValueError: more room than there was
            fault = self.nonsense(str(error))
        except OSError:
            fault = await self._ended()
        self._fault = self._fault or fault
        if self._round is not None:
            await self._round.put(self._fault)

    async def _hear(self, frame: bytes) -> None:
        message = read_to_controller(frame)
        now = self._round
        if isinstance(message, Ready | Refused):
            raise FrameError("it is ready a second time")
        if now is None or message.round != now.number:
            return
        if isinstance(message, More):
            now.room.release()
        else:
            await now.put(message)

    async def _ended(self) -> InfrastructureError:
        """The error of a worker that is gone."""
        assert self.process is not None
        assert self._last_words is not None
        status = await asyncio.to_thread(_wait, self.process)
        if status is None:
            return InfrastructureError(f"{self.place} says nothing any more")
        said = await asyncio.shield(self._last_words)
        last = line_of(said.decode(errors="replace"))
        return InfrastructureError(f"{self.place} ended with status {status}" + (f": {last}" if last else ""))


class Round:
    """Questions and their answers.

    Attributes:
        number: In each answer of the round.
        room: How many jobs the worker may be sent; giving back more than there were is a ValueError.
        jobs: Under way, by number.
        programs: How many of them have a program.
        sent: Number of jobs that were sent.
        ended: Whether all were.
        finished: Whether all is answered, or has failed.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.room = asyncio.BoundedSemaphore(WINDOW)
        self.jobs: dict[int, Job] = {}
        self.programs: Counter[str] = Counter()
        self.sent = 0
        self.ended = self.finished = False
        self._answers: asyncio.Queue[_Answer] = asyncio.Queue(WINDOW)
        self._discarded = False

    async def put(self, answer: _Answer) -> None:
        """Give an answer to whoever takes them; waits while there are many."""
        if not self._discarded:
            await self._answers.put(answer)

    async def next(self) -> Shown | Judgment | None:
        """The next answer; None at the end. Raises what went wrong."""
        answer = await self._answers.get()
        if isinstance(answer, Exception):
            raise answer
        if not isinstance(answer, Finished):
            return answer
        self.finished = True
        if answer.error is not None:
            raise InfrastructureError(line_of(answer.error))
        return None

    def discard(self) -> None:
        """Take no more answers."""
        self._discarded = True
        while not self._answers.empty():
            self._answers.get_nowait()


_Answer = Shown | Judgment | Finished | Exception


def line_of(text: str) -> str:
    """What a worker says as one line of bounded length."""
    return " ".join(text.split())[:_MOST_SAID]


def _popen(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """A process in a session of its own: Ctrl-C is the controller's alone."""
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, bufsize=0)


def _wait(process: subprocess.Popen[bytes]) -> int | None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        return process.wait(END_S)
    return None


async def _last_words(stream: IO[bytes]) -> bytes:
    """The end of what a process writes to its standard error."""
    reader, said = asyncio.StreamReader(), b""
    reading, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), stream
    )
    try:
        while data := await reader.read(_MOST_SAID):
            said = (said + data)[-_MOST_SAID:]
    finally:
        reading.close()
    return said
