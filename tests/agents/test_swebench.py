"""SWE-bench's files, and the runs of mini-swe-agent and OpenHands that are joined with them."""

from __future__ import annotations

from typing import Any

import pytest

from codejury.agents.fields import Source
from codejury.model import InputError, UsageError

Tree = Any
Read = Any


def tests_status(f2p: tuple[int, int], p2p: tuple[int, int]) -> dict[str, Any]:
    """Passed and all of both kinds."""
    return {
        kind: {
            "success": [f"{kind}-{at}" for at in range(passed)],
            "failure": [f"{kind}-{at}" for at in range(passed, total)],
        }
        for kind, (passed, total) in (("FAIL_TO_PASS", f2p), ("PASS_TO_PASS", p2p))
    }


tests_status.__test__ = False  # type: ignore[attr-defined] # a builder, no test


def report(instance: str, *, resolved: bool, **fields: Any) -> dict[str, Any]:
    """A report.json."""
    base = {"patch_is_None": False, "patch_exists": True, "patch_successfully_applied": True, "resolved": resolved}
    return {instance: base | fields}


def logs(run: str, model: str, reports: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The harness's log folders."""
    return {
        f"logs/run_evaluation/{run}/{model}/{instance}/report.json": {instance: body}
        for instance, body in reports.items()
    }


GRADED = report("x", resolved=True, tests_status=tests_status((1, 1), (3, 3)))["x"]
FAILED = report("x", resolved=False, tests_status=tests_status((0, 2), (3, 4)))["x"]


def test_reports_of_two_runs(tree: Tree, read: Read) -> None:
    """A rollout is a run_id; tests are those of both kinds, and a test that passed before and fails regresses."""
    files = logs("r1", "org__m", {"a-1": GRADED, "a-2": FAILED}) | logs("r2", "org__m", {"a-1": FAILED})
    files["logs/run_evaluation/r1/org__m/a-1/patch.diff"] = "diff --git"
    found = read("swebench", tree(files))
    rows = [(r.task, r.agent, r.rollout, r.resolved, r.tests_passed, r.tests_total, r.regressions) for r in found]
    assert [
        ("a-1", "org/m", "r1", True, 4, 4, 0),
        ("a-2", "org/m", "r1", False, 3, 6, 1),
        ("a-1", "org/m", "r2", False, 3, 6, 1),
    ] == rows
    assert ["diff --git", None, None] == [r.patch for r in found]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"patch_is_None": True, "patch_exists": False}, ("model_fail", "empty_patch", False)),
        ({"patch_successfully_applied": False}, ("model_fail", "patch_apply_failed", False)),
        ({"infra_failure": True, "infra_failure_reason": "docker"}, ("infra", "docker", None)),
        ({}, ("ok", "", False)),
    ],
)
def test_report_that_is_no_grade(tree: Tree, read: Read, fields: dict[str, Any], expected: Any) -> None:
    """Model failures count as failures, the harness's as nothing."""
    body = report("x", resolved=False, **fields)["x"]
    (found,) = read("swebench", tree(logs("r", "m", {"x": body})))
    assert expected == (found.status, found.subtype, found.resolved)


def test_resolved_means_all_tests(tree: Tree, read: Read) -> None:
    """A report that says more than its tests is not believed, and the user is told."""
    body = FAILED | {"resolved": True}
    source = Source(str(tree(logs("r", "m", {"x": body}))))
    (found,) = read("swebench", None, source)
    assert found.resolved is False
    assert ["said to be resolved though tests fail: counted as not resolved"] == list(source.notes)


SUMMARY = {
    "schema_version": 2,
    "resolved_ids": ["a"],
    "unresolved_ids": ["b"],
    "empty_patch_ids": ["c"],
    "error_ids": ["d", "e", "f"],
    "incomplete_ids": ["g"],
    "infra_failure_ids": ["h"],
    "ambiguous_failure_ids": ["i"],
    "failure_reasons": {"d": "patch does not apply", "e": "test timeout", "h": "disk full"},
}


def test_summary_alone(tree: Tree, read: Read) -> None:
    """Model and run are in its name; errors are whose their reason says, else the harness's."""
    folder = tree({"org__gpt-4.1.my.run.json": SUMMARY})
    found = read("swebench", folder / "org__gpt-4.1.my.run.json")
    assert {
        "a": ("ok", "", True),
        "b": ("ok", "", False),
        "c": ("model_fail", "empty_patch", False),
        "d": ("model_fail", "patch_apply_failed", False),
        "e": ("timeout", "test timeout", False),
        "f": ("infra", "error", None),
        "g": ("missing", "incomplete", None),
        "h": ("infra", "disk full", None),
        "i": ("infra", "ambiguous_failure", None),
    } == {r.task: (r.status, r.subtype, r.resolved) for r in found}
    assert {("org/gpt-4.1.my", "run")} == {(r.agent, r.rollout) for r in found}


