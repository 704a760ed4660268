"""Sets judged by inputs or assertions, checked: references pass, programs that solve nothing do not."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from codejury import sets
from codejury.formats import read_problems
from codejury.model import Outcome, ProblemSet, UsageError
from codejury.pipeline import AsyncJury, check

if TYPE_CHECKING:
    from codejury.report import SetsCheckDocument

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "problems"

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("sandbox")]

EVALPLUS: list[dict[str, Any]] = [
    {
        "task_id": "Mbpp/9000",
        "prompt": '"""\nPair each item with its place.\nassert placed(("a",)) == [(0, "a")]\n"""\n',
        "entry_point": "placed",
        # A list in the tuple's place would fail to be joined to ().
        "canonical_solution": "\ndef placed(xs):\n  return list(enumerate(xs)) + [xs + ()]\n",
        "base_input": [[["a"]], [[]]],
        "plus_input": [[[1e400, 1180591620717411303424]]],
        "atol": 0,
        "contract": "\n  assert isinstance(xs, tuple)\n",
        "assertion": '\nassert placed(("a",))\n',
    },
    {
        "task_id": "HumanEval/32",
        "prompt": "import math\n\n\ndef find_zero(xs: list):\n    '''Any root.'''\n",
        "entry_point": "find_zero",
        "canonical_solution": "    return -xs[0] / xs[1]\n",
        "base_input": [[[1, 2]]],
        "plus_input": [[[3, 7]]],
        "atol": 0.0001,
    },
    {
        "task_id": "HumanEval/15",
        "prompt": "def upto(n):\n    '''Numbers up to n as a text.'''\n",
        "entry_point": "upto",
        "canonical_solution": "    return ' '.join(map(str, range(n + 1)))\n",
        "base_input": [[0], [3]],
        "plus_input": [[100]],
        "atol": 0,
    },
]
MBPP: list[dict[str, Any]] = [
    {
        "task_id": 9001,
        "text": "Write a function for the area of a circle.",
        "code": "import math\r\ndef area(r):\r\n  return math.pi * r ** 2",
        "test_setup_code": "two = 2",
        "test_list": ["assert math.isclose(area(1), 3.14159, rel_tol=0.001)", "assert area(two) > 12.5"],
        "challenge_test_list": [],
    }
]
CODET: list[dict[str, Any]] = [
    {
        "task_id": "MbppEval/9002",
        "prompt": "def double(x): \n    '''\n    Write a function to double.\n    '''\n",
        "entry_point": "double",
        "canonical_solution": "  return 2 * x\ndef check(x):\n  return double(x)\n",
        "test": "def check(candidate):\n    assert math.isclose(check(2), 4)\n    assert check(5) == 10\n",
    }
]


def checked(path: Path, *packages: str) -> SetsCheckDocument:
    """What checking a file says."""
    return asyncio.run(check(sets.load(path), packages=packages))


@pytest.mark.parametrize("rows", [EVALPLUS, MBPP, CODET])
def test_small_sets(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    """In the published layouts."""
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    document = checked(path)
    assert [] == document.failures
    assert (len(rows), 0, 0) == (
        document.references.passed,
        document.references.failed,
        document.references.absent,
    )


FAMILIES = sorted((Path(__file__).parent / "data").glob("*.jsonl"))


def test_families() -> None:
    """What can be judged of our small files: each reference passes, and nothing that solves nothing does."""
    problems = [problem for path in FAMILIES for problem in read_problems(path) if problem.obstacle is None]
    named = ProblemSet(name="families", version="1-0", problems=tuple(problems))
    document = asyncio.run(check(named))
    assert [] == document.failures
    without = {"mbpp_9001_twice", "9000", "abc900_a"}
    assert without == {problem.id for problem in problems if problem.reference is None}
    assert (len(problems) - 3, 0, 3) == (
        document.references.passed,
        document.references.failed,
        document.references.absent,
    )
    assert 15 == len(problems)
    # Its tests replace a function of a module that the program uses.
    assert 1 == sum("weak on 1 problem: BigCodeBench/9001" in warning for warning in document.warnings)


async def test_livecodebench() -> None:
    """By its own rules: its imports, a tuple for a list, numbers that are equal as decimals."""
    path = Path(__file__).parent / "data" / "livecodebench.jsonl"
    method, runs = read_problems(path)
    head = "class Solution:\n    def multiplied(self, xs: List[int], n) -> List[int]:\n        return "
    answers = [
        (method.id, head + "[n * x for x in xs]\n", Outcome.PASSED),
        (method.id, head + "tuple(n * x for x in xs)\n", Outcome.PASSED),
        (method.id, head + "(n * x for x in xs)\n", Outcome.WRONG_ANSWER),
        (method.id, head + "xs\n", Outcome.WRONG_ANSWER),
        (runs.id, "print(sum(map(int, stdin.read().split())))\nprint('x')\n", Outcome.WRONG_ANSWER),
        (runs.id, "print(sum(map(int, input().split())))\nprint(.5, '\\n')\n", Outcome.PASSED),
        (runs.id, "print(sum(map(int, input().split())))\nprint(.51)\n", Outcome.WRONG_ANSWER),
    ]
    problem_set = ProblemSet(name="lcb", version="1-0", problems=(method, runs))
    async with AsyncJury(problem_set) as jury:
        verdicts = await jury.judge_all([(name, answer) for name, answer, _ in answers])
    assert [outcome for *_, outcome in answers] == [verdict.outcome for verdict in verdicts]
    assert {"strong"} == {verdict.integrity for verdict in verdicts}


# ---- the published sets: the references that fail, with what is said of them


def _failed(name: str, monkeypatch: pytest.MonkeyPatch, *packages: str) -> tuple[int, dict[str, str]]:
    """How many references of a published file pass, and what is said of the others."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"no shared data at {path}")
    monkeypatch.setattr(importlib.import_module("codejury.pipeline.check"), "PROBES", {})
    document = checked(path, *packages)
    return document.references.passed, {failure.id: failure.detail for failure in document.failures}


