"""Attacks that end, stop or break the process, or patch the interpreter in it.

Class "exit": leaving at every moment with every status, also those that the sandbox's own failures may use. Class
"patch": replaced builtins, modules and import hooks. Point 2: tests that catch exceptions around a call must not
catch what the judge knows (a crash, a hang, an exit, a missing function).
"""

from __future__ import annotations

from codejury.model import Outcome

from .case import CRASHED, ENDED, FAILS, NO_FUNCTION, RAISED, SLOW, SYNTAX, WRONG, Case, source
from .tasks import INCREMENT, REFUSES, REFUSES_AN_OBJECT, REFUSES_ANY, REFUSES_BARE, REFUSES_SUPPRESSED

_STATUSES = (0, 1, 3, 70, 71, 75, 126, 127, 137, 255)

_EXITS = (
    INCREMENT.case("exit-while-loading", "exit", "import sys\nsys.exit(0)\n", ENDED),
    INCREMENT.case("exit-none-while-loading", "exit", "raise SystemExit\n", ENDED),
    INCREMENT.case("exit-builtin-while-loading", "exit", "exit()\n", ENDED | RAISED),
    INCREMENT.case("exit-hard-while-loading", "exit", "import os\nos._exit(0)\n", ENDED),
    INCREMENT.case("exit-in-call", "exit", "import sys\ndef f(x):\n    sys.exit(0)\n", ENDED),
    INCREMENT.case("exit-true-in-call", "exit", "def f(x):\n    raise SystemExit(True)\n", ENDED),
    *(
        INCREMENT.case(
            f"exit-hard-with-{status}", "exit", f"import os\ndef f(x):\n    os._exit({status})\n", ENDED
        )
        for status in _STATUSES
    ),
    INCREMENT.case(
        "exit-after-first-answer",
        "exit",
        """
        import os, threading

        def f(x):
            threading.Timer(0.2, os._exit, (0,)).start()
            if x > 1:
                while True:
                    pass
            return x + 1
        """,
        ENDED | SLOW,
    ),
    INCREMENT.case(
        "exit-in-thread",
        "exit",
        """
        import os, threading, time

        def f(x):
            threading.Thread(target=os._exit, args=(0,)).start()
            time.sleep(30)
        """,
        ENDED,
    ),
    INCREMENT.case(
        "exit-in-atexit",
        "exit",
        "import atexit, os\natexit.register(os._exit, 0)\n\ndef f(x):\n    return x\n",
        WRONG,
    ),
    INCREMENT.case(
        "exit-in-del",
        "exit",
        """
        import os

        class D:
            def __del__(self):
                os._exit(0)

        def f(x):
            D()
            return x + 1
        """,
        ENDED,
    ),
    INCREMENT.case(
        "exit-when-reply-is-freed",
        "exit",
        """
        import os

        class D:
            def __del__(self):
                os._exit(0)

        def f(x):
            return D()
        """,
        FAILS,
    ),
    INCREMENT.case(
        "exit-when-looked-up",
        "exit",
        "import os\n\ndef __getattr__(name):\n    os._exit(0)\n",
        ENDED | NO_FUNCTION,
        "the entry point is asked of the module",
    ),
    INCREMENT.case(
        "exit-when-iterated",
        "exit",
        """
        import os

        def f(x):
            yield x
            os._exit(0)
        """,
        FAILS,
    ),
    INCREMENT.case(
        "exit-by-finaliser-thread-state",
        "exit",
        """
        import ctypes

        def f(x):
            ctypes.pythonapi.Py_Exit(0)
        """,
        ENDED | CRASHED,
    ),
    INCREMENT.case(
        "exit-by-c-library", "exit", "import ctypes\ndef f(x):\n    ctypes.CDLL(None).exit(0)\n", ENDED
    ),
    INCREMENT.case(
        "exit-by-exec-true", "exit", "import os\ndef f(x):\n    os.execv('/bin/true', ['true'])\n", ENDED | RAISED
    ),
    INCREMENT.case(
        "exit-parent-of-a-fork",
        "exit",
        """
        import os

        def f(x):
            if os.fork():
                os._exit(0)
            return x
        """,
        FAILS,
        "the child goes on with the parent's channel",
    ),
    INCREMENT.case("crash-null-pointer", "exit", "import ctypes\ndef f(x):\n    ctypes.string_at(0)\n", CRASHED),
    INCREMENT.case("crash-abort", "exit", "import os\ndef f(x):\n    os.abort()\n", CRASHED),
    INCREMENT.case(
        "crash-faulthandler",
        "exit",
        """
        import ctypes, faulthandler

        faulthandler.enable()

        def f(x):
            faulthandler.dump_traceback_later(0.1, exit=True)
            ctypes.memset(8, 1, 8)
        """,
        CRASHED | ENDED | RAISED,
    ),
    INCREMENT.case(
        "crash-faulthandler-exits-later",
        "exit",
        """
        import faulthandler, time

        def f(x):
            faulthandler.dump_traceback_later(0.2, exit=True)
            time.sleep(30)
        """,
        ENDED | RAISED,
    ),
    INCREMENT.case(
        "crash-bytecode",
        "exit",
        """
        def f(x):
            return x
        f.__code__ = f.__code__.replace(co_code=b"\\xff\\xff" * 40, co_stacksize=0)
        """,
        FAILS,
    ),
    INCREMENT.case(
        "crash-c-stack",
        "exit",
        """
        import sys

        sys.setrecursionlimit(10 ** 9)

        class R:
            def __repr__(self):
                return repr(self)

        def f(x):
            return repr(R())
        """,
        FAILS,
    ),
    INCREMENT.case("signal-kills-itself", "exit", "import os\ndef f(x):\n    os.kill(os.getpid(), 9)\n", FAILS),
    INCREMENT.case("signal-stops-itself", "exit", "import os\ndef f(x):\n    os.kill(os.getpid(), 19)\n", FAILS),
    INCREMENT.case(
        "signal-cpu-limit-by-hand",
        "12",
        "import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.SIGXCPU)\n",
        FAILS - SLOW,
        "not a timeout: nothing was used up",
    ),
    INCREMENT.case(
        "signal-alarm", "12", "import signal, time\ndef f(x):\n    signal.alarm(1)\n    time.sleep(2)\n", FAILS
    ),
)

