"""Inputs that grow: the same for the same seed, plain, and all right answers give the same for them."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.engine import LocalEngine
from codejury.judging import ROLES
from codejury.model import CheckFunction, Job, Limits, Outcome, TierUnavailable, text_hash
from codejury.sandbox import Sandbox, Settings, describe
from codejury.sets.starter import load
from codejury.sets.starter.variants import variants

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from codejury.model import Problem

PROBLEMS = load().problems
WITHOUT = {
    "call_by_name": "the work of a call is that of the function in the standard library",
    "chunk_evenly": "it takes slices, and nothing in it depends on how long they are",
    "compare_versions": "a version is short",
    "cron_next": "a schedule has five fields, and the years that it may be looked for are bounded",
    "human_size": "a number is one step, whatever its size",
    "interval_set": "a class: its work is in the methods, which inputs do not call",
    "lru_cache": "a class: its work is in the methods, which inputs do not call",
    "parse_duration": "a duration has four parts at most",
    "streaming_median": "a class: its work is in the methods, which inputs do not call",
    "title_case": "a heading is short",
    "trie": "a class: its work is in the methods, which inputs do not call",
}
PLAIN = (int, float, str, bool, type(None))
LIMITS = Limits(cpu_s=10, cpu_total_s=60, wall_factor=20)
SCALES = (1, 10, 100)
# The tests hold the reference under another name, beside the inputs.
CHECK = f"""
from copy import deepcopy


def check(candidate):
    for scale in {SCALES}:
        for arguments in inputs(scale, seed=7):
            expected = reference(*deepcopy(arguments))
            assert candidate(*arguments) == expected
"""

WITH = [problem for problem in PROBLEMS if problem.inputs]
each_problem = pytest.mark.parametrize("problem", WITH, ids=lambda problem: problem.id)

Outcomes = dict[str, dict[str, Outcome]]


def generator(problem: Problem) -> Callable[[int, int], list[list[Any]]]:
    """A problem's function `inputs`."""
    namespace: dict[str, Any] = {}
    exec(problem.inputs or "", namespace)
    return namespace["inputs"]  # type: ignore[no-any-return]  # a name of the source


def is_plain(value: object) -> bool:
    """Whether a value is made of numbers, texts, lists, tuples and dicts alone."""
    if type(value) in (list, tuple):
        return all(is_plain(item) for item in value)  # type: ignore[attr-defined]  # one of the two
    if type(value) is dict:
        return all(is_plain(item) for pair in value.items() for item in pair)
    return type(value) in PLAIN


def compared(problem: Problem) -> Problem:
    """The problem with other tests: on the inputs, an answer must give what the reference gives."""
    reference = re.sub(rf"\b{problem.entry_point}\b", "reference", problem.reference or "")
    tests = CheckFunction(code=CHECK, context=f"{problem.inputs}\n\n{reference}")
    return msgspec.structs.replace(problem, tests=tests)


class Answers:
    """`model.Library` of the right answers to problems.

    Args:
        problems: The problems.
    """

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = {problem.hash: problem for problem in problems}
        self.sources: dict[str, str] = {}
        self.names: dict[tuple[str, str], str] = {}
        for problem in problems:
            for answer in variants(problem).right:
                source = problem.prompt + answer.body
                self.sources[text_hash(source)] = source
                self.names[problem.hash, text_hash(source)] = answer.name

    def problem(self, problem_hash: str) -> Problem:
        """The problem with this hash."""
        return self.problems[problem_hash]

    def program(self, program_hash: str) -> str:
        """The answer with this hash."""
        return self.sources[program_hash]


async def judged(answers: Answers) -> Outcomes:
    """The outcome of each answer, by problem and name."""
    found: Outcomes = {problem.id: {} for problem in answers.problems.values()}

    async def jobs() -> AsyncGenerator[Job, None]:
        for problem_hash, program_hash in answers.names:
            yield Job(
                key=f"{problem_hash} {program_hash}",
                problem_hash=problem_hash,
                program_hash=program_hash,
                limits=LIMITS,
            )

    async with LocalEngine(answers, limits=LIMITS, interpreter=describe()) as engine:
        todo = [(problem, LIMITS) for problem in answers.problems.values()]
        engine.profiles = {problem.hash: profile async for problem, profile in engine.profile(todo)}
        async with contextlib.aclosing(engine.submit(jobs())) as results:
            async for result in results:
                job = result.job
                name = answers.names[job.problem_hash, job.program_hash]
                found[answers.problem(job.problem_hash).id][name] = result.verdict.outcome
    return found


@pytest.fixture(scope="module")
def outcomes() -> Outcomes:
    """What becomes of all right answers on the inputs; skips, with the reason, where nothing isolates them."""

    async def probe() -> None:
        async with Sandbox(Settings(interpreter=describe(), limits=LIMITS), ROLES):
            pass

    try:
        asyncio.run(probe())
    except TierUnavailable as error:
        pytest.skip(str(error))
    return asyncio.run(judged(Answers([compared(problem) for problem in WITH])))


def test_problems_without_inputs_have_a_reason() -> None:
    """Every other problem has them."""
    assert set(WITHOUT) == {problem.id.removeprefix("starter/") for problem in PROBLEMS if not problem.inputs}


@each_problem
def test_inputs_come_of_the_seed_alone(problem: Problem) -> None:
    """Two generators give the same, another seed gives something else, and a larger scale gives more."""
    first, again = generator(problem), generator(problem)

    for scale in SCALES:
        assert first(scale, 1) == again(scale, 1)
    assert first(100, 1) != first(100, 2)
    assert len(repr(first(100, 1))) > len(repr(first(1, 1)))


@each_problem
def test_inputs_are_calls_with_plain_values(problem: Problem) -> None:
    """A list of calls, each a list of arguments that the reference takes."""
    namespace: dict[str, Any] = {}
    exec(problem.reference or "", namespace)
    signature = inspect.signature(namespace[problem.entry_point])

    for scale in SCALES:
        calls = generator(problem)(scale, 3)
        assert calls
        for arguments in calls:
            assert type(arguments) is list
            assert is_plain(arguments)
            signature.bind(*arguments)


@each_problem
def test_inputs_import_chance_alone(problem: Problem) -> None:
    """They use the standard library's `random`, and no other module, as one that knows the time."""
    tree = ast.parse(problem.inputs or "")
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert imported <= {"random"}


@pytest.mark.sandbox
@each_problem
def test_right_answers_agree(problem: Problem, outcomes: Outcomes) -> None:
    """On small and middling inputs each right answer gives what the reference gives, and nothing raises."""
    assert {answer.name: Outcome.PASSED for answer in variants(problem).right} == outcomes[problem.id]


def test_traits_need_inputs() -> None:
    """What is called slow or fast can be measured."""
    timed = {
        problem.id
        for problem in PROBLEMS
        for answer in variants(problem).right
        if {"slow", "fast"} & set(answer.traits)
    }

    assert timed <= {problem.id for problem in WITH}
