r"""Attacks on the channel between candidate and judge, without knowing its format.

Class "forge" and point 11. The candidate's process holds both ends of its side of the channel, so it can find the
descriptors, put itself between the runtime and the judge (`tap`), record true frames and send them again, earlier,
later, changed, cut or without end. Sending the right answer to the call at hand is no forgery; every program here
answers some call wrongly, and only a frame that is taken for another call's answer could pass it.
"""

from __future__ import annotations

from .case import FAILS, Case, source
from .tasks import BIG_ARGUMENT, INCREMENT, THRICE

TAP = source(
    """
    import fcntl, itertools, os, stat, threading, time

    def channels(ways):
        found = []
        for fd in range(1024):
            try:
                mode = os.fstat(fd).st_mode
                way = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE
            except OSError:
                continue
            if (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and way in ways:
                found.append(fd)
        return found

    def outgoing():
        return channels((os.O_WRONLY, os.O_RDWR))

    def incoming():
        return channels((os.O_RDONLY, os.O_RDWR))

    def spray(data, fds=None):
        for fd in outgoing() if fds is None else fds:
            try:
                os.write(fd, data)
            except OSError:
                pass

    def tap(change):
        # change(n, frame) gives the list of what goes out instead of the n-th frame
        for fd in outgoing():
            real = os.dup(fd)
            inner, outer = os.pipe()
            os.dup2(outer, fd)
            os.close(outer)
            threading.Thread(target=pump, args=(inner, real, change), daemon=True).start()

    def pump(inner, real, change):
        for n in itertools.count():
            frame = os.read(inner, 1 << 20)
            if not frame:
                return
            for part in change(n, frame):
                while part:
                    part = part[os.write(real, part):]

    calls = 0

    def count():
        global calls
        calls += 1
        return calls

    """
)


def _tapped(change: str) -> str:
    """A program that is right once; its frames go through `change(n, frame)` from the first reply on."""
    return (
        f"{source(change)}\n"
        "def f(x):\n"
        "    if count() == 1:\n"
        "        tap(change)\n"
        "    return 2 if calls == 1 else 0\n"
    )


_REPLAYS = (
    (
        "late-second-frame",
        """
        def change(n, frame):
            return [frame] * 3 if n == 0 else []
        """,
    ),
    (
        "late-frame-after-a-pause",
        """
        def change(n, frame):
            yield frame
            if n == 0:
                for _ in range(2):
                    time.sleep(0.05)
                    yield frame
        """,
    ),
    (
        "first-frame-again",
        """
        frames = []

        def change(n, frame):
            frames.append(frame)
            return frames[:1]
        """,
    ),
    (
        "next-frame-foreseen",
        """
        def change(n, frame):
            if n:
                return []
            one_more = lambda k: bytes(min(b + k, 255) if b == 1 else b for b in frame)
            return [frame, one_more(1), one_more(2)]
        """,
    ),
    (
        "every-small-byte-counted-up",
        """
        def change(n, frame):
            if n:
                return []
            out = [frame]
            for k in (1, 2):
                for i, b in enumerate(frame):
                    if b < 3:
                        out.append(frame[:i] + bytes([b + k]) + frame[i + 1:])
            return out
        """,
    ),
    (
        "two-frames-in-one-write",
        """
        def change(n, frame):
            return [frame + frame + frame] if n == 0 else []
        """,
    ),
    (
        "frame-and-a-half",
        """
        def change(n, frame):
            return [frame + frame[: len(frame) // 2]] if n == 0 else [frame]
        """,
    ),
    (
        "trailing-byte",
        """
        def change(n, frame):
            return [frame, b"\\0"]
        """,
    ),
    (
        "answers-swapped",
        """
        held = []

        def change(n, frame):
            held.append(frame)
            return held[::-1] if n == 1 else [] if n == 0 else [frame]
        """,
    ),
)
_DAMAGES = (
    ("nothing-at-all", "return []"),
    ("half-a-frame", "return [frame[: len(frame) // 2]]"),
    ("all-but-a-byte", "return [frame[:-1]]"),
    ("one-byte", "return [frame[:1]]"),
    ("length-of-ff", "return [b'\\xff' * 8 + frame[8:]]"),
    ("length-of-7f", "return [b'\\x7f' * 4 + frame[4:]]"),
    ("length-of-2-gb", "return [(2 ** 31 - 1).to_bytes(4, 'little') + frame[4:]]"),
    ("length-of-2-gb-big-endian", "return [(2 ** 31 - 1).to_bytes(4, 'big') + frame[4:]]"),
    ("length-of-zero", "return [bytes(8) + frame[8:]]"),
    ("reversed", "return [frame[::-1]]"),
    ("bits-flipped", "return [bytes(b ^ 255 for b in frame)]"),
    ("lowest-bits-flipped", "return [bytes(b ^ 1 for b in frame)]"),
    ("as-text-lines", "return [b'true\\n' * 9, b'passed\\n', b'{\"outcome\": \"passed\"}\\n']"),
    ("as-deep-json", "return [b'[' * 200_000 + b'\\n']"),
    ("as-pickle", "return [b'cos\\n_exit\\n(I0\\ntR.']"),
    ("as-marshal", "import marshal; return [marshal.dumps((1, True, 'passed'))]"),
    ("one-byte-at-a-time-for-ever", "return (time.sleep(0.05) or b'\\0' for _ in iter(int, 1))"),
    ("without-end", "return (b'\\0' * 65536 for _ in iter(int, 1))"),
    ("frame-without-end", "return (frame for _ in iter(int, 1))"),
    ("then-closed", "[os.close(fd) for fd in outgoing()]; return []"),
)

