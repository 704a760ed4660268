"""Attacks by processes, output and descriptors.

Points 9 and 10, class "resource". Fork bombs start only in a process 1, which is alone in its namespace.
"""

from __future__ import annotations

from .case import ENDED, FAILS, WRONG, Case
from .tasks import INCREMENT

_ALONE = "import os\n\nif os.getpid() != 1:\n    raise SystemExit\n\n"
_PROCESSES = (
    INCREMENT.case(
        "forks-for-ever",
        "9",
        """
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """,
        FAILS,
        prelude=_ALONE,
    ),
    INCREMENT.case(
        "forks-and-lets-go",
        "9",
        """
        import time

        def f(x):
            end = time.monotonic() + 2
            while time.monotonic() < end:
                try:
                    if os.fork() == 0:
                        os.setsid()
                        if os.fork():
                            os._exit(0)
                        time.sleep(0.01)
                        os._exit(0)
                except OSError:
                    pass
            return 0
        """,
        FAILS,
        "short-lived grandchildren, faster than a sweep could kill them",
        prelude=_ALONE,
    ),
    INCREMENT.case(
        "forks-and-eats",
        "9",
        """
        for _ in range(4):
            os.fork()
        kept = []
        while True:
            kept.append(bytearray(10 ** 6))

        def f(x):
            return 0
        """,
        FAILS,
        "sixteen processes share one memory limit",
        prelude=_ALONE,
    ),
    INCREMENT.case(
        "forks-and-leaves-a-daemon",
        "9",
        """
        import signal, time

        if os.fork() == 0:
            os.setsid()
            for n in range(1, 65):
                try:
                    signal.signal(n, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)

        def f(x):
            return 0
        """,
        WRONG,
        "nothing survives the verdict",
        prelude=_ALONE,
    ),
    INCREMENT.case(
        "forks-and-exits",
        "9",
        """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                def f(x):
                    return x + 1
            else:
                os._exit(0)
        else:
            os._exit(0)
        """,
        ENDED,
        "the process that is right is not the one that was started",
        prelude=_ALONE,
    ),
    INCREMENT.case(
        "forks-by-vfork",
        "9",
        """
        import ctypes

        def f(x):
            while True:
                if ctypes.CDLL(None).vfork() == 0:
                    os._exit(0)
        """,
        FAILS,
        prelude=_ALONE,
    ),
    INCREMENT.case(
        "spawns-shells",
        "9",
        """
        import subprocess

        def f(x):
            kept = []
            while True:
                kept.append(subprocess.Popen(["/bin/sh", "-c", "sleep 600 & sleep 600"]))
        """,
        FAILS,
        prelude=_ALONE,
    ),
    INCREMENT.case(
        "pools-of-processes",
        "9",
        """
        import multiprocessing

        def f(x):
            with multiprocessing.Pool(64) as pool:
                return sum(pool.map(abs, range(64))) * 0
        """,
        FAILS,
        prelude=_ALONE,
    ),
)

_OUTPUT = (
    INCREMENT.case(
        "floods-standard-output",
        "resource",
        "import os\ndef f(x):\n    while True: os.write(1, bytes(65536))\n",
        FAILS,
    ),
    INCREMENT.case(
        "floods-standard-error",
        "resource",
        "import sys\ndef f(x):\n    while True: print('x' * 65536, file=sys.stderr)\n",
        FAILS,
    ),
    INCREMENT.case(
        "floods-every-descriptor",
        "resource",
        """
        import os

        def f(x):
            while True:
                for fd in range(64):
                    try:
                        os.write(fd, bytes(65536))
                    except OSError:
                        pass
        """,
        FAILS,
    ),
    INCREMENT.case(
        "floods-standard-input",
        "resource",
        "import os\ndef f(x):\n    while True: os.write(0, bytes(65536))\n",
        FAILS,
    ),
    INCREMENT.case(
        "closes-every-descriptor", "9", "import os\nos.closerange(0, 1 << 16)\n\ndef f(x):\n    return 0\n", FAILS
    ),
    INCREMENT.case(
        "closes-every-descriptor-in-a-call",
        "9",
        "import os\n\ndef f(x):\n    os.closerange(0, 1 << 16)\n    return x + 1\n",
        FAILS,
    ),
    INCREMENT.case(
        "opens-above-1023",
        "10",
        """
        import os, resource

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        kept = []
        try:
            while len(kept) < 5000:
                kept.append(os.dup(0 if kept else os.open("/dev/null", 0)))
        except OSError:
            pass

        def f(x):
            return 0
        """,
        FAILS,
        "select() would fail on such numbers",
    ),
    INCREMENT.case(
        "lowers-its-limits",
        "resource",
        """
        import resource

        for r in range(16):
            try:
                resource.setrlimit(r, (1, 1))
            except (OSError, ValueError):
                pass

        def f(x):
            return 0
        """,
        FAILS,
    ),
    INCREMENT.case(
        "limits-its-own-cpu",
        "12",
        """
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (0, 0))

        def f(x):
            while True:
                pass
        """,
        FAILS,
    ),
    INCREMENT.case(
        "limits-its-own-memory",
        "12",
        """
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))

        def f(x):
            return bytearray(1 << 24)
        """,
        FAILS,
    ),
)


CASES: tuple[Case, ...] = (*_PROCESSES, *_OUTPUT)
