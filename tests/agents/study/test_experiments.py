"""The study's experiments: every printed digit, and what is corrected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from codejury import stats
from codejury.agents.fields import Source
from codejury.agents.generic import read_jsonl
from codejury.agents.study.recorded import (
    experiment_4,
    inversion,
    inverted_pair,
    outcomes_of,
    paper_outcomes,
    pilot,
)
from codejury.agents.study.rows import agrees, row
from codejury.agents.study.simulated import experiment_0, experiment_1, experiment_2, experiment_3
from codejury.agents.study.synthetic import misused_pass_at_k
from codejury.model import LocatedRollout, Rollout, UsageError

if TYPE_CHECKING:
    from codejury.report.study import Experiment, StudyRow

LEVEL = 0.95
RECORDED = Path(__file__).parents[4] / "shared" / "data" / "rollouts" / "beyond_passk_h4.json"


def _rows(experiment: Experiment) -> dict[tuple[str, str], StudyRow]:
    return {(one.figure, one.subject): one for one in experiment.rows}


def test_h1_to_every_printed_digit() -> None:
    """0.9762 and 1.0000; no corrected pass@5 of one rollout."""
    rows = experiment_1().rows
    assert ["0.9762", "1.0000", None] == [one.printed for one in rows]
    assert [41 / 42, 1.0, 137 / 143] == [pytest.approx(one.published) for one in rows]
    assert [True, True, False] == [agrees(one) for one in rows]
    assert {None} == {one.corrected for one in rows}


@pytest.mark.parametrize(
    ("agent", "misused", "reliability"),
    [("agent-x", "0.975", "0.125"), ("claude-code", "0.965", "0.000"), ("codex", "0.959", "0.000")],
)
def test_h2_to_every_printed_digit(agent: str, misused: str, reliability: str) -> None:
    """Test-count pass@5 and reliability@5, with pass@1 and pass^5 beside them."""
    rows = _rows(experiment_2(LEVEL))
    first, second = rows["test-count pass@5", agent], rows["reliability@5", agent]
    assert (misused, reliability) == (f"{first.published:.3f}", f"{second.published:.3f}")
    assert agrees(first)
    assert agrees(second)
    assert second.published == first.corrected == second.corrected
    assert second.low is not None
    assert second.high is not None
    assert second.low <= (second.corrected or 0.0) < second.high
    assert 0.0 == rows["pass^5", agent].corrected


def test_h2_of_the_first_agent_by_golden_counts() -> None:
    """reliability@5 = 1/8, pass@1 = 1/40; the mean inflation is 0.924."""
    rows = _rows(experiment_2(LEVEL))
    assert pytest.approx(1 / 8) == rows["reliability@5", "agent-x"].corrected
    assert pytest.approx(1 / 40) == rows["pass@1", "agent-x"].corrected
    assert agrees(rows["mean inflation", ""])
    assert (2.0, 0.0) == (
        rows["successful rollouts", "of 240, with 10 tests each"].corrected,
        rows["successful rollouts", "of 240, with 20 tests each"].corrected,
    )


def test_h3_to_every_printed_digit() -> None:
    """Spearman: 0.417, p 0.0218 with the last rollout's calls; 0.309 with the first's, and 0.432 at most."""
    experiment, pairs = experiment_3(LEVEL)
    rho, p, ceiling = experiment.rows
    assert agrees(rho)
    assert agrees(p)
    assert pytest.approx(0.30878, abs=1e-5) == rho.corrected
    assert pytest.approx(50 / 435) == p.corrected
    assert pytest.approx(0.43229, abs=1e-5) == ceiling.corrected
    assert 30 == len(pairs)
    assert [0.625, 0.625] == [pair.reliability for pair in pairs if pair.reliability]
    assert experiment.corrected_says.startswith("untestable")


def test_h4_from_the_paper_counts() -> None:
    """Equal at 0.80; without any finding the order inverts."""
    _check_h4(*experiment_4(paper_outcomes(), LEVEL))


def _check_h4(experiment: Experiment, thresholds: object) -> None:
    rows = _rows(experiment)
    expected = {"codex": (1.0, 0.7, 1.0), "agent-x": (0.9875, 0.8875, 0.7375)}
    expected["claude-code"] = (0.7929, 0.7036, 0.450)
    for agent, (plain, secure, single) in expected.items():
        assert pytest.approx(plain, abs=5e-5) == rows["reliability@5", agent].corrected
        assert pytest.approx(plain, abs=5e-5) == rows["adjusted for security", agent].published
        assert pytest.approx(secure, abs=5e-5) == rows["adjusted for security", agent].corrected
        assert pytest.approx(single) == rows["pass@1", agent].corrected
        assert agrees(rows["reliability@5", agent])
        assert agrees(rows["adjusted for security", agent])
    tau, p = rows["Kendall's tau", "plain and adjusted"], rows["p of tau = 0", "plain and adjusted"]
    assert agrees(tau)
    assert agrees(p)
    assert pytest.approx(-1 / 3) == tau.corrected
    assert pytest.approx(1.0) == p.corrected
    assert thresholds


@pytest.mark.shared
def test_h4_from_the_recorded_rollouts() -> None:
    """The same from the rollouts themselves, and they give the counts that are kept here."""
    outcomes = outcomes_of(read_jsonl(Source(str(RECORDED))), str(RECORDED))
    experiment, thresholds = experiment_4(outcomes, LEVEL)
    _check_h4(experiment, thresholds)
    assert {one.agent: _pairs(one) for one in paper_outcomes()} == {one.agent: _pairs(one) for one in outcomes}
    assert [0, 0, 0, 31] == [one.withdrawn for one in thresholds]
    assert pytest.approx(0.9875) == _rows(experiment)["no finding, by the last program", "agent-x"].published


def _pairs(one: object) -> list[tuple[int, int]]:
    """Successes, and secure ones, of each task, sorted."""
    task, passed, security = (getattr(one, name) for name in ("task", "passed", "security"))
    c, secure = (np.bincount(task[mask], minlength=10) for mask in (passed, passed & (security == 1)))
    return sorted(zip(c.tolist(), secure.tolist(), strict=True))


def test_pilot_from_its_five_rows() -> None:
    """Resolved 1/5, macro test pass rate 1091869/1356600, macro regression rate 277/1800."""
    rows = _rows(pilot(LEVEL))
    resolved, rate = rows["resolved", "5 tasks"], rows["macro test pass rate", "5 tasks"]
    regressions = rows["macro regression rate", "5 tasks"]
    assert pytest.approx(1 / 5) == resolved.corrected
    assert pytest.approx(1091869 / 1356600, rel=1e-14) == rate.published
    assert pytest.approx(277 / 1800, rel=1e-14) == regressions.published
    assert all(agrees(one) for one in (resolved, rate, regressions))
    assert resolved.low is not None
    assert 0 < resolved.low < 0.2
    lowered = rows["reliability@5", "5 tasks"]
    assert pytest.approx(0.2) == lowered.published
    assert lowered.corrected is None


def test_baseline_has_no_pass_at_5() -> None:
    """One rollout: pass@1 is the resolve rate, and there is no pass@5."""
    rows = _rows(experiment_0(LEVEL))
    assert pytest.approx(0.64) == rows["pass@1", "agent-x"].published
    assert 0.0 == rows["pass@1", "agent-x"].corrected
    assert pytest.approx(0.9929, abs=5e-5) == rows["pass@5", "agent-x"].published
    assert rows["pass@5", "agent-x"].corrected is None


def test_the_order_inverts() -> None:
    """The misuse ranks first who never solves a task; checked here from the raw tests, not by the table."""
    misused, reliability = {}, {}
    for agent, tasks in inverted_pair().items():
        flat = [pair for rollouts in tasks for pair in rollouts]
        misused[agent] = misused_pass_at_k([passed for passed, _ in flat], [total for _, total in flat])
        solved = [sum(passed == total for passed, total in rollouts) for rollouts in tasks]
        reliability[agent] = float(np.mean([stats.pass_at_k(8, c, 5) for c in solved]))
    assert misused["almost"] > misused["half"]
    assert reliability["almost"] < reliability["half"]
    rows = {one.subject: one for one in inversion(LEVEL).rows}
    for agent, value in misused.items():
        assert pytest.approx(value) == rows[agent].published
        assert pytest.approx(reliability[agent]) == rows[agent].corrected


@pytest.mark.parametrize(
    ("c", "pass_at", "pass_hat"), [(0, 0, 0), (1, 5 / 8, 0), (2, 25 / 28, 0), (3, 55 / 56, 0), (4, 1, 0)]
)
def test_golden_reliability_of_eight(c: int, pass_at: float, pass_hat: float) -> None:
    """pass@5 of n = 8, and pass^5 by its mirror."""
    assert pytest.approx(pass_at) == stats.pass_at_k(8, c, 5)
    assert pytest.approx(pass_hat) == stats.pass_hat_k(8, c, 5)
    assert pytest.approx(1 - pass_at) == stats.pass_hat_k(8, 8 - c, 5)


def test_agreement_is_to_the_printed_digits() -> None:
    """Rounded as printed; what is not printed or not computed agrees with nothing."""
    assert agrees(row("f", "", printed="0.417", published=0.4174))
    assert not agrees(row("f", "", printed="0.417", published=0.4176))
    assert not agrees(row("f", "", printed="0.417"))
    assert not agrees(row("f", "", published=0.417))


def _located(**changes: object) -> LocatedRollout:
    values: dict[str, object] = {
        "task": "t",
        "agent": "a",
        "rollout": "0",
        "resolved": True,
        "security_score": 1.0,
    }
    return LocatedRollout(Rollout(**{**values, **changes}), "r.json", 3)  # type: ignore[arg-type]


def test_rollouts_that_do_not_suffice() -> None:
    """No rollout, no score, no outcome, too few of a task: one line each."""
    with pytest.raises(UsageError, match=r"r\.json: holds no rollout"):
        outcomes_of([], "r.json")
    with pytest.raises(UsageError, match=r"r\.json:3: rollout t#a#0 has no security_score"):
        outcomes_of([_located(security_score=None)], "r.json")
    with pytest.raises(UsageError, match="has no outcome"):
        outcomes_of([_located(resolved=None, status="infra")], "r.json")
    with pytest.raises(UsageError, match=r"task t of a has 4 rollouts, and reliability@5 needs 5"):
        outcomes_of([_located(rollout=str(at)) for at in range(4)], "r.json")


def test_one_agent_has_no_order() -> None:
    """H4 of one agent gives figures and no tau."""
    outcomes = outcomes_of([_located(rollout=str(at), resolved=at > 0) for at in range(5)], "r.json")
    experiment, thresholds = experiment_4(outcomes, LEVEL)
    assert {None} == {one.tau for one in thresholds}
    assert "no order of agents" in experiment.corrected_says
    assert {None} == {one.printed for one in experiment.rows}
