"""Wrong programs in the process of a check function, which hands in objects of its own."""

from __future__ import annotations

from .case import FAILS, RAISED, WRONG, source
from .tasks_inprocess import BOXES
from .tasks_inprocess_thieves import FRAME, NEXT_CONSTANT

# Name -> (point, program, outcomes)
_BOXES = {
    "constant": ("answer", "def f(box):\n    return 'ba'\n", WRONG),
    "identity": ("answer", "def f(box):\n    return box.text\n", WRONG),
    "equal-text": (
        "equal",
        (
            "class E(str):\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n"
            "def f(box):\n    return E(box.text)\n"
        ),
        FAILS,
    ),
    "thief-of-locals": (
        "leak",
        FRAME + "def f(box):\n    box.text\n    return tests().f_locals.get('wanted', 'ba')\n",
        WRONG,
    ),
    "thief-of-both": (
        "leak",
        NEXT_CONSTANT + "def f(box):\n    box.text\n    known = tests().f_locals\n"
        "    return known['wanted'] if 'wanted' in known else stolen()\n",
        FAILS,
    ),
    "thief-of-the-table": (
        "leak",
        FRAME
        + "def f(box):\n    if len(box.text) > 2 or not box.text:\n        return box.text[::-1]\n"
        + "    for x in tests().f_code.co_consts:\n        if type(x) is tuple:\n            for row in x:\n"
        + "                if row[0] == box.text:\n                    return row[1]\n    return 'ba'\n",
        FAILS,
    ),
    "changes-its-box": ("answer", "def f(box):\n    box.text = box.text[::-1]\n    return box\n", WRONG),
    "box-that-is-equal": (
        "equal",
        "def f(box):\n    box.text\n    type(box).__eq__ = lambda self, other: True\n    return box\n",
        FAILS,
    ),
    "writes-into-locals": (
        "patch",
        FRAME
        + source(
            """
            import ctypes

            def f(box):
                box.text
                frame = tests()
                known = frame.f_locals
                if "wanted" not in known:
                    return box.text[::-1]
                known["wanted"] = "x"
                ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
                return "x"
            """
        ),
        FAILS,
    ),
    "code-of-the-check": (
        "patch",
        FRAME
        + "def f(box):\n    for x in range(7):\n        tests().f_globals['__codejury__'].ok(1)\n"
        + "    tests().f_globals['check'].__code__ = (lambda candidate: None).__code__\n    return 'ba'\n",
        WRONG,
    ),
    "check-replaced-when-box-is-made": (
        "patch",
        source(
            """
            import builtins

            plain = builtins.__build_class__

            def build(body, name, *bases, **kwargs):
                made = plain(body, name, *bases, **kwargs)
                if name == "Box":
                    body.__globals__["check"] = check
                    builtins.__build_class__ = plain
                return made

            def check(candidate):
                hook = build_globals["__codejury__"]
                for x in range(9):
                    hook.ok(1)

            class Globals(dict):
                pass

            import sys
            build_globals = {}

            def build_(body, name, *bases, **kwargs):
                build_globals.update(body.__globals__)
                return build(body, name, *bases, **kwargs)

            builtins.__build_class__ = build_

            def f(box):
                return 0
            """
        ),
        FAILS,
    ),
    "check-replaced-by-getter": (
        "patch",
        source(
            """
            import sys

            def f(box):
                frame = sys._getframe(1)
                frame.f_globals["check"] = None
                return frame.f_globals.get("wanted", "")
            """
        ),
        WRONG,
    ),
    "unwinds-the-check": (
        "exit",
        FRAME + "def f(box):\n    hook = tests().f_globals['__codejury__']\n"
        "    hook.finished = 9\n    raise BaseException\n",
        FAILS,
    ),
    "generator-that-stops": ("exit", "def f(box):\n    box.text\n    raise StopIteration\n", RAISED),
    "raises-what-is-caught": ("answer", "def f(box):\n    raise AttributeError\n", RAISED),
    "signal-out-of-the-loop": (
        "exit",
        FRAME
        + source(
            """
            import ctypes

            def f(box):
                box.text
                frame = tests()
                hook = frame.f_globals["__codejury__"]
                for x in range(6):
                    hook.ok(1)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(__import__("threading").get_ident()), ctypes.py_object(GeneratorExit)
                )
                return "ba"
            """
        ),
        FAILS,
    ),
    "jumps-over-what-fails": (
        "patch",
        source(
            """
            import sys

            def jump(frame, event, arg):
                if event == "line" and frame.f_code.co_name == "check":
                    hook = frame.f_globals["__codejury__"]
                    for x in range(6):
                        hook.ok(1)
                    frame.f_lineno = frame.f_code.co_firstlineno + 11
                    sys.settrace(None)
                    frame.f_trace = None
                return jump

            def f(box):
                box.text
                sys.settrace(jump)
                sys._getframe(1).f_trace = jump
                return "ba"
            """
        ),
        FAILS,
    ),
}

CASES = tuple(BOXES.case(name, *rest) for name, rest in _BOXES.items())
