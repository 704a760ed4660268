"""tau-bench's list of trials and tau2-bench's simulations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codejury.model import InputError

Tree = Any
Read = Any
DATA = Path(__file__).parents[2].parent / "shared" / "data" / "rollouts" / "tau_bench_gpt4o_airline.json"


def test_trials(tree: Tree, read: Read) -> None:
    """A success is a reward of 1 within 1e-6; an exception is no failure of the agent."""
    trajectory = [{"role": "assistant", "tool_calls": [{}]}, {"role": "tool"}, {"role": "assistant"}]
    rows = [
        {"task_id": 0, "trial": 0, "reward": 1.0 - 1e-7, "info": {}, "traj": trajectory},
        {"task_id": 0, "trial": 1, "reward": 0.99, "info": {}, "traj": []},
        {"task_id": 1, "trial": 0, "reward": 0.0, "info": {"error": "boom"}, "traj": []},
        {"task_id": 1, "trial": 1, "reward": None, "info": {}, "traj": []},
    ]
    name = "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm.json"
    found = read("tau-bench", tree({name: rows}) / name)
    assert [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")] == [(r.task, r.rollout) for r in found]
    assert [True, False, None, None] == [r.resolved for r in found]
    assert ["ok", "ok", "infra", "missing"] == [r.status for r in found]
    assert ({"tool-calling-gpt-4o-0.0"}, 1) == ({r.agent for r in found}, found[0].tool_calls)


@pytest.mark.parametrize(
    ("reason", "reward", "expected"),
    [
        ("user_stop", 1.0, ("ok", "", True)),
        ("agent_stop", 0.0, ("ok", "", False)),
        ("agent_stop", None, ("missing", "no_reward", None)),
        ("max_steps", 0.0, ("timeout", "max_steps", False)),
        ("too_many_errors", None, ("model_fail", "too_many_errors", False)),
        ("infrastructure_error", 0.0, ("infra", "infrastructure_error", None)),
        ("user_error", 0.0, ("infra", "user_error", None)),
    ],
)
def test_simulations(tree: Tree, read: Read, reason: str, reward: float | None, expected: Any) -> None:
    """How it ended says whose fault a missing success is."""
    simulation = {
        "id": "x",
        "task_id": "airline_1",
        "trial": 2,
        "termination_reason": reason,
        "agent_cost": 0.25,
        "user_cost": 1.0,
        "duration": 12.5,
        "reward_info": None if reward is None else {"reward": reward},
        "messages": [{"role": "assistant", "tool_calls": [{}, {}]}, {"role": "user", "tool_calls": [{}]}],
    }
    document = {
        "timestamp": "2026-11-01",
        "info": {"agent_info": {"implementation": "llm_agent", "llm": "gpt-4.1"}},
        "tasks": [],
        "simulations": [simulation],
    }
    (found,) = read("tau-bench", tree({"results.json": document}))
    assert expected == (found.status, found.subtype, found.resolved)
    assert ("airline_1", "llm_agent (gpt-4.1)", "2") == (found.task, found.agent, found.rollout)
    assert (0.25, 12.5, 2) == (found.cost_usd, found.latency_s, found.tool_calls)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"x": 1}, "expected tau-bench's list of trials, or tau2's object"),
        ({"simulations": [], "info": {}}, r"'info\.agent_info': is missing; say which agent"),
        (
            {"simulations": [3], "info": {"agent_info": {"llm": "m"}}},
            r"simulations\]\[0\]: expected a JSON object",
        ),
        ([{"task_id": 0, "reward": 1.0}], "'trial': is missing"),
        ([{"task_id": 0, "trial": 0, "reward": "1"}], "'reward': is '1'; expected a number"),
        (
            {
                "simulations": [{"task_id": 1, "trial": 0, "termination_reason": "bored"}],
                "info": {"agent_info": {"llm": "m"}},
            },
            "'termination_reason': is 'bored'; known are user_stop",
        ),
    ],
)
def test_malformed(tree: Tree, read: Read, document: Any, message: str) -> None:
    """One line with the file."""
    with pytest.raises(InputError, match=message):
        read("tau-bench", tree({"r.json": document}) / "r.json")


@pytest.mark.shared
@pytest.mark.skipif(not DATA.exists(), reason="the shared data folder is not beside the project")
def test_published_results(read: Read) -> None:
    """50 tasks in 4 trials, 84 of them solved."""
    found = read("tau-bench", DATA)
    assert (200, 50, 84) == (len(found), len({r.task for r in found}), sum(r.resolved is True for r in found))
