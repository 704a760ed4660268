"""Which family of problems a file is of, told by the fields of its first row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from codejury.formats import (
    apps,
    bigcodebench,
    checks,
    code_contests,
    evalplus,
    humaneval,
    humaneval_x,
    infilling,
    inputs_outputs,
    livecodebench,
    mbpp,
    multipl_e,
    native,
    repositories,
    safim,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from codejury.formats.jsonl import Row
    from codejury.model import Problem

    Fields = dict[str, Any]


class Family(NamedTuple):
    """A layout of problems.

    Attributes:
        name: For people.
        fits: Whether a row's fields are of it.
        read: Its reader.
    """

    name: str
    fits: Callable[[Fields], bool]
    read: Callable[[Iterable[Row]], Iterator[Problem]]


def _has(*names: str) -> Callable[[Fields], bool]:
    return lambda fields: set(names) <= fields.keys()


def _named(name: str, fields: tuple[str, ...], read: Callable[[Iterable[Row]], Iterator[Problem]]) -> Family:
    return Family(name, _has(*fields), read)


FAMILIES = (
    Family(
        "codejury",
        lambda fields: {"id", "prompt"} <= fields.keys() and "outputs" not in fields,
        native.problems,
    ),
    Family(
        "EvalPlus",
        lambda fields: "task_id" in fields and bool({"base_input", "plus_input"} & fields.keys()),
        evalplus.problems,
    ),
    _named("MBPP", ("task_id", "code", "test_list"), mbpp.problems),
    Family(
        "MBPP as functions",
        lambda fields: str(fields.get("task_id")).startswith(mbpp.CODET),
        mbpp.codet_problems,
    ),
    _named("HumanEval infilling", infilling.FIELDS, infilling.problems),
    _named("BigCodeBench", bigcodebench.FIELDS, bigcodebench.problems),
    _named("SAFIM", safim.FIELDS, safim.problems),
    _named("HumanEval-X", humaneval_x.FIELDS, humaneval_x.problems),
    _named("HumanEval", ("task_id", "prompt", "entry_point"), humaneval.problems),
    _named("MultiPL-E", multipl_e.FIELDS, multipl_e.problems),
    _named("LiveCodeBench", livecodebench.FIELDS, livecodebench.problems),
    _named("APPS", apps.FIELDS, apps.problems),
    _named("CodeContests", code_contests.FIELDS, code_contests.problems),
    _named("CrossCodeEval", repositories.CROSSCODEEVAL, repositories.crosscodeeval_problems),
    _named("RepoBench", repositories.REPOBENCH, repositories.repobench_problems),
    _named("ExecRepoBench", repositories.EXECREPOBENCH, repositories.execrepobench_problems),
    _named("inputs and outputs", ("inputs", "outputs"), inputs_outputs.problems),
)
"""In the order in which they are tried: a family whose fields another one has, too, comes after it."""


def problems(first: Row, rows: Iterable[Row]) -> Iterator[Problem]:
    """The problems of a file.

    Args:
        first: Its first row.
        rows: All rows.

    Raises:
        InputError: The first row is of no known family, or a row does not fit it.
    """
    for family in FAMILIES:
        if family.fits(first.fields):
            yield from family.read(rows)
            return
    known = ", ".join(family.name for family in FAMILIES)
    found = checks.names(first.fields)
    raise first.error(f"no known format of problems: the row has {found}; known are {known}")
