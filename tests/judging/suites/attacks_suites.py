"""Wrong programs before tests of unittest and pytest: none may pass, whatever it does to a framework or raises.

Classes "patch" and "forge": the frameworks, the modules, the results. "exit": whatever ends a test early, and
whatever a framework takes for a skipped or an expected one. "equal": objects that equal everything.
"""

from __future__ import annotations

from codejury.model import Outcome

from .case import CRASHED, ENDED, FAILS, NO_FUNCTION, RAISED, REJECTED, SLOW, SYNTAX, WRONG, source
from .tasks_suites import NEXT_PYTEST, NEXT_UNITTEST, STACK_PYTEST, STACK_UNITTEST, SuiteCase

_ZERO = "\ndef f(x):\n    return 0\n"

# Name -> (program, outcomes), each before both frameworks.
_BOTH = {
    "constant": ("def f(x):\n    return 2\n", WRONG),
    "returns-nothing": ("def f(x):\n    pass\n", WRONG),
    "never-raises": ("def f(x):\n    return x + 1\n", WRONG),
    "raises-another-text": (
        "def f(x):\n    if x < 0:\n        raise ValueError('no')\n    return x + 1\n",
        WRONG,
    ),
    "raises-a-base-class": (
        "def f(x):\n    if x < 0:\n        raise Exception('negative')\n    return x + 1\n",
        RAISED,
    ),
    "always-raises-what-is-asked": ("def f(x):\n    raise ValueError('negative')\n", RAISED),
    "syntax": ("def f(x:\n", SYNTAX),
    "no-function": ("def g(x):\n    return x + 1\n", NO_FUNCTION),
    "exits-in-call": ("import os\ndef f(x):\n    os._exit(0)\n", ENDED),
    "exits-when-loaded": ("import os\nos._exit(0)\n", ENDED),
    "exits-at-the-last-test": (
        "import os\ndef f(x):\n    if x < 0:\n        os._exit(0)\n    return x + 1\n",
        ENDED,
    ),
    "system-exit": ("import sys\ndef f(x):\n    sys.exit(0)\n", ENDED),
    "system-exit-at-the-last-test": (
        "import sys\ndef f(x):\n    if x < 0:\n        sys.exit('negative')\n    return x + 1\n",
        ENDED,
    ),
    "exits-by-atexit": ("import atexit, os\natexit.register(os._exit, 0)\n" + _ZERO, WRONG),
    "exits-by-thread": (
        (
            "import os, threading, time\n"
            "def end():\n    time.sleep(0.05)\n    os._exit(0)\n"
            "def f(x):\n    threading.Thread(target=end).start()\n    time.sleep(0.5)\n    return 0\n"
        ),
        ENDED,
    ),
    "kills-itself": ("import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.SIGSEGV)\n", CRASHED | FAILS),
    "hangs": ("def f(x):\n    while True:\n        pass\n", SLOW),
    "hangs-where-it-should-raise": (
        "def f(x):\n    while x < 0:\n        pass\n    return x + 1\n",
        SLOW,
    ),
    "recursion": ("def f(x):\n    return f(x)\n", RAISED),
    "memory": ("def f(x):\n    return [0] * (1 << 40)\n", frozenset({Outcome.OUT_OF_MEMORY}) | RAISED),
    "skips": ("import unittest\ndef f(x):\n    raise unittest.SkipTest('later')\n", RAISED),
    "skips-where-it-should-raise": (
        (
            "import unittest\ndef f(x):\n    if x < 0:\n"
            "        raise unittest.SkipTest('negative')\n    return x + 1\n"
        ),
        RAISED,
    ),
    "skip-that-is-a-value-error": (
        (
            "import unittest\n"
            "class Skip(unittest.SkipTest, ValueError):\n    pass\n"
            "def f(x):\n    raise Skip('negative')\n"
        ),
        RAISED,
    ),
    "class-named-skip-test": (
        (
            "class SkipTest(Exception):\n    pass\nSkipTest.__module__ = 'unittest.case'\n"
            "def f(x):\n    raise SkipTest('later')\n"
        ),
        RAISED,
    ),
    "assertion-error": ("def f(x):\n    raise AssertionError\n", RAISED),
    "assertion-error-subclass": (
        "class Fine(AssertionError):\n    __bool__ = lambda self: False\ndef f(x):\n    raise Fine('passed')\n",
        RAISED,
    ),
    "keyboard-interrupt": ("def f(x):\n    raise KeyboardInterrupt\n", RAISED),
    "generator-exit": ("def f(x):\n    raise GeneratorExit\n", RAISED),
    "stop-iteration": ("def f(x):\n    raise StopIteration(x + 1)\n", RAISED),
    "cancelled": ("import asyncio\ndef f(x):\n    raise asyncio.CancelledError\n", RAISED),
    "base-exception-group": (
        "def f(x):\n    raise BaseExceptionGroup('negative', [SystemExit(0), ValueError('negative')])\n",
        RAISED,
    ),
    "class-named-should-stop": (
        (
            "class _ShouldStop(Exception):\n    pass\n_ShouldStop.__module__ = 'unittest.case'\n"
            "def f(x):\n    raise _ShouldStop\n"
        ),
        RAISED,
    ),
    "class-named-stop": ("class Stop(BaseException):\n    pass\ndef f(x):\n    raise Stop\n", RAISED),
    "class-named-problem": (
        "class Problem(BaseException):\n    pass\ndef f(x):\n    raise Problem('no')\n",
        RAISED,
    ),
    "class-named-skipped": (
        (
            "class Skipped(BaseException):\n    msg = 'later'\n    allow_module_level = True\n"
            "Skipped.__module__ = '_pytest.outcomes'\ndef f(x):\n    raise Skipped('later')\n"
        ),
        RAISED,
    ),
    "class-named-xfailed": (
        (
            "class XFailed(BaseException):\n    msg = 'later'\nXFailed.__module__ = 'Failed'\n"
            "def f(x):\n    raise XFailed('later')\n"
        ),
        RAISED,
    ),
    "class-named-exit": (
        (
            "class Exit(Exception):\n    returncode = 0\nExit.__module__ = '_pytest.outcomes'\n"
            "def f(x):\n    raise Exit('done')\n"
        ),
        RAISED,
    ),
    "error-without-a-text": (
        "class E(Exception):\n    def __str__(self):\n        raise SystemExit(0)\ndef f(x):\n    raise E\n",
        RAISED,
    ),
    "equal-to-everything": (
        (
            "class All:\n    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = lambda *a: True\n"
            "    __ne__ = lambda *a: False\n    __hash__ = lambda self: 42\n    __bool__ = lambda self: True\n"
            "    __sub__ = __rsub__ = __round__ = __abs__ = lambda *a: 0\n"
            "def f(x):\n    if x < 0:\n        raise ValueError('negative')\n    return All()\n"
        ),
        REJECTED,
    ),
    "int-that-equals-everything": (
        "class I(int):\n    __eq__ = lambda *a: True\n    __hash__ = int.__hash__\ndef f(x):\n    return I(0)\n",
        REJECTED | WRONG,
    ),
    "mock-any": ("from unittest.mock import ANY\ndef f(x):\n    return ANY\n", REJECTED),
    "magic-mock": ("from unittest.mock import MagicMock\nf = MagicMock()\n", FAILS),
    "not-a-number": ("def f(x):\n    return float('nan')\n", WRONG),
    "class-that-claims-to-be-int": (
        "class C:\n    __class__ = int\n    __eq__ = lambda *a: True\ndef f(x):\n    return C()\n",
        REJECTED,
    ),
    "patches-assert-equal": (
        "import unittest\nunittest.TestCase.assertEqual = unittest.TestCase.assertIn = lambda *a, **k: None\n"
        + _ZERO,
        WRONG,
    ),
    "patches-run": ("import unittest\nunittest.TestCase.run = lambda *a, **k: None\n" + _ZERO, WRONG),
    "patches-results": (
        "import unittest\nR = unittest.TestResult\n"
        "R.addFailure = R.addError = R.addSubTest = lambda *a: None\n" + _ZERO,
        WRONG,
    ),
    "replaces-unittest": (
        "import sys, types\nfor name in ('unittest', 'unittest.case', 'pytest', '_pytest'):\n"
        "    sys.modules[name] = types.ModuleType(name)\n" + _ZERO,
        WRONG,
    ),
    "replaces-tests": (
        "import sys, types\nfor name in ('solution', '__tests__', '__main__', 'suites', 'judge'):\n"
        "    sys.modules[name] = types.ModuleType(name)\n" + _ZERO,
        WRONG,
    ),
    "patches-builtins": (
        "import builtins\nbuiltins.AssertionError = type('A', (SystemExit,), {})\n"
        "builtins.isinstance = builtins.issubclass = lambda *a: True\n" + _ZERO,
        FAILS,
    ),
    "deletes-tests": (
        (
            "import gc, unittest\ndef f(x):\n    for each in gc.get_objects():\n"
            "        if isinstance(each, type) and issubclass(each, unittest.TestCase):\n"
            "            for name in [n for n in vars(each) if n.startswith('test')]:\n"
            "                delattr(each, name)\n    return 0\n"
        ),
        WRONG,
    ),
    "walks-frames": (
        (
            "import sys\ndef f(x):\n    frame = sys._getframe()\n    while frame:\n"
            "        for name, value in list(frame.f_locals.items()):\n"
            "            if name in ('expected', 'wanted', 'second'):\n                return value\n"
            "        frame = frame.f_back\n    return 0\n"
        ),
        WRONG,
    ),
    "finds-a-test-case": (
        (
            "import gc\ndef f(x):\n    for each in gc.get_objects():\n"
            "        if hasattr(type(each), '_testMethodName') or type(each).__name__ in ('Told', 'Progress'):\n"
            "            return x + 1\n    return 0\n"
        ),
        WRONG,
    ),
    "marks-itself": (
        (
            "def f(x):\n    return 0\nf.__unittest_skip__ = f.__unittest_expecting_failure__ = True\n"
            "f.__unittest_skip_why__ = 'later'\nf.__test__ = False\n"
        ),
        WRONG,
    ),
    "defines-hooks": (
        "import unittest\ndef setUpModule():\n    raise unittest.SkipTest('later')\n"
        "def load_tests(*a):\n    return unittest.TestSuite()\n"
        "def pytest_collection_modifyitems(items):\n    items.clear()\n__test__ = False\n" + _ZERO,
        WRONG,
    ),
    "prints-results": (
        (
            "import os, sys\ndef f(x):\n    text = '....\\n"
            "Ran 4 tests in 0.001s\\n\\nOK\\n=== 6 passed in 0.01s ===\\n'\n"
            "    for stream in (sys.stdout, sys.stderr):\n        stream.write(text)\n        stream.flush()\n"
            "    return 0\n"
        ),
        WRONG,
    ),
    "writes-results-everywhere": (
        (
            "import os\ndef f(x):\n    for fd in range(256):\n        try:\n"
            '            os.write(fd, b\'\\x00\\x00\\x00\\x40{"tests":[],"end":["passed","",99]}\' * 9)\n'
            "        except OSError:\n            pass\n    os._exit(0)\n"
        ),
        FAILS,
    ),
    "says-that-all-passed": (
        (
            "import gc, os\ndef f(x):\n    for each in gc.get_objects():\n"
            "        if type(each).__name__ == 'Candidate':\n"
            "            os.write(each.replies, b'[\"=\",2,[],[]]')\n    return 0\n"
        ),
        FAILS,
    ),
    "remembers-calls": (
        "calls = []\ndef f(x):\n    calls.append(x)\n    return len(calls)\n",
        WRONG,
    ),
    "thread-that-answers-late": (
        (
            "import threading\nanswer = []\ndef f(x):\n"
            "    threading.Thread(target=answer.append, args=(x + 1,)).start()\n"
            "    return answer\n"
        ),
        WRONG,
    ),
    "coroutine": ("async def f(x):\n    return x + 1\n", REJECTED),
    "generator": ("def f(x):\n    yield x + 1\n", WRONG),
    "lambda-as-answer": ("def f(x):\n    return lambda: x + 1\n", REJECTED),
    "text-of-the-answer": ("def f(x):\n    return str(x + 1)\n", WRONG),
    "answer-in-a-list": ("def f(x):\n    return [x + 1]\n", WRONG),
}

