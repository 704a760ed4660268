"""The shim of whole programs, asked directly: a run is what plain Python would have made of it."""

from __future__ import annotations

import asyncio
import base64
import importlib
import select
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from codejury.judging import ROLES
from codejury.model import MIB, Limits, TierUnavailable
from codejury.sandbox import Sandbox, Settings, describe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.sandbox

LIMITS = Limits(cpu_s=5.0, cpu_total_s=30.0, memory_bytes=256 * MIB, file_bytes=8 * MIB)
MOST = 1 << 20
ANSWER_S = 60.0  # generous: the machine may be busy
TIERS = ("namespaces", "landlock")


class Scripts:
    """A lane of scripts without a judge."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.lane = sandbox.lane("script", LIMITS)
        self.codec, self.frames = importlib.import_module("codec"), importlib.import_module("frames")

    def ask(self, source: str, *inputs: str, most: int = MOST, cpu_s: float = 5.0, limits: Any = ()) -> Any:
        """What a fresh shim answers: to the program, then to each input; outputs as bytes."""
        return asyncio.run(self._ask([source, most, cpu_s, list(limits)], inputs))

    async def _ask(self, program: list[Any], inputs: tuple[str, ...]) -> Any:
        child = await self.lane.take()
        try:
            loaded = self._exchange(child, self.codec.dumps(program))
            replies = []
            for given in inputs if loaded == ["ok"] else ():
                end, number, cpu_us, output, errors = self._exchange(child, given)
                assert cpu_us >= 0
                replies.append((end, number, base64.b64decode(output), errors))
        finally:
            await self.lane.finish()
        return replies if loaded == ["ok"] else loaded

    def _exchange(self, child: Any, body: str) -> Any:
        requests, replies = child.fds
        self.frames.send(requests, 1, body.encode())
        ready, _, _ = select.select([replies], [], [], ANSWER_S)
        assert ready, "no answer"
        _, reply = self.frames.receive(replies, 4 * MOST)
        return self.codec.loads(reply.decode())


@contextmanager
def _open(tier: str) -> Iterator[Scripts]:
    sandbox = Sandbox(Settings(interpreter=describe(), limits=LIMITS, tier=tier), ROLES)
    try:
        asyncio.run(sandbox.__aenter__())
    except TierUnavailable as error:
        pytest.skip(str(error))
    made = Scripts(sandbox)
    try:
        yield made
    finally:
        made.lane.close()
        asyncio.run(sandbox.__aexit__())


@pytest.fixture(scope="module", params=TIERS)
def scripts(request: pytest.FixtureRequest) -> Iterator[Scripts]:
    """A lane of scripts, in each tier."""
    with _open(request.param) as made:
        yield made


@pytest.fixture(scope="module")
def in_namespaces() -> Iterator[Scripts]:
    """A lane where programs may have processes and files."""
    with _open("namespaces") as made:
        yield made


# What a program can see of where it runs, and how it ends: [program, input].
SAME: dict[str, tuple[str, str]] = {
    "module": (
        "print(sorted(n for n in globals()), __name__, __package__, __spec__, __doc__)\nprint(__builtins__)\n",
        "",
    ),
    "docstring": ("'what it is'\nprint(__doc__)\n", ""),
    "annotations": ("x: int = 1\nprint(__annotations__)\n", ""),
    "arguments": ("import os, sys\nprint(sys.argv, os.path.basename(__file__), os.path.isabs(__file__))\n", ""),
    "streams": (
        """
import sys
for s in (sys.stdin, sys.stdout, sys.stderr):
    print(s.encoding, s.errors, s.name, s.mode, s.line_buffering, s.isatty(), s.fileno(), type(s.buffer))
