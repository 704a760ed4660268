"""Rows of Parquet files, as the public hub keeps data sets. Needs the extra `[hub]`."""

from __future__ import annotations

import datetime as dt
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from codejury.formats.jsonl import Row
from codejury.model import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Generator

ENDING = ".parquet"

_AT_ONCE = 64  # rows that are held as Python's values


def read_parquet_rows(path: str | os.PathLike[str]) -> Generator[Row, None, None]:
    """The rows of a Parquet file, read as they are asked for; a row's line is its number, from 1.

    Dates and times become texts in ISO 8601.

    Args:
        path: A file whose name ends in `.parquet`.

    Raises:
        UsageError: The extra `[hub]` is not installed.
        InputError: The file cannot be read, or holds no row. Names file and row.
    """
    name = os.fspath(path)
    try:
        import pyarrow as pa  # type: ignore[import-untyped] # noqa: PLC0415 - takes 0.3 s, and is an extra
        from pyarrow import parquet  # noqa: PLC0415 - the same
    except ImportError:
        raise UsageError(
            f"{name}: reading .parquet needs pyarrow, which is not installed: pip install 'codejury[hub]'"
        ) from None
    number = 0
    with ExitStack() as stack:
        try:
            file = stack.enter_context(parquet.ParquetFile(name, memory_map=False))
            for batch in file.iter_batches(batch_size=_AT_ONCE):
                for fields in batch.to_pylist():
                    number += 1
                    yield Row(name, number, {key: _plain(value) for key, value in fields.items()})
        except FileNotFoundError:
            raise InputError("no such file; check the path", path=name) from None
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).split())[:200]
            line = number + 1 if number else None
            raise InputError(f"is no sound Parquet file: {reason}", path=name, line=line) from None
    if not number:
        raise InputError("holds no row; check that it was written to the end", path=name)


def _plain(value: Any) -> Any:
    """A value as JSON's types."""
    if isinstance(value, (dt.date, dt.datetime)):
        return value.isoformat()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
