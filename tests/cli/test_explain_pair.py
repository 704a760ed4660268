"""`explain A B` from outside: with and without its name, what is printed and written, how it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import typer

from codejury.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAIR = ("return a + b", "return b + a")


def test_it_prints_and_writes(folder: Path, codejury: Callable[..., Any]) -> None:
    """Two texts are enough; the page and the document where they are asked for."""
    shown = codejury("explain", *PAIR, "--html", "p.html", "--json", "p.json")
    assert (0, "") == (shown.code, shown.err)
    assert "The same nodes in another order or nesting: ast.dice 1.000" in shown.out
    assert "Likeness is not correctness" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "explain-pair/1" == json.loads((folder / "p.json").read_text("utf-8"))["schema"]
    assert (folder / "p.html").read_text("utf-8").startswith("<!doctype html>")
    assert shown.out == codejury("explain", "pair", *PAIR).out
    assert shown.out == codejury("explain", "--language", "py", *PAIR).out


def test_standard_output_takes_one(codejury: Callable[..., Any]) -> None:
    """The document or the page, and then nothing else."""
    assert 2 == json.loads(codejury("explain", *PAIR, "--json", "-").out)["distance"]
    assert codejury("explain", *PAIR, "--html", "-").out.endswith("</html>\n")
    both = codejury("explain", *PAIR, "--html", "-", "--json", "-")
    assert (2, "") == (both.code, both.out)
    assert "" == codejury("explain", *PAIR, "--quiet").out


def test_files_and_context(folder: Path, codejury: Callable[..., Any]) -> None:
    """Files by their names, --text for texts, text around."""
    (folder / "a.go").write_text("x := 1\n")
    options = ("--prefix", "package p\nfunc f() {\n", "--suffix", "}\n", "--json", "-")
    document = json.loads(codejury("explain", "a.go", "x := 2\n", *options).out)
    assert ("go", "a.go", "clean") == (
        document["language"],
        document["a"]["file"],
        document["trees"]["parse_status"],
    )
    document = json.loads(codejury("explain", "a.go", "b", "--text", "--json", "-").out)
    assert ("python", None) == (document["language"], document["a"]["file"])


def test_topics_go_first(folder: Path, codejury: Callable[..., Any]) -> None:
    """A word that is a topic is the topic; a file of that name is written in another way."""
    (folder / "passk").write_text("a")
    assert "pass@10" in codejury("explain", "passk", "--trials", "50").out
    assert 0 == codejury("explain", "./passk", "b", "--quiet").code
    assert 0 == codejury("explain", "pair", "passk", "b", "--quiet").code
    assert codejury("explain", "--help").out.startswith("Usage: codejury explain")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("only one",), "Missing argument 'B'."),
        (("a", "b", "c"), "Got unexpected extra argument(s) (c)"),
        (("--nothing", "a", "b"), "No such option: --nothing"),
        (("a", "b", "--html", "no/such/p.html"), "--html no/such/p.html: cannot be written"),
        (("bytes", "b"), "bytes: not UTF-8"),
    ],
)
def test_wrong_words_are_one_line(
    folder: Path, codejury: Callable[..., Any], arguments: tuple[str, ...], line: str
) -> None:
    """Told in one line, with exit code 2."""
    (folder / "bytes").write_bytes(b"\xff")
    ended = codejury("explain", *arguments)
    assert (2, "", 1) == (ended.code, ended.out, len(ended.err.splitlines()))
    assert ended.err.startswith(f"codejury: {line}")


def test_settings_reach_it(folder: Path, codejury: Callable[..., Any]) -> None:
    """Also where its name is left out."""
    (folder / "codejury.toml").write_text('[explain.pair]\nlanguage = "rust"\n')
    assert "rust" == json.loads(codejury("explain", *PAIR, "--json", "-").out)["language"]


def test_the_group_keeps_its_help() -> None:
    """The callback changes nothing else."""
    main.register()
    group: Any = typer.main.get_command(main.app)
    assert "What figures mean, by examples." == group.commands["explain"].help
    assert {"pair", "passk"} == set(group.commands["explain"].commands)
