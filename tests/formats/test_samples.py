"""Other people's samples, each in the layout in which they write it."""

from __future__ import annotations

import gzip
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.formats import holds_samples, jsonl, read_samples, samples_hash
from codejury.formats.samples import source_of
from codejury.model import Assertions, InputError, Problem, Sample, UsageError

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = {
    name: Problem(id=name, prompt=f"def {point}():\n", entry_point=point, tests=Assertions(code=("assert f()",)))
    for name, point in (("T/9", "nine"), ("T/10", "ten"))
}


def made(problem_id: str, index: int, text: str, kind: Any = "solution", **facts: Any) -> Sample:
    """A sample."""
    return Sample(problem_id=problem_id, index=index, text=text, kind=kind, **facts)


def written(path: Path, *rows: Any) -> Path:
    """A file with a row a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_bigcode(tmp_path: Path) -> None:
    """Whole programs in the order of the data set; that the file names no problems is noted."""
    path = tmp_path / "generations_humaneval.json.gz"
    path.write_bytes(gzip.compress(b'[["def nine(): 1", "x"], []]'))
    notes: list[str] = []
    found = list(read_samples(path, known=KNOWN, notes=notes))
    assert [made("T/9", 0, "def nine(): 1"), made("T/9", 1, "x")] == found
    assert ["the file names no problems: its lists were taken in the order of the set"] == notes


def test_lists_in_one_order_alone(tmp_path: Path) -> None:
    """Where the order of a set is that of its ids, a list of lists can only mean one."""
    path = tmp_path / "answers.json"
    path.write_text('[["a"], ["b"]]')
    assert [made("A", 0, "a"), made("B", 0, "b")] == list(read_samples(path, known=["A", "B"]))


@pytest.mark.parametrize("name", ["live.json", "live.jsonl"])
def test_livecodebench(tmp_path: Path, name: str) -> None:
    """Rows with all codes of a question, also with the fields that its runner adds; ids may be numbers."""
    rows: list[dict[str, Any]] = [
        {"question_id": "T/10", "code_list": ["a", "b"], "graded_list": [True, False]},
        {"question_id": 2, "code_list": ["c"]},
    ]
    path = tmp_path / name
    path.write_text(json.dumps(rows) if name == "live.json" else "".join(json.dumps(row) + "\n" for row in rows))
    assert [made("T/10", 0, "a"), made("T/10", 1, "b"), made("2", 0, "c")] == list(read_samples(path))


def test_multiple(tmp_path: Path) -> None:
    """A folder of files, of which those with results are left out; a file alone, and all problems in one."""
    row = {"language": "py", "temperature": 0.2, "top_p": 0.95, "max_tokens": 512, "stop_tokens": ["\ndef"]}
    rows = [
        row | {"name": "T/9", "prompt": "def nine():\n", "completions": ["    1\n", "    2\n"]},
        row | {"name": "T/10", "prompt": "def ten():\n", "completions": ["    3\n"]},
    ]
    folder = tmp_path / "humaneval-py-m-0.2-reworded"
    folder.mkdir()
    written(folder / "T_9.json", rows[0])
    (folder / "T_10.json.gz").write_bytes(gzip.compress(json.dumps(rows[1]).encode()))
    (folder / "T_10.results.json.gz").write_bytes(b"of no interest")
    expected = [made("T/9", 0, "    1\n", "completion"), made("T/9", 1, "    2\n", "completion")]
    more = [made("T/10", 0, "    3\n", "completion")]
    drawn_with: dict[str, Any] = {}
    assert [*more, *expected] == list(read_samples(folder, known=KNOWN, drawn_with=drawn_with))
    assert {"temperature": 0.2, "top_p": 0.95} == drawn_with
    assert expected == list(read_samples(folder / "T_9.json", known=KNOWN))
    assert [*expected, *more] == list(read_samples(written(tmp_path / "all.jsonl", *rows), known=KNOWN))


def logged(doc: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A row as lm-eval's `--log_samples` writes it for a task of generation."""
    settings = {"until": ["\nclass"], "do_sample": True, "temperature": 0.8, "top_p": 0.95}
    return {
        "doc_id": 0,
        "doc": doc,
        "target": "assert True",
        "arguments": {"gen_args_0": {"arg_0": "def nine():\n", "arg_1": settings}},
        "resps": [["    1\n", "    2\n"]],
        "filtered_resps": [["def nine():\n    1\n", "def nine():\n    2\n"]],
        "filter": "create_test",
        "metrics": ["pass@1"],
        "doc_hash": "0",
        "prompt_hash": "0",
        "target_hash": "0",
        "pass@1": 0.5,
    } | fields


