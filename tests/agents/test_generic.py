"""Rollouts as rows: JSON lines, a JSON list in CodeBench's layout, CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from codejury.agents.fields import Source
from codejury.model import InputError, Rollout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Tree = Any
Read = Any


def test_rows_of_our_own_fields(tree: Tree, read: Read, jsonl: Any) -> None:
    """Every field by its own name; what is left out is not known."""
    full: dict[str, Any] = {
        "task": "t",
        "agent": "a",
        "rollout": 3,
        "resolved": False,
        "status": "model_fail",
        "subtype": "empty_patch",
        "tests_passed": 1,
        "tests_total": 4,
        "regressions": 1,
        "cost_usd": 0.5,
        "tool_calls": 7,
        "latency_s": 2,
        "tokens": 99,
        "patch": "diff",
        "code": "x = 1",
        "security_score": 0.5,
        "difficulty": "easy",
        "tags": ["b", "a", "b"],
    }
    folder = tree({"rows.jsonl": jsonl([full, {"task": "t", "agent": "a", "success": True}])})
    expected = Rollout(**full | {"rollout": "3", "tags": ("a", "b")})
    found = read("jsonl", folder / "rows.jsonl")
    assert expected == found[0]
    assert Rollout(task="t", agent="a", rollout="1", resolved=True) == found[1]


def test_codebench_list(tree: Tree, read: Read) -> None:
    """Its own names; rollouts are numbered in the order of their rows, and code that did not run has failed."""
    row = {
        "task": "t",
        "agent": "a",
        "tests_passed": 10,
        "tests_total": 10,
        "regression_count": 0,
        "execution_success": True,
        "tool_calls_used": 4,
        "cost_usd": 0.01,
        "generated_code": "pass",
    }
    rows = [row, row | {"tests_passed": 9}, row | {"execution_success": False}, row | {"task": "u"}]
    found = read("codebench", tree({"r.json": rows}) / "r.json")
    assert [("t", "0"), ("t", "1"), ("t", "2"), ("u", "0")] == [(r.task, r.rollout) for r in found]
    assert [True, False, False, True] == [r.resolved for r in found]
    assert ["ok", "ok", "model_fail", "ok"] == [r.status for r in found]
    assert (0, 4, "pass") == (found[0].regressions, found[0].tool_calls, found[0].code)


def test_csv(tree: Tree, read: Read) -> None:
    """Cells become what their field holds; empty ones are not known; quoted cells may hold lines."""
    text = (
        "task_id,model,trial,success,tests_passed,tests_total,cost,latency_ms,tags,code,other\n"
        't,a,1,yes,3,3,0.25,1500,"x, y","def f():\n    return 1",z\n'
        "t,a,2,False,,,,,,,\n"
    )
    source = Source(str(tree({"r.csv": text}) / "r.csv"))
    found = read("csv", None, source)
    assert (
        Rollout(
            task="t",
            agent="a",
            rollout="1",
            resolved=True,
            tests_passed=3,
            tests_total=3,
            cost_usd=0.25,
            latency_s=1.5,
            tags=("x", "y"),
            code="def f():\n    return 1",
        )
        == found[0]
    )
    assert Rollout(task="t", agent="a", rollout="2", resolved=False) == found[1]
    assert {"field 'other' is not read": 2} == source.notes


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({}, ("missing", "no_outcome", None)),
        ({"resolved": None}, ("missing", "no_outcome", None)),
        ({"status": "infra"}, ("infra", "", None)),
        ({"status": "infra", "resolved": False}, ("infra", "", None)),
        ({"status": "timeout"}, ("timeout", "", False)),
        ({"status": "timeout", "resolved": True}, ("timeout", "", True)),
        ({"tests_passed": 2, "tests_total": 2}, ("ok", "", True)),
        ({"tests_passed": 1, "tests_total": 2}, ("ok", "", False)),
        ({"tests_passed": 0, "tests_total": 0}, ("missing", "no_outcome", None)),
        ({"status": "missing", "subtype": "lost"}, ("missing", "lost", None)),
    ],
)
def test_outcome_of_a_row(tree: Tree, read: Read, jsonl: Any, row: dict[str, Any], expected: Any) -> None:
    """A null outcome is neither a failure nor a success; tests decide where nothing else does."""
    folder = tree({"r.jsonl": jsonl([{"task": "t", "agent": "a"} | row])})
    (found,) = read("jsonl", folder / "r.jsonl")
    assert expected == (found.status, found.subtype, found.resolved)


def test_success_with_failing_tests_is_kept_and_noted(tree: Tree, read: Read, jsonl: Any) -> None:
    """The study's own rule is 0.95; the user is told."""
    row = {"task": "t", "agent": "a", "success": True, "tests_passed": 19, "tests_total": 20}
    source = Source(str(tree({"r.jsonl": jsonl([row])}) / "r.jsonl"))
    (found,) = read("jsonl", None, source)
    assert found.resolved is True
    assert ["resolved, though not all tests passed: kept as given"] == list(source.notes)


