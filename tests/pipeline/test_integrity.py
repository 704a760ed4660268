"""Weak problems beside strong ones: said, kept apart, refused where that is asked for; confirmed passes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.model import Assertions, Confirm, Limits, Outcome, Problem, ProblemSet, Sample, UsageError
from codejury.pipeline import JudgeSettings, judge_samples, summarise
from codejury.pipeline.manifest import differences

if TYPE_CHECKING:
    from codejury.store import Store

LIMITS = Limits(cpu_s=2, cpu_total_s=10, wall_factor=30)
PLAIN = Problem(
    id="plain",
    prompt="",
    entry_point="f",
    reference="def f(x):\n    return x + 1\n",
    tests=Assertions(code=("assert f(1) == 2",)),
)
NODE = "class Node:\n    def __init__(self, value):\n        self.value = value\n\n"
OBJECTS = Problem(
    id="objects",
    prompt="",
    entry_point="f",
    reference=f"{NODE}def f(node):\n    return node.value + 1\n",
    tests=Assertions(code=("assert f(Node(1)) == 2", "assert f(Node(7)) == 8")),
)
NAMED = Problem(
    id="named",
    prompt="",
    entry_point="f",
    reference="def f(x):\n    return x + 1\n",
    tests=Assertions(code=("assert f.__name__ == 'f'", "assert f(1) == 2")),
)
NEEDS = "its reference passes in the tests' own process alone (NameError: name 'Node' is not defined)"

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("sandbox")]


def _judge(store: Store, problems: tuple[Problem, ...], texts: dict[str, str], **settings: Any) -> None:
    samples = [Sample(problem_id=name, index=0, text=text, kind="solution") for name, text in texts.items()]
    made = JudgeSettings(samples="s", problems="set", run="r", limits=LIMITS, **settings)
    asyncio.run(judge_samples(store, made, ProblemSet(name="set", version="1-0", problems=problems), samples))


def test_weak_problems_are_no_part_of_the_headline(store: Store) -> None:
    """One problem of two: the figure is of the other, and the manifest says which is weak, and why."""
    assert OBJECTS.reference is not None
    _judge(store, (PLAIN, OBJECTS), {"plain": "def f(x):\n    return x\n", "objects": OBJECTS.reference})
    document = summarise(store, "r", [1])
    assert document.weak is not None
    assert (0.0, 1.0) == (document.pass_at_k["1"].value, document.weak.pass_at_k["1"].value)
    assert (1, 1) == (document.integrity.strong, document.integrity.weak)
    manifest = store.manifest(store.find_run("r").id)
    assert {"objects": NEEDS} == manifest.weak
    assert f"verdicts are weak on 1 problem: objects ({NEEDS})" in manifest.notes


def test_strong_verdicts_can_be_required(store: Store) -> None:
    """Nothing is judged, and no run is kept; without weak problems it changes nothing."""
    assert OBJECTS.reference is not None
    texts = {"plain": "def f(x):\n    return x + 1\n", "objects": OBJECTS.reference}
    with pytest.raises(UsageError, match=r"--require-integrity strong: .* objects \(its reference passes"):
        _judge(store, (PLAIN, OBJECTS), texts, require_strong=True)
    assert [] == list(store.runs())
    _judge(store, (PLAIN,), {"plain": texts["plain"]}, require_strong=True)
    assert 1.0 == summarise(store, "r", [1]).pass_at_k["1"].value
    with pytest.raises(UsageError, match="--unsafe makes all verdicts weak"):
        _judge(store, (PLAIN,), {"plain": texts["plain"]}, require_strong=True, unsafe=True)


@pytest.mark.parametrize(
    ("confirm", "outcome"),
    [("auto", Outcome.WRONG_ANSWER), ("all", Outcome.WRONG_ANSWER), ("none", Outcome.PASSED)],
)
def test_passes_are_confirmed_where_tests_see_more_than_values(
    store: Store, confirm: Confirm, outcome: Outcome
) -> None:
    """A function of another name passes by its values alone; the manifest says what was confirmed."""
    _judge(store, (NAMED,), {"named": "f = lambda x: x + 1\n"}, confirm=confirm)
    verdict = next(iter(store.verdicts(store.find_run("r").id)))
    assert (outcome, confirm) == (verdict.outcome, store.manifest(store.find_run("r").id).confirm)
    assert outcome is Outcome.PASSED or verdict.detail.startswith("passes by its values, and not in the tests'")


def test_runs_go_on_with_the_same_confirmation(store: Store) -> None:
    """Another one is another question."""
    texts = {"named": "def f(x):\n    return x + 1\n"}
    _judge(store, (NAMED,), texts, confirm="none")
    manifest = store.manifest(store.find_run("r").id)
    other = msgspec.structs.replace(manifest, confirm="all")
    assert ["confirm 'none' then, 'all' now"] == differences(manifest, other)
