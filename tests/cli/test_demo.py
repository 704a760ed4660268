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
from codejury.report import Estimate, Interval, JudgeDocument, Slice
from codejury.sets.starter import contestants

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

MISSING = (
    "tier 'namespaces' cannot be had: user namespaces missing: the kernel refuses them: ask the administrator for"
    " kernel.unprivileged_userns_clone=1"
)
GOLDEN = Path(__file__).parents[1] / "report" / "golden" / "judge.json"


def _documents() -> list[JudgeDocument]:
    """Of the contestants, with made-up figures as wide as figures get."""
    document = msgspec.json.decode(GOLDEN.read_bytes(), type=JudgeDocument)
    interval = Interval(se=0.1, low=0.0, high=1.0, method="exact")
    estimates = {k: Estimate(value=0.5, fixed_suite=interval, population=None) for k in ("1", "5")}
    estimates["10"] = Estimate(value=1.0, fixed_suite=None, population=None)
    level = Slice(problems=5, samples=50, pass_at_k=estimates)
    return [
        msgspec.structs.replace(
            document,
            run=name,
            pass_at_k=estimates,
            by_difficulty={"easy": level, "medium": level, "hard": level},
            verdicts={"wrong_answer": 40 + i, "passed": 110 - i},
        )
        for i, name in enumerate(contestants.contestants())
    ]


def _told(result: DemoResult, kept: str | None = None) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=80).print(demo_report(result, kept=kept))
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_told_in_80_columns() -> None:
    """No line of it is wrapped by the terminal: each ends where it was made to end."""
    wide = io.StringIO()
    Console(file=wide, width=200).print(demo_report(DemoResult(_documents(), None), kept="demo.db"))
    lines = _told(DemoResult(_documents(), None), "demo.db")
    assert [line.rstrip() for line in wide.getvalue().splitlines()] == lines
    assert "3 synthetic contestants on" in lines[0]
    assert "synthetic-steady    0.50 [0.00, 1.00]  0.50 [0.00, 1.00]     1.00" in lines
    assert "wrong_answer                40                  41                42" in lines
    assert "  codejury report synthetic-steady --store demo.db" in lines
    assert not any("isolation" in line for line in lines)


def test_runs_that_are_gone_are_not_offered() -> None:
    """Without --keep there is nothing to report."""
    assert not any("codejury report" in line for line in _told(DemoResult(_documents(), None)))


def test_missing_isolation_is_told_first() -> None:
    """With its reason, and that samples of a model would be refused."""
    lines = _told(DemoResult(_documents(), MISSING))
    assert lines[0].startswith("No isolation here: tier 'namespaces' cannot be had: user namespaces missing:")
    text = " ".join(lines)
    assert MISSING in text
    assert "The demo's samples are codejury's own, so it runs all the same, without walls;" in text


def test_demo_without_a_tier(codejury: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command on a machine that gives no isolation; its runs can be kept, and once."""

    async def missing() -> tuple[str, str]:
        return "none", MISSING

    monkeypatch.setattr(importlib.import_module("codejury.pipeline.demo"), "_tier", missing)
    monkeypatch.setattr(contestants, "contestants", lambda: ["synthetic-steady"])  # the one that never hangs
    ended = codejury("demo", "--keep", "demo.db")
    assert (0, "") == (ended.code, ended.err)
    assert ended.out.startswith("No isolation here: tier 'namespaces' cannot be had")
    assert "150 samples judged in" in ended.out
    assert "tier none" in ended.out
    reported = codejury("report", "synthetic-steady", "--store", "demo.db", "--json", "-")
    document = msgspec.json.decode(reported.out, type=JudgeDocument)
    right = sum(contestants.expected("synthetic-steady").values())
    assert ("none", right) == (document.tier, document.verdicts["passed"])
    again = codejury("demo", "--keep", "demo.db")
    assert (2, "") == (again.code, again.out)
    assert again.err.startswith("codejury: run 'synthetic-steady' is already in store demo.db")
