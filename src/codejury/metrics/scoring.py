"""The registry of metrics that compare a prediction with a reference.

A family of built-in metrics is a module that calls `register` for each of its metrics when imported; its name
stands in `_FAMILIES`. A third party's metric registers through the entry point group `codejury.metrics`: the entry
point has the metric's name and names a `Metric`, or a function without arguments that returns one.
`codejury.metrics.conformance.check` tells whether a metric keeps the rules.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

import msgspec

from codejury.model import UsageError

GROUP = "codejury.metrics"
"""The group of entry points."""

_FAMILIES = ("codejury.metrics.text", "codejury.metrics.trees", "codejury.metrics.codebleu")

_registered: dict[str, Metric] = {}
_imported: set[str] = set()


class Scored(msgspec.Struct, frozen=True):
    """What a metric gave for a pair: a value, or the reason why there is none.

    Attributes:
        value: The score; None if the pair is unscored.
        unscored: Why there is no value, one short phrase; None if there is one.
        details: How the value came to be, plain values by name.
    """

    value: float | None
    unscored: str | None = None
    details: dict[str, Any] = {}


class Pair(msgspec.Struct, frozen=True):
    """A prediction beside its reference, with the code around the hole that both fill.

    Attributes:
        reference: The text that was right.
        prediction: The text to be scored.
        prefix: The file's text before the hole.
        suffix: The file's text after the hole.
        language: Name or alias of the programming language.
        original: What stood in the hole before the edit, for metrics of edits; None if it is not known.
        final: What stands in the hole in the end, for metrics of what was kept; None if it is not known.
    """

    reference: str
    prediction: str
    prefix: str = ""
    suffix: str = ""
    language: str = "python"
    original: str | None = None
    final: str | None = None


class Metric(msgspec.Struct, frozen=True):
    """A named score of a pair.

    Attributes:
        name: Lower case, with dots between family and variant, as `edit.indel`.
        definition: What it is, one line.
        range: The least and the greatest value that it can take.
        direction: Which values are better.
        source: Where the definition comes from.
        version: Of the definition: another version's values are not comparable.
        function: Gives the score of a pair. Pure: the same pair has the same score; no pair makes it raise
            anything but a `UsageError` about what is not installed.
    """

    name: str
    definition: str
    range: tuple[float, float]
    direction: Literal["higher", "lower"]
    source: str
    version: str
    function: Callable[[Pair], Scored]


def register(metric: Metric) -> None:
    """Make a metric known by its name.

    Raises:
        UsageError: Another metric has the name, or a field is empty or no range.
    """
    low, high = metric.range
    if not low < high or math.isnan(low) or math.isnan(high):
        raise UsageError(f"metric {metric.name!r}: its range is ({low}, {high}); give (least, greatest)")
    for field in ("name", "definition", "source", "version"):
        if not getattr(metric, field) or "\n" in getattr(metric, field):
            raise UsageError(f"metric {metric.name!r}: its {field} must be one line of text")
    other = _registered.setdefault(metric.name, metric)
    if other is not metric and other != metric:
        raise UsageError(f"two metrics are called {metric.name!r}; rename one")


def get(name: str) -> Metric:
    """The metric of this name.

    Raises:
        UsageError: There is none, or its package does not give a metric.
    """
    _import_families()
    if name not in _registered:
        points = [point for point in entry_points(group=GROUP) if point.name == name]
        if not points:
            known = names()
            close = difflib.get_close_matches(name, known, n=3)
            hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"known are {', '.join(known)}"
            raise UsageError(f"no metric {name!r}: {hint}")
        register(_load(points))
    return _registered[name]


def names() -> list[str]:
    """The names of all metrics, sorted. Packages of third parties are not imported for it."""
    _import_families()
    return sorted({*_registered, *(point.name for point in entry_points(group=GROUP))})


def _import_families() -> None:
    for family in _FAMILIES:
        if family not in _imported:
            import_module(family)
            _imported.add(family)


def _load(points: list[EntryPoint]) -> Metric:
    point, *others = points
    if any(other.value != point.value for other in others):
        packages = ", ".join(sorted(each.dist.name if each.dist else each.value for each in points))
        raise UsageError(
            f"metric {point.name!r} is registered by several packages: {packages}; uninstall all but one"
        )
    try:
        found = point.load()
        metric = found() if callable(found) else found
    except Exception as error:
        raise UsageError(
            f"metric {point.name!r}: {point.value} cannot be loaded: {error!r}; tell its author"
        ) from error
    if not isinstance(metric, Metric) or metric.name != point.name:
        raise UsageError(f"metric {point.name!r}: {point.value} gives no Metric of this name; tell its author")
    return metric