def test_lm_eval(tmp_path: Path) -> None:
    """What its filter made is what it judges; several answers are several samples. Ids may be MBPP's numbers."""
    path = written(
        tmp_path / "samples_humaneval_2026-11-01T00-00-00.jsonl",
        logged({"task_id": "T/9", "prompt": "def nine():\n"}),
        logged({"task_id": 11, "text": "?"}, filtered_resps=["def f(): 3"]),
    )
    drawn_with: dict[str, Any] = {}
    assert [
        made("T/9", 0, "def nine():\n    1\n"),
        made("T/9", 1, "def nine():\n    2\n"),
        made("Mbpp/11", 0, "def f(): 3"),
    ] == list(read_samples(path, drawn_with=drawn_with))
    assert {"temperature": 0.8, "top_p": 0.95} == drawn_with


def test_lm_eval_without_a_filter(tmp_path: Path) -> None:
    """Answers that no filter has touched are as the model gave them; older logs have their arguments as lists."""
    old = logged(
        {"task_id": "T/9"}, filter="none", filtered_resps=["Sure: …"], arguments=[["?", {"temperature": 1}]]
    )
    drawn_with: dict[str, Any] = {}
    found = list(read_samples(written(tmp_path / "samples_t.jsonl", old), drawn_with=drawn_with))
    assert [made("T/9", 0, "Sure: …", "chat")] == found
    assert {"temperature": 1} == drawn_with


def test_lm_eval_at_two_temperatures(tmp_path: Path) -> None:
    """Pooled settings are refused in logs, too."""
    other = logged({"task_id": "T/10"}, arguments={"gen_args_0": {"arg_1": {"temperature": 0.2}}})
    with pytest.raises(InputError, match=r":2: field 'temperature': is 0.2 here and 0.8 on line 1"):
        list(read_samples(written(tmp_path / "samples_t.jsonl", logged({"task_id": "T/9"}), other)))


def test_chats(tmp_path: Path) -> None:
    """Messages, a response's choices beside an id, plain text, content in parts."""
    usage = {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "b"}]
    path = written(
        tmp_path / "chats.jsonl",
        {
            "task_id": "T/9",
            "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "one"}],
        },
        {
            "task_id": "T/9",
            "model": "m",
            "choices": [{"message": {"content": "two"}, "finish_reason": "length"}],
            "usage": usage,
        },
        {"task_id": "T/10", "response": "three", "finish_reason": "stop", "latency_s": 1.5, "cost_usd": 0.25},
        {"task_id": "T/10", "messages": [{"role": "assistant", "content": parts}]},
    )
    assert [
        made("T/9", 0, "one", "chat"),
        made("T/9", 1, "two", "chat", finish_reason="length", prompt_tokens=7, completion_tokens=9),
        made("T/10", 0, "three", "chat", finish_reason="stop", latency_s=1.5, cost_usd=0.25),
        made("T/10", 1, "ab", "chat"),
    ] == list(read_samples(path, known=KNOWN))


def batched(custom_id: str, *texts: str | None, **fields: Any) -> dict[str, Any]:
    """A line of the results of a batch."""
    choices = [
        {"index": place, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        for place, text in enumerate(texts)
    ]
    body = {"model": "m", "choices": choices, "usage": {"prompt_tokens": 3, "completion_tokens": 5}}
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "batch_req_1", "custom_id": custom_id, "response": response, "error": None} | fields


def test_batches(tmp_path: Path) -> None:
    """In any order, by the index in `custom_id`; tokens are those of a call with one choice."""
    path = written(tmp_path / "out.jsonl", batched("T/9#1", "b"), batched("T/10#0", "c"), batched("T/9#0", "a"))
    facts: dict[str, Any] = {"finish_reason": "stop", "prompt_tokens": 3, "completion_tokens": 5}
    assert [
        made("T/9", 1, "b", "chat", **facts),
        made("T/10", 0, "c", "chat", **facts),
        made("T/9", 0, "a", "chat", **facts),
    ] == list(read_samples(path, known=KNOWN))
    several = written(tmp_path / "several.jsonl", batched("T/9", "a", "b"))
    expected = [
        made("T/9", 0, "a", "chat", finish_reason="stop"),
        made("T/9", 1, "b", "chat", finish_reason="stop"),
    ]
    assert expected == list(read_samples(several))


def test_calls_that_failed_are_no_answers(tmp_path: Path) -> None:
    """They are missing, never empty answers, and it is noted."""
    busy = {"status_code": 429, "body": {"error": {"message": "slow down"}}}
    expired = {"code": "batch_expired", "message": "not in time"}
    path = written(
        tmp_path / "out.jsonl",
        batched("T/9#0", "a"),
        batched("T/9#1", response=busy),
        batched("T/10#0", response=None, error=expired),
    )
    notes: list[str] = []
    found = list(read_samples(path, known=KNOWN, notes=notes))
    assert [("T/9#0", "a")] == [(sample.id, sample.text) for sample in found]
    assert ["2 calls failed and gave no sample, the first on line 2"] == notes


