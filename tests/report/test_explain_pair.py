"""The document of `explain A B`, its page and its view."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from codejury.report import encode_json
from codejury.report.explain_pair import (
    AlignedPiece,
    EditTable,
    ExampleRow,
    ExplainMetric,
    ExplainPairDocument,
    ExplainText,
    NodeRow,
    TreesRow,
)
from codejury.report.explain_pair_page import MAX_ALIGNED, MAX_TEXT, pair_page
from codejury.report.explain_pair_style import SCRIPT
from codejury.report.explain_pair_svg import trees_svg
from codejury.report.explain_pair_view import Aligned, pair_report

if TYPE_CHECKING:
    from rich.console import RenderableType

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"
NODE = shutil.which("node")
VOID = {"meta", "input"}
HOSTILE = "</script></pre><script>alert(1)</script>'\"><img src=x onerror=y>&amp;\x00\x1b[31m\u202e\u2028"


def _node(kind: str, text: str | None, depth: int, fate: Any, other: int | None, *, common: bool) -> NodeRow:
    return NodeRow(type=kind, text=text, depth=depth, fate=fate, other=other, common=common)


def _metric(name: str, value: float | None, **more: Any) -> ExplainMetric:
    fields: dict[str, Any] = {
        "unscored": None,
        "how": "",
        "definition": "what it is",
        "low": 0.0,
        "high": 1.0,
        "direction": "higher",
        "source": "where it is from",
        "version": "1",
        "details": {},
    }
    return ExplainMetric(name=name, value=value, **fields | more)


DOCUMENT = ExplainPairDocument(
    a=ExplainText(text="a + b\n", file="a.py", characters=6),
    b=ExplainText(text="a - [b]\t", file=None, characters=8),
    language="python",
    prefix="def f(a, b):\n    return ",
    suffix="\n",
    distance=4,
    alignment=[
        AlignedPiece(change="equal", a="a ", b="a "),
        AlignedPiece(change="replace", a="+", b="-"),
        AlignedPiece(change="equal", a=" ", b=" "),
        AlignedPiece(change="insert", a="", b="["),
        AlignedPiece(change="equal", a="b", b="b"),
        AlignedPiece(change="replace", a="\n", b="]"),
        AlignedPiece(change="insert", a="", b="\t"),
    ],
    table=EditTable(
        start=1,
        a=" +",
        b=" -[",
        cells=[[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 1, 12]],
        path=[(0, 0), (1, 1), (2, 2), (2, 3)],
    ),
    trees=TreesRow(
        distance=2,
        a=[
            _node("binary_operator", None, 0, "kept", 0, common=True),
            _node("identifier", "a", 1, "kept", 1, common=True),
            _node("+", "+", 1, "relabelled", 2, common=False),
            _node("identifier", "b", 1, "kept", 4, common=True),
        ],
        b=[
            _node("binary_operator", None, 0, "kept", 0, common=True),
            _node("identifier", "a", 1, "kept", 1, common=True),
            _node("-", "-", 1, "relabelled", 2, common=False),
            _node("list", None, 1, "inserted", None, common=False),
            _node("identifier", "b", 2, "kept", 3, common=True),
        ],
        parse_status="clean",
    ),
    left_out={},
    metrics=[
        _metric("ast.dice", 0.75, how="2 x 3 / (4 + 5) nodes", details={"nodes": [4, 5]}),
        _metric("exact", 0.0, how="character 3 is '+' in A and '-' in B"),
        _metric("mine", None, unscored="no [b]reason[/b]", high=None, direction="lower"),
    ],
    reading=["What differs.", "Likeness is not correctness."],
    reference="return a + b",
    examples=[
        ExampleRow(
            prediction="return b + a", truth="the same", right=True, scores={"ast.dice": 1.0, "exact": None}
        ),
        ExampleRow(
            prediction="return a - b", truth="other", right=False, scores={"ast.dice": 0.857, "exact": 0.0}
        ),
    ],
    warnings=["a warning"],
)
NOTHING = msgspec.structs.replace(
    DOCUMENT,
    distance=None,
    alignment=None,
    table=None,
    trees=None,
    left_out={"alignment": "too large: 1", "table": "too large: 2", "trees": "B does not parse"},
    metrics=[],
    examples=[],
    warnings=[],
)


class Page(HTMLParser):
    """Reads a page: its elements, their attributes, the text within each; refuses what is not balanced."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.seen.append((tag, dict(attrs)))
        self.texts.setdefault(tag, []).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element of SVG without children."""
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """It ends."""
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        """Text belongs to all that is open."""
        for tag in set(self.open):
            self.texts[tag][-1] += data


def _shown(what: RenderableType, width: int = 80) -> str:
    raw = io.StringIO()
    Console(file=raw, width=width, legacy_windows=False, highlight=False, markup=False).print(what)
    return "".join(f"{line.rstrip()}\n" for line in raw.getvalue().splitlines())


def test_document_is_as_published() -> None:
    """The golden file is the contract; it can be read back."""
    body = encode_json(DOCUMENT)
    assert (GOLDEN / "explain-pair.json").read_bytes() == body
    assert DOCUMENT == msgspec.json.decode(body, type=ExplainPairDocument)


def test_schema_is_as_published() -> None:
    """A change of the document is seen in the golden schema."""
    found = msgspec.json.schema(ExplainPairDocument)
    body = encode_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **found})
    assert (GOLDEN / "explain-pair.schema.json").read_bytes() == body


@pytest.mark.parametrize(("name", "document"), [("explain-pair", DOCUMENT), ("explain-pair-nothing", NOTHING)])
def test_view_is_as_published(name: str, document: ExplainPairDocument) -> None:
    """At 80 columns, without colour; nothing is cut off."""
    text = _shown(pair_report(document))
    assert (GOLDEN / f"{name}.txt").read_text(encoding="utf-8") == text
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


def test_view_of_what_is_long() -> None:
    """Cut, and it says so; wide characters keep the lines below each other; nothing controls the terminal."""
    pieces = [
        AlignedPiece(change="equal", a="語" * 50, b="語" * 50),
        AlignedPiece(change="replace", a="語\x1b", b="ab"),
        AlignedPiece(change="delete", a="x" * 5000, b=""),
    ]
    lines = _shown(Aligned(pieces), 40).splitlines()
    assert "  … and more, in the document (--json) and the page (--html)" in " ".join(lines[-2:]).replace("\n", "")
    text = _shown(Aligned(pieces[:2]), 200)
    assert [f"  A  {'語' * 51}\\x1b", f"     {' ' * 100}~~~~~~", f"  B  {'語' * 50}a b"] == text.splitlines()[1:]
    nodes = [_node("block", None, depth, "kept", depth, common=True) for depth in range(50)]
    deep = TreesRow(distance=0, a=nodes, b=nodes, parse_status="clean")
    assert "… and 10 more rows" in _shown(pair_report(msgspec.structs.replace(DOCUMENT, trees=deep)))
    table = EditTable(start=0, a="a", b="b" * 24, cells=[[0] * 25, [0] * 25], path=[(0, 0)])
    long = msgspec.structs.replace(DOCUMENT, table=table, metrics=[_metric("m", 0.5, how="h" * 300)])
    shown = _shown(pair_report(long))
    assert "not shown: 2 x 25 cells do not fit here" in shown
    assert "h…" in shown


def test_page_holds_all() -> None:
    """Texts, alignment, every cell of the table with its path, both trees, every metric, notes."""
    page = Page(pair_page(DOCUMENT))
    assert ["a + b\n", "a - [b]\t", "def f(a, b):\n    return ", "\n"] == page.texts["pre"][:4]
    assert "a +- [b⏎\n]→" == page.texts["pre"][4]
    assert ["struck through", "+", "⏎\n"] == page.texts["del"]
    assert ["underlined", "-", "[", "]", "→"] == page.texts["ins"]
    cells = [
        text
        for (tag, attrs), text in zip(_of(page, "td"), page.texts["td"], strict=True)
        if tag and attrs is not None
    ]
    assert [str(value) for row in (DOCUMENT.table or 0).cells for value in row] == cells[8:20]  # type: ignore[union-attr]
    on_path = [attrs.get("class") == "path" for _, attrs in _of(page, "td")][8:20]
    assert [0, 5, 10, 11] == [place for place, is_on in enumerate(on_path) if is_on]
    codes = [int(attrs["data-code"] or 0) for _, attrs in _of(page, "th") if "data-code" in attrs]
    assert [*map(ord, " -["), *map(ord, " +")] == codes
    text = "".join(page.texts["main"])
    for said in (
        "2 x 3 / (4 + 5) nodes",
        "no [b]reason[/b]",
        "unbounded, lower is better",
        "✗ wrong",
        "a warning",
    ):
        assert said in text
    assert DOCUMENT.reading == page.texts["p"][1:3]


def _of(page: Page, tag: str) -> list[tuple[str, dict[str, str | None]]]:
    return [each for each in page.seen if each[0] == tag]


def test_page_needs_nothing_from_elsewhere() -> None:
    """No addresses, one script, which the policy names by its hash; readable in light and dark."""
    text = pair_page(DOCUMENT)
    page = Page(text)
    assert [SCRIPT] == page.texts["script"]
    policy = next(attrs["content"] or "" for tag, attrs in page.seen if attrs.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" == policy
    assert not re.search(r"href|src=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text)
    assert "prefers-color-scheme: dark" in text
    for _, attrs in page.seen:
        assert not [name for name in attrs if name.startswith("on")]
    for label in ("edit table", "trees", "mapping", "metrics", "examples"):
        assert [("div", "0", "region")] == [
            (tag, attrs.get("tabindex"), attrs.get("role"))
            for tag, attrs in page.seen
            if attrs.get("aria-label") == label
        ]


def test_page_without_parts() -> None:
    """It says why each is missing."""
    text = "".join(Page(pair_page(NOTHING)).texts["main"])
    for said in ("too large: 1", "too large: 2", "B does not parse"):
        assert f"Not shown: {said}." in text


def _with(text: str) -> ExplainPairDocument:
    """A document with a text at every place that one can come to."""
    node = _node(text, text, 0, "relabelled", 0, common=False)
    row = ExampleRow(prediction=text, truth=text, right=True, scores={text: 1.0})
    fields = {"unscored": None, "how": text, "definition": text, "source": text, "version": text}
    given_text = ExplainText(text=text, file=text, characters=len(text))
    return msgspec.structs.replace(
        DOCUMENT,
        a=given_text,
        b=given_text,
        language=text,
        prefix=text,
        suffix=text,
        alignment=[
            AlignedPiece(change="equal", a=text, b=text),
            AlignedPiece(change="delete", a=text, b=""),
            AlignedPiece(change="insert", a="", b=text),
        ],
        table=EditTable(start=0, a=text, b="", cells=[[0]] * (len(text) + 1), path=[(0, 0)]),
        trees=TreesRow(distance=1, a=[node], b=[node], parse_status="clean"),
        metrics=[_metric(text, 1.0, **fields | {"details": {text: text}}), _metric(text, None, unscored=text)],
        reading=[text],
        reference=text,
        examples=[row],
        warnings=[text],
    )


@given(st.one_of(st.just(HOSTILE), st.text(max_size=30), st.text("<>&\"'/-! script\n\x00", max_size=30)))
def test_no_text_becomes_markup(text: str) -> None:
    """Whatever stands in the texts: the same elements, no further attributes, no control characters."""
    shown = pair_page(_with(text))
    page, usual = Page(shown), Page(pair_page(_with("x" * len(text))))
    empty = {"details", "summary", "pre"}  # which are left out where a text is empty
    assert [tag for tag, _ in usual.seen if tag not in {"span", *empty}] == [
        tag for tag, _ in page.seen if tag not in {"span", *empty}
    ]
    assert {name for _, attrs in usual.seen for name in attrs} >= {
        name for _, attrs in page.seen for name in attrs
    }
    assert [SCRIPT] == page.texts["script"]
    assert all(char.isprintable() or char in "\n\t" for char in shown.replace(SCRIPT, ""))
    _shown(pair_report(_with(text)))


def test_page_of_what_is_long() -> None:
    """A line of a million characters is cut wherever it would be shown, with its length."""
    page = pair_page(
        msgspec.structs.replace(_with("x"), b=ExplainText(text="y" * 10**6, file=None, characters=10**6))
    )
    assert f"{10**6 - MAX_TEXT:,} more characters" in page
    long = [
        AlignedPiece(change="equal", a="e" * 10**6, b="e" * 10**6),
        AlignedPiece(change="replace", a="d" * 10**6, b="i" * 10**6),
        AlignedPiece(change="insert", a="", b="never shown"),
    ]
    page = pair_page(msgspec.structs.replace(DOCUMENT, alignment=long))
    assert f"{10**6 - 600:,} equal characters" in page
    assert "11 more characters" in page
    assert len(page) < 4 * MAX_ALIGNED
    assert "never shown" not in page


def test_trees_picture() -> None:
    """Well-formed; a row a node, a line for each mapped pair, marks for what is common; all within the frame."""
    assert DOCUMENT.trees is not None
    root = ET.fromstring(trees_svg(DOCUMENT.trees))  # noqa: S314 - our own text
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    classes = [element.attrib.get("class", "") for element in root.iter()]
    assert (3, 1, 6, 3) == tuple(map(classes.count, ("map kept", "map relabelled", "common", "own")))
    assert (1, 7) == (classes.count("inserted sign"), classes.count("branch"))
    labels = [text.text for text in root.iter(f"{SVG}text") if text.attrib["class"] != "side"]
    assert ["binary_operator", "identifier a", "+", "identifier b"] == labels[:4]
    for element in root.iter():
        for name, end in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(element.attrib.get(name, 0)) <= end
    lines = [element.attrib["d"] for element in root.iter(f"{SVG}path") if "map" in element.attrib["class"]]
    rows = [tuple(float(point.split()[1]) for point in line[1:].split("L")) for line in lines]
    assert [(45, 45), (67, 67), (89, 89), (111, 133)] == rows


def test_trees_picture_of_depth_and_length() -> None:
    """Deep trees are indented less, long labels are cut."""
    nodes = [_node("t" * 99, "x" * 999, depth, "deleted", None, common=False) for depth in range(99)]
    root = ET.fromstring(trees_svg(TreesRow(distance=99, a=nodes, b=[], parse_status="clean")))  # noqa: S314 - our own text
    marks = [float(element.attrib["cx"]) for element in root.iter(f"{SVG}circle")]
    assert max(marks) - min(marks) <= 160
    assert all(len(text.text or "") < 60 for text in root.iter(f"{SVG}text"))


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_script_is_valid() -> None:
    """It parses."""
    done = subprocess.run([str(NODE), "--check", "-"], input=SCRIPT.encode(), capture_output=True, check=False)
    assert b"" == done.stderr
