"""How a problem set and a problem are shown."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.text import Text

from codejury.model import CheckFunction, Problem, ProblemSet
from codejury.report.terminal import printable, problem_table


def set_view(problem_set: ProblemSet) -> RenderableType:
    """Name, version, hash and a table of the problems."""
    heading = Text.assemble(
        (printable(f"{problem_set.name} {problem_set.version}"), "bold"),
        printable(f": {len(problem_set.problems)} problems, from {problem_set.source or 'a file'}"),
    )
    return Group(heading, Text(f"hash {problem_set.hash}", "dim"), Text(), problem_table(problem_set.problems))


def problem_view(problem: Problem) -> RenderableType:
    """Everything of one problem: what is asked, the reference, the tests."""
    facts = [problem.language, problem.difficulty, *problem.tags, problem.licence]
    heading = Text.assemble(
        (printable(problem.id), "bold"), printable(": " + ", ".join(fact for fact in facts if fact))
    )
    code = problem.tests.code
    tests = code if isinstance(problem.tests, CheckFunction) else "\n".join(code)
    parts: list[RenderableType] = [heading]
    for title, text in (("prompt", problem.prompt), ("reference", problem.reference), ("tests", str(tests))):
        if text:
            parts += [
                Text(f"\n{title}", "bold"),
                Syntax(text.strip("\n"), problem.language, background_color="default"),
            ]
    return Group(*parts)
