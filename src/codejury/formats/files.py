"""Reading and writing problems, in whichever known format a file has; `samples` does the same for samples."""

from __future__ import annotations

import contextlib
import itertools
import os
from typing import TYPE_CHECKING, Literal

from codejury.formats import families, humaneval, native
from codejury.formats.jsonl import read_rows
from codejury.formats.parquet import ENDING, read_parquet_rows

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from codejury.formats.jsonl import Row
    from codejury.model import Problem

Format = Literal["codejury", "humaneval"]
"""A format that problems are written in."""


def read_problems(path: str | os.PathLike[str]) -> Iterator[Problem]:
    """The problems of a file, one at a time; the fields of the first row tell the format.

    Args:
        path: A file of JSON rows (see `read_rows`), or one that ends in `.parquet`.

    Raises:
        UsageError: It ends in `.parquet`, and the extra `[hub]` is not installed.
        InputError: The file cannot be read, its format is not known, a row does not fit it, or an id repeats.
            Raised while iterating, as everything else is.
    """
    with contextlib.closing(rows_of(path)) as rows:
        first = next(rows)  # a file without rows is an error of its reader
        yield from families.problems(first, itertools.chain([first], rows))


def rows_of(path: str | os.PathLike[str]) -> Generator[Row, None, None]:
    """The rows of a file of JSON or of a Parquet file, see `read_rows` and `read_parquet_rows`."""
    return read_parquet_rows(path) if os.fspath(path).endswith(ENDING) else read_rows(path)


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
