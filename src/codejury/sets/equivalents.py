"""Mutants that are argued to do the same as the program: read from files of `[[equivalent]]` tables in TOML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from codejury.model import InputError

if TYPE_CHECKING:
    import os


class Equivalent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mutant that does the same as its program for every input of the contract, so that no test can fail it.

    Attributes:
        problem: The problem's id.
        mutant: The mutant's label, see `codejury.sets.mutants.Mutant`.
        reason: Why, in a sentence.
    """

    problem: str
    mutant: str
    reason: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    equivalent: list[dict[str, str]]


def read_equivalents(path: str | os.PathLike[str], *, problem: str | None = None) -> list[Equivalent]:
    """The tables of a file, in its order.

    Args:
        path: A TOML file of `[[equivalent]]` tables with `problem`, `mutant` and `reason`.
        problem: Id of the problem that the whole file is of; its tables then name none.

    Raises:
        InputError: The file cannot be read, a table is wrong, or two are of the same mutant.
    """
    name = str(path)
    common = {} if problem is None else {"problem": problem}
    try:
        tables = msgspec.toml.decode(Path(path).read_bytes(), type=_File).equivalent
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"{error}: take tables [[equivalent]] of texts", path=name) from None
    found: dict[tuple[str, str], Equivalent] = {}
    for number, table in enumerate(tables, start=1):
        where = f"equivalent {number}"
        if common.keys() & table.keys():
            raise InputError("names a problem, where the file is of one: leave it out", path=name, field=where)
        try:
            equivalent = msgspec.convert(table | common, Equivalent)
        except msgspec.ValidationError as error:
            raise InputError(f"{error}: correct it", path=name, field=where) from None
        if not equivalent.reason.strip():
            raise InputError("has no reason: say why no test can fail it", path=name, field=where)
        key = (equivalent.problem, equivalent.mutant)
        if key in found:
            raise InputError(f"mutant {equivalent.mutant!r} stands there twice: keep one", path=name, field=where)
        found[key] = equivalent
    return list(found.values())
