"""The documents on rollouts and their view."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from codejury.report import encode_json
from codejury.report.document import Estimate, Interval, Range
from codejury.report.rollouts import (
    AgentFigures,
    BoundsRow,
    Figures,
    Latency,
    Measure,
    Mode,
    RolloutRunRow,
    RolloutRunsDocument,
    RolloutsDocument,
    SecureRow,
    Security,
    SharesOfTests,
    Solved,
    TaskRow,
    Unknown,
)
from codejury.report.rollouts_view import rollouts_report, rollouts_table

if TYPE_CHECKING:
    from rich.console import RenderableType

GOLDEN = Path(__file__).parent / "golden"


def _estimate(value: float) -> Estimate:
    return Estimate(
        value=value,
        fixed_suite=None,
        population=Interval(se=0.03125, low=value - 0.0625, high=value + 0.0625, method="t"),
    )


def _measure(value: float) -> Measure:
    return Measure(value=value, se=0.125, low=value - 0.25, high=value + 0.25, method="t", tasks=10, rollouts=78)


KS = {"1": _estimate(0.5), "2": _estimate(0.75)}
HATS = {"1": _estimate(0.5), "2": _estimate(0.25)}
FIGURES = Figures(
    tasks=10,
    rollouts=78,
    resolve_rate=_estimate(0.5),
    reliability_at_k=KS,
    pass_hat_k=HATS,
    solved=Solved(always=2, sometimes=5, never=3),
    test_pass_rate=SharesOfTests(
        macro=_measure(0.75), pooled=0.875, gap_to_resolved=_measure(0.25), gap_to_pooled=-0.125
    ),
    regression_rate=SharesOfTests(macro=_measure(0.25), pooled=0.125, gap_to_resolved=None, gap_to_pooled=0.125),
    tool_calls=_measure(12.5),
    tool_efficiency=_measure(0.5),
    cost_usd=_measure(0.5),
    cost_adjusted=_measure(2.5),
    cost_per_solved_task=Measure(value=1.0, se=None, low=None, high=None, method=None, tasks=1, rollouts=8),
    latency_s=Latency(mean=_measure(100.0), median=90.0, p90=180.0),
    tokens=_measure(1000.0),
)
BARE = Figures(
    tasks=1,
    rollouts=8,
    resolve_rate=Estimate(value=0.5, fixed_suite=None, population=None),
    reliability_at_k={"2": Estimate(value=0.75, fixed_suite=None, population=None)},
    pass_hat_k={"2": Estimate(value=0.25, fixed_suite=None, population=None)},
    solved=Solved(always=0, sometimes=1, never=0),
    test_pass_rate=None,
    regression_rate=None,
    tool_calls=None,
    tool_efficiency=None,
    cost_usd=None,
    cost_adjusted=None,
    cost_per_solved_task=None,
    latency_s=None,
    tokens=None,
)


def _secure(threshold: float | None, severity: str | None, withdrawn: int) -> SecureRow:
    return SecureRow(
        threshold=threshold,
        severity=severity,
        withdrawn=withdrawn,
        pass_at_1=_estimate(0.375),
        reliability_at_k=KS,
        pass_hat_k=HATS,
    )


AGENT = AgentFigures(
    agent="codex [b]x[/b]",
    rollouts=80,
    n=Range(min=7, max=8),
    figures=FIGURES,
    by_difficulty={"easy": FIGURES, "hard": BARE},
    by_tag={"web [x]": FIGURES},
    unknown=Unknown(
        infra=1,
        missing=1,
        share=0.0125,
        resolve_rate=BoundsRow(excluded=0.5, all_failed=0.4875, all_passed=0.5125),
        reliability_at_k={"2": BoundsRow(excluded=0.75, all_failed=0.725, all_passed=0.775)},
        pass_hat_k={"2": BoundsRow(excluded=0.25, all_failed=0.225, all_passed=0.275)},
    ),
    modes=[
        Mode(status="ok", subtype="", rollouts=70, resolved=39),
        *(Mode(status="infra", subtype=f"docker {at}", rollouts=1, resolved=0) for at in range(10)),
    ],
    security=Security(
        scored=39,
        unscored=0,
        paper_threshold=0.8,
        hidden=5,
        thresholds=[_secure(0.0, None, 0), _secure(6 / 7, None, 0), _secure(1.0, None, 5)],
        severities=[_secure(None, "low", 5), _secure(None, "critical", 0)],
    ),
    per_task=[
        TaskRow(
            id="t",
            n=8,
            c=4,
            infra=0,
            missing=0,
            test_pass_rate=0.75,
            regression_rate=None,
            cost_usd=0.5,
            tool_calls=12.5,
            latency_s=None,
        )
    ],
)
PLAIN = msgspec.structs.replace(
    AGENT,
    agent="bare",
    n=Range(min=8, max=8),
    figures=BARE,
    by_difficulty={},
    by_tag={},
    unknown=None,
    modes=AGENT.modes[:1],
    security=None,
)
DOCUMENT = RolloutsDocument(
    run="mine [i]",
    format="jsonl",
    source="rows.jsonl",
    rollouts=160,
    tasks=10,
    level=0.95,
    ks=[1, 2],
    dropped=["short"],
    agents=[AGENT, PLAIN],
    warnings=["a warning [x]"],
    notes=["field 'other' is not read (2 times)"],
)
RUNS = RolloutRunsDocument(
    runs=[
        RolloutRunRow(
            run="mine [i]",
            created="2026-11-01T10:20:30Z",
            format="jsonl",
            source="rows.jsonl",
            rollouts=160,
            tasks=10,
            agents=2,
            notes=["a note"],
        )
    ]
)


def _shown(renderable: RenderableType) -> str:
    stream = io.StringIO()
    Console(file=stream, width=80, markup=False, highlight=False).print(renderable)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def test_documents_are_as_published() -> None:
    """The golden files are the contract with those who read documents."""
    assert (GOLDEN / "rollouts-report.json").read_bytes() == encode_json(DOCUMENT)
    assert (GOLDEN / "rollouts.json").read_bytes() == encode_json(RUNS)
    assert DOCUMENT == msgspec.json.decode(encode_json(DOCUMENT), type=RolloutsDocument)


def test_view_at_80_columns() -> None:
    """Names are printed as they are, and no line is longer than the terminal."""
    text = _shown(rollouts_report(DOCUMENT))
    assert (GOLDEN / "rollouts-report.txt").read_text(encoding="utf-8") == text
    assert 80 >= max(map(len, text.splitlines()))


def test_list_of_runs() -> None:
    """A line each; a store without any says so."""
    assert (GOLDEN / "rollouts.txt").read_text(encoding="utf-8") == _shown(rollouts_table(RUNS))
    assert "No runs of rollouts.\n" == _shown(rollouts_table(RolloutRunsDocument(runs=[])))