@pytest.mark.shared
@pytest.mark.slow
def test_mbpp(monkeypatch: pytest.MonkeyPatch) -> None:
    """All: three in their tests' own process, since these make objects of classes that the answer defines."""
    assert (974, {}) == _failed("mbpp.jsonl.gz", monkeypatch)


@pytest.mark.shared
@pytest.mark.slow
def test_sanitized_mbpp_as_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """CodeT's form."""
    assert (427, {}) == _failed("mbpp_sanitized_codet.jsonl.gz", monkeypatch)


@pytest.mark.shared
def test_humaneval_x(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its problems in Python."""
    assert (164, {}) == _failed("humaneval-x/humaneval_python.jsonl.gz", monkeypatch)


@pytest.mark.shared
def test_infilling_of_random_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompt, solution and suffix together."""
    assert (164, {}) == _failed("infilling/HumanEval-RandomSpanInfillingLight.jsonl.gz", monkeypatch)


@pytest.mark.shared
@pytest.mark.slow
def test_infilling_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of single lines."""
    assert (1033, {}) == _failed("infilling/HumanEval-SingleLineInfilling.jsonl.gz", monkeypatch)


@pytest.mark.shared
def test_other_languages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, before anything is judged."""
    for name in ("humaneval-x/humaneval_cpp", "multipl-e/humaneval-js"):
        with pytest.raises(
            UsageError, match=r"cannot be judged: its answers are written in .* \(so with 16\d more"
        ):
            _failed(f"{name}.jsonl.gz", monkeypatch)


@pytest.mark.shared
def test_humaneval_without_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same tests and solutions as HumanEval's."""
    assert (164, {}) == _failed("HumanEval_no_examples.jsonl.gz", monkeypatch)


@pytest.mark.shared
@pytest.mark.slow
def test_humaneval_plus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Base and plus inputs, with the rule of HumanEval/32."""
    assert (164, {}) == _failed("HumanEvalPlus.jsonl.gz", monkeypatch)


@pytest.mark.shared
@pytest.mark.slow
def test_humaneval_plus_with_plain_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of HumanEval/32 give a float where they take a list: a defect of the release."""
    passed, failed = _failed("HumanEvalPlus-OriginFmt.jsonl.gz", monkeypatch, "numpy")
    assert {"HumanEval/32": "TypeError: Value after * must be an iterable, not float"} == failed
    assert 163 == passed


@pytest.mark.shared
@pytest.mark.slow
def test_mbpp_plus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Base and plus inputs, typed again, with the tasks' own rules."""
    assert (378, {}) == _failed("MbppPlus.jsonl.gz", monkeypatch)


@pytest.mark.shared
@pytest.mark.slow
def test_mbpp_plus_with_plain_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that need numpy."""
    assert (378, {}) == _failed("MbppPlus-OriginFmt.jsonl.gz", monkeypatch, "numpy")
