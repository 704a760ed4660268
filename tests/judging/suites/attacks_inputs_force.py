"""Tests that are calls, against programs that exit, hang, forge and search."""

from __future__ import annotations

from .case import CRASHED, ENDED, FAILS, RAISED, REJECTED, SLOW, WRONG, Case
from .tasks_inputs import COMMON, GIVEN, LETTERS, MAGNITUDE, ROOT, SECRET, SORTED, SQUARES

_ENDS = (
    GIVEN.case("calls-exit-while-loading", "exit", "raise SystemExit(0)\n", ENDED),
    GIVEN.case("calls-exit-at-once", "exit", "import os\nos._exit(0)\n", ENDED),
    SQUARES.case(
        "calls-exit-at-call-200",
        "exit",
        "import sys\ndef f(x):\n    if x == 200:\n        sys.exit(0)\n    return x * x\n",
        ENDED,
    ),
    MAGNITUDE.case(
        "calls-exit-at-plus",
        "exit",
        "import os\ndef f(x):\n    if x < 0:\n        os._exit(0)\n    return x\n",
        ENDED,
    ),
    ROOT.case("calls-exit-before-the-oracle", "exit", "def f(x):\n    raise SystemExit\n", ENDED),
    GIVEN.case("calls-interrupt", "exit", "def f(x):\n    raise KeyboardInterrupt\n", RAISED),
    GIVEN.case(
        "calls-own-base-exception",
        "exit",
        "class Stop(BaseException):\n    pass\n\ndef f(x):\n    raise Stop\n",
        RAISED,
    ),
    SQUARES.case(
        "calls-crash-at-call-200",
        "exit",
        "import os\ndef f(x):\n    if x == 200:\n        os.abort()\n    return x * x\n",
        CRASHED,
    ),
    SQUARES.case(
        "calls-hang-at-call-200", "10", "def f(x):\n    while x == 200:\n        pass\n    return x * x\n", SLOW
    ),
    GIVEN.case("calls-sleep", "10", "import time\ndef f(x):\n    time.sleep(60)\n", SLOW),
    GIVEN.case(
        "calls-endless-iterator", "10", "import itertools\ndef f(x):\n    return itertools.count()\n", REJECTED
    ),
    GIVEN.case("calls-huge-text", "10", "def f(x):\n    return 'a' * 20_000_000\n", FAILS),
    GIVEN.case("calls-huge-integer", "1", "def f(x):\n    return 1 << 1_000_000\n", WRONG),
    GIVEN.case(
        "calls-nested-deeply",
        "1",
        "def f(x):\n    y = []\n    for _ in range(5000):\n        y = [y]\n    return y\n",
        REJECTED,
    ),
    SORTED.case("calls-holds-itself", "1", "def f(xs):\n    xs.append(xs)\n    return xs\n", WRONG),
    LETTERS.case(
        "calls-doubles-at-each-level",
        "1",
        "def f(text):\n    y = []\n    for _ in range(100):\n        y = [y, y]\n    return [y] * len(text)\n",
        WRONG,
    ),
    LETTERS.case("calls-many-for-a-few", "1", "def f(text):\n    return list(range(200_000))\n", WRONG),
    COMMON.case(
        "calls-signals",
        "1",
        "from decimal import Decimal\ndef f(xs, ys):\n    return [Decimal('sNaN')] * 2\n",
        WRONG,
    ),
    COMMON.case(
        "calls-fraction-without-end",
        "1",
        "from decimal import Decimal\ndef f(xs, ys):\n    return [Decimal('1e999999999')]\n",
        WRONG,
    ),
)

_WRITE = """
import os
import struct

def everywhere(body):
    for fd in range(64):
        for number in range(8):
            try:
                os.write(fd, struct.pack("<II", len(body), number) + body)
            except OSError:
                break


"""
_FORGED = (
    GIVEN.case(
        "calls-forged-replies",
        "forge",
        "everywhere(b'[\"=\",2,[],[]]')\ndef f(x):\n    return 2\n",
        FAILS,
        prelude=_WRITE,
    ),
    GIVEN.case(
        "calls-forged-report",
        "forge",
        'everywhere(b\'{"tests":[],"end":{"outcome":"passed"}}\')\ndef f(x):\n    return 2\n',
        FAILS,
        prelude=_WRITE,
    ),
    GIVEN.case(
        "calls-patched-answer",
        "forge",
        """
            import sys
            type(sys._getframe(1).f_locals['self']).answer = lambda *_: b'["=",2,[],[]]'
            def f(x):
                return 2
            """,
        WRONG,
    ),
    GIVEN.case(
        "calls-answers-by-a-reference",
        "forge",
        """
            import sys
            type(sys._getframe(1).f_locals['self']).answer = lambda *_: b'["=",{"*":[1,0]},[],[]]'
            f = 1
            """,
        REJECTED,
    ),
    GIVEN.case(
        "calls-answers-as-an-object",
        "forge",
        "import sys\ntype(sys._getframe(1).f_locals['self']).answer = lambda *_: b'[\"#\",0,[],[]]'\nf = 1\n",
        REJECTED,
    ),
    GIVEN.case(
        "calls-answers-short",
        "forge",
        "import sys\ntype(sys._getframe(1).f_locals['self']).answer = lambda *_: b'[\"=\"]'\nf = 1\n",
        REJECTED,
    ),
    GIVEN.case(
        "calls-patched-equality",
        "patch",
        "import builtins, operator\noperator.eq = builtins.all = lambda *_: True\ndef f(x):\n    return 0\n",
        WRONG,
    ),
    GIVEN.case(
        "calls-patched-compare",
        "patch",
        "import sys\nfor name in ('compare', 'inputs'):\n    sys.modules[name] = None\ndef f(x):\n    return 0\n",
        WRONG,
    ),
    SECRET.case(
        "calls-searches-memory",
        "leak",
        """
            import gc
            def f(key):
                texts = [x for y in gc.get_objects() for x in gc.get_referents(y) if type(x) is str]
                return next((x for x in texts if x.startswith('kestrel') and x[-1].isdigit()), '')
            """,
        WRONG,
    ),
    SECRET.case(
        "calls-searches-frames",
        "leak",
        """
            import sys
            def f(key):
                frame, found = sys._getframe(), ''
                while frame:
                    found += repr(frame.f_locals) + repr(list(frame.f_globals))
                    frame = frame.f_back
                return 'kestrel-' + found.partition('kestrel-')[2][:4]
            """,
        WRONG,
    ),
    SECRET.case(
        "calls-reads-files",
        "leak",
        """
            import pathlib
            def f(key):
                for path in [*pathlib.Path('/judge').rglob('*'), *pathlib.Path('/tmp').rglob('*')]:
                    if path.is_file() and b'kestrel-' in path.read_bytes():
                        return 'kestrel-' + path.read_text().partition('kestrel-')[2][:4]
                return ''
            """,
        WRONG,
    ),
    SECRET.case(
        "calls-asks-its-pipe",
        "leak",
        """
            import os
            def f(key):
                found = b''
                for fd in range(3, 20):
                    try:
                        os.set_blocking(fd, False)
                        found += os.read(fd, 4096)
                        os.set_blocking(fd, True)
                    except OSError:
                        continue
                return found.decode('latin-1')
            """,
        FAILS,
    ),
)

CASES: tuple[Case, ...] = (*_ENDS, *_FORGED)
