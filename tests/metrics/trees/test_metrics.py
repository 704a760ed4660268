"""The metrics of trees: known values, properties, and what is unscored."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.metrics import conformance
from codejury.metrics.scoring import Pair, Scored, get
from codejury.metrics.trees import METRICS, parsing, ted

TREES = [metric.name for metric in METRICS if metric.name.startswith("ast.")]
PIECES = (*"ab()[]{}+= \n\t:;'\"é#", "\r\n", "def", "if")
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def score(name: str, reference: str, prediction: str, **context: str) -> Scored:
    """The score of a pair."""
    return get(name).function(Pair(reference, prediction, **context))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("ast.dice", (14 / 14, 12 / 14, 10 / 14)),
        ("ast.dice.types", (1, 10 / 12, 1)),
        ("ast.subtree", (8 / 14, 6 / 14, 4 / 14)),
        ("ast.ted", (1 - 2 / 14, 1 - 1 / 14, 1 - 2 / 14)),
        ("ast.dice.alpha", (1, 12 / 14, 1)),
        ("ast.subtree.alpha", (1, 6 / 14, 1)),
        ("ast.ted.alpha", (1, 1 - 1 / 14, 1)),
    ],
)
def test_known_values(name: str, values: tuple[float, float, float]) -> None:
    """`return a + b` against `return b + a`, `return a - b` and `return x + y`, by hand: trees of 7 nodes."""
    for prediction, expected in zip(("return b + a", "return a - b", "return x + y"), values, strict=True):
        scored = score(name, "return a + b", prediction)
        assert expected == pytest.approx(scored.value)
        assert "clean" == scored.details["parse_status"]
        assert [7, 7] == scored.details["nodes"]


def test_nesting_counts_in_subtrees_and_edits() -> None:
    """`f(g(x))` and `g(f(x))` have the same nodes in another form."""
    assert 1 == score("ast.dice", "f(g(x))", "g(f(x))").value
    for name in ("ast.subtree", "ast.ted"):
        value = score(name, "f(g(x))", "g(f(x))").value
        assert value is not None
        assert 0 < value < 1


def test_likeness_is_never_below_zero() -> None:
    """Trees with nothing in common, of which one is a branch, have an edit similarity of no less than 0."""
    scored = score("ast.ted", "f(g(h(i(j(k())))))", "x = [1, 2, 3, 4, 5, 6, 7, 8, 9]")
    assert scored.value is not None
    assert 0 <= scored.value < 0.5


@pytest.mark.parametrize("name", TREES)
def test_context_decides(name: str) -> None:
    """`else:` with a block is scored as what it is below its `if`; nothing of the context counts."""
    context = {"prefix": "def f(a):\n    if a:\n        b = 1\n    ", "suffix": "\n    return b\n"}
    same = score(name, "else:\n        b = 2", "else:\n        b = 2", **context)
    assert (1.0, "clean") == (same.value, same.details["parse_status"])
    other = score(name, "else:\n        b = 2", "elif c:\n        b = 3", **context)
    assert other.value is not None
    assert other.value < 1


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_identity_symmetry_and_range(one: str, two: str) -> None:
    """A text is like itself, likeness has no direction, and nothing is silently unscored or out of range."""
    for name in TREES:
        same = score(name, one, one)
        assert 1.0 == same.value or same.unscored
        here, there = score(name, one, two), score(name, two, one)
        assert here.value is None or 0 <= here.value <= 1
        if here.value is not None and there.value is not None:
            assert math.isclose(here.value, there.value)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize(
    ("reference", "prediction", "expected", "told"),
    [
        ("return 1", "\x00\x01", None, "the prediction does not parse"),
        ("\x00\x01", "return 1", None, "the reference does not parse"),
        ("# only this\n", "return 1", None, "the reference has no nodes"),
        ("return 1", "", 0.0, "the prediction has no nodes"),
        ("return 1", "# later\n", 0.0, "the prediction has no nodes"),
        ("", "  \n", 1.0, "neither side has code"),
    ],
)
def test_sides_without_nodes(
    name: str, reference: str, prediction: str, expected: float | None, told: str
) -> None:
    """A failed parse is unscored with its reason; a 0 or 1 for what has no nodes says so."""
    scored = score(name, reference, prediction)
    assert expected == scored.value
    assert told in (scored.unscored or scored.details["note"])


def test_unknown_language_is_unscored() -> None:
    """A language without a grammar is a reason, not an error."""
    for metric in METRICS[:-1]:
        scored = metric.function(Pair("a", "a", language="cobol"))
        assert (None, "no grammar for language 'cobol'") == (scored.value, scored.unscored)


def test_too_large_is_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a cap, the reason has the sizes; the other metrics are not touched by the edit distance's cap."""
    monkeypatch.setattr(ted, "MAX_PAIRS", 40)
    scored = score("ast.ted", "return a + b", "return a - b")
    assert (None, "too large: 7 x 7 nodes; at most 40 pairs") == (scored.value, scored.unscored)
    assert score("ast.dice", "return a + b", "return a - b").value is not None
    monkeypatch.setattr(parsing, "MAX_BYTES", 5)
    scored = score("ast.dice", "return 1", "return 12345")
    assert (None, "too large: 8 bytes to parse; at most 5") == (scored.value, scored.unscored)


