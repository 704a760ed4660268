"""What a module of tests tells its listener: in a process of its own, since the frameworks change theirs."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from codejury.judging.session import INSIDE

DRIVER = """
import json, sys, types
sys.path.insert(0, sys.argv[1])
import instrument, suites

kind, source, every, settle_at = json.load(sys.stdin)

class Stop(BaseException):
    pass

class Listener:
    def __init__(self):
        self.said, self.held, self.over, self.calls = [], 0, False, 0
    def ok(self, line):
        if self.over:
            raise Stop
        self.held += 1
    def begin(self, line):
        self.said.append(["begin", line])
        return "left out" not in lines[line - 1]
    def passed(self, line):
        self.said.append(["passed", line])
    def failed(self, line, error):
        self.said.append(["failed", line, type(error).__name__, str(error)])
        self.over = self.over or not every
    def left_out(self, line, error):
        self.said.append(["left out", line])
    def stopped(self):
        return self.over
    def fault(self, reason):
        self.said.append(["fault", reason])
        self.over = True

def f(x):
    listener.calls += 1
    if listener.over:
        raise Stop
    if listener.calls == settle_at:
        listener.over = True
        raise Stop
    return x + 1

lines = source.splitlines() + [""]
listener = Listener()
codes = instrument.examine("", [source], "f", True, "solution")[0]
program = types.ModuleType("program")
program.f = f
tests = suites.blank(listener)
try:
    suites.run(kind, codes, tests, program, ("solution", "f"), listener)
except BaseException as error:
    listener.said.append(["raised", type(error).__name__])
print(json.dumps([listener.said, listener.held, listener.calls]))
"""


class Heard:
    """What a listener heard: events, assertions that held, calls of the program."""

    def __init__(self, said: list[list[Any]], held: int, calls: int) -> None:
        self.said, self.held, self.calls = said, held, calls

    @property
    def results(self) -> list[list[Any]]:
        """What was said of tests after their begin, without texts of errors."""
        return [each[:3] for each in self.said if each[0] != "begin"]


def listen(kind: str, source: str, *, every: bool = True, settle_at: int = 0) -> Heard:
    """Run a module of tests; `settle_at` is the call at which the verdict is settled behind the tests' back."""
    job = json.dumps([kind, textwrap.dedent(source).strip("\n"), every, settle_at])
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(INSIDE)],
        input=job,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Heard(*json.loads(done.stdout.splitlines()[-1]))


UNITTEST = """
import unittest
from solution import f
class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(f(1), 2)
    def test_b(self):
        self.assertEqual(f(1), 3)
    def test_c(self):
        with self.assertRaises(TypeError):
            f(None)
"""
PYTEST = """
import pytest
import solution
@pytest.mark.parametrize("x", [1, 2])
def test_a(x):
    assert solution.f(x) == 2
class TestMore:
    def test_b(self):
        with pytest.raises(TypeError):
            f(None)
"""


def test_unittest_tells_each_method() -> None:
    """Each method has its result, at its definition or at what failed; assertions that held are counted."""
    heard = listen("unittest", UNITTEST)
    assert [["passed", 4], ["failed", 7, "AssertionError"], ["passed", 8]] == heard.results
    assert 2 == heard.held
    assert [4, 6, 8] == [each[1] for each in heard.said if each[0] == "begin"]


def test_pytest_tells_each_item() -> None:
    """The same of functions, of each set of parameters, and of methods."""
    heard = listen("pytest", PYTEST)
    assert [["passed", 3], ["failed", 5, "AssertionError"], ["passed", 7]] == heard.results
    assert 2 == heard.held


@pytest.mark.parametrize(("kind", "source"), [("unittest", UNITTEST), ("pytest", PYTEST)])
def test_run_ends_where_the_listener_says(kind: str, source: str) -> None:
    """After a failure that ends the run, nothing is begun, called or said any more."""
    heard = listen(kind, source, every=False)
    assert ["passed", "failed"] == [each[0] for each in heard.results]
    assert 2 == sum(each[0] == "begin" for each in heard.said)
    assert 2 == heard.calls


