"""Sessions in a real sandbox: every outcome by what was measured, results per test, limits, restarts."""

from __future__ import annotations

import asyncio
import textwrap
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.judging import ROLES, Observation, Profile, Request, Slot, judge, profile
from codejury.model import MIB, Assertions, CheckFunction, Limits, Outcome, Problem, Verdict
from codejury.sandbox import Child, Lane, LaneLostError, Sandbox, Settings, describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

pytestmark = pytest.mark.sandbox

CPU_S = 0.5
LIMITS = Limits(
    cpu_s=CPU_S,
    cpu_total_s=3.0,
    wall_factor=20.0,  # a busy machine is no reason
    memory_bytes=128 * MIB,
    file_bytes=8 * MIB,
)
ONE = "def check(c):\n    assert c() == 1\n"


@pytest.fixture(scope="module")
def slot(sandbox: str) -> Iterator[Slot]:
    """A slot with small limits."""
    opened = Sandbox(Settings(interpreter=describe(), limits=LIMITS, tier=sandbox), ROLES)
    asyncio.run(opened.__aenter__())
    made = Slot(opened, LIMITS)
    yield made
    made.close()
    asyncio.run(opened.__aexit__())


def program(text: str) -> str:
    """Source text without the indentation that it has here."""
    return textwrap.dedent(text).lstrip("\n")


def observe(slot: Slot, source: str, tests: str | Iterable[str] = ONE, **changes: Any) -> Observation:
    """One session; `changes` are of the limits or of the request."""
    names = set(Limits.__struct_fields__)
    limits = msgspec.structs.replace(LIMITS, **{name: value for name, value in changes.items() if name in names})
    rest = {name: value for name, value in changes.items() if name not in names}
    made = CheckFunction(code=tests) if isinstance(tests, str) else Assertions(code=tuple(tests))
    request = Request(source=program(source), entry_point="f", tests=made, limits=limits, **rest)
    return asyncio.run(slot.observe(request))


def ends(seen: Observation) -> list[tuple[int, str]]:
    """Line and outcome of each result."""
    assert all(test is not None and test.wall_s >= 0 for test in seen.tests)
    return [(test.line, test.outcome.value) for test in seen.tests if test is not None]


SPIN = "def f():\n    while True: pass\n"
SLEEP = "import time\ndef f(): time.sleep(60)\n"
THREAD = """
    import threading
    def spin():
        while True: pass
    def f():
        thread = threading.Thread(target=spin)
        thread.start()
        thread.join()
"""
SEGFAULT = "import ctypes\ndef f(): ctypes.string_at(0)\n"

OUTCOMES: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "right": ("def f(): return 1", "passed", "", {}),
    "prints a lot": ("def f():\n    print('x' * 50_000_000)\n    return 1", "passed", "", {}),
    "wrong": ("def f(): return 2", "wrong_answer", "AssertionError", {}),
    "raises": ("def f(): return 1 // 0", "exception", "ZeroDivisionError", {}),
    "raises a timeout": ("def f(): raise TimeoutError", "exception", "TimeoutError", {}),
    "raises want of memory": ("def f(): raise MemoryError", "exception", "MemoryError", {}),
    "asks for too much at once": ("def f(): return bytearray(1 << 40)", "exception", "MemoryError", {}),
    "syntax": ("def f(:", "syntax_error", "SyntaxError", {}),
    "no function": ("x = 1", "exception", "NameError", {}),
    "not plain": ("def f(): return f", "rejected_value", "function", {}),
    "segmentation fault": (SEGFAULT, "crashed", "signal 11", {}),
    "segmentation fault while loading": ("import ctypes\nctypes.string_at(0)", "crashed", "signal 11", {}),
    "spins": (SPIN, "timeout_cpu", "in one test", {}),
    "spins while loading": ("while True: pass", "timeout_cpu", "in one test", {}),
    "spins in a thread": (
        THREAD,
        "timeout_cpu",
        "in one test",
        {},
    ),
    "spins in a child": (
        "import os\ndef f():\n    if not os.fork():\n        while True: pass\n    os.wait()",
        "timeout_cpu",
        "",
        {},
    ),
    "sleeps": (SLEEP, "timeout_wall", "more than 0.6 s in one test", {"wall_factor": 1.0, "wall_extra_s": 0.1}),
    "ignores signals": (
        "import signal as s\ndef f():\n    s.pthread_sigmask(s.SIG_BLOCK, range(1, 65))\n    while True: pass",
        "timeout_cpu",
        "in one test",
        {},
    ),
    "fills the memory": (
        "def f():\n    kept = []\n    while True: kept.append(bytearray(b'x') * (1 << 20))",
        "out_of_memory",
        "",
        {"cpu_s": 2.0},
    ),
    "returns too much": ("def f(): return 'a' * 2000", "output_limit", "bytes", {"value_bytes": 1000}),
    "exits": ("import os\ndef f(): os._exit(0)", "early_exit", "exit code 0", {}),
    "exits while loading": ("import os\nos._exit(7)", "early_exit", "exit code 7", {}),
    "raises SystemExit": ("def f(): raise SystemExit", "early_exit", "SystemExit", {}),
    "becomes another program": (
        "import os\ndef f(): os.execv('/usr/bin/env', ['env', 'true'])",
        "early_exit",
        "exit code",
        {},
    ),
    "closes its pipe": (
        "import os, time\ndef f():\n    os.closerange(3, 50)\n    time.sleep(60)",
        "tampered",
        "closed its pipe",
        {},
    ),
    "writes to its pipe": ("import os\ndef f():\n    os.write(4, bytes(16))\n    return 1", "tampered", "", {}),
}


