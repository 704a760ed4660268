"""Everything that can be wrong with a file."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.formats import read_problems, read_samples
from codejury.model import InputError, Problem, Sample

if TYPE_CHECKING:
    from pathlib import Path

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

HUMANEVAL = {
    "task_id": "T/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return x\n",
    "test": "def check(candidate):\n    assert candidate(1) == 1\n",
}
NATIVE = {
    "id": "T/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "tests": {"type": "check", "code": "def check(candidate):\n    assert candidate(1) == 1\n"},
}
EVALPLUS = {
    "task_id": "T/0",
    "prompt": "def f(x):\n",
    "entry_point": "f",
    "canonical_solution": "    return x\n",
    "base_input": [[1]],
    "plus_input": [[[2]]],
    "atol": 0,
    "contract": "\n    assert isinstance(x, int)\n",
    "assertion": "assert f(1) == 1\n",
}
MBPP = {
    "task_id": 0,
    "text": "Give it back.",
    "code": "def f(x):\n    return x\n",
    "test_setup_code": "",
    "test_list": ["assert f(1) == 1"],
    "test_imports": ["import math"],
    "test": "assert f(2) == 2\n",
    "prompt": "",
}
COMPLETION = {"task_id": "T/0", "completion": "    return x\n"}
ANSWER = {"problem_id": "T/0", "text": "    return x\n"}


def row(base: dict[str, Any], drop: str = "", **changes: Any) -> bytes:
    """A line of `base` with changes."""
    return json.dumps({key: value for key, value in (base | changes).items() if key != drop}).encode() + b"\n"


H, N, C, A = row(HUMANEVAL), row(NATIVE), row(COMPLETION), row(ANSWER)

# What is wrong: whether the file is of problems or samples, its content, and the error: line, field, part of text.
MALFORMED: dict[str, tuple[str, bytes, int | None, str | None, str]] = {
    # the file
    "empty file": ("samples", b"", None, None, "holds no row"),
    "blank lines alone": ("problems", b"\n \n\r\n", None, None, "holds no row"),
    "cut-off JSON": ("samples", C + C[:20], 2, None, "bad JSON at column 20: Unterminated string"),
    "no JSON": ("samples", b"HumanEval/0: pass\n", 1, None, "bad JSON at column 1: Expecting value"),
    "single quotes": (
        "samples",
        b"{'task_id': 'T/0'}\n",
        1,
        None,
        "bad JSON at column 2: Expecting property name",
    ),
    "two objects on a line": ("samples", C.strip() + C, 1, None, "bad JSON at column 51: Extra data"),
    "trailing comma": ("samples", b'\n{"task_id": "T/0",}\n', 2, None, "bad JSON at column"),
    "raw newline in a text": (
        "samples",
        C + b'{"task_id": "T/0", "completion": "a\nb"}',
        2,
        None,
        "bad JSON at column",
    ),
    "nested too deeply": ("samples", C + b"[" * 100_000, 2, None, "bad JSON: nested too deeply"),
    "a huge number": (
        "samples",
        b'{"a": ' + b"1" * 5000 + b"}",
        1,
        None,
        "bad JSON: a number has too many digits",
    ),
    "a list on a line": ("samples", C + b"[1]\n", 2, None, "expected a JSON object, got a list"),
    "a string on a line": ("problems", b'"HumanEval/0"\n', 1, None, "expected a JSON object, got a string"),
    "null on a line": ("problems", N + b"null\n", 2, None, "expected a JSON object, got null"),
    "not UTF-8": (
        "samples",
        C + b'{"task_id": "\xff"}',
        2,
        None,
        "not UTF-8: invalid start byte at byte 14 of the line",
    ),
    "Latin-1": ("problems", '{"id": "é"}'.encode("latin-1"), 1, None, "not UTF-8"),
    "UTF-16": ("samples", C.decode().encode("utf-16-le"), 1, None, "holds a NUL byte"),
    "NUL bytes after a crash": ("samples", C + b"\0" * 64, 2, None, "holds a NUL byte"),
    "gzip by another name": ("samples", gzip.compress(C), 1, None, "its name must end in .gz"),
    "a key twice": ("samples", C + b'{"task_id": "T/0", "task_id": "T/1"}', 2, "task_id", "the key occurs twice"),
    "a key twice inside": ("problems", N + b'{"tests": {"a": 1, "b": 2, "b": 3}}', 2, "b", "the key occurs twice"),
    "an endless key twice": (
        "samples",
        b'{"K": 1, "K": 2}'.replace(b"K", b"k" * 9999),
        1,
        "k" * 80,
        "occurs twice",
    ),
    # the shape
    "problems of another kind": (
        "problems",
        b'{"text": "x", "test_list": []}',
        1,
        None,
        "the row has text, test_list; known",
    ),
    "samples of another kind": (
        "samples",
        b'{"question": 1, "codes": []}',
        1,
        None,
        "the row has question, codes; known are codejury",
    ),
    "samples for problems": (
        "problems",
        C,
        1,
        None,
        "no known format of problems: the row has task_id, completion",
    ),
    "problems for samples": (
        "samples",
        H,
        1,
        "completion",
        "needs a completion or a solution; the row has task_id, prompt",
    ),
    "an empty object": ("samples", b"{}", 1, None, "the row has no fields"),
    # HumanEval's problems
    "no test": (
        "problems",
        H + row(HUMANEVAL, "test", task_id="T/1"),
        2,
        "test",
        "is missing; the row has task_id",
    ),
    "no reference": ("problems", row(HUMANEVAL, "canonical_solution"), 1, "canonical_solution", "is missing"),
    "an id that is a number": ("problems", row(HUMANEVAL, task_id=3), 1, "task_id", "Expected `str`, got `int`"),
    "a prompt that is null": ("problems", row(HUMANEVAL, prompt=None), 1, "prompt", "Expected `str`, got `null`"),
    "a test that is a list": (
        "problems",
        row(HUMANEVAL, test=["assert True"]),
        1,
        "test",
        "Expected `str`, got `array`",
    ),
    "a problem twice": ("problems", H + b"\n" + H, 3, "task_id", "problem 'T/0' is on line 1 already"),
    "a blank test": ("problems", row(HUMANEVAL, test=" \n"), 1, "test", "would accept every answer"),
    "an entry point with code": (
        "problems",
        row(HUMANEVAL, entry_point="f(1) or f"),
        1,
        "entry_point",
        "cannot be the name",
    ),
    "an entry point that is a keyword": (
        "problems",
        row(HUMANEVAL, entry_point="def"),
        1,
        "entry_point",
        "'def' cannot be",
    ),
    "EvalPlus's own format in between": (
        "problems",
        H + row(HUMANEVAL, task_id="T/1", plus_input=[]),
        2,
        "plus_input",
        "give each format its own file",
    ),
    "a hole in the middle": ("problems", H + row(HUMANEVAL, suffix="x"), 2, "suffix", "fill-in-the-middle"),
    "half a character": ("problems", row(HUMANEVAL, prompt="\ud800"), 1, "prompt", "half of a surrogate pair"),
    "a date of another form": (
        "problems",
        row(HUMANEVAL, created="31.12.2024"),
        1,
        "created",
        "not a date as 2024-12-31",
    ),
    # HumanEval's samples
    "no answer": (
        "samples",
        C + b'{"task_id": "T/0"}',
        2,
        "completion",
        "needs a completion or a solution; the row has task_id",
    ),
    "no task": ("samples", C + b'{"completion": "x"}', 2, "task_id", "is missing; the row has completion"),
    "a completion that is null": (
        "samples",
        row(COMPLETION, completion=None),
        1,
        "completion",
        "Expected `str`, got `null`",
    ),
    "a list of completions": (
        "samples",
        row(COMPLETION, completion=["a"]),
        1,
        "completion",
        "Expected `str`, got `array`",
    ),
    "a solution that is a number": (
        "samples",
        row(COMPLETION, solution=1),
        1,
        "solution",
        "Expected `str`, got `int`",
    ),
    "an empty completion": (
        "samples",
        C + row(COMPLETION, completion=""),
        2,
        "completion",
        "is empty; --allow-empty keeps",
    ),
    "an empty solution": ("samples", row(COMPLETION, solution=""), 1, "solution", "is empty; --allow-empty keeps"),
    "an unknown task": (
        "samples",
        C + row(COMPLETION, task_id="T/9"),
        2,
        "task_id",
        "the problem set has no problem 'T/9'",
    ),
    "negative tokens": (
        "samples",
        row(COMPLETION, prompt_tokens=-1),
        1,
        "prompt_tokens",
        "must be a number from 0",
    ),
    "tokens that are a text": (
        "samples",
        row(COMPLETION, completion_tokens="7"),
        1,
        "completion_tokens",
        "got `str`",
    ),
    "tokens that are true": ("samples", row(COMPLETION, prompt_tokens=True), 1, "prompt_tokens", "got `bool`"),
    "a cost that is NaN": ("samples", row(COMPLETION, cost_usd=float("nan")), 1, "cost_usd", "got nan"),
    "an endless cost": (
        "samples",
        b'{"task_id": "T/0", "completion": "x", "cost_usd": 1e999}',
        1,
        "cost_usd",
        "got inf",
    ),
    # rows that are no samples of one model at one setting
    "tests for samples": (
        "samples",
        b'{"task_id": "T/0", "rollout": 0, "tests_total": 10, "tests_passed": 4}\n',
        1,
        "tests_total",
        "the tests of one rollout are not independent samples",
    ),
    "tests of a row without a known id": (
        "samples",
        b'{"task": "T/0", "tests_passed": 4}\n',
        1,
        "tests_passed",
        "`codejury explain passk` shows it",
    ),
    "tests for samples of our own": (
        "samples",
        A + b'{"problem_id": "T/0", "tests_total": 10}\n',
        2,
        "tests_total",
        "give a row with an answer for each sample",
    ),
    "another temperature": (
        "samples",
        row(COMPLETION, temperature=0.2) + C + row(COMPLETION, temperature=0.8),
        3,
        "temperature",
        "is 0.8 here and 0.2 on line 1: pooled samples",
    ),
    "another model": (
        "samples",
        row(COMPLETION, model="a\n") + row(COMPLETION, model="b"),
        2,
        "model",
        "is 'b' here and 'a\\n' on line 1",
    ),
    # ids
    "an empty id": ("problems", row(HUMANEVAL, task_id=""), 1, "task_id", "the id is empty"),
    "an id that climbs": (
        "problems",
        row(HUMANEVAL, task_id="T/../../etc/passwd"),
        1,
        "task_id",
        "could leave its folder",
    ),
    "an absolute id": ("samples", row(COMPLETION, task_id="/etc/passwd"), 1, "task_id", "could leave its folder"),
    "an id with a backslash": (
        "samples",
        row(ANSWER, problem_id="..\\x"),
        1,
        "problem_id",
        "could leave its folder",
    ),
    "an id with an empty part": (
        "samples",
        row(COMPLETION, task_id="T//0"),
        1,
        "task_id",
        "could leave its folder",
    ),
    "an id with a control character": (
        "samples",
        row(COMPLETION, task_id="T/\x1b[2J"),
        1,
        "task_id",
        "'T/\\x1b[2J' has control",
    ),
    "an id with a newline": ("problems", row(NATIVE, id="T\n0"), 1, "id", "'T\\n0' has control"),
    "an id with reversed writing": ("problems", row(NATIVE, id="T/\u202e0"), 1, "id", "'T/\\u202e0' has control"),
    "an id with half a character": ("problems", row(NATIVE, id="T/\ud800"), 1, "id", "'T/\\ud800' has control"),
    "an id with a space at its end": (
        "samples",
        row(COMPLETION, task_id="T/0 "),
        1,
        "task_id",
        "begins or ends with a space",
    ),
    "an endless id": (
        "samples",
        row(COMPLETION, task_id="x" * 201),
        1,
        "task_id",
        "has 201 characters; at most 200",
    ),
    # codejury's own problems
    "a misspelt field": (
        "problems",
        row(NATIVE, dificulty="easy"),
        1,
        "dificulty",
        "unknown field; the fields are id, prompt",
    ),
    "a field that is missing": (
        "problems",
        N + row(NATIVE, "entry_point", id="T/1"),
        2,
        "entry_point",
        "is missing",
    ),
    "tests of no form": ("problems", row(NATIVE, tests={"code": "x"}), 1, "tests.type", "is missing"),
    "tests of an unknown form": (
        "problems",
        row(NATIVE, tests={"type": "magic"}),
        1,
        "tests.type",
        "Invalid value 'magic'",
    ),
    "tests that are a text": (
        "problems",
        row(NATIVE, tests="assert True"),
        1,
        "tests",
        "Expected `object`, got `str`",
    ),
    "tests without code": ("problems", row(NATIVE, tests={"type": "check"}), 1, "tests.code", "is missing"),
    "tests with a misspelt field": (
        "problems",
        row(NATIVE, tests={"type": "check", "code": "x", "cotext": ""}),
        1,
        "tests.cotext",
        "unknown field; the fields are code, function, context",
    ),
    "blank tests": (
        "problems",
        row(NATIVE, tests={"type": "check", "code": ""}),
        1,
        "tests.code",
        "would accept every",
    ),
    "a check that is no name": (
        "problems",
        row(NATIVE, tests={"type": "check", "code": "x", "function": "a b"}),
        1,
        "tests.function",
        "'a b' cannot be the name of a python function",
    ),
    "no assertions": (
        "problems",
        row(NATIVE, tests={"type": "assertions", "code": []}),
        1,
        "tests.code",
        "would accept",
    ),
    "a blank assertion": (
        "problems",
        row(NATIVE, tests={"type": "assertions", "code": ["assert f(1)", " "]}),
        1,
        "tests.code[1]",
        "would accept every answer",
    ),
    "an assertion that is null": (
        "problems",
        row(NATIVE, tests={"type": "assertions", "code": ["assert f(1)", None]}),
        1,
        "tests.code[1]",
        "Expected `str`, got `null`",
    ),
    "tags that are a text": ("problems", row(NATIVE, tags="easy"), 1, "tags", "Expected `array`, got `str`"),
    "a tag that is a number": ("problems", row(NATIVE, tags=["a", 1]), 1, "tags[1]", "Expected `str`, got `int`"),
    "a limit of nothing": ("problems", row(NATIVE, limits={"cpu_s": 0}), 1, "limits.cpu_s", "must be above 0"),
    "an endless limit": ("problems", row(NATIVE, limits={"cpu_s": float("inf")}), 1, "limits.cpu_s", "at most"),
    "a limit that is unknown": ("problems", row(NATIVE, limits={"cpus": 1}), 1, "limits.cpus", "unknown field"),
    "a language in capitals": ("problems", row(NATIVE, language="Python"), 1, "language", "not a lower-case name"),
    "a day that is not": (
        "problems",
        row(NATIVE, created="2023-02-29"),
        1,
        "created",
        "'2023-02-29' is not a date",
    ),
    "an own problem twice": ("problems", N + N, 2, "id", "problem 'T/0' is on line 1 already"),
    # codejury's own samples
    "a misspelt field of a sample": (
        "samples",
        row(ANSWER, finsh_reason="stop"),
        1,
        "finsh_reason",
        "unknown field",
    ),
    "an unknown kind": ("samples", row(ANSWER, kind="prose"), 1, "kind", "Invalid enum value 'prose'"),
    "no text": ("samples", A + row(ANSWER, "text"), 2, "text", "is missing; the row has problem_id"),
    "an empty text": ("samples", row(ANSWER, text=""), 1, "text", "is empty; --allow-empty keeps"),
    "an unknown problem": ("samples", row(ANSWER, problem_id="T/9"), 1, "problem_id", "no problem 'T/9'"),
    "a negative index": ("samples", row(ANSWER, index=-1), 1, "index", "must be a whole number from 0"),
    "an index that is a text": ("samples", row(ANSWER, index="0"), 1, "index", "Expected `int`, got `str`"),
    "an index twice": ("samples", 2 * row(ANSWER, index=4), 2, "index", "problem 'T/0' has a sample 4 already"),
    "an index that goes missing": (
        "samples",
        row(ANSWER, index=0) + A,
        2,
        "index",
        "every row of the file an index, or none",
    ),
    "an index that appears": (
        "samples",
        A + row(ANSWER, index=0),
        2,
        "index",
        "every row of the file an index, or none",
    ),
    "a reason with half a character": (
        "samples",
        row(ANSWER, finish_reason="\udc00"),
        1,
        "finish_reason",
        "half of a",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed(tmp_path: Path, case: str) -> None:
    """Each has one line that names the file, the line and the field."""
    noun, content, line, field, part = MALFORMED[case]
    path = tmp_path / "given.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_problems(path) if noun == "problems" else read_samples(path, known={"T/0"}))
    error = caught.value
    place = str(path) + (f":{line}" if line else "") + (f": field {field!r}" if field else "") + ": "
    assert (str(path), line, field) == (error.path, error.line, error.field)
    assert place == str(error)[: len(place)]
    assert part in error.message
    assert len(str(error)) < len(str(path)) + 500
    assert "\n" not in str(error)
    assert str(error).isprintable()
    assert 2 == error.exit_code


@pytest.mark.parametrize(
    ("content", "line", "part"),
    [
        (b'{"id": "T/0"}\n{"id": "T/1"}\n', 2, "a file with one object a line is named .jsonl"),
        (b'\n"T/0"', 2, "expected a list of objects, or one object"),
        (b"[\n", 2, "bad JSON at column 1: Expecting value"),
        (b"[" + A + A + b"]", 2, "bad JSON: expected ',' or ']' after an object of the list"),
        (b"[" + A + b",\n,]", 3, "bad JSON at column 1: Expecting value"),
        (b"[" + A + b",\n]", 3, "bad JSON at column 1: Expecting value"),
        (b"[" + A + b"]\n\n[]", 4, "bad JSON: there is more after the list"),
        (b"[" + A + b", 3]", 2, "expected a JSON object, got a number"),
        (b"[" + A + b',\n{"a": 1, "a": 2}]', 3, "the key occurs twice"),
        (b"[\n\n" + b"\xff", 3, "not UTF-8: invalid start byte at byte 1 of the line"),
        (b"[\n\n \0", 3, "holds a NUL byte"),
        (b"[]", None, "holds no row"),
        (b" \n", None, "holds no row"),
    ],
)
def test_malformed_lists(tmp_path: Path, content: bytes, line: int | None, part: str) -> None:
    """A list that is laid out over lines names the line as well."""
    path = tmp_path / "given.json"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_samples(path))
    assert (str(path), line) == (caught.value.path, caught.value.line)
    assert part in caught.value.message


@CALM
@given(data=st.binary(max_size=60), kind=st.sampled_from(["a.jsonl", "a.json", "a.jsonl.gz"]))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes, kind: str) -> None:
    """No content ends in another error than ours."""
    path = tmp_path_factory.mktemp("bytes") / kind
    path.write_bytes(data)
    for read in (read_problems, read_samples):
        with pytest.raises(InputError, match=str(path)):
            list(read(path))


@CALM
@given(data=st.data())
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Fields of any type end in a value or in an error of ours."""
    value: st.SearchStrategy[Any] = (
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just([]) | st.just({})
    )
    bases: list[dict[str, Any]] = [HUMANEVAL, EVALPLUS, MBPP, NATIVE, COMPLETION, ANSWER]
    base = data.draw(st.sampled_from(bases))
    field = data.draw(
        st.sampled_from([*base, "limits", "tags", "created", "index", "cost_usd", "kind", "prompt_tokens"])
    )
    path = tmp_path_factory.mktemp("json") / "a.jsonl"
    path.write_bytes(row(base, **{field: data.draw(value)}))
    reader = read_problems if "prompt" in base else read_samples
    try:
        [found] = reader(path)
    except InputError as error:
        assert 1 == error.line  # noqa: PT017 - both ends are right
    else:
        assert isinstance(found, (Problem, Sample))
