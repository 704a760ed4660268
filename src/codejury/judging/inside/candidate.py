"""The candidate's side of value protocol v1: runs a model's program and calls its function when asked.

It never sees a test or an expected value. Standard library alone; from Python 3.9 on.

Requests: frame 0 `[source, entry point, most bytes of a reply, limits]`, then calls `[args, kwargs, updates]`,
or `[args, kwargs, updates, object, name]` for an object that an earlier call made. A fifth item of frame 0 says
that the tests come here as well (`inprocess`). Replies: `["=", value, updates, keep]`, `["!", exception,
updates, keep]` for a raised one, `["#", object, updates, keep]` for an object of the entry point's own class,
`["m", null, updates, keep]` for an attribute that can be called, `["?", reason]` for a value that does not
cross; to frame 0 `["ok"]`, `["syntax", type, text]`, `["missing", name]` or `["!", exception]`. An update is
`[frame, index, content]`: a container that crossed before has this content now. `keep` lists the containers
that the candidate still holds; all others are forgotten by both sides.
"""

from __future__ import annotations

import gc
import os
import resource
import sys

import codec
import frames
import inprocess
import objects

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn, TypeAlias

    Known: TypeAlias = dict[int, list[int]]  # id of a container -> [frame, index]

WRITES = True
FORKS = LATE = False
MODULE = "__candidate__"
FILE = "candidate.py"  # no such file: inspect asks the loader, which it does not for a name in angle brackets
MOST_KEPT = 1000