def test_summary_reports_and_predictions_of_one_run(tree: Tree, read: Read, jsonl: Any) -> None:
    """The report of an instance goes first, then the summary, and a prediction that neither knows is missing."""
    predicted = [
        {"instance_id": name, "model_name_or_path": "org/m-1.5", "model_patch": f"p{name}"}
        for name in ("a", "b", "z")
    ]
    files = {
        "org__m-1.5.r1.json": {"resolved_ids": ["b"], "unresolved_ids": ["a"]},
        "predictions.jsonl": jsonl(predicted),
        **logs("r1", "org__m-1.5", {"a": GRADED}),
    }
    found = {r.task: r for r in read("swebench", tree(files))}
    assert {"a": True, "b": True, "z": None} == {name: r.resolved for name, r in found.items()}
    assert {("org/m-1.5", "r1")} == {(r.agent, r.rollout) for r in found.values()}
    assert ("pa", 4) == (found["a"].patch, found["a"].tests_total)
    assert ("missing", "ungraded") == (found["z"].status, found["z"].subtype)


def test_summary_in_the_folder_of_its_run(tree: Tree, read: Read) -> None:
    """results.json beside the reports of one run is of this run; alone it needs the agent's name."""
    files = {"r1/results.json": {"resolved_ids": ["a"], "unresolved_ids": ["b"]}}
    folder = tree(files)
    with pytest.raises(InputError, match="names no model; say which agent this is with --agent"):
        read("swebench", folder / "r1")
    assert {("r1", "me")} == {(r.rollout, r.agent) for r in read("swebench", folder / "r1", agent="me")}
    tree({"r1/m/a/report.json": {"a": GRADED}})
    found = read("swebench", folder / "r1")
    assert [("a", "r1", "m", True), ("b", "r1", "m", False)] == [
        (r.task, r.rollout, r.agent, r.resolved) for r in found
    ]


@pytest.mark.parametrize("kind", ["list", "dict"])
def test_predictions_alone_are_missing(tree: Tree, read: Read, kind: str) -> None:
    """They know no grade: as a list, or by instance."""
    row = {"instance_id": "a", "model_name_or_path": "m", "model_patch": None}
    folder = tree({"preds.json": [row] if kind == "list" else {"a": row}})
    (found,) = read("swebench", folder / "preds.json", agent="me", label="first")
    assert ("a", "me", "first", "missing", None) == (
        found.task,
        found.agent,
        found.rollout,
        found.status,
        found.resolved,
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"other.json": {"x": 1}}, "holds no predictions, summary or report.json"),
        ({"logs/run_evaluation/r/m/a/report.json": "{"}, "bad JSON at column 2"),
        ({"logs/run_evaluation/r/m/a/report.json": {"b": {}}}, "speaks of 'b', and its folder is named 'a'"),
        ({"logs/run_evaluation/r/m/a/report.json": {"a": {"patch_exists": True}}}, "field 'resolved': is missing"),
        (
            logs("r", "m", {"a": GRADED | {"tests_status": {"FAIL_TO_PASS": 3}}}),
            "'FAIL_TO_PASS': is 3; expected an",
        ),
        (
            {"m.r.json": {"resolved_ids": ["a"], "unresolved_ids": ["a"]}},
            "a is in resolved_ids and in unresolved_ids",
        ),
        ({"m.r.json": {"resolved_ids": [1], "unresolved_ids": []}}, "holds 1; expected ids"),
        (
            {"p.jsonl": '{"instance_id": "a", "model_name_or_path": "m", "model_patch": ""}\n' * 2},
            "p.jsonl:2: .*a is predicted twice",
        ),
        ({"p.jsonl": '{"instance_id": "a", "model_patch": ""}\n'}, "'model_name_or_path': is missing"),
    ],
)
def test_malformed(tree: Tree, read: Read, files: dict[str, Any], message: str) -> None:
    """One line each."""
    with pytest.raises(UsageError, match=message):
        read("swebench", tree(files))


def test_links_are_not_followed(tree: Tree, read: Read, tmp_path: Any) -> None:
    """A report that is a link to somewhere else is not read."""
    folder = tree(logs("r", "m", {"a": GRADED}))
    (tmp_path / "secret.json").write_text("{}")
    other = folder / "logs/run_evaluation/r/m/b"
    other.mkdir()
    (other / "report.json").symlink_to(tmp_path / "secret.json")
    assert ["a"] == [r.task for r in read("swebench", folder)]


# ---- mini-swe-agent


def _mini(instance: str, ended: str, patch: str = "diff") -> dict[str, Any]:
    info = {
        "model_stats": {"instance_cost": 0.25, "api_calls": 2},
        "exit_status": ended,
        "submission": patch,
        "config": {"model": {"model_name": "org/m"}},
    }
    messages = [
        {"role": "system"},
        {"role": "assistant", "extra": {"actions": [{"command": "ls"}, {"command": "cat"}]}},
        {"role": "user"},
        {"role": "assistant", "extra": {"actions": [{"command": "sed"}]}},
    ]
    return {f"run1/{instance}/{instance}.traj.json": {"info": info, "messages": messages}}