PROCESSES = ("spins in a child", "becomes another program")


@pytest.mark.parametrize("name", OUTCOMES)
def test_outcomes(slot: Slot, sandbox: str, name: str) -> None:
    """Each outcome is reached by what leads to it, and says why in its detail; so does the test's own result."""
    if sandbox == "landlock" and name in PROCESSES:
        pytest.skip("in tier 'landlock' programs may not start processes")
    source, outcome, detail, changes = OUTCOMES[name]
    seen = observe(slot, source, **changes)
    assert (Outcome(outcome), True) == (seen.outcome, detail in seen.detail), seen
    assert seen.wall_s >= 0
    assert seen.cpu_s >= 0
    loaded = "while loading" not in name and outcome != "syntax_error" and name != "no function"
    assert ([(2, outcome)] if loaded else []) == ends(seen)


def test_every_measurable_outcome_is_reached() -> None:
    """The table has all outcomes that one session of a Python function can have, but for limits of cgroups."""
    elsewhere = {"compile_error", "timeout_compile", "infra_error", "missing", "no_code", "process_limit"}
    assert {outcome.value for outcome in Outcome} - elsewhere == {row[1] for row in OUTCOMES.values()}


def test_slot_is_clean_after_all_that(slot: Slot) -> None:
    """A right answer passes after every kind of end, and what it uses is its own."""
    seen = observe(slot, "def f(): return 1")
    assert (Outcome.PASSED, [(2, "passed")], 1, 1) == (seen.outcome, ends(seen), seen.calls, seen.finished)
    assert seen.cpu_s < CPU_S
    assert seen.peak_bytes is not None
    assert seen.peak_bytes < LIMITS.memory_bytes


# ---- cgroups


def _needs(slot: Slot, controller: str) -> None:
    if controller not in slot.sandbox.groups.bases:
        pytest.skip(f"this machine gives no {controller} cgroup")


@pytest.mark.usefixtures("processes")
def test_memory_of_many_processes(slot: Slot) -> None:
    """Children count together: none is over the limit, all of them are."""
    _needs(slot, "memory")
    source = """
        import os, time
        def f():
            for _ in range(4):
                if not os.fork():
                    kept = bytearray(b"x") * (48 << 20)
                    time.sleep(1)
                    os._exit(0)
            return sum(os.WIFEXITED(os.wait()[1]) for _ in range(4)) // 4
    """
    seen = observe(slot, source, cpu_s=2.0)
    assert Outcome.OUT_OF_MEMORY is seen.outcome


def test_memory_that_no_process_holds(slot: Slot) -> None:
    """Pages of a memfd belong to no process's limit: there is none to be had."""
    seen = observe(
        slot, "import os\ndef f():\n    try: os.memfd_create('a')\n    except PermissionError: return 1"
    )
    assert Outcome.PASSED is seen.outcome