def channel() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two pipes: requests to the candidate, replies from it. (own ends, the judge's ends)."""
    request_read, request_write = os.pipe()
    reply_read, reply_write = os.pipe()
    return (request_read, reply_write), (request_write, reply_read)


def play(requests: int, replies: int) -> NoReturn:
    """Answer requests until the judge closes the pipe."""
    try:
        Candidate(requests, replies).run()
    except frames.Gone:
        pass
    os._exit(0)


class Loader:
    """Gives the program's text to inspect and to tracebacks."""

    def __init__(self, source: str) -> None:
        self.source = source

    def get_source(self, _name: str) -> str:
        """The text of the module."""
        return self.source


class Candidate:
    """One program, loaded and called."""

    module = MODULE

    def __init__(self, requests: int, replies: int) -> None:
        self.requests, self.replies = requests, replies
        self.kept: dict[tuple[int, int], list[Any]] = {}  # (frame, index) -> [object, text of its content]
        self.objects: list[Any] = []  # that the tests hold
        self.numbers: dict[int, int] = {}  # id of such an object -> its place
        self.function: Any = None
        self.most = 0

    def run(self) -> NoReturn:
        """Load, then call for ever."""
        nonce, body = frames.receive(self.requests, 1 << 31)
        source, entry, self.most, limits, *kind = codec.loads(body.decode())
        for name, value in limits:  # a problem's own, below those of the lane
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
        if kind:
            inprocess.play(self, nonce, source, entry, kind[0])
        frames.send(self.replies, nonce, self.load(source, entry))
        number = 0
        while True:
            nonce, body = frames.receive(self.requests, 1 << 31)
            number += 1
            reply = self.answer(number, body.decode())
            if len(reply) > self.most:
                reply = codec.dumps(["?", f"a reply of {len(reply)} bytes", "size"]).encode()
            frames.send(self.replies, nonce, reply)

    def load(self, source: str, entry: str) -> bytes:
        """Run the module's body; the reply to frame 0."""
        module: Any = type(sys)(MODULE)
        sys.modules[MODULE] = module
        module.__loader__ = Loader(source)
        module.__file__ = FILE
        try:
            code = compile(source, FILE, "exec", dont_inherit=True, optimize=0)
        except BaseException as error:
            return codec.dumps(["syntax", type(error).__name__, str(error)[:1000]]).encode()
        try:
            exec(code, module.__dict__)
        except BaseException as error:
            return self.raised(1, error, {})[0]
        if entry not in module.__dict__:
            return codec.dumps(["missing", entry]).encode()
        self.function = module.__dict__[entry]
        return b'["ok"]'

    def answer(self, number: int, text: str) -> bytes:
        """One call; the reply as bytes."""
        frame = 2 * number
        reader = codec.Reader(frame, self.find, held=self.objects.__getitem__)
        args, kwargs, updates, *method = codec.loads(text)
        args = reader.fill(args)
        kwargs = {name: reader.value(x) for name, x in kwargs}
        for source_frame, index, content in updates:
            codec.replace(self.find(source_frame, index), reader.content(content))
        refresh(self.kept)
        sent = reader.nodes
        known = {id(x): [frame, i] for i, x in enumerate(sent)}
        known.update((id(entry[0]), list(key)) for key, entry in self.kept.items())
        before = shallow(sent, known) if sent else None
        writer: codec.Writer | None
        try:
            function = objects.operation(self.objects[method[0]], method[1]) if method else self.function
            value = function(*args, **kwargs)
        except BaseException as error:
            reply, writer = self.raised(frame + 1, error, known, sent, before)
        else:
            reply, writer = self.returned(frame + 1, value, known, sent, before, made=not method)
            value = None
        del args, kwargs, reader
        if writer is not None:
            self.keep(frame, sent, writer)
            keep = codec.dumps([list(key) for key in self.kept]) if self.kept else "[]"
            reply = reply[:-1] + b"," + keep.encode() + b"]"
        return reply

    def find(self, frame: int, index: int) -> Any:
        """A container of an earlier frame."""
        return self.kept[frame, index][0]

    def returned(
        self,
        frame: int,
        value: Any,
        known: Known,
        sent: list[Any],
        before: list[str] | None,
        *,
        made: bool,
    ) -> tuple[bytes, codec.Writer | None]:
        """The reply of a call that returned, without its last part; `made`: it was one of the entry point."""
        writer = codec.Writer(frame, known)
        try:
            kind, value = self.told(writer, value, made)
            updates = self.changes(writer, known, sent, before)
            return codec.dumps([kind, value, updates]).encode(), writer
        except BaseException as error:
            reason = (
                str(error) if type(error) is codec.Rejected else f"{type(error).__name__} while reading the value"
            )
            return codec.dumps(["?", reason[:1000]]).encode(), None

    def told(self, writer: codec.Writer, value: Any, made: bool) -> tuple[str, Any]:
        """Kind and body of a reply: a plain value, or an object of the entry point's class, which stays here."""
        if value is objects.METHOD:
            return "m", None
        try:
            return "=", writer.attempt(writer.value, value)
        except codec.Rejected:
            if not (made and type(value) is self.function):
                raise
        number = self.numbers.setdefault(id(value), len(self.objects))
        if number == len(self.objects):
            self.objects.append(value)
        return "#", number

    def raised(
        self,
        frame: int,
        error: BaseException,
        known: Known,
        sent: Sequence[Any] = (),
        before: list[str] | None = None,
    ) -> tuple[bytes, codec.Writer]:
        """The reply of a call that raised, without its last part."""
        writer = codec.Writer(frame, known)
        try:
            body = codec.write_exception(writer, error)
            updates = self.changes(writer, known, sent, before)
            return codec.dumps(["!", body, updates]).encode(), writer
        except BaseException:
            body = ["builtins", "Exception", ["Exception"], [], "an exception that cannot be read", []]
            return codec.dumps(["!", body, []]).encode(), codec.Writer(frame, known)

    def changes(
        self, writer: codec.Writer, known: Known, sent: Sequence[Any], before: list[str] | None
    ) -> list[list[Any]]:
        """Updates for the arguments that the call changed, and for kept containers that it changed."""
        updates: list[list[Any]] = []
        if sent and shallow(sent, known) != before:
            updates += [[*known[id(x)], writer.content(x)] for x in sent]
        for (frame, index), entry in self.kept.items():
            if codec.content_text(entry[0], BaseException) != entry[1]:
                updates.append([frame, index, writer.content(entry[0])])
        return updates

    def keep(self, frame: int, sent: list[Any], writer: codec.Writer) -> None:
        """Find out which containers the program still holds, so that later changes can be told."""
        if not (sent or writer.nodes or self.kept):
            return
        numbered = [((frame, i), x) for i, x in enumerate(sent)]
        numbered += [((writer.frame, i), x) for i, x in enumerate(writer.nodes)]
        numbered += [(key, entry[0]) for key, entry in self.kept.items()]
        self.kept = {}
        writer.nodes, writer.own, writer.known = [], {}, {}
        del sent[:]
        held = externally_held(numbered)
        for key, x in held[-MOST_KEPT:]:
            self.kept[key] = [x, codec.content_text(x, BaseException)]


def shallow(nodes: Sequence[Any], known: Known) -> list[str]:
    """JSON text of each container's content, with references for the containers that are known."""
    return [codec.dumps(codec.Writer(codec.COMPARED, known).content(x)) for x in nodes]


def refresh(kept: dict[tuple[int, int], list[Any]]) -> None:
    """Note the present content of all kept containers."""
    for entry in kept.values():
        entry[1] = codec.content_text(entry[0], BaseException)


def reference_count(holder: list[Any]) -> int:
    """References of the object in a list of one, beyond that list."""
    return sys.getrefcount(holder[0]) - BASE


BASE = 0
BASE = reference_count([object()])


def externally_held(numbered: list[tuple[tuple[int, int], Any]]) -> list[tuple[tuple[int, int], Any]]:
    """Those containers that something outside of this graph refers to, and all that they reach.

    Args:
        numbered: (key, container) pairs; the only references to the containers besides those of the program.
    """
    objects = {id(x): (key, x) for key, x in numbered}
    inner = dict.fromkeys(objects, 0)
    children: dict[int, list[int]] = {}
    for ident, (_, x) in objects.items():
        children[ident] = found = []
        stack: Any = (
            [] if type(x) is list and codec.SCALARS.issuperset(map(type, x)) else list(gc.get_referents(x))
        )
        while stack:
            y = stack.pop()
            if id(y) in inner:
                inner[id(y)] += 1
                found.append(id(y))
            elif type(y) in (tuple, frozenset):
                stack.extend(gc.get_referents(y))
        stack = y = None
    del numbered[:]
    x = None
    result, seen = [], set()
    roots = []
    for ident in list(objects):
        holder = [objects[ident][1]]
        # references: this list's, the pair's in `objects`, and those of the graph itself
        if reference_count(holder) > 1 + inner[ident]:
            roots.append(ident)
        del holder
    while roots:
        ident = roots.pop()
        if ident not in seen:
            seen.add(ident)
            result.append(objects[ident])
            roots.extend(children[ident])
    return sorted(result, key=lambda pair: pair[0])


def warm_up() -> None:
    """Play the whole part a few times, so that children find caches filled and code specialised."""
    source = (
        "from typing import List\nimport math\n"
        "def f(x, y=1) -> List[int]:\n    r = [str(y)]\n    for i in range(3):\n"
        '        r.append(f"{i * 2.5}")\n    x.append(1)\n    return {"a": (sorted(r), x[0])}\n'
        "def g(x): return x == 1 or [x]\n"
    )
    for entry, calls in (
        ("f", ('[[[1,2.5,"a"]],[],[]]', "[[[1,2],2],[],[]]")),
        ("g", ("[[1],[],[]]", "[[2],[],[]]")),
    ):
        for _ in range(20):
            requests, replies = os.pipe(), os.pipe()
            for number, body in enumerate((codec.dumps([source, entry, 1 << 20, []]), *calls, *calls)):
                frames.send(requests[1], number, body.encode())
            os.close(requests[1])
            try:
                Candidate(requests[0], replies[1]).run()
            except frames.Gone:
                pass
            for fd in (requests[0], *replies):
                os.close(fd)
    sys.modules.pop(MODULE, None)
