"""All that can be wrong with other people's samples: one line, with file, line and field, and exit code 2."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.formats import read_samples
from codejury.model import Assertions, InputError, Problem, Sample

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


def problem(problem_id: str, entry_point: str, prompt: str = "") -> Problem:
    """A problem with its entry point."""
    tests = Assertions(code=(f"assert {entry_point}() == 1",))
    return Problem(id=problem_id, prompt=prompt, entry_point=entry_point, tests=tests)


KNOWN = {p.id: p for p in (problem("T/0", "first", "def first():\n"), problem("T/1", "second"))}
UNSORTED = {p.id: p for p in (problem("T/9", "first"), problem("T/10", "second"))}


def lines(*rows: Any) -> bytes:
    """Rows as lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


LIVE = {"question_id": "T/0", "code_list": ["x"]}
MULTIPLE = {"name": "T/0", "language": "py", "prompt": "def first():\n", "completions": ["    return 1"]}
LOG = {"doc_id": 0, "doc": {"task_id": "T/0"}, "resps": [["x"]], "filtered_resps": [["x"]], "filter": "made"}
CHAT = {"task_id": "T/0", "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "x"}]}
BODY = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}}]}
BATCH = {"custom_id": "T/0", "response": {"status_code": 200, "body": BODY}, "error": None}

