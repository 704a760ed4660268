"""Agents compared: who, over which tasks, whether that is fair, and the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from codejury import stats
from codejury.model import (
    InfrastructureError,
    LocatedRollout,
    NotComparableError,
    Rollout,
    RolloutManifest,
    UsageError,
)
from codejury.pipeline.rollouts_compare import RolloutsCompareSettings, compare_rollouts

if TYPE_CHECKING:
    from codejury.report.rollouts_compare import RolloutsCompareDocument
    from codejury.store import Store

A = [4, 4, 0, 3, 1, 4, 2, 0]
B = [3, 4, 1, 1, 1, 2, 2, 0]


def _rollouts(agent: str, right: list[int], n: int = 4, **fields: Any) -> list[Rollout]:
    """Of each task so many rollouts, the first of them right; 10 tests each, of which a wrong one passes 4."""
    return [
        Rollout(
            **{
                "task": f"t{task}",
                "agent": agent,
                "rollout": str(at),
                "resolved": at < c,
                "tests_passed": 10 if at < c else 4,
                "tests_total": 10,
                **fields,
            }
        )
        for task, c in enumerate(right)
        for at in range(n)
    ]


def _keep(store: Store, run: str, *rollouts: Rollout, form: str = "jsonl") -> None:
    manifest = RolloutManifest(run=run, created="2026-11-01T00:00:00Z", format=form, source="x")
    store.rollouts.create(manifest, [LocatedRollout(one, "x", at) for at, one in enumerate(rollouts, 1)])


def _compare(store: Store, *names: str, **settings: Any) -> RolloutsCompareDocument:
    return compare_rollouts(store, RolloutsCompareSettings(names=names, **settings))


def test_two_runs_of_one_agent_each(store: Store) -> None:
    """Named by their runs; the differences are those of the counts, paired by task whatever the tasks' order."""
    _keep(store, "old", *_rollouts("x", A))
    _keep(store, "new", *reversed(_rollouts("x", B)))
    document = _compare(store, "old", "new", ks=(1, 3))
    assert ("old", ["old", "new"], 8) == (document.baseline, [one.name for one in document.agents], document.tasks)
    (comparison,) = document.comparisons
    n = np.full(8, 4)
    expected = stats.compare_at_k((n, np.array(A)), (n, np.array(B)), 1)
    assert pytest.approx(expected.value) == comparison.resolve_rate.value == (sum(B) - sum(A)) / 32
    assert pytest.approx(expected.p) == comparison.resolve_rate.p
    cmh = stats.cochran_mantel_haenszel(n, np.array(A), n, np.array(B))
    assert pytest.approx(cmh.p) == comparison.resolve_rate.p
    hat = stats.compare_at_k((n, np.array(A)), (n, np.array(B)), 3, estimator=stats.Estimator.PASS_HAT_K)
    assert pytest.approx(hat.value) == comparison.pass_hat_k["3"].value
    assert pytest.approx(hat.p_population) == comparison.pass_hat_k["3"].p_population
    at_3 = stats.compare_at_k((n, np.array(A)), (n, np.array(B)), 3)
    assert pytest.approx(at_3.value) == comparison.reliability_at_k["3"].value
    assert [("t3", 3, 1)] == [(one.id, one.c_a, one.c_b) for one in comparison.lost]
    assert [] == comparison.gained
    assert comparison.mcnemar is None


def test_agents_within_a_run_and_holm(store: Store) -> None:
    """A run stands for its agents; p is adjusted over them; metrics are compared from three agents on."""
    _keep(store, "r", *_rollouts("a", A), *_rollouts("b", B), *_rollouts("c", [4, 3, 1, 3, 2, 4, 2, 1]))
    document = _compare(store, "r")
    assert ["a", "b", "c"] == [one.name for one in document.agents]
    raw = [one.resolve_rate.p for one in document.comparisons]
    assert stats.holm(raw).tolist() == [one.resolve_rate.p_holm for one in document.comparisons]
    assert [1, 4] == document.ks
    metrics = [one.metrics for one in document.agents]
    assert [sum(A) / 32, sum(B) / 32] == [pytest.approx(one["pass@1"]) for one in metrics[:2]]
    assert metrics[0]["1 - regression rate"] is None
    row = next(one for one in document.ranks if (one.x, one.y) == ("pass@1", "reliability@4"))
    expected = spearmanr([one["pass@1"] for one in metrics], [one["reliability@4"] for one in metrics]).statistic
    assert row.spearman is not None
    assert pytest.approx(expected) == row.spearman.value
    assert "exact" == row.spearman.method
    assert pytest.approx(1 / 3) == row.least_p


