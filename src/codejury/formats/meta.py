"""How samples were made, as a file beside them says: `samples.jsonl.meta.json` of `samples.jsonl`."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from codejury.formats.jsonl import write_value
from codejury.model import MIB, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

ENDING = ".meta.json"
"""What the name of the file of samples is followed by."""

MAX_BYTES = MIB
"""The longest file."""


def read_meta(samples: str | os.PathLike[str]) -> dict[str, str]:
    """What the file beside a file of samples says of how they were made; nothing where there is no such file.

    Of `samples.jsonl.gz` it is `samples.jsonl.gz.meta.json`, or where that is not there `samples.jsonl.meta.json`.
    It holds one JSON object of texts, numbers, true and false.

    Args:
        samples: The file of samples.

    Returns:
        The values as text by key: numbers as they are written, booleans as "true" and "false".

    Raises:
        InputError: The file cannot be read, is not JSON, or holds something else; names file, line or field.
    """
    name = os.fspath(samples).rstrip(os.sep)
    for path in dict.fromkeys((name + ENDING, name.removesuffix(".gz") + ENDING)):
        if os.path.lexists(path):
            return _read(path)
    return {}


def write_meta(samples: str | os.PathLike[str], meta: Mapping[str, object]) -> None:
    """Write how samples were made to the file beside them, or remove one that says so of former samples.

    Args:
        samples: The file or folder of samples.
        meta: Texts, numbers and booleans; other values are left out. If there are none, there is no file.

    Raises:
        UsageError: The file cannot be made.
        InfrastructureError: Writing failed.
    """
    path = os.fspath(samples).rstrip(os.sep) + ENDING
    plain = {key: value for key, value in meta.items() if isinstance(value, str | int | float)}
    if plain:
        write_value(path, plain)
    else:
        Path(path).unlink(missing_ok=True)


def _read(path: str) -> dict[str, str]:
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"more than {MAX_BYTES // MIB} MiB: a few facts on the samples are expected", path=path)
    try:
        value = _DECODER.decode(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error.reason} at byte {error.start + 1}", path=path) from None
    except (ValueError, RecursionError) as error:
        _refuse(error, path)
    if not isinstance(value, dict):
        raise InputError('expected one JSON object, as {"model": "mine", "temperature": 0.8}', path=path)
    return {key: _text(path, key, item) for key, item in value.items()}


def _text(path: str, key: str, value: object) -> str:
    field = key.encode("utf-8", "backslashreplace").decode()[:80]
    if key != key.strip() or not key.isprintable() or not key:
        raise InputError(
            "a key is printable text that neither begins nor ends with a space", path=path, field=field
        )
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        kind = "null" if value is None else "a list" if isinstance(value, list) else "an object"
        raise InputError(f"expected a text, a number, true or false, got {kind}", path=path, field=field)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError("has half of a surrogate pair, which is no character", path=path, field=field) from None
    return value


class _RepeatedKeyError(ValueError):
    """A key occurs twice."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _RepeatedKeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return fields


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_int=str, parse_float=str, parse_constant=_no_number)


def _refuse(error: Exception, path: str) -> NoReturn:
    if isinstance(error, _RepeatedKeyError):
        raise InputError(
            "the key occurs twice; which one counts is undefined", path=path, field=str(error)
        ) from None
    if isinstance(error, json.JSONDecodeError):
        raise InputError(f"bad JSON at column {error.colno}: {error.msg}", path=path, line=error.lineno) from None
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    raise InputError(f"bad JSON: {reason}", path=path) from None
