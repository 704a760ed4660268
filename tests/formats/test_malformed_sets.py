"""Everything that can be wrong with a published problem set, by family."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.formats import pickled, read_problems
from codejury.formats.pickled import hidden_text
from codejury.model import InputError, Problem

DATA = Path(__file__).parent / "data"
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=150)
NAMES = sorted(path.stem for path in DATA.glob("*.jsonl"))


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of one of our files."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


def cases(*tests: tuple[str, str, str]) -> str:
    """Tests of LiveCodeBench."""
    return json.dumps([dict(zip(("input", "output", "testtype"), test, strict=True)) for test in tests])


def hidden(pickle_of: bytes) -> str:
    """A pickle as LiveCodeBench hides it."""
    return base64.b64encode(zlib.compress(pickle_of)).decode()


STDIN = ("1\n", "2\n", "stdin")
CALL = ("1", "2", "functional")

# What is wrong: the family, which of our rows is changed, the changes (None drops the field), field and error.
MALFORMED: dict[str, tuple[str, int, dict[str, Any], str | None, str]] = {
    "a hole without a program": (
        "infilling",
        1,
        {"canonical_solution": "er(x"},
        "canonical_solution",
        "cannot be parsed as Python: SyntaxError",
    ),
    "infilling without tests": ("infilling", 0, {"test": " \n"}, "test", "is empty: tests without code"),
    "an entry point that is none": (
        "infilling",
        0,
        {"entry_point": "a b"},
        "entry_point",
        "cannot be the name of",
    ),
    "infilling without a suffix": ("infilling", 1, {"suffix": None}, "suffix", "is missing; the row has task_id"),
    "MultiPL-E without tests": ("multipl_e", 0, {"tests": ""}, "tests", "is empty: tests without code"),
    "tests of a number": ("multipl_e", 0, {"tests": 1}, "tests", "Expected `str`, got `int`"),
    "a language that is none": (
        "multipl_e",
        0,
        {"language": "Not One"},
        "language",
        "'not one' is not a lower-case",
    ),
    "Python without check": ("multipl_e", 2, {"tests": "twice(1)"}, "tests", "defines no function 'check'"),
    "a check that is never called": (
        "multipl_e",
        2,
        {"tests": "def check(f):\n    assert f(1) == 2\n"},
        "tests",
        "does not call 'check' with the name of a function",
    ),
    "Python that is none": ("humaneval_x", 0, {"test": "def check(:"}, "test", "cannot be parsed as Python"),
    "an id without a language": (
        "humaneval_x",
        1,
        {"task_id": "9000"},
        "task_id",
        "does not begin with a language",
    ),
    "an id that could leave its folder": ("humaneval_x", 1, {"task_id": "Go/../x"}, "task_id", "could leave"),
    "libraries that are no list": ("bigcodebench", 0, {"libs": "os.system('x')"}, "libs", "is no list of names"),
    "libraries that are no names": ("bigcodebench", 0, {"libs": "[1]"}, "libs", "is no list of names"),
    "a reference that is no Python": (
        "bigcodebench",
        0,
        {"canonical_solution": "return ("},
        "canonical_solution",
        "cannot be parsed",
    ),
    "half a character": ("bigcodebench", 0, {"instruct_prompt": "\ud800"}, "instruct_prompt", "surrogate pair"),
    "a date that is none": ("livecodebench", 0, {"contest_date": "soon"}, "contest_date", "'soon' is not a date"),
    "tests that are neither JSON nor hidden": (
        "livecodebench",
        0,
        {"private_test_cases": "not base64!"},
        "private_test_cases",
        "is neither JSON nor base64",
    ),
    "hidden tests that are not compressed": (
        "livecodebench",
        0,
        {"private_test_cases": base64.b64encode(b"plain").decode()},
        "private_test_cases",
        "is not compressed by zlib",
    ),
    "hidden tests that are cut off": (
        "livecodebench",
        0,
        {"private_test_cases": base64.b64encode(zlib.compress(pickle.dumps("x" * 99))[:-9]).decode()},
        "private_test_cases",
        "is cut off",
    ),
    "a pickle of bytes": (
        "livecodebench",
        0,
        {"private_test_cases": hidden(pickle.dumps(b"[]"))},
        "private_test_cases",
        "a pickle of more than a text (SHORT_BINBYTES)",
    ),
    "a pickle that is damaged": (
        "livecodebench",
        0,
        {"private_test_cases": hidden(b"\x80\x04\xff.")},
        "private_test_cases",
        "opcode b'\\xff' unknown",
    ),
    "hidden text that is no JSON": (
        "livecodebench",
        0,
        {"private_test_cases": hidden(pickle.dumps("[1"))},
        "private_test_cases",
        "is no JSON: Expecting",
    ),
    "a case without an output": (
        "livecodebench",
        1,
        {"public_test_cases": '[{"input": "1", "testtype": "stdin"}]'},
        "public_test_cases[0].output",
        "is missing",
    ),
    "an unknown kind of case": (
        "livecodebench",
        1,
        {"public_test_cases": cases(("1", "2", "file"))},
        "public_test_cases[0].testtype",
        "Invalid enum value 'file'",
    ),
    "cases of both kinds": (
        "livecodebench",
        1,
        {"public_test_cases": cases(STDIN, CALL)},
        "public_test_cases",
        "has cases of both kinds",
    ),
    "no cases": (
        "livecodebench",
        1,
        {"public_test_cases": "[]", "private_test_cases": "[]"},
        "public_test_cases",
        "has no cases",
    ),
    "cases that expect nothing": (
        "livecodebench",
        1,
        {"public_test_cases": cases(("1", " \n", "stdin")), "private_test_cases": "[]"},
        "public_test_cases",
        "a program that does nothing would pass",
    ),
    "a method without a name": ("livecodebench", 0, {"metadata": "{}"}, "metadata", "has no func_name"),
    "metadata that are no JSON": ("livecodebench", 0, {"metadata": "{"}, "metadata", "is no JSON"),
    "a name that is code": (
        "livecodebench",
        0,
        {"metadata": '{"func_name": "x(); import os"}'},
        "public_test_cases",
        "cannot be the name of a python function",
    ),
    "an argument that is no JSON": (
        "livecodebench",
        0,
        {"public_test_cases": cases(("[1", "2", "functional"))},
        "public_test_cases",
        "is no JSON",
    ),
    "an infinite output": (
        "livecodebench",
        0,
        {"public_test_cases": cases(("1\n2", "1e999", "functional"))},
        "public_test_cases[0]",
        "is no plain value: it holds an infinity or NaN",
    ),
    "APPS without tests": ("apps", 0, {"input_output": ""}, "input_output", "has no tests; leave it out"),
    "APPS with tests that are no JSON": ("apps", 0, {"input_output": "{"}, "input_output", "is no JSON"),
    "APPS without outputs": ("apps", 0, {"input_output": '{"inputs": []}'}, "input_output.outputs", "is missing"),
    "an output too few": (
        "apps",
        0,
        {"input_output": '{"inputs": ["1", "2"], "outputs": ["1"]}'},
        "input_output",
        "has 2 inputs and 1 outputs",
    ),
    "an input that is a number": (
        "apps",
        0,
        {"input_output": '{"inputs": [1], "outputs": ["1"]}'},
        "input_output",
        "has an input or output that is no text",
    ),
    "arguments that are no list": (
        "apps",
        1,
        {"input_output": '{"fn_name": "f", "inputs": [1], "outputs": [1]}'},
        "input_output.inputs[0]",
        "must be a list of arguments",
    ),
    "solutions that are no programs": ("apps", 0, {"solutions": "[1]"}, "solutions", "must be a list of programs"),
    "a difficulty that is none": ("code_contests", 0, {"difficulty": 99}, "difficulty", "99 is no difficulty"),
    "tests of a contest that are a list": (
        "code_contests",
        0,
        {"public_tests": []},
        "public_tests",
        "Expected `ob",
    ),
    "inputs without an id": ("inputs_outputs", 0, {"id": None}, "task_id", "is missing, and so are problem_id"),
    "inputs without a problem": (
        "inputs_outputs",
        0,
        {"problem": None},
        "prompt",
        "is missing, and so are question",
    ),
    "inputs without any": ("inputs_outputs", 0, {"inputs": [], "outputs": []}, "inputs", "has no cases"),
    "a program without a hole": ("safim", 0, {"eval_prompt": "x"}, "eval_prompt", "must have {{completion}} once"),
    "two holes": (
        "safim",
        0,
        {"eval_prompt": "{{completion}}{{completion}}"},
        "eval_prompt",
        "has it 2 times",
    ),
    "several outputs": (
        "safim",
        0,
        {"unit_tests": '[{"input": "", "output": ["1", "2"]}]'},
        "unit_tests[0].output",
        "must have one output, has 2",
    ),
    "metadata without a task": ("crosscodeeval", 0, {"metadata": {}}, "metadata.task_id", "is missing"),
    "nothing to complete": ("crosscodeeval", 0, {"groundtruth": " "}, None, "has nothing to complete"),
    "a date of another form": ("repobench", 0, {"created_at": "13.10.2023"}, "created_at", "is not a date as"),
    "context that is no pair": (
        "execrepobench",
        0,
        {"context_code": [["a.py"]]},
        "context_code[0]",
        "Expected `array` of length 2, got 1",
    ),
}


def refused(path: Path, *content: dict[str, Any]) -> InputError:
    """The error with which rows are refused; it is one line, names the file, and ends with exit code 2."""
    path.write_text("".join(json.dumps(row) + "\n" for row in content))
    with pytest.raises(InputError) as caught:
        list(read_problems(path))
    text = str(caught.value)
    assert text.startswith(f"{path}:{len(content)}: ")
    assert 1 == len(text.splitlines())
    assert 2 == caught.value.exit_code
    return caught.value


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed(tmp_path: Path, case: str) -> None:
    """File, line and field are named, in one line; a sound row before it does not hide it."""
    name, place, changes, field, message = MALFORMED[case]
    # The row before is another of the family, with an id of its own.
    before = [row for number, row in enumerate(rows(name)) if number != place][:1]
    changed = {key: value for key, value in (rows(name)[place] | changes).items() if value is not None}
    if not before:
        before, changed = [rows(name)[0]], changed | ({} if "repo" in name else _other_id(changed))
    error = refused(tmp_path / "p.jsonl", *before, changed)
    assert field == error.field
    assert message in error.message


def _other_id(row: dict[str, Any]) -> dict[str, str]:
    field = next(name for name in ("task_id", "name") if name in row)
    return {field: f"{row[field]}.other"}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"repobench", "execrepobench"}])
def test_an_id_twice(tmp_path: Path, name: str) -> None:
    """Which of the two counts is undefined; those without ids are counted."""
    assert "is on line 1 already" in refused(tmp_path / "p.jsonl", *rows(name)[:1] * 2).message


@pytest.mark.parametrize("name", NAMES)
def test_a_row_of_another_family(tmp_path: Path, name: str) -> None:
    """A file has one format."""
    other = {"task_id": "x", "text": "y", "code": "def f(): pass", "test_list": ["assert f() is None"]}
    refused(tmp_path / "p.jsonl", rows(name)[0], other)


class Hostile:
    """An object whose pickle makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return io.open, (str(self.path), "w")


