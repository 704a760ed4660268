"""The conformance test of metrics: what every metric, built in or not, must keep.

Run it in the tests of a package that registers one:

    from codejury.metrics import conformance
    from codejury.metrics.scoring import get

    def test_conformance() -> None:
        conformance.check(get("my.metric"))
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from codejury.metrics.scoring import Metric, Pair, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAME = re.compile(r"[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)*")
_TEXTS = (
    "",
    " \n\t",
    "return a + b",
    "return b - a\r\n",
    "# only a comment\n",
    "else:\n    return 1",
    "def f(a, b",
    "naïve = 'ß' * größe\n",
    "x = 1\r\ny = 2\rz = 3\n",
    "\x00\x01\x7f\xff",
    "\ud800 lone",
    "(" * 500,
    ")}]" * 100,
    "x = " + "a + " * 1000 + "a",
    "\"\"\"'''`",
)
_FILES = (("", "", "python"), ("def f(a, b):\n    ", "\n\nf(1, 2)\n", "python"))
_LANGUAGES = ("javascript", "c", "php", "bash", "no such language", "")


class ConformanceError(AssertionError):
    """A metric breaks a rule; the message says which, and for which pair."""


def pairs() -> Iterator[Pair]:
    """The pairs that a metric is tried with: usual, empty, broken, deep, not text, in several languages."""
    for prefix, suffix, language in _FILES:
        for reference in _TEXTS[:6]:
            for prediction in _TEXTS:
                yield Pair(reference, prediction, prefix, suffix, language)
    for language in _LANGUAGES:
        for prediction in _TEXTS:
            yield Pair("return a + b;", prediction, language=language)
            yield Pair(prediction, "return a + b;", language=language, original="a", final="a + b")


def check(metric: Metric, more: Iterable[Pair] = ()) -> None:
    """Try a metric with all `pairs` and with more of one's own.

    It must have a name of lower-case words with dots; for each pair, it must give either a finite value in its
    range or a reason of one line, not raise, and give the same again; its details must go into JSON.

    Raises:
        ConformanceError: It breaks a rule.
    """
    if not _NAME.fullmatch(metric.name):
        raise ConformanceError(f"{metric.name!r} is no name of lower-case words with dots, as 'family.variant'")
    for pair in (*pairs(), *more):
        first, second = (_score(metric, pair) for _ in range(2))
        if fault := _fault(metric, first):
            raise _error(metric, pair, fault)
        if first != second:
            raise _error(metric, pair, f"gives {first}, then {second}")


def _score(metric: Metric, pair: Pair) -> Scored:
    try:
        return metric.function(pair)
    except Exception as error:
        raise _error(metric, pair, f"raises {error!r}") from error


def _fault(metric: Metric, scored: object) -> str | None:
    low, high = metric.range
    if not isinstance(scored, Scored):
        return f"gives {scored!r}, no Scored"
    if scored.value is None:
        if not scored.unscored or "\n" in scored.unscored:
            return "gives no value and no reason of one line"
    elif scored.unscored is not None:
        return "gives a value and a reason for none"
    elif not math.isfinite(scored.value) or not low <= scored.value <= high:
        return f"gives {scored.value}, outside of {low} to {high}"
    try:
        msgspec.json.encode(scored.details)
    except (TypeError, ValueError, RecursionError) as error:
        return f"gives details that do not go into JSON: {error}"
    return None


def _error(metric: Metric, pair: Pair, fault: str) -> ConformanceError:
    told = {field: value if len(value) < 60 else value[:60] + "…" for field, value in _fields(pair)}
    return ConformanceError(f"metric {metric.name!r} {fault}, for {told}")


def _fields(pair: Pair) -> list[tuple[str, str]]:
    return [(field, value) for field in pair.__struct_fields__ if (value := getattr(pair, field))]
