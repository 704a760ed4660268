"""Truncation: where a completion's first line, statement, block and function end, in many languages."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.metrics.trees import LANGUAGES, parsing
from codejury.metrics.truncation import LEVELS, Level, Truncation, truncate
from codejury.model import UsageError

# language, prefix, completion, and what is kept by level: line, statement, block, function
FUNCTIONS = (
    (
        "python",
        "def f(a):\n    if a:\n        ",
        "b = g(\n            a)\n        d = 3\n    return b\n\n\ndef g(b):\n    return",
        ("b = g(", "b = g(\n            a)", "b = g(\n            a)\n        d = 3", "    return b"),
    ),
    (
        "javascript",
        "class A {\n  f(a) {\n    ",
        "if (a) {\n      b(); }\n    return a;\n  }\n\n  g(b) {\n    return b",
        ("if (a) {", "if (a) {\n      b(); }", "    return a;\n  }", "    return a;\n  }"),
    ),
    (
        "typescript",
        "export class A {\n  f(a: number): number {\n    ",
        "const b: number =\n      a;\n    return b;\n  }\n\n  g(b) {\n    return b",
        ("const b: number =", "const b: number =\n      a;", "    return b;\n  }", "    return b;\n  }"),
    ),
    (
        "java",
        "class A {\n  int f(int a) {\n    while (a > 0) {\n      ",
        "a = g(a,\n        1);\n      h();\n    }\n    return 2;\n  }\n\n  int g(int b) {",
        ("a = g(a,", "a = g(a,\n        1);", "      h();\n    }", "    return 2;\n  }"),
    ),
    (
        "go",
        "package p\n\nfunc f(a int) int {\n\tfor {\n\t\t",
        "a += g(\n\t\t\ta)\n\t\th()\n\t}\n\treturn a\n}\n\nfunc h(",
        ("a += g(", "a += g(\n\t\t\ta)", "\t\th()\n\t}", "\treturn a\n}"),
    ),
    (
        "rust",
        "fn f(a: i32) -> i32 {\n    if a > 0 {\n        ",
        "let b = g(\n            a);\n        h(b)\n    }\n    a\n}\n\nfn g() {}\n",
        ("let b = g(", "let b = g(\n            a);", "        h(b)\n    }", "    a\n}"),
    ),
    (
        "c",
        "int f(int a) {\n  while (a) {\n    ",
        "a = g(\n      a);\n    b(a);\n  }\n  return a;\n}\n\nint g(",
        ("a = g(", "a = g(\n      a);", "    b(a);\n  }", "  return a;\n}"),
    ),
    (
        "cpp",
        "namespace n {\nint f(int a) {\n  for (auto x : a) {\n    ",
        "auto b = g(\n      x);\n    h(b);\n  }\n  return a;\n}\nint g() { return 1; }\n",
        ("auto b = g(", "auto b = g(\n      x);", "    h(b);\n  }", "  return a;\n}"),
    ),
    (
        "c-sharp",
        "namespace N { class A {\n  int F(int a) {\n    if (a > 0) {\n      ",
        "a = G(\n        a);\n      H();\n    }\n    return a;\n  }\n  int G(int b) {\n",
        ("a = G(", "a = G(\n        a);", "      H();\n    }", "    return a;\n  }"),
    ),
    (
        "ruby",
        "class A\n  def f(a)\n    a.each do |x|\n      ",
        "b = g(\n        x)\n      h b\n    end\n    b\n  end\n\n  def g(b)\n    b\n  end\n",
        ("b = g(", "b = g(\n        x)", "      h b\n    end", "    b\n  end"),
    ),
    (
        "php",
        "<?php\nclass A {\n  function f($a) {\n    if ($a) {\n      ",
        "$b = g(\n        $a);\n      h();\n    }\n    return $b;\n  }\n  function g() {\n",
        ("$b = g(", "$b = g(\n        $a);", "      h();\n    }", "    return $b;\n  }"),
    ),
    (
        "kotlin",
        "class A {\n  fun f(a: Int): Int {\n    if (a > 0) {\n      ",
        "val b = g(\n        a)\n      h(b)\n    }\n    return a\n  }\n  fun g(b: Int) {\n",
        ("val b = g(", "val b = g(\n        a)", "      h(b)\n    }", "    return a\n  }"),
    ),
    (
        "bash",
        "f() {\n  if [ $1 ]; then\n    ",
        "echo a \\\n      b\n    echo c\n  fi\n  echo d\n}\nf\n",
        ("echo a \\", "echo a \\\n      b", "    echo c\n  fi", "  echo d\n}"),
    ),
)

# language, prefix, completion, suffix, level, what is kept
CASES = (
    # a bracket at the beginning
    ("python", "foo(a", ")\nbar()\n", "\n", "statement", ")"),
    # in mid-line, without a line end
    ("python", "x = ", "a // b  # half\ny = 1", "\n", "statement", "a // b"),
    ("python", "x = ", "a + b", "\ny = 2\n", "statement", "a + b"),
    ("python", "", "a = 1; b = 2", "", "statement", "a = 1;"),
    # another branch of what the prefix began
    ("python", "if a:\n    b\n", "else:\n    c\nd = 1", "", "statement", "else:\n    c"),
    # the first statement is not finished
    ("python", "def f(a):\n", "    return a +\n\ndef g():\n    pass", "", "statement", "    return a +"),
    # comments are no tokens, those around the last statement may stay
    (
        "python",
        "def f(a):\n",
        "    # add\n    return a\n\ndef g():\n    pass",
        "",
        "function",
        "    # add\n    return a",
    ),
    # nothing around: the first that begins
    (
        "python",
        "",
        "import os\n\n\ndef f():\n    return 1\n\n\nf()",
        "",
        "function",
        "import os\n\n\ndef f():\n    return 1",
    ),
    ("python", "", "import os\nif os:\n    a\nb", "", "block", "import os\nif os:\n    a"),
    ("python", "", "@d\ndef f():\n    return 1\nf()", "", "function", "@d\ndef f():\n    return 1"),
    (
        "javascript",
        "",
        "a.map(x => x);\nconst f = () => 1;\nb()",
        "",
        "function",
        "a.map(x => x);\nconst f = () => 1;",
    ),
    # a function within the function around
    (
        "python",
        "def f(a):\n",
        "    def g(b):\n        return b\n\n    return g(a)\n\ndef h():\n    pass",
        "",
        "function",
        "    def g(b):\n        return b\n\n    return g(a)",
    ),
    # a function that is part of a statement
    ("javascript", "const f = (a) => {", "\n  return a;\n};\ng();\n", "", "function", "\n  return a;\n};"),
    # what closes is in the suffix, too
    ("javascript", "foo(", "x => x + 1);\nbar();\n", ");\n", "statement", "x => x + 1"),
    ("c", "void f() {\n", "  a();\n}\nvoid g() {", "\n}\n", "function", "  a();"),
    ("ruby", "def f\n", "  a\nend\ndef g\nend\n", "\nend\n", "function", "  a"),
    # and here it is needed
    ("c", "void f() {\n", "  a();\n}\nvoid g() {}", "", "function", "  a();\n}"),
    # no braces, two branches
    (
        "c",
        "int f() { if (x) ",
        "return 1;\nelse return 2;\nfoo();\n",
        "}\n",
        "statement",
        "return 1;\nelse return 2;",
    ),
    # the block begins here
    ("c", "int f() { if (x) ", "{ a(); }\nb();", "}\n", "block", "{ a(); }"),
    ("rust", "fn f() -> i32 { ", "{ { 1 } }\n2 }\nfn g() {}", "", "block", "{ { 1 } }"),
    # within the head of a loop, here documents, cases, members
    ("java", "for (int i = 0; ", "i < n; i++) {\n  a();\n}\nb();", "", "statement", "i < n; i++) {\n  a();\n}"),
    ("ruby", "", "x = <<~T\n  text\nT\ny = 1\n", "", "statement", "x = <<~T\n  text\nT"),
    ("bash", "f() {\n", "cat <<E\nhi\nE\necho x\n}\n", "", "statement", "cat <<E\nhi\nE"),
    (
        "c-sharp",
        "class A { int F() { switch (x) { case 1: ",
        "G(); break; case 2: H(); } } }",
        "",
        "block",
        "G(); break;",
    ),
    (
        "typescript",
        "interface A {\n  ",
        "a: number;\n  b: string;\n}\nconst c = 1;",
        "",
        "statement",
        "a: number;",
    ),
    ("cpp", "", "class A { int x; };\nint y;", "", "statement", "class A { int x; };"),
    # nothing to cut
    ("python", "", "", "", "statement", ""),
    ("python", "", "# only\n# comments", "", "statement", "# only\n# comments"),
    ("python", "", "a = 1\n\n", "", "statement", "a = 1\n\n"),
    ("python", "a = ", "1\nb = 2\n", "", "function", "1\nb = 2\n"),
    ("javascript", "function f() {", " const g = () => 1; if (", "", "function", " const g = () => 1; if ("),
)


@pytest.mark.parametrize("case", FUNCTIONS, ids=lambda case: case[0])
def test_levels_of_each_language(case: tuple[str, str, str, tuple[str, ...]]) -> None:
    """A hole within a block of a function: the end of its line, its statement, its block, its function."""
    language, prefix, completion, ends = case
    for level, end in zip(LEVELS, ends, strict=True):
        expected = completion[: completion.index(end) + len(end)]
        found = truncate(completion, level, prefix=prefix, language=language)
        assert expected == found.text, level
        assert completion == found.text + found.cut
        assert (len(expected), None) == (found.byte, found.reason)
        assert found.end


def test_all_languages_are_tried() -> None:
    """All that have a grammar."""
    assert {language.name for language in LANGUAGES} - {"tsx"} == {case[0] for case in FUNCTIONS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[4]}")
def test_cases(case: tuple[str, str, str, str, Level, str]) -> None:
    """Edges that cutters of peers fall over."""
    language, prefix, completion, suffix, level, expected = case
    found = truncate(completion, level, prefix=prefix, suffix=suffix, language=language)
    assert expected == found.text
    assert completion[len(expected) :] == found.cut
    assert bool(found.cut) == bool(found.end)


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("a = 1\nb", "a = 1"),
        ("\n\n  a = 1\r\nb", "\n\n  a = 1"),
        ("a\rb", "a"),
        ("a = 1", "a = 1"),
        ("a = 1\n \n", "a = 1\n \n"),
        ("", ""),
    ],
)
def test_lines_need_no_grammar(completion: str, expected: str) -> None:
    """The first that is not blank, by any line end, in any language."""
    found = truncate(completion, "line", language="no such language")
    assert (expected, None) == (found.text, found.reason)


def test_what_is_told() -> None:
    """Bytes in UTF-8, and the node that ends."""
    found = truncate("größe = 1\nb = 2\n", "statement")
    assert Truncation("größe = 1", "\nb = 2\n", 11, "expression_statement") == found


def test_what_cannot_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language without a grammar, a file too large: all is kept, with a reason."""
    found = truncate("a\nb", "statement", language="cobol")
    assert ("a\nb", "", "no grammar for language 'cobol'") == (found.text, found.cut, found.reason)
    monkeypatch.setattr(parsing, "MAX_BYTES", 3)
    found = truncate("too\nlarge", "block")
    assert ("too\nlarge", "too large: 9 bytes to parse; at most 3") == (found.text, found.reason)