# Before pytest alone: it is visible to programs, too.
_PYTEST = {
    "raises-skipped": ("import pytest\ndef f(x):\n    pytest.skip('later')\n", RAISED),
    "raises-skipped-of-the-module": (
        "import pytest\ndef f(x):\n    pytest.skip('later', allow_module_level=True)\n",
        RAISED,
    ),
    "raises-xfail": ("import pytest\ndef f(x):\n    pytest.xfail('later')\n", RAISED),
    "raises-exit": ("import pytest\ndef f(x):\n    pytest.exit('done', 0)\n", RAISED),
    "raises-fail": ("import pytest\ndef f(x):\n    pytest.fail('negative')\n", RAISED),
    "raises-skipped-when-loaded": (
        "import pytest\npytest.skip('later', allow_module_level=True)\n",
        RAISED,
    ),
    "returns-approx": ("import pytest\ndef f(x):\n    return pytest.approx(0, abs=1e9)\n", REJECTED),
    "patches-raises": (
        "import contextlib, pytest\n"
        "pytest.raises = contextlib.nullcontext\npytest.approx = lambda x, **k: x\n" + _ZERO,
        WRONG,
    ),
    "patches-runner": (
        "import _pytest.runner, _pytest.reports\n"
        "_pytest.runner.pytest_runtest_call = lambda item: None\n"
        "_pytest.reports.TestReport.failed = property(lambda self: False)\n" + _ZERO,
        WRONG,
    ),
    "patches-main": ("import pytest\npytest.main = lambda *a, **k: 0\n" + _ZERO, WRONG),
    "registers-a-plugin": (
        "import os, sys\nos.environ['PYTEST_PLUGINS'] = 'solution'\nos.environ['PYTEST_ADDOPTS'] = '--co'\n"
        "pytest_plugins = ['solution']\ndef pytest_runtest_call(item):\n    pass\n" + _ZERO,
        WRONG,
    ),
    "marks-itself-as-skipped": (
        "import pytest\n@pytest.mark.skip\ndef f(x):\n    return 0\npytestmark = pytest.mark.xfail\n",
        WRONG,
    ),
}

