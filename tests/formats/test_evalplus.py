"""HumanEval+ and MBPP+ in EvalPlus's own layout."""

from __future__ import annotations

import ast
import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from codejury.formats import read_problems, write_problems
from codejury.formats.evalplus import TOO_LARGE
from codejury.formats.oracles import oracle, recomputing
from codejury.formats.values import written
from codejury.model import InputError, Inputs, Problem

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "problems"

ROW: dict[str, Any] = {
    "task_id": "Mbpp/9000",
    "prompt": '"""\nWrite a function to pair a tuple\'s items with a number.\n"""\n',
    "entry_point": "paired",
    "canonical_solution": "\ndef paired(items, number):\n  return [(item, number) for item in items]\n",
    "base_input": [[[1, 2], 3], [[], 0]],
    "plus_input": [[[[4], {"a": [5]}], 1e400]],
    "atol": 0,
    "contract": '\n  assert isinstance(items, tuple), "invalid inputs" # $_CONTRACT_$\n',
    "assertion": "\nassert paired((1, 2), 3) == [(1, 3), (2, 3)]\nassert paired(([4], (5,)), 3)\n",
}


def read(path: Path, *rows: dict[str, Any]) -> list[Problem]:
    """The problems of rows."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return list(read_problems(path))


def refused(path: Path, *rows: dict[str, Any]) -> tuple[int | None, str | None, str]:
    """Line, field and text of the error that rows are refused with; it is one line and names the file."""
    with pytest.raises(InputError) as caught:
        read(path, *rows)
    error = caught.value
    text = str(error)
    assert text.startswith(f"{path}:{error.line}: field {error.field!r}: ")
    assert 1 == len(text.splitlines())
    assert 2 == error.exit_code
    return error.line, error.field, text


def test_a_problem(tmp_path: Path) -> None:
    """Arguments typed by the contract and the literals, as values of the protocol; outputs of the reference."""
    [problem] = read(tmp_path / "p.jsonl", ROW | {"test": "def check(f): ...", "unknown": {"x": 1}})
    # The literals have a list and a tuple one level down, so that nothing is known of it.
    assert (
        Problem(
            id="Mbpp/9000",
            prompt=ROW["prompt"],
            entry_point="paired",
            tests=Inputs(
                base=(({"t": [1, 2]}, 3), ({"t": []}, 0)),
                plus=(({"t": [[4], {"d": [["a", [5]]]}]}, {"inf": 1}),),
                oracle=oracle("Mbpp/9000", 0),
            ),
            reference=ROW["prompt"] + ROW["canonical_solution"],
        )
        == problem
    )


def test_what_may_be_left_out(tmp_path: Path) -> None:
    """A row as HumanEval+ has it, without `assertion`; no plus inputs, as a list or, as released, an object."""
    row = {name: ROW[name] for name in ("task_id", "prompt", "entry_point", "canonical_solution", "base_input")}
    empty: list[object] = [[], {}]
    for plus in empty:
        [problem] = read(tmp_path / "p.jsonl", row | {"plus_input": plus, "difficulty": "easy", "tags": ["a"]})
        assert isinstance(problem.tests, Inputs)
        assert (([1, 2], 3), ([], 0)) == problem.tests.base
        assert () == problem.tests.plus
        assert ("easy", ("a",)) == (problem.difficulty, problem.tags)


def test_a_tolerance(tmp_path: Path) -> None:
    """`atol` is the oracle's."""
    [problem] = read(tmp_path / "p.jsonl", ROW | {"atol": 0.0001})
    assert isinstance(problem.tests, Inputs)
    assert oracle("Mbpp/9000", 0.0001) == problem.tests.oracle
    assert "ATOL = 0.0001\n" in problem.tests.oracle


def test_outputs_that_are_too_large(tmp_path: Path) -> None:
    """Two tasks have the reference say what is expected, each time; one leaves out calls."""
    row = ROW | {"task_id": "HumanEval/15"}
    [problem] = read(tmp_path / "p.jsonl", row)
    assert isinstance(problem.tests, Inputs)
    assert (None, None, None) == problem.tests.expected
    assert recomputing("HumanEval/15", 0, problem.reference or "", "paired") == problem.tests.oracle
    large = [[list(items), length] for items, length in TOO_LARGE["Mbpp/255"]]
    changes = {"task_id": "Mbpp/255", "contract": "", "assertion": "", "plus_input": [*large, [["Dog"], 77]]}
    [problem] = read(tmp_path / "p.jsonl", ROW | changes)
    assert isinstance(problem.tests, Inputs)
    assert ((["Dog"], 77),) == problem.tests.plus


def test_big_integers_survive(tmp_path: Path) -> None:
    """Integers beyond 64 bits go as text: other readers of JSON would make floats of them."""
    path = tmp_path / "p.jsonl"
    [problem] = read(path, ROW | {"base_input": [[[10**30], 2**63 - 1]], "plus_input": []})
    assert isinstance(problem.tests, Inputs)
    assert (({"t": [{"i": hex(10**30)}]}, 2**63 - 1),) == problem.tests.base
    write_problems(path, [problem])
    assert [problem] == list(read_problems(path))


@pytest.mark.parametrize("field", ["prompt", "entry_point", "canonical_solution", "base_input", "plus_input"])
def test_a_missing_field(tmp_path: Path, field: str) -> None:
    """Every field that judging needs; the first row has them all."""
    row = {name: value for name, value in ROW.items() if name != field}
    line, named, text = refused(tmp_path / "p.jsonl", ROW | {"task_id": "T/0"}, row)
    assert (2, field) == (line, named)
    assert "is missing; the row has task_id, " in text