# What is wrong: the file's name and content, and the error: line, field, part of text.
MALFORMED: dict[str, tuple[str, bytes, int | None, str | None, str]] = {
    # the bigcode harness
    "fewer lists than problems": (
        "generations_t.json",
        b'[["x"]]',
        None,
        None,
        "holds 1 lists of answers, and the set",
    ),
    "more lists than problems": (
        "generations_t.json",
        b'[["x"],\n["y"],\n["z"]]',
        3,
        None,
        "is list 3 of answers, and the set has 2 problems",
    ),
    "an answer that is null": (
        "generations_t.json",
        b'[["x", null], ["y"]]',
        1,
        "[0][1]",
        "Expected a text, got null",
    ),
    "a list that is null": ("generations_t.json", b'[["x"],\nnull]', 2, "[1]", "expected a list of answers"),
    "a completion that is a number": (
        "generations_t.json",
        b'[["x"], [7]]',
        1,
        "[1][0]",
        "Expected a text, got a number",
    ),
    "an answer of no characters": (
        "generations_t.json",
        b'[["x"], [""]]',
        1,
        "[1][0]",
        "is empty; --allow-empty keeps",
    ),
    "strings for lists": (
        "generations_t.json",
        b'[["x"], "y"]',
        1,
        "[1]",
        "expected a list of answers to one problem",
    ),
    "objects among lists": ("generations_t.json", b'[["x"],\n{"question_id": "T/1"}]', 2, "[1]", "got an object"),
    "lists among objects": (
        "live.json",
        b'[{"question_id": "T/0", "code_list": ["x"]},\n["y"]]',
        2,
        None,
        "got a list",
    ),
    "lists in the wrong order": (
        "generations_t.json",
        b'[["def second(): pass"], ["def first(): pass"]]',
        None,
        None,
        "2 of 2 lists name the function of another problem and not their own",
    ),
    "a cut list": ("generations_t.json", b'[["x"], ["y"', 1, None, "bad JSON at column"),
    "a cut file of gzip": (
        "generations_t.json.gz",
        gzip.compress(b'[["x"], ["y"]]' + bytes(range(32, 127)) * 40)[:-30],
        None,
        None,
        "the gzip file is cut off or damaged",
    ),
    "a list on a line": ("lists.jsonl", b'[["x"], ["y"]]', 1, None, "expected a JSON object, got a list"),
    "a NUL in a list": ("generations_t.json", b'[["x"],\n ["\0"]]', 2, None, "holds a NUL byte"),
    # LiveCodeBench
    "a question twice": (
        "live.json",
        json.dumps([LIVE, LIVE]).encode(),
        1,
        "question_id",
        "the answers to 'T/0' are on line 1 already",
    ),
    "an unknown question": (
        "live.json",
        lines(LIVE | {"question_id": "T/7"}),
        1,
        "question_id",
        "no problem 'T/7'",
    ),
    "codes that are a text": (
        "live.jsonl",
        lines(LIVE | {"code_list": "x"}),
        1,
        "code_list",
        "Expected a list of texts",
    ),
    "a code that is a list": ("live.jsonl", lines(LIVE | {"code_list": [["x"]]}), 1, "code_list[0]", "got a list"),
    "no codes": ("live.jsonl", lines(LIVE, {"question_id": "T/1"}), 2, "code_list", "is missing; the row has"),
    "an id that is a list": (
        "live.jsonl",
        lines(LIVE | {"question_id": []}),
        1,
        "question_id",
        "Expected a text, got a",
    ),
    # MultiPL-E
    "answers in another language": (
        "T_0.json",
        lines(MULTIPLE | {"prompt": "fn first() {"}),
        1,
        "prompt",
        "were given to another prompt than that of 'T/0'",
    ),
    "results for completions": (
        "T_0.jsonl",
        lines(MULTIPLE, {"name": "T/1", "results": []}),
        2,
        "results",
        "holds results and no completions",
    ),
    "completions that are an object": (
        "T_0.json",
        lines(MULTIPLE | {"completions": {}}),
        1,
        "completions",
        "an object",
    ),
    "another temperature": (
        "all.jsonl",
        lines(MULTIPLE | {"temperature": 0.2}, MULTIPLE | {"name": "T/1", "prompt": "", "temperature": 0.8}),
        2,
        "temperature",
        "is 0.8 here and 0.2 on line 1",
    ),
    # lm-eval
    "a document without an id": (
        "samples_t.jsonl",
        lines(LOG | {"doc": {"text": "?"}}),
        1,
        "doc",
        "names no problem",
    ),
    "a document that is a text": ("samples_t.jsonl", lines(LOG | {"doc": "T/0"}), 1, "doc", "Expected an object"),
    "a document twice": (
        "samples_t.jsonl",
        lines(LOG, LOG),
        2,
        "doc.task_id",
        "the answers to 'T/0' are on line 1",
    ),
    "two filters": (
        "samples_t.jsonl",
        lines(LOG, LOG | {"filter": "none"}),
        2,
        "filter",
        "is 'none' here and 'made' on line 1: each answer stands in the file once for each filter",
    ),
    "no filtered answers": (
        "samples_t.jsonl",
        lines(LOG, {"doc": {"task_id": "T/1"}, "resps": [["x"]]}),
        2,
        "filtered_resps",
        "is missing",
    ),
    "filtered answers that are numbers": (
        "samples_t.jsonl",
        lines(LOG | {"filtered_resps": [[-1.5, False]]}),
        1,
        "filtered_resps[0][0]",
        "Expected a text, got a number",
    ),
    # chats
    "a chat that the user ends": (
        "chats.jsonl",
        lines(CHAT, CHAT | {"messages": [{"role": "user", "content": "?"}]}),
        2,
        "messages[0].role",
        "the last message is not the assistant's",
    ),
    "no messages": ("chats.jsonl", lines(CHAT | {"messages": []}), 1, "messages", "got an empty one"),
    "no content": (
        "chats.jsonl",
        lines(CHAT | {"messages": [{"role": "assistant", "content": None}]}),
        1,
        "messages[0].content",
        "is null: the model gave no text; --allow-empty",
    ),
    "a choice without a message": (
        "batch.jsonl",
        lines(BATCH | {"response": {"status_code": 200, "body": {"choices": [{"text": "x"}]}}}),
        1,
        "response.body.choices[0].message",
        "Expected an object, got null",
    ),
    "no choices": (
        "batch.jsonl",
        lines(BATCH | {"response": {"status_code": 200, "body": {"choices": []}}}),
        1,
        "response.body.choices",
        "got an empty one",
    ),
    "a sample twice": (
        "batch.jsonl",
        lines(BATCH | {"custom_id": "T/0#1"}, BATCH | {"custom_id": "T/0#1"}),
        2,
        "response.body.choices[0].message.content",
        "problem 'T/0' has a sample 1 already",
    ),
    "numbers in some": (
        "batch.jsonl",
        lines(BATCH | {"custom_id": "T/0#1"}, BATCH),
        2,
        "response.body.choices[0].message.content",
        "number all or none",
    ),
    "a chat without a problem": (
        "chats.jsonl",
        lines(CHAT, {"messages": []}),
        2,
        "task_id",
        "is missing, as is custom_id",
    ),
    "tokens that are a text": (
        "chats.jsonl",
        lines({"task_id": "T/0", **BODY, "usage": {"completion_tokens": "9"}}),
        1,
        "completion_tokens",
        "Expected `int | null`, got `str`",
    ),
    "two models": (
        "chats.jsonl",
        lines({"task_id": "T/0", **BODY, "model": "a"}, {"task_id": "T/0", **BODY, "model": "b"}),
        2,
        "model",
        "is 'b' here and 'a' on line 1",
    ),
    # mixed shapes
    "a chat among completions": (
        "mixed.jsonl",
        lines({"task_id": "T/0", "completion": "x"}, CHAT),
        2,
        "completion",
        "an answer needs a completion or a solution",
    ),
    "a completion among chats": (
        "mixed.jsonl",
        lines(CHAT, {"task_id": "T/0", "completion": "x"}),
        2,
        "choices",
        "is missing; an answer stands in messages, choices, response",
    ),
    "a row of LiveCodeBench among MultiPL-E's": ("mixed.jsonl", lines(MULTIPLE, LIVE), 2, "name", "is missing"),
    "an own row among completions": (
        "mixed.jsonl",
        lines({"task_id": "T/0", "completion": "x"}, {"problem_id": "T/0", "text": "x"}),
        2,
        "task_id",
        "is missing; the row has problem_id, text",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed(tmp_path: Path, case: str) -> None:
    """Each has one line that names the file, the line and the field."""
    name, content, line, field, part = MALFORMED[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_samples(path, known=KNOWN))
    error = caught.value
    assert (str(path), line, field) == (error.path, error.line, error.field)
    assert part in error.message
    assert "\n" not in str(error)
    assert str(error).isprintable()
    assert 2 == error.exit_code


# Folders: their files, the one that the error names, its line, and part of its text.
FOLDERS: dict[str, tuple[dict[str, bytes], str, int | None, str]] = {
    "an empty folder": ({}, "", None, "is a folder without samples"),
    "a name that is no number": ({"T_0/a.py": b"x"}, "T_0/a.py", None, "is not named by the number of a sample"),
    "a number twice": ({"T_0/1.py": b"x", "T_0/01.py": b"y"}, "T_0/1.py", 1, "has a sample 1 already"),
    "an unknown problem": ({"T_7/0.py": b"x"}, "T_7", 1, "has no problem 'T/7'"),
    "an empty program": ({"T_0/0.py": b""}, "T_0/0.py", 1, "is empty; --allow-empty"),
    "a program with a NUL": ({"T_0/0.py": b"a = 1\n\0"}, "T_0/0.py", 2, "holds a NUL byte"),
    "a program in Latin-1": ({"T_0/0.py": b"\n\n'\xe9'"}, "T_0/0.py", 3, "not UTF-8"),
    "two forms": ({"T_0/0.py": b"x", "T_0.json": lines(MULTIPLE)}, "", None, "and folders of programs; give one"),
    "a problem in two files": (
        {"a.json": lines(MULTIPLE), "b.json.gz": gzip.compress(lines(MULTIPLE))},
        "b.json.gz",
        1,
        "a.json already",
    ),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_malformed_folders(tmp_path: Path, case: str) -> None:
    """Each has one line that names the file."""
    files, name, line, part = FOLDERS[case]
    for file, content in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_samples(tmp_path, known=KNOWN))
    assert (tmp_path / name, line) == (Path(str(caught.value.path)), caught.value.line)
    assert part in caught.value.message


def test_lists_need_a_problem_set_in_order(tmp_path: Path) -> None:
    """A list of lists alone says nothing of its problems; nor does a set of ids in no order."""
    path = tmp_path / "generations.json"
    path.write_bytes(b'[["x"], ["y"]]')
    for known in (None, {"T/0", "T/1"}, "T/0"):
        with pytest.raises(InputError, match="lists of answers name no problems: say which problem set"):
            list(read_samples(path, known=known))


def test_an_order_is_never_guessed(tmp_path: Path) -> None:
    """Where the set's order and that of its ids differ, only the harness's name or the user tells it."""
    path = tmp_path / "answers.json"
    path.write_bytes(b'[["def first(): 9"], ["def second(): 10"]]')
    with pytest.raises(InputError, match="which differ here: say which by `codejury convert --from`"):
        list(read_samples(path, known=UNSORTED))
    bigcode = [sample.problem_id for sample in read_samples(path, known=UNSORTED, source="bigcode")]
    assert ["T/9", "T/10"] == bigcode
    with pytest.raises(InputError, match="2 of 2 lists name the function of another problem"):
        list(read_samples(path, known=UNSORTED, source="livecodebench"))
    path.write_bytes(b'[["x"], ["y"]]')
    live = [sample.problem_id for sample in read_samples(path, known=UNSORTED, source="livecodebench")]
    assert ["T/10", "T/9"] == live


@CALM
@given(data=st.data())
def test_any_json_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    """Values of any type at any place end in samples or in an error of ours."""
    value: st.SearchStrategy[Any] = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("T/0"),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(["role", "content", "message", "task_id", "body", "arg_1"]), inner, max_size=2
            )
        ),
        max_leaves=4,
    )
    row = dict(data.draw(st.sampled_from([LIVE, MULTIPLE, LOG, CHAT, BATCH])))
    for field in data.draw(
        st.lists(st.sampled_from([*row, "error", "usage", "choices", "arguments"]), max_size=3)
    ):
        row[field] = data.draw(value)
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(row))
    try:
        found = list(read_samples(path, known=KNOWN))
    except InputError as error:
        assert error.line in (1, None)  # noqa: PT017 - both ends are right
    else:
        assert all(isinstance(sample, Sample) for sample in found)
