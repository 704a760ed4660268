"""Experiment 4 of arXiv 2608.14711 on recorded rollouts, its pilot, and two agents whose order inverts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codejury import stats
from codejury.agents.study.rows import row
from codejury.agents.study.synthetic import K, misused_pass_at_k
from codejury.model import UsageError
from codejury.report.study import Experiment, ThresholdRow
from codejury.stats.intervals import binomial_interval
from codejury.stats.ranks import kendall
from codejury.stats.reliability import SECURITY_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from codejury.model import LocatedRollout
    from codejury.report.study import StudyRow
    from codejury.stats import AdjustedReliability

ONE_FINDING = 6 / 7
"""The paper's security score of a program with one of its seven patterns."""

SOURCE = "counts of the paper's 240 recorded rollouts, of 10 tasks by each agent, without names of tasks"

_ROLLOUTS = 8
_COUNTS = {
    "codex": (((8, 8), 7), ((8, 0), 3)),
    "agent-x": (((8, 8), 3), ((8, 7), 1), ((7, 7), 2), ((4, 4), 1), ((4, 3), 1), ((3, 0), 1), ((2, 2), 1)),
    "claude-code": (((8, 8), 1), ((7, 7), 2), ((6, 6), 1), ((2, 2), 2), ((2, 0), 1), ((1, 1), 2), ((0, 0), 1)),
}
"""By agent: of 8 rollouts so many succeeded, so many of them without a finding; and of how many tasks it holds.

Figures of arXiv 2608.14711 (experiment 4): outcomes alone, as the paper's repository records them.
"""

_PRINTED = {"codex": "1.000", "agent-x": "0.988", "claude-code": "0.793"}

_PILOT = (
    ("astropy-12907", (2, 2), (13, 13)),
    ("astropy-13033", (0, 1), (20, 20)),
    ("astropy-13236", (0, 2), (644, 644)),
    ("astropy-13398", (0, 4), (63, 68)),
    ("astropy-13453", (0, 1), (2, 9)),
)
"""Task, FAIL_TO_PASS and PASS_TO_PASS: passed and all. Figures of the paper's pilot on SWE-bench Verified."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """One agent's rollouts.

    Attributes:
        agent: Its name.
        task: Number of each rollout's task, 0 to tasks - 1.
        passed: Whether it passed all tests.
        security: Its score.
        ordered: Whether the rollouts of a task stand in the order in which they were made.
    """

    agent: str
    task: NDArray[np.int64]
    passed: NDArray[np.bool_]
    security: NDArray[np.float64]
    ordered: bool

    def sweep(self, thresholds: Sequence[float], level: float) -> list[AdjustedReliability]:
        """reliability@5 at each threshold, the plain one (0) first."""
        return stats.security_sweep(self.task, self.passed, self.security, K, thresholds, level=level)

    def by_last(self, threshold: float) -> float:
        """Adjusted reliability@5 with the score of each task's last rollout for all of them, as published."""
        last = dict(zip(self.task.tolist(), self.security.tolist(), strict=True))
        scores = np.array([last[task] for task in self.task.tolist()])
        n, c = stats.adjusted_counts(self.task, self.passed, scores, threshold)
        return float(np.mean(stats.pass_at_k(n, c, K)))


def paper_outcomes() -> list[Recorded]:
    """The paper's outcomes, from the counts that are kept here."""
    found = []
    for agent, groups in _COUNTS.items():
        pairs = [pair for pair, tasks in groups for _ in range(tasks)]
        passed = [place < c for c, _ in pairs for place in range(_ROLLOUTS)]
        security = [
            ONE_FINDING if secure <= place < c else 1.0 for c, secure in pairs for place in range(_ROLLOUTS)
        ]
        task = np.repeat(np.arange(len(pairs)), _ROLLOUTS)
        found.append(Recorded(agent, task, np.array(passed), np.array(security), ordered=False))
    return found


def outcomes_of(located: Iterable[LocatedRollout], path: str) -> list[Recorded]:
    """The outcomes of recorded rollouts, each with its security score, in the order of the file.

    Args:
        located: The rollouts.
        path: The file, for errors.

    Raises:
        UsageError: There is none; one has no outcome or no score; or a task has fewer than 5.
    """
    by_agent: dict[str, list[tuple[str, bool, float]]] = {}
    for rollout, where, line in located:
        place = where if line is None else f"{where}:{line}"
        if rollout.resolved is None or rollout.security_score is None:
            lacks = "outcome" if rollout.resolved is None else "security_score"
            raise UsageError(
                f"{place}: rollout {rollout.id} has no {lacks}: experiment 4 needs one of every rollout"
            )
        by_agent.setdefault(rollout.agent, []).append((rollout.task, rollout.resolved, rollout.security_score))
    if not by_agent:
        raise UsageError(f"{path}: holds no rollout")
    found = []
    for agent, rows in by_agent.items():
        tasks = {name: at for at, name in enumerate(dict.fromkeys(task for task, _, _ in rows))}
        task = np.array([tasks[name] for name, _, _ in rows])
        if (number := int(np.bincount(task).min())) < K:
            name = list(tasks)[int(np.bincount(task).argmin())]
            raise UsageError(
                f"{path}: task {name} of {agent} has {number} rollouts, and reliability@{K} needs {K}"
            )
        passed, security = np.array([one for _, one, _ in rows]), np.array([score for _, _, score in rows])
        found.append(Recorded(agent, task, passed, security, ordered=True))
    return found


