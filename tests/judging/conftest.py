"""The suites judged once, and the sandbox's loose files as modules, for all tests of this room."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

from codejury.engine import LocalEngine
from codejury.judging import ROLES, Slot
from codejury.model import (
    Assertions,
    CheckFunction,
    Job,
    Limits,
    Problem,
    Pytest,
    StdinStdout,
    TierUnavailable,
    Unittest,
    Verdict,
    text_hash,
)
from codejury.sandbox import Sandbox, Settings, choose_tier, describe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
    from contextlib import AbstractAsyncContextManager

    from codejury.judging import Profile

sys.modules["judging_conftest"] = sys.modules[__name__]  # for tests that need cases when they are collected
SUITES = Path(__file__).parent / "suites"
LIMITS = Limits(cpu_s=1.0, cpu_total_s=6.0)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The suites are judged in the strongest tier of this machine; in another they are slow tests."""
    others = [item for item in items if item.path.name.startswith("test_suites") and _tier_of(item) == "landlock"]
    if not others:
        return
    try:
        strongest = choose_tier().tier
    except TierUnavailable:
        return
    if strongest != "landlock":
        for item in others:
            item.add_marker(pytest.mark.slow)


def _tier_of(item: pytest.Item) -> object:
    return item.callspec.params.get("tier") if hasattr(item, "callspec") else None


class Judged(NamedTuple):
    """A case's problem as its reference showed it, and the verdict on its program."""

    profile: Profile
    verdict: Verdict


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


class Texts:
    """`model.Library` of problems and programs at hand."""

    def __init__(self) -> None:
        self.problems: dict[str, Problem] = {}
        self.programs: dict[str, str] = {}

    def problem(self, problem_hash: str) -> Problem:
        """The problem with this hash."""
        return self.problems[problem_hash]

    def program(self, program_hash: str) -> str:
        """The program with this hash."""
        return self.programs[program_hash]


def problem_of(
    tests: str | StdinStdout, reference: str | None, entry_point: str = "f", context: str = ""
) -> Problem:
    """A problem of one check function, or of runs of a whole program."""
    return Problem(
        id="problem",
        prompt="",
        entry_point=entry_point if isinstance(tests, str) else "",
        tests=CheckFunction(code=tests, context=context) if isinstance(tests, str) else tests,
        reference=reference,
    )


def problem_for(case: Any) -> Problem:
    """The problem of a case of the suites."""
    if isinstance(case.tests, Assertions | CheckFunction | Unittest | Pytest):
        return Problem(id="problem", prompt="", entry_point="f", tests=case.tests, reference=case.reference)
    problem = problem_of(case.tests, case.reference)
    if isinstance(case.tests, StdinStdout) or case.inputs is None:
        return problem
    return msgspec.structs.replace(problem, tests=case.inputs)


@asynccontextmanager
async def engine(*, slots: int = 2, limits: Limits = LIMITS, **settings: Any) -> AsyncIterator[LocalEngine]:
    """An engine over texts at hand, in the strongest tier; skips where the machine gives none."""
    try:
        settings.setdefault("tier", choose_tier().tier)
    except TierUnavailable as error:
        pytest.skip(str(error))
    made = LocalEngine(Texts(), limits=limits, interpreter=describe(), slots=slots, **settings)
    try:
        await made.__aenter__()
    except TierUnavailable as error:
        pytest.skip(str(error))
    try:
        yield made
    finally:
        await made.__aexit__()


