"""The paper's synthetic rollouts, draw by draw."""

# ruff: noqa: S311 - the paper's draws, no secret

from __future__ import annotations

import random

import pytest

from codejury.agents.study.synthetic import (
    AGENTS,
    baseline,
    counts,
    misused_pass_at_k,
    of_agent,
    proxy,
    rollout_benchmark,
)


def test_shape_of_the_paper() -> None:
    """10 tasks, 3 agents, 8 rollouts: 240 rows, each task and agent with rollouts 0 to 7."""
    rows = rollout_benchmark()
    assert 240 == len(rows)
    assert [(0, "agent-x", r) for r in range(8)] == [(row.task, row.agent, row.rollout) for row in rows[:8]]
    assert {(t, a) for t in range(10) for a in AGENTS} == {(row.task, row.agent) for row in rows}


def test_a_row_is_drawn_as_specified() -> None:
    """Task 1, agent 2, rollout 3, by hand: one generator for skills, two with the row's own seed."""
    skills = random.Random(42)
    for _task in range(2):
        skills.choice(("easy", "medium", "hard"))
        for _agent in range(3):
            skill = skills.uniform(0.30, 1.0)
            sigma = skills.uniform(0.05, 0.25) * (1 - 0.5 * skill)
    seed = 42 + 1000 + 200 + 3
    rate = max(0.0, min(1.0, skill + random.Random(seed).gauss(0, sigma)))
    own = random.Random(seed)
    (row,) = (r for r in rollout_benchmark() if (r.task, r.agent, r.rollout) == (1, "codex", 3))
    passed = round(10 * rate)
    assert (rate, passed, 10) == (row.pass_rate, row.tests_passed, row.tests_total)
    assert own.randint(0, 10 - passed) == row.regressions
    assert own.randint(1, 15) == row.tool_calls
    assert (own.uniform(500, 5000), own.uniform(0.001, 0.05)) == (row.latency_ms, row.cost_usd)


def test_successes_of_the_first_agent() -> None:
    """The counts of the golden values: c = 0,0,1,0,0,0,0,0,1,0 of 8, by both rules."""
    own = of_agent(rollout_benchmark(), "agent-x")
    for published in (True, False):
        n, c = counts(own, published=published)
        assert [8] * 10 == n.tolist()
        assert [0, 0, 1, 0, 0, 0, 0, 0, 1, 0] == c.tolist()


def test_a_rate_of_095_is_all_of_ten_tests() -> None:
    """Why the two rules agree in the paper's data, and do not with 20 tests."""
    assert all(row.called_success == row.solved for row in rollout_benchmark())
    more = rollout_benchmark(tests=20)
    assert (2, 0) == (sum(row.called_success for row in more), sum(row.solved for row in more))


def test_baseline_is_one_rollout_of_each_task() -> None:
    """30 rows; the mean shares of tests that the paper calls pass@1."""
    rows = baseline()
    assert 30 == len(rows)
    means = [sum(row.tests_passed for row in of_agent(rows, agent)) / 100 for agent in AGENTS]
    assert [0.64, 0.60, 0.60] == means


@pytest.mark.parametrize(("passed", "total", "expected"), [(4, 10, 41 / 42), (2, 5, 1.0), (6, 15, 137 / 143)])
def test_the_misuse_on_golden_counts(passed: int, total: int, expected: float) -> None:
    """The same 40 % of tests, three sizes of suite."""
    assert pytest.approx(expected, rel=1e-15) == misused_pass_at_k([passed], [total])


def test_the_misuse_raises_n_to_k() -> None:
    """With fewer tests than k, n is k: 1 of 2 tests is 1 of 5 and not refused."""
    assert pytest.approx(1.0) == misused_pass_at_k([1], [2])
    assert pytest.approx(0.0) == misused_pass_at_k([0], [2])


def test_proxy_is_the_product() -> None:
    """Pass rate, one less the regression rate, tool efficiency; the calls may be another rollout's."""
    first, *_, last = rollout_benchmark()[:8]
    tests = first.tests_passed / 10 * (1 - first.regressions / 10)
    assert pytest.approx(tests * (1 - first.tool_calls / 20)) == proxy(first, first)
    assert pytest.approx(tests * (1 - last.tool_calls / 20)) == proxy(first, last)
    assert first.tool_calls != last.tool_calls
