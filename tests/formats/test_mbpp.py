"""MBPP in its forms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.formats import read_problems
from codejury.formats.evalplus import TOO_LARGE
from codejury.model import Assertions, InputError, Problem

if TYPE_CHECKING:
    from pathlib import Path

FULL: dict[str, Any] = {
    "text": "Write a function to add one.",
    "code": "import sys\r\nimport math as m\r\n"
    "def helper(x):\r\n\treturn x + 1\r\ndef add_one(x): \r\n\treturn helper(x)",
    "task_id": 9001,
    "test_setup_code": "",
    "test_list": ["assert add_one(1) == 2", "assert add_one(helper(1)) == m.ceil(2.5)"],
    "challenge_test_list": ["assert add_one(0) == 7"],
}
SANITIZED: dict[str, Any] = {
    "source_file": "Benchmark Questions Verification V2.ipynb",
    "task_id": 9001,
    "prompt": "Write a function to add one.",
    "code": "def add_one(x):\n  return x + 1",
    "test_imports": ["import math", "from cmath import phase"],
    "test_list": ["assert math.isclose(add_one(1), 2)"],
}
PLUS: dict[str, Any] = SANITIZED | {
    "test": "import numpy as np\n\ndef assertion(out, exp):\n    assert out == exp\n\nassertion(add_one(1), 2)\n"
}
CODET: dict[str, Any] = {
    "task_id": "MbppEval/9001",
    "prompt": "import sys\ndef helper(x): \n    '''\n    Write a function to add one.\n    '''\n",
    "entry_point": "helper ",
    "canonical_solution": "  return x + 1\ndef check(x):\n  return helper(x)\n",
    "test": "def check(candidate):\n    assert check(1) == 2\n    assert math.isclose(check(2), 3.)\n",
}


def read(path: Path, *rows: dict[str, Any]) -> list[Problem]:
    """The problems of rows."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return list(read_problems(path))


def test_full(tmp_path: Path) -> None:
    """The entry point is what most assertions call; imports that they use come from the solution."""
    [problem] = read(tmp_path / "p.jsonl", FULL)
    assert (
        Problem(
            id="Mbpp/9001",
            prompt='"""\nWrite a function to add one.\nassert add_one(1) == 2\n'
            'assert add_one(helper(1)) == m.ceil(2.5)\n"""\n',
            entry_point="add_one",
            tests=Assertions(code=tuple(FULL["test_list"]), context="import math as m\n"),
            reference=FULL["code"].replace("\r\n", "\n"),
        )
        == problem
    )


def test_setup_code(tmp_path: Path) -> None:
    """It runs before the assertions."""
    row = FULL | {"test_setup_code": "one = 1 \r\ntwo = 2", "test_list": ["assert add_one(one) == two"]}
    [problem] = read(tmp_path / "p.jsonl", row)
    assert Assertions(code=("assert add_one(one) == two",), context="one = 1 \ntwo = 2") == problem.tests


def test_sanitized(tmp_path: Path) -> None:
    """`prompt` is the description, `test_imports` come before the assertions."""
    [problem] = read(tmp_path / "p.jsonl", SANITIZED)
    assert '"""\nWrite a function to add one.\nassert math.isclose(add_one(1), 2)\n"""\n' == problem.prompt
    assert "add_one" == problem.entry_point
    tests = Assertions(code=tuple(SANITIZED["test_list"]), context="import math\nfrom cmath import phase")
    assert tests == problem.tests


@pytest.mark.parametrize(
    ("task_id", "expected"), [(7, "Mbpp/7"), ("7", "Mbpp/7"), ("Mbpp/7", "Mbpp/7"), ("mine", "mine")]
)
def test_ids(tmp_path: Path, task_id: object, expected: str) -> None:
    """Numbers are named as EvalPlus's samples name the tasks."""
    for row in (FULL, SANITIZED, PLUS):
        [problem] = read(tmp_path / "p.jsonl", row | {"task_id": task_id})
        assert expected == problem.id


