"""Samples in files where one value has all answers to a problem.

The bigcode harness writes `generations_TASK.json`, a list of lists of whole programs in the order of the data set.
LiveCodeBench takes such a list in the order of `question_id` as text, or objects `{question_id, code_list}`.
MultiPL-E writes an object for each problem: `{name, language, prompt, tests, completions, temperature, …}`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from codejury.formats import checks
from codejury.formats.answers import Answers, Placed
from codejury.formats.jsonl import Entry, Row, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codejury.model import Sample

Order = Literal["bigcode", "livecodebench"]
"""Whose order lists of answers have: that of the problem set, or that of its ids as texts."""


def placed_lists(entries: Iterable[Entry], answers: Answers, order: Order | None = None) -> Iterator[Sample]:
    """The samples of a list of lists of whole programs.

    Args:
        entries: The lists.
        answers: With the problem set, whose order tells which problem a list answers.
        order: Whose order that is. If None, the file's name tells it, or a problem set where both are the same.

    Raises:
        InputError: There is no problem set, the order is not known, there is not one list for each problem, the
            lists seem to answer other problems, or a list holds something else than answers.
    """
    placed: Placed | None = None
    path = ""
    for number, (path, line, value) in enumerate(entries):
        row = Row(path, line, {})
        if placed is None:
            by_id = (order or _order(row, answers)) == "livecodebench"
            placed = Placed(row, answers.known, by_id=by_id)
            answers.note(
                f"the file names no problems: its lists were taken in the order of {'ids' if by_id else 'the set'}"
            )
        if not isinstance(value, list):
            raise row.error(f"expected a list of answers to one problem, got {kind_of(value)}", f"[{number}]")
        problem_id = placed.problem_id(row)
        yield from answers.listed(row, f"[{number}]", problem_id, value, "solution")
        placed.look(problem_id, value)
    if placed is not None:
        placed.close(path)


def _order(row: Row, answers: Answers) -> Order:
    if Path(row.path).name.startswith("generations"):
        return "bigcode"
    ids = Placed(row, answers.known, by_id=False).ids
    if ids != sorted(ids):
        raise row.error(
            "lists of answers name no problems, and are in the order of the set (bigcode) or of its ids"
            " (LiveCodeBench), which differ here: say which by `codejury convert --from`"
        )
    return "bigcode"


def livecodebench(rows: Iterable[Row], answers: Answers) -> Iterator[Sample]:
    """The samples of rows `{question_id, code_list}`, whole programs.

    Raises:
        InputError: A row is none, answers an unknown problem, or one that a row before answers.
    """
    for row in rows:
        problem_id = _named(row, answers, "question_id", "code_list")
        yield from answers.listed(row, "code_list", problem_id, row.fields["code_list"], "solution")


def multiple(rows: Iterable[Row], answers: Answers) -> Iterator[Sample]:
    """The samples of MultiPL-E's files, completions of the prompt that stands beside them.

    Raises:
        InputError: A row is none, answers an unknown problem or another prompt, or one that a row before answers,
            or has another temperature than one before.
    """
    for row in rows:
        if "results" in row.fields and "completions" not in row.fields:
            raise row.error("holds results and no completions; give the file that was judged", "results")
        problem_id = _named(row, answers, "name", "completions")
        answers.check_prompt(row, "prompt", problem_id, row.fields.get("prompt"))
        yield from answers.listed(row, "completions", problem_id, row.fields["completions"], "completion")


def _named(row: Row, answers: Answers, field: str, needed: str) -> str:
    """The problem of a row that has all answers to it."""
    for name in (field, needed):
        if name not in row.fields:
            raise row.error(f"is missing; the row has {checks.names(row.fields)}", name)
    value = row.fields[field]
    problem_id = answers.problem_id(row, field, str(value) if type(value) is int else value)
    answers.once(row, field, problem_id)
    return problem_id
