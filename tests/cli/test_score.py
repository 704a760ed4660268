"""The commands `score` and `metrics`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from codejury.report import ScoreDocument

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Ended

FOR, ENUMERATE = "for i in range(len(items)):", "for idx, item in enumerate(items):"
ROWS = [
    {"reference": ENUMERATE, "prediction": FOR, "language": "python", "passed": True},
    {"reference": "a = 1", "prediction": "a = 1", "language": "python", "passed": False},
]


@pytest.fixture
def pairs(folder: Path) -> Path:
    """Two pairs."""
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_table_document_and_lines(codejury: Callable[..., Ended], pairs: Path, folder: Path) -> None:
    """A table for people, a document, and each pair's scores."""
    ended = codejury("score", pairs, "--metrics", "edit.*", "--out", "s.jsonl", "--json", "d.json")
    assert 0 == ended.code, ended.err
    assert "edit.levenshtein  0.7500" in ended.out
    assert "interval" in ended.out
    document = msgspec.json.decode((folder / "d.json").read_bytes(), type=ScoreDocument)
    assert {"edit.indel": 0.8279, "edit.levenshtein": 0.75} == {
        name: round(summary.mean or 0, 4) for name, summary in document.overall.items()
    }
    first = json.loads((folder / "s.jsonl").read_text().splitlines()[0])
    assert ("row 1", 65.6, 50.0) == (
        first["id"],
        round(100 * first["scores"]["edit.indel"], 1),
        round(100 * first["scores"]["edit.levenshtein"], 1),
    )


def test_document_alone_on_standard_output(codejury: Callable[..., Ended], pairs: Path) -> None:
    """Nothing but JSON, with the usual six metrics."""
    found = json.loads(codejury("score", pairs, "--json", "-").out)
    assert ("score/1", 6) == (found["schema"], len(found["metrics"]))


def test_scenarios_of_the_file(codejury: Callable[..., Ended], pairs: Path, folder: Path) -> None:
    """Weights from codejury.toml beside options; wrong ones are an error that names their place."""
    toml = folder / "codejury.toml"
    toml.write_text("[score]\nmetrics = 'exact'\n[score.scenarios.own]\nsim = 0.5\nast = 0\npass = 0.5\n")
    ended = codejury("score", pairs, "--scenario", "own")
    assert 0 == ended.code, ended.err
    assert "Composite, scenario own: 0.6250" in ended.out
    assert "0.5 sim + 0 ast + 0.5 pass" in ended.out
    for table, message in (
        (
            "sim = 0.5\nast = 0\npass = 0.4",
            "codejury.toml: scenario 'own': sim + ast + pass = 0.5 + 0 + 0.4 = 0.9",
        ),
        ("sim = 1\nast = 0\npass = 0\ntest = 1", "[score.scenarios.own]: Object contains unknown field `test`"),
        ("sim = 'a'\nast = 0\npass = 0", "[score.scenarios.own]: Expected `float`, got `str` - at `$.sim`"),
    ):
        toml.write_text(f"[score.scenarios.own]\n{table}\n")
        ended = codejury("score", pairs)
        assert 2 == ended.code
        assert message in ended.err


def test_wrong_calls(codejury: Callable[..., Ended], pairs: Path) -> None:
    """One line, exit code 2."""
    for arguments, message in (
        ((), "give a file of pairs, or a run with --run"),
        ((pairs, "--metrics", "edit.levenstein"), "did you mean 'edit.levenshtein'"),
        (("nowhere.jsonl",), "nowhere.jsonl: no such file"),
        ((pairs, "--out", "nowhere/x.jsonl"), "--out nowhere/x.jsonl: cannot be written"),
        ((pairs, "--scenario", "file"), "no scenario 'file'"),
    ):
        ended = codejury("score", *arguments)
        assert (2, "") == (ended.code, ended.out)
        assert message in ended.err


def test_metrics_are_listed_and_shown(codejury: Callable[..., Ended]) -> None:
    """Every metric with its definition; one in full; a preset with what its corrections change."""
    listed = codejury("metrics", "list").out
    for name in ("exact.lines", "chrf.delta", "codebleu.compat", "ast.ted", "Presets: crosscodeeval"):
        assert name in listed
    shown = codejury("metrics", "show", "edit.indel").out
    assert "2 LCS / (n + m)" in shown
    assert "0 to 1" in shown
    assert "x = a // b" in codejury("metrics", "show", "crosscodeeval").out
    assert 2 == codejury("metrics", "show", "nothing").code