DEEP: list[Any] = []
for _ in range(250):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("changes", "field", "text"),
    [
        ({"task_id": 9000}, "task_id", "Expected `str`, got `int`"),
        ({"task_id": "../x"}, "task_id", "could leave its folder"),
        ({"entry_point": "pair ed"}, "entry_point", "cannot be the name"),
        ({"entry_point": "other"}, "canonical_solution", "defines no function 'other'"),
        ({"canonical_solution": None}, "canonical_solution", "Expected `str`, got `null`"),
        ({"canonical_solution": "def f(:"}, "canonical_solution", "cannot be parsed as Python: SyntaxError"),
        ({"canonical_solution": "\0"}, "canonical_solution", "cannot be parsed as Python: "),
        ({"base_input": {}}, "base_input", "Expected `array`, got `object`"),
        ({"base_input": []}, "base_input", "has no calls"),
        ({"base_input": [[1, 2], 3]}, "base_input[1]", "Expected `array`, got `int`"),
        ({"base_input": ["ab"]}, "base_input[0]", "Expected `array`, got `str`"),
        ({"base_input": "[[1, 2]]"}, "base_input", "Expected `array`, got `str`"),
        ({"base_input": [[{}, 1], [{"a": DEEP}, 1]]}, "base_input[1]", "nested deeper than 200"),
        ({"plus_input": [[1], {}]}, "plus_input[1]", "Expected `array`, got `object`"),
        ({"plus_input": {"a": 1}}, "plus_input", "Expected `array`, got `object`"),
        ({"plus_input": None}, "plus_input", "got `null`"),
        ({"base_input": [["\ud800", 1]]}, "base_input", "half of a surrogate pair"),
        ({"atol": "0"}, "atol", "Expected `float`, got `str`"),
        ({"atol": -1}, "atol", "at least 0"),
        ({"atol": math.nan}, "atol", "at least 0"),
        ({"atol": math.inf}, "atol", "at least 0"),
        ({"contract": "assert ("}, "contract", "cannot be parsed as Python"),
        ({"assertion": ["assert True"]}, "assertion", "Expected `str`, got `array`"),
        ({"assertion": "assert ("}, "assertion", "cannot be parsed as Python"),
        ({"created": "yesterday"}, "created", "is not a date"),
        ({"task_id": "Mbpp/124", "base_input": [["1", "2j"], ["1", "x"]]}, "base_input[1]", "cannot be arguments"),
        ({"task_id": "Mbpp/252", "base_input": [[1, 2]]}, "base_input[0]", "cannot be arguments"),
        ({"task_id": "Mbpp/596", "base_input": [[1]]}, "base_input[0]", "cannot be arguments"),
        ({"task_id": "Mbpp/252", "base_input": [[10**400]]}, "base_input[0]", "cannot be arguments"),
    ],
)
def test_malformed(tmp_path: Path, changes: dict[str, Any], field: str, text: str) -> None:
    """One line that says where, which field, and what."""
    line, named, message = refused(tmp_path / "p.jsonl", ROW | {"task_id": "T/0"}, ROW | changes)
    assert (2, field) == (line, named)
    assert text in message


def test_twice(tmp_path: Path) -> None:
    """Task ids are unique."""
    assert (2, "task_id") == refused(tmp_path / "p.jsonl", ROW, ROW)[:2]


def test_formats_are_not_mixed(tmp_path: Path) -> None:
    """A row with plus inputs among rows of HumanEval's would be judged by its base tests alone."""
    row = ROW | {"test": "def check(f):\n    assert f(1)\n"}
    humaneval = {name: value for name, value in row.items() if name not in {"base_input", "plus_input"}}
    line, field, text = refused(tmp_path / "p.jsonl", humaneval | {"task_id": "T/0"}, row)
    assert (2, "plus_input") == (line, field)
    assert "give each format its own file" in text


# ---- the published sets


def published(name: str) -> list[dict[str, Any]]:
    """The rows of a published file."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"no shared data at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def typed_inputs(test: str) -> list[Any]:
    """The literal `inputs = [...]` of a release with plain tests; `inf` and `nan` are names there."""
    [literal] = [
        node.value
        for node in ast.walk(ast.parse(test))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "inputs"
    ]
    values: list[Any] = ast.literal_eval(_Infinities().visit(literal))
    return values


class _Infinities(ast.NodeTransformer):
    """Puts numbers in the place of the names `inf` and `nan`."""

    def visit_Name(self, node: ast.Name) -> ast.Constant:
        """The number of a name."""
        return ast.Constant({"inf": math.inf, "nan": math.nan}[node.id])


def text_of(call: tuple[Any, ...]) -> str:
    """A call as text; literals have no negative zero, which a complex number read from a text may have."""
    return json.dumps(call).replace("-0.0", "0.0")


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("name", ["HumanEvalPlus", "MbppPlus"])
def test_types_are_those_of_the_typed_release(name: str) -> None:
    """Every input of every task that the release with typed literals has, in order, with equal types.

    That release leaves out some inputs, so that its own are looked for among ours one after the other.
    """
    ours = {problem.id: problem.tests for problem in read_problems(DATA / f"{name}.jsonl.gz")}
    inputs = 0
    for row in published(f"{name}-OriginFmt.jsonl.gz"):
        task_id = row["task_id"] if isinstance(row["task_id"], str) else f"Mbpp/{row['task_id']}"
        tests = ours[task_id]
        assert isinstance(tests, Inputs)
        remaining = iter([*tests.base, *tests.plus])
        for call in typed_inputs(row["test"]):
            form = tuple(map(written, call))
            if form in TOO_LARGE.get(task_id, ()):
                continue
            assert any(text_of(form) == text_of(other) for other in remaining), (task_id, call)
            inputs += 1
    assert {"HumanEvalPlus": 125_037, "MbppPlus": 40_629}[name] == inputs