_SPRAY = source(
    r"""
    import os

    def spray():
        for fd in range(3, 64):
            try:
                os.write(fd, b"\xff" * 99)
            except OSError:
                pass
    """
)
_BREAKS = (
    ("exits", "import os, sys, time", "sys.exit(0)", ENDED),
    ("exits-hard", "import os", "os._exit(0)", ENDED),
    ("crashes", "import ctypes", "ctypes.string_at(0)", CRASHED),
    ("sleeps", "import time", "time.sleep(60)", SLOW),
    ("spins", "", "while True: pass", SLOW),
    ("returns-an-object", "", "return object()", FAILS),
    ("returns-too-much", "", "return 'x' * 60_000_000", FAILS),
    ("closes-everything", "import os", "os.closerange(0, 1 << 16)", FAILS),
    ("writes-garbage", _SPRAY, "spray()", FAILS),
)


def _breaking(before: str, action: str) -> str:
    return f"{before}\n\ndef f(x):\n    if x >= 0:\n        return x + 1\n    {action}\n"


_CAUGHT = (
    *(
        REFUSES.case(f"caught-{name}", "2", _breaking(before, action), expect)
        for name, before, action, expect in _BREAKS
    ),
    *(
        REFUSES_ANY.case(f"caught-by-base-{name}", "2", _breaking(before, action), expect)
        for name, before, action, expect in _BREAKS[1:]
    ),
    *(
        REFUSES_BARE.case(f"caught-bare-{name}", "2", _breaking(before, action), expect)
        for name, before, action, expect in _BREAKS[1:4]
    ),
    *(
        REFUSES_SUPPRESSED.case(f"caught-by-suppress-{name}", "2", _breaking(before, action), expect)
        for name, before, action, expect in _BREAKS[1:4]
    ),
    REFUSES_ANY.case("caught-missing-function", "2", "def g(x):\n    pass\n", NO_FUNCTION),
    REFUSES_BARE.case("caught-failed-import", "2", "import no_such_module\n\ndef f(x):\n    pass\n", RAISED),
    REFUSES_ANY.case("caught-syntax-error", "2", "def f(x)\n", SYNTAX),
    REFUSES_ANY.case("caught-exit-while-loading", "2", "import os\nos._exit(0)\n", ENDED),
    REFUSES_ANY.case("caught-generator-never-run", "2", "def f(x):\n    yield 1 / 0\n", WRONG),
    REFUSES_AN_OBJECT.case(
        "caught-argument-that-does-not-cross",
        "2",
        "def f(x):\n    return 2\n",
        FAILS | {Outcome.INFRA_ERROR},
        "not sending the object must not look like the candidate's TypeError; a judge may refuse the problem",
    ),
)