async def judge_cases(
    cases: Iterable[Any], *, slots: int, all_tests: bool = False, **settings: Any
) -> dict[str, Judged]:
    """The verdict on each case, by its name."""
    cases = list(cases)
    async with engine(slots=slots, **settings) as made:
        texts = made.library
        assert isinstance(texts, Texts)
        problems = {case.name: problem_for(case) for case in cases}
        texts.problems = {problem.hash: problem for problem in problems.values()}
        texts.programs = {text_hash(case.program): case.program for case in cases}
        profiles = {p.hash: q async for p, q in made.profile([(p, LIMITS) for p in texts.problems.values()])}
        made.profiles = profiles

        async def jobs() -> AsyncIterator[Job]:
            for case in cases:
                yield Job(
                    key=case.name,
                    problem_hash=problems[case.name].hash,
                    program_hash=text_hash(case.program),
                    limits=LIMITS,
                    all_tests=all_tests,
                )

        verdicts = {judged.job.key: judged.verdict async for judged in made.submit(jobs())}
    return {name: Judged(profiles[problems[name].hash], verdict) for name, verdict in verdicts.items()}  # type: ignore[arg-type]


@asynccontextmanager
async def slot_here(limits: Limits) -> AsyncIterator[Slot]:
    """A slot in a sandbox of the strongest tier; skips where the machine gives none."""
    try:
        settings = Settings(interpreter=describe(), limits=limits, tier=choose_tier().tier)
        sandbox = await Sandbox(settings, ROLES).__aenter__()
    except TierUnavailable as error:
        pytest.skip(str(error))
    slot = Slot(sandbox, limits)
    try:
        yield slot
    finally:
        slot.close()
        await sandbox.__aexit__()


@pytest.fixture
def open_slot() -> Callable[[Limits], AbstractAsyncContextManager[Slot]]:
    """Opens a slot in a real sandbox, under limits."""
    return slot_here


@pytest.fixture
def in_slot() -> Callable[[Callable[[Slot], Awaitable[Any]], Limits], Any]:
    """What some work gives in a slot in a real sandbox, under limits."""

    async def inside(work: Callable[[Slot], Awaitable[Any]], limits: Limits) -> Any:
        async with slot_here(limits) as slot:
            return await work(slot)

    return lambda work, limits: asyncio.run(inside(work, limits))


@pytest.fixture(scope="session")
def codec() -> Any:
    """The value protocol."""
    return importlib.import_module("codec")


@pytest.fixture(scope="session")
def frames() -> Any:
    """Frames on pipes."""
    return importlib.import_module("frames")


@pytest.fixture(scope="session")
def candidate() -> Any:
    """The candidate's side of the protocol."""
    return importlib.import_module("candidate")


@pytest.fixture(scope="session")
def judge() -> Any:
    """The judge's side of the protocol."""
    return importlib.import_module("judge")


@pytest.fixture(scope="session")
def suite() -> Any:
    """The suites as data."""
    return load_suites()


@pytest.fixture(scope="session")
def judged_suites(suite: Any) -> Callable[[str], dict[str, Judged]]:
    """Every case of the suites, judged, by tier; each tier once, when it is first asked for.

    Those that look for leftovers are judged in order on one slot.

    A slot's two pairs of lanes take turns, so these are judged in both ways: each in the lanes of the case before
    it, with a harmless case between them, and in the other lanes.
    """
    cases = (*suite.ATTACKS, *suite.HONEST, *suite.VACUOUS, *suite.WEAK)
    apart = [case for case in cases if case.point == "leftover"]
    others = [case for case in cases if case.point != "leftover"]
    between = [replace(suite.HONEST[0], name=f"between-{i}") for i in range(len(apart))]

    async def run(tier: str) -> dict[str, Judged]:
        pairs = [case for pair in zip(apart, between, strict=True) for case in pair]
        same = await judge_cases(pairs, slots=1, tier=tier)
        other = await judge_cases(apart, slots=1, tier=tier)
        as_expected = {case.name: same[case.name].verdict.outcome in case.expect for case in apart}
        found = {name: other[name] if as_expected[name] else same[name] for name in as_expected}
        return {**await judge_cases(others, slots=4, tier=tier), **found}

    @cache
    def judged(tier: str) -> dict[str, Judged]:
        return asyncio.run(run(tier))

    return judged
