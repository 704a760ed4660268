"""`explain passk` from outside: what is printed, what is written, how it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FEW = ("--trials", "50")


def test_it_prints_and_writes(folder: Path, codejury: Callable[..., Any]) -> None:
    """Tables and the picture within 80 columns; the document and the SVG where they are asked for."""
    shown = codejury("explain", "passk", *FEW, "--json", "p.json", "--svg", "p.svg")
    assert (0, "") == (shown.code, shown.err)
    assert "pass@10 of n = 20 samples" in shown.out
    assert "tests counted as samples: 0.9762, honest: 0.0000" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    written = json.loads((folder / "p.json").read_text("utf-8"))
    assert ("explain-passk/1", 50, 0) == (written["schema"], written["trials"], written["seed"])
    assert (folder / "p.svg").read_text("utf-8").startswith("<svg ")
    assert not (folder / ".codejury").exists()


def test_standard_output_takes_one(codejury: Callable[..., Any]) -> None:
    """The document or the picture, and then nothing else; the same seed gives the same."""
    document = codejury("explain", "passk", *FEW, "--c", "4", "--n", "10", "--k", "5", "--json", "-")
    assert [4] == [row["c"] for row in json.loads(document.out)["counts"]]
    again = codejury("explain", "passk", *FEW, "--c", "4", "--n", "10", "--k", "5", "--json", "-")
    other = codejury("explain", "passk", *FEW, "--c", "4", "--n", "10", "--k", "5", "--json", "-", "--seed", "1")
    assert (True, False) == (document.out == again.out, document.out == other.out)
    assert codejury("explain", "passk", *FEW, "--svg", "-").out.startswith("<svg ")
    both = codejury("explain", "passk", "--svg", "-", "--json", "-")
    assert (2, "") == (both.code, both.out)


def test_of_a_run(folder: Path, codejury: Callable[..., Any], make_run: Callable[..., int]) -> None:
    """With its means; k above its n is one line."""
    with Store.open(folder / "runs.db") as store:
        make_run(store, "mine", [4, 1, 0])
    shown = codejury("explain", "passk", *FEW, "--run", "mine", "--k", "2", "--store", "runs.db")
    assert (0, "") == (shown.code, shown.err)
    assert "run mine" in shown.out
    refused = codejury("explain", "passk", *FEW, "--run", "mine", "--store", "runs.db")
    assert (2, "") == (refused.code, refused.out)
    assert refused.err.startswith(
        "codejury: pass@10 needs 10 samples of each problem, and 3 of 3 problems have fewer"
    )


def test_wrong_options_are_one_line(codejury: Callable[..., Any]) -> None:
    """What is no number, and a group without a topic."""
    for arguments, line in (
        (("--c", "a"), "--c 'a': take whole numbers with commas, as 1,4"),
        (("--c", ","), "--c ',': take"),
        (("--k", "30"), "pass@30 needs 30 samples"),
        (("--svg", "no/such/p.svg"), "--svg no/such/p.svg: cannot be written"),
    ):
        ended = codejury("explain", "passk", *arguments)
        assert (2, "", 1) == (ended.code, ended.out, len(ended.err.splitlines()))
        assert ended.err.startswith(f"codejury: {line}")
    assert codejury("explain").err.startswith("Usage: codejury explain")
