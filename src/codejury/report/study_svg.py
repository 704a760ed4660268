"""The four figures of the study as SVG: published beside corrected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codejury.report.study_svg_parts import Bar, Point, bars, points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codejury.report.study import Experiment, StudyDocument, StudyRow

_NONE = "none"


def study_figures(document: StudyDocument) -> dict[str, str]:
    """The pictures by file name: baseline, H1, H2 and H3."""
    by_id = {one.id: one for one in document.experiments}
    return {
        "baseline.svg": _baseline(by_id["E0"], document.k),
        "suite-size.svg": _suite_size(by_id["E1"], document.k),
        "inflation.svg": _inflation(by_id["E2"], document.k),
        "proxy.svg": _proxy(by_id["E3"], document),
    }


def _baseline(experiment: Experiment, k: int) -> str:
    shares = [row for row in experiment.rows if row.figure == "pass@1"]
    misused = [row for row in experiment.rows if row.figure != "pass@1"]
    agents = [row.subject for row in shares]
    listed = "; ".join(
        f"{one.subject}: {_said(two.published)}, {_said(one.published)}, {_said(one.corrected)}"
        for one, two in zip(shares, misused, strict=True)
    )
    return bars(
        "Experiment 0: one rollout of each of 10 tasks",
        f"Bars by agent: test-count pass@{k}, mean share of tests passed, tasks resolved. {listed}.",
        agents,
        (f"test-count pass@{k}", "mean share of tests", "tasks resolved (pass@1)"),
        (_published(misused), _published(shares), _corrected(shares)),
    )


def _suite_size(experiment: Experiment, k: int) -> str:
    rows = experiment.rows
    listed = "; ".join(f"{row.subject}: {_said(row.published, 4)}" for row in rows)
    return bars(
        "Experiment 1: 40 % of tests passed in one rollout that failed",
        f"Bars by size of the suite: test-count pass@{k}. {listed}. pass@1 is 0 in each.",
        [row.subject.rpartition(", ")[2] for row in rows],
        (f"test-count pass@{k}", "resolved"),
        ([Bar(row.published, _said(row.published, 4)) for row in rows], [Bar(0.0, "0") for _ in rows]),
    )


def _inflation(experiment: Experiment, k: int) -> str:
    rows = [row for row in experiment.rows if row.figure == f"test-count pass@{k}"]
    listed = "; ".join(
        f"{row.subject}: {_said(row.published)} and {_said(row.corrected)}, bounds {_said(row.low)} to "
        f"{_said(row.high)}"
        for row in rows
    )
    return bars(
        f"Experiment 2: test-count pass@{k} and reliability@{k} of the same 240 rollouts",
        f"Bars by agent with bounds for other tasks. {listed}.",
        [row.subject for row in rows],
        (f"test-count pass@{k}", f"reliability@{k}, with bounds"),
        (_published(rows), _corrected(rows)),
    )


def _proxy(experiment: Experiment, document: StudyDocument) -> str:
    agents = list(dict.fromkeys(pair.agent for pair in document.pairs))
    rho, _, ceiling = experiment.rows
    above = sum(pair.reliability > 0 for pair in document.pairs)
    return points(
        f"Experiment 3: rho {_said(rho.corrected)}; the largest possible is {_said(ceiling.corrected)}",
        f"{len(document.pairs)} points by agent: reliability@{document.k} over the one-rollout proxy. {above} lie "
        f"above 0, all others at 0, over proxies from {min(pair.proxy for pair in document.pairs):.2f} to "
        f"{max(pair.proxy for pair in document.pairs):.2f}.",
        ("one-rollout proxy, all of the first rollout", f"reliability@{document.k}"),
        agents,
        [Point(pair.proxy, pair.reliability, agents.index(pair.agent)) for pair in document.pairs],
    )


def _published(rows: Sequence[StudyRow]) -> list[Bar]:
    return [Bar(row.published, _said(row.published)) for row in rows]


def _corrected(rows: Sequence[StudyRow]) -> list[Bar]:
    return [Bar(row.corrected, _said(row.corrected), row.low, row.high) for row in rows]


def _said(value: float | None, digits: int = 3) -> str:
    return _NONE if value is None else f"{value:.{digits}f}"