def test_plain_tests(tmp_path: Path) -> None:
    """MBPP+ with plain tests: these are judged by, `test_list` is shown and tells the entry point."""
    [problem] = read(tmp_path / "p.jsonl", PLUS)
    assert "add_one" == problem.entry_point
    assert isinstance(problem.tests, Assertions)
    assert (PLUS["test"],) == problem.tests.code


def test_plain_tests_that_assert_nothing(tmp_path: Path) -> None:
    """As those of Mbpp/737, 787 and 794 in the release: the base assertions are tests at least."""
    [problem] = read(
        tmp_path / "p.jsonl", PLUS | {"test": "def assertion(x):\n    x == 1\n\nassertion(add_one(0))\n"}
    )
    assert isinstance(problem.tests, Assertions)
    assert tuple(PLUS["test_list"]) == problem.tests.code


def test_plain_tests_with_large_outputs(tmp_path: Path) -> None:
    """Calls whose outputs cannot cross are left out of Mbpp/255, as in EvalPlus's own format."""
    calls = [[["Red"], 1], *([list(items), length] for items, length in TOO_LARGE["Mbpp/255"]), [["Blue"], 2]]
    test = f"inputs = {calls!r}\nfor x in inputs:\n    assert add_one(x)\n"
    [problem] = read(tmp_path / "p.jsonl", PLUS | {"task_id": 255, "test": test})
    assert isinstance(problem.tests, Assertions)
    assert (
        "inputs = [[['Red'], 1], [['Blue'], 2]]\nfor x in inputs:\n    assert add_one(x)\n",
    ) == problem.tests.code


def test_codet(tmp_path: Path) -> None:
    """The docstring goes from the reference, not from the prompt; what is tested may be called `check`."""
    [problem] = read(tmp_path / "p.jsonl", CODET)
    assert (
        Problem(
            id="MbppEval/9001",
            prompt=CODET["prompt"],
            entry_point="check",
            tests=Assertions(
                code=("assert check(1) == 2", "assert math.isclose(check(2), 3.0)"), context="import math\n"
            ),
            reference="import sys\ndef helper(x): \n  return x + 1\ndef check(x):\n  return helper(x)\n",
        )
        == problem
    )


def test_codet_imports(tmp_path: Path) -> None:
    """What the prompt imports and the tests use."""
    test = "def check(candidate):\n    assert helper(1) == sys.getsizeof(())\n"
    [problem] = read(tmp_path / "p.jsonl", CODET | {"test": test})
    assert Assertions(code=("assert helper(1) == sys.getsizeof(())",), context="import sys\nimport math\n") == (
        problem.tests
    )


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        (["assert f(g(1))", "assert g(f(1))"], "f"),  # as often: the first
        (["assert g(1)", "assert f(1)", "assert len(g(f(2)))"], "g"),
        (["assert f([Pair(1)])", "assert f([Pair(2), Pair(3)])"], "f"),  # no class, however often
        (["assert not (f)(1)", "assert other(g)"], "f"),
    ],
)
def test_entry_points(tmp_path: Path, tests: list[str], expected: str) -> None:
    """The function of the solution that most assertions call; of several in one, the outermost counts first."""
    code = "class Pair: ...\ndef g(x): ...\ndef f(x):\n    def other(y): ...\n"
    [problem] = read(tmp_path / "p.jsonl", FULL | {"code": code, "test_list": tests})
    assert expected == problem.entry_point


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Say no.", '"""\nSay no.\n'),
        ('Say """.\r\nTwice.', "'''\nSay \"\"\".\nTwice.\n"),
        ("Say \\x.", 'r"""\nSay \\x.\n'),
    ],
)
def test_prompts_are_docstrings(tmp_path: Path, text: str, start: str) -> None:
    """Whatever the text holds, a completion can continue the prompt."""
    [problem] = read(tmp_path / "p.jsonl", FULL | {"text": text})
    assert problem.prompt.startswith(start)
    compile(problem.prompt, "<prompt>", "exec")


