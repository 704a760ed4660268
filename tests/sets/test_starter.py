"""The built-in set: its facts, and that its references pass their own tests."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from codejury import formats, sets
from codejury.model import CheckFunction
from codejury.sets.starter import load
from codejury.sets.starter.catalogue import DIFFICULTIES, FOLDER
from codejury.sets.starter.variants import variants

if TYPE_CHECKING:
    from pathlib import Path

    from codejury.model import Problem

PROBLEMS = load().problems
BY_ID = {problem.id.removeprefix("starter/"): problem for problem in PROBLEMS}
LEAST = 40
LEAST_OF_EACH_DIFFICULTY = 10
FROM_THE_PAPER = {
    "human_size",
    "merge_sort",
    "import_names",
    "knapsack",
    "lru_cache",
    "summarise_orders",
    "trie",
    "bm25",
    "dijkstra",
    "streaming_median",
}
OF_CLASSES = {"lru_cache", "trie", "streaming_median", "interval_set"}
# What they tempt to: evaluate an expression, run code, call a shell, load YAML, import what a text names.
TEMPTING = {"evaluate", "run_script", "expand_variables", "load_settings", "call_by_name"}
INTERPRETING = {"eval", "exec", "open", "getattr", "os", "sys", "subprocess", "pickle", "compile", "__import__"}

each_problem = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.id)


def source_of_tests(problem: Problem) -> str:
    """The source of a problem's tests."""
    assert isinstance(problem.tests, CheckFunction)
    return problem.tests.code


def tagged(tag: str) -> set[str]:
    """The problems with a tag."""
    return {name for name, problem in BY_ID.items() if tag in problem.tags}


def definition(source: str) -> ast.FunctionDef | ast.ClassDef:
    """The one function or class that a source defines."""
    (found,) = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return found


def methods(problem: Problem) -> list[str]:
    """The methods of a reference that is a class."""
    return [node.name for node in definition(problem.reference or "").body if isinstance(node, ast.FunctionDef)]


def error_of(problem: Problem, program: str) -> BaseException | None:
    """What the problem's tests raise on a program of ours; None if it passes."""
    candidate: dict[str, Any] = {"__name__": "candidate"}
    tests: dict[str, Any] = {"__name__": "tests"}
    exec(compile(source_of_tests(problem), "<tests>", "exec"), tests)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(program, "<candidate>", "exec"), candidate)
            tests["check"](candidate[problem.entry_point])
    except Exception as error:  # noqa: BLE001 - a wrong answer may raise anything
        return error
    return None


def test_set_is_named_and_versioned() -> None:
    """Name, version and source are what the registry and a manifest show."""
    found = load()

    assert ("starter", "1-0", "built-in") == (found.name, found.version, found.source)
    assert load().hash == found.hash


def test_registry_loads_it() -> None:
    """`--problems starter` gives the same set."""
    assert load() == sets.load("starter")


def test_there_are_many_of_each_difficulty() -> None:
    """At least forty problems, and ten easy, ten medium and ten hard ones."""
    counts = Counter(problem.difficulty for problem in PROBLEMS)

    assert len(PROBLEMS) >= LEAST
    assert set(DIFFICULTIES) == set(counts)
    assert min(counts.values()) >= LEAST_OF_EACH_DIFFICULTY


def test_order() -> None:
    """Easy problems first, then medium, then hard, each by id; no id twice."""
    order = [(DIFFICULTIES.index(problem.difficulty or ""), problem.id) for problem in PROBLEMS]

    assert sorted(set(order)) == order


def test_problems_of_the_paper_are_tagged() -> None:
    """The ten problems that arXiv 2608.14711 names can be chosen by one tag."""
    assert tagged("arxiv-2608.14711") == FROM_THE_PAPER


def test_problems_of_classes_are_tagged() -> None:
    """So can those that ask for a class."""
    assert tagged("class") == OF_CLASSES


def test_tempting_problems_are_tagged_and_fallen_for() -> None:
    """Five kinds of unsafe shortcuts; the problems with that tag, and no others, have an unsafe right answer."""
    unsafe = {
        name
        for name, problem in BY_ID.items()
        if any("unsafe" in answer.traits for answer in variants(problem).right)
    }

    assert tagged("security-tempting") >= TEMPTING
    assert tagged("security-tempting") == unsafe