def test_one_agent_of_a_run(store: Store) -> None:
    """RUN:AGENT, also where names have colons; two are named apart where they must be."""
    _keep(store, "r", *_rollouts("a:1", A), *_rollouts("b", B))
    _keep(store, "r:2", *_rollouts("b", B))
    document = _compare(store, "r:a:1", "r:2")
    assert [("a:1", "r", "a:1"), ("b", "r:2", "b")] == [(one.name, one.run, one.agent) for one in document.agents]
    _keep(store, "s", *_rollouts("a:1", A), *_rollouts("b", B))
    names = [one.name for one in _compare(store, "r", "s").agents]
    assert ["r:a:1", "r:b", "s:a:1", "s:b"] == names


def test_mcnemar_of_single_rollouts(store: Store) -> None:
    """With one rollout each: 7 lost and 1 gained give 9/128, and no proxies."""
    _keep(store, "a", *_rollouts("x", [1] * 7 + [0], n=1))
    _keep(store, "b", *_rollouts("x", [0] * 7 + [1], n=1))
    document = _compare(store, "a", "b")
    (comparison,) = document.comparisons
    assert comparison.mcnemar is not None
    assert (7, 1) == (comparison.mcnemar.lost, comparison.mcnemar.gained)
    assert pytest.approx(9 / 128 * 1) == comparison.mcnemar.p_exact
    assert [] == document.proxies
    assert any("one rollout of each task" in line for line in document.warnings)


def test_proxies_leave_their_own_rollout_out(store: Store) -> None:
    """Whether the first rollout is resolved, against reliability@2 of the other three."""
    _keep(store, "r", *_rollouts("a", A), *_rollouts("b", B))
    document = _compare(store, "r", ks=(2,))
    row = document.proxies[0]
    assert ("resolved", "reliability@2 of the other rollouts", 16) == (row.proxy, row.target, row.pairs)
    counts = np.array(A + B)
    first = counts > 0
    target = stats.pass_at_k(3, counts - first, 2)
    assert row.spearman is not None
    assert pytest.approx(spearmanr(first, target).statistic) == row.spearman.value
    assert 0.70 == row.threshold
    assert ["resolved", "test pass rate"] == [one.proxy for one in document.proxies]


def test_the_paper_proxy_needs_all_it_is_made_of(store: Store) -> None:
    """With regressions and tool calls it is there, too."""
    extra = {"regressions": 1, "tool_calls": 4}
    _keep(store, "r", *_rollouts("a", A, **extra), *_rollouts("b", B, **extra))
    names = [one.proxy for one in _compare(store, "r").proxies]
    assert "test pass rate * (1 - regression rate) * tool efficiency" == names[-1]


def test_findings_rank_where_all_resolved_are_scored(store: Store) -> None:
    """Without a finding: the order is another one; without scores there is no such metric."""
    _keep(
        store,
        "r",
        *_rollouts("a", A, security_score=6 / 7),
        *_rollouts("b", B, security_score=1.0),
        *_rollouts("c", [0] * 8),
    )
    metrics = [one.metrics for one in _compare(store, "r").agents]
    assert 0.0 == metrics[0]["reliability@4, no finding"]
    assert metrics[1]["reliability@4"] == metrics[1]["reliability@4, no finding"]
    _keep(store, "s", *_rollouts("a", A), *_rollouts("b", B))
    assert "reliability@4, no finding" not in _compare(store, "s").agents[0].metrics


@pytest.mark.parametrize(
    ("condition", "other", "form"),
    [
        ("tasks", _rollouts("y", A[:6]), "jsonl"),
        ("n", _rollouts("y", [2] * 8, n=3), "jsonl"),
        ("tests", _rollouts("y", A, tests_total=12), "jsonl"),
        ("tests", _rollouts("y", A, tests_total=None, tests_passed=None), "jsonl"),
        ("format", _rollouts("y", A), "csv"),
    ],
    ids=["tasks", "n", "tests", "tests unknown", "format"],
)
def test_what_differs_is_refused_unless_waived(
    store: Store, condition: str, other: list[Rollout], form: str
) -> None:
    """By name, with what it is on each side; the waiver is in the result."""
    _keep(store, "a", *_rollouts("x", A))
    _keep(store, "b", *other, form=form)
    with pytest.raises(NotComparableError, match=f"{condition} .*--waive {condition}$") as refused:
        _compare(store, "a", "b")
    assert 4 == refused.value.exit_code
    document = _compare(store, "a", "b", waive=(condition,))
    assert [condition] == [one.condition for one in document.waived]
    assert any(f"waived: {condition} differs" in line for line in document.warnings)


