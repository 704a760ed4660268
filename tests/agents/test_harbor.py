"""Harbor's jobs and terminal-bench's runs."""

from __future__ import annotations

from typing import Any

import pytest

from codejury.agents.fields import Source
from codejury.model import InputError, Rollout, UsageError

Tree = Any
Read = Any


def _trial(name: str, reward: float | None = 1.0, **fields: Any) -> dict[str, Any]:
    task = name.split("__", maxsplit=1)[0]
    return {
        "id": "0",
        "task_name": task,
        "trial_name": name,
        "source": "set",
        "agent_info": {"name": "claude-code", "version": "1.0", "model_info": {"name": "m", "provider": "p"}},
        "agent_result": {"cost_usd": 0.5, "n_input_tokens": 100, "n_cache_tokens": 50, "n_output_tokens": 10},
        "verifier_result": {"rewards": None if reward is None else {"reward": reward}},
        "exception_info": None,
        "started_at": "2026-11-01T10:00:00Z",
        "finished_at": "2026-11-01T10:01:40.5Z",
    } | fields


def test_job(tree: Tree, read: Read) -> None:
    """One rollout a trial, however many jobs the folder holds; the job's own result is none."""
    steps = [{"source": "user"}, {"tool_calls": [{}, {}]}, {"tool_calls": None}, {"tool_calls": [{}]}]
    files = {
        "job1/result.json": {"id": "j", "n_total_trials": 2, "stats": {}},
        "job1/t__a/result.json": _trial("t__a"),
        "job1/t__a/agent/trajectory.json": {"schema_version": "ATIF-v1.4", "steps": steps},
        "job2/t__b/result.json": _trial("t__b", 0.5, agent_execution={"started_at": "bad"}),
    }
    found = read("harbor", tree(files))
    assert (
        Rollout(
            task="t",
            agent="claude-code (m)",
            rollout="t__a",
            resolved=True,
            cost_usd=0.5,
            tokens=110,
            latency_s=100.5,
            tool_calls=3,
        )
        == found[0]
    )
    assert ("t__b", False, None) == (found[1].rollout, found[1].resolved, found[1].tool_calls)


@pytest.mark.parametrize(
    ("reward", "exception", "expected"),
    [
        (None, None, ("missing", "no_reward", None)),
        (None, "AgentTimeoutError", ("timeout", "AgentTimeoutError", False)),
        (1.0, "AgentTimeoutError", ("timeout", "AgentTimeoutError", True)),
        (None, "AgentSetupTimeoutError", ("infra", "AgentSetupTimeoutError", None)),
        (None, "VerifierTimeoutError", ("timeout", "VerifierTimeoutError", False)),
        (None, "NonZeroAgentExitCodeError", ("model_fail", "NonZeroAgentExitCodeError", False)),
        (None, "DaytonaError", ("infra", "DaytonaError", None)),
        (0.0, "DaytonaError", ("ok", "DaytonaError", False)),
        (1.0 - 1e-7, None, ("ok", "", True)),
    ],
)
def test_outcome_of_a_trial(tree: Tree, read: Read, reward: float | None, exception: str, expected: Any) -> None:
    """A missing reward is neither 0 nor left out; an exception says whose fault it was."""
    fields = {"exception_info": exception and {"exception_type": exception}}
    (found,) = read("harbor", tree({"t__a/result.json": _trial("t__a", reward, **fields)}))
    assert expected == (found.status, found.subtype, found.resolved)


def test_several_rewards_need_a_name(tree: Tree, read: Read) -> None:
    """Unless one is called reward."""
    rewards = {"rewards": {"style": 0.5, "tests": 1.0}}
    folder = tree({"t__a/result.json": _trial("t__a", verifier_result=rewards)})
    with pytest.raises(InputError, match="has style, tests: say which one tells success with --score"):
        read("harbor", folder)
    assert [True] == [r.resolved for r in read("harbor", folder, score="tests")]
    assert ["missing"] == [r.status for r in read("harbor", folder, score="other")]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"result.json": {"n_total_trials": 0}}, "holds no trial's result.json"),
        ({"a/result.json": "[]"}, "expected a JSON object"),
        ({"a/result.json": _trial("t__a", agent_info={})}, r"'agent_info\.name': is missing; say which agent"),
        ({"a/result.json": _trial("t__a", task_name=None)}, "'task_name': is missing"),
        ({"a/result.json": _trial("t__a", verifier_result={"rewards": {"reward": "1"}})}, "'reward': is '1'"),
        ({"a/result.json": _trial("t__a", verifier_result=[])}, r"'verifier_result': is \[\]; expected an object"),
    ],
)
def test_malformed_trials(tree: Tree, read: Read, files: dict[str, Any], message: str) -> None:
    """One line with the file."""
    with pytest.raises(UsageError, match=message):
        read("harbor", tree(files))


