"""Problem sets of all families, each from a small file of ours in the published layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codejury.formats import read_problems, write_problems
from codejury.formats.families import FAMILIES
from codejury.formats.languages import language, language_of_file
from codejury.formats.livecodebench import PREAMBLE
from codejury.model import (
    CheckFunction,
    ContextFile,
    Problem,
    ProblemSet,
    Script,
    StdinCase,
    StdinStdout,
    Unittest,
    Unjudged,
)

DATA = Path(__file__).parent / "data"
NAMES = sorted(path.stem for path in DATA.glob("*.jsonl"))


def read(name: str) -> list[Problem]:
    """The problems of one of our files."""
    return list(read_problems(DATA / f"{name}.jsonl"))


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of one of our files."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_codejurys_own_format_keeps_everything(tmp_path: Path, name: str) -> None:
    """Every field of every family survives, and so does the hash of the set."""
    problems = read(name)
    assert len(rows(name)) == write_problems(tmp_path / "p.jsonl.gz", problems)
    again = list(read_problems(tmp_path / "p.jsonl.gz"))
    assert problems == again
    hashes = {ProblemSet(name="x", version="1-0", problems=tuple(each)).hash for each in (problems, again)}
    assert 1 == len(hashes)


@pytest.mark.parametrize("name", NAMES)
def test_one_family_fits(name: str) -> None:
    """The first that fits is the family of the file's name; a file of it is never read as another's."""
    fitting = [family.name for family in FAMILIES if family.fits(rows(name)[0])]
    assert name.replace("_", "") == fitting[0].lower().replace("-", "").replace(" ", "").removeprefix(
        "humaneval" if name == "infilling" else ""
    ).replace("inputsandoutputs", "inputsoutputs")


def test_infilling() -> None:
    """The tests see the helpers; two holes of one function are of one cluster."""
    line, span = read("infilling")
    assert "    found = [helper(x) for x in xs]\n" == line.missing
    assert "er(x) for x in" == span.missing
    assert line.reference == span.reference
    assert "HumanEval/9000" == line.cluster == span.cluster
    assert isinstance(line.tests, CheckFunction)
    assert "FACTOR = 3\ndef helper(x):\n    return x * FACTOR\n" == line.tests.context
    assert "scaled" == line.entry_point


def test_multipl_e() -> None:
    """Tests of Python are a check function, others are joined to the program."""
    js, go, python = read("multipl_e")
    assert Script(code=rows("multipl_e")[0]["tests"]) == js.tests
    assert ("javascript", "addOne", ("\nfunction ", "\n/*")) == (js.language, js.entry_point, js.stop)
    assert ("go", "") == (go.language, go.entry_point)
    assert (
        CheckFunction(
            code="def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-1) == -2\n",
            context=python.prompt,
        )
        == python.tests
    )
    assert ("python", "twice") == (python.language, python.entry_point)
    assert (None, None) == (python.obstacle, python.reference)


def test_humaneval_x() -> None:
    """The call of `check` names the entry point; each other language has what its tests need."""
    python, js, go, rust = read("humaneval_x")
    assert isinstance(python.tests, CheckFunction)
    assert python.tests.code.startswith("METADATA")
    assert python.tests.code.endswith("== math.ceil(12.1)\n")
    assert ("area", python.prompt) == (python.entry_point, python.tests.context)
    assert isinstance(js.tests, Script)
    assert js.tests.code.startswith("console.assert = ")
    assert js.tests.code.endswith(rows("humaneval_x")[1]["test"])
    assert isinstance(go.tests, Script)
    assert go.tests.before.startswith("package main\n")
    assert isinstance(go.reference, str)
    assert go.tests.joined(go.reference).index("package main") < go.tests.joined(go.reference).index('"math"')
    assert rust.prompt == "\n/*\n Add one.\n*/\nuse std::cmp;\n\nfn add_one(n: i32) -> i32 {\n"
    assert ["python", "javascript", "go", "rust"] == [each.language for each in (python, js, go, rust)]


def test_bigcodebench() -> None:
    """The tests see what they use of the reference's imports and constants; libraries are tags."""
    problem, _ = read("bigcodebench")
    row = rows("bigcodebench")[0]
    assert Unittest(code=row["test"], context="import json as js\nLETTERS = list('abc')\n") == problem.tests
    assert (row["complete_prompt"], row["instruct_prompt"]) == (problem.prompt, problem.instruction)
    assert row["complete_prompt"] + row["canonical_solution"] == problem.reference
    assert ("random", "json") == problem.tags
    assert "task_func" == problem.entry_point


def test_livecodebench_by_a_method() -> None:
    """Public and private cases; a tuple is right for a list; what LiveCodeBench imports stands before answers."""
    method, _ = read("livecodebench")
    assert (
        CheckFunction(
            code="def check(candidate):\n"
            "    solution = candidate()\n"
            "    wanted0 = [3, 6]\n"
            "    assert solution.multiplied([1, 2], 3) in (wanted0, tuple(wanted0))\n"
            "    wanted0 = []\n"
            "    assert solution.multiplied([], 3) in (wanted0, tuple(wanted0))\n"
            "    wanted0 = [10]\n"
            "    assert solution.multiplied([5], 2) in (wanted0, tuple(wanted0))\n"
        )
        == method.tests
    )
    assert "Solution" == method.entry_point
    assert method.prompt.startswith("Multiply each number by n.\n\nclass Solution:\n")
    assert ("2024-08-21", "easy", ("leetcode",)) == (method.created, method.difficulty, method.tags)
    assert PREAMBLE == method.preamble