@pytest.mark.parametrize(("kind", "source"), [("unittest", UNITTEST), ("pytest", PYTEST)])
def test_settled_verdict_is_kept(kind: str, source: str) -> None:
    """A verdict that was settled within a call stays: the frameworks catch what is raised, and nothing is said."""
    heard = listen(kind, source, settle_at=1)
    assert [] == heard.results
    assert 1 == heard.calls


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        (
            "unittest",
            """
            import unittest
            class T(unittest.TestCase):
                def test_a(self):
                    try:
                        f(1)
                    except BaseException:
                        pass
                def test_b(self):
                    self.assertEqual(f(1), 2)
            """,
        ),
        (
            "pytest",
            """
            import pytest
            def test_a():
                with pytest.raises(BaseException):
                    f(1)
            def test_b():
                assert f(1) == 2
            """,
        ),
    ],
)
def test_tests_that_catch_everything_do_not_pass(kind: str, source: str) -> None:
    """A test that swallows what settled the verdict has not passed, and is the last."""
    assert [] == listen(kind, source, settle_at=1).results


@pytest.mark.parametrize(
    ("fixture", "line"),
    [
        ("@classmethod\n    def setUpClass(cls):\n        raise KeyError(1)", 5),
        ("def setUp(self):\n        raise KeyError(1)", 4),
        ("def tearDown(self):\n        raise KeyError(1)", 4),
    ],
)
def test_failing_fixture_fails_each_test_of_unittest(fixture: str, line: int) -> None:
    """What a class's or a test's fixture raises fails the tests, at its own line."""
    source = (
        f"import unittest\nclass T(unittest.TestCase):\n    {fixture}\n"
        "    def test_a(self):\n        self.assertEqual(f(1), 2)\n"
        "    def test_b(self):\n        self.assertEqual(f(1), 2)\n"
    )
    assert [["failed", line, "KeyError"]] * 2 == listen("unittest", source).results


def test_fixtures_around_tests_of_unittest() -> None:
    """A module that does not come up fails its tests; what its end raises fails besides."""
    tests = "class T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(f(1), 2)\n"
    heard = listen("unittest", f"import unittest\ndef setUpModule():\n    raise KeyError(1)\n{tests}")
    assert [["failed", 3, "KeyError"]] == heard.results
    heard = listen("unittest", f"import unittest\ndef tearDownModule():\n    raise KeyError(1)\n{tests}")
    assert [["passed", 5], ["failed", 3, "KeyError"]] == heard.results


@pytest.mark.parametrize(
    "decorated",
    [
        "@pytest.fixture(autouse=True)\ndef a():\n    raise KeyError(1)\n    yield",
        "@pytest.fixture(autouse=True)\ndef a():\n    yield\n    raise KeyError(1)",
        "@pytest.fixture(autouse=True, scope='module')\ndef a():\n    raise KeyError(1)",
        "def setup_function():\n    raise KeyError(1)",
        "def teardown_module():\n    raise KeyError(1)",
    ],
)
def test_failing_fixture_fails_a_test_of_pytest(decorated: str) -> None:
    """What a fixture raises, before or after, fails the test that it is around."""
    source = f"import pytest\n{decorated}\ndef test():\n    assert f(1) == 2\n"
    (result,) = listen("pytest", source).results
    assert ["failed", "KeyError"] == [result[0], result[2]]


def test_parts_of_tests_fail_their_test_once() -> None:
    """A test with parts has one result; of unittest, it ends at the first part that fails."""
    source = """
        import unittest
        class TestT(unittest.TestCase):
            def test_a(self):
                for x in range(4):
                    with self.subTest(x=x):
                        self.assertLess(f(x), 3)
            def test_b(self):
                with self.subTest():
                    self.assertEqual(f(1), 2)
    """
    for kind in ("unittest", "pytest"):
        heard = listen(kind, source)
        assert [["failed", 6, "AssertionError"], ["passed", 7]] == heard.results, kind
    assert 4 == listen("unittest", source).calls


def test_skipped_and_expected_are_left_out() -> None:
    """What is skipped, or fails as it declares, says nothing; an unexpected success is a failure."""
    heard = listen(
        "unittest",
        """
        import unittest
        class A(unittest.TestCase):
            @unittest.skip("later")
            def test_a(self): f(1)
            def test_b(self): self.skipTest("later")
            @unittest.expectedFailure
            def test_c(self): self.assertEqual(f(1), 3)
            @unittest.expectedFailure
            def test_d(self): self.assertEqual(f(1), 2)
        @unittest.skip("later")
        class B(unittest.TestCase):
            def test(self): f(1)
        class C(unittest.TestCase):
            @classmethod
            def setUpClass(cls): raise unittest.SkipTest
            def test_a(self): f(1)
            def test_b(self): f(1)
        """,
    )
    said = [each[0] for each in heard.results]
    assert ["left out"] * 3 + ["failed"] + ["left out"] * 3 == said
    assert 2 == heard.calls


