"""Checks of the suites themselves. Attacks are only read here; what runs are references and honest programs."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.judging.kinds import payload
from codejury.judging.records import Request
from codejury.judging.session import INSIDE
from codejury.model import Inputs, Limits, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

SUITES = Path(__file__).parent / "suites"
CLASSES = {"answer", "equal", "exit", "patch", "forge", "leak", "escape", "resource", "leftover"}
POINTS = {str(n) for n in range(1, 14)}

RUNNER = """
import ast, json, os, sys, types

class Count(ast.NodeTransformer):
    def visit_Assert(self, node):
        done = ast.parse("__finished.append(1)").body[0]
        return [node, ast.copy_location(ast.fix_missing_locations(done), node)]

case = json.load(sys.stdin)
module = sys.modules["__candidate__"] = types.ModuleType("__candidate__")
finished, calls = [], []

def candidate(*args, **kwargs):
    calls.append(1)
    return module.f(*args, **kwargs)

try:
    exec(compile(case["program"], "<candidate>", "exec", dont_inherit=True), module.__dict__)
    tree = ast.fix_missing_locations(Count().visit(ast.parse(case["tests"])))
    tests = {"__name__": "tests", "__finished": finished}
    exec(compile(tree, "<tests>", "exec", dont_inherit=True), tests)
    tests["check"](candidate)
    if not finished:
        raise RuntimeError("no assertion finished")
    if not calls:
        raise RuntimeError("the candidate was never called")
except BaseException as e:
    print(f"{type(e).__name__}: {e}"[:500], file=sys.__stderr__, flush=True)
    os._exit(1)
os._exit(0)
"""


CALLS = """
import json, os, sys
case = json.load(sys.stdin)
sys.path.insert(0, case["inside"])
import codec, inputs
from compare import Rules

def outputs(source):
    module = sys.modules["__candidate__"] = type(sys)("__candidate__")
    exec(compile(source, "<candidate>", "exec", dont_inherit=True), module.__dict__)
    for text in case["calls"]:
        crossed = codec.dumps(codec.Writer(0, {}).value(module.f(*inputs.arguments_of(text))))
        yield inputs.value_of(crossed)

try:
    given = case["expected"]
    wanted = list(outputs(case["reference"]) if given is None else map(inputs.value_of, given))
    namespace = {}
    exec(case["oracle"], namespace)
    right = namespace.get("oracle", lambda _, expected, output: Rules(**case["rules"]).equal(expected, output))
    for text, expected, output in zip(case["calls"], wanted, outputs(case["program"]), strict=True):
        if right(inputs.arguments_of(text), expected, output) is not True:
            raise ValueError(f"{text}: {expected!r} is not {output!r}"[:300])
except BaseException as e:
    print(f"{type(e).__name__}: {e}"[:500], file=sys.__stderr__, flush=True)
    os._exit(1)