@pytest.mark.usefixtures("processes")
def test_too_many_processes(slot: Slot) -> None:
    """A refused process is told from other exceptions by the cgroup's counter."""
    _needs(slot, "pids")
    seen = observe(slot, "import os, time\ndef f():\n    while True:\n        if not os.fork(): time.sleep(60)")
    assert Outcome.PROCESS_LIMIT is seen.outcome
    assert Outcome.PASSED is observe(slot, "def f(): return 1").outcome


def test_exception_of_that_kind_without_a_refusal(slot: Slot) -> None:
    """Raising what fork raises is raising."""
    assert Outcome.EXCEPTION is observe(slot, "def f(): raise BlockingIOError(11, 'no')").outcome


# ---- what the judge does with values is limited as well


def test_value_that_is_slow_to_compare(slot: Slot) -> None:
    """Time spent on a value counts against who returned it."""
    source = "def f(): return [i * (2 ** 61 - 1) for i in range(40_000)]"
    seen = observe(slot, source, "def check(c):\n    assert len(set(c())) == 1\n")
    assert (Outcome.TIMEOUT_CPU, True) == (seen.outcome, "to compare" in seen.detail)


def test_value_that_is_large_to_compare(slot: Slot) -> None:
    """So does memory."""
    seen = observe(slot, "def f(): return 'a' * 1000", "def check(c):\n    assert c() * 10_000_000 == 1\n")
    assert Outcome.OUT_OF_MEMORY is seen.outcome


def test_value_that_ends_the_judge(slot: Slot) -> None:
    """Tests that exit on a value do not make it pass, nor leave the denominator."""
    tests = "import os\ndef check(c):\n    if c(): os._exit(0)\n    assert True\n"
    seen = observe(slot, "def f(): return 1", tests)
    assert (Outcome.REJECTED_VALUE, True) == (seen.outcome, "ended the judge" in seen.detail)


@pytest.mark.usefixtures("processes")  # and it is process 1 of its namespace, which it asserts
def test_judge_is_confined_like_the_candidate(slot: Slot) -> None:
    """Tests may be hostile: no file to write, no network, no process beside its own, no way to root."""
    tests = """
        import os, socket
        def refused(function, *args):
            try:
                function(*args)
            except OSError:
                return True
        def check(c):
            assert c() == 1
            assert os.getpid() == 1 and os.getuid() != 0
            assert refused(open, "/tmp/x", "w") and refused(os.mkdir, "/x")
            assert refused(socket.socket) and refused(os.setuid, 0)
            assert not os.path.exists("/proc/self")
            assert set(os.environ) & {"SSH_AUTH_SOCK", "USER", "LOGNAME", "PWD"} == set()
    """
    assert Outcome.PASSED is observe(slot, "def f(): return 1", program(tests)).outcome


# ---- limits


def test_time_in_all(slot: Slot) -> None:
    """Tests that each keep to the limit of one may be over that of all."""
    source = """
        import time
        def f():
            end = time.process_time() + 0.3
            while time.process_time() < end: pass
            return 1
    """
    tests = "def check(c):\n    for i in range(20):\n        assert c() == 1\n"
    seen = observe(slot, source, tests, cpu_total_s=0.8)
    assert (Outcome.TIMEOUT_CPU, "more than 0.8 s of CPU in all") == (seen.outcome, seen.detail)
    assert [(3, "passed")] * 2 == ends(seen)[:2]
    assert seen.cpu_s < 3 * 0.8


def test_wall_time_in_all_while_results_come(slot: Slot) -> None:
    """Results that come fast do not keep the limit from being looked at."""
    tests = "def check(c):\n    for i in range(400):\n        assert c() == 1\n"
    source = "import time\ndef f():\n    time.sleep(0.025)\n    return 1\n"
    seen = observe(slot, source, tests, cpu_total_s=0.5, wall_factor=1.0, wall_extra_s=0.5)
    assert (Outcome.TIMEOUT_WALL, "more than 1 s in all") == (seen.outcome, seen.detail)
    assert seen.wall_s < 3
    assert 1 < len(seen.tests) < 400


def test_limit_of_a_test_begins_anew(slot: Slot) -> None:
    """Each test has the whole limit of one."""
    source = """
        import time
        def f():
            end = time.process_time() + 0.3
            while time.process_time() < end: pass
            return 1
    """
    seen = observe(slot, source, "def check(c):\n    for i in range(3):\n        assert c() == 1\n")
    assert (Outcome.PASSED, 3) == (seen.outcome, seen.finished)
    assert 0.9 <= seen.cpu_s < 3 * 0.9