@pytest.mark.parametrize(
    ("prediction", "value", "status"),
    [("b = 2", 1.0, "clean"), ("b = (", 0.0, "introduced_errors"), ("\x00", 0.0, "none")],
)
def test_parse_status_as_a_number(prediction: str, value: float, status: str) -> None:
    """1 where no errors are added, with the status beside it."""
    scored = score("parse_status", "b = 1", prediction)
    assert (value, status) == (scored.value, scored.details["parse_status"])


@pytest.mark.parametrize("name", [metric.name for metric in METRICS])
def test_conformance(name: str) -> None:
    """Each metric keeps the rules of all metrics."""
    conformance.check(get(name))


LARGE = {
    "deep": "(" * 100_000 + "1" + ")" * 100_000,
    "never closed": "[" * 100_000,
    "a long line": "x = " + " + ".join(["name"] * 15_000),
    "half a function": "def f(a, b):\n    if a:\n        return (a",
    "line ends": "a = 1\r\nb = 2\rc = 3\n" * 200,
    "Unicode": "größe = 'ß' + 名前 + '\U0001f600'\n" * 100,
}


@pytest.mark.parametrize("language", ["python", "javascript", "cpp"])
@pytest.mark.parametrize("kind", LARGE)
def test_large_and_odd_files(kind: str, language: str) -> None:
    """Long lines, 100,000 brackets, odd characters: a value, with nodes on both sides, or a reason."""
    pair = Pair("return a + b;", LARGE[kind], language=language)
    for metric in METRICS:
        scored = metric.function(pair)
        assert (scored.value is None) == bool(scored.unscored)
        if scored.value == 0 and metric.name.startswith("ast."):
            assert all(scored.details["nodes"])


def test_a_megabyte_on_one_line() -> None:
    """A line of a megabyte is parsed and compared, or is too large, whatever the metric."""
    line = "x = " + " + ".join(["name"] * 150_000)
    assert len(line) > 1_000_000
    for name in ("ast.dice", "ast.ted"):
        value = score(name, "x = name + name", line).value
        assert value is not None
        assert 0 < value < 0.001
    assert str(score("ast.ted", line, line[:-4] + "other").unscored).startswith("too large: 4")


@pytest.mark.parametrize("language", ["python", "rust", "bash", "php", "kotlin", "ruby"])
def test_arbitrary_bytes(language: str) -> None:
    """Random bytes, as Latin-1 and as UTF-8 with surrogates, never crash and give a value or a reason."""
    rng = random.Random(0)  # noqa: S311 - test data
    for size in (1, 10, 100, 1000, 4000):
        data = rng.randbytes(size)
        for text in (data.decode("latin-1"), data.decode("utf-8", "surrogateescape")):
            for metric in METRICS:
                scored = metric.function(Pair("return a + b", text, "x = 1\n", "\ny = 2\n", language))
                assert (scored.value is None) == bool(scored.unscored)
