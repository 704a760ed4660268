"""Modules of unittest and pytest as a judge takes them, and what becomes of problems at fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from codejury.judging import Slot, judge, profile
from codejury.judging.kinds import base_passed, payload, records, role
from codejury.judging.records import Request
from codejury.model import Limits, Outcome, Problem, Pytest, Unittest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from codejury.model import Tests

    InSlot = Callable[[Callable[[Slot], Awaitable[Any]], Limits], Any]

LIMITS = Limits(cpu_s=1.0, cpu_total_s=4.0)
NEXT = "def f(x):\n    return x + 1\n"
HEAD = "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n"


@pytest.mark.parametrize("tests", [Unittest(code="a", context="b"), Pytest(code="a", context="b", module="m")])
def test_payload(tests: Unittest | Pytest) -> None:
    """The kind is the tag; the source goes along until a judge has compiled it."""
    request = Request(source=NEXT, entry_point="f", tests=tests, limits=LIMITS)
    kind = "unittest" if isinstance(tests, Unittest) else "pytest"
    about = {"kind": kind, "module": tests.module}
    assert {**about, "context": "b", "code": "a"} == payload(request)
    compiled = Request(source=NEXT, entry_point="f", tests=tests, limits=LIMITS, code="compiled")
    assert about == payload(compiled)
    assert "candidate" == role(tests)
    assert not records(tests)
    assert base_passed(tests, [True], Outcome.PASSED) is None


def judged(in_slot: InSlot, tests: Tests, source: str, reference: str | None = NEXT) -> Any:
    """The profile of a problem, and the verdict on a program."""
    problem = Problem(id="p", prompt="", entry_point="f", tests=tests, reference=reference)

    async def work(slot: Slot) -> Any:
        known = await profile(slot, problem, LIMITS)
        return known, (await judge(slot, problem, source, LIMITS, known)).verdict

    return in_slot(work, LIMITS)


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (HEAD + "    def test(self):\n        f(1)\n", "finish no assertion"),
        (HEAD + "    def test(self):\n        self.assertEqual(1, 1)\n", "never call the candidate"),
        (HEAD + "    def check(self):\n        self.assertEqual(f(1), 2)\n", "define no test"),
        (
            HEAD + "    @unittest.skip('x')\n    def test(self):\n        self.assertEqual(f(1), 2)\n",
            "all skipped",
        ),
        (
            HEAD + "    @unittest.expectedFailure\n    def test(self):\n        self.assertEqual(f(1), 3)\n",
            "all skipped, or expected to fail",
        ),
        (HEAD + "    async def test(self):\n        self.assertEqual(f(1), 2)\n", "async or a generator"),
        ("def f(x):\n    return x + 1\n", "define the entry point anew"),
        ("import unittest\nclass T(unittest.TestCase:\n", "do not compile"),
    ],
)
def test_faults_of_the_problem(in_slot: InSlot, code: str, fault: str) -> None:
    """Tests that test nothing are the problem's fault, and nobody passes them."""
    known, verdict = judged(in_slot, Unittest(code=code), NEXT)
    assert known.fault is not None
    assert fault in known.fault
    assert not verdict.passed


@pytest.mark.sandbox
def test_fewer_tests_than_the_reference(in_slot: InSlot) -> None:
    """A program on whose values it depends how many tests there are, or are skipped, does not pass with fewer."""
    many = (
        "from solution import f\nimport unittest\nclass T(unittest.TestCase): pass\n"
        "for i in range(f(1)):\n    setattr(T, f'test_{i}', lambda self: self.assertGreater(f(0), 0))\n"
    )
    skips = HEAD + (
        "    def test_a(self):\n        if f(1) != 2:\n            self.skipTest('other')\n"
        "        self.assertEqual(f(1), 2)\n    def test_b(self):\n        self.assertGreater(f(2), 0)\n"
    )
    for code in (many, skips):
        known, verdict = judged(
            in_slot, Unittest(code=code.replace("setattr", "type.__setattr__")), "def f(x): return 1\n"
        )
        assert known.sound, known
        assert (Outcome.WRONG_ANSWER, True) == (verdict.outcome, verdict.detail.startswith("finished ")), verdict


@pytest.mark.sandbox
def test_program_by_its_module(in_slot: InSlot) -> None:
    """The name under which tests import the program is the problem's."""
    code = (
        "import unittest\nimport adder\nclass T(unittest.TestCase):\n"
        "    def test(self):\n        self.assertEqual(adder.f(1), 2)\n"
    )
    assert judged(in_slot, Unittest(code=code, module="adder"), NEXT)[1].passed
    assert not judged(in_slot, Unittest(code=code), NEXT)[1].passed


@pytest.mark.sandbox
def test_context_runs_before(in_slot: InSlot) -> None:
    """Names of the context are there, and the entry point that it may define is the program's."""
    context = "def f(x):\n    raise NotImplementedError\n\ndef helper(x):\n    return f(x)\n"
    code = HEAD + "    def test(self):\n        self.assertEqual(helper(1), 2)\n"
    assert judged(in_slot, Unittest(code=code, context=context), NEXT)[1].passed


@pytest.mark.sandbox
def test_no_reference(in_slot: InSlot) -> None:
    """Without one, tests are judged as well, and what is their fault is said of the sample."""
    code = HEAD + "    def test(self):\n        self.assertEqual(f(1), 2)\n"
    known, verdict = judged(in_slot, Unittest(code=code), NEXT, None)
    assert known is None
    assert verdict.passed
    assert not judged(in_slot, Unittest(code=HEAD + "    pass\n"), NEXT, None)[1].passed


@pytest.mark.sandbox
def test_acting_tests_are_weak(in_slot: InSlot) -> None:
    """Tests that could let a value act, as before other kinds."""
    code = "import os\n" + HEAD + "    def test(self):\n        self.assertEqual(f(1), 2)\n"
    known, verdict = judged(in_slot, Unittest(code=code), NEXT)
    assert ("os", "weak") == (known.acting, verdict.integrity)
