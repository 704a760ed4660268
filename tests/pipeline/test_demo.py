"""The demo, with and without an isolation tier."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any, Self

import msgspec
import pytest

from codejury import stats
from codejury.model import TierUnavailable
from codejury.pipeline import DemoResult, demo
from codejury.pipeline.demo import KS, Share
from codejury.pipeline.isolation import OWN
from codejury.pipeline.speed import Program
from codejury.sandbox import Sandbox, choose_tier
from codejury.sets import starter
from codejury.sets.starter import contestants
from codejury.sets.starter.contestants import SAMPLES
from codejury.sets.starter.variants import variants

if TYPE_CHECKING:
    from collections.abc import Iterable

    from codejury.model import Problem, ProblemSet
    from codejury.store import Store

MISSING = "tier 'namespaces' cannot be had: user namespaces missing: the kernel refuses them"
MODULE = importlib.import_module("codejury.pipeline.demo")
FEW = ("starter/merge_sort", "starter/pair_sums", "starter/trie", "starter/run_script", "starter/call_by_name")
TEMPTING = {problem.id for problem in starter.load().problems if "security-tempting" in problem.tags}


def _right(result: DemoResult) -> dict[str, dict[str, int]]:
    """Right samples by contestant and problem."""
    documents = [standing.document for standing in result.standings]
    return {document.run: {row.id: row.c for row in document.per_problem} for document in documents}


def _labels() -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name in contestants.contestants():
        counts = found.setdefault(name, {})
        for sample, right in contestants.expected(name).items():
            problem = sample.rpartition("#")[0]
            counts[problem] = counts.get(problem, 0) + right
    return found


def _unsafe() -> list[Share]:
    """Of right answers to tempting problems, those with the trait "unsafe", by the labels."""
    problems = starter.load().by_id()
    found = []
    for name in contestants.contestants():
        right = [
            answer
            for answer in contestants.answers(name)
            if answer.right and answer.sample.problem_id in TEMPTING & problems.keys()
        ]
        unsafe = [
            answer
            for answer in right
            for known in variants(problems[answer.sample.problem_id]).right
            if known.name == answer.variant and "unsafe" in known.traits
        ]
        found.append(Share(len(unsafe), len(right)))
    return found


class Measured:
    """In the place of `find_slower`: what it was asked, and an answer that knows slow programs by their label."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.programs: list[Program] = []
        self.tiers: list[str] = []
        self.slow = {
            (answer.sample.problem_id, answer.sample.text)
            for name in contestants.contestants()
            for answer in contestants.answers(name)
            for known in variants(starter.load().by_id()[answer.sample.problem_id]).right
            if answer.variant == known.name and "slow" in known.traits
        }

    async def __call__(
        self, problems: Iterable[Problem], programs: Iterable[Program], *, tier: str, **_: object
    ) -> dict[Program, bool]:
        """As `find_slower`."""
        self.problems, self.programs = list(problems), list(programs)
        self.tiers.append(tier)
        known = {problem.id: problem for problem in self.problems}
        return {
            each: (each.problem_id, each.source.removeprefix(known[each.problem_id].prompt)) in self.slow
            for each in self.programs
            if known[each.problem_id].inputs
        }


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Measured:
    """No time is measured."""
    stub = Measured()
    monkeypatch.setattr(MODULE, "find_slower", stub)
    return stub


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> ProblemSet:
    """The set has a few problems alone."""
    whole = starter.load()
    found = msgspec.structs.replace(whole, problems=tuple(p for p in whole.problems if p.id in FEW))
    monkeypatch.setattr(contestants, "load", lambda: found)
    monkeypatch.setattr(MODULE.starter, "load", lambda: found)
    return found


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_demo_judges_the_contestants(store: Store, heard: Any, measured: Measured) -> None:
    """Isolated, with the figures that their labels give; no temperature is invented for them."""
    result = asyncio.run(demo(store, progress=heard))
    assert result.missing_layer is None
    labels = _labels()
    assert labels == _right(result)
    for standing in result.standings:
        document = standing.document
        assert choose_tier().tier == document.tier
        assert {"model": document.run} == document.meta
        problems = len(labels[document.run])
        assert (SAMPLES * problems, problems, 0) == (document.samples, document.problems, document.infra_errors)
        figures = {str(k): stats.estimate_pass_at_k(SAMPLES, [*labels[document.run].values()], k) for k in KS}
        assert {k: figure.value for k, figure in figures.items()} == {
            k: found.value for k, found in document.pass_at_k.items()
        }
    assert _unsafe() == [standing.unsafe for standing in result.standings]
    assert ["references", *["judging"] * 3] == [name for name, _ in heard.stages]
    assert [choose_tier().tier] == measured.tiers


def test_demo_runs_without_a_tier(store: Store, monkeypatch: pytest.MonkeyPatch, few: ProblemSet) -> None:
    """Its samples are ours: the same figures, and the result names the missing layer; speed is measured, too."""

    async def missing() -> tuple[str, str]:
        return "none", MISSING

    monkeypatch.setattr(MODULE, "_tier", missing)
    result = asyncio.run(demo(store))
    assert MISSING == result.missing_layer
    assert _labels() == _right(result)
    assert {"none"} == {standing.document.tier for standing in result.standings}
    assert {OWN} == {standing.document.warnings[0] for standing in result.standings}
    assert {0} == {standing.document.integrity.weak for standing in result.standings}
    assert _unsafe() == [standing.unsafe for standing in result.standings]
    solved = [
        sum(count > 0 for problem, count in counts.items() if few.by_id()[problem].inputs)
        for counts in _labels().values()
    ]
    assert solved == [standing.slower.whole for standing in result.standings]


def test_first_right_programs_are_measured(
    store: Store, monkeypatch: pytest.MonkeyPatch, few: ProblemSet, measured: Measured
) -> None:
    """One of each contestant for each problem that it solved; what is not measured is in no count."""

    async def missing() -> tuple[str, str]:
        return "none", MISSING

    monkeypatch.setattr(MODULE, "_tier", missing)
    result = asyncio.run(demo(store))
    problems = few.by_id()
    firsts: list[Program] = []
    for name in contestants.contestants():
        right = [answer for answer in contestants.answers(name) if answer.right]
        for problem in problems.values():
            texts = [answer.sample.text for answer in right if answer.sample.problem_id == problem.id]
            firsts += [Program(problem.id, problem.prompt + text) for text in texts[:1]]
    assert firsts == measured.programs
    assert list(few.problems) == measured.problems
    hasty, careful, _ = (standing.slower for standing in result.standings)
    timed = {problem.id for problem in few.problems if problem.inputs}
    assert 0 == hasty.part
    assert Share(len(timed), len(timed)) == careful


async def test_missing_layer_is_the_sandbox_s_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the sandbox lacks is told as it says it."""

    class NoTier(Sandbox):
        """A sandbox on a machine without user namespaces."""

        def __init__(self, *_: object) -> None:
            pass

        async def __aenter__(self) -> Self:
            raise TierUnavailable("namespaces", "user namespaces", "the kernel refuses them")

    monkeypatch.setattr(MODULE, "Sandbox", NoTier)
    assert ("none", MISSING) == await MODULE._tier()
