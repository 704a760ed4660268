"""Problems and sets: what their hashes cover."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from codejury.model import (
    Assertions,
    CheckFunction,
    ContextFile,
    LimitOverrides,
    Problem,
    ProblemSet,
    Script,
    Unjudged,
)

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
ASKED: dict[str, Any] = {
    "id": "p/2",
    "prompt": "",
    "suffix": "\n",
    "reference": None,
    "instruction": "Add one.",
    "preamble": "import math\n",
    "stop": ("\ndef",),
    "context": (ContextFile(path="a.py", text="one = 1\n"),),
}
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
    for tests, tag in (
        (PROBLEM.tests, "assertions"),
        (CheckFunction(code="c"), "check"),
        (Script(code="c", before="b"), "script"),
        (Unjudged(), "none"),
    ):
        problem = _changed("tests", tests)
        body = msgspec.json.encode(problem)
        assert tag == msgspec.json.decode(body)["tests"]["type"]
        assert problem == msgspec.json.decode(body, type=Problem)


@pytest.mark.parametrize(
    ("prompt", "suffix", "reference", "missing"),
    [
        ("ab", "de", "abcde", "c"),
        ("ab", "", "abcde", "cde"),
        ("", "", "", ""),
        ("ab", "bc", "abc", None),  # they overlap
        ("x", "", "abc", None),
        ("", "x", "abc", None),
        ("", "", None, None),
    ],
)
def test_what_is_missing_between_prompt_and_suffix(
    prompt: str, suffix: str, reference: str | None, missing: str | None
) -> None:
    """What a completion is compared with; nothing where the reference is another program."""
    changed = msgspec.structs.replace(PROBLEM, prompt=prompt, suffix=suffix, reference=reference)
    assert missing == changed.missing


def test_what_cannot_be_judged_says_why() -> None:
    """Other languages, tests that run with the answer, and no tests at all."""
    assert PROBLEM.obstacle is None
    assert _changed("language", "python3").obstacle is None
    assert "in java" in str(_changed("language", "java").obstacle)
    assert "in one program" in str(_changed("tests", Script(code="f(1)")).obstacle)
    assert "no tests" in str(_changed("tests", Unjudged()).obstacle)


def test_a_script_is_joined_to_the_program() -> None:
    """As MultiPL-E joins them: the tests begin on a line of their own."""
    assert "f();\ntest();" == Script(code="test();").joined("f();")
    assert "package p\nfunc f() {}\ntest" == Script(before="package p\n", code="test").joined("func f() {}")


def test_hashes_of_older_sets_stay() -> None:
    """Fields that few sets have count only where they are: stored runs can still be compared."""
    assert "c0c69c80524a9c38bdf2f863c55ba96c336974523a41841e722ed02805a9e2a4" == _set(PROBLEM).hash
