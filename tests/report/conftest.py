"""Documents to show."""

from __future__ import annotations

import pytest

from codejury.model import Outcome
from codejury.report import (
    CheckFailure,
    Estimate,
    FlipRow,
    IntegrityCounts,
    Interval,
    JudgeDocument,
    Probe,
    ProblemRow,
    ProblemSetRef,
    ProblemStrength,
    Range,
    References,
    SetsCheckDocument,
    SetsStrengthDocument,
    Slice,
    StrengthFault,
    StrengthRow,
    Survivor,
    TimingRow,
    Unmutated,
)


def _estimate(value: float) -> Estimate:
    return Estimate(
        value=value,
        fixed_suite=Interval(se=0.01, low=value - 0.02, high=value + 0.02, method="exact"),
        population=Interval(se=0.03, low=value - 0.0625, high=value + 0.0625, method="t, clustered"),
    )


@pytest.fixture
def judge_document() -> JudgeDocument:
    """A finished run with everything that a document can hold; what could be hostile is."""
    return JudgeDocument(
        run="codegen [red]16b[/red]",
        problem_set=ProblemSetRef(name="humaneval", version="1-0", hash="0123"),
        samples=820,
        judged=820,
        partial=False,
        programs=790,
        problems=163,
        n=Range(min=4, max=5),
        level=0.95,
        pass_at_k={"1": _estimate(0.53), "4": _estimate(0.75)},
        pass_at_k_base={"1": _estimate(0.5625), "4": _estimate(0.8125)},
        per_problem=[ProblemRow(id="HumanEval/0", n=5, c=4), ProblemRow(id="HumanEval/1", n=4, c=0)],
        by_difficulty={
            "easy": Slice(problems=100, samples=500, pass_at_k={"1": _estimate(0.625), "4": _estimate(0.875)}),
            "hard": Slice(
                problems=63,
                samples=314,
                pass_at_k={"1": Estimate(value=0.0, fixed_suite=None, population=None), "4": _estimate(0.25)},
            ),
        },
        weak=Slice(
            problems=1,
            samples=5,
            pass_at_k={
                "1": Estimate(
                    value=1.0,
                    fixed_suite=Interval(se=None, low=0.025, high=1.0, method="clopper-pearson"),
                    population=None,
                )
            },
        ),
        verdicts={"passed": 434, "wrong_answer": 301, "timeout_cpu": 84, "infra_error": 1},
        integrity=IntegrityCounts(strong=814, weak=5, strong_passed=429, weak_passed=5),
        tier="namespaces",
        infra_errors=1,
        flips=[
            FlipRow(id="HumanEval/3#2", first=Outcome.TIMEOUT_WALL, final=Outcome.PASSED, samples=2),
        ],
        timing=TimingRow(wall_s=2.9, samples_per_s=283.0),
        missing=["HumanEval/163"],
        dropped=[],
        meta={"model": "codegen-16b", "temperature": "0.8"},
        warnings=[
            "1 sample ended in infrastructure errors, counted neither as right nor as wrong: a line of over 80",
            "a note with \x1b[31mescapes\x07 and [bold]markup[/bold]",
        ],
        conditions={"set": "humaneval 1", "temperature": "0.8"},
    )


@pytest.fixture
def sets_check_document() -> SetsCheckDocument:
    """A set with a reference that fails and a probe that passes."""
    return SetsCheckDocument(
        problem_set=ProblemSetRef(name="starter", version="0-1", hash="4567"),
        tier="namespaces",
        problems=15,
        references=References(passed=13, failed=1, absent=1),
        probes={"empty": Probe(judged=15, passed=0), "return True": Probe(judged=15, passed=1)},
        failures=[
            CheckFailure(
                id="starter/3", program="reference", outcome=Outcome.WRONG_ANSWER, detail="line 4\nfails"
            ),
            CheckFailure(id="starter/9", program="return True", outcome=Outcome.PASSED),
        ],
        ok=False,
        timing=TimingRow(wall_s=1.5, samples_per_s=30.0),
        warnings=["1 problem has no reference"],
    )


@pytest.fixture
def sets_strength_document() -> SetsStrengthDocument:
    """A set with everything that a document can hold; what could be hostile is."""
    return SetsStrengthDocument(
        problem_set=ProblemSetRef(name="mine", version="1-0", hash="89ab"),
        tier="namespaces",
        problems=5,
        min_score=0.9,
        total=StrengthRow(mutants=93, killed=86, equivalent=3, infra_errors=1, score=0.96625),
        per_problem=[
            ProblemStrength(id="mine/0", mutants=60, killed=58, equivalent=2, infra_errors=0, score=1.0),
            ProblemStrength(id="mine/[b]1[/b]", mutants=32, killed=28, equivalent=0, infra_errors=1, score=0.875),
            ProblemStrength(id="mine/2", mutants=1, killed=0, equivalent=1, infra_errors=0, score=None),
        ],
        below=["mine/[b]1[/b]"],
        survivors=[
            Survivor(id="mine/[b]1[/b]", mutant="line 3: Lt to LtE #2", line=3, text="while 0 < a and a < b:"),
            Survivor(id="mine/[b]1[/b]", mutant="line 1: removed Expr", line=9, text="print('\x1b[31m', [bold])"),
            Survivor(id="mine/[b]1[/b]", mutant="line 4: 7 to 8", line=4, text="x = 7"),
        ],
        equivalents=[
            Survivor(id="mine/0", mutant="line 2: 0 to 1", line=2, text="x = 0", reason="x is set again."),
            Survivor(id="mine/0", mutant="line 2: 0 to -1", line=2, text="x = 0", reason="x is set again."),
            Survivor(
                id="mine/2", mutant="line 2: returns None", line=2, text="return f()", reason="f gives None."
            ),
        ],
        faults=[
            StrengthFault(id="mine/0", mutant="line 9: 0 to 1", detail="there is no such mutant"),
            StrengthFault(id="mine/3", mutant=None, detail="its reference fails: crashed\nsignal 11"),
        ],
        unmutated=[Unmutated(id="mine/4", reason="it has no reference")],
        ok=False,
        timing=TimingRow(wall_s=1.5, samples_per_s=64.0),
    )
