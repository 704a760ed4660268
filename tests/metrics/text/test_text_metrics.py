"""Text metrics give what their definitions say, and never crash or lie about what they cannot do."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from codejury.metrics import scoring
from codejury.metrics.scoring import Pair, Scored
from codejury.metrics.text import PRESETS, Hole, changes, chrf_delta, edits, kept, lines_changed
from codejury.metrics.text.edits import (
    TooLargeError,
    indel_similarity,
    levenshtein_distance,
    levenshtein_similarity,
)

SHARED = Path(__file__).parents[3].parent / "shared" / "data"
FAMILIES = ("exact", "edit.", "identifier.", "chrf.", "lines.", "kept", *PRESETS)
NAMES = [name for name in scoring.names() if name.startswith(FAMILIES)]
SYMMETRIC = (
    "exact",
    "exact.strip",
    "exact.tokens",
    "exact.lines",
    "edit.levenshtein",
    "edit.indel",
    "identifier.exact",
    "identifier.f1",
    "lines.changed",
)
FOR, ENUMERATE = "for i in range(len(items)):", "for idx, item in enumerate(items):"

# short texts of few characters are often alike; surrogates and the ends of lines are where encodings break
CODE = st.text(st.sampled_from("ab1_ +=/#'\"\\(){};\n\r\té数\ud800\U0001f600\u2028\x00"), max_size=30)
LANGUAGE = st.sampled_from(["python", "c++", "JS", "rust", "bash", "cobol", ""])


def _score(name: str, prediction: str, reference: str, **rest: str) -> Scored:
    return scoring.get(name).function(Pair(reference=reference, prediction=prediction, **rest))


def test_distance_three_of_ten_and_twelve_is_three_quarters() -> None:
    """The article's example: 1 - 3 / 12."""
    one, other = "abcdefghij", "abcdefghiXYZ"
    assert (10, 12, 3) == (len(one), len(other), levenshtein_distance(one, other))
    assert 0.75 == levenshtein_similarity(one, other)


def test_two_headers_differ_by_the_formula() -> None:
    """65.6 and 50.0 for the same two texts: a report must say which."""
    assert 65.6 == round(100 * indel_similarity(FOR, ENUMERATE), 1)
    assert 50.0 == round(100 * levenshtein_similarity(FOR, ENUMERATE), 1)


def _plain_distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        above, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (a != b))
    return row[-1]


@given(CODE, CODE, CODE)
def test_raw_levenshtein_is_a_metric(one: str, other: str, third: str) -> None:
    """The distance is what the textbook's table gives, with identity, symmetry and triangle inequality."""
    distance = levenshtein_distance(one, other)
    assert _plain_distance(one, other) == distance
    assert (one == other) == (distance == 0)
    assert levenshtein_distance(other, one) == distance
    assert distance <= levenshtein_distance(one, third) + levenshtein_distance(third, other)


def test_similarities_break_the_triangle() -> None:
    """1 - similarity is no distance: dividing by a length breaks the triangle, for both formulas."""
    one, between, other = "ab", "aba", "ba"
    for similarity in (levenshtein_similarity, indel_similarity):
        apart = 1 - similarity(one, other)
        assert apart > 2 - similarity(one, between) - similarity(between, other)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(text=CODE, language=LANGUAGE, prefix=CODE)
def test_identity(name: str, text: str, language: str, prefix: str) -> None:
    """Equal texts have 1 or a reason, whatever is in them; presets cut predictions, so they may differ."""
    found = _score(name, text, text, language=language, prefix=prefix)
    if found.value is None:
        assert found.unscored
    elif not name.startswith(tuple(PRESETS)):
        assert 1.0 == found.value


@pytest.mark.parametrize("name", SYMMETRIC)
@settings(max_examples=40)
@given(one=CODE, other=CODE, prefix=CODE)
def test_symmetry(name: str, one: str, other: str, prefix: str) -> None:
    """These do not ask which of the texts is the reference."""
    assert _score(name, one, other, prefix=prefix).value == _score(name, other, one, prefix=prefix).value


