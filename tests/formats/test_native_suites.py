"""Problems whose tests are modules of unittest or pytest, in codejury's own format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from codejury.formats import read_problems, write_problems
from codejury.model import InputError, Problem, Pytest, Unittest

if TYPE_CHECKING:
    from pathlib import Path

    from codejury.model import Tests

CODE = "def test():\n    assert f(1) == 2\n"
ROW: dict[str, Any] = {"id": "t/1", "prompt": "Add one.", "entry_point": "f"}


def read(tmp_path: Path, tests: dict[str, Any], **fields: Any) -> Problem:
    """The problem of a file with one row."""
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({**ROW, "tests": tests, **fields}) + "\n")
    (problem,) = read_problems(path)
    return problem


@pytest.mark.parametrize(
    ("row", "tests"),
    [
        ({"type": "unittest", "code": CODE}, Unittest(code=CODE)),
        ({"type": "pytest", "code": CODE, "context": "import math\n"}, Pytest(code=CODE, context="import math\n")),
        ({"type": "pytest", "code": CODE, "module": "adder"}, Pytest(code=CODE, module="adder")),
    ],
)
def test_fields(tmp_path: Path, row: dict[str, Any], tests: Tests) -> None:
    """Each field is read, and written again as it was."""
    problem = read(tmp_path, row)
    assert tests == problem.tests
    write_problems(tmp_path / "again.jsonl", [problem])
    assert row == json.loads((tmp_path / "again.jsonl").read_text())["tests"]


@pytest.mark.parametrize(
    ("row", "field", "said"),
    [
        ({"type": "unittest", "code": " \n"}, "tests.code", "is empty"),
        ({"type": "pytest"}, "tests.code", "is missing"),
        ({"type": "pytest", "code": CODE, "function": "test"}, "tests.function", "unknown field"),
        ({"type": "pytest", "code": CODE, "module": "a-b"}, "tests.module", "cannot be the name of a module"),
        ({"type": "pytest", "code": CODE, "module": "class"}, "tests.module", "cannot be the name of a module"),
        ({"type": "unittest", "code": CODE, "module": "json"}, "tests.module", "take another name"),
        ({"type": "unittest", "code": CODE, "module": "pytest"}, "tests.module", "take another name"),
    ],
)
def test_refused(tmp_path: Path, row: dict[str, Any], field: str, said: str) -> None:
    """What cannot be meant is refused with file, line and field."""
    with pytest.raises(InputError, match=said) as caught:
        read(tmp_path, row)
    assert (str(tmp_path / "set.jsonl"), 1, field) == (caught.value.path, caught.value.line, caught.value.field)


def test_entry_point_is_needed(tmp_path: Path) -> None:
    """Only whole programs have none."""
    with pytest.raises(InputError, match="cannot be the name of a python function"):
        read(tmp_path, {"type": "unittest", "code": CODE}, entry_point="")


def test_kinds_with_the_same_code_differ() -> None:
    """What judges an answer is part of its key."""
    hashes = {
        Problem(id="p", prompt="", entry_point="f", tests=tests).tests_hash
        for tests in (Unittest(code=CODE), Pytest(code=CODE), Pytest(code=CODE, module="adder"))
    }
    assert 3 == len(hashes)
