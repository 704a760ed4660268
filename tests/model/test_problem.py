"""Problems and sets: what their hashes cover."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from codejury.model import Assertions, CheckFunction, LimitOverrides, Problem, ProblemSet

PROBLEM = Problem(
    id="p/1",
    prompt="def f(x):\n",
    entry_point="f",
    tests=Assertions(code=("assert f(1) == 2",)),
    reference="def f(x):\n    return x + 1\n",
    difficulty="easy",
)
JUDGED_BY: dict[str, Any] = {
    "entry_point": "g",
    "tests": CheckFunction(code="assert f(1) == 2"),
    "language": "java",
    "limits": LimitOverrides(cpu_s=1),
}
ASKED: dict[str, Any] = {"id": "p/2", "prompt": "", "suffix": "\n", "reference": None}
LABELS: dict[str, Any] = {
    "difficulty": "hard",
    "tags": ("a",),
    "cluster": "c",
    "created": "2026-01-01",
    "licence": "MIT",
    "inputs": "def inputs(scale, seed): return [[scale]]",
}


def _set(*problems: Problem, name: str = "s") -> ProblemSet:
    return ProblemSet(name=name, version="1-0", problems=problems)


def _changed(name: str, value: object) -> Problem:
    return msgspec.structs.replace(PROBLEM, **{name: value})


@pytest.mark.parametrize(("name", "value"), [*JUDGED_BY.items(), *ASKED.items(), *LABELS.items()])
def test_hash_of_a_problem_covers_everything(name: str, value: object) -> None:
    """Two problems with the same hash are the same."""
    assert PROBLEM.hash != _changed(name, value).hash
    assert PROBLEM.hash == msgspec.structs.replace(PROBLEM).hash


@pytest.mark.parametrize(("name", "value"), [*JUDGED_BY.items(), *ASKED.items(), *LABELS.items()])
def test_hash_of_tests_covers_what_judges(name: str, value: object) -> None:
    """Not what is asked, and no label: the verdict on a program is the same."""
    assert (name in JUDGED_BY) is (PROBLEM.tests_hash != _changed(name, value).tests_hash)


@pytest.mark.parametrize(("name", "value"), [*JUDGED_BY.items(), *ASKED.items(), *LABELS.items()])
def test_hash_of_a_set_covers_no_label(name: str, value: object) -> None:
    """Correcting a difficulty does not make runs incomparable."""
    assert (name in LABELS) is (_set(PROBLEM).hash == _set(_changed(name, value)).hash)


def test_hash_of_a_set_is_of_its_problems_in_any_order() -> None:
    """Neither their order nor the set's name counts; one more problem does."""
    other = _changed("id", "p/2")
    assert _set(PROBLEM, other).hash == _set(other, PROBLEM, name="t").hash
    assert _set(PROBLEM).hash != _set(PROBLEM, other).hash
    assert {"p/1": PROBLEM, "p/2": other} == _set(PROBLEM, other).by_id()


def test_every_field_is_covered_here() -> None:
    """A new field must say which hashes cover it."""
    assert set(Problem.__struct_fields__) == {*JUDGED_BY, *ASKED, *LABELS}


def test_tests_are_told_by_their_tag() -> None:
    """In JSON, with the field `type`."""
    for tests, tag in ((PROBLEM.tests, "assertions"), (CheckFunction(code="c"), "check")):
        problem = _changed("tests", tests)
        body = msgspec.json.encode(problem)
        assert tag == msgspec.json.decode(body)["tests"]["type"]
        assert problem == msgspec.json.decode(body, type=Problem)
