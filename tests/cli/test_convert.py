"""The command `convert`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_samples(tiny: Path, codejury: Callable[..., object]) -> None:
    """What was done is told on standard error."""
    ended = codejury("convert", "samples.jsonl", "out.json", "--to", "livecodebench", "--problems", "set.jsonl")
    note = "codejury: 5 completions were written as solutions: the programs are the same\n"
    assert (0, "", f"{note}Wrote 5 samples to out.json.\n") == ended
    rows = json.loads((tiny / "out.json").read_text())
    assert [("t/a", 2), ("t/b", 3)] == [(row["question_id"], len(row["code_list"])) for row in rows]


def test_losses(tiny: Path, codejury: Callable[..., object]) -> None:
    """They are refused with exit code 2, or said before anything is written."""
    (tiny / "facts.jsonl").write_text('{"task_id": "t/a", "solution": "x = 1", "finish_reason": "stop"}\n')
    call = ("convert", "facts.jsonl", "out", "--to", "folder")
    refused = "--to folder cannot hold finish_reason of 1 samples: nothing is written; --lossy writes the rest"
    assert (2, "", f"codejury: {refused}\n") == codejury(*call)
    assert not (tiny / "out").exists()
    done = "codejury: lost: finish_reason of 1 samples\nWrote 1 samples to out.\n"
    assert (0, "", done) == codejury(*call, "--lossy")
    assert "x = 1" == (tiny / "out" / "t_a" / "0.py").read_text()


def test_problems(tiny: Path, codejury: Callable[..., object]) -> None:
    """A set by its name or file."""
    assert (0, "", "") == codejury("convert", "set.jsonl", "copy.jsonl.gz", "--to", "codejury", "-q")
    assert (0, "", "Wrote 2 problems to again.jsonl.\n") == codejury(
        "convert", "copy.jsonl.gz", "again.jsonl", "--to", "codejury"
    )
    assert (tiny / "set.jsonl").read_text().count("\n") == (tiny / "again.jsonl").read_text().count("\n")


def test_results(folder: Path, codejury: Callable[..., object], make_run: Callable[..., int]) -> None:
    """A run's results, for tools that read those."""
    with Store.open() as store:
        make_run(store, "r", [1, 2])
    ended = codejury("convert", "r_results.jsonl", "--run", "r", "--to", "humaneval-results")
    assert (0, "", "Wrote 8 results to r_results.jsonl.\n") == ended
    rows = [json.loads(line) for line in (folder / "r_results.jsonl").read_text().splitlines()]
    assert 3 == sum(row["passed"] for row in rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("samples.jsonl", "--to", "codejury"),
            "name what to read and what to write: codejury convert IN OUT --to",
        ),
        (("a", "b", "c", "--to", "codejury"), "name what to read and what to write"),
        (("a", "b", "--to", "evalplus-results", "--run", "r"), "name OUT alone, without --from and --problems"),
        (("b", "--from", "chat", "--to", "evalplus-results", "--run", "r"), "name OUT alone"),
        (("samples.jsonl", "out", "--to", "csv"), "--to csv: samples are written as codejury, humaneval"),
        (("samples.jsonl", "out", "--from", "csv", "--to", "codejury"), "no format of samples 'csv'"),
        (("samples.jsonl", "out.txt", "--to", "codejury"), "out.txt: cannot write this kind of file"),
        (("set.jsonl", "out.jsonl", "--to", "chat"), "set.jsonl is a problem set, which is written as codejury"),
        (("nothing.jsonl", "out.jsonl", "--to", "codejury"), "nothing.jsonl: no such file"),
        (("samples.jsonl", "out.jsonl", "--to", "codejury", "--problems", "nothing"), "no problem set 'nothing'"),
    ],
)
def test_what_is_refused(
    tiny: Path, codejury: Callable[..., tuple[int, str, str]], arguments: tuple[str, ...], message: str
) -> None:
    """In one line, with exit code 2."""
    before = sorted(tiny.iterdir())
    code, out, err = codejury("convert", *arguments)
    assert (2, "") == (code, out)
    assert message in err
    assert 1 == err.count("\n")
    assert before == sorted(tiny.iterdir())


@pytest.mark.sandbox
def test_a_folder_is_judged(tiny: Path, sandbox: str, codejury: Callable[..., Any]) -> None:
    """As the file that it was made of; a run of it goes on only with the same files."""
    codejury("convert", "samples.jsonl", "out", "--to", "folder", "--problems", "set.jsonl")
    judged = ("judge", "out", "--problems", "set.jsonl", "--run", "r", "-q")
    assert 0 == codejury(*judged, "--json", "document.json").code
    document = json.loads((tiny / "document.json").read_text())
    assert {"passed": 3, "wrong_answer": 2} == document["verdicts"]
    assert 0 == codejury(*judged, "--resume").code
    (tiny / "out" / "t_a" / "0.py").write_text("x = 1")
    ended = codejury(*judged, "--resume")
    assert 2 == ended.code
    assert "the samples: resume it with the same" in ended.err
