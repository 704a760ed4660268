"""Wrong programs that are run as a whole: none may pass, hang the judge, or end as an infrastructure error.

A probe of the wall answers rightly only where it has a hole, so that `passed` means a hole.
"""

from __future__ import annotations

from codejury.model import Outcome

from .case import CRASHED, ENDED, FAILS, RAISED, SLOW, SYNTAX, WRONG, source
from .tasks_stdio import (
    ADD,
    ADD_EXACTLY,
    COUNT,
    DIVISORS,
    GUESS,
    HALF,
    SILENT,
    SUMMANDS,
    TINY,
    UPPER,
    ScriptCase,
    ScriptTask,
)

_MEMORY = frozenset({Outcome.OUT_OF_MEMORY}) | RAISED | CRASHED
_LIMIT = frozenset({Outcome.OUTPUT_LIMIT})
_PROCESSES = frozenset({Outcome.PROCESS_LIMIT}) | RAISED | SLOW | WRONG

_SUM = "import os, sys\ntotal = sum(map(int, sys.stdin.read().split()))\n"
_RIGHT = _SUM + "print(total, flush=True)\n"

_FRAME = 'import sys\nbody = b\'["exit",0,0,"Mw==",""]\'\n'
_SPIN = "\ndef spin():\n    while True:\n        pass\n"
_FORKS = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n"