def test_marks_of_pytest() -> None:
    """The same of pytest's marks; an unexpected success passes, but for a strict mark."""
    heard = listen(
        "pytest",
        """
        import pytest
        @pytest.mark.skip
        def test_a(): f(1)
        def test_b(): pytest.skip("later")
        def test_c(): pytest.xfail("later")
        @pytest.mark.xfail
        def test_d(): assert f(1) == 3
        @pytest.mark.xfail(strict=True)
        def test_e(): assert f(1) == 2
        @pytest.mark.xfail
        def test_f(): assert f(1) == 2
        @pytest.mark.xfail(raises=KeyError)
        def test_g(): assert f(1) == 3
        """,
    )
    assert ["left out"] * 4 + ["failed", "passed", "failed"] == [each[0] for each in heard.results]


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("unittest", "import unittest\nclass T(unittest.TestCase):\n    def check(self): f(1)\n"),
        ("unittest", "import unittest\nclass T(unittest.TestCase):\n    async def test(self): f(1)\n"),
        ("unittest", "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        yield f(1)\n"),
        ("unittest", "def f(x):\n    return x\n"),
        ("pytest", "def check():\n    assert f(1) == 2\n"),
        ("pytest", "async def test():\n    assert f(1) == 2\n"),
        ("pytest", "def f(x):\n    return x\ndef test():\n    assert f(1) == 1\n"),
    ],
)
def test_faults_of_the_problem(kind: str, source: str) -> None:
    """Modules without tests, tests that would not run, and tests of something else are the problem's fault."""
    heard = listen(kind, source)
    assert ["fault"] == [each[0] for each in heard.results]
    assert 0 == heard.calls


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\n@pytest.mark.parametrize('x', [f(1), (1, 2)])\ndef test(y):\n    assert y\n",
        "def test_a():\n    assert f(1) == 2\ndef test_b():\n    yield f(1)\n",
        "import pytest\ndef test_a():\n    pytest.exit('done', 0)\ndef test_b():\n    assert f(1) == 2\n",
        "def test_a():\n    raise KeyboardInterrupt\ndef test_b():\n    assert f(1) == 2\n",
        "def test_a(no_such_fixture):\n    assert f(1) == 2\n",
    ],
)
def test_modules_that_pytest_gives_up_fail(source: str) -> None:
    """Whatever ends pytest before all tests have their results is a failure, never a pass."""
    heard = listen("pytest", source)
    assert "failed" in [each[0] for each in heard.results]


@pytest.mark.parametrize("kind", ["unittest", "pytest"])
def test_what_a_module_raises_is_raised(kind: str) -> None:
    """An error outside all tests is the caller's to judge."""
    assert [["raised", "ZeroDivisionError"]] == listen(kind, "f(1)\n1 / 0\n").said


def test_tests_that_are_left_out_before() -> None:
    """A test whose begin the listener refuses is not run, and the others are."""
    source = (
        "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): f(1)  # left out\n"
        "    def test_b(self): self.assertEqual(f(1), 2)\n"
    )
    heard = listen("unittest", source)
    assert [["passed", 4]] == heard.results
    heard = listen("pytest", "def test_a(): f(1)  # left out\ndef test_b():\n    assert f(1) == 2\n")
    assert [["passed", 2]] == heard.results
    assert 1 == heard.calls


def test_asynchronous_tests_of_unittest_run() -> None:
    """Where the framework awaits tests itself, they are run."""
    source = (
        "import unittest\nclass T(unittest.IsolatedAsyncioTestCase):\n"
        "    async def test(self):\n        self.assertEqual(f(1), 2)\n"
    )
    heard = listen("unittest", source)
    assert ([["passed", 3]], 1) == (heard.results, heard.held)


def test_long_values_that_differ_are_no_work() -> None:
    """A failed comparison of long lists says so at once: their difference is not worked out."""
    source = (
        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
        "        x = [[i, str(i)] for i in range(3000)]\n"
        "        self.assertEqual(x, [[i + f(0), i] for i in range(3000, 0, -1)])\n"
    )
    ((outcome, line, _),) = listen("unittest", source).results
    assert ("failed", 5) == (outcome, line)
