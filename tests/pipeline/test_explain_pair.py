"""What `explain A B` finds: texts and files, edits, trees, metrics, and what they are said to mean."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codejury.metrics import alignment, scoring
from codejury.metrics.alignment import path_cost
from codejury.metrics.scoring import Metric, Pair, Scored
from codejury.metrics.trees import parse
from codejury.metrics.trees import parsing as trees_parsing
from codejury.metrics.trees import ted as trees_ted
from codejury.model import InputError, UsageError
from codejury.pipeline.explain_pair import ExplainPairSettings, explain_pair
from codejury.pipeline.explain_pair_words import short
from codejury.report import encode_json

if TYPE_CHECKING:
    from codejury.report.explain_pair import ExplainPairDocument

module = import_module("codejury.pipeline.explain_pair")


def explained(a: str, b: str, **more: Any) -> ExplainPairDocument:
    """Two texts, never files."""
    return explain_pair(ExplainPairSettings(a=a, b=b, text=True, **more))


def values(document: ExplainPairDocument) -> dict[str, float | None]:
    """The metrics by name."""
    return {metric.name: metric.value for metric in document.metrics}


def hows(document: ExplainPairDocument) -> dict[str, str]:
    """How each came to be."""
    return {metric.name: metric.how for metric in document.metrics}


TEXTS = st.text(st.sampled_from("ab +()\n'#=é\x00\t"), max_size=12)


@settings(max_examples=40, deadline=None)
@given(a=TEXTS, b=TEXTS)
def test_document_agrees_with_itself(a: str, b: str) -> None:
    """Alignment, table, path, trees and metrics say the same."""
    document = explained(a, b)
    assert document.alignment is not None
    assert document.table is not None
    assert (a, b) == tuple("".join(getattr(piece, side) for piece in document.alignment) for side in "ab")
    table = document.table
    assert (a, b, 0) == (table.a, table.b, table.start)
    assert document.distance == table.cells[-1][-1] == path_cost(a, b, table.path)
    scores = values(document)
    if a or b:
        assert 1 - (document.distance or 0) / max(len(a), len(b)) == pytest.approx(scores["edit.levenshtein"])
    assert (document.trees is None) == ("trees" in document.left_out)
    if document.trees is not None:
        one, other = document.trees.a, document.trees.b
        assert 1 - document.trees.distance / (len(one) + len(other)) == pytest.approx(scores["ast.ted"])
        common = sum(node.common for node in one)
        assert common == sum(node.common for node in other)
        assert 2 * common / (len(one) + len(other)) == pytest.approx(scores["ast.dice"])
        for place, node in enumerate(one):
            assert node.other is None or place == other[node.other].other
        fates = [node.fate for node in one] + [node.fate for node in other if node.fate == "inserted"]
        assert document.trees.distance == sum(fate != "kept" for fate in fates)
    assert scoring.names() == list(scores)
    encode_json(document)


def test_same_nodes_in_another_order() -> None:
    """`b + a` has all nodes of `a + b`: the figures, where they come from, and what they do not say."""
    document = explained("return a + b", "return b + a")
    scores = values(document)
    assert pytest.approx(10 / 12) == scores["edit.levenshtein"]
    assert 1.0 == scores["ast.dice"]
    assert document.reading[0].startswith("The same nodes in another order or nesting: ast.dice 1.000")
    assert document.reading[-1].startswith("Likeness is not correctness")
    how = hows(document)
    assert "1 - 2 / 12" == how["edit.levenshtein"]
    assert "2 x 10 / (12 + 12), 10 the longest common subsequence" == how["edit.indel"]
    assert "2 x 7 / (7 + 7) nodes" == how["ast.dice"]
    assert "2 x 6 / (6 + 6) types" == how["ast.dice.types"]
    assert "2 x 4 / (7 + 7) subtrees" == how["ast.subtree"]
    assert ("1 - 2 / (7 + 7) nodes", "1 - 0 / (7 + 7) nodes") == (how["ast.ted"], how["ast.ted.alpha"])
    assert "character 8 is 'a' in A and 'b' in B" == how["exact"]
    assert "word 2 is 'a' in A and 'b' in B" == how["exact.tokens"]
    assert "line 1 is 'return a + b' in A and 'return b + a' in B" == how["exact.lines"]
    assert "identifier 1 is 'a' in A and 'b' in B" == how["identifier.exact"]
    assert "2 x 2 / (2 + 2)" == how["identifier.f1"]
    assert "clean: 0 errors that A has not" == how["parse_status"]
    assert how["valid.python"].endswith("'return' outside function")
    assert "mean of ngrams 0.114, weighted_ngrams 0.114, syntax 1.000, data_flow none" == how["codebleu"]


def test_examples_tell_likeness_from_correctness() -> None:
    """Right answers that are unlike, and wrong ones that are alike; each is what it is said to be."""
    document = explained("a", "b")
    assert "return a + b" == document.reference
    truth = {}
    for row in document.examples:
        names: dict[str, Any] = {"x": 5, "y": 7}
        exec(f"def f(a, b):\n    {row.prediction}", names)  # our own five lines
        truth[row.prediction] = all(a + b == names["f"](a, b) for a, b in ((1, 2), (0, 3), (2.5, -1)))
    assert truth == {row.prediction: row.right for row in document.examples}
    right, wrong = ([row.scores for row in document.examples if row.right is side] for side in (True, False))
    assert min(scores["ast.dice"] or 0 for scores in right) < max(scores["ast.dice"] or 0 for scores in wrong)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("return a - b", "return a - b", "The texts are the same, so B is as right as A, and as wrong."),
        ("x=1", "x = 1  # one", "The trees are the same: white space, comments, quotes or brackets differ"),
        ("return a + b", "return x + y", "The trees are the same but for names"),
        (
            "return a + b",
            "return a - b",
            "1 of 7 nodes differs ('+' to '-'): edit.levenshtein 0.917, ast.dice 0.857",
        ),
        ("f(a, b)", "f(a)", "1 of 7 nodes differs ('b' deleted)"),
        ("f(a)", "f(a, 1)", "1 of 7 nodes differs ('1' inserted)"),
        ("return a + b", "return x - y", "3 edits between trees of 7 and 7 nodes"),
        ("", "x", "Likeness is not correctness"),
    ],
)
def test_reading(a: str, b: str, said: str) -> None:
    """What differs, in words."""
    document = explained(a, b)
    assert document.reading[0].startswith(said)
    assert document.reading[-1].startswith("Likeness is not correctness")


def test_context_and_language() -> None:
    """The trees are those within the file; a language without a grammar has none, and metrics that say so."""
    document = explained("else:\n    b", "else:\n    c", prefix="if a:\n    b\n", suffix="\nd\n")
    assert document.trees is not None
    assert ("else_clause", "clean") == (document.trees.a[0].type, document.trees.parse_status)
    cobol = explained("MOVE A TO B", "MOVE B TO A", language="cobol")
    assert {"trees": "no grammar for language 'cobol'"} == cobol.left_out
    assert (None, "") == (values(cobol)["ast.dice"], hows(cobol)["ast.dice"])


def test_long_texts() -> None:
    """A table of where they differ; none where that is too much; trees up to a size."""
    document = explained(
        "x = 1\n" * 30 + "a = 22\n" + "y = 1\n" * 30, "x = 1\n" * 30 + "a = 33\n" + "y = 1\n" * 30
    )
    assert document.table is not None
    assert (184, "22", "33") == (document.table.start, document.table.a, document.table.b)
    assert [(0, 0), (1, 1), (2, 2)] == document.table.path
    assert {"trees"} == set(document.left_out)
    assert document.left_out["trees"].startswith("too large: ")
    apart = explained("a" * 81, "b" * 81)
    assert {"table": "too large: 82 x 82 cells, 82 x 82 of them where the texts differ; at most 81 x 81"} == (
        apart.left_out
    )
    assert {"table": "the texts are long and the same"} == explained("a" * 81, "a" * 81).left_out


def test_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part says why it is missing; a text that is too long is an error."""
    monkeypatch.setattr(alignment, "MAX_CELLS", 3)
    document = explained("ab", "cd")
    assert (None, None, None) == (document.distance, document.alignment, document.table)
    assert document.left_out["alignment"].startswith("too large: 2 and 2 characters")
    monkeypatch.setattr(trees_ted, "MAX_PAIRS", 3)
    assert explained("(a, b)", "(c, d)").left_out["trees"].startswith("too large: ")
    monkeypatch.setattr(trees_parsing, "MAX_BYTES", 3)
    assert "too large: 14 bytes to parse; at most 3" == explained("not seen yet 1", "b").left_out["trees"]
    monkeypatch.setattr(module, "MAX_CHARACTERS", 3)
    with pytest.raises(UsageError, match="--prefix: 4 characters are too many to explain; at most 3"):
        explained("a", "b", prefix="four")