print(sys.stdin is sys.__stdin__, sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__)
""",
        "",
    ),
    "carriage-returns": (
        "import sys\nprint(repr(sys.stdin.read()))\nsys.stdout.write('a\\r\\nb\\n')\n",
        "a\r\nb\rc\n",
    ),
    "line-ends": ("import sys\nprint([repr(x) for x in sys.stdin])\n", "a\x0bb\x85c\u2028d\x1ce\ff\n\ng"),
    "input": ("print(repr(input('? ')), repr(input()))\n", "a \r\nb"),
    "input-at-the-end": ("input()\n", ""),
    "end-of-input": ("import sys\nprint(repr(sys.stdin.read()), repr(sys.stdin.readline()))\n", ""),
    "status": ("import sys\nsys.exit(7)\n", ""),
    "status-of-a-text": ("import sys\nprint(1)\nsys.exit('why')\n", ""),
    "status-of-none": ("raise SystemExit(None)\n", ""),
    "status-of-true": ("raise SystemExit(True)\n", ""),
    "status-negative": ("raise SystemExit(-1)\n", ""),
    "status-large": ("raise SystemExit(256)\n", ""),
    "status-of-a-tuple": ("raise SystemExit(1, 2)\n", ""),
    "exit-builtin": ("exit(3)\n", ""),
    "hard-exit": ("import os\nprint(1)\nos._exit(5)\n", ""),
    "exception": ("print(1)\ndef f():\n    return 1 / 0\nf()\n", ""),
    "exception-in-a-thread": (
        "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nprint(2)\n",
        "",
    ),
    "exception-at-exit": ("import atexit\natexit.register(lambda: 1 / 0)\nprint(1)\n", ""),
    "exception-hook": ("import sys\nsys.excepthook = lambda *a: print('hook', a[0])\n1 / 0\n", ""),
    "exit-at-exit": ("import atexit, sys\natexit.register(sys.exit, 5)\nprint(1)\n", ""),
    "hard-exit-at-exit": ("import atexit, os\natexit.register(os._exit, 5)\nprint(1)\n", ""),
    "abort": ("import os\nos.abort()\n", ""),
    "killed": ("import os\nos.kill(os.getpid(), 9)\n", ""),
    "terminated": ("import os\nprint(1)\nos.kill(os.getpid(), 15)\n", ""),
    "descriptor-closed": ("import os\nprint(1)\nos.close(1)\n", ""),
    "stream-closed": ("import sys\nprint(1)\nsys.stdout.close()\n", ""),
    "stream-gone": ("import sys\nprint(1)\nsys.stdout.flush()\nsys.stdout = None\nprint(2)\n", ""),
    "surrogates": ("print('\\ud800')\n", ""),
    "bytes": ("import sys\nsys.stdout.buffer.write(bytes(range(256)))\n", ""),
    "order-at-exit": (
        """
import atexit, threading, time
class A:
    def __del__(self):
        print("object", x)
a, x = A(), 5
atexit.register(print, "function")
threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
print("main")
""",
        "",
    ),
    "objects-in-order": (
        """
class A:
    def __init__(self, n):
        self.n = n
    def __del__(self):
        print(self.n, x)
b, a, x = A("b"), A("a"), 5
""",
        "",
    ),
    "signals": ("import signal\nprint([signal.getsignal(n) for n in (2, 13, 15, 17, 25)])\n", ""),
    "collector": ("import gc\nprint(gc.isenabled(), gc.get_threshold())\n", ""),
    "modules-of-ours": (
        "import sys\nprint({'script', 'program', 'codec', 'frames', 'zygote', 'kernel'} & set(sys.modules))\n",
        "",
    ),
    "unread-input": ("print(1)\n", "x" * 300_000),
    "closed-input": ("import os, sys\nos.close(0)\nprint(1)\n", "x" * 300_000),
    "one-way-and-the-other": (
        "import sys\nfor line in sys.stdin:\n    print(line * 3, end='')\n",
        "abcdefg\n" * 20_000,
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_as_plain_python(scripts: Scripts, tmp_path: Path, name: str) -> None:
    """Output, end and the last line of what is said of errors are those of `python main.py`."""
    source, given = SAME[name]
    (tmp_path / "main.py").write_text(source)
    plain = subprocess.run(
        [sys.executable, "-X", "utf8", "main.py"],
        input=given.encode(),
        capture_output=True,
        cwd=tmp_path,
        env={"LC_ALL": "en_US.UTF-8", "PYTHONIOENCODING": "utf-8:strict"},
        check=False,
    )
    end, number, output, errors = scripts.ask(source, given)[0]
    assert plain.returncode == (-number if end == "signal" else number), errors
    assert plain.stdout == output
    assert plain.stderr.decode().splitlines()[-1:] == errors.splitlines()[-1:]


def test_recursion_as_deep_as_plainly(scripts: Scripts) -> None:
    """The frames below the program do not take from its limit; a version of Python may count one call more."""
    source = (
        "def f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n        return n\nprint(f(0))\n"
    )
    plain = subprocess.run([sys.executable, "-"], input=source.encode(), capture_output=True, check=True).stdout
    assert int(scripts.ask(source, "")[0][2]) - int(plain) in (0, 1)


def test_each_run_is_new(scripts: Scripts) -> None:
    """Nothing of a run is left in the next: no name, no module, no state of random."""
    source = (
        "import random, sys, builtins\n"
        "print(input(), hasattr(builtins, 'mine'), 'colorsys' in sys.modules, random.random())\n"
        "import colorsys\nbuiltins.mine = 1\n"
    )
    first, second = (reply[2].split() for reply in scripts.ask(source, "a", "b"))
    assert [b"a", b"False", b"False"] == first[:3]
    assert [b"b", *first[1:]] == second


def test_syntax_errors_are_told_once(scripts: Scripts) -> None:
    """Before any run."""
    kind, name, text = scripts.ask("print(\n", "")
    assert ("syntax", "SyntaxError") == (kind, name)
    assert "was never closed" in text
    assert "syntax" == scripts.ask("print(1)\0", "")[0]


def test_output_up_to_the_limit(scripts: Scripts) -> None:
    """So many bytes are fine, and one more is too much; the program is ended there."""
    assert [("exit", 0, b"x" * 5000, "")] == scripts.ask("print('x' * 5000, end='')", "", most=5000)
    assert ("output", 5000) == scripts.ask("print('x' * 5000)", "", most=5000)[0][:2]
    assert ("output", 5000) == scripts.ask("while True: print('x' * 5000)", "", most=5000)[0][:2]


def test_the_last_of_standard_error_is_kept(scripts: Scripts) -> None:
    """However much there was."""
    ((end, status, output, errors),) = scripts.ask(
        "import sys\nfor i in range(100000): print(i, file=sys.stderr)\nprint('done')\n", ""
    )
    assert ("exit", 0, b"done\n") == (end, status, output)
    assert "99999" == errors.split()[-1]
    assert 1990 <= len(errors) <= 2000


def test_cpu_time_is_limited_by_the_kernel(scripts: Scripts) -> None:
    """Where nobody counts it from outside, a run ends a second after its limit at the latest."""
    assert ("signal", 9) == scripts.ask("while True: pass", "", cpu_s=0.2)[0][:2]
    ignores = "import signal\nsignal.signal(24, signal.SIG_IGN)\nwhile True: pass\n"
    assert ("signal", 9) == scripts.ask(ignores, "", cpu_s=0.2)[0][:2]


def test_limits_of_a_sample(scripts: Scripts) -> None:
    """Those that are told are the run's own."""
    source = "import resource as r\nprint(r.getrlimit(r.RLIMIT_AS), r.getrlimit(r.RLIMIT_FSIZE))\n"
    reply = scripts.ask(source, "", limits=[["AS", 200 * MIB], ["FSIZE", MIB]])[0]
    assert f"{(200 * MIB,) * 2} {(MIB,) * 2}\n".encode() == reply[2]


