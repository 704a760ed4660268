"""The commands `rollouts compare` and `study beyond-passk`, from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.cli import rollouts_compare, study

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

assert all(module.__name__ for module in (rollouts_compare, study))  # importing them has registered the commands


@pytest.fixture
def runs(folder: Path, codejury: Callable[..., Any]) -> None:
    """Two runs of one agent each, of three tasks with two rollouts."""
    for name, right in (("a", (2, 1, 0)), ("b", (1, 1, 0))):
        rows = [
            {"task": f"t{task}", "agent": "x", "rollout": at, "resolved": at < c}
            for task, c in enumerate(right)
            for at in range(2)
        ]
        (folder / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
        imported = codejury("rollouts", "import", "jsonl", f"{name}.json", "--run", name, "--store", "r.db")
        assert (0, "") == (imported.code, imported.err)


@pytest.mark.usefixtures("runs")
def test_compare_prints_and_writes(codejury: Callable[..., Any]) -> None:
    """The view on standard output, or the document."""
    shown = codejury("rollouts", "compare", "a", "b", "--store", "r.db")
    assert (0, "") == (shown.code, shown.err)
    assert "b against a" in shown.out
    assert 80 >= max(map(len, shown.out.splitlines()))
    written = codejury("rollouts", "compare", "a", "b", "--store", "r.db", "--k", "2", "--json", "-")
    document = json.loads(written.out)
    assert ("rollouts-compare/1", [2]) == (document["schema"], document["ks"])


@pytest.mark.usefixtures("runs")
def test_refusals_end_with_their_codes(codejury: Callable[..., Any]) -> None:
    """2 for a usage error, 4 for what cannot be compared; one line each."""
    single = codejury("rollouts", "compare", "a", "--store", "r.db")
    assert (2, "", 1) == (single.code, single.out, len(single.err.splitlines()))
    short = codejury("rollouts", "compare", "a", "b", "--store", "r.db", "--k", "3")
    assert (2, True) == (short.code, "reliability@3 needs 3 rollouts" in short.err)


def test_study_prints_writes_and_draws(folder: Path, codejury: Callable[..., Any]) -> None:
    """The view, the document and the figures."""
    ended = codejury("study", "beyond-passk", "--figures", "drawn", "--json", folder / "s.json")
    assert (0, "") == (ended.code, ended.err)
    assert "22 of 22 printed figures agree to every digit" in ended.out
    assert 80 >= max(map(len, ended.out.splitlines()))
    assert 4 == len(list((folder / "drawn").glob("*.svg")))
    assert "study-beyond-passk/1" == json.loads((folder / "s.json").read_text("utf-8"))["schema"]
    missing = codejury("study", "beyond-passk", "--rollouts", "nothing.json")
    assert (2, 1) == (missing.code, len(missing.err.splitlines()))
