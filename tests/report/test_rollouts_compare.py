"""The document of `rollouts compare` and its view."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import pytest
from rich.console import Console

from codejury.report import encode_json
from codejury.report.comparison import (
    DetectableRow,
    Difference,
    Dropped,
    Flipped,
    McNemar,
    SliceDifference,
    Waived,
)
from codejury.report.document import Estimate, Interval, Range
from codejury.report.rollouts_compare import (
    AgentComparison,
    Agreement,
    ComparedAgent,
    ProxyRow,
    RankRow,
    RolloutsCompareDocument,
)
from codejury.report.rollouts_compare_view import rollouts_compare_report

if TYPE_CHECKING:
    from rich.console import RenderableType

GOLDEN = Path(__file__).parent / "golden"


def _interval(value: float, half: float) -> Interval:
    return Interval(se=half / 2, low=value - half, high=value + half, method="t")


def _estimate(value: float) -> Estimate:
    return Estimate(value=value, fixed_suite=_interval(value, 0.03125), population=_interval(value, 0.0625))


def _difference(value: float, p: float) -> Difference:
    return Difference(
        a=0.5,
        b=0.5 + value,
        value=value,
        fixed_suite=_interval(value, 0.03125),
        population=None,
        p=p,
        p_holm=min(1.0, 2 * p),
        p_population=0.0625,
    )


def _agent(name: str, value: float) -> ComparedAgent:
    return ComparedAgent(
        name=name,
        run="r",
        agent=name,
        n=Range(min=4, max=5),
        resolve_rate=_estimate(value),
        reliability_at_k={"1": _estimate(value), "4": _estimate(value + 0.25)},
        pass_hat_k={"1": _estimate(value), "4": _estimate(value - 0.25)},
        metrics={"pass@1": value, "reliability@4": value + 0.25, "-cost": None},
    )


def _comparison(name: str, value: float) -> AgentComparison:
    kinds: list[tuple[Literal["difficulty", "tag"], str]] = [("difficulty", "hard")]
    kinds += [("tag", f"tag {i}") for i in range(12)]
    return AgentComparison(
        name=name,
        resolve_rate=_difference(value, 0.03125),
        reliability_at_k={"1": _difference(value, 0.03125), "4": _difference(value, 0.25)},
        pass_hat_k={"1": _difference(value, 0.03125), "4": _difference(value, 0.00001)},
        mcnemar=McNemar(lost=7, gained=1, p_exact=0.0703125, p_mid=0.0390625),
        lost=[Flipped(id=f"task-{i} [b]x[/b]", n_a=5, c_a=4, n_b=5, c_b=1) for i in range(12)],
        gained=[],
        slices=[
            SliceDifference(
                kind=kind,
                name=label,
                problems=5,
                a=0.5,
                b=0.25,
                value=-0.25,
                fixed_suite=_interval(-0.25, 0.125),
                p=0.125,
                q=0.25,
            )
            for kind, label in kinds
        ],
        detectable=[
            DetectableRow(model="spread", effect=0.125, power=0.8125),
            DetectableRow(model="lost", effect=None, power=0.5),
        ],
    )


def _proxy(decision: Literal["yes", "no", "undecided", "untestable"]) -> ProxyRow:
    tested = decision != "untestable"
    return ProxyRow(
        proxy="test pass rate * (1 - regression rate) * tool efficiency",
        target="reliability@4 of the other rollouts",
        pairs=30,
        spearman=Agreement(value=0.4375, p=0.03125, method="t") if tested else None,
        low=0.125 if tested else None,
        high=0.625 if tested else None,
        ceiling=0.875 if tested else None,
        threshold=0.7,
        decision=decision,
    )


DOCUMENT = RolloutsCompareDocument(
    baseline="agent-x",
    agents=[_agent("agent-x", 0.5), _agent("codex [red]", 0.25), _agent("claude-code", 0.5)],
    level=0.95,
    ks=[1, 4],
    tasks=20,
    dropped=[Dropped(run="", reason="fewer than 4 rollouts", ids=["task-9"])],
    waived=[Waived(condition="n", values={"agent-x": "4", "codex [red]": "5", "claude-code": "4"})],
    unverified=["tests"],
    comparisons=[_comparison("codex [red]", -0.25), _comparison("claude-code", 0.0)],
    ranks=[
        RankRow(
            x="pass@1",
            y="reliability@4",
            agents=3,
            least_p=0.375,
            spearman=Agreement(value=1.0, p=0.375, method="exact"),
            kendall=None,
        )
    ],
    proxies=[_proxy("yes"), _proxy("no"), _proxy("undecided"), _proxy("untestable")],
    warnings=["waived: n differs: 4 (agent-x), 5 (codex [red]), 4 (claude-code)"],
)


def _shown(renderable: RenderableType) -> str:
    stream = io.StringIO()
    Console(file=stream, width=80, markup=False, highlight=False).print(renderable)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def test_document_is_as_published() -> None:
    """The golden file is the contract with those who read documents, and can be read back."""
    assert (GOLDEN / "rollouts-compare.json").read_bytes() == encode_json(DOCUMENT)
    assert DOCUMENT == msgspec.json.decode(encode_json(DOCUMENT), type=RolloutsCompareDocument)


def test_view_at_80_columns() -> None:
    """Names are printed as they are, and no line is longer than the terminal."""
    text = _shown(rollouts_compare_report(DOCUMENT))
    assert (GOLDEN / "rollouts-compare.txt").read_text(encoding="utf-8") == text
    assert 80 >= max(map(len, text.splitlines()))


@pytest.mark.parametrize("parts", [("ranks",), ("proxies",), ("ranks", "proxies")])
def test_what_is_not_there_is_not_shown(parts: tuple[str, ...]) -> None:
    """Two agents have no ranks, single rollouts no proxies."""
    text = _shown(rollouts_compare_report(msgspec.structs.replace(DOCUMENT, **dict.fromkeys(parts, ()))))
    assert ("order the agents" in text) == ("ranks" not in parts)
    assert ("stand in" in text) == ("proxies" not in parts)