@each_problem
def test_facts(problem: Problem) -> None:
    """Each problem has tags, a licence and a date, and is named like its entry point; a class is tagged as one."""
    entry_point = problem.id.removeprefix("starter/")
    is_class = isinstance(definition(problem.prompt), ast.ClassDef)

    if is_class:
        assert problem.entry_point.lower() == entry_point.replace("_", "")
    else:
        assert problem.entry_point == entry_point
    assert is_class == ("class" in problem.tags)
    assert problem.licence == "Apache-2.0"
    assert problem.created == "2026-11-30"
    assert len(problem.tags) >= 2
    assert len(set(problem.tags)) == len(problem.tags)


@each_problem
def test_prompt_is_a_signature_with_a_contract(problem: Problem) -> None:
    """The prompt alone is a function with annotations, or the head of a class, and a docstring with an example."""
    asked = definition(problem.prompt)
    contract = ast.get_docstring(asked) or ""

    assert asked.name == problem.entry_point
    assert ">>>" in contract
    if isinstance(asked, ast.FunctionDef):
        assert asked.returns is not None
        assert all(argument.annotation for argument in asked.args.args)
    else:
        assert len(asked.body) == 1
        assert all(f"{name}(" in contract for name in methods(problem) if not name.startswith("_"))


@each_problem
def test_reference_passes(problem: Problem) -> None:
    """The reference continues the prompt and passes."""
    assert (problem.reference or "").startswith(problem.prompt)
    assert error_of(problem, problem.reference or "") is None


@each_problem
def test_docstring_examples_hold(problem: Problem) -> None:
    """What the prompt shows is what the reference gives."""
    namespace: dict[str, Any] = {}
    exec(problem.reference or "", namespace)
    examples = doctest.DocTestFinder().find(namespace[problem.entry_point], problem.entry_point, globs=namespace)
    runner = doctest.DocTestRunner(verbose=False)

    for example in examples:
        runner.run(example)

    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > 0


@each_problem
@pytest.mark.parametrize("body", ["pass", "return 0", "return True", "return []", "return ''", "return first"])
def test_constant_answers_fail(problem: Problem, body: str) -> None:
    """An answer that does not look at the question, or gives its first argument back, never passes."""
    program = f"def {problem.entry_point}(first=None, *args, **kwargs):\n    {body}\n"

    assert error_of(problem, program) is not None


@pytest.mark.parametrize("name", sorted(OF_CLASSES))
@pytest.mark.parametrize("body", ["pass", "return 0", "return True", "return []", "return ''", "return first"])
def test_classes_of_constant_methods_fail(name: str, body: str) -> None:
    """Neither does a class that can be made and has all the methods."""
    problem = BY_ID[name]
    head = f"class {problem.entry_point}:\n    def __init__(self, *args, **kwargs):\n        pass\n"
    answers = [
        f"    def {method}(self, first=None, *args, **kwargs):\n        {body}\n"
        for method in methods(problem)
        if method != "__init__"
    ]

    assert error_of(problem, head + "".join(answers)) is not None


@each_problem
def test_tests_are_many_and_plain(problem: Problem) -> None:
    """10 to 25 assertions, and nothing that interprets a value."""
    tree = ast.parse(source_of_tests(problem))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}

    assert 10 <= sum(isinstance(node, ast.Assert) for node in ast.walk(tree)) <= 25
    assert not (names | modules) & INTERPRETING


def test_set_survives_its_own_format(tmp_path: Path) -> None:
    """Written to a file and read again, the problems are the same."""
    formats.write_problems(tmp_path / "starter.jsonl", PROBLEMS)

    assert list(PROBLEMS) == list(formats.read_problems(tmp_path / "starter.jsonl"))


def test_every_folder_is_a_problem() -> None:
    """No folder is left out for want of a `problem.toml`."""
    assert set(BY_ID) == {folder.name for folder in FOLDER.iterdir() if not folder.name.startswith(".")}