os._exit(0)
"""


def load_suites() -> Any:
    """The package `suites`, by its path: the tests are no package."""
    name = "judging_suites"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, SUITES / "__init__.py", submodule_search_locations=[str(SUITES)]
        )
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


SUITE = load_suites()
EVERY = (*SUITE.ATTACKS, *SUITE.HONEST, *SUITE.VACUOUS, *SUITE.WEAK)


def run_plainly(program: str, tests: str, reference: str = "", calls: Inputs | None = None) -> str:
    """What a program of ours fails with beside its tests in a fresh interpreter; empty if it passes.

    It passes as a candidate must: the check ends, after at least one call and one finished assertion; or each
    output is right.
    """
    given: dict[str, Any] = {"program": program, "tests": tests}
    if calls is not None:
        request = Request(source=program, entry_point="f", tests=calls, limits=Limits())
        given |= {**payload(request), "reference": reference, "inside": str(INSIDE)}
    done = subprocess.run(
        [sys.executable, "-I", "-c", RUNNER if calls is None else CALLS],
        input=json.dumps(given),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        timeout=10,
        check=False,
    )
    return done.stderr[-2000:] or "failed" if done.returncode else ""


def failures(pairs: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """The names of those programs that fail their case's tests, with what they fail with; two run at a time.

    Args:
        pairs: A program and a case whose tests it is judged by; each pair is run once.
    """
    each = {(text, case.tests, case.reference, str(case.inputs)): (text, case) for text, case in pairs}

    def run(pair: tuple[str, Any]) -> str:
        text, case = pair
        return run_plainly(text, case.tests, case.reference, case.inputs)

    with ThreadPoolExecutor(2) as pool:
        outcomes = pool.map(run, each.values())
        return {case.name: error for (_, case), error in zip(each.values(), outcomes, strict=True) if error}


def test_names_are_unique() -> None:
    """A name means one case in all suites."""
    assert [] == [name for name, n in Counter(case.name for case in EVERY).items() if n > 1]


def test_suites_have_their_size() -> None:
    """The issue asks for 100 attacks and 40 honest cases; the suites hold more, and must not shrink unnoticed."""
    assert len(SUITE.ATTACKS) >= 600
    assert len(SUITE.HONEST) >= 250
    assert len([case for case in SUITE.ATTACKS if case.inputs]) >= 60
    assert len([case for case in SUITE.HONEST if case.inputs]) >= 30
    assert len(SUITE.VACUOUS) >= 20


def test_every_class_and_point_is_covered() -> None:
    """Each class and each of the points 1 to 13 has several attacks."""
    counts = Counter(case.point for case in SUITE.ATTACKS)
    assert counts.keys() == CLASSES | POINTS
    assert min(counts.values()) >= 5


def test_programs_are_distinct() -> None:
    """No attack is another one under a second name."""
    counts = Counter((case.program, case.tests, str(case.inputs)) for case in SUITE.ATTACKS)
    assert [] == [case.name for case in SUITE.ATTACKS if counts[case.program, case.tests, str(case.inputs)] > 1]


def test_expectations() -> None:
    """Attacks never pass and never leave the denominator; honest cases pass and nothing else."""
    for case in (*SUITE.ATTACKS, *SUITE.VACUOUS, *SUITE.WEAK):
        assert case.expect, case.name
        assert case.expect <= set(Outcome) - {Outcome.PASSED, Outcome.MISSING}, case.name
        assert all(isinstance(outcome, Outcome) for outcome in case.expect), case.name
    open_ended = {case.name for case in SUITE.ATTACKS if Outcome.INFRA_ERROR in case.expect}
    assert open_ended == {"caught-argument-that-does-not-cross"}
    assert {frozenset({Outcome.PASSED})} == {case.expect for case in SUITE.HONEST}


@pytest.mark.parametrize("suite", ["ATTACKS", "HONEST", "VACUOUS", "WEAK"])
def test_sources_compile(suite: str) -> None:
    """Programs compile unless they are meant not to; tests and references always do."""
    for case in getattr(SUITE, suite):
        sources = {case.tests, case.reference}
        if Outcome.SYNTAX_ERROR not in case.expect:
            sources.add(case.program)
        for text in sources:
            compile(text, case.name, "exec", dont_inherit=True)


def test_leftover_pairs_stand_in_order() -> None:
    """A finder comes right after the case that leaves what it looks for."""
    names = [case.name for case in SUITE.ATTACKS if case.point == "leftover"]
    assert [name.replace("leaves-", "finds-") for name in names[::2]] == names[1::2]


def test_no_attack_is_its_own_reference() -> None:
    """A wrong answer is not the right one."""
    assert [] == [case.name for case in SUITE.ATTACKS if case.program.strip() == case.reference.strip()]


def test_secret_is_in_no_program() -> None:
    """The word that the leak programs look for stands in tests and reference alone."""
    word = "kestrel-9041"
    leaks = [case for case in SUITE.ATTACKS if word in case.tests]
    assert len(leaks) >= 25
    assert [] == [case.name for case in leaks if word in case.program]


def test_plain_runner_sees_failures() -> None:
    """The runner of the next tests tells right from wrong, and from a test that tests nothing."""
    tests = "def check(candidate):\n    assert candidate(1) == 2\n"
    assert run_plainly("def f(x):\n    return 2\n", tests) == ""
    assert "AssertionError" in run_plainly("def f(x):\n    return 3\n", tests)
    assert "SystemExit" in run_plainly("raise SystemExit(0)\n", tests)
    assert "no assertion finished" in run_plainly("f = print\n", "def check(candidate):\n    candidate(1)\n")
    calls = Inputs(base=((1,), (2,)))
    assert run_plainly("def f(x):\n    return x + 1\n", "", "def f(x):\n    return 1 + x\n", calls) == ""
    assert "is not" in run_plainly("def f(x):\n    return 2\n", "", "def f(x):\n    return 1 + x\n", calls)
    assert "never called" in run_plainly("f = print\n", "def check(candidate):\n    assert 1\n")


def test_vacuous_problems_test_nothing() -> None:
    """With their right reference, they finish no assertion or make no call."""
    pairs = [(case.reference, case) for case in SUITE.VACUOUS]
    assert failures(pairs).keys() == {case.name for case in SUITE.VACUOUS}


def test_references_pass_plainly() -> None:
    """Every reference of the attacks is right for its tests, without any sandbox."""
    pairs = [(case.reference, case) for case in (*SUITE.ATTACKS, *SUITE.WEAK)]
    assert failures(pairs) == {}


@pytest.mark.slow
def test_honest_cases_pass_plainly() -> None:
    """Every honest program is right for its tests, without any sandbox, and so is its reference."""
    pairs = [(text, case) for case in SUITE.HONEST for text in (case.program, case.reference)]
    assert failures(pairs) == {}
