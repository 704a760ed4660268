"""Wrong programs that forge what is said of the tests, patch what runs them, or end them."""

from __future__ import annotations

from .case import CRASHED, ENDED, FAILS, RAISED, SLOW, WRONG, source
from .tasks_inprocess import (
    NODE_CLASS,
    NODES,
)
from .tasks_inprocess_thieves import EQUAL, FRAME, INSIDE, NEXT_CONSTANT, RUN, ZERO

# Name -> (point, program after Node's class, outcomes)
_NODES = {
    "forges-by-hook": (
        "forge",
        FRAME + "def f(node):\n    tests().f_globals['__codejury__'].ok(1)\n    return 0\n",
        WRONG,
    ),
    "forges-sticky": (
        "forge",
        RUN + "def f(node):\n    r = run()\n"
        "    r.sticky, r.finished, r.tests = ('passed', ''), 3, [[1, 'passed', 1]] * 3\n"
        "    return 0\n",
        FAILS,
    ),
    "forges-recorder": (
        "forge",
        RUN
        + source(
            """
            def escaped(self, error):
                self.tests = [[1, "passed", 1]] * 3
                self.finished = 3

            def f(node):
                type(run()).escaped = escaped
                return 0
            """
        ),
        FAILS,
    ),
    "forges-class-of-run": (
        "forge",
        RUN
        + source(
            """
            def f(node):
                found = run()

                class Fine(type(found)):
                    def escaped(self, error):
                        self.tests, self.finished = [[1, "passed", 1]] * 3, 3

                found.__class__ = Fine
                return 0
            """
        ),
        FAILS,
    ),
    "forges-report": (
        "forge",
        RUN
        + source(
            """
            import json, os

            def f(node):
                found = run()
                body = json.dumps({"tests": [[1, "passed", 1]] * 3, "end": ["passed", "", 3]}).encode()
                head = len(body).to_bytes(4, "little") + found.number.to_bytes(4, "little")
                os.write(found.candidate.replies, head + body)
                import time
                time.sleep(9)
            """
        ),
        FAILS,
    ),
    "forges-report-and-goes-on": (
        "forge",
        RUN
        + source(
            """
            import json, os

            def f(node):
                found = run()
                body = json.dumps({"tests": [[1, "passed", 1]] * 3, "end": ["passed", "", 3]}).encode()
                head = len(body).to_bytes(4, "little") + found.number.to_bytes(4, "little")
                os.write(found.candidate.replies, head + body)
                return 0
            """
        ),
        FAILS,
    ),
    "forges-report-when-loaded": (
        "forge",
        source(
            """
            import json, os, sys, threading

            def forge(requests, replies):
                head = os.read(requests, 8)
                left = int.from_bytes(head[:4], "little")
                while left:
                    left -= len(os.read(requests, left))
                body = json.dumps({"tests": [[1, "passed", 1]] * 3, "end": ["passed", "", 3]}).encode()
                os.write(replies, len(body).to_bytes(4, "little") + head[4:] + body)

            frame = sys._getframe(1)
            while "candidate" not in frame.f_locals:
                frame = frame.f_back
            candidate = frame.f_locals["candidate"]
            ok = b'["ok"]'
            number = frame.f_locals["number"].to_bytes(4, "little")
            os.write(candidate.replies, len(ok).to_bytes(4, "little") + number + ok)
            forge(candidate.requests, candidate.replies)
            threading.Event().wait(9)

            def f(node):
                return 0
            """
        ),
        FAILS,
    ),
    "garbles-report": (
        "forge",
        RUN + "import os\ndef f(node):\n"
        "    os.write(run().candidate.replies, b'\\x02\\0\\0\\0' + run().number.to_bytes(4, 'little') + b'{}')\n"
        "    return 0\n",
        FAILS,
    ),
    "endless-reports": (
        "forge",
        RUN + "def f(node):\n    r = run()\n    while True:\n"
        "        r.report({'tests': [[1, 'passed', 0]] * 100000})\n",
        FAILS,
    ),
    "endless-empty-reports": (
        "forge",
        RUN + "def f(node):\n    r = run()\n    while True:\n        r.report({'tests': []})\n",
        FAILS,
    ),
    "ends-twice": (
        "forge",
        RUN
        + "def f(node):\n    r = run()\n    said = {'tests': [[1, 'passed', 1]] * 3, 'end': ['passed', '', 3]}\n"
        + "    r.report(said)\n    r.report(said)\n    import os\n    os._exit(0)\n",
        FAILS,
    ),
    "says-that-tests-were-left-out": (
        "forge",
        RUN
        + "def f(node):\n    said = {'tests': [[1, 'skipped', 1]] * 3, 'end': ['passed', '', 3]}\n"
        + "    run().report(said)\n"
        + "    import time\n    time.sleep(9)\n",
        FAILS,
    ),
    "says-that-the-problem-is-at-fault": (
        "forge",
        RUN
        + "def f(node):\n    r = run()\n    r.report({'tests': [], 'end': ['problem', 'not mine', 3]})\n"
        + "    import time\n    time.sleep(9)\n",
        FAILS,
    ),
    "unpacks-other-tests": (
        "patch",
        INSIDE
        + "fine = compile('__codejury__.ok(1)', '<tests>', 'exec')\n"
        + "recorder.unpacked = lambda text: (None, [fine] * 3)\n"
        + ZERO,
        FAILS,
    ),
    "patches-what-escapes": (
        "patch",
        INSIDE + "recorder.Recorder.escaped = lambda self, error: [self.ok(1) for _ in range(3)]\n" + ZERO,
        FAILS,
    ),
    "patches-the-code-of-what-escapes": (
        "patch",
        INSIDE
        + "recorder.Recorder.escaped.__code__ = (lambda self, error: [self.ok(k) for k in (1, 1, 1)]).__code__\n"
        + ZERO,
        FAILS,
    ),
    "runs-the-tests-otherwise": (
        "patch",
        INSIDE + "inprocess.Run.run = lambda self: [self.ok(1) for _ in range(3)]\n" + ZERO,
        FAILS,
    ),
    "huge-report": (
        "forge",
        RUN + "def f(node):\n"
        "    run().report({'tests': [[1, 'passed', 0]], 'x': 'x' * (1 << 26)})\n"
        "    return 0\n",
        FAILS,
    ),
    "huge-numbers-in-report": (
        "forge",
        RUN + "def f(node):\n"
        "    run().report({'tests': [[10 ** 4000, 'passed', 10 ** 4000]], 'end': ['passed', '', 10 ** 4000]})\n",
        FAILS,
    ),
    "patches-codec": (
        "patch",
        INSIDE
        + source(
            """
            plain = codec.dumps

            def dumps(x):
                if type(x) is dict and "end" in x:
                    x = {"tests": [[1, "passed", 1]] * 3, "end": ["passed", "", 3]}
                return plain(x)

            codec.dumps = dumps
            """
        )
        + ZERO,
        FAILS,
    ),
    "patches-frames": (
        "patch",
        INSIDE
        + source(
            """
            import json

            plain = frames.send

            def send(fd, number, body):
                if b"end" in body:
                    body = json.dumps({"tests": [[1, "passed", 1]] * 3, "end": ["passed", "", 3]}).encode()
                return plain(fd, number, body)

            frames.send = send
            """
        )
        + ZERO,
        FAILS,
    ),
    "patches-the-look-at-functions": (
        "patch",
        INSIDE
        + EQUAL
        + "inprocess.changed = lambda before: None\nimport builtins\nbuiltins.max = min\n"
        + "def f(node):\n    return Equal()\n",
        FAILS,
    ),
    "patches-exec": (
        "patch",
        (
            "import builtins\nplain = builtins.exec\ndef exec(code, names):\n    for k in range(3):\n"
            "        names['__codejury__'].ok(1)\nbuiltins.exec = exec\n"
        )
        + ZERO,
        FAILS,
    ),
    "patches-exec-and-puts-it-back": (
        "patch",
        (
            "import builtins\nplain = builtins.exec\nruns = []\ndef exec(code, names):\n    runs.append(1)\n"
            "    names['__codejury__'].ok(1)\n    if len(runs) == 3:\n        builtins.exec = plain\n"
            "builtins.exec = exec\n"
        )
        + ZERO,
        FAILS,
    ),
    "patches-assertion-error": (
        "patch",
        "import builtins\nclass AssertionError(SystemExit):\n    code = 0\n"
        "builtins.AssertionError = AssertionError\n" + ZERO,
        FAILS,
    ),
    "patches-unpickling-of-code": (
        "patch",
        (
            "import marshal\nplain = marshal.loads\ndef loads(data):\n    context, codes = plain(data)\n"
            "    fine = compile('__codejury__.ok(1)', '<tests>', 'exec')\n"
            "    return context, [fine] * len(codes)\n"
            "marshal.loads = loads\n"
        )
        + ZERO,
        FAILS,
    ),
    "traces-and-jumps": (
        "patch",
        source(
            """
            import sys

            def trace(frame, event, arg):
                if frame.f_code.co_filename == "<tests>":
                    frame.f_trace_lines = True
                    return trace
                return None

            def f(node):
                sys.settrace(trace)
                frame = sys._getframe(1)
                frame.f_trace = lambda *a: None
                return 0
            """
        ),
        FAILS,
    ),
    "leaves-the-tests-by-signal": (
        "exit",
        (
            "import signal, sys\ndef leave(*_):\n"
            "    raise sys.modules['recorder'].Stop if 'recorder' in sys.modules else SystemExit(0)\n"
            "def f(node):\n    signal.signal(signal.SIGALRM, leave)\n"
            "    signal.setitimer(signal.ITIMER_REAL, 0.01)\n"
            "    while True:\n        pass\n"
        ),
        FAILS,
    ),
    "stop-of-the-recorder": (
        "exit",
        RUN + "def f(node):\n    r = run()\n    r.finished = 3\n"
        "    raise sys.modules[type(r).__mro__[1].__module__].Stop\n",
        FAILS,
    ),
    "problem-of-the-recorder": (
        "exit",
        RUN + "def f(node):\n    sys.modules[type(run()).__mro__[1].__module__].raise_problem('not mine')\n",
        FAILS,
    ),
    "exits-in-call": ("exit", "import os\ndef f(node):\n    os._exit(0)\n", ENDED),
    "exits-when-loaded": ("exit", "import os\nos._exit(0)\n", ENDED),
    "exits-by-atexit": ("exit", "import atexit, os\natexit.register(os._exit, 0)\n" + ZERO, WRONG),
    "exits-by-thread": (
        "exit",
        (
            "import os, threading, time\ndef end():\n    time.sleep(0.05)\n    os._exit(0)\n"
            "def f(node):\n    threading.Thread(target=end).start()\n    time.sleep(0.9)\n    return 0\n"
        ),
        ENDED,
    ),
    "system-exit": ("exit", "def f(node):\n    raise SystemExit(0)\n", ENDED),
    "keyboard-interrupt": ("exit", "def f(node):\n    raise KeyboardInterrupt\n", FAILS),
    "skips": ("exit", "import unittest\ndef f(node):\n    raise unittest.SkipTest\n", RAISED),
    "kills-itself": ("exit", "import os\ndef f(node):\n    os.kill(os.getpid(), 11)\n", FAILS),
    "aborts": ("exit", "import os\ndef f(node):\n    os.abort()\n", CRASHED),
    "hangs": ("resource", "def f(node):\n    while True:\n        pass\n", SLOW),
    "recursion": ("exit", "def f(node):\n    return f(node)\n", RAISED),
    "fork-answers": (
        "forge",
        "import os\ndef f(node):\n    if os.fork():\n        os._exit(0)\n    return 7\n",
        FAILS,
    ),
    "parent-ends-and-child-goes-on": (
        "forge",
        "import os\nif os.fork():\n    os._exit(0)\n" + ZERO,
        FAILS,
    ),
    "closes-pipes": ("forge", "import os\ndef f(node):\n    os.closerange(0, 200)\n    return 0\n", FAILS),
    "hangs-in-the-report": (
        "resource",
        (
            "import os, time\nplain = os.write\ndef write(*a):\n    while True:\n"
            "        pass\ndef f(node):\n    os.write = write\n    return 0\n"
        ),
        SLOW,
    ),
    "random": (
        "answer",
        "import random\ndef f(node):\n    return random.SystemRandom().randrange(1 << 30)\n",
        WRONG,
    ),
    "prints-a-report": (
        "forge",
        'import sys\nprint(\'{"tests": [], "end": ["passed", "", 3]}\' * 10000)\n' + ZERO,
        WRONG,
    ),
    "no-hook": ("patch", FRAME + "def f(node):\n    del tests().f_globals['__codejury__']\n    return 7\n", FAILS),
    "next-tests-dropped": (
        "patch",
        FRAME + "def f(node):\n    frame = tests().f_back\n    frame.f_locals['body'].clear()\n    return 7\n",
        FAILS,
    ),
    "next-tests-doubled": (
        "patch",
        FRAME + "def f(node):\n    body = tests().f_back.f_locals['body']\n"
        "    if body is not None:\n        body[1:] = body[:1] * 2\n    return 7\n",
        FAILS,
    ),
    "crashes-in-control-runs": (
        "exit",
        NEXT_CONSTANT
        + "import os\ndef f(node):\n    x = stolen()\n    return x if x in (7, 0, 60) else os.abort()\n",
        FAILS,
    ),
}

CASES = tuple(
    NODES.case(name, point, NODE_CLASS + program, expect) for name, (point, program, expect) in _NODES.items()
)