def test_tasks_that_are_not_common_are_listed(store: Store) -> None:
    """With the condition waived the common tasks count alone."""
    _keep(store, "a", *_rollouts("problem-solver", A))
    _keep(store, "b", *_rollouts("y", A[:6]))
    document = _compare(store, "a", "b", waive=("tasks",))
    assert (6, [["t6", "t7"]]) == (document.tasks, [one.ids for one in document.dropped])
    assert (
        "left out of every figure: 2 tasks, not done by all agents (problem-solver): t6, t7" in document.warnings
    )


def test_tests_that_nobody_says_are_unverified(store: Store) -> None:
    """Said once."""
    _keep(store, "a", *_rollouts("x", A, tests_total=None, tests_passed=None))
    _keep(store, "b", *_rollouts("y", A, tests_total=None, tests_passed=None))
    document = _compare(store, "a", "b")
    assert ["tests"] == document.unverified
    assert "unverified, as no rollout says: tests" in document.warnings


def test_slices_by_difficulty(store: Store) -> None:
    """Over five tasks at least."""
    rated = [{"difficulty": "easy" if task < 6 else "hard"} for task in range(8)]
    for run, right in (("a", A), ("b", B)):
        rows = [
            Rollout(task=f"t{task}", agent=run, rollout=str(at), resolved=at < c, **rated[task])  # type: ignore[arg-type]
            for task, c in enumerate(right)
            for at in range(4)
        ]
        _keep(store, run, *rows)
    (comparison,) = _compare(store, "a", "b").comparisons
    assert [("difficulty", "easy", 6)] == [(one.kind, one.name, one.problems) for one in comparison.slices]


def test_short_tasks_and_infrastructure(store: Store) -> None:
    """Too few rollouts are refused or dropped; what failed for infrastructure is in no n."""
    failed = Rollout(task="t0", agent="a", rollout="9", resolved=None, status="infra")
    rows = _rollouts("a", A)[1:]
    _keep(store, "a", *rows, failed)
    _keep(store, "b", *_rollouts("b", B))
    with pytest.raises(UsageError, match=r"reliability@4 needs 4 rollouts .* 1 task has fewer: t0"):
        _compare(store, "a", "b", ks=(4,), waive=("n",))
    document = _compare(store, "a", "b", ks=(4,), waive=("n",), drop_short=True)
    assert (7, ["t0"]) == (document.tasks, document.dropped[-1].ids)
    with pytest.raises(UsageError, match="no task has 9 rollouts"):
        _compare(store, "a", "b", ks=(9,), waive=("n",), drop_short=True)
    with pytest.raises(InfrastructureError, match=r"1 of 32 rollouts of a .*--max-infra"):
        _compare(store, "a", "b", max_infra=0.01)
    assert [1, 3] == _compare(store, "a", "b", waive=("n",)).ks


def test_missing_grades_are_refused(store: Store) -> None:
    """Or left out by name."""
    missing = Rollout(task="t0", agent="a", rollout="9", resolved=None, status="missing")
    _keep(store, "a", *_rollouts("a", A), missing)
    _keep(store, "b", *_rollouts("b", B))
    with pytest.raises(UsageError, match=r"1 rollout of a has no grade.*--allow-missing"):
        _compare(store, "a", "b")
    warnings = _compare(store, "a", "b", allow_missing=True).warnings
    assert "a: in no n: 1 rollout without a grade" in warnings


def test_wrong_requests(store: Store) -> None:
    """One line each."""
    _keep(store, "a", *_rollouts("x", A))
    _keep(store, "c", *(Rollout(task="other", agent="z", rollout="0", resolved=True),))
    for names, settings, said in (
        (("a",), {}, "one agent"),
        (("a", "a:x"), {}, "the same agent of a run twice"),
        (("a", "a:q"), {}, "run a has no agent 'q'; it has x"),
        (("a", "q"), {}, "no run 'q' of rollouts"),
        (("a", "c"), {}, "no task in common"),
        (("a", "c"), {"level": 1.0}, "confidence level"),
        (("a", "c"), {"max_infra": 2.0}, "a share"),
        (("a", "c"), {"ks": (0,)}, "at least 1"),
        (("a", "c"), {"waive": ("x",)}, "no such condition"),
    ):
        with pytest.raises(UsageError, match=said):
            _compare(store, *names, **settings)