def test_a_pickle_runs_nothing(tmp_path: Path) -> None:
    """A payload that would make a file is refused by the operation that would have run it."""
    made = tmp_path / "made"
    attack = pickle.dumps(Hostile(made))
    pickle.loads(attack).close()  # noqa: S301 - the attack works where pickles are run
    assert made.exists()
    made.unlink()
    for payload in (attack, pickle.dumps(["[]", Hostile(made)]), pickle.dumps("[]")[:-1] + attack[2:]):
        row = rows("livecodebench")[0] | {"private_test_cases": hidden(payload)}
        error = refused(tmp_path / "p.jsonl", row)
        assert "private_test_cases" == error.field
        assert "nothing of it was run" in error.message
        assert not made.exists()


def test_a_small_text_that_would_be_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decompression stops at the cap, whatever the size that was meant."""
    monkeypatch.setattr(pickled, "MAX_BYTES", 1 << 20)
    assert "x" * 9 == hidden_text(hidden(pickle.dumps("x" * 9)))
    with pytest.raises(ValueError, match="decompresses to more than 1 MiB"):
        hidden_text(hidden(b"\x80\x04" + b"x" * (1 << 28)))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_of_pickle_is_read(protocol: int) -> None:
    """A text of any characters, as any version writes it."""
    for text in ("", "[1]", "é\n\\u1234 \U0001f600" * 100):
        assert text == hidden_text(hidden(pickle.dumps(text, protocol)))


@CALM
@given(data=st.binary(max_size=60), compress=st.booleans())
def test_what_is_hidden_may_be_anything(data: bytes, compress: object) -> None:
    """A text or a reason, never another error."""
    with contextlib.suppress(ValueError):
        assert isinstance(hidden_text(base64.b64encode(zlib.compress(data) if compress else data).decode()), str)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@CALM
@given(name=st.sampled_from(NAMES), data=st.data())
def test_fields_may_hold_anything(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    """A problem or one clear error, whatever one field holds."""
    row = data.draw(st.sampled_from(rows(name)))
    row[data.draw(st.sampled_from(sorted(row)))] = data.draw(JSON)
    path = tmp_path_factory.mktemp("any") / "p.jsonl"
    path.write_text(json.dumps(row))
    try:
        assert all(isinstance(problem, Problem) for problem in read_problems(path))
    except InputError as error:
        said = str(error)
    else:
        return
    assert 1 == len(said.splitlines())
