"""Kinds of tests as a judge takes them, and tests that are calls before the whole machinery."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.judging import Profile, Slot, judge, profile, verdict_key
from codejury.judging.kinds import base_passed, payload, records
from codejury.judging.records import Request
from codejury.model import Assertions, CheckFunction, Comparison, Inputs, Limits, Outcome, Problem

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from codejury.model import Tests, Verdict

    InSlot = Callable[[Callable[[Slot], Awaitable[Any]], Limits], Any]
    Judging = Callable[..., tuple[Profile | None, list[Verdict]]]

LIMITS = Limits(cpu_s=1.0, cpu_total_s=4.0)
PASSED, WRONG = Outcome.PASSED, Outcome.WRONG_ANSWER
DOUBLE = "def f(x):\n    return x * 2\n"
TWO_PARTS = Inputs(base=((1,), (2,)), plus=((3,), (4,)))
ALWAYS = "def oracle(arguments, expected, output):\n    return True\n"

sandboxed = pytest.mark.sandbox


def request(tests: Tests, **fields: Any) -> Request:
    """A request of a sample."""
    return Request(source=DOUBLE, entry_point="f", tests=tests, limits=LIMITS, **fields)


def problem(tests: Tests, reference: str | None = DOUBLE, **fields: Any) -> Problem:
    """A problem of the function f."""
    return Problem(id="p", entry_point="f", tests=tests, reference=reference, **{"prompt": "", **fields})


@pytest.fixture
def judged(in_slot: InSlot) -> Judging:
    """Gives the profile of a problem, and the verdicts on programs, one after the other."""

    def run(given: Problem, *sources: str, all_tests: bool = False) -> Any:
        async def work(slot: Slot) -> tuple[Profile | None, list[Verdict]]:
            known = await profile(slot, given, LIMITS, all_tests=all_tests)
            tries = [await judge(slot, given, source, LIMITS, known, all_tests=all_tests) for source in sources]
            return known, [each.verdict for each in tries]

        return in_slot(work, LIMITS)

    return run


def timeless(outcome: Outcome | None) -> Outcome | None:
    """An outcome, one for both limits of time: which is passed first is the machine's."""
    return Outcome.TIMEOUT_CPU if outcome is Outcome.TIMEOUT_WALL else outcome


def outcomes(verdict: Verdict) -> list[tuple[int, Outcome | None]]:
    """Call and outcome of each test."""
    return [(test.line, timeless(test.outcome)) for test in verdict.tests]


# ---- what a judge is sent


def test_code_is_sent_once() -> None:
    """Source, or only the function's name where the judge has the tests compiled."""
    check = CheckFunction(code="def check(c): ...", function="check", context="import math")
    assert {"kind": "code", "function": "check", "context": "import math", "code": check.code} == payload(
        request(check)
    )
    assert {"kind": "code", "function": "check"} == payload(request(check, code="compiled"))
    assert {"kind": "code", "context": "", "code": ["assert f()"]} == payload(
        request(Assertions(code=("assert f()",)))
    )


def test_calls_are_sent_as_texts() -> None:
    """Of the value protocol, in ASCII and without spaces, with what is expected of each."""
    tests = Inputs(
        base=(([1, "é"], {"t": [2.0]}),),
        plus=((float("nan"),),),
        expected=({"d": [[1, None]]}, True),
        comparison=Comparison(types="python", abs_tol=0.5),
        oracle=ALWAYS,
    )
    expected = {
        "kind": "inputs",
        "own": False,
        "calls": ['[[1,"\\u00e9"],{"t":[2.0]}]', "[NaN]"],
        "base": 1,
        "expected": ['{"d":[[1,null]]}', "true"],
        "rules": {"types": "python", "abs_tol": 0.5},
        "oracle": ALWAYS,
    }
    assert expected == payload(request(tests))
    assert {"kind": "inputs", "own": False, "oracle": ALWAYS} == payload(request(tests, series="s"), same=True)
    json.dumps(expected)


