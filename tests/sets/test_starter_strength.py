"""How strong the tests of the built-in set are: the share of mutants of the references that they fail."""

from __future__ import annotations

import asyncio

import pytest

from codejury.judging import ROLES
from codejury.model import Limits, ProblemSet, TierUnavailable
from codejury.pipeline import StrengthSettings, strength
from codejury.sandbox import Sandbox, Settings, describe
from codejury.sets.starter import load
from codejury.sets.starter.catalogue import FOLDER, folder_of
from codejury.sets.starter.equivalents import equivalents, equivalents_of

SMALL = ("starter/merge_intervals", "starter/run_length", "starter/top_words")


@pytest.fixture(scope="module")
def _tier() -> None:
    """Skips, with the reason, where the machine gives no isolation tier: mutants may do anything."""

    async def probe() -> None:
        async with Sandbox(Settings(interpreter=describe(), limits=Limits()), ROLES):
            pass

    try:
        asyncio.run(probe())
    except TierUnavailable as error:
        pytest.skip(str(error))


def test_equivalents_are_argued() -> None:
    """Each file is well-formed, names mutants once, and says of each in a sentence why no test can fail it."""
    found = equivalents()
    assert {path.parent for path in FOLDER.glob("*/mutants.toml")} <= set(map(folder_of, load().problems))
    assert len(found) == len({(equivalent.problem, equivalent.mutant) for equivalent in found})
    for equivalent in found:
        assert len(equivalent.reason.split()) > 5, equivalent
        assert equivalent.reason.endswith("."), equivalent


def test_equivalents_are_of_this_set_alone() -> None:
    """A set of that name from elsewhere has none of them."""
    assert equivalents() == equivalents_of(load())
    other = ProblemSet(name="starter", version="1-0", problems=load().problems[:1], source="starter.jsonl")
    assert [] == equivalents_of(other)


@pytest.mark.sandbox
@pytest.mark.usefixtures("_tier")
def test_mutants_of_small_problems() -> None:
    """Three problems through the whole pipeline: golden counts."""
    document = asyncio.run(strength(load(), StrengthSettings(ids=SMALL), equivalents=equivalents()))
    counts = {row.id: (row.mutants, row.killed, row.equivalent) for row in document.per_problem}
    assert dict(zip(SMALL, ((31, 31, 0), (42, 42, 0), (30, 29, 1)), strict=True)) == counts
    assert document.ok
    assert ([], []) == (document.faults, document.survivors)


@pytest.mark.sandbox
@pytest.mark.slow
@pytest.mark.usefixtures("_tier")
def test_mutants_of_each_problem() -> None:
    """Of each problem at least 90 % of the mutants fail, and those that are argued to be equivalent pass."""
    problem_set = load()
    document = asyncio.run(strength(problem_set, equivalents=equivalents()))
    assert [] == document.faults
    assert [] == document.unmutated
    assert [] == document.below
    assert 0 == document.total.infra_errors
    assert len(equivalents()) == len(document.equivalents)
    assert [problem.id for problem in problem_set.problems] == [row.id for row in document.per_problem]
    assert all(row.mutants >= 30 for row in document.per_problem)
