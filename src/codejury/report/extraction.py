"""A file of samples under several extractors: how much the figures depend on how code is taken out of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
from rich.console import Group
from rich.text import Text

from codejury.report.document import Estimate, ProblemSetRef
from codejury.report.terminal import notes, plain_table, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType


class ExtractionRow(msgspec.Struct, frozen=True, kw_only=True):
    """The figures under one extractor.

    Attributes:
        extractor: Its name and version.
        run: The run that was judged by it.
        pass_at_k: Estimates by k.
        differing: Samples whose program is not that of the first extractor.
        empty: Samples without a program.
        rules: Samples by rule.
        flags: Samples by what extraction had to do or met; a sample may have several.
    """

    extractor: str
    run: str
    pass_at_k: dict[str, Estimate]
    differing: int
    empty: int
    rules: dict[str, int]
    flags: dict[str, int]


class ExtractionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The same samples judged under several extractors.

    Attributes:
        schema: Name and version of this document.
        problem_set: Which problems.
        samples: Samples of each run.
        level: Confidence level of the intervals.
        rows: A row for each extractor, in the order in which they were asked for.
        warnings: What the runs' own reports warn of, each once.
    """

    schema: Literal["extraction/1"] = "extraction/1"
    problem_set: ProblemSetRef
    samples: int
    level: float
    rows: list[ExtractionRow]
    warnings: list[str] = []


def extraction_report(document: ExtractionDocument) -> RenderableType:
    """The document on a terminal: pass@k and its interval by extractor, and how far programs differ."""
    problem_set = document.problem_set
    table = plain_table()
    table.add_column("extractor", overflow="fold")
    for heading in _ks(document):
        table.add_column(heading, justify="right", style="bold")
    table.add_column("population", justify="right")
    table.add_column("differ", justify="right")
    table.add_column("empty", justify="right")
    table.add_column("flags", overflow="fold")
    for row in document.rows:
        estimates = [row.pass_at_k.get(name.removeprefix("pass@")) for name in _ks(document)]
        interval = estimates[0].population if estimates and estimates[0] else None
        table.add_row(
            Text(printable(row.extractor)),
            *(f"{100 * one.value:.1f} %" if one else "-" for one in estimates),
            f"{100 * interval.low:.1f} to {100 * interval.high:.1f}" if interval else "not known",
            str(row.differing),
            str(row.empty),
            Text(printable(_counts(row.flags))),
        )
    name = printable(f"{problem_set.name} {problem_set.version}")
    meaning = (
        f"\npopulation: {100 * document.level:.4g} % interval of the first figure for problems of this kind, in"
        " percent.\ndiffer: programs that are not those of the first extractor."
    )
    title = Text.assemble((name, "bold"), f": {document.samples} samples under each extractor\n")
    return Group(title, table, Text(meaning, "dim"), *notes(document.warnings))


def _ks(document: ExtractionDocument) -> list[str]:
    return list(dict.fromkeys(f"pass@{k}" for row in document.rows for k in row.pass_at_k))


def _counts(flags: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {flag}" for flag, number in flags.items())
