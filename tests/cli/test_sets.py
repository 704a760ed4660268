"""Sets of all kinds on the command line: shown, and refused in one line where they cannot be judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury.formats import write_problems
from codejury.model import ContextFile, Problem, Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "formats" / "data"


@pytest.mark.parametrize(
    ("name", "problem_id", "why"),
    [
        ("multipl_e", "HumanEval_9000_add_one", "its answers are written in javascript: programs in Python alone"),
        ("crosscodeeval", "project_cc_python/9000", "it has no tests: answers can be compared with its reference"),
    ],
)
@pytest.mark.usefixtures("sandbox")
@pytest.mark.sandbox
def test_what_cannot_be_judged(
    codejury: Callable[..., Any], tmp_path: Path, name: str, problem_id: str, why: str
) -> None:
    """By `judge` and by `sets check`: which problem, why, and exit code 2; no run is left."""
    path = DATA / f"{name}.jsonl"
    samples = tmp_path / "s.jsonl"
    ids = [row.get("name") or row["metadata"]["task_id"] for row in map(json.loads, path.read_text().splitlines())]
    samples.write_text("".join(json.dumps({"problem_id": each, "text": "x"}) + "\n" for each in ids))
    store = tmp_path / "runs.db"
    for words in (
        ("judge", str(samples), "--problems", str(path), "--store", str(store)),
        ("sets", "check", str(path)),
    ):
        ended = codejury(*words)
        assert (2, "") == (ended.code, ended.out)
        assert f"codejury: problem {problem_id!r} cannot be judged: {why}" in ended.err
    assert "no runs\n" == codejury("runs", "list", "--store", str(store)).out


def test_an_address_that_is_not_pinned(codejury: Callable[..., Any]) -> None:
    """One line says how to pin it."""
    ended = codejury("sets", "show", "hf://us/sample@main/p.jsonl")
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith("codejury: hf://us/sample@main/p.jsonl: the revision 'main' may change: pin it by")
    assert 1 == ended.err.count("\n")


def test_a_problem_of_many_files(codejury: Callable[..., Any], tmp_path: Path) -> None:
    """The first pieces of context, each cut, and how many there are."""
    pieces = tuple(ContextFile(path=f"{number}.py", text="z" * 999) for number in range(12))
    problem = Problem(
        id="t/0", prompt="a", suffix="c", entry_point="", tests=Unjudged(), reference="abc", context=pieces
    )
    write_problems(tmp_path / "p.jsonl", [problem])
    ended = codejury("sets", "show", str(tmp_path / "p.jsonl"), "t/0")
    assert 0 == ended.code
    lines = [line.rstrip() for line in ended.out.splitlines()]
    assert "# 12 pieces of other files" in lines
    assert "# and 2 more" in lines
    assert 10 * 400 == ended.out.count("z")


def test_other_ways_to_name_a_set_are_listed(codejury: Callable[..., Any]) -> None:
    """Below the names."""
    assert codejury("sets", "list").out.endswith(
        "or a file of problems, or hf://OWNER/NAME@COMMIT/PATH of the hub, or \nhttps://…#sha256=HEX\n"
    )
