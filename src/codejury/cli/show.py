"""How a problem set and a problem are shown."""

from __future__ import annotations

import json
from collections import Counter

import msgspec
from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.text import Text

from codejury.model import Assertions, Inputs, Problem, ProblemSet, Script, StdinStdout, Tests, Unjudged
from codejury.report.terminal import printable, problem_table

_CALLS = 20
_CASES = 5
_CASE_CHARACTERS = 400
_FILES = 10
_FILE_CHARACTERS = 400
_PROGRAM = "<the program>"


def set_view(problem_set: ProblemSet) -> RenderableType:
    """Name, version, hash and a table of the problems."""
    heading = Text.assemble(
        (printable(f"{problem_set.name} {problem_set.version}"), "bold"),
        printable(f": {len(problem_set.problems)} problems, from {problem_set.source or 'a file'}"),
    )
    about = [Text(printable(line), "dim") for line in (f"hash {problem_set.hash}", *_said(problem_set))]
    return Group(heading, *about, Text(), problem_table(problem_set.problems))


def _said(problem_set: ProblemSet) -> list[str]:
    """What a set is like, where it is not as most are: languages, days, what cannot be judged."""
    problems, lines = problem_set.problems, []
    languages = Counter(problem.language for problem in problems)
    if set(languages) != {"python"}:
        lines.append("written in " + ", ".join(f"{name} {count}" for name, count in languages.most_common()))
    days = sorted(problem.created for problem in problems if problem.created)
    if days:
        lines.append(f"made from {days[0]} to {days[-1]}")
    obstacles = [problem.obstacle for problem in problems if problem.obstacle is not None]
    if obstacles:
        lines.append(f"{len(obstacles)} of {len(problems)} cannot be judged, the first since {obstacles[0]}")
    return lines


def problem_view(problem: Problem) -> RenderableType:
    """Everything of one problem: what is asked, the reference, the tests."""
    heading = Text.assemble((printable(problem.id), "bold"), printable(": " + ", ".join(_facts(problem))))
    parts: list[RenderableType] = [heading]
    if problem.obstacle is not None:
        parts.append(Text(printable(f"cannot be judged: {problem.obstacle}"), "yellow"))
    texts = {
        "prompt": problem.prompt,
        "suffix": problem.suffix,
        "missing between them": problem.missing if problem.suffix else "",
        "instruction": problem.instruction,
        "preamble": problem.preamble,
        "context": _context_text(problem),
        "reference": problem.reference,
        "before the tests": _before_tests(problem),
        "tests": _tests_text(problem.tests),
    }
    for title, text in texts.items():
        if text and text.strip():
            lexer = "text" if title == "instruction" else problem.language
            parts += [
                Text(f"\n{title}", "bold"),
                Syntax(text.strip("\n"), lexer, background_color="default", word_wrap=True),
            ]
    return Group(*parts)


def _facts(problem: Problem) -> list[str]:
    """What describes a problem, in words."""
    limits = {} if problem.limits is None else msgspec.to_builtins(problem.limits)
    said = [
        problem.language,
        problem.difficulty,
        *problem.tags,
        problem.cluster and f"of {problem.cluster}",
        problem.created,
        problem.licence,
        problem.entry_point and f"entry point {problem.entry_point}",
        *(f"{name} {value:g}" for name, value in limits.items()),
    ]
    return [fact for fact in said if fact]


def _before_tests(problem: Problem) -> str:
    """What runs before the tests, unless it is the prompt."""
    context: str = getattr(problem.tests, "context", "")
    return "" if context == problem.prompt else context


def _context_text(problem: Problem) -> str:
    """The first pieces of other files, each cut to a few lines."""
    lines = [f"# {len(problem.context)} pieces of other files"] if problem.context else []
    for piece in problem.context[:_FILES]:
        text = piece.text if len(piece.text) <= _FILE_CHARACTERS else piece.text[:_FILE_CHARACTERS] + "…"
        lines += [f"# {piece.path}", text.rstrip("\n")]
    if len(problem.context) > _FILES:
        lines.append(f"# and {len(problem.context) - _FILES} more")
    return "\n".join(lines)


def _tests_text(tests: Tests) -> str:
    """The tests as text: their source, or their calls with how outputs are compared."""
    if isinstance(tests, Assertions):
        return "\n".join(tests.code)
    if isinstance(tests, StdinStdout):
        return _cases_text(tests)
    if isinstance(tests, Unjudged):
        return ""
    if isinstance(tests, Script):
        return tests.joined(_PROGRAM)
    if not isinstance(tests, Inputs):
        return tests.code
    calls = [*tests.base, *tests.plus]
    lines = [
        f"# {len(tests.base)} calls, {len(tests.plus)} more beyond the base; as the value protocol writes them"
    ]
    lines.append(f"# compared: {msgspec.json.encode(tests.comparison).decode()}")
    for place, call in enumerate(calls[:_CALLS]):
        wanted = "" if tests.expected is None else f" -> {json.dumps(tests.expected[place])}"
        lines.append(json.dumps(call) + wanted)
    if len(calls) > _CALLS:
        lines.append(f"# and {len(calls) - _CALLS} more")
    return "\n".join(lines) + (f"\n\n{tests.oracle}" if tests.oracle else "")


def _cases_text(tests: StdinStdout) -> str:
    """The first runs of a program and how outputs are compared, as comments; then the code of a checker."""
    checker = tests.checker
    lines = [f"# {len(tests.cases)} runs with an input each"]
    rules = {name: value for name, value in msgspec.to_builtins(checker).items() if name != "code"}
    lines.append(f"# compared: {json.dumps(rules or {'kind': checker.kind})}")
    for place, case in enumerate(tests.cases[:_CASES], 1):
        for name, text in (("input", case.stdin), ("output", case.stdout)):
            shown = text if len(text) <= _CASE_CHARACTERS else text[:_CASE_CHARACTERS] + "…"
            lines += [f"# {name} {place}", *(f"#   {line}" for line in shown.removesuffix("\n").split("\n"))]
    if len(tests.cases) > _CASES:
        lines.append(f"# and {len(tests.cases) - _CASES} more")
    return "\n".join(lines) + (f"\n\n{checker.code}" if checker.code else "")
