"""The commands that compare, from outside: exit codes, what is printed, what is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

META = {"model": "m", "temperature": "0.8", "top_p": "0.95", "max_tokens": "512", "prompt_hash": "abc"}
A = [4, 4, 0, 3, 1, 4, 2, 0, 4, 3, 4, 4]
B = [3, 4, 1, 1, 1, 2, 2, 0, 1, 3, 4, 4]


@pytest.fixture
def runs(folder: Path, make_run: Callable[..., int]) -> Callable[..., None]:
    """Makes a run in the store of the folder."""

    def make(name: str, right: list[int], n: int = 4, **fields: Any) -> None:
        with Store.open(folder / "runs.db") as store:
            make_run(store, name, right, n, **{"meta": META, **fields})

    return make


def test_compare_prints_and_writes(folder: Path, codejury: Callable[..., Any], runs: Callable[..., None]) -> None:
    """The view on standard output, or the document."""
    runs("a", A)
    runs("b", B)
    shown = codejury("compare", "a", "b", "--store", "runs.db")
    assert (0, "") == (shown.code, shown.err)
    assert "b against a" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    written = codejury("compare", "a", "b", "--store", "runs.db", "--json", "-")
    assert "compare/1" == json.loads(written.out)["schema"]
    codejury("compare", "a", "b", "--store", "runs.db", "--json", folder / "c.json", "--quiet")
    assert json.loads(written.out) == json.loads((folder / "c.json").read_text("utf-8"))


def test_runs_that_differ_in_temperature_end_with_4(
    codejury: Callable[..., Any], runs: Callable[..., None]
) -> None:
    """The error names it; the waiver is in both outputs."""
    runs("a", A)
    runs("b", B, meta=META | {"temperature": "0.2"})
    refused = codejury("compare", "a", "b", "--store", "runs.db")
    assert (4, "") == (refused.code, refused.out)
    assert "temperature 0.8 (a), 0.2 (b)" in refused.err
    assert 1 == len(refused.err.splitlines())
    waived = codejury("compare", "a", "b", "--store", "runs.db", "--waive", "temperature")
    assert 0 == waived.code
    assert "waived: temperature differs: 0.8 (a), 0.2 (b)" in waived.out
    document = json.loads(
        codejury("compare", "a", "b", "--store", "runs.db", "--waive", "temperature", "--json", "-").out
    )
    assert [{"condition": "temperature", "values": {"a": "0.8", "b": "0.2"}}] == document["waived"]


def test_sweep(codejury: Callable[..., Any], runs: Callable[..., None]) -> None:
    """The best setting for each k, chosen on the same data."""
    runs("a", A)
    runs("b", B, meta=META | {"temperature": "0.2"})
    shown = codejury("compare", "a", "b", "--sweep", "temperature", "--k", "1,4", "--store", "runs.db")
    assert 0 == shown.code
    assert "best for pass@1: temperature 0.8" in shown.out
    assert "Chosen on the same data" in shown.out


def test_gate_ends_with_its_decision(
    folder: Path, codejury: Callable[..., Any], runs: Callable[..., None]
) -> None:
    """0, 1, 4 and 5; the outputs are written."""
    runs("base", A * 3)
    runs("now", [max(0, c - 2) for c in A * 3])
    runs("cold", A * 3, meta=META | {"temperature": "0.2"})
    gate = ("gate", "--store", "runs.db", "--baseline", "base")
    failed = codejury(*gate, "now", "--markdown", "g.md", "--junit", "g.xml", "--json", "g.json")
    assert 1 == failed.code
    assert "The gate fails: a regression." in failed.out
    assert "" == failed.err
    assert "The gate fails" in (folder / "g.md").read_text("utf-8")
    assert "<testsuite" in (folder / "g.xml").read_text("utf-8")
    assert "gate/1" == json.loads((folder / "g.json").read_text("utf-8"))["schema"]
    assert 4 == codejury(*gate, "cold").code
    assert 0 == codejury(*gate, "cold", "--waive", "temperature").code
    unclear = (*gate, "cold", "--waive", "temperature", "--mode", "noninferiority")
    assert 5 == codejury(*unclear).code
    assert 0 == codejury(*unclear, "--on-inconclusive", "pass").code
    assert 2 == codejury(*gate, "now", "--metric", "speed").code
    assert 2 == codejury(*gate, "now", "--max-drop", "1/0").code


def test_waiver_is_in_every_output_of_gate(
    folder: Path, codejury: Callable[..., Any], runs: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Terminal, document, Markdown, JUnit, annotations, step summary."""
    runs("base", A)
    runs("now", A, meta=META | {"temperature": "0.2"})
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    call = ("gate", "now", "--baseline", "base", "--waive", "temperature", "--store", "runs.db")
    ended = codejury(*call, "--markdown", "g.md", "--junit", "g.xml", "--json", "g.json")
    files = [(folder / name).read_text("utf-8") for name in ("g.md", "g.xml", "g.json", "summary.md")]
    assert all("waived: temperature differs" in text for text in (ended.out, ended.err, *files))
    assert ended.err.startswith("::notice title=pass@1%2C made::pass")
    codejury(*call)
    assert 2 == (folder / "summary.md").read_text("utf-8").count("The gate passes.")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "none" / "summary.md"))
    assert 2 == codejury(*call).code


def test_rules_of_the_file(folder: Path, codejury: Callable[..., Any], runs: Callable[..., None]) -> None:
    """`[[gate]]` holds where no option gives a rule; a wrong one names its place."""
    runs("base", A)
    runs("now", A)
    text = """
store = "runs.db"
[[gate]]
metric = "pass@1"
max_drop = 0.02
[[gate]]
metric = "pass@2"
mode = "point"
slice = "difficulty=easy"
"""
    (folder / "codejury.toml").write_text(text, encoding="utf-8")
    call = ("gate", "now", "--baseline", "base", "--json", "-")
    checks = json.loads(codejury(*call).out)["checks"]
    assert [("pass@1", "regression", 0.02, ""), ("pass@2", "point", 0.01, "difficulty=easy")] == [
        (check["metric"], check["mode"], check["margin"], check["slice"]) for check in checks
    ]
    assert 1 == len(json.loads(codejury(*call, "--metric", "pass@1").out)["checks"])
    assert 0 == codejury("runs", "list").code
    (folder / "codejury.toml").write_text(text + "max_fall = 1\n", encoding="utf-8")
    wrong = codejury(*call)
    assert 2 == wrong.code
    assert "codejury.toml: [[gate]] 2: Object contains unknown field `max_fall`" in wrong.err


def test_plan(folder: Path, codejury: Callable[..., Any], runs: Callable[..., None]) -> None:
    """Without a store, and from a run."""
    shown = codejury("plan", "--detect", "0.05", "--samples", "10")
    assert (0, "") == (shown.code, shown.err)
    assert "To detect a drop of pass@1 by 5 points in 80 of 100 cases" in shown.out
    runs("a", A)
    document = json.loads(
        codejury("plan", "--detect", "0.1", "--run", "a", "--store", "runs.db", "--json", "-").out
    )
    assert ("plan/1", "the rates of a") == (document["schema"], document["abilities"])
    assert 2 == codejury("plan", "--detect", "0.02", "--samples", "few").code
