"""The judge's side: holds one problem's tests, calls the candidate over value protocol v1, counts assertions.

A fresh process for each sample, confined like the candidate: tests and a candidate's values may be hostile. Its
word is trusted no further than that: it reports, the host measures.

The host sends one job, JSON with the descriptors of the candidate's pipes, and gets frames
`{"tests": [[line, outcome, microseconds], …], "end": …}`; only the last one has an end. Standard library alone;
from Python 3.9 on.
"""

from __future__ import annotations

import gc
import os
import select
import sys

import codec
import frames
import inputs
import objects
import outside
import stdio
import suites
from instrument import compile_tests, examine
from recorder import Recorder, Stop, packed, unpacked

TYPE_CHECKING = False  # typing is one module more in each process
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType
    from typing import Any, NoReturn

WRITES = False
FORKS = LATE = False
PRELOAD = (
    *("ast", "random", "math", "copy", "decimal", "fractions", "datetime", "string", "re"),
    *("heapq", "bisect", "itertools", "functools", "operator", "unittest"),
)


def channel() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A socket pair: job and report. (own ends, the host's ends)."""
    import _socket

    mine, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    return (mine.detach(),), (theirs.detach(),)


def warm_up() -> None:
    """Import what most tests use, and judge a small program a few times: children find caches filled."""
    for name in PRELOAD:
        __import__(name)
    try:
        import pytest  # noqa: F401 - where it is shown, tests are for it: 110 ms, once
    except Exception:  # noqa: S110 - not shown; or broken, then its tests say so
        pass
    warm_tests()


def play(host: int) -> NoReturn:
    """Take a job, judge it, report; another only after a pass that left nothing behind."""
    import _socket

    gc.disable()  # the process lives for a few samples at most
    random = sys.modules["random"]
    state = random.getstate()
    code = runs = None
    sock = _socket.socket(fileno=host)
    while True:
        head, ancillary, _, _ = sock.recvmsg(4, _socket.CMSG_SPACE(8))
        if len(head) < 4:
            os._exit(0)
        fds = [int.from_bytes(ancillary[0][2][i : i + 4], "little") for i in (0, 4)]
        job = codec.loads(frames.read_exactly(host, int.from_bytes(head, "little")).decode())
        judge = Judge(job, host, *fds)
        judge.code, judge.runs = code, runs  # of the sample before, which had the same tests
        judge.run()
        code, runs = judge.code, judge.runs
        if not judge.again:
            os._exit(0)
        for fd in fds:
            os.close(fd)
        random.setstate(state)


class Judge(Recorder):
    """One sample before one problem's tests."""

    def __init__(self, job: dict[str, Any], host: int, requests: int, replies: int) -> None:
        super().__init__(job)
        self.host, self.requests, self.replies = host, requests, replies
        self.number = 0  # requests that were answered
        self.kept: dict[tuple[int, int], list[Any]] = {}  # (frame, index) -> [container, text of its content]
        self.handles: list[objects.Handle] = []  # of objects that stay with the candidate
        self.methods: set[str] = set()  # of these objects
        self.calls, self.changed = 0, False
        self.acting: str | None = None
        self.gone_line = 0
        self.code: tuple[CodeType | None, list[CodeType]] | None = None
        self.runs: tuple[list[list[str]], dict[str, Any]] | None = None  # cases and checker of a whole program
        self.right: Callable[[str, str, str], str] | None = None  # says what is wrong with what a program wrote
        self.place = 0  # of the test that is being run, where tests have no source
        self.again = False  # this process may judge a further sample of the same problem
        self.recorded: list[str] | None = None  # outputs of the reference, as texts of the value protocol

    # ---- the whole job

    def run(self) -> None:
        """Load, test, report."""
        try:
            try:
                code = self.prepare()
            except (SyntaxError, ValueError) as error:
                self.end("problem", f"its tests do not compile: {type(error).__name__}: {error}")
                return
            if self.load():
                if self.job["together"]:
                    outside.run(self, code)
                elif self.job["tests"]["kind"] == "inputs":
                    inputs.run(self)
                elif self.right is not None:
                    stdio.run(self, self.right)
                elif self.job["tests"]["kind"] in suites.KINDS:
                    suites.run_tests(self, code, self.proxy())
                else:
                    self.run_tests(code, self.proxy())
        except Stop:
            pass
        except MemoryError:
            self.sticky = self.sticky or ("out_of_memory", "the tests ran out of memory on the candidate's values")
        self.conclude()

    def load(self) -> bool:
        """Have the candidate load its program; whether it could."""
        job = self.job
        first = [job["source"], job["entry"], job["most"], job["limits"]]
        if self.right is not None:
            first[1:3] = job["tests"]["output_bytes"], job["tests"]["cpu_s"]
        if job["together"]:
            first.append(job["tests"]["kind"])
        reply = self.exchange(codec.dumps(first).encode())
        kind = reply[0]
        if kind == "ok":
            return True
        if kind == "syntax":
            self.sticky = "syntax_error", f"{reply[1]}: {reply[2]}"
        elif kind == "missing":
            self.sticky = "exception", f"NameError: name {reply[1]!r} is not defined"
        elif kind == "!":
            name, text = str(reply[1][1]), str(reply[1][4])
            outcome = "early_exit" if "SystemExit" in reply[1][2] else "exception"
            self.sticky = outcome, f"while loading: {name}: {text}"
        else:
            self.sticky = "tampered", "an unknown reply"
        return False

    def conclude(self) -> None:
        """The last word."""
        if self.sticky is None and self.failed:
            self.sticky = self.first_failure
        if self.sticky is None and not self.calls:
            self.sticky = "problem", "its tests never call the candidate"
        if self.sticky is None and not self.finished:
            self.sticky = "problem", "its tests finish no assertion"
        if self.sticky is None and select.select([self.replies], [], [], 0)[0]:
            self.sticky = "tampered", "bytes that nobody asked for"
        self.again = self.job["again"] and not (self.sticky or self.changed or self.kept)
        self.end(*(self.sticky or ("passed", "")))

    # ---- calls

    def proxy(self) -> Callable[..., Any]:
        """The candidate's function as the tests see it: a plain function of that name."""

        def candidate(*args: Any, **kwargs: Any) -> Any:
            return self.call(args, kwargs)

        candidate.__name__ = candidate.__qualname__ = self.job["entry"]
        return candidate

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any], *of: Any) -> Any:
        """One call, of the entry point or `of` an object's number and the name of what is done to it.

        Returns what it returns, and raises what it raises.
        """
        if self.sticky:
            raise Stop
        frame = 2 * self.number
        writer = codec.Writer(frame, {id(entry[0]): list(key) for key, entry in self.kept.items()})
        try:
            sent = [writer.items(args), [[k, writer.value(v)] for k, v in kwargs.items()]]
            # after the arguments: both sides count containers in the order of the frame
            changes = [
                [*key, writer.content(x)]
                for key, (x, text) in self.kept.items()
                if codec.content_text(x, codec.HOSTILE) != text
            ]
            body = codec.dumps([*sent, changes, *of])
        except codec.Rejected as error:
            self.sticky = "problem", f"an argument of its tests cannot be sent: {error}"
            raise Stop from None
        self.calls += 1
        reply = self.exchange(body.encode())
        try:
            raised, value = self.value_of(reply, frame, writer.nodes, of)
        except codec.HOSTILE as error:
            self.settle("rejected_value", f"{type(error).__name__}: {str(error)[:300]}")
        if not raised:
            return value
        if not isinstance(value, Exception):
            outcome = "early_exit" if isinstance(value, SystemExit) else "exception"
            self.settle(outcome, f"{type(value).__name__}: {str(value)[:300]}")
        self.thrown = value
        raise value

    def value_of(self, reply: Any, frame: int, sent: Sequence[Any], of: Sequence[Any]) -> tuple[bool, Any]:
        """Whether a reply raises, and what it returns or raises; containers are changed as it says."""
        kind = reply[0]
        if kind == "?":
            self.settle("output_limit" if len(reply) > 2 else "rejected_value", str(reply[1]))
        if kind not in ("=", "!") and not self.takes_object(kind, of):
            raise ValueError("an unknown reply, or an object where a plain value is needed")
        earlier = {(frame, i): x for i, x in enumerate(sent)}
        earlier.update((key, entry[0]) for key, entry in self.kept.items())
        _, value, updates, keep = reply
        changed = [(f, i) for f, i, _ in updates if f == frame]
        if changed:
            self.changed = True
            if not self.job["apply"]:
                # The test keeps its arguments as they were; what the candidate returns shows the change.
                earlier.update((key, copy_of(earlier[key])) for key in changed)
        reader = codec.Reader(frame + 1, lambda *key: earlier[key], self.namespace)
        if kind == "#":
            value = self.handle(value)
        elif kind == "m":
            value = objects.METHOD
        else:
            value = reader.value(value) if kind == "=" else codec.make_exception(reader, value)
        contents = [(earlier[f, i], reader.content(x)) for f, i, x in updates]
        for old, new in contents:
            codec.replace(old, new)
        if keep or self.kept:
            earlier.update(((frame + 1, i), x) for i, x in enumerate(reader.nodes))
            self.kept = {
                (f, i): [earlier[f, i], codec.content_text(earlier[f, i], codec.HOSTILE)] for f, i in keep
            }
        if kind == "!" and (isinstance(value, Stop) or not isinstance(value, BaseException)):
            raise ValueError("not an exception")
        return kind == "!", value

    def takes_object(self, kind: str, of: Sequence[Any]) -> bool:
        """Whether what was asked may be answered by an object, or by an attribute that can be called.

        Whether objects are taken at all is the problem's, as its reference shows; no method ever gives one.
        """
        if not self.job["objects"]:
            return False
        return not of if kind == "#" else kind == "m" and bool(of) and of[1][0] == objects.READ_ATTRIBUTE

    def handle(self, number: Any) -> objects.Handle:
        """The handle of an object; objects are numbered in the order in which they come."""
        if number == len(self.handles):
            self.handles.append(objects.Handle(number, self.ask, self.methods))
        if type(number) is not int or not 0 <= number < len(self.handles):
            raise ValueError("an object's number")
        return self.handles[number]

    def ask(self, number: int, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do something to an object."""
        return self.call(args, kwargs, number, name)

    def settle(self, outcome: str, detail: str) -> NoReturn:
        """End the tests: the one that is being run has failed, whatever it may catch."""
        self.sticky = outcome, detail
        line = self.calling_line()
        if line:  # not while the program is loaded
            self.note(line, outcome)
        raise Stop from None

    def calling_line(self) -> int:
        """The line of the tests that is being run."""
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - inspect is one module more, and does the same
        while frame is not None and frame.f_code.co_filename != "<tests>":
            frame = frame.f_back
        return frame.f_lineno if frame is not None else self.place

    def exchange(self, body: bytes) -> Any:
        """One request and its reply."""
        nonce = int.from_bytes(os.urandom(4), "little")  # so that no answer can be sent ahead of its request
        try:
            frames.send(self.requests, nonce, body)
            number, reply = frames.receive(self.replies, self.job["most"] + 65536)
        except frames.Gone:
            self.sticky = "gone", ""
            self.gone_line = self.calling_line()
            raise Stop from None
        except frames.TooLarge:
            self.settle("output_limit", "a reply over the limit")
        if number != nonce:
            self.settle("tampered", "a reply to another request")
        self.number += 1
        try:
            return codec.loads(reply.decode("ascii"))
        except codec.HOSTILE as error:
            self.settle("rejected_value", f"{type(error).__name__}: {str(error)[:300]}")

    # ---- reports

    def end(self, outcome: str, detail: str) -> None:
        """The final frame."""
        self.report({
            "tests": self.tests,
            "expected": self.recorded,
            "end": {
                "outcome": outcome,
                "detail": detail[:1000],
                "calls": self.calls,
                "finished": self.finished,
                "changed": self.changed,
                "line": self.gone_line,
                "killed": self.sequence - 1 if self.inside else -1,
                "acting": self.acting,
                "again": self.again,
                "objects": bool(self.handles),
            },
        })  # fmt: skip

    def report(self, message: dict[str, Any]) -> None:
        """One frame to the host."""
        data = codec.dumps(message).encode()
        data = len(data).to_bytes(4, "little") + data
        while data:
            data = data[os.write(self.host, data) :]

    # ---- instrumentation

    def prepare(self) -> tuple[CodeType | None, list[CodeType]]:
        """Code of context and tests: as a former judge of this problem made it, or made now.

        What is made is told to the host before the candidate has said a word, so that no candidate can have part
        in the code that judges others.
        """
        if self.job["tests"]["kind"] == "inputs":
            if self.job["scan"]:
                self.acting, lasting = inputs.examine(self.job["tests"])
                self.report({"tests": [], "lasting": lasting})
            return None, []
        if self.job["tests"]["kind"] == "stdio":
            self.right = stdio.prepare(self)
            return None, []
        given = self.job["code"]
        if given is None and self.code is not None:
            return self.code
        if given is not None:
            self.code = unpacked(given)
            return self.code
        tests = self.job["tests"]
        parts = outside.parts(self.job)
        entry, every, module = self.job["entry"], self.job["all"], tests.get("module")
        made, acting, lasting = examine(tests["context"], parts, entry, every, module)
        if self.job["scan"]:
            self.acting = acting
            observing = outside.observing(self.job)
            self.report({"tests": [], "lasting": lasting, "code": packed(made), "observing": observing})
        if self.job["controls"]:
            self.report({"tests": [], "controls": outside.edits(self.job)})
        return made


def copy_of(container: Any) -> Any:
    """A container of the same type and content, with an identity of its own."""
    import copy

    return copy.copy(container)


def warm_tests() -> None:
    """Judge a small program a few times, so that children find caches filled and code specialised."""
    import candidate

    test = (
        "def check(c):\n    for i in range(3):\n"
        "        assert c(i, [i]) == [i], 'no'\n        assert c(1, []) == []\n"
    )
    job: dict[str, Any] = {
        "source": "def f(n, x):\n    return list(x)\n",
        "entry": "f",
        "most": 1 << 20,
        "limits": [],
        "again": False,
        "objects": False,
        "together": False,
        "edit": None,
        "controls": False,
        "tests": {"kind": "code", "code": test, "context": "from typing import List\n", "function": "check"},
        "all": False,
        "apply": True,
        "scan": True,
        "skip": [],
        "code": None,
    }
    made = compile_tests(job["tests"]["context"], [test], "f", False)
    host = os.open(os.devnull, os.O_WRONLY)
    for turn in range(16):
        job["code"] = packed(made) if turn > 2 else None
        requests, replies = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(requests[1])
            candidate.play(requests[0], replies[1])
        os.close(requests[0])
        os.close(replies[1])
        Judge(codec.loads(codec.dumps(job)), host, requests[1], replies[0]).run()
        os.close(requests[1])
        os.close(replies[0])
        os.waitpid(pid, 0)
    os.close(host)
