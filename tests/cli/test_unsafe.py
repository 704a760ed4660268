"""`--unsafe`: said before, said in every report, and never a headline. The programs are the tests' own."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from codejury.pipeline import UNSAFE
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., Any]

WARNING = f"codejury: warning: {UNSAFE}\n"
JUDGE = ("judge", "samples.jsonl", "--problems", "set.jsonl", "--run", "u")

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="programs are started on Linux alone"),
]


def _flat(text: str) -> str:
    """A text without the line breaks of a terminal."""
    return " ".join(text.split())


def test_judge(codejury: Call, tiny: Path) -> None:
    """The warning comes first, also with --quiet; figures are apart; the manifest has the tier."""
    ended = codejury(*JUDGE, "--unsafe", "--quiet", "--json", "d.json")
    assert (0, "", WARNING) == ended
    document = json.loads((tiny / "d.json").read_text())
    assert UNSAFE == document["warnings"][0]
    assert 1 == document["warnings"].count(UNSAFE)
    assert ("none", {}) == (document["tier"], document["pass_at_k"])
    assert {"strong": 0, "weak": 5, "strong_passed": 0, "weak_passed": 3} == document["integrity"]
    assert 2 == document["weak"]["problems"]
    assert pytest.approx((1 / 2 + 2 / 3) / 2) == document["weak"]["pass_at_k"]["1"]["value"]
    with Store.open(tiny / ".codejury" / "runs.db", create=False) as store:
        run = store.find_run("u").id
        assert ("none", UNSAFE) == (store.manifest(run).tier, store.manifest(run).tier_note)
        assert {("weak", "none")} == {(verdict.integrity, verdict.tier) for verdict in store.verdicts(run)}


def test_every_report_says_so(codejury: Call, tiny: Path) -> None:
    """Of the command itself, of `report`, of `runs show`; the list has no figure."""
    ended = codejury(*JUDGE, "--unsafe")
    assert UNSAFE in _flat(ended.out)
    assert "2 problems, none judged out of the candidate's reach" in ended.out
    assert UNSAFE in _flat(codejury("report", "u").out)
    assert UNSAFE in _flat(codejury("runs", "show", "u").out)
    [row] = json.loads(codejury("runs", "list", "--json", "-").out)["runs"]
    assert row["pass_at_1"] is None


def test_going_on_needs_the_word_again(codejury: Call, tiny: Path) -> None:
    """Neither a run without isolation with it, nor the other way round."""
    codejury(*JUDGE, "--unsafe", "--quiet")
    ended = codejury(*JUDGE, "--resume")
    assert (2, "") == ended[:2]
    assert "give --unsafe" in ended.err
    assert (0, "", WARNING) == codejury(*JUDGE, "--resume", "--unsafe", "--quiet")


def test_a_tier_beside_it_is_refused(codejury: Call, tiny: Path) -> None:
    """One of the two is a mistake."""
    for command in (JUDGE, ("sets", "check", "set.jsonl")):
        ended = codejury(*command, "--unsafe", "--tier", "landlock")
        assert (2, "") == ended[:2]
        assert "--unsafe is no isolation, and --tier landlock asks for some: give one of them" in ended.err


def test_none_is_no_tier_to_ask_for(codejury: Call, tiny: Path) -> None:
    """Only by that flag."""
    assert 2 == codejury(*JUDGE, "--tier", "none").code


def test_sets_check(codejury: Call, tiny: Path) -> None:
    """The document says so first."""
    ended = codejury("sets", "check", "set.jsonl", "--unsafe", "--quiet", "--json", "c.json")
    assert (0, "", WARNING) == ended
    document = json.loads((tiny / "c.json").read_text())
    assert (True, "none", [UNSAFE]) == (document["ok"], document["tier"], document["warnings"])


def test_failures_of_sets_check_are_weak(codejury: Call, tiny: Path) -> None:
    """A reference that fails and a probe that passes."""
    tests = {"type": "assertions", "code": ["assert f(1) == 0"]}
    problem = {
        "id": "t/c",
        "prompt": "",
        "entry_point": "f",
        "tests": tests,
        "reference": "def f(x):\n    return x\n",
    }
    (tiny / "bad.jsonl").write_text(json.dumps(problem) + "\n")
    ended = codejury("sets", "check", "bad.jsonl", "--unsafe", "--json", "-")
    assert 1 == ended.code
    failures = json.loads(ended.out)["failures"]
    assert [("reference", "weak"), ("return 0", "weak")] == [
        (failure["program"], failure["integrity"]) for failure in failures
    ]


def test_other_systems_end_with_one_line(codejury: Call, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3, and what to do."""
    monkeypatch.setattr(sys, "platform", "darwin")
    ended = codejury(*JUDGE, "--unsafe")
    assert (3, "") == ended[:2]
    assert "tier 'none' cannot be had: Linux missing" in ended.err.splitlines()[-1]
