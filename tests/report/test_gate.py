"""The documents of `gate` and `plan` and their views: terminal, Markdown, JUnit, GitHub."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from rich.console import Console

from codejury.report import (
    DetectableRow,
    Dropped,
    GateCheck,
    GateDocument,
    GatePair,
    NeededRow,
    PlanDocument,
    PlanRow,
    ProblemSetRef,
    Waived,
    encode_json,
)
from codejury.report.gate_view import gate_junit, gate_markdown, gate_report, github_annotations
from codejury.report.plan_view import plan_report

if TYPE_CHECKING:
    from rich.console import RenderableType

GOLDEN = Path(__file__).parent / "golden"


def _check(metric: str, decision: str, **fields: object) -> GateCheck:
    check = GateCheck(
        metric=metric,
        set="humaneval",
        slice="",
        mode="regression",
        margin=0.01,
        alpha=0.05,
        problems=164,
        baseline=0.5,
        current=0.4375,
        difference=-0.0625,
        low=-0.09375,
        high=-0.03125,
        method="permuted",
        p=0.00390625,
        p_holm=0.0078125,
        false_alarms=0.046875,
        detectable=[
            DetectableRow(model="spread", effect=0.03125, power=0.8),
            DetectableRow(model="lost", effect=None, power=0.5),
        ],
        decision="pass",
    )
    return msgspec.structs.replace(check, decision=decision, **fields)


@pytest.fixture
def document() -> GateDocument:
    """A check of each kind; what could be hostile is."""
    return GateDocument(
        decision="regression",
        exit_code=1,
        on_inconclusive="fail",
        pairs=[
            GatePair(
                current="now|<b>",
                baseline="base",
                problem_set=ProblemSetRef(name="humaneval", version="1-0", hash="0123"),
                problems=164,
                dropped=[Dropped(run="base", reason="weak verdicts", ids=["HumanEval/7"])],
                waived=[Waived(condition="temperature", values={"base": "0.8", "now|<b>": "0.2"})],
                unverified=["prompt_hash"],
                lost=[f"HumanEval/{i}" for i in range(12)],
                gained=["HumanEval/20"],
            )
        ],
        include_weak=False,
        checks=[
            _check("pass@1", "regression"),
            _check("pass@1", "pass", slice="difficulty=hard", mode="point", p=0.5, p_holm=0.5),
            _check("pass^2", "inconclusive", mode="noninferiority", margin=0.02),
            _check(
                "cost",
                "pass",
                margin=0.1,
                baseline=0.0025,
                current=0.00253125,
                difference=0.0125,
                low=-0.0125,
                high=0.0375,
                method="normal",
                detectable=[DetectableRow(model="normal", effect=0.125, power=0.8)],
            ),
        ],
        warnings=["waived: temperature differs: 0.8 (base), 0.2 (now|<b>)", "100 % of it\x1b[31m::error::x"],
    )


@pytest.fixture
def planned() -> PlanDocument:
    """A plan with a number that is not enough, and an effect that is not detected."""
    return PlanDocument(
        detect=0.02,
        power=0.8,
        alpha=0.05,
        margin=0.01,
        mode="regression",
        abilities="the rates of [b]a[/b]",
        mean=0.5,
        spread=0.1015625,
        needed=[
            NeededRow(problems=3100, samples=1, model="spread"),
            NeededRow(problems=None, samples=1, model="lost"),
        ],
        given=[
            PlanRow(problems=164, samples=10, model="spread", effect=0.0275, power=0.8, false_alarms=0.05),
            PlanRow(problems=2, samples=1, model="lost", effect=None, power=0.1, false_alarms=0.0),
        ],
        warnings=["a note"],
    )


def _show(shown: RenderableType) -> str:
    file = io.StringIO()
    Console(file=file, width=80, no_color=True, legacy_windows=False).print(shown)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def test_documents_are_as_published(document: GateDocument, planned: PlanDocument) -> None:
    """The golden files are the contract with those who read documents, and can be read back."""
    assert (GOLDEN / "gate.json").read_bytes() == encode_json(document)
    assert document == msgspec.json.decode(encode_json(document), type=GateDocument)
    assert (GOLDEN / "plan.json").read_bytes() == encode_json(planned)


def test_views_are_as_published(document: GateDocument, planned: PlanDocument) -> None:
    """Terminal, Markdown, JUnit."""
    assert (GOLDEN / "gate.txt").read_text("utf-8") == _show(gate_report(document))
    assert (GOLDEN / "gate.md").read_text("utf-8") == gate_markdown(document)
    assert (GOLDEN / "gate.xml").read_bytes() == gate_junit(document)
    assert (GOLDEN / "plan.txt").read_text("utf-8") == _show(plan_report(planned))


def test_junit_counts(document: GateDocument) -> None:
    """An inconclusive check fails or is skipped, as the gate says; the file is XML."""
    for ends, failures, skipped in (("fail", "2", "0"), ("pass", "1", "1")):
        suite = ET.fromstring(gate_junit(msgspec.structs.replace(document, on_inconclusive=ends)))  # noqa: S314 - ours
        assert ("4", failures, skipped) == tuple(suite.get(name) for name in ("tests", "failures", "skipped"))
        assert int(failures) == len(suite.findall("testcase/failure"))
        assert int(skipped) == len(suite.findall("testcase/skipped"))


def test_annotations_are_one_command_each(document: GateDocument) -> None:
    """No text of a run starts a command of its own."""
    lines = github_annotations(document)
    assert ["error", "notice", "warning", "notice", "warning", "warning"] == [
        line[2:].split()[0] for line in lines
    ]
    assert not any("\n" in line or "\x1b" in line for line in lines)
    assert "title=pass@1%2C humaneval::regression: 50.0 %25 before" in lines[0]


def test_waivers_are_in_every_output(document: GateDocument) -> None:
    """Terminal, Markdown, JUnit, annotations and document."""
    texts = (
        _show(gate_report(document)),
        gate_markdown(document),
        gate_junit(document).decode(),
        "\n".join(github_annotations(document)),
        encode_json(document).decode(),
    )
    assert all("waived: temperature differs" in text for text in texts)
