"""`score` of a completion set from outside: samples and problems, cut."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROBLEM = {
    "prompt": "class A {\n  int f() {\n    ",
    "groundtruth": "return 1;",
    "right_context": "\n  }\n}\n",
    "metadata": {"task_id": "project_cc_java/1", "repository": "ours", "file": "src/A.java"},
}


def test_samples_with_problems(folder: Path, codejury: Callable[..., Any]) -> None:
    """An answer that goes on is exact once it is cut; what was cut is in its line and in the report."""
    (folder / "p.jsonl").write_text(json.dumps(PROBLEM) + "\n")
    sample = {"task_id": "project_cc_java/1", "completion": "return 1;\n  }\n\n  int g() {\n    return 2;\n"}
    (folder / "s.jsonl").write_text(json.dumps(sample) + "\n")
    words = ("score", "s.jsonl", "--problems", "p.jsonl", "--metrics", "exact")
    plain = json.loads(codejury(*words, "--json", "-").out)
    assert 0.0 == plain["overall"]["exact"]["mean"]
    for level in ("line", "statement", "block", "function"):
        cut = json.loads(codejury(*words, "--truncate", level, "--out", "o.jsonl", "--json", "-").out)
        assert 1.0 == cut["overall"]["exact"]["mean"]
        assert f"1 of 1 predictions were cut at the end of their {level}: 32 characters in all" in cut["warnings"]
        assert 9 == json.loads((folder / "o.jsonl").read_text())["cut"]["byte"]


def test_wrong_words_are_one_line(folder: Path, codejury: Callable[..., Any]) -> None:
    """A set that is none, a run with a set, a level that is none."""
    (folder / "s.jsonl").write_text('{"task_id": "a", "completion": "b"}\n')
    for words in (
        ("s.jsonl", "--problems", "nothing"),
        ("--run", "r", "--problems", "p"),
        ("s.jsonl", "--truncate", "x"),
    ):
        ended = codejury("score", *words)
        assert (2, "", 1) == (ended.code, ended.out, len(ended.err.splitlines()))