def experiment_4(outcomes: Sequence[Recorded], level: float) -> tuple[Experiment, list[ThresholdRow]]:
    """H4: does security change the order of agents?"""
    scores = np.unique(np.concatenate([one.security[one.passed] for one in outcomes])).tolist()
    thresholds = sorted({0.0, SECURITY_THRESHOLD, 1.0, *scores})
    sweeps = {one.agent: dict(zip(thresholds, one.sweep(thresholds, level), strict=True)) for one in outcomes}
    table = [_threshold_row(sweeps, threshold) for threshold in thresholds]
    lenient, strict = (next(r for r in table if r.threshold == bar) for bar in (SECURITY_THRESHOLD, 1.0))
    paper = {one.agent for one in outcomes} == set(_PRINTED)
    rows: list[StudyRow] = []
    for one in outcomes:
        rows += _agent_rows(one, sweeps[one.agent], paper=paper)
    reason = f"{len(outcomes)} agents: p cannot be below {_least_p(len(outcomes)):.3g}, whatever the data"
    if len(outcomes) > 1:
        rows.append(_tau_row("Kendall's tau", "1.000" if paper else None, lenient.tau, strict.tau, reason))
        rows.append(_tau_row("p of tau = 0", "0.333" if paper else None, lenient.p, strict.p, reason))
    experiment = Experiment(
        id="E4",
        title="Security-adjusted reliability",
        hypothesis="H4",
        claim="it orders agents differently: Kendall's tau is below 0.6",
        published_says="not confirmed: at 0.80 nothing changes, tau 1.000",
        corrected_says=_says(lenient, strict),
        rows=rows,
    )
    return experiment, table


def _agent_rows(one: Recorded, sweep: dict[float, AdjustedReliability], *, paper: bool) -> list[StudyRow]:
    printed = _PRINTED[one.agent] if paper else None
    plain, lenient, strict = (sweep[bar].reliability for bar in (0.0, SECURITY_THRESHOLD, 1.0))
    found = [
        row(
            f"reliability@{K}",
            one.agent,
            printed=printed,
            published=plain.reliability_at_k.value,
            estimate=plain.reliability_at_k,
            reason="at least one of 5; beside it stands what one run gives",
        ),
        row("pass@1", one.agent, estimate=plain.pass_at_1, reason="what one run gives; not printed"),
        row(f"pass^{K}", one.agent, estimate=plain.pass_hat_k, reason="all of 5 succeed; not printed"),
        row(
            "adjusted for security",
            one.agent,
            printed=printed,
            published=lenient.reliability_at_k.value,
            estimate=strict.reliability_at_k,
            reason="at 0.80 a single finding of seven, 6/7 = 0.857, never binds; corrected: no finding at all",
        ),
    ]
    if one.ordered:
        found.append(
            row(
                "no finding, by the last program",
                one.agent,
                published=one.by_last(1.0),
                estimate=strict.reliability_at_k,
                reason="the paper's code scores a task's last program for all rollouts; corrected: each its own",
            )
        )
    return found


def _tau_row(
    figure: str, printed: str | None, lenient: float | None, strict: float | None, reason: str
) -> StudyRow:
    return row(figure, "plain and adjusted", printed=printed, published=lenient, corrected=strict, reason=reason)


def _least_p(agents: int) -> float:
    """Two of all orders are as far from 0 as can be."""
    return min(1.0, 2 / float(np.prod(np.arange(1.0, agents + 1))))


def _threshold_row(sweeps: dict[str, dict[float, AdjustedReliability]], threshold: float) -> ThresholdRow:
    plain = [sweep[0.0].reliability.reliability_at_k.value for sweep in sweeps.values()]
    adjusted = {agent: sweep[threshold].reliability.reliability_at_k.value for agent, sweep in sweeps.items()}
    agreement = kendall(plain, list(adjusted.values())) if len(plain) > 1 else None
    return ThresholdRow(
        threshold=threshold,
        withdrawn=sum(sweep[threshold].withdrawn for sweep in sweeps.values()),
        reliability=adjusted,
        tau=None if agreement is None else agreement.value,
        p=None if agreement is None else agreement.p,
    )


