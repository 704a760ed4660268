"""Selections and the file of metadata on the command line: what is judged, left out, said and refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from codejury.model import UsageError
from codejury.report import JudgeDocument
from codejury.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from codejury.model import Manifest

JUDGE = ("judge", "samples.jsonl", "--problems", "set.jsonl")


@pytest.fixture
def five(folder: Path) -> Path:
    """Files `set.jsonl`, five problems, and `samples.jsonl`, with two samples of each; the last is never right."""
    rows = [
        {
            "id": f"t/{step}",
            "prompt": "def f(x):\n",
            "entry_point": "f",
            "tests": {"type": "assertions", "code": [f"assert f(1) == {1 + step}"]},
            "reference": f"def f(x):\n    return x + {step}\n",
            "tags": ["odd" if step % 2 else "even", "add"],
        }
        for step in range(5)
    ]
    answers = [
        {"task_id": row["id"], "completion": f"    return x + {9 if step == 4 else step} + {wrong}\n"}
        for wrong in (0, 1)
        for step, row in enumerate(rows)
    ]
    for file, lines in (("set.jsonl", rows), ("samples.jsonl", answers)):
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def _manifest(name: str) -> Manifest:
    with Store.open() as store:
        return store.manifest(store.find_run(name).id)


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ("--limit 2", ["t/0", "t/1"]),
        ("--ids t/3,t/0", ["t/0", "t/3"]),
        ("--ids @ids.txt", ["t/1", "t/2"]),
        ("--tags odd", ["t/1", "t/3"]),
        ("--tags even,odd --limit 3 --shard 1/2", ["t/0", "t/2"]),
        ("--ids t/1,t/2,t/3 --tags odd", ["t/1", "t/3"]),
    ],
)
def test_chosen_problems_alone_are_judged(
    codejury: Callable[..., Any], five: Path, options: str, ids: list[str]
) -> None:
    """The others' samples are counted and left out, never missing; the report and the manifest say so."""
    (five / "ids.txt").write_text("t/2\n\n  t/1 \r\n", encoding="utf-8")
    ended = codejury(*JUDGE, "--run", "mine", "--json", "-", *options.split())
    assert 0 == ended.code
    document = msgspec.json.decode(ended.out, type=JudgeDocument)
    assert [(name, 2, 1) for name in ids] == [(row.id, row.n, row.c) for row in document.per_problem]
    assert ([], 4) == (document.missing, document.samples)
    chosen = next(warning for warning in document.warnings if "isolated by" not in warning)
    assert f"{len(ids)} of 5 problems chosen" in chosen
    assert chosen.endswith("; 6 samples of the others left out")
    selection = _manifest("mine").selection
    assert selection is not None
    assert (6, 5) == (selection.samples_left_out, selection.set_problems)
    assert selection.set_hash != document.problem_set.hash


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--ids t/1,t/00", "set 'set' has no problem 't/00': did you mean 't/0'"),
        ("--tags evn", "set 'set' has no tag 'evn': did you mean 'even'?"),
        ("--ids t/1 --tags even", "set 'set': none of the problems asked for has a tag even: nothing is left"),
        ("--ids ,", "--ids ',': give one or more, with commas"),
        ("--tags ,", "--tags ',': give one or more, with commas"),
        ("--ids @absent", "--ids @absent: absent cannot be read: No such file or directory"),
        ("--ids @", "--ids @: no file cannot be read: "),
        ("--ids @empty.txt", "empty.txt: holds no id; give one a line"),
        ("--ids @bytes.txt", "bytes.txt: not UTF-8: invalid start byte at byte 1"),
        ("--limit 0", "Invalid value for '--limit': "),
        ("--limit x", "Invalid value for '--limit': "),
        ("--shard 0/3", "--shard '0/3': take i/N with i from 1 to N, as 1/3"),
        ("--shard 4/3", "--shard '4/3': take i/N"),
        ("--shard 1", "--shard '1': take i/N"),
        ("--shard 1/2/3", "--shard '1/2/3': take i/N"),
        ("--shard -1/3", "--shard '-1/3': take i/N"),
        ("--shard 1/6", "shard 1/6: 5 problems cannot be divided so: take at most 5 shards"),
        ("--ids t/4 --allow-missing", "few.jsonl: no samples of the chosen problems"),
        ("--ids t/0,t/4", "few.jsonl: 1 of 2 problems have no sample (t/4): complete the file"),
        ("--limit 1 --k 3", "few.jsonl: no problem has 3 samples: take a smaller k"),
    ],
)
def test_wrong_selection_is_one_line(codejury: Callable[..., Any], five: Path, options: str, line: str) -> None:
    """Exit code 2, and no run."""
    (five / "empty.txt").write_text("\n \n", encoding="utf-8")
    (five / "bytes.txt").write_bytes(b"\xff\n")
    rows = (five / "samples.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (five / "few.jsonl").write_text(rows[0] + rows[1], encoding="utf-8")
    ended = codejury("judge", "few.jsonl", "--problems", "set.jsonl", *options.split())
    assert (2, "") == (ended.code, ended.out)
    assert ended.err.startswith(f"codejury: {line}")
    assert 1 == ended.err.count("\n")


def test_sample_of_no_problem_is_the_error_that_it_is(codejury: Callable[..., Any], five: Path) -> None:
    """A selection hides nothing."""
    with (five / "samples.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"task_id": "t/9", "completion": ""}\n')
    ended = codejury(*JUDGE, "--limit", "1")
    assert 2 == ended.code
    assert ended.err.startswith(
        "codejury: samples.jsonl:11: field 'task_id': the problem set has no problem 't/9'"
    )


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_resume_needs_the_same_selection(codejury: Callable[..., Any], five: Path) -> None:
    """Its order and spelling do not matter; the message says both."""
    call = (*JUDGE, "--run", "mine", "--quiet")
    assert 0 == codejury(*call, "--ids", "t/0,t/1").code
    assert (0, "", "") == codejury(*call, "--resume", "--ids", "t/1,t/0,t/1")
    for options, said in (
        (("--limit", "2"), "selection (ids t/0, t/1) then, (limit 2) now"),
        ((), "selection (ids t/0, t/1) then, of all now"),
    ):
        ended = codejury(*call, "--resume", *options)
        expected = f"codejury: run 'mine' was begun with other settings: {said}: resume it with the same\n"
        assert (2, "", expected) == ended


def test_settings_reach_the_selection(
    codejury: Callable[..., Any], five: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From codejury.toml and from the environment."""
    seen = []

    async def judge(_store: Any, settings: Any, _progress: Any) -> str:
        seen.append(settings.choice)
        raise UsageError("seen")

    monkeypatch.setattr("codejury.pipeline.judge", judge)
    (five / "codejury.toml").write_text('[judge]\nlimit = 3\ntags = "odd,even"\nshard = "1/2"\n', encoding="utf-8")
    monkeypatch.setenv("CODEJURY_JUDGE_LIMIT", "4")
    monkeypatch.setenv("CODEJURY_JUDGE_IDS", "t/1,t/2")
    codejury(*JUDGE)
    choice = seen[0]
    assert (("t/1", "t/2"), ("odd", "even"), 4, (1, 2)) == (choice.ids, choice.tags, choice.limit, choice.shard)


# ---- metadata


@pytest.mark.sandbox
@pytest.mark.usefixtures("sandbox")
def test_metadata_beside_the_samples(codejury: Callable[..., Any], five: Path) -> None:
    """Below --meta, which is said where it says otherwise; resumed with and without it."""
    (five / "samples.jsonl.meta.json").write_text(
        '{"model": "mine", "temperature": 0.80, "top_p": 1}', encoding="utf-8"
    )
    call = (*JUDGE, "--run", "mine", "--meta", "temperature=0.2", "--meta", "top_p=1")
    ended = codejury(*call, "--json", "-")
    assert 0 == ended.code
    document = msgspec.json.decode(ended.out, type=JudgeDocument)
    assert {"model": "mine", "temperature": "0.2", "top_p": "1"} == document.meta
    assert (
        "declared otherwise than the samples and the file beside them say: temperature '0.2' for '0.80'"
        in document.warnings
    )
    assert 0 == codejury(*call, "--resume").code
    assert 0 == codejury(*JUDGE, "--run", "mine", "--resume").code
    ended = codejury(*JUDGE, "--run", "mine", "--resume", "--meta", "temperature=0.3")
    assert 2 == ended.code
    assert "meta {'model': 'mine', 'temperature': '0.2', 'top_p': '1'} then, " in ended.err
    assert (
        document.warnings
        == msgspec.json.decode(codejury("report", "mine", "--json", "-").out, type=JudgeDocument).warnings
    )


def test_malformed_metadata_is_one_line(codejury: Callable[..., Any], five: Path) -> None:
    """With path and field, before anything is read or judged. A temperature there counts as one declared."""
    beside = five / "samples.jsonl.meta.json"
    beside.write_text('{"model": null}', encoding="utf-8")
    line = "codejury: samples.jsonl.meta.json: field 'model': expected a text, a number, true or false, got null\n"
    assert (2, "", line) == codejury(*JUDGE)
    beside.write_text('{"temperature": 0.0}', encoding="utf-8")
    assert codejury(*JUDGE, "--k", "2").err.startswith("codejury: pass@2 at temperature 0: ")