def test_no_grammar_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one error: what to install."""

    def missing(*_: str) -> None:
        raise UsageError("tree_sitter_python is not installed")

    monkeypatch.setattr(parsing, "grammar", missing)
    with pytest.raises(UsageError, match="is not installed"):
        truncate("not seen before, and so not remembered", "statement")


@pytest.mark.parametrize("language", ["python", "javascript", "c"])
@pytest.mark.parametrize(
    "completion", ["(" * 3000, "{" * 3000 + "}" * 3000, "if a:\n" * 2000, ")" * 3000 + "x", "f(x => " * 2000]
)
def test_depth(language: str, completion: str) -> None:
    """Nothing is too deep."""
    for level in LEVELS:
        assert completion.startswith(truncate(completion, level, suffix=")" * 99, language=language).text)


CODE = (
    "if (a) {",
    "}",
    "return a + b",
    ";",
    "\n",
    "\n    ",
    "def f(a):",
    "(",
    ")",
    "else",
    " else {",
    "end",
    "do |x|",
)
ODD = ("x = 1", "# c\n", "// c\n", "'s'", '"', "é", "\x00", "\ud800", "function f() {", "fi", "`", "=> {", "<<E\n")
PIECES = st.sampled_from(CODE + ODD)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@settings(max_examples=150, deadline=None)
@given(
    prefix=TEXTS,
    completion=TEXTS,
    suffix=TEXTS,
    level=st.sampled_from(LEVELS),
    language=st.sampled_from([language.name for language in LANGUAGES]),
)
def test_properties(prefix: str, completion: str, suffix: str, level: Level, language: str) -> None:
    """What is kept is a beginning; cutting it again keeps it; nothing raises; the figures agree."""
    found = truncate(completion, level, prefix=prefix, suffix=suffix, language=language)
    assert completion == found.text + found.cut
    assert len(found.text.encode("utf-8", "surrogatepass")) == found.byte
    assert bool(found.cut) == bool(found.end)
    again = truncate(found.text, level, prefix=prefix, suffix=suffix, language=language)
    assert (found.text, "") == (again.text, again.cut)


def test_examples_of_the_page_are_true() -> None:
    """What docs/howto/completion-sets.md shows."""
    page = Path(__file__).parents[2] / "docs" / "howto" / "completion-sets.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (0, 4) == (failed, tried)
