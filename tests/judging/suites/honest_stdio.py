"""Right programs with odd habits: each is right for plain `python`, and must be here."""

from __future__ import annotations

from .case import PASSED
from .tasks_stdio import (
    ADD,
    ADD_EXACTLY,
    ADD_MANY,
    DEPTH,
    DIVISORS,
    HALF,
    SILENT,
    SUMMANDS,
    TINY,
    UPPER,
    UPPER_LONG,
    ScriptCase,
    ScriptTask,
)

_READS = {
    "input-until-end": """
        total = 0
        while True:
            try:
                total += sum(map(int, input().split()))
            except EOFError:
                break
        print(total)
    """,
    "input-with-a-prompt-on-stderr": """
        import sys
        print("numbers:", end=" ", file=sys.stderr)
        total = sum(int(x) for line in sys.stdin for x in line.split())
        print(total)
    """,
    "iterates-lines": "import sys\nprint(sum(int(x) for line in sys.stdin for x in line.split()))\n",
    "binary-buffer": "import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))\n",
    "binary-lines": "import sys\nprint(sum(int(x) for line in sys.stdin.buffer for x in line.split()))\n",
    "raw-stream": "import sys\nprint(sum(map(int, sys.stdin.buffer.raw.read().split())))\n",
    "readline-under-another-name": """
        import sys
        input = sys.stdin.readline
        total, line = 0, input()
        while line:
            total += sum(map(int, line.split()))
            line = input()
        print(total)
    """,
    "readlines": "import sys\nprint(sum(int(x) for line in sys.stdin.readlines() for x in line.split()))\n",
    "read-one-by-one": """
        import sys
        text = "".join(iter(lambda: sys.stdin.read(1), ""))
        print(sum(map(int, text.split())))
    """,
    "os-read": """
        import os
        data = b""
        while piece := os.read(0, 7):
            data += piece
        print(sum(map(int, data.split())))
    """,
    "open-zero": "print(sum(map(int, open(0).read().split())))\n",
    "open-zero-in-with": """
        with open(0) as given, open(1, "w") as out:
            out.write(str(sum(map(int, given.read().split()))))
    """,
    "open-zero-in-binary": "print(sum(map(int, open(0, 'rb').read().split())))\n",
    "dev-stdin": "print(sum(map(int, open('/dev/stdin').read().split())))\n",
    "dev-stdin-and-stdout": """
        import io
        with io.open("/dev/stdin") as given, open("/dev/stdout", "w") as out:
            print(sum(map(int, given.read().split())), file=out)
    """,
    "fdopen": "import os\nprint(sum(map(int, os.fdopen(0).read().split())))\n",
    "fileinput": "import fileinput\nprint(sum(int(x) for line in fileinput.input() for x in line.split()))\n",
    "token-generator": """
        import sys
        def tokens():
            for line in sys.stdin:
                yield from line.split()
        it = tokens()
        print(sum(int(t) for t in it))
    """,
    "stdin-replaced": """
        import io, sys
        sys.stdin = io.StringIO(sys.stdin.read())
        total = 0
        for line in sys.stdin:
            total += sum(map(int, line.split()))
        print(total)
    """,
    "stdin-detached": "import sys\nprint(sum(map(int, sys.stdin.detach().read().split())))\n",
    "stdin-reconfigured": """
        import sys
        sys.stdin.reconfigure(encoding="latin-1")
        sys.stdout.reconfigure(line_buffering=True)
        print(sum(map(int, sys.stdin.read().split())))
    """,
    "stdin-closed-afterwards": """
        import sys
        total = sum(map(int, sys.stdin.read().split()))
        sys.stdin.close()
        print(total)
    """,
    "selects-first": """
        import select, sys
        assert select.select([sys.stdin], [], [], 30)[0]
        print(sum(map(int, sys.stdin.read().split())))
    """,
    "asyncio-reader": """
        import asyncio, sys
        async def main():
            reader = asyncio.StreamReader()
            loop = asyncio.get_running_loop()
            await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
            return sum(map(int, (await reader.read()).split()))
        print(asyncio.run(main()))
    """,
}