_SECOND_TRY = (
    THRICE.case(
        "frame-for-the-third-call-computed",
        "11",
        """
        frames = []

        def change(n, frame):
            frames.append(frame)
            if n == 0:
                return [frame]
            if n == 1:
                step = bytes((2 * b - a) & 255 for a, b in zip(*frames))
                return [frame, step]
            return []

        def f(x):
            if count() == 1:
                tap(change)
            return 2 if calls < 3 else 0
        """,
        FAILS,
        "two true frames tell the byte that counts; the third answer is sent ahead of its request",
        prelude=TAP,
    ),
    THRICE.case(
        "processes-answer-together",
        "11",
        """
        def f(x):
            if count() == 1:
                os.fork()
                os.fork()
                return 2
            return 0
        """,
        FAILS,
        "four processes send the first answer",
        prelude=TAP,
    ),
    THRICE.case(
        "thread-steals-requests",
        "11",
        """
        def steal():
            while True:
                for fd in incoming():
                    if fd > 2:
                        try:
                            spray(os.read(fd, 65536))
                        except OSError:
                            pass

        def f(x):
            if count() == 1:
                threading.Thread(target=steal, daemon=True).start()
            return 2 if calls == 1 else 0
        """,
        FAILS,
        "requests are read away and sent back as answers",
        prelude=TAP,
    ),
    THRICE.case(
        "daemon-answers-later",
        "11",
        """
        def f(x):
            if count() == 1 and os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    return 2
                os._exit(0)
            time.sleep(0.1)
            return 2 if calls == 1 else 0
        """,
        FAILS,
        "a grandchild answers the first call a second time",
        prelude=TAP,
    ),
    THRICE.case(
        "descriptors-moved",
        "forge",
        """
        def f(x):
            if count() == 1:
                for fd in incoming() + outgoing():
                    os.dup2(os.open("/dev/null", os.O_RDWR), fd)
            return 2 if calls == 1 else 0
        """,
        FAILS,
        prelude=TAP,
    ),
    THRICE.case(
        "descriptors-crossed",
        "forge",
        """
        def f(x):
            if count() == 1:
                ins, outs = incoming(), outgoing()
                for fd in ins:
                    for other in outs:
                        os.dup2(other, fd)
            return 2 if calls == 1 else 0
        """,
        FAILS,
        prelude=TAP,
    ),
    THRICE.case(
        "descriptors-not-blocking",
        "forge",
        """
        def f(x):
            for fd in incoming() + outgoing():
                os.set_blocking(fd, False)
            return 2 if count() == 1 else 0
        """,
        FAILS,
        "the flag belongs to the open file, which a socket pair would not share but a dup would",
        prelude=TAP,
    ),
    THRICE.case(
        "pipe-shrunk",
        "forge",
        """
        def f(x):
            for fd in incoming() + outgoing():
                try:
                    fcntl.fcntl(fd, 1031, 4096)
                except OSError:
                    pass
            return 2 if count() == 1 else 0
        """,
        FAILS,
        "F_SETPIPE_SZ",
        prelude=TAP,
    ),
    BIG_ARGUMENT.case(
        "pipe-filled-from-inside",
        "forge",
        """
        def f(x):
            for fd in incoming():
                try:
                    with open(f"/dev/fd/{fd}", "wb", buffering=0) as other_end:
                        other_end.write(b"\\0" * 4096)
                except OSError:
                    pass
            return 2_000_000
        """,
        FAILS,
        prelude=TAP,
    ),
    INCREMENT.case(
        "answers-before-it-is-asked",
        "forge",
        """
        spray(b"\\x02" * 64)
        spray(b"2\\n42\\n" * 64)

        def f(x):
            return 0
        """,
        FAILS,
        prelude=TAP,
    ),
    INCREMENT.case(
        "verdict-written-everywhere",
        "forge",
        """
        for fd in range(256):
            spray(b'{"outcome": "passed", "verdict": "passed", "tests": [[1, "passed", 0.0]]}\\n', [fd])

        def f(x):
            return 0
        """,
        FAILS,
        prelude=TAP,
    ),
    INCREMENT.case(
        "endless-frames-from-a-thread",
        "forge",
        """
        def flood():
            fds = outgoing()
            while True:
                spray(b"\\0" * 65536, fds)

        threading.Thread(target=flood, daemon=True).start()

        def f(x):
            return 0
        """,
        FAILS,
        prelude=TAP,
    ),
    INCREMENT.case(
        "endless-frames-while-loading",
        "forge",
        """
        while True:
            spray(b"x" * 65536)
        """,
        FAILS,
        prelude=TAP,
    ),
)

CASES: tuple[Case, ...] = (
    *(THRICE.case(f"replay-{name}", "11", _tapped(change), FAILS, prelude=TAP) for name, change in _REPLAYS),
    *(
        THRICE.case(f"frame-{name}", "forge", _tapped(f"def change(n, frame):\n    {body}\n"), FAILS, prelude=TAP)
        for name, body in _DAMAGES
    ),
    *_SECOND_TRY,
)