def test_timed_out_test_has_its_time(slot: Slot) -> None:
    """The result of the test in which time ran out says how long it took."""
    seen = observe(
        slot, "def f(x):\n    while x: pass\n    return 1", ["assert f(0) == 1", "\n\nassert f(1) == 1"]
    )
    assert [(1, "passed"), (3, "timeout_cpu")] == ends(seen)
    assert seen.tests[1] is not None
    assert seen.tests[1].wall_s > 0.9 * CPU_S


# ---- results per test


MIXED = """
    import os
    def f(x):
        if x == "exit": os._exit(1)
        if x == "spin":
            while True: pass
        if x == "sys": raise SystemExit
        if x == "odd": return f
        return x
"""


def judged(
    slot: Slot,
    source: str,
    tests: Any,
    *,
    reference: Profile | None = None,
    all_tests: bool = False,
    **limits: Any,
) -> Verdict:
    """The verdict on a program."""
    problem = Problem(id="p", prompt="", entry_point="f", tests=tests)
    own = msgspec.structs.replace(LIMITS, **limits)
    return asyncio.run(judge(slot, problem, program(source), own, reference, all_tests=all_tests)).verdict


def test_first_failure_ends_the_tests(slot: Slot) -> None:
    """Results up to it, with lines."""
    tests = CheckFunction(code="def check(c):\n    assert c(1) == 1\n    assert c(2) == 1\n    assert c(3) == 3\n")
    verdict = judged(slot, MIXED, tests)
    assert [(2, "passed"), (3, "wrong_answer")] == [(t.line, t.outcome.value) for t in verdict.tests]


def test_all_tests_in_a_loop(slot: Slot) -> None:
    """Whatever ends a test, the tests after it are judged by a fresh candidate."""
    code = (
        "def check(c):\n    for x in (1, 'exit', 2, 'spin', 'odd', 'sys', 3):\n        assert c(x) == x\n"
        "    assert c(4) == 5\n    assert c(6) == 6\n"
    )
    verdict = judged(slot, MIXED, CheckFunction(code=code), all_tests=True, cpu_total_s=6.0)
    loop = ["passed", "early_exit", "passed", "timeout_cpu", "rejected_value", "early_exit", "passed"]
    expected = [*((3, outcome) for outcome in loop), (4, "wrong_answer"), (5, "passed")]
    assert expected == [(t.line, t.outcome.value) for t in verdict.tests]
    assert (Outcome.EARLY_EXIT, "exit code 1") == (verdict.outcome, verdict.detail)


def test_all_tests_of_a_list(slot: Slot) -> None:
    """Statements one after the other, as a list of texts."""
    tests = Assertions(code=("assert f(1) == 1", "assert f('exit') == 1", "x = 2", "assert f(x) == 2"))
    verdict = judged(slot, MIXED, tests, all_tests=True)
    assert ["passed", "early_exit", "passed"] == [t.outcome.value for t in verdict.tests]


def test_candidate_that_ends_outside_of_assertions(slot: Slot) -> None:
    """A call outside of any assertion cannot be left out: the tests end there."""
    tests = CheckFunction(code="def check(c):\n    assert c(1) == 1\n    c('exit')\n    assert c(2) == 2\n")
    verdict = judged(slot, MIXED, tests, all_tests=True)
    assert [(2, "passed"), (3, "early_exit")] == [(t.line, t.outcome.value) for t in verdict.tests]


def test_fresh_candidate_has_no_memory(slot: Slot) -> None:
    """What a killed candidate had kept is gone, as it would be for any new process."""
    source = """
        import os
        seen = []
        def f(x):
            if x == "exit": os._exit(0)
            seen.append(x)
            return len(seen)
    """
    code = "def check(c):\n    assert c(1) == 1\n    assert c('exit') == 0\n    assert c(2) == 2\n"
    verdict = judged(slot, source, CheckFunction(code=code), all_tests=True)
    assert ["passed", "early_exit", "passed"] == [t.outcome.value for t in verdict.tests]


# ---- with a reference


REFERENCE = "def f(x): return sorted(x)\n"
SORTING = CheckFunction(
    code="def check(c):\n    for xs in ([2, 1], [3], []):\n        assert c(xs) == sorted(xs)\n"
)