_ANSWERS = {
    "nothing": ("pass\n", WRONG),
    "zero": ("print(0)\n", WRONG),
    "first-answer-always": ("print(3)\n", WRONG),
    "input-back": ("print(open(0).read())\n", WRONG),
    "on-stderr": (_SUM + "print(total, file=sys.stderr)\n", WRONG),
    "twice": (_SUM + "print(total)\nprint(total)\n", WRONG),
    "a-word-more": (_SUM + "print(total, 'passed')\n", WRONG),
    "many-guesses": ("print(*range(-1000, 1000))\n", WRONG),
    "in-quotes": (_SUM + "print(repr(str(total)))\n", WRONG),
    "with-leading-zero": (_SUM + "print(f'0{total}')\n", WRONG),
    "with-a-plus": (_SUM + "print(f'{total:+}')\n", WRONG),
    "as-a-float": (_SUM + "print(float(total))\n", WRONG),
    "no-break-space": (_SUM + "print('\\xa0', total)\n", WRONG),
    "joined-by-next-line": ("print('3\\x85', end='')\n", WRONG),
    "joined-by-file-separator": ("print('\\x1c3', end='')\n", WRONG),
    "zero-width-space": (_SUM + "print(f'\\u200b{total}')\n", WRONG),
    "byte-order-mark": (_SUM + "print(f'\\ufeff{total}')\n", WRONG),
    "null-character": (_SUM + "print(f'{total}\\0')\n", WRONG),
    "arabic-digits": (
        _SUM + "print(str(total).translate({48 + i: 0x660 + i for i in range(10)}))\n",
        WRONG,
    ),
    "full-width-digits": (
        _SUM + "print(str(total).translate({48 + i: 0xFF10 + i for i in range(10)}))\n",
        WRONG,
    ),
    "utf-16": (_SUM + "sys.stdout.buffer.write(str(total).encode('utf-16'))\n", WRONG),
    "not-utf-8": (_SUM + "sys.stdout.buffer.write(b'%d \\xff' % total)\n", WRONG),
    "overlong-utf-8": (_SUM + "sys.stdout.buffer.write(b'%d\\xc0\\x8a' % total)\n", WRONG),
    "surrogates": (_SUM + "sys.stdout.buffer.write(b'%d\\xed\\xa0\\x80' % total)\n", WRONG),
    "overwritten-with-backspaces": (_SUM + "print(f'9\\b{total}')\n", WRONG),
    "expression": ("print(open(0).read().strip().replace(' ', '+').replace('\\n', '+'))\n", WRONG),
    "code-for-a-checker": ("print('__import__(\"os\")._exit(0)')\n", WRONG),
    "verdict-for-a-parser": ('print(\'{"outcome": "passed"}\\n1 passed in 0.01s\\nOK\')\n', WRONG),
    "frame-for-the-judge": (
        _FRAME + "sys.stdout.buffer.write(len(body).to_bytes(4, 'little') + bytes(4) + body)\n",
        WRONG,
    ),
}
_ENDS = {
    "right-and-status-1": (_RIGHT + "sys.exit(1)\n", RAISED),
    "right-and-status-3": (_RIGHT + "sys.exit(3)\n", ENDED),
    "right-and-status-256-of-257": (_RIGHT + "sys.exit(257)\n", RAISED),
    "right-and-a-text": (_RIGHT + "sys.exit('bye')\n", RAISED),
    "right-and-hard-status": (_RIGHT + "os._exit(71)\n", ENDED),
    "right-and-an-exception": (_RIGHT + "raise ValueError\n", RAISED),
    "right-and-a-signal": (_RIGHT + "os.abort()\n", CRASHED),
    "right-and-killed": (_RIGHT + "os.kill(os.getpid(), 9)\n", CRASHED),
    "right-and-interrupted": (_RIGHT + "raise KeyboardInterrupt\n", FAILS),
    "right-and-a-segmentation-fault": (_RIGHT + "import ctypes\nctypes.string_at(0)\n", CRASHED),
    "right-and-cpu-signal": (_RIGHT + "import signal\nos.kill(os.getpid(), signal.SIGXCPU)\n", CRASHED),
    "right-and-exit-function-fails": (_RIGHT + "import atexit\natexit.register(os._exit, 9)\n", ENDED),
    "status-0-before-output": ("import sys\nsys.exit(0)\nprint(3)\n", WRONG),
    "hard-exit-with-output-held": (_SUM + "print(total)\nos._exit(0)\n", WRONG),
    "exit-builtin-at-once": ("exit(0)\n", WRONG),
    "stdout-closed-before": (_SUM + "os.close(1)\nprint(total)\n", ENDED),
    "stream-closed-before": (_SUM + "sys.stdout.close()\nprint(total)\n", RAISED),
    "fails-on-a-later-run": ("n = list(map(int, input().split()))\nassert len(n) == 2\nprint(sum(n))\n", RAISED),
    "syntax": ("print(sum(map(int, open(0).read().split()))\n", SYNTAX),
    "null-in-source": ("print(3)\0\n", SYNTAX),
    "lambda-without-call": ("main = lambda: print(sum(map(int, open(0).read().split())))\n", WRONG),
    "function-never-called": ("def main():\n    print(sum(map(int, open(0).read().split())))\n", WRONG),
    "name-of-another-module": (_SUM + "if __name__ == '__candidate__':\n    print(total)\n", WRONG),
}
_HANGS = {
    "right-and-hangs": (_RIGHT + "import time\ntime.sleep(600)\n", SLOW),
    "right-and-spins": (_RIGHT + "while True:\n    pass\n", SLOW),
    "right-and-a-thread-spins": (
        _RIGHT + "import threading\n" + _SPIN + "threading.Thread(target=spin).start()\n",
        SLOW,
    ),
    "right-and-spins-at-exit": (_RIGHT + "import atexit\n" + _SPIN + "atexit.register(spin)\n", SLOW),
    "right-and-closed-and-hangs": (
        _RIGHT + "import time\nfor fd in range(3):\n    os.close(fd)\ntime.sleep(600)\n",
        SLOW,
    ),
    "stops-itself": (_RIGHT + "os.kill(os.getpid(), 19)\n", SLOW),
    "spins-through-signals": (
        _SUM + "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True:\n    pass\n",
        SLOW,
    ),
    "reads-more-than-there-is": (
        "import sys, time\nwhile True:\n    sys.stdin.read()\n    time.sleep(0.01)\n",
        SLOW,
    ),
    "spins-in-the-compiler": ("x = " + "(" * 80 + "9 ** 9 ** 9 ** 9" + ")" * 80 + "\n", FAILS),
}
_RESOURCES = {
    "floods-stdout": ("while True:\n    print('3' * 1000)\n", _LIMIT),
    "floods-stdout-without-a-word": ("while True:\n    print(' ' * 1000)\n", _LIMIT),
    "just-over-the-limit": (_SUM + "print(total, ' ' * (1 << 20))\n", _LIMIT),
    "right-in-the-first-page": (_SUM + "print(total)\nwhile True:\n    print()\n", _LIMIT),
    "floods-stderr": ("import sys\nwhile True:\n    print('x' * 1000, file=sys.stderr)\n", SLOW),
    "floods-by-processes": (
        _FORKS + "    os.write(1, b'3' * 1000)\n",
        _LIMIT | SLOW,
    ),
    "fork-bomb": (_FORKS, SLOW),
    "fork-once-too-often": (
        _RIGHT + "import time\nfor _ in range(64):\n    if os.fork() == 0:\n        time.sleep(9)\n",
        _PROCESSES,
    ),
    "thread-bomb": (
        "import threading as t, time\nwhile True:\n    t.Thread(target=time.sleep, args=(60,)).start()\n",
        _PROCESSES,
    ),
    "memory": ("x = []\nwhile True:\n    x.append(bytearray(1 << 20))\n", _MEMORY),
    "memory-at-once": ("x = bytearray(8 << 30)\n", _MEMORY),
    "recursion-without-end": ("def f():\n    return f()\nf()\n", RAISED),
    "recursion-into-the-stack": (
        "import sys\nsys.setrecursionlimit(10**9)\nx = []\nfor _ in range(10**6):\n    x = [x]\nrepr(x)\n",
        FAILS,
    ),
    "lines-without-end": ("import sys\nwhile sys.stdin:\n    print()\n", _LIMIT),
    "file-over-the-limit": (
        "with open('/tmp/x', 'wb') as file:\n    while True:\n        file.write(bytes(1 << 20))\n",
        FAILS,
    ),
}
_LATER = {
    "daemon-answers-later": """
        import os, sys, time
        total = sum(map(int, sys.stdin.read().split()))
        if os.fork() == 0:
            os.setsid()
            time.sleep(0.2)
            os.write(1, str(total).encode())
            time.sleep(60)
        os._exit(0)
    """,
    "daemon-of-a-daemon-answers": """
        import os, sys, time
        total = sum(map(int, sys.stdin.read().split()))
        if os.fork() == 0:
            if os.fork() == 0:
                os.setsid()
                while True:
                    time.sleep(0.05)
                    os.write(1, str(total).encode())
            os._exit(0)
        os._exit(0)
    """,
    "daemon-of-the-run-before": """
        import os, sys, time
        numbers = sys.stdin.read()
        if os.fork() == 0:
            os.setsid()
            while True:
                for fd in range(16):
                    try:
                        os.write(fd, b"42")
                    except OSError:
                        pass
        print(sum(map(int, numbers.split())) if "2" in numbers else "")
    """,
}

