"""The table of languages: each grammar loads, each entry means something, and what it drops and keeps."""

from __future__ import annotations

import sys

import pytest

from codejury.metrics.trees import languages
from codejury.metrics.trees.languages import LANGUAGES, Language, find, grammar
from codejury.metrics.trees.parsing import Parsed, parse
from codejury.model import UsageError

SUMS = {
    "python": "return a {} b  # sum",
    "javascript": "x = a {} b; // sum",
    "typescript": "let x: number = a {} b; // sum",
    "tsx": "const x = <p>{{a {} b}}</p>; // sum",
    "java": "class K {{ int f() {{ return a {} b; /* sum */ }} }}",
    "go": "package p\nfunc f() int {{ return a {} b /* sum */ }}",
    "rust": "fn f() -> i32 {{ a {} b /* sum */ }}",
    "c": "int f() {{ return a {} b; /* sum */ }}",
    "cpp": "auto f() {{ return a {} b; }} // sum",
    "c-sharp": "class K {{ int F() {{ return a {} b; }} }} // sum",
    "ruby": "x = a {} b # sum",
    "php": "$x = $a {} $b; // sum",
    "kotlin": "fun f() = a {} b // sum",
    "bash": "x=$((a {} b)) # sum",
}
NAMES = [language.name for language in LANGUAGES]


def leaves(parsed: Parsed) -> list[str]:
    """The texts of a tree's leaves."""
    keys = (parsed.tree.key(node) for node in range(len(parsed.tree)))
    return [key.text for key in keys if key.text is not None]


def test_thirteen_languages() -> None:
    """The languages that are promised, and TypeScript's second grammar."""
    expected = {"python", "javascript", "typescript", "java", "go", "rust", "c", "cpp", "c-sharp", "ruby", "php"}
    assert expected | {"kotlin", "bash", "tsx"} == set(NAMES)
    assert 14 == len(NAMES)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("py", "python"), (" C++ ", "cpp"), ("C#", "c-sharp"), ("ts", "typescript"), ("sh", "bash")],
)
def test_aliases(name: str, expected: str) -> None:
    """Languages are found by aliases, in any case."""
    found = find(name)
    assert found is not None
    assert expected == found.name


def test_names_are_distinct() -> None:
    """No name or alias stands for two languages; what is unknown is none."""
    names = [name for language in LANGUAGES for name in (language.name, *language.aliases)]
    assert sorted(set(names)) == sorted(names)
    assert find("cobol") is None


@pytest.mark.parametrize("language", LANGUAGES, ids=NAMES)
def test_types_and_fields_are_the_grammar_s(language: Language) -> None:
    """Each type and each field that the table names is in the grammar: a table that misses does nothing."""
    loaded = grammar(language.module, language.function)
    kinds = {loaded.node_kind_for_id(number) for number in range(loaded.node_kind_count)}
    roles = language.binders | language.patterns | language.members | language.outer
    types = language.identifiers | language.shorthand | language.scopes | language.tails
    assert set() == (types | {role.partition(".")[0] for role in roles | language.meaningful}) - kinds
    fields = {loaded.field_name_for_id(number) for number in range(1, loaded.field_count + 1)}
    assert set() == {role.partition(".")[2] for role in roles} - fields - {""}


@pytest.mark.parametrize("name", NAMES)
def test_operators_count_and_comments_do_not(name: str) -> None:
    """`a + b` and `a - b` differ in one leaf; the comment is in no leaf, brackets and semicolons are not."""
    plus, minus = (parse("", SUMS[name].format(operator), "", name) for operator in "+-")
    assert not plus.faults
    assert [("+", "-")] == [(one, two) for one, two in zip(leaves(plus), leaves(minus), strict=True) if one != two]
    assert "sum" not in " ".join(leaves(plus))
    assert not {"(", ")", "{", "}", ";", ","} & set(leaves(plus))


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("python", "a[:1]", "a[1:]"),
        ("python", "x = 'a\\n'", "x = 'b\\n'"),
        ("python", "x = f'{a}'", "x = '{a}'"),
        ("python", "x = ':'", "x = ','"),
        ("java", "class K { char c = ':'; }", "class K { char c = ','; }"),
        ("javascript", "x = ' '", "x = ''"),
        ("bash", ": x", ". x"),
        ("c", "void f() { for (; a;) {} }", "void f() { for (;; a) {} }"),
        ("javascript", "for (; a;) {}", "for (;; a) {}"),
        ("java", "class K { void f() { for (; a;) {} } }", "class K { void f() { for (;; a) {} } }"),
        ("c-sharp", "class K { void F() { for (; a;) {} } }", "class K { void F() { for (;; a) {} } }"),
        ("php", "for (; $a;) {}", "for (;; $a) {}"),
        ("go", "package p\nvar x = a[1:]", "package p\nvar x = a[:1]"),
        ("rust", "fn f() { g([a; b]) }", "fn f() { g([a, b]) }"),
        ("c", "int x = a->b;", "int x = a.b;"),
        ("bash", "[[ -n $x ]]", "[ -n $x ]"),
        ("kotlin", "val x = a?.b", "val x = a.b"),
        ("ruby", "x = a..b", "x = a...b"),
    ],
)
def test_what_means_something_else_is_another_tree(language: str, one: str, two: str) -> None:
    """Tokens that tell what the form of the tree does not are kept."""
    a, b = (parse("", text, "", language) for text in (one, two))
    assert not a.faults
    assert not b.faults

    def nodes(parsed: Parsed) -> list[tuple[object, int]]:
        return [(parsed.tree.key(node), parent) for node, parent in enumerate(parsed.tree.parent.tolist())]

    assert nodes(a) != nodes(b)


def test_quotes_do_not_count() -> None:
    """The kind of quotes makes no difference, a prefix of the string does."""
    assert leaves(parse("", "x = f'{a}' + 'b'", "", "python")) == leaves(
        parse("", 'x = f"{a}" + """b"""', "", "python")
    )
    assert leaves(parse("", "x = r'b'", "", "python")) != leaves(parse("", "x = 'b'", "", "python"))
    assert leaves(parse("", "x = 'b'", "", "javascript")) == leaves(parse("", 'x = "b"', "", "javascript"))


def test_php_with_and_without_its_tag() -> None:
    """A file of PHP begins with a tag, a completion does not; both parse, and the tag does not count."""
    assert leaves(parse("", "$x = 1;", "", "php")) == leaves(parse("", "<?php $x = 1;", "", "php"))


def test_missing_grammar_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a grammar's wheel, one line says what to install."""
    monkeypatch.setattr(languages, "import_module", _missing)
    with pytest.raises(UsageError, match=r"tree_sitter_none is not installed.*codejury\[completion\]"):
        grammar("tree_sitter_none", "language")


def test_missing_parser_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the parser, whatever asks for a tree says what to install."""
    grammar.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    with pytest.raises(UsageError, match=r"tree_sitter is not installed.*codejury\[completion\]"):
        parse("", "a text that nothing has parsed before", "", "python")


def _missing(name: str) -> object:
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_grammar_that_does_not_fit_is_told() -> None:
    """A wheel without the expected function says what to upgrade."""
    with pytest.raises(UsageError, match=r"does not fit the parser.*--upgrade"):
        grammar("tree_sitter_python", "language_of_another_version")