def profiled(slot: Slot, reference: str = REFERENCE, tests: Any = SORTING) -> Profile:
    """What judging a reference showed."""
    problem = Problem(id="p", prompt="", entry_point="f", tests=tests, reference=reference)
    seen = asyncio.run(profile(slot, problem, LIMITS))
    assert seen is not None
    return seen


def test_reference_and_samples(slot: Slot) -> None:
    """Arguments that the reference leaves alone must be left alone, or not matter."""
    reference = profiled(slot)
    assert (True, 3, False, None) == (reference.sound, reference.finished, reference.changed, reference.acting)
    assert reference.code
    verdicts = {
        "right": "def f(x): return sorted(x)\n",
        "sorts in place, and is right": "def f(x):\n    x.sort()\n    return list(x)\n",
        "empties": "def f(x):\n    x.clear()\n    return []\n",
    }
    outcomes = {name: judged(slot, source, SORTING, reference=reference) for name, source in verdicts.items()}
    assert {"right": True, "sorts in place, and is right": True, "empties": False} == {
        name: verdict.passed for name, verdict in outcomes.items()
    }
    assert "changing its arguments" in outcomes["empties"].detail


def test_in_place_problem(slot: Slot) -> None:
    """A reference that changes its arguments lets samples do so."""
    tests = CheckFunction(code="def check(c):\n    x = [2, 1]\n    c(x)\n    assert x == [1, 2]\n")
    reference = profiled(slot, "def f(x): x.sort()\n", tests)
    assert reference.changed
    assert judged(slot, "def f(x): x[:] = sorted(x)\n", tests, reference=reference).passed
    assert not judged(slot, REFERENCE, tests, reference=reference).passed


def test_fewer_assertions_than_the_reference(slot: Slot) -> None:
    """Whoever returns an empty list to a loop over it has not passed."""
    tests = CheckFunction(
        code="def check(c):\n    assert c() is not None\n    for x in c():\n        assert x == 1\n"
    )
    reference = profiled(slot, "def f(): return [1, 1]\n", tests)
    assert 3 == reference.finished
    verdict = judged(slot, "def f(): return []\n", tests, reference=reference)
    assert (Outcome.WRONG_ANSWER, "finished 1 assertions of 3") == (verdict.outcome, verdict.detail)


def test_acting_tests_are_weak(slot: Slot) -> None:
    """Tests that evaluate what they get are named by the reference's profile."""
    tests = CheckFunction(code="def check(c):\n    assert eval(c()) == 1\n")
    reference = profiled(slot, "def f(): return '1'\n", tests)
    assert "eval" == reference.acting
    assert "weak" == judged(slot, "def f(): return '1'\n", tests, reference=reference).integrity


def test_code_is_said_before_the_candidate_speaks(slot: Slot) -> None:
    """A reference that is no answer at all still gives the compiled tests; a sample never gives any."""
    assert observe(slot, "import os\nos._exit(0)\n", scan=True).code
    assert observe(slot, "def f(): return 1\n").code is None


# ---- the same again


def test_random_numbers_are_the_same(slot: Slot) -> None:
    """`random` starts from seed 0 in each run; the hash seed is 0."""
    source = "import random\ndef f(): return [random.random(), hash('a')]\n"
    tests = ["assert f()[0] == 0.8444218515250481", "assert f()[1] == hash('a')"]
    assert Outcome.PASSED is observe(slot, source, tests).outcome
    assert Outcome.PASSED is observe(slot, source, tests).outcome


def test_lane_that_is_lost_is_replaced(slot: Slot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where lanes end that nobody ended, others take their place."""
    take = Lane.take
    lost: list[Lane] = []

    async def fail_once(lane: Lane) -> Child:
        if not lost:
            lost.append(lane)
            raise LaneLostError("it ended")
        return await take(lane)

    monkeypatch.setattr(Lane, "take", fail_once)
    assert Outcome.PASSED is observe(slot, "def f(): return 1").outcome
    assert 1 == len(lost)


def test_cancelled_session_leaves_a_usable_slot(slot: Slot) -> None:
    """Cancelling ends what runs; the next sample gets new lanes."""

    async def cancel() -> None:
        limits = LIMITS
        request = Request(source=SLEEP, entry_point="f", tests=CheckFunction(code=ONE), limits=limits)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(slot.observe(request), 0.3)

    asyncio.run(cancel())
    assert Outcome.PASSED is observe(slot, "def f(): return 1").outcome