@pytest.mark.parametrize("name", ["chrf.delta", "kept", "lines.changed.precision"])
def test_others_are_not_symmetric(name: str) -> None:
    """Recall and precision have sides."""
    assert _score(name, "aXb\nc", "aXb") != _score(name, "aXb", "aXb\nc")


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(one=CODE, other=CODE, prefix=CODE, suffix=CODE, language=LANGUAGE, original=st.none() | CODE)
def test_any_text_has_a_score_or_a_reason(
    name: str, one: str, other: str, prefix: str, suffix: str, language: str, original: str | None
) -> None:
    """No text makes a metric raise; a value lies in the range, and no value has a reason."""
    metric = scoring.get(name)
    found = metric.function(Pair(other, one, prefix, suffix, language, original=original))
    if found.value is None:
        assert found.unscored
    else:
        assert metric.range[0] <= found.value <= metric.range[1]
        assert found.unscored is None


@pytest.mark.parametrize("name", NAMES)
def test_a_line_of_a_megabyte(name: str) -> None:
    """Two long lines that differ in one place are scored, and highly where the metric is gradual."""
    line = "x = [" + "1, " * 350_000 + "]"
    found = _score(name, line.replace("1", "2", 1), line)
    assert found.value is not None
    if name.endswith((".es", "edit.indel", "edit.levenshtein", "chrf.delta", "kept")):
        assert found.value > 0.99


def test_too_large_is_said() -> None:
    """What would take minutes has a reason instead of a value."""
    one, other = "x" + "ab" * 200_000, "ba" * 200_000 + "c"
    with pytest.raises(TooLargeError, match="too large: 400,001 and 400,001 characters"):
        edits.check_size(one, other)
    edits.check_size(one, one + "x")
    assert _score("edit.indel", one, other) == Scored(
        None, "too large: 400,001 and 400,001 characters differ too much"
    )
    assert "n-grams" in str(_score("chrf.delta", "a" * (changes.MAX_CHARACTERS + 1), "b").unscored)
    many = " ".join("ab" * 20_000)
    assert "to align" in str(_score("kept", many, many.replace("a", "c")).unscored)


def test_exact_matches_from_strict_to_lenient() -> None:
    """Each rule forgives more than the one before it; comments only the last."""
    cases = {
        ("a = 1", "a = 1"): (1, 1, 1, 1),
        ("a = 1\n", "a = 1"): (0, 1, 1, 1),
        ("a  = 1", "a = 1"): (0, 0, 1, 0),
        ("a=1", "a = 1"): (0, 0, 0, 0),
        ("a = 1  # one\n\n  b", "a = 1\nb # two"): (0, 0, 0, 1),
        ("x = a // b", "x = a // c"): (0, 0, 0, 0),
        ("s = '#1'", "s = '#2'"): (0, 0, 0, 0),
        ("a\r\nb\rc", "a\nb\nc"): (0, 0, 1, 1),
    }
    for (one, other), expected in cases.items():
        names = ("exact", "exact.strip", "exact.tokens", "exact.lines")
        assert expected == tuple(_score(name, one, other).value for name in names)


def test_identifiers_are_of_code() -> None:
    """No keywords, none of strings and comments, any alphabet, in order; f-strings' prefix is none."""
    one, other = "数 = f'{a}' + b  # c\nreturn b", "数 = b"
    found = _score("identifier.f1", one, other)
    assert Scored(1.0, None, {"common": 2, "prediction": 2, "reference": 2}) == found
    assert 0.0 == _score("identifier.exact", one, other).value
    assert 1.0 == _score("identifier.exact", "return x.y(z)", "not x - y + z").value
    assert 2 / 3 == _score("identifier.f1", "a + b", "a").value
    assert 1.0 == _score("identifier.f1", "1", "2").value


def test_the_prefix_says_what_is_a_string() -> None:
    """A completion that begins in a string or comment is read so; each reason names the language."""
    inside = {"prefix": 'def f():\n    """Say '}
    assert 1.0 == _score("identifier.f1", 'hello."""\n    x', 'goodbye."""\n    x', **inside).value
    assert 1.0 == _score("exact.lines", "b */ x", "a */ x", prefix="/* ", language="c").value
    assert "language 'cobol'" in str(_score("exact.lines", "a", "a", language="cobol").unscored)