def test_sides_without_a_tree() -> None:
    """Empty, comments, nonsense."""
    assert "B has no nodes: it is empty, comments or punctuation" == explained("a", "# b").left_out["trees"]
    assert "A does not parse" == explained(")", "b").left_out["trees"]
    how = hows(explained("a", "# b"))
    assert "the prediction has no nodes: it is empty, comments or punctuation" == how["ast.dice"]
    empty = explained("", "")
    assert ("", "0 characters on each side, all equal") == (hows(empty)["edit.levenshtein"], hows(empty)["exact"])
    assert "neither side has identifiers" == hows(empty)["identifier.f1"]


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files are read, with their language, to the byte; --text takes them for texts."""
    monkeypatch.chdir(tmp_path)
    Path("a.js").write_bytes("let é = 1\r\n".encode())
    Path("folder").mkdir()
    document = explain_pair(ExplainPairSettings(a="a.js", b="folder", prefix="a.js"))
    assert ("let é = 1\r\n", "a.js", 11) == (document.a.text, document.a.file, document.a.characters)
    assert ("folder", None, "javascript") == (document.b.text, document.b.file, document.language)
    assert "let é = 1\r\n" == document.prefix
    assert "python" == explain_pair(ExplainPairSettings(a="x", b="a.js", language="python")).language
    assert ("a.js", None, "python") == (explained("a.js", "b").a.text, None, explained("a.js", "b").language)
    asked = explain_pair(ExplainPairSettings(a="b.py", b="f.go(x)"))
    assert ["A: there is no file b.py, so it is taken for a text"] == asked.warnings


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """One line; what cannot be a name of a file is a text."""
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="not UTF-8: unexpected end of data at byte 4"):
        explain_pair(ExplainPairSettings(a=str(tmp_path / "latin"), b="b"))
    with pytest.raises(UsageError, match="B: is not Unicode"):
        explain_pair(ExplainPairSettings(a="a", b="caf\udce9"))
    for name in ("x" * 5000, "a\x00b", "", "  "):
        assert explain_pair(ExplainPairSettings(a=name, b="b")).a.file is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_files_that_may_not_be_read(tmp_path: Path) -> None:
    """One line."""
    (tmp_path / "mine").write_text("x")
    (tmp_path / "mine").chmod(0)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        explain_pair(ExplainPairSettings(a=str(tmp_path / "mine"), b="b"))


def test_metrics_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric of a third party has its details; one that cannot be loaded is a warning."""

    def score(_: Pair) -> Scored:
        return Scored(3.0, None, {"note": "counted", "more": [1]})

    mine = Metric("mine", "of mine", (0.0, float("inf")), "lower", "me", "2", score)

    def get(name: str) -> Metric:
        if name == "broken":
            raise UsageError("metric 'broken' cannot be loaded")
        return mine

    monkeypatch.setattr(module, "metric_names", lambda: ["mine", "broken"])
    monkeypatch.setattr(module, "get", get)
    document = explained("a", "b")
    assert ["metric 'broken' cannot be loaded"] == document.warnings
    (row,) = document.metrics
    assert (3.0, "counted", None, {"note": "counted", "more": [1]}) == (row.value, row.how, row.high, row.details)


def test_common_nodes_are_counted_as_often_as_they_are_there() -> None:
    """`a + a` has one more `a` than `a + b`; the kept one is the common one."""
    document = explained("a + a", "a + b")
    assert document.trees is not None
    assert [False, True] == sorted(node.common for node in document.trees.a if node.text == "a")
    assert parse("", "a + a", "", "python").tree.keys  # the tree that is shown is the metrics' own


def test_short() -> None:
    """Quotes, escapes, and the middle left out."""
    assert ("'a\\x00\\n'", "'" + "a" * 20 + "' … '" + "b" * 20 + "'") == (
        short("a\x00\n"),
        short("a" * 50 + "b" * 50),
    )