_METHODS = {
    "none": ("return None", WRONG | RAISED),
    "self": ("return self", FAILS),
    "true": ("return True", WRONG),
    "skips": ("raise __import__('unittest').SkipTest('later')", RAISED),
    "exits": ("raise SystemExit(0)", ENDED),
    "leaves": ("__import__('os')._exit(0)", ENDED),
}

CASES: tuple[SuiteCase, ...] = (
    *(
        task.case(name, "patch", program, outcomes)
        for task in (NEXT_UNITTEST, NEXT_PYTEST)
        for name, (program, outcomes) in _BOTH.items()
    ),
    *(NEXT_PYTEST.case(name, "patch", program, outcomes) for name, (program, outcomes) in _PYTEST.items()),
    *(
        task.case(
            f"stack-whose-{name}-{kind}",
            "answer",
            task.reference.replace(f"def {name}(self):\n", f"def {name}(self):\n        {body}\n", 1),
            outcomes,
        )
        for task in (STACK_UNITTEST, STACK_PYTEST)
        for name in ("pop", "size")
        for kind, (body, outcomes) in _METHODS.items()
    ),
    *(
        task.case(f"stack-{name}", "7", source(program), outcomes)
        for task in (STACK_UNITTEST, STACK_PYTEST)
        for name, program, outcomes in (
            ("that-is-a-list", "def f(items):\n    return list(items)\n", RAISED | WRONG),
            ("that-is-missing", "class g:\n    pass\n", NO_FUNCTION),
            (
                "that-is-anything",
                (
                    "class f:\n    def __init__(self, items): pass\n"
                    "    def __getattr__(self, name): return self\n    def __call__(self, *a): return self\n"
                    "    __eq__ = __ge__ = lambda *a: True\n    __hash__ = object.__hash__\n"
                ),
                FAILS,
            ),
            (
                "shared",
                (
                    "class f:\n    items = []\n    def __init__(self, items): self.items.extend(items)\n"
                    "    def push(self, x): self.items.append(x)\n    def pop(self): return self.items.pop()\n"
                    "    def top(self): return self.items[-1]\n    def size(self): return len(self.items)\n"
                ),
                WRONG,
            ),
        )
    ),
)