_HOLES = {
    "descriptors": """
        import os
        found = []
        for fd in range(3, 1024):
            try:
                os.fstat(fd)
                found.append(fd)
            except OSError:
                pass
        print(sum(map(int, open(0).read().split())) if found else "nothing")
    """,
    "forges-on-all-descriptors": """
        import os
        body = b'["exit",0,0,"Mw==",""]'
        for fd in range(1, 1024):
            for nonce in (0, 1):
                try:
                    os.write(fd, len(body).to_bytes(4, "little") + nonce.to_bytes(4, "little") + body)
                except OSError:
                    pass
        os._exit(0)
    """,
    "kills-the-parent": """
        import os, signal
        done = False
        for number in range(1, 65):
            if number not in (signal.SIGCONT, signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH):
                try:
                    os.kill(os.getppid(), number)
                except OSError:
                    pass
        print("still here" if os.getppid() else 3)
    """,
    "kills-everybody": """
        import os
        try:
            os.kill(-1, 9)
        except OSError:
            pass
        print("nobody")
    """,
    "kills-its-group": "import os\nos.killpg(0, 9)\n",
    "traces-the-parent": """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        held = libc.ptrace(16, os.getppid(), 0, 0) == 0
        print(sum(map(int, open(0).read().split())) if held else "refused")
    """,
    "reads-the-parents-memory": """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        here = ctypes.create_string_buffer(8)
        class Part(ctypes.Structure):
            _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
        own, other = Part(ctypes.addressof(here), 8), Part(ctypes.addressof(here), 8)
        got = libc.process_vm_readv(os.getppid(), ctypes.byref(own), 1, ctypes.byref(other), 1, 0)
        print(sum(map(int, open(0).read().split())) if got == 8 else "refused")
    """,
    "takes-the-parents-descriptors": """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        try:
            held = os.pidfd_open(os.getppid())
        except OSError:
            held = -1
        got = [fd for fd in range(16) if held >= 0 and libc.syscall(438, held, fd, 0) >= 0]
        print(sum(map(int, open(0).read().split())) if got else "refused")
    """,
    "starves-the-parent": """
        import os, resource
        for name in ("NOFILE", "AS", "DATA", "STACK", "NPROC", "FSIZE", "CPU"):
            try:
                resource.prlimit(os.getppid(), getattr(resource, "RLIMIT_" + name), (1, 1))
            except (OSError, ValueError):
                pass
        print("unfair")
    """,
    "walks-to-the-caller": """
        import gc, sys
        frame, found = sys._getframe(), []
        while frame is not None:
            found += [x for x in frame.f_locals.values() if isinstance(x, list) and ["1 2\\n", "3\\n"] in x]
            frame = frame.f_back
        found += [x for x in gc.get_objects() if isinstance(x, list) and len(x) == 2 and "1 2\\n" in map(str, x)]
        print(sum(map(int, open(0).read().split())) if found else "nothing")
    """,
    "own-stack-patched": """
        import os, sys
        frame = sys._getframe()
        while frame is not None:
            for thing in list(frame.f_globals.values()):
                if type(thing) is type(lambda: 0):
                    try:
                        thing.__code__ = (lambda *a, **k: os._exit(0)).__code__
                    except ValueError:
                        pass
            frame = frame.f_back
    """,
    "network": """
        import socket
        try:
            socket.create_connection(("127.0.0.1", 80), 1)
        except ConnectionRefusedError:
            print(sum(map(int, open(0).read().split())))
    """,
    "state-of-the-run-before": """
        import os, sys
        numbers = sys.stdin.read()
        if os.path.exists("/tmp/seen"):
            print(sum(map(int, numbers.split())))
        else:
            try:
                open("/tmp/seen", "w").close()
            except OSError:
                pass
            print(3)
    """,
}

