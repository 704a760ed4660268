"""Reading and writing problems, in whichever known format a file has; `samples` does the same for samples."""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING, Literal, NoReturn

from codejury.formats import checks, evalplus, humaneval, mbpp, native
from codejury.formats.jsonl import Row, read_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from codejury.model import Problem

Format = Literal["codejury", "humaneval"]
"""A format that problems are written in."""

_PROBLEM_SHAPES = (
    "codejury (id, prompt, entry_point, tests)",
    f"HumanEval ({', '.join(humaneval.PROBLEM_FIELDS)})",
    "EvalPlus (task_id, prompt, entry_point, canonical_solution, base_input, plus_input)",
    "MBPP (task_id, text or prompt, code, test_list)",
)


def read_problems(path: str | os.PathLike[str]) -> Iterator[Problem]:
    """The problems of a file, one at a time; the fields of the first row tell the format.

    Args:
        path: See `read_rows`.

    Raises:
        InputError: The file cannot be read, its format is not known, a row does not fit it, or an id repeats.
            Raised while iterating, as everything else is.
    """
    with _peeked(path) as (first, rows):
        if {"id", "prompt"} <= first.fields.keys():
            yield from native.problems(rows)
        elif "task_id" in first.fields and {"base_input", "plus_input"} & first.fields.keys():
            yield from evalplus.problems(rows)
        elif {"task_id", "code", "test_list"} <= first.fields.keys():
            yield from mbpp.problems(rows)
        elif str(first.fields.get("task_id")).startswith(mbpp.CODET):
            yield from mbpp.codet_problems(rows)
        elif {"task_id", "prompt", "entry_point"} <= first.fields.keys():
            yield from humaneval.problems(rows)
        else:
            _refuse(first, "problems", _PROBLEM_SHAPES)


def write_problems(path: str | os.PathLike[str], problems: Iterable[Problem], *, form: Format = "codejury") -> int:
    """Write problems, as they come, to a file that appears only when it is complete.

    Args:
        path: See `write_rows`.
        problems: What to write.
        form: "codejury" holds everything, "humaneval" what that format can hold.

    Returns:
        The number of problems written.

    Raises:
        UsageError: The file cannot be made, or the format cannot hold a problem.
        InfrastructureError: Writing failed; what was there before is unharmed.
    """
    write = humaneval.write_problems if form == "humaneval" else native.write_problems
    return write(path, problems)


@contextlib.contextmanager
def _peeked(path: str | os.PathLike[str]) -> Iterator[tuple[Row, Iterator[Row]]]:
    """The first row and all rows; the file is closed when they are done with, also by an error."""
    with contextlib.closing(read_rows(path)) as rows:
        first = next(rows)  # a file without rows is an error of `read_rows`
        yield first, itertools.chain([first], rows)


def _refuse(first: Row, noun: str, shapes: tuple[str, ...]) -> NoReturn:
    raise first.error(
        f"no known format of {noun}: the row has {checks.names(first.fields)}; known are {', '.join(shapes)}"
    )
