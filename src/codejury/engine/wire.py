"""What a controller and a worker in a container say to each other: frames of JSON over a pair of pipes.

A frame is a length of four bytes, little-endian, and so many bytes of JSON. The worker greets first, in a form
that no version changes, so that another version is refused with a clear word. Then:

controller   Setup                                    worker   Ready, or Refused
             Hold, Measure                                     Shown for each problem, Finished
             Begin, Hold, Known, Source, Work …, End           More for each job taken, Judgment …, Finished
             Forget, Cancel

Problems are sent once, programs once while a job with them is under way. At most WINDOW jobs lie ready that the
worker's engine has not fetched. All answers carry the number of their round, so that those of a round that was
given up are told apart.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import IO, TYPE_CHECKING, Literal

import msgspec

from codejury._version import __version__
from codejury.judging import JUDGE_VERSION, Profile
from codejury.model import MIB, Confirm, Job, Limits, Machine, Problem, Verdict
from codejury.sandbox import Interpreter

if TYPE_CHECKING:
    from collections.abc import Callable

PROTOCOL = 1
"""Of this module. Another one is refused."""

WINDOW = 32
"""Jobs that lie ready for a worker."""

MOST_BYTES = 256 * MIB
"""Of a frame: four times what a judge may report, since JSON in JSON grows."""

_HEAD = 4


class FrameError(Exception):
    """What came is no frame, or none that is known."""


class Greeting(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's first word. Fields are only ever added.

    Attributes:
        codejury: Its version of this package.
        judge: Its JUDGE_VERSION.
        protocol: Its PROTOCOL.
    """

    codejury: str
    judge: str
    protocol: int

    @classmethod
    def here(cls) -> Greeting:
        """Of this package."""
        return cls(codejury=__version__, judge=JUDGE_VERSION, protocol=PROTOCOL)

    def __str__(self) -> str:
        return f"codejury {self.codejury} (judge version {self.judge}, protocol {self.protocol})"


class _Tagged(msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="is"):
    """A frame after the greeting."""


class Setup(_Tagged, frozen=True, kw_only=True):
    """What a worker's engine is made with; see `LocalEngine`.

    Attributes:
        limits: The largest of any job.
        slots: Samples under way at once; None for the usable cores, but at most `most_slots`.
        most_slots: What the container's own limits are made for.
        packages: Import names that candidates see.
        optional: The same, of those that are installed.
        python: Interpreter in the image; None for the worker's own.
    """

    limits: Limits
    slots: int | None
    most_slots: int
    packages: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    python: str | None = None


class Hold(_Tagged, frozen=True, kw_only=True):
    """A problem, for as long as the worker lives."""

    problem: Problem


class Measure(_Tagged, frozen=True, kw_only=True):
    """Judge references; a round of its own.

    Attributes:
        round: Its number.
        items: Hashes of problems, with their limits.
        all_tests, confirm: See `LocalEngine.profile`.
    """

    round: int
    items: tuple[tuple[str, Limits], ...]
    all_tests: bool
    confirm: Confirm = "auto"


class Begin(_Tagged, frozen=True, kw_only=True):
    """A round of jobs begins."""

    round: int


class Known(_Tagged, frozen=True, kw_only=True):
    """What a problem's reference showed, for the jobs of this round."""

    problem_hash: str
    profile: Profile | None


class Source(_Tagged, frozen=True, kw_only=True):
    """A program, until it is forgotten: UTF-8, with lone surrogates."""

    program_hash: str
    text: bytes


class Forget(_Tagged, frozen=True, kw_only=True):
    """No job under way has this program any more."""

    program_hash: str


class Work(_Tagged, frozen=True, kw_only=True):
    """A job.

    Attributes:
        job: Its key is its number in decimal digits.
    """

    job: Job


class End(_Tagged, frozen=True, kw_only=True):
    """No more jobs in this round."""


class Cancel(_Tagged, frozen=True, kw_only=True):
    """Give up the present round, and forget its programs."""