@given(st.text("ab ", max_size=12), st.text("ab ", max_size=12))
def test_chrf_of_an_insertion_is_sacrebleus(one: str, other: str) -> None:
    """Into an empty file, the changed n-grams are all n-grams."""
    expected = (
        100.0 if "".join(one.split()) == "".join(other.split()) else CHRF().sentence_score(one, [other]).score
    )
    assert math.isclose(expected, 100 * chrf_delta(one, other), abs_tol=1e-9)


def test_changes_of_an_edit() -> None:
    """By hand: what stays of the base counts for nobody, what goes counts."""
    hole = Hole("def f():\n", "\nend\n", "old\nsame")
    found = lines_changed("new\nsame", "new\nsame\nmore", hole)
    # two changes are predicted, old gone and new added; right are these and more added
    assert (1.0, 2 / 3, 0.8) == pytest.approx(found)
    assert (0.0, 0.0, 0.0) == lines_changed("old\nsame", "new\nsame", hole)
    assert (1.0, 1.0, 1.0) == lines_changed("old\nsame", "old\nsame", hole)
    # the line of the cursor is in no file's way: nothing agrees here
    assert (0.0, 0.0, 0.0) == lines_changed("a", "b", Hole("x = ", ""))
    assert 0.0 == chrf_delta("a", "b", Hole("xyzuv", "vuzyx"))
    # the right edit also adds a d
    assert chrf_delta("ac", "acd", Hole(base="ab")) < 1.0 == chrf_delta("a c", "ac", Hole(base="ab"))


@given(CODE, CODE, CODE, st.text("ab \n", max_size=200), st.text("ab \n", max_size=200))
def test_far_context_changes_nothing(one: str, other: str, base: str, before: str, after: str) -> None:
    """Only what touches the hole can count, so that long files cost nothing."""
    near, far = Hole("\nx = ", " + 1\n", base), Hole(before + "\nx = ", " + 1\n" + after, base)
    assert lines_changed(one, other, near) == lines_changed(one, other, far)
    assert kept(one, other, near) == kept(one, other, far)
    dense = Hole("abcde", "edcba", base), Hole(before + "abcde", "edcba" + after, base)
    assert chrf_delta(one, other, dense[0]) == chrf_delta(one, other, dense[1])


def test_kept_counts_characters_of_tokens() -> None:
    """By hand: of new tokens those that stay, and what is rightly deleted."""
    assert 1.0 == kept("new", "new", Hole(base="old"))
    assert 0.0 == kept("new", "old", Hole(base="old"))
    assert None is kept("old", "new", Hole(base="old"))
    assert 4 / 6 == kept("a + bb", "a + c")  # "a", " ", "+", " " of six characters
    assert 1.0 == kept("a", "a + b")
    # new: "x"; deleted: "old"; the final text deletes it too and has a "y"
    assert 3 / 4 == kept("x", "y", Hole(base="old"))
    assert Scored(1.0) == scoring.get("kept").function(Pair("b", "a", original="", final="a c"))
    assert "nothing to keep" in str(_score("kept", "", "a").unscored)
    # a word that the prefix begins is one token with it
    assert 0.0 == kept("bar", "baz", Hole("foo", "("))


@pytest.mark.shared
def test_codexglues_own_example() -> None:
    """43.8 and 0, as its evaluator prints for its five completions."""
    folder = SHARED / "metrics" / "codexglue_line"
    if not folder.is_dir():
        pytest.skip("the shared data is absent")
    references = [json.loads(line)["gt"] for line in (folder / "answers.json").read_text().splitlines()]
    predictions = (folder / "predictions.txt").read_text().splitlines(keepends=True)
    values = {
        name: [_score(name, *pair, language="java").value for pair in zip(predictions, references, strict=True)]
        for name in PRESETS["codexglue"].metrics
    }
    assert 43.8 == round(100 * sum(filter(None, values["codexglue.es"])) / 5, 2)
    assert [0.0] * 5 == values["codexglue.em"]