_SEARCH = source(
    """
    import gc, os, re, sys
    word = re.compile(rb"kestrel" rb"-[0-9]+")
    def look(data):
        found = word.search(data)
        if found:
            print(found[0].decode())
            sys.exit()
    """
)
_LEAKS = {
    "files": """
        for top in ("/tmp", "/judge", "/proc/self", "/dev", "/root", "/home", "/var/tmp"):
            for folder, _, names in os.walk(top):
                for name in names:
                    try:
                        with open(f"{folder}/{name}", "rb") as file:
                            look(file.read(1 << 16) if not folder.startswith("/dev") else b"")
                    except OSError:
                        pass
    """,
    "files-beside": """
        for name in ("output.txt", "expected.txt", "1.out", "../1.ans", "tests.json", "/tests/1.out", __file__):
            try:
                with open(name, "rb") as file:
                    look(file.read())
            except OSError:
                pass
    """,
    "descriptors": """
        for fd in range(1024):
            try:
                os.set_blocking(fd, False)
                look(os.read(fd, 1 << 16) or b"")
            except OSError:
                pass
    """,
    "memory-of-objects": """
        for thing in gc.get_objects():
            if isinstance(thing, (list, tuple, dict)) and len(thing) < 1000:
                try:
                    look(repr(thing).encode(errors="replace"))
                except Exception:
                    pass
    """,
    "environment": "look(repr(os.environb).encode() + repr(sys.argv).encode() + repr(sys.orig_argv).encode())\n",
    "modules": """
        for module in list(sys.modules.values()):
            look(repr(getattr(module, "__dict__", "")).encode(errors="replace"))
    """,
    "memory-behind-the-stack": """
        import ctypes
        base = id(object()) & ~0xFFF
        look(ctypes.string_at(base, 1 << 12))
    """,
}

_NUMBERS = {
    "nan": ("print('nan')\n", WRONG),
    "infinity": ("print('inf')\n", WRONG),
    "overflow": ("print('1e400')\n", WRONG),
    "huge-exponent": ("print('1e999999999')\n", WRONG),
    "many-digits": ("print('0.' + '9' * 100000)\n", WRONG),
    "arabic-fraction": (
        "x = str(int(input()) / 2)\nprint(x.translate({48 + i: 0x660 + i for i in range(10)}))\n",
        WRONG,
    ),
    "full-width-fraction": (
        "x = str(int(input()) / 2)\nprint(x.translate({48 + i: 0xFF10 + i for i in range(10)}))\n",
        WRONG,
    ),
    "underscores": ("print(f'{int(input()) / 2:_.3f}'.replace('0', '0_0', 1))\n", WRONG),
    "hexadecimal": ("print((int(input()) / 2).hex())\n", WRONG),
    "decimal-comma": ("print(str(int(input()) / 2).replace('.', ','))\n", WRONG),
    "thousands": ("print(f'{int(input()) / 2:,.1f}')\n", WRONG),
    "fraction": ("print(f'{input()}/2')\n", WRONG),
    "off-by-a-little": ("print(int(input()) / 2 * (1 + 1e-5))\n", WRONG),
    "off-around-zero": ("print(int(input()) / 2 + 1e-6)\n", WRONG),
    "nothing-for-a-number": ("pass\n", WRONG),
    "two-numbers-for-one": ("n = int(input()) / 2\nprint(n, n)\n", WRONG),
    "python-2-division": ("print(int(input()) // 2)\n", WRONG),
    "many-candidates": ("print('0.5 2.0 -1.5')\n", WRONG),
}