class Ready(_Tagged, frozen=True, kw_only=True):
    """A worker can judge.

    Attributes:
        tier: Isolation inside the container, one of `sandbox.TIERS`.
        note: Why it is not a stronger one.
        interpreter: Runs candidates and tests.
        machine: As it looks from inside.
        slots: Samples under way at once.
        packages: Import names that candidates see.
    """

    tier: str
    note: str | None
    interpreter: Interpreter
    machine: Machine
    slots: int
    packages: tuple[str, ...] = ()


class Refused(_Tagged, frozen=True, kw_only=True):
    """A worker cannot judge.

    Attributes:
        kind: Which error it is: of the call, of isolation, of anything else.
        message: One line.
        layer: The layer that is missing, where isolation is.
    """

    kind: Literal["usage", "tier", "infrastructure"]
    message: str
    layer: str = ""


class More(_Tagged, frozen=True, kw_only=True):
    """A job was taken: there is room for one."""

    round: int


class Shown(_Tagged, frozen=True, kw_only=True):
    """What a reference showed."""

    round: int
    problem_hash: str
    profile: Profile | None


class Judgment(_Tagged, frozen=True, kw_only=True):
    """The verdict on a job."""

    round: int
    number: int
    verdict: Verdict


class Finished(_Tagged, frozen=True, kw_only=True):
    """All of a round is answered, or it failed.

    Attributes:
        round: Its number.
        error: Why it failed.
    """

    round: int
    error: str | None = None


ToWorker = Setup | Hold | Measure | Begin | Known | Source | Forget | Work | End | Cancel
ToController = Ready | Refused | More | Shown | Judgment | Finished

read_greeting: Callable[[bytes], Greeting] = msgspec.json.Decoder(Greeting).decode
read_to_worker: Callable[[bytes], ToWorker] = msgspec.json.Decoder(ToWorker).decode
read_to_controller: Callable[[bytes], ToController] = msgspec.json.Decoder(ToController).decode


class Channel:
    """A pair of pipes that carries frames; make it with `open`."""

    def __init__(
        self, reader: asyncio.StreamReader, reading: asyncio.ReadTransport, writer: asyncio.StreamWriter
    ) -> None:
        self.reader, self.reading, self.writer = reader, reading, writer

    @classmethod
    async def open(cls, incoming: IO[bytes], outgoing: IO[bytes]) -> Channel:
        """Take over two pipes; they are closed with the channel."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=MIB)
        reading, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
        spare = asyncio.StreamReader()  # the protocol is used for its control of the flow alone
        transport, protocol = await loop.connect_write_pipe(lambda: asyncio.StreamReaderProtocol(spare), outgoing)
        return cls(reader, reading, asyncio.StreamWriter(transport, protocol, None, loop))

    async def send(self, *messages: msgspec.Struct) -> None:
        """Send frames; waits while the other side does not read. OSError where it is gone."""
        for message in messages:
            data = msgspec.json.encode(message)
            if len(data) > MOST_BYTES:
                raise FrameError(f"{len(data)} bytes are more than the {MOST_BYTES} of a frame")
            self.writer.write(len(data).to_bytes(_HEAD, "little") + data)
        await self.writer.drain()

    async def receive(self) -> bytes | None:
        """The next frame; None at the end. Raises FrameError where it is too large or broken off."""
        try:
            size = int.from_bytes(await self.reader.readexactly(_HEAD), "little")
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise FrameError("a frame was broken off") from None
            return None
        if size > MOST_BYTES:
            raise FrameError(f"a frame of {size} bytes was announced")
        try:
            return await self.reader.readexactly(size)
        except asyncio.IncompleteReadError:
            raise FrameError("a frame was broken off") from None

    async def close(self, *, drop: bool = False) -> None:
        """Close both pipes.

        Args:
            drop: Without waiting until the other side has read what was sent.
        """
        if drop and not self.writer.is_closing():
            self.writer.transport.abort()
        self.writer.close()
        self.reading.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()
