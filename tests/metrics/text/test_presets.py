"""Peers' rules, faults included, beside their corrected forms, by hand; and where a statement ends."""

from __future__ import annotations

import sys

import pytest

from codejury.metrics import scoring
from codejury.metrics.scoring import Pair
from codejury.metrics.text import PRESETS, edits, without
from codejury.metrics.text.statements import first_statement
from codejury.model import UsageError


def _values(preset: str, pair: Pair, *, corrected: bool = False) -> tuple[float | None, ...]:
    names = PRESETS[preset].corrected if corrected else PRESETS[preset].metrics
    return tuple(scoring.get(name).function(pair).value for name in names)


def test_every_metric_of_a_preset_has_a_corrected_form() -> None:
    """As many, in the same order, and what they mend is said."""
    for preset in PRESETS.values():
        assert len(preset.metrics) == len(preset.corrected)
        assert preset.faults
        for name in (*preset.metrics, *preset.corrected):
            assert name == scoring.get(name).name


def test_crosscodeeval_cuts_divisions() -> None:
    """Its // is a comment in Python, too: different divisors are an exact match."""
    pair = Pair("x = a // b", "x = a // c\ny = 1\n")
    assert (1.0, 1.0, 1.0, 1.0) == _values("crosscodeeval", pair)
    assert (0.0, 0.9, 0.0, 2 / 3) == pytest.approx(_values("crosscodeeval", pair, corrected=True))


def test_crosscodeeval_ends_python_at_a_line_that_parses() -> None:
    """The first newline before which all parses; a prompt that does not parse keeps everything."""
    whole = Pair("f(1,\n  2)", "f(1,\n  2)\ng()\n", prefix="x = 1\n")
    assert (1.0, 1.0, 1.0, 1.0) == _values("crosscodeeval", whole)
    assert (1.0, 1.0, 1.0, 1.0) == _values("crosscodeeval", whole, corrected=True)
    broken = Pair("f(1)", "f(1)\ng()\n", prefix="try:\n    pass\nx = = 2\n")
    assert 0.0 == _values("crosscodeeval", broken)[0]
    assert 1.0 == _values("crosscodeeval", broken, corrected=True)[0]


def test_crosscodeeval_ends_others_at_a_bracket() -> None:
    """At the first of ; { }, but for the first character; in strings, too. Go has no rule there."""
    first = Pair("}", "}\nint x;", language="java", prefix="class A {\n")
    assert (0.0, 1.0) == (_values("crosscodeeval", first)[0], _values("crosscodeeval", first, corrected=True)[0])
    text = Pair('s = ";" + t;', 's = ";" + t; u();', language="java")
    assert (0.0, 1.0) == (_values("crosscodeeval", text)[0], _values("crosscodeeval", text, corrected=True)[0])
    found = scoring.get("crosscodeeval.em").function(Pair("a", "a", language="go"))
    assert "no rule for language 'go'" in str(found.unscored)


def test_crosscodeeval_identifiers() -> None:
    """True is an identifier there and nothing is unlike nothing; here neither."""
    assert 0.0 == _values("crosscodeeval", Pair("1", "2"))[3]
    assert 1.0 == _values("crosscodeeval", Pair("1", "2"), corrected=True)[3]
    assert 2 / 3 == pytest.approx(_values("crosscodeeval", Pair("a = True", "a = 1"))[3])


def test_repobench_rounds() -> None:
    """Each ratio to hundredths: 2 * 5 / 12 is 0.83."""
    pair = Pair("abcdef", "abcdeX")
    assert (0.0, 0.83) == _values("repobench", pair)
    assert (0.0, 5 / 6) == pytest.approx(_values("repobench", pair, corrected=True))


def test_codexglue_puts_literals_back() -> None:
    """Predictions are stripped, references not; what was put back is replaced again."""
    pair = Pair('s = "<STR_LIT:hi>" ;', 's = "hi" ;\n', language="java")
    assert (1.0, 1.0) == _values("codexglue", pair)
    assert (1.0, 1.0) == _values("codexglue", Pair("x = <NUM_LIT> ;", "x = 0 ;"))
    spaced = Pair(" a", " a")
    assert (1.0, 0.67) == _values("codexglue", spaced)
    assert (1.0, 1.0) == _values("codexglue", spaced, corrected=True)


