"""Answers in the styles of chat models, each with the right code.

They are in `answers`; the first lines of `fences.txt` say how.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from codejury.extract import program
from codejury.model import CheckFunction, Problem, Program, Sample, StdinCase, StdinStdout

ANSWERS = Path(__file__).parent / "answers"

PROMPTS = {
    "": "Write the function.",
    "add": 'def add(a, b):\n    """Add two numbers."""\n',
    "clear": 'def clear(xs):\n    """Empty a list in place."""\n',
    "mean": "from typing import List\nfrom math import fsum\n\ndef half(x):\n    return x / 2\n\n"
    'def mean(xs: List[float]) -> float:\n    """The arithmetic mean."""\n',
    "neg": "def neg(x):\n",
    "negtab": 'def neg(x):\n\t"""Negate."""\n',
}


@dataclass(frozen=True)
class Answer:
    """An answer of a data file."""

    name: str
    settings: dict[str, str]
    text: str
    code: str

    @property
    def problem(self) -> Problem:
        """What was asked."""
        stdio = self.settings.get("tests") == "stdio"
        return Problem(
            id="T/0",
            prompt=PROMPTS[self.settings.get("prompt", "")],
            entry_point=self.settings.get("entry", ""),
            language=self.settings.get("lang", "python"),
            tests=StdinStdout(cases=(StdinCase(stdin="", stdout=""),)) if stdio else CheckFunction(code="x"),
        )


def _answers() -> list[Answer]:
    found = []
    for path in sorted(ANSWERS.glob("*.txt")):
        head, *cases = path.read_text(encoding="utf-8").split("\n== ")
        if head.startswith("== "):
            cases.insert(0, head.removeprefix("== "))
        found += [_answer(path.stem, case) for case in cases]
    return found


def _answer(file: str, case: str) -> Answer:
    title, _, body = case.rstrip("\n").partition("\n")
    name, *pairs = shlex.split(title.replace("'", ""))
    shown, _, apart = body.partition("\n-- code\n")
    lines = shown.split("\n")
    code = apart or "\n".join(f" {line[1:]}" for line in lines if line.startswith("+"))
    text = _plain(lines)
    settings = dict(pair.split("=", 1) for pair in pairs)
    if settings.get("eol") == "crlf":
        text = text.replace("\n", "\r\n")
    source = _plain(code.split("\n")).strip("\n")
    return Answer(f"{file}/{name}", settings, text.rstrip("\n"), f"{source}\n" if source else "")


def _plain(lines: list[str]) -> str:
    return "\n".join(line[1:] for line in lines)


ALL = _answers()


def test_there_are_many() -> None:
    """Every style is there, and no name twice."""
    assert len(ALL) >= 150
    assert len({answer.name for answer in ALL}) == len(ALL)


@pytest.mark.parametrize("answer", ALL, ids=[answer.name for answer in ALL])
def test_the_right_code(answer: Answer) -> None:
    """The program is the right code, by the rule and with the flags that the file says."""
    flags = tuple(filter(None, answer.settings.get("flags", "").split(",")))
    expected = Program(answer.code, answer.settings.get("rule", "fence"), flags)
    assert expected == program(
        answer.problem, Sample(problem_id="T/0", index=0, text=answer.text, kind="chat"), "auto"
    )


@pytest.mark.parametrize("answer", ALL, ids=[answer.name for answer in ALL])
def test_the_right_code_is_its_own_program(answer: Answer) -> None:
    """Whoever extracts again gets the same."""
    if (
        not answer.code
        or "```" in answer.code
        or "<think>" in answer.code
        or answer.settings.get("rule") == "none"
    ):
        return
    again = program(answer.problem, Sample(problem_id="T/0", index=0, text=answer.code, kind="chat"))
    assert answer.code.strip() == again.source.strip()
