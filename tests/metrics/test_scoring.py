"""The registry of metrics: what it refuses, and how a third party's metric gets in."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import msgspec
import pytest

from codejury.metrics import scoring
from codejury.metrics.scoring import GROUP, Metric, Pair, Scored, get, names, register
from codejury.model import UsageError


def ones(pair: Pair) -> Scored:
    """A metric that gives 1."""
    return Scored(1.0)


METRIC = Metric("third.party", "always 1", (0.0, 1.0), "higher", "a test", "1", ones)
OBJECTS = {"metric": METRIC, "make": lambda: METRIC, "other": lambda: 3}


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten afterwards."""
    names()
    monkeypatch.setattr(scoring, "_registered", dict(scoring._registered))


def points(monkeypatch: pytest.MonkeyPatch, *values: str, name: str = "third.party") -> None:
    """Have installed packages register these values."""
    found = [EntryPoint(name=name, value=f"{__name__}_none:{value}", group=GROUP) for value in values]

    def entry_points(group: str) -> list[EntryPoint]:
        return found if group == GROUP else []

    def load(point: EntryPoint) -> Any:
        return OBJECTS[point.value.partition(":")[2]]

    monkeypatch.setattr(scoring, "entry_points", entry_points)
    monkeypatch.setattr(EntryPoint, "load", load)


def test_built_in_metrics_are_known() -> None:
    """The families register themselves; each metric has its documentation."""
    assert {"ast.dice", "ast.ted.alpha", "parse_status", "valid.python"} <= set(names())
    assert sorted(names()) == names()
    for name in names():
        metric = get(name)
        assert name == metric.name
        assert metric.definition
        assert metric.range[0] < metric.range[1]


@pytest.mark.parametrize("value", ["metric", "make"])
def test_a_third_party_registers_a_metric(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """An entry point names a metric, or a function that makes one."""
    points(monkeypatch, value)
    assert "third.party" in names()
    assert METRIC is get("third.party")
    assert METRIC is get("third.party")


@pytest.mark.parametrize(
    ("values", "name", "message"),
    [
        (("other",), "third.party", "gives no Metric of this name; tell its author"),
        (("metric",), "another", "gives no Metric of this name; tell its author"),
        (("missing",), "third.party", "cannot be loaded: KeyError"),
        (("metric", "make"), "third.party", "registered by several packages"),
    ],
)
def test_packages_at_fault_are_named(
    monkeypatch: pytest.MonkeyPatch, values: tuple[str, ...], name: str, message: str
) -> None:
    """What a package does wrong is one clear error, when its metric is asked for."""
    points(monkeypatch, *values, name=name)
    assert name in names()
    with pytest.raises(UsageError, match=message):
        get(name)


def test_unknown_names_have_suggestions() -> None:
    """A misspelt name is answered with those like it."""
    with pytest.raises(UsageError, match=r"no metric 'ast.dise': did you mean 'ast.dice'"):
        get("ast.dise")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"range": (1.0, 0.0)}, r"its range is \(1.0, 0.0\)"),
        ({"range": (0.0, float("nan"))}, "its range is"),
        ({"definition": ""}, "its definition must be one line"),
        ({"source": "a\nb"}, "its source must be one line"),
        ({"name": "ast.dice"}, "two metrics are called 'ast.dice'"),
    ],
)
def test_wrong_metrics_are_refused(changes: dict[str, Any], message: str) -> None:
    """A metric without documentation, with a range that is none or with another's name is refused."""
    with pytest.raises(UsageError, match=message):
        register(msgspec.structs.replace(METRIC, **changes))


def test_registering_again_is_fine() -> None:
    """The same metric twice is no conflict: modules may be imported in any order."""
    register(METRIC)
    register(METRIC)
    assert "third.party" in names()


def test_details_are_not_shared() -> None:
    """Each score has details of its own."""
    assert Scored(1.0).details is not Scored(1.0).details