def test_lca_takes_the_first_line() -> None:
    """After leading newlines; only exact match strips."""
    pair = Pair("a = 1", "\n\na = 1 \nb = 2")
    assert (1.0, 0.91) == _values("lca", pair)
    assert (1.0, 1.0) == _values("lca", pair, corrected=True)


def test_qwen_leaks_the_number_of_lines() -> None:
    """What runs on is cut to the reference's lines; quotes and cases are alike; nothing is unlike nothing."""
    pair = Pair("fooBar('a')", 'foo Bar("a")\n\nmore()\n')
    assert 1.0 == _values("qwen-fim", pair)[0]
    assert 0.0 == _values("qwen-fim", pair, corrected=True)[0]
    # two of eleven characters are substituted and one is added
    assert (0.78, 1 - 3 / 12) == pytest.approx(_values("qwen-fim", pair)[1:], abs=0.005)
    assert (1.0, 1.0, 0.0) == _values("qwen-fim", Pair("", ""))
    assert (1.0, 1.0, 1.0) == _values("qwen-fim", Pair("", ""), corrected=True)


@pytest.mark.parametrize(
    ("text", "language", "before", "expected"),
    [
        ("x = 1\ny = 2", "python", "", "x = 1"),
        ("\nx = 1\ny = 2", "python", "", "\nx = 1"),
        ("[\n1,\n2]\ny", "python", "x = ", "[\n1,\n2]"),
        ("1)\ny", "python", "x = f(", "1)"),
        ("1,\n2)\ny", "python", "x = f(\n", "1,\n2)"),
        ("a \\\n  + b\ny", "python", "", "a \\\n  + b"),
        ('"""a\nb"""\ny', "python", "", '"""a\nb"""'),
        ("if x:\n    y", "python", "", "if x:"),
        ("x := 1\ny", "go", "func f() {\n", "x := 1"),
        ("for (i = 0; i < n; i++) {\n x;", "c", "int f() {\n", "for (i = 0; i < n; i++) {"),
        ("a(function () { return 1; });\nb", "js", "", "a(function () { return 1; });"),
        ("}\nx", "java", "", "}"),
        ("s = '}'; t", "php", "", "s = '}';"),
        ("a // ;\n = b; c", "c++", "", "a // ;\n = b;"),
        ("no end", "java", "", "no end"),
    ],
)
def test_where_a_statement_ends(text: str, language: str, before: str, expected: str) -> None:
    """By lines or by brackets, never within a string, a comment or open brackets."""
    name = {"js": "javascript", "c++": "cpp"}.get(language, language)
    assert expected == first_statement(text, name, before=before)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("a = /[/]\\//.test(b) // c", "javascript", "a = /[/]\\//.test(b)  "),
        ("a / b / c // d", "javascript", "a / b / c  "),
        ("`// ${x}` /* y */ z", "typescript", "`// ${x}`   z"),
        ("s := `a\n// b` // c", "go", "s := `a\n// b`  "),
        ("fn f<'a>(x: &'a str) {} // c", "rust", "fn f<'a>(x: &'a str) {}  "),
        ("'\\'' /* a /* b */ c */ d", "rust", "'\\''   d"),
        ("int x = 1'000; // c", "cpp", "int x = 1'000;  "),
        ('R"x(// )" )x" // c', "cpp", 'R"x(// )" )x"  '),
        ('@"a\\" // c', "c-sharp", '@"a\\"  '),
        ("=begin\nx\n=end\ny # z", "ruby", " \ny  "),
        ("#[A]\n# b\nc", "php", "#[A]\n \nc"),
        ('"""a // b""" // c', "kotlin", '"""a // b"""  '),
        ("echo $# '# a' # b", "bash", "echo $# '# a'  "),
    ],
)
def test_comments_by_the_rules_of_the_language(text: str, language: str, expected: str) -> None:
    """A comment is a space, and nothing else is touched."""
    assert expected == without(text, language)


def test_without_rapidfuzz_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the package and of the extra."""
    monkeypatch.setattr(edits, "_loaded", None)
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    for name in ("edit.indel", "kept"):
        with pytest.raises(UsageError, match=r"rapidfuzz: install it with pip install 'codejury\[completion\]'"):
            scoring.get(name).function(Pair("a", "b"))