_SUM = "import atexit, io, os, sys\ntotal = sum(map(int, sys.stdin.read().split()))\n"
_WRITES = {
    "os-write": "os.write(1, str(total).encode())\n",
    "binary-buffer-out": "sys.stdout.buffer.write(b'%d' % total)\n",
    "carriage-returns": "print(total, end='\\r\\n')\n",
    "spaces-around": "print(' ', total, '  \\n\\n')\n",
    "no-line-end": "print(total, end='')\n",
    "flushed": "print(total, flush=True)\n",
    "piece-by-piece": "for c in str(total):\n    sys.stdout.write(c)\n    sys.stdout.flush()\n",
    "much-on-stderr": "print('x' * 300000, file=sys.stderr)\nprint(total)\nprint('y' * 300000, file=sys.stderr)\n",
    "stdout-replaced": "sys.stdout = open(1, 'w')\nprint(total)\n",
    "file-never-closed": "out = open(1, 'w')\nout.write(str(total))\n",
    "fast-output": """
sys.stdout = io.StringIO()
atexit.register(lambda: os.write(1, sys.stdout.getvalue().encode()))
print(total)
""",
    "exit-function": "atexit.register(print, total)\n",
    "destructor": """
class Last:
    def __del__(self):
        print(total)
last = Last()
""",
    "finalizer": "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, total)\n",
    "generator-left-open": """
def closing():
    try:
        yield
    finally:
        print(total)
g = closing()
next(g)
""",
    "exit-builtin": "print(total)\nexit()\n",
    "quit-builtin": "print(total)\nquit(0)\n",
    "sys-exit": "print(total)\nsys.exit()\n",
    "sys-exit-false": "print(total)\nsys.exit(False)\n",
    "raise-system-exit": "print(total)\nraise SystemExit\n",
    "exits-in-a-function": "def main():\n    print(total)\n    sys.exit(0)\nmain()\nprint('never')\n",
    "hard-exit": "sys.stdout.write(str(total))\nsys.stdout.flush()\nos._exit(0)\n",
    "stdout-closed": "print(total)\nsys.stdout.close()\n",
    "descriptor-closed": "print(total, flush=True)\nos.close(1)\n",
    "stderr-closed": "sys.stderr.close()\nprint(total)\n",
    "redirected": """
import contextlib
with contextlib.redirect_stdout(io.StringIO()) as held:
    print(total)
print(held.getvalue())
""",
    "print-replaced": "import builtins\nbuiltins.print = lambda x: sys.stdout.write(f'{x}\\n')\nprint(total)\n",
    "warnings": "import warnings\nwarnings.warn('beware')\nprint(total)\n",
    "logging": "import logging\nlogging.basicConfig(level=0)\nlogging.info('working')\nprint(total)\n",
    "thread-goes-on": """
import threading, time
def late():
    time.sleep(0.1)
    print(total)
threading.Thread(target=late).start()
""",
    "daemon-thread": """
import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print(total)
""",
    "thread-pool": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(int, [total])))
""",
    "asyncio-run": """
import asyncio
async def main():
    await asyncio.sleep(0.01)
    print(total)
asyncio.run(main())
""",
    "names-of-builtins": "list = [total]\nsum = list[0]\nstr = print\nstr(sum)\n",
    "module-globals": """
count = 0
def add():
    global count
    count += total
add()
print(globals()["count"])
""",
    "guarded-main": "def main():\n    print(total)\nif __name__ == '__main__':\n    main()\n",
    "imports-itself": "import __main__\nassert __main__.total == total\nprint(__main__.total)\n",
    "arguments": "assert len(sys.argv) == 1\nprint(total)\n",
    "pickles": """
import pickle
class Box:
    def __init__(self, x):
        self.x = x
print(pickle.loads(pickle.dumps(Box(total))).x)
""",
    "dataclass": """
from dataclasses import dataclass
@dataclass(order=True)
class Box:
    x: int
print(max(Box(total), Box(total - 1)).x)
""",
    "source-of-itself": """
import inspect
def f():
    return total
assert "return total" in inspect.getsource(f)
print(f())
""",
    "exec-of-text": 'exec("print(total)")\n',
    "alarm": "import signal\nsignal.signal(signal.SIGALRM, lambda *a: None)\nsignal.alarm(60)\nprint(total)\n",
    "interrupts-itself": """
import signal
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print(total)
""",
    "stack-limit": """
import resource
resource.setrlimit(resource.RLIMIT_STACK, (resource.getrlimit(resource.RLIMIT_STACK)[0],) * 2)
print(total)
""",
    "no-garbage-collection": "import gc\ngc.disable()\ngc.freeze()\nprint(total)\n",
    "sleeps": "import time\ntime.sleep(0.3)\nprint(total)\n",
    "group-leader": "assert os.getpgid(0)\nprint(total)\n",
}

_DEPTHS = {
    "recursion-by-default": "def f(n):\n    return n and 1 + f(n - 1)\nprint(f(int(input())))\n",
    "recursion-limit-raised": """
        import sys
        sys.setrecursionlimit(10**6)
        def f(n):
            return n and 1 + f(n - 1)
        n = int(input())
        assert f(20 * n) == 20 * n
        print(f(n))
    """,
    "recursion-in-a-thread": """
        import sys, threading
        sys.setrecursionlimit(10**7)
        threading.stack_size(1 << 26)
        def f(n):
            return n and 1 + f(n - 1)
        def main():
            n = int(input())
            assert f(20 * n) == 20 * n
            print(f(n))
        t = threading.Thread(target=main)
        t.start()
        t.join()
    """,
}

_PROCESSES = {
    "forks-and-waits": "pid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\nelse:\n    print(total)\n",
    "runs-python": "import subprocess\nsubprocess.run([sys.executable, '-c', f'print({total})'], check=True)\n",
    "runs-a-shell": "sys.stdout.flush()\nassert os.system(f'echo {total}') == 0\n",
    "multiprocessing": """