_PATCHES = (
    (
        "builtins",
        "import builtins\nfor n in ('abs', 'all', 'len', 'type', 'isinstance'):\n    setattr(builtins, n, max)",
    ),
    ("assertionerror", "import builtins\nbuiltins.AssertionError = StopIteration"),
    ("import", "import builtins\nbuiltins.__import__ = lambda *a, **k: None"),
    ("compile-and-exec", "import builtins\nbuiltins.compile = builtins.exec = builtins.eval = lambda *a, **k: 2"),
    ("int", "import builtins\nbuiltins.int = builtins.float = builtins.bool = str"),
    ("modules-emptied", "import sys\nsys.modules.clear()"),
    ("modules-replaced", "import sys\nfor n in list(sys.modules):\n    sys.modules[n] = sys"),
    ("import-hooks", "import sys\nsys.meta_path[:] = []\nsys.path_hooks[:] = []\nsys.path_importer_cache.clear()"),
    ("json", "import json\njson.loads = json.dumps = json.JSONDecoder.decode = lambda *a, **k: '2'"),
    (
        "marshal-and-pickle",
        "import marshal, pickle\nmarshal.loads = marshal.dumps = pickle.loads = lambda *a: b'2'",
    ),
    ("struct", "import struct\nstruct.pack = struct.unpack = struct.Struct = lambda *a: b'\\0' * 4"),
    ("os-read", "import os\nos.read = lambda *a: b''"),
    ("os-write", "import os\nreal = os.write\nos.write = lambda fd, b: real(fd, bytes(b)[::-1])"),
    ("os-exit", "import os\nos._exit = os.abort = lambda *a: None"),
    ("clock", "import time\ntime.monotonic = time.perf_counter = time.process_time = time.time = lambda: 0.0"),
    ("trace", "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)"),
    ("excepthook", "import sys\nsys.excepthook = sys.unraisablehook = lambda *a: None"),
    ("candidate-module", "import sys\nsys.modules['__candidate__'] = sys\nsys.modules['__main__'] = sys"),
    ("standard-output", "import sys\nsys.stdout = sys.stderr = sys.stdin = None"),
    ("gc", "import gc\ngc.disable()\ngc.callbacks.append(print)\ngc.set_threshold(1)"),
    ("audit-hook", "import sys\nsys.addaudithook(lambda *a: None)"),
    ("operator", "import operator\noperator.eq = operator.ne = operator.is_ = lambda *a: True"),
    ("dict-methods", "import collections\ncollections.OrderedDict = collections.Counter = dict"),
)
_PATCHED = tuple(
    INCREMENT.case(f"patches-{name}", "patch", f"{patch}\n\ndef f(x):\n    return 0\n", FAILS)
    for name, patch in _PATCHES
)
_LATE = INCREMENT.case(
    "patches-equality-by-ctypes",
    "patch",
    """
    import ctypes

    def f(x):
        # the cached small integer 2 gets the digits of the answer before
        size = object.__basicsize__
        ctypes.memmove(id(42) + size, id(2) + size, 12)
        return 2
    """,
    FAILS,
    "in one process with the test, 42 == 2 would hold",
)

CASES: tuple[Case, ...] = (*_EXITS, *_CAUGHT, *_PATCHED, _LATE)
