"""Attacks on the runtime that calls the candidate: programs walk its frames and objects and change what they find.

Class "forge". The runtime shares a process with the candidate, so all of it can be changed; what it says must not
matter.
"""

from __future__ import annotations

from .case import FAILS, WRONG, Case
from .tasks import INCREMENT

CASES: tuple[Case, ...] = (
    INCREMENT.case(
        "runtime-functions-neutralised",
        "forge",
        """
        import sys, types

        def f(x):
            frame = sys._getframe(1)
            while frame is not None:
                for thing in list(frame.f_globals.values()):
                    if isinstance(thing, types.FunctionType):
                        try:
                            thing.__code__ = (lambda *a, **k: True).__code__
                        except ValueError:
                            pass
                frame = frame.f_back
            return 0
        """,
        FAILS,
    ),
    INCREMENT.case(
        "runtime-functions-called",
        "forge",
        """
        import sys, types

        def f(x):
            frame = sys._getframe(1)
            while frame is not None:
                for scope in (frame.f_globals, frame.f_locals):
                    for name, thing in list(scope.items()):
                        if isinstance(thing, types.FunctionType) and thing is not f and "exit" not in name:
                            for args in (("passed",), (b"passed",), (1, b"passed"), (True, 0, "passed")):
                                try:
                                    thing(*args)
                                except Exception:
                                    pass
                frame = frame.f_back
            return 0
        """,
        FAILS,
        "calls everything that it finds, an encoder or sender among it",
    ),
    INCREMENT.case(
        "runtime-globals-overwritten",
        "forge",
        """
        import sys

        def f(x):
            frame = sys._getframe(1)
            while frame is not None:
                for name, thing in list(frame.f_globals.items()):
                    if not name.startswith("__"):
                        frame.f_globals[name] = 2 if type(thing) is int else thing
                frame = frame.f_back
            return 0
        """,
        FAILS,
    ),
    INCREMENT.case(
        "runtime-locals-overwritten",
        "forge",
        """
        import ctypes, sys

        def f(x):
            frame = sys._getframe(1)
            while frame is not None:
                for name, thing in list(frame.f_locals.items()):
                    if type(thing) in (int, bool, str):
                        frame.f_locals[name] = type(thing)(1)
                ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
                frame = frame.f_back
            return 0
        """,
        FAILS,
    ),
    INCREMENT.case(
        "runtime-found-among-objects",
        "forge",
        """
        import gc, types

        def f(x):
            for thing in gc.get_objects():
                if isinstance(thing, types.FunctionType) and thing.__module__ not in (__name__, "gc", "types"):
                    words = ("encode", "dump", "reply", "send", "write", "check", "verify", "reject")
                    if any(word in thing.__name__ for word in words):
                        try:
                            thing.__code__ = (lambda *a, **k: b"\\x02").__code__
                        except ValueError:
                            pass
            return 0
        """,
        FAILS,
    ),
    INCREMENT.case(
        "runtime-profiled",
        "forge",
        """
        import sys

        def watch(frame, event, value):
            if event == "return":
                for name in list(frame.f_globals):
                    if name in ("encode", "write", "send"):
                        frame.f_globals[name] = lambda *a, **k: b"\\x02"

        def f(x):
            sys.setprofile(watch)
            return 0
        """,
        FAILS,
    ),
    INCREMENT.case(
        "execs-a-python-that-answers",
        "forge",
        """
        import os, sys

        SCRIPT = '''
        import os
        for fd in range(64):
            try:
                os.write(fd, b"passed\\\\n")
            except OSError:
                pass
        '''

        def f(x):
            for fd in range(3, 64):
                try:
                    os.set_inheritable(fd, True)
                except OSError:
                    pass
            os.execv(sys.executable or "/usr/bin/python3", ["python3", "-c", SCRIPT])
        """,
        FAILS,
    ),
    INCREMENT.case(
        "execs-a-shell-that-answers",
        "forge",
        """
        import os

        def f(x):
            os.execv("/bin/sh", ["sh", "-c", "for n in 1 2 3 4 5 6 7 8 9; do echo passed >&$n; done"])
        """,
        FAILS,
    ),
    INCREMENT.case("prints-a-verdict", "forge", "def f(x):\n    print('passed\\n', 2, 42, flush=True)\n", WRONG),
)
