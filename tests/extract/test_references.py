"""References of published sets in the clothes of chat answers come out as they went in."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from codejury.extract import program
from codejury.formats import read_problems
from codejury.model import Program, Sample

PROBLEMS = Path(__file__).parents[2].parent / "shared" / "data" / "problems"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not PROBLEMS.is_dir(), reason=f"no shared data at {PROBLEMS}"),
]


def chat(problem_id: str, text: str) -> Sample:
    """A chat answer."""
    return Sample(problem_id=problem_id, index=0, text=text, kind="chat")


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("HumanEval_no_examples.jsonl.gz", 164),
        pytest.param("MbppPlus-OriginFmt.jsonl.gz", 378, marks=pytest.mark.slow),
        pytest.param("mbpp.jsonl.gz", 974, marks=pytest.mark.slow),
        ("mbpp_sanitized_codet.jsonl.gz", 427),
    ],
)
def test_references_are_kept_to_the_byte(name: str, number: int) -> None:
    """In a fence, as plain code and with a demo, which is cut."""
    problems = list(read_problems(PROBLEMS / name))
    assert number == len(problems)
    for problem in problems:
        reference = (problem.reference or "").strip("\n").rstrip() + "\n"
        text = f"Sure:\n\n```python\n{reference}```\nUsage:\n```python\nprint({problem.entry_point}(1))\n```\n"
        assert Program(reference, "fence") == program(problem, chat(problem.id, text))
        assert Program(reference, "plain") == program(problem, chat(problem.id, reference))
        demo = f"```python\n{reference}\nprint({problem.entry_point}(1))\n```"
        made = program(problem, chat(problem.id, demo))
        assert reference == made.source


def test_bodies_are_joined_to_their_prompts() -> None:
    """What follows the prompt in the reference is the body, with and without a fence."""
    for problem in read_problems(PROBLEMS / "HumanEval_no_examples.jsonl.gz"):
        body = (problem.reference or "").removeprefix(problem.prompt).rstrip()
        expected = f"{problem.prompt}{body}\n".lstrip("\n")
        for text in (body, f"```python\n{body}\n```"):
            assert Program(expected, "body") == program(problem, chat(problem.id, text))


@pytest.mark.parametrize(
    ("name", "number"),
    [("HumanEval-SingleLineInfilling", 1033), ("HumanEval-RandomSpanInfillingLight", 164)],
)
def test_middles_are_put_in_their_place(name: str, number: int) -> None:
    """Between prompt and suffix, with the line ends that a fence cannot say."""
    found = []
    for problem in read_problems(PROBLEMS / "infilling" / f"{name}.jsonl.gz"):
        middle = (problem.missing or "").strip("\n")
        made = program(problem, chat(problem.id, f"```python\n{middle}\n```"))
        wanted = ast.dump(ast.parse(problem.reference or ""))
        tree = ast.parse(made.source) if made.rule == "body" else None
        found.append(tree is not None and wanted == ast.dump(tree))
    assert (number, number) == (sum(found), len(found))