@pytest.mark.parametrize(
    ("base", "changes", "field", "text"),
    [
        (FULL, {"task_id": 1.5}, "task_id", "Expected `int | str`, got `float`"),
        (FULL, {"task_id": "a b "}, "task_id", "begins or ends with a space"),
        (FULL, {"code": None}, "code", "Expected `str`, got `null`"),
        (FULL, {"code": "def add_one(:"}, "code", "cannot be parsed as Python"),
        (FULL, {"code": "add_one = 1"}, "test_list", "calls no function that the solution defines"),
        (FULL, {"text": " "}, "text", "says what is asked"),
        (FULL, {"text": ""}, "prompt", "is missing or empty"),
        (FULL, {"text": "''' or \"\"\""}, "text", "cannot be parsed as Python"),
        (FULL, {"test_list": []}, "test_list", "has no assertions"),
        (FULL, {"test_list": "assert add_one(1) == 2"}, "test_list", "Expected `array`, got `str`"),
        (FULL, {"test_list": ["assert add_one(1)", 2]}, "test_list[1]", "Expected `str`, got `int`"),
        (FULL, {"test_list": ["assert add_one(1)", " "]}, "test_list[1]", "is empty"),
        (FULL, {"test_list": ["assert add_one(1", "x"]}, "test_list[0]", "cannot be parsed as Python"),
        (FULL, {"test_list": ["assert other(1)"]}, "test_list", "calls no function"),
        (FULL, {"test_setup_code": "\ud800"}, "test_setup_code", "half of a surrogate pair"),
        (SANITIZED, {"prompt": 5}, "prompt", "Expected `str`, got `int`"),
        (SANITIZED, {"test_imports": "import math"}, "test_imports", "Expected `array`, got `str`"),
        (PLUS, {"test": ["x"]}, "test", "Expected `str`, got `array`"),
        (PLUS, {"test": "assert ("}, "test", "cannot be parsed as Python"),
        (CODET, {"canonical_solution": "return ("}, "canonical_solution", "cannot be parsed as Python"),
        (CODET, {"canonical_solution": None}, "canonical_solution", "Expected `str`, got `null`"),
        (CODET, {"prompt": "def f(x):\n    return 1\n"}, "prompt", "the docstring alone"),
        (CODET, {"prompt": "import math\n"}, "prompt", "the docstring alone"),
        (CODET, {"prompt": ""}, "prompt", "the docstring alone"),
        (CODET, {"test": "assert helper(1) == 2"}, "test", "must define one function"),
        (CODET, {"test": ""}, "test", "must define one function"),
        (CODET, {"test": "def check(candidate):\n    assert 1\n"}, "test", "calls no function"),
    ],
)
def test_malformed(tmp_path: Path, base: dict[str, Any], changes: dict[str, Any], field: str, text: str) -> None:
    """One line that says where, which field, and what; exit code 2."""
    path = tmp_path / "p.jsonl"
    first = base | {"task_id": "MbppEval/1" if base is CODET else 1}
    with pytest.raises(InputError) as caught:
        read(path, first, base | changes)
    error = caught.value
    assert (2, field, 2) == (error.line, error.field, error.exit_code)
    assert str(error).startswith(f"{path}:2: field {field!r}: ")
    assert text in str(error)
    assert 1 == len(str(error).splitlines())


@pytest.mark.parametrize("base", [FULL, SANITIZED, PLUS, CODET])
def test_missing_fields_and_repeated_ids(tmp_path: Path, base: dict[str, Any]) -> None:
    """Told of the row that is wrong."""
    first = base | {"task_id": "MbppEval/1" if base is CODET else 1}
    with pytest.raises(InputError, match=r"field 'task_id': problem .* is on line 1 already"):
        read(tmp_path / "p.jsonl", first, first)
    needed = (
        ["task_id", "prompt", "canonical_solution", "test"] if base is CODET else ["task_id", "code", "test_list"]
    )
    for field in needed:
        row = {name: value for name, value in base.items() if name != field}
        with pytest.raises(InputError, match=f":2: field '{field}': is missing; the row has "):
            read(tmp_path / "p.jsonl", first, row)