def test_what_is_expected_is_recorded_or_given() -> None:
    """Nothing in the reference's first run, its own outputs in the second, which is told so, and for samples."""
    assert (True, False, False) == (
        records(TWO_PARTS),
        records(Inputs(base=((1,),), expected=(2,))),
        records(CheckFunction(code="")),
    )
    own = ("2", "4", "6", "8")
    for fields, expected, of_own in (
        ({"scan": True}, None, False),
        ({"scan": True, "expected": own}, own, True),
        ({"expected": own}, own, False),
    ):
        sent = payload(request(TWO_PARTS, **fields))
        assert (expected, of_own) == (sent["expected"], sent["own"])


@pytest.mark.parametrize(
    ("passed", "outcome", "base"),
    [
        ([True] * 4, PASSED, True),
        ([True, True, False], WRONG, True),
        ([True, True, False, True], WRONG, True),
        ([True, True], Outcome.TIMEOUT_CPU, True),
        ([True, False], WRONG, False),
        ([False, True, True, True], WRONG, False),
        ([True], Outcome.CRASHED, False),
        ([], Outcome.SYNTAX_ERROR, False),
        ([True, True], Outcome.TAMPERED, False),
        ([True] * 4, Outcome.TAMPERED, False),
    ],
)
def test_base_is_what_comes_first(passed: list[bool], outcome: Outcome, base: Any) -> None:
    """What a sample does in a further call does not count, unless it breaks the rules."""
    assert base is base_passed(TWO_PARTS, passed, outcome)
    for other in (Inputs(base=((1,), (2,))), Inputs(base=(), plus=((1,),)), CheckFunction(code="")):
        assert base_passed(other, passed, outcome) is None


def test_problems_that_make_the_same_calls_are_not_the_same() -> None:
    """What is expected is the reference's: neither a judge nor a verdict may be shared between such problems."""
    one, other = problem(TWO_PARTS), problem(TWO_PARTS, "def f(x):\n    return x + x + 1\n")
    assert one.tests_hash != other.tests_hash
    keys = {verdict_key(p, "0" * 64, LIMITS, tier="t", interpreter="i", all_tests=False) for p in (one, other)}
    assert 2 == len(keys)
    given = msgspec.structs.replace(TWO_PARTS, expected=(2, 4, 6, 8))
    assert problem(given).tests_hash == problem(given, other.reference).tests_hash


# ---- before the whole machinery


@sandboxed
def test_base_and_plus_apart(judged: Judging) -> None:
    """A sample passes if it passes both; how it fails at a further call does not matter for the base."""
    known, verdicts = judged(
        problem(TWO_PARTS),
        DOUBLE,
        "def f(x):\n    return x * 2 if x < 3 else 0\n",
        "def f(x):\n    return x * 2 if x > 1 else 0\n",
        "import os\ndef f(x):\n    if x == 3:\n        os._exit(0)\n    return x * 2\n",
        "def f(x):\n    while x == 4:\n        pass\n    return x * 2\n",
        "def f(x):\n    if x == 3:\n        raise ValueError\n    return x * 2\n",
        "def f(x):\n    return x * 2 if x < 3 else object()\n",
        "raise SystemExit\n",
        "",
    )
    assert known is not None
    assert (PASSED, ("2", "4", "6", "8"), False) == (known.outcome, known.expected, known.changed)
    expected = [
        (PASSED, True),
        (WRONG, True),
        (WRONG, False),
        (Outcome.EARLY_EXIT, True),
        (Outcome.TIMEOUT_CPU, True),
        (Outcome.EXCEPTION, True),
        (Outcome.REJECTED_VALUE, True),
        (Outcome.EARLY_EXIT, False),
        (Outcome.NO_CODE, False),
    ]
    assert expected == [(timeless(verdict.outcome), verdict.base_passed) for verdict in verdicts]
    assert [(1, PASSED), (2, PASSED), (3, Outcome.EARLY_EXIT)] == outcomes(verdicts[3])
    assert [(1, PASSED), (2, PASSED), (3, PASSED), (4, Outcome.TIMEOUT_CPU)] == outcomes(verdicts[4])
    assert "call 3: expected 6, got 0" == verdicts[1].detail


