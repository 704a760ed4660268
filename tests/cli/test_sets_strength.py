"""`codejury sets strength`: what it prints, writes and returns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHOWN = """\
set 1-0: 2 problems, 0 without mutants, tier {tier}

problem  mutants  killed  equivalent  survivors    score
────────────────────────────────────────────────────────
t/a            5       5           0          0  100.0 %
t/b            5       5           0          0  100.0 %
all           10      10           0          0  100.0 %

Each problem's score is at least 90 %.
"""
ARGUED = '[[equivalent]]\nproblem = "t/a"\nmutant = "line 2: 1 to 3"\nreason = "It is not used."\n'


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("set.jsonl t/c", "set 'set' has no problem 't/c': `codejury sets show` lists them"),
        ("startr", "no problem set 'startr': did you mean 'starter'?"),
        ("set.jsonl --min-score 90", "Invalid value for '--min-score': "),
        ("set.jsonl --equivalents none.toml", "none.toml: cannot be read: No such file or directory"),
        ("set.jsonl --equivalents set.jsonl", "set.jsonl: "),
        ("set.jsonl --json absent/out.json", "--json absent/out.json: cannot be written: No such file"),
        ("set.jsonl --cpu 0", "--cpu 0: take a number of seconds above 0"),
    ],
)
def test_wrong_call_is_one_line(codejury: Callable[..., Any], tiny: Path, arguments: str, line: str) -> None:
    """Exit code 2, one line on standard error, nothing on standard output."""
    ended = codejury("sets", "strength", *arguments.split())
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(f"codejury: {line}")
    assert 1 == ended.err.count("\n")


@pytest.mark.sandbox
def test_strong_set(codejury: Callable[..., Any], tiny: Path, sandbox: str) -> None:
    """Exit code 0, a table, and the document where it was asked for."""
    ended = codejury("sets", "strength", "set.jsonl", "--json", "out.json")
    shown = "\n".join(line.rstrip() for line in ended.out.splitlines()) + "\n"
    assert (0, SHOWN.format(tier=sandbox)) == (ended.code, shown)
    document = json.loads((tiny / "out.json").read_text(encoding="utf-8"))
    assert ("sets-strength/1", 10, 1.0) == (
        document["schema"],
        document["total"]["mutants"],
        document["total"]["score"],
    )


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_weak_set(codejury: Callable[..., Any], tiny: Path) -> None:
    """Exit code 1; some problems, and a document alone on standard output."""
    text = (tiny / "set.jsonl").read_text(encoding="utf-8")
    (tiny / "set.jsonl").write_text(text.replace("f(41) == 42", "f(1) > 0").replace("f(1) == 2", "f(1)"), "utf-8")
    ended = codejury("sets", "strength", "set.jsonl", "t/a", "--json", "-")
    document = json.loads(ended.out)
    assert 1 == ended.code
    assert ["t/a"] == document["below"] == [row["id"] for row in document["per_problem"]]
    assert ["line 2: 1 to 2", "line 2: 1 to 0"] == [survivor["mutant"] for survivor in document["survivors"]]
    assert 0 == codejury("sets", "strength", "set.jsonl", "t/a", "--min-score", "0.5", "--quiet").code


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_equivalents_of_a_file(codejury: Callable[..., Any], tiny: Path) -> None:
    """One that is there no longer is an error of the set."""
    (tiny / "argued.toml").write_text(ARGUED, encoding="utf-8")
    ended = codejury("sets", "strength", "set.jsonl", "--equivalents", "argued.toml")
    assert 1 == ended.code
    assert "t/a: line 2: 1 to 3: argued to be equivalent, but there is no such" in ended.out
    assert "The set has errors." in ended.out