def _all(
    task: ScriptTask, prefix: str, point: str, programs: dict[str, tuple[str, frozenset[Outcome]]]
) -> list[ScriptCase]:
    return [task.case(f"{prefix}-{name}", point, text, expect) for name, (text, expect) in programs.items()]


CASES: tuple[ScriptCase, ...] = (
    *_all(ADD, "answers", "14", _ANSWERS),
    *_all(ADD, "ends", "exit", _ENDS),
    *_all(ADD, "hangs", "resource", _HANGS),
    *_all(ADD, "spends", "resource", _RESOURCES),
    *(ADD.case(f"later-{name}", "9", text, FAILS) for name, text in _LATER.items()),
    *(ADD.case(f"hole-{name}", "escape", text, FAILS) for name, text in _HOLES.items()),
    *(GUESS.case(f"finds-in-{name}", "leak", _SEARCH + source(text), FAILS) for name, text in _LEAKS.items()),
    *_all(HALF, "number", "14", _NUMBERS),
    TINY.case("number-zero-for-tiny", "14", "n = int(input())\nprint(0 if n == 1 else n / 10**7)\n", WRONG),
    COUNT.case("number-fraction-for-an-integer", "14", "print(float(int(input()) + 1))\n", WRONG),
    COUNT.case("number-near-an-integer", "14", "print(int(input()) + 1.0000001)\n", WRONG),
    COUNT.case("number-integer-in-scientific-notation", "14", "print(f'{int(input()) + 1:.0e}')\n", WRONG),
    ADD_EXACTLY.case("exact-with-a-space", "14", _SUM + "print(total, '')\n", WRONG),
    ADD_EXACTLY.case("exact-with-two-line-ends", "14", _SUM + "print(total)\nprint()\n", WRONG),
    ADD_EXACTLY.case("exact-with-carriage-return", "14", _SUM + "print(total, end='\\r\\n')\n", WRONG),
    UPPER.case(
        "lines-by-next-line", "14", "print(open(0).read().rstrip('\\n').upper().replace('\\n', '\\x85'))\n", WRONG
    ),
    UPPER.case(
        "lines-by-form-feed", "14", "print(open(0).read().rstrip('\\n').upper().replace('\\n', '\\f'))\n", WRONG
    ),
    UPPER.case(
        "lines-by-separator",
        "14",
        "print(open(0).read().rstrip('\\n').upper().replace('\\n', '\\u2028'))\n",
        WRONG,
    ),
    UPPER.case(
        "decomposed",
        "14",
        "import unicodedata\nprint(unicodedata.normalize('NFD', open(0).read().rstrip('\\n').upper()))\n",
        WRONG,
    ),
    UPPER.case(
        "latin-1",
        "14",
        "import sys\nsys.stdout.reconfigure(encoding='latin-1')\nprint(open(0).read().rstrip('\\n').upper())\n",
        WRONG,
    ),
    DIVISORS.case(
        "lines-once-too-often",
        "14",
        "n = int(input())\nprint(*(i for i in [1, *range(1, n + 1)] if n % i == 0), sep='\\n')\n",
        WRONG,
    ),
    DIVISORS.case(
        "lines-joined", "14", "n = int(input())\nprint(*(i for i in range(1, n + 1) if n % i == 0))\n", WRONG
    ),
    DIVISORS.case(
        "lines-with-an-empty-one",
        "14",
        "n = int(input())\nprint(*(i for i in range(1, n + 1) if n % i == 0), '', '', sep='\\n')\n",
        WRONG,
    ),
    DIVISORS.case(
        "lines-by-form-feed-alone",
        "14",
        "n = int(input())\nprint(*(i for i in range(1, n + 1) if n % i == 0), sep='\\f')\n",
        WRONG,
    ),
    SUMMANDS.case("checker-given-zero", "14", "print(0, input())\n", WRONG),
    SUMMANDS.case("checker-given-code", "14", "print('__import__(\"os\")._exit(0)', 1)\n", WRONG),
    SUMMANDS.case("checker-given-other-digits", "14", "n = int(input())\nprint('\\u0661', n - 1)\n", WRONG),
    SUMMANDS.case("checker-given-a-huge-number", "14", "print('9' * 100000, 1)\n", WRONG),
    SILENT.case("silent-always", "14", "pass\n", WRONG),
    SILENT.case(
        "silent-and-failed",
        "14",
        "n = int(input())\nif n:\n    print(n)\nelse:\n    raise SystemExit(1)\n",
        RAISED,
    ),
    SILENT.case(
        "silent-and-killed",
        "14",
        "import os\nn = int(input())\nif n:\n    print(n)\nelse:\n    os.kill(os.getpid(), 9)\n",
        CRASHED,
    ),
)
