"""Wrong programs that are equal to what is expected, or take it from the tests around them."""

from __future__ import annotations

from .case import FAILS, WRONG, source
from .tasks_inprocess import (
    NODE_CLASS,
    NODES,
)
from .tasks_inprocess_thieves import EQUAL, FRAME, NEXT_CONSTANT, RUN

# Name -> (point, program after Node's class, outcomes)
_NODES = {
    "constant": ("answer", "def f(node):\n    return 7\n", WRONG),
    "nothing": ("answer", "def f(node):\n    pass\n", WRONG),
    "off-by-one": ("answer", "def f(node):\n    return 1 + (node.value if node else 0)\n", WRONG),
    "equal": ("equal", EQUAL + "def f(node):\n    return Equal()\n", FAILS),
    "equal-int": (
        "equal",
        "class E(int):\n    def __eq__(self, other):\n        return True\ndef f(node):\n    return E(7)\n",
        FAILS,
    ),
    "equal-not-a-bool": (
        "equal",
        "class E:\n    def __eq__(self, other):\n        return [other]\ndef f(node):\n    return E()\n",
        FAILS,
    ),
    "equal-class": (
        "equal",
        (
            "class Meta(type):\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n"
            "class E(metaclass=Meta):\n    pass\ndef f(node):\n    return E\n"
        ),
        FAILS,
    ),
    "equal-any": ("equal", "from unittest import mock\ndef f(node):\n    return mock.ANY\n", FAILS),
    "equal-class-of-int": (
        "equal",
        (
            "class E:\n    __class__ = int\n    def __eq__(self, other):\n        return type(other) is int\n"
            "def f(node):\n    return E()\n"
        ),
        FAILS,
    ),
    "equal-if-near": (
        "equal",
        (
            "class E(int):\n    def __eq__(self, other):\n        return abs(int(self) - int(other)) < 100\n"
            "def f(node):\n    return E(7)\n"
        ),
        FAILS,
    ),
    "equal-to-neighbours": (
        "equal",
        (
            "class E(int):\n    def __eq__(self, other):\n        return 0 <= int(other) - int(self) <= 1\n"
            "def f(node):\n    total = 0\n    while node:\n"
            "        total, node = total + node.value, node.next\n"
            "    return E(total - 1 if total else 0)\n"
        ),
        FAILS,
    ),
    "equal-with-a-file": (
        "leak",
        (
            "import os\nclass E:\n    seen = 0\n    def __eq__(self, other):\n        E.seen += 1\n"
            "        path = f'/tmp/{E.seen}'\n        if not os.path.exists(path):\n"
            "            with open(path, 'w') as file:\n                file.write(repr(other))\n"
            "        return open(path).read() == repr(other)\ndef f(node):\n    return E()\n"
        ),
        FAILS,
    ),
    "equal-with-shared-memory": (
        "leak",
        source(
            """
            import ctypes

            libc = ctypes.CDLL(None, use_errno=True)
            libc.shmat.restype = ctypes.c_void_p
            number = libc.shmget(0x6A757279, 4096, 0o1666)
            place = libc.shmat(number, None, 0)
            cells = (ctypes.c_int * 9).from_address(place)

            class E:
                seen = 0
                def __eq__(self, other):
                    E.seen += 1
                    cells[E.seen] = cells[E.seen] or other + 1
                    return cells[E.seen] == other + 1

            def f(node):
                return E()
            """
        ),
        FAILS,
    ),
    "thief-of-constants": (
        "leak",
        FRAME + "def f(node):\n    consts = tests().f_code.co_consts\n"
        "    return max(x for x in consts if type(x) is int)\n",
        FAILS,
    ),
    "thief-of-next-constant": ("leak", NEXT_CONSTANT + "def f(node):\n    return stolen()\n", FAILS),
    "thief-where-it-cannot": (
        "leak",
        NEXT_CONSTANT + "def f(node):\n    return 0 if node is None else 7 if node.value == 3 else stolen()\n",
        FAILS,
    ),
    "thief-by-gc": (
        "leak",
        (
            RUN
            + "import binascii, marshal\ncalls = []\ndef f(node):\n"
            + "    codes = marshal.loads(binascii.a2b_base64(run().job['code']))[1]\n    calls.append(1)\n"
            + "    found = [x for x in codes[len(calls) - 1].co_consts if type(x) is int]\n"
            + "    found = [x for x in found if x not in (3, 4, 10, 20, 30)]\n"
            + "    return max(found)\n"
        ),
        FAILS,
    ),
    "thief-by-traceback": (
        "leak",
        (
            "def f(node):\n    try:\n        raise ValueError\n    except ValueError as error:\n"
            "        consts = error.__traceback__.tb_frame.f_back.f_code.co_consts\n"
            "    return max(x for x in consts if type(x) is int)\n"
        ),
        FAILS,
    ),
    "thief-by-thread": (
        "leak",
        source(
            """
            import sys, threading

            def look(number, found):
                found.append(sys._current_frames()[number].f_back)

            def f(node):
                found = []
                thread = threading.Thread(target=look, args=(threading.get_ident(), found))
                thread.start()
                thread.join()
                frame = found[0]
                while frame.f_code.co_filename != "<tests>":
                    frame = frame.f_back
                return max(x for x in frame.f_code.co_consts if type(x) is int)
            """
        ),
        FAILS,
    ),
    "thief-by-inspect": (
        "leak",
        (
            "import inspect\ndef f(node):\n"
            "    frame = [x for x in inspect.stack() if x.filename == '<tests>'][0]\n"
            "    return max(x for x in frame.frame.f_code.co_consts if type(x) is int)\n"
        ),
        FAILS,
    ),
    "thief-of-the-message": (
        "leak",
        (
            FRAME
            + EQUAL
            + "def f(node):\n    texts = [x for x in tests().f_code.co_consts if type(x) is str]\n"
            + "    if texts:\n        return int(texts[0].split()[-1])\n"
            + "    return 7 if node else 0\n"
        ),
        FAILS,
    ),
    "constants-rewritten": (
        "patch",
        FRAME
        + source(
            """
            import ctypes

            def f(node):
                for x in tests().f_code.co_consts:
                    if type(x) is int and x > 30:
                        ctypes.c_uint32.from_address(id(x) + 24).value = 60
                return 7 if node and node.value == 3 else 60 if node else 0
            """
        ),
        FAILS,
    ),
}

CASES = tuple(
    NODES.case(name, point, NODE_CLASS + program, expect) for name, (point, program, expect) in _NODES.items()
)