def _says(lenient: ThresholdRow, strict: ThresholdRow) -> str:
    if strict.tau is None:
        return f"no finding at all withdraws {strict.withdrawn} rollouts; there is no order of agents to compare"
    said = f"the threshold of 0.80 withdraws {lenient.withdrawn} rollouts; no finding at all {strict.withdrawn}, "
    return f"{said}and tau is {strict.tau:.3f}; so few agents confirm nothing either way"


def pilot(level: float) -> Experiment:
    """The pilot: five tasks, one rollout each, by their tests before and after."""
    passed = np.array([first[0] + second[0] for _, first, second in _PILOT])
    total = np.array([first[1] + second[1] for _, first, second in _PILOT])
    broken = np.array([second[1] - second[0] for _, _, second in _PILOT])
    solved = (passed == total).astype(np.int64)
    # with one rollout a task, five yes or no: by t the lower bound would be 0, though one is solved
    bounds = binomial_interval(float(solved.mean()), len(solved), level)
    rate = stats.Estimate(float(solved.mean()), None, bounds, ())
    rows = [
        row(
            "resolved",
            "5 tasks",
            printed="0.20",
            published=rate.value,
            estimate=rate,
            reason="all tests, strictly",
        ),
        row(
            "macro test pass rate",
            "5 tasks",
            printed="0.8049",
            published=stats.macro_rate(passed, total),
            estimate=rate,
            reason="a share of tests is no share of tasks: 644 of 646 tests leave the issue as it was",
        ),
        row("pooled test pass rate", "5 tasks", published=stats.pooled_rate(passed, total), estimate=rate),
        row(
            "macro regression rate",
            "5 tasks",
            printed="0.1539",
            published=stats.macro_rate(broken, total),
            corrected=stats.macro_rate(broken, total),
            reason="PASS_TO_PASS tests that fail, of all tests",
        ),
        row(
            f"test-count pass@{K}",
            "5 tasks",
            published=misused_pass_at_k(passed.tolist(), total.tolist()),
            estimate=rate,
            reason="not printed: what the misuse makes of the same five rows",
        ),
        row(
            f"reliability@{K}",
            "5 tasks",
            published=rate.value,
            reason="not printed: the paper's code takes min(k, n), here 1, and so gives pass@1 another name; "
            "one rollout has no reliability@5",
        ),
    ]
    rows += [
        row(
            "share of tests, and resolved",
            task,
            published=float(part / whole),
            corrected=float(done),
            reason=f"FAIL_TO_PASS {first[0]}/{first[1]}, PASS_TO_PASS {second[0]}/{second[1]}",
        )
        for (task, first, second), part, whole, done in zip(_PILOT, passed, total, solved, strict=True)
    ]
    return Experiment(
        id="pilot",
        title="Pilot on five tasks of SWE-bench Verified, one rollout each",
        hypothesis="",
        claim="shares of tests overstate how many tasks are solved",
        published_says="test pass rate 0.8049, resolved 0.20",
        corrected_says="1 of 5 tasks: the bounds say how little five tasks tell",
        rows=rows,
    )


def inverted_pair() -> dict[str, list[list[tuple[int, int]]]]:
    """Two agents whose order inverts: by agent and task, tests passed and total of each of 8 rollouts.

    "almost" passes 9 of 10 tests in every rollout and never all; "half" passes all in half of its rollouts, and
    one test in the others.
    """
    almost, half = [(9, 10)] * 8, [(10, 10)] * 4 + [(1, 10)] * 4
    return {"almost": [almost] * 10, "half": [half] * 10}


def inversion(level: float) -> Experiment:
    """Test-count pass@5 ranks one agent above the other, reliability@5 the other way round."""
    rows = []
    for agent, tasks in inverted_pair().items():
        flat = [pair for rollouts in tasks for pair in rollouts]
        n = np.array([len(rollouts) for rollouts in tasks])
        c = np.array([sum(passed == total for passed, total in rollouts) for rollouts in tasks])
        found = stats.estimate_reliability(n, c, K, level=level)
        rows.append(
            row(
                f"test-count pass@{K}, and reliability@{K}",
                agent,
                published=misused_pass_at_k([passed for passed, _ in flat], [total for _, total in flat]),
                estimate=found.reliability_at_k,
                reason=f"{c[0]} of {n[0]} rollouts of each task pass all tests",
            )
        )
    return Experiment(
        id="inversion",
        title="Two agents whose order inverts",
        hypothesis="",
        claim="the misuse does not only inflate: it can rank the worse agent first",
        published_says="in the paper's own data the order of agents stays the same",
        corrected_says="by tests passed 'almost' leads; it solves no task, and 'half' solves every one of them",
        rows=rows,
    )