def test_mini_swe_agent_joined_with_a_report(tree: Tree, read: Read) -> None:
    """Costs and calls of the trajectory, the grade of the report; who ran out of budget timed out."""
    files = {
        **_mini("a", "Submitted"),
        **_mini("b", "LimitsExceeded", ""),
        **_mini("c", "RateLimitError", ""),
        **_mini("d", "Submitted", ""),
        **_mini("e", "Submitted"),
        "run1/preds.json": {"f": {"instance_id": "f", "model_name_or_path": "org/m", "model_patch": "x"}},
        **logs("r9", "org__m", {"a": GRADED}),
    }
    folder = tree(files)
    source = Source(str(folder / "run1"), report=str(folder / "logs"))
    found = {r.task: r for r in read("mini-swe-agent", None, source)}
    assert {
        "a": ("ok", "", True),
        "b": ("timeout", "LimitsExceeded", False),
        "c": ("infra", "RateLimitError", None),
        "d": ("model_fail", "empty_patch", False),
        "e": ("missing", "ungraded", None),
        "f": ("missing", "ungraded", None),
    } == {name: (r.status, r.subtype, r.resolved) for name, r in found.items()}
    assert ("org/m", "r9", 0.25, 3, 4) == (
        found["a"].agent,
        found["a"].rollout,
        found["a"].cost_usd,
        found["a"].tool_calls,
        found["a"].tests_total,
    )
    assert {
        "no grade in the report: their rollouts are missing": 2,
        "predictions without a trajectory: their costs and calls are not known": 1,
    } == source.notes


def test_mini_swe_agent_needs_trajectories_and_one_report(tree: Tree, read: Read) -> None:
    """Nothing to read, and a report of several runs, are said."""
    files = {**_mini("a", "Submitted"), **logs("r1", "m", {"a": GRADED}), **logs("r2", "m", {"a": FAILED})}
    folder = tree(files)
    with pytest.raises(UsageError, match=r"holds no INSTANCE\.traj\.json"):
        read("mini-swe-agent", folder / "logs")
    with pytest.raises(UsageError, match=r"several runs or none \(r1, r2\): name one with --label"):
        read("mini-swe-agent", folder / "run1", report=str(folder / "logs"))
    (found,) = read("mini-swe-agent", folder / "run1", report=str(folder / "logs"), label="r2")
    assert ("r2", False) == (found.rollout, found.resolved)


# ---- OpenHands


def _hands(instance: str, **fields: Any) -> dict[str, Any]:
    return {
        "instance_id": instance,
        "test_result": {"git_patch": "diff"},
        "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "m"}},
        "metrics": {"accumulated_cost": 0.5},
        "history": [
            {"source": "user", "action": "message"},
            {"source": "agent", "action": "run"},
            {"source": "agent", "observation": "run"},
            {"source": "agent", "action": "finish"},
        ],
        "error": None,
    } | fields


def test_openhands_joined_with_a_report(tree: Tree, read: Read, jsonl: Any) -> None:
    """Its own report, else the one that is named; a chain of attempts is one rollout."""
    rows = [
        _hands("a", attempt=2),
        _hands("b", test_result={"git_patch": ""}),
        _hands("c", error="RuntimeError: Agent reached maximum iteration"),
        _hands("d", error="AgentStuckInLoopError"),
        _hands("e", error="ConnectionError"),
        _hands("f", test_result={"git_patch": "x", "report": {"resolved": True}}),
        _hands("g"),
    ]
    folder = tree({"oh/output.jsonl": jsonl(rows), **logs("r9", "m", {"a": GRADED})})
    source = Source(str(folder / "oh"), report=str(folder / "logs"))
    found = {r.task: r for r in read("openhands", None, source)}
    assert {
        "a": ("ok", "", True),
        "b": ("model_fail", "empty_patch", False),
        "c": ("timeout", "limit", False),
        "d": ("model_fail", "stuck", False),
        "e": ("infra", "error", None),
        "f": ("ok", "", True),
        "g": ("missing", "ungraded", None),
    } == {name: (r.status, r.subtype, r.resolved) for name, r in found.items()}
    assert ("CodeActAgent (m)", "r9", 0.5, 1) == (
        found["a"].agent,
        found["a"].rollout,
        found["a"].cost_usd,
        found["a"].tool_calls,
    )
    assert 1 == source.notes["chains of attempts: each counts as one rollout"]


def test_openhands_attempts_are_refused(tree: Tree, read: Read, jsonl: Any) -> None:
    """Retries that a critic asked for are no independent rollouts."""
    folder = tree({"output.jsonl": jsonl([_hands("a", attempt=1), _hands("b"), _hands("a", attempt=2)])})
    with pytest.raises(
        InputError, match=r"output\.jsonl:3: field 'attempt': a is on line 1 already.*no independent"
    ):
        read("openhands", folder)