import multiprocessing
def same(x):
    return x
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(same, [total])[0])
""",
    "leaves-a-daemon": """
import time
if os.fork() == 0:
    time.sleep(2)
    os._exit(0)
print(total)
""",
}
_FILES = {
    "new-file-each-run": """
with open("mine", "x") as file:
    file.write(str(total))
print(open("mine").read())
""",
    "temporary-folder": """
import tempfile
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/x", "w") as file:
        file.write(str(total))
    print(open(folder + "/x").read())
""",
    "folders-without-rights": """
os.makedirs("a/b/c")
os.chmod("a/b", 0)
os.chmod("a", 0)
print(total)
""",
}


def _all(
    task: ScriptTask, point: str, programs: dict[str, str], before: str = "", needs: str = ""
) -> list[ScriptCase]:
    return [task.case(name, point, before + text, PASSED, needs) for name, text in programs.items()]


CASES: tuple[ScriptCase, ...] = (
    *_all(ADD, "13", _READS),
    *_all(ADD, "13", _WRITES, _SUM),
    *_all(ADD, "13", _PROCESSES, _SUM, "processes"),
    *_all(ADD, "13", _FILES, _SUM, "files"),
    *_all(DEPTH, "13", _DEPTHS),
    ADD.case("byte-order-mark-in-source", "13", "\ufeffprint(sum(map(int, open(0).read().split())))\n", PASSED),
    ADD.case("coding-cookie", "13", "# -*- coding: utf-8 -*-\n" + _SUM + "é = total\nprint(é)\n", PASSED),
    ADD.case("future-annotations", "13", "from __future__ import annotations\n" + _SUM + "print(total)\n", PASSED),
    ADD_EXACTLY.case("exact-without-line-end", "14", _SUM + "print(total, end='')\n", PASSED),
    ADD_EXACTLY.case("exact-with-line-end", "14", _SUM + "print(total)\n", PASSED),
    ADD_MANY.case("long-input-on-one-line", "13", "print(sum(map(int, input().split())))\n", PASSED),
    ADD_MANY.case("reads-in-small-pieces", "13", _READS["os-read"].replace("7", "99"), PASSED),
    SILENT.case("silent-where-nothing-is-right", "14", "n = int(input())\nif n: print(n)\n", PASSED),
    UPPER.case("other-than-ascii", "13", "import sys\nsys.stdout.write(sys.stdin.read().upper())\n", PASSED),
    UPPER.case(
        "bytes-of-utf-8",
        "13",
        "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read().decode().upper().encode())\n",
        PASSED,
    ),
    UPPER_LONG.case("answers-line-by-line", "13", UPPER_LONG.reference, PASSED),
    UPPER_LONG.case(
        "writes-before-it-reads-on",
        "13",
        "import os\nwhile x := os.read(0, 4096):\n    while x:\n        x = x[os.write(1, x.upper()):]\n",
        PASSED,
    ),
    UPPER_LONG.case(
        "input-left-unread",
        "13",
        f"print('\\n'.join(['ABC'] * {len(UPPER_LONG.tests.cases[0].stdin) // 4}))\n",
        PASSED,
    ),
    HALF.case("more-digits", "14", "from decimal import Decimal\nprint(Decimal(int(input())) / 2)\n", PASSED),
    HALF.case("nearly", "14", "print(int(input()) / 2 * (1 + 1e-9))\n", PASSED),
    HALF.case("in-scientific-notation", "14", "print(f'{int(input()) / 2:.9e}')\n", PASSED),
    HALF.case("with-a-sign", "14", "print(f'{int(input()) / 2:+.3f}')\n", PASSED),
    HALF.case("minus-zero", "14", "print(int(input()) / -2 * -1.0)\n", PASSED),
    HALF.case("without-leading-zero", "14", "print(f'{int(input()) / 2:.1f}'.replace('0.5', '.5'))\n", PASSED),
    HALF.case("integer-for-a-fraction", "14", "n = int(input())\nprint(n / 2 if n % 2 else n // 2)\n", PASSED),
    TINY.case("tiny-in-full", "14", "print(f'{int(input()) / 10**7:.12f}')\n", PASSED),
    DIVISORS.case(
        "lines-backwards",
        "14",
        "n = int(input())\nprint(*(i for i in range(n, 0, -1) if n % i == 0), sep='\\n')\n",
        PASSED,
    ),
    SUMMANDS.case("another-right-answer", "14", "n = int(input())\nprint(n // 2, n - n // 2)\n", PASSED),
)