def test_nothing_else_is_open(scripts: Scripts) -> None:
    """Descriptors 0, 1 and 2, each one end of a pipe."""
    source = (
        "import os, stat\n"
        "def kind(fd):\n    try:\n        return stat.S_ISFIFO(os.fstat(fd).st_mode)\n"
        "    except OSError:\n        return None\n"
        "print([(fd, kind(fd)) for fd in range(5000) if kind(fd) is not None])\n"
    )
    assert b"[(0, True), (1, True), (2, True)]\n" == scripts.ask(source, "")[0][2]


# ---- processes and files


def test_a_daemon_keeps_nobody_waiting(in_namespaces: Scripts) -> None:
    """It holds the pipes, and is ended with its run; what it would write later is not read."""
    source = (
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        time.sleep(0.3)\n        while True:\n            os.write(1, b'late')\n"
        "    time.sleep(3600)\n"
        "print(input())\n"
    )
    started = time.monotonic()
    assert [("exit", 0, b"a\n", ""), ("exit", 0, b"b\n", "")] == in_namespaces.ask(source, "a", "b")
    assert time.monotonic() - started < ANSWER_S  # and not an hour


def test_no_process_is_left_for_the_next_run(in_namespaces: Scripts) -> None:
    """Each run has the processes of its own limit, whatever the one before left."""
    source = (
        "import os, time\nn = 0\n"
        "try:\n    while n < 12:\n        if os.fork() == 0:\n            time.sleep(3600)\n        n += 1\n"
        "except OSError: pass\nprint(n)\n"
    )
    assert [b"12\n"] * 4 == [reply[2] for reply in in_namespaces.ask(source, *"abcd")]


def test_output_of_children_before_the_end_counts(in_namespaces: Scripts) -> None:
    """As long as the first process is there."""
    source = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(1)'])\nprint(2)\n"
    assert [("exit", 0, b"1\n2\n", "")] == in_namespaces.ask(source, "")


def test_files_are_gone_with_their_run(in_namespaces: Scripts) -> None:
    """Folders without rights, links, deep trees and a changed /tmp among them."""
    source = (
        "import os\nprint(sorted(os.listdir('/tmp')), oct(os.stat('/tmp').st_mode))\n"
        "open('x', 'x').close()\nos.symlink('/', 'link')\n"
        "for _ in range(300):\n    os.mkdir('d')\n    os.chdir('d')\n"
        "os.chdir('/tmp')\nos.makedirs('a/b/c')\nopen('a/b/f', 'w').close()\n"
        "os.chmod('a/b/c', 0)\nos.chmod('a/b', 0)\nos.chmod('a', 0)\n"
        "try:\n    os.chmod('/tmp', 0)\nexcept PermissionError: pass\n"
    )
    replies = in_namespaces.ask(source, "", "", "")
    assert [("exit", 0, b"[] 0o41777\n", "")] * 3 == replies


def test_hostile_children_cannot_end_the_shim(in_namespaces: Scripts) -> None:
    """It is the first process of its namespace: signals from below do not reach it, whatever their number."""
    source = (
        "import os\n"
        "for n in range(1, 65):\n    try:\n        os.kill(1, n)\n    except OSError: pass\n"
        "print(os.getppid())\n"
    )
    assert [("exit", 0, b"1\n", "")] * 2 == in_namespaces.ask(source, "", "")