@sandboxed
def test_all_calls_are_made_also_past_those_that_end_the_program(judged: Judging) -> None:
    """A fresh program goes on after each; figures of the base are those of the first calls."""
    given = problem(Inputs(base=((1,), (2,)), plus=((3,), (4,), (5,))))
    _, verdicts = judged(
        given,
        "import os\ndef f(x):\n    if x in (2, 4):\n        os._exit(0)\n    return x * 2\n",
        "import os\ndef f(x):\n    if x == 4:\n        os.abort()\n    return 0 if x == 5 else x * 2\n",
        "def f(x):\n    if x == 1:\n        raise SystemExit\n    return x * 2\n",
        DOUBLE,
        all_tests=True,
    )
    early, crashed = Outcome.EARLY_EXIT, Outcome.CRASHED
    assert [early, crashed, early, PASSED] == [verdict.outcome for verdict in verdicts]
    assert [PASSED, early, PASSED, early, PASSED] == [test.outcome for test in verdicts[0].tests]
    assert [PASSED, PASSED, PASSED, crashed, WRONG] == [test.outcome for test in verdicts[1].tests]
    assert [early, PASSED, PASSED, PASSED, PASSED] == [test.outcome for test in verdicts[2].tests]
    assert [[1, 2, 3, 4, 5]] * 4 == [[test.line for test in verdict.tests] for verdict in verdicts]
    assert [False, True, False, True] == [verdict.base_passed for verdict in verdicts]


@sandboxed
@pytest.mark.parametrize(
    ("reference", "outcome"),
    [
        ("def f(x):\n    return object()\n", Outcome.REJECTED_VALUE),
        ("def f(x):\n    return 1 / (x - 2)\n", Outcome.EXCEPTION),
        ("def f(x):\n    while True: pass\n", Outcome.TIMEOUT_CPU),
        (None, None),
    ],
)
def test_nobody_says_himself_what_is_expected(
    judged: Judging, reference: str | None, outcome: Outcome | None
) -> None:
    """Where no reference gave the outputs, no sample passes."""
    known, verdicts = judged(problem(TWO_PARTS, reference, prompt="class f:\n"), DOUBLE, "def f(x): return None\n")
    assert timeless(known.outcome if known else None) is outcome
    assert known is None or not known.sound
    for verdict in verdicts:
        assert (WRONG, False) == (verdict.outcome, bool(verdict.base_passed))
        assert verdict.detail.startswith("the problem cannot be judged: ")


@sandboxed
def test_reference_that_is_not_deterministic_is_not_sound(judged: Judging) -> None:
    """And says so; one that an oracle accepts in any form is."""
    reference = "import os\ndef f(x):\n    return os.urandom(8).hex()\n"
    known, _ = judged(problem(TWO_PARTS, reference))
    assert known is not None
    assert not known.sound
    assert known.detail.startswith("call 1: its reference disagrees with itself: it gave '")
    known, verdicts = judged(problem(msgspec.structs.replace(TWO_PARTS, oracle=ALWAYS), reference), DOUBLE)
    assert known is not None
    assert (True, PASSED) == (known.sound, verdicts[0].outcome)


@sandboxed
@pytest.mark.parametrize(
    ("tests", "fault"),
    [
        ({"expected": (2, 4, 6)}, "it has 3 expected outputs for 4 calls"),
        ({"oracle": "x = 1\n"}, "its oracle defines no function 'oracle'"),
        ({"oracle": "def oracle(*_):\n    return 1 / 0\n"}, "its oracle raised ZeroDivisionError"),
        ({"oracle": "async " + ALWAYS}, "its oracle gave a coroutine, not True or False"),
        ({"plus": (({"no": 1},),)}, "the arguments of call 3 cannot be read"),
    ],
)
def test_faults_of_a_problem_are_told_by_its_reference(judged: Judging, tests: dict[str, Any], fault: str) -> None:
    """No sample passes then, with the reason."""
    known, verdicts = judged(problem(msgspec.structs.replace(TWO_PARTS, **tests)), DOUBLE)
    assert known is not None
    assert known.fault is not None
    assert known.fault.startswith(fault)
    assert WRONG is verdicts[0].outcome
    assert "the problem cannot be judged" in verdicts[0].detail


