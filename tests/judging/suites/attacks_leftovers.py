"""What one sample leaves for the next.

Class "leftover", point 9: pairs that stand in order. The first program leaves something behind, the next one
answers rightly only if it finds that. They mean something when they run one after the other on the same slot.
"""

from __future__ import annotations

from .case import FAILS, Case, source
from .tasks import INCREMENT

_IPC = source(
    """
    import ctypes, os

    libc = ctypes.CDLL(None, use_errno=True)
    KEY = 0x6A757279

    """
)
_LEFT: tuple[tuple[str, str, str, str], ...] = (
    ("file", "import os", "open('/tmp/left', 'w').close()", "os.path.exists('/tmp/left')"),
    (
        "folders",
        "import os",
        "os.makedirs('/tmp/left.d/a/b/c')\n    os.chmod('/tmp/left.d', 0)",
        "'left.d' in os.listdir('/tmp')",
    ),
    ("working-folder", "import os", "os.mkdir('/tmp/w')\n    os.chdir('/tmp/w')", "os.getcwd() == '/tmp/w'"),
    ("builtin", "import builtins", "builtins.left = 1", "hasattr(builtins, 'left')"),
    ("module", "import sys", "sys.modules['left'] = sys", "'left' in sys.modules"),
    ("patched-function", "import math", "math.left = 1", "hasattr(math, 'left')"),
    ("environment", "import os", "os.environ['LEFT'] = '1'\n    os.putenv('LEFT', '1')", "'LEFT' in os.environ"),
    ("recursion-limit", "import sys", "sys.setrecursionlimit(4321)", "sys.getrecursionlimit() == 4321"),
    ("umask", "import os", "os.umask(0o123)", "os.umask(0) == 0o123"),
    ("random-state", "import random", "random.left = 1\n    random.seed(1)", "hasattr(random, 'left')"),
    ("niceness", "import os", "os.nice(7)", "os.nice(0) >= 7"),
    ("shared-memory", _IPC, "libc.shmget(KEY, 4096, 0o1666)", "libc.shmget(KEY, 4096, 0) >= 0"),
    ("semaphore", _IPC, "libc.semget(KEY, 1, 0o1666)", "libc.semget(KEY, 1, 0) >= 0"),
    ("message-queue", _IPC, "libc.msgget(KEY, 0o1666)", "libc.msgget(KEY, 0) >= 0"),
    (
        "posix-queue",
        _IPC,
        "libc.syscall(240, b'left', 0o102, 0o666, None)",
        "libc.syscall(240, b'left', 0, 0, None) >= 0",
    ),
    ("posix-memory", "import os", "open('/dev/shm/left', 'w').close()", "os.path.exists('/dev/shm/left')"),
    (
        "process",
        "import os, time",
        "if os.fork() == 0: os.setsid(); time.sleep(600)",
        "any(os.path.exists(f'/proc/{p}') for p in range(2, 400))",
    ),
    (
        "thread-of-the-zygote",
        "import threading, time",
        "threading.Thread(target=time.sleep, args=(600,), name='left').start()",
        "any(t.name == 'left' for t in threading.enumerate())",
    ),
)


def _pair(name: str, before: str, leave: str, find: str) -> tuple[Case, Case]:
    leaver = f"{before}\n\ndef f(x):\n    {leave}\n    return 0\n"
    finder = f"{before}\n\ndef f(x):\n    return x + 1 if {find} else 0\n"
    return (
        INCREMENT.case(f"leaves-{name}", "leftover", leaver, FAILS),
        INCREMENT.case(f"finds-{name}", "leftover", finder, FAILS),
    )


CASES: tuple[Case, ...] = tuple(case for left in _LEFT for case in _pair(*left))
