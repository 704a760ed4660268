"""The conformance test of metrics finds each fault that it is there for."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec
import pytest

from codejury.metrics.conformance import ConformanceError, check, pairs
from codejury.metrics.scoring import Metric, Pair, Scored

if TYPE_CHECKING:
    from collections.abc import Callable

_counter = itertools.count()


def length(pair: Pair) -> Scored:
    """A metric that keeps the rules: 1 for texts of the same length, unscored without a reference."""
    if not pair.reference:
        return Scored(None, "no reference")
    return Scored(float(len(pair.reference) == len(pair.prediction)), None, {"characters": len(pair.reference)})


def metric(function: Callable[[Pair], Scored]) -> Metric:
    """A metric of a function."""
    return Metric("text.length", "texts of the same length", (0.0, 1.0), "higher", "a test", "1", function)


def test_a_good_metric_passes() -> None:
    """No error for a metric that keeps the rules, with pairs of one's own, too."""
    check(metric(length), [Pair("a", "b")])


def test_a_name_has_a_form() -> None:
    """Names are lower-case words with dots."""
    with pytest.raises(ConformanceError, match="is no name"):
        check(msgspec.structs.replace(metric(length), name="Text Length"))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda pair: Scored(1 / len(pair.prediction)), "raises ZeroDivisionError"),
        (lambda _: Scored(1.5), r"gives 1.5, outside of 0.0 to 1.0"),
        (lambda _: Scored(float("nan")), "gives nan, outside of"),
        (lambda _: Scored(None), "gives no value and no reason"),
        (lambda _: Scored(None, "two\nlines"), "gives no value and no reason of one line"),
        (lambda _: Scored(1.0, "but why"), "gives a value and a reason for none"),
        (lambda _: Scored(1.0, None, {"pair": object()}), "details that do not go into JSON"),
        (lambda _: 1.0, "gives 1.0, no Scored"),
        (lambda _: Scored(1 / (1 + next(_counter))), "then"),
    ],
)
def test_faults_are_found(function: Callable[[Pair], Scored], message: str) -> None:
    """What a metric must not do is told with the pair for which it does."""
    with pytest.raises(ConformanceError, match=message):
        check(metric(function))


def test_pairs_have_what_breaks_metrics() -> None:
    """Among the pairs are empty sides, code without a grammar, text that is no Unicode, and deep nesting."""
    found = list(pairs())
    assert any(not pair.reference and not pair.prediction for pair in found)
    assert {"python", "php", "no such language", ""} <= {pair.language for pair in found}
    assert any("\ud800" in pair.prediction for pair in found)
    assert any("(" * 100 in pair.prediction for pair in found)
    assert any(pair.prefix for pair in found)