@sandboxed
def test_oracles_that_act_on_values_are_weak(judged: Judging) -> None:
    """And no judge judges on after them."""
    oracle = "def oracle(arguments, expected, output):\n    return eval(str(output)) == expected\n"
    known, verdicts = judged(problem(msgspec.structs.replace(TWO_PARTS, oracle=oracle)), DOUBLE)
    assert known is not None
    assert ("eval", False) == (known.acting, known.lasting)
    assert (PASSED, "weak") == (verdicts[0].outcome, verdicts[0].integrity)
    _, verdicts = judged(problem(msgspec.structs.replace(TWO_PARTS, oracle=ALWAYS)), DOUBLE)
    assert "strong" == verdicts[0].integrity


@sandboxed
def test_one_judge_judges_many_samples_of_a_problem(in_slot: InSlot) -> None:
    """Also those that change their arguments, and nothing of one sample reaches the next."""
    tests = Inputs(base=(([2, 1],), ([],)))
    changing = "def f(x):\n    x.sort()\n    return x\n"

    async def work(slot: Slot) -> list[tuple[Outcome, bool]]:
        given = problem(tests, "def f(x):\n    return sorted(x)\n")
        known = await profile(slot, given, LIMITS)
        found = []
        for source in (changing, DOUBLE, changing, "def f(x):\n    return sorted(x)\n", changing):
            verdict = (await judge(slot, given, source, LIMITS, known)).verdict
            found.append((verdict.outcome, slot.lanes.bound is not None))
        return found

    assert [(PASSED, True), (WRONG, False), (PASSED, True), (PASSED, True), (PASSED, True)] == in_slot(
        work, LIMITS
    )


@sandboxed
def test_problems_that_make_the_same_calls_are_judged_apart(in_slot: InSlot) -> None:
    """One after the other in the same slot, each by its own reference."""
    double, triple = problem(TWO_PARTS), problem(TWO_PARTS, "def f(x):\n    return x * 3\n")

    async def work(slot: Slot) -> list[Outcome]:
        known = {p.hash: await profile(slot, p, LIMITS) for p in (double, triple)}
        pairs: Iterable[tuple[Problem, str]] = [(p, p.reference or "") for p in (double, triple, double, triple)]
        return [(await judge(slot, p, source, LIMITS, known[p.hash])).verdict.outcome for p, source in pairs]

    assert [PASSED] * 4 == in_slot(work, LIMITS)


@sandboxed
def test_values_have_a_limit(judged: Judging) -> None:
    """One of 16 MiB and no more crosses; a reference may give several."""
    tests = Inputs(base=((5_000_000,), (5_000_001,), (5_000_002,)))
    source = "def f(n):\n    return 'ab' * n\n"
    known, verdicts = judged(problem(tests, source), source, "def f(n):\n    return 'ab' * n * 2\n")
    assert known is not None
    assert known.sound
    assert [PASSED, Outcome.OUTPUT_LIMIT] == [verdict.outcome for verdict in verdicts]


FOUND = """
def check(c):
    found = c("abc")
    assert found
    assert found.group(1) == "b"
    assert (found.span(1), found.string) == ((1, 2), "abc")
    assert c("xyz") is None
"""
FORGED = """
class Match:
    string, regs = "abc", ((1, 2), (1, 9))
    __module__, __qualname__ = "re", "Match"

    def content(self):
        return self.string, self.regs, {}, (0, 3), 1

def f(x):
    return Match() if x == "abc" else None
"""


@sandboxed
def test_what_an_expression_found_is_a_value(judged: Judging) -> None:
    """A match crosses as what it found; one of another text is wrong, one that cannot be is refused."""
    reference = "import re\n\ndef f(x):\n    return re.search('(b)', x)\n"
    given = problem(CheckFunction(code=FOUND), reference)
    known, verdicts = judged(given, reference, reference.replace("x)\n", "'b')\n"), FORGED)
    assert known is not None
    assert known.sound
    assert [PASSED, WRONG, Outcome.REJECTED_VALUE] == [verdict.outcome for verdict in verdicts]
    assert "strong" == verdicts[0].integrity
