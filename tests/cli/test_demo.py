"""How the demo is told, with and without isolation."""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console

from codejury.cli.demo import demo_report
from codejury.pipeline import DemoResult
from codejury.pipeline.demo import Share, Standing
from codejury.report import Estimate, Interval, JudgeDocument, Slice
from codejury.sets import starter
from codejury.sets.starter import contestants

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

MISSING = (
    "tier 'namespaces' cannot be had: user namespaces missing: the kernel refuses them: ask the administrator for"
    " kernel.unprivileged_userns_clone=1"
)
GOLDEN = Path(__file__).parents[1] / "report" / "golden" / "judge.json"


def _standings() -> list[Standing]:
    """Of the contestants, with made-up figures as wide as figures get."""
    document = msgspec.json.decode(GOLDEN.read_bytes(), type=JudgeDocument)
    interval = Interval(se=0.1, low=0.0, high=1.0, method="exact")
    estimates = {k: Estimate(value=0.5, fixed_suite=interval, population=None) for k in ("1", "5")}
    estimates["10"] = Estimate(value=1.0, fixed_suite=None, population=None)
    level = Slice(problems=5, samples=50, pass_at_k=estimates)
    documents = [
        msgspec.structs.replace(
            document,
            run=name,
            pass_at_k=estimates,
            by_difficulty={"easy": level, "medium": level, "hard": level},
            verdicts={"wrong_answer": 40 + i, "passed": 110 - i},
        )
        for i, name in enumerate(contestants.contestants())
    ]
    shares = [Share(120, 120), Share(3, 120), Share(0, 0)]
    return [
        Standing(document=document, unsafe=share, slower=Share(10, 35))
        for document, share in zip(documents, shares, strict=True)
    ]


def _told(result: DemoResult, kept: str | None = None) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=80).print(demo_report(result, kept=kept))
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_told_in_80_columns() -> None:
    """No line of it is wrapped by the terminal: each ends where it was made to end."""
    wide = io.StringIO()
    Console(file=wide, width=200).print(demo_report(DemoResult(_standings(), None), kept="demo.db"))
    lines = _told(DemoResult(_standings(), None), "demo.db")
    assert [line.rstrip() for line in wide.getvalue().splitlines()] == lines
    assert "3 synthetic contestants on" in lines[0]
    assert [
        "contestant               pass@1        pass@5  pass@10   unsafe  slower",
        "synthetic-hasty            0.50          0.50     1.00  120/120   10/35",
        "                   [0.00, 1.00]  [0.00, 1.00]",
        "synthetic-careful          0.50          0.50     1.00    3/120   10/35",
        "                   [0.00, 1.00]  [0.00, 1.00]",
        "synthetic-novice           0.50          0.50     1.00        -   10/35",
        "                   [0.00, 1.00]  [0.00, 1.00]",
    ] == lines[3:10]
    assert "wrong_answer               40                 41                42" in lines
    assert "  codejury report synthetic-hasty --store demo.db" in lines
    assert not any("No isolation" in line for line in lines)


def test_story_is_told_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the figures and what to do next; figures that tell nothing have no heading either."""
    assert "What it says:" not in _told(DemoResult(_standings(), None))
    monkeypatch.setattr("codejury.cli.demo.story", lambda standings: f"Of {len(standings)}.")
    lines = _told(DemoResult(_standings(), None))
    place = lines.index("What it says:")
    assert ["Of 3.", "", "What to do next:"] == lines[place + 1 : place + 4]


def test_measured_column_says_so() -> None:
    """Its counts are no golden figures, and the reader knows."""
    text = " ".join(" ".join(_told(DemoResult(_standings(), None))).split())
    assert "this column is measured, and may move by one from run to run" in text


def test_runs_that_are_gone_are_not_offered() -> None:
    """Without --keep there is nothing to report."""
    assert not any("codejury report" in line for line in _told(DemoResult(_standings(), None)))


def test_missing_isolation_is_told_first() -> None:
    """With its reason, and that samples of a model would be refused."""
    lines = _told(DemoResult(_standings(), MISSING))
    assert lines[0].startswith("No isolation here: tier 'namespaces' cannot be had: user namespaces missing:")
    text = " ".join(lines)
    assert MISSING in text
    assert "The demo's samples are codejury's own, so it runs all the same, without walls;" in text


def test_demo_without_a_tier(codejury: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command on a machine that gives no isolation, with a few problems; its runs can be kept, and once."""
    whole = starter.load()
    few = msgspec.structs.replace(whole, problems=whole.problems[:4])
    monkeypatch.setattr(contestants, "load", lambda: few)
    monkeypatch.setattr(starter, "load", lambda: few)

    async def missing() -> tuple[str, str]:
        return "none", MISSING

    monkeypatch.setattr(importlib.import_module("codejury.pipeline.demo"), "_tier", missing)
    monkeypatch.setattr(contestants, "contestants", lambda: ["synthetic-hasty"])  # the one that never hangs
    ended = codejury("demo", "--keep", "demo.db")
    assert (0, "") == (ended.code, ended.err)
    assert ended.out.startswith("No isolation here: tier 'namespaces' cannot be had")
    right = contestants.expected("synthetic-hasty")
    assert f"{len(right)} samples judged in" in ended.out
    assert "tier none" in ended.out
    reported = codejury("report", "synthetic-hasty", "--store", "demo.db", "--json", "-")
    document = msgspec.json.decode(reported.out, type=JudgeDocument)
    assert ("none", sum(right.values())) == (document.tier, document.verdicts["passed"])
    again = codejury("demo", "--keep", "demo.db")
    assert (2, "") == (again.code, again.out)
    assert again.err.startswith("codejury: run 'synthetic-hasty' is already in store demo.db")
