"""Attacks on the machine's time and memory.

Class "resource" and point 9: CPU time in Python and in C, sleep, memory in every form, files. Written for one CPU
second a test: each is slow only for as long as the limits let it.
"""

from __future__ import annotations

from codejury.model import Outcome

from .case import FAILS, RAISED, SLOW, WRONG, Case
from .tasks import CHAIN, INCREMENT

_MEMORY = frozenset(
    {Outcome.OUT_OF_MEMORY, Outcome.EXCEPTION, Outcome.CRASHED, Outcome.TIMEOUT_CPU, Outcome.TIMEOUT_WALL}
)

_SPINS = (
    ("loop", "", "while True:\n        pass"),
    (
        "loop-that-catches",
        "",
        "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    ),
    ("power", "", "return 3 ** (1 << 40)"),
    ("power-modulo", "", "return pow(3, (1 << 400_000) + 1, (1 << 400_000) + 3)"),
    ("sum-in-c", "", "return sum(range(1 << 60))"),
    ("pattern", "import re", "return re.match('(a|a)*$', 'a' * 60 + '!')"),
    ("sort-in-c", "", "return sorted(iter(int, 1))"),
    ("search-in-c", "", "return 0 in iter(lambda: 1, 0)"),
    ("deep-recursion", "", "return f(x) + f(x)"),
    ("sleep", "import time", "time.sleep(60)"),
    ("wait-for-a-lock", "import threading", "l = threading.Lock(); l.acquire(); l.acquire()"),
    ("wait-for-input", "import os, sys", "r, w = os.pipe(); os.read(r, 1)"),
    ("wait-for-signal", "import signal", "signal.pause()"),
    ("many-tests-slow", "import time", "time.sleep(3.9); return x + 2"),
)
_CPU = (
    *(
        INCREMENT.case(
            f"spends-{name}", "resource", f"{before}\n\ndef f(x):\n    {body}\n", SLOW | RAISED | WRONG | _MEMORY
        )
        for name, before, body in _SPINS
    ),
    INCREMENT.case("spends-while-loading", "resource", "while True:\n    pass\n", SLOW),
    INCREMENT.case(
        "spends-at-compile-time", "resource", "x = 9 ** 9 ** 9\n\ndef f(x):\n    return 0\n", SLOW | _MEMORY
    ),
    INCREMENT.case(
        "spends-after-a-wrong-answer",
        "9",
        """
        import threading

        def spin():
            while True:
                pass

        def f(x):
            threading.Thread(target=spin).start()
            return 0
        """,
        FAILS,
        "killed at the verdict, not at its limit",
    ),
    INCREMENT.case(
        "spends-in-signal-handlers",
        "resource",
        """
        import os, signal

        def spin(*args):
            while True:
                try:
                    while True: pass
                except BaseException:
                    pass

        for n in range(1, 65):
            try:
                signal.signal(n, spin)
            except (OSError, ValueError):
                pass

        def f(x):
            os.kill(os.getpid(), signal.SIGTERM)
            return 0
        """,
        SLOW | WRONG,
    ),
    INCREMENT.case(
        "spends-in-children",
        "resource",
        """
        import os

        def f(x):
            for _ in range(3):
                if os.fork() == 0:
                    while True:
                        pass
            os.wait()
        """,
        FAILS,
        "the CPU time of children counts",
    ),
    INCREMENT.case(
        "spends-with-all-signals-blocked",
        "resource",
        """
        import signal

        def f(x):
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
            while True:
                pass
        """,
        SLOW,
    ),
    CHAIN.case(
        "spends-a-little-in-each-call",
        "resource",
        """
        import time

        def f(x):
            end = time.process_time() + 0.6
            while time.process_time() < end:
                pass
            return x
        """,
        SLOW | WRONG,
        "one assertion, five calls",
    ),
)

_BOMBS = (
    ("list", "", "b = []\n    while True: b.append(bytearray(10 ** 7))"),
    ("one-piece", "", "return len(bytearray(1 << 33)) and 0"),
    ("text", "", "s = 'x'\n    while True: s += s"),
    ("ints", "", "b = list(range(10 ** 9))"),
    ("mapping", "import mmap", "m = mmap.mmap(-1, 1 << 32)\n    m[:] = bytes(1) * (1 << 32)"),
    (
        "shared-mappings",
        "import mmap",
        (
            "b = []\n    while True:\n        m = mmap.mmap(-1, 1 << 26)\n        b.append(m)\n"
            "        for i in range(0, 1 << 26, 4096): m[i] = 1"
        ),
    ),
    ("memfd", "import os", "n = os.memfd_create('m')\n    while True: os.write(n, bytes(1 << 20))"),
    (
        "memfds",
        "import os",
        "b = [os.memfd_create(str(i)) for i in range(40)]\n    while True: [os.write(n, bytes(65536)) for n in b]",
    ),
    (
        "pipes",
        "import os",
        (
            "b = []\n    while True:\n        r, w = os.pipe()\n        os.set_blocking(w, False)\n"
            "        b += r, w\n        os.write(w, bytes(1 << 16))"
        ),
    ),
    (
        "anonymous-files",
        "import tempfile",
        "b = []\n    while True:\n        b.append(tempfile.TemporaryFile())\n        b[-1].write(bytes(1 << 20))",
    ),
    ("file", "", "h = open('/tmp/big', 'wb')\n    while True: h.write(bytes(1 << 20))"),
    ("sparse-file", "import os", "h = os.open('/tmp/s', 66)\n    os.truncate(h, 1 << 40)\n    return 0"),
    (
        "allocated-file",
        "import os",
        "h = os.open('/tmp/s', 66)\n    os.posix_fallocate(h, 0, 1 << 36)\n    return 0",
    ),
    ("many-files", "", "i = 0\n    while True:\n        open(f'/tmp/{i}', 'w').close()\n        i += 1"),
    (
        "many-links",
        "import itertools, os",
        "open('/tmp/l', 'w').close()\n    for i in itertools.count(): os.link('/tmp/l', f'/tmp/l{i}')",
    ),
    (
        "deep-folders",
        "import os",
        "os.chdir('/tmp')\n    while True:\n        os.mkdir('d')\n        os.chdir('d')",
    ),
    (
        "long-names",
        "import os",
        "i = 0\n    while True:\n        os.mkdir('/tmp/' + str(i).rjust(250, 'x'))\n        i += 1",
    ),
    (
        "attributes",
        "import os",
        (
            "open('/tmp/a', 'w').close()\n    i = 0\n    while True:\n"
            "        os.setxattr('/tmp/a', f'user.{i}', bytes(4000))\n        i += 1"
        ),
    ),
    ("threads", "import threading, time", "while True: threading.Thread(target=time.sleep, args=(60,)).start()"),
    (
        "thread-stacks",
        "import threading, time",
        "threading.stack_size(1 << 28)\n    while True: threading.Thread(target=time.sleep, args=(60,)).start()",
    ),
    ("descriptors", "import os", "while True: os.open('/dev/null', 0)"),
    ("recursion", "import sys", "sys.setrecursionlimit(10 ** 9)\n    return [f(x)]"),
    ("decompression", "import zlib", "return len(zlib.decompress(zlib.compress(bytes(1 << 28), 1)) * 64)"),
    (
        "undone-exceptions",
        "",
        "b = []\n    while True:\n        try: b.append(bytearray(10 ** 7))\n        except MemoryError: pass",
    ),
)
_SPACE = tuple(
    INCREMENT.case(
        f"eats-{name}", "9" if "memfd" in name else "resource", f"{before}\n\ndef f(x):\n    {body}\n", FAILS
    )
    for name, before, body in _BOMBS
)

CASES: tuple[Case, ...] = (*_CPU, *_SPACE)