BASE = {"task": "t", "agent": "a", "resolved": True}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"agent": "a"}], "field 'task': is missing"),
        ([{"task": "t"}], "field 'agent': is missing"),
        ([BASE | {"task": " "}], "field 'task': is ' '; expected a text"),
        ([BASE | {"task": ["t"]}], r"field 'task': is \['t'\]"),
        ([BASE | {"resolved": "yes"}], "field 'resolved': is 'yes'; expected true, false"),
        ([BASE | {"tests_passed": 1.5, "tests_total": 2}], "field 'tests_passed': is 1.5; expected a whole"),
        ([BASE | {"tests_passed": 3, "tests_total": 2}], "field 'tests_passed': is 3 of 2 tests"),
        ([BASE | {"tests_passed": 3}], "field 'tests_total': is missing beside tests_passed"),
        ([BASE | {"cost_usd": "1"}], "field 'cost_usd': is '1'; expected a number"),
        ([BASE | {"cost_usd": -1}], "field 'cost_usd': is -1.0, no finite number"),
        ([BASE | {"tokens": 10**400}], "field 'tokens': is 1000"),
        ([BASE | {"security_score": 2}], "field 'security_score': is 2.0"),
        ([BASE | {"status": "done"}], "field 'status': is 'done'; take one of ok, model_fail"),
        ([BASE | {"patch": 3}], "field 'patch': is 3; expected a text"),
        ([BASE | {"tags": "a"}, BASE | {"tags": [1]}], r"r.jsonl:2: field 'tags': is \[1\]"),
        (
            [{**BASE, "test_name": "test_a"}],
            "the tests of one rollout are not independent rollouts.*explain passk",
        ),
        (
            [{"task": "t", "agent": "a", "n": 10, "c": 4, "tests_total": 10, "tests_passed": 4}],
            "n is tests_total, .*",
        ),
        ([{"task": "t", "agent": "a", "n": 8, "c": 4}], "counts rollouts instead of being one"),
        ([BASE | {"attempt": 1}, BASE | {"attempt": 2}], "r.jsonl:2: field 'attempt': .*no independent rollout"),
    ],
)
def test_malformed_rows(tree: Tree, read: Read, jsonl: Any, rows: list[dict[str, Any]], message: str) -> None:
    """One line with file, line and field."""
    folder = tree({"r.jsonl": jsonl(rows)})
    with pytest.raises(InputError, match=message) as raised:
        read("jsonl", folder / "r.jsonl")
    assert "\n" not in str(raised.value)
    assert "r.jsonl:" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no line"),
        ("task,task,agent\nt,t,a\n", "two columns have one name"),
        ("task,agent\nt\n", "another number of cells"),
        ("task,agent\nt,a,b\n", "another number of cells"),
        ("task,agent,resolved\nt,a,maybe\n", "r.csv:2: field 'resolved': is 'maybe'"),
        ("task,agent,cost\nt,a,cheap\n", "field 'cost': is 'cheap'; expected a number"),
        ('task,agent\n"t,a\n', "is no CSV"),
    ],
)
def test_malformed_csv(tree: Tree, read: Read, text: str, message: str) -> None:
    """The same."""
    with pytest.raises(InputError, match=message):
        read("csv", tree({"r.csv": text}) / "r.csv")


def test_notes_stay_few(tree: Tree, read: Read, jsonl: Any) -> None:
    """A file with another field in every row does not fill the memory."""
    source = Source(str(tree({"r.jsonl": jsonl([BASE | {f"x{at}": 1} for at in range(200)])}) / "r.jsonl"))
    assert 200 == len(read("jsonl", None, source))
    assert (51, 150) == (len(source.notes), source.notes["more was met that is not listed"])


def test_csv_that_is_not_utf8(tmp_path: Path, read: Callable[..., Any]) -> None:
    """Said, not guessed."""
    file = tmp_path / "r.csv"
    file.write_bytes(b"task,agent\n\xff,a\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read("csv", file)