def test_livecodebench_by_input_and_output() -> None:
    """Whole programs, compared by the set's own rule."""
    _, runs = read("livecodebench")
    assert isinstance(runs.tests, StdinStdout)
    assert (
        StdinCase(stdin="1 2\n", stdout="3\n0.50\n"),
        StdinCase(stdin="2 2\n", stdout="4\n0.5"),
    ) == runs.tests.cases
    assert ("abc900_a", "", "2023-02-04") == (runs.id, runs.entry_point, runs.created)


@pytest.mark.parametrize(
    ("expected", "output", "verdict"),
    [
        ("3\n0.50\n", "3\n0.5", True),
        ("3\n", "  3  \n\n", True),
        ("3 4", "3  4", True),  # not the same line, but the same numbers
        ("1e2 x", "100 x", False),  # not all of them numbers
        ("yes\nno", "yes", False),
        ("yes", "Yes", False),
        ("1", "1.0000001", False),
        ("nan", "NaN", False),
        ("", "", True),
    ],
)
def test_the_rule_of_livecodebench(expected: str, output: str, verdict: object) -> None:
    """Lines without white space at their ends: the same, or the same decimal numbers."""
    _, runs = read("livecodebench")
    assert isinstance(runs.tests, StdinStdout)
    scope: dict[str, Any] = {}
    exec(runs.tests.checker.code, scope)
    assert verdict is scope["check"]("", expected, output)


def test_the_imports_of_livecodebench_can_be_run() -> None:
    """They leave the built-in functions as they are, and let answers recurse."""
    limits: list[int] = []
    scope: dict[str, Any] = {"limits": limits}
    exec(PREAMBLE.replace("sys.setrecursionlimit(", "limits.append("), scope)
    assert [50000] == limits
    assert pow is scope["pow"]
    assert {"List", "Counter", "heappush", "math", "lru_cache"} <= scope.keys()


def test_apps() -> None:
    """Texts or lines; a method of Solution, or a function; outputs that may be in a list of their own."""
    runs, method, function = read("apps")
    assert isinstance(runs.tests, StdinStdout)
    assert StdinCase(stdin="0.5 1", stdout="1.5") == runs.tests.cases[1]
    assert "decimal" == runs.tests.checker.kind
    assert ("APPS/9000", "introductory", "") == (runs.id, runs.difficulty, runs.entry_point)
    assert isinstance(method.tests, CheckFunction)
    assert "Solution" == method.entry_point
    assert "    wanted0 = [[]]\n    wanted1 = []\n" in method.tests.code
    assert isinstance(function.tests, CheckFunction)
    assert ("hello", True) == (function.entry_point, "assert candidate('Ann') in (" in function.tests.code)


def test_code_contests() -> None:
    """Tests of all three kinds; the first solution in Python 3; difficulties by name."""
    [problem] = read("code_contests")
    assert isinstance(problem.tests, StdinStdout)
    assert ["1\n", "3\n", "4\n"] == [case.stdin for case in problem.tests.cases]
    assert "print(int(input()) / 2)\n" == problem.reference
    assert ("A", ("math",), "9000_A. Half") == (problem.difficulty, problem.tags, problem.id)


def test_inputs_and_outputs() -> None:
    """Whatever the fields of id, text and solution are called."""
    program, function = read("inputs_outputs")
    assert isinstance(program.tests, StdinStdout)
    assert ("mine/0", "Print twice the number.", "easy", "2024-01-02", ("math",)) == (
        program.id,
        program.prompt,
        program.difficulty,
        program.created,
        program.tags,
    )
    assert "print(2 * int(input()))\n" == program.reference
    code = "def check(candidate):\n    wanted0 = 3\n    assert candidate(1, 2) == wanted0\n"
    assert ("add", CheckFunction(code=code)) == (function.entry_point, function.tests)


def test_safim() -> None:
    """Prompt and suffix are the sides of the hole; problems without tests are not judged."""
    python, cpp, api = read("safim")
    assert ("n = int(input())\n", "found = n + 1", "\nprint(found)\n") == (
        python.prompt,
        python.missing,
        python.suffix,
    )
    assert (
        StdinStdout(cases=(StdinCase(stdin="1\n", stdout="2"), StdinCase(stdin="5\n", stdout="6\n")))
        == python.tests
    )
    assert ("cpp", True) == (cpp.language, isinstance(cpp.tests, StdinStdout))
    assert "in cpp" in str(cpp.obstacle)
    assert Unjudged() == api.tests
    assert "np.zeros(3)" == api.missing


def test_completions_within_repositories() -> None:
    """What was there, what other files have, and the repository as the cluster."""
    python, java = read("crosscodeeval")
    assert ("one() + 1", "python", "us-sample-0000000") == (python.missing, python.language, python.cluster)
    assert (ContextFile(path="pkg/numbers.py", text="def one():\n    return 1\n"),) == python.context
    assert ("java", ()) == (java.language, java.context)
    [line] = read("repobench")
    assert ("RepoBench/0", "    return one() + 1", ("2k",), "2023-10-13", "us/sample") == (
        line.id,
        line.missing,
        line.tags,
        line.created,
        line.cluster,
    )
    assert "from .numbers import one\n\n\ndef two():\n" == line.prompt
    [span] = read("execrepobench")
    assert ("g(x) + 1", "\n\n\nprint(f(1))\n", ("Random Span Completion",)) == (
        span.missing,
        span.suffix,
        span.tags,
    )
    assert all(isinstance(problem.tests, Unjudged) for problem in (python, java, line, span))


def test_names_of_languages() -> None:
    """By the names that sets have for them, and by endings of files."""
    assert ["csharp", "go", "javascript", "cpp", "python", "bash"] == [
        language(name) for name in ("cs", "go_test.go", "JavaScript", "CPP", "Python", "sh")
    ]
    assert ["typescript", "csharp", "text"] == [language_of_file(name) for name in ("a/b.ts", "B.cs", "Makefile")]
