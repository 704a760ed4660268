"""The commands on agents' rollouts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.report.rollouts import RolloutRunsDocument, RolloutsDocument

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Codejury = Any


@pytest.fixture
def rows(folder: Path) -> Path:
    """Two tasks in three rollouts each, and one that the infrastructure lost."""
    lines = [
        {"task": task, "agent": "a", "resolved": at < c} for task, c in (("t", 3), ("u", 1)) for at in range(3)
    ]
    lines.append({"task": "u", "agent": "a", "status": "infra"})
    (folder / "rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_import_report_list_delete(codejury: Codejury, rows: Path) -> None:
    """The whole way, with a document at each step."""
    ended = codejury("rollouts", "import", "jsonl", "rows.jsonl", "--run", "r", "--json", "in.json")
    assert (0, "") == (ended.code, ended.err)
    assert "r    jsonl   rows.jsonl         7      2       1" in ended.out
    document = msgspec.json.decode((rows / "in.json").read_bytes(), type=RolloutRunsDocument)
    assert ["r"] == [row.run for row in document.runs]

    ended = codejury("rollouts", "report", "r", "--max-infra", "0.2", "--json", "-")
    assert (0, "") == (ended.code, ended.err)
    report = msgspec.json.decode(ended.out, type=RolloutsDocument)
    assert [1, 2, 3] == report.ks
    assert report.agents[0].figures.resolve_rate.value == pytest.approx(2 / 3)
    ended = codejury("rollouts", "report", "r", "--max-infra", "0.2", "--k", "2")
    assert "a: 2 tasks, n = 3 rollouts each" in ended.out
    assert "1 infrastructure failure and 0 rollouts without a grade" in ended.out

    assert 0 == codejury("rollouts", "list").code
    assert (0, "", "") == codejury("rollouts", "delete", "r", "--yes")
    assert "No runs of rollouts.\n" == codejury("rollouts", "list").out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("import", "jsonl", "rows.jsonl", "--run", "r"), 2, "run 'r' of rollouts is already in store"),
        (("import", "other", "rows.jsonl", "--run", "s"), 2, "no format 'other' of rollouts"),
        (("import", "jsonl", "rows.jsonl"), 2, "Missing option '--run'"),
        (("report", "s"), 2, "no run 's' of rollouts"),
        (("report", "r"), 3, "1 of 7 rollouts of a (14.3 %) ended in infrastructure failures"),
        (("report", "r", "--max-infra", "1", "--k", "5"), 2, "reliability@5 needs 5 rollouts of each task"),
        (("report", "r", "--k", "x"), 2, "--k 'x': take whole numbers"),
        (("delete", "r"), 2, "there is no terminal to ask on; delete with --yes"),
        (("delete", "s", "--yes"), 2, "no run 's' of rollouts"),
    ],
)
def test_errors(codejury: Codejury, rows: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    """One line and an exit code each."""
    assert 0 == codejury("rollouts", "import", "jsonl", "rows.jsonl", "--run", "r", "--quiet").code
    ended = codejury("rollouts", *arguments)
    assert (code, 1) == (ended.code, ended.err.count("\n"))
    assert message in ended.err


def test_quiet(codejury: Callable[..., Any], rows: Path) -> None:
    """Nothing is said."""
    assert (0, "", "") == codejury("rollouts", "import", "jsonl", "rows.jsonl", "--run", "r", "-q", "--no-scan")
    assert (0, "", "") == codejury("rollouts", "report", "r", "-q", "--max-infra", "1")