def test_trajectory_that_is_damaged(tree: Tree, read: Read) -> None:
    """The calls are not known, and the user is told."""
    files = {"t__a/result.json": _trial("t__a"), "t__a/agent/trajectory.json": "{"}
    source = Source(str(tree(files)))
    assert [None] == [r.tool_calls for r in read("harbor", None, source)]
    assert ["trajectories that cannot be read: their calls of tools are not known"] == list(source.notes)


# ---- terminal-bench


def _terminal(name: str, resolved: Any, mode: str = "unset", **fields: Any) -> dict[str, Any]:
    return {
        "id": "0",
        "trial_name": name,
        "task_id": name.split(".", maxsplit=1)[0],
        "instruction": "do",
        "is_resolved": resolved,
        "failure_mode": mode,
        "parser_results": {"test_a": "passed", "test_b": "passed" if resolved else "failed"},
        "total_input_tokens": 5,
        "total_output_tokens": 2,
        "agent_started_at": "2026-11-01T10:00:00+00:00",
        "agent_ended_at": "2026-11-01T10:00:09+00:00",
    } | fields


def test_terminal_bench_run(tree: Tree, read: Read) -> None:
    """A trial's own file goes before the run's list, of which only the others are taken."""
    trials = [_terminal("t.1-of-3.r", resolved=False), _terminal("t.3-of-3.r", resolved=True)]
    files = {
        "run/run_metadata.json": {"run_id": "r", "agent_name": "terminus", "model_name": "m"},
        "run/results.json": {"results": trials, "accuracy": 0.5},
        "run/t/t.1-of-3.r/results.json": _terminal("t.1-of-3.r", resolved=True),
        "run/t/t.2-of-3.r/results.json": _terminal("t.2-of-3.r", None, "agent_timeout", parser_results=None),
    }
    found = read("terminal-bench", tree(files))
    assert ["t.1-of-3.r", "t.2-of-3.r", "t.3-of-3.r"] == [r.rollout for r in found]
    assert [True, False, True] == [r.resolved for r in found]
    assert (
        Rollout(
            task="t",
            agent="terminus (m)",
            rollout="t.1-of-3.r",
            resolved=True,
            tests_passed=2,
            tests_total=2,
            tokens=7,
            latency_s=9.0,
        )
        == found[0]
    )
    assert ("timeout", "agent_timeout", None) == (found[1].status, found[1].subtype, found[1].tests_total)


@pytest.mark.parametrize(
    ("resolved", "mode", "expected"),
    [
        (None, "unset", ("missing", "no_outcome", None)),
        (False, "none", ("ok", "", False)),
        (True, "agent_timeout", ("timeout", "agent_timeout", True)),
        (None, "test_timeout", ("timeout", "test_timeout", False)),
        (False, "fatal_llm_parse_error", ("model_fail", "fatal_llm_parse_error", False)),
        (False, "agent_installation_failed", ("infra", "agent_installation_failed", None)),
        (None, "parse_error", ("infra", "parse_error", None)),
    ],
)
def test_outcome_in_terminal_bench(tree: Tree, read: Read, resolved: Any, mode: str, expected: Any) -> None:
    """An agent that could not be installed is no failure of the model."""
    folder = tree({"t/results.json": _terminal("t.1-of-1.r", resolved, mode)})
    (found,) = read("terminal-bench", folder, agent="me")
    assert expected == (found.status, found.subtype, found.resolved)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"results": []}, "holds no trial's results.json"),
        ({"results": [3]}, r"results\]\[0\]: expected a JSON object"),
        (_terminal("t.1", True), "'agent_name': no run_metadata.json"),
        (_terminal("t.1", True, "new_mode"), "'failure_mode': is 'new_mode'; known are none"),
        (_terminal("t.1", True, is_resolved="yes"), "'is_resolved': is 'yes'"),
    ],
)
def test_malformed_terminal_bench(tree: Tree, read: Read, result: Any, message: str) -> None:
    """One line with the file."""
    agent = None if "run_metadata" in message else "me"
    with pytest.raises(UsageError, match=message):
        read("terminal-bench", tree({"results.json": result}), agent=agent)