def test_a_refusal_is_an_empty_answer(tmp_path: Path) -> None:
    """It is kept only where empty answers are."""
    path = written(tmp_path / "out.jsonl", batched("T/9", None))
    with pytest.raises(InputError, match="is null: the model gave no text"):
        list(read_samples(path))
    [found] = read_samples(path, allow_empty=True)
    assert ("", "chat") == (found.text, found.kind)


def test_folders(tmp_path: Path) -> None:
    """A program a file, numbered by its name; names stand for ids of the set, or have "_" for "/"."""
    for name, text in (("T_9/0.py", "a\r\n"), ("T_9/10.py", "c"), ("T_9/2.py", "b"), ("a_b_c/0.py", "d")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "T_9" / "notes.txt").write_text("no program")
    (tmp_path / "eval_results.jsonl").write_text("no sample")
    expected = [made("T/9", 0, "a\r\n"), made("T/9", 2, "b"), made("T/9", 10, "c")]
    assert [*expected, made("a_b/c", 0, "d")] == list(read_samples(tmp_path, known=["T/9", "a_b/c"]))
    assert [*expected, made("a/b/c", 0, "d")] == list(read_samples(tmp_path))
    with pytest.raises(InputError, match="could be 'a_b/c' or 'a/b_c' of the problem set"):
        list(read_samples(tmp_path, known=["T/9", "a_b/c", "a/b_c"]))


def test_ids_of_mbpp_are_numbers(tmp_path: Path) -> None:
    """As its problems' are."""
    path = written(
        tmp_path / "mbpp.jsonl", {"task_id": 11, "completion": "x"}, {"task_id": "Mbpp/11", "solution": "y"}
    )
    assert [made("Mbpp/11", 0, "x", "completion"), made("Mbpp/11", 1, "y")] == list(read_samples(path))


def test_a_named_format_is_taken(tmp_path: Path) -> None:
    """Also where the first row tells none, or another."""
    path = written(tmp_path / "a.jsonl", {"task_id": "T/9", "completion": "x", "response": "y"})
    assert ["x"] == [sample.text for sample in read_samples(path)]
    assert ["y"] == [sample.text for sample in read_samples(path, source="chat")]
    with pytest.raises(InputError, match="expected a list of answers to one problem, got an object"):
        list(read_samples(path, known=KNOWN, source="bigcode"))
    with pytest.raises(InputError, match="is a folder, and none of the format 'chat'"):
        list(read_samples(tmp_path, source="chat"))
    assert "lm-eval" == source_of("lm-eval")
    with pytest.raises(UsageError, match="no format of samples 'csv'"):
        source_of("csv")


def test_files_of_problems_hold_no_samples(tmp_path: Path) -> None:
    """The first row tells."""
    problem = {"task_id": "T/0", "prompt": "", "entry_point": "f", "canonical_solution": "", "test": ""}
    assert not holds_samples(written(tmp_path / "p.jsonl", problem))
    assert not holds_samples(written(tmp_path / "n.jsonl", 3))
    assert holds_samples(written(tmp_path / "s.jsonl", {"task_id": "T/0", "completion": ""}))
    assert holds_samples(tmp_path)


def test_lines_are_read_as_they_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No reader of lines looks further than the sample that it gives."""
    read: list[int] = []
    real = jsonl._take

    def counted(*arguments: Any) -> bytes:
        read.append(1)
        return real(*arguments)

    monkeypatch.setattr(jsonl, "_take", counted)
    rows = [{"question_id": str(number), "code_list": ["x"]} for number in range(100)]
    samples = read_samples(written(tmp_path / "a.jsonl", *rows))
    for _ in range(3):
        next(samples)
    assert 3 == len(read)


def test_the_hash_of_a_folder_is_that_of_its_files(tmp_path: Path) -> None:
    """Names and bytes count; of a file its bytes alone do."""
    path = written(tmp_path / "a.jsonl", 1)
    assert hashlib.sha256(b"1\n").hexdigest() == samples_hash(path)
    folder = tmp_path / "folder"
    seen = set()
    for name, text in (("T_0/0.py", "a"), ("T_0/1.py", "a"), ("T_1/0.py", "a"), ("T_1/0.py", "b")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        seen.add(samples_hash(folder))
    assert 4 == len(seen)
    assert seen > {samples_hash(folder)}
