"""The synthetic rollouts of arXiv 2608.14711, draw by draw, and the figures that it makes of them.

The paper's data come from Python's `random.Random`, whose sequence for a seed is part of the language. So the same
draws in the same order give the same 240 rollouts everywhere; what the draws are is told in docs/study.md.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury import stats

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

AGENTS = ("agent-x", "claude-code", "codex")
TASKS, ROLLOUTS, SEED, K = 10, 8, 42, 5
TESTS = 10
"""Tests of each task."""

SUCCESS = 0.95
"""The pass rate from which the paper's generator calls a rollout a success."""

_DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Row:
    """One synthetic rollout.

    Attributes:
        task: 0 to tasks - 1.
        agent: Its name.
        rollout: 0 to rollouts - 1.
        pass_rate: As drawn, 0 to 1, before it becomes a number of tests.
        tests_passed: Of `tests_total`.
        tests_total: Tests of the task.
        regressions: Among the tests that failed.
        tool_calls: 1 to 15.
        latency_ms: 500 to 5000.
        cost_usd: 0.001 to 0.05.
    """

    task: int
    agent: str
    rollout: int
    pass_rate: float
    tests_passed: int
    tests_total: int
    regressions: int
    tool_calls: int
    latency_ms: float
    cost_usd: float

    @property
    def called_success(self) -> bool:
        """Success as the paper's generator has it: a drawn pass rate of 0.95 or more."""
        return self.pass_rate >= SUCCESS

    @property
    def solved(self) -> bool:
        """Success as the paper defines it: all tests passed."""
        return self.tests_passed == self.tests_total


def rollout_benchmark(
    tasks: int = TASKS,
    agents: Sequence[str] = AGENTS,
    rollouts: int = ROLLOUTS,
    seed: int = SEED,
    tests: int = TESTS,
) -> list[Row]:
    """The rows of experiments 2 and 3: several rollouts of each task by each agent, in the order of the draws.

    Args:
        tasks: Number of tasks.
        agents: Their names; the figures depend on the number alone.
        rollouts: Of each task by each agent.
        seed: Of the one generator of skills; a rollout's own has seed + 1000 task + 100 agent + rollout.
        tests: Of each task; the paper has 10.
    """
    generator = random.Random(seed)  # noqa: S311 - the paper's draws, no secret
    rows = []
    for task in range(tasks):
        generator.choice(_DIFFICULTIES)  # no figure depends on it, but the draws after it do
        for place, agent in enumerate(agents):
            skill = generator.uniform(0.30, 1.0)
            sigma = generator.uniform(0.05, 0.25) * (1 - 0.5 * skill)
            for rollout in range(rollouts):
                own = seed + 1000 * task + 100 * place + rollout
                noise = random.Random(own).gauss(0, sigma)  # noqa: S311 - as above
                rows.append(_row(task, agent, rollout, max(0.0, min(1.0, skill + noise)), own, tests))
    return rows


def baseline(tasks: int = TASKS, agents: Sequence[str] = AGENTS, seed: int = SEED) -> list[Row]:
    """The rows of experiment 0: one rollout of each task by each agent.

    Args:
        tasks: Number of tasks.
        agents: Their names.
        seed: Of the generator of pass rates; a row's own has seed + 100 task + agent.
    """
    generator = random.Random(seed)  # noqa: S311 - the paper's draws, no secret
    rows = []
    for task in range(tasks):
        generator.choice(_DIFFICULTIES)
        for place, agent in enumerate(agents):
            rate = generator.uniform(0.30, 1.0)
            rows.append(_row(task, agent, 0, rate, seed + 100 * task + place, TESTS))
    return rows


def _row(task: int, agent: str, rollout: int, rate: float, seed: int, tests: int) -> Row:
    """The rest of a row, drawn by a generator of its own."""
    generator = random.Random(seed)  # noqa: S311 - the paper's draws, no secret
    passed = round(tests * rate)
    return Row(
        task=task,
        agent=agent,
        rollout=rollout,
        pass_rate=rate,
        tests_passed=passed,
        tests_total=tests,
        regressions=generator.randint(0, tests - passed),
        tool_calls=generator.randint(1, 15),
        latency_ms=generator.uniform(500, 5000),
        cost_usd=generator.uniform(0.001, 0.05),
    )


def misused_pass_at_k(passed: Iterable[int], total: Iterable[int], k: int = K) -> float:
    """pass@k with tests for samples: the misuse, as the paper's code computes it, for teaching only.

    n is the number of a row's tests, raised to k where it is smaller, and c those that passed; then the mean over
    rows.

    Args:
        passed: Tests passed of each row.
        total: All of its tests.
        k: Of pass@k.
    """
    c, n = np.array(list(passed)), np.maximum(np.array(list(total)), k)
    return float(np.mean(stats.pass_at_k(n, c, k)))


def of_agent(rows: Iterable[Row], agent: str) -> list[Row]:
    """One agent's rows."""
    return [row for row in rows if row.agent == agent]


def counts(rows: Sequence[Row], *, published: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of rollouts and of successes, n and c, of each task of one agent's rows.

    Args:
        rows: Of one agent.
        published: Take the generator's success at 0.95; else all tests.
    """
    task = np.array([row.task for row in rows])
    success = np.array([row.called_success if published else row.solved for row in rows])
    return np.bincount(task), np.bincount(task[success], minlength=int(task.max()) + 1)


def proxy(tests: Row, calls: Row) -> float:
    """The paper's one-rollout proxy: pass rate * (1 - regression rate) * tool efficiency.

    Args:
        tests: The rollout whose tests and regressions count.
        calls: The one whose tool calls do. The paper's code looks them up by task and agent, which keeps the last
            rollout's, beside the tests of the first.
    """
    efficiency = max(0.0, 1 - calls.tool_calls / 20)
    return tests.tests_passed / tests.tests_total * (1 - tests.regressions / tests.tests_total) * efficiency
