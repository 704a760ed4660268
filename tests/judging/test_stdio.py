"""Sessions of whole programs: outcomes by what was measured, results per run, limits, judges that judge on."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.judging import ROLES, Observation, Request, Slot, judge, profile
from codejury.judging.kinds import payload, role
from codejury.model import (
    MIB,
    Assertions,
    Checker,
    Limits,
    Outcome,
    Problem,
    StdinCase,
    StdinStdout,
    TierUnavailable,
)
from codejury.sandbox import Sandbox, Settings, describe

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITS = Limits(
    cpu_s=0.5,
    cpu_total_s=3.0,
    wall_factor=20.0,  # a busy machine is no reason
    memory_bytes=128 * MIB,
    file_bytes=8 * MIB,
    output_bytes=64 << 10,
)
ADD = "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n"
RUNS = (("1 2", "3"), ("4 5", "9"), ("6", "6"))


def stdio(*runs: tuple[str, str], **checker: Any) -> StdinStdout:
    """Tests of these runs."""
    cases = tuple(StdinCase(stdin=given, stdout=expected) for given, expected in runs or RUNS)
    return StdinStdout(cases=cases, checker=Checker(**checker))


@pytest.fixture(scope="module", params=["namespaces", "landlock"])
def slot(request: pytest.FixtureRequest) -> Iterator[Slot]:
    """A slot with small limits, in each tier; skips where the machine gives none."""
    sandbox = Sandbox(Settings(interpreter=describe(), limits=LIMITS, tier=request.param), ROLES)
    try:
        asyncio.run(sandbox.__aenter__())
    except TierUnavailable as error:
        pytest.skip(str(error))
    made = Slot(sandbox, LIMITS)
    yield made
    made.close()
    asyncio.run(sandbox.__aexit__())


@pytest.fixture(scope="module", params=["namespaces", "landlock"])
def uncounted(request: pytest.FixtureRequest) -> Iterator[Slot]:
    """A slot without cgroups: what the kernel counts of each process must do."""
    sandbox = Sandbox(Settings(interpreter=describe(), limits=LIMITS, tier=request.param), ROLES)
    sandbox.groups.bases = {}
    try:
        asyncio.run(sandbox.__aenter__())
    except TierUnavailable as error:
        pytest.skip(str(error))
    made = Slot(sandbox, LIMITS)
    assert made.lanes.candidates.group is None
    yield made
    made.close()
    asyncio.run(sandbox.__aexit__())


def observe(slot: Slot, source: str, tests: StdinStdout | None = None, **changes: Any) -> Observation:
    """One session; `changes` are of the limits or of the request."""
    names = set(Limits.__struct_fields__)
    limits = msgspec.structs.replace(LIMITS, **{name: value for name, value in changes.items() if name in names})
    rest = {name: value for name, value in changes.items() if name not in names}
    request = Request(source=source, entry_point="", tests=tests or stdio(), limits=limits, **rest)
    return asyncio.run(slot.observe(request))


def ends(seen: Observation) -> list[tuple[int, str]]:
    """Number and outcome of each run."""
    return [(test.line, test.outcome.value) for test in seen.tests if test is not None]


SPIN = "while True: pass\n"
# Program, outcome, detail.
OUTCOMES: dict[str, tuple[str, str, str]] = {
    "wrong answer": ("print(3)", "wrong_answer", "word 1: expected '9', got '3', in run 2"),
    "no answer": ("", "wrong_answer", "0 words, not 1, in run 1"),
    "not UTF-8": (
        "import sys\nsys.stdout.buffer.write(b'3\\n\\xff')",
        "wrong_answer",
        "the output is not UTF-8 at byte 3, in run 1",
    ),
    "exception": (
        "int('x')",
        "exception",
        "ValueError: invalid literal for int() with base 10: 'x' (exit status 1)",
    ),
    "status 1": (ADD + "sys.exit(1)", "exception", "exit status 1, in run 1"),
    "other status": (ADD + "sys.exit(2)", "early_exit", "exit status 2, in run 1"),
    "signal": (ADD + "import os\nos.kill(os.getpid(), 11)", "crashed", "signal 11, in run 1"),
    "syntax": ("print(", "syntax_error", "SyntaxError: '(' was never closed"),
    "output": ("print('x' * 65536)", "output_limit", "more than 65536 bytes of output, in run 1"),
    "memory": ("x = [bytearray(1 << 20) for _ in range(200)]", "out_of_memory", ""),
    "CPU": (ADD + SPIN, "timeout_cpu", "more than 0.5 s of CPU in one test"),
}


@pytest.mark.sandbox
@pytest.mark.parametrize("name", OUTCOMES)
def test_outcomes(slot: Slot, name: str) -> None:
    """Each by what was measured, with the run in which it was."""
    source, outcome, detail = OUTCOMES[name]
    seen = observe(slot, source)
    assert outcome == seen.outcome, seen
    assert detail in seen.detail
    results = [] if name == "syntax" else [(1, "passed"), (2, outcome)] if "run 2" in detail else [(1, outcome)]
    assert results == ends(seen)


@pytest.mark.sandbox
def test_passes(slot: Slot) -> None:
    """All runs, each counted, with what they used."""
    seen = observe(slot, ADD, scan=True)
    assert (Outcome.PASSED, 3, 3, True) == (seen.outcome, seen.calls, seen.finished, seen.lasting)
    assert [(1, "passed"), (2, "passed"), (3, "passed")] == ends(seen)
    assert 0 < seen.cpu_s < LIMITS.cpu_total_s
    assert seen.acting is None


@pytest.mark.sandbox
def test_wall_time_of_a_run(slot: Slot) -> None:
    """A run that waits is ended by the host."""
    seen = observe(slot, "print(3, flush=True)\nimport time\ntime.sleep(600)\n", wall_factor=1.0, wall_extra_s=0.3)
    assert (Outcome.TIMEOUT_WALL, [(1, "timeout_wall")]) == (seen.outcome, ends(seen))


@pytest.mark.sandbox
def test_cpu_time_of_all_runs(slot: Slot) -> None:
    """Each run may be within its limit, and all together above theirs."""
    source = ADD + "import time\nwhile time.process_time() < 0.3: pass\n"
    seen = observe(slot, source, stdio(*RUNS * 20), cpu_total_s=1.0)
    assert (Outcome.TIMEOUT_CPU, "more than 1 s of CPU in all") == (seen.outcome, seen.detail.partition(",")[0])


@pytest.mark.sandbox
def test_all_runs(slot: Slot) -> None:
    """Runs go on after one that failed, whichever way it did; each has its own result."""
    source = (
        "import os, sys, time\n"
        "n = int(input())\n"
        "if n == 2: 1 / 0\n"
        "if n == 3: os.kill(os.getpid(), 9)\n"
        "if n == 4: sys.stdout.write('x' * 100000)\n"
        "if n == 5: n = 6\n"
        "print(n)\n"
    )
    seen = observe(slot, source, stdio(*((f"{n}\n", f"{n}\n") for n in range(1, 7))), all_tests=True)
    outcomes = ["passed", "exception", "crashed", "output_limit", "wrong_answer", "passed"]
    assert list(enumerate(outcomes, 1)) == ends(seen)
    assert (Outcome.EXCEPTION, 2) == (seen.outcome, seen.finished)
    assert "in run 2" in seen.detail


@pytest.mark.sandbox
def test_all_runs_after_one_that_hangs(slot: Slot) -> None:
    """It is left out in a further session, and those after it have their results."""
    source = "n = int(input())\nwhile n == 2: pass\nprint(n)\n"
    problem = Problem(
        id="p", prompt="", entry_point="", tests=stdio(("1", "1"), ("2", "2"), ("3", "3"), ("4", "5"))
    )
    made = asyncio.run(judge(slot, problem, source, LIMITS, None, all_tests=True)).verdict
    assert [(1, "passed"), (2, "timeout_cpu"), (3, "passed"), (4, "wrong_answer")] == [
        (test.line, test.outcome.value) for test in made.tests
    ]
    assert (Outcome.TIMEOUT_CPU, "strong") == (made.outcome, made.integrity)


@pytest.mark.sandbox
def test_without_cgroups(uncounted: Slot) -> None:
    """CPU time is what the kernel counted of each run: no spinner passes, and the next run has its own."""
    spin = "import sys\nn = int(input())\nprint(n, flush=True)\nwhile n == 2: pass\n"
    seen = observe(uncounted, spin, stdio(("1", "1"), ("2", "2")))
    assert (Outcome.TIMEOUT_CPU, [(1, "passed"), (2, "timeout_cpu")]) == (seen.outcome, ends(seen))
    nearly = ADD + "import time\nwhile time.process_time() < 0.3: pass\n"
    assert Outcome.PASSED is observe(uncounted, nearly).outcome
    late = ADD + "import time\nwhile time.process_time() < 0.7: pass\n"
    assert Outcome.TIMEOUT_CPU is observe(uncounted, late).outcome
    assert Outcome.TIMEOUT_CPU is observe(uncounted, nearly, stdio(*RUNS * 20), cpu_total_s=1.0).outcome


@pytest.mark.sandbox
def test_a_judge_judges_on(slot: Slot) -> None:
    """The next sample of the problem finds the judge with the tests that it has; a failure is still seen."""
    tests = stdio(
        kind="custom", code="def check(stdin, expected, output):\n    return output.split() == [expected]\n"
    )
    for source, outcome in (
        (ADD, "passed"),
        (ADD + "\n", "passed"),
        ("print(3)", "wrong_answer"),
        (ADD, "passed"),
    ):
        seen = observe(slot, source, tests, series="s")
        assert outcome == seen.outcome, seen
        assert (slot.lanes.bound is not None) is (outcome == "passed")


@pytest.mark.sandbox
def test_roles_take_turns(slot: Slot) -> None:
    """A slot judges functions and scripts in any order."""
    calls = Request(
        source="def f(): return 1", entry_point="f", tests=Assertions(code=("assert f() == 1",)), limits=LIMITS
    )
    for _ in range(2):
        assert Outcome.PASSED is asyncio.run(slot.observe(calls)).outcome
        assert Outcome.PASSED is observe(slot, ADD).outcome


@pytest.mark.sandbox
def test_limits_of_a_problem(slot: Slot) -> None:
    """Lower ones than the run's are a run's own."""
    source = "x = bytearray(60 << 20)\nx[::4096] = bytes(len(x[::4096]))\n" + ADD
    assert Outcome.PASSED is observe(slot, source).outcome
    assert Outcome.OUT_OF_MEMORY is observe(slot, source, memory_bytes=32 * MIB).outcome


# ---- problems at fault, and checkers of their own

FAULTS: dict[str, tuple[StdinStdout, str]] = {
    "a checker that does not compile": (
        stdio(kind="custom", code="def check("),
        "its checker does not run: SyntaxError",
    ),
    "no function check": (stdio(kind="custom", code="x = 1"), "its checker defines no function 'check'"),
    "a checker without an answer": (
        stdio(kind="custom", code="def check(stdin, expected, output): pass"),
        "its checker gives a NoneType, not a bool",
    ),
    "an async checker": (
        stdio(kind="custom", code="async def check(stdin, expected, output): return True"),
        "its checker gives a coroutine, not a bool",
    ),
    "half a character": (stdio(("\ud800", "3")), "UnicodeEncodeError"),
}


@pytest.mark.sandbox
@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_a_problem(slot: Slot, name: str) -> None:
    """They pass nobody, and the reference shows them."""
    tests, detail = FAULTS[name]
    problem = Problem(id="p", prompt="", entry_point="", tests=tests, reference=ADD)
    found = asyncio.run(profile(slot, problem, LIMITS))
    assert found is not None
    assert (None, False) == (found.outcome, found.sound)
    assert detail in (found.fault or "")
    assert Outcome.WRONG_ANSWER is asyncio.run(judge(slot, problem, ADD, LIMITS, found)).verdict.outcome


@pytest.mark.sandbox
def test_a_checker_that_fails_is_no_pass(slot: Slot) -> None:
    """What it raises counts against the output that it was given; so does the memory that it takes."""
    raises = stdio(kind="custom", code="def check(stdin, expected, output):\n    return int(output) > 0\n")
    seen = observe(slot, "print('x')", raises)
    assert Outcome.WRONG_ANSWER is seen.outcome
    assert "ValueError: invalid literal" in seen.detail
    spins = stdio(kind="custom", code="def check(stdin, expected, output):\n    while True: pass\n")
    assert Outcome.TIMEOUT_CPU is observe(slot, ADD, spins).outcome


@pytest.mark.sandbox
def test_a_checker_that_acts_on_output_is_weak(slot: Slot) -> None:
    """Its verdicts may be forged, and are not called strong; one that only looks is."""
    acting = "def check(stdin, expected, output):\n    return eval(output) == int(expected)\n"
    looking = (
        "import re\ndef check(stdin, expected, output):\n    return bool(re.fullmatch(expected, output.strip()))\n"
    )
    for code, integrity in ((acting, "weak"), (looking, "strong")):
        tests = stdio(kind="custom", code=code)
        problem = Problem(id="p", prompt="", entry_point="", tests=tests, reference=ADD)
        found = asyncio.run(profile(slot, problem, LIMITS))
        made = asyncio.run(judge(slot, problem, ADD, LIMITS, found)).verdict
        assert (Outcome.PASSED, integrity) == (made.outcome, made.integrity)


@pytest.mark.sandbox
def test_fewer_runs_than_the_reference_are_no_pass(slot: Slot) -> None:
    """A pass finishes as many runs as the reference did."""
    problem = Problem(id="p", prompt="", entry_point="", tests=stdio(), reference=ADD)
    found = asyncio.run(profile(slot, problem, LIMITS))
    assert found is not None
    assert (Outcome.PASSED, 3) == (found.outcome, found.finished)
    more = msgspec.structs.replace(found, finished=4)
    made = asyncio.run(judge(slot, problem, ADD, LIMITS, more)).verdict
    assert (Outcome.WRONG_ANSWER, "finished 3 assertions of 4") == (made.outcome, made.detail)


# ---- as a judge takes them


def test_payload() -> None:
    """Everything that the judge needs; what it has from the sample before is not sent again."""
    request = Request(
        source="", entry_point="", tests=stdio(("a", "b"), kind="decimal", abs_tol=0.5), limits=LIMITS
    )
    limits = {"kind": "stdio", "output_bytes": 65536, "cpu_s": 0.5, "cpu_total_s": 3.0}
    checker = {"kind": "decimal", "abs_tol": 0.5}
    assert {**limits, "cases": [["a", "b"]], "checker": checker} == payload(request)
    assert limits == payload(request, same=True)
    assert "tokens" == payload(msgspec.structs.replace(request, tests=stdio()))["checker"]["kind"]
    json.dumps(payload(request))


def test_roles() -> None:
    """A program that is run is a script; one whose function is called is a candidate."""
    assert ("script", "candidate") == (role(stdio()), role(Assertions(code=("assert f()",))))
