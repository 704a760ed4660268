"""Problems whose tests can pass without testing (point 5), each with a wrong answer.

The problem is at fault, not the answer: a judge that profiles the reference finds that no assertion finished, or
that the candidate was never called, and refuses the problem. Whatever it does, none of these may end as `passed`.
"""

from __future__ import annotations

from codejury.model import Outcome

from .case import FAILS, Case, task
from .tasks import INCREMENT

_TESTS = (
    ("empty-check", "def check(candidate):\n    pass\n"),
    ("only-a-docstring", 'def check(candidate):\n    """Checks."""\n'),
    ("only-calls", "def check(candidate):\n    candidate(1)\n    candidate(41)\n"),
    ("async-check", "async def check(candidate):\n    assert candidate(1) == 2\n"),
    ("generator-check", "def check(candidate):\n    assert candidate(1) == 2\n    yield\n"),
    (
        "check-returns-a-function",
        "def check(candidate):\n    def run():\n        assert candidate(1) == 2\n    return run\n",
    ),
    ("inner-test-not-called", "def check(candidate):\n    def test_one():\n        assert candidate(1) == 2\n"),
    (
        "no-cases",
        "CASES = []\n\ndef check(candidate):\n    for x, y in CASES:\n        assert candidate(x) == y\n",
    ),
    ("guarded-by-false", "def check(candidate):\n    if False:\n        assert candidate(1) == 2\n"),
    ("guarded-by-debug", "def check(candidate):\n    if not __debug__:\n        assert candidate(1) == 2\n"),
    ("returns-early", "def check(candidate):\n    return\n    assert candidate(1) == 2\n"),
    ("never-calls", "def check(candidate):\n    assert 1 + 1 == 2\n"),
    ("asserts-the-function", "def check(candidate):\n    assert candidate\n    assert callable(candidate)\n"),
    ("defines-its-own", "def check(candidate):\n    candidate = lambda x: x + 1\n    assert candidate(1) == 2\n"),
    (
        "swallows-its-assertions",
        (
            "def check(candidate):\n    try:\n        assert candidate(1) == 0\n    except AssertionError:\n"
            "        pass\n"
        ),
    ),
    ("raises-skip", "import unittest\n\ndef check(candidate):\n    raise unittest.SkipTest('later')\n"),
    ("exits", "def check(candidate):\n    raise SystemExit(0)\n"),
    ("check-is-missing", "def chekc(candidate):\n    assert candidate(1) == 2\n"),
    ("check-is-a-class", "class check:\n    def __init__(self, candidate):\n        self.candidate = candidate\n"),
    (
        "unittest-not-run",
        (
            "import unittest\n\nclass check(unittest.TestCase):\n    def test_one(self):\n"
            "        self.assertEqual(f(1), 2)\n"
        ),
    ),
    (
        "lazy-generator",
        (
            "def check(candidate):\n    (self_check(candidate(x)) for x in (1, 2))\n\ndef self_check(y):\n"
            "    assert y > 1\n"
        ),
    ),
    ("lazy-map", "def check(candidate):\n    map(lambda x: candidate(x) == x + 1, (1, 2))\n"),
)

CASES: tuple[Case, ...] = tuple(
    task(tests, INCREMENT.reference).case(
        f"vacuous-{name}", "5", "def f(x):\n    return 0\n", FAILS | {Outcome.INFRA_ERROR}
    )
    for name, tests in _TESTS
)
